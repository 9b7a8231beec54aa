/* SPDX-License-Identifier: BSD-2-Clause */
/** @file main.c @brief `scanrt`: runs a subcommand. */
#define _POSIX_C_SOURCE 200809L
#include "cli.h"

#include <signal.h>
#include <string.h>

static const cli_command commands[] = {
  { "info", "describe the devices of this machine", cmd_info },
  { "run", "scan a file or a pipe: .npy, raw binary, a column of text, line lengths", cmd_run },
  { "reduce", "combine all elements of a file, of its segments, or along an axis", cmd_reduce },
  { "select", "keep the elements of a file that flags or a comparison keep", cmd_select },
  { "unique", "of each run of equal elements of a file keep one", cmd_unique },
  { "rle", "of each run of equal elements of a file write the element and the length", cmd_rle },
  { "reduce-by-key", "combine the values that belong to each run of equal keys", cmd_reduce_by_key },
  { "sort", "sort the elements of files, also by keys or as indices", cmd_sort },
  { "verify", "check every device, type, operator and strategy against a plain reference", cmd_verify },
  { "bench", "time scans against a copy of the same bytes", cmd_bench },
};

enum { COMMAND_COUNT = sizeof commands / sizeof commands[0] };

static void print_help(void) {
  puts("Usage: scanrt COMMAND [OPTION]...\n"
       "  or:  scanrt help [COMMAND]\n"
       "Prefix scans on CUDA, OpenCL and the host.\n"
       "\n"
       "Commands:");
  for (size_t i = 0; i < COMMAND_COUNT; i++) printf("  %-13s %s\n", commands[i].name, commands[i].summary);
  puts("\n"
       "Options:\n"
       "  -h, --help     this text; 'scanrt COMMAND --help' and 'scanrt help COMMAND' describe one\n"
       "      --version  the versions of the tool and of the library, and how the library was built\n"
       "\n"
       "Environment:\n"
       "  SCANRT_DEVICE    the device of 'scanrt run', 'reduce', 'select', 'unique', 'rle', 'reduce-by-key' and\n"
       "                   'sort' where no --device is given\n"
       "  SCANRT_STRATEGY  the strategy where no --strategy is given\n"
       "\n"
       "Examples:\n"
       "  scanrt info --list\n"
       "  seq 1 10 | scanrt run\n"
       "  scanrt run --line-lengths --exclusive README.md\n"
       "  scanrt reduce --offsets row_offsets.npy entries.npy\n"
       "  scanrt select --keep 'x > 3' data.npy kept.npy\n"
       "  scanrt unique --count sorted.txt\n"
       "  scanrt rle sorted.txt\n"
       "  scanrt reduce-by-key --op max keys.npy values.npy\n"
       "  scanrt sort -r data.npy -o sorted.npy\n"
       "  scanrt verify --quick --device host\n"
       "  scanrt bench --n 2^24\n"
       "  mpirun -n 4 scanrt run --mpi data.npy --out sums.npy\n"
       "\n"
       "Exit status: 0 done; 1 a failure or a failed check; 2 wrong use.");
}

static void print_version(void) {
  printf("scanrt %d.%d.%d (library %s)\n", SCAN_VERSION_MAJOR, SCAN_VERSION_MINOR, SCAN_VERSION_PATCH, scan_version());
  puts(scan_build_info());
}

/** Reports wrong use before a command is known. */
static int command_refuse(const char *what, const char *given) {
  fprintf(stderr, "scanrt: %s%s (see scanrt --help)\n", what, given);
  return CLI_USAGE;
}

/** Finds a command by name. @return NULL after reporting that there is none */
static const cli_command *find_command(const char *name) {
  for (size_t i = 0; i < COMMAND_COUNT; i++)
    if (!strcmp(name, commands[i].name)) return &commands[i];
  return command_refuse("unknown command ", name), NULL;
}

/** Runs `scanrt help [COMMAND [OPTION]...]`: prints the text of `scanrt COMMAND [OPTION]... --help`. */
static int help(int argc, char **argv) {
  static char option[] = "--help";
  const cli_command *command = argc > 1 ? find_command(argv[1]) : NULL;
  if (argc < 2) return print_help(), cli_flush_output();
  if (!command) return CLI_USAGE;
  /* Drops the word "help" to make room for the option. */
  for (int i = 1; i < argc; i++) argv[i - 1] = argv[i];
  argv[argc - 1] = option;
  return command->main(argc, argv);
}

int main(int argc, char **argv) {
  /* A parent may ignore SIGPIPE; `scanrt ... | head` must end quietly even then. */
  signal(SIGPIPE, SIG_DFL);
  /* Ignored, so that a write beyond `ulimit -f` fails with a message, as on a full disk. */
  signal(SIGXFSZ, SIG_IGN);
  if (argc < 2) return command_refuse("a command is missing", "");
  const char *word = argv[1];
  if (!strcmp(word, "--help") || !strcmp(word, "-h")) return print_help(), cli_flush_output();
  if (!strcmp(word, "help")) return help(argc - 1, argv + 1);
  if (!strcmp(word, "--version")) return print_version(), cli_flush_output();
  if (word[0] == '-') return command_refuse("unknown option ", word);
  const cli_command *command = find_command(word);
  return command ? command->main(argc - 1, argv + 1) : CLI_USAGE;
}
