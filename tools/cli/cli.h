/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file cli.h
 * @brief What the subcommands of `scanrt` share: exit statuses, the wording of faults, parsing of arguments.
 *
 * A function that can fail returns one of the exit statuses below and has then already said why on standard error, so
 * that callers only forward the number.
 */
#ifndef SCANRT_CLI_H
#define SCANRT_CLI_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <scanrt/scan.h>

/** Exit statuses of the program. */
enum {
  CLI_OK = 0,     /**< Done. */
  CLI_FAILED = 1, /**< A failure at run time, or a check that did not pass. */
  CLI_USAGE = 2   /**< Wrong use: nothing was done. */
};

/** One subcommand. */
typedef struct cli_command {
  const char *name;                   /**< As typed. */
  const char *summary;                /**< One line for `scanrt --help`. */
  int (*main)(int argc, char **argv); /**< argv[0] is the subcommand's name; returns an exit status. */
} cli_command;

int cmd_info(int argc, char **argv);          /**< `scanrt info` */
int cmd_run(int argc, char **argv);           /**< `scanrt run` */
int cmd_verify(int argc, char **argv);        /**< `scanrt verify` */
int cmd_bench(int argc, char **argv);         /**< `scanrt bench` */
int cmd_select(int argc, char **argv);        /**< `scanrt select` */
int cmd_unique(int argc, char **argv);        /**< `scanrt unique` */
int cmd_rle(int argc, char **argv);           /**< `scanrt rle` */
int cmd_reduce(int argc, char **argv);        /**< `scanrt reduce` */
int cmd_reduce_by_key(int argc, char **argv); /**< `scanrt reduce-by-key` */
int cmd_sort(int argc, char **argv);          /**< `scanrt sort` */

/** Device selectors given by the user, or of every device. */
enum { CLI_MAX_DEVICES = 64, CLI_SELECTOR_BYTES = 64 };
typedef struct cli_devices {
  char selector[CLI_MAX_DEVICES][CLI_SELECTOR_BYTES];
  size_t count;
} cli_devices;

/** Prints "scanrt: <text>" to standard error. */
void cli_say_failure(const char *format, ...) __attribute__((format(printf, 1, 2)));

/** cli_say_failure as an expression of the value CLI_FAILED, which compilers then know at the place of the call. */
#define cli_fail(...) (cli_say_failure(__VA_ARGS__), CLI_FAILED)

/** Prints "scanrt: <what>: <scan_last_error> [<status>]" to standard error. @param ctx may be NULL. @return CLI_FAILED
 */
int cli_fail_scan(const scan_ctx *ctx, scan_status status, const char *what);

/** Prints "scanrt <command>: <text> (see scanrt <command> --help)" to standard error. */
void cli_say_usage(const char *command, const char *format, ...) __attribute__((format(printf, 2, 3)));

/** cli_say_usage as an expression of the value CLI_USAGE. @see cli_fail */
#define cli_usage(...) (cli_say_usage(__VA_ARGS__), CLI_USAGE)

/** Redirects the output of the functions above: appends it to `text` as far as there is room; NULL: prints again.
 * @param text  of text_bytes bytes, all 0 before the first words */
void cli_keep_words(char *text, size_t text_bytes);

/** How an option changes the command's request, or one of its fields. */
typedef enum cli_option_kind {
  CLI_FLAG,     /**< Sets an int to `value`. */
  CLI_TEXT,     /**< Keeps the text, const char *. */
  CLI_COUNT,    /**< A uint64_t from `least` to `most`. */
  CLI_DEVICE,   /**< Appends to cli_devices. */
  CLI_TYPE,     /**< A scan_type. */
  CLI_OP,       /**< A scan_op_id. */
  CLI_STRATEGY, /**< A scan_strategy. */
  CLI_CALL      /**< Calls `parse` with the text and the field, or, with offset_bytes 0, the request. */
} cli_option_kind;

/** One option of a command. */
typedef struct cli_option {
  const char *name;
  cli_option_kind kind;
  char letter;         /**< Short form of the option; 0: none. */
  size_t offset_bytes; /**< Offset of the field in the request. */
  int value;
  uint64_t least, most;
  int (*parse)(const char *command, const char *text, void *field); /**< @return CLI_OK, CLI_USAGE or CLI_HELP */
  /** Replaces the kind and `parse`, for instance to refuse the option; NULL: not replaced. @return as `parse` */
  int (*instead)(const char *command, const char *name, void *request);
} cli_option;

enum { CLI_MAX_OPTIONS = 96 };

/** Result of cli_parse_options for --help and -h. */
enum { CLI_HELP = -1 };

/** Reads the options before the arguments. @param options  end with a NULL name; --help, -h and --quiet (progress.h)
 * are added
 * @return CLI_OK, CLI_USAGE, CLI_HELP, or what a `parse` returned */
int cli_parse_options(int argc, char **argv, const cli_option *options, void *request);

/** Refuses arguments after the options. @return CLI_OK or CLI_USAGE */
int cli_no_arguments(int argc, char **argv);

/** Parses a type's name; on a fault it prints the accepted names. @return CLI_OK or CLI_USAGE */
int cli_parse_type(const char *command, const char *text, scan_type *type);
int cli_parse_op(const char *command, const char *text, scan_op_id *op);             /**< As cli_parse_type. */
int cli_parse_strategy(const char *command, const char *text, scan_strategy *value); /**< As cli_parse_type. */

/** Reads a count such as 1000 or 2^28. @return 0 if the text is not a count */
int cli_read_count(const char *text, uint64_t *count);

/** Parses a count such as 1000 or 2^28. @param what  names the option in messages. @return CLI_OK or CLI_USAGE */
int cli_parse_count(const char *command, const char *what, const char *text, uint64_t *count);

/** Parses a count from `least` to `most`. @see cli_parse_count */
int cli_parse_within(const char *command, const char *what, const char *text, uint64_t least, uint64_t most,
                     uint64_t *count);

/** Appends a selector. @return CLI_OK or CLI_USAGE */
int cli_add_device(const char *command, cli_devices *devices, const char *selector);

/** Appends every device of this machine. @return CLI_OK or CLI_FAILED */
int cli_add_all_devices(cli_devices *devices);

/** Opens a device and describes it. @param selector  NULL: the default device. @param[out] info  filled
 * @return CLI_OK or CLI_FAILED */
int cli_open(const char *selector, scan_strategy strategy, scan_ctx **ctx, scan_device_info *info);

/** Opens a device by all options of a context. @see cli_open */
int cli_open_by(const scan_ctx_options *options, scan_ctx **ctx, scan_device_info *info);

/** Prints the names of the types, operators and strategies, for the help texts. */
void cli_print_names(void);

/** Flushes standard output. @return CLI_OK, or CLI_FAILED if something could not be written */
int cli_flush_output(void);

/** Returns the seconds of a monotonic clock. */
double cli_seconds(void);

#endif
