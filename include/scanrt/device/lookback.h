/* SPDX-License-Identifier: BSD-2-Clause */
/** @file
 * What precedes a work-group, within the user's own kernel and in one launch: places in a shared output for a varying
 * number of results, and prefixes by any operator, in CUDA C++, HIP and OpenCL C.
 *
 *     #define SCANRT_GROUP_ITEMS 256
 *     #include <scanrt/device/lookback.h>
 *
 *     SCANRT_KERNEL positive(SCANRT_GLOBAL const float *x, scanrt_device_u32 n, SCANRT_GLOBAL float *out,
 *                            scanrt_state state) {
 *       SCANRT_SHARED scanrt_scratch scratch;
 *       const scanrt_device_u32 ticket = scanrt_ticket(state, &scratch);
 *       const scanrt_device_u32 i = ticket * SCANRT_GROUP_ITEMS + SCANRT_ITEM(), keeps = i < n && x[i] > 0;
 *       const scanrt_place at = scanrt_allocate(state, ticket, keeps, &scratch);
 *       if (keeps && at.is_valid) out[at.first] = x[i];
 *     }
 *
 * Each work-group takes one ticket, at the beginning, and works on the part of the input with that number; places and
 * prefixes follow tickets, so that the output is the same in each run. A work-group waits only for those with earlier
 * tickets, which have begun. Each then calls scanrt_allocate or a scanrt_prefix_<name> once, in all its work-items.
 *
 * `state` is memory of scan_device_state_bytes (scanrt/scan_device.h), which scan_device_state_init prepares once.
 * Launches that follow one another need nothing in between; a CUDA graph may replay them. A launch has at most as many
 * work-groups as the state was prepared for. Afterwards the state holds the total: scan_device_state_check.
 *
 * On devices where a work-group that has begun may never run again, a wait ends after SCANRT_MOST_POLLS looks. Then
 * is_valid is 0, the work-group must write nothing, and scan_device_state_check says so. There two launches serve, in
 * which no work-group waits for another one. Compile the text twice, with
 *
 *     SCANRT_LAUNCH defined as SCANRT_COUNTS: the launch publishes what its work-groups have; is_valid is 0
 *     SCANRT_LAUNCH defined as SCANRT_PLACES: the launch finds the places and prefixes
 *
 * and launch first the one kernel and then the other, with the same number of work-groups and the same state. Results
 * have the bits of one launch. Both launches must publish the same: so a kernel writes only if is_valid is 1, and does
 * not compute what it publishes from a prefix.
 *
 * Order of operations: 128 consecutive tickets form a block, and 128 blocks a super-block. The aggregates of a block
 * are combined in group.h's order, of fewer than 128 work-items after each has combined several consecutive ones, and
 * so are the totals of a super-block's blocks; the last one of 128 follows the others. Then the super-blocks before,
 * the blocks before and the tickets before are combined, in this order. */
#ifndef SCANRT_DEVICE_LOOKBACK_H
#define SCANRT_DEVICE_LOOKBACK_H

#include "scanrt/device/group.h"
#include "scanrt/device/state.h"
#include "scanrt/device/words.h"

#define SCANRT_ONE_LAUNCH 0
#define SCANRT_COUNTS 1
#define SCANRT_PLACES 2
#ifndef SCANRT_LAUNCH
/** The launch that the text is compiled for. */
#define SCANRT_LAUNCH SCANRT_ONE_LAUNCH
#endif
#if SCANRT_LAUNCH == SCANRT_PLACES
#undef SCANRT_MOST_POLLS
#define SCANRT_MOST_POLLS 1
#define SCANRT_DEVICE_LOST SCANRT_STATE_NO_COUNTS
#else
#define SCANRT_DEVICE_LOST SCANRT_STATE_GAVE_UP
#endif

/** The memory that work-groups share: an argument of the kernel. */
typedef SCANRT_GLOBAL scanrt_device_u32 *scanrt_state;

