/* SPDX-License-Identifier: BSD-2-Clause */
#ifdef CLUSTER_BARRIER
/* Sorts few keys in one launch (sm_90): a cluster of work-groups has all keys in registers, and each pass moves them
 * through the cluster's shared memory to their new work-group and slot. One work-group sorts very few keys, and the
 * others of the cluster end at once.
 *
 *   rank    warps rank their rows of keys, one after the other, by votes among the warp's keys of the same digit
 *   count   sums over the warps of a work-group, and over the work-groups of the cluster, give where each digit begins
 *   move    keys, and values with them, move into order within the work-group, and from there in runs to slots of any
 *           work-group; each work-group then loads its own into registers
 *
 * The order depends on votes and barriers alone. A pass whose digit all keys share moves nothing. SCAN_TYPE and
 * SORT_VALUE_BYTES are those of sort_onesweep.cuh. Included in its namespace, after it. */
#define CLUSTER_WARPS (SORT_CLUSTER_ITEMS / 32)
#define CLUSTER_STRIDE (SORT_DIGITS + 1) /* counters a warp: four of one digit lie in different banks */
#define CLUSTER_AT_TOTALS (CLUSTER_WARPS * CLUSTER_STRIDE * 4)
#define CLUSTER_AT_STARTS (CLUSTER_AT_TOTALS + 2 * SORT_DIGITS * 4)
#define CLUSTER_AT_OWN (CLUSTER_AT_STARTS + SORT_DIGITS * 4)
#define CLUSTER_AT_SUMS (CLUSTER_AT_OWN + SORT_DIGITS * 4)
#define CLUSTER_AT_SLOTS (CLUSTER_AT_SUMS + CLUSTER_WARPS * 4)
#define CLUSTER_OWN_SHIFT 17 /* of a sum over a work-group's keys, above one over the cluster's */

typedef struct cluster_tile {
  onesweep_key key[SORT_CLUSTER_KEYS];
#if HAS_VALUES
  onesweep_value value[SORT_CLUSTER_KEYS];
#endif
} cluster_tile;

/* The place of a work-item's keys, in the input and between passes: key u of `rows` is key first + u * 32 of its
 * work-group, which has 1 << log_keys. `groups` work-groups have keys. */
typedef struct cluster_place {
  scanrt_u32 base, group, groups, log_keys, rows, first;
  bool has_keys;
} cluster_place;

/* A barrier of all work-groups that have keys. */
FUNC void cluster_barrier(const cluster_place &place) {
  if (place.groups > 1)
    CLUSTER_BARRIER();
  else
    BARRIER();
}

/* Returns the sum over the lanes before this one, in runs of four lanes; sets *all to the sum over the four. */
FUNC scanrt_u32 four_before(scanrt_u32 own, scanrt_u32 *all) {
  const scanrt_u32 lane = ITEM() % 4;
  scanrt_u32 sum = own, other = scanrt_shuffle_up_u32(sum, 1);
  if (lane >= 1) sum += other;
  other = scanrt_shuffle_up_u32(sum, 2);
  if (lane >= 2) sum += other;
  *all = scanrt_shuffle_from_u32(sum, ITEM() % 32 | 3);
  return sum - own;
}
/* Returns the sum over four lanes side by side. */
FUNC scanrt_u32 four_sum(scanrt_u32 own) {
  own += scanrt_shuffle_xor_u32(own, 1);
  return own + scanrt_shuffle_xor_u32(own, 2);
}

/* Returns how many keys of the digit precede the lane's in the warp, those of this row included; counts the row. */
FUNC scanrt_u32 rank_row(scanrt_u32 counters, scanrt_u32 four_digits) {
  const scanrt_u32 lane = ITEM() % 32, at = counters + four_digits;
  scanrt_u32 alike = ~0u;
  UNROLL
  for (int b = 2; b < 2 + SORT_DIGIT_BITS; b++) {
    const bool has = four_digits >> b & 1;
    const scanrt_u32 others = WARP_BALLOT(has);
    alike &= has ? others : ~others;
  }
  const scanrt_u32 before = scanrt_shared_u32(at), in_row = __popc(alike & ((1u << lane) - 1));
  __syncwarp();
  if (in_row == 0) scanrt_shared_set_u32(at, before + __popc(alike));
  __syncwarp();
  return before + in_row;
}

