/* SPDX-License-Identifier: BSD-2-Clause */
/* Single-pass scan, pipelined (sm_80 and later): one persistent work-group a multiprocessor, tiles of 8 sub-tiles in a
 * ring of shared memory, and a role for each warp, so that no wait of one role holds up another.
 *
 *   producers    wait empty[s]; the first claims a tile               -> claimed[s]; all copy it into stage s ->
 * full[s] reducers     wait full[s], reduce the sub-tiles, publish the tile's aggregate                             ->
 * reduced[s] group total  of a group's last tile: folds the 128 aggregates and publishes the total look-back    waits
 * claimed[s], finds the tile's exclusive prefix, waits reduced[s]                        -> prefixed[s] scanners wait
 * full[s], scan a sub-tile each in registers, wait prefixed[s], store                     -> empty[s]
 *
 * A claimed tile has its stage and is published without waiting for another work-group, so nobody waits in a circle.
 * The order of operations is the canonical one. Included in the namespace of an operator, after lookback_group.h. */
#if VALUE_BYTES == 1
#define PIPE_PRODUCERS 4
#define PIPE_REDUCERS 8
#elif VALUE_BYTES == 8
#define PIPE_PRODUCERS 4
#define PIPE_REDUCERS 4
#else
#define PIPE_PRODUCERS 8
#define PIPE_REDUCERS 4
#endif
#define PIPE_SCANNERS SCAN_SUBTILES
#define PIPE_FIRST_REDUCER (PIPE_PRODUCERS + 2)
#define PIPE_FIRST_SCANNER (PIPE_FIRST_REDUCER + PIPE_REDUCERS)
#define PIPE_ITEMS ((PIPE_FIRST_SCANNER + PIPE_SCANNERS) * 32)
#define PIPE_MOST_STAGES 8
#define PIPE_TILE_BYTES (TILE_ROWS * ROW_VECS * (int)sizeof(raw_t))
#define PIPE_LEAVES (GROUP_TILES / 32)

SHUFFLE(shuffle_xor)

struct pipe_shared {
  scan_u64 claimed[PIPE_MOST_STAGES], full[PIPE_MOST_STAGES], reduced[PIPE_MOST_STAGES], prefixed[PIPE_MOST_STAGES],
      empty[PIPE_MOST_STAGES];
  scan_u32 tile[PIPE_MOST_STAGES];
  value_t sub[PIPE_MOST_STAGES][SCAN_SUBTILES], prefix[PIPE_MOST_STAGES];
};

/* A role's place in the ring. */
struct pipe_place {
  scan_u32 stage, phase, stages;
};

FUNC void pipe_next(pipe_place &at) {
  if (++at.stage < at.stages) return;
  at.stage = 0;
  at.phase ^= 1;
}

/* What all roles need. */
struct pipe {
  scan_job job;
  scan_board board;
  pipe_shared *shared;
  unsigned char *ring;
  scan_u32 flags, spin_limit;
};

/* ---- look-back by one warp ---- */

/* The aggregate of a tile whose owner does not publish it; every lane gets it. */
FUNC value_t warp_rescue(const pipe &p, scan_u32 tile) {
  const scan_u32 lane = ITEM() % 32;
  value_t all = IDENTITY;
  NO_UNROLL
  for (scan_u32 q = 0; q < SCAN_SUBTILES; q++) {
    value_t sub = IDENTITY;
    NO_UNROLL
    for (scan_u32 r = 0; r < SUBTILE_ROWS; r++) {
      const scan_u32 row = q * SUBTILE_ROWS + r;
      value_t x =
          vector_fold(vector_load_guarded(&p.job, tile * TILE_ITEMS + (scan_u64)(row * ROW_VECS + lane) * VEC_ITEMS));
      UNROLL
      for (scan_u32 d = 1; d < 32; d <<= 1) x = combine(x, shuffle_down(x, d));
      sub = combine(sub, shuffle_from(x, 0));
    }
    all = combine(all, sub);
  }
  if (lane == 0) descriptor_put(p.board.tiles, tile, all, p.board.epoch);
  return all;
}