/* Descriptors of a block that each work-item takes. */
#define SCANRT_DEVICE_EACH ((SCANRT_STATE_BLOCK + SCANRT_GROUP_ITEMS - 1) / SCANRT_GROUP_ITEMS)

#define SCANRT_COUNT_LOAD(p) SCANRT_DEVICE_LOAD(p)
#define SCANRT_DEVICE_PARTS(value) SCANRT_WORD_PARTS(sizeof(value))
#if SCANRT_SPLIT
typedef scanrt_device_u32 scanrt_device_word;
#define SCANRT_DEVICE_LAST_EPOCH 0xffffu
#define SCANRT_WORD_LOAD(p) SCANRT_DEVICE_LOAD(p)
#define SCANRT_WORD_STORE(p, x) SCANRT_DEVICE_STORE(p, x)
#else
typedef scanrt_device_u64 scanrt_device_word;
#define SCANRT_DEVICE_LAST_EPOCH 0xffffffffu
#define SCANRT_WORD_LOAD(p) scanrt_device_word_load(p)
#define SCANRT_WORD_STORE(p, x) scanrt_device_word_store(p, x)
#endif

/* The launch's epoch: 1, 2, ..., SCANRT_DEVICE_LAST_EPOCH, and again from 1. */
SCANRT_FUNC scanrt_device_u32 scanrt_device_epoch(scanrt_state state) {
  return SCANRT_DEVICE_LOAD(state + SCANRT_STATE_EPOCH) % SCANRT_DEVICE_LAST_EPOCH + 1;
}

/* The number of descriptors: of tickets, blocks and super-blocks. */
SCANRT_FUNC scanrt_device_u64 scanrt_device_descriptors(scanrt_device_u32 groups) {
  const scanrt_device_u32 blocks = groups / SCANRT_STATE_BLOCK;
  return (scanrt_device_u64)groups + blocks + blocks / SCANRT_STATE_BLOCK;
}

/* Descriptor number `number`. `parts`: words of a descriptor. */
SCANRT_FUNC volatile SCANRT_GLOBAL scanrt_device_word *scanrt_device_at(scanrt_state state, scanrt_device_u64 number,
                                                                        scanrt_device_u32 parts) {
  return (volatile SCANRT_GLOBAL scanrt_device_word *)(state + SCANRT_STATE_HEADER) + number * parts;
}

/* How many descriptors of each block, and then of each super-block, SCANRT_COUNTS has published. They follow all
 * descriptors. */
SCANRT_FUNC scanrt_state scanrt_device_published(scanrt_state state, scanrt_device_u32 groups,
                                                 scanrt_device_u32 parts) {
  return state + SCANRT_STATE_HEADER +
         scanrt_device_descriptors(groups) * parts * (sizeof(scanrt_device_word) / sizeof(scanrt_device_u32));
}

/* SCANRT_PLACES: readies the counts for the next launch. One work-group of each block does so for it. */
SCANRT_FUNC void scanrt_device_forget(scanrt_state published, scanrt_device_u32 ticket, scanrt_device_u32 groups) {
  const scanrt_device_u32 size = SCANRT_STATE_BLOCK, block = ticket / size, blocks = groups / size;
  if (ticket % size == 0 && block < blocks) SCANRT_DEVICE_STORE(published + block, 0u);
  if (ticket % (size * size) == 0 && block / size < blocks / size)
    SCANRT_DEVICE_STORE(published + blocks + block / size, 0u);
}

/* Adds 1 to *published. Returns 1 in all work-items if that was the last descriptor of 128. */
SCANRT_FUNC scanrt_device_u32 scanrt_device_completes(scanrt_state published, SCANRT_LOCAL scanrt_device_u32 *count) {
  if (SCANRT_GROUP_ITEMS == 1 || SCANRT_ITEM() == 0) {
    SCANRT_DEVICE_FENCE(); /* the descriptor is visible before it is counted */
    *count = SCANRT_DEVICE_ADD(published, 1u) + 1;
    SCANRT_DEVICE_FENCE();
  }
  SCANRT_BARRIER();
  const scanrt_device_u32 completes = *count == SCANRT_STATE_BLOCK;
  SCANRT_BARRIER();
  return completes;
}