/* Counts a digit's keys in a quarter of the work-groups: *before in those before this one, *all in all. */
FUNC void count_groups(const cluster_place &place, scanrt_u32 totals, scanrt_u32 part, scanrt_u32 own,
                       scanrt_u32 *before, scanrt_u32 *all) {
  *before = 0;
  *all = place.groups == 1 && part == 0 ? own : 0;
  if (place.groups == 1) return;
  UNROLL
  for (int g = 0; g < SORT_CLUSTER_GROUPS / 4; g++) {
    const scanrt_u32 group = part * (SORT_CLUSTER_GROUPS / 4) + g;
    const scanrt_u32 count = scanrt_cluster_u32(scanrt_cluster_address(totals, group));
    *all += count;
    if (group < place.group) *before += count;
  }
}

/* Finds where digits begin, with four work-items a digit. The warps' counters become the sums of those before. For each
 * digit, stores where it begins in the work-group, and where in the cluster, minus that. Returns true if all keys have
 * the same digit. */
FUNC bool count_cluster(const cluster_place &place, scanrt_u32 pass) {
  const scanrt_u32 digit = ITEM() / 4, part = ITEM() % 4, lane = ITEM() % 32, warp = ITEM() / 32;
  const scanrt_u32 at = place.base + (part * (CLUSTER_WARPS / 4) * CLUSTER_STRIDE + digit) * 4;
  const scanrt_u32 totals = place.base + CLUSTER_AT_TOTALS + (pass % 2 * SORT_DIGITS + digit) * 4;
  scanrt_u32 counts[CLUSTER_WARPS / 4], sum = 0, own, before, all;
  UNROLL
  for (int w = 0; w < CLUSTER_WARPS / 4; w++) {
    counts[w] = scanrt_shared_u32(at + w * CLUSTER_STRIDE * 4);
    sum += counts[w];
  }
  sum = four_before(sum, &own);
  UNROLL
  for (int w = 0; w < CLUSTER_WARPS / 4; w++) {
    scanrt_shared_set_u32(at + w * CLUSTER_STRIDE * 4, sum);
    sum += counts[w];
  }
  if (part == 0) scanrt_shared_set_u32(totals, own);
  if (place.groups > 1) CLUSTER_BARRIER();
  count_groups(place, totals, part, own, &before, &all);
  before = four_sum(before);
  all = four_sum(all);
  /* Scans over the digits, 8 a warp, and over the warps; both sums are in one word. */
  const scanrt_u32 both = all | own << CLUSTER_OWN_SHIFT;
  scanrt_u32 up_to = both;
  UNROLL
  for (int d = 4; d < 32; d *= 2) {
    const scanrt_u32 other = scanrt_shuffle_up_u32(up_to, d);
    if (lane >= d) up_to += other;
  }
  if (lane == 31) scanrt_shared_set_u32(place.base + CLUSTER_AT_SUMS + warp * 4, up_to);
  const bool is_one = BARRIER_ANY(all == place.groups << place.log_keys);
  const scanrt_u32 sums = sum_of_lanes(scanrt_shared_u32(place.base + CLUSTER_AT_SUMS + lane * 4));
  const scanrt_u32 warps = scanrt_shuffle_from_u32(sums, (warp - 1) & 31),
                   digit_starts = (warp ? warps : 0) + up_to - both;
  const scanrt_u32 here = digit_starts >> CLUSTER_OWN_SHIFT,
                   in_cluster = digit_starts & ((1u << CLUSTER_OWN_SHIFT) - 1);
  if (part == 0) {
    scanrt_shared_set_u32(place.base + CLUSTER_AT_OWN + digit * 4, here);
    scanrt_shared_set_u32(place.base + CLUSTER_AT_STARTS + digit * 4, in_cluster + before - here);
  }
  BARRIER();
  return is_one;
}

