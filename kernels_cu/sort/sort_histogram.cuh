/* SPDX-License-Identifier: BSD-2-Clause */
/* Counts all digits of all keys in one read (sm_80 and later), before the passes of sort_onesweep.cuh. A work-group has
 * a counter for each digit and lane, or as many as shared memory has room for, to keep lanes of a warp apart. The last
 * work-group to finish finds where each digit begins, and which passes are taken, and writes the results of a split or
 * a histogram. Keys of two values take one pass, by the highest digit in which the values differ. Included in the
 * namespace of sort_onesweep.cuh for keys without values, after it. */

#define HISTOGRAM_ITEMS TUNE_HISTOGRAM_ITEMS

/* 1 if the launch can choose wide digits (SORT_CHOOSES). */
#ifdef SORT_NUMERIC_KEYS
#define HISTOGRAM_CHOOSES 0
#else
#define HISTOGRAM_CHOOSES (KEY_BYTES == 4)
#endif
/* The keys that the choice is made by. */
#define HISTOGRAM_SAMPLE (4 * HISTOGRAM_ITEMS)

/* The bits from `first` to `end` - 1 in digits of `bits` bits. */
typedef struct histogram_span {
  scanrt_u32 first, end, bits;
} histogram_span;

/* Returns the number of passes over a span. */
FUNC scanrt_u32 passes_over(histogram_span span) { return (span.end - span.first + span.bits - 1) / span.bits; }

/* Returns the span of wide digits if keys that differ in the bits `differ` take fewer passes so, else `whole`. */
FUNC histogram_span choose_span(scanrt_u32 differ, histogram_span whole) {
  scanrt_u32 narrow = 0;
  if (differ == 0) return whole;
  for (scanrt_u32 from = whole.first; from < whole.end; from += SORT_DIGIT_BITS)
    narrow += (differ >> from & (SORT_DIGITS - 1)) != 0;
  const histogram_span wide = { 31 - (scanrt_u32)__clz(differ & (0u - differ)), 32 - (scanrt_u32)__clz(differ),
                                SORT_WIDE_BITS };
  return passes_over(wide) < narrow ? wide : whole;
}

typedef struct histogram_digits {
  scanrt_u32 rotated[KEY_PASSES], mask[KEY_PASSES], passes, bits;
  scanrt_u32 shift, at;  /* the position of a digit's counters, and the address of the lane's */
  scanrt_u32 above, out; /* bits above those that are sorted by; and these with the bits below */
} histogram_digits;

/* Returns the integer of a key's order. */
FUNC onesweep_key order_of(onesweep_key key, onesweep_order order) { return ordered(flip(key, order), order); }

FUNC void count_digits(onesweep_key flipped, scanrt_u32 bytes, const histogram_digits &d) {
  UNROLL
  for (int p = 0; p < bytes; p++)
    if (p < d.passes)
      scanrt_shared_count(d.at + (p << (d.bits + d.shift)) + (rotate(flipped, d.rotated[p]) & d.mask[p]));
}

/* Returns the bits that keys are sorted by. */
FUNC onesweep_key sorted_by(onesweep_key flipped, const histogram_digits &d) { return flipped << d.above >> d.out; }

/* Returns exclusive sums over the work-items of each `warps` warps; `sums` has a word for each warp. */
FUNC scanrt_u32 sum_before(scanrt_u32 own, scanrt_u32 *sums, scanrt_u32 warps) {
  const scanrt_u32 lane = ITEM() % 32, warp = ITEM() / 32;
  scanrt_u32 sum = sum_of_lanes(own);
  BARRIER();
  if (lane == 31) sums[warp] = sum;
  BARRIER();
  for (scanrt_u32 w = warp & ~(warps - 1); w < warp; w++) sum += sums[w];
  return sum - own;
}

/* Facts about the keys that a work-item has counted. */
typedef struct histogram_facts {
  bool is_wrong;             /* some are out of order */
  onesweep_key some, differ; /* a key, and the bits in which the others differ from it */
  /* The first key's bits that are sorted by; the bits in which other values differ from it, and those in which any of
   * these values does not. A bit in both shows a third value. */
  onesweep_key first, ones, zeros;
} histogram_facts;

/* 1 if the keys have at most two values. */
FUNC bool has_two_values(const histogram_facts &facts) { return (facts.ones & facts.zeros) == 0; }

