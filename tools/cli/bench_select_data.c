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
static void sum_before(const select_state *bench, select_truth *truth) {
  truth->kept = 0;
  for (uint64_t c = 0; c < bench_chunks(bench->n); c++) {
    const uint64_t count = truth->before[c];
    truth->before[c] = truth->kept;
    truth->kept += count;
  }
}

/* ---- elements ---- */

static int has_keys_apart(const select_state *bench) {
  const int looks = select_is_by_runs(bench->by) || select_has_threshold(bench->by);
  const int has_keys = select_is_by_runs(bench->by) && bench->by != BENCH_SELECT_PAIR;
  return looks && (bench->payload->arrays == 0 || (has_keys && bench->payload->bytes[0] == 16));
}

/** Returns the keys or the predicate's input, on the host. */
static unsigned char *looked_of(const select_state *bench) {
  return has_keys_apart(bench) ? bench->host_marks : bench->input;
}

static void number_put(unsigned char *to, uint64_t bytes, uint64_t low, uint64_t high) {
  memcpy(to, &low, bytes < 8 ? (size_t)bytes : 8);
  if (bytes == 16) memcpy(to + 8, &high, 8);
}

static void fill_chunk(void *state, uint64_t chunk) {
  const select_state *bench = (const select_state *)state;
  for (uint32_t a = 0; a < bench->outputs; a++) {
    const uint64_t bytes = bench->item_bytes[a];
    for (uint64_t i = chunk * BENCH_CHUNK; i < bench_chunk_end(bench->n, chunk); i++)
      number_put(bench->input + bench->at[a] + i * bytes, bytes, data_bits(2 * (uint64_t)a, i),
                 bytes == 16 ? data_bits(2 * (uint64_t)a + 1, i) : 0);
  }
}

/** Fills the predicate's input where it is not one of the moved arrays. */
static void fill_looked(void *state, uint64_t chunk) {
  const select_state *bench = (const select_state *)state;
  for (uint64_t i = chunk * BENCH_CHUNK; i < bench_chunk_end(bench->n, chunk); i++)
    number_put(bench->host_marks + 4 * i, 4, data_bits(SEED_MARKS, i), 0);
}

/* ---- runs ---- */

static int begins_run(const select_state *bench, uint64_t i) {
  return i == 0 || (uint32_t)data_bits(SEED_RUNS, i) <= UINT32_MAX / bench->share->run;
}

static void count_runs(void *state, uint64_t chunk) {
  select_state *bench = (select_state *)state;
  uint64_t count = 0;
  for (uint64_t i = chunk * BENCH_CHUNK; i < bench_chunk_end(bench->n, chunk); i++)
    count += (uint64_t)begins_run(bench, i);
  bench->truth.before[chunk] = count;
}

/** Fills keys as run number times an odd factor, so that neighbours differ also with 8 bits. For a predicate of two
 * elements the keys of a run differ in the lowest bit only. */
static void fill_keys(void *state, uint64_t chunk) {
  const select_state *bench = (const select_state *)state;
  unsigned char *keys = looked_of(bench);
  uint64_t run = bench->truth.before[chunk];
  for (uint64_t i = chunk * BENCH_CHUNK; i < bench_chunk_end(bench->n, chunk); i++) {
    run += (uint64_t)begins_run(bench, i);
    const uint64_t key = run * UINT64_C(0x9e3779b97f4a7c15);
    number_put(keys + i * bench->looked_bytes, bench->looked_bytes,
               bench->by == BENCH_SELECT_PAIR ? key << 1 | (data_bits(SEED_MARKS, i) & 1) : key, 0);
  }
}

/* ---- kept elements ---- */

static int is_same_key(const select_state *bench, const unsigned char *keys, uint64_t i, uint64_t j) {
  return !memcmp(keys + i * bench->looked_bytes, keys + j * bench->looked_bytes, bench->looked_bytes);
}

/** Returns the lowest `most` bytes of element i, or all bytes if it has fewer. */
static uint64_t lowest_of(const select_state *bench, const unsigned char *looked, uint64_t i, uint32_t most) {
  uint64_t lowest = 0;
  memcpy(&lowest, looked + i * bench->looked_bytes, bench->looked_bytes < most ? bench->looked_bytes : most);
  return lowest;
}

static int is_kept(const select_state *bench, const unsigned char *looked, uint64_t i) {
  switch (bench->by) {
  case SCAN_SELECT_FIRST: return i == 0 || !is_same_key(bench, looked, i, i - 1);
  case SCAN_SELECT_LAST:
  case BENCH_SELECT_RUN_LENGTHS:
  case BENCH_SELECT_REDUCE: return i + 1 == bench->n || !is_same_key(bench, looked, i, i + 1);
  case BENCH_SELECT_PAIR: return i == 0 || (lowest_of(bench, looked, i, 8) ^ lowest_of(bench, looked, i - 1, 8)) >> 1;
  case BENCH_SELECT_PARTITION3:
  case SCAN_SELECT_PREDICATE: return lowest_of(bench, looked, i, 4) < bench->threshold;
  default: return (uint32_t)data_bits(SEED_MARKS, i) < bench->threshold;
  }
}

