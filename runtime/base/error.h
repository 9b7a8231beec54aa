/* SPDX-License-Identifier: BSD-2-Clause */
/* What went wrong, in words. The first function to detect a fault words it; callers only forward. */
#ifndef SCANRT_ERROR_H
#define SCANRT_ERROR_H

#include <scanrt/scan.h>
#include <string.h>

enum { SCAN_ERROR_BYTES = 2048 };

typedef struct scan_error {
  char text[SCAN_ERROR_BYTES];
} scan_error;

/* Words a fault and is `status`, so that a caller can write `return scan_fail(...)`; a macro, so that compilers and
 * analysers see that it is not SCAN_SUCCESS. */
#define scan_fail(error, status, ...) (scan_fail_words((error), (status), __VA_ARGS__), (status))

void scan_fail_words(scan_error *error, scan_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Forwards the status of a call that failed, where nothing is held that the return would leak. */
#define SCAN_TRY(call)                                                                                                 \
  do {                                                                                                                 \
    const scan_status tried_ = (call);                                                                                 \
    if (tried_ != SCAN_SUCCESS) return tried_;                                                                         \
  } while (0)

/* SCAN_INVALID_ARGUMENT in the thread's words: a text that names no such thing ("type", "operator"), or no place for
 * the answer. */
scan_status scan_fail_name(const char *call, const char *name, const char *what, const void *place);

/* Copies the words. A call that goes around a fault keeps a copy of the words from before it, and puts them back. */
static inline void scan_error_copy(scan_error *to, const scan_error *from) {
  memcpy(to->text, from->text, strlen(from->text) + 1);
}

/* The error slot of the calling thread, for calls without a context. */
scan_error *scan_thread_error(void);

#endif
