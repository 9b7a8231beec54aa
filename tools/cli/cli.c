/* SPDX-License-Identifier: BSD-2-Clause */
/** @file cli.c @brief Wording of faults and parsing of arguments. */
#define _POSIX_C_SOURCE 200809L
#include "cli.h"
#include "progress.h"

#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/** Buffer that receives the words instead of standard error. */
static struct {
  char *text;
  size_t bytes;
} kept;

void cli_keep_words(char *text, size_t text_bytes) {
  kept.text = text;
  kept.bytes = text_bytes;
}

/** Prints one line: begin, command, the text, end. */
static void say(const char *begin, const char *command, const char *format, va_list args, const char *end) {
  const size_t used = kept.text ? strlen(kept.text) : 0;
  /* The stream must not use the last byte, which stays 0. */
  FILE *file = kept.text ? fmemopen(kept.text + used, kept.bytes - 1 - used, "w") : stderr;
  if (!file) return;
  fprintf(file, "%s%s: ", begin, command);
  vfprintf(file, format, args);
  fprintf(file, "%s\n", end);
  if (kept.text) fclose(file);
}

void cli_say_failure(const char *format, ...) {
  va_list args;
  va_start(args, format);
  say("scanrt", "", format, args, "");
  va_end(args);
}

int cli_fail_scan(const scan_ctx *ctx, scan_status status, const char *what) {
  const char *cause = scan_last_error(ctx);
  if (cause && *cause) return cli_fail("%s: %s [%s]", what, cause, scan_status_name(status));
  return cli_fail("%s: %s", what, scan_status_name(status));
}

void cli_say_usage(const char *command, const char *format, ...) {
  char end[96];
  va_list args;
  snprintf(end, sizeof end, " (see scanrt %s --help)", command);
  va_start(args, format);
  say("scanrt ", command, format, args, end);
  va_end(args);
}

/** Returns the long name of an option value, or NULL. */
static const char *option_name(const struct option *options, int value) {
  for (; options->name; options++)
    if (options->val == value) return options->name;
  return NULL;
}

/** Words the fault of an option that getopt_long (with opterr 0 and a leading ':') refused. @param c  its result,
 * '?' or ':' */
static void say_option(int c, char **argv, const struct option *options) {
  const char *given = argv[optind - 1];
  const char *name = optopt ? option_name(options, optopt) : NULL;
  if (c == ':' && name)
    cli_say_usage(argv[0], "option '--%s' needs a value", name);
  else if (c == ':')
    cli_say_usage(argv[0], "option '%s' needs a value", given);
  else if (name)
    cli_say_usage(argv[0], "option '--%s' takes no value", name);
  else if (optopt)
    cli_say_usage(argv[0], "unknown option '-%c'", optopt);
  else
    cli_say_usage(argv[0], "unknown option '%s'", given);
}

int cli_no_arguments(int argc, char **argv) {
  if (optind >= argc) return CLI_OK;
  return cli_usage(argv[0], "unexpected argument '%s'", argv[optind]);
}

static const char *type_name(int value) { return scan_type_name((scan_type)value); }
static const char *op_name(int value) { return scan_op_name((scan_op_id)value); }
static const char *strategy_name(int value) { return scan_strategy_name((scan_strategy)value); }

/** Joins the names of values first, first + 1, ... up to a value without a name. */
static void join_names(const char *(*name)(int), int first, char *text, size_t text_bytes) {
  size_t used = 0;
  text[0] = '\0';
  for (int value = first; name(value) && used < text_bytes; value++) {
    int more = snprintf(text + used, text_bytes - used, "%s%s", used ? " " : "", name(value));
    used += more > 0 ? (size_t)more : 0;
  }
}

static int refuse_name(const char *command, const char *what, const char *given, const char *(*name)(int), int first) {
  char names[256];
  join_names(name, first, names, sizeof names);
  return cli_usage(command, "unknown %s '%s': use one of %s", what, given, names);
}

int cli_parse_type(const char *command, const char *text, scan_type *type) {
  if (scan_type_parse(text, type) == SCAN_SUCCESS) return CLI_OK;
  return refuse_name(command, "type", text, type_name, SCAN_I8);
}

int cli_parse_op(const char *command, const char *text, scan_op_id *op) {
  if (scan_op_parse(text, op) == SCAN_SUCCESS) return CLI_OK;
  return refuse_name(command, "operator", text, op_name, SCAN_ADD);
}

int cli_parse_strategy(const char *command, const char *text, scan_strategy *value) {
  if (scan_strategy_parse(text, value) == SCAN_SUCCESS) return CLI_OK;
  return refuse_name(command, "strategy", text, strategy_name, SCAN_STRATEGY_AUTO);
}

int cli_read_count(const char *text, uint64_t *count) {
  char *end = NULL;
  errno = 0;
  unsigned long long value = isdigit((unsigned char)text[0]) ? strtoull(text, &end, 10) : 0;
  if (!end || errno) return 0;
  if (value == 2 && *end == '^' && isdigit((unsigned char)end[1])) {
    const unsigned long long exponent = strtoull(end + 1, &end, 10);
    if (errno || exponent > 63) return 0;
    value = 1ull << exponent;
  }
  if (*end) return 0;
  *count = value;
  return 1;
}

int cli_parse_count(const char *command, const char *what, const char *text, uint64_t *count) {
  if (cli_read_count(text, count)) return CLI_OK;
  return cli_usage(command, "%s '%s' is not a count such as 1000 or 2^20", what, text);
}

int cli_parse_within(const char *command, const char *what, const char *text, uint64_t least, uint64_t most,
                     uint64_t *count) {
  const int rc = cli_parse_count(command, what, text, count);
  if (rc != CLI_OK || (*count >= least && *count <= most)) return rc;
  return cli_usage(command, "%s is from %" PRIu64 " to %" PRIu64, what, least, most);
}

