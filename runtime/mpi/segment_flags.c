/* SPDX-License-Identifier: BSD-2-Clause */
#include <scanrt/scan_runs.h>

#include "mpi/run.h"

/* ---- keys ---- */

/* 1 if two keys of a half type differ, by C's !=. */
static int halves_differ(const void *a, const void *b, uint32_t infinity) {
  uint16_t x, y;
  memcpy(&x, a, sizeof x);
  memcpy(&y, b, sizeof y);
  const uint32_t size_x = x & 0x7fffu, size_y = y & 0x7fffu;
  if (size_x > infinity || size_y > infinity) return 1; /* a NaN */
  return x != y && (size_x | size_y) != 0;
}

int scan_mpi_keys_differ(scan_type type, const void *a, const void *b) {
  float f[2];
  double d[2];
  switch (type) {
  case SCAN_F32:
    memcpy(&f[0], a, sizeof f[0]);
    memcpy(&f[1], b, sizeof f[1]);
    return f[0] != f[1];
  case SCAN_F64:
    memcpy(&d[0], a, sizeof d[0]);
    memcpy(&d[1], b, sizeof d[1]);
    return d[0] != d[1];
  case SCAN_F16: return halves_differ(a, b, 0x7c00u);
  case SCAN_BF16: return halves_differ(a, b, 0x7f80u);
  default: return memcmp(a, b, scan_type_bytes(type)) != 0;
  }
}

/* ---- marks of this context ---- */

enum { KEY_MOST_BYTES = 8, MARKS_ITEMS = MPI_MARKS_BYTES / KEY_MOST_BYTES };

/* Some of a context's marks on the host. */
typedef struct marks_chunk {
  const unsigned char *bytes;
  uint64_t first, count; /* number of the first mark, and of marks */
} marks_chunk;

/* Bytes of `count` marks; bits are a whole number of words. */
static uint64_t marks_bytes(const scan_spec *spec, uint64_t count) {
  switch (spec->segments) {
  case SCAN_SEGMENTS_FLAGS: return count;
  case SCAN_SEGMENTS_BITS: return (count + 31) / 32 * 4;
  default: return count * scan_type_bytes(spec->key_type);
  }
}

/* Returns the number of marks: of offsets mark_count, else one for each element. */
static uint64_t count_marks(const mpi_run *run) {
  return run->spec->asked.segments == SCAN_SEGMENTS_OFFSETS ? run->args.mark_count : run->local_n;
}

static scan_status read_offsets(const mpi_run *run, const marks_chunk *chunk, uint64_t *before) {
  const scan_type type = run->spec->asked.key_type;
  const size_t bytes = scan_type_bytes(type);
  for (uint64_t i = 0; i < chunk->count; i++) {
    uint32_t narrow = 0;
    uint64_t at = 0;
    memcpy(type == SCAN_U32 ? (void *)&narrow : (void *)&at, chunk->bytes + i * bytes, bytes);
    at += narrow;
    if (at > run->local_n || at < *before)
      return scan_mpi_fail(run->mpi, SCAN_INVALID_ARGUMENT,
                           "args->marks: offset %llu is %llu: offsets ascend, and are at most local_n, %llu",
                           (unsigned long long)(chunk->first + i), (unsigned long long)at,
                           (unsigned long long)run->local_n);
    *before = at;
    run->segment_flags.bytes[at] = 1;
  }
  return SCAN_SUCCESS;
}

static void read_bits(const marks_chunk *chunk, unsigned char *flags) {
  for (uint64_t i = 0; i < chunk->count; i++) {
    uint32_t word;
    memcpy(&word, chunk->bytes + i / 32 * 4, sizeof word);
    flags[i] = word >> i % 32 & 1;
  }
}