FUNC void pipe_give_up(const pipe &p) { ATOMIC_STORE(p.board.control + CONTROL_ERROR, 1u); }

/* Whether every lane's `missing` is 0, in every lane. */
FUNC scan_u32 nothing_missing(scan_u32 missing) { return __all_sync(~0u, missing == 0); }

/* The tree over the first `count` tiles of a group, in lane 0: each lane holds four consecutive leaves. */
FUNC value_t warp_tiles(const pipe &p, scan_u32 group, scan_u32 count) {
  const scan_u32 lane = ITEM() % 32, first = lane * PIPE_LEAVES;
  value_t leaf[PIPE_LEAVES];
  scan_u32 missing = 0, polls = 0;
  UNROLL
  for (scan_u32 k = 0; k < PIPE_LEAVES; k++) {
    leaf[k] = IDENTITY;
    if (first + k < count) missing |= 1u << k;
  }
  volatile scan_u64 *const words = p.board.tiles + ((scan_u64)group * GROUP_TILES + first) * DESCRIPTOR_WORDS;
  do { /* all words are asked for before the first is looked at: one round trip */
    scan_u64 word[PIPE_LEAVES * DESCRIPTOR_WORDS];
    UNROLL
    for (scan_u32 k = 0; k < PIPE_LEAVES * DESCRIPTOR_WORDS; k++) word[k] = word_load(words + k);
    UNROLL
    for (scan_u32 k = 0; k < PIPE_LEAVES; k++) {
      value_t x;
      const scan_u32 fresh = descriptor_decode(word + k * DESCRIPTOR_WORDS, &x, p.board.epoch);
      if (!fresh || !(missing >> k & 1u)) continue;
      leaf[k] = x;
      missing &= ~(1u << k);
    }
  } while (!nothing_missing(missing) && ++polls < p.spin_limit);
  if (polls >= p.spin_limit) {
    if (p.flags & FLAG_IN_PLACE) {
      pipe_give_up(p);
      missing = 0;
    }
    for (scan_u32 k = 0; k < PIPE_LEAVES; k++)
      for (scan_u32 owner = 0; owner < 32; owner++)
        if (shuffle_from_u32(missing >> k & 1u, owner)) {
          const value_t x = warp_rescue(p, group * GROUP_TILES + owner * PIPE_LEAVES + k);
          if (lane == owner) leaf[k] = x;
        }
  }
  value_t x = combine(combine(leaf[0], leaf[1]), combine(leaf[2], leaf[3]));
  UNROLL
  for (scan_u32 d = 1; d < 32; d <<= 1) x = combine(x, shuffle_down(x, d));
  return x;
}

FUNC void warp_publish_group(const pipe &p, scan_u32 group) {
  const value_t total = warp_tiles(p, group, GROUP_TILES);
  if (ITEM() % 32 == 0) descriptor_put(p.board.groups, group, total, p.board.epoch);
  __syncwarp();
}

/* Folds the totals of the groups before `group`; 32 of them are read at once. */
FUNC void warp_groups(const pipe &p, scan_u32 group, look_state &look) {
  const scan_u32 lane = ITEM() % 32;
  while (look.folded < group) {
    const scan_u32 count = group - look.folded < 32 ? group - look.folded : 32;
    value_t total = IDENTITY;
    scan_u32 missing =
        lane < count && !descriptor_wait(&p.board, p.board.groups, look.folded + lane, &total, p.spin_limit);
    if (!nothing_missing(missing)) {
      for (scan_u32 q = 0; q < count; q++)
        if (shuffle_from_u32(missing, q)) warp_publish_group(p, look.folded + q);
      if (missing && !descriptor_get(p.board.groups, look.folded + lane, &total, p.board.epoch)) pipe_give_up(p);
    }
    for (scan_u32 q = 0; q < count; q++) look.groups = combine(look.groups, shuffle_from(total, q));
    look.folded += count;
  }
}

/* ---- roles ---- */

