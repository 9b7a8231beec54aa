/* SPDX-License-Identifier: BSD-2-Clause */
/** @file
 * The descriptors of look-back: those of scanrt/device/lookback.h and those of the library's own kernels
 * (kernels_cl/lib/descriptor_words.h).
 *
 * A descriptor is one word or several. Each has a part of a value in its low half and the launch's epoch in its high
 * half. Both travel in one access, and each word is valid by itself, so that words need no ordering. A word of another
 * epoch means "not there yet".
 *
 * Define before it is included:
 * SCANRT_SPLIT (0, 1): words have 32 bits, else 64
 * and before a macro is used:
 * SCANRT_WORD_STORE(p, x), SCANRT_WORD_LOAD(p): relaxed accesses of device scope to a word
 * SCANRT_COUNT_LOAD(p): that to a number of 32 bits */
#ifndef SCANRT_DEVICE_WORDS_H
#define SCANRT_DEVICE_WORDS_H

/* The parts of a value of `bytes` bytes, and part k of its words of 32 bits, w.word. */
#if SCANRT_SPLIT
#define SCANRT_WORD_HALF 16
#define SCANRT_WORD_PARTS(bytes) (((bytes) + 1) / 2)
#define SCANRT_WORD_PART(w, k) ((w).word[(k) / 2] >> (16 * ((k) % 2)) & 0xffffu)
#define SCANRT_WORD_JOIN(w, k, part) ((w).word[(k) / 2] |= ((part)&0xffffu) << (16 * ((k) % 2)))
#else
#define SCANRT_WORD_HALF 32
#define SCANRT_WORD_PARTS(bytes) (((bytes) + 3) / 4)
#define SCANRT_WORD_PART(w, k) ((w).word[k])
#define SCANRT_WORD_JOIN(w, k, part) ((w).word[k] = (unsigned)(part))
#endif

/* STEP for each of `count` words, at most 33. Written out, since some devices count iterations of loops. */
/* clang-format off */
#define SCANRT_WORDS_EACH(STEP, count)                                                                                 \
  STEP(0, count) STEP(1, count) STEP(2, count) STEP(3, count) STEP(4, count) STEP(5, count) STEP(6, count)              \
  STEP(7, count) STEP(8, count) STEP(9, count) STEP(10, count) STEP(11, count) STEP(12, count) STEP(13, count)          \
  STEP(14, count) STEP(15, count) STEP(16, count) STEP(17, count) STEP(18, count) STEP(19, count) STEP(20, count)       \
  STEP(21, count) STEP(22, count) STEP(23, count) STEP(24, count) STEP(25, count) STEP(26, count) STEP(27, count)       \
  STEP(28, count) STEP(29, count) STEP(30, count) STEP(31, count) STEP(32, count)
/* clang-format on */

/* Steps. They use variables of the function around them:
 *     at: the descriptor; word: its words, loaded; w: the value's words
 *     flag: the epoch in the high half of a word; is_there: 1 before the first step, and then if all are of `epoch` */
#define SCANRT_WORDS_PUT(k, count)                                                                                     \
  if ((k) < (count)) SCANRT_WORD_STORE(at + (k), flag | SCANRT_WORD_PART(w, (k) % (count)));
#define SCANRT_WORDS_LOAD(k, count)                                                                                    \
  if ((k) < (count)) word[(k) % (count)] = SCANRT_WORD_LOAD(at + (k));
#define SCANRT_WORDS_CHECK(k, count)                                                                                   \
  if ((k) < (count)) is_there &= (unsigned)(word[(k) % (count)] >> SCANRT_WORD_HALF) == epoch;
#define SCANRT_WORDS_JOIN(k, count)                                                                                    \
  if ((k) < (count)) SCANRT_WORD_JOIN(w, (k) % (count), word[(k) % (count)]);

/* 1 if a wait ends after so many polls: it has reached its bound, or another work-group has set *error. A macro, since
 * nvcc joins the two conditions of a function's result. */
#define SCANRT_WAIT_ENDS(polls, most, error) ((polls) >= (most) || ((polls) % 1024 == 0 && SCANRT_COUNT_LOAD(error)))

#endif
