/* SPDX-License-Identifier: BSD-2-Clause */
#include "device/host/scan/host_rows.h"

#include "device/host/host_stream.h"

enum { ROW_BYTES = ROW_VECTORS * SCAN_OP_MOST_BYTES, ROW_MOST_ITEMS = ROW_VECTORS * 16 };

/* ---- input and output ---- */

/* Copies n elements of `bytes` bytes between strides; common sizes by moves. */
#define MOVE(T)                                                                                                        \
  for (uint32_t i = 0; i < n; i++) memcpy(to + i * to_step, from + i * from_step, sizeof(T))
static void move_steps(uint8_t *to, int64_t to_step, const uint8_t *from, int64_t from_step, uint32_t n,
                       uint32_t bytes) {
  switch (bytes) {
  case 1: MOVE(uint8_t); break;
  case 2: MOVE(uint16_t); break;
  case 4: MOVE(uint32_t); break;
  case 8: MOVE(uint64_t); break;
  default:
    for (uint32_t i = 0; i < n; i++) memcpy(to + i * to_step, from + i * from_step, bytes);
  }
}

/* The elements from `first` on, in the form that loops of maps and emits take. */
#define ELEMENTS(j, first, n)                                                                                          \
  { input_at(j, first), (ptrdiff_t)(j)->in_step, place(j, first), (j)->reversed ? -1 : 1, (n) }

/* Elements with members are read in runs of at most this many. */
enum { RUN_ITEMS = 256 };
typedef struct run_elements {
  _Alignas(SCAN_OP_MOST_BYTES) uint8_t bytes[RUN_ITEMS * SCAN_OP_MOST_BYTES];
} run_elements;

/* Returns n elements, at most RUN_ITEMS, in the form that loops take: where they lie, or read to `run`. */
static scan_loop_elements elements_of(const job *j, uint64_t first, uint32_t n, run_elements *run) {
  scan_loop_elements e = ELEMENTS(j, first, n);
  if (j->source->input_members.count == 0) return e;
  scan_host_members_read(j, first, n, run->bytes);
  e.x = run->bytes;
  e.x_step = (ptrdiff_t)j->source->input_bytes;
  return e;
}

/* Maps n elements that `e` describes. */
static void map_elements(const job *j, const scan_loop_elements *e, uint8_t *values) {
  const scan_source *source = j->source;
  if (source->map_loop != NULL) {
    source->map_loop(values, e, source->user);
    return;
  }
  for (size_t i = 0; i < e->n; i++)
    source->map_host((const uint8_t *)e->x + (ptrdiff_t)i * e->x_step, e->index + i * (uint64_t)e->index_step,
                     values + i * (size_t)source->bytes, source->user);
}

/* scan_host_values for elements with members. */
static const uint8_t *values_of_members(const job *j, uint64_t first, uint32_t n, uint8_t *buffer) {
  run_elements run;
  if (j->source->map == NULL) {
    scan_host_members_read(j, first, n, buffer);
    return buffer;
  }
  for (uint32_t i = 0; i < n; i += RUN_ITEMS) {
    const scan_loop_elements e = elements_of(j, first + i, n - i < RUN_ITEMS ? n - i : RUN_ITEMS, &run);
    map_elements(j, &e, buffer + i * (size_t)j->source->bytes);
  }
  return buffer;
}

const uint8_t *scan_host_values(const job *j, uint64_t first, uint32_t n, uint8_t *buffer) {
  const scan_source *source = j->source;
  const uint8_t *in = input_at(j, first);
  if (source->input_members.count > 0) return values_of_members(j, first, n, buffer);
  if (source->map != NULL) {
    map_elements(j, &(scan_loop_elements)ELEMENTS(j, first, n), buffer);
  } else if (j->in_step == (int64_t)source->bytes) {
    if ((uintptr_t)in % source->align == 0) return in;
    memcpy(buffer, in, (size_t)n * (size_t)source->bytes);
  } else {
    move_steps(buffer, source->bytes, in, j->in_step, n, source->bytes);
  }
  return buffer;
}

/* ---- segment flags ---- */

/* Sets segment_flags[i] for n elements whose marks are `step` marks apart. */
static void flags_of_flags(const uint8_t *restrict marks, int64_t step, uint32_t n, uint8_t *restrict segment_flags) {
  if (step == 1)
    for (uint32_t i = 0; i < n; i++) segment_flags[i] = marks[i] != 0;
  else
    for (uint32_t i = 0; i < n; i++) segment_flags[i] = marks[i * step] != 0;
}

