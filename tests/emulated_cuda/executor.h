/* SPDX-License-Identifier: BSD-2-Clause */
/* The inside of emulated.h: lanes, warps, and the block of a thread. */
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
  EMULATED_RESIDENT = 8, /* blocks at once, at most: what the library takes the fake device for */
  EMULATED_SEEN = 16     /* descriptors that a lane remembers */
};

typedef enum lane_state { LANE_READY, LANE_EXCHANGES, LANE_AT_BARRIER, LANE_WAITS, LANE_POLLS, LANE_DONE } lane_state;

typedef struct copy {
  void *to;
  const void *from;
} copy;

typedef struct lane {
  emulated_place place;
  lane_state state;
  int started;
  jmp_buf at;
  const void *object; /* what it waits for; of an mbarrier also the parity, and the kernel's text for it */
  unsigned parity;
  const char *what;
  copy *copies; /* those that nobody has arrived for */
  unsigned copy_count, copy_room;
  struct {
    const volatile void *at;
    uint64_t word;
  } seen[EMULATED_SEEN];
} lane;

typedef struct warp {
  uint32_t ready, arrived;
  enum emulated_exchange kind;
  unsigned turn; /* of the two rows of values */
  uint32_t values[2][EMULATED_LANES];
} warp;

/* Copies that are asked for and not done; they end with bytes, or an arrival, on a barrier. */
typedef struct pending {
  copy *copies;
  unsigned count, bytes_each;
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
  unsigned named[EMULATED_NAMED]; /* arrivals at each */
  unsigned any;                   /* of barrier_any */
  pending *pendings;
  unsigned pending_count, pending_room;
  unsigned char *ring, *stacks;
  uint64_t random;
  uint64_t progress_seen;
  double began, idle_since;
  unsigned idle_polls, polling;
  jmp_buf back;
} block;

/* The block of this thread. */
extern _Thread_local block *emulated_block __attribute__((tls_model("initial-exec"))); /* asked for at each call */
extern const emulated_calls emulated_calls_table;

/* The current lane waits, until somebody makes it ready. */
void block_wait(lane_state state, const void *object);
void block_ready(lane *l);
/* All lanes of a warp but the current one, which have exchanged. */
void block_ready_others(warp *w);
/* Something happened that others may wait for. */
void block_progress(void);
/* The first of the copies to be done next; 0 where there is none. */
int copies_perform(block *b);
block *block_new(void);
void block_run(block *b);
unsigned block_random(block *b, unsigned below);

_Noreturn void emulated_die(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* From $EMULATED_CUDA_ORDER: forward, backward, or the seed of a random one. */
typedef enum lane_order { ORDER_FORWARD, ORDER_BACKWARD, ORDER_RANDOM } lane_order;
extern lane_order emulated_order;
extern uint64_t emulated_seed;
/* From $EMULATED_CUDA_SEATS: how many of EMULATED_RESIDENT are taken. */
extern unsigned emulated_seats;

#endif
