/* SPDX-License-Identifier: BSD-2-Clause */
#include "sides.h"

#include <string.h>

#include "half.h"
#include "reference.h"

void side_open(struct side *side, uint64_t bytes) {
  side->image = reference_alloc(bytes);
  side->bytes = bytes;
  test_ok(test_ctx(), scan_alloc(test_ctx(), bytes, &side->memory), "scan_alloc");
}

uint64_t side_take(struct side *side, uint64_t bytes, uint64_t shift) {
  const uint64_t at = (side->used + SIDE_MARGIN + 63) / 64 * 64 + shift;
  side->used = at + bytes + SIDE_MARGIN;
  if (side->used > side->bytes) test_fail("a side has %llu bytes only", (unsigned long long)side->bytes);
  return at;
}

scan_mem side_mem(const struct side *side, int on_host, uint64_t at) {
  return on_host ? scan_host(side->image + at) : scan_offset(side->memory, at);
}

void side_write(const struct side *in, const struct side *out) {
  scan_ctx *ctx = test_ctx();
  test_ok(ctx, scan_write(ctx, in->memory, in->image, in->used), "scan_write");
  test_ok(ctx, scan_write(ctx, out->memory, out->image, out->used), "scan_write");
}

int side_differs(struct side *out, int on_host, const unsigned char *want, uint64_t *at) {
  scan_ctx *ctx = test_ctx();
  if (!on_host) test_ok(ctx, scan_read(ctx, out->memory, out->image, out->used), "scan_read");
  if (memcmp(out->image, want, out->used) == 0) return 0;
  *at = 0;
  while (out->image[*at] == want[*at]) ++*at;
  return 1;
}

#define DIFFERS(T) (((const T *)keys)[i] != ((const T *)keys)[i - 1])

int key_differs(scan_type type, const void *keys, uint64_t i) {
  switch (type) {
  case SCAN_F32: return DIFFERS(float);
  case SCAN_F64: return DIFFERS(double);
  case SCAN_F16:
  case SCAN_BF16:
    return half_value(type, ((const uint16_t *)keys)[i]) != half_value(type, ((const uint16_t *)keys)[i - 1]);
  default: break;
  }
  switch (scan_type_bytes(type)) {
  case 1: return DIFFERS(uint8_t);
  case 2: return DIFFERS(uint16_t);
  case 4: return DIFFERS(uint32_t);
  default: return DIFFERS(uint64_t);
  }
}

void key_write(struct rng *rng, scan_type type, unsigned char *to) {
  const uint64_t random = rng_next(rng), kind = random >> 60;
  const size_t bytes = scan_type_bytes(type);
  memcpy(to, &random, bytes);
  if (type < SCAN_F32 || kind > 8) return;
  const int is_nan = kind < 3;
  memset(to, is_nan ? 0xff : 0, bytes);
  if (!is_nan && kind < 6) to[bytes - 1] = 0x80;
}
