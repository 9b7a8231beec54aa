/* SPDX-License-Identifier: BSD-2-Clause */
/* Opening a driver's library at run time. */
#ifndef SCANRT_LIBRARY_H
#define SCANRT_LIBRARY_H

#include <pthread.h>
#include <stddef.h>

/* A function of a library, and where its address goes in a table of functions. */
typedef struct library_function {
  const char *name;
  size_t offset;
  int is_optional; /* where it is missing, the table has NULL */
} library_function;

/* A library that is opened once a process and stays open: drivers do not survive being unloaded. */
typedef struct library_loader {
  pthread_mutex_t lock;
  int tried, usable;
  char note[256];
} library_loader;

/* Opens the library that $variable names, else `name`, and fills the table at `api`. 0, with the reason in `note`, when
 * it cannot be opened or lacks a function. A program that runs with more rights than its user's does not obey the
 * variable (secure_getenv). */
int scan_library_load(library_loader *loader, const char *variable, const char *name, const library_function *functions,
                      size_t count, void *api, char *note, size_t note_bytes);

#endif
