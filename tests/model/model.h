/* SPDX-License-Identifier: BSD-2-Clause */
/* A model of the look-back protocol. The steps of work-groups that access shared memory are taken one at a time, in
 * every order, with every result that the memory model allows. README.md says which lines of the kernels a step stands
 * for, and what is assumed. */
#ifndef SCANRT_TESTS_MODEL_H
#define SCANRT_TESTS_MODEL_H

#include <stddef.h>
#include <stdint.h>

enum {
  MODEL_TILES = 4,
  MODEL_GROUP_TILES = 2, /* GROUP_TILES in the kernels is 128 */
  MODEL_TOTALS = MODEL_TILES / MODEL_GROUP_TILES,
  MODEL_WORK_GROUPS = 4,
  MODEL_WORDS = 2, /* the most words of a descriptor */
  MODEL_LAUNCHES = 4,
  MODEL_MESSAGES = 7, /* the most messages of a word within a launch */
  MODEL_PICKS = 8     /* the most choices within a step */
};

/* Indices of the words of a workspace. */
enum {
  AT_CLAIM, /* packed: epoch and ticket; split: the ticket */
  AT_EPOCH, /* split only */
  AT_DONE,
  AT_EXITED,
  AT_TILES,
  AT_TOTALS = AT_TILES + MODEL_TILES * MODEL_WORDS,
  MODEL_CELLS = AT_TOTALS + MODEL_TOTALS * MODEL_WORDS
};

/* Deliberate defects, which the checker must find. */
enum mutant {
  MUTANT_NONE,
  MUTANT_NO_EPOCH,           /* a word other than 0 is taken for a fresh one */
  MUTANT_HALF_EPOCH,         /* the second word of a descriptor has no epoch, and is written after the first */
  MUTANT_FLAG_LAST,          /* the second word has no epoch, and is written before the first without a fence */
  MUTANT_SAME_EPOCH,         /* the host passes the epoch: each replay of a graph has the same one */
  MUTANT_STUCK_EPOCH,        /* the claim is reset for the next launch, but its epoch does not advance */
  MUTANT_NO_RESTART,         /* the ticket is not reset to 0 */
  MUTANT_EARLY_RESTART,      /* the first work-group that ends resets the claim, not the last one */
  MUTANT_EARLY_CLAIM,        /* the claim of the last tile resets it, not the last claim */
  MUTANT_NO_CLEAR,           /* descriptors are not cleared when the epoch wraps around */
  MUTANT_NO_RELEASE,         /* no fence before a work-group's exit is counted */
  MUTANT_NO_ACQUIRE,         /* no fence after it */
  MUTANT_RECOMPUTE_IN_PLACE, /* a tile is recomputed although its input may be overwritten */
  MUTANT_ASK_AGAIN,          /* a look-back without a total and one of its tiles waits for the total again */
  MUTANT_SILENT,             /* a wait is given up without setting the error word */
  MUTANT_UNCOUNTED,          /* the number of written tiles is not compared with the number of tiles */
  MUTANT_LATE_LOAD,          /* compaction: a tile is counted before its elements are loaded */
  MUTANT_TWICE,              /* the ticket is read and then written, instead of added to */
  MUTANT_EARLY_TOTAL         /* a group's total is published although a tile was missing */
};

enum variant { VARIANT_ITEM, VARIANT_GROUP };
/* Ordering of accesses. OpenCL C 1.2: all are atomic read-modify-writes; PTX: relaxed loads and stores. */
enum ordering { ORDERING_ATOMIC, ORDERING_RELAXED };

