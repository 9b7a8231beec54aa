/* SPDX-License-Identifier: BSD-2-Clause */
/* The hidden plans of compactions. While threads compile the one launch that a predicate from source is compacted in, a
 * plan of several launches answers, whose program compiles in a tenth of the time. */
#include <string.h>

#include "core/launch.h"
#include "ops/scan/scan_plan.h"
#include "ops/select/select_run.h"

/* Makes the key that a compaction's hidden plan is found by. */
static void make_key(const scan_select_form *form, const scan_reduced *reduced, scan_key *key) {
  if (reduced != NULL)
    scan_problem_key(&reduced->problem, reduced->strategy, key);
  else
    scan_key_start(key);
  scan_key_add_text(key, "select");
  scan_key_add(key, form, sizeof *form);
}

/* Finds or makes the hidden plan of a key. */
static scan_status find_or_make(scan_ctx *ctx, const scan_select_form *form, const scan_reduced *reduced, uint64_t n,
                                int is_portable, const scan_key *key, scan_plan **result) {
  *result = scan_plan_find(ctx, key, n);
  if (*result != NULL) return SCAN_SUCCESS;
  uint64_t max_n = scan_plan_hidden_n(n);
  scan_error before;
  scan_error_copy(&before, &ctx->error);
  const int is_too_large = scan_select_count_check(ctx, form, max_n, "n") != SCAN_SUCCESS ||
                           (form->pass == SCAN_PASS_BOTH && !scan_select_partitions(&ctx->caps, form, max_n));
  if (is_too_large || (reduced != NULL && ctx->caps.loop_limit != 0)) max_n = n;
  scan_error_copy(&ctx->error, &before);
  SCAN_TRY(scan_select_plan_make_hidden(ctx, form, reduced, max_n, n, is_portable, result));
  scan_plan_hide(*result, key);
  return SCAN_SUCCESS;
}

/* ---- while kernels are compiled ---- */

enum { MOST_KEYS = 8, ALONE = 2 }; /* ALONE: scan_tuning.background, nothing is compiled in the background */

/* Adds a key of an operator from source, unless its kernel is in the list. Returns the list's length. */
static int key_add(const scan_kernel_key *key, scan_kernel_key keys[MOST_KEYS], int count) {
  for (int i = 0; i < count; i++)
    if (keys[i].subtiles == key->subtiles && strcmp(keys[i].kernel, key->kernel) == 0) return count;
  if (key->source == NULL || count == MOST_KEYS) return count;
  keys[count] = *key;
  return count + 1;
}

/* Lists the kernels from source of one launch over few or many elements. */
static int list_pipelined(const scan_ctx *ctx, const scan_select_form *form, uint64_t n,
                          scan_kernel_key keys[MOST_KEYS]) {
  scan_launch steps[SCAN_SELECT_MOST_STEPS];
  const uint64_t sizes[] = { 1, n };
  int listed = 0;
  for (int i = 0; i < 4; i++) {
    const scan_select_variant chosen = { .is_pipelined = 1, .is_fused = i % 2 };
    const int count = scan_select_steps(&ctx->caps, form, chosen, sizes[i / 2], steps);
    for (int k = 0; k < count; k++) {
      const scan_kernel_key key = scan_launch_key(&steps[k], NULL);
      listed = key_add(&key, keys, listed);
    }
  }
  return listed;
}

/* Returns the state of the kernels. Compiled ones are loaded, and stay so for the plan that is made next. */
static scan_compile_state compile_state(scan_ctx *ctx, const scan_kernel_key *keys, int count) {
  scan_kernel *kernels[MOST_KEYS];
  const scan_compile_state state = ctx->ops->kernels_take(ctx->device, keys, count, kernels);
  if (state == SCAN_COMPILE_DONE)
    while (count > 0) ctx->ops->kernel_destroy(ctx->device, kernels[--count]);
  return state;
}

/* 1 if a plan of several launches is to answer: the kernels of one launch are not compiled yet. Begins to compile them
 * unless has_begun, and leaves those that do not compile to that plan. In place that plan would need a copy of the
 * elements, and is not made. */
static int must_wait(scan_ctx *ctx, const scan_select_form *form, uint64_t n, int has_begun) {
  const uint32_t background = ctx->caps.tuning.background;
  scan_kernel_key keys[MOST_KEYS];
  if (ctx->ops->kernels_begin == NULL || background == 0 || form->pass != 0 || form->in_place ||
      !scan_select_is_pipelined(&ctx->caps, form))
    return 0;
  const int count = list_pipelined(ctx, form, scan_plan_hidden_n(n), keys);
  if (count == 0 || ctx->ops->kernels_are_kept(ctx->device, keys, count)) return 0;
  if (background == ALONE) return 1;
  if (!has_begun && !ctx->ops->kernels_begin(ctx->device, keys, count)) return 0;
  return compile_state(ctx, keys, count) != SCAN_COMPILE_DONE;
}

scan_status scan_select_lookup(scan_ctx *ctx, const scan_select_form *form, const scan_reduced *reduced, uint64_t n,
                               scan_plan **result) {
  scan_key key, portable;
  make_key(form, reduced, &key);
  *result = scan_plan_find(ctx, &key, n);
  if (*result != NULL) return SCAN_SUCCESS;
  if (form->predicate == NULL || reduced != NULL) return find_or_make(ctx, form, reduced, n, 0, &key, result);
  portable = key;
  scan_key_add_text(&portable, "portable");
  const int is_portable = must_wait(ctx, form, n, scan_plan_find(ctx, &portable, n) != NULL);
  return find_or_make(ctx, form, NULL, n, is_portable, is_portable ? &portable : &key, result);
}
