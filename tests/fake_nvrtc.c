/* SPDX-License-Identifier: BSD-2-Clause */
/* A stand-in for NVRTC that compiles nothing: the image of a program is its name and the options. For tests of what
 * surrounds compilations, also with sanitizers. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/cuda/nvrtc_api.h"
#include "nvrtc_gate.h"

#define EXPORT __attribute__((visibility("default")))
#define EXPORT_FUNCTION(member, name, parameters) EXPORT nvrtc_result name parameters;
NVRTC_FUNCTIONS(EXPORT_FUNCTION)
EXPORT const char *nvrtcGetErrorString(nvrtc_result result);

enum { OUT_OF_MEMORY = 1, COMPILATION = 6 };

struct _nvrtcProgram {
  char name[32], image[256];
};

nvrtc_result nvrtcVersion(int *major, int *minor) {
  *major = 13;
  *minor = 98; /* no real one's */
  return 0;
}

nvrtc_result nvrtcGetNumSupportedArchs(int *count) {
  *count = 1;
  return 0;
}

nvrtc_result nvrtcGetSupportedArchs(int *all) {
  *all = 90;
  return 0;
}

nvrtc_result nvrtcCreateProgram(nvrtc_program *program, const char *text, const char *name, int count,
                                const char *const *texts, const char *const *names) {
  nvrtc_program made = calloc(1, sizeof *made);
  (void)text, (void)name, (void)texts;
  if (made == NULL) return OUT_OF_MEMORY;
  if (count > 0) snprintf(made->name, sizeof made->name, "%s", names[0]);
  *program = made;
  return 0;
}

nvrtc_result nvrtcDestroyProgram(nvrtc_program *program) {
  free(*program);
  *program = NULL;
  return 0;
}

nvrtc_result nvrtcCompileProgram(nvrtc_program p, int count, const char *const *options) {
  const int may_compile = nvrtc_gate_enter(p->name);
  size_t used = (size_t)snprintf(p->image, sizeof p->image, "%s", p->name);
  for (int i = 0; i < count && used < sizeof p->image; i++)
    used += (size_t)snprintf(p->image + used, sizeof p->image - used, " %s", options[i]);
  nvrtc_gate_leave();
  return may_compile ? 0 : COMPILATION;
}

nvrtc_result nvrtcGetProgramLogSize(nvrtc_program p, size_t *bytes) {
  (void)p;
  *bytes = sizeof "refused";
  return 0;
}

nvrtc_result nvrtcGetProgramLog(nvrtc_program p, char *log) {
  (void)p;
  strcpy(log, "refused");
  return 0;
}

nvrtc_result nvrtcGetCUBINSize(nvrtc_program p, size_t *bytes) {
  *bytes = strlen(p->image) + 1;
  return 0;
}

nvrtc_result nvrtcGetCUBIN(nvrtc_program p, char *image) {
  strcpy(image, p->image);
  return 0;
}

nvrtc_result nvrtcGetPTXSize(nvrtc_program p, size_t *bytes) { return nvrtcGetCUBINSize(p, bytes); }
nvrtc_result nvrtcGetPTX(nvrtc_program p, char *image) { return nvrtcGetCUBIN(p, image); }
const char *nvrtcGetErrorString(nvrtc_result result) {
  return result == 0 ? "NVRTC_SUCCESS" : "NVRTC_ERROR_COMPILATION";
}
