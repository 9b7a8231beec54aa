/* SPDX-License-Identifier: BSD-2-Clause */
#include "triplets.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "edges.h"
#include "figures.h"

enum { DEFAULT_ROUNDS = 5, MOST_SIDE = 300, CORNERS = 8 };
static const double fractions_tolerance = 1e-12; /* of sums of up to some thousand numbers of one sign */

static uint64_t place_of(uint32_t row, uint32_t column) { return (uint64_t)row << 32 | column; }

/* ---- options ----------------------------------------------------------------------------------------------------- */

int triplets_parse(int argc, char **argv, triplets_options *options) {
  *options = (triplets_options){ .path = "tools/examples/data/facebook_combined.txt", .rounds = DEFAULT_ROUNDS };
  const figures_option all[] = {
    { "--laplacian", &options->laplacian, 2, MOST_SIDE },    { "--rounds", &options->rounds, 1, FIGURES_MOST_ROUNDS },
    { .name = "--upper", .value = &options->upper },         { .name = "--shuffle", .value = &options->shuffle },
    { .name = "--fractions", .value = &options->fractions }, { .name = NULL }
  };
  return figures_parse(argc, argv, "[FILE | --laplacian SIDE] [--upper] [--shuffle] [--fractions] [--rounds N]", all,
                       &options->path);
}

/* ---- matrices ---------------------------------------------------------------------------------------------------- */

static int triplets_alloc(uint64_t count, uint32_t rows, uint64_t most_entries, triplets *matrix) {
  matrix->place = malloc((size_t)count * sizeof *matrix->place);
  matrix->value = malloc((size_t)count * sizeof *matrix->value);
  matrix->count = count;
  matrix->rows = rows;
  matrix->most_entries = most_entries < count ? most_entries : count;
  matrix->tolerance = 0;
  if (matrix->place && matrix->value) return 0;
  fprintf(stderr, "no memory for %" PRIu64 " triplets\n", count);
  triplets_free(matrix);
  return -1;
}

void triplets_free(triplets *matrix) {
  free(matrix->place);
  free(matrix->value);
  *matrix = (triplets){ 0 };
}

static uint64_t next_random(uint64_t *state) {
  *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return *state >> 20;
}

void triplets_shuffle(triplets *matrix) {
  uint64_t random = UINT64_C(0x853c49e6748fea9b);
  for (uint64_t left = matrix->count; left > 1; left--) {
    const uint64_t i = left - 1, j = next_random(&random) % left;
    const uint64_t place = matrix->place[i];
    const double value = matrix->value[i];
    matrix->place[i] = matrix->place[j];
    matrix->value[i] = matrix->value[j];
    matrix->place[j] = place;
    matrix->value[j] = value;
  }
}

static int compare(const void *a, const void *b) {
  const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return (x > y) - (x < y);
}

/* Makes the Laplacian of a graph. It sorts the places alone, since the values follow from them. Each diagonal begins
 * with a zero. */
static int of_edges(const edge_list *list, triplets *matrix) {
  const uint64_t count = 4 * list->count + list->vertices;
  if (triplets_alloc(count, list->vertices, 2 * list->count + list->vertices, matrix) != 0) return -1;
  uint64_t *place = matrix->place;
  for (uint32_t v = 0; v < list->vertices; v++) *place++ = place_of(v, v);
  for (uint64_t i = 0; i < list->count; i++) {
    const edge e = list->edges[i];
    *place++ = place_of(e.from, e.from);
    *place++ = place_of(e.to, e.to);
    *place++ = place_of(e.from, e.to);
    *place++ = place_of(e.to, e.from);
  }
  qsort(matrix->place, (size_t)count, sizeof *matrix->place, compare);
  for (uint64_t i = 0; i < count; i++) {
    const uint64_t at = matrix->place[i];
    const int is_diagonal = at >> 32 == (at & UINT32_MAX);
    const int is_first = i == 0 || matrix->place[i - 1] != at;
    matrix->value[i] = is_diagonal ? !is_first : -1;
  }
  return 0;
}

/* Returns how many elements two neighbouring nodes of a line share, or surround one node. */
static uint32_t shared(uint32_t i, int step, uint32_t side) {
  if (step != 0) return 1;
  return (uint32_t)(i > 0) + (uint32_t)(i + 1 < side);
}

/* Appends the triplets of one place: one for each element that has both nodes. */
static void add_place(triplets *matrix, uint64_t place, int steps, uint32_t elements) {
  static const double value[] = { 4, 0, -1, -1 };
  for (uint32_t e = 0; e < elements; e++) {
    matrix->place[matrix->count] = place;
    matrix->value[matrix->count++] = value[steps];
  }
}

static void add_row(triplets *matrix, uint32_t side, uint32_t z, uint32_t y, uint32_t x) {
  const uint32_t row = (z * side + y) * side + x;
  for (int k = 0; k < 27; k++) {
    const int dz = k / 9 - 1, dy = k / 3 % 3 - 1, dx = k % 3 - 1;
    const uint32_t to_z = z + (uint32_t)dz, to_y = y + (uint32_t)dy, to_x = x + (uint32_t)dx;
    if (to_z >= side || to_y >= side || to_x >= side) continue;
    add_place(matrix, place_of(row, (to_z * side + to_y) * side + to_x), (dz != 0) + (dy != 0) + (dx != 0),
              shared(z, dz, side) * shared(y, dy, side) * shared(x, dx, side));
  }
}

