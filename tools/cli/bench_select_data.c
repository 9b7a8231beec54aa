/* SPDX-License-Identifier: BSD-2-Clause */
/** @file bench_select_data.c @brief Inputs and marks of `scanrt bench --select`, and the reference of kept elements. */
#define _POSIX_C_SOURCE 200809L
#include "bench_select.h"
#include "data.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* Seeds of data_bits. Arrays use 0 to 15, two an array, as elements of 16 bytes need. */
enum { SEED_MARKS = 16, SEED_RUNS = 17 };

/** Turns the counts of chunks into sums of the chunks before each; sets their total. */
static void sum_before(const select_lab *lab, select_truth *truth) {
  truth->kept = 0;
  for (uint64_t c = 0; c < bench_chunks(lab->n); c++) {
    const uint64_t count = truth->before[c];
    truth->before[c] = truth->kept;
    truth->kept += count;
  }
}

/* ---- elements ---- */

static int has_keys_apart(const select_lab *lab) {
  const int looks = select_is_by_runs(lab->by) || select_has_threshold(lab->by);
  const int has_keys = select_is_by_runs(lab->by) && lab->by != BENCH_SELECT_PAIR;
  return looks && (lab->payload->arrays == 0 || (has_keys && lab->payload->bytes[0] == 16));
}

/** Returns the keys or the predicate's input, on the host. */
static unsigned char *looked_of(const select_lab *lab) { return has_keys_apart(lab) ? lab->told : lab->input; }

static void put(unsigned char *to, uint64_t bytes, uint64_t low, uint64_t high) {
  memcpy(to, &low, bytes < 8 ? (size_t)bytes : 8);
  if (bytes == 16) memcpy(to + 8, &high, 8);
}

static void fill_chunk(void *state, uint64_t chunk) {
  const select_lab *lab = (const select_lab *)state;
  for (uint32_t a = 0; a < lab->outputs; a++) {
    const uint64_t bytes = lab->item_bytes[a];
    for (uint64_t i = chunk * BENCH_CHUNK; i < bench_chunk_end(lab->n, chunk); i++)
      put(lab->input + lab->at[a] + i * bytes, bytes, data_bits(2 * (uint64_t)a, i),
          bytes == 16 ? data_bits(2 * (uint64_t)a + 1, i) : 0);
  }
}

/** Fills the predicate's input where it is not one of the moved arrays. */
static void fill_looked(void *state, uint64_t chunk) {
  const select_lab *lab = (const select_lab *)state;
  for (uint64_t i = chunk * BENCH_CHUNK; i < bench_chunk_end(lab->n, chunk); i++)
    put(lab->told + 4 * i, 4, data_bits(SEED_MARKS, i), 0);
}

/* ---- runs ---- */

static int begins_run(const select_lab *lab, uint64_t i) {
  return i == 0 || (uint32_t)data_bits(SEED_RUNS, i) <= UINT32_MAX / lab->share->run;
}

static void count_runs(void *state, uint64_t chunk) {
  select_lab *lab = (select_lab *)state;
  uint64_t count = 0;
  for (uint64_t i = chunk * BENCH_CHUNK; i < bench_chunk_end(lab->n, chunk); i++) count += (uint64_t)begins_run(lab, i);
  lab->truth.before[chunk] = count;
}

/** Fills keys as run number times an odd factor, so that neighbours differ also with 8 bits. For a predicate of two
 * elements the keys of a run differ in the lowest bit only. */
static void fill_keys(void *state, uint64_t chunk) {
  const select_lab *lab = (const select_lab *)state;
  unsigned char *keys = looked_of(lab);
  uint64_t run = lab->truth.before[chunk];
  for (uint64_t i = chunk * BENCH_CHUNK; i < bench_chunk_end(lab->n, chunk); i++) {
    run += (uint64_t)begins_run(lab, i);
    const uint64_t key = run * UINT64_C(0x9e3779b97f4a7c15);
    put(keys + i * lab->looked_bytes, lab->looked_bytes,
        lab->by == BENCH_SELECT_PAIR ? key << 1 | (data_bits(SEED_MARKS, i) & 1) : key, 0);
  }
}

