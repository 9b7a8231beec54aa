/* SPDX-License-Identifier: BSD-2-Clause */
/** @file ranks.c @brief The ranks of MPI: the module, agreement, devices. */
#define _POSIX_C_SOURCE 200809L
#include "ranks.h"
#include "modules.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- the command line and the launcher ---- */

int ranks_asked(int argc, char **argv) {
  for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++)
    if (!strcmp(argv[i], "--mpi")) return 1;
  return 0;
}

/** Environment variables by which a launcher describes its processes. */
typedef struct launcher {
  const char *count; /**< Variable with the number of processes. */
  const char *rank;  /**< Variable with the number of this process. */
  const char *name;
} launcher;

/** Returns the launcher that started several processes; NULL: none. */
static const launcher *find_launcher(void) {
  /* SLURM_NTASKS is set for a whole job, even in a script's single process; this variable of srun is not. */
  static const launcher launchers[] = {
    { "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK", "Open MPI's mpirun" },
    { "PMI_SIZE", "PMI_RANK", "a launcher of MPICH or an MPI made from it" },
    { "SLURM_STEP_NUM_TASKS", "SLURM_PROCID", "srun" },
  };
  for (size_t i = 0; i < sizeof launchers / sizeof launchers[0]; i++) {
    const char *text = getenv(launchers[i].count);
    if (text && strtol(text, NULL, 10) > 1) return &launchers[i];
  }
  return NULL;
}

int ranks_refuse_many(const char *command) {
  const launcher *found = find_launcher();
  if (!found) return CLI_OK;
  return cli_usage(command,
                   "this is one of %s processes ($%s), which would all do the same: give --mpi, so that they share "
                   "the work, or --no-mpi where each is to do its own",
                   getenv(found->count), found->count);
}

/* ---- the module ---- */

static const char FILE_NAME[] = "libscanrt_tool_mpi.so";

/** Finds the module. @param[out] path  of the module. @return 0 if there is none */
static int find_module(char path[MODULES_PATH_BYTES]) {
  const char *given = getenv("SCANRT_MPI_MODULE");
  if (given && *given) return snprintf(path, MODULES_PATH_BYTES, "%s", given) < MODULES_PATH_BYTES;
  for (int i = 0; i < MODULES_FOLDERS; i++) {
    if (!modules_folder(i, path)) continue;
    const size_t used = strlen(path);
    snprintf(path + used, MODULES_PATH_BYTES - used, "/%s", FILE_NAME);
    if (access(path, F_OK) == 0) return 1;
  }
  return 0;
}

/** Loads the module, which stays loaded until the process ends. */
static int load_module(const mpi_module **loaded) {
  char path[MODULES_PATH_BYTES];
  if (!find_module(path))
    return cli_fail("--mpi needs %s, which is neither beside the program nor in the library folder's scanrt/: build "
                    "scanrt where CMake finds an MPI (SCANRT_BUILD_MPI=ON, SCANRT_SHARED=ON), or name the file in "
                    "$SCANRT_MPI_MODULE",
                    FILE_NAME);
  /* Plugins of Open MPI may look for its symbols in the global scope. */
  void *library = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
  if (!library) return cli_fail("the module of MPI cannot be opened: %s", dlerror());
  mpi_module_get *get = NULL;
  *(void **)&get = dlsym(library, MPI_MODULE_SYMBOL);
  const mpi_module *module = get ? get() : NULL;
  if (!module || module->version != MPI_MODULE_VERSION) {
    dlclose(library);
    return cli_fail("%s is not of this version of mpi_module.h: build it with this program", path);
  }
  *loaded = module;
  return CLI_OK;
}

/** Refuses processes that are each alone in their world, since the module's MPI is not the launcher's. The first one
 * reports it. */
static int check_launcher(const ranks *r, const char *command) {
  const launcher *found = r->count == 1 ? find_launcher() : NULL;
  char library[96];
  if (!found) return CLI_OK;
  const char *rank = getenv(found->rank);
  if (rank && strtol(rank, NULL, 10) > 0) return CLI_USAGE;
  r->mpi->library(library, sizeof library);
  return cli_usage(command,
                   "%s has started %s processes ($%s), and the MPI of the module, %s, finds each of them alone: start "
                   "them by that MPI's mpirun, or name a module that is built with the launcher's MPI in "
                   "$SCANRT_MPI_MODULE",
                   found->name, getenv(found->count), found->count, library);
}

int ranks_open(ranks *r, const char *command) {
  *r = (ranks){ .rank = 0 };
  int rc = load_module(&r->mpi);
  if (rc != CLI_OK) return rc;
  r->all = r->mpi->begin();
  if (!r->all) return cli_fail("MPI was not started: no memory");
  r->rank = r->mpi->rank(r->all);
  r->count = r->mpi->count(r->all);
  rc = check_launcher(r, command);
  if (rc != CLI_OK) {
    r->mpi->end(r->all);
    return rc;
  }
  r->local_rank = r->mpi->local_rank(r->all);
  cli_keep_words(r->words, sizeof r->words);
  return CLI_OK;
}

/* ---- agreement ---- */