/* Reads a chunk of marks. Chunks of bits begin with a word. @param[in,out] before  the offset before, or nothing. */
static scan_status read_chunk(const mpi_run *run, const marks_chunk *chunk, uint64_t *before) {
  const scan_spec *spec = &run->spec->asked;
  const size_t bytes = scan_type_bytes(spec->key_type);
  unsigned char *flags = run->segment_flags.bytes + chunk->first;
  switch (spec->segments) {
  case SCAN_SEGMENTS_FLAGS:
    for (uint64_t i = 0; i < chunk->count; i++) flags[i] = chunk->bytes[i] != 0;
    return SCAN_SUCCESS;
  case SCAN_SEGMENTS_BITS: read_bits(chunk, flags); return SCAN_SUCCESS;
  case SCAN_SEGMENTS_KEYS:
    for (uint64_t i = 1; i < chunk->count; i++)
      flags[i] =
          (unsigned char)scan_mpi_keys_differ(spec->key_type, chunk->bytes + (i - 1) * bytes, chunk->bytes + i * bytes);
    return SCAN_SUCCESS;
  default: return read_offsets(run, chunk, before);
  }
}

static uint64_t least(uint64_t a, uint64_t b) { return a < b ? a : b; }

/* Reads this context's marks, by chunks if they are no host memory. Chunks of keys have one key in common. */
static scan_status read_marks(mpi_run *run) {
  const scan_spec *spec = &run->spec->asked;
  const char *host = scan_mpi_host_pointer(run->args.marks);
  const uint64_t shared = spec->segments == SCAN_SEGMENTS_KEYS ? 1 : 0, count = count_marks(run);
  uint64_t before = 0;
  for (uint64_t first = 0; first < count; first += MARKS_ITEMS - shared) {
    const uint64_t items = host != NULL ? count : least(count - first, MARKS_ITEMS);
    marks_chunk chunk = { (const unsigned char *)host, first, items };
    if (host == NULL) {
      const scan_mem copy = run->plan->marks.mem, from = scan_offset(run->args.marks, marks_bytes(spec, first));
      MPI_TRY(scan_mpi_copy(run->mpi, copy, from, marks_bytes(spec, items)));
      chunk.bytes = (const unsigned char *)scan_mpi_host_pointer(copy);
    }
    MPI_TRY(read_chunk(run, &chunk, &before));
    if (first + items == count) break;
  }
  run->segment_flags.marks_behind = run->segment_flags.bytes[run->local_n];
  return SCAN_SUCCESS;
}

/* Reads the first and the last key. */
static scan_status read_ends(mpi_run *run) {
  const scan_spec *spec = &run->spec->asked;
  const scan_mem keys = run->args.marks;
  const size_t bytes = scan_type_bytes(spec->key_type);
  if (spec->segments != SCAN_SEGMENTS_KEYS || run->local_n == 0) return SCAN_SUCCESS;
  MPI_TRY(scan_mpi_copy(run->mpi, scan_host(run->segment_flags.first_key), keys, bytes));
  return scan_mpi_copy(run->mpi, scan_host(run->segment_flags.last_key), scan_offset(keys, (run->local_n - 1) * bytes),
                       bytes);
}

static scan_status check_marks(const mpi_run *run) {
  scan_mpi *mpi = run->mpi;
  const scan_spec *spec = &run->spec->asked;
  const scan_args *args = &run->args;
  const uint64_t n = run->local_n;
  if (spec->segments == SCAN_SEGMENTS_NONE && args->marks.kind != SCAN_MEM_NONE)
    return scan_mpi_fail(mpi, SCAN_INVALID_ARGUMENT, "args->marks is given, but spec->segments is 0");
  if (spec->segments != SCAN_SEGMENTS_NONE && spec->segments != SCAN_SEGMENTS_OFFSETS && args->mark_count < n)
    return scan_mpi_fail(mpi, SCAN_INVALID_ARGUMENT, "args->mark_count is %llu, less than local_n, %llu",
                         (unsigned long long)args->mark_count, (unsigned long long)n);
  if (spec->segments == SCAN_SEGMENTS_NONE || count_marks(run) == 0) return SCAN_SUCCESS;
  if (args->marks.kind == SCAN_MEM_NONE || args->marks.handle == NULL)
    return scan_mpi_fail(mpi, SCAN_INVALID_ARGUMENT, "args->marks is no memory, and spec->segments asks for it");
  return SCAN_SUCCESS;
}