/* One warp's part of a tile, 16 bytes a lane and turn. */
FUNC void produce_part(const pipe &p, const pipe_place &at, scan_u32 tile, scan_u32 part) {
  const scan_u32 lane = ITEM() % 32;
  const int turns = PIPE_TILE_BYTES / 512 / PIPE_PRODUCERS;
  const scan_u32 offset = part * turns * 512 + lane * 16;
  unsigned char *to = p.ring + at.stage * PIPE_TILE_BYTES + offset;
  const scan_u64 first = tile * TILE_ITEMS;
  if (ADDRESS(p.job.in) % 16 == 0 && first + TILE_ITEMS <= p.job.n) {
    const char *from = (const char *)(p.job.in + first) + offset;
    UNROLL
    for (int i = 0; i < turns; i++) async_copy16(to + i * 512, from + i * 512);
    async_arrive(&p.shared->full[at.stage]);
    return;
  }
  const int items = 16 / INPUT_BYTES;
  for (int i = 0; i < turns; i++) {
    const scan_u64 index = first + (offset + i * 512) / INPUT_BYTES;
    union {
      uint4 raw;
      input_t x[16 / INPUT_BYTES];
    } v;
    UNROLL
    for (int k = 0; k < items; k++) v.x[k] = index + k < p.job.n ? p.job.in[index + k] : (input_t)IDENTITY;
    *(uint4 *)(to + i * 512) = v.raw;
  }
  mbarrier_arrive(&p.shared->full[at.stage]);
}

/* The first producer; returns how many tiles it claimed. */
FUNC scan_u32 role_claim(const pipe &p, pipe_place at) {
  scan_u32 done = 0;
  for (;; pipe_next(at), done++) {
    scan_u32 tile = 0;
    mbarrier_wait(&p.shared->empty[at.stage], at.phase ^ 1);
    if (ITEM() % 32 == 0) {
      tile = ATOMIC_ADD(p.board.control + CONTROL_TICKET, 1u);
      p.shared->tile[at.stage] = tile;
      mbarrier_arrive(&p.shared->claimed[at.stage]);
    }
    tile = shuffle_from_u32(tile, 0);
    if (tile >= p.job.tiles) return done;
    produce_part(p, at, tile, 0);
  }
}

/* The tile in a stage; a number past the last one ends the role. */
FUNC scan_u32 stage_tile(const pipe &p, const pipe_place &at) {
  mbarrier_wait(&p.shared->claimed[at.stage], at.phase);
  return p.shared->tile[at.stage];
}

FUNC void stage_leave(const pipe &p, const pipe_place &at) {
  __syncwarp();
  if (ITEM() % 32 == 0) mbarrier_arrive(&p.shared->empty[at.stage]);
}

FUNC void role_produce(const pipe &p, pipe_place at, scan_u32 part) {
  for (;; pipe_next(at)) {
    const scan_u32 tile = stage_tile(p, at);
    if (tile >= p.job.tiles) return;
    produce_part(p, at, tile, part);
    stage_leave(p, at);
  }
}

FUNC void role_look_back(const pipe &p, pipe_place at, value_t seed) {
  look_state look;
  look.groups = seed;
  look.folded = 0;
  for (;; pipe_next(at)) {
    const scan_u32 tile = stage_tile(p, at);
    if (tile >= p.job.tiles) return;
    warp_groups(p, tile / GROUP_TILES, look);
    const value_t before = warp_tiles(p, tile / GROUP_TILES, tile % GROUP_TILES);
    mbarrier_wait(&p.shared->reduced[at.stage], at.phase); /* the scanners find sub[] complete */
    if (ITEM() % 32 == 0) {
      p.shared->prefix[at.stage] = combine(look.groups, before);
      mbarrier_arrive(&p.shared->prefixed[at.stage]);
    }
    stage_leave(p, at);
  }
}

FUNC void role_group_total(const pipe &p, pipe_place at) {
  for (;; pipe_next(at)) {
    const scan_u32 tile = stage_tile(p, at);
    if (tile >= p.job.tiles) return;
    if (tile % GROUP_TILES == GROUP_TILES - 1) warp_publish_group(p, tile / GROUP_TILES);
    stage_leave(p, at);
  }
}

