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
typedef struct stream_lab {
  bench_lab base;
  const stream_request *request;
  uint64_t in_bytes, out_bytes, chunk_items;
  char *in, *out;
  int is_pinned;
  double pin_seconds;
  scan_mem device[2]; /**< Device buffers that copies alone write and read. */
} stream_lab;

#define AT(field) offsetof(stream_request, field)
const bench_option bench_stream_options[] = {
  { BENCH_OF(STREAM),
    { .name = "stream", .kind = CLI_FLAG, .offset_bytes = AT(base.family), .value = BENCH_FAMILY_STREAM } },
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

static int complete(const char *command, bench_request *r) {
  stream_request *request = (stream_request *)r;
  if (!request->memory) request->memory = UINT64_C(1) << 28;
  if (!r->size_count) r->sizes[r->size_count++] = 0;
  if (!r->op_count) r->ops[r->op_count++] = SCAN_ADD;
  if (!r->kinds[SCAN_EXCLUSIVE]) r->kinds[SCAN_INCLUSIVE] = 1;
  r->no_peers = 1;
  bench_take_defaults(r, SCAN_I32);
  int rc = check_defined(command, r);
  if (rc == CLI_OK) rc = bench_check_shared(command, r);
  return rc == CLI_OK ? bench_take_devices(r) : rc;
}

/* ---- arrays ---- */

static int failed(const stream_lab *lab, scan_status status, const char *what) {
  return status == SCAN_SUCCESS ? CLI_OK : cli_fail_scan(lab->base.ctx, status, what);
}

static scan_stream_options stream_options(const stream_lab *lab) {
  scan_stream_options stream = SCAN_STREAM_OPTIONS_INIT;
  stream.device_bytes = lab->request->memory;
  stream.chunk_items = lab->request->chunk_items;
  return stream;
}

static int make_arrays(stream_lab *lab) {
  const data_style style = { .seed = 1 };
  lab->in = aligned_alloc(ALIGNMENT, (size_t)((lab->in_bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT));
  lab->out = aligned_alloc(ALIGNMENT, (size_t)((lab->out_bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT));
  if (!lab->in || !lab->out) return cli_fail("no memory for arrays of %" PRIu64 " elements", lab->base.n);
  data_fill(lab->base.spec.input_type, lab->base.spec.op, lab->base.n, &style, lab->in);
  memset(lab->out, 0, (size_t)lab->out_bytes); /* allocates the pages */
  return CLI_OK;
}

static int pin_arrays(stream_lab *lab) {
  const double begun = cli_seconds();
  if (lab->is_pinned) return CLI_OK;
  int rc = failed(lab, scan_stream_pin(lab->base.ctx, lab->in, lab->in_bytes), "cannot page-lock the input");
  if (rc != CLI_OK) return rc;
  rc = failed(lab, scan_stream_pin(lab->base.ctx, lab->out, lab->out_bytes), "cannot page-lock the output");
  if (rc != CLI_OK) (void)scan_stream_unpin(lab->base.ctx, lab->in);
  lab->is_pinned = rc == CLI_OK;
  lab->pin_seconds = cli_seconds() - begun;
  return rc;
}

static void unpin_arrays(stream_lab *lab) {
  if (!lab->is_pinned) return;
  (void)scan_stream_unpin(lab->base.ctx, lab->in);
  (void)scan_stream_unpin(lab->base.ctx, lab->out);
  lab->is_pinned = 0;
}

/** Returns the size of the piece that begins at `at`. */
static uint64_t piece_of(uint64_t at, uint64_t bytes) { return bytes - at < PIECE_BYTES ? bytes - at : PIECE_BYTES; }

/** Copies with the library alone: first all data in, then all out. */
static int copy_in_and_out(stream_lab *lab) {
  int rc = CLI_OK;
  for (uint64_t at = 0; rc == CLI_OK && at < lab->in_bytes; at += PIECE_BYTES)
    rc = failed(lab, scan_write(lab->base.ctx, lab->device[0], lab->in + at, piece_of(at, lab->in_bytes)),
                "cannot copy in");
  for (uint64_t at = 0; rc == CLI_OK && at < lab->out_bytes; at += PIECE_BYTES)
    rc = failed(lab, scan_read(lab->base.ctx, lab->device[1], lab->out + at, piece_of(at, lab->out_bytes)),
                "cannot copy out");
  return rc;
}

static int start_copies(bench_subject *s, uint64_t pair) {
  stream_lab *lab = (stream_lab *)s->lab;
  (void)pair;
  return s->lab->cuda ? bench_cuda_copy_both(s->lab->cuda, lab->in, lab->in_bytes, lab->out, lab->out_bytes,
                                             PIECE_BYTES, scan_cuda_ptr(lab->device[0]), scan_cuda_ptr(lab->device[1]))
                      : copy_in_and_out(lab);
}

static int start_stream(bench_subject *s, uint64_t pair) {
  const stream_lab *lab = (const stream_lab *)s->lab;
  const scan_stream_options stream = stream_options(lab);
  (void)pair;
  return failed(lab, scan_stream(s->lab->ctx, &s->lab->spec, s->lab->n, lab->in, lab->out, &stream),
                "scan_stream failed");
}

static int pin(bench_subject *s) { return pin_arrays((stream_lab *)s->lab); }

static int unpin(bench_subject *s) {
  unpin_arrays((stream_lab *)s->lab);
  return CLI_OK;
}

/** Lists the subjects. Pageable arrays are page-locked for the copies alone, outside the timing. */
static int list(bench_lab *base) {
  const stream_lab *lab = (const stream_lab *)base;
  const uint64_t each_way = (lab->in_bytes + lab->out_bytes) / 2;
  bench_subject *scan = bench_add(base, BENCH_SCAN, start_stream, each_way, "scan_stream");
  if (lab->request->pageable) scan->restore = unpin;
  if (base->info.backend == SCAN_BACKEND_HOST) return CLI_OK;
  bench_subject *copies = bench_add(base, BENCH_COPY, start_copies, each_way, "copies alone");
  copies->expect = BENCH_EXPECT_NOTHING;
  if (lab->request->pageable) copies->restore = pin;
  return CLI_OK;
}

/* ---- checks ---- */

static int poison(bench_subject *s) {
  const stream_lab *lab = (const stream_lab *)s->lab;
  memset(lab->out, BENCH_POISON_BYTE, (size_t)lab->out_bytes);
  return CLI_OK;
}

/** Checks the results against the chunks' references, in order. */
static int check(bench_subject *s) {
  const stream_lab *lab = (const stream_lab *)s->lab;
  const uint64_t item = scan_type_bytes(lab->base.spec.type), n = lab->base.n;
  char *want = malloc((size_t)(lab->chunk_items * item));
  scan_spec spec = lab->base.spec;
  if (!want) return cli_fail("no memory for a reference");
  for (uint64_t first = 0; !s->wrong && first < n; first += lab->chunk_items) {
    const uint64_t items = n - first < lab->chunk_items ? n - first : lab->chunk_items;
    const char *in = lab->in + first * scan_type_bytes(spec.input_type);
    spec.kind = lab->base.spec.kind;
    if (first == 0) spec.init = reference_seed(&spec);
    spec.has_init = 1;
    reference_scan(&spec, items, in, want);
    const uint64_t bad = reference_mismatch(spec.type, items, want, lab->out + first * item);
    if (bad < items)
      (void)bench_wrong(s, "n = %" PRIu64 ": element %" PRIu64 " is not that of the reference", n, first + bad);
    spec.kind = SCAN_INCLUSIVE;
    if (lab->base.spec.kind == SCAN_EXCLUSIVE) reference_scan(&spec, items, in, want);
    memcpy(&spec.init, want + (items - 1) * item, (size_t)item);
  }
  free(want);
  return CLI_OK;
}

/* ---- sweeps ---- */

static int make_case(stream_lab *lab, uint64_t n) {
  const scan_type in_type = lab->base.spec.input_type;
  const uint64_t in_item = scan_type_bytes(in_type), out_item = scan_type_bytes(lab->base.spec.type);
  const scan_stream_options stream = stream_options(lab);
  lab->base.n = n ? n : 4 * (lab->request->memory / (in_item == out_item ? out_item : in_item + out_item));
  lab->in_bytes = lab->base.n * in_item;
  lab->out_bytes = lab->base.n * out_item;
  int rc = failed(lab, scan_stream_chunk(lab->base.ctx, &lab->base.spec, lab->base.n, &stream, &lab->chunk_items),
                  "no chunk");
  for (int i = 0; i < 2 && rc == CLI_OK; i++)
    rc = failed(lab, scan_alloc(lab->base.ctx, PIECE_BYTES, &lab->device[i]), "no device memory for the copies");
  if (rc == CLI_OK) rc = make_arrays(lab);
  return rc == CLI_OK && !lab->request->pageable ? pin_arrays(lab) : rc;
}

static void clear_case(stream_lab *lab) {
  unpin_arrays(lab);
  for (int i = 0; i < 2; i++) {
    (void)scan_free(lab->base.ctx, lab->device[i]);
    lab->device[i] = SCAN_NO_MEM;
  }
  free(lab->in);
  free(lab->out);
  lab->in = lab->out = NULL;
}

/** Measures all n of a type and an operator. */
static int measure_sizes(stream_lab *lab, scan_type type, scan_op_id op) {
  const bench_request *r = lab->base.request;
  int rc = CLI_OK;
  for (int kind = SCAN_INCLUSIVE; kind <= SCAN_EXCLUSIVE; kind++)
    for (size_t i = 0; i < r->size_count && r->kinds[kind]; i++) {
      lab->base.spec = (scan_spec)SCAN_SPEC_INIT(type, op, (scan_kind)kind);
      lab->base.spec.input_type = r->input_type == SCAN_TYPE_DEFAULT ? type : r->input_type;
      int one = make_case(lab, r->sizes[i]);
      if (one == CLI_OK) one = bench_case(&lab->base, BENCH_EAGER, BENCH_EAGER);
      if (one != CLI_OK) rc = CLI_FAILED;
      clear_case(lab);
    }
  return rc;
}

static int measure(bench_lab *base) {
  stream_lab *lab = (stream_lab *)base;
  const bench_request *r = base->request;
  int rc = CLI_OK;
  lab->request = (const stream_request *)r;
  for (size_t t = 0; t < r->type_count; t++)
    for (size_t o = 0; o < r->op_count; o++)
      if (measure_sizes(lab, r->types[t], r->ops[o]) != CLI_OK) rc = CLI_FAILED;
  return rc;
}

/* ---- lines ---- */

static void describe(const bench_lab *base, char *text, size_t bytes) {
  const stream_lab *lab = (const stream_lab *)base;
  const int is_host = base->info.backend == SCAN_BACKEND_HOST;
  snprintf(text, bytes, "%s %s %s, %.1f MB in, %.1f MB out, through %.1f MB of device memory, arrays %s%s",
           bench_kind_name(base->spec.kind), scan_type_name(base->spec.type), scan_op_name(base->spec.op),
           1e-6 * (double)lab->in_bytes, 1e-6 * (double)lab->out_bytes, 1e-6 * (double)lab->request->memory,
           lab->request->pageable ? "as malloc gives them" : "page-locked",
           is_host      ? ""
           : base->cuda ? "; copies alone in both directions at once"
                        : "; copies alone one direction after the other");
}

static void fill(const bench_subject *s, bench_row *row) {
  const stream_lab *lab = (const stream_lab *)s->lab;
  const scan_spec *spec = &lab->base.spec;
  if (s->role == BENCH_SCAN) row->role = "stream";
  row->type = scan_type_name(spec->type);
  row->input_type = scan_type_name(spec->input_type);
  row->op = scan_op_name(spec->op);
  row->kind = bench_kind_name(spec->kind);
  row->memory = lab->request->pageable ? "pageable" : "page-locked";
  row->memory_bytes = lab->request->memory;
  row->chunk_items = lab->chunk_items;
  row->chunks = (lab->base.n + lab->chunk_items - 1) / lab->chunk_items;
  if (!lab->base.cuda || lab->request->pageable) return;
  row->pin = lab->pin_seconds;
  row->shown |= BENCH_SHOWS_PINS;
}

const bench_family bench_stream = { .name = "stream",
                                    .options = bench_stream_options,
                                    .request_bytes = sizeof(stream_request),
                                    .lab_bytes = sizeof(stream_lab),
                                    .reps = 5,
                                    .help = print_help,
                                    .complete = complete,
                                    .measure = measure,
                                    .list = list,
                                    .poison = poison,
                                    .check = check,
                                    .by_host = 1,
                                    .describe = describe,
                                    .fill = fill };