static int of_grid(uint32_t side, triplets *matrix) {
  const uint64_t nodes = (uint64_t)side * side * side;
  const uint64_t elements = (uint64_t)(side - 1) * (side - 1) * (side - 1);
  if (triplets_alloc(elements * CORNERS * CORNERS, (uint32_t)nodes, 27 * nodes, matrix) != 0) return -1;
  matrix->count = 0;
  for (uint32_t z = 0; z < side; z++)
    for (uint32_t y = 0; y < side; y++)
      for (uint32_t x = 0; x < side; x++) add_row(matrix, side, z, y, x);
  return 0;
}

static int keep_upper(triplets *matrix) {
  uint64_t kept = 0;
  for (uint64_t i = 0; i < matrix->count; i++) {
    if (matrix->place[i] >> 32 >= (matrix->place[i] & UINT32_MAX)) continue;
    matrix->place[kept] = matrix->place[i];
    matrix->value[kept++] = matrix->value[i];
  }
  matrix->count = kept;
  if (kept < matrix->most_entries) matrix->most_entries = kept;
  if (kept > 0) return 0;
  fprintf(stderr, "nothing is above the diagonal: leave --upper out\n");
  triplets_free(matrix);
  return -1;
}

static void make_fractions(triplets *matrix) {
  uint64_t random = 1;
  for (uint64_t i = 0; i < matrix->count; i++) matrix->value[i] *= 1 + (double)next_random(&random) * 0x1p-44;
  matrix->tolerance = fractions_tolerance;
}

int triplets_make(const triplets_options *options, triplets *matrix) {
  edge_list list;
  int rc = -1;
  if (options->laplacian > 0) {
    printf("27-point Laplacian of %" PRIu64 "^3 nodes: ", options->laplacian);
    rc = of_grid((uint32_t)options->laplacian, matrix);
  } else if (edges_read(options->path, &list) == 0) {
    printf("Laplacian of the graph of %s: ", options->path);
    rc = of_edges(&list, matrix);
    edges_free(&list);
  }
  if (rc == 0 && options->upper) rc = keep_upper(matrix);
  if (rc == 0 && options->fractions) make_fractions(matrix);
  if (rc == 0)
    printf("%" PRIu64 " triplets, %" PRIu32 " rows%s\n", matrix->count, matrix->rows,
           options->upper ? ", above the diagonal" : "");
  return rc;
}

/* ---- CSR --------------------------------------------------------------------------------------------------------- */

int csr_alloc(uint32_t rows, uint64_t entries, csr *matrix) {
  matrix->offset = calloc((size_t)rows + 1, sizeof *matrix->offset);
  matrix->column = calloc((size_t)entries, sizeof *matrix->column);
  matrix->value = calloc((size_t)entries, sizeof *matrix->value);
  matrix->entries = entries;
  matrix->rows = rows;
  if (matrix->offset && matrix->column && matrix->value) return 0;
  fprintf(stderr, "no memory for a matrix of %" PRIu64 " entries\n", entries);
  csr_free(matrix);
  return -1;
}

void csr_free(csr *matrix) {
  free(matrix->offset);
  free(matrix->column);
  free(matrix->value);
  *matrix = (csr){ 0 };
}

void csr_of_triplets(const triplets *from, csr *to) {
  uint64_t e = 0;
  uint32_t row = 0;
  to->offset[0] = 0;
  for (uint64_t i = 0; i < from->count; e++) {
    const uint64_t place = from->place[i];
    double sum = 0;
    while (row < place >> 32) to->offset[++row] = (uint32_t)e;
    while (i < from->count && from->place[i] == place) sum += from->value[i++];
    to->column[e] = (uint32_t)place;
    to->value[e] = sum;
  }
  while (row < to->rows) to->offset[++row] = (uint32_t)e;
  to->entries = e;
  to->tolerance = from->tolerance;
}

static int values_differ(double got, double want, double tolerance) {
  return tolerance > 0 ? !(fabs(got - want) <= tolerance * fabs(want)) : memcmp(&got, &want, sizeof got) != 0;
}

int csr_compare(const csr *got, const csr *want) {
  if (got->rows != want->rows || got->entries != want->entries) {
    fprintf(stderr, "%" PRIu64 " entries in %" PRIu32 " rows, expected %" PRIu64 " in %" PRIu32 "\n", got->entries,
            got->rows, want->entries, want->rows);
    return -1;
  }
  for (uint64_t r = 0; r <= want->rows; r++)
    if (got->offset[r] != want->offset[r]) {
      fprintf(stderr, "offset %" PRIu64 " is %" PRIu32 ", expected %" PRIu32 "\n", r, got->offset[r], want->offset[r]);
      return -1;
    }
  for (uint64_t e = 0; e < want->entries; e++)
    if (got->column[e] != want->column[e] || values_differ(got->value[e], want->value[e], want->tolerance)) {
      fprintf(stderr, "entry %" PRIu64 " is %g in column %" PRIu32 ", expected %g in column %" PRIu32 "\n", e,
              got->value[e], got->column[e], want->value[e], want->column[e]);
      return -1;
    }
  return 0;
}

double csr_bytes(const triplets *from, uint64_t entries) {
  const double n = (double)from->count, e = (double)entries;
  return 16 * n + 12 * e + 4 * ((double)from->rows + 1);
}
