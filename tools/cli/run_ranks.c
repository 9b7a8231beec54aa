/* SPDX-License-Identifier: BSD-2-Clause */
/** @file run_ranks.c @brief `scanrt run --mpi`: each rank reads its part of a file, scans with the others, and
 * writes its part. */
#define _POSIX_C_SOURCE 200809L
#include "parts.h"
#include "run.h"

#include <inttypes.h>
#include <string.h>

int run_check_ranks(const char *command, const run_request *r) {
  if (r->no_mpi) return cli_usage(command, "--mpi and --no-mpi exclude each other");
  const io_format *format = r->in.format;
  if (!strcmp(r->in.path, "-") || !strcmp(r->out_path, "-"))
    return cli_usage(command, "--mpi needs files, of which each rank reads and writes a part: FILE and --out");
  if ((format && !format->begin) || !r->out_format->begin)
    return cli_usage(command, "--mpi needs .npy or raw, where each rank finds its part: %s is %s",
                     format && !format->begin ? "the input" : "the output",
                     format && !format->begin ? format->name : r->out_format->name);
  return r->memory ? cli_usage(command, "--mpi and --memory exclude each other") : CLI_OK;
}

/* ---- files ---- */

/** Returns the axis along which ranks divide the array: the slowest-varying one. */
static uint32_t cut_axis(const io_array *whole) { return whole->is_fortran && whole->ndim ? whole->ndim - 1 : 0; }

int run_read_part(const run_request *r, run_input *in) {
  const io_source source = file_source(&r->in);
  const io_format *format = r->in.format;
  int rc = io_look(r->in.path, &format, source, &in->whole);
  if (rc != CLI_OK) return rc;
  const uint64_t count = (uint64_t)r->ranks->count, rank = (uint64_t)r->ranks->rank;
  const uint64_t pieces = in->whole.ndim ? in->whole.shape[cut_axis(&in->whole)] : in->whole.n;
  const uint64_t each = pieces ? in->whole.n / pieces : 0, rest = pieces % count;
  const uint64_t own = pieces / count + (rank < rest);
  in->first = (pieces / count * rank + (rank < rest ? rank : rest)) * each;
  rc = io_read_span(r->in.path, &format, source, in->first, own * each, &in->part);
  if (rc != CLI_OK) return rc;
  in->part.ndim = in->whole.ndim;
  in->part.is_fortran = in->whole.is_fortran;
  memcpy(in->part.shape, in->whole.shape, sizeof in->part.shape);
  if (in->part.ndim) in->part.shape[cut_axis(&in->whole)] = own;
  return CLI_OK;
}

uint64_t run_cut_offsets(const run_input *in, uint64_t count, io_array *marks) {
  uint32_t *narrow = marks->data;
  uint64_t *wide = marks->data, kept = 0;
  for (uint64_t i = 0; i < count; i++) {
    const uint64_t offset = marks->type == SCAN_U32 ? narrow[i] : wide[i];
    if (offset < in->first || offset - in->first >= in->part.n) continue;
    if (marks->type == SCAN_U32)
      narrow[kept++] = (uint32_t)(offset - in->first);
    else
      wide[kept++] = offset - in->first;
  }
  return kept;
}

int run_write_parts(const run_request *r, const run_input *in, const io_array *out) {
  io_array whole = in->whole;
  whole.type = out->type;
  whole.is_bool = 0;
  return parts_write(r->ranks, r->out_path, r->out_format, &whole, in->first, out);
}

/* ---- the scan ---- */

/** Prints the facts of the run on standard error. Collective. */
static void print_facts(const run_request *r, const scan_device_info *info, const scan_spec *spec, const run_input *in,
                        uint64_t sent_bytes, double seconds) {
  const ranks *all = r->ranks;
  char library[96], shape[IO_SHAPE_BYTES];
  const double slowest = ranks_max(all, all->all, seconds);
  const double most = ranks_max(all, all->all, (double)sent_bytes);
  if (all->rank != 0) return;
  all->mpi->library(library, sizeof library);
  fprintf(stderr, "ranks     %d, rank 0 on %s (%s); %s\n", all->count, info->selector, info->name, library);
  fprintf(stderr, "n         %" PRIu64 " (%s to %s), at most %" PRIu64 " a rank\n", in->whole.n,
          scan_type_name(spec->input_type), scan_type_name(spec->type), in->part.n);
  io_format_shape(&in->whole, shape);
  if (r->has_axis) fprintf(stderr, "axis      %" PRIu64 " of %s\n", r->axis, shape);
  fprintf(stderr, "sent      %.0f bytes by the rank that sent most\n", most);
  fprintf(stderr, "time      %.3f ms on the slowest rank, building the kernels and transfers included\n",
          1e3 * slowest);
}

/** Scans all elements as one sequence; or lines that are divided along the scan's axis; or whole lines, each rank
 * alone. */
static scan_status ranks_scan(const run_request *r, scan_ctx *ctx, scan_mpi *mpi, const scan_spec *spec,
                              const scan_args *args, const run_input *in) {
  const mpi_module *module = r->ranks->mpi;
  scan_array array = SCAN_ARRAY_INIT;
  if (in->whole.ndim <= 1) return module->run_args(mpi, spec, in->part.n, args);
  const int is_cut = r->axis == cut_axis(&in->whole);
  scan_status status = run_describe(r, spec, &in->part, &array);
  if (is_cut) return module->run_array(mpi, spec, status == SCAN_SUCCESS ? &array : NULL, args->in, args->out);
  if (status == SCAN_SUCCESS && in->part.n) status = scan_run_array(ctx, spec, &array, args->in, args->out);
  return status == SCAN_SUCCESS ? scan_sync(ctx) : status;
}

static int word(const run_request *r, scan_ctx *ctx, const scan_mpi *mpi, const scan_spec *spec, scan_status status) {
  const char *words = r->ranks->mpi->last_error(mpi);
  uint64_t overflow = 0;
  if (status == SCAN_SUCCESS) return CLI_OK;
  if (status == SCAN_OVERFLOW && r->ranks->mpi->overflow_index(mpi, &overflow) == SCAN_SUCCESS)
    return run_fail_overflow(spec, overflow);
  return words && *words ? ranks_fail(r->ranks, mpi, status, "the scan failed")
                         : cli_fail_scan(ctx, status, "the scan failed");
}

int run_scan_ranks(const run_request *r, const scan_spec *spec, const scan_args *args, const run_input *in) {
  scan_ctx *ctx = NULL;
  scan_mpi *mpi = NULL;
  scan_device_info info;
  int rc = ranks_agree(r->ranks, ranks_open_device(r->ranks, r->device, r->threads, &ctx, &info));
  if (rc == CLI_OK) {
    const double begun = cli_seconds();
    scan_status status = r->ranks->mpi->create(ctx, r->ranks->all, &mpi);
    if (status == SCAN_SUCCESS) status = ranks_scan(r, ctx, mpi, spec, args, in);
    const double seconds = cli_seconds() - begun;
    rc = ranks_agree(r->ranks, word(r, ctx, mpi, spec, status));
    if (rc == CLI_OK && r->verbose) print_facts(r, &info, spec, in, r->ranks->mpi->sent_bytes(mpi), seconds);
  }
  if (mpi) r->ranks->mpi->destroy(mpi);
  scan_ctx_destroy(ctx);
  return rc;
}
