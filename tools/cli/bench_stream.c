/* SPDX-License-Identifier: BSD-2-Clause */
/** @file bench_stream.c @brief `scanrt bench --stream`: host data streamed through a device, beside copies alone. */
#define _POSIX_C_SOURCE 200809L
#include "bench_options.h"
#include "data.h"
#include "reference.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <scanrt/scan_cuda.h>

enum { DEFAULT_REPS = 5, PIECE_BYTES = 32 << 20, CUDA_PREFIX = 5 /* "cuda:" */ };

/** What the command line asks for. */
typedef struct stream_request {
  bench_request base;   /**< Devices, types, operators, kinds, sizes (0: four times the memory) and rounds. */
  uint64_t memory;      /**< Device memory for the data. */
  uint64_t chunk_items; /**< 0: the library's choice. */
  int pageable;         /**< 1: the arrays are not page-locked. */
} stream_request;

/** One device's arrays. */
typedef struct stream_lab {
  const stream_request *request;
  scan_ctx *ctx;
  bench_cuda *cuda; /**< NULL on other devices. */
  scan_spec spec;
  uint64_t n, in_bytes, out_bytes;
  char *in, *out;
  int pinned;
  scan_mem device[2]; /**< What copies alone go to and come from. */
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

static int print_help(void) {
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
       "  -h, --help           this text\n"
       "\n"
       "The copies alone are, on CUDA, 32 MiB at a time in both directions at once, from and to page-locked memory;\n"
       "on OpenCL scan_write of all the input, then scan_read of all the output. GB/s are those of each direction of\n"
       "the same bytes: input and output, divided by two and by the time.");
  return cli_flush_output();
}

static int check_defined(const char *command, const bench_request *r) {
  for (size_t t = 0; t < r->type_count; t++)
    for (size_t o = 0; o < r->op_count; o++)
      if (!scan_spec_defined(r->types[t], r->input_type, r->ops[o]))
        return cli_usage(command, "operator %s is not defined on these types", scan_op_name(r->ops[o]));
  return CLI_OK;
}

/** @return CLI_OK, CLI_USAGE, CLI_FAILED, or CLI_HELP */
static int parse(int argc, char **argv, const bench_choice *choices, stream_request *request) {
  bench_request *r = &request->base;
  int rc = bench_parse_options(argc, argv, choices, BENCH_FAMILY_STREAM, r);
  if (rc != CLI_OK) return rc;
  if (!r->size_count) r->sizes[r->size_count++] = 0;
  if (!r->op_count) r->ops[r->op_count++] = SCAN_ADD;
  if (!r->kinds[SCAN_EXCLUSIVE]) r->kinds[SCAN_INCLUSIVE] = 1;
  bench_take_defaults(r, SCAN_I32);
  rc = check_defined(argv[0], r);
  return rc != CLI_OK || r->devices.count ? rc : cli_add_all_devices(&r->devices);
}

/* ---- one device ---- */

static int failed(stream_lab *lab, scan_status status, const char *what) {
  return status == SCAN_SUCCESS ? CLI_OK : cli_fail_scan(lab->ctx, status, what);
}

static scan_stream_options stream_options(const stream_lab *lab) {
  scan_stream_options stream = SCAN_STREAM_OPTIONS_INIT;
  stream.device_bytes = lab->request->memory;
  stream.chunk_items = lab->request->chunk_items;
  return stream;
}

static int make_arrays(stream_lab *lab) {
  const data_style style = { .seed = 1 };
  lab->in = aligned_alloc(4096, (size_t)((lab->in_bytes + 4095) / 4096 * 4096));
  lab->out = aligned_alloc(4096, (size_t)((lab->out_bytes + 4095) / 4096 * 4096));
  if (!lab->in || !lab->out) return cli_fail("no memory for arrays of %" PRIu64 " elements", lab->n);
  data_fill(lab->spec.input_type, lab->spec.op, lab->n, &style, lab->in);
  memset(lab->out, 0, (size_t)lab->out_bytes); /* its pages are there */
  return CLI_OK;
}

static int pin_arrays(stream_lab *lab) {
  const double begun = cli_seconds();
  int rc = failed(lab, scan_stream_pin(lab->ctx, lab->in, lab->in_bytes), "cannot page-lock the input");
  if (rc != CLI_OK) return rc;
  rc = failed(lab, scan_stream_pin(lab->ctx, lab->out, lab->out_bytes), "cannot page-lock the output");
  if (rc != CLI_OK) (void)scan_stream_unpin(lab->ctx, lab->in);
  lab->pinned = rc == CLI_OK;
  if (lab->pinned && lab->cuda) printf("  page-locking      %9.1f ms, once\n", 1e3 * (cli_seconds() - begun));
  return rc;
}

