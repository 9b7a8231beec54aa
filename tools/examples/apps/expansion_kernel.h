/* SPDX-License-Identifier: BSD-2-Clause */
/* A level of a breadth-first search in one launch. CUDA C++ and OpenCL C, behind scanrt/device/lookback.h.
 *
 * A work-group takes EXPANSION_EACH vertices a work-item. Those of the frontier, whose level is the launch's, get
 * places in the queue: after all earlier levels, in the order of their numbers. Then the work-group shares their edges
 * out: a scan of degrees says where each vertex's edges begin, and a work-item finds its edges' vertices by bisection.
 * A neighbour without a level gets the next one; all that write to it write the same number, so that nothing is atomic,
 * and results are the same in each run. */

#define EXPANSION_VERTICES (SCANRT_GROUP_ITEMS * EXPANSION_EACH)
#define EXPANSION_UNSEEN 0xffffffffu
/* Edges that a work-item has on their way at once. */
#define EXPANSION_BATCH 8

typedef scanrt_device_u32 u32;

typedef struct expansion_local {
  scanrt_scratch scratch;
  u32 frontier[EXPANSION_VERTICES];
  u32 start[SCANRT_GROUP_ITEMS]; /* of each vertex in turn: the number of its first edge in the work-group's turn */
  u32 shift[SCANRT_GROUP_ITEMS]; /* what to add to that for a place in the list of neighbours */
} expansion_local;

/* now: for launches of parity 0 and 1 each the level, and the vertices of the levels before. */
SCANRT_KERNEL expansion_start(SCANRT_GLOBAL u32 *level, SCANRT_GLOBAL u32 *now, u32 padded, u32 source) {
  for (u32 v = APP_ITEM; v < padded; v += APP_ITEMS) level[v] = v == source ? 0 : EXPANSION_UNSEEN;
  if (APP_ITEM < 4) now[APP_ITEM] = 0;
}

/* Finds the last vertex of the turn whose edges begin at e or before. */
SCANRT_FUNC u32 expansion_vertex_of(SCANRT_LOCAL const expansion_local *l, u32 e) {
  u32 low = 0;
  SCANRT_UNROLL
  for (u32 step = 512; step > 0; step /= 2)
    if (low + step < SCANRT_GROUP_ITEMS && l->start[low + step] <= e) low += step;
  return low;
}

/* Visits edges 0 to edges - 1 of the turn. `other` is a vertex that has a level. */
SCANRT_FUNC void expansion_visit(SCANRT_GLOBAL const u32 *neighbour, SCANRT_GLOBAL u32 *level, u32 next, u32 edges,
                                 u32 other, SCANRT_LOCAL const expansion_local *l) {
  for (u32 e = SCANRT_ITEM(); e < edges; e += EXPANSION_BATCH * SCANRT_GROUP_ITEMS) {
    u32 to[EXPANSION_BATCH], was[EXPANSION_BATCH];
    SCANRT_UNROLL
    for (u32 b = 0; b < EXPANSION_BATCH; b++) {
      const u32 edge = e + b * SCANRT_GROUP_ITEMS;
      to[b] = edge < edges ? neighbour[l->shift[expansion_vertex_of(l, edge)] + edge] : other;
    }
    SCANRT_UNROLL
    for (u32 b = 0; b < EXPANSION_BATCH; b++) was[b] = level[to[b]];
    SCANRT_UNROLL
    for (u32 b = 0; b < EXPANSION_BATCH; b++)
      if (was[b] == EXPANSION_UNSEEN) level[to[b]] = next;
  }
}

/* level: padded to whole work-groups' vertices. queue: memory for as many numbers as there are vertices. */
SCANRT_KERNEL expansion_level(SCANRT_GLOBAL const u32 *offset, SCANRT_GLOBAL const u32 *neighbour,
                              SCANRT_GLOBAL u32 *level, SCANRT_GLOBAL u32 *queue, SCANRT_GLOBAL u32 *now, u32 parity,
                              scanrt_state state) {
  SCANRT_SHARED expansion_local l;
  const u32 item = SCANRT_ITEM(), ticket = scanrt_ticket(state, &l.scratch);
  const u32 depth = now[2 * parity], base = now[2 * parity + 1];
  const u32 first = ticket * EXPANSION_VERTICES + item * EXPANSION_EACH;
  u32 mine = 0;
#if EXPANSION_EACH % 4 == 0
  SCANRT_UNROLL
  for (u32 k = 0; k < EXPANSION_EACH; k += 4) {
    const uint4 levels = ((SCANRT_GLOBAL const uint4 *)level)[(first + k) / 4];
    mine |= ((u32)(levels.x == depth) | (u32)(levels.y == depth) << 1 | (u32)(levels.z == depth) << 2 |
             (u32)(levels.w == depth) << 3)
            << k;
  }
#else
  SCANRT_UNROLL
  for (u32 k = 0; k < EXPANSION_EACH; k++) mine |= (u32)(level[first + k] == depth) << k;
#endif
  const scanrt_place at = scanrt_allocate(state, ticket, APP_POPCOUNT(mine), &l.scratch);
  const u32 size = at.group_count;
  if (!at.is_valid) return;
  if (ticket == SCANRT_GROUPS() - 1 && item == 0) {
    now[2 * (1 - parity)] = depth + 1;
    now[2 * (1 - parity) + 1] = base + (u32)at.group_first + size;
  }
  for (u32 k = (u32)(at.first - at.group_first); mine != 0; mine &= mine - 1, k++)
    l.frontier[k] = first + 31 - APP_CLZ(mine & (0u - mine));
  SCANRT_BARRIER();
  for (u32 turn = 0; turn < size; turn += SCANRT_GROUP_ITEMS) {
    u32 begin = 0, degree = 0;
    if (turn + item < size) {
      const u32 v = l.frontier[turn + item];
      queue[base + (u32)at.group_first + turn + item] = v;
      begin = offset[v];
      degree = offset[v + 1] - begin;
    }
    const u32 start = scanrt_exclusive_count(degree, 0u, &l.scratch.count);
    const u32 edges = scanrt_total_count(&l.scratch.count);
    l.start[item] = start;
    l.shift[item] = begin - start;
    SCANRT_BARRIER();
    expansion_visit(neighbour, level, depth + 1, edges, l.frontier[turn], &l);
  }
}
