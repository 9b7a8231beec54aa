/* SPDX-License-Identifier: BSD-2-Clause */
/* Counts all digits of all keys in one read (sm_80 and later), before the passes of sort_onesweep.cuh. A work-group has
 * a counter for each digit and lane, or as many as shared memory has room for, to keep lanes of a warp apart. The last
 * work-group to finish finds where each digit begins, and which passes are taken. Included in the namespace of
 * sort_onesweep.cuh for keys without values, after it. */

#define HISTOGRAM_ITEMS TUNE_HISTOGRAM_ITEMS

typedef struct histogram_digits {
  scanrt_u32 rotated[KEY_PASSES], mask[KEY_PASSES], passes;
  scanrt_u32 shift, at;  /* the position of a digit's counters, and the address of the lane's */
  scanrt_u32 above, out; /* bits above those that are sorted by; and these with the bits below */
} histogram_digits;

/* Returns the integer of a key's order. */
FUNC onesweep_key order_of(onesweep_key key, onesweep_order order) { return ordered(flip(key, order), order); }

FUNC void count_digits(onesweep_key flipped, scanrt_u32 bytes, const histogram_digits &d) {
  UNROLL
  for (int p = 0; p < bytes; p++)
    if (p < d.passes)
      scanrt_shared_count(d.at + (p << (SORT_DIGIT_BITS + d.shift)) + (rotate(flipped, d.rotated[p]) & d.mask[p]));
}

/* Returns the bits that keys are sorted by. */
FUNC onesweep_key sorted_by(onesweep_key flipped, const histogram_digits &d) { return flipped << d.above >> d.out; }

/* Returns exclusive sums over the 256 work-items of each 8 warps; `sums` has a word for each warp. */
FUNC scanrt_u32 sum_before(scanrt_u32 own, scanrt_u32 *sums) {
  const scanrt_u32 lane = ITEM() % 32, warp = ITEM() / 32;
  scanrt_u32 sum = sum_of_lanes(own);
  BARRIER();
  if (lane == 31) sums[warp] = sum;
  BARRIER();
  for (scanrt_u32 w = warp & ~7u; w < warp; w++) sum += sums[w];
  return sum - own;
}

/* Counts the keys of 16 bytes. Returns true if they, or the key `next` after them, are out of order. */
FUNC bool count_vector(const uint4 &bits, onesweep_key next, scanrt_u32 bytes, onesweep_order order,
                       const histogram_digits &d) {
  const scanrt_u32 words[4] = { bits.x, bits.y, bits.z, bits.w };
  bool is_wrong = false;
  onesweep_key last = 0;
  UNROLL
  for (int k = 0; k < 16 / bytes; k++) {
#if KEY_BYTES == 8
    const onesweep_key key = order_of((onesweep_key)words[2 * k + 1] << 32 | words[2 * k], order);
#else
    const scanrt_u32 word = words[k * bytes / 4] >> k * bytes % 4 * 8;
    const onesweep_key key = order_of(bytes == 1 ? word & 0xff : bytes == 2 ? word & 0xffff : word, order);
#endif
    const onesweep_key by = sorted_by(key, d);
    count_digits(key, bytes, d);
    is_wrong |= by < last;
    last = by;
  }
  return is_wrong || sorted_by(order_of(next, order), d) < last;
}

/* Counts one key. Returns true if the key after it is out of order. */
FUNC bool count_one(const KEY_T *keys, scanrt_u32 at, scanrt_u32 n, scanrt_u32 bytes, onesweep_order order,
                    const histogram_digits &d) {
  const onesweep_key key = order_of(load_key(keys, at, bytes), order);
  const onesweep_key next = at + 1 < n ? order_of(load_key(keys, at + 1, bytes), order) : key;
  count_digits(key, bytes, d);
  return sorted_by(next, d) < sorted_by(key, d);
}