/* Adds a key's value to the facts. */
FUNC void note_value(onesweep_key by, histogram_facts &facts) {
  const onesweep_key differ = by ^ facts.first;
  facts.ones |= differ;
  if (differ != 0) facts.zeros |= ~differ;
}

/* Counts the keys of 16 bytes; `next` is the key after them. */
FUNC void count_vector(const uint4 &bits, onesweep_key next, scanrt_u32 bytes, onesweep_order order,
                       const histogram_digits &d, histogram_facts &facts) {
  const scanrt_u32 words[4] = { bits.x, bits.y, bits.z, bits.w };
  onesweep_key by[16], last = 0;
  UNROLL
  for (int k = 0; k < 16 / bytes; k++) {
#if KEY_BYTES == 8
    const onesweep_key key = order_of((onesweep_key)words[2 * k + 1] << 32 | words[2 * k], order);
#else
    const scanrt_u32 word = words[k * bytes / 4] >> k * bytes % 4 * 8;
    const onesweep_key key = order_of(bytes == 1 ? word & 0xff : bytes == 2 ? word & 0xffff : word, order);
#endif
    by[k] = sorted_by(key, d);
    count_digits(key, bytes, d);
    if (HISTOGRAM_CHOOSES) facts.differ |= key ^ facts.some;
    facts.is_wrong |= by[k] < last;
    last = by[k];
  }
  if (has_two_values(facts)) {
    UNROLL
    for (int k = 0; k < 16 / bytes; k++) note_value(by[k], facts);
  }
  facts.is_wrong |= sorted_by(order_of(next, order), d) < last;
}

/* Counts one key. */
FUNC void count_one(const KEY_T *keys, scanrt_u32 at, scanrt_u32 n, scanrt_u32 bytes, onesweep_order order,
                    const histogram_digits &d, histogram_facts &facts) {
  const onesweep_key key = order_of(load_key(keys, at, bytes), order);
  const onesweep_key next = at + 1 < n ? order_of(load_key(keys, at + 1, bytes), order) : key;
  count_digits(key, bytes, d);
  if (HISTOGRAM_CHOOSES) facts.differ |= key ^ facts.some;
  note_value(sorted_by(key, d), facts);
  facts.is_wrong |= sorted_by(next, d) < sorted_by(key, d);
}

/* Counts keys of `bytes` bytes, a constant for the compiler. */
FUNC void count_keys(const KEY_T *keys, scanrt_u32 n, scanrt_u32 bytes, onesweep_order order, const histogram_digits &d,
                     histogram_facts &facts) {
  const scanrt_u32 each = 16 / bytes, unaligned = (scanrt_u32)(0 - ADDRESS(keys)) % 16 / bytes;
  const scanrt_u32 head = unaligned < n ? unaligned : n, vectors = (n - head) / each;
  const scanrt_u32 step = GROUPS() * HISTOGRAM_ITEMS, behind = head + vectors * each;
  const uint4 *v = (const uint4 *)((const scanrt_u8 *)keys + head * bytes);
  scanrt_u32 i = GROUP() * HISTOGRAM_ITEMS + ITEM();
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
    for (int u = 0; u < 4; u++) count_vector(x[u], next[u], bytes, order, d, facts);
  }
  NO_UNROLL
  for (; i < vectors; i += step) {
    const scanrt_u32 at = head + (i + 1) * each;
    count_vector(v[i], load_key(keys, at < n ? at : at - 1, bytes), bytes, order, d, facts);
  }
  if (GROUP() != 0) return;
  if (ITEM() < head) count_one(keys, ITEM(), n, bytes, order, d, facts);
  if (ITEM() < n - behind) count_one(keys, behind + ITEM(), n, bytes, order, d, facts);
}

/* 1 if the launch can count without looking for keys out of order (SORT_COUNTS_ONLY). */
#ifdef SORT_NUMERIC_KEYS
#define HISTOGRAM_COUNTS_BYTES 0
#else
#define HISTOGRAM_COUNTS_BYTES (KEY_BYTES == 4)
#endif
#if HISTOGRAM_COUNTS_BYTES
#include "sort/sort_histogram_bytes.cuh"
#endif
#ifndef SORT_NUMERIC_KEYS
#include "sort/sort_histogram_words.cuh"
#endif