/* Moves keys and values to slots of the work-group, by digits, and from there to their slots in the cluster. */
FUNC void move_cluster(const cluster_place &place, cluster_tile &t, const scanrt_u32 rank[SORT_CLUSTER_KEYS],
                       onesweep_order order) {
  const scanrt_u32 counters = place.base + ITEM() / 32 * CLUSTER_STRIDE * 4, mask = (1u << place.log_keys) - 1;
  const scanrt_u32 keys = place.base + CLUSTER_AT_SLOTS, values = keys + (KEY_BYTES << place.log_keys);
  const scanrt_u32 own_keys = values + (VALUE_BYTES << place.log_keys);
#if HAS_VALUES
  const scanrt_u32 own_values = own_keys + (KEY_BYTES << place.log_keys);
#endif
  UNROLL
  for (int u = 0; u < SORT_CLUSTER_KEYS; u++) {
    if (u >= place.rows || !place.has_keys) break;
    const scanrt_u32 digit = digit4(t.key[u], order);
    const scanrt_u32 slot =
        rank[u] + scanrt_shared_u32(counters + digit) + scanrt_shared_u32(place.base + CLUSTER_AT_OWN + digit);
    put(own_keys + slot * KEY_BYTES, t.key[u]);
#if HAS_VALUES
    put(own_values + slot * VALUE_BYTES, t.value[u]);
#endif
  }
  BARRIER();
  UNROLL
  for (int u = 0; u < SORT_CLUSTER_KEYS; u++) {
    if (u >= place.rows || !place.has_keys) break;
    const scanrt_u32 slot = place.first + u * 32;
    get(own_keys + slot * KEY_BYTES, &t.key[u]);
    const scanrt_u32 to = slot + scanrt_shared_u32(place.base + CLUSTER_AT_STARTS + digit4(t.key[u], order));
    const scanrt_u32 group = to >> place.log_keys;
    scanrt_cluster_set(scanrt_cluster_address(keys + (to & mask) * KEY_BYTES, group), t.key[u]);
#if HAS_VALUES
    get(own_values + slot * VALUE_BYTES, &t.value[u]);
    scanrt_cluster_set(scanrt_cluster_address(values + (to & mask) * VALUE_BYTES, group), t.value[u]);
#endif
  }
  cluster_barrier(place);
  UNROLL
  for (int u = 0; u < SORT_CLUSTER_KEYS; u++) {
    if (u >= place.rows || !place.has_keys) break;
    const scanrt_u32 slot = place.first + u * 32;
    get(keys + slot * KEY_BYTES, &t.key[u]);
#if HAS_VALUES
    get(values + slot * VALUE_BYTES, &t.value[u]);
#endif
  }
}

/* Loads a work-item's keys and values. Padding keys sort last; their values are undefined. */
FUNC void load_cluster(const cluster_place &place, cluster_tile &t, const void *keys, const void *values,
                       scanrt_u32 count, scanrt_u32 flags, onesweep_order order) {
  const scanrt_u32 from = (place.group << place.log_keys) + place.first, bytes = (order.sign + 1) / 8;
  const onesweep_key last = last_key(order);
  UNROLL
  for (int u = 0; u < SORT_CLUSTER_KEYS; u++) {
    const scanrt_u32 at = from + u * 32;
    const bool is_there = u < place.rows && place.has_keys && at < count;
    t.key[u] = is_there ? flip(load_key((const KEY_T *)keys, at, bytes), order) : last;
#if HAS_VALUES
    t.value[u] = (onesweep_value)at;
    if (is_there && (flags & SORT_INDICES) == 0) t.value[u] = LOAD_STREAM((const onesweep_value *)values + at);
#endif
  }
}