scan_status scan_mpi_flags_read(mpi_run *run) {
  scan_mpi_plan *plan = run->plan;
  MPI_TRY(check_marks(run));
  if (!scan_mpi_has_segments(run)) return SCAN_SUCCESS;
  MPI_TRY(read_ends(run));
  if (scan_mpi_host_pointer(run->args.marks) == NULL)
    MPI_TRY(scan_mpi_reserve_host(run->mpi, &plan->marks, MPI_MARKS_BYTES));
  if (run->spec->by_keys) return SCAN_SUCCESS;
  MPI_TRY(scan_mpi_scan_reserve_flags(plan, run->local_n));
  const int is_host = run->mpi->backend == SCAN_BACKEND_HOST;
  run->segment_flags.bytes =
      (unsigned char *)scan_mpi_host_pointer(is_host ? plan->segment_flags.mem : plan->host_flags.mem);
  memset(run->segment_flags.bytes, 0, run->local_n + 1);
  return read_marks(run);
}

/* ---- flags by keys ---- */

enum { CHUNK_KEYS = 4096 };

/* Some of a context's keys on the host. */
typedef struct keys_chunk {
  _Alignas(8) unsigned char bytes[CHUNK_KEYS * KEY_MOST_BYTES];
} keys_chunk;

/* Reads `count` keys, at most CHUNK_KEYS, from index `first` on. */
static scan_status read_keys(const mpi_run *run, uint64_t first, uint64_t count, keys_chunk *chunk) {
  const size_t bytes = scan_type_bytes(run->spec->asked.key_type);
  return scan_mpi_copy(run->mpi, scan_host(chunk->bytes), scan_offset(run->args.marks, first * bytes), count * bytes);
}

/* 1 if key number i of a chunk differs from the one before. */
static int differs(const mpi_run *run, const keys_chunk *chunk, uint64_t i) {
  const size_t bytes = scan_type_bytes(run->spec->asked.key_type);
  return scan_mpi_keys_differ(run->spec->asked.key_type, chunk->bytes + (i - 1) * bytes, chunk->bytes + i * bytes);
}

/* Defines a function that sets flags[i] to 1 if key i + 1 differs from key i. */
#define DEFINE_COMPARE(type)                                                                                           \
  static void compare_##type(const unsigned char *keys, uint64_t count, unsigned char *flags) {                        \
    for (uint64_t i = 0; i < count; i++) {                                                                             \
      type pair[2];                                                                                                    \
      memcpy(pair, keys + i * sizeof *pair, sizeof pair);                                                              \
      flags[i] = pair[0] != pair[1];                                                                                   \
    }                                                                                                                  \
  }
DEFINE_COMPARE(uint8_t)
DEFINE_COMPARE(uint16_t)
DEFINE_COMPARE(uint32_t)
DEFINE_COMPARE(uint64_t)

/* Sets flags[i] to 1 if key i + 1 differs from key i. */
static void compare_all(scan_type type, const unsigned char *keys, uint64_t count, unsigned char *flags) {
  const size_t bytes = scan_type_bytes(type);
  switch (type) {
  case SCAN_F32:
  case SCAN_F64:
  case SCAN_F16:
  case SCAN_BF16:
    for (uint64_t i = 0; i < count; i++)
      flags[i] = (unsigned char)scan_mpi_keys_differ(type, keys + i * bytes, keys + (i + 1) * bytes);
    return;
  default: break;
  }
  switch (bytes) {
  case 1: compare_uint8_t(keys, count, flags); return;
  case 2: compare_uint16_t(keys, count, flags); return;
  case 4: compare_uint32_t(keys, count, flags); return;
  default: compare_uint64_t(keys, count, flags);
  }
}

