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

/* Bytes of the marks of n elements. */
static uint64_t marks_bytes(const scan_spec *spec, uint64_t n, uint64_t mark_count) {
  switch (spec->segments) {
  case SCAN_SEGMENTS_FLAGS: return n;
  case SCAN_SEGMENTS_BITS: return (n + 31) / 32 * 4;
  case SCAN_SEGMENTS_KEYS: return n * scan_type_bytes(spec->key_type);
  default: return mark_count * scan_type_bytes(spec->key_type);
  }
}

static scan_status read_offsets(scan_mpi *mpi, scan_type type, const unsigned char *marks, uint64_t count, uint64_t n,
                                mpi_segment_flags *segment_flags) {
  const size_t bytes = scan_type_bytes(type);
  uint64_t before = 0;
  for (uint64_t i = 0; i < count; i++) {
    uint32_t narrow = 0;
    uint64_t at = 0;
    memcpy(type == SCAN_U32 ? (void *)&narrow : (void *)&at, marks + i * bytes, bytes);
    at += narrow;
    if (at > n || at < before)
      return scan_mpi_fail(mpi, SCAN_INVALID_ARGUMENT,
                           "args->marks: offset %llu is %llu: offsets ascend, and are at most local_n, %llu",
                           (unsigned long long)i, (unsigned long long)at, (unsigned long long)n);
    before = at;
    segment_flags->bytes[at] = 1;
  }
  segment_flags->marks_behind = segment_flags->bytes[n];
  return SCAN_SUCCESS;
}

static scan_status read_marks(scan_mpi *mpi, const scan_spec *spec, const unsigned char *marks, uint64_t n,
                              uint64_t count, mpi_segment_flags *segment_flags) {
  const size_t bytes = scan_type_bytes(spec->key_type);
  switch (spec->segments) {
  case SCAN_SEGMENTS_FLAGS:
    for (uint64_t i = 0; i < n; i++) segment_flags->bytes[i] = marks[i] != 0;
    return SCAN_SUCCESS;
  case SCAN_SEGMENTS_BITS:
    for (uint64_t i = 0; i < n; i++) {
      uint32_t word;
      memcpy(&word, marks + i / 32 * 4, sizeof word);
      segment_flags->bytes[i] = word >> i % 32 & 1;
    }
    return SCAN_SUCCESS;
  case SCAN_SEGMENTS_KEYS:
    for (uint64_t i = 1; i < n; i++)
      segment_flags->bytes[i] =
          (unsigned char)scan_mpi_keys_differ(spec->key_type, marks + (i - 1) * bytes, marks + i * bytes);
    return SCAN_SUCCESS;
  default: return read_offsets(mpi, spec->key_type, marks, count, n, segment_flags);
  }
}

/* Reads the first and the last key. */
static scan_status read_ends(scan_mpi *mpi, const scan_spec *spec, scan_mem keys, uint64_t n,
                             mpi_segment_flags *segment_flags) {
  const size_t bytes = scan_type_bytes(spec->key_type);
  if (spec->segments != SCAN_SEGMENTS_KEYS || n == 0) return SCAN_SUCCESS;
  MPI_TRY(scan_mpi_copy(mpi, scan_host(segment_flags->first_key), keys, bytes));
  return scan_mpi_copy(mpi, scan_host(segment_flags->last_key), scan_offset(keys, (n - 1) * bytes), bytes);
}

static scan_status check_marks(scan_mpi *mpi, const scan_spec *spec, uint64_t n, const scan_args *args,
                               uint64_t bytes) {
  if (spec->segments == SCAN_SEGMENTS_NONE && args->marks.kind != SCAN_MEM_NONE)
    return scan_mpi_fail(mpi, SCAN_INVALID_ARGUMENT, "args->marks is given, but spec->segments is 0");
  if (spec->segments != SCAN_SEGMENTS_NONE && spec->segments != SCAN_SEGMENTS_OFFSETS && args->mark_count < n)
    return scan_mpi_fail(mpi, SCAN_INVALID_ARGUMENT, "args->mark_count is %llu, less than local_n, %llu",
                         (unsigned long long)args->mark_count, (unsigned long long)n);
  if (bytes > 0 && (args->marks.kind == SCAN_MEM_NONE || args->marks.handle == NULL))
    return scan_mpi_fail(mpi, SCAN_INVALID_ARGUMENT, "args->marks is no memory, and spec->segments asks for it");
  return SCAN_SUCCESS;
}

scan_status scan_mpi_flags_read(scan_mpi *mpi, const mpi_spec *spec, uint64_t local_n, const scan_args *args,
                                mpi_segment_flags *segment_flags) {
  const scan_spec *asked = &spec->asked;
  const uint64_t bytes = asked->segments == SCAN_SEGMENTS_NONE ? 0 : marks_bytes(asked, local_n, args->mark_count);
  *segment_flags = (mpi_segment_flags){ .bytes = NULL };
  MPI_TRY(check_marks(mpi, asked, local_n, args, bytes));
  if (asked->segments == SCAN_SEGMENTS_NONE) return SCAN_SUCCESS;
  MPI_TRY(read_ends(mpi, asked, args->marks, local_n, segment_flags));
  if (spec->by_keys) return SCAN_SUCCESS;
  segment_flags->bytes = scan_mpi_allocate(mpi, local_n + 1, 1);
  unsigned char *copy = scan_mpi_allocate(mpi, bytes, 1);
  scan_status status = segment_flags->bytes != NULL && copy != NULL ? SCAN_SUCCESS : SCAN_OUT_OF_MEMORY;
  if (status == SCAN_SUCCESS) status = scan_mpi_copy(mpi, scan_host(copy), args->marks, bytes);
  if (status == SCAN_SUCCESS) status = read_marks(mpi, asked, copy, local_n, args->mark_count, segment_flags);
  free(copy);
  return status;
}

