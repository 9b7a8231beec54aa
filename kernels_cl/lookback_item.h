/* SPDX-License-Identifier: BSD-2-Clause */
/* Look-back by one work-item: it reads one descriptor after another, and reduces a tile itself when the wait for it
 * ends (fallback), which is right only while nobody overwrites the input. */
typedef struct look_state {
  value_t groups; /* the seed and the first `folded` groups */
  scan_u32 folded;
} look_state;

FUNC void look_init(LOCAL tile_scratch *s) { (void)s; }

FUNC void wait_failed(const scan_board *b) { ATOMIC_STORE(b->control + CONTROL_ERROR, 1u); }

FUNC value_t tile_await(const scan_job *job, const scan_board *b, scan_u32 tile, scan_u32 flags, scan_u32 spin_limit) {
  value_t value = IDENTITY;
  if (descriptor_wait(b, b->tiles, tile, &value, spin_limit)) return value;
  if (flags & FLAG_IN_PLACE) {
    wait_failed(b);
    return value;
  }
  value = tile_reduce(job, tile);
  descriptor_put(b->tiles, tile, value, b->epoch);
  return value;
}

/* Tiles [group * 128, group * 128 + count) in the order of the tree. */
FUNC value_t tiles_await(const scan_job *job, const scan_board *b, scan_u32 group, scan_u32 count, scan_u32 flags,
                         scan_u32 spin_limit) {
  scan_prefix p = prefix_start(IDENTITY);
  for (scan_u32 j = 0; j < count; j++) prefix_push(&p, tile_await(job, b, group * GROUP_TILES + j, flags, spin_limit));
  return prefix_value(&p);
}

FUNC void group_publish(const scan_job *job, const scan_board *b, scan_u32 group, LOCAL tile_scratch *s, scan_u32 flags,
                        scan_u32 spin_limit) {
  (void)s;
  descriptor_put(b->groups, group, tiles_await(job, b, group, GROUP_TILES, flags, spin_limit), b->epoch);
}

FUNC value_t look_back(const scan_job *job, const scan_board *b, scan_u32 tile, look_state *look, LOCAL tile_scratch *s,
                       scan_u32 flags, scan_u32 spin_limit) {
  for (; look->folded < tile / GROUP_TILES; look->folded++) {
    value_t total = IDENTITY;
    if (!descriptor_wait(b, b->groups, look->folded, &total, spin_limit)) {
      group_publish(job, b, look->folded, s, flags, spin_limit);
      if (!descriptor_get(b->groups, look->folded, &total, b->epoch)) wait_failed(b);
    }
    look->groups = combine(look->groups, total);
  }
  return combine(look->groups, tiles_await(job, b, tile / GROUP_TILES, tile % GROUP_TILES, flags, spin_limit));
}