FUNC const raw_t *stage_rows(const pipe &p, const pipe_place &at, scan_u32 sub) {
  return (const raw_t *)(p.ring + at.stage * PIPE_TILE_BYTES) + sub * SUBTILE_ROWS * ROW_VECS + ITEM() % 32;
}

/* The trees over eight rows at once: each step halves the rows that a lane keeps, so that 9 exchanges do for 8 trees.
 * Lane l ends with the total of row 4 * bit 0 + 2 * bit 1 + bit 2 of l; the rows are then folded left to right. */
FUNC value_t rows_fold(value_t (&x)[SUBTILE_ROWS]) {
  const scan_u32 lane = ITEM() % 32;
  UNROLL
  for (int half = SUBTILE_ROWS / 2, d = 1; half > 0; half >>= 1, d <<= 1) {
    UNROLL
    for (int i = 0; i < half; i++) {
      const value_t keep = lane & d ? x[i + half] : x[i], give = lane & d ? x[i] : x[i + half];
      const value_t other = shuffle_xor(give, d);
      x[i] = lane & d ? combine(other, keep) : combine(keep, other);
    }
  }
  UNROLL
  for (int d = 8; d < 32; d <<= 1) {
    const value_t other = shuffle_xor(x[0], d);
    x[0] = lane & d ? combine(other, x[0]) : combine(x[0], other);
  }
  value_t sub = IDENTITY;
  UNROLL
  for (int r = 0; r < SUBTILE_ROWS; r++) sub = combine(sub, shuffle_from(x[0], (r >> 2 & 1) | (r & 2) | (r & 1) << 2));
  return sub;
}

FUNC void role_reduce(const pipe &p, pipe_place at, scan_u32 reducer) {
  for (;; pipe_next(at)) {
    const scan_u32 tile = stage_tile(p, at);
    if (tile >= p.job.tiles) return;
    mbarrier_wait(&p.shared->full[at.stage], at.phase);
    for (scan_u32 q = reducer; q < SCAN_SUBTILES; q += PIPE_REDUCERS) {
      const raw_t *rows = stage_rows(p, at, q);
      value_t x[SUBTILE_ROWS];
      UNROLL
      for (int r = 0; r < SUBTILE_ROWS; r++) x[r] = vector_fold(rows[r * ROW_VECS]);
      const value_t sub = rows_fold(x);
      if (ITEM() % 32 == 0) p.shared->sub[at.stage][q] = sub;
    }
    asm volatile("bar.sync 1, %0;" ::"n"(PIPE_REDUCERS * 32) : "memory");
    if (reducer == 0 && ITEM() % 32 == 0) {
      value_t all = IDENTITY;
      UNROLL
      for (int q = 0; q < SCAN_SUBTILES; q++) all = combine(all, p.shared->sub[at.stage][q]);
      if (PUBLISHES(tile)) descriptor_put(p.board.tiles, tile, all, p.board.epoch);
      mbarrier_arrive(&p.shared->reduced[at.stage]);
      mbarrier_arrive(&p.shared->empty[at.stage]);
    }
  }
}

FUNC void row_put(const scan_job &job, scan_u64 first, raw_t raw, value_t acc, scan_u32 whole) {
  input_vector v;
  output_vector o;
  v.raw = raw;
  UNROLL
  for (scan_u32 k = 0; k < VEC_ITEMS; k++) {
    const value_t next = combine(acc, (value_t)v.x[k]);
    o.x[k] = job.inclusive ? next : acc;
    acc = next;
  }
  if (whole) {
    STORE_STREAM((scan_raw16 *)(job.out + first), o.raw);
    return;
  }
  UNROLL
  for (scan_u32 k = 0; k < VEC_ITEMS; k++)
    if (first + k < job.n) job.out[first + k] = o.x[k];
}

