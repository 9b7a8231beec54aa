/* SPDX-License-Identifier: BSD-2-Clause */
/** @file sort_ranks.c @brief `scanrt sort --mpi`: each rank reads its part of a file, sorts with the others, and writes
 * its part of the result. */
#include "parts.h"
#include "sort.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/** Returns the name of the format if it has no fixed positions; NULL: it has some, or is not known yet. */
static const char *without_parts(const io_format *format) { return format && !format->begin ? format->name : NULL; }

int sort_check_ranks(const char *command, const sort_request *r) {
  const char *format = without_parts(r->in.format);
  if (r->no_mpi) return cli_usage(command, "--mpi and --no-mpi exclude each other");
  if (r->path_count > 1) return cli_usage(command, "--mpi sorts one FILE, of which each rank reads a part");
  if (!strcmp(r->paths[0], "-") || !strcmp(r->out_path, "-") || (r->keys_path && !strcmp(r->keys_path, "-")) ||
      (r->key.path && !strcmp(r->key.path, "-")))
    return cli_usage(command, "--mpi needs files, of which each rank reads and writes a part: FILE and --output");
  if (!format && r->key.path) format = without_parts(r->key.format);
  if (!format) format = without_parts(r->out_format);
  if (!format && r->keys_path) format = without_parts(r->keys_format);
  return format ? cli_usage(command, "--mpi needs .npy or raw, where each rank finds its part, and not %s", format)
                : CLI_OK;
}

/** Reads this rank's parts of the elements and the keys. */
static int read_parts(const sort_request *r, sort_parts *p) {
  const ranks *all = r->ranks;
  file_input in = r->in;
  uint64_t first;
  in.path = r->paths[0];
  int rc = parts_read(all, &in, &p->whole, &p->first, &p->in);
  if (rc == CLI_OK) rc = file_check_type("sort", "type", r->in.type, &p->in);
  if (rc != CLI_OK || !r->key.path) return rc;
  rc = parts_read(all, &r->key, &p->whole_keys, &first, &p->keys);
  if (rc == CLI_OK) rc = file_check_type("sort", "key-type", r->key.type, &p->keys);
  if (rc != CLI_OK || p->whole_keys.n == p->whole.n) return rc;
  return cli_fail("%" PRIu64 " keys and %" PRIu64 " elements: there must be as many", p->whole_keys.n, p->whole.n);
}

/** Prints the facts of the sort on standard error. Collective. */
static void print_facts(const ranks *all, const scan_device_info *info, uint64_t n, uint64_t sent_bytes,
                        double seconds) {
  char library[96];
  const double slowest = ranks_max(all, all->all, seconds), most = ranks_max(all, all->all, (double)sent_bytes);
  if (all->rank != 0) return;
  all->mpi->library(library, sizeof library);
  fprintf(stderr, "ranks     %d, rank 0 on %s (%s); %s\n", all->count, info->selector, info->name, library);
  fprintf(stderr, "n         %" PRIu64 "\nsent      %.0f bytes by the rank that sent most\n", n, most);
  fprintf(stderr, "time      %.3f ms on the slowest rank, building the kernels and transfers included\n",
          1e3 * slowest);
}

/** Sorts the parts of all ranks. @return the same status on all ranks */
static int sort_parts_of(const sort_request *r, const sort_parts *p, const sort_result *result) {
  const io_array *by = r->key.path ? &p->keys : &p->in;
  const scan_sort_spec spec = sort_spec_of(r, &p->in, by, r->key.path != NULL);
  const scan_sort_args args = sort_args_of(&spec, &p->in, by, result);
  scan_ctx *ctx = NULL;
  scan_mpi *mpi = NULL;
  scan_device_info info;
  int rc = ranks_agree(r->ranks, ranks_open_device(r->ranks, r->device, 0, &ctx, &info));
  if (rc == CLI_OK) {
    const double begun = cli_seconds();
    scan_status status = r->ranks->mpi->create(ctx, r->ranks->all, &mpi);
    if (status == SCAN_SUCCESS) status = r->ranks->mpi->sort(mpi, &spec, by->n, &args);
    const double seconds = cli_seconds() - begun;
    rc = status == SCAN_SUCCESS ? CLI_OK : ranks_fail(r->ranks, mpi, status, "the sort failed");
    rc = ranks_agree(r->ranks, rc);
    if (rc == CLI_OK && r->verbose) print_facts(r->ranks, &info, p->whole.n, r->ranks->mpi->sent_bytes(mpi), seconds);
  }
  if (mpi) r->ranks->mpi->destroy(mpi);
  scan_ctx_destroy(ctx);
  return rc;
}

/** Writes an output of all ranks: as many elements as the input has. */
static int write_output(const sort_request *r, const sort_parts *p, const char *path, const io_format *format,
                        const io_array *part) {
  io_array whole = p->whole;
  whole.type = part->type;
  whole.is_bool = part->is_bool;
  return parts_write(r->ranks, path, format, &whole, p->first, part);
}

int sort_over_ranks(const sort_request *r) {
  sort_parts p = { .first = 0 };
  sort_result result = { .out = { .data = NULL } };
  const io_array *by = r->key.path ? &p.keys : &p.in;
  int rc = read_parts(r, &p);
  if (rc == CLI_OK) rc = sort_check_types(r, p.in.type, by->type);
  if (rc == CLI_OK) rc = sort_allocate(r, &p.in, by, &result);
  rc = ranks_agree(r->ranks, rc);
  if (rc == CLI_OK) rc = sort_parts_of(r, &p, &result);
  if (rc == CLI_OK) rc = write_output(r, &p, r->out_path, r->out_format, &result.out);
  if (rc == CLI_OK && r->keys_path) rc = write_output(r, &p, r->keys_path, r->keys_format, &result.keys);
  free(result.keys.data);
  free(result.out.data);
  free(p.keys.data);
  free(p.in.data);
  return rc;
}
