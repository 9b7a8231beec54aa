/* SPDX-License-Identifier: BSD-2-Clause */
#include "device/cuda/cuda_program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/embedded.h"
#include "device/source.h"

/* The operator's text gets a namespace of its own. */
char *scan_cuda_program_operator(const scan_kernel_key *key) {
  char *open = scan_kernel_text("kernels_cu/lib/source_open.h");
  if (open == NULL) return NULL;
  const char *const parts[] = { open, key->source->text, key->source->epilogue, "}\n", NULL };
  char *joined = scan_text_join(parts);
  free(open);
  return joined;
}

/* The set of kernels that a file is compiled for; 0 for portable kernels, which are the same in all. */
static uint32_t image_for(const char *file, uint32_t tuned_image) {
  if (strstr(file, ".cuh") == NULL) return 0;
  return strcmp(file, "pipelined.cuh") == 0 ? TUNE_LARGE_IMAGE(tuned_image) : tuned_image;
}

/* The last line closes the namespace that the file opens (source_close.h). */
char *scan_cuda_program_kernels(const scan_kernel_key *key, uint32_t tuned_image) {
  char defines[SCAN_SOURCE_DEFINES_BYTES], rest[192];
  const char *const parts[] = { defines, rest, NULL };
  scan_source_defines(key, defines);
  snprintf(rest, sizeof rest,
           "#define SCAN_SUBTILES %u\n"
           "#define SCAN_CUDA_IMAGE %u\n"
           "#line 1 \"scanrt\"\n"
           "#include \"%s\"\n"
           "}\n",
           key->subtiles, image_for(key->file, tuned_image), key->file);
  return scan_text_join(parts);
}

char *scan_cuda_program(const scan_kernel_key *key, uint32_t tuned_image) {
  char *const parts[] = { scan_cuda_program_operator(key), scan_cuda_program_kernels(key, tuned_image), NULL };
  char *program = parts[0] != NULL && parts[1] != NULL ? scan_text_join((const char *const *)parts) : NULL;
  free(parts[0]);
  free(parts[1]);
  return program;
}
