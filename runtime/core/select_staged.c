/* SPDX-License-Identifier: BSD-2-Clause */
/* Compaction: a run, start to end; host memory is copied in before and out after. */
#include <string.h>

#include "base/log.h"
#include "core/select_run.h"
#include "core/staged.h"

static void list_parts(scan_ctx *ctx, const scan_select_form *form, scan_select_run *run, scan_part_list *in,
                       scan_part_list *out) {
  in->count = out->count = 0;
  scan_part_add(ctx, in, &run->memory.marks, scan_select_mark_bytes(form, run->n), 0, 0);
  scan_part_add(ctx, in, &run->values, scan_select_value_bytes(run), 0, 0);
  for (uint32_t a = 0; a < form->arrays; a++) {
    scan_part_add(ctx, in, &run->memory.in[a], scan_select_in_bytes(form, run, a), form->bytes[a], 0);
    for (int is_rest = 0; is_rest < 2; is_rest++)
      scan_part_add(ctx, out, is_rest ? &run->memory.rest[a] : &run->memory.out[a],
                    scan_select_out_bytes(form, run, a, is_rest), form->bytes[a], is_rest);
  }
}

/* Elements that a side of the outputs has got. */
static uint64_t written(const scan_select_form *form, const scan_select_run *run, uint64_t n, uint64_t kept,
                        int is_rest) {
  const uint64_t room = scan_select_out_items(form, run, is_rest), all = form->rest == SCAN_REST_BEHIND ? n : kept;
  const uint64_t items = is_rest ? n - kept : all;
  return items < room ? items : room;
}

static scan_status copy_out(scan_ctx *ctx, const scan_select_form *form, const scan_select_run *run,
                            const scan_part_list *out, uint64_t kept) {
  uint64_t n = run->n;
  if (run->memory.n_from.kind != SCAN_MEM_NONE) SCAN_TRY(scan_number_read(ctx, run->memory.n_from, &n));
  if (n > run->n) n = run->n;
  for (int i = 0; i < out->count; i++) {
    const scan_part *p = &out->of[i];
    SCAN_TRY(scan_part_read(ctx, p, written(form, run, n, kept, p->is_rest)));
  }
  return SCAN_SUCCESS;
}

/* Launches and waits. A scan's look-back that gave up is tried once more, by what its plan takes then, where the fault
 * is this run's: what it reads is as it was. */
static scan_status launch_and_wait(scan_plan *plan, const scan_select_run *run) {
  scan_ctx *ctx = plan->ctx;
  const int is_alone = run->reduced != NULL && scan_plans_are_checked(ctx) && !plan->recordable;
  scan_error before;
  scan_error_copy(&before, &ctx->error);
  SCAN_TRY(scan_select_launch(plan, run));
  scan_status status = scan_plans_wait(ctx);
  if (status != SCAN_NO_PROGRESS || !is_alone || plan->each->second == NULL) return status;
  scan_log(SCAN_LOG_INFO, "%s; scanning again", ctx->error.text);
  SCAN_TRY(scan_select_launch(plan, run));
  status = scan_plans_wait(ctx);
  if (status == SCAN_SUCCESS) scan_error_copy(&ctx->error, &before);
  return status;
}

/* With memory of the host's, start to end. Keys may be the array that is moved: each is staged by itself. */
static scan_status run_staged(scan_plan *plan, scan_select_run *run) {
  scan_ctx *ctx = plan->ctx;
  const scan_select_form *form = &plan->select->form;
  const scan_mem count = run->memory.count;
  scan_part_list in, out;
  uint64_t kept = 0;
  list_parts(ctx, form, run, &in, &out);
  const int counts_in_place = scan_select_counts_in_place(run); /* n is read once more, by copy_out */
  if (scan_mem_is_staged(ctx, count) || counts_in_place) run->memory.count = SCAN_NO_MEM;
  SCAN_TRY(scan_parts_place(ctx, &ctx->out, &out));
  SCAN_TRY(scan_parts_place(ctx, &ctx->in, &in));
  SCAN_TRY(scan_parts_write(ctx, &in));
  const scan_status status = launch_and_wait(plan, run);
  if (status != SCAN_SUCCESS && status != SCAN_OVERFLOW) return status;
  const int is_told = run->memory.count.kind != SCAN_MEM_NONE;
  SCAN_TRY(scan_number_read(ctx, is_told ? run->memory.count : scan_region_of(plan, SCAN_REGION_KEEP), &kept));
  SCAN_TRY(copy_out(ctx, form, run, &out, kept));
  if (counts_in_place) SCAN_TRY(ctx->ops->write(ctx->device, count, &kept, sizeof kept, &ctx->error));
  if (scan_mem_is_staged(ctx, count)) memcpy(scan_mem_bytes(count), &kept, sizeof kept);
  return status;
}

static int is_staged(scan_ctx *ctx, const scan_select_form *form, scan_select_run *run) {
  scan_part_list in, out;
  list_parts(ctx, form, run, &in, &out);
  return in.count > 0 || out.count > 0 || scan_mem_is_staged(ctx, run->memory.count);
}

static scan_status count_nothing(scan_ctx *ctx, const scan_select_run *run) {
  const scan_mem count = run->memory.count;
  if (count.kind == SCAN_MEM_NONE) return SCAN_SUCCESS;
  if (count.kind != SCAN_MEM_HOST) return ctx->ops->fill(ctx->device, count, 0, sizeof(uint64_t), &ctx->error);
  memset(scan_mem_bytes(count), 0, sizeof(uint64_t));
  return SCAN_SUCCESS;
}

scan_status scan_select_go(scan_ctx *ctx, const scan_select_form *form, scan_plan *plan, scan_select_run *run,
                           const scan_opencl_events *events) {
  SCAN_TRY(scan_events_wait(ctx, events));
  if (plan != NULL && ctx->ops->id == SCAN_BACKEND_CUDA && !is_staged(ctx, form, run)) plan->recordable = 1;
  if (plan == NULL)
    SCAN_TRY(count_nothing(ctx, run));
  else if (is_staged(ctx, form, run))
    SCAN_TRY(run_staged(plan, run));
  else
    SCAN_TRY(scan_select_launch(plan, run));
  return scan_events_leave(ctx, events);
}