/* Leaves the launch. Returns 1 in a work-item of the last work-group that leaves. */
SCANRT_FUNC scanrt_device_u32 scanrt_device_leaves_last(scanrt_state state) {
  if (SCANRT_ITEM() != 0) return 0;
  if (SCANRT_LAUNCH == SCANRT_COUNTS) SCANRT_DEVICE_FENCE();
  return SCANRT_DEVICE_ADD(state + SCANRT_STATE_LEFT, 1u) + 1 == SCANRT_GROUPS();
}

/* Readies the state for the next launch. When epochs begin anew it clears the descriptors, which would otherwise seem
 * fresh. */
SCANRT_FUNC void scanrt_device_end(scanrt_state state, scanrt_device_u32 groups, scanrt_device_u32 parts) {
  volatile SCANRT_GLOBAL scanrt_device_word *const at =
      (volatile SCANRT_GLOBAL scanrt_device_word *)(state + SCANRT_STATE_HEADER);
  if (SCANRT_LAUNCH != SCANRT_COUNTS && scanrt_device_epoch(state) == SCANRT_DEVICE_LAST_EPOCH) {
    const scanrt_device_u64 words = scanrt_device_descriptors(groups) * parts;
    for (scanrt_device_u64 k = 0; k < words; k++) SCANRT_WORD_STORE(at + k, (scanrt_device_word)0);
  }
  SCANRT_DEVICE_STORE(state + SCANRT_STATE_TICKET, 0u);
  SCANRT_DEVICE_STORE(state + SCANRT_STATE_LEFT, 0u);
  if (SCANRT_LAUNCH != SCANRT_COUNTS) SCANRT_DEVICE_STORE(state + SCANRT_STATE_EPOCH, scanrt_device_epoch(state));
}

/**
 * Defines the look-back of an operator that SCANRT_DEFINE_GROUP has defined. Write it once for each name.
 *
 *     value scanrt_prefix_<name>(state, ticket, aggregate, initial, &is_valid, &scratch)
 *         aggregate: the work-group's own, equal in all work-items; initial: what precedes the first one. Returns
 *         initial combined with the aggregates of all earlier tickets, in all work-items. is_valid: set to 0 if a wait
 *         has given up; the result is then undefined.
 *
 * The same in three calls, for a work-group that does other work before it waits:
 *
 *     void scanrt_publish_<name>(state, ticket, aggregate, &scratch)
 *         waits for no other work-group
 *     value scanrt_await_<name>(state, ticket, aggregate, initial, &is_valid, &scratch)
 *     void scanrt_leave_<name>(state)
 *         ends the launch for the work-group: once, after its last scanrt_await_<name>
 */
