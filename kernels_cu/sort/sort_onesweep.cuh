/* SPDX-License-Identifier: BSD-2-Clause */
/* A pass of radix sort in one launch (sm_80 and later): persistent work-groups take tiles by ticket, keep a tile's keys
 * in registers, and look back for where each digit of the tile goes.
 *
 *   count      each warp counts its own keys, in 256 counters of its own
 *   publish    the tile's count of each digit is published; the counters become the slots where each warp's keys of a
 *              digit begin in the sorted tile
 *   rank       a key's slot is what an atomic addition to its counter returns; keys move there, and values with keys of
 *              4 bytes; values of keys of 8 bytes are copied to shared memory meanwhile, in the order of the tile
 *   look back  other warps meanwhile find the number of keys of each digit in the tiles before
 *   write      the sorted tile is written, a run for each digit
 *
 * Additions of one warp to one counter return in the order of lanes on all hardware that was tested, but no manual
 * promises it. So the order of every tile is proved as it is written, each key against the one before it: by the bits
 * that are sorted by so far if they suffice (keys alone, and indices, which are their own order), else by the keys'
 * places in the unsorted tile. A tile that fails is put in order by exchanges of neighbours, and written again, before
 * the work-group goes on. Counts, and which slots are taken, depend on no order.
 *
 * A launch sorts the keys of one part (sort.h), whose tiles have the numbers 0, 1, 2 ...
 *
 * Keys in the numeric order (SORT_NUMERIC_KEYS) are not flipped, and their tiles' order is always proved by places,
 * since equal keys differ.
 *
 * NARROW kernels rank digits of at most 2 bits by votes, whose order needs no proof (sort_onesweep_votes.cuh).
 *
 * ONESWEEP_KIND: 0, or a kind of tuning.h; passes over wide digits take these from the launch that counts (sort.h).
 * SCAN_TYPE: the unsigned integer that keys are between passes, u32 or u64; in input and output a key of u32 may have
 * 1, 2 or 4 bytes; SORT_VALUE_BYTES: bytes of a value, 0, 4 or 8; SORT_PLACES: keys of u32 alone are proved by places.
 * In `keys_spare` keys and values of 4 bytes lie side by side, in pairs. Included in a namespace. */
#include "lib/test_hooks.h"
#include "sort/sort.h"
#include "tuning.h"
#ifndef ONESWEEP_KIND
#define ONESWEEP_KIND 0
#endif
#define ONESWEEP_BITS (ONESWEEP_KIND == TUNE_ONESWEEP_WIDE ? SORT_WIDE_BITS : SORT_DIGIT_BITS)
#include "sort/sort_onesweep_keys.cuh"

#define ONESWEEP_ITEMS TUNE_ONESWEEP_ITEMS(ONESWEEP_KIND, SCAN_CUDA_IMAGE, KEY_BYTES, SORT_VALUE_BYTES)
#define ONESWEEP_KEYS TUNE_ONESWEEP_KEYS(ONESWEEP_KIND, SCAN_CUDA_IMAGE, KEY_BYTES, SORT_VALUE_BYTES)
#define ONESWEEP_LOOKERS TUNE_ONESWEEP_LOOKERS(ONESWEEP_KIND, SCAN_CUDA_IMAGE, KEY_BYTES, SORT_VALUE_BYTES)
#define ONESWEEP_GROUPS TUNE_ONESWEEP_GROUPS(ONESWEEP_KIND, KEY_BYTES, SORT_VALUE_BYTES)
#define ONESWEEP_WARPS (ONESWEEP_ITEMS / 32)
#define ONESWEEP_TILE (ONESWEEP_ITEMS * ONESWEEP_KEYS)
#define ONESWEEP_ALL_ITEMS (ONESWEEP_ITEMS + ONESWEEP_LOOKERS * 32)
#define ONESWEEP_DIGITS (1 << ONESWEEP_BITS)
/* The digits of a work-item that publishes, and of one that looks back. */
#define OWN_DIGITS (ONESWEEP_DIGITS / 256)
#define LOOK_DIGITS (ONESWEEP_LOOKERS ? OWN_DIGITS * 8 / ONESWEEP_LOOKERS : OWN_DIGITS)
#define COPY_KEYS 8
/* The tiles whose words it loads at once. */
#define LOOK_TILES TUNE_ONESWEEP_LOOK_TILES(ONESWEEP_KIND, KEY_BYTES, SORT_VALUE_BYTES)