/* Compares keys on the host, in chunks of the plan's `marks` if they are no host memory. */
static scan_status compare_keys(const mpi_run *run, uint64_t first, uint64_t count, unsigned char *to) {
  const scan_type type = run->spec->asked.key_type;
  const size_t bytes = scan_type_bytes(type);
  const unsigned char *host = (const unsigned char *)scan_mpi_host_pointer(run->args.marks);
  if (first == 0 && count > 0) {
    to[0] = (unsigned char)run->segment_flags.first;
    first++, to++, count--;
  }
  for (uint64_t done = 0, items; done < count; done += items) {
    const scan_mem from = scan_offset(run->args.marks, (first + done - 1) * bytes);
    const unsigned char *keys = host != NULL ? host + (first - 1) * bytes : NULL;
    items = host != NULL ? count : least(count - done, MARKS_ITEMS - 1);
    if (host == NULL) {
      MPI_TRY(scan_mpi_copy(run->mpi, run->plan->marks.mem, from, (items + 1) * bytes));
      keys = (const unsigned char *)scan_mpi_host_pointer(run->plan->marks.mem);
    }
    compare_all(type, keys, items, to + done);
  }
  return SCAN_SUCCESS;
}

scan_status scan_mpi_flags_copy(const mpi_run *run, uint64_t first, uint64_t count, unsigned char *to) {
  if (run->spec->by_keys) return compare_keys(run, first, count, to);
  memcpy(to, run->segment_flags.bytes + first, count);
  return SCAN_SUCCESS;
}

/* Finds out if all keys of an interval are equal, on the device. */
static scan_status are_equal(const mpi_run *run, uint64_t first, uint64_t end, int *equal) {
  scan_mpi *mpi = run->mpi;
  const scan_type type = run->spec->asked.key_type;
  const scan_run_length_spec spec = SCAN_RUN_LENGTH_SPEC_INIT(type, SCAN_TYPE_DEFAULT);
  const scan_mem keys = scan_offset(run->args.marks, first * scan_type_bytes(type)),
                 count = scan_mpi_slot(run, SLOT_COUNT);
  const int is_planned = run->plan->comparing != NULL && !scan_mpi_is_foreign(mpi, keys);
  uint64_t runs = 0;
  scan_run_length_args args = SCAN_RUN_LENGTH_ARGS_INIT(keys, SCAN_NO_MEM, SCAN_NO_MEM, count);
  args.capacity = SCAN_NO_CAPACITY;
  MPI_TRY(scan_mpi_adopt_error(mpi, is_planned ? scan_plan_run_run_length(run->plan->comparing, end - first, &args)
                                               : scan_run_length_encode(mpi->ctx, &spec, end - first, &args)));
  MPI_TRY(scan_mpi_copy(mpi, scan_host(&runs), count, sizeof runs));
  *equal = runs == 1;
  return SCAN_SUCCESS;
}

/* Keys from *start on are equal. The interval before them is halved, or while all keys are equal doubled, until the
 * host reads it. */
scan_status scan_mpi_last_run(const mpi_run *run, uint64_t first, uint64_t end, uint64_t *start) {
  keys_chunk chunk;
  *start = end - 1;
  while (*start > first) {
    const uint64_t items = least(*start - first, CHUNK_KEYS - 1);
    MPI_TRY(read_keys(run, *start - items, items + 1, &chunk));
    for (uint64_t i = items; i > 0; i--, --*start)
      if (differs(run, &chunk, i)) return SCAN_SUCCESS;
    for (uint64_t step = CHUNK_KEYS; *start - first >= CHUNK_KEYS;) {
      int equal = 0;
      step = least(step, (*start - first + 1) / 2);
      MPI_TRY(are_equal(run, *start - step, *start + 1, &equal));
      if (equal)
        *start -= step, step *= 2;
      else
        first = *start - step;
    }
  }
  return SCAN_SUCCESS;
}

