/* SPDX-License-Identifier: BSD-2-Clause */
#include "places.h"

#include <scanrt/scan_device.h>
#include <stdio.h>
#include <stdlib.h>

#include "figures.h"

int places_check(const places *p, scan_status status) {
  if (status == SCAN_SUCCESS) return 0;
  fprintf(stderr, "%s: %s\n", scan_status_name(status), scan_last_error(p->ctx));
  return status == SCAN_NO_DEVICE ? PLACES_CANNOT : -1;
}

int places_open(places *p) {
  scan_device_info device = SCAN_DEVICE_INFO_INIT;
  int rc = places_check(p, scan_ctx_create(NULL, &p->ctx));
  if (rc == 0) rc = places_check(p, scan_ctx_device(p->ctx, &device));
  if (rc != 0) return rc;
  printf("on %s (%s)\n", device.selector, device.name);
  if (device.backend != SCAN_BACKEND_HOST) return 0;
  fprintf(stderr, "the kernels are CUDA and OpenCL C: name a device by SCANRT_DEVICE\n");
  return PLACES_CANNOT;
}

int places_alloc(const places *p, uint64_t bytes, const void *data, scan_mem *memory) {
  scan_status status = app_alloc(p->ctx, bytes, memory);
  if (status == SCAN_SUCCESS && data) status = scan_write(p->ctx, *memory, data, bytes);
  return places_check(p, status);
}

/* ---- the two ways ------------------------------------------------------------------------------------------------ */

static int launch(places *p, app_kernels *kernels, int which, scan_mem last) {
  p->shared[p->shared_count] = (app_argument){ .memory = last };
  return app_kernels_launch_groups(kernels, which, p->groups, p->shared, p->shared_count + 1);
}

static int enqueue_one(void *state) {
  places *p = state;
  if (!p->in_two_launches) return launch(p, p->kernels, PLACES_ONE, p->state);
  const int rc = launch(p, p->counting, PLACES_ONE, p->state);
  return rc == 0 ? launch(p, p->placing, PLACES_ONE, p->state) : rc;
}

static int enqueue_three(void *state) {
  places *p = state;
  if (launch(p, p->kernels, PLACES_COUNT, p->counts) != 0) return -1;
  if (places_check(p, scan_plan_run(p->sum, (uint64_t)p->groups + 1, p->counts, p->firsts)) != 0) return -1;
  return launch(p, p->kernels, PLACES_WRITE, p->firsts);
}

/* The count after the last work-group's stays 0, so that the total is the last first place. */
static int make_memory(places *p) {
  const uint64_t groups = p->groups, bytes = (groups + 1) * sizeof(uint32_t);
  const scan_spec sum = SCAN_SPEC_INIT(SCAN_U32, SCAN_ADD, SCAN_EXCLUSIVE);
  const uint32_t none = 0;
  int rc = places_alloc(p, scan_device_state_bytes(groups, 8), NULL, &p->state);
  if (rc == 0) rc = places_check(p, scan_device_state_init(p->ctx, p->state, groups, 8));
  if (rc == 0) rc = places_alloc(p, bytes, NULL, &p->counts);
  if (rc == 0)
    rc = places_check(p, scan_write(p->ctx, scan_offset(p->counts, bytes - sizeof none), &none, sizeof none));
  if (rc == 0) rc = places_alloc(p, bytes, NULL, &p->firsts);
  return rc == 0 ? places_check(p, scan_plan_create(p->ctx, &sum, groups + 1, &p->sum)) : rc;
}

/* Compiles the first `count` kernels for a value of SCANRT_LAUNCH. */
static int make_kernels(const places *p, const char *launch_name, const char *defines, const char *text,
                        const char *const names[], int count, app_kernels **made) {
  app_kernel kernels[PLACES_KERNELS];
  char all[512];
  snprintf(all, sizeof all, "#define SCANRT_LAUNCH %s\n%s", launch_name, defines);
  char *const whole = app_device_text(all, text);
  if (!whole) return -1;
  for (int i = 0; i < count; i++) kernels[i] = (app_kernel){ names[i], NULL };
  const int rc = app_kernels_create(p->ctx, whole, kernels, count, made);
  free(whole);
  return rc;
}

int places_build(places *p, const char *defines, const char *text, const char *const names[PLACES_KERNELS]) {
  int rc = make_memory(p);
  if (rc == 0) rc = make_kernels(p, "SCANRT_ONE_LAUNCH", defines, text, names, PLACES_KERNELS, &p->kernels);
  if (rc == 0 && p->in_two_launches) {
    rc = make_kernels(p, "SCANRT_COUNTS", defines, text, names, 1, &p->counting);
    if (rc == 0) rc = make_kernels(p, "SCANRT_PLACES", defines, text, names, 1, &p->placing);
  }
  if (rc == 0) rc = app_sequence_create(p->kernels, enqueue_one, p, &p->one);
  return rc == 0 ? app_sequence_create(p->kernels, enqueue_three, p, &p->three) : rc;
}

void places_close(places *p) {
  app_sequence_destroy(p->three);
  app_sequence_destroy(p->one);
  app_kernels_destroy(p->placing);
  app_kernels_destroy(p->counting);
  app_kernels_destroy(p->kernels);
  scan_plan_destroy(p->sum);
  app_free(p->ctx, p->firsts);
  app_free(p->ctx, p->counts);
  app_free(p->ctx, p->state);
  scan_ctx_destroy(p->ctx);
}

int places_run(places *p, app_sequence *way, uint64_t *total) {
  uint32_t last = 0;
  int rc = app_sequence_run(way);
  if (rc != 0) return rc;
  if (way == p->one) return places_check(p, scan_device_state_check(p->ctx, p->state, total));
  rc = places_check(p, scan_read(p->ctx, scan_offset(p->firsts, p->groups * sizeof last), &last, sizeof last));
  *total = last;
  return rc;
}

/* ---- figures ----------------------------------------------------------------------------------------------------- */

typedef struct timed {
  places *p;
  app_sequence *way; /* NULL: the copy */
  scan_mem from, to;
  uint64_t bytes;
} timed;

static int run_timed(void *state) {
  const timed *t = state;
  if (t->way) return app_sequence_run(t->way);
  return places_check(t->p, scan_copy(t->p->ctx, t->to, t->from, t->bytes));
}

static int wait_timed(void *state) {
  const timed *t = state;
  return places_check(t->p, scan_sync(t->p->ctx));
}

int places_figures(places *p, int rounds, double bytes, scan_mem from, scan_mem to, uint64_t copied) {
  enum { WAYS = 3 };
  timed ways[WAYS] = { { p, NULL, from, to, copied }, { .p = p, .way = p->one }, { .p = p, .way = p->three } };
  double seconds[WAYS];
  if (rounds == 0) return 0;
  for (int i = 0; i < WAYS; i++) {
    const figures_subject subject = { run_timed, wait_timed, &ways[i], FIGURES_REPEATS };
    const int rc = figures_time(&subject, rounds, &seconds[i]);
    if (rc != 0) return rc;
  }
  const double copy_rate = 2 * (double)copied / seconds[0];
  figures_print("copy", seconds[0], 2 * (double)copied, 0);
  const char *const name = p->in_two_launches ? "two launches" : "one launch";
  figures_print(name, seconds[1], bytes, copy_rate);
  figures_print("count, scan, write", seconds[2], bytes, copy_rate);
  printf("  %s: %.2f times as fast as three steps\n", name, seconds[2] / seconds[1]);
  return 0;
}
