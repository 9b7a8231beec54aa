/* SPDX-License-Identifier: BSD-2-Clause */
#include "nvrtc_compile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/cuda/cuda_program.h"
#include "device/cuda/nvrtc_api.h"
#include "device/source.h"
#include "support.h"

void nvrtc_require(void) {
  char note[256];
  if (scan_nvrtc_api_get(note, sizeof note) == NULL) test_skip_program("%s", note);
}

static int holds(const char *image, size_t image_bytes, const char *word) {
  const size_t bytes = strlen(word);
  for (size_t i = 0; i + bytes <= image_bytes; i++)
    if (memcmp(image + i, word, bytes) == 0) return 1;
  return 0;
}

scan_status nvrtc_compile(const scan_op_source *from, const scan_kernel_key *wanted, uint32_t capability, char **image,
                          scan_error *error) {
  scan_kernel_key key = *wanted;
  scan_source source;
  char *made = NULL, name[64];
  size_t made_bytes = 0;
  if (!wanted->checks) assert_int_equal(scan_source_check(from, error), SCAN_SUCCESS); /* else the library's text */
  assert_int_equal(scan_source_copy(from, &source, error), SCAN_SUCCESS);
  key.source = &source;
  const scan_status status =
      scan_cuda_source_compile(&key, capability, capability >= 90 ? 90 : 80, &made, &made_bytes, error);
  scan_source_free(&source);
  snprintf(name, sizeof name, "%s" CUDA_SOURCE_SUFFIX, key.kernel);
  if (status == SCAN_SUCCESS && !holds(made, made_bytes, name)) test_fail("no %s in the image", name);
  if (image != NULL)
    *image = made;
  else
    free(made);
  return status;
}