#define VALUE_BYTES SORT_VALUE_BYTES
#define HAS_VALUES (VALUE_BYTES != 0)
#define IS_NARROW (ONESWEEP_KIND == TUNE_ONESWEEP_NARROW)
/* 1 if a tile's values are copied to shared memory in the order of the unsorted tile, and each is found by its key's
 * place when the tile is written; else registers hold them, and they move with their keys. */
#define ARE_STAGED ((KEY_BYTES == 8 && HAS_VALUES) || ONESWEEP_KIND == TUNE_ONESWEEP_STAGED)
#define IS_WHOLE (VALUE_BYTES == KEY_BYTES && !ARE_STAGED) /* pairs lie side by side */
#define SLOT_BYTES (IS_WHOLE ? 2 * KEY_BYTES : KEY_BYTES)
/* How the order is proved. It is built into kernels of keys of u32 alone: 2^28, H200, a pass 0.864 ms for 0.892. */
#if ARE_STAGED
#define IS_BY_PLACES(flags) true
#elif HAS_VALUES || KEY_BYTES == 8
#define IS_BY_PLACES(flags) (((flags)&SORT_BY_PLACES) != 0)
#elif defined SORT_PLACES || defined SORT_NUMERIC_KEYS
#define IS_BY_PLACES(flags) true
#else
#define IS_BY_PLACES(flags) false
#endif
#if VALUE_BYTES == 8
typedef scanrt_u64 onesweep_value;
#else
typedef scanrt_u32 onesweep_value;
#endif

#include "sort/sort_onesweep_slots.cuh"

#include "sort/sort_onesweep_ends.cuh"
#include "sort/sort_onesweep_look_back.cuh"
#include "sort/sort_onesweep_proof.cuh"
#include "sort/sort_onesweep_ranks.cuh"
#include "sort/sort_onesweep_votes.cuh"

/* ---- a tile ---- */

/* A barrier of the work-items that publish. racecheck thinks that it orders them alone, so in builds for its tests all
 * work-items meet. */
#ifdef SCAN_TEST_LANES_ARRIVE
#define PUBLISH_BARRIER() BARRIER()
#define PUBLISH_BARRIER_OF_OTHERS() BARRIER()
#else
#define PUBLISH_BARRIER() NAMED_BARRIER(1, 256)
#define PUBLISH_BARRIER_OF_OTHERS() (void)0
#endif

/* Publishes the tile's counts of the work-item's digits and returns them. The warps' counters become the slots where
 * each warp's keys of the digits begin. Called by 256 work-items. */
