/* SPDX-License-Identifier: BSD-2-Clause */
/* A libcuda.so.1 with one GPU of compute capability 8.6, for tools/cmake/cuda_devices.c. */
int cuInit(unsigned flags);
int cuDeviceGetCount(int *count);
int cuDeviceGet(int *device, int ordinal);
int cuDeviceGetAttribute(int *value, int attribute, int device);

int cuInit(unsigned flags) { return (int)flags; }

int cuDeviceGetCount(int *count) {
  *count = 1;
  return 0;
}

int cuDeviceGet(int *device, int ordinal) {
  *device = ordinal;
  return 0;
}

int cuDeviceGetAttribute(int *value, int attribute, int device) {
  *value = attribute == 75 ? 8 : 6;
  return device;
}
