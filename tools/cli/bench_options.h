/* SPDX-License-Identifier: BSD-2-Clause */
/** @file bench_options.h @brief The option tables of `scanrt bench`: one of options that kinds share, and one for
 * each kind's own options, in that kind's file. */
#ifndef SCANRT_CLI_BENCH_OPTIONS_H
#define SCANRT_CLI_BENCH_OPTIONS_H

#include <string.h>

#include "bench.h"

/** A kind as a bit of bench_option.kinds, such as BENCH_OF(SORT). */
#define BENCH_OF(measurement) (1u << BENCH_KIND_##measurement)

/** An option, and the kinds that have it. Its request is the kind's, which begins with a bench_request. */
struct bench_option {
  unsigned measurements;
  cli_option option;
};

/* Each table ends with a NULL name. An option with the same name in several kinds takes a value in all of them or
 * in none. */
extern const bench_option bench_shared_options[];
extern const bench_option bench_scan_options[];
extern const bench_option bench_select_options[];
extern const bench_option bench_sort_options[]; /**< Options of --sort, some of which --split has, too. */
extern const bench_option bench_split_options[];
extern const bench_option bench_stream_options[];
extern const bench_option bench_mpi_options[];
extern const bench_option bench_versus_options[];

/** 1 if the value of an option is a request for help, as in `scanrt bench --sort --help`. */
static inline int bench_is_help(const char *text) { return !strcmp(text, "--help") || !strcmp(text, "-h"); }

/** Parses one of two words, or "both". @param option  for messages. @param[out] chosen  1 for each chosen word
 * @return CLI_OK or CLI_USAGE */
int bench_parse_either(const char *command, const char *option, const char *text, const char *first, const char *second,
                       int chosen[2]);

/** Calls `take` with each part of a comma-separated list. @return CLI_OK, CLI_USAGE, or what `take` returned */
int bench_each(const char *command, const char *option, const char *text, void *request,
               int (*parse)(const char *command, const char *part, void *request));

/** Sets flags[i] for each name of a comma-separated list; "--help" and "-h" ask for help. @param all  the names, for
 * messages. @return CLI_OK, CLI_USAGE or CLI_HELP */
int bench_parse_names(const char *command, const char *option, const char *text, const char *const *names, int count,
                      const char *all, int *flags);

/** The last options in the help texts of --select and --sort. */
extern const char bench_cases_help[];

/** Refuses options that exclude each other in all kinds. @return CLI_OK or CLI_USAGE */
int bench_check_shared(const char *command, const bench_request *request);

/** Returns the names of operators from source, separated by blanks. */
const char *bench_source_names(void);

/** Sets the type, the eager mode and n if the command line does not. */
void bench_set_defaults(bench_request *request, scan_type type);

/** Adds all devices if the command line names none. @return CLI_OK or CLI_FAILED */
int bench_add_devices(bench_request *request);

#endif
