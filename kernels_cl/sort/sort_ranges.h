/* SPDX-License-Identifier: BSD-2-Clause */
/* Stable sort by work-groups of one work-item (sort_ranges.cl): geometry and layout for kernels and host. A sample of
 * the keys divides their values into ranges of about as many keys each. Two launches move the keys to their ranges,
 * and a work-item then sorts a range in its cache. */
#ifndef SCANRT_CL_SORT_RANGES_H
#define SCANRT_CL_SORT_RANGES_H

/* The most ranges, the fewest keys of a range on average, and the keys that are sampled. */
#define RANGES_MOST 256
#define RANGES_LEAST_ITEMS 64
#define RANGES_SAMPLE 1024
/* Steps of equal width that the values between the least and the largest key of the sample are divided into. */
#define RANGES_STEPS 2048
/* Keys alone of up to so many values are counted and written anew. */
#define RANGES_VALUES 8

/* Values of RANGES_WORD_KIND: what a few of the keys look like. */
#define RANGES_NO_ORDER 0
#define RANGES_RISE 1   /* no key is above the next one */
#define RANGES_FALL 2   /* each key is above the next one */
#define RANGES_VALUED 3 /* keys alone of RANGES_WORD_VALUE_COUNT values */
#define RANGES_BYTES 4  /* keys alone of one byte */

/* The layout of `digits`, in 64-bit words. */
#define RANGES_WORD_KIND 0
#define RANGES_WORD_LOW 1   /* the least value of the first step; */
#define RANGES_WORD_SHIFT 2 /* the logarithm of a step's width */
#define RANGES_WORD_VALUE_COUNT 3
#define RANGES_WORD_VALUES 4                                   /* the keys' values in order */
#define RANGES_WORD_LEFT (RANGES_WORD_VALUES + RANGES_VALUES)  /* ranges that are still to be sorted */
#define RANGES_WORD_TICKET (RANGES_WORD_LEFT + 1)              /* its lower half: ranges that work-items have claimed */
#define RANGES_WORD_STARTS (RANGES_WORD_TICKET + 1)            /* where each range begins, and the number of keys */
#define RANGES_WORD_MAP (RANGES_WORD_STARTS + RANGES_MOST + 1) /* the range of each step, a byte each */
/* For each tile 1 if its keys are of the kind, else 0. */
#define RANGES_WORD_HOLDS (RANGES_WORD_MAP + RANGES_STEPS / 8)
#define RANGES_WORDS(tiles) (RANGES_WORD_HOLDS + (tiles))

/* The workspace has RANGES_MOST numbers of 32 bits for each tile: the keys of each range, or of each value. */
#define RANGES_COUNT_BYTES(tiles) ((tiles)*RANGES_MOST * 4)

/* The last launch has memory for each work-item in their place, which stays in its cache: twice the keys of a range and
 * their values, `each` bytes. Larger ranges, which few are, are sorted between the output and the spare memory. */
#define RANGES_OWN_MOST(each) ((256u << 10) / (each) / 64 * 64)
#define RANGES_OWN_ITEMS(n, each) ((n) / 64 < RANGES_OWN_MOST(each) ? (n) / 64 / 64 * 64 + 64 : RANGES_OWN_MOST(each))
#define RANGES_OWN_BYTES(n, each) (RANGES_OWN_ITEMS(n, each) * 2 * (each))
#endif
