/* SPDX-License-Identifier: BSD-2-Clause */
#include "device/host/scan/segment_parts.h"

#include "device/host/host_parts.h"
#include "device/host/scan/segment_tiles.h"

/* The value of a tile, of up to 8 bytes. */
typedef struct tile_value {
  _Alignas(8) uint8_t bytes[8];
  uint32_t there; /* as in `value` */
} tile_value;

/* The value before a tile: the aggregate of the tile before, if a segment begins in it, else the running prefix. */
typedef struct tiles_prefix {
  tile_value last; /* there == 0: the running prefix precedes the tile */
  running running;
} tiles_prefix;

/* DIRECT_ITEMS: elements of a range (segment_folds.h), whose places are counted by 32 bits. */
enum { DIRECT_ITEMS = 1 << 30 };
/* PIECE_LEAST_ITEMS: the caller reads what helpers leave of each piece, and exchanges lines of the cache for it. */
enum { PIECE_BYTES = HOST_LANES_BYTES / HOST_PART_PIECES, PIECE_LEAST_ITEMS = 1 << 14 };
enum { PIECE_TILES = (PIECE_BYTES - sizeof(tiles_prefix) - sizeof(segment_open) - 64) / sizeof(tile_value) };

/* A piece of a part. The tiles before the first one in which a segment begins depend on what precedes the piece. */
typedef struct segments_piece {
  uint64_t leading, open_after; /* number of those tiles, and of those before the open result */
  segment_open open;
  int has_prefix;      /* 1: a segment begins in the piece */
  tiles_prefix prefix; /* after the piece; undefined without has_prefix */
  tile_value tiles[PIECE_TILES];
} segments_piece;
_Static_assert(sizeof(segments_piece) <= PIECE_BYTES, "a piece does not fit into the lanes of its part");

typedef struct parts_work {
  segments_work work; /* the caller's */
  uint8_t *thread_scratch;
  uint64_t first, end, piece_tiles; /* tiles of a round */
  tiles_prefix before;              /* the value before the round */
  host_parts parts;
} parts_work;

/* The state of a thread from piece to piece. */
typedef struct parts_thread {
  segments_work work;
  uint64_t next, segment; /* the tile after the last one, and its first segment */
  int has_prefix;         /* 1: the next tile's prefix is known */
  tiles_prefix prefix;
} parts_thread;

/* ---- tiles ---- */

/* Advances the prefix past a tile. */
static void push_tile(const job *j, tiles_prefix *p, uint64_t tile, const value *aggregate) {
  const value none = { .there = 0 };
  if (aggregate->there & STARTS_WITHIN) {
    memcpy(p->last.bytes, aggregate->bytes, sizeof p->last.bytes);
    p->last.there = aggregate->there;
    return;
  }
  if (p->last.there) {
    value sum = { .there = p->last.there };
    memcpy(sum.bytes, p->last.bytes, sizeof p->last.bytes);
    prefix_start(&p->running, &none);
    p->running.tile = (uint32_t)((tile - 1) % CANON_GROUP_TILES);
    prefix_push(j, &p->running, &sum);
    p->last.there = 0;
  }
  prefix_push(j, &p->running, aggregate);
}

static void prefix_of(const job *j, const tiles_prefix *p, value *before) {
  before->there = p->last.there;
  if (p->last.there)
    memcpy(before->bytes, p->last.bytes, sizeof p->last.bytes);
  else
    prefix_value(j, &p->running, before);
}

static void copy_prefix(tiles_prefix *to, const tiles_prefix *from) {
  to->last = from->last;
  if (!from->last.there) to->running = from->running;
}

/* Completes the result of the segment that began before the tile. */
static void finish_open(const segments_work *w, const segment_open *open, const tiles_prefix *prefix) {
  const job *j = &w->job;
  const uint64_t none[1] = { 0 };
  uint8_t *const to = w->results.to + open->segment * w->results.bytes;
  value sum, x = { .there = 1 };
  prefix_of(j, prefix, &sum);
  memcpy(x.bytes, open->before, sizeof open->before);
  if (open->has_before) append(j, &sum, &x);
  for (uint64_t i = open->first; i < open->end; i++) {
    mapped(j, i, &x);
    append(j, &sum, &x);
  }
  scan_host_show_nans(j, sum.bytes, 1);
  if (w->results.emit != NULL)
    w->results.emit(sum.bytes, sum.bytes, none, 0, to, NULL);
  else
    memcpy(to, sum.bytes, w->results.bytes);
}

/* Writes the results of the segments that end in the tile, but for that of a segment from before it whose prefix takes
 * more than one addition. `last`: the aggregate of the tile before, if a segment begins in it. */