FUNC void count_keys_of(const KEY_T *keys, scanrt_u32 n, onesweep_order order, const histogram_digits &d,
                        scanrt_u32 flags, histogram_facts &facts) {
#if HISTOGRAM_COUNTS_BYTES
  if ((flags & SORT_COUNTS_ONLY) != 0 && order.sign == 7) {
    count_bytes((const scanrt_u8 *)keys, n, order, d);
    return;
  }
#endif
#ifndef SORT_NUMERIC_KEYS
  if ((flags & SORT_COUNTS_ONLY) != 0 && order.sign == KEY_BYTES * 8 - 1 && d.passes == 1) {
    count_words(keys, n, order, d);
    return;
  }
#endif
  if (KEY_BYTES == 4 && order.sign == 7)
    count_keys(keys, n, 1, order, d, facts);
  else if (KEY_BYTES == 4 && order.sign == 15)
    count_keys(keys, n, 2, order, d, facts);
  else
    count_keys(keys, n, KEY_BYTES, order, d, facts);
}

/* Returns the digits' places in the counters; a digit has `copies` counters. */
FUNC histogram_digits digits_of(histogram_span span, scanrt_u32 counters, scanrt_u32 copies) {
  histogram_digits d;
  d.shift = 33 - __clz(copies); /* 4 bytes each */
  d.passes = passes_over(span);
  d.bits = span.bits;
  d.above = WORD_BITS - span.end;
  d.out = d.above + span.first;
  d.at = counters + (ITEM() & (copies - 1)) * 4;
  UNROLL
  for (int p = 0; p < KEY_PASSES; p++) {
    const scanrt_u32 from = span.first + p * span.bits, left = from >= span.end ? 0 : span.end - from;
    const scanrt_u32 bits = left < span.bits ? left : span.bits;
    d.rotated[p] = (from + WORD_BITS - d.shift) % WORD_BITS;
    d.mask[p] = ((1u << bits) - 1) << d.shift;
  }
  return d;
}

/* Called by the last work-group: finds where digits begin, by the sums over all, and what passes do. `first_bit` and
 * `end_bit` are all bits that keys are sorted by. */
FUNC void write_words(scanrt_u64 *words, scanrt_u32 *sums, scanrt_u64 *bins, scanrt_u32 n, histogram_span span,
                      scanrt_u32 first_bit, scanrt_u32 end_bit, scanrt_u32 buckets, scanrt_u32 flags,
                      scanrt_u32 *numbers) {
  const bool is_wide = span.bits != SORT_DIGIT_BITS;
  const scanrt_u32 passes = passes_over(span), pass = is_wide ? SORT_WIDE_PASS : 0;
  if (ITEM() < KEY_PASSES) numbers[64 + ITEM()] = 0, numbers[72 + ITEM()] = ~0u;
  NO_UNROLL
  for (scanrt_u32 at = ITEM(); at - ITEM() < passes << span.bits; at += HISTOGRAM_ITEMS) {
    const bool is_there = at < passes << span.bits;
    const scanrt_u32 count = is_there ? LOAD_L2(sums + at) : 0;
    const scanrt_u32 begin = sum_before(count, numbers, (1u << span.bits) / 32);
    if (!is_there) continue;
    words[SORT_WORD_STARTS + at] = begin;
    sums[at] = 0;
    scanrt_sort_set_bin(bins, at, begin, count, n, buckets, flags);
    if (count > 0 && count < n) numbers[64 + (at >> span.bits)] = 1; /* it orders */
    if (count > n / 8) numbers[72 + (at >> span.bits)] = (at & ((1u << span.bits) - 1)) * 4;
  }
  BARRIER();
  if (ITEM() < passes) words[SORT_WORD_HEAVY_DIGITS + pass + ITEM()] = numbers[72 + ITEM()];
  if (ITEM() != 0) return;
  scanrt_u32 orders = 0;
  scanrt_u32 *unsorted = (scanrt_u32 *)(words + SORT_WORD_UNSORTED);
  if (LOAD_L2(unsorted) != 0) /* otherwise the keys are in order */
    for (scanrt_u32 p = 0; p < passes; p++) orders |= numbers[64 + p] << p;
  if (orders != 0 && (LOAD_L2(words + SORT_WORD_ONES) & LOAD_L2(words + SORT_WORD_ZEROS)) == 0)
    orders = 1u << (31 - __clz(orders)); /* two values */
  *unsorted = 0;
  words[SORT_WORD_ONES] = words[SORT_WORD_ZEROS] = 0;
  const scanrt_u32 slots = SORT_SLOTS(first_bit, end_bit, (flags & SORT_IN_PLACE) != 0);
  if ((flags & SORT_CHOOSES) != 0)
    for (scanrt_u32 p = 0; p < SORT_WIDE_PASS + SORT_WIDE_SLOTS; p++) words[SORT_WORD_ROUTES + p] = 0;
  scanrt_sort_routes_write(words + pass, orders, is_wide ? SORT_WIDE_SLOTS : slots, flags);
  words[SORT_WORD_SPAN] = span.first | span.end << 8;
  words[SORT_WORD_N] = n;
  *(scanrt_u32 *)(words + SORT_WORD_DONE) = 0;
}

