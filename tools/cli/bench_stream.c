/* SPDX-License-Identifier: BSD-2-Clause */
/** @file bench_stream.c @brief `scanrt bench --stream`: streams host data through a device, and times copies alone
 * for comparison. */
#define _POSIX_C_SOURCE 200809L
#include "bench_options.h"
#include "data.h"
#include "reference.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <scanrt/scan_cuda.h>

enum { PIECE_BYTES = 32 << 20, ALIGNMENT = 4096 };

/** The parsed command line. */
typedef struct stream_request {
  bench_request base;   /**< Devices, types, operators, kinds, sizes (0: four times the memory) and rounds. */
  uint64_t memory;      /**< Bytes of device memory for the data. */
  uint64_t chunk_items; /**< 0: the library's default. */
  int pageable;         /**< 1: the arrays are not page-locked. */
} stream_request;

/** A device and the host arrays of a case. */
typedef struct stream_state {
  bench_state base;
  const stream_request *request;
  uint64_t in_bytes, out_bytes, chunk_items;
  char *in, *out;
  int is_pinned;
  double pin_seconds;
  scan_mem device[2]; /**< Device buffers that copies alone write and read. */
} stream_state;

#define AT(field) offsetof(stream_request, field)
const bench_option bench_stream_options[] = {
  { BENCH_OF(STREAM),
    { .name = "stream", .kind = CLI_FLAG, .offset_bytes = AT(base.measurement), .value = BENCH_KIND_STREAM } },
  { BENCH_OF(STREAM),
    { .name = "memory", .kind = CLI_COUNT, .offset_bytes = AT(memory), .least = 1, .most = UINT64_C(1) << 44 } },
  { BENCH_OF(STREAM),
    { .name = "chunk", .kind = CLI_COUNT, .offset_bytes = AT(chunk_items), .least = 1, .most = UINT64_C(1) << 40 } },
  { BENCH_OF(STREAM), { .name = "pageable", .kind = CLI_FLAG, .offset_bytes = AT(pageable), .value = 1 } },
  { 0, { .name = NULL } },
};
#undef AT

static void print_help(void) {
  puts("Usage: scanrt bench --stream [OPTION]...\n"
       "Scans an array of host memory through device memory that is smaller, and copies the same bytes in and out\n"
       "without scanning them, by turns. The results are checked.\n"
       "\n"
       "Options with * may be repeated.\n"
       "      --device SEL   * only this device (default: every device)\n"
       "      --type T       * element type (default i32)\n"
       "      --input-type T   type of the input\n"
       "      --op OP        * operator (default add)\n"
       "      --exclusive      exclusive scans; --inclusive, the default\n"
       "      --memory BYTES   device memory that the data may take (default 2^28)\n"
       "      --n N          * elements, as of scanrt bench (default: four times what the memory holds)\n"
       "      --chunk N        elements of a chunk (default: the library's choice)\n"
       "      --pageable       scan the arrays as malloc gives them (default: page-lock them before; copies alone "
       "always\n"
       "                       have them page-locked)\n"
       "      --reps N         rounds (default 5)\n"
       "      --json           JSON instead of the table; --csv FILE: also CSV, - is standard output\n"
       "      --quiet          no progress on a terminal\n"
       "  -h, --help           this text\n"
       "\n"
       "The copies alone are, on CUDA, 32 MiB at a time in both directions at once, from and to page-locked memory;\n"
       "on OpenCL scan_write of all the input, then scan_read of all the output. GB/s are those of each direction of\n"
       "the same bytes: input and output, divided by two and by the time. % copy is the time of the copies alone in\n"
       "percent of this time.");
}

static int check_defined(const char *command, const bench_request *r) {
  for (size_t t = 0; t < r->type_count; t++)
    for (size_t o = 0; o < r->op_count; o++)
      if (!scan_spec_defined(r->types[t], r->input_type, r->ops[o]))
        return cli_usage(command, "operator %s is not defined on these types", scan_op_name(r->ops[o]));
  return CLI_OK;
}

