/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file records.c
 * @brief Splits a text into lines on OpenCL and CUDA: one launch writes where each line begins (records_kernel.h).
 *
 * Usage: records [FILE | --bytes N] [--rounds N] [--vectors N] [--launches N]. By default it makes a text of 1,000,000
 * bytes, of lines of 1 to 79 bytes. --vectors is how many times 16 bytes each work-item reads, a multiple of 8;
 * --rounds 0 takes no times. With --launches 2 the same kernel runs twice, to count and to write, for devices where a
 * work-group may not wait for another one. The begins are compared with a plain loop's, those of one launch (or two)
 * and those of a count, a scan and a write.
 * Exit status: 0 they are right; 1 they are wrong, or a call failed; 77 there is no such device.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "figures.h"
#include "places.h"

enum { DEFAULT_BYTES = 1000000, DEFAULT_ROUNDS = 9, DEFAULT_VECTORS = 32, MOST_VECTORS = 64, MOST_LINE = 79 };
enum { DEFAULT_LAUNCHES = 1, MOST_LAUNCHES = 2 };
static const uint64_t MOST_BYTES = UINT64_C(0xffff0000);

extern const char app_text_records[];
static const char *const names[PLACES_KERNELS] = { "records", "records_count", "records_write" };

typedef struct options {
  const char *path;
  uint64_t bytes, rounds, vectors, launches;
} options;

/* A text, and where its lines begin. */
typedef struct lines {
  char *text; /* memory for whole vectors of 16 bytes */
  uint32_t bytes, count;
  uint32_t *begin;
} lines;

static uint64_t in_vectors(uint64_t bytes) { return (bytes + 15) / 16 * 16; }

/* ---- the text ---------------------------------------------------------------------------------------------------- */

/* Fills the text with lines of random lengths, the same in each run. */
static void make_text(lines *l) {
  uint32_t random = 1;
  for (uint32_t at = 0; at < l->bytes;) {
    random = random * 1664525u + 1013904223u;
    const uint32_t letters = (random >> 8) % MOST_LINE, left = l->bytes - at;
    memset(l->text + at, 'a' + (int)(random >> 27), letters < left ? letters : left);
    at += letters + 1;
    if (at <= l->bytes) l->text[at - 1] = '\n';
  }
}

static int read_text(const char *path, lines *l) {
  FILE *file = fopen(path, "rb");
  int rc = file && fread(l->text, 1, l->bytes, file) == l->bytes ? 0 : -1;
  if (rc != 0) fprintf(stderr, "%s: %s\n", path, strerror(errno));
  if (file) (void)fclose(file);
  return rc;
}

static int file_bytes(const char *path, uint64_t *bytes) {
  FILE *file = fopen(path, "rb");
  const long end = file && fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
  if (file) (void)fclose(file);
  if (end > 0 && (uint64_t)end <= MOST_BYTES) {
    *bytes = (uint64_t)end;
    return 0;
  }
  fprintf(stderr, "%s: not a file of 1 to %" PRIu64 " bytes\n", path, MOST_BYTES);
  return -1;
}

/* The plain loop. Writes the begins if there is memory for them, and counts them. */
static int find_lines(void *state) {
  lines *l = state;
  const char *const end = l->text + l->bytes;
  l->count = 0;
  for (const char *at = l->text; at && at < end;) {
    if (l->begin) l->begin[l->count] = (uint32_t)(at - l->text);
    l->count++;
    at = memchr(at, '\n', (size_t)(end - at));
    if (at) at++;
  }
  return 0;
}

static int make_lines(options *o, lines *l) {
  if (o->path && file_bytes(o->path, &o->bytes) != 0) return -1;
  l->bytes = (uint32_t)o->bytes;
  l->text = calloc(1, (size_t)in_vectors(o->bytes));
  if (!l->text) return -1;
  if (!o->path)
    make_text(l);
  else if (read_text(o->path, l) != 0)
    return -1;
  (void)find_lines(l);
  l->begin = malloc((size_t)l->count * sizeof *l->begin);
  return l->begin ? 0 : -1;
}

/* ---- on the device ----------------------------------------------------------------------------------------------- */

typedef struct splitting {
  places places;
  const lines *want;
  uint32_t *got;
  scan_mem text, begins;
} splitting;

