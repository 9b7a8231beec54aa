/* SPDX-License-Identifier: BSD-2-Clause */
/* Scans of arrays whose lines are distributed along their axis. Each rank gets some whole lines: as in a transposition,
 * every rank sends every other rank its pieces of that rank's lines, and gets the results back. */
#include "mpi/spec.h"
#include "mpi/transport.h"

/* Visits the elements of an array line by line: the axes that are not scanned, then the scanned one. */
typedef struct walk {
  uint64_t lines, items; /* this rank's items along the axis */
  const scan_array *array;
  const int64_t *strides;
  uint64_t item_bytes;
} walk;

typedef struct exchange {
  scan_mpi *mpi;
  scan_array array;
  mpi_spec spec;
  uint64_t lines;           /* lines of the array */
  uint64_t *items;          /* each rank's items along the axis */
  uint64_t all;             /* all ranks' items along the axis */
  uint64_t *here, *here_at; /* elements exchanged between this rank's piece and each rank's lines: counts, and places */
  uint64_t *line, *line_at; /* elements exchanged between this rank's lines and each rank's piece: counts, and places */
  char *packed;             /* this rank's piece, line by line */
  char *pieces;             /* this rank's lines, rank by rank */
  char *whole;              /* this rank's lines, line by line */
  char *span;               /* copy of the caller's bytes, if the host cannot reach them; else NULL */
} exchange;

/* Returns the lines that are assigned to a rank. */
static mpi_range lines_of(const exchange *x, int rank) {
  const uint64_t ranks = (uint64_t)x->mpi->ranks, r = (uint64_t)rank;
  const uint64_t each = x->lines / ranks, more = x->lines % ranks;
  const uint64_t first = r * each + (r < more ? r : more);
  return (mpi_range){ first, first + each + (r < more ? 1 : 0) };
}

static uint64_t own_lines(const exchange *x) { return scan_mpi_items(lines_of(x, x->mpi->rank)); }

/* ---- the caller's memory ---- */

/* Finds the bytes that an array takes, relative to its element with all indices 0. */
static void span_of(const walk *w, int64_t *first, int64_t *end) {
  *first = 0;
  *end = (int64_t)w->item_bytes;
  for (uint32_t a = 0; a < w->array->ndim; a++) {
    const int64_t reach = ((int64_t)w->array->shape[a] - 1) * w->strides[a];
    *(reach < 0 ? first : end) += reach;
  }
}

/* Returns the offset of a line's first element in bytes. */
static int64_t line_begin(const walk *w, uint64_t line) {
  int64_t at = 0;
  for (uint32_t i = 0; i < w->array->ndim; i++) {
    const uint32_t a = w->array->ndim - 1 - i;
    if (a == w->array->axis) continue;
    at += (int64_t)(line % w->array->shape[a]) * w->strides[a];
    line /= w->array->shape[a];
  }
  return at;
}

/* Copies between an array and its packed elements, line by line. */
static void copy_lines(const walk *w, char *array, char *packed, int is_packing) {
  const int64_t step = w->strides[w->array->axis];
  for (uint64_t l = 0; l < w->lines; l++) {
    char *element = array + line_begin(w, l);
    for (uint64_t i = 0; i < w->items; i++, element += step, packed += w->item_bytes)
      memcpy(is_packing ? packed : element, is_packing ? element : packed, w->item_bytes);
  }
}

/* Returns the address of the caller's array; copies it to x->span if the host cannot reach it. */
static scan_status reach(exchange *x, const walk *w, scan_mem mem, char **array) {
  int64_t first = 0, end = 0;
  char *host = scan_mpi_host_pointer(mem);
  *array = host;
  if (host != NULL || w->lines * w->items == 0) return SCAN_SUCCESS;
  span_of(w, &first, &end);
  mem.offset_bytes += (uint64_t)first; /* stays within the allocation, because element 0 is in it */
  if (mem.size_bytes != 0) mem.size_bytes -= (uint64_t)first;
  x->span = scan_mpi_allocate(x->mpi, (uint64_t)(end - first), 1);
  if (x->span == NULL) return SCAN_OUT_OF_MEMORY;
  *array = x->span - first;
  return scan_mpi_copy(x->mpi, scan_host(x->span), mem, (uint64_t)(end - first));
}