FUNC void store_cluster(const cluster_place &place, const cluster_tile &t, void *keys, void *values, scanrt_u32 count,
                        scanrt_u32 flags, onesweep_order order) {
  const scanrt_u32 to = (place.group << place.log_keys) + place.first, bytes = (order.sign + 1) / 8;
  UNROLL
  for (int u = 0; u < SORT_CLUSTER_KEYS; u++) {
    const scanrt_u32 at = to + u * 32;
    if (u >= place.rows || !place.has_keys || at >= count) continue;
    store_key((KEY_T *)keys, at, flip_back(t.key[u], order), bytes);
#if HAS_VALUES
    store_value((onesweep_value *)values, at, t.value[u], (flags & SORT_WIDE_VALUES) != 0);
#endif
  }
}

FUNC cluster_place place_of(scanrt_u32 base, scanrt_u32 count) {
  const scanrt_u32 warp = ITEM() / 32;
  cluster_place place;
  place.base = base;
  place.group = GROUP();
  place.groups = count <= SORT_CLUSTER_ALONE ? 1 : SORT_CLUSTER_GROUPS;
  place.log_keys = 5;
  NO_UNROLL
  while (place.groups << place.log_keys < count) place.log_keys++;
  place.rows = (1u << place.log_keys) / SORT_CLUSTER_ITEMS;
  if (place.rows == 0) place.rows = 1;
  place.first = warp * place.rows * 32 + ITEM() % 32;
  place.has_keys = place.first < 1u << place.log_keys; /* for all lanes of a warp, or for none */
  return place;
}

extern "C" __global__ void __cluster_dims__(SORT_CLUSTER_GROUPS, 1, 1) __launch_bounds__(SORT_CLUSTER_ITEMS, 1)
    KERNEL_NAME(SORT_NAME(cluster), SCAN_SUFFIX)(PARAMETERS(SORT_ALONE_ARGUMENTS)) {
  DYNAMIC_SHARED(shared);
  const scanrt_u32 count = (scanrt_u32)SORT_N(), warp = ITEM() / 32, lane = ITEM() % 32;
  const scanrt_u32 passes = SORT_PASSES(first_bit, end_bit);
  const cluster_place place = place_of(scanrt_shared_address(shared), count);
  const scanrt_u32 counters = place.base + warp * CLUSTER_STRIDE * 4;
  cluster_tile t;
  NOTE_N_OVERFLOW();
  (void)MEMORY(keys_spare), (void)MEMORY(digits), (void)MEMORY(workspace), (void)MEMORY(values_spare);
  (void)tile_items, (void)pass;
  if (place.group >= place.groups) return;
  load_cluster(place, t, MEMORY(in), MEMORY(values_in), count, flags, onesweep_order_of(flags, first_bit, end_bit, 0));
  NO_UNROLL
  for (scanrt_u32 p = 0; p < passes; p++) {
    const onesweep_order order = onesweep_order_of(flags, first_bit, end_bit, p);
    scanrt_u32 rank[SORT_CLUSTER_KEYS];
    UNROLL
    for (int i = 0; i < SORT_DIGITS / 32; i++) scanrt_shared_set_u32(counters + (i * 32 + lane) * 4, 0);
    __syncwarp();
    UNROLL
    for (int u = 0; u < SORT_CLUSTER_KEYS; u++) {
      if (u >= place.rows || !place.has_keys) break;
      rank[u] = rank_row(counters, digit4(t.key[u], order));
    }
    BARRIER();
    if (!count_cluster(place, p)) move_cluster(place, t, rank, order);
  }
  cluster_barrier(place); /* an output may be its input; and no work-group ends while others read its shared memory */
  store_cluster(place, t, MEMORY(out), MEMORY(values_out), count, flags,
                onesweep_order_of(flags, first_bit, end_bit, 0));
}
#endif
