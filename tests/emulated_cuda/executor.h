/* SPDX-License-Identifier: BSD-2-Clause */
/* The private part of emulated.h: lanes, warps, and the block of a thread. */
#ifndef SCANRT_TESTS_EXECUTOR_H
#define SCANRT_TESTS_EXECUTOR_H

#include <setjmp.h>
#include <stdint.h>

#include "emulated.h"
#include "emulation.h"

enum {
  EMULATED_LANES = 32,
  EMULATED_ITEMS = 1024, /* the most of a block */
  EMULATED_WARPS = EMULATED_ITEMS / EMULATED_LANES,
  EMULATED_NAMED = 16,
  EMULATED_RESIDENT = 8, /* the most blocks at once, the number that the library assumes of the fake device */
  EMULATED_SEEN = 16     /* descriptors whose last word a lane remembers */
};

typedef enum lane_state { LANE_READY, LANE_EXCHANGES, LANE_AT_BARRIER, LANE_WAITS, LANE_POLLS, LANE_DONE } lane_state;

typedef struct copy {
  void *to;
  const void *from;
  unsigned bytes;
} copy;

typedef struct lane {
  emulated_place place;
  lane_state state;
  int started;
  jmp_buf at;
  const void *object; /* the object of the wait; for an mbarrier also `parity` and `what`, the kernel's text */
  unsigned parity;
  const char *what;
  copy *copies; /* cp.async copies that no wait and no arrival has taken over */
  unsigned copy_count, copy_room;
  struct {
    const volatile void *at;
    uint64_t word;
  } seen[EMULATED_SEEN];
} lane;

typedef struct warp {
  uint32_t ready, arrived;
  enum emulated_exchange kind;
  unsigned turn; /* its parity chooses the row of values */
  uint32_t values[2][EMULATED_LANES];
} warp;

/* Copies that were started and not performed. Their end subtracts bytes or an arrival on the mbarrier `on`. */
typedef struct pending {
  copy *copies;
  unsigned count;
  int is_arrival;
  emulated_word *on;
} pending;

typedef struct block {
  const emulated_grid *grid;
  lane lanes[EMULATED_ITEMS];
  warp warps[EMULATED_WARPS];
  unsigned group, done, current_warp;
  uint32_t ready_warps;
  lane *current;
  unsigned named[EMULATED_NAMED]; /* arrivals at each barrier */
  unsigned any;                   /* the result of barrier_any */
  pending *pendings;
  unsigned pending_count, pending_room;
  unsigned char *ring, *stacks;
  uint64_t random;
  uint64_t progress_seen;
  double began, idle_since;
  unsigned idle_polls, polling;
  jmp_buf back;
} block;

/* The block that this thread runs. */
extern _Thread_local block *emulated_block __attribute__((tls_model("initial-exec"))); /* read by each call */
extern const emulated_calls emulated_calls_table;

/* Makes the current lane wait until block_ready is called for it. */
void block_wait(lane_state state, const void *object);
/* Makes a lane ready to run. */
void block_ready(lane *l);
/* Makes all lanes of a warp but the current one ready, after an exchange. */
void block_ready_others(warp *w);
/* Counts an event that a polling lane may wait for. */
void block_progress(void);
/* Performs one pending copy, chosen by emulated_order. 0 if none is pending. */
int copies_perform(block *b);
block *block_new(void);
void block_run(block *b);
unsigned block_random(block *b, unsigned below);

_Noreturn void emulated_die(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The order of lanes, from $EMULATED_CUDA_ORDER: "forward", "backward", or the seed of a random order. */
typedef enum lane_order { ORDER_FORWARD, ORDER_BACKWARD, ORDER_RANDOM } lane_order;
extern lane_order emulated_order;
extern uint64_t emulated_seed;
/* The number of blocks that run at once, at most EMULATED_RESIDENT; from $EMULATED_CUDA_RESIDENT. */
extern unsigned emulated_resident;

#endif