/* ---- kept elements ---- */

static int is_same_key(const select_lab *lab, const unsigned char *keys, uint64_t i, uint64_t j) {
  return !memcmp(keys + i * lab->looked_bytes, keys + j * lab->looked_bytes, lab->looked_bytes);
}

/** Returns the lowest `most` bytes of element i, or all bytes if it has fewer. */
static uint64_t lowest_of(const select_lab *lab, const unsigned char *looked, uint64_t i, uint32_t most) {
  uint64_t lowest = 0;
  memcpy(&lowest, looked + i * lab->looked_bytes, lab->looked_bytes < most ? lab->looked_bytes : most);
  return lowest;
}

static int is_kept(const select_lab *lab, const unsigned char *looked, uint64_t i) {
  switch (lab->by) {
  case SCAN_SELECT_FIRST: return i == 0 || !is_same_key(lab, looked, i, i - 1);
  case SCAN_SELECT_LAST:
  case BENCH_SELECT_RUN_LENGTHS:
  case BENCH_SELECT_REDUCE: return i + 1 == lab->n || !is_same_key(lab, looked, i, i + 1);
  case BENCH_SELECT_PAIR: return i == 0 || (lowest_of(lab, looked, i, 8) ^ lowest_of(lab, looked, i - 1, 8)) >> 1;
  case BENCH_SELECT_PARTITION3:
  case SCAN_SELECT_PREDICATE: return lowest_of(lab, looked, i, 4) < lab->threshold;
  default: return (uint32_t)data_bits(SEED_MARKS, i) < lab->threshold;
  }
}

static void find_kept(void *state, uint64_t chunk) {
  select_lab *lab = (select_lab *)state;
  const unsigned char *looked = looked_of(lab);
  uint64_t kept = 0;
  for (uint64_t i = chunk * BENCH_CHUNK; i < bench_chunk_end(lab->n, chunk); i++) {
    const uint32_t bit = (uint32_t)is_kept(lab, looked, i);
    if (i % 32 == 0) lab->truth.words[i / 32] = 0;
    lab->truth.words[i / 32] |= bit << i % 32;
    if (lab->by == SCAN_SELECT_FLAGS) lab->told[i] = (unsigned char)bit;
    kept += bit;
  }
  lab->truth.before[chunk] = kept;
}

/** Finds the second part of a partition: elements outside the first part that the second predicate keeps. */
static void find_second(void *state, uint64_t chunk) {
  select_lab *lab = (select_lab *)state;
  const unsigned char *looked = looked_of(lab);
  uint64_t count = 0;
  for (uint64_t i = chunk * BENCH_CHUNK; i < bench_chunk_end(lab->n, chunk); i++) {
    const int is_first = lab->truth.words[i / 32] >> i % 32 & 1;
    const uint32_t bit = !is_first && lowest_of(lab, looked, i, 4) < lab->second_threshold;
    if (i % 32 == 0) lab->second.words[i / 32] = 0;
    lab->second.words[i / 32] |= bit << i % 32;
    count += bit;
  }
  lab->second.before[chunk] = count;
}

/** Returns the threshold for a share, in terms of the lowest 32 bits of an element (or of all its bits if it has
 * fewer). */
static uint32_t threshold_of(const select_lab *lab, double share) {
  const double range = lab->looked_bytes == 1 ? 0x1p8 : lab->looked_bytes == 2 ? 0x1p16 : 0x1p32;
  const double threshold = fmax(1, round(share * range));
  return threshold < (double)UINT32_MAX ? (uint32_t)threshold : UINT32_MAX;
}