static void find_kept(void *state, uint64_t chunk) {
  select_state *bench = (select_state *)state;
  const unsigned char *looked = looked_of(bench);
  uint64_t kept = 0;
  for (uint64_t i = chunk * BENCH_CHUNK; i < bench_chunk_end(bench->n, chunk); i++) {
    const uint32_t bit = (uint32_t)is_kept(bench, looked, i);
    if (i % 32 == 0) bench->truth.words[i / 32] = 0;
    bench->truth.words[i / 32] |= bit << i % 32;
    if (bench->by == SCAN_SELECT_FLAGS) bench->host_marks[i] = (unsigned char)bit;
    kept += bit;
  }
  bench->truth.before[chunk] = kept;
}

/** Finds the second part of a partition: elements outside the first part that the second predicate keeps. */
static void find_second(void *state, uint64_t chunk) {
  select_state *bench = (select_state *)state;
  const unsigned char *looked = looked_of(bench);
  uint64_t count = 0;
  for (uint64_t i = chunk * BENCH_CHUNK; i < bench_chunk_end(bench->n, chunk); i++) {
    const int is_first = bench->truth.words[i / 32] >> i % 32 & 1;
    const uint32_t bit = !is_first && lowest_of(bench, looked, i, 4) < bench->second_threshold;
    if (i % 32 == 0) bench->second.words[i / 32] = 0;
    bench->second.words[i / 32] |= bit << i % 32;
    count += bit;
  }
  bench->second.before[chunk] = count;
}

/** Returns the threshold for a share, in terms of the lowest 32 bits of an element (or of all its bits if it has
 * fewer). */
static uint32_t threshold_of(const select_state *bench, double share) {
  const double range = bench->looked_bytes == 1 ? 0x1p8 : bench->looked_bytes == 2 ? 0x1p16 : 0x1p32;
  const double threshold = fmax(1, round(share * range));
  return threshold < (double)UINT32_MAX ? (uint32_t)threshold : UINT32_MAX;
}

static void find_parts(select_state *bench) {
  bench_each_chunk(bench->n, find_kept, bench);
  sum_before(bench, &bench->truth);
  if (!bench->second.words) return;
  bench_each_chunk(bench->n, find_second, bench);
  sum_before(bench, &bench->second);
}

static scan_status write_marks(select_state *bench) {
  if (bench->marks_bytes == 0) return SCAN_SUCCESS;
  const void *from = bench->by == SCAN_SELECT_BITS ? (const void *)bench->truth.words : bench->host_marks;
  return scan_write(bench->base.ctx, bench->marks.mem, from, bench->marks_bytes);
}

int select_data_fill(select_state *bench) {
  const int by_runs = select_is_by_runs(bench->by), rewrites = !bench->filled || (by_runs && !has_keys_apart(bench));
  scan_status status = SCAN_SUCCESS;
  if (!by_runs) bench->threshold = threshold_of(bench, bench->share->kept);
  if (!by_runs) bench->second_threshold = threshold_of(bench, (1 + bench->share->kept) / 2);
  if (!bench->filled) bench_each_chunk(bench->n, fill_chunk, bench);
  if (!bench->filled && bench->by == BENCH_SELECT_REDUCE) select_runs_fill_values(bench);
  if (!bench->filled && bench->by == SCAN_SELECT_PREDICATE && has_keys_apart(bench))
    bench_each_chunk(bench->n, fill_looked, bench);
  if (by_runs) {
    bench_each_chunk(bench->n, count_runs, bench);
    sum_before(bench, &bench->truth);
    bench_each_chunk(bench->n, fill_keys, bench);
  }
  find_parts(bench);
  if (select_computes(bench->by) && select_runs_expect(bench) != CLI_OK) return CLI_FAILED;
  if (rewrites) status = scan_write(bench->base.ctx, bench->in.mem, bench->input, bench->in_bytes);
  if (status == SCAN_SUCCESS) status = write_marks(bench);
  bench->filled = 1;
  return bench_forward(&bench->base, status);
}

/* ---- memory ---- */

/** Sets the numbers of arrays and their element sizes. Indices replace one output array; runs have lengths or values
 * behind the keys. */
static void choose_arrays(select_state *bench) {
  const select_payload *p = bench->payload;
  bench->inputs = p->arrays;
  bench->outputs = p->arrays ? p->arrays : 1;
  for (uint32_t a = 0; a < bench->outputs; a++) bench->item_bytes[a] = p->arrays ? p->bytes[a] : 4;
  if (!select_computes(bench->by)) return;
  bench->outputs = 2;
  if (bench->by == BENCH_SELECT_REDUCE) bench->inputs = 2;
  bench->item_bytes[1] = bench->by == BENCH_SELECT_REDUCE ? scan_type_bytes(bench->base.spec.type) : 4;
}

