/* SPDX-License-Identifier: BSD-2-Clause */
/** @file bench_sort_data.c @brief Keys of `scanrt bench --sort`, and its memory. */
#define _POSIX_C_SOURCE 200809L
#include "bench_sort.h"
#include "data.h"
#include "reference.h"

#include <stdatomic.h>
#include <stdlib.h>

/* ---- keys ---- */

/** Returns the bits of an infinity: the largest exponent. */
static uint64_t infinity_of(scan_type type) {
  switch (type) {
  case SCAN_F16: return 0x7c00;
  case SCAN_BF16: return 0x7f80;
  case SCAN_F32: return 0x7f800000;
  default: return UINT64_C(0x7ff) << 52;
  }
}

/** Replaces NaN, infinity and -0.0 by other numbers. */
static uint64_t usual(scan_type type, uint64_t bits) {
  const uint64_t infinity = infinity_of(type), sign = UINT64_C(1) << (8 * scan_type_bytes(type) - 1);
  if ((bits & infinity) == infinity) bits ^= infinity & (~infinity + 1); /* clears the exponent's lowest bit */
  return bits == sign ? 0 : bits;
}

/** Returns key number i of n keys that ascend evenly. */
static uint64_t keys_ascending(const sorting_state *bench, uint64_t i) {
  const scan_type type = bench->sort.key_type;
  const uint32_t bits = 8 * bench->key_bytes / bench->words;
  uint64_t key = 0;
  if (reference_is_float(type)) {
    reference_store(type, &key, 0, (type == SCAN_F16 ? 0x1p15 : 1) * (2 * (double)i / (double)bench->n - 1));
    return key;
  }
  const uint64_t step = UINT64_MAX / bench->n; /* for 64 bits; the highest bits are used */
  key = i * step >> (64 - bits);
  return reference_rank(type, key); /* for integers the mapping is its own inverse */
}

/** Returns one word of key i. In ascending keys both words ascend. */
static uint64_t word_of(const sorting_state *bench, uint64_t i, uint32_t word) {
  const uint32_t seed = 3 * word + 1;
  switch (bench->shape) {
  case SORTING_RANDOM: return data_bits(seed, i);
  case SORTING_AND3: return data_bits(seed, i) & data_bits(seed + 1, i) & data_bits(seed + 2, i);
  case SORTING_SORTED: return keys_ascending(bench, i);
  case SORTING_REVERSED: return keys_ascending(bench, bench->n - 1 - i);
  case SORTING_BITS27: return data_bits(seed, i) >> (64 - 27);
  case SORTING_TWO: return data_bits(1, i) & 1 ? UINT64_C(0x5555555555555555) : UINT64_C(0x2a2a2a2a2a2a2a2a);
  default: return UINT64_C(0x2a2a2a2a2a2a2a2a);
  }
}

/** Sums computed while the keys are filled. */
typedef struct filling {
  sorting_state *bench;
  atomic_uint_fast64_t sum, differing[2]; /**< Bits that differ between keys, for each word. */
} filling;

static void note_difference(sorting_rank *differing, sorting_rank a, sorting_rank b) {
  differing->upper |= a.upper ^ b.upper;
  differing->lower |= a.lower ^ b.lower;
}

static void fill_keys(void *state, uint64_t chunk) {
  filling *f = (filling *)state;
  const sorting_state *bench = f->bench;
  const scan_type type = bench->sort.key_type;
  const uint64_t begin = chunk * BENCH_CHUNK, end = bench_chunk_end(bench->n, chunk);
  const uint32_t bytes = bench->key_bytes / bench->words;
  const int is_float = reference_is_float(type);
  uint64_t sum = 0;
  sorting_rank differing = { 0, 0 }, first = { 0, 0 };
  for (uint64_t i = begin; i < end; i++) {
    for (uint32_t word = 0; word < bench->words; word++) {
      uint64_t bits = word_of(bench, i, word) & UINT64_MAX >> (64 - 8 * bytes);
      if (is_float) bits = usual(type, bits);
      memcpy(bench->input + i * bench->key_bytes + word * bytes, &bits, bytes);
    }
    const sorting_rank rank = sorting_rank_of(bench, bench->input, i);
    sum += sorting_key_hash(bench, bench->input, i);
    if (i == begin) first = rank;
    note_difference(&differing, first, rank);
  }
  atomic_fetch_add(&f->sum, sum);
  atomic_fetch_or(&f->differing[0], differing.lower);
  atomic_fetch_or(&f->differing[1], differing.upper);
}

/** Combines the differing bits across chunks. @return the number of digits that differ between keys */
static uint32_t count_passes(const sorting_state *bench, sorting_rank differing) {
  const sorting_rank first = sorting_rank_of(bench, bench->input, 0);
  uint32_t passes = 0;
  for (uint64_t i = BENCH_CHUNK; i < bench->n; i += BENCH_CHUNK)
    note_difference(&differing, first, sorting_rank_of(bench, bench->input, i));
  for (uint32_t digit = 0; digit < 8; digit++) {
    passes += (differing.lower >> 8 * digit & 255) != 0;
    passes += (differing.upper >> 8 * digit & 255) != 0;
  }
  return passes;
}

