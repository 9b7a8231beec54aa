/* SPDX-License-Identifier: BSD-2-Clause */
/* The public calls: plans, and calls that make a plan for themselves. */
#include <stdio.h>

#include "mpi/run.h"

/* ---- plans ---- */

static scan_status copy_spec_in(mpi_run *run) {
  return scan_mpi_spec_copy_in(run->mpi, run->asked, run->op, &run->plan->spec);
}

/* Takes the spec of each of this rank's contexts. */
static scan_status copy_specs_in(scan_mpi_plan *plan, const mpi_call *call) {
  scan_mpi *mpi = plan->mpi;
  MPI_TRY(scan_mpi_check_contexts(mpi, call));
  if (call->local_ns == NULL) return scan_mpi_fail(mpi, SCAN_INVALID_ARGUMENT, "%s: local_ns is NULL", call->name);
  for (int i = 0; i < mpi->own_contexts; i++) {
    plan[i].max_local_n = call->local_ns[i];
    plan->runs[i].asked = call->spec;
    plan->runs[i].op = call->ops != NULL ? call->ops[i] : NULL;
  }
  MPI_TRY(scan_mpi_each(plan->runs, copy_spec_in));
  for (int i = 1; i < mpi->own_contexts; i++)
    if (!scan_mpi_spec_equals(&plan[i].spec, &plan->spec))
      return scan_mpi_fail(mpi, SCAN_INVALID_ARGUMENT, "ops[%d] is another operator than ops[0]", i);
  return SCAN_SUCCESS;
}

/* Allocates a plan for all of this rank's contexts. */
static scan_mpi_plan *allocate_plan(scan_mpi *mpi) {
  const uint64_t contexts = (uint64_t)mpi->own_contexts;
  scan_mpi_plan *plan = scan_mpi_allocate(mpi, contexts, sizeof *plan);
  mpi_run *runs = scan_mpi_allocate(mpi, contexts, sizeof *runs);
  mpi_hello *hellos = scan_mpi_allocate(mpi, (uint64_t)mpi->contexts, sizeof *hellos);
  if (plan == NULL || runs == NULL || hellos == NULL) {
    free(plan);
    free(runs);
    free(hellos);
    return NULL;
  }
  for (uint64_t i = 0; i < contexts; i++) {
    plan[i].mpi = &mpi[i];
    runs[i] = (mpi_run){ .mpi = &mpi[i], .plan = &plan[i] };
  }
  plan->runs = runs;
  plan->hellos = hellos;
  return plan;
}

scan_status scan_mpi_scan_plan(scan_mpi *mpi, const mpi_call *call, int is_once, scan_mpi_plan **plan) {
  MPI_TRY(scan_mpi_begin(mpi));
  scan_mpi_plan *made = allocate_plan(mpi);
  scan_status status = made != NULL ? copy_specs_in(made, call) : SCAN_OUT_OF_MEMORY;
  if (status == SCAN_SUCCESS && plan == NULL)
    status = scan_mpi_fail(mpi, SCAN_INVALID_ARGUMENT, "%s: plan is NULL", call->name);
  status = scan_mpi_agree(mpi, status);
  if (status == SCAN_SUCCESS) status = scan_mpi_spec_compare(mpi, &made->spec);
  if (status == SCAN_SUCCESS && !is_once) status = scan_mpi_scan_prepare(made);
  if (status == SCAN_SUCCESS)
    *plan = made;
  else
    scan_mpi_plan_destroy(made);
  return status;
}

scan_status scan_mpi_plan_create(scan_mpi *mpi, const scan_spec *spec, uint64_t max_local_n, scan_mpi_plan **plan) {
  return scan_mpi_scan_plan(mpi, &(mpi_call){ "scan_mpi_plan_create", 1, spec, NULL, &max_local_n, NULL }, 0, plan);
}

scan_status scan_mpi_plan_create_contexts(scan_mpi *mpi, const scan_spec *spec, scan_op *const *ops,
                                          const uint64_t *max_local_ns, scan_mpi_plan **plan) {
  const int contexts = mpi != NULL ? mpi->own_contexts : 0;
  const mpi_call call = { "scan_mpi_plan_create_contexts", contexts, spec, ops, max_local_ns, NULL };
  return scan_mpi_scan_plan(mpi, &call, 0, plan);
}

scan_status scan_mpi_plan_run_args(scan_mpi_plan *plan, uint64_t local_n, const scan_args *args) {
  MPI_TRY(scan_mpi_plan_begin(plan, NULL));
  return scan_mpi_scan(plan, &(mpi_call){ "scan_mpi_plan_run_args", 1, NULL, NULL, &local_n, args });
}

scan_status scan_mpi_plan_run_contexts(scan_mpi_plan *plan, const uint64_t *local_ns, const scan_args *args) {
  MPI_TRY(scan_mpi_plan_begin(plan, NULL));
  const int contexts = plan->mpi->own_contexts;
  return scan_mpi_scan(plan, &(mpi_call){ "scan_mpi_plan_run_contexts", contexts, NULL, NULL, local_ns, args });
}

scan_status scan_mpi_plan_run(scan_mpi_plan *plan, uint64_t local_n, scan_mem in, scan_mem out) {
  const scan_args args = SCAN_ARGS_INIT(in, out);
  return scan_mpi_plan_run_args(plan, local_n, &args);
}

