/* SPDX-License-Identifier: BSD-2-Clause */
/* Run-length encoding: the warps that write the first key, the length and the start of each run whose start is listed.
 * The tile stays as it was loaded. A run start gives the length of the run before it. So the tile with a run's end
 * writes its length, and the look-back warp of the last tile writes that of the last run. Included by
 * select_pipelined.cuh. */
#ifndef SCANRT_SELECT_PIPELINED_ENCODE_CUH
#define SCANRT_SELECT_PIPELINED_ENCODE_CUH

/* Writes `count` items from `to` on, by all writers together; make(r) returns item r. Writers write whole lines, and
 * load unconditionally, so that loads overlap. */
template <class T, class MAKE>
FUNC void scanrt_items_write(T *to, scanrt_u32 count, scanrt_u32 writer, const MAKE &make) {
  const scanrt_u32 phase = (scanrt_u32)(ADDRESS(to) / sizeof(T) % 32);
  if (count == 0) return;
  for (scanrt_u32 w = writer * 32; w < phase + count; w += PIPE_WRITERS * 32 * PIPE_LINES) {
    T x[PIPE_LINES];
    UNROLL
    for (scanrt_u32 u = 0; u < PIPE_LINES; u++) {
      const scanrt_u32 r = w + u * PIPE_WRITERS * 32 + ITEM() % 32 - phase;
      x[u] = make(r < count ? r : 0);
    }
    UNROLL
    for (scanrt_u32 u = 0; u < PIPE_LINES; u++) {
      const scanrt_u32 r = w + u * PIPE_WRITERS * 32 + ITEM() % 32 - phase;
      if (r < count) to[r] = x[u];
    }
  }
}

/* Numbers made from the list's elements, from number `from` on: each plus `base`, minus the one before it if is_length
 * is set. `before` stands before the list's first. */
typedef struct scanrt_run_numbers {
  const scanrt_u16 *list;
  scanrt_u32 from, is_length;
  scanrt_u64 base, before;
} scanrt_run_numbers;

template <class T> FUNC T scanrt_run_number(const scanrt_run_numbers &of, scanrt_u32 r) {
  const scanrt_u32 q = of.from + r;
  const T own = (T)of.base + of.list[q];
  if (!of.is_length) return own;
  return own - (q ? (T)of.base + of.list[q - 1] : (T)of.before);
}

/* Writes `count` such numbers from place `at` of an array of 4- or 8-byte numbers. */
FUNC void scanrt_numbers_write(const scanrt_run_numbers &of, unsigned char *to, scanrt_u64 at, scanrt_u32 is_wide,
                               scanrt_u32 count, scanrt_u32 writer) {
  if (is_wide)
    scanrt_items_write((scanrt_u64 *)to + at, count, writer,
                       [&](scanrt_u32 r) { return scanrt_run_number<scanrt_u64>(of, r); });
  else
    scanrt_items_write((scanrt_u32 *)to + at, count, writer,
                       [&](scanrt_u32 r) { return scanrt_run_number<scanrt_u32>(of, r); });
}

/* Writes a tile's lengths: those of the runs that end before its run starts. */
FUNC void scanrt_lengths_write(const scanrt_pipe &p, scanrt_run_numbers of, scanrt_u64 prefix, scanrt_u32 count,
                               scanrt_u32 writer) {
  const scanrt_u32 skipped = prefix == 0 && count > 0; /* no run ends before the first run start of all */
  const scanrt_u64 at = prefix + skipped - 1;
  of.from = skipped, of.is_length = 1;
  scanrt_numbers_write(of, p.lengths, at, p.flags & SELECT_WIDE_LENGTHS,
                       scanrt_fitting(at, count - skipped, p.capacity), writer);
}

/* A tile's runs, for its writers. */
typedef struct scanrt_runs {
  const scanrt_u16 *list;
  const scanrt_mark_t *keys;
  scanrt_u64 first, prefix, before; /* before: the start of the run that the first run start ends */
  scanrt_u32 count;
} scanrt_runs;