static void fill_indices(void *state, uint64_t chunk) {
  const sorting_state *bench = (const sorting_state *)state;
  const uint32_t bytes = bench->sort.value_bytes;
  for (uint64_t i = chunk * BENCH_CHUNK; i < bench_chunk_end(bench->n, chunk); i++)
    memcpy(bench->got + i * bytes, &i, bytes);
}

/** Fills the offset of each segment, and the end of the last one. */
static int fill_offsets(sorting_state *bench) {
  const uint64_t segments = bench_sort_segments(&bench->sort);
  const int is_wide = bench->n > UINT32_MAX;
  const uint64_t bytes = (segments + 1) * (is_wide ? sizeof(uint64_t) : sizeof(uint32_t));
  if (segments == 0) return CLI_OK;
  void *offsets = malloc((size_t)bytes);
  if (!offsets) return cli_fail("no memory for %llu offsets", (unsigned long long)segments);
  for (uint64_t s = 0; s <= segments; s++) {
    const uint64_t offset = s < segments ? s * bench->sort.segment_items : bench->n;
    if (is_wide)
      ((uint64_t *)offsets)[s] = offset;
    else
      ((uint32_t *)offsets)[s] = (uint32_t)offset;
  }
  const scan_status status = scan_write(bench->base.ctx, bench->offsets.mem, offsets, bytes);
  free(offsets);
  return bench_forward(&bench->base, status);
}

int sorting_data_fill(sorting_state *bench) {
  filling f = { .bench = bench };
  atomic_init(&f.sum, 0);
  atomic_init(&f.differing[0], 0);
  atomic_init(&f.differing[1], 0);
  bench_each_chunk(bench->n, fill_keys, &f);
  bench->sum = atomic_load(&f.sum);
  bench->passes = count_passes(bench, (sorting_rank){ atomic_load(&f.differing[1]), atomic_load(&f.differing[0]) });
  if (sorting_is_split(bench->request)) bench->passes = 1;
  scan_status status = scan_write(bench->base.ctx, bench->in.mem, bench->input, bench->n * bench->key_bytes);
  if (status == SCAN_SUCCESS && bench->sort.what == BENCH_SORT_PAIRS) {
    bench_each_chunk(bench->n, fill_indices, bench);
    status = scan_write(bench->base.ctx, scan_offset(bench->in.mem, bench->values_at), bench->got,
                        bench->n * bench->sort.value_bytes);
  }
  if (status != SCAN_SUCCESS) return bench_forward(&bench->base, status);
  return fill_offsets(bench);
}

/* ---- memory ---- */

/** Allocates the buffers. `in` and `out` always have room for keys and values, since the copy covers both. */
int sorting_data_make(sorting_state *bench) {
  if (bench->n > SIZE_MAX / 64) return cli_fail("no memory for n = %llu", (unsigned long long)bench->n);
  bench->values_at = bench_aligned(bench->n * bench->key_bytes);
  bench->bytes = bench->values_at + bench->n * bench->sort.value_bytes;
  bench->input = malloc((size_t)bench->values_at);
  bench->got = malloc((size_t)bench->bytes);
  if (!bench->input || !bench->got) return cli_fail("no memory for n = %llu", (unsigned long long)bench->n);
  scan_status status = bench_memory_make(&bench->base, bench->bytes, &bench->in);
  if (status == SCAN_SUCCESS) status = bench_memory_make(&bench->base, bench->bytes, &bench->out);
  if (status == SCAN_SUCCESS && bench->base.info.backend == SCAN_BACKEND_HOST)
    status = bench_memory_make(&bench->base, bench->bytes, &bench->spare);
  if (status == SCAN_SUCCESS)
    status = bench_memory_make(&bench->base, SORTING_COUNTS * sizeof(uint64_t), &bench->counts);
  if (status == SCAN_SUCCESS && bench->sort.segment_items)
    status =
        bench_memory_make(&bench->base, (bench_sort_segments(&bench->sort) + 1) * sizeof(uint64_t), &bench->offsets);
  if (status == SCAN_SUCCESS) status = bench_poison_make(&bench->base, bench->bytes, &bench->poison);
  /* Unwritten pages all map to one page, which would be read too fast. */
  if (status == SCAN_SUCCESS) status = bench_memory_poison(&bench->base, &bench->poison, &bench->in);
  if (status == SCAN_SUCCESS && bench->spare.host)
    status = bench_memory_poison(&bench->base, &bench->poison, &bench->spare);
  if (status != SCAN_SUCCESS) return bench_forward(&bench->base, status);
  bench->base.n = bench->n;
  return CLI_OK;
}

void sorting_data_clear(sorting_state *bench) {
  bench_memory *all[] = { &bench->in, &bench->out, &bench->spare, &bench->poison, &bench->counts, &bench->offsets };
  for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) bench_memory_free(&bench->base, all[i]);
  free(bench->want);
  free(bench->got);
  free(bench->input);
  bench->input = bench->got = bench->want = NULL;
}
