/* SPDX-License-Identifier: BSD-2-Clause */
#include "expansion.h"

#include <scanrt/scan_device.h>
#include <stdio.h>
#include <stdlib.h>

enum { LEVELS_A_LOOK = 4, FEW_VERTICES = 1 << 18, EACH_OF_FEW = 1, EACH_OF_MANY = 16 };

extern const char app_text_expansion[];

enum { START, LEVEL, KERNELS };
static const app_kernel kernels[KERNELS] = { { "expansion_start", NULL }, { "expansion_level", NULL } };

struct expansion {
  scan_ctx *ctx;
  uint32_t vertices, source, groups;
  expansion_memory memory;
  scan_mem now, state;
  app_kernels *kernels;
  app_sequence *levels;
};

static int check(const expansion *e, scan_status status) {
  if (status == SCAN_SUCCESS) return 0;
  fprintf(stderr, "%s: %s\n", scan_status_name(status), scan_last_error(e->ctx));
  return -1;
}

/* Vertices of a work-item: few if there are few, so that all processors get some. */
static uint32_t each_of(uint32_t vertices) { return vertices < FEW_VERTICES ? EACH_OF_FEW : EACH_OF_MANY; }

static uint32_t groups_of(uint32_t vertices) {
  const uint32_t vertices_a_group = APP_GROUP_ITEMS * each_of(vertices);
  return (vertices + vertices_a_group - 1) / vertices_a_group;
}

uint64_t expansion_level_bytes(uint32_t vertices) {
  return (uint64_t)groups_of(vertices) * APP_GROUP_ITEMS * each_of(vertices) * sizeof(uint32_t);
}

#define MEMORY(which)                                                                                                  \
  { .memory = which }

static int enqueue_start(expansion *e) {
  const uint32_t padded = (uint32_t)(expansion_level_bytes(e->vertices) / sizeof(uint32_t));
  const app_argument arguments[] = {
    MEMORY(e->memory.level), MEMORY(e->now), { .number = padded }, { .number = e->source }
  };
  return app_kernels_launch(e->kernels, START, padded, arguments, 4);
}

static int enqueue_levels(void *state) {
  expansion *e = state;
  int rc = 0;
  for (uint32_t i = 0; i < LEVELS_A_LOOK && rc == 0; i++) {
    const app_argument arguments[] = { MEMORY(e->memory.offset), MEMORY(e->memory.neighbour),
                                       MEMORY(e->memory.level),  MEMORY(e->memory.queue),
                                       MEMORY(e->now),           { .number = i % 2 },
                                       MEMORY(e->state) };
    rc = app_kernels_launch_groups(e->kernels, LEVEL, e->groups, arguments, 7);
  }
  return rc;
}

int expansion_run(void *state) {
  expansion *e = state;
  uint64_t size = 1;
  int rc = enqueue_start(e);
  while (rc == 0 && size > 0) {
    rc = app_sequence_run(e->levels);
    if (rc == 0) rc = check(e, scan_device_state_check(e->ctx, e->state, &size));
  }
  return rc;
}

static int build(expansion *e) {
  char define[64];
  snprintf(define, sizeof define, "#define EXPANSION_EACH %u\n", (unsigned)each_of(e->vertices));
  char *const text = app_device_text(define, app_text_expansion);
  if (!text) return -1;
  const int rc = app_kernels_create(e->ctx, text, kernels, KERNELS, &e->kernels);
  free(text);
  return rc == 0 ? app_sequence_create(e->kernels, enqueue_levels, e, &e->levels) : rc;
}

int expansion_create(scan_ctx *ctx, const graph *g, uint32_t source, const expansion_memory *memory, expansion **made) {
  expansion *e = calloc(1, sizeof *e);
  if (!e) return -1;
  *e = (expansion){ ctx, g->vertices, source, groups_of(g->vertices), .memory = *memory };
  int rc = check(e, app_alloc(ctx, 4 * sizeof(uint32_t), &e->now));
  if (rc == 0) rc = check(e, app_alloc(ctx, scan_device_state_bytes(e->groups, 8), &e->state));
  if (rc == 0) rc = check(e, scan_device_state_init(ctx, e->state, e->groups, 8));
  if (rc == 0) rc = build(e);
  if (rc == 0)
    *made = e;
  else
    expansion_destroy(e);
  return rc;
}

void expansion_destroy(expansion *e) {
  if (!e) return;
  app_sequence_destroy(e->levels);
  app_kernels_destroy(e->kernels);
  app_free(e->ctx, e->state);
  app_free(e->ctx, e->now);
  free(e);
}