/** Prints the words of each rank, equal ones once. */
static void print_words(const ranks *r, const char *words) {
  int same = 1;
  for (int i = 1; i < r->count; i++) same = same && !strcmp(words + (size_t)i * RANKS_WORDS_BYTES, words);
  for (int i = 0; i < r->count; i++) {
    const char *own = words + (size_t)i * RANKS_WORDS_BYTES;
    int is_new = *own != '\0';
    for (int before = 0; before < i && is_new; before++)
      is_new = strcmp(words + (size_t)before * RANKS_WORDS_BYTES, own) != 0;
    if (is_new && !same) fprintf(stderr, "rank %d: ", i);
    if (is_new) fputs(own, stderr);
  }
}

/** Gathers the bytes of all ranks. Without memory it ends the process, since other ranks would wait for this one. */
static void *ranks_gather(const ranks *r, const mpi_ranks *of, const void *own, size_t bytes) {
  void *all = malloc(bytes * (size_t)r->mpi->count(of));
  if (!all) {
    fputs("scanrt: no memory for what all ranks say\n", stderr);
    abort();
  }
  r->mpi->gather(of, own, (int)bytes, all);
  return all;
}

int ranks_agree(ranks *r, int rc) {
  int *all = ranks_gather(r, r->all, &rc, sizeof rc), worst = CLI_OK;
  for (int i = 0; i < r->count; i++)
    if (worst == CLI_OK || all[i] > worst) worst = all[i];
  free(all);
  if (worst != CLI_OK) {
    char *words = ranks_gather(r, r->all, r->words, sizeof r->words);
    if (r->rank == 0) print_words(r, words);
    free(words);
  }
  memset(r->words, 0, sizeof r->words);
  return worst;
}

int ranks_close(ranks *r, int rc) {
  rc = ranks_agree(r, rc);
  cli_keep_words(NULL, 0);
  r->mpi->end(r->all);
  r->all = NULL;
  return rc;
}

double ranks_max(const ranks *r, const mpi_ranks *of, double own) {
  double *all = ranks_gather(r, of, &own, sizeof own), most = own;
  for (int i = 0; i < r->mpi->count(of); i++)
    if (all[i] > most) most = all[i];
  free(all);
  return most;
}

uint64_t ranks_sum(const ranks *r, const mpi_ranks *of, uint64_t own) {
  uint64_t *all = ranks_gather(r, of, &own, sizeof own), sum = 0;
  for (int i = 0; i < r->mpi->count(of); i++) sum += all[i];
  free(all);
  return sum;
}

uint64_t ranks_from_first(const ranks *r, const mpi_ranks *of, uint64_t own) {
  uint64_t *all = ranks_gather(r, of, &own, sizeof own);
  own = all[0];
  free(all);
  return own;
}

int ranks_fail(const ranks *r, const scan_mpi *mpi, scan_status status, const char *what) {
  return cli_fail("%s: %s [%s]", what, r->mpi->last_error(mpi), scan_status_name(status));
}

/* ---- devices ---- */

static const char LOCAL[] = ":local";

/** Picks the device of a kind by this rank's number on its host. @param kind  with its colon. @return number of
 * devices of the kind */
static int pick(const cli_devices *all, const char *kind, int local_rank, char selector[CLI_SELECTOR_BYTES]) {
  int count = 0, at = 0;
  for (size_t i = 0; i < all->count; i++) count += !strncmp(all->selector[i], kind, strlen(kind));
  for (size_t i = 0; i < all->count; i++)
    if (!strncmp(all->selector[i], kind, strlen(kind)) && at++ == local_rank % count)
      snprintf(selector, CLI_SELECTOR_BYTES, "%s", all->selector[i]);
  return count;
}

int ranks_device(const ranks *r, const char *given, char selector[CLI_SELECTOR_BYTES]) {
  cli_devices all = { .count = 0 };
  const size_t length = given ? strlen(given) : 0, end = sizeof LOCAL - 1;
  const char *named = getenv("SCANRT_DEVICE");
  selector[0] = '\0';
  if (length >= CLI_SELECTOR_BYTES) return cli_fail("'%s' is not a device selector", given);
  const int is_local = length > end && !strcmp(given + length - end, LOCAL);
  if (given && !is_local) return snprintf(selector, CLI_SELECTOR_BYTES, "%s", given), CLI_OK;
  if (!given && named && *named) return CLI_OK;
  const int rc = cli_add_all_devices(&all);
  if (rc != CLI_OK) return rc;
  char kind[CLI_SELECTOR_BYTES];
  snprintf(kind, sizeof kind, "%.*s", is_local ? (int)(length - end + 1) : CLI_SELECTOR_BYTES, given ? given : "cuda:");
  if (pick(&all, kind, r->local_rank, selector) > 0 || !given) return CLI_OK;
  return cli_fail("--device %s: no device's selector begins with %s (scanrt info --list)", given, kind);
}

int ranks_open_device(const ranks *r, const char *given, uint64_t threads, scan_ctx **ctx, scan_device_info *info) {
  scan_ctx_options options = SCAN_CTX_OPTIONS_INIT;
  char selector[CLI_SELECTOR_BYTES];
  const int rc = ranks_device(r, given, selector);
  if (rc != CLI_OK) return rc;
  if (*selector) options.device = selector;
  options.threads = (uint32_t)threads;
  return cli_open_by(&options, ctx, info);
}
