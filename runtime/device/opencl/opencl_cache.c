/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "device/opencl/opencl_cache.h"

enum { FACT_BYTES = 512 };

/* ---- the key of a binary ---- */

static const struct {
  const char *name;
  cl_device_info which;
} device_facts[] = { { "device", CL_DEVICE_NAME },
                     { "vendor", CL_DEVICE_VENDOR },
                     { "device version", CL_DEVICE_VERSION },
                     { "driver version", CL_DRIVER_VERSION } };
enum { DEVICE_FACTS = sizeof device_facts / sizeof device_facts[0], FIXED_PARTS = DEVICE_FACTS + 4 };

/* Queries the device's facts. If the driver gives no answer, or one that is too long, its binaries cannot be
 * distinguished and are not cached. */
static int describe_device(const scan_device *d, char text[DEVICE_FACTS][FACT_BYTES]) {
  for (int i = 0; i < DEVICE_FACTS; i++)
    if (d->api->clGetDeviceInfo(d->id, device_facts[i].which, FACT_BYTES - 1, text[i], NULL) != CL_SUCCESS) return 0;
  return 1;
}

static int describe_platform(const scan_device *d, char text[FACT_BYTES]) {
  cl_platform_id platform = NULL;
  return d->api->clGetDeviceInfo(d->id, CL_DEVICE_PLATFORM, sizeof platform, &platform, NULL) == CL_SUCCESS &&
         d->api->clGetPlatformInfo(platform, CL_PLATFORM_VERSION, FACT_BYTES - 1, text, NULL) == CL_SUCCESS;
}

int scan_opencl_cache_key(const scan_device *d, const opencl_source *source, program_cache_key *key) {
  char facts[DEVICE_FACTS][FACT_BYTES] = { "" }, platform[FACT_BYTES] = "", pointer[8];
  program_cache_part parts[FIXED_PARTS + OPENCL_MOST_TEXTS];
  size_t count = 0;
  *key = (program_cache_key){ 0 };
  if (!scan_program_cache_enabled()) return 0;
  if (!describe_device(d, facts) || !describe_platform(d, platform)) return 0;
  snprintf(pointer, sizeof pointer, "%zu", sizeof(void *)); /* processes of both widths may share a folder */
  parts[count++] = program_cache_text("scanrt", scan_version());
  parts[count++] = program_cache_text("pointer bytes", pointer);
  parts[count++] = program_cache_text("platform version", platform);
  for (int i = 0; i < DEVICE_FACTS; i++) parts[count++] = program_cache_text(device_facts[i].name, facts[i]);
  parts[count++] = program_cache_text("options", source->options);
  for (cl_uint i = 0; i < source->count; i++)
    parts[count++] = (program_cache_part){ "source", source->texts[i], source->bytes[i] };
  return scan_program_cache_key_make(parts, count, key);
}

/* ---- loading and storing ---- */

cl_program scan_opencl_cache_load(const scan_device *d, const program_cache_key *key, const char *options,
                                  program_claim *claim) {
  size_t bytes = 0;
  cl_int made = CL_SUCCESS, usable = CL_SUCCESS;
  unsigned char *binary = scan_program_claim_load(key, &bytes, claim);
  if (binary == NULL) return NULL;
  const unsigned char *binaries[] = { binary };
  cl_program program = d->api->clCreateProgramWithBinary(d->context, 1, &d->id, &bytes, binaries, &usable, &made);
  free(binary);
  cl_int result = made != CL_SUCCESS ? made : usable;
  if (result == CL_SUCCESS) result = d->api->clBuildProgram(program, 1, &d->id, options, NULL, NULL);
  if (result == CL_SUCCESS) return program;
  scan_log(SCAN_LOG_DEBUG, "the driver refuses a cached program (%d)", result);
  if (made == CL_SUCCESS) (void)d->api->clReleaseProgram(program);
  return NULL;
}

/* Returns the binary of a program for one device; NULL if there is none, or if the program has several devices. */
static unsigned char *binary_of(const scan_device *d, cl_program program, size_t *bytes) {
  cl_uint devices = 0;
  *bytes = 0;
  if (d->api->clGetProgramInfo(program, CL_PROGRAM_NUM_DEVICES, sizeof devices, &devices, NULL) != CL_SUCCESS ||
      devices != 1 ||
      d->api->clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof *bytes, bytes, NULL) != CL_SUCCESS ||
      *bytes == 0)
    return NULL;
  unsigned char *binary = calloc(*bytes, 1), *binaries[] = { binary };
  if (binary == NULL) return NULL;
  if (d->api->clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof binaries, binaries, NULL) == CL_SUCCESS)
    return binary;
  free(binary);
  return NULL;
}

void scan_opencl_cache_store(const scan_device *d, const program_cache_key *key, cl_program program) {
  size_t bytes;
  unsigned char *binary = binary_of(d, program, &bytes);
  if (binary != NULL)
    scan_program_cache_store(key, binary, bytes);
  else
    scan_log(SCAN_LOG_DEBUG, "a program is not cached: the driver gives no binary of it");
  free(binary);
}