static void unpin_arrays(stream_lab *lab) {
  if (!lab->pinned) return;
  (void)scan_stream_unpin(lab->ctx, lab->in);
  (void)scan_stream_unpin(lab->ctx, lab->out);
  lab->pinned = 0;
}

/** Bytes of the piece that begins at `at`. */
static uint64_t piece_of(uint64_t at, uint64_t bytes) { return bytes - at < PIECE_BYTES ? bytes - at : PIECE_BYTES; }

/** By the library alone: one direction after the other. */
static int copy_in_and_out(stream_lab *lab) {
  int rc = CLI_OK;
  for (uint64_t at = 0; rc == CLI_OK && at < lab->in_bytes; at += PIECE_BYTES)
    rc = failed(lab, scan_write(lab->ctx, lab->device[0], lab->in + at, piece_of(at, lab->in_bytes)), "cannot copy in");
  for (uint64_t at = 0; rc == CLI_OK && at < lab->out_bytes; at += PIECE_BYTES)
    rc = failed(lab, scan_read(lab->ctx, lab->device[1], lab->out + at, piece_of(at, lab->out_bytes)),
                "cannot copy out");
  return rc;
}

static int copy_alone(stream_lab *lab, double *seconds) {
  const double begun = cli_seconds();
  int rc = lab->cuda ? bench_cuda_copy_both(lab->cuda, lab->in, lab->in_bytes, lab->out, lab->out_bytes, PIECE_BYTES,
                                            scan_cuda_ptr(lab->device[0]), scan_cuda_ptr(lab->device[1]))
                     : copy_in_and_out(lab);
  *seconds = cli_seconds() - begun;
  return rc;
}

static int scan_all(stream_lab *lab, double *seconds) {
  const scan_stream_options stream = stream_options(lab);
  const double begun = cli_seconds();
  int rc = failed(lab, scan_stream(lab->ctx, &lab->spec, lab->n, lab->in, lab->out, &stream), "scan_stream failed");
  *seconds = cli_seconds() - begun;
  return rc;
}

/** The last results are those of the chunks one after the other. */
static int check(stream_lab *lab) {
  const scan_stream_options stream = stream_options(lab);
  const uint64_t item = scan_type_bytes(lab->spec.type);
  uint64_t chunk_items = 0;
  int rc = failed(lab, scan_stream_chunk(lab->ctx, &lab->spec, lab->n, &stream, &chunk_items), "no chunk");
  if (rc != CLI_OK) return rc;
  printf("  chunks            %9" PRIu64 " elements, %" PRIu64 " of them\n", chunk_items,
         (lab->n + chunk_items - 1) / chunk_items);
  char *want = malloc((size_t)(chunk_items * item));
  scan_spec spec = lab->spec;
  if (!want) return cli_fail("no memory for a reference");
  for (uint64_t first = 0; rc == CLI_OK && first < lab->n; first += chunk_items) {
    const uint64_t items = lab->n - first < chunk_items ? lab->n - first : chunk_items;
    const char *in = lab->in + first * scan_type_bytes(lab->spec.input_type);
    spec.kind = lab->spec.kind;
    if (first == 0) spec.init = reference_seed(&spec);
    spec.has_init = 1;
    reference_scan(&spec, items, in, want);
    const uint64_t bad = reference_mismatch(spec.type, items, want, lab->out + first * item);
    if (bad < items) rc = cli_fail("WRONG: element %" PRIu64 " is not that of the reference", first + bad);
    spec.kind = SCAN_INCLUSIVE;
    if (lab->spec.kind == SCAN_EXCLUSIVE) reference_scan(&spec, items, in, want);
    memcpy(&spec.init, want + (items - 1) * item, (size_t)item);
  }
  free(want);
  return rc;
}

