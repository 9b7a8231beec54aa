/* SPDX-License-Identifier: BSD-2-Clause */
/* Prints the compute capability of every GPU that the NVIDIA driver of this machine reports, such as 90, one a line;
 * prints nothing without a driver. Configuring with SCANRT_CUDA_ARCHS=native runs it. */
#include <dlfcn.h>
#include <stdio.h>

enum { MAJOR = 75, MINOR = 76 }; /* CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_* */

int main(void) {
  void *driver = dlopen("libcuda.so.1", RTLD_NOW);
  if (driver == NULL) return 0;
  int (*init)(unsigned) = (int (*)(unsigned))dlsym(driver, "cuInit");
  int (*count_of)(int *) = (int (*)(int *))dlsym(driver, "cuDeviceGetCount");
  int (*get)(int *, int) = (int (*)(int *, int))dlsym(driver, "cuDeviceGet");
  int (*attribute)(int *, int, int) = (int (*)(int *, int, int))dlsym(driver, "cuDeviceGetAttribute");
  int count = 0;
  if (!init || !count_of || !get || !attribute || init(0) != 0 || count_of(&count) != 0) return 0;
  for (int i = 0; i < count; i++) {
    int device, major, minor;
    if (get(&device, i) == 0 && attribute(&major, MAJOR, device) == 0 && attribute(&minor, MINOR, device) == 0)
      printf("%d\n", 10 * major + minor);
  }
  return 0;
}