/** Sets the offsets and the total size of arrays. `in` is as long as `out`, since the copy reads as much. */
static void lay_out(select_state *bench) {
  const select_payload *p = bench->payload;
  choose_arrays(bench);
  bench->in_bytes = 0;
  for (uint32_t a = 0; a < bench->outputs; a++) {
    bench->at[a] = bench->in_bytes;
    bench->in_bytes += bench_aligned(bench->n * bench->item_bytes[a]);
  }
  bench->out_bytes = bench->in_bytes;
  bench->looked_bytes = has_keys_apart(bench) ? 4 : p->bytes[0];
  bench->marks_bytes = has_keys_apart(bench) ? 4 * bench->n : 0;
  if (bench->by == SCAN_SELECT_FLAGS) bench->marks_bytes = bench->n;
  if (bench->by == SCAN_SELECT_BITS) bench->marks_bytes = (bench->n + 31) / 32 * 4;
  if (bench->by == SCAN_SELECT_FLAGS || bench->by == SCAN_SELECT_BITS) bench->looked_bytes = 0;
}

static int make_truth(const select_state *bench, select_truth *truth) {
  truth->words = malloc((size_t)((bench->n + 31) / 32 * 4));
  truth->before = malloc((size_t)bench_chunks(bench->n) * sizeof *truth->before);
  return truth->words && truth->before ? 0 : -1;
}

static int make_host_memory(select_state *bench) {
  uint64_t most = 1;
  for (uint32_t a = 0; a < bench->outputs; a++) most = bench->item_bytes[a] > most ? bench->item_bytes[a] : most;
  if (bench->n > SIZE_MAX / 128) return -1;
  bench->input = calloc((size_t)bench->in_bytes + 1, 1);
  bench->host_marks = malloc((size_t)(bench->marks_bytes + 1));
  bench->staging = malloc((size_t)(bench->n * most));
  if (make_truth(bench, &bench->truth) != 0) return -1;
  if (bench->by == BENCH_SELECT_PARTITION3 && make_truth(bench, &bench->second) != 0) return -1;
  if (select_computes(bench->by)) {
    bench->computed = malloc((size_t)(bench->n * bench->item_bytes[1]));
    if (!bench->computed) return -1;
  }
  return bench->input && bench->host_marks && bench->staging ? 0 : -1;
}

static scan_status make_device_memory(select_state *bench) {
  const uint64_t apart = bench->rest == SCAN_REST_APART ? bench->out_bytes : 0;
  const struct {
    bench_memory *memory;
    uint64_t bytes;
  } wanted[] = {
    { &bench->in, bench->in_bytes },
    { &bench->out, bench->out_bytes },
    { &bench->others, apart },
    { &bench->marks, bench->marks_bytes },
    { &bench->middle, bench->by == BENCH_SELECT_PARTITION3 ? bench->out_bytes : 0 },
    { &bench->count, SCAN_PARTITION3_PARTS * sizeof(uint64_t) },
  };
  scan_status status = SCAN_SUCCESS;
  for (size_t i = 0; i < sizeof wanted / sizeof wanted[0] && status == SCAN_SUCCESS; i++)
    status = bench_memory_make(&bench->base, wanted[i].bytes, wanted[i].memory);
  return status == SCAN_SUCCESS ? bench_poison_make(&bench->base, bench->out_bytes, &bench->poison) : status;
}

static void name_memory(select_state *bench) {
  scan_select_args_init(&bench->args, sizeof bench->args);
  if (bench->marks_bytes) bench->args.marks = bench->marks.mem;
  for (uint32_t a = 0; a < bench->outputs; a++) {
    if (a < bench->inputs) bench->args.in[a] = scan_offset(bench->in.mem, bench->at[a]);
    bench->args.out[a] = scan_offset(bench->out.mem, bench->at[a]);
    if (bench->rest == SCAN_REST_APART) bench->args.rest[a] = scan_offset(bench->others.mem, bench->at[a]);
  }
  bench->args.count = bench->count.mem;
  if (select_has_threshold(bench->by)) bench->args.params = &bench->threshold;
}

int select_data_make(select_state *bench) {
  bench->filled = 0;
  lay_out(bench);
  if (make_host_memory(bench) != 0) return cli_fail("no memory for n = %llu", (unsigned long long)bench->n);
  const scan_status status = make_device_memory(bench);
  if (status != SCAN_SUCCESS) return bench_forward(&bench->base, status);
  name_memory(bench);
  bench->base.n = bench->n;
  return CLI_OK;
}

void select_data_clear(select_state *bench) {
  bench_memory *all[] = { &bench->in,    &bench->out,   &bench->others, &bench->middle,
                          &bench->marks, &bench->count, &bench->poison };
  for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) bench_memory_free(&bench->base, all[i]);
  free(bench->computed);
  free(bench->second.before);
  free(bench->second.words);
  free(bench->truth.before);
  free(bench->truth.words);
  free(bench->staging);
  free(bench->host_marks);
  free(bench->input);
  bench->truth = bench->second = (select_truth){ .words = NULL };
  bench->input = bench->host_marks = bench->staging = bench->computed = NULL;
}