static void find_parts(select_lab *lab) {
  bench_each_chunk(lab->n, find_kept, lab);
  sum_before(lab, &lab->truth);
  if (!lab->second.words) return;
  bench_each_chunk(lab->n, find_second, lab);
  sum_before(lab, &lab->second);
}

static scan_status write_marks(select_lab *lab) {
  if (lab->marks_bytes == 0) return SCAN_SUCCESS;
  const void *from = lab->by == SCAN_SELECT_BITS ? (const void *)lab->truth.words : lab->told;
  return scan_write(lab->base.ctx, lab->marks.mem, from, lab->marks_bytes);
}

int select_data_fill(select_lab *lab) {
  const int by_runs = select_is_by_runs(lab->by), rewrites = !lab->filled || (by_runs && !has_keys_apart(lab));
  scan_status status = SCAN_SUCCESS;
  if (!by_runs) lab->threshold = threshold_of(lab, lab->share->kept);
  if (!by_runs) lab->second_threshold = threshold_of(lab, (1 + lab->share->kept) / 2);
  if (!lab->filled) bench_each_chunk(lab->n, fill_chunk, lab);
  if (!lab->filled && lab->by == BENCH_SELECT_REDUCE) select_runs_fill_values(lab);
  if (!lab->filled && lab->by == SCAN_SELECT_PREDICATE && has_keys_apart(lab))
    bench_each_chunk(lab->n, fill_looked, lab);
  if (by_runs) {
    bench_each_chunk(lab->n, count_runs, lab);
    sum_before(lab, &lab->truth);
    bench_each_chunk(lab->n, fill_keys, lab);
  }
  find_parts(lab);
  if (select_computes(lab->by) && select_runs_expect(lab) != CLI_OK) return CLI_FAILED;
  if (rewrites) status = scan_write(lab->base.ctx, lab->in.mem, lab->input, lab->in_bytes);
  if (status == SCAN_SUCCESS) status = write_marks(lab);
  lab->filled = 1;
  return bench_forward(&lab->base, status);
}

/* ---- memory ---- */

/** Sets the numbers of arrays and their element sizes. Indices replace one output array; runs have lengths or values
 * behind the keys. */
static void choose_arrays(select_lab *lab) {
  const select_payload *p = lab->payload;
  lab->inputs = p->arrays;
  lab->outputs = p->arrays ? p->arrays : 1;
  for (uint32_t a = 0; a < lab->outputs; a++) lab->item_bytes[a] = p->arrays ? p->bytes[a] : 4;
  if (!select_computes(lab->by)) return;
  lab->outputs = 2;
  if (lab->by == BENCH_SELECT_REDUCE) lab->inputs = 2;
  lab->item_bytes[1] = lab->by == BENCH_SELECT_REDUCE ? scan_type_bytes(lab->base.spec.type) : 4;
}

/** Sets the offsets and the total size of arrays. `in` is as long as `out`, since the copy reads as much. */
static void lay_out(select_lab *lab) {
  const select_payload *p = lab->payload;
  choose_arrays(lab);
  lab->in_bytes = 0;
  for (uint32_t a = 0; a < lab->outputs; a++) {
    lab->at[a] = lab->in_bytes;
    lab->in_bytes += bench_aligned(lab->n * lab->item_bytes[a]);
  }
  lab->out_bytes = lab->in_bytes;
  lab->looked_bytes = has_keys_apart(lab) ? 4 : p->bytes[0];
  lab->marks_bytes = has_keys_apart(lab) ? 4 * lab->n : 0;
  if (lab->by == SCAN_SELECT_FLAGS) lab->marks_bytes = lab->n;
  if (lab->by == SCAN_SELECT_BITS) lab->marks_bytes = (lab->n + 31) / 32 * 4;
  if (lab->by == SCAN_SELECT_FLAGS || lab->by == SCAN_SELECT_BITS) lab->looked_bytes = 0;
}

