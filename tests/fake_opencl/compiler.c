/* SPDX-License-Identifier: BSD-2-Clause */
/* Programs of the fake OpenCL driver. Without FAKE_OPENCL_CLANG every build fails. With it, clang checks the text for
 * the target of FAKE_OPENCL_VENDOR (vendors.h), and kernels do nothing. */
#include "vendors.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LOG_BYTES = 4096, COMMAND_BYTES = 4096 };

typedef struct fake_program {
  char *text;
  char log[LOG_BYTES];
} fake_program;

static int kernel; /* the object that kernels point to */

EXPORT cl_program clCreateProgramWithSource(cl_context of, cl_uint count, const char **texts, const size_t *bytes,
                                            cl_int *result) {
  size_t whole = 0, used = 0;
  (void)of;
  for (cl_uint i = 0; i < count; i++) whole += bytes[i];
  fake_program *program = calloc(1, sizeof *program);
  if (program != NULL) program->text = calloc(whole + 1, 1);
  if (program == NULL || program->text == NULL) {
    free(program);
    *result = CL_OUT_OF_HOST_MEMORY;
    return NULL;
  }
  for (cl_uint i = 0; i < count; used += bytes[i++]) memcpy(program->text + used, texts[i], bytes[i]);
  snprintf(program->log, sizeof program->log, "no compiler");
  *result = CL_SUCCESS;
  return (cl_program)(void *)program;
}

EXPORT cl_int clReleaseProgram(cl_program p) {
  fake_program *program = (fake_program *)(void *)p;
  free(program->text);
  free(program);
  return CL_SUCCESS;
}

/* Writes the text to a new file. Returns 0, or -1 on failure. */
static int write_text(const char *text, char name[static 1]) {
  const int file = mkstemp(name);
  if (file < 0) return -1;
  const size_t bytes = strlen(text);
  const int is_whole = write(file, text, bytes) == (ssize_t)bytes;
  return close(file) == 0 && is_whole ? 0 : -1;
}

EXPORT cl_int clBuildProgram(cl_program p, cl_uint count, const cl_device_id *ids, const char *options,
                             void(CL_CALLBACK *notify)(cl_program, void *), void *data) {
  fake_program *program = (fake_program *)(void *)p;
  const char *clang = getenv("FAKE_OPENCL_CLANG");
  char name[] = "/tmp/fake_opencl_XXXXXX", command[COMMAND_BYTES];
  (void)count, (void)ids, (void)notify, (void)data;
  if (clang == NULL || write_text(program->text, name) != 0) return CL_BUILD_PROGRAM_FAILURE;
  const char *own = strstr(options, " -cl-nv-"); /* NVIDIA's option, which Clang does not know */
  const size_t before = own != NULL ? (size_t)(own - options) : strlen(options);
  const char *after = own != NULL ? own + 1 + strcspn(own + 1, " ") : "";
  snprintf(command, sizeof command, "'%s' -w -x cl %s %.*s%s -fsyntax-only '%s' 2>&1", clang, fake_vendor_now()->clang,
           (int)before, options, after, name);
  FILE *output = popen(command, "r"); /* NOLINT(cert-env33-c): the command has no text of another program */
  const size_t said = output != NULL ? fread(program->log, 1, LOG_BYTES - 1, output) : 0;
  const int failed = output == NULL || pclose(output) != 0;
  program->log[said] = '\0';
  (void)unlink(name);
  return failed ? CL_BUILD_PROGRAM_FAILURE : CL_SUCCESS;
}

EXPORT cl_int clGetProgramBuildInfo(cl_program p, cl_device_id id, cl_program_build_info which, size_t room,
                                    void *value, size_t *size) {
  const char *log = ((fake_program *)(void *)p)->log;
  (void)id, (void)which;
  return fake_answer_long(log, strlen(log) + 1, room, value, size);
}

EXPORT cl_kernel clCreateKernel(cl_program p, const char *name, cl_int *result) {
  (void)p, (void)name;
  *result = CL_SUCCESS;
  return (cl_kernel)(void *)&kernel;
}

/* Reads zeros. */
EXPORT cl_int clEnqueueReadBuffer(cl_command_queue queue, cl_mem mem, cl_bool blocks, size_t at, size_t bytes, void *to,
                                  cl_uint count, const cl_event *events, cl_event *event) {
  (void)queue, (void)mem, (void)blocks, (void)at, (void)count, (void)events;
  memset(to, 0, bytes);
  if (event != NULL) *event = NULL;
  return CL_SUCCESS;
}