/* ---- boundaries ---- */

/* 1 if a segment begins with the first of all elements; with a carry its segment may continue. */
static unsigned char first_flag(const mpi_spec *spec, int has_carry, unsigned char mark) {
  const int is_known = spec->asked.segments == SCAN_SEGMENTS_FLAGS || spec->asked.segments == SCAN_SEGMENTS_BITS;
  return has_carry && (spec->asked.flags & SCAN_BACKWARD) == 0 ? is_known && mark : 1;
}

/* Sets starts_segment[c] to 1 if a segment begins with context c's first element. Empty contexts pass on an offset
 * behind the elements before them. */
static void flags_join(const mpi_spec *spec, const mpi_layout *layout, int has_carry, const mpi_end *ends,
                       unsigned char *starts_segment) {
  int before = -1, behind = 0;
  for (int c = 0; c < layout->contexts; c++) {
    if (layout->starts[c] == layout->starts[c + 1]) {
      behind |= ends[c].behind;
      continue;
    }
    if (before < 0)
      starts_segment[c] = first_flag(spec, has_carry, ends[c].first);
    else if (spec->asked.segments == SCAN_SEGMENTS_KEYS)
      starts_segment[c] =
          (unsigned char)scan_mpi_keys_differ(spec->asked.key_type, ends[before].last_key, ends[c].first_key);
    else
      starts_segment[c] = ends[c].first || behind;
    before = c;
    behind = ends[c].behind;
  }
}

/* Returns the segment flag after this context's elements: that of the next element, or of the end, where a backward
 * scan's segment begins unless it is continued. */
static unsigned char flag_behind(const scan_mpi *mpi, const mpi_layout *layout, int has_carry,
                                 const unsigned char *starts_segment) {
  for (int c = mpi->context + 1; c < mpi->contexts; c++)
    if (layout->starts[c] != layout->starts[c + 1]) return starts_segment[c];
  return !has_carry;
}

static mpi_end end_of(const mpi_segment_flags *segment_flags, uint64_t n) {
  mpi_end own = { .first = n > 0 && segment_flags->bytes != NULL && segment_flags->bytes[0],
                  .behind = (uint8_t)segment_flags->marks_behind };
  memcpy(own.first_key, segment_flags->first_key, sizeof own.first_key);
  memcpy(own.last_key, segment_flags->last_key, sizeof own.last_key);
  return own;
}

scan_status scan_mpi_flags_join(mpi_run *runs, scan_status status) {
  scan_mpi *mpi = runs->mpi;
  const mpi_layout *layout = &runs->layout;
  mpi_end *ends = runs->plan->arrays.ends;
  unsigned char *starts_segment = runs->plan->arrays.begins;
  MPI_TRY(scan_mpi_agree(mpi, status));
  for (int i = 0; i < mpi->own_contexts; i++) ends[mpi->context + i] = end_of(&runs[i].segment_flags, runs[i].local_n);
  MPI_TRY(scan_mpi_report_all(mpi, ends, sizeof *ends));
  flags_join(runs->spec, layout, runs->has_carry, ends, starts_segment);
  for (int i = 0; i < mpi->own_contexts; i++) {
    mpi_segment_flags *flags = &runs[i].segment_flags;
    flags->first = starts_segment[mpi->context + i];
    flags->behind = flag_behind(runs[i].mpi, layout, runs->has_carry, starts_segment);
    if (flags->bytes == NULL) continue;
    if (runs[i].local_n > 0) flags->bytes[0] = (unsigned char)flags->first;
    flags->bytes[runs[i].local_n] = (unsigned char)flags->behind;
  }
  return SCAN_SUCCESS;
}