/* Returns the bits that are set for any work-item. `word` in shared memory is 0 before and after. */
FUNC scanrt_u32 any_bits(scanrt_u32 bits, scanrt_u32 *word) {
  if (bits != 0) ATOMIC_OR_LOCAL(word, bits);
  BARRIER();
  bits = *word;
  BARRIER();
  if (ITEM() == 0) *word = 0;
  return bits;
}

/* Adds the work-group's values to those of all, in `words`; `word` as in any_bits, and more behind it. Work-items whose
 * values differ are found within warps; a third value is noted as one bit. */
FUNC void note_values(scanrt_u64 *words, const histogram_facts &facts, scanrt_u32 *word) {
  const scanrt_u32 has = WARP_BALLOT(facts.ones != 0), from = has == 0 ? 0 : 31 - __clz(has & (0u - has));
  scanrt_u32 ones[KEY_BYTES / 4];
  bool is_other = !has_two_values(facts);
  UNROLL
  for (int h = 0; h < KEY_BYTES / 4; h++) {
    const scanrt_u32 own = (scanrt_u32)((scanrt_u64)facts.ones >> 32 * h);
    ones[h] = scanrt_shuffle_from_u32(own, from);
    is_other |= facts.ones != 0 && own != ones[h];
  }
  const bool are_more = BARRIER_ANY(is_other), is_first = ITEM() % 32 == 0 && has != 0;
  UNROLL
  for (int h = 0; h < KEY_BYTES / 4; h++) {
    const scanrt_u32 all = are_more ? h == 0 : any_bits(is_first ? ones[h] : 0, word + 2 * h);
    const scanrt_u32 none = are_more ? h == 0 : any_bits(is_first ? ~ones[h] : 0, word + 2 * h + 1);
    if (ITEM() == 0 && all != 0) ATOMIC_OR_LOCAL((scanrt_u32 *)(words + SORT_WORD_ONES) + h, all);
    if (ITEM() == 0 && none != 0) ATOMIC_OR_LOCAL((scanrt_u32 *)(words + SORT_WORD_ZEROS) + h, none);
  }
}

/* Returns the bits in which keys of a sample differ from `some`; `word` as in any_bits. */
FUNC scanrt_u32 differ_in_sample(const KEY_T *keys, scanrt_u32 n, onesweep_key some, onesweep_order order,
                                 scanrt_u32 *word) {
  scanrt_u32 differ = 0;
  UNROLL
  for (int i = 0; i < HISTOGRAM_SAMPLE / HISTOGRAM_ITEMS; i++) {
    const scanrt_u64 at = (scanrt_u64)n * (i * HISTOGRAM_ITEMS + ITEM()) / HISTOGRAM_SAMPLE;
    differ |= (scanrt_u32)(order_of(keys[at], order) ^ some);
  }
  return any_bits(differ, word);
}