#define SCANRT_DEFINE_LOOKBACK(name, value, combine)                                                                   \
  SCANRT_FUNC void scanrt_device_put_##name(volatile SCANRT_GLOBAL scanrt_device_word *at, value x,                    \
                                            scanrt_device_u32 epoch) {                                                 \
    const scanrt_device_word flag = (scanrt_device_word)epoch << SCANRT_WORD_HALF;                                     \
    scanrt_device_words_##name w;                                                                                      \
    w.word[SCANRT_DEVICE_WORDS(value) - 1] = 0;                                                                        \
    w.of = x;                                                                                                          \
    SCANRT_WORDS_EACH(SCANRT_WORDS_PUT, SCANRT_DEVICE_PARTS(value));                                                   \
  }                                                                                                                    \
  SCANRT_FUNC void scanrt_device_load_##name(volatile SCANRT_GLOBAL scanrt_device_word *at,                            \
                                             scanrt_device_word *word) {                                               \
    SCANRT_WORDS_EACH(SCANRT_WORDS_LOAD, SCANRT_DEVICE_PARTS(value));                                                  \
  }                                                                                                                    \
  /* Waits for a descriptor whose words were loaded to `word`. Returns its value; notes if it does not come. */        \
  SCANRT_FUNC value scanrt_device_await_##name(scanrt_state state, volatile SCANRT_GLOBAL scanrt_device_word *at,      \
                                               scanrt_device_word *word, scanrt_device_u32 epoch,                      \
                                               SCANRT_LOCAL scanrt_scratch_##name *s) {                                \
    scanrt_device_words_##name w;                                                                                      \
    for (scanrt_device_u32 polls = 1;; polls++) {                                                                      \
      scanrt_device_u32 is_there = 1;                                                                                  \
      SCANRT_UNROLL                                                                                                    \
      for (scanrt_device_u32 k = 0; k < SCANRT_DEVICE_WORDS(value); k++) w.word[k] = 0;                                \
      SCANRT_WORDS_EACH(SCANRT_WORDS_CHECK, SCANRT_DEVICE_PARTS(value));                                               \
      SCANRT_WORDS_EACH(SCANRT_WORDS_JOIN, SCANRT_DEVICE_PARTS(value));                                                \
      if (is_there) return w.of;                                                                                       \
      if (SCANRT_WAIT_ENDS(polls, SCANRT_MOST_POLLS, state + SCANRT_STATE_LOST)) break;                                \
      scanrt_device_load_##name(at, word);                                                                             \
    }                                                                                                                  \
    SCANRT_DEVICE_STORE(state + SCANRT_STATE_LOST, SCANRT_DEVICE_LOST);                                                \
    s->is_lost = 1;                                                                                                    \
    return w.of;                                                                                                       \
  }                                                                                                                    \
  /* Combines the first `count` descriptors of a block, 1 to 127. `word` has those of the work-item's first one. */    \
  SCANRT_FUNC value scanrt_device_fold_##name(scanrt_state state, volatile SCANRT_GLOBAL scanrt_device_word *at,       \
                                              scanrt_device_u32 count, scanrt_device_word *word, value x,              \
                                              scanrt_device_u32 epoch, SCANRT_LOCAL scanrt_scratch_##name *s) {        \
    const scanrt_device_u32 first = SCANRT_ITEM() * SCANRT_DEVICE_EACH, parts = SCANRT_DEVICE_PARTS(value);            \
    if (first < count) x = scanrt_device_await_##name(state, at + first * parts, word, epoch, s);                      \
    for (scanrt_device_u32 k = first + 1; k < first + SCANRT_DEVICE_EACH && k < count; k++) {                          \
      scanrt_device_load_##name(at + k * parts, word);                                                                 \
      x = combine(x, scanrt_device_await_##name(state, at + k * parts, word, epoch, s));                               \
    }                                                                                                                  \
    return scanrt_reduce_first_##name(x, (count + SCANRT_DEVICE_EACH - 1) / SCANRT_DEVICE_EACH, s);                    \
  }                                                                                                                    \
  /* Returns the value of a descriptor that is there. */                                                               \
  SCANRT_FUNC value scanrt_device_read_##name(volatile SCANRT_GLOBAL scanrt_device_word *at) {                         \
    scanrt_device_word word[SCANRT_DEVICE_PARTS(value)];                                                               \
    scanrt_device_words_##name w;                                                                                      \
    scanrt_device_load_##name(at, word);                                                                               \
    SCANRT_UNROLL                                                                                                      \
    for (scanrt_device_u32 k = 0; k < SCANRT_DEVICE_WORDS(value); k++) w.word[k] = 0;                                  \
    SCANRT_WORDS_EACH(SCANRT_WORDS_JOIN, SCANRT_DEVICE_PARTS(value));                                                  \
    return w.of;                                                                                                       \
  }                                                                                                                    \
  /* SCANRT_COUNTS: publishes the total of the ticket's block if all of it is published, and then the total of 127     \
   * blocks if the super-block is. */                                                                                  \
  SCANRT_FUNC void scanrt_device_complete_##name(scanrt_state state, scanrt_device_u32 ticket, value x,                \
                                                 SCANRT_LOCAL scanrt_scratch_##name *s) {                              \
    const scanrt_device_u32 size = SCANRT_STATE_BLOCK, parts = SCANRT_DEVICE_PARTS(value), count = size - 1;           \
    const scanrt_device_u32 own = SCANRT_ITEM() * SCANRT_DEVICE_EACH, block = ticket / size, super = block / size;     \
    SCANRT_BARRIER();                                                                                                  \
    const scanrt_device_u32 groups = s->groups, all = groups / size, epoch = s->epoch;                                 \
    const scanrt_state published = scanrt_device_published(state, groups, parts);                                      \
    scanrt_device_word word[SCANRT_DEVICE_PARTS(value)];                                                               \
    if (block < all && scanrt_device_completes(published + block, &s->published)) {                                    \
      volatile SCANRT_GLOBAL scanrt_device_word *const leaves = scanrt_device_at(state, block * size, parts);          \
      if (own < count) scanrt_device_load_##name(leaves + own * parts, word);                                          \
      x = scanrt_device_fold_##name(state, leaves, count, word, x, epoch, s);                                          \
      if (SCANRT_ITEM() == 0) {                                                                                        \
        x = combine(x, scanrt_device_read_##name(leaves + count * parts));                                             \
        scanrt_device_put_##name(scanrt_device_at(state, (scanrt_device_u64)groups + block, parts), x, epoch);         \
      }                                                                                                                \
      if (super < all / size && scanrt_device_completes(published + all + super, &s->published)) {                     \
        volatile SCANRT_GLOBAL scanrt_device_word *const blocks =                                                      \
            scanrt_device_at(state, (scanrt_device_u64)groups + super * size, parts);                                  \
        if (own < count) scanrt_device_load_##name(blocks + own * parts, word);                                        \
        x = scanrt_device_fold_##name(state, blocks, count, word, x, epoch, s);                                        \
        if (SCANRT_ITEM() == 0)                                                                                        \
          scanrt_device_put_##name(scanrt_device_at(state, (scanrt_device_u64)groups + all + super, parts), x, epoch); \
      }                                                                                                                \
    }                                                                                                                  \
  }                                                                                                                    \
  /* SCANRT_COUNTS, at its end: extends the totals of super-blocks by their last block and by what precedes them. */   \
  SCANRT_FUNC void scanrt_device_chain_##name(scanrt_state state, scanrt_device_u32 groups) {                          \
    const scanrt_device_u32 size = SCANRT_STATE_BLOCK, parts = SCANRT_DEVICE_PARTS(value), blocks = groups / size;     \
    const scanrt_device_u32 epoch = scanrt_device_epoch(state);                                                        \
    const scanrt_state published = scanrt_device_published(state, groups, parts) + blocks;                             \
    for (scanrt_device_u32 k = 0; k < blocks / size && SCANRT_DEVICE_LOAD(published + k) == size; k++) {               \
      const scanrt_device_u64 last = (scanrt_device_u64)groups + k * size + size - 1;                                  \
      volatile SCANRT_GLOBAL scanrt_device_word *const at =                                                            \
          scanrt_device_at(state, (scanrt_device_u64)groups + blocks + k, parts);                                      \
      value x = scanrt_device_read_##name(at);                                                                         \
      if (k > 0) x = combine(scanrt_device_read_##name(at - parts), x);                                                \
      scanrt_device_put_##name(at, combine(x, scanrt_device_read_##name(scanrt_device_at(state, last, parts))),        \
                               epoch);                                                                                 \
    }                                                                                                                  \
  }                                                                                                                    \
  SCANRT_FUNC void scanrt_publish_##name(scanrt_state state, scanrt_device_u32 ticket, value aggregate,                \
                                         SCANRT_LOCAL scanrt_scratch_##name *s) {                                      \
    SCANRT_BARRIER(); /* after an earlier call's reads */                                                              \
    /* One work-item reads these words, which all work-groups read. rusticl takes no kernel argument in a branch of a  \
     * work-group of one. */                                                                                           \
    if (SCANRT_GROUP_ITEMS == 1 || SCANRT_ITEM() == 0) {                                                               \
      s->groups = state[SCANRT_STATE_GROUPS];                                                                          \
      s->epoch = scanrt_device_epoch(state);                                                                           \
      s->is_lost = ticket >= s->groups;                                                                                \
      if (s->is_lost)                                                                                                  \
        SCANRT_DEVICE_STORE(state + SCANRT_STATE_LOST, SCANRT_STATE_TOO_MANY);                                         \
      else if (SCANRT_LAUNCH != SCANRT_PLACES)                                                                         \
        scanrt_device_put_##name(scanrt_device_at(state, ticket, SCANRT_DEVICE_PARTS(value)), aggregate, s->epoch);    \
      else                                                                                                             \
        scanrt_device_forget(scanrt_device_published(state, s->groups, SCANRT_DEVICE_PARTS(value)), ticket,            \
                             s->groups);                                                                               \
    }                                                                                                                  \
    if (SCANRT_LAUNCH == SCANRT_COUNTS) scanrt_device_complete_##name(state, ticket, aggregate, s);                    \
  }                                                                                                                    \
  SCANRT_FUNC value scanrt_await_##name(scanrt_state state, scanrt_device_u32 ticket, value aggregate, value initial,  \
                                        scanrt_device_u32 *is_valid, SCANRT_LOCAL scanrt_scratch_##name *s) {          \
    const scanrt_device_u32 size = SCANRT_STATE_BLOCK, parts = SCANRT_DEVICE_PARTS(value);                             \
    const scanrt_device_u32 item = SCANRT_ITEM(), leaf = ticket % size, block = ticket / size, super = block / size;   \
    volatile SCANRT_GLOBAL scanrt_device_word *const leaves =                                                          \
        (volatile SCANRT_GLOBAL scanrt_device_word *)(state + SCANRT_STATE_HEADER);                                    \
    value before = initial, folded = aggregate, of_blocks = aggregate;                                                 \
    SCANRT_BARRIER();                                                                                                  \
    const scanrt_device_u32 groups = s->groups, epoch = s->epoch;                                                      \
    volatile SCANRT_GLOBAL scanrt_device_word *const blocks = leaves + (scanrt_device_u64)groups * parts;              \
    volatile SCANRT_GLOBAL scanrt_device_word *const supers = blocks + (scanrt_device_u64)(groups / size) * parts;     \
    if (SCANRT_LAUNCH != SCANRT_COUNTS && ticket < groups && ticket > 0) {                                             \
      const scanrt_device_u32 count = block % size, own = item * SCANRT_DEVICE_EACH;                                   \
      volatile SCANRT_GLOBAL scanrt_device_word *const of_leaf = leaves + (scanrt_device_u64)block * size * parts;     \
      volatile SCANRT_GLOBAL scanrt_device_word *const of_block = blocks + (scanrt_device_u64)super * size * parts;    \
      volatile SCANRT_GLOBAL scanrt_device_word *const of_super = supers + (scanrt_device_u64)super * parts - parts;   \
      scanrt_device_word word[3][SCANRT_DEVICE_PARTS(value)];                                                          \
      /* All first loads are on their way at once. */                                                                  \
      if (own < leaf) scanrt_device_load_##name(of_leaf + own * parts, word[0]);                                       \
      if (own < count) scanrt_device_load_##name(of_block + own * parts, word[1]);                                     \
      if (super > 0 && item == 0) {                                                                                    \
        scanrt_device_load_##name(of_super, word[2]);                                                                  \
        s->first = scanrt_device_await_##name(state, of_super, word[2], epoch, s);                                     \
      }                                                                                                                \
      SCANRT_BARRIER();                                                                                                \
      const value of_supers = s->first;                                                                                \
      if (count > 0) of_blocks = scanrt_device_fold_##name(state, of_block, count, word[1], aggregate, epoch, s);      \
      if (super > 0) of_blocks = count > 0 ? combine(of_supers, of_blocks) : of_supers;                                \
      if (leaf > 0) folded = scanrt_device_fold_##name(state, of_leaf, leaf, word[0], aggregate, epoch, s);            \
      if (SCANRT_LAUNCH == SCANRT_ONE_LAUNCH && leaf == size - 1 && item == 0 && !s->is_lost) {                        \
        const value through = combine(folded, aggregate);                                                              \
        scanrt_device_put_##name(blocks + (scanrt_device_u64)block * parts, through, epoch);                           \
        if (count == size - 1)                                                                                         \
          scanrt_device_put_##name(supers + (scanrt_device_u64)super * parts, combine(of_blocks, through), epoch);     \
      }                                                                                                                \
      if (block > 0) before = combine(before, of_blocks);                                                              \
      if (leaf > 0) before = combine(before, folded);                                                                  \
    }                                                                                                                  \
    if (!SCANRT_DEVICE_LOOPS(groups == 0)) {                                                                           \
      SCANRT_DEVICE_STORE(state + SCANRT_STATE_LOST, SCANRT_STATE_GAVE_UP);                                            \
      s->is_lost = 1;                                                                                                  \
    }                                                                                                                  \
    SCANRT_BARRIER();                                                                                                  \
    *is_valid = SCANRT_LAUNCH != SCANRT_COUNTS && !s->is_lost;                                                         \
    return before;                                                                                                     \
  }                                                                                                                    \
  SCANRT_FUNC void scanrt_leave_##name(scanrt_state state) {                                                           \
    const scanrt_device_u32 groups = state[SCANRT_STATE_GROUPS];                                                       \
    if (!scanrt_device_leaves_last(state)) return;                                                                     \
    if (SCANRT_LAUNCH == SCANRT_COUNTS) scanrt_device_chain_##name(state, groups);                                     \
    scanrt_device_end(state, groups, SCANRT_DEVICE_PARTS(value));                                                      \
  }                                                                                                                    \
  SCANRT_FUNC value scanrt_prefix_##name(scanrt_state state, scanrt_device_u32 ticket, value aggregate, value initial, \
                                         scanrt_device_u32 *is_valid, SCANRT_LOCAL scanrt_scratch_##name *s) {         \
    scanrt_publish_##name(state, ticket, aggregate, s);                                                                \
    const value before = scanrt_await_##name(state, ticket, aggregate, initial, is_valid, s);                          \
    scanrt_leave_##name(state);                                                                                        \
    return before;                                                                                                     \
  }

