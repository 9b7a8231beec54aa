/* SPDX-License-Identifier: BSD-2-Clause */
/* An error text. The first function to detect a fault words it; callers only forward. */
#ifndef SCANRT_ERROR_H
#define SCANRT_ERROR_H

#include <scanrt/scan.h>
#include <string.h>

enum { SCAN_ERROR_BYTES = 2048 };

typedef struct scan_error {
  char text[SCAN_ERROR_BYTES];
} scan_error;

/* Words a fault and evaluates to `status`, so that a caller can write `return scan_fail(...)`. It is a macro so that
 * compilers and analysers see that the result is not SCAN_SUCCESS. */
#define scan_fail(error, status, ...) (scan_fail_words((error), (status), __VA_ARGS__), (status))

void scan_fail_words(scan_error *error, scan_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Returns the status of a call that failed. Use it only while nothing is held that the return would leak. */
#define SCAN_TRY(call)                                                                                                 \
  do {                                                                                                                 \
    const scan_status tried_ = (call);                                                                                 \
    if (tried_ != SCAN_SUCCESS) return tried_;                                                                         \
  } while (0)

/* Refuses a name that names no `what` ("type", "operator"), or a NULL `place`, in the thread's error text. */
scan_status scan_fail_name(const char *call, const char *name, const char *what, const void *place);

/* Copies an error text. A caller that recovers from a fault restores the text from before it. */
static inline void scan_error_copy(scan_error *to, const scan_error *from) {
  memcpy(to->text, from->text, strlen(from->text) + 1);
}

/* The error slot of the calling thread, for calls without a context. */
scan_error *scan_thread_error(void);

#endif
