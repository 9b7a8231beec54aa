/* SPDX-License-Identifier: BSD-2-Clause */
/* The element type of a predicate, and its parameters, which each launch passes as words. */
#ifndef SCANRT_CL_SELECT_PARAMS_H
#define SCANRT_CL_SELECT_PARAMS_H

#define SEED_PARAMETERS                                                                                                \
  , scanrt_u64 word1, scanrt_u64 word2, scanrt_u64 word3, scanrt_u64 word4, scanrt_u64 word5, scanrt_u64 word6,        \
      scanrt_u64 word7

typedef union scanrt_keep_params {
  scanrt_u64 word[8];
  SCAN_SOURCE_OUTPUT_T p;
} scanrt_keep_params;
typedef SCAN_SOURCE_INPUT_T scanrt_keep_element_t;

#define PARAMS()                                                                                                       \
  scanrt_keep_params params;                                                                                           \
  params.word[0] = seed_bits, params.word[1] = word1, params.word[2] = word2, params.word[3] = word3;                  \
  params.word[4] = word4, params.word[5] = word5, params.word[6] = word6, params.word[7] = word7
#endif
