/* SPDX-License-Identifier: BSD-2-Clause */
/* Replaces functions of the C library in programs linked with --wrap: in the library under test and the test itself,
 * but not in what they load (drivers, the C library). A function fails or calls the C library's. */
#define _GNU_SOURCE
#include "sweep/libc.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

fault_plan libc_memory, libc_threads, libc_files;

static atomic_long blocks, files, threads;

libc_counts libc_live(void) {
  return (libc_counts){ atomic_load(&blocks), atomic_load(&files), atomic_load(&threads) };
}

/* WRAP(result, name, parameters): declares the real function and begins its replacement. */
#define WRAP(result, name, parameters)                                                                                 \
  result __real_##name parameters;                                                                                     \
  result __wrap_##name parameters;                                                                                     \
  result __wrap_##name parameters

/* ---- memory ---- */

static void *counted(void *block) {
  if (block != NULL) atomic_fetch_add(&blocks, 1);
  return block;
}

static int is_out_of_memory(const char *call) {
  const int due = fault_is_due(&libc_memory, call);
  if (due) errno = ENOMEM;
  return due;
}

WRAP(void *, malloc, (size_t bytes)) { return is_out_of_memory("malloc") ? NULL : counted(__real_malloc(bytes)); }

WRAP(void *, calloc, (size_t count, size_t bytes)) {
  return is_out_of_memory("calloc") ? NULL : counted(__real_calloc(count, bytes));
}

WRAP(void *, aligned_alloc, (size_t alignment, size_t bytes)) {
  return is_out_of_memory("aligned_alloc") ? NULL : counted(__real_aligned_alloc(alignment, bytes));
}

WRAP(void *, realloc, (void *block, size_t bytes)) {
  if (is_out_of_memory("realloc")) return NULL;
  return block == NULL ? counted(__real_realloc(NULL, bytes)) : __real_realloc(block, bytes);
}

WRAP(int, posix_memalign, (void **block, size_t alignment, size_t bytes)) {
  if (is_out_of_memory("posix_memalign")) return ENOMEM;
  const int result = __real_posix_memalign(block, alignment, bytes);
  if (result == 0) (void)counted(*block);
  return result;
}

WRAP(char *, strdup, (const char *text)) { return is_out_of_memory("strdup") ? NULL : counted(__real_strdup(text)); }

WRAP(void, free, (void *block)) {
  if (block != NULL) atomic_fetch_sub(&blocks, 1);
  __real_free(block);
}

WRAP(void *, mmap, (void *at, size_t bytes, int protection, int flags, int file, off_t offset)) {
  return is_out_of_memory("mmap") ? MAP_FAILED : __real_mmap(at, bytes, protection, flags, file, offset);
}

/* ---- threads ---- */

WRAP(int, pthread_create, (pthread_t * thread, const pthread_attr_t *how, void *(*work)(void *), void *argument)) {
  if (fault_is_due(&libc_threads, "pthread_create")) return EAGAIN;
  const int result = __real_pthread_create(thread, how, work, argument);
  if (result == 0) atomic_fetch_add(&threads, 1);
  return result;
}

WRAP(int, pthread_join, (pthread_t thread, void **result)) {
  atomic_fetch_sub(&threads, 1);
  return __real_pthread_join(thread, result);
}

/* ---- files ---- */

static int is_broken(const char *call) {
  const int due = fault_is_due(&libc_files, call);
  if (due) errno = EIO;
  return due;
}

static int opened(int file) {
  if (file >= 0) atomic_fetch_add(&files, 1);
  return file;
}

WRAP(int, open, (const char *path, int flags, ...)) {
  va_list more;
  va_start(more, flags);
  const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(more, mode_t) : 0;
  va_end(more);
  return is_broken("open") ? -1 : opened(__real_open(path, flags, mode));
}

WRAP(int, openat, (int folder, const char *path, int flags, ...)) {
  va_list more;
  va_start(more, flags);
  const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(more, mode_t) : 0;
  va_end(more);
  return is_broken("openat") ? -1 : opened(__real_openat(folder, path, flags, mode));
}

WRAP(FILE *, fopen, (const char *path, const char *mode)) {
  FILE *file = is_broken("fopen") ? NULL : __real_fopen(path, mode);
  if (file != NULL) atomic_fetch_add(&files, 1);
  return file;
}

/* A failing close closes its argument nevertheless. */
static int closed(int result, const char *call) {
  atomic_fetch_sub(&files, 1);
  return is_broken(call) ? -1 : result;
}

WRAP(int, close, (int file)) { return closed(__real_close(file), "close"); }
WRAP(int, fclose, (FILE * file)) { return closed(__real_fclose(file), "fclose"); }
WRAP(int, closedir, (DIR * folder)) { return closed(__real_closedir(folder), "closedir"); }

/* WRAP_FILE(result, failed, name, parameters, arguments): a file function that opens and closes nothing. */
#define WRAP_FILE(result, failed, name, parameters, arguments)                                                         \
  WRAP(result, name, parameters) { return is_broken(#name) ? (failed) : __real_##name arguments; }

WRAP_FILE(DIR *, NULL, fdopendir, (int folder), (folder))
WRAP_FILE(struct dirent *, NULL, readdir, (DIR * folder), (folder))
WRAP_FILE(char *, NULL, fgets, (char *text, int bytes, FILE *file), (text, bytes, file))
WRAP_FILE(ssize_t, -1, read, (int file, void *data, size_t bytes), (file, data, bytes))
WRAP_FILE(ssize_t, -1, pread, (int file, void *data, size_t bytes, off_t at), (file, data, bytes, at))
WRAP_FILE(ssize_t, -1, write, (int file, const void *data, size_t bytes), (file, data, bytes))
WRAP_FILE(ssize_t, -1, readlink, (const char *path, char *text, size_t bytes), (path, text, bytes))
WRAP_FILE(ssize_t, -1, readlinkat, (int folder, const char *path, char *text, size_t bytes),
          (folder, path, text, bytes))
WRAP_FILE(int, -1, mkdir, (const char *path, mode_t mode), (path, mode))
WRAP_FILE(int, -1, fstat, (int file, struct stat *facts), (file, facts))
WRAP_FILE(int, -1, fstatat, (int folder, const char *path, struct stat *facts, int flags), (folder, path, facts, flags))
WRAP_FILE(int, -1, futimens, (int file, const struct timespec *times), (file, times))
WRAP_FILE(int, -1, renameat, (int from_folder, const char *from, int to_folder, const char *to),
          (from_folder, from, to_folder, to))
WRAP_FILE(int, -1, unlinkat, (int folder, const char *path, int flags), (folder, path, flags))
WRAP_FILE(int, -1, symlinkat, (const char *text, int folder, const char *path), (text, folder, path))

/* Arms the plans of programs that do not arm them: SCANRT_FAULT_MEMORY=7, SCANRT_FAULT_FILES=3+, ... */
__attribute__((constructor)) static void begin(void) {
  fault_arm_from(&libc_memory, "SCANRT_FAULT_MEMORY");
  fault_arm_from(&libc_threads, "SCANRT_FAULT_THREADS");
  fault_arm_from(&libc_files, "SCANRT_FAULT_FILES");
}

__attribute__((destructor)) static void end(void) {
  fault_plan *const plans[] = { &libc_memory, &libc_threads, &libc_files };
  for (int i = 0; i < 3; i++) {
    const fault_plan plan = *plans[i];
    fault_disarm(plans[i]);
    fault_report(&plan);
  }
}