/** A work-item's place in the output, and its work-group's. */
typedef struct scanrt_place {
  scanrt_device_u64 first;       /**< The place of the work-item's first result. */
  scanrt_device_u64 group_first; /**< That of the work-group's first result. */
  scanrt_device_u32 group_count; /**< The work-group's results. */
  scanrt_device_u32 is_valid;    /**< 0: a wait has given up, and nothing may be written. */
} scanrt_place;

SCANRT_DEFINE_GROUP_SUM(count, scanrt_device_u32)
SCANRT_DEFINE_GROUP_SUM(place, scanrt_device_u64)
SCANRT_DEFINE_LOOKBACK(place, scanrt_device_u64, SCANRT_DEVICE_PLUS)

/** Local memory of scanrt_ticket and scanrt_allocate, a SCANRT_SHARED variable. */
typedef struct scanrt_scratch {
  scanrt_scratch_count count;
  scanrt_scratch_place place;
  scanrt_device_u32 ticket;
} scanrt_scratch;

/**
 * Takes a ticket for the work-group: 0, 1, 2, ... in the order of calls. All work-items call it and get the ticket.
 * A work-group takes one ticket, or several: see scanrt_publish.
 */
SCANRT_FUNC scanrt_device_u32 scanrt_ticket(scanrt_state state, SCANRT_LOCAL scanrt_scratch *scratch) {
  if (SCANRT_ITEM() == 0) scratch->ticket = SCANRT_DEVICE_ADD(state + SCANRT_STATE_TICKET, 1u);
  SCANRT_BARRIER();
  return scratch->ticket;
}

