/* SPDX-License-Identifier: BSD-2-Clause */
/* Values from source as arrays of their members, and the operator on them, for tile_item_source.h. */
#ifndef SCANRT_CL_TILE_MEMBERS_H
#define SCANRT_CL_TILE_MEMBERS_H

#include "lib/tile.h"

/* A value in members of one size, which lie side by side with those of other values. A struct that is
 * passed to a function may become a small vector, which compilers do not widen. */
#if SCAN_SOURCE_MEMBER == 8
typedef scanrt_u64 scanrt_member_t;
#elif SCAN_SOURCE_MEMBER == 4
typedef scanrt_u32 scanrt_member_t;
#elif SCAN_SOURCE_MEMBER == 2
typedef scanrt_u16 scanrt_member_t;
#else
typedef scanrt_u8 scanrt_member_t;
#endif
#define MEMBERS (VALUE_BYTES / SCAN_SOURCE_MEMBER)
typedef union scanrt_members {
  scanrt_bare_t v;
  scanrt_member_t member[MEMBERS];
} scanrt_members;

/* Applies DO to each member, without a loop if there are few: compilers turn a loop that copies into whole words
 * again. */
#if MEMBERS == 1
#define EACH_MEMBER(DO) DO(0)
#elif MEMBERS == 2
#define EACH_MEMBER(DO) DO(0) DO(1)
#elif MEMBERS == 3
#define EACH_MEMBER(DO) DO(0) DO(1) DO(2)
#elif MEMBERS == 4
#define EACH_MEMBER(DO) DO(0) DO(1) DO(2) DO(3)
#else
#define EACH_MEMBER(DO)                                                                                                \
  UNROLL                                                                                                               \
  for (scanrt_u32 w = 0; w < MEMBERS; w++) DO(w)
#endif

/* Reads value i of an array of members that holds `count` values. */
FUNC void scanrt_members_get(scanrt_members *x, const scanrt_member_t *array, scanrt_u32 count, scanrt_u32 i) {
#define GET(w) x->member[w] = array[(w)*count + i];
  EACH_MEMBER(GET)
#undef GET
}
/* Writes value i of an array of members that holds `count` values. */
FUNC void scanrt_members_put(scanrt_member_t *array, scanrt_u32 count, scanrt_u32 i, const scanrt_members *x) {
#define PUT(w) array[(w)*count + i] = x->member[w];
  EACH_MEMBER(PUT)
#undef PUT
}
/* Returns the value of the members; by a copy, so that the members themselves stay apart. */
FUNC scanrt_bare_t scanrt_members_bare(const scanrt_members *x) {
  scanrt_members copy;
#define COPY(w) copy.member[w] = x->member[w];
  EACH_MEMBER(COPY)
#undef COPY
  return copy.v;
}
/* Sets the members to those of a value. */
FUNC void scanrt_members_of(scanrt_members *x, scanrt_bare_t v) {
  scanrt_members copy;
  copy.v = v;
#define COPY(w) x->member[w] = copy.member[w];
  EACH_MEMBER(COPY)
#undef COPY
}
/* Sets *b to *a if `first` is not 0. */
FUNC void scanrt_members_choose(scanrt_u32 first, const scanrt_members *a, scanrt_members *b) {
#define CHOOSE(w) b->member[w] = first ? a->member[w] : b->member[w];
  EACH_MEMBER(CHOOSE)
#undef CHOOSE
}

/* Combines *a and *b to *b, unless b stands alone. */
FUNC void scanrt_members_after(const scanrt_members *a, scanrt_members *b, scanrt_u32 alone) {
  if (!alone) scanrt_members_of(b, SCAN_SOURCE_COMBINE(scanrt_members_bare(a), scanrt_members_bare(b)));
}

#if SCAN_SOURCE_MAPS
#define MAPPED_BARE(x, index) SCAN_SOURCE_MAP((x), (index))
#define MAPPED_MEMBERS(members, x, index) scanrt_members_of(&(members), MAPPED_BARE(x, index))
#else
typedef scanrt_member_t MAY_ALIAS scanrt_member_in; /* in place the output is the same memory */
#define MAPPED_BARE(x, index) (x)
#if SCAN_SOURCE_INPUTS
#define MAPPED_MEMBERS(members, x, index) scanrt_members_of(&(members), (x))
#else
#define MAPPED_MEMBERS(members, x, index) scanrt_members_read(&(members), (GLOBAL const scanrt_member_in *)&(x))
FUNC void scanrt_members_read(scanrt_members *x, GLOBAL const scanrt_member_in *from) {
#define READ(w) x->member[w] = from[w];
  EACH_MEMBER(READ)
#undef READ
}
#endif
#endif
#endif