static int make_truth(const select_lab *lab, select_truth *truth) {
  truth->words = malloc((size_t)((lab->n + 31) / 32 * 4));
  truth->before = malloc((size_t)bench_chunks(lab->n) * sizeof *truth->before);
  return truth->words && truth->before ? 0 : -1;
}

static int make_host_memory(select_lab *lab) {
  uint64_t most = 1;
  for (uint32_t a = 0; a < lab->outputs; a++) most = lab->item_bytes[a] > most ? lab->item_bytes[a] : most;
  if (lab->n > SIZE_MAX / 128) return -1;
  lab->input = calloc((size_t)lab->in_bytes + 1, 1);
  lab->told = malloc((size_t)(lab->marks_bytes + 1));
  lab->staging = malloc((size_t)(lab->n * most));
  if (make_truth(lab, &lab->truth) != 0) return -1;
  if (lab->by == BENCH_SELECT_PARTITION3 && make_truth(lab, &lab->second) != 0) return -1;
  if (select_computes(lab->by)) {
    lab->computed = malloc((size_t)(lab->n * lab->item_bytes[1]));
    if (!lab->computed) return -1;
  }
  return lab->input && lab->told && lab->staging ? 0 : -1;
}

static scan_status make_device_memory(select_lab *lab) {
  const uint64_t apart = lab->rest == SCAN_REST_APART ? lab->out_bytes : 0;
  const struct {
    bench_memory *memory;
    uint64_t bytes;
  } wanted[] = {
    { &lab->in, lab->in_bytes },
    { &lab->out, lab->out_bytes },
    { &lab->others, apart },
    { &lab->marks, lab->marks_bytes },
    { &lab->middle, lab->by == BENCH_SELECT_PARTITION3 ? lab->out_bytes : 0 },
    { &lab->count, SCAN_PARTITION3_PARTS * sizeof(uint64_t) },
  };
  scan_status status = SCAN_SUCCESS;
  for (size_t i = 0; i < sizeof wanted / sizeof wanted[0] && status == SCAN_SUCCESS; i++)
    status = bench_memory_make(&lab->base, wanted[i].bytes, wanted[i].memory);
  return status == SCAN_SUCCESS ? bench_poison_make(&lab->base, lab->out_bytes, &lab->poison) : status;
}

static void name_memory(select_lab *lab) {
  scan_select_args_init(&lab->args, sizeof lab->args);
  if (lab->marks_bytes) lab->args.marks = lab->marks.mem;
  for (uint32_t a = 0; a < lab->outputs; a++) {
    if (a < lab->inputs) lab->args.in[a] = scan_offset(lab->in.mem, lab->at[a]);
    lab->args.out[a] = scan_offset(lab->out.mem, lab->at[a]);
    if (lab->rest == SCAN_REST_APART) lab->args.rest[a] = scan_offset(lab->others.mem, lab->at[a]);
  }
  lab->args.count = lab->count.mem;
  if (select_has_threshold(lab->by)) lab->args.params = &lab->threshold;
}

int select_data_make(select_lab *lab) {
  lab->filled = 0;
  lay_out(lab);
  if (make_host_memory(lab) != 0) return cli_fail("no memory for n = %llu", (unsigned long long)lab->n);
  const scan_status status = make_device_memory(lab);
  if (status != SCAN_SUCCESS) return bench_forward(&lab->base, status);
  name_memory(lab);
  lab->base.n = lab->n;
  return CLI_OK;
}

void select_data_clear(select_lab *lab) {
  bench_memory *all[] = { &lab->in, &lab->out, &lab->others, &lab->middle, &lab->marks, &lab->count, &lab->poison };
  for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) bench_memory_free(&lab->base, all[i]);
  free(lab->computed);
  free(lab->second.before);
  free(lab->second.words);
  free(lab->truth.before);
  free(lab->truth.words);
  free(lab->staging);
  free(lab->told);
  free(lab->input);
  lab->truth = lab->second = (select_truth){ .words = NULL };
  lab->input = lab->told = lab->staging = lab->computed = NULL;
}