FUNC own_digits publish(scanrt_u32 base, scanrt_u32 *lookback_words, scanrt_u32 tile, own_digits begin) {
  const scanrt_u32 item = ITEM(), lane = item % 32, warp = item / 32;
  own_digits own, state;
  scanrt_u32 total = 0;
  UNROLL
  for (int c = 0; c < OWN_DIGITS; c++) {
    own.of[c] = 0;
    UNROLL
    for (int w = 0; w < ONESWEEP_WARPS; w++)
      own.of[c] += scanrt_shared_u32(base + w * COUNTER_BYTES + counter_at((item * OWN_DIGITS + c) * 4));
    state.of[c] = (tile ? SORT_LOOK_PARTIAL : SORT_LOOK_INCLUSIVE) | own.of[c];
    total += own.of[c];
  }
  STALL_OVER(lookback_words + (size_t)tile * ONESWEEP_DIGITS + item * OWN_DIGITS, tile);
  scanrt_halves_store<OWN_DIGITS>(lookback_words + (size_t)tile * ONESWEEP_DIGITS + item * OWN_DIGITS, state.of);
  scanrt_u32 sum = sum_of_lanes(total);
  if (lane == 31) scanrt_shared_set_u32(base + AT_SUMS + warp * 4, sum);
  PUBLISH_BARRIER();
  sum -= total;
  UNROLL
  for (int w = 0; w < 7; w++) {
    const scanrt_u32 other = scanrt_shared_u32(base + AT_SUMS + w * 4);
    if (w < warp) sum += other;
  }
  scanrt_u32 at = base + AT_SLOTS + sum * SLOT_BYTES;
  UNROLL
  for (int c = 0; c < OWN_DIGITS; c++) {
    const scanrt_u32 digit4 = (item * OWN_DIGITS + c) * 4, counter = base + counter_at(digit4);
    scanrt_shared_set_u32(base + AT_STARTS + digit4, begin.of[c] - sum);
    if (ONESWEEP_LOOKERS) scanrt_shared_set_u32(base + AT_COUNTS + digit4, own.of[c]);
    sum += own.of[c];
    UNROLL
    for (int w = 0; w < ONESWEEP_WARPS; w += 4) {
      scanrt_u32 counts[4];
      UNROLL
      for (int i = 0; i < 4; i++) counts[i] = scanrt_shared_u32(counter + (w + i) * COUNTER_BYTES);
      UNROLL
      for (int i = 0; i < 4; i++) {
        scanrt_shared_set_u32(counter + (w + i) * COUNTER_BYTES, at);
        at += counts[i] * SLOT_BYTES;
      }
    }
  }
  return own;
}

/* The first of a work-item's digits when it looks back. */
FUNC scanrt_u32 look_first() {
  return ONESWEEP_LOOKERS ? (ITEM() - ONESWEEP_ITEMS) * LOOK_DIGITS : ITEM() * OWN_DIGITS;
}
/* True if a work-item looks back. */
FUNC bool is_looker() { return ONESWEEP_LOOKERS ? ITEM() >= ONESWEEP_ITEMS : ITEM() < 256; }

/* Returns the tile's counts of the digits from `first` on; without lookers these are `own`. */
FUNC look_digits tile_counts(scanrt_u32 base, scanrt_u32 first, own_digits own) {
  look_digits counts;
  UNROLL
  for (int c = 0; c < LOOK_DIGITS; c++)
    counts.of[c] = ONESWEEP_LOOKERS ? scanrt_shared_u32(base + AT_COUNTS + (first + c) * 4) : own.of[c % OWN_DIGITS];
  return counts;
}

/* Finds the numbers of keys before the tile of the digits from `first` on, and adds them to where the digits go.
 * Publishes inclusive counts for later tiles, and clears the next pass's look-back state. The part's last tile also
 * writes where the next part's digits begin: where its own end. Returns the numbers. */
template <class T> FUNC look_digits find_starts(scanrt_u32 base, scanrt_u32 *lookback_words,
                                                scanrt_u32 *next_lookback_words, scanrt_u32 tile, scanrt_u32 first,
                                                own_digits own, const T *digit_starts, T *next_starts, bool is_last) {
  const look_digits sum = lookback_prefix(lookback_words + first, tile);
  const look_digits counts = tile_counts(base, first, own);
  look_digits all, none;
  UNROLL
  for (int c = 0; c < LOOK_DIGITS; c++) {
    const scanrt_u32 at = base + AT_STARTS + (first + c) * 4;
    all.of[c] = SORT_LOOK_INCLUSIVE | (sum.of[c] + counts.of[c]);
    none.of[c] = 0;
    scanrt_shared_set_u32(at, scanrt_shared_u32(at) + sum.of[c]);
  }
  if (tile > 0) look_store(lookback_words + (size_t)tile * ONESWEEP_DIGITS + first, all);
  look_store(next_lookback_words + (size_t)tile * ONESWEEP_DIGITS + first, none);
  if (!is_last) return sum;
  UNROLL
  for (int c = 0; c < LOOK_DIGITS; c++)
    next_starts[first + c] = digit_starts[first + c] + (all.of[c] & SORT_LOOK_VALUE);
  return sum;
}