static void flags_of_bits(const uint8_t *restrict marks, int64_t at, int64_t step, uint32_t n,
                          uint8_t *restrict segment_flags) {
  for (uint32_t i = 0; i < n; i++) {
    const uint64_t k = (uint64_t)(at + i * step);
    uint32_t word;
    memcpy(&word, marks + k / 32 * 4, sizeof word);
    segment_flags[i] = word >> (k % 32) & 1;
  }
}

/* Sets segment_flags[i] if key i differs from the key `back` bytes before it. */
#define FLAGS_OF_KEYS(T)                                                                                               \
  static void flags_of_keys_##T(const uint8_t *restrict keys, int64_t back, int64_t step, uint32_t n,                  \
                                uint8_t *restrict segment_flags) {                                                     \
    for (uint32_t i = 0; i < n; i++) {                                                                                 \
      const uint8_t *key = keys + i * step * (int64_t)sizeof(T);                                                       \
      T here, before;                                                                                                  \
      memcpy(&here, key, sizeof here);                                                                                 \
      memcpy(&before, key - back, sizeof before);                                                                      \
      segment_flags[i] = here != before;                                                                               \
    }                                                                                                                  \
  }                                                                                                                    \
  static void flags_of_##T(const uint8_t *restrict keys, int64_t back, int64_t step, uint32_t n,                       \
                           uint8_t *restrict segment_flags) {                                                          \
    if (step == 1)                                                                                                     \
      flags_of_keys_##T(keys, sizeof(T), 1, n, segment_flags);                                                         \
    else                                                                                                               \
      flags_of_keys_##T(keys, back, step, n, segment_flags);                                                           \
  }
FLAGS_OF_KEYS(uint8_t)
FLAGS_OF_KEYS(uint16_t)
FLAGS_OF_KEYS(uint32_t)
FLAGS_OF_KEYS(uint64_t)

int scan_host_row_flags(const job *j, uint64_t first, uint32_t n, uint8_t *segment_flags) {
  const int64_t step = j->reversed ? -j->index_step : j->index_step;
  const int is_known = first == 0 && (j->first_is_start || j->first_clears); /* element 0, whatever its mark is */
  if (is_known) segment_flags[0] = (uint8_t)j->first_is_start;
  if (is_known && n == 1) return j->first_is_start;
  const uint64_t from = first + (is_known ? 1 : 0);
  const int64_t at = (int64_t)index_of(j, j->reversed ? j->n - from : from);
  const uint8_t *const keys = j->segment_flags + at * (int64_t)j->key_bytes;
  const int64_t back = j->index_step * (int64_t)j->key_bytes;
  uint8_t *const rest = segment_flags + is_known;
  const uint32_t count = n - (uint32_t)is_known;
  if (j->segments == SCAN_SEGMENTS_FLAGS)
    flags_of_flags(j->segment_flags + at, step, count, rest);
  else if (j->segments == SCAN_SEGMENTS_BITS)
    flags_of_bits(j->segment_flags, at, step, count, rest);
  else if (j->keys_are_float)
    for (uint32_t i = 0; i < count; i++) rest[i] = (uint8_t)element_is_start(j, from + i);
  else if (j->key_bytes == 1)
    flags_of_uint8_t(keys, back, step, count, rest);
  else if (j->key_bytes == 2)
    flags_of_uint16_t(keys, back, step, count, rest);
  else if (j->key_bytes == 4)
    flags_of_uint32_t(keys, back, step, count, rest);
  else
    flags_of_uint64_t(keys, back, step, count, rest);
  uint8_t any = 0;
  for (uint32_t i = 0; i < n; i++) any |= segment_flags[i];
  return any;
}

/* ---- a row ---- */

/* A row's elements and segment flags. `seeded` has the elements with the seed combined into each segment's first
 * one. */
typedef struct row {
  uint64_t first;
  uint32_t n, vectors;
  const uint8_t *values, *seeded;
  const uint8_t *segment_flags; /* NULL: no segment begins in the row */
  uint8_t flag_bytes[ROW_MOST_ITEMS];
  _Alignas(SCAN_OP_MOST_BYTES) uint8_t value_bytes[ROW_BYTES];
  _Alignas(SCAN_OP_MOST_BYTES) uint8_t seeded_bytes[ROW_BYTES];
} row;