/* Counts keys of `bytes` bytes, a constant for the compiler. Returns true if any are out of order. */
FUNC bool count_keys(const KEY_T *keys, scanrt_u32 n, scanrt_u32 bytes, onesweep_order order,
                     const histogram_digits &d) {
  const scanrt_u32 each = 16 / bytes, unaligned = (scanrt_u32)(0 - ADDRESS(keys)) % 16 / bytes;
  const scanrt_u32 head = unaligned < n ? unaligned : n, vectors = (n - head) / each;
  const scanrt_u32 step = GROUPS() * HISTOGRAM_ITEMS, behind = head + vectors * each;
  const uint4 *v = (const uint4 *)((const scanrt_u8 *)keys + head * bytes);
  scanrt_u32 i = GROUP() * HISTOGRAM_ITEMS + ITEM();
  bool is_wrong = false;
  NO_UNROLL
  for (; bytes == KEY_BYTES && i + 3 * step < vectors; i += 4 * step) {
    uint4 x[4];
    onesweep_key next[4];
    UNROLL
    for (int u = 0; u < 4; u++) {
      const scanrt_u32 at = head + (i + u * step + 1) * each;
      x[u] = v[i + u * step];
      next[u] = load_key(keys, at < n ? at : at - 1, bytes);
    }
    UNROLL
    for (int u = 0; u < 4; u++) is_wrong |= count_vector(x[u], next[u], bytes, order, d);
  }
  NO_UNROLL
  for (; i < vectors; i += step) {
    const scanrt_u32 at = head + (i + 1) * each;
    is_wrong |= count_vector(v[i], load_key(keys, at < n ? at : at - 1, bytes), bytes, order, d);
  }
  if (GROUP() != 0) return is_wrong;
  if (ITEM() < head) is_wrong |= count_one(keys, ITEM(), n, bytes, order, d);
  if (ITEM() < n - behind) is_wrong |= count_one(keys, behind + ITEM(), n, bytes, order, d);
  return is_wrong;
}
FUNC bool count_keys_of(const KEY_T *keys, scanrt_u32 n, onesweep_order order, const histogram_digits &d) {
  if (KEY_BYTES == 4 && order.sign == 7) return count_keys(keys, n, 1, order, d);
  if (KEY_BYTES == 4 && order.sign == 15) return count_keys(keys, n, 2, order, d);
  return count_keys(keys, n, KEY_BYTES, order, d);
}

/* Returns the digits' places in the counters; a digit has `copies` counters. */
FUNC histogram_digits digits_of(scanrt_u32 first_bit, scanrt_u32 end_bit, scanrt_u32 counters, scanrt_u32 copies) {
  histogram_digits d;
  d.shift = 33 - __clz(copies); /* 4 bytes each */
  d.passes = SORT_PASSES(first_bit, end_bit);
  d.above = WORD_BITS - end_bit;
  d.out = d.above + first_bit;
  d.at = counters + (ITEM() & (copies - 1)) * 4;
  UNROLL
  for (int p = 0; p < KEY_PASSES; p++) {
    const scanrt_u32 from = first_bit + p * SORT_DIGIT_BITS, left = from >= end_bit ? 0 : end_bit - from;
    const scanrt_u32 bits = left < SORT_DIGIT_BITS ? left : SORT_DIGIT_BITS;
    d.rotated[p] = (from + WORD_BITS - d.shift) % WORD_BITS;
    d.mask[p] = ((1u << bits) - 1) << d.shift;
  }
  return d;
}

/* Called by the last work-group: finds where digits begin, by the sums over all, and what passes do. */
FUNC void write_words(scanrt_u64 *words, scanrt_u32 *sums, scanrt_u32 n, scanrt_u32 first_bit, scanrt_u32 end_bit,
                      scanrt_u32 flags, scanrt_u32 *numbers) {
  const scanrt_u32 passes = SORT_PASSES(first_bit, end_bit);
  if (ITEM() < KEY_PASSES) numbers[64 + ITEM()] = 0, numbers[72 + ITEM()] = ~0u;
  NO_UNROLL
  for (scanrt_u32 at = ITEM(); at - ITEM() < passes * SORT_DIGITS; at += HISTOGRAM_ITEMS) {
    const bool is_there = at < passes * SORT_DIGITS;
    const scanrt_u32 count = is_there ? LOAD_L2(sums + at) : 0, begin = sum_before(count, numbers);
    if (!is_there) continue;
    words[SORT_WORD_STARTS + at] = begin;
    sums[at] = 0;
    if (count > 0 && count < n) numbers[64 + at / SORT_DIGITS] = 1; /* it orders */
    if (count > n / 8) numbers[72 + at / SORT_DIGITS] = at % SORT_DIGITS * 4;
  }
  BARRIER();
  if (ITEM() < passes) words[SORT_WORD_HEAVY_DIGITS + ITEM()] = numbers[72 + ITEM()];
  if (ITEM() != 0) return;
  scanrt_u32 orders = 0;
  scanrt_u32 *unsorted = (scanrt_u32 *)(words + SORT_WORD_UNSORTED);
  if (LOAD_L2(unsorted) != 0) /* otherwise the keys are in order */
    for (scanrt_u32 p = 0; p < passes; p++) orders |= numbers[64 + p] << p;
  *unsorted = 0;
  scanrt_sort_routes_write(words, orders, SORT_SLOTS(first_bit, end_bit, (flags & SORT_IN_PLACE) != 0), flags);
  words[SORT_WORD_N] = n;
  *(scanrt_u32 *)(words + SORT_WORD_DONE) = 0;
}