static walk walk_of(const exchange *x, int is_out) {
  return (walk){ .lines = x->lines,
                 .items = x->array.shape[x->array.axis],
                 .array = &x->array,
                 .strides = is_out ? x->array.out_strides : x->array.in_strides,
                 .item_bytes = is_out ? x->spec.out_bytes : x->spec.in_bytes };
}

static void drop_span(exchange *x) {
  free(x->span);
  x->span = NULL;
}

static scan_status lines_pack(exchange *x, scan_mem in) {
  const walk w = walk_of(x, 0);
  char *array = NULL;
  MPI_TRY(reach(x, &w, in, &array));
  copy_lines(&w, array, x->packed, 1);
  drop_span(x);
  return SCAN_SUCCESS;
}

/* Copies the results to the caller's array. Bytes between the elements keep their values. */
static scan_status unpack(exchange *x, scan_mem out) {
  const walk w = walk_of(x, 1);
  char *array = NULL;
  int64_t first = 0, end = 0;
  MPI_TRY(reach(x, &w, out, &array));
  copy_lines(&w, array, x->packed, 0);
  if (x->span == NULL) return SCAN_SUCCESS;
  span_of(&w, &first, &end);
  out.offset_bytes += (uint64_t)first;
  if (out.size_bytes != 0) out.size_bytes -= (uint64_t)first;
  const scan_status status = scan_mpi_copy(x->mpi, out, scan_host(x->span), (uint64_t)(end - first));
  drop_span(x);
  return status;
}

/* ---- pieces and lines ---- */

/* Copies between `pieces`, which has this rank's lines rank by rank, and `whole`, which has them line by line. */
static void join_lines(exchange *x, uint64_t item_bytes, int is_joining) {
  const uint64_t lines = own_lines(x);
  char *piece = x->pieces;
  uint64_t before = 0;
  for (int r = 0; r < x->mpi->ranks; r++) {
    const uint64_t bytes = x->items[r] * item_bytes;
    for (uint64_t l = 0; l < lines; l++, piece += bytes) {
      char *line = x->whole + (l * x->all + before) * item_bytes;
      memcpy(is_joining ? line : piece, is_joining ? piece : line, bytes);
    }
    before += x->items[r];
  }
}

static scan_status scan_lines(exchange *x) {
  scan_array packed = SCAN_ARRAY_INIT;
  const uint64_t lines = own_lines(x), shape[] = { lines, x->all };
  const uint64_t in_bytes = x->spec.in_bytes, out_bytes = x->spec.out_bytes;
  if (lines * x->all == 0) return SCAN_SUCCESS;
  join_lines(x, in_bytes, 1);
  /* Results go where the pieces were, and from there back to their ranks. */
  if (scan_array_packed(&x->spec.asked, 2, shape, 1, &packed) != SCAN_SUCCESS)
    return scan_mpi_fail(x->mpi, SCAN_INVALID_ARGUMENT, "%s", scan_last_error(NULL));
  char *in = x->whole, *out = in_bytes == out_bytes ? in : scan_mpi_allocate(x->mpi, lines * x->all, out_bytes);
  if (out == NULL) return SCAN_OUT_OF_MEMORY;
  const scan_status status = scan_run_array(x->mpi->ctx, &x->spec.asked, &packed, scan_host(in), scan_host(out));
  x->whole = out;
  if (out != in) free(in);
  MPI_TRY(scan_mpi_adopt_error(x->mpi, status));
  join_lines(x, out_bytes, 0);
  return SCAN_SUCCESS;
}

/* ---- checks and agreement ---- */

typedef struct hello {
  uint64_t items, lines, others; /* others: a hash of the other axes' shape */
} hello;

