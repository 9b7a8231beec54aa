/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file csr_offsets.c
 * @brief Row offsets of a graph in CSR form, from a list of edges, with one exclusive scan.
 *
 * Usage: csr_offsets [FILE]. FILE has one undirected edge "u v" a line; both directions are counted. The exclusive sum
 * over n degrees and one zero gives n + 1 offsets, the last of them the number of directed edges.
 * Without FILE it reads the graph of tools/examples/data/, from the repository's folder.
 * Exit status: 0 the offsets are right; 1 they are wrong, or a call failed.
 */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <scanrt/scan.h>

enum { LINE_BYTES = 256 };
static const uint64_t MAX_VERTICES = UINT64_C(1) << 28;

/** Degrees by vertex, and one more element, 0, for the total. */
typedef struct degrees {
  uint32_t *count;
  uint64_t vertices;
  uint64_t capacity;
} degrees;

/** Makes room for a vertex. @return 0, or -1 if memory ran out */
static int reserve(degrees *d, uint64_t vertex) {
  if (vertex >= d->vertices) d->vertices = vertex + 1;
  if (d->vertices + 1 <= d->capacity) return 0;
  uint64_t wanted = 2 * (d->vertices + 1);
  uint32_t *more = realloc(d->count, (size_t)wanted * sizeof *more);
  if (!more) return -1;
  memset(more + d->capacity, 0, (size_t)(wanted - d->capacity) * sizeof *more);
  d->count = more;
  d->capacity = wanted;
  return 0;
}

/** Parses "u v". @return 0, or -1 if the line is anything else */
static int parse_edge(const char *text, uint64_t *u, uint64_t *v) {
  char *end;
  *u = strtoull(text, &end, 10);
  if (end == text || (*end != ' ' && *end != '\t')) return -1;
  text = end;
  *v = strtoull(text, &end, 10);
  return end == text || *u >= MAX_VERTICES || *v >= MAX_VERTICES ? -1 : 0;
}

/** Counts both ends of every edge. @return 0, or -1 after printing the fault */
static int count_degrees(FILE *file, const char *path, degrees *d) {
  char text[LINE_BYTES];
  uint64_t u, v, line = 1;
  for (; fgets(text, sizeof text, file); line++) {
    if (parse_edge(text, &u, &v) != 0) {
      fprintf(stderr, "%s:%" PRIu64 ": not an edge \"u v\" of numbers below 2^28\n", path, line);
      return -1;
    }
    if (reserve(d, u > v ? u : v) != 0) {
      fprintf(stderr, "no memory for the degrees\n");
      return -1;
    }
    d->count[u]++;
    d->count[v]++;
  }
  if (d->count && !ferror(file)) return 0;
  fprintf(stderr, "%s: no edges, or not readable\n", path);
  return -1;
}

/** Scans the degrees, widened from u32 to u64 on load. */
static int scan_degrees(const degrees *d, uint64_t *offset) {
  scan_ctx *ctx = NULL;
  scan_device_info device = SCAN_DEVICE_INFO_INIT;
  scan_spec spec = SCAN_SPEC_INIT(SCAN_U64, SCAN_ADD, SCAN_EXCLUSIVE);
  spec.input_type = SCAN_U32;
  scan_status status = scan_ctx_create(NULL, &ctx);
  if (status == SCAN_SUCCESS) status = scan_ctx_device(ctx, &device);
  if (status == SCAN_SUCCESS) status = scan_run(ctx, &spec, d->vertices + 1, scan_host(d->count), scan_host(offset));
  if (status == SCAN_SUCCESS)
    printf("scanned on %s (%s)\n", device.selector, device.name);
  else
    fprintf(stderr, "%s: %s\n", scan_status_name(status), scan_last_error(ctx));
  scan_ctx_destroy(ctx);
  return status == SCAN_SUCCESS ? 0 : -1;
}

/** Compares with the plain loop. */
static int check_offsets(const degrees *d, const uint64_t *offset) {
  uint64_t expected = 0;
  for (uint64_t i = 0; i <= d->vertices; i++) {
    if (offset[i] != expected) {
      fprintf(stderr, "offset %" PRIu64 " is %" PRIu64 ", expected %" PRIu64 "\n", i, offset[i], expected);
      return -1;
    }
    expected += d->count[i];
  }
  printf("%" PRIu64 " offsets, last %" PRIu64 ": as the plain loop gives them\n", d->vertices + 1, offset[d->vertices]);
  return 0;
}

int main(int argc, char **argv) {
  const char *path = argc > 1 ? argv[1] : "tools/examples/data/facebook_combined.txt";
  degrees d = { 0 };
  uint64_t *offset = NULL;
  int rc = EXIT_FAILURE;
  FILE *file = fopen(path, "r");
  if (!file) {
    fprintf(stderr, "%s: %s\n", path, strerror(errno));
    return EXIT_FAILURE;
  }
  if (count_degrees(file, path, &d) != 0) goto close_file;
  offset = calloc((size_t)(d.vertices + 1), sizeof *offset);
  if (!offset) {
    fprintf(stderr, "no memory for the offsets\n");
    goto close_file;
  }
  if (scan_degrees(&d, offset) == 0 && check_offsets(&d, offset) == 0) rc = EXIT_SUCCESS;
close_file:
  free(offset);
  free(d.count);
  fclose(file);
  return rc;
}