/* Writes a tile of many run starts, one output after the other. */
FUNC void scanrt_runs_write(const scanrt_pipe &p, const scanrt_runs &runs, scanrt_u32 writer) {
  const scanrt_u32 there = scanrt_fitting(runs.prefix, runs.count, p.capacity);
  const scanrt_run_numbers numbers = { runs.list, 0, 0, runs.first, runs.before };
  if (p.flags & SELECT_RUN_KEYS)
    scanrt_items_write((scanrt_mark_t *)p.out + runs.prefix, there, writer,
                       [&](scanrt_u32 r) { return runs.keys[runs.list[r]]; });
  if (p.flags & SELECT_RUN_LENGTHS) scanrt_lengths_write(p, numbers, runs.prefix, runs.count, writer);
  if (p.flags & SELECT_RUN_STARTS)
    scanrt_numbers_write(numbers, p.starts, runs.prefix, p.flags & SELECT_WIDE_STARTS, there, writer);
}

FUNC void scanrt_number_put(unsigned char *to, scanrt_u64 at, scanrt_u64 x, scanrt_u32 is_wide) {
  if (is_wide)
    ((scanrt_u64 *)to)[at] = x;
  else
    ((scanrt_u32 *)to)[at] = (scanrt_u32)x;
}

/* Writes the runs of a tile of few run starts: run start r and every `step`th one after it. */
FUNC void scanrt_few_runs_write(const scanrt_pipe &p, const scanrt_runs &runs, scanrt_u32 r, scanrt_u32 step) {
#pragma unroll 2
  for (; r < runs.count; r += step) {
    const scanrt_u32 place = runs.list[r];
    const scanrt_u64 at = runs.prefix + r, run_start = runs.first + place;
    const scanrt_u64 before = r ? runs.first + runs.list[r - 1] : runs.before;
    if (p.flags & SELECT_RUN_KEYS && at < p.capacity) ((scanrt_mark_t *)p.out)[at] = runs.keys[place];
    if (p.flags & SELECT_RUN_LENGTHS && at > 0 && at - 1 < p.capacity)
      scanrt_number_put(p.lengths, at - 1, run_start - before, p.flags & SELECT_WIDE_LENGTHS);
    if (p.flags & SELECT_RUN_STARTS && at < p.capacity)
      scanrt_number_put(p.starts, at, run_start, p.flags & SELECT_WIDE_STARTS);
  }
}

/* The role of a writer. One warp alone writes a tile of very few run starts; the warps take turns with such tiles. */
FUNC void scanrt_role_write(const scanrt_pipe &p, scanrt_u32 writer) {
  const scanrt_u32 lane = ITEM() % 32;
  for (scanrt_pipe_place at = { 0, 0, 0, 0 };; scanrt_place_next(p, at, 1)) {
    const scanrt_u32 tile = scanrt_stage_turn(p, at);
    if (tile >= p.turns) return;
    scanrt_mbarrier_wait(&p.shared->compacted[at.slot], at.phase);
    const scanrt_u32 count = p.shared->count[at.slot], is_alone = count <= TUNE_SELECT_ALONE;
    if (!is_alone || at.turn % PIPE_WRITERS == writer) {
      scanrt_mbarrier_wait(&p.shared->prefixed[at.slot], at.phase);
      const scanrt_runs runs = {
        scanrt_list_of(p, at, count),       (const scanrt_mark_t *)(scanrt_stage_of(p, at) + STAGE_TILE + p.in_shift),
        scanrt_tile_first(p, tile),         p.shared->prefix[at.slot],
        p.shared->last_before[at.slot] - 1, count
      };
      if (count > TUNE_SELECT_FEW)
        scanrt_runs_write(p, runs, writer);
      else
        scanrt_few_runs_write(p, runs, is_alone ? lane : writer * 32 + lane, is_alone ? 32 : PIPE_WRITERS * 32);
    }
    scanrt_warp_arrive(&p.shared->empty[at.slot]);
  }
}
#endif
