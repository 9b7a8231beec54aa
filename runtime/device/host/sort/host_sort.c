/* SPDX-License-Identifier: BSD-2-Clause */
#include "device/host/sort/host_sort.h"

#include <string.h>

#include "base/types.h"
#include "device/host/host_simd.h"
#include "device/host/host_stream.h"
#include "device/host/output_buffer.h"
#include "device/host/sort/host_sort_ordered.h"
#include "device/host/sort/host_sort_task.h"
#include "kernels_cl/sort/sort.h"

/* ---- kernels ---- */

static const simd_sort *simd_find(uint32_t key_bytes, uint32_t register_bytes) {
  const uint32_t bytes = scan_host_register_bytes(register_bytes);
#ifdef HOST_HAS_AVX512
  if (bytes >= 64) return key_bytes == 4 ? &scan_simd_sort_4_avx512 : key_bytes == 8 ? &scan_simd_sort_8_avx512 : NULL;
#endif
#ifdef HOST_HAS_AVX2
  if (bytes >= 32) return key_bytes == 4 ? &scan_simd_sort_4_avx2 : NULL;
#endif
  (void)key_bytes, (void)bytes;
  return NULL;
}

host_sort scan_host_sort_find(const scan_kernel_key *key, uint32_t register_bytes) {
  const int is_wide = strcmp(key->kernel, "sort_threads_wide") == 0;
  const int has_segments = strcmp(key->kernel, "sort_segments_threads") == 0;
  const uint32_t bytes = (uint32_t)scan_type_bytes(key->type) * (is_wide ? 2 : 1);
  host_sort found = { .by_values = { NULL }, .has_segments = has_segments };
  if (!is_wide && !has_segments && strcmp(key->kernel, "sort_threads") != 0) return found;
  found.simd = simd_find(bytes, register_bytes);
  found.composites = simd_find(sizeof(uint64_t), register_bytes);
  for (uint32_t v = 0; v < 3; v++) {
    found.by_values[v] = scan_host_sort_loops_for(bytes, 4 * v, 0, 0);
    found.swapped[v] = scan_host_sort_loops_for(bytes, 4 * v, 1, 0);
    found.numeric[v] = scan_host_sort_loops_for(bytes, 4 * v, 0, 1);
  }
  return found;
}

/* ---- a launch ---- */

static uint64_t infinity_of(uint32_t flags, uint32_t key_bytes) {
  if (key_bytes == 2) return flags & SORT_BRAIN ? 0x7f80 : 0x7c00;
  return key_bytes == 4 ? 0x7f800000 : UINT64_C(0x7ff) << 52;
}

static host_sort_order order_of(const scan_kernel_args *args, uint32_t key_bytes) {
  const host_sort_bits all = HOST_SORT_ALL_BITS >> (128 - 8 * key_bytes);
  const host_sort_bits sign = (host_sort_bits)1 << (8 * key_bytes - 1);
  const uint32_t bits = args->end_bit - args->first_bit;
  host_sort_order order = { .mask = (HOST_SORT_ALL_BITS >> (128 - bits)) << args->first_bit };
  if (args->flags & SORT_NUMERIC)
    order.infinity = infinity_of(args->flags, key_bytes);
  else if (args->flags & (SORT_SIGNED | SORT_FLOAT))
    order.flipped = sign;
  if (order.flipped != 0 && args->flags & SORT_WORDS) order.flipped |= sign >> 4 * key_bytes;
  if (args->flags & SORT_FLOAT) order.negative = all ^ sign;
  if (args->flags & SORT_DESCENDING) order.flipped ^= all;
  return order;
}

static uint64_t keys_that_are(const scan_kernel_args *args) {
  if (!(args->flags & SORT_N_FROM)) return args->n;
  const uint64_t found = *(const uint64_t *)(const void *)host_bytes_of(args->n_from);
  if (found <= args->n) return found;
  *(uint64_t *)(void *)host_bytes_of(args->n_overflow) = found;
  return args->n;
}

/* 1 if the halves of two-word keys must be swapped to compare as integers: if the first word is the more significant
 * one; on big-endian processors if it is the less significant one. */
