/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file cubes.c
 * @brief Marching cubes on OpenCL and CUDA: one launch finds and writes the triangles of an isosurface
 * (cubes_kernel.h).
 *
 * Usage: cubes [--samples N] [--period N] [--rounds N]. The field has N^3 samples, 36 by default, a multiple of 4, and
 * its surface, a gyroid, repeats every N / 2; --rounds 0 takes no times. Triangles are compared with a plain loop's, in
 * order, those of one launch and those of a count, a scan and a write. Exit status: 0 they are right; 1 they are wrong,
 * or a call failed; 77 there is no such device.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cubes.h"
#include "figures.h"
#include "places.h"

enum { DEFAULT_SAMPLES = 36, DEFAULT_ROUNDS = 9, MOST_SAMPLES = 1024 };

extern const char app_text_cubes[];
static const char *const names[PLACES_KERNELS] = { "cubes", "cubes_count", "cubes_write" };

typedef struct options {
  uint64_t samples, period, rounds;
} options;

typedef struct surface {
  places places;
  cubes_field field;
  cubes_case table[CUBES_CASES];
  uint32_t triangles;
  float *want, *got;
  uint64_t vertex_bytes;
  double plain_seconds;
  scan_mem samples, cases, vertices;
} surface;

/* ---- the plain loop ---------------------------------------------------------------------------------------------- */

static int run_plain_loop(void *state) {
  surface *s = state;
  (void)cubes_plain(&s->field, s->table, s->want);
  return 0;
}

static int make_surface(const options *o, surface *s) {
  const figures_subject plain = { run_plain_loop, NULL, s, 1 };
  cubes_make_table(s->table);
  if (cubes_make_field((uint32_t)o->samples, (uint32_t)o->period, &s->field) != 0) return -1;
  const uint64_t triangles = cubes_plain(&s->field, s->table, NULL);
  s->triangles = (uint32_t)triangles;
  s->vertex_bytes = triangles * 9 * sizeof(float);
  s->want = malloc((size_t)s->vertex_bytes + 1);
  s->got = malloc((size_t)s->vertex_bytes + 1);
  if (triangles > 0 && triangles <= INT32_MAX && s->want && s->got) return figures_time(&plain, 1, &s->plain_seconds);
  fprintf(stderr, "%" PRIu64 " triangles: none, or no memory for them\n", triangles);
  return -1;
}

/* ---- on the device ----------------------------------------------------------------------------------------------- */

static uint64_t sample_bytes(const surface *s) {
  return (uint64_t)s->field.n * s->field.n * s->field.n * sizeof(float);
}

static int open_surface(surface *s) {
  places *p = &s->places;
  char defines[128];
  snprintf(defines, sizeof defines, "#define CUBES_X %d\n#define CUBES_Y %d\n#define CUBES_Z %d\n", CUBES_X, CUBES_Y,
           CUBES_Z);
  int rc = places_open(p);
  if (rc == 0) rc = places_alloc(p, sample_bytes(s), s->field.sample, &s->samples);
  if (rc == 0) rc = places_alloc(p, sizeof s->table, s->table, &s->cases);
  if (rc == 0) rc = places_alloc(p, s->vertex_bytes, NULL, &s->vertices);
  p->groups = cubes_tiles(s->field.n);
  p->shared[0] = (app_argument){ .memory = s->samples };
  p->shared[1] = (app_argument){ .number = s->field.n };
  p->shared[2] = (app_argument){ .memory = s->cases };
  p->shared[3] = (app_argument){ .memory = s->vertices };
  p->shared[4] = (app_argument){ .number = s->triangles };
  p->shared_count = 5;
  return rc == 0 ? places_build(p, defines, app_text_cubes, names) : rc;
}

static void close_surface(surface *s) {
  app_free(s->places.ctx, s->vertices);
  app_free(s->places.ctx, s->cases);
  app_free(s->places.ctx, s->samples);
  places_close(&s->places);
  free(s->got);
  free(s->want);
  free(s->field.sample);
}

/* Compares with the plain loop's numbers. OpenCL's division may differ by two and a half units of the last place.
 * Returns how many numbers have other bits, or -1. */
static int64_t compare(const surface *s) {
  int64_t others = 0;
  for (uint64_t i = 0; i < UINT64_C(9) * s->triangles; i++) {
    const float difference = s->got[i] - s->want[i], most = (1 + s->want[i]) / (1 << 22);
    others += difference < 0 || difference > 0;
    if (difference >= -most && difference <= most) continue;
    fprintf(stderr, "number %" PRIu64 " of triangle %" PRIu64 " is %g, expected %g\n", i % 9, i / 9, (double)s->got[i],
            (double)s->want[i]);
    return -1;
  }
  return others;
}

/* Makes triangles by one of the ways and compares them. */
static int make(surface *s, app_sequence *way) {
  places *p = &s->places;
  uint64_t triangles = 0;
  memset(s->got, 0xff, (size_t)s->vertex_bytes);
  int rc = places_check(p, scan_write(p->ctx, s->vertices, s->got, s->vertex_bytes));
  if (rc == 0) rc = places_run(p, way, &triangles);
  if (rc == 0) rc = places_check(p, scan_read(p->ctx, s->vertices, s->got, s->vertex_bytes));
  if (rc != 0) return rc;
  if (triangles != s->triangles) {
    fprintf(stderr, "%" PRIu64 " triangles, expected %" PRIu32 "\n", triangles, s->triangles);
    return -1;
  }
  const int64_t others = compare(s);
  if (others < 0) return -1;
  printf("  %" PRIu32 " triangles in the plain loop's order, %" PRId64 " numbers of %" PRIu64 " with other bits\n",
         s->triangles, others, UINT64_C(9) * s->triangles);
  return 0;
}

static int run(surface *s, int rounds) {
  const double bytes = (double)sample_bytes(s) + (double)s->vertex_bytes;
  scan_mem copy = { 0 };
  int rc = open_surface(s);
  for (int again = 0; again < 2 && rc == 0; again++) rc = make(s, s->places.one);
  if (rc == 0) rc = make(s, s->places.three);
  if (rc == 0) rc = places_alloc(&s->places, sample_bytes(s), NULL, &copy);
  if (rc == 0) rc = places_figures(&s->places, rounds, bytes, s->samples, copy, sample_bytes(s));
  if (rc == 0) figures_print("plain loop, one host thread", s->plain_seconds, bytes, 0);
  app_free(s->places.ctx, copy);
  return rc == 0 ? make(s, s->places.one) : rc;
}

static int parse(int argc, char **argv, options *o) {
  *o = (options){ DEFAULT_SAMPLES, 0, DEFAULT_ROUNDS };
  const figures_option all[] = { { "--samples", &o->samples, 4, MOST_SAMPLES },
                                 { "--period", &o->period, 2, MOST_SAMPLES },
                                 { "--rounds", &o->rounds, 0, FIGURES_MOST_ROUNDS },
                                 { .name = NULL } };
  if (figures_parse(argc, argv, "[--samples N] [--period N] [--rounds N]", all, NULL) != 0) return -1;
  if (o->period == 0) o->period = o->samples / 2;
  if (o->samples % 4 == 0) return 0;
  fprintf(stderr, "--samples takes a multiple of 4\n");
  return -1;
}

int main(int argc, char **argv) {
  static surface s;
  options o;
  int rc = parse(argc, argv, &o);
  if (rc == 0) rc = make_surface(&o, &s);
  if (rc == 0) rc = run(&s, (int)o.rounds);
  close_surface(&s);
  return rc < 0 ? EXIT_FAILURE : rc;
}
