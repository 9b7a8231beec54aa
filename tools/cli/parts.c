/* SPDX-License-Identifier: BSD-2-Clause */
/** @file parts.c @brief Reads and writes the parts that the ranks of MPI have of a file. */
#include "parts.h"

int parts_read(const ranks *r, const file_input *in, io_array *whole, uint64_t *first, io_array *part) {
  const io_source source = file_source(in);
  const io_format *format = in->format;
  const int rc = io_look(in->path, &format, source, whole);
  if (rc != CLI_OK) return rc;
  if (whole->ndim > 1) return cli_fail("%s has %u dimensions: one is needed", in->path, (unsigned)whole->ndim);
  const uint64_t count = (uint64_t)r->count, rank = (uint64_t)r->rank, each = whole->n / count, rest = whole->n % count;
  *first = each * rank + (rank < rest ? rank : rest);
  return io_read_span(in->path, &format, source, *first, each + (rank < rest), part);
}

int parts_write(ranks *r, const char *path, const io_format *format, const io_array *whole, uint64_t first,
                const io_array *part) {
  output file = { .token = 0 };
  uint64_t begin_bytes = 0;
  int rc = CLI_OK;
  if (r->rank == 0) rc = io_create(path, format, whole, &begin_bytes, &file);
  rc = ranks_agree(r, rc);
  if (rc != CLI_OK) return rc;
  begin_bytes = ranks_from_first(r, r->all, begin_bytes);
  const uint64_t token = ranks_from_first(r, r->all, file.token);
  rc = ranks_agree(r, io_write_span(path, token, begin_bytes, first, part));
  if (r->rank == 0) rc = output_end(&file, rc);
  return ranks_agree(r, rc);
}
