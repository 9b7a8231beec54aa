/* SPDX-License-Identifier: BSD-2-Clause */
/* Opens a driver's library at run time. */
#ifndef SCANRT_LIBRARY_H
#define SCANRT_LIBRARY_H

#include <pthread.h>
#include <stddef.h>

/* A function of a library, and the offset of its address in a table of functions. */
typedef struct library_function {
  const char *name;
  size_t offset;
  int is_optional; /* 1: a missing function is NULL in the table; 0: it is a fault */
} library_function;

/* A library that is opened once per process and stays open: drivers do not survive being unloaded. */
typedef struct library_loader {
  pthread_mutex_t lock;
  int tried, usable;
  char note[256];
} library_loader;

/* Opens the library that $variable names, else `name`, and fills the table at `api`. Returns 0, with the reason in
 * `note`, if it cannot be opened or lacks a function. A program with more rights than its user's ignores the variable
 * (secure_getenv). */
int scan_library_load(library_loader *loader, const char *variable, const char *name, const library_function *functions,
                      size_t count, void *api, char *note, size_t note_bytes);

#endif