extern "C" __global__ void __launch_bounds__(HISTOGRAM_ITEMS, 1)
    KERNEL_NAME(SORT_NAME(histogram), SCAN_SUFFIX)(PARAMETERS(SORT_HISTOGRAM_ARGUMENTS)) {
  DYNAMIC_SHARED(shared);
  scanrt_u64 *words = (scanrt_u64 *)MEMORY(digits);
  scanrt_u32 *sums = (scanrt_u32 *)(words + SORT_WORD_COUNTS), *counters = (scanrt_u32 *)shared;
  const scanrt_u32 keys = (scanrt_u32)SORT_N(), tiles = keys / tile_items + (keys % tile_items != 0);
  const scanrt_u32 passes = SORT_PASSES(first_bit, end_bit);
  const scanrt_u32 bytes = scanrt_dynamic_shared_bytes();
  const scanrt_u32 copies = bytes / (KEY_PASSES * SORT_DIGITS * 4);
  NOTE_N_OVERFLOW();
  NO_UNROLL
  for (scanrt_u32 i = ITEM(); i < bytes / 16; i += HISTOGRAM_ITEMS) ((uint4 *)shared)[i] = make_uint4(0, 0, 0, 0);
  NO_UNROLL /* clears the tickets, and the first look-back state */
      for (scanrt_u32 i = GROUP() * HISTOGRAM_ITEMS + ITEM(); i < (SORT_TICKETS + tiles * SORT_DIGITS) / 4;
           i += GROUPS() * HISTOGRAM_ITEMS)((uint4 *)MEMORY(workspace))[i] = make_uint4(0, 0, 0, 0);
  BARRIER();
  const bool is_wrong = count_keys_of((const KEY_T *)MEMORY(in), keys, onesweep_order_of(flags, first_bit, end_bit, 0),
                                      digits_of(first_bit, end_bit, scanrt_shared_address(shared), copies));
  if (BARRIER_ANY(is_wrong) && ITEM() == 0) ATOMIC_ADD((scanrt_u32 *)(words + SORT_WORD_UNSORTED), 1u);
  NO_UNROLL
  for (scanrt_u32 at = ITEM(); at < passes * SORT_DIGITS; at += HISTOGRAM_ITEMS) {
    scanrt_u32 sum = 0;
    for (scanrt_u32 c = 0; c < copies; c++) sum += counters[at * copies + ((c + ITEM()) & (copies - 1))];
    if (sum != 0) ATOMIC_ADD(sums + at, sum);
  }
  FENCE();
  BARRIER();
  if (ITEM() == 0) counters[0] = ATOMIC_ADD((scanrt_u32 *)(words + SORT_WORD_DONE), 1u);
  BARRIER();
  const bool is_last = counters[0] == GROUPS() - 1;
  BARRIER();
  if (!is_last) return;
  FENCE(); /* the other work-groups' counts are visible */
  write_words(words, sums, keys, first_bit, end_bit, flags, counters);
}

#ifndef SORT_KEYS_ONLY
/* Tests whether additions of one warp to one counter return in the order of lanes, and adds the number of violations to
 * `digits`. The result is only a hint whether onesweep pays: a pass proves its own order. */
extern "C" __global__ void __launch_bounds__(HISTOGRAM_ITEMS, 1)
    KERNEL_NAME(sort_lanes, SCAN_SUFFIX)(PARAMETERS(SORT_LANES_ARGUMENTS)) {
  DYNAMIC_SHARED(shared);
  const scanrt_u32 lane = ITEM() % 32;
  const scanrt_u32 counters = scanrt_shared_address(shared) + ITEM() / 32 * 1024;
  scanrt_u32 wrong = 0, random = ITEM() * 2654435761u + 1;
  for (scanrt_u32 i = lane; i < 256; i += 32) scanrt_shared_set_u32(counters + i * 4, 0);
  __syncwarp();
  NO_UNROLL
  for (scanrt_u32 turn = 0; turn < 256; turn++) {
    random = random * 1664525u + 1013904223u;
    const scanrt_u32 digit = random >> 24 & ((2u << turn % 8) - 1);
    const scanrt_u32 at = scanrt_shared_add(counters + digit * 4, 1);
    NO_UNROLL
    for (scanrt_u32 d = 1; d < 32; d++) {
      const scanrt_u32 other = scanrt_shuffle_up_u32(digit, d), other_at = scanrt_shuffle_up_u32(at, d);
      wrong += lane >= d && other == digit && other_at > at;
    }
    __syncwarp();
  }
  if (wrong != 0) ATOMIC_ADD64((scanrt_u64 *)MEMORY(digits) + SORT_WORD_REPAIRS, wrong);
}
#endif