static int by_value(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double median(double *seconds, uint64_t count) {
  qsort(seconds, (size_t)count, sizeof *seconds, by_value);
  return count % 2 ? seconds[count / 2] : (seconds[count / 2 - 1] + seconds[count / 2]) / 2;
}

static int time_both(stream_lab *lab, const scan_device_info *info) {
  double copies[BENCH_MAX_REPS], scans[BENCH_MAX_REPS], warm;
  const uint64_t reps = lab->request->base.reps;
  const int copied = info->backend != SCAN_BACKEND_HOST;
  int rc = pin_arrays(lab);
  if (rc == CLI_OK && copied) rc = copy_alone(lab, &warm);
  for (uint64_t i = 0; i < reps && rc == CLI_OK && copied && lab->request->pageable; i++)
    rc = copy_alone(lab, &copies[i]);
  if (lab->request->pageable) unpin_arrays(lab);
  if (rc == CLI_OK) rc = scan_all(lab, &warm);
  for (uint64_t i = 0; i < reps && rc == CLI_OK; i++) {
    if (copied && !lab->request->pageable) rc = copy_alone(lab, &copies[i]);
    if (rc == CLI_OK) memset(lab->out, 0xA5, (size_t)lab->out_bytes);
    if (rc == CLI_OK) rc = scan_all(lab, &scans[i]);
  }
  if (rc == CLI_OK) rc = check(lab);
  if (rc != CLI_OK) return rc;
  const double scan = median(scans, reps), bytes = (double)(lab->in_bytes + lab->out_bytes) / 2;
  if (copied) {
    const double copy = median(copies, reps);
    printf("  copies alone      %9.1f ms  %6.2f GB/s %s\n", 1e3 * copy, 1e-9 * bytes / copy,
           lab->cuda ? "each way, both at once" : "each way, one after the other");
    printf("  scan_stream       %9.1f ms  %6.2f GB/s each way, %.1f %% of the copies alone\n", 1e3 * scan,
           1e-9 * bytes / scan, 100 * copy / scan);
  } else {
    printf("  scan_stream       %9.1f ms  %6.2f GB/s each way\n", 1e3 * scan, 1e-9 * bytes / scan);
  }
  return CLI_OK;
}

static void close_lab(stream_lab *lab) {
  unpin_arrays(lab);
  for (int i = 0; i < 2; i++) (void)scan_free(lab->ctx, lab->device[i]);
  bench_cuda_close(lab->cuda);
  scan_ctx_destroy(lab->ctx);
  free(lab->in);
  free(lab->out);
}

static int stream_case(const stream_request *r, const char *selector, scan_spec spec, uint64_t n) {
  scan_device_info info;
  stream_lab lab = { .request = r, .spec = spec };
  lab.spec.input_type = r->base.input_type == SCAN_TYPE_DEFAULT ? spec.type : r->base.input_type;
  const uint64_t in_item = scan_type_bytes(lab.spec.input_type), out_item = scan_type_bytes(spec.type);
  lab.n = n ? n : 4 * (r->memory / (in_item == out_item ? out_item : in_item + out_item));
  lab.in_bytes = lab.n * in_item;
  lab.out_bytes = lab.n * out_item;
  int rc = cli_open(selector, SCAN_STRATEGY_AUTO, &lab.ctx, &info);
  if (rc != CLI_OK) return rc;
  printf("%s (%s): n = %" PRIu64 ", %s, %.1f MB in, %.1f MB out, through %.1f MB of device memory, %s\n", info.selector,
         info.name, lab.n, scan_type_name(spec.type), 1e-6 * (double)lab.in_bytes, 1e-6 * (double)lab.out_bytes,
         1e-6 * (double)r->memory, r->pageable ? "arrays as malloc gives them" : "arrays page-locked");
  if (info.backend == SCAN_BACKEND_CUDA)
    rc = bench_cuda_open(lab.ctx, (int)strtol(info.selector + CUDA_PREFIX, NULL, 10), &lab.cuda);
  for (int i = 0; i < 2 && rc == CLI_OK; i++)
    rc = failed(&lab, scan_alloc(lab.ctx, PIECE_BYTES, &lab.device[i]), "no device memory for the copies");
  if (rc == CLI_OK) rc = make_arrays(&lab);
  if (rc == CLI_OK) rc = time_both(&lab, &info);
  close_lab(&lab);
  return rc;
}

/** All n of a type and an operator. */
static int stream_sizes(const stream_request *request, const char *selector, scan_type type, scan_op_id op) {
  const bench_request *r = &request->base;
  int rc = CLI_OK;
  for (int kind = SCAN_INCLUSIVE; kind <= SCAN_EXCLUSIVE; kind++) {
    const scan_spec spec = SCAN_SPEC_INIT(type, op, (scan_kind)kind);
    for (size_t i = 0; i < r->size_count && r->kinds[kind]; i++)
      if (stream_case(request, selector, spec, r->sizes[i]) != CLI_OK) rc = CLI_FAILED;
  }
  return rc;
}

static int stream_device(const stream_request *request, const char *selector) {
  const bench_request *r = &request->base;
  int rc = CLI_OK;
  for (size_t t = 0; t < r->type_count; t++)
    for (size_t o = 0; o < r->op_count; o++)
      if (stream_sizes(request, selector, r->types[t], r->ops[o]) != CLI_OK) rc = CLI_FAILED;
  return rc;
}

int bench_stream(int argc, char **argv, const bench_choice *choices) {
  stream_request request = { .base = { .reps = DEFAULT_REPS }, .memory = UINT64_C(1) << 28 };
  int rc = parse(argc, argv, choices, &request);
  if (rc < 0) return print_help();
  if (rc != CLI_OK) return rc;
  for (size_t d = 0; d < request.base.devices.count; d++)
    if (stream_device(&request, request.base.devices.selector[d]) != CLI_OK) rc = CLI_FAILED;
  const int flushed = cli_flush_output();
  return rc != CLI_OK ? rc : flushed;
}
