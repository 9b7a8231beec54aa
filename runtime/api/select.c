/* SPDX-License-Identifier: BSD-2-Clause */
/* Compaction: a call checks, finds its plan and launches; host memory is copied in before and out after. */
#include <scanrt/scan_select.h>

#include <inttypes.h>
#include <string.h>

#include "core/events.h"
#include "core/select_run.h"

/* ---- host memory ---- */

/* Parts of one piece of staging memory begin at multiples of it. */
enum { PART_ALIGN = 256 };

static uint64_t part_bytes(uint64_t bytes) { return (bytes + PART_ALIGN - 1) / PART_ALIGN * PART_ALIGN; }

/* A memory of a run that may be the host's. */
typedef struct part {
  scan_mem *mem; /* in the copy that is launched */
  scan_mem host; /* as the caller named it */
  uint64_t item_bytes, bytes;
  int is_rest; /* of outputs: which */
} part;

enum { MOST_PARTS = 2 * SCAN_SELECT_MOST_ARRAYS + 1 };

typedef struct part_list {
  part of[MOST_PARTS];
  int count;
} part_list;

static void add(scan_ctx *ctx, part_list *list, scan_mem *mem, uint64_t items, uint64_t item_bytes, int is_rest) {
  if (items > 0 && scan_mem_is_staged(ctx, *mem))
    list->of[list->count++] = (part){ mem, *mem, item_bytes, items * item_bytes, is_rest };
}

static void list_parts(scan_ctx *ctx, const scan_select_form *form, scan_select_run *run, part_list *in,
                       part_list *out) {
  in->count = out->count = 0;
  add(ctx, in, &run->memory.marks, 1, scan_select_mark_bytes(form, run->n), 0);
  for (uint32_t a = 0; a < form->arrays; a++) {
    if (form->index_type == 0) add(ctx, in, &run->memory.in[a], run->n, form->bytes[a], 0);
    for (int is_rest = 0; is_rest < 2; is_rest++)
      add(ctx, out, is_rest ? &run->memory.rest[a] : &run->memory.out[a], scan_select_out_items(form, run, is_rest),
          form->bytes[a], is_rest);
  }
}

/* Gives each part its place in the staging memory. */
static scan_status place_parts(scan_ctx *ctx, scan_staging *staging, part_list *list) {
  uint64_t bytes = 0, at = 0;
  scan_mem whole;
  for (int i = 0; i < list->count; i++) bytes += part_bytes(list->of[i].bytes);
  if (bytes == 0) return SCAN_SUCCESS;
  SCAN_TRY(scan_staging_reserve(ctx, staging, bytes, &whole));
  for (int i = 0; i < list->count; i++) {
    *list->of[i].mem = whole;
    list->of[i].mem->offset_bytes += at;
    at += part_bytes(list->of[i].bytes);
  }
  return SCAN_SUCCESS;
}

static scan_status read_number(scan_ctx *ctx, scan_mem mem, uint64_t *number) {
  return ctx->ops->read(ctx->device, mem, number, sizeof *number, &ctx->error);
}

/* Elements that a side of the outputs has got. */
static uint64_t written(const scan_select_form *form, const scan_select_run *run, uint64_t n, uint64_t kept,
                        int is_rest) {
  const uint64_t room = scan_select_out_items(form, run, is_rest), all = form->rest == SCAN_REST_BEHIND ? n : kept;
  const uint64_t items = is_rest ? n - kept : all;
  return items < room ? items : room;
}

static scan_status copy_out(scan_ctx *ctx, const scan_select_form *form, const scan_select_run *run,
                            const part_list *out, uint64_t kept) {
  uint64_t n = run->n;
  if (run->memory.n_from.kind != SCAN_MEM_NONE) SCAN_TRY(read_number(ctx, run->memory.n_from, &n));
  if (n > run->n) n = run->n;
  for (int i = 0; i < out->count; i++) {
    const part *p = &out->of[i];
    const uint64_t bytes = written(form, run, n, kept, p->is_rest) * p->item_bytes;
    if (bytes > 0) SCAN_TRY(ctx->ops->read(ctx->device, *p->mem, scan_mem_bytes(p->host), bytes, &ctx->error));
  }
  return SCAN_SUCCESS;
}