static int are_swapped(uint32_t flags) {
  const int is_big_endian = host_sort_byte(0, 2) != 0;
  return (flags & SORT_WORDS) != 0 && ((flags & SORT_HIGH_FIRST) != 0) != is_big_endian;
}

/* 1 if keys that compare equal have the same bits, and they are integers in memory. */
static int is_simd(const host_sort_job *job, uint32_t flags) {
  const host_sort_bits all = HOST_SORT_ALL_BITS >> (128 - 8 * job->loops->key_bytes);
  return job->order.mask == all && job->loops->swap == 0 && (flags & SORT_NUMERIC) == 0;
}

static void open_job(host_sort_job *job, const host_sort *how, const scan_kernel_args *args) {
  const uint32_t flags = args->flags, bytes = !(flags & SORT_VALUES) ? 0 : flags & SORT_WIDE_VALUES ? 8 : 4;
  const host_sort_loops *const *by_values = flags & SORT_NUMERIC ? how->numeric : how->by_values;
  *job =
      (host_sort_job){ .loops = (are_swapped(flags) ? how->swapped : by_values)[bytes / 4],
                       .keys = { host_bytes_of(args->in), host_bytes_of(args->out), host_bytes_of(args->keys_spare) },
                       .n = keys_that_are(args),
                       .in_place = (flags & SORT_IN_PLACE) != 0 };
  job->order = order_of(args, job->loops->key_bytes);
  if (bytes == 0) {
    job->simd = is_simd(job, flags) ? how->simd : NULL;
    return;
  }
  if (job->loops->key_bytes <= sizeof(uint64_t) && job->loops->swap == 0 && !job->loops->is_numeric)
    job->composites = how->composites;
  if (!(flags & SORT_INDICES)) job->values[HOST_SORT_IN] = host_bytes_of(args->values_in);
  job->values[HOST_SORT_OUT] = host_bytes_of(args->values_out);
  job->values[HOST_SORT_SPARE] = host_bytes_of(args->values_spare);
}

void scan_host_sort_open(host_sort_job *job, const host_sort *how, const scan_kernel_args *args) {
  scan_kernel_args total = *args;
  total.flags &= ~SORT_NUMERIC;
  open_job(&job[0], how, args);
  open_job(&job[1], how, &total);
  if (args->flags & SORT_NUMERIC) job[0].total = &job[1];
}

void scan_host_sort_by_all(const host_sort_crew *crew, const host_sort_job *job, uint64_t begin, uint64_t n,
                           uint64_t *counts) {
  const host_sort_part all = { .begin = begin, .n = n, .place = HOST_SORT_IN, .end_byte = job->loops->key_bytes };
  scan_host_sort_by_threads(crew, job, &all, counts);
}

/* Threads share a division by pivots from 1/PIVOTS_COST of a scan's bytes on: 16,384 keys of 8 bytes take 40 us by one
 * thread and 26 by two (AMD EPYC, Zen 5). */
enum { PIVOTS_COST = 4 };

void scan_host_sort_run(const host_sort_crew *crew, const host_sort *how, const scan_kernel_args *args) {
  host_sort_job job[2];
  scan_host_sort_open(job, how, args);
  const host_sort_part all = { .n = job->n, .place = HOST_SORT_IN, .end_byte = job->loops->key_bytes };
  if (all.n == 0) return;
  const uint64_t bytes = all.n * job->loops->key_bytes;
  uint64_t *counts = (void *)host_bytes_of(args->digits);
  if (scan_host_sort_ordered(crew, job, &all) || scan_host_sort_by_values(crew, job, &all)) return;
  if (bytes > crew->one_thread_bytes / PIVOTS_COST && scan_host_sort_by_pivots(crew, job, &all, counts)) return;
  if (bytes > crew->one_thread_bytes) {
    scan_host_sort_by_threads(crew, job, &all, counts);
    return;
  }
  scan_host_sort_by_one(scan_host_sort_job_for(job, 0, all.n), (void *)crew->thread_scratch, &all);
  scan_host_stream_done();
}
