/* SPDX-License-Identifier: BSD-2-Clause */
/* The names of kernels for scanrt/device/words.h, which users' kernels include, too. */
#ifndef SCANRT_CL_WORDS_H
#define SCANRT_CL_WORDS_H

#include "lib/dialect.h"

#define SCANRT_SPLIT SCAN_SPLIT
#define SCANRT_COUNT_LOAD(pointer) ATOMIC_LOAD(pointer)
#if SCAN_SPLIT
#define SCANRT_WORD_STORE(pointer, word) ATOMIC_STORE((pointer), (word))
#define SCANRT_WORD_LOAD(pointer) ATOMIC_LOAD(pointer)
#else
#define SCANRT_WORD_STORE(pointer, word) scanrt_word_store((pointer), (word))
#define SCANRT_WORD_LOAD(pointer) scanrt_word_load(pointer)
#endif
#include "scanrt/device/words.h"
#endif