static int open_splitting(splitting *s, uint32_t vectors) {
  places *p = &s->places;
  const uint64_t tile = UINT64_C(16) * APP_GROUP_ITEMS * vectors;
  char define[64];
  snprintf(define, sizeof define, "#define RECORDS_VECTORS %u\n", (unsigned)vectors);
  int rc = places_open(p);
  if (rc == 0) rc = places_alloc(p, in_vectors(s->want->bytes), s->want->text, &s->text);
  if (rc == 0) rc = places_alloc(p, s->want->count * sizeof(uint32_t), NULL, &s->begins);
  p->groups = (uint32_t)((s->want->bytes + tile - 1) / tile);
  p->shared[0] = (app_argument){ .memory = s->text };
  p->shared[1] = (app_argument){ .number = s->want->bytes };
  p->shared[2] = (app_argument){ .memory = s->begins };
  p->shared[3] = (app_argument){ .number = s->want->count };
  p->shared_count = 4;
  return rc == 0 ? places_build(p, define, app_text_records, names) : rc;
}

static void close_splitting(splitting *s) {
  app_free(s->places.ctx, s->begins);
  app_free(s->places.ctx, s->text);
  places_close(&s->places);
}

/* Splits by one of the ways and compares the begins with the plain loop's. */
static int split(splitting *s, app_sequence *way) {
  const uint64_t bytes = s->want->count * sizeof *s->got;
  uint64_t newlines = 0;
  memset(s->got, 0xff, (size_t)bytes);
  int rc = places_check(&s->places, scan_write(s->places.ctx, s->begins, s->got, bytes));
  if (rc == 0) rc = places_run(&s->places, way, &newlines);
  if (rc == 0) rc = places_check(&s->places, scan_read(s->places.ctx, s->begins, s->got, bytes));
  if (rc != 0) return rc;
  if (newlines + 1 != s->want->count) {
    fprintf(stderr, "%" PRIu64 " lines, expected %" PRIu32 "\n", newlines + 1, s->want->count);
    return -1;
  }
  for (uint32_t i = 0; i < s->want->count; i++) {
    if (s->got[i] == s->want->begin[i]) continue;
    fprintf(stderr, "line %" PRIu32 " begins at %" PRIu32 ", expected %" PRIu32 "\n", i, s->got[i], s->want->begin[i]);
    return -1;
  }
  return 0;
}

static int print_figures(splitting *s, int rounds) {
  const uint64_t bytes = s->want->bytes;
  scan_mem copy = { 0 };
  int rc = places_alloc(&s->places, bytes, NULL, &copy);
  if (rc == 0) rc = places_figures(&s->places, rounds, (double)bytes + 4.0 * s->want->count, s->text, copy, bytes);
  app_free(s->places.ctx, copy);
  return rc;
}

static int run(const options *o, lines *want) {
  const figures_subject plain = { find_lines, NULL, want, 1 };
  splitting s = { .want = want, .places.in_two_launches = o->launches == 2 };
  double seconds = 0;
  int rc = figures_time(&plain, 1, &seconds);
  s.got = malloc((size_t)want->count * sizeof *s.got);
  if (rc == 0) rc = s.got ? open_splitting(&s, (uint32_t)o->vectors) : -1;
  for (int again = 0; again < 2 && rc == 0; again++) rc = split(&s, s.places.one);
  if (rc == 0) rc = split(&s, s.places.three);
  if (rc == 0)
    printf("%" PRIu32 " lines in %" PRIu32 " bytes, as the plain loop finds them\n", want->count, want->bytes);
  if (rc == 0) rc = print_figures(&s, (int)o->rounds);
  if (rc == 0) figures_print("plain loop, one host thread", seconds, want->bytes + 4.0 * want->count, 0);
  if (rc == 0) rc = split(&s, s.places.one);
  close_splitting(&s);
  free(s.got);
  return rc;
}

static int parse(int argc, char **argv, options *o) {
  *o = (options){ NULL, DEFAULT_BYTES, DEFAULT_ROUNDS, DEFAULT_VECTORS, DEFAULT_LAUNCHES };
  const figures_option all[] = { { "--bytes", &o->bytes, 1, MOST_BYTES },
                                 { "--rounds", &o->rounds, 0, FIGURES_MOST_ROUNDS },
                                 { "--vectors", &o->vectors, 8, MOST_VECTORS },
                                 { "--launches", &o->launches, 1, MOST_LAUNCHES },
                                 { .name = NULL } };
  static const char usage[] = "[FILE | --bytes N] [--rounds N] [--vectors N] [--launches N]";
  if (figures_parse(argc, argv, usage, all, &o->path) != 0) return -1;
  if (o->vectors % 8 == 0) return 0;
  fprintf(stderr, "--vectors takes a multiple of 8\n");
  return -1;
}

int main(int argc, char **argv) {
  options o;
  lines want = { 0 };
  int rc = parse(argc, argv, &o);
  if (rc == 0) rc = make_lines(&o, &want);
  if (rc == 0) rc = run(&o, &want);
  free(want.begin);
  free(want.text);
  return rc < 0 ? EXIT_FAILURE : rc;
}