static void row_open(const job *j, uint64_t first, row *r) {
  const size_t bytes = j->source->bytes;
  r->first = first;
  r->n = (uint32_t)(j->n - first < j->row_items ? j->n - first : j->row_items);
  r->vectors = (uint32_t)((r->n + j->vector_items - 1) / j->vector_items);
  r->values = scan_host_values(j, first, r->n, r->value_bytes);
  r->seeded = r->values;
  r->segment_flags = NULL;
  if (j->segments == SCAN_SEGMENTS_NONE || !scan_host_row_flags(j, first, r->n, r->flag_bytes)) return;
  r->segment_flags = r->flag_bytes;
  if (!j->seed.there) return;
  uint8_t others[ROW_MOST_ITEMS];
  for (uint32_t i = 0; i < r->n; i++) others[i] = !r->flag_bytes[i];
  memcpy(r->seeded_bytes, r->values, (size_t)r->n * bytes);
  j->loops->prepend(r->seeded_bytes, j->seed.bytes, r->n, others, j->loops_user);
  r->seeded = r->seeded_bytes;
}

/* Sets within[l] to 1 for each vector in which segments begin. Returns NULL if no segment begins in the row. */
#define WITHIN(T)                                                                                                      \
  for (uint32_t l = 0; l < r->vectors; l++) {                                                                          \
    T word;                                                                                                            \
    memcpy(&word, r->flag_bytes + l * sizeof(T), sizeof word);                                                         \
    within[l] = word != 0;                                                                                             \
  }
static uint8_t *vector_flags(const job *j, row *r, uint8_t within[ROW_VECTORS]) {
  if (r->segment_flags == NULL) return NULL;
  memset(r->flag_bytes + r->n, 0, r->vectors * j->vector_items - r->n);
  switch (j->vector_items) {
  case 1: memcpy(within, r->segment_flags, r->vectors); break;
  case 2: WITHIN(uint16_t) break;
  case 4: WITHIN(uint32_t) break;
  case 8: WITHIN(uint64_t) break;
  default:
    for (uint32_t l = 0; l < r->vectors; l++) {
      uint64_t words[2];
      memcpy(words, r->segment_flags + l * sizeof words, sizeof words);
      within[l] = (words[0] | words[1]) != 0;
    }
  }
  return within;
}

static void total_of(const job *j, const uint8_t *bytes, int starts_segment, value *total) {
  memcpy(total->bytes, bytes, j->source->bytes);
  total->there = 1 | (starts_segment ? STARTS_WITHIN : 0);
}

void scan_host_row_reduce(const job *j, uint64_t first, value *total) {
  _Alignas(SCAN_OP_MOST_BYTES) uint8_t sums[ROW_BYTES];
  uint8_t segment_flags[ROW_VECTORS];
  row r;
  row_open(j, first, &r);
  uint8_t *const within = vector_flags(j, &r, segment_flags);
  j->loops->fold(sums, r.seeded, r.n, (uint32_t)j->vector_items, r.segment_flags, j->loops_user);
  if (within == NULL) {
    j->loops->tree(sums, r.vectors, j->loops_user);
    total_of(j, sums, 0, total);
  } else {
    j->loops->doubling(sums, r.vectors, within, j->loops_user);
    total_of(j, sums + (r.vectors - 1) * (size_t)j->source->bytes, 1, total);
  }
}

/* Completes starts[0..vectors - 1] to the value that each vector begins with. On entry starts[1] and so on hold the
 * values of the row's vectors before each one; the values before the row are prepended unless a segment begins in
 * between. Returns 1 if any value precedes the first vector. */
static int row_starts(const job *j, row_before before, uint32_t vectors, const uint8_t *within, uint8_t *starts) {
  const value *const chain[] = { before.row, before.subtile, before.tile };
  const size_t bytes = j->source->bytes;
  value first;
  first.there = 0;
  for (size_t i = 0; i < sizeof chain / sizeof chain[0]; i++) {
    if (!chain[i]->there) continue;
    if (vectors > 1) j->loops->prepend(starts + bytes, chain[i]->bytes, vectors - 1, within, j->loops_user);
    prepend_value(j, chain[i], &first);
    if (chain[i]->there & STARTS_WITHIN) break;
  }
  if (first.there) memcpy(starts, first.bytes, bytes);
  return first.there != 0;
}

/* ---- results ---- */