struct model {
  const char *name;
  enum variant variant;
  enum ordering ordering;
  uint8_t words, split; /* words: of a descriptor; split: the claim and its epoch are separate words */
  uint8_t counts;       /* COUNTS_TILES: the last work-group out resets the claim, in every launch */
  uint8_t own;          /* OWN_TILES */
  uint8_t backwards;    /* SCAN_TEST_BACKWARDS: tickets from the last tile down */
  uint8_t in_place, compacts;
  uint8_t times_out; /* a wait may reach its bound at any poll; otherwise it never does */
  uint8_t withheld;  /* a bit for each tile whose owner does not publish its aggregate */
  uint8_t lost;      /* a bit for each tile that is neither written nor counted */
  uint8_t dropped;   /* compaction: a bit for each tile of which nothing is kept */
  uint8_t epoch_last, epoch_first;
  uint8_t work_groups;
  uint8_t resident; /* work-groups that run at once (0: all); another one begins when one ends */
  uint8_t launches, tiles[MODEL_LAUNCHES];
  enum mutant mutant;
};

/* A word: the messages written to it, in the order on which all agree (coherence). */
struct cell {
  uint8_t count;
  uint8_t follows; /* bit i: message i was written by a read-modify-write that read message i - 1 */
  uint16_t message[MODEL_MESSAGES];
};

/* A work-group. It has only bytes, so that states can be compared with memcmp. */
struct work_group {
  uint8_t at; /* enum place of steps.h */
  uint8_t begun, number;
  uint8_t ticket, tile, ahead, epoch, done, tainted;
  uint8_t leaves, missing, folded, missing_total; /* of the look-back; bits of the group's tiles, `folded` a count */
  uint8_t total, total_leaves, total_missing;     /* of the group whose total is being published */
  uint8_t back;                                   /* where to continue after that */
  uint8_t recomputed;                             /* the tile that it publishes in place of its owner */
  uint8_t part, is_wrong;                         /* of the descriptor that is being read or written */
  uint8_t next;                                   /* work-item: the running prefix covers the tiles before this one */
  uint8_t copy;                                   /* MUTANT_TWICE: the ticket that was read */
  uint8_t view[MODEL_CELLS];                      /* the oldest message that it may still read, by word */
};

struct state {
  struct cell cell[MODEL_CELLS];
  struct work_group work_group[MODEL_WORK_GROUPS];
  uint8_t released[MODEL_CELLS]; /* the messages that a fence makes visible to readers of AT_EXITED */
  uint8_t launch, error, written, overwritten;
};

/* One sequence of choices within a step. */
struct oracle {
  uint8_t taken[MODEL_PICKS], of[MODEL_PICKS], count, at;
};

/* The step that is being taken. */
struct run {
  const struct model *model;
  struct state *state;
  struct work_group *w;
  struct oracle *oracle;
  const char *fault; /* the first property that does not hold; NULL: none */
};

struct findings {
  uint64_t states, steps, ends;
  unsigned depth;
  const char *fault; /* the property that does not hold; NULL: all hold */
  char schedule[4096];
};

/* Returns one of `count` choices, 0 first. */
unsigned oracle_pick(struct oracle *o, unsigned count);
/* Goes to the next sequence of choices of the same step; 0 if there is none. */
int oracle_next(struct oracle *o);

/* Records that a property does not hold, unless one is recorded already. */
static inline void run_fault(struct run *r, const char *sentence) {
  if (r->fault == NULL) r->fault = sentence;
}

/* memory.c */
uint16_t memory_load(struct run *r, unsigned at);
void memory_store(struct run *r, unsigned at, uint16_t word);
uint16_t memory_add(struct run *r, unsigned at, uint16_t add);
uint16_t memory_last(const struct state *s, unsigned at);
/* Counts the work-group as out, between two fences. Returns the count before. */
uint16_t memory_exit(struct run *r);
/* Ends a kernel: the next one reads only the newest messages. */
void memory_settle(struct state *s);

/* steps.c */
void steps_begin(const struct model *m, struct state *s);
/* Takes a step of r->w; 0 if it has none. */
int steps_advance(struct run *r);
int steps_ended(const struct model *m, const struct state *s);
const char *steps_place(const struct work_group *w);

/* search.c: visits every state of the model. */
void model_check(const struct model *m, struct findings *found);

#endif
