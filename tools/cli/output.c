/* SPDX-License-Identifier: BSD-2-Clause */
/** @file output.c @brief Output files that appear whole or not at all. */
#define _POSIX_C_SOURCE 200809L
#include "output.h"
#include "io.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_UNFINISHED = 8, MOST_LINKS = 40 };

/* ---- unfinished files ---- */

/** Files that a signal removes. Entry i is valid while used[i] is 1. */
static char unfinished[MOST_UNFINISHED][OUTPUT_PATH_BYTES];
static _Atomic int used[MOST_UNFINISHED];

static const int caught[] = { SIGHUP, SIGINT, SIGPIPE, SIGTERM, SIGXCPU };

/** Removes unfinished files and lets the signal end the process. */
static void remove_unfinished(int number) {
  for (int i = 0; i < MOST_UNFINISHED; i++)
    if (atomic_load(&used[i])) unlink(unfinished[i]);
  signal(number, SIG_DFL);
  raise(number);
}

/** Installs the handler. Signals that the parent ignores, as nohup does, stay ignored. */
static void catch_signals(void) {
  static atomic_flag is_done = ATOMIC_FLAG_INIT;
  struct sigaction before, action = { .sa_handler = remove_unfinished };
  if (atomic_flag_test_and_set(&is_done)) return;
  sigemptyset(&action.sa_mask);
  for (size_t i = 0; i < sizeof caught / sizeof caught[0]; i++)
    if (sigaction(caught[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN) sigaction(caught[i], &action, NULL);
}

/** Records a file before it is created, so that a signal in between finds nothing to remove. @return its slot, or -1 */
static int remember(const char *path) {
  catch_signals();
  for (int i = 0; i < MOST_UNFINISHED; i++) {
    if (atomic_load(&used[i])) continue;
    memcpy(unfinished[i], path, strlen(path) + 1);
    atomic_store(&used[i], 1);
    return i;
  }
  return -1;
}

static void forget(output *out) {
  if (out->slot >= 0) atomic_store(&used[out->slot], 0);
  out->slot = -1;
}

/* ---- paths ---- */

/** Replaces a link by its target. @return 0, or -1 if the path is too long */
static int replace_link(char path[OUTPUT_PATH_BYTES], const char *link) {
  char *slash = strrchr(path, '/');
  const size_t kept = *link == '/' || !slash ? 0 : (size_t)(slash + 1 - path), length = strlen(link);
  if (kept + length >= OUTPUT_PATH_BYTES) return -1;
  memcpy(path + kept, link, length + 1);
  return 0;
}

/** Follows symbolic links in the last part of a path, even to a file that does not exist. @return 0, or -1 and errno */
static int follow_links(const char *given, char path[OUTPUT_PATH_BYTES]) {
  char link[OUTPUT_PATH_BYTES];
  errno = ENAMETOOLONG;
  path[0] = '\0';
  if (replace_link(path, given) != 0) return -1;
  for (int i = 0; i < MOST_LINKS; i++) {
    const ssize_t length = readlink(path, link, sizeof link - 1);
    if (length < 0) return 0;
    link[length] = '\0';
    errno = ENAMETOOLONG;
    if (replace_link(path, link) != 0) return -1;
  }
  errno = ELOOP;
  return -1;
}

/** Makes the name of the unfinished file, in the folder of the target. @return 0, or -1 and errno */
static int beside(const char *target, uint64_t token, char path[OUTPUT_PATH_BYTES]) {
  const char *slash = strrchr(target, '/');
  const int folder_bytes = slash ? (int)(slash + 1 - target) : 0;
  const int bytes = snprintf(path, OUTPUT_PATH_BYTES, "%.*s.scanrt-%" PRIx64 ".part", folder_bytes, target, token);
  if (bytes > 0 && bytes < OUTPUT_PATH_BYTES) return 0;
  errno = ENAMETOOLONG;
  return -1;
}

static int is_same_file(const struct stat *facts, int descriptor) {
  struct stat open_file;
  return fstat(descriptor, &open_file) == 0 && open_file.st_dev == facts->st_dev && open_file.st_ino == facts->st_ino;
}

/** 1 if a file must be written directly: pipes, devices, and names of open descriptors. */
static int is_special(const char *path, const struct stat *facts) {
  return !S_ISREG(facts->st_mode) || !strncmp(path, "/dev/fd/", 8) || !strncmp(path, "/proc/", 6) ||
         is_same_file(facts, STDOUT_FILENO) || is_same_file(facts, STDERR_FILENO);
}

/* ---- open and close ---- */

static int open_directly(output *out) {
  out->file = fopen(out->name, "wb");
  return out->file ? CLI_OK : io_fail("create", out->name);
}

/** Gives the new file the owner, group and permissions of the one it replaces. @return 0, or -1 if the owner cannot
 * be kept */
static int keep_facts(int descriptor, const struct stat *before) {
  struct stat now;
  if (fstat(descriptor, &now) != 0) return -1;
  if (now.st_uid != before->st_uid && fchown(descriptor, before->st_uid, before->st_gid) != 0) return -1;
  if (now.st_gid != before->st_gid && fchown(descriptor, (uid_t)-1, before->st_gid) != 0) return -1;
  return fchmod(descriptor, before->st_mode & 07777);
}

static void remove_beside(output *out, const char *path) {
  const int cause = errno;
  unlink(path);
  forget(out);
  out->token = 0;
  errno = cause;
}

/** Creates the unfinished file. @param before  facts of the file that it replaces; NULL: none. @return 0, or -1 and
 * errno */
static int create_beside(output *out, const struct stat *before) {
  static _Atomic unsigned char count;
  char path[OUTPUT_PATH_BYTES];
  out->token = (uint64_t)getpid() << 8 | atomic_fetch_add(&count, 1);
  if (beside(out->target, out->token, path) != 0) return -1;
  out->slot = remember(path);
  const int descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (descriptor < 0) {
    forget(out);
    out->token = 0;
    return -1;
  }
  out->file = !before || keep_facts(descriptor, before) == 0 ? fdopen(descriptor, "wb") : NULL;
  if (out->file) return 0;
  remove_beside(out, path);
  close(descriptor);
  return -1;
}

int output_begin(const char *path, output *out) {
  struct stat before;
  out->name = path;
  out->token = 0;
  out->slot = -1;
  out->file = stdout;
  if (!strcmp(path, "-")) return out->name = "standard output", CLI_OK;
  const int is_there = stat(path, &before) == 0;
  if (is_there && is_special(path, &before)) return open_directly(out);
  if (is_there && access(path, W_OK) != 0) return io_fail("create", path);
  if (follow_links(path, out->target) != 0) return io_fail("create", path);
  if (create_beside(out, is_there ? &before : NULL) == 0) return CLI_OK;
  if (is_there && (errno == EACCES || errno == EPERM || errno == EROFS)) return open_directly(out);
  return io_fail("create", path);
}

int output_path(const char *path, uint64_t token, char written[OUTPUT_PATH_BYTES]) {
  char target[OUTPUT_PATH_BYTES];
  int rc = follow_links(path, target);
  if (rc == 0 && token) rc = beside(target, token, written);
  if (rc == 0 && !token) memcpy(written, target, sizeof target);
  return rc == 0 ? CLI_OK : io_fail("create", path);
}

int output_end(output *out, int rc) {
  char path[OUTPUT_PATH_BYTES];
  if (out->file == stdout) return rc == CLI_OK ? cli_flush_output() : rc;
  const int failed = ferror(out->file);
  if (fclose(out->file) != 0 && rc == CLI_OK) rc = io_fail("write", out->name);
  if (failed && rc == CLI_OK) rc = cli_fail("cannot write %s", out->name);
  out->file = NULL;
  if (!out->token || beside(out->target, out->token, path) != 0) return rc;
  if (rc == CLI_OK && rename(path, out->target) != 0) rc = io_fail("write", out->name);
  if (rc != CLI_OK) remove_beside(out, path);
  forget(out);
  return rc;
}