void scan_mpi_flags_free(mpi_segment_flags *segment_flags) {
  free(segment_flags->bytes);
  segment_flags->bytes = NULL;
}

/* ---- flags by keys ---- */

enum { CHUNK_KEYS = 4096, KEY_MOST_BYTES = 8 };

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

static uint64_t least(uint64_t a, uint64_t b) { return a < b ? a : b; }

static scan_status compare_keys(const mpi_run *run, uint64_t first, uint64_t count, unsigned char *to) {
  keys_chunk chunk;
  if (first == 0 && count > 0) {
    to[0] = (unsigned char)run->segment_flags.first;
    first++, to++, count--;
  }
  for (uint64_t done = 0, items; done < count; done += items) {
    items = least(count - done, CHUNK_KEYS - 1);
    MPI_TRY(read_keys(run, first + done - 1, items + 1, &chunk));
    for (uint64_t i = 0; i < items; i++) to[done + i] = (unsigned char)differs(run, &chunk, i + 1);
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
  const scan_type type = run->spec->asked.key_type;
  const scan_run_length_spec spec = SCAN_RUN_LENGTH_SPEC_INIT(type, SCAN_TYPE_DEFAULT);
  const scan_mem keys = scan_offset(run->args.marks, first * scan_type_bytes(type));
  uint64_t runs = 0;
  scan_run_length_args args = SCAN_RUN_LENGTH_ARGS_INIT(keys, SCAN_NO_MEM, SCAN_NO_MEM, scan_host(&runs));
  args.capacity = SCAN_NO_CAPACITY;
  MPI_TRY(scan_mpi_adopt_error(run->mpi, scan_run_length_encode(run->mpi->ctx, &spec, end - first, &args)));
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

/* The ends of a context's elements, as it sends them to the others. */
typedef struct end {
  unsigned char first_key[8], last_key[8];
  uint8_t first, behind;
} end;

/* 1 if a segment begins with the first of all elements; with a carry its segment may continue. */
static unsigned char first_flag(const mpi_spec *spec, int has_carry, unsigned char mark) {
  const int is_known = spec->asked.segments == SCAN_SEGMENTS_FLAGS || spec->asked.segments == SCAN_SEGMENTS_BITS;
  return has_carry && (spec->asked.flags & SCAN_BACKWARD) == 0 ? is_known && mark : 1;
}

/* Sets starts_segment[c] to 1 if a segment begins with context c's first element. Empty contexts pass on an offset
 * behind the elements before them. */
static void flags_join(const mpi_spec *spec, const mpi_layout *layout, int has_carry, const end *ends,
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

static end end_of(const mpi_segment_flags *segment_flags, uint64_t n) {
  end own = { .first = n > 0 && segment_flags->bytes != NULL && segment_flags->bytes[0],
              .behind = (uint8_t)segment_flags->marks_behind };
  memcpy(own.first_key, segment_flags->first_key, sizeof own.first_key);
  memcpy(own.last_key, segment_flags->last_key, sizeof own.last_key);
  return own;
}

scan_status scan_mpi_flags_join(mpi_run *runs, scan_status status) {
  scan_mpi *mpi = runs->mpi;
  const mpi_layout *layout = &runs->layout;
  end *ends = scan_mpi_allocate(mpi, (uint64_t)mpi->contexts, sizeof *ends);
  unsigned char *starts_segment = scan_mpi_allocate(mpi, (uint64_t)mpi->contexts, 1);
  if (status == SCAN_SUCCESS && (ends == NULL || starts_segment == NULL)) status = SCAN_OUT_OF_MEMORY;
  status = scan_mpi_agree(mpi, status);
  for (int i = 0; status == SCAN_SUCCESS && i < mpi->own_contexts; i++)
    ends[mpi->context + i] = end_of(&runs[i].segment_flags, runs[i].local_n);
  if (status == SCAN_SUCCESS) status = scan_mpi_report_all(mpi, ends, sizeof *ends);
  if (status == SCAN_SUCCESS) flags_join(runs->spec, layout, runs->has_carry, ends, starts_segment);
  for (int i = 0; status == SCAN_SUCCESS && i < mpi->own_contexts; i++) {
    mpi_segment_flags *flags = &runs[i].segment_flags;
    flags->first = starts_segment[mpi->context + i];
    flags->behind = flag_behind(runs[i].mpi, layout, runs->has_carry, starts_segment);
    if (flags->bytes == NULL) continue;
    if (runs[i].local_n > 0) flags->bytes[0] = (unsigned char)flags->first;
    flags->bytes[runs[i].local_n] = (unsigned char)flags->behind;
  }
  free(ends);
  free(starts_segment);
  return status;
}