static scan_status check_spec(exchange *x, const scan_spec *spec) {
  scan_mpi *mpi = x->mpi;
  MPI_TRY(scan_mpi_spec_copy_in(mpi, spec, NULL, &x->spec));
  const scan_spec *asked = &x->spec.asked;
  if (asked->kind == SCAN_TOTAL || asked->segments != SCAN_SEGMENTS_NONE || asked->flags & SCAN_CHECK_OVERFLOW)
    return scan_mpi_fail(mpi, SCAN_UNSUPPORTED,
                         "arrays over ranks are scanned without segments and overflow checks, and have no totals");
  if (asked->strategy != SCAN_STRATEGY_AUTO)
    return scan_mpi_fail(mpi, SCAN_INVALID_ARGUMENT, "spec->strategy must be SCAN_STRATEGY_AUTO with arrays");
  return SCAN_SUCCESS;
}

#define F(field) MPI_FIELD(scan_array, field)
static const mpi_field array_fields[] = { F(ndim), F(axis), F(shape), F(in_strides), F(out_strides) };
#undef F
static const mpi_struct array_struct = MPI_STRUCT(scan_array, "array", "SCAN_ARRAY_INIT", array_fields);

static scan_status check_array(exchange *x, const scan_array *given) {
  scan_mpi *mpi = x->mpi;
  const scan_array *array = &x->array;
  MPI_TRY(scan_mpi_struct_copy_in(mpi, &array_struct, &x->array, given));
  if (array->ndim < 1 || array->ndim > SCAN_ARRAY_MAX_AXES || array->axis >= array->ndim)
    return scan_mpi_fail(mpi, SCAN_INVALID_ARGUMENT,
                         "array->ndim is %u and array->axis %u: 1 to %d axes, the axis below", array->ndim, array->axis,
                         SCAN_ARRAY_MAX_AXES);
  x->lines = 1;
  for (uint32_t a = 0; a < array->ndim; a++) {
    if (a != array->axis && array->shape[a] != 0 && x->lines > INT64_MAX / array->shape[a])
      return scan_mpi_fail(mpi, SCAN_INVALID_ARGUMENT, "array has more than 2^63 lines");
    if (a != array->axis) x->lines *= array->shape[a];
  }
  return SCAN_SUCCESS;
}

/* Checks strides, overlaps and memory by making libscanrt's plan for this rank's piece. */
static scan_status check_piece(exchange *x, scan_mem in, scan_mem out) {
  scan_plan *plan = NULL;
  const uint64_t items = x->lines * x->array.shape[x->array.axis];
  if (items == 0) return SCAN_SUCCESS;
  if (in.kind == SCAN_MEM_NONE || in.handle == NULL || out.kind == SCAN_MEM_NONE || out.handle == NULL)
    return scan_mpi_fail(x->mpi, SCAN_INVALID_ARGUMENT, "%s is no memory",
                         in.kind == SCAN_MEM_NONE || in.handle == NULL ? "in" : "out");
  MPI_TRY(scan_mpi_adopt_error(x->mpi, scan_plan_create_array(x->mpi->ctx, &x->spec.asked, &x->array, &plan)));
  scan_plan_destroy(plan);
  return SCAN_SUCCESS;
}

static hello hello_of(const exchange *x) {
  hello own = { x->array.shape[x->array.axis], x->lines, x->array.ndim };
  for (uint32_t a = 0; a < x->array.ndim; a++)
    own.others = scan_mpi_hash(own.others, a == x->array.axis ? UINT64_MAX : x->array.shape[a]);
  return own;
}

static scan_status lines_count(exchange *x, const hello *hellos) {
  scan_mpi *mpi = x->mpi;
  uint64_t here_at = 0, line_at = 0;
  for (int r = 0; r < mpi->ranks; r++) {
    if (hellos[r].lines != hellos[0].lines || hellos[r].others != hellos[0].others)
      return scan_mpi_fail(mpi, SCAN_INVALID_ARGUMENT, "arrays differ in more than their axis on ranks 0 and %d", r);
    x->items[r] = hellos[r].items;
    x->all += hellos[r].items;
  }
  for (int r = 0; r < mpi->ranks; r++) {
    const uint64_t here = scan_mpi_items(lines_of(x, r)) * x->items[mpi->rank], line = own_lines(x) * x->items[r];
    x->here[r] = here, x->here_at[r] = here_at;
    x->line[r] = line, x->line_at[r] = line_at;
    here_at += here;
    line_at += line;
  }
  const uint64_t wide = x->spec.in_bytes > x->spec.out_bytes ? x->spec.in_bytes : x->spec.out_bytes;
  x->packed = scan_mpi_allocate(mpi, here_at, wide);
  x->pieces = scan_mpi_allocate(mpi, line_at, wide);
  x->whole = scan_mpi_allocate(mpi, line_at, wide);
  return x->packed && x->pieces && x->whole ? SCAN_SUCCESS : SCAN_OUT_OF_MEMORY;
}

