/* SPDX-License-Identifier: BSD-2-Clause */
/** @file parts.h @brief Files of which each rank of MPI reads and writes a part. */
#ifndef SCANRT_CLI_PARTS_H
#define SCANRT_CLI_PARTS_H

#include "files.h"
#include "ranks.h"

/** Reads this rank's part of a file of one dimension: the ranks' parts differ by at most one element.
 * @param[out] whole  the file's elements, without data
 * @param[out] first  elements of the ranks before
 * @param[out] part   with data, which the caller frees
 * @return CLI_OK or a status after saying why */
int parts_read(const ranks *r, const file_input *in, io_array *whole, uint64_t *first, io_array *part);

/** Writes the parts of all ranks to one file. Collective. @param whole  all elements, without data. @param first
 * elements before `part` @return the same status on all ranks */
int parts_write(ranks *r, const char *path, const io_format *format, const io_array *whole, uint64_t first,
                const io_array *part);

#endif
