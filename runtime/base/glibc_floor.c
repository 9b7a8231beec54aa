/* SPDX-License-Identifier: BSD-2-Clause */
/* Keeps the shared library loadable on glibc 2.28 wherever it is linked. Functions whose symbols have got a newer
 * version since are defined here, hidden, by their older version or by the system call. Part of the shared library
 * alone: a program that links the static one runs on the glibc that it is linked with. */
#undef _GNU_SOURCE /* makes glibc 2.38 rename the conversions of numbers */
#define _DEFAULT_SOURCE
#include <features.h>

#if defined(__x86_64__)
#define FIRST_VERSION "GLIBC_2.2.5"
#define AFFINITY_VERSION "GLIBC_2.3.4"
#elif defined(__aarch64__)
#define FIRST_VERSION "GLIBC_2.17"
#define AFFINITY_VERSION FIRST_VERSION
#else
#error "glibc_floor.c: the first version of glibc's symbols on this processor is not known"
#endif

/* Declares older_NAME, which is NAME of that version. */
#define OLDER_OF(version, result, name, ...)                                                                           \
  extern result older_##name(__VA_ARGS__);                                                                             \
  __asm__(".symver older_" #name ", " #name "@" version)
#define OLDER(result, name, ...) OLDER_OF(FIRST_VERSION, result, name, __VA_ARGS__)

#if __GLIBC_PREREQ(2, 33)
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* On 64-bit processors the kernel's struct stat is glibc's. */
int fstat(int file, struct stat *facts) { return (int)syscall(SYS_fstat, file, facts); }

int fstatat(int folder, const char *name, struct stat *facts, int flags) {
  return (int)syscall(SYS_newfstatat, folder, name, facts, flags);
}
#endif

#if __GLIBC_PREREQ(2, 34)
#include <dlfcn.h>
#include <pthread.h>

OLDER(int, pthread_create, pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
OLDER(int, pthread_join, pthread_t, void **);
OLDER(int, pthread_once, pthread_once_t *, void (*)(void));
OLDER(int, pthread_mutex_trylock, pthread_mutex_t *);
OLDER_OF(AFFINITY_VERSION, int, pthread_setaffinity_np, pthread_t, size_t, const void *);
OLDER(void *, dlopen, const char *, int);
OLDER(void *, dlsym, void *, const char *);
OLDER(char *, dlerror, void);

int pthread_create(pthread_t *thread, const pthread_attr_t *how, void *(*run)(void *), void *argument) {
  return older_pthread_create(thread, how, run, argument);
}

int pthread_join(pthread_t thread, void **result) { return older_pthread_join(thread, result); }

int pthread_once(pthread_once_t *once, void (*run)(void)) { return older_pthread_once(once, run); }

int pthread_mutex_trylock(pthread_mutex_t *mutex) { return older_pthread_mutex_trylock(mutex); }

/* The headers declare it with _GNU_SOURCE only. */
int pthread_setaffinity_np(pthread_t, size_t, const void *);

int pthread_setaffinity_np(pthread_t thread, size_t bytes, const void *processors) {
  return older_pthread_setaffinity_np(thread, bytes, processors);
}

void *dlopen(const char *name, int flags) { return older_dlopen(name, flags); }

void *dlsym(void *library, const char *name) { return older_dlsym(library, name); }

char *dlerror(void) { return older_dlerror(); }
#endif

#if __GLIBC_PREREQ(2, 38)
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

/* Headers of glibc 2.38 and later rename strtol and similar functions to these. They parse as before: no binary
 * literals. */
long __isoc23_strtol(const char *, char **, int);
unsigned long __isoc23_strtoul(const char *, char **, int);
unsigned long long __isoc23_strtoull(const char *, char **, int);
int __isoc23_fscanf(FILE *, const char *, ...);

long __isoc23_strtol(const char *text, char **end, int base) { return strtol(text, end, base); }

unsigned long __isoc23_strtoul(const char *text, char **end, int base) { return strtoul(text, end, base); }

unsigned long long __isoc23_strtoull(const char *text, char **end, int base) { return strtoull(text, end, base); }

int __isoc23_fscanf(FILE *file, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const int found = vfscanf(file, format, arguments);
  va_end(arguments);
  return found;
}
#endif
