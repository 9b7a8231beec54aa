/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs a fuzz target on files, without libFuzzer. Usage: fuzz_<target> FILE_OR_FOLDER... */
#define _POSIX_C_SOURCE 200809L
#include "fuzz.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static unsigned long inputs;

static void replay_file(const char *path, size_t bytes) {
  FILE *file = fopen(path, "rb");
  uint8_t *data = malloc(bytes > 0 ? bytes : 1); /* exact size, so that a sanitizer finds reads past the end */
  if (file == NULL || data == NULL || fread(data, 1, bytes, file) != bytes) fuzz_fail("cannot read %s", path);
  fclose(file);
  fprintf(stderr, "%s\n", path); /* shows the input if a sanitizer ends the process */
  (void)LLVMFuzzerTestOneInput(data, bytes);
  free(data);
  inputs++;
}

static void replay(const char *path);

static void replay_folder(const char *path) {
  struct dirent **names = NULL;
  char inner[4096];
  const int count = scandir(path, &names, NULL, alphasort);
  if (count < 0) fuzz_fail("cannot read the folder %s", path);
  for (int i = 0; i < count; i++) {
    snprintf(inner, sizeof inner, "%s/%s", path, names[i]->d_name);
    if (names[i]->d_name[0] != '.') replay(inner);
    free(names[i]);
  }
  free(names);
}

static void replay(const char *path) {
  struct stat facts;
  if (stat(path, &facts) != 0) fuzz_fail("there is no %s", path);
  if (S_ISDIR(facts.st_mode))
    replay_folder(path);
  else
    replay_file(path, (size_t)facts.st_size);
}

int main(int argc, char **argv) {
  for (int i = 1; i < argc; i++) replay(argv[i]);
  printf("%lu inputs\n", inputs);
  return inputs == 0;
}