/* With memory of the host's, start to end. Keys may be the array that is moved: each is staged by itself. */
static scan_status run_staged(scan_plan *plan, scan_select_run *run) {
  scan_ctx *ctx = plan->ctx;
  const scan_select_form *form = &plan->select->form;
  const scan_mem count = run->memory.count;
  part_list in, out;
  uint64_t kept = 0;
  list_parts(ctx, form, run, &in, &out);
  if (scan_mem_is_staged(ctx, count)) run->memory.count = (scan_mem){ .kind = SCAN_MEM_NONE };
  SCAN_TRY(place_parts(ctx, &ctx->out, &out));
  SCAN_TRY(place_parts(ctx, &ctx->in, &in));
  for (int i = 0; i < in.count; i++)
    SCAN_TRY(ctx->ops->write(ctx->device, *in.of[i].mem, scan_mem_bytes(in.of[i].host), in.of[i].bytes, &ctx->error));
  SCAN_TRY(scan_select_launch(plan, run));
  const scan_status status = scan_plans_wait(ctx);
  if (status != SCAN_SUCCESS) return status;
  const int is_told = run->memory.count.kind != SCAN_MEM_NONE;
  SCAN_TRY(read_number(ctx, is_told ? run->memory.count : scan_region_of(plan, SCAN_REGION_KEEP), &kept));
  SCAN_TRY(copy_out(ctx, form, run, &out, kept));
  if (scan_mem_is_staged(ctx, count)) memcpy(scan_mem_bytes(count), &kept, sizeof kept);
  return SCAN_SUCCESS;
}

static int is_staged(scan_ctx *ctx, const scan_select_form *form, scan_select_run *run) {
  part_list in, out;
  list_parts(ctx, form, run, &in, &out);
  return in.count > 0 || out.count > 0 || scan_mem_is_staged(ctx, run->memory.count);
}

/* ---- calls ---- */

static scan_status count_nothing(scan_ctx *ctx, const scan_select_run *run) {
  const scan_mem count = run->memory.count;
  if (count.kind == SCAN_MEM_NONE) return SCAN_SUCCESS;
  if (count.kind != SCAN_MEM_HOST) return ctx->ops->fill(ctx->device, count, 0, sizeof(uint64_t), &ctx->error);
  memset(scan_mem_bytes(count), 0, sizeof(uint64_t));
  return SCAN_SUCCESS;
}

scan_status scan_select(scan_ctx *ctx, const scan_select_spec *spec, uint64_t n, const scan_select_args *args) {
  scan_select_form form;
  scan_select_run run;
  scan_opencl_events events;
  scan_plan *plan = NULL;
  SCAN_TRY(scan_ctx_enter(ctx, "scan_select"));
  SCAN_TRY(scan_select_spec_check(ctx, spec, &form));
  SCAN_TRY(scan_select_args_check(ctx, &form, n, args, 1, &run));
  SCAN_TRY(scan_events_take(ctx, run.memory.opencl, &events));
  if (n > 0) SCAN_TRY(scan_select_lookup(ctx, &form, n, &plan));
  SCAN_TRY(scan_events_wait(ctx, &events));
  if (n == 0)
    SCAN_TRY(count_nothing(ctx, &run));
  else if (is_staged(ctx, &form, &run))
    SCAN_TRY(run_staged(plan, &run));
  else
    SCAN_TRY(scan_select_launch(plan, &run));
  return scan_events_leave(ctx, &events);
}

scan_status scan_plan_create_select(scan_ctx *ctx, const scan_select_spec *spec, uint64_t max_n, scan_plan **plan) {
  scan_select_form form;
  SCAN_TRY(scan_ctx_enter(ctx, "scan_plan_create_select"));
  if (plan == NULL) REFUSE("scan_plan_create_select: plan is NULL");
  SCAN_TRY(scan_select_spec_check(ctx, spec, &form));
  SCAN_TRY(scan_select_count_check(ctx, &form, max_n, "max_n"));
  return scan_select_plan_make(ctx, &form, max_n, plan);
}

scan_status scan_plan_run_select(scan_plan *plan, uint64_t n, const scan_select_args *args) {
  scan_select_run run;
  scan_opencl_events events;
  SCAN_TRY(scan_plan_enter(plan, "scan_plan_run_select"));
  scan_ctx *ctx = plan->ctx;
  if (plan->select == NULL)
    REFUSE("scan_plan_run_select: the plan was not made by scan_plan_create_select; run it as it was made");
  if (n > plan->max_n) REFUSE("n is %" PRIu64 ", but the plan was created for at most %" PRIu64, n, plan->max_n);
  SCAN_TRY(scan_select_args_check(ctx, &plan->select->form, n, args, 0, &run));
  SCAN_TRY(scan_events_take(ctx, run.memory.opencl, &events));
  SCAN_TRY(scan_events_wait(ctx, &events));
  SCAN_TRY(n > 0 ? scan_select_launch(plan, &run) : count_nothing(ctx, &run));
  return scan_events_leave(ctx, &events);
}
