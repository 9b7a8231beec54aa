/* SPDX-License-Identifier: BSD-2-Clause */
/* The interface between kernels in machine code of the processor and the executor: the calls of a lane, and the images
 * in which the stand-in for NVRTC hands modules to the fake driver. Read as C and as C++. */
#ifndef SCANRT_TESTS_EMULATION_H
#define SCANRT_TESTS_EMULATION_H

/* First bytes of an image with a library: this text, the library's size in bytes, the library. */
#define EMULATED_MAGIC "emulated cubin\n"
/* First bytes of an image with a path: this text, the path of the library. */
#define EMULATED_LIBRARY "emulated library\n"
#define EMULATED_CALLS "emulated_cuda" /* the module's pointer to the table of calls */

/* No header is included, because an operator's text defines fixed-width types of its own. */
typedef unsigned long long emulated_word;

typedef struct emulated_image {
  char magic[sizeof EMULATED_MAGIC];
  emulated_word bytes;
} emulated_image;

/* The place of a lane in its grid. */
typedef struct emulated_place {
  unsigned item, group, groups, dynamic_bytes;
} emulated_place;

/* The operations of a whole warp. */
enum emulated_exchange {
  EMULATED_UP,
  EMULATED_DOWN,
  EMULATED_XOR,
  EMULATED_FROM,
  EMULATED_ALL,
  EMULATED_BALLOT,
  EMULATED_SYNC
};

/* The calls of a lane. `what` is the kernel's text for an mbarrier, for the report of a deadlock. */
typedef struct emulated_calls {
  const emulated_place *(*place)(void);
  unsigned char *(*dynamic_shared)(void);
  /* all 32 lanes take part; `which` is a shuffle's distance, mask or lane */
  unsigned (*exchange)(enum emulated_exchange kind, unsigned mask, unsigned value, unsigned which);
  /* bar.sync; items == 0 means the whole block */
  void (*barrier)(unsigned id, unsigned items);
  /* barrier of the whole block; 1 if any lane passed x != 0 */
  unsigned (*barrier_any)(unsigned x);
  /* mbarrier of the PTX ISA: a phase is over when no arrivals and no expected bytes are pending */
  void (*phase_init)(emulated_word *b, unsigned arrivals);
  void (*phase_arrive)(emulated_word *b, unsigned arrivals, unsigned expected_bytes);
  unsigned (*phase_is_over)(emulated_word *b, unsigned parity);
  void (*phase_wait)(emulated_word *b, unsigned parity, const char *what);
  /* asynchronous copies: cp.async.bulk, which completes its bytes on b; cp.async of 16 bytes; the wait or the arrival
   * for the lane's earlier cp.async copies */
  void (*copy_bulk)(void *to, const void *from, unsigned bytes, emulated_word *b);
  void (*copy_16)(void *to, const void *from);
  void (*copies_wait)(void);
  void (*copies_arrive)(emulated_word *b);
  /* descriptors; a second load of the same word lets other lanes run first */
  emulated_word (*word_load)(volatile emulated_word *p);
  void (*word_store)(volatile emulated_word *p, emulated_word w);
  /* like word_load and word_store, for `count` halves of words */
  void (*halves_load)(const unsigned *p, unsigned *halves, int count);
  void (*halves_store)(unsigned *p, const unsigned *halves, int count);
} emulated_calls;

#endif
