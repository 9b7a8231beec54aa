/* SPDX-License-Identifier: BSD-2-Clause */
/* Loops that call an operator's function, for operators without loops of their own; their user is the scan_source. They
 * combine only values that lie aligned and side by side. */
#include "device/host/scan/host_rows.h"

#define CALL(a, b, result) source->host((a), (b), (result), source->user)

static void plain_step(const scan_source *source, uint8_t *a, const uint8_t *b, int is_start) {
  _Alignas(SCAN_OP_MOST_BYTES) uint8_t result[SCAN_OP_MOST_BYTES];
  if (is_start) {
    memcpy(a, b, source->bytes);
    return;
  }
  CALL(a, b, result);
  memcpy(a, result, source->bytes);
}

static void plain_fold(void *sums, const void *x, uint32_t n, uint32_t items, const uint8_t *segment_flags,
                       void *user) {
  const scan_source *source = user;
  const uint8_t *from = x;
  for (uint32_t first = 0; first < n; first += items) {
    uint8_t *sum = (uint8_t *)sums + first / items * (size_t)source->bytes;
    memcpy(sum, from + first * (size_t)source->bytes, source->bytes);
    for (uint32_t i = first + 1; i < first + items && i < n; i++)
      plain_step(source, sum, from + i * (size_t)source->bytes, segment_flags != NULL && segment_flags[i]);
  }
}

static void plain_tree(void *v, uint32_t count, void *user) {
  const scan_source *source = user;
  _Alignas(SCAN_OP_MOST_BYTES) uint8_t result[SCAN_OP_MOST_BYTES];
  uint8_t *x = v;
  for (; count > 1; count = (count + 1) / 2) {
    for (uint32_t l = 0; l < count / 2; l++) {
      CALL(x + 2 * (size_t)l * source->bytes, x + (2 * (size_t)l + 1) * source->bytes, result);
      memcpy(x + l * (size_t)source->bytes, result, source->bytes);
    }
    if (count % 2)
      memcpy(x + count / 2 * (size_t)source->bytes, x + (count - 1) * (size_t)source->bytes, source->bytes);
  }
}

/* Goes from the last value down, so that each step reads values of the round before. */
static void plain_doubling(void *v, uint32_t count, uint8_t *segment_flags, void *user) {
  const scan_source *source = user;
  _Alignas(SCAN_OP_MOST_BYTES) uint8_t result[SCAN_OP_MOST_BYTES];
  uint8_t *x = v;
  for (uint32_t d = 1; d < count; d *= 2)
    for (uint32_t l = count - 1; l >= d; l--) {
      if (segment_flags != NULL && segment_flags[l]) continue;
      CALL(x + (l - d) * (size_t)source->bytes, x + l * (size_t)source->bytes, result);
      memcpy(x + l * (size_t)source->bytes, result, source->bytes);
      if (segment_flags != NULL) segment_flags[l] = segment_flags[l - d];
    }
}

static void plain_prepend(void *v, const void *a, uint32_t count, const uint8_t *segment_flags, void *user) {
  const scan_source *source = user;
  _Alignas(SCAN_OP_MOST_BYTES) uint8_t result[SCAN_OP_MOST_BYTES];
  uint8_t *x = v;
  for (uint32_t l = 0; l < count; l++) {
    if (segment_flags != NULL && segment_flags[l]) continue;
    CALL(a, x + l * (size_t)source->bytes, result);
    memcpy(x + l * (size_t)source->bytes, result, source->bytes);
  }
}

static void plain_chain(void *out, const void *x, const void *start, const void *seed, uint32_t n, uint32_t items,
                        const uint8_t *segment_flags, int exclusive, void *user) {
  const scan_source *source = user;
  const size_t bytes = source->bytes;
  _Alignas(SCAN_OP_MOST_BYTES) uint8_t before[SCAN_OP_MOST_BYTES];
  for (uint32_t i = 0; i < n; i++) {
    const int is_start = segment_flags != NULL && segment_flags[i];
    if (i % items == 0) memcpy(before, (const uint8_t *)start + i / items * bytes, bytes);
    if (exclusive) memcpy((uint8_t *)out + i * bytes, is_start ? seed : before, bytes);
    plain_step(source, before, (const uint8_t *)x + i * bytes, is_start);
    if (!exclusive) memcpy((uint8_t *)out + i * bytes, before, bytes);
  }
}

const scan_op_loops scan_host_plain_loops = { .struct_bytes = sizeof(scan_op_loops),
                                              .fold = plain_fold,
                                              .tree = plain_tree,
                                              .doubling = plain_doubling,
                                              .prepend = plain_prepend,
                                              .chain = plain_chain };
