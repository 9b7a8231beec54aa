/* SPDX-License-Identifier: BSD-2-Clause */
#include "program.h"

#include <stdio.h>
#include <string.h>

#include "../apps/figures.h"

int program_parse(int argc, char **argv, program_options *options) {
  const figures_option all[] = { { "--n", &options->n, 1, PROGRAM_MOST_N },
                                 { "--rounds", &options->rounds, 1, FIGURES_MOST_ROUNDS },
                                 { .name = NULL } };
  return figures_parse(argc, argv, "[--n N] [--rounds N]", all, NULL) == 0 ? 0 : PROGRAM_WRONG;
}

int program_open(int needs_doubles, scan_ctx **ctx) {
  scan_device_info device = SCAN_DEVICE_INFO_INIT;
  scan_status status = scan_ctx_create(NULL, ctx);
  if (status == SCAN_SUCCESS) status = scan_ctx_device(*ctx, &device);
  if (status != SCAN_SUCCESS) return program_status(*ctx, status);
  if (!needs_doubles || device.has_fp64) return 0;
  fprintf(stderr, "%s has no double precision\n", device.selector);
  return PROGRAM_CANNOT;
}

int program_status(const scan_ctx *ctx, scan_status status) {
  if (status == SCAN_SUCCESS) return 0;
  fprintf(stderr, "%s: %s\n", scan_status_name(status), scan_last_error(ctx));
  return status == SCAN_NO_DEVICE ? PROGRAM_CANNOT : PROGRAM_WRONG;
}

typedef struct timed {
  scan_ctx *ctx;
  program_scans *scans;
  program_loop *loop;
  void *state;
} timed;

static int run_scans(void *state) {
  const timed *t = state;
  return (int)t->scans(t->state);
}

static int wait_scans(void *state) { return (int)scan_sync(((timed *)state)->ctx); }

static int run_loop(void *state) {
  const timed *t = state;
  t->loop(t->state);
  return 0;
}

int program_time(scan_ctx *ctx, const char *what, program_scans *scans, void *state, uint64_t rounds, double bytes) {
  scan_device_info device = SCAN_DEVICE_INFO_INIT;
  timed t = { .ctx = ctx, .scans = scans, .state = state };
  const figures_subject subject = { run_scans, wait_scans, &t, FIGURES_REPEATS };
  char label[128];
  double seconds = 0;
  scan_status status = scan_ctx_device(ctx, &device);
  if (status == SCAN_SUCCESS) status = (scan_status)figures_time(&subject, (int)rounds, &seconds);
  (void)snprintf(label, sizeof label, "%s on %s", what, device.selector);
  if (status == SCAN_SUCCESS) figures_print(label, seconds, bytes, 0);
  return program_status(ctx, status);
}

void program_time_loop(const char *what, program_loop *loop, void *state, uint64_t rounds, double bytes) {
  timed t = { .loop = loop, .state = state };
  const figures_subject subject = { run_loop, NULL, &t, 1 };
  double seconds = 0;
  (void)figures_time(&subject, (int)rounds, &seconds);
  figures_print(what, seconds, bytes, 0);
}

int program_verdict(const char *what, double error, double tolerance) {
  const int right = error <= tolerance; /* a NaN is not */
  printf("  %s: %g from the plain loop, %s\n", what, error, right ? "right" : "WRONG");
  return right ? 0 : PROGRAM_WRONG;
}

uint32_t program_random(uint64_t i) {
  uint64_t z = (i + 1) * UINT64_C(0x9e3779b97f4a7c15); /* SplitMix64 */
  z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
  return (uint32_t)(z >> 32);
}
