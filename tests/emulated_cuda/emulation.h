/* SPDX-License-Identifier: BSD-2-Clause */
/* Between kernels that the C++ compiler made machine code of and what runs them on the processor: the calls of a lane,
 * and the image in which the stand-in for NVRTC hands a module to the fake driver. Read as C and as C++. */
#ifndef SCANRT_TESTS_EMULATION_H
#define SCANRT_TESTS_EMULATION_H

/* An image: this, the size of the shared library in bytes, the library. */
#define EMULATED_MAGIC "emulated cubin\n"
/* Another one: this and the path of the library. */
#define EMULATED_LIBRARY "emulated library\n"
#define EMULATED_CALLS "emulated_cuda" /* the module's variable that points to the calls */

/* No headers here: an operator's text has fixed-width types of its own. */
typedef unsigned long long emulated_word;

typedef struct emulated_image {
  char magic[sizeof EMULATED_MAGIC];
  emulated_word bytes;
} emulated_image;

/* Where a lane is in its grid. */
typedef struct emulated_place {
  unsigned item, group, groups, dynamic_bytes;
} emulated_place;

/* What a warp does together. */
enum emulated_exchange {
  EMULATED_UP,
  EMULATED_DOWN,
  EMULATED_XOR,
  EMULATED_FROM,
  EMULATED_ALL,
  EMULATED_BALLOT,
  EMULATED_SYNC
};

/* `what` is the kernel's text for what is waited for, told where nobody goes on. */
typedef struct emulated_calls {
  const emulated_place *(*place)(void);
  unsigned char *(*dynamic_shared)(void);
  /* all 32 lanes of a warp; of a shuffle `which` is the distance, mask or lane */
  unsigned (*exchange)(enum emulated_exchange kind, unsigned mask, unsigned value, unsigned which);
  /* bar.sync; items 0: all of the block */
  void (*barrier)(unsigned id, unsigned items);
  /* of all of the block: whether any has x */
  unsigned (*barrier_any)(unsigned x);
  /* mbarrier, as the PTX ISA has it: pending arrivals and bytes expected, a phase is over when both are 0 */
  void (*phase_init)(emulated_word *b, unsigned arrivals);
  void (*phase_arrive)(emulated_word *b, unsigned arrivals, unsigned expected_bytes);
  unsigned (*phase_is_over)(emulated_word *b, unsigned parity);
  void (*phase_wait)(emulated_word *b, unsigned parity, const char *what);
  /* copies that are done later: cp.async.bulk, which completes its bytes on b; cp.async, and waiting or arriving for
   * those of the lane so far */
  void (*copy_bulk)(void *to, const void *from, unsigned bytes, emulated_word *b);
  void (*copy_16)(void *to, const void *from);
  void (*copies_wait)(void);
  void (*copies_arrive)(emulated_word *b);
  /* descriptors: a lane that reads the same again lets others go first */
  emulated_word (*word_load)(volatile emulated_word *p);
  void (*word_store)(volatile emulated_word *p, emulated_word w);
  /* the same of `count` halves of words */
  void (*halves_load)(const unsigned *p, unsigned *halves, int count);
  void (*halves_store)(unsigned *p, const unsigned *halves, int count);
} emulated_calls;

#endif