void scan_mpi_plan_destroy(scan_mpi_plan *plan) {
  if (plan == NULL) return;
  if (plan->kind != NULL) {
    plan->kind->close(plan->state);
    free(plan->state);
    free(plan);
    return;
  }
  for (int i = 0; i < plan->mpi->own_contexts; i++) scan_mpi_scan_release(&plan[i]);
  free(plan->runs);
  free(plan->hellos);
  free(plan);
}

/* ---- plans of other kinds ---- */

/* Allocates a plan with a state of zeros; NULL: no memory. */
static scan_mpi_plan *allocate_kind(scan_mpi *mpi, const mpi_plan_kind *kind) {
  scan_mpi_plan *made = scan_mpi_allocate(mpi, 1, sizeof *made);
  void *state = scan_mpi_allocate(mpi, 1, kind->state_bytes);
  if (made == NULL || state == NULL) {
    free(made);
    free(state);
    return NULL;
  }
  memcpy(state, &mpi, sizeof mpi); /* a state begins with the handle */
  *made = (scan_mpi_plan){ .mpi = mpi, .kind = kind, .state = state };
  return made;
}

scan_status scan_mpi_plan_open(scan_mpi *mpi, const mpi_plan_kind *kind, const mpi_plan_call *given,
                               scan_mpi_plan **plan) {
  mpi_plan_call call = *given;
  MPI_TRY(scan_mpi_begin(mpi));
  MPI_TRY(scan_mpi_add_up(mpi, call.max_local_n, &call.max_n));
  scan_mpi_plan *made = allocate_kind(mpi, kind);
  scan_status status = made != NULL ? kind->open(made->state, &call) : SCAN_OUT_OF_MEMORY;
  if (status == SCAN_SUCCESS && plan == NULL)
    status = scan_mpi_fail(mpi, SCAN_INVALID_ARGUMENT, "%s: plan is NULL", call.name);
  status = scan_mpi_agree(mpi, status);
  if (status == SCAN_SUCCESS) status = kind->join(made->state, &call);
  if (status == SCAN_SUCCESS)
    *plan = made;
  else
    scan_mpi_plan_destroy(made);
  return status;
}

scan_status scan_mpi_plan_begin(scan_mpi_plan *plan, const mpi_plan_kind *kind) {
  MPI_TRY(scan_mpi_begin(plan != NULL ? plan->mpi : NULL));
  if (plan->kind == kind) return SCAN_SUCCESS;
  return scan_mpi_fail(plan->mpi, SCAN_INVALID_ARGUMENT, "plan was made by %s",
                       plan->kind != NULL ? plan->kind->create : "scan_mpi_plan_create");
}

scan_status scan_mpi_plan_do(scan_mpi_plan *plan, const mpi_plan_kind *kind, uint64_t local_n, const void *args,
                             scan_mpi_part *part) {
  MPI_TRY(scan_mpi_plan_begin(plan, kind));
  return kind->run(plan->state, local_n, args, part);
}

scan_status scan_mpi_plan_once(scan_mpi *mpi, const mpi_plan_kind *kind, const mpi_plan_call *call, const void *args,
                               scan_mpi_part *part) {
  scan_mpi_plan *plan = NULL;
  mpi_plan_call once = *call;
  once.is_once = 1;
  MPI_TRY(scan_mpi_plan_open(mpi, kind, &once, &plan));
  const scan_status status = kind->run(plan->state, call->max_local_n, args, part);
  scan_mpi_plan_destroy(plan);
  return status;
}

/* ---- calls without a plan ---- */

static scan_status run_once(scan_mpi *mpi, const mpi_call *call) {
  scan_mpi_plan *plan = NULL;
  MPI_TRY(scan_mpi_scan_plan(mpi, call, 1, &plan));
  const scan_status status = scan_mpi_scan(plan, call);
  scan_mpi_plan_destroy(plan);
  return status;
}

scan_status scan_mpi_run_args(scan_mpi *mpi, const scan_spec *spec, uint64_t local_n, const scan_args *args) {
  return run_once(mpi, &(mpi_call){ "scan_mpi_run_args", 1, spec, NULL, &local_n, args });
}

scan_status scan_mpi_run_contexts(scan_mpi *mpi, const scan_spec *spec, scan_op *const *ops, const uint64_t *local_ns,
                                  const scan_args *args) {
  const int contexts = mpi != NULL ? mpi->own_contexts : 0;
  return run_once(mpi, &(mpi_call){ "scan_mpi_run_contexts", contexts, spec, ops, local_ns, args });
}

scan_status scan_mpi_run(scan_ctx *ctx, MPI_Comm comm, const scan_spec *spec, uint64_t local_n, scan_mem in,
                         scan_mem out) {
  scan_mpi *mpi = NULL;
  const scan_args args = SCAN_ARGS_INIT(in, out);
  MPI_TRY(scan_mpi_create(ctx, comm, &mpi));
  const scan_status status = scan_mpi_run_args(mpi, spec, local_n, &args);
  if (status != SCAN_SUCCESS) snprintf(scan_mpi_thread_text(), MPI_ERROR_BYTES, "%s", mpi->text);
  scan_mpi_destroy(mpi);
  return status;
}