static void fold_tile(const segments_work *w, segments_tile *t, const tile_value *last, segment_open *open,
                      value *aggregate) {
  const uint64_t most = w->fold_items;
  segment_state state = { .next = t->first, .has_prefix = last != NULL };
  if (last != NULL) memcpy(state.prefix, last->bytes, sizeof state.prefix);
  for (uint64_t i = t->begin; i < t->end; i += most) {
    const uint32_t n = (uint32_t)(t->end - i < most ? t->end - i : most);
    w->fold(&w->list, &w->results, scan_host_values(&w->job, i, n, w->values), i, n, &state);
  }
  t->last = state.next;
  *open = state.open;
  memcpy(aggregate->bytes, state.before, sizeof state.before);
  aggregate->there = (uint32_t)state.has_before | (state.begins_within ? (uint32_t)STARTS_WITHIN : 0);
}

/* ---- pieces ---- */

/* Folds a tile. Without a piece its prefix is known. */
static void do_tile(parts_thread *thread, segments_piece *piece, uint64_t tile) {
  const segments_work *w = &thread->work;
  const int is_known = piece == NULL || thread->has_prefix;
  tiles_prefix *prefix = &thread->prefix;
  segments_tile t = { .first = thread->segment };
  segment_open open = { .end = 0 };
  value aggregate;
  scan_segments_tile_open(w, tile, &t);
  if (!scan_segments_tile_by_elements(w, &t, &aggregate))
    fold_tile(w, &t, is_known && prefix->last.there ? &prefix->last : NULL, &open, &aggregate);
  thread->segment = t.last;
  if (open.end != 0) {
    if (is_known)
      finish_open(w, &open, prefix);
    else
      piece->open = open, piece->open_after = piece->leading;
  }
  if (is_known || aggregate.there & STARTS_WITHIN) {
    push_tile(&w->job, prefix, tile, &aggregate);
    thread->has_prefix = 1;
    return;
  }
  tile_value *const leading = &piece->tiles[piece->leading++];
  memcpy(leading->bytes, aggregate.bytes, sizeof leading->bytes);
  leading->there = aggregate.there;
}

/* Goes to tile `first`, if that is not the next one anyway. */
static void seek(parts_thread *thread, const tiles_prefix *before, uint64_t first) {
  const segments_work *w = &thread->work;
  if (thread->next == first) return;
  thread->segment = first == 0 ? 0 : scan_segments_find(w, 0, first * w->job.tile_items);
  thread->has_prefix = before != NULL;
  if (before != NULL) copy_prefix(&thread->prefix, before);
}

/* Sets the prefix before a tile: the tile before has the first element of each segment that goes on. */
static void find_prefix(parts_thread *thread, uint64_t tile) {
  const segments_work *w = &thread->work;
  segments_tile t = { .first = thread->segment };
  segment_open open;
  value aggregate;
  scan_segments_tile_open(w, tile - 1, &t);
  fold_tile(w, &t, NULL, &open, &aggregate);
  memcpy(thread->prefix.last.bytes, aggregate.bytes, sizeof thread->prefix.last.bytes);
  thread->prefix.last.there = 1 | STARTS_WITHIN;
  thread->has_prefix = 1;
}

/* 1 if w->direct handles the next segment, and elements are no segments by themselves. */
static int is_direct(const segments_work *w, uint64_t i, uint64_t tile) {
  const uint64_t items = w->job.tile_items, dense = i + items - 1;
  if (w->direct == NULL || i >= w->list.count) return 0;
  if (dense < w->list.count && scan_segments_end(w, dense) <= (tile + 1) * items) return 0;
  return scan_segments_end(w, i) / items <= segment_offset(w->list.begins, 0, i) / items + 1;
}

/* Handles segments without tiles, up to one that reaches over more than two. Returns the first tile that is left. */
static uint64_t do_segments(parts_thread *thread, uint64_t first, uint64_t end) {
  const segments_work *w = &thread->work;
  const uint64_t items = w->job.tile_items, most = first + DIRECT_ITEMS / items, stop = end < most ? end : most;
  const segment_range range = {
    .least = 0, .first = first * items, .end = stop < w->job.tiles ? stop * items : w->job.n, .tile_items = items
  };
  const uint64_t left = w->direct(&w->list, &w->results, w->elements, thread->segment, &range);
  const uint64_t begun = left < w->list.count ? segment_offset(w->list.begins, 0, left) / items + 1 : stop;
  const uint64_t tile = begun < stop ? begun : stop;
  if (left == thread->segment || tile <= first) return first;
  thread->segment = left;
  find_prefix(thread, tile);
  return tile;
}

