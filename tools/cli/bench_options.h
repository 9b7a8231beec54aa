/* SPDX-License-Identifier: BSD-2-Clause */
/** @file bench_options.h @brief The option tables of `scanrt bench`: one of what the families share, and one for each
 *  family's own options, in its file. */
#ifndef SCANRT_CLI_BENCH_OPTIONS_H
#define SCANRT_CLI_BENCH_OPTIONS_H

#include <string.h>

#include "bench.h"

/** A family as a bit of bench_option.families, such as BENCH_OF(SORT). */
#define BENCH_OF(family) (1u << BENCH_FAMILY_##family)

/** An option, and the families that have it. Its request is theirs, which begins with a bench_request. */
typedef struct bench_option {
  unsigned families;
  cli_option option;
} bench_option;

/** A family that the command line can choose. In an array of all of them its index is a bench_family_id. */
struct bench_choice {
  const char *name;            /**< The option that chooses it; NULL: scans, which no option chooses. */
  const bench_option *options; /**< Its own, up to a NULL name. */
  int (*run)(int argc, char **argv, const bench_choice *choices); /**< Its command. @return an exit status */
};

/* Each ends with a NULL name. An option of one name takes a value in all families that have it, or in none. */
extern const bench_option bench_shared_options[];
extern const bench_option bench_scan_options[];
extern const bench_option bench_select_options[];
extern const bench_option bench_sort_options[]; /**< Of --sort, and what --split has of it. */
extern const bench_option bench_split_options[];
extern const bench_option bench_stream_options[];
extern const bench_option bench_mpi_options[];

/** The family that an option chooses, wherever it stands. @param choices  all families */
bench_family_id bench_find_family(int argc, char **argv, const bench_choice *choices);

/** Reads the command line by the options of a family; refuses those of others, and arguments.
 *  @param choices  all families
 *  @param request  the family's, which begins with it; its defaults are set
 *  @return CLI_OK, CLI_USAGE, CLI_HELP, or what an option's `parse` returned */
int bench_parse_options(int argc, char **argv, const bench_choice *choices, bench_family_id family,
                        bench_request *request);

/** 1: what should be the value of an option asks for help, as in `scanrt bench --sort --help`. */
static inline int bench_is_help(const char *text) { return !strcmp(text, "--help") || !strcmp(text, "-h"); }

/** One of two words, or "both". @param option  for messages. @param[out] chosen  1 at the words' places
 *  @return CLI_OK or CLI_USAGE */
int bench_parse_either(const char *command, const char *option, const char *text, const char *first, const char *second,
                       int chosen[2]);

/** Sets the type, the eager mode and n where the command line has none. */
void bench_take_defaults(bench_request *request, scan_type type);

#endif