/* Writes slot i to starts[digit] + i. Returns true if keys of a row of 32 are out of order. */
FUNC bool write_full(scanrt_u32 base, scanrt_u32 tile, onesweep_ends ends, onesweep_order order, bool by_places) {
  bool is_wrong = false;
  UNROLL
  for (int q = 0; q < ONESWEEP_KEYS; q += OUT_BATCH) {
    const scanrt_u32 slot = ITEM() + q * ONESWEEP_ITEMS;
    onesweep_batch b;
    UNROLL
    for (int u = 0; u < OUT_BATCH; u++)
      lds_slot(base, slot_at(base, ITEM(), (q + u) * ONESWEEP_ITEMS), &b.key[u], &b.value[u]);
#if ARE_STAGED
    UNROLL
    for (int u = 0; u < OUT_BATCH; u++)
      b.place[u] = scanrt_shared_u16(place_at(base, slot_at(base, ITEM(), (q + u) * ONESWEEP_ITEMS)));
    UNROLL
    for (int u = 0; u < OUT_BATCH; u++) b.value[u] = staged_value(base, b.place[u], tile, ends);
#endif
    UNROLL
    for (int u = 0; u < OUT_BATCH; u++) {
      b.digit[u] = digit4(b.key[u], order);
      b.at[u] = scanrt_shared_u32(base + AT_STARTS + b.digit[u]);
    }
    store_batch(b, slot, ends, order);
    if (!IS_NARROW) is_wrong |= is_batch_wrong(base, b, slot, order, by_places);
  }
  return is_wrong;
}

/* Counts the digits of the work-item's keys, which have been loaded. */
FUNC void count_tile(scanrt_u32 counters, onesweep_tile &t, onesweep_ends ends, onesweep_order order) {
  const scanrt_u32 lane = ITEM() % 32;
  UNROLL
  for (int i = 0; i < COUNTER_BYTES; i += 512)
    if (COUNTER_BYTES % 512 == 0 || i + lane * 16 < COUNTER_BYTES) scanrt_shared_clear(counters + i + lane * 16);
  turn_tile(t, ends, order);
  __syncwarp();
  if (IS_NARROW) {
    count_by_votes(counters, t, order);
    return;
  }
  UNROLL
  for (int u = 0; u < ONESWEEP_KEYS; u++) scanrt_shared_count(counters + counter_at(digit4(t.key[u], order)));
}

/* Moves the work-item's keys to their slots. `heavy_digit` is 4 times a digit that many keys have, or ~0; of a tile
 * that is not full, `left` keys from the lane's first one on are no pads. */
FUNC void rank_tile(scanrt_u32 base, scanrt_u32 counters, const onesweep_tile &t, scanrt_u32 in_tile,
                    onesweep_order order, bool by_places, scanrt_u32 heavy_digit, bool is_full, scanrt_u32 left) {
  if (IS_NARROW) {
    rank_by_votes(base, counters, t, in_tile, order, by_places);
    return;
  }
  const scanrt_u32 sample = digit4(t.key[0], order);
  const scanrt_u32 alike =
      WARP_BALLOT(sample == (heavy_digit != ~0u ? heavy_digit : scanrt_shuffle_from_u32(sample, 0)));
  if (!is_full || __popc(alike) >= TUNE_ONESWEEP_HEAVY)
    rank_heavy_digits(base, counters, t, in_tile, order, by_places, heavy_digit, left);
  else
    rank_all(base, counters, t, in_tile, order, by_places);
}

/* Writes the sorted tile of `items` keys. Returns true if keys are out of order. */
FUNC bool write_tile(scanrt_u32 base, scanrt_u32 tile, scanrt_u32 items, bool is_full, bool works, onesweep_ends ends,
                     onesweep_order order, bool by_places) {
  bool is_wrong = false;
  if (!is_full)
    write_some(base, tile, items, ends, order);
  else if (works)
    is_wrong = write_full(base, tile, ends, order, by_places);
  return !IS_NARROW && (is_some_wrong(base, items, is_full ? 32 : 1, order, by_places) || is_wrong);
}

