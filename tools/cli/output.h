/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file output.h
 * @brief Output files that appear whole or not at all.
 *
 * A file is written beside its final name and renamed when it is complete. A failed write, SIGHUP, SIGINT, SIGPIPE or
 * SIGTERM removes the unfinished file and leaves the earlier one as it was. The permissions of an existing file are
 * kept, and a symbolic link keeps pointing to its file. Pipes, devices, /dev/stdout and the like are written directly,
 * and so is an existing file whose folder admits no new files or whose owner cannot be kept.
 */
#ifndef SCANRT_CLI_OUTPUT_H
#define SCANRT_CLI_OUTPUT_H

#include <stdint.h>
#include <stdio.h>

enum { OUTPUT_PATH_BYTES = 4096 };

/** One output file. `file` and `name` are for the caller; the other fields are private. */
typedef struct output {
  FILE *file;
  const char *name;               /**< For messages. */
  uint64_t token;                 /**< Part of the unfinished file's name; 0: the file is written directly. */
  int slot;                       /**< Index among the unfinished files that a signal removes; -1: none. */
  char target[OUTPUT_PATH_BYTES]; /**< Final path, with links followed. */
} output;

/** Opens an output. @param path  "-": standard output. @return CLI_OK; then output_end. CLI_FAILED after saying why */
int output_begin(const char *path, output *out);

/** Closes the output and renames it, or removes it if `rc` is not CLI_OK. @param rc  status of the writes
 * @return rc, or CLI_FAILED after reporting a new failure */
int output_end(output *out, int rc);

/** Returns the path of the unfinished file, for other processes that write to it.
 * @param path  as given to output_begin
 * @param token  output.token
 * @param[out] written  the path
 * @return CLI_OK or CLI_FAILED */
int output_path(const char *path, uint64_t token, char written[OUTPUT_PATH_BYTES]);

#endif
