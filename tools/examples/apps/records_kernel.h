/* SPDX-License-Identifier: BSD-2-Clause */
/* Kernels that write where the lines of a text begin: one in one launch, and two that count and write. CUDA C++ and
 * OpenCL C, behind the words of kernels.h and scanrt/device/lookback.h.
 *
 * A work-group reads a tile of RECORDS_VECTORS vectors of 16 bytes a work-item, coalesced, and keeps a bit a byte in
 * local memory. Then each work-item takes the bits of consecutive bytes. Offsets of newlines in the tile are staged in
 * local memory, so that neighbouring work-items write neighbouring results. */

/* Vectors that a work-item has on their way at once; results that are staged at once. */
#define RECORDS_BATCH 8
#define RECORDS_STAGE 4096
#define RECORDS_TILE (SCANRT_GROUP_ITEMS * RECORDS_VECTORS)

typedef scanrt_device_u32 u32;
typedef SCANRT_GLOBAL const uint4 *records_text;

/* Local memory of a work-group. A word of `bits` is for two vectors; one word in 33 is unused, so that work-items which
 * read consecutive words use different banks. */
typedef struct records_local {
  scanrt_scratch scratch;
  u32 bits[RECORDS_TILE / 2 + RECORDS_TILE / 64];
  u32 stage[RECORDS_STAGE];
} records_local;

/* Bits 28 to 31: which bytes of a word are newlines. */
SCANRT_FUNC u32 records_of_word(u32 word) {
  const u32 x = word ^ 0x0a0a0a0au, low = 0x7f7f7f7fu;
  return ~(((x & low) + low) | x | low) * 0x00204081u;
}

SCANRT_FUNC u32 records_of_vector(uint4 v) {
  u32 bits = records_of_word(v.w) >> 28;
  bits = bits << 4 | records_of_word(v.z) >> 28;
  bits = bits << 4 | records_of_word(v.y) >> 28;
  return bits << 4 | records_of_word(v.x) >> 28;
}

/* Returns the newlines of vector k of the text. The last byte is left out: no line begins behind it. */
SCANRT_FUNC u32 records_at_end(records_text text, u32 n, u32 k) {
  if (k >= (n - 1 + 15) / 16) return 0;
  const u32 left = n - 1 - k * 16;
  return records_of_vector(text[k]) & (left < 16 ? (1u << left) - 1 : 0xffffu);
}

SCANRT_FUNC u32 records_is_whole(u32 n, u32 tile) { return tile < (n - 1) / 16 / RECORDS_TILE; }

/* Puts the tile's bits to local memory. */
SCANRT_FUNC void records_load(records_text text, u32 n, u32 tile, SCANRT_LOCAL records_local *l) {
  SCANRT_LOCAL unsigned short *const bits = (SCANRT_LOCAL unsigned short *)l->bits;
  const u32 item = SCANRT_ITEM(), first = tile * RECORDS_TILE;
  if (records_is_whole(n, tile)) {
    for (u32 k = item; k < RECORDS_TILE; k += RECORDS_BATCH * SCANRT_GROUP_ITEMS) {
      uint4 v[RECORDS_BATCH];
      SCANRT_UNROLL
      for (u32 b = 0; b < RECORDS_BATCH; b++) v[b] = text[first + k + b * SCANRT_GROUP_ITEMS];
      SCANRT_UNROLL
      for (u32 b = 0; b < RECORDS_BATCH; b++) {
        const u32 at = k + b * SCANRT_GROUP_ITEMS;
        bits[at + at / 64 * 2] = (unsigned short)records_of_vector(v[b]);
      }
    }
  } else {
    for (u32 k = item; k < RECORDS_TILE; k += SCANRT_GROUP_ITEMS)
      bits[k + k / 64 * 2] = (unsigned short)records_at_end(text, n, first + k);
  }
  SCANRT_BARRIER();
}

/* The work-item's word k, of bytes 32 k to 32 k + 31 of its part of the tile. */
SCANRT_FUNC u32 records_word(SCANRT_LOCAL const records_local *l, u32 k) {
  const u32 at = SCANRT_ITEM() * (RECORDS_VECTORS / 2) + k;
  return l->bits[at + at / 32];
}

