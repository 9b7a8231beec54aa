/* SPDX-License-Identifier: BSD-2-Clause */
/* A model of the look-back protocol: the steps of work-groups that touch what they share, one at a time, in every
 * order, with every answer that the memory model lets an access have. README.md says which lines of the kernels a step
 * stands for, and what is assumed. */
#ifndef SCANRT_TESTS_MODEL_H
#define SCANRT_TESTS_MODEL_H

#include <stddef.h>
#include <stdint.h>

enum {
  MODEL_TILES = 4,
  MODEL_GROUP_TILES = 2, /* GROUP_TILES is 128 */
  MODEL_TOTALS = MODEL_TILES / MODEL_GROUP_TILES,
  MODEL_WORK_GROUPS = 4,
  MODEL_WORDS = 2, /* of a descriptor, at most */
  MODEL_LAUNCHES = 4,
  MODEL_MESSAGES = 7, /* that a word holds within a launch */
  MODEL_PICKS = 8     /* choices within a step */
};

/* Where the words of a workspace are. */
enum {
  AT_CLAIM, /* packed: epoch and ticket; split: the ticket */
  AT_EPOCH, /* split alone */
  AT_DONE,
  AT_EXITED,
  AT_TILES,
  AT_TOTALS = AT_TILES + MODEL_TILES * MODEL_WORDS,
  MODEL_CELLS = AT_TOTALS + MODEL_TOTALS * MODEL_WORDS
};

/* What is built wrong on purpose, for the checker to find. */
enum mutant {
  MUTANT_NONE,
  MUTANT_NO_EPOCH,        /* a word that is not 0 is taken for a fresh one */
  MUTANT_HALF_EPOCH,      /* the second word of a descriptor has no epoch, and is written behind the first */
  MUTANT_FLAG_LAST,       /* the same, and it is written before the first, with no fence */
  MUTANT_SAME_EPOCH,      /* the host says the epoch: each replay of a graph has the same */
  MUTANT_STUCK_EPOCH,     /* the claim is readied for the next launch without its epoch moving on */
  MUTANT_NO_RESTART,      /* the ticket is not put back to 0 */
  MUTANT_EARLY_RESTART,   /* the first work-group out does it, not the last */
  MUTANT_EARLY_CLAIM,     /* the last tile's claim does it, not the last claim */
  MUTANT_NO_CLEAR,        /* descriptors are not cleared when the epoch comes round */
  MUTANT_NO_RELEASE,      /* no fence before a work-group says that it is out */
  MUTANT_NO_ACQUIRE,      /* none behind it */
  MUTANT_RESCUE_IN_PLACE, /* a tile is reduced again although its input may be gone */
  MUTANT_ASK_AGAIN,       /* whoever misses a total and a tile of it waits for the total anew */
  MUTANT_SILENT,          /* a wait is given up without a word */
  MUTANT_UNCOUNTED,       /* nobody compares the tiles that are written with those there are */
  MUTANT_LATE_LOAD,       /* compaction: a tile is counted before its elements are there */
  MUTANT_TWICE,           /* the ticket is read and then written, not added to */
  MUTANT_EARLY_TOTAL      /* a group's total is published though a tile was missing */
};

enum form { FORM_ITEM, FORM_GROUP };
/* OpenCL C 1.2: every access is an atomic read-modify-write; PTX: relaxed loads and stores. */
enum ordering { ORDERING_ATOMIC, ORDERING_RELAXED };

struct model {
  const char *name;
  enum form form;
  enum ordering ordering;
  uint8_t words, split; /* of a descriptor; the claim and its epoch are words of their own */
  uint8_t counts;       /* COUNTS_TILES: the last one out readies the claim, in every launch */
  uint8_t own;          /* OWN_TILES */
  uint8_t backwards;    /* SCAN_TEST_BACKWARDS: tickets from the last tile down */
  uint8_t in_place, compacts;
  uint8_t times_out; /* a wait may come to its bound at any poll; else its bound is never reached */
  uint8_t withheld;  /* a bit for each tile whose aggregate its owner does not publish */
  uint8_t lost;      /* of those that are not written and not counted */
  uint8_t dropped;   /* compaction: of those of which nothing is kept */
  uint8_t epoch_last, epoch_first;
  uint8_t work_groups;
  uint8_t seats; /* how many of them run at once (0: all); the others begin when one has ended */
  uint8_t launches, tiles[MODEL_LAUNCHES];
  enum mutant mutant;
};

/* A word: what has been written to it, in the order on which all agree (coherence). */
struct cell {
  uint8_t count;
  uint8_t follows; /* bit i: message i was written by a read-modify-write that read message i - 1 */
  uint16_t message[MODEL_MESSAGES];
};

/* Bytes alone, so that states compare as bytes. */
struct work_group {
  uint8_t at; /* enum place of steps.h */
  uint8_t begun, number;
  uint8_t ticket, tile, ahead, epoch, done, tainted;
  uint8_t leaves, missing, folded, missing_total; /* of the look-back; bits of tiles of the group */
  uint8_t total, total_leaves, total_missing;     /* of the group that is being published */
  uint8_t back;                                   /* where it goes on then */
  uint8_t rescued;                                /* the tile that it publishes for another */
  uint8_t part, is_wrong;                         /* of the descriptor that is being read or written */
  uint8_t next;                                   /* a work-item's running prefix covers the tiles before it */
  uint8_t copy;                                   /* MUTANT_TWICE */
  uint8_t view[MODEL_CELLS];                      /* the oldest message that it may still read */
};

struct state {
  struct cell cell[MODEL_CELLS];
  struct work_group work_group[MODEL_WORK_GROUPS];
  uint8_t released[MODEL_CELLS]; /* what whoever reads AT_EXITED may come to see by a fence */
  uint8_t launch, error, written, overwritten;
};

/* One way through a step's choices. */
struct oracle {
  uint8_t taken[MODEL_PICKS], of[MODEL_PICKS], count, at;
};

/* A step that is being taken. */
struct run {
  const struct model *model;
  struct state *state;
  struct work_group *w;
  struct oracle *oracle;
  const char *fault; /* a sentence, once a property does not hold */
};

struct findings {
  uint64_t states, steps, ends;
  unsigned depth;
  const char *fault; /* NULL: every property holds */
  char schedule[4096];
};

/* Takes one of `count` ways; the first is asked for first. */
unsigned oracle_pick(struct oracle *o, unsigned count);
/* The next way through the same step; 0 where there is none. */
int oracle_next(struct oracle *o);

/* A property does not hold; the first that does not is told. */
static inline void run_fault(struct run *r, const char *sentence) {
  if (r->fault == NULL) r->fault = sentence;
}

/* memory.c */
uint16_t memory_load(struct run *r, unsigned at);
void memory_store(struct run *r, unsigned at, uint16_t word);
uint16_t memory_add(struct run *r, unsigned at, uint16_t add);
uint16_t memory_last(const struct state *s, unsigned at);
/* A fence and the count of those that are out behind it, and another fence. */
uint16_t memory_exit(struct run *r);
/* A kernel's end: all that was written is there for the next. */
void memory_settle(struct state *s);

/* steps.c */
void steps_begin(const struct model *m, struct state *s);
/* One step of r->w; 0 where it can take none. */
int steps_take(struct run *r);
int steps_ended(const struct model *m, const struct state *s);
const char *steps_place(const struct work_group *w);

/* search.c: visits every state. */
void model_check(const struct model *m, struct findings *found);

#endif