static int stream_complete(const char *command, bench_request *r) {
  stream_request *request = (stream_request *)r;
  if (!request->memory) request->memory = UINT64_C(1) << 28;
  if (!r->size_count) r->sizes[r->size_count++] = 0;
  if (!r->op_count) r->ops[r->op_count++] = SCAN_ADD;
  if (!r->kinds[SCAN_EXCLUSIVE]) r->kinds[SCAN_INCLUSIVE] = 1;
  r->no_peers = 1;
  bench_set_defaults(r, SCAN_I32);
  int rc = check_defined(command, r);
  if (rc == CLI_OK) rc = bench_check_shared(command, r);
  return rc == CLI_OK ? bench_add_devices(r) : rc;
}

/* ---- arrays ---- */

static int failed(const stream_state *bench, scan_status status, const char *what) {
  return status == SCAN_SUCCESS ? CLI_OK : cli_fail_scan(bench->base.ctx, status, what);
}

static scan_stream_options stream_options(const stream_state *bench) {
  scan_stream_options stream = SCAN_STREAM_OPTIONS_INIT;
  stream.device_bytes = bench->request->memory;
  stream.chunk_items = bench->request->chunk_items;
  return stream;
}

static int make_arrays(stream_state *bench) {
  const data_style style = { .seed = 1 };
  bench->in = aligned_alloc(ALIGNMENT, (size_t)((bench->in_bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT));
  bench->out = aligned_alloc(ALIGNMENT, (size_t)((bench->out_bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT));
  if (!bench->in || !bench->out) return cli_fail("no memory for arrays of %" PRIu64 " elements", bench->base.n);
  data_fill(bench->base.spec.input_type, bench->base.spec.op, bench->base.n, &style, bench->in);
  memset(bench->out, 0, (size_t)bench->out_bytes); /* allocates the pages */
  return CLI_OK;
}

static int pin_arrays(stream_state *bench) {
  const double begun = cli_seconds();
  if (bench->is_pinned) return CLI_OK;
  int rc = failed(bench, scan_stream_pin(bench->base.ctx, bench->in, bench->in_bytes), "cannot page-lock the input");
  if (rc != CLI_OK) return rc;
  rc = failed(bench, scan_stream_pin(bench->base.ctx, bench->out, bench->out_bytes), "cannot page-lock the output");
  if (rc != CLI_OK) (void)scan_stream_unpin(bench->base.ctx, bench->in);
  bench->is_pinned = rc == CLI_OK;
  bench->pin_seconds = cli_seconds() - begun;
  return rc;
}

static void unpin_arrays(stream_state *bench) {
  if (!bench->is_pinned) return;
  (void)scan_stream_unpin(bench->base.ctx, bench->in);
  (void)scan_stream_unpin(bench->base.ctx, bench->out);
  bench->is_pinned = 0;
}

/** Returns the size of the piece that begins at `at`. */
static uint64_t piece_of(uint64_t at, uint64_t bytes) { return bytes - at < PIECE_BYTES ? bytes - at : PIECE_BYTES; }

/** Copies with the library alone: first all data in, then all out. */
static int copy_in_and_out(stream_state *bench) {
  int rc = CLI_OK;
  for (uint64_t at = 0; rc == CLI_OK && at < bench->in_bytes; at += PIECE_BYTES)
    rc = failed(bench, scan_write(bench->base.ctx, bench->device[0], bench->in + at, piece_of(at, bench->in_bytes)),
                "cannot copy in");
  for (uint64_t at = 0; rc == CLI_OK && at < bench->out_bytes; at += PIECE_BYTES)
    rc = failed(bench, scan_read(bench->base.ctx, bench->device[1], bench->out + at, piece_of(at, bench->out_bytes)),
                "cannot copy out");
  return rc;
}

static int start_copies(bench_entry *s, uint64_t pair) {
  stream_state *bench = (stream_state *)s->bench;
  (void)pair;
  return s->bench->cuda
             ? bench_cuda_copy_both(s->bench->cuda, bench->in, bench->in_bytes, bench->out, bench->out_bytes,
                                    PIECE_BYTES, scan_cuda_ptr(bench->device[0]), scan_cuda_ptr(bench->device[1]))
             : copy_in_and_out(bench);
}

static int start_stream(bench_entry *s, uint64_t pair) {
  const stream_state *bench = (const stream_state *)s->bench;
  const scan_stream_options stream = stream_options(bench);
  (void)pair;
  return failed(bench, scan_stream(s->bench->ctx, &s->bench->spec, s->bench->n, bench->in, bench->out, &stream),
                "scan_stream failed");
}

static int stream_pin(bench_entry *s) { return pin_arrays((stream_state *)s->bench); }

static int stream_unpin(bench_entry *s) {
  unpin_arrays((stream_state *)s->bench);
  return CLI_OK;
}

/** Lists the entries. Pageable arrays are page-locked for the copies alone, outside the timing. */
static int stream_list(bench_state *base) {
  const stream_state *bench = (const stream_state *)base;
  const uint64_t each_way = (bench->in_bytes + bench->out_bytes) / 2;
  bench_entry *scan = bench_add(base, BENCH_SCAN, start_stream, each_way, "scan_stream");
  if (bench->request->pageable) scan->restore = stream_unpin;
  if (base->info.backend == SCAN_BACKEND_HOST) return CLI_OK;
  bench_entry *copies = bench_add(base, BENCH_COPY, start_copies, each_way, "copies alone");
  copies->expect = BENCH_EXPECT_NOTHING;
  if (bench->request->pageable) copies->restore = stream_pin;
  return CLI_OK;
}

/* ---- checks ---- */

static int stream_poison(bench_entry *s) {
  const stream_state *bench = (const stream_state *)s->bench;
  memset(bench->out, BENCH_POISON_BYTE, (size_t)bench->out_bytes);
  return CLI_OK;
}

/** Checks the results against the chunks' references, in order. */
static int stream_check(bench_entry *s) {
  const stream_state *bench = (const stream_state *)s->bench;
  const uint64_t item = scan_type_bytes(bench->base.spec.type), n = bench->base.n;
  char *want = malloc((size_t)(bench->chunk_items * item));
  scan_spec spec = bench->base.spec;
  if (!want) return cli_fail("no memory for a reference");
  for (uint64_t first = 0; !s->wrong && first < n; first += bench->chunk_items) {
    const uint64_t items = n - first < bench->chunk_items ? n - first : bench->chunk_items;
    const char *in = bench->in + first * scan_type_bytes(spec.input_type);
    spec.kind = bench->base.spec.kind;
    if (first == 0) spec.init = reference_seed(&spec);
    spec.has_init = 1;
    reference_scan(&spec, items, in, want);
    const uint64_t bad = reference_mismatch(spec.type, items, want, bench->out + first * item);
    if (bad < items)
      (void)bench_wrong(s, "n = %" PRIu64 ": element %" PRIu64 " is not that of the reference", n, first + bad);
    spec.kind = SCAN_INCLUSIVE;
    if (bench->base.spec.kind == SCAN_EXCLUSIVE) reference_scan(&spec, items, in, want);
    memcpy(&spec.init, want + (items - 1) * item, (size_t)item);
  }
  free(want);
  return CLI_OK;
}

/* ---- sweeps ---- */

static int make_case(stream_state *bench, uint64_t n) {
  const scan_type in_type = bench->base.spec.input_type;
  const uint64_t in_item = scan_type_bytes(in_type), out_item = scan_type_bytes(bench->base.spec.type);
  const scan_stream_options stream = stream_options(bench);
  bench->base.n = n ? n : 4 * (bench->request->memory / (in_item == out_item ? out_item : in_item + out_item));
  bench->in_bytes = bench->base.n * in_item;
  bench->out_bytes = bench->base.n * out_item;
  int rc =
      failed(bench, scan_stream_chunk(bench->base.ctx, &bench->base.spec, bench->base.n, &stream, &bench->chunk_items),
             "no chunk");
  for (int i = 0; i < 2 && rc == CLI_OK; i++)
    rc = failed(bench, scan_alloc(bench->base.ctx, PIECE_BYTES, &bench->device[i]), "no device memory for the copies");
  if (rc == CLI_OK) rc = make_arrays(bench);
  return rc == CLI_OK && !bench->request->pageable ? pin_arrays(bench) : rc;
}

static void clear_case(stream_state *bench) {
  unpin_arrays(bench);
  for (int i = 0; i < 2; i++) {
    (void)scan_free(bench->base.ctx, bench->device[i]);
    bench->device[i] = SCAN_NO_MEM;
  }
  free(bench->in);
  free(bench->out);
  bench->in = bench->out = NULL;
}

/** Measures all n of a type and an operator. */
static int measure_sizes(stream_state *bench, scan_type type, scan_op_id op) {
  const bench_request *r = bench->base.request;
  int rc = CLI_OK;
  for (int kind = SCAN_INCLUSIVE; kind <= SCAN_EXCLUSIVE; kind++)
    for (size_t i = 0; i < r->size_count && r->kinds[kind]; i++) {
      bench->base.spec = (scan_spec)SCAN_SPEC_INIT(type, op, (scan_kind)kind);
      bench->base.spec.input_type = r->input_type == SCAN_TYPE_DEFAULT ? type : r->input_type;
      int one = make_case(bench, r->sizes[i]);
      if (one == CLI_OK) one = bench_case(&bench->base, BENCH_EAGER, BENCH_EAGER);
      if (one != CLI_OK) rc = CLI_FAILED;
      clear_case(bench);
    }
  return rc;
}

static int stream_measure(bench_state *base) {
  stream_state *bench = (stream_state *)base;
  const bench_request *r = base->request;
  int rc = CLI_OK;
  bench->request = (const stream_request *)r;
  for (size_t t = 0; t < r->type_count; t++)
    for (size_t o = 0; o < r->op_count; o++)
      if (measure_sizes(bench, r->types[t], r->ops[o]) != CLI_OK) rc = CLI_FAILED;
  return rc;
}

/* ---- lines ---- */

static void stream_describe(const bench_state *base, char *text, size_t bytes) {
  const stream_state *bench = (const stream_state *)base;
  const int is_host = base->info.backend == SCAN_BACKEND_HOST;
  snprintf(text, bytes, "%s %s %s, %.1f MB in, %.1f MB out, through %.1f MB of device memory, arrays %s%s",
           bench_kind_name(base->spec.kind), scan_type_name(base->spec.type), scan_op_name(base->spec.op),
           1e-6 * (double)bench->in_bytes, 1e-6 * (double)bench->out_bytes, 1e-6 * (double)bench->request->memory,
           bench->request->pageable ? "as malloc gives them" : "page-locked",
           is_host      ? ""
           : base->cuda ? "; copies alone in both directions at once"
                        : "; copies alone one direction after the other");
}

static void stream_fill(const bench_entry *s, bench_row *row) {
  const stream_state *bench = (const stream_state *)s->bench;
  const scan_spec *spec = &bench->base.spec;
  if (s->role == BENCH_SCAN) row->role = "stream";
  row->type = scan_type_name(spec->type);
  row->input_type = scan_type_name(spec->input_type);
  row->op = scan_op_name(spec->op);
  row->kind = bench_kind_name(spec->kind);
  row->memory = bench->request->pageable ? "pageable" : "page-locked";
  row->memory_bytes = bench->request->memory;
  row->chunk_items = bench->chunk_items;
  row->chunks = (bench->base.n + bench->chunk_items - 1) / bench->chunk_items;
  if (!bench->base.cuda || bench->request->pageable) return;
  row->pin = bench->pin_seconds;
  row->shown |= BENCH_SHOWS_PINS;
}

const bench_kind bench_stream = { .name = "stream",
                                  .options = bench_stream_options,
                                  .request_bytes = sizeof(stream_request),
                                  .bench_state_bytes = sizeof(stream_state),
                                  .reps = 5,
                                  .help = print_help,
                                  .complete = stream_complete,
                                  .measure = stream_measure,
                                  .list = stream_list,
                                  .poison = stream_poison,
                                  .check = stream_check,
                                  .by_host = 1,
                                  .describe = stream_describe,
                                  .fill = stream_fill };