/* Folds tiles `first` up to, without it, `end`. `before`: the value before them, if it is known. */
static void do_tiles(parts_thread *thread, segments_piece *piece, const tiles_prefix *before, uint64_t first,
                     uint64_t end) {
  seek(thread, before, first);
  for (uint64_t tile = first; tile < end;) {
    if (is_direct(&thread->work, thread->segment, tile)) tile = do_segments(thread, tile, end);
    if (tile < end) do_tile(thread, piece, tile++);
  }
  thread->next = end;
}

static segments_piece *piece_of(const parts_work *all, uint32_t number) {
  const uint32_t pieces = all->parts.part_pieces;
  return (void *)(all->thread_scratch + (size_t)(number / pieces) * HOST_SCRATCH_BYTES +
                  (size_t)(number % pieces) * PIECE_BYTES);
}

static void do_pieces(void *state, host_thread *me) {
  parts_work *all = state;
  parts_thread thread;
  uint32_t passed = 0;
  scan_host_parts_prefetch(&all->parts, me);
  scan_segments_work_copy(&all->work, me, &thread.work);
  thread.next = UINT64_MAX;
  for (uint32_t number; scan_host_parts_claim(&all->parts, me, &passed, &number);) {
    const uint64_t first = all->first + number * all->piece_tiles, left = first < all->end ? all->end - first : 0;
    segments_piece *const piece = piece_of(all, number);
    piece->leading = piece->open_after = 0;
    piece->open.end = 0;
    if (left != 0)
      do_tiles(&thread, piece, number == 0 ? &all->before : NULL, first,
               first + (left < all->piece_tiles ? left : all->piece_tiles));
    piece->has_prefix = left != 0 && thread.has_prefix;
    if (piece->has_prefix) copy_prefix(&piece->prefix, &thread.prefix);
  }
}

/* Completes the open results of a round, and advances all->before past it. */
static void join_pieces(parts_work *all) {
  const segments_work *w = &all->work;
  tiles_prefix *const before = &all->before;
  for (uint32_t number = 0; number < scan_host_parts_pieces(&all->parts); number++) {
    const segments_piece *piece = piece_of(all, number);
    for (uint64_t k = 0; k <= piece->leading; k++) {
      if (piece->open.end != 0 && piece->open_after == k) finish_open(w, &piece->open, before);
      if (k == piece->leading) break;
      value aggregate = { .there = piece->tiles[k].there };
      memcpy(aggregate.bytes, piece->tiles[k].bytes, sizeof piece->tiles[k].bytes);
      push_tile(&w->job, before, all->first + number * all->piece_tiles + k, &aggregate);
    }
    if (piece->has_prefix) copy_prefix(before, &piece->prefix);
  }
}

static void prefix_open(const host_task *task, tiles_prefix *prefix) {
  scan_source_prefix_start(task, &prefix->running);
  prefix->last.there = 0;
}

static uint32_t part_pieces(const job *j, unsigned threads) {
  const uint64_t most = j->n / threads / PIECE_LEAST_ITEMS;
  return most == 0 ? 1 : most < HOST_PART_PIECES ? (uint32_t)most : HOST_PART_PIECES;
}

void scan_segment_parts_run(host_pool *pool, unsigned threads, host_task *task) {
  const host_thread caller = { .pool = pool };
  parts_work all;
  const job *j = &all.work.job;
  all.thread_scratch = task->thread_scratch;
  prefix_open(task, &all.before);
  scan_segments_work_open(task, &caller, &all.work);
  for (all.first = 0; all.first < j->tiles; all.first = all.end) {
    scan_host_parts_open(&all.parts, threads, part_pieces(j, threads));
    const uint64_t pieces = scan_host_parts_pieces(&all.parts), left = j->tiles - all.first;
    const uint64_t share = (left - 1) / pieces + 1;
    all.piece_tiles = share < PIECE_TILES ? share : PIECE_TILES;
    all.end = left < pieces * all.piece_tiles ? j->tiles : all.first + pieces * all.piece_tiles;
    scan_host_pool_run(pool, threads, do_pieces, &all);
    join_pieces(&all);
  }
}

void scan_segment_parts_alone(host_task *task, host_thread *me) {
  parts_thread thread;
  tiles_prefix before;
  prefix_open(task, &before);
  scan_segments_work_open(task, me, &thread.work);
  thread.next = UINT64_MAX;
  do_tiles(&thread, NULL, &before, 0, thread.work.job.tiles);
}