extern "C" __global__ void __launch_bounds__(ONESWEEP_ALL_ITEMS, ONESWEEP_GROUPS)
    KERNEL_NAME(SORT_NAME(onesweep), SCAN_SUFFIX)(PARAMETERS(SORT_ONESWEEP_ARGUMENTS)) {
  DYNAMIC_SHARED(shared);
  const scanrt_u32 base = scanrt_shared_address(shared);
  const scanrt_u64 *words = (const scanrt_u64 *)MEMORY(digits);
  const scanrt_u32 route = (scanrt_u32)words[SORT_WORD_ROUTES + pass];
  if (!(route & SORT_ROUTE_TAKEN)) return;
  const scanrt_u32 span = FIRST_PASS == 0 ? first_bit | end_bit << 8 : (scanrt_u32)words[SORT_WORD_SPAN];
  const onesweep_order order = onesweep_order_of(flags, span & 255, span >> 8, pass - FIRST_PASS);
  const bool by_places = IS_BY_PLACES(flags);
  const scanrt_u32 item = ITEM(), warp = item / 32, lane = item % 32;
  const bool works = ONESWEEP_LOOKERS == 0 || warp < ONESWEEP_WARPS;
  onesweep_ends ends;
  {
    const scanrt_u32 from = route >> SORT_ROUTE_FROM & 3, to = route >> SORT_ROUTE_TO & 3;
    const scanrt_u32 bytes = (order.sign + 1) / 8;
    ends.bytes = from == PLACE_SPARE ? KEY_BYTES : bytes;
    ends.bytes_to = to == PLACE_SPARE ? KEY_BYTES : bytes;
    ends.flips = is_flipped(order) && (route & SORT_ROUTE_FIRST) != 0;
    ends.flips_back = is_flipped(order) && (route & SORT_ROUTE_LAST) != 0;
    const onesweep_key last = last_key(order);
    ends.filler = ends.flips ? flip_back(last, order) : last;
    ends.is_whole = IS_WHOLE && from == PLACE_SPARE;
    ends.is_whole_to = IS_WHOLE && to == PLACE_SPARE;
    ends.widens = (flags & SORT_WIDE_VALUES) != 0 && (route & SORT_ROUTE_LAST) != 0;
    ends.makes_values = (route & SORT_ROUTE_FIRST) != 0 && (flags & SORT_INDICES) != 0;
    const scanrt_u32 most = part_tiles * ONESWEEP_TILE;
    ends.first = part * most;
    ends.n = scanrt_sort_items(ends.first, words[SORT_WORD_N], most);
    ends.tiles = ends.n / ONESWEEP_TILE + (ends.n % ONESWEEP_TILE != 0);
    ends.keys = (const KEY_T *)(SORT_PLACE(from, MEMORY(in), MEMORY(out), MEMORY(keys_spare)) +
                                (size_t)ends.first * (ends.is_whole ? 2 * KEY_BYTES : ends.bytes));
    ends.keys_to = (KEY_T *)SORT_PLACE(to, MEMORY(in), MEMORY(out), MEMORY(keys_spare));
    ends.values =
        (const onesweep_value *)SORT_PLACE(from, MEMORY(values_in), MEMORY(values_out), MEMORY(values_spare)) +
        (ends.makes_values ? 0 : ends.first);
    ends.values_to = (onesweep_value *)SORT_PLACE(to, MEMORY(values_in), MEMORY(values_out), MEMORY(values_spare));
  }
  if (route & SORT_ROUTE_MOVES) {
    copy_keys(ends, order, GROUP() * ONESWEEP_ALL_ITEMS + item, GROUPS() * ONESWEEP_ALL_ITEMS, ends.n);
    return;
  }
  scanrt_u32 *ticket = (scanrt_u32 *)MEMORY(workspace) + SORT_TICKET(pass, part);
  scanrt_u32 *lookback_words =
      (scanrt_u32 *)MEMORY(workspace) + SORT_TICKETS + (size_t)(part * part_tiles) * ONESWEEP_DIGITS;
  scanrt_u32 *next_lookback_words = lookback_words;
  {
    const size_t lookback_word_count = (size_t)tile_capacity * ONESWEEP_DIGITS;
    if (route & SORT_ROUTE_ODD)
      lookback_words += lookback_word_count;
    else
      next_lookback_words += lookback_word_count;
  }
  const scanrt_u32 heavy_digit =
      (scanrt_u32)words[SORT_WORD_HEAVY_DIGITS + pass]; /* 4 times a digit that many keys have, or ~0 */
  const scanrt_u64 *digit_starts = words + PART_STARTS(pass, part);
  own_digits begin, own;
  UNROLL
  for (int c = 0; c < OWN_DIGITS; c++) begin.of[c] = item < 256 ? (scanrt_u32)digit_starts[item * OWN_DIGITS + c] : 0;
  const scanrt_u32 counters = base + warp * COUNTER_BYTES;
  /* The lane's first key in the tile. A hook for tests reverses the lanes, unless votes rank them. */
  const bool reverses = !IS_NARROW && (flags & SORT_TEST_LANES) != 0;
  const scanrt_u32 in_tile = warp * (32 * ONESWEEP_KEYS) + (reverses ? lane ^ 31 : lane);

  onesweep_tile t;
  scanrt_u32 before = 0, tile = 0, next;
  bool is_wrong = false, has_tile = false;
  if (item == 0) scanrt_shared_set_u32(base + AT_TICKET, ATOMIC_ADD(ticket, 1u));
  BARRIER();
  next = scanrt_shared_u32(base + AT_TICKET);
  NO_UNROLL
  for (;;) { /* loads a tile's keys while it looks back for the one before and writes it */
    const bool is_full = tile + 1 < ends.tiles || ends.n % ONESWEEP_TILE == 0;
    if (has_tile) {
      if (works) count_tile(counters, t, ends, order);
      if (BARRIER_ANY(is_wrong)) {
        if (item == 0) ATOMIC_ADD64((scanrt_u64 *)MEMORY(digits) + SORT_WORD_REPAIRS, 1ull);
        repair(base, before, ends, order, by_places);
        is_wrong = false;
      }
      if (tile >= ends.tiles) return;
      if (works) stage_values(shared, base, tile, ends);
      if (item < 256)
        own = publish(base, lookback_words, tile, begin);
      else
        PUBLISH_BARRIER_OF_OTHERS();
      /* Claimed late, so that tickets and publications keep the same order. */
      if (item == ONESWEEP_ALL_ITEMS - 1) scanrt_shared_set_u32(base + AT_TICKET, ATOMIC_ADD(ticket, 1u));
      BARRIER();
      next = scanrt_shared_u32(base + AT_TICKET);
      if (works) {
        const scanrt_u32 from = tile * ONESWEEP_TILE + in_tile;
        rank_tile(base, counters, t, in_tile, order, by_places, heavy_digit, is_full,
                  from < ends.n ? ends.n - from : 0);
      }
    }
    if (works) load_tile(t, next, in_tile, ends);
    if (has_tile) {
      const scanrt_u32 items = is_full ? ONESWEEP_TILE : ends.n - tile * ONESWEEP_TILE;
      if (is_looker())
        find_starts(base, lookback_words, next_lookback_words, tile, look_first(), own, digit_starts,
                    (scanrt_u64 *)MEMORY(digits) + PART_STARTS(pass, part + 1), tile + 1 == ends.tiles);
      if (ARE_STAGED) scanrt_async_wait();
      BARRIER();
      is_wrong = write_tile(base, tile, items, is_full, works, ends, order, by_places);
    }
    before = tile;
    tile = next;
    has_tile = true;
  }
}