void scan_host_show_plus_zero(const job *j, uint8_t *values, uint32_t n) {
  uint64_t x, zero;
  uint32_t narrow, narrow_zero;
  memcpy(&zero, j->seed.bytes, sizeof zero);
  memcpy(&narrow_zero, j->seed.bytes, sizeof narrow_zero);
  if (j->source->bytes == sizeof x)
    for (uint32_t i = 0; i < n; i++) {
      memcpy(&x, values + i * sizeof x, sizeof x);
      x = x == zero ? 0 : x;
      memcpy(values + i * sizeof x, &x, sizeof x);
    }
  else
    for (uint32_t i = 0; i < n; i++) {
      memcpy(&narrow, values + i * sizeof narrow, sizeof narrow);
      narrow = narrow == narrow_zero ? 0 : narrow;
      memcpy(values + i * sizeof narrow, &narrow, sizeof narrow);
    }
}

void scan_host_show_nans(const job *j, uint8_t *values, uint32_t n) {
  const uint64_t infinity = UINT64_C(0x7ff0000000000000), nan = UINT64_C(0x7ff8000000000000);
  const uint32_t narrow_infinity = 0x7f800000, narrow_nan = 0x7fc00000;
  uint64_t x;
  uint32_t narrow;
  if (!j->source->shows_nans) return;
  if (j->source->bytes == sizeof x)
    for (uint32_t i = 0; i < n; i++) {
      memcpy(&x, values + i * sizeof x, sizeof x);
      x = (x & INT64_MAX) > infinity ? nan : x;
      memcpy(values + i * sizeof x, &x, sizeof x);
    }
  else
    for (uint32_t i = 0; i < n; i++) {
      memcpy(&narrow, values + i * sizeof narrow, sizeof narrow);
      narrow = (narrow & INT32_MAX) > narrow_infinity ? narrow_nan : narrow;
      memcpy(values + i * sizeof narrow, &narrow, sizeof narrow);
    }
}

/* Computes the row's results. If nothing precedes the first element, segment_flags[0] is set. */
static void row_results(const job *j, const row *r, const uint8_t *starts, const uint8_t *segment_flags, int exclusive,
                        uint8_t *out) {
  j->loops->chain(out, r->seeded, starts, j->seed.bytes, r->n, (uint32_t)j->vector_items, segment_flags, exclusive,
                  j->loops_user);
  if (exclusive && j->plus_zero) scan_host_show_plus_zero(j, out, r->n);
  scan_host_show_nans(j, out, r->n);
}

/* Emits the elements that `e` describes to `out`, which are out_step bytes apart. */
static void emit_elements(const job *j, const scan_loop_elements *e, const uint8_t *next, const uint8_t *before,
                          uint8_t *out, int64_t out_step) {
  const scan_source *source = j->source;
  if (source->emit_loop != NULL) {
    source->emit_loop(out, (ptrdiff_t)out_step, next, before, e, source->user);
    return;
  }
  _Alignas(SCAN_OP_MOST_BYTES) uint8_t result[SCAN_OP_MOST_BYTES];
  for (size_t i = 0; i < e->n; i++, out += out_step) {
    source->emit_host(next + i * (size_t)source->bytes, before + i * (size_t)source->bytes,
                      (const uint8_t *)e->x + (ptrdiff_t)i * e->x_step, e->index + i * (uint64_t)e->index_step, result,
                      source->user);
    memcpy(out, result, source->output_bytes);
  }
}

/* store_emitted for elements or outputs with members. */
static void store_members(const job *j, uint64_t first, uint32_t n, const uint8_t *next, const uint8_t *before) {
  const scan_source *source = j->source;
  const int outputs = source->output_members.count > 0;
  run_elements run, results;
  for (uint32_t i = 0; i < n; i += RUN_ITEMS) {
    const uint32_t count = n - i < RUN_ITEMS ? n - i : RUN_ITEMS;
    const scan_loop_elements e = elements_of(j, first + i, count, &run);
    emit_elements(j, &e, next + i * (size_t)source->bytes, before + i * (size_t)source->bytes,
                  outputs ? results.bytes : output_at(j, first + i),
                  outputs ? (int64_t)source->output_bytes : j->out_step);
    if (outputs) scan_host_members_write(j, first + i, count, results.bytes);
  }
}

static void store_emitted(const job *j, uint64_t first, uint32_t n, const uint8_t *next, const uint8_t *before) {
  if (scan_source_has_members(j->source))
    store_members(j, first, n, next, before);
  else
    emit_elements(j, &(scan_loop_elements)ELEMENTS(j, first, n), next, before, output_at(j, first), j->out_step);
}