/**
 * Publishes how many results a work-item has for a ticket. scanrt_await then waits for earlier tickets; between the two
 * the work-group may do other work. It may also take, and publish, further tickets before it waits for the first one,
 * so that others have published when it does. Then a launch has fewer work-groups than tickets: a work-group that gets
 * a ticket past the last one stops. It publishes all tickets that it has taken before it waits, and calls scanrt_leave
 * at its end.
 *
 * @param count results of this work-item, 0 or more; those of a work-group are fewer than 2^32
 * @return the work-item's place among the work-group's results: group_first is 0
 */
SCANRT_FUNC scanrt_place scanrt_publish(scanrt_state state, scanrt_device_u32 ticket, scanrt_device_u32 count,
                                        SCANRT_LOCAL scanrt_scratch *scratch) {
  scanrt_place at;
  at.first = scanrt_exclusive_count(count, 0u, &scratch->count);
  at.group_first = 0;
  at.group_count = scanrt_total_count(&scratch->count);
  at.is_valid = 1;
  scanrt_publish_place(state, ticket, at.group_count, &scratch->place);
  return at;
}

/**
 * Waits for the counts of earlier tickets.
 *
 * @param tickets those of the launch @param at  of scanrt_publish
 * @return the place in the shared output
 */
SCANRT_FUNC scanrt_place scanrt_await(scanrt_state state, scanrt_device_u32 ticket, scanrt_device_u32 tickets,
                                      scanrt_place at, SCANRT_LOCAL scanrt_scratch *scratch) {
  at.group_first = scanrt_await_place(state, ticket, at.group_count, 0, &at.is_valid, &scratch->place);
  at.first += at.group_first;
  if (SCANRT_LAUNCH != SCANRT_COUNTS && ticket == tickets - 1 && SCANRT_ITEM() == 0) {
    const scanrt_device_u64 total = at.group_first + at.group_count;
    state[SCANRT_STATE_TOTAL] = (scanrt_device_u32)total;
    state[SCANRT_STATE_TOTAL + 1] = (scanrt_device_u32)(total >> 32);
  }
  return at;
}

/** Ends the launch for a work-group: once, in all work-items, after its last scanrt_await. */
SCANRT_FUNC void scanrt_leave(scanrt_state state) { scanrt_leave_place(state); }

/**
 * Finds places for the results of a work-item in an output that all work-groups share: in order of tickets, and in a
 * work-group in order of work-items. Each work-group calls it once, in all work-items: scanrt_publish, scanrt_await and
 * scanrt_leave.
 *
 * @param count results of this work-item, 0 or more; those of a work-group are fewer than 2^32
 */
SCANRT_FUNC scanrt_place scanrt_allocate(scanrt_state state, scanrt_device_u32 ticket, scanrt_device_u32 count,
                                         SCANRT_LOCAL scanrt_scratch *scratch) {
  const scanrt_place at =
      scanrt_await(state, ticket, SCANRT_GROUPS(), scanrt_publish(state, ticket, count, scratch), scratch);
  scanrt_leave(state);
  return at;
}

#endif
