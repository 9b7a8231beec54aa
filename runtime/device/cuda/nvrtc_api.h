/* SPDX-License-Identifier: BSD-2-Clause */
/* NVRTC, the CUDA toolkit's compiler as a library. It is opened at run time, only for operators from source. Types and
 * numbers follow the NVRTC reference. */
#ifndef SCANRT_NVRTC_API_H
#define SCANRT_NVRTC_API_H

#include <stddef.h>

typedef int nvrtc_result;                    /* nvrtcResult; 0: success */
typedef struct _nvrtcProgram *nvrtc_program; /* nvrtcProgram */

/* NVRTC_FUNCTION(member, exported name, parameters) */
#define NVRTC_FUNCTIONS(NVRTC_FUNCTION)                                                                                \
  NVRTC_FUNCTION(version, nvrtcVersion, (int *, int *))                                                                \
  NVRTC_FUNCTION(arch_count, nvrtcGetNumSupportedArchs, (int *))                                                       \
  NVRTC_FUNCTION(archs, nvrtcGetSupportedArchs, (int *))                                                               \
  NVRTC_FUNCTION(create, nvrtcCreateProgram,                                                                           \
                 (nvrtc_program *, const char *, const char *, int, const char *const *, const char *const *))         \
  NVRTC_FUNCTION(destroy, nvrtcDestroyProgram, (nvrtc_program *))                                                      \
  NVRTC_FUNCTION(compile, nvrtcCompileProgram, (nvrtc_program, int, const char *const *))                              \
  NVRTC_FUNCTION(log_bytes, nvrtcGetProgramLogSize, (nvrtc_program, size_t *))                                         \
  NVRTC_FUNCTION(log, nvrtcGetProgramLog, (nvrtc_program, char *))                                                     \
  NVRTC_FUNCTION(ptx_bytes, nvrtcGetPTXSize, (nvrtc_program, size_t *))                                                \
  NVRTC_FUNCTION(ptx, nvrtcGetPTX, (nvrtc_program, char *))                                                            \
  NVRTC_FUNCTION(cubin_bytes, nvrtcGetCUBINSize, (nvrtc_program, size_t *))                                            \
  NVRTC_FUNCTION(cubin, nvrtcGetCUBIN, (nvrtc_program, char *))

typedef struct nvrtc_api {
#define NVRTC_MEMBER(member, name, parameters) nvrtc_result(*member) parameters;
  NVRTC_FUNCTIONS(NVRTC_MEMBER)
#undef NVRTC_MEMBER
  /* Returns no nvrtcResult and is therefore not in the table. */
  const char *(*error_text)(nvrtc_result);
} nvrtc_api;

/* Returns NVRTC, opened once per process ($SCANRT_LIBNVRTC, else by its name); NULL, with the reason in `note`, if
 * there is none. */
const nvrtc_api *scan_nvrtc_api_get(char *note, size_t note_bytes);

#endif
