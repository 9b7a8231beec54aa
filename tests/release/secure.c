/* SPDX-License-Identifier: BSD-2-Clause */
/* Prints how the library reacts to its environment. test_secure.sh runs it as a normal and as a setuid program. With
 * the argument `secure` it only prints whether the kernel gives it more rights than its user has. */
#include <scanrt/scan.h>
#include <stdio.h>
#include <sys/auxv.h>

static void print_note(const char *name, scan_backend backend) { printf("%s: %s\n", name, scan_backend_note(backend)); }

int main(int argc, char **argv) {
  (void)argv;
  if (argc > 1) return getauxval(AT_SECURE) != 0 ? 0 : 1;
  scan_ctx *ctx = NULL;
  const scan_status status = scan_ctx_create(NULL, &ctx);
  printf("scan_ctx_create: %s: %s\n", scan_status_name(status), status == SCAN_SUCCESS ? "" : scan_last_error(NULL));
  print_note("cuda", SCAN_BACKEND_CUDA);
  print_note("opencl", SCAN_BACKEND_OPENCL);
  scan_ctx_destroy(ctx);
  return 0;
}