/* ---- the steps ---- */

static scan_status open_exchange(exchange *x, const scan_spec *spec, const scan_array *array, scan_mem in,
                                 scan_mem out) {
  const uint64_t ranks = (uint64_t)x->mpi->ranks;
  x->items = scan_mpi_allocate(x->mpi, ranks, sizeof *x->items);
  x->here = scan_mpi_allocate(x->mpi, 4 * ranks, sizeof *x->here);
  if (x->items == NULL || x->here == NULL) return SCAN_OUT_OF_MEMORY;
  x->here_at = x->here + ranks;
  x->line = x->here + 2 * ranks;
  x->line_at = x->here + 3 * ranks;
  MPI_TRY(check_spec(x, spec));
  MPI_TRY(check_array(x, array));
  return check_piece(x, in, out);
}

static scan_status lines_meet(exchange *x) {
  scan_mpi *mpi = x->mpi;
  const hello own = hello_of(x);
  hello *hellos = scan_mpi_allocate(mpi, (uint64_t)mpi->ranks, sizeof *hellos);
  scan_status status = scan_mpi_agree(mpi, hellos != NULL ? SCAN_SUCCESS : SCAN_OUT_OF_MEMORY);
  if (status == SCAN_SUCCESS)
    status =
        MPI_CALL(mpi, MPI_Allgather, &own, (int)sizeof own, MPI_BYTE, hellos, (int)sizeof own, MPI_BYTE, mpi->comm);
  if (status == SCAN_SUCCESS) status = scan_mpi_agree(mpi, lines_count(x, hellos));
  free(hellos);
  return status;
}

/* Sends elements from pieces to lines, or results the other way. */
static scan_status exchange_elements(exchange *x, int is_back) {
  const mpi_parcel to_lines = { scan_host(x->packed), scan_host(x->pieces), x->here, x->here_at, x->line, x->line_at };
  const mpi_parcel to_pieces = { scan_host(x->pieces), scan_host(x->packed), x->line, x->line_at, x->here, x->here_at };
  if (is_back) return scan_mpi_exchange_ranks(x->mpi, &to_pieces, x->spec.out_bytes, 0);
  return scan_mpi_exchange_ranks(x->mpi, &to_lines, x->spec.in_bytes, 0);
}

static scan_status do_steps(exchange *x, scan_status opened, scan_mem in, scan_mem out) {
  scan_mpi *mpi = x->mpi;
  MPI_TRY(scan_mpi_agree(mpi, opened));
  MPI_TRY(scan_mpi_spec_compare(mpi, &x->spec));
  MPI_TRY(lines_meet(x));
  MPI_TRY(scan_mpi_agree(mpi, lines_pack(x, in)));
  MPI_TRY(exchange_elements(x, 0));
  MPI_TRY(scan_mpi_agree(mpi, scan_lines(x)));
  MPI_TRY(exchange_elements(x, 1));
  return scan_mpi_agree(mpi, unpack(x, out));
}

scan_status scan_mpi_run_array(scan_mpi *mpi, const scan_spec *spec, const scan_array *array, scan_mem in,
                               scan_mem out) {
  exchange x = { .mpi = mpi };
  MPI_TRY(scan_mpi_begin(mpi));
  const scan_status opened = open_exchange(&x, spec, array, in, out);
  const scan_status status = do_steps(&x, opened, in, out);
  free(x.items);
  free(x.here);
  free(x.packed);
  free(x.pieces);
  free(x.whole);
  drop_span(&x);
  return status;
}