/* Returns the output if a row's results can be written there at once, else NULL: a buffer in between costs a tenth. */
static uint8_t *output_row(const job *j, uint64_t first) {
  const scan_source *source = j->source;
  uint8_t *out = output_at(j, first);
  const int lies = j->stores && j->out_step == (int64_t)source->bytes && (uintptr_t)out % source->align == 0 &&
                   source->output_members.count == 0;
  return lies && !j->streaming && !j->in_place ? out : NULL;
}

static void store_values(const job *j, uint64_t first, uint32_t n, const uint8_t *values) {
  const size_t bytes = j->source->bytes;
  uint8_t *out = output_at(j, first);
  if (j->source->output_members.count > 0)
    scan_host_members_write(j, first, n, values);
  else if (j->out_step != (int64_t)bytes)
    move_steps(out, j->out_step, values, (int64_t)bytes, n, j->source->bytes);
  else if (j->streaming)
    scan_host_stream(out, values, n * bytes);
  else
    memcpy(out, values, n * bytes);
}

void scan_host_store(const job *j, uint64_t first, uint32_t n, const uint8_t *next, const uint8_t *before) {
  if (j->source->emit != NULL)
    store_emitted(j, first, n, next, before);
  else
    store_values(j, first, n, j->inclusive ? next : before);
}

/* Notes the overflows of the row's steps. */
static void row_check(const job *j, const row *r, const uint8_t *before) {
  const size_t bytes = j->source->bytes;
  if (!j->source->overflows_any(before, r->values, r->n)) return;
  for (uint32_t i = 0; i < r->n; i++) {
    const int has_before = j->seed.there || r->segment_flags == NULL || !r->segment_flags[i];
    if (has_before && j->source->overflows_host(before + i * bytes, r->values + i * bytes))
      note_overflow(j, r->first + i);
  }
}

void scan_host_row_write(const job *j, uint64_t first, row_before before, value *total) {
  _Alignas(SCAN_OP_MOST_BYTES) uint8_t starts[ROW_BYTES + SCAN_OP_MOST_BYTES];
  _Alignas(SCAN_OP_MOST_BYTES) uint8_t next_bytes[ROW_BYTES], exclusive_bytes[ROW_BYTES];
  uint8_t segment_flags[ROW_VECTORS];
  const scan_source *source = j->source;
  row r;
  row_open(j, first, &r);
  uint8_t *const within = vector_flags(j, &r, segment_flags);
  j->loops->fold(starts + source->bytes, r.seeded, r.n, (uint32_t)j->vector_items, r.segment_flags, j->loops_user);
  j->loops->doubling(starts + source->bytes, r.vectors, within, j->loops_user);
  total_of(j, starts + r.vectors * (size_t)source->bytes, within != NULL && within[r.vectors - 1], total);
  const uint8_t *marks = r.segment_flags;
  /* Without a value before it, the first element itself starts the row. */
  if (!row_starts(j, before, r.vectors, within, starts)) {
    memcpy(starts, r.seeded, source->bytes);
    if (marks == NULL) memset(r.flag_bytes, 0, r.n);
    r.flag_bytes[0] = 1;
    marks = r.flag_bytes;
  }
  const int is_last = j->writes_last && first + r.n == j->n, emits = source->emit != NULL;
  uint8_t *const direct = emits ? NULL : output_row(j, first);
  uint8_t *const next = direct != NULL && j->inclusive ? direct : next_bytes;
  uint8_t *const exclusive = direct != NULL && !j->inclusive ? direct : exclusive_bytes;
  const int shows_next = emits ? source->emit_ignores != EMIT_IGNORES_INCLUSIVE : j->inclusive;
  const int shows_before = emits ? source->emit_ignores != EMIT_IGNORES_EXCLUSIVE : !j->inclusive;
  if (shows_next || (is_last && j->carry_out != NULL)) row_results(j, &r, starts, marks, 0, next);
  if (shows_before || j->checks != NULL) row_results(j, &r, starts, marks, 1, exclusive);
  if (j->checks != NULL) row_check(j, &r, exclusive);
  if (is_last && j->carry_out != NULL) memcpy(j->carry_out, next + (r.n - 1) * (size_t)source->bytes, source->bytes);
  if (direct != NULL || (!j->stores && !is_last)) return;
  const uint8_t *const after = shows_next ? next : exclusive, *const ahead = shows_before ? exclusive : next;
  const uint32_t from = j->stores ? 0 : r.n - 1;
  scan_host_store(j, first + from, r.n - from, after + from * (size_t)source->bytes,
                  ahead + from * (size_t)source->bytes);
}

void scan_host_rows_end(void) {
#if defined(__SSE2__)
  _mm_sfence();
#endif
}