int cli_add_device(const char *command, cli_devices *devices, const char *selector) {
  if (devices->count == CLI_MAX_DEVICES) return cli_usage(command, "more than %d devices", CLI_MAX_DEVICES);
  if (strlen(selector) >= CLI_SELECTOR_BYTES) return cli_usage(command, "'%s' is not a device selector", selector);
  memcpy(devices->selector[devices->count++], selector, strlen(selector) + 1);
  return CLI_OK;
}

int cli_add_all_devices(cli_devices *devices) {
  int count = 0;
  scan_status status = scan_device_count(&count);
  if (status != SCAN_SUCCESS) return cli_fail_scan(NULL, status, "cannot count the devices");
  for (int i = 0; i < count && devices->count < CLI_MAX_DEVICES; i++) {
    scan_device_info info = SCAN_DEVICE_INFO_INIT;
    status = scan_device_get(i, &info);
    if (status != SCAN_SUCCESS) return cli_fail_scan(NULL, status, "cannot describe a device");
    memcpy(devices->selector[devices->count++], info.selector, sizeof info.selector);
  }
  return CLI_OK;
}

/* ---- options ---- */

enum { FIRST_LONG = 256, QUIET = FIRST_LONG + CLI_MAX_OPTIONS };

/** Applies an option with the value optarg. */
static int option_apply(const cli_option *option, const char *command, void *request) {
  char name[32];
  void *field = (char *)request + option->offset_bytes;
  if (option->instead) return option->instead(command, option->name, request);
  snprintf(name, sizeof name, "--%s", option->name);
  switch (option->kind) {
  case CLI_FLAG: memcpy(field, &option->value, sizeof option->value); return CLI_OK;
  case CLI_TEXT: memcpy(field, &optarg, sizeof optarg); return CLI_OK;
  case CLI_COUNT: return cli_parse_within(command, name, optarg, option->least, option->most, field);
  case CLI_DEVICE: return cli_add_device(command, field, optarg);
  case CLI_TYPE: return cli_parse_type(command, optarg, field);
  case CLI_OP: return cli_parse_op(command, optarg, field);
  case CLI_STRATEGY: return cli_parse_strategy(command, optarg, field);
  default: return option->parse(command, optarg, field);
  }
}

int cli_parse_options(int argc, char **argv, const cli_option *options, void *request) {
  /* Option i is named[i + 1]. Its value there is its letter or, without one, a number above all letters. */
  struct option named[CLI_MAX_OPTIONS + 3] = { { "help", no_argument, NULL, 'h' } };
  char letters[2 * CLI_MAX_OPTIONS + 3] = ":h";
  int count = 0;
  for (; count < CLI_MAX_OPTIONS && options[count].name; count++) {
    const cli_option *option = &options[count];
    const int has_value = option->kind == CLI_FLAG ? no_argument : required_argument;
    const char letter[3] = { option->letter, has_value ? ':' : '\0', '\0' };
    named[count + 1] = (struct option){ option->name, has_value, NULL, letter[0] ? letter[0] : FIRST_LONG + count };
    strcat(letters, letter);
  }
  named[count + 1] = (struct option){ "quiet", no_argument, NULL, QUIET };
  opterr = 0;
  for (int c; (c = getopt_long(argc, argv, letters, named, NULL)) != -1;) {
    if (c == 'h') return CLI_HELP;
    if (c == QUIET) {
      progress_hide();
      continue;
    }
    /* An option with `instead` runs it even if its value is missing. */
    int at = 0;
    while (named[at].name && named[at].val != (c == ':' ? optopt : c)) at++;
    const int lacks_value = c == ':' && !(at > 0 && at <= count && options[at - 1].instead);
    if (c == '?' || lacks_value) return say_option(c, argv, named), CLI_USAGE;
    const int rc = option_apply(&options[at - 1], argv[0], request);
    if (rc != CLI_OK) return rc;
  }
  return CLI_OK;
}

int cli_open_by(const scan_ctx_options *options, scan_ctx **ctx, scan_device_info *info) {
  *info = (scan_device_info)SCAN_DEVICE_INFO_INIT;
  scan_status status = scan_ctx_create(options, ctx);
  if (status != SCAN_SUCCESS) return cli_fail_scan(NULL, status, "cannot open the device");
  status = scan_ctx_device(*ctx, info);
  if (status == SCAN_SUCCESS) return CLI_OK;
  cli_fail_scan(*ctx, status, "cannot describe the device");
  scan_ctx_destroy(*ctx);
  *ctx = NULL;
  return CLI_FAILED;
}

int cli_open(const char *selector, scan_strategy strategy, scan_ctx **ctx, scan_device_info *info) {
  scan_ctx_options options = SCAN_CTX_OPTIONS_INIT;
  options.device = selector;
  options.strategy = strategy;
  return cli_open_by(&options, ctx, info);
}

void cli_print_names(void) {
  char names[256];
  join_names(type_name, SCAN_I8, names, sizeof names);
  printf("\nTypes:       %s\n", names);
  join_names(op_name, SCAN_ADD, names, sizeof names);
  printf("Operators:   %s\n", names);
  join_names(strategy_name, SCAN_STRATEGY_AUTO, names, sizeof names);
  printf("Strategies:  %s\n", names);
  puts("Devices:     as listed by 'scanrt info --list', for instance host, cuda:0, opencl:0");
}

int cli_flush_output(void) {
  if (fflush(stdout) == 0 && !ferror(stdout)) return CLI_OK;
  return cli_fail("cannot write to standard output: %s", strerror(errno));
}