extern "C" __global__ void __launch_bounds__(HISTOGRAM_ITEMS, 1)
    KERNEL_NAME(SORT_NAME(histogram), SCAN_SUFFIX)(PARAMETERS(SORT_HISTOGRAM_ARGUMENTS)) {
  DYNAMIC_SHARED(shared);
  scanrt_u64 *words = (scanrt_u64 *)MEMORY(digits);
  scanrt_u32 *sums = (scanrt_u32 *)(words + SORT_WORD_COUNTS), *counters = (scanrt_u32 *)shared;
  if (HISTOGRAM_CHOOSES && (flags & SORT_RECOUNTS) != 0 && words[SORT_WORD_RECOUNT] == 0) return;
  const scanrt_u32 keys = (scanrt_u32)SORT_N(), tiles = keys / tile_items + (keys % tile_items != 0);
  const bool chooses = HISTOGRAM_CHOOSES && (flags & (SORT_CHOOSES | SORT_RECOUNTS)) == SORT_CHOOSES && keys > 0;
  const onesweep_order order = onesweep_order_of(flags, first_bit, end_bit, 0);
  const histogram_span whole = { first_bit, end_bit, SORT_DIGIT_BITS };
  const scanrt_u32 among = end_bit - first_bit < 32 ? ((1u << (end_bit - first_bit)) - 1) << first_bit : ~0u;
  histogram_facts facts = { false, 0, 0, 0, ~(onesweep_key)0, ~(onesweep_key)0 };
  histogram_span span = whole;
  const scanrt_u32 bytes = scanrt_dynamic_shared_bytes() - SORT_HISTOGRAM_MORE_BYTES;
  scanrt_u32 *word = (scanrt_u32 *)(shared + bytes);
  NOTE_N_OVERFLOW();
  NO_UNROLL
  for (scanrt_u32 i = ITEM(); i < bytes / 16 + 1; i += HISTOGRAM_ITEMS) ((uint4 *)shared)[i] = make_uint4(0, 0, 0, 0);
  if (chooses) {
    BARRIER();
    facts.some = order_of(*(const KEY_T *)MEMORY(in), order);
    span = choose_span(differ_in_sample((const KEY_T *)MEMORY(in), keys, facts.some, order, word) & among, whole);
  }
  const scanrt_u32 digits_here = passes_over(span) << span.bits, room = bytes / (digits_here * 4);
  const scanrt_u32 copies = room >= TUNE_HISTOGRAM_COPIES ? TUNE_HISTOGRAM_COPIES : 1u << (31 - __clz(room));
  NO_UNROLL /* clears the tickets, and the first look-back state */
      for (scanrt_u32 i = GROUP() * HISTOGRAM_ITEMS + ITEM(); i < (SORT_TICKETS + (tiles << span.bits)) / 4;
           i += GROUPS() * HISTOGRAM_ITEMS)((uint4 *)MEMORY(workspace))[i] = make_uint4(0, 0, 0, 0);
  const histogram_digits digits_to = digits_of(span, scanrt_shared_address(shared), copies);
  const bool looks = keys > 0 && digits_to.passes > 1 && (flags & SORT_COUNTS_ONLY) == 0; /* at values */
  if (looks) {
    const onesweep_key first = load_key((const KEY_T *)MEMORY(in), 0, (order.sign + 1) / 8);
    facts.first = sorted_by(order_of(first, order), digits_to);
    facts.ones = facts.zeros = 0;
  }
  BARRIER();
  count_keys_of((const KEY_T *)MEMORY(in), keys, order, digits_to, flags, facts);
  if (looks) note_values(words, facts, word);
  if (chooses) {
    const scanrt_u32 differ = any_bits((scanrt_u32)facts.differ, word);
    if (ITEM() == 0) ATOMIC_OR_LOCAL(words + SORT_WORD_DIFFER, differ);
  }
  if (BARRIER_ANY(facts.is_wrong) && ITEM() == 0) ATOMIC_ADD((scanrt_u32 *)(words + SORT_WORD_UNSORTED), 1u);
  NO_UNROLL
  for (scanrt_u32 at = ITEM(); at < digits_here; at += HISTOGRAM_ITEMS) {
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
  if (HISTOGRAM_CHOOSES && (flags & SORT_CHOOSES) != 0) {
    const scanrt_u32 differ = LOAD_L2((scanrt_u32 *)(words + SORT_WORD_DIFFER)) & among;
    const scanrt_u32 within = (span.end < 32 ? (1u << span.end) - 1 : ~0u) >> span.first << span.first;
    const bool fails = (differ & ~within) != 0;
    BARRIER();
    if (ITEM() == 0) *(scanrt_u32 *)(words + SORT_WORD_DIFFER) = 0, words[SORT_WORD_RECOUNT] = fails;
    if (fails) {
      NO_UNROLL
      for (scanrt_u32 at = ITEM(); at < digits_here; at += HISTOGRAM_ITEMS) sums[at] = 0;
      if (ITEM() == 0) {
        *(scanrt_u32 *)(words + SORT_WORD_DONE) = *(scanrt_u32 *)(words + SORT_WORD_UNSORTED) = 0;
        words[SORT_WORD_ONES] = words[SORT_WORD_ZEROS] = 0;
      }
      return;
    }
  }
  write_words(words, sums, (scanrt_u64 *)MEMORY(bins), keys, span, first_bit, end_bit, buckets, flags, counters);
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