SCANRT_FUNC u32 records_mine(SCANRT_LOCAL const records_local *l) {
  u32 count = 0;
  SCANRT_UNROLL
  for (u32 k = 0; k < RECORDS_VECTORS / 2; k++) count += APP_POPCOUNT(records_word(l, k));
  return count;
}

/* Writes the `count` lines that begin behind the tile's newlines from begins[first] on. The work-item's are those
 * after `before` others. */
SCANRT_FUNC void records_put(SCANRT_GLOBAL u32 *begins, u32 capacity, u32 tile, u32 first, u32 count, u32 before,
                             SCANRT_LOCAL records_local *l) {
  const u32 item = SCANRT_ITEM();
  for (u32 base = 0; base < count; base += RECORDS_STAGE) {
    u32 at = before - base;
    SCANRT_BARRIER();
    for (u32 k = 0; k < RECORDS_VECTORS / 2; k++)
      for (u32 bits = records_word(l, k); bits != 0; bits &= bits - 1, at++)
        if (at < RECORDS_STAGE)
          l->stage[at] = (item * (RECORDS_VECTORS / 2) + k) * 32 + 31 - APP_CLZ(bits & (0u - bits));
    SCANRT_BARRIER();
    for (u32 k = item; k < RECORDS_STAGE && base + k < count && first + base + k < capacity; k += SCANRT_GROUP_ITEMS)
      begins[first + base + k] = tile * (RECORDS_TILE * 16) + l->stage[k] + 1;
  }
}

SCANRT_FUNC void records_put_first(SCANRT_GLOBAL u32 *begins, u32 capacity, u32 tile) {
  if (tile == 0 && SCANRT_ITEM() == 0 && capacity > 0) begins[0] = 0;
}

/* Writes the first `capacity` begins. The text has n bytes, n > 0, in memory of whole vectors. The total in `state` is
 * the number of lines but the first one. */
SCANRT_KERNEL records(records_text text, u32 n, SCANRT_GLOBAL u32 *begins, u32 capacity, scanrt_state state) {
  SCANRT_SHARED records_local l;
  const u32 tile = scanrt_ticket(state, &l.scratch);
  records_load(text, n, tile, &l);
  const scanrt_place at = scanrt_allocate(state, tile, records_mine(&l), &l.scratch);
  if (!at.is_valid) return;
  records_put_first(begins, capacity, tile);
  records_put(begins, capacity, tile, (u32)at.group_first + 1, at.group_count, (u32)(at.first - at.group_first), &l);
}

SCANRT_KERNEL records_count(records_text text, u32 n, SCANRT_GLOBAL u32 *begins, u32 capacity,
                            SCANRT_GLOBAL u32 *counts) {
  SCANRT_SHARED scanrt_scratch_count scratch;
  const u32 item = SCANRT_ITEM(), tile = APP_GROUP, first = tile * RECORDS_TILE;
  u32 count = 0;
  if (records_is_whole(n, tile)) {
    SCANRT_UNROLL
    for (u32 k = 0; k < RECORDS_VECTORS; k++)
      count += APP_POPCOUNT(records_of_vector(text[first + k * SCANRT_GROUP_ITEMS + item]));
  } else {
    for (u32 k = item; k < RECORDS_TILE; k += SCANRT_GROUP_ITEMS)
      count += APP_POPCOUNT(records_at_end(text, n, first + k));
  }
  count = scanrt_reduce_count(count, &scratch);
  if (item == 0) counts[tile] = count;
  (void)begins, (void)capacity;
}

SCANRT_KERNEL records_write(records_text text, u32 n, SCANRT_GLOBAL u32 *begins, u32 capacity,
                            SCANRT_GLOBAL const u32 *firsts) {
  SCANRT_SHARED records_local l;
  const u32 tile = APP_GROUP;
  records_load(text, n, tile, &l);
  const u32 before = scanrt_exclusive_count(records_mine(&l), 0u, &l.scratch.count);
  records_put_first(begins, capacity, tile);
  records_put(begins, capacity, tile, firsts[tile] + 1, firsts[tile + 1] - firsts[tile], before, &l);
}
