/* SPDX-License-Identifier: BSD-2-Clause */
/** @file context.c @brief Creates and keeps the contexts of cases with a tuning or a number of threads. */
#define _POSIX_C_SOURCE 200809L
#include "parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char VARIABLE[] = "SCANRT_TUNE";

/* ---- draws ---- */

/** Tunings that need no extra kernels, or kernels that the driver compiles quickly. */
static const struct {
  scan_backend backend;
  const char *tune;
} tunings[] = {
  { SCAN_BACKEND_HOST, "register_bytes=16" },
  { SCAN_BACKEND_HOST, "register_bytes=32,one_thread_bytes=0" },
  { SCAN_BACKEND_HOST, "register_bytes=16,one_thread_bytes=0,parts_bytes=0" },
  { SCAN_BACKEND_HOST, "one_thread_bytes=0" },
  { SCAN_BACKEND_HOST, "one_thread_bytes=0,parts_bytes=0" },
  { SCAN_BACKEND_HOST, "one_thread_bytes=1000000000" },
  { SCAN_BACKEND_CUDA, "most_groups=1" },
  { SCAN_BACKEND_CUDA, "most_groups=2,stages=4" },
  { SCAN_BACKEND_CUDA, "most_groups=3" },
  { SCAN_BACKEND_CUDA, "shared_bytes=101376" },
#ifndef SCANRT_FEW_CUDA_IMAGES
  { SCAN_BACKEND_CUDA, "image=80,shared_bytes=101376" },
#endif
  { SCAN_BACKEND_CUDA, "sort_sweeps=0" },
  { SCAN_BACKEND_CUDA, "sort_parts=3" },
};
enum { TUNINGS = sizeof tunings / sizeof tunings[0], MOST_THREADS = 5 };

void case_draw_context(const case_limits *limits, scan_case *c) {
  case_draw d = { .seed = c->seed + 77 };
  if (!limits->backend || !draw_one_in(&d, 8)) return;
  const size_t i = draw_below(&d, TUNINGS);
  if (limits->backend == SCAN_BACKEND_HOST && draw_one_in(&d, 4))
    c->threads = 1 + (uint32_t)draw_below(&d, MOST_THREADS);
  if (tunings[i].backend == limits->backend) strcpy(c->tune, tunings[i].tune);
}

/* ---- contexts ---- */

static int is_plain(const scan_case *c) { return !*c->tune && !c->threads; }

/** Creates a context with $SCANRT_TUNE set to the case's tuning, then restores the variable. */
static scan_status context_make(const char *device, const scan_case *c, scan_ctx **ctx) {
  const char *now = getenv(VARIABLE);
  char *before = now ? strdup(now) : NULL;
  scan_ctx_options options = SCAN_CTX_OPTIONS_INIT;
  options.device = device;
  options.threads = c->threads;
  if (*c->tune && setenv(VARIABLE, c->tune, 1) != 0) return SCAN_OUT_OF_MEMORY;
  const scan_status status = scan_ctx_create(&options, ctx);
  if (before)
    (void)setenv(VARIABLE, before, 1);
  else
    (void)unsetenv(VARIABLE);
  free(before);
  return status;
}

static void close_one(case_contexts *contexts, unsigned i) {
  case_functions_destroy(&contexts->others[i].functions);
  scan_ctx_destroy(contexts->others[i].ctx);
  contexts->others[i].ctx = NULL;
}

void case_contexts_close(case_contexts *contexts) {
  for (unsigned i = 0; i < CASE_CONTEXTS; i++) close_one(contexts, i);
  case_functions_destroy(&contexts->functions);
}

/** Finds the case's context or makes it. @param[out] slot  its index in contexts->others */
static scan_status context_find(case_contexts *contexts, const scan_case *c, unsigned *slot) {
  for (*slot = 0; *slot < CASE_CONTEXTS; ++*slot)
    if (contexts->others[*slot].ctx && contexts->others[*slot].threads == c->threads &&
        strcmp(contexts->others[*slot].tune, c->tune) == 0)
      return SCAN_SUCCESS;
  *slot = contexts->made++ % CASE_CONTEXTS;
  close_one(contexts, *slot);
  contexts->others[*slot].threads = c->threads;
  strcpy(contexts->others[*slot].tune, c->tune);
  return context_make(contexts->device, c, &contexts->others[*slot].ctx);
}

scan_status case_run_on(case_contexts *contexts, scan_case *c, char words[CASE_WORDS_BYTES]) {
  unsigned slot;
  if (is_plain(c)) return case_run(contexts->plain, &contexts->functions, c, words);
  const scan_status status = context_find(contexts, c, &slot);
  if (status == SCAN_SUCCESS) return case_run(contexts->others[slot].ctx, &contexts->others[slot].functions, c, words);
  snprintf(words, CASE_WORDS_BYTES, "%s", scan_last_error(NULL));
  return status;
}