FUNC void role_scan(const pipe &p, pipe_place at, scan_u32 sub) {
  const scan_u32 lane = ITEM() % 32;
  for (;; pipe_next(at)) {
    const scan_u32 tile = stage_tile(p, at);
    if (tile >= p.job.tiles) return;
    mbarrier_wait(&p.shared->full[at.stage], at.phase);
    const raw_t *rows = stage_rows(p, at, sub);
    raw_t raw[SUBTILE_ROWS];
    value_t before[SUBTILE_ROWS], row_before = IDENTITY, sub_before = IDENTITY;
    UNROLL
    for (int r = 0; r < SUBTILE_ROWS; r++) raw[r] = rows[r * ROW_VECS];
    UNROLL
    for (int r = 0; r < SUBTILE_ROWS; r++) {
      value_t x = vector_fold(raw[r]);
      UNROLL
      for (scan_u32 d = 1; d < 32; d <<= 1) {
        const value_t y = shuffle_up(x, d);
        x = lane >= d ? combine(y, x) : x;
      }
      const value_t y = shuffle_up(x, 1);
      before[r] = combine(row_before, lane ? y : IDENTITY);
      row_before = combine(row_before, shuffle_from(x, 31));
    }
    mbarrier_wait(&p.shared->prefixed[at.stage], at.phase);
    const value_t prefix = p.shared->prefix[at.stage];
    for (scan_u32 q = 0; q < sub; q++) sub_before = combine(sub_before, p.shared->sub[at.stage][q]);
    stage_leave(p, at);
    const scan_u64 first = tile * TILE_ITEMS + (scan_u64)(sub * SUBTILE_ROWS * ROW_VECS + lane) * VEC_ITEMS;
    const scan_u32 whole = p.job.vectors_out && (tile + (scan_u64)1) * TILE_ITEMS <= p.job.n;
    UNROLL
    for (int r = 0; r < SUBTILE_ROWS; r++)
      row_put(p.job, first + r * ROW_ITEMS, raw[r], combine(prefix, combine(sub_before, before[r])), whole);
  }
}

extern "C" __global__ void __launch_bounds__(PIPE_ITEMS, 1) KERNEL_NAME(scan_pipelined, SCAN_SUFFIX)(SCAN_PARAMETERS) {
  extern __shared__ __align__(128) unsigned char pipe_ring[];
  __shared__ pipe_shared shared;
  __shared__ scan_u32 done;
  const scan_u32 warp = ITEM() / 32;
  const pipe p = { JOB(), board_open(workspace, tile_capacity), &shared, pipe_ring, flags, spin_limit };
  const pipe_place start = { 0, 0,
                             dynamic_shared_bytes() / PIPE_TILE_BYTES < PIPE_MOST_STAGES
                                 ? dynamic_shared_bytes() / PIPE_TILE_BYTES
                                 : PIPE_MOST_STAGES };
  if (ITEM() == 0) {
    for (scan_u32 s = 0; s < start.stages; s++) {
      mbarrier_init(&shared.claimed[s], 1);
      mbarrier_init(&shared.full[s], 32 * PIPE_PRODUCERS);
      mbarrier_init(&shared.reduced[s], 1);
      mbarrier_init(&shared.prefixed[s], 1);
      mbarrier_init(&shared.empty[s], PIPE_SCANNERS + 3 + PIPE_PRODUCERS - 1);
    }
  }
  BARRIER();
  if (warp == 0) {
    const scan_u32 claimed = role_claim(p, start);
    if (ITEM() == 0) done = claimed;
  } else if (warp < PIPE_PRODUCERS) {
    role_produce(p, start, warp);
  } else if (warp == PIPE_PRODUCERS) {
    role_look_back(p, start, BITS_VALUE(seed_bits));
  } else if (warp == PIPE_PRODUCERS + 1) {
    role_group_total(p, start);
  } else if (warp < PIPE_FIRST_SCANNER) {
    role_reduce(p, start, warp - PIPE_FIRST_REDUCER);
  } else {
    role_scan(p, start, warp - PIPE_FIRST_SCANNER);
  }
  BARRIER();
  if (ITEM() == 0) board_close(&p.board, done, p.job.tiles);
}
