/* SPDX-License-Identifier: BSD-2-Clause */
/* Kernels run in the default floating-point environment, whatever the application set for its own arithmetic: rounding
 * to nearest, denormals kept, no traps. Otherwise results would depend on it, and on the thread that scanned a part. */
#ifndef SCANRT_HOST_FLOAT_H
#define SCANRT_HOST_FLOAT_H

#include <fenv.h>
#include <stdint.h>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

/* 1 if the calling thread's environment is the default one, apart from flags of past exceptions. Reading two registers
 * takes 2 ns; fegetenv takes 30. */
static inline int host_float_is_default(void) {
#if defined(__SSE2__)
  enum { DEFAULT = 0x1F80, FLAGS = 0x3F, DEFAULT_X87 = 0x037F };
  uint16_t x87;
  __asm__ __volatile__("fnstcw %0" : "=m"(x87)); /* for long double in an application's functions */
  return (_mm_getcsr() & ~(unsigned)FLAGS) == DEFAULT && x87 == DEFAULT_X87;
#elif defined(__aarch64__)
  uint64_t control;
  __asm__ __volatile__("mrs %0, fpcr" : "=r"(control));
  return control == 0;
#else
  return 0;
#endif
}

/* The state to restore in host_float_leave. */
typedef struct host_float {
  int is_changed;
  fenv_t saved;
} host_float;

static inline void host_float_enter(host_float *f) {
  f->is_changed = !host_float_is_default();
  if (__builtin_expect(!f->is_changed, 1)) return;
  (void)fegetenv(&f->saved);
  (void)fesetenv(FE_DFL_ENV);
}

/* Restores the thread's environment. */
static inline void host_float_leave(const host_float *f) {
  if (__builtin_expect(f->is_changed, 0)) (void)fesetenv(&f->saved);
}

#endif
