/* SPDX-License-Identifier: BSD-2-Clause */
/* Builds the embedded kernel text for a device. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/embedded.h"
#include "base/log.h"
#include "device/opencl/opencl_cache.h"
#include "device/opencl/opencl_device.h"
#include "device/parallel_for.h"
#include "device/source.h"
#include "device/source_text.h"

enum { REDUX_CAPABILITY = 80 };

/* Most registers of a work-item on NVIDIA's devices, 0: no limit. With 80 a compute unit holds 6 work-groups of 128
 * work-items, or 3 of 256 (tools/doc/measurements/opencl.md). */
static unsigned most_registers(const scan_device *d, const scan_kernel_key *key) {
  static const char lookback[] = "select_lookback";
  const int is_limited =
      strncmp(key->file, lookback, sizeof lookback - 1) == 0 || strcmp(key->file, "segment_marked.cl") == 0;
  if (!is_limited || !d->tuning.ptx) return 0;
  return scan_opencl_has_extension(d->api, d->id, "cl_nv_compiler_options") ? 80 : 0;
}

/* Work-groups of segment_marked.cl that NVIDIA's devices hold at once: 3 of 256 work-items with 80 registers a unit. */
static unsigned resident_groups(const scan_device *d) {
  enum { UNIT_GROUPS = 3 };
  cl_uint units = 0;
  const cl_int result = d->api->clGetDeviceInfo(d->id, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, NULL);
  return result == CL_SUCCESS ? units * UNIT_GROUPS : 0;
}

/* Writes each build parameter as `before` NAME `between` VALUE `after`. */
static void write_parameters(const scan_device *d, const scan_kernel_key *key, const char *before, const char *between,
                             const char *after, char *text, size_t bytes) {
  const struct {
    const char *name;
    unsigned value;
  } parameters[] = { { "IN_TYPE", (unsigned)key->input_type },
                     { "TYPE", (unsigned)key->type },
                     { "OP", (unsigned)key->op },
                     { "SUBTILES", key->subtiles },
                     { "GROUP_ITEMS", key->group_items != 0 ? key->group_items : d->tuning.group_items },
                     { "SHUFFLE", d->tuning.exchange },
                     { "SUB_GROUP", d->tuning.sub_group },
                     { "PTX", d->tuning.ptx },
                     { "SPLIT", key->group_items == 0 && d->splits },
                     { "BACKWARD", key->backward },
                     { "ENDS_LOOPS", d->ends_loops } };
  const unsigned registers = most_registers(d, key);
  size_t used = 0;
  if (key->source == NULL && key->reads_n)
    used += (size_t)snprintf(text, bytes, "%sSCAN_READS_N%s1%s", before, between, after);
  if (key->source != NULL)
    used +=
        (size_t)snprintf(text, bytes, "%sSCAN_SOURCE_SUM%s%u%s", before, between, (unsigned)key->source->sum, after);
  if (registers > 0)
    used += (size_t)snprintf(text + used, bytes - used, "%sSCAN_REGISTERS%s%u%s%sSCAN_RESIDENT_GROUPS%s%u%s", before,
                             between, registers, after, before, between, resident_groups(d), after);
  if (registers > 0 && d->capability >= REDUX_CAPABILITY)
    used += (size_t)snprintf(text + used, bytes - used, "%sSCAN_REDUX%s1%s", before, between, after);
  for (size_t i = 0; i < sizeof parameters / sizeof parameters[0]; i++)
    used += (size_t)snprintf(text + used, bytes - used, "%sSCAN_%s%s%u%s", before, parameters[i].name, between,
                             parameters[i].value, after);
}

/* Writes the build options. With an operator from source the parameters follow its text instead, because its macros may
 * have any name. */
static void options_for(const scan_device *d, const scan_kernel_key *key, char *options, size_t bytes) {
  const unsigned registers = most_registers(d, key);
  snprintf(options, bytes, "-cl-std=CL%s", d->tuning.device_fence ? "3.0" : "1.2");
  if (registers > 0) snprintf(options + strlen(options), bytes - strlen(options), " -cl-nv-maxrregcount=%u", registers);
  if (key->source == NULL) write_parameters(d, key, " -D", "=", "", options + strlen(options), bytes - strlen(options));
#ifdef SCANRT_TEST_HOOKS
  const char *more = secure_getenv("SCANRT_TEST_BUILD_OPTIONS");
  if (more != NULL) snprintf(options + strlen(options), bytes - strlen(options), " %s", more);
#endif
}

/* Number of lines of source_open.h, which add_source puts before an operator's text. */
static int lines_before_source(void) {
  char *open = scan_kernel_text("source_open.h");
  int lines = 0;
  for (const char *at = open; at != NULL && *at != '\0'; at++) lines += *at == '\n';
  free(open);
  return lines;
}

static scan_status build_failed(const scan_device *d, cl_program program, const scan_kernel_key *key, cl_int result,
                                scan_error *error) {
  char log[1600] = "";
  size_t bytes = 0;
  (void)d->api->clGetProgramBuildInfo(program, d->id, CL_PROGRAM_BUILD_LOG, 0, NULL, &bytes);
  char *whole = bytes > 0 && bytes <= OPENCL_MOST_TEXT_BYTES ? calloc(bytes + 1, 1) : NULL;
  if (whole != NULL) {
    (void)d->api->clGetProgramBuildInfo(program, d->id, CL_PROGRAM_BUILD_LOG, bytes, whole, NULL);
    if (key->source != NULL)
      scan_source_relocate(whole, key->source->text, lines_before_source(), log, sizeof log);
    else
      snprintf(log, sizeof log, "%s", whole);
    free(whole);
  }
  scan_error named;
  (void)scan_opencl_fail(&named, "clBuildProgram", result);
  if (key->source != NULL)
    return scan_fail(error, SCAN_BUILD_FAILED, "%.100s for %s (operator %s of %s, from source): %s", named.text,
                     key->file, key->source->combine, key->source->type, log[0] ? log : "the compiler said nothing");
  return scan_fail(error, SCAN_BUILD_FAILED, "%.100s for %s (%s of %s): %s", named.text, key->file,
                   scan_op_name(key->op), scan_type_name(key->type), log[0] ? log : "the compiler said nothing");
}

static scan_status build_source(const scan_device *d, const scan_kernel_key *key, const opencl_source *source,
                                cl_program *result, scan_error *error) {
  cl_int status;
  scan_log(SCAN_LOG_DEBUG, "building %s with %s", key->file, source->options);
  cl_program program = d->api->clCreateProgramWithSource(d->context, source->count, (const char **)source->texts,
                                                         source->bytes, &status);
  OPENCL_TRY(error, "clCreateProgramWithSource", status);
  status = d->api->clBuildProgram(program, 1, &d->id, source->options, NULL, NULL);
  if (status != CL_SUCCESS) {
    const scan_status failed = build_failed(d, program, key, status, error);
    (void)d->api->clReleaseProgram(program);
    return failed;
  }
  *result = program;
  return SCAN_SUCCESS;
}

/* Loads the program from the cache on disk, or else builds it from source. */
static scan_status build_or_load(scan_device *d, const scan_kernel_key *key, const opencl_source *source,
                                 cl_program *program, scan_error *error) {
  program_cache_key cache_key;
  program_claim claim = { .name = "" };
  const int cached = scan_opencl_cache_key(d, source, &cache_key);
  scan_status status = SCAN_SUCCESS;
  *program = cached ? scan_opencl_cache_load(d, &cache_key, source->options, &claim) : NULL;
  if (*program != NULL) {
    d->programs_loaded++;
    scan_log(SCAN_LOG_DEBUG, "%s with %s was in the cache", key->file, source->options);
  } else {
    status = build_source(d, key, source, program, error);
    if (status == SCAN_SUCCESS) d->programs_built++;
    if (status == SCAN_SUCCESS && cached) scan_opencl_cache_store(d, &cache_key, *program);
  }
  scan_program_claim_release(&claim);
  scan_program_cache_key_free(&cache_key);
  return status;
}

/* ---- texts ---- */

static void add_text(opencl_source *p, const char *text, size_t bytes) {
  p->texts[p->count] = text;
  p->bytes[p->count++] = bytes;
}

static scan_status add_part(opencl_source *p, const char *name, scan_error *error) {
  char *part = scan_kernel_text(name);
  if (part == NULL) return scan_fail(error, SCAN_OUT_OF_MEMORY, "no host memory for the kernel text %s", name);
  p->owned[p->count] = part;
  add_text(p, part, strlen(part));
  return SCAN_SUCCESS;
}

/* Adds the operator's text first, so that none of the library's macros affects it. */
static scan_status add_source(const scan_device *d, const scan_kernel_key *key, opencl_source *p, scan_error *error) {
  static const char names[] = "#define SCAN_SOURCE_T scanrt_source_t\n"
                              "#define SCAN_SOURCE_INPUT_T scanrt_source_input_t\n"
                              "#define SCAN_SOURCE_OUTPUT_T scanrt_source_output_t\n"
                              "#define SCAN_SOURCE_COMBINE scanrt_source_combine\n"
                              "#define SCAN_SOURCE_MAP scanrt_source_map\n"
                              "#define SCAN_SOURCE_EMIT scanrt_source_emit\n"
                              "#define SCAN_SOURCE_OVERFLOWS scanrt_source_overflows\n"
                              "#define SCAN_SOURCE_KEEP scanrt_source_keep\n"
                              "#line 1 \"scanrt\"\n";
  const scan_source *source = key->source;
  scan_status status = add_part(p, "source_open.h", error);
  if (status != SCAN_SUCCESS) return status;
  add_text(p, source->text, strlen(source->text));
  add_text(p, source->epilogue, strlen(source->epilogue));
  write_parameters(d, key, "#define ", " ", "\n", p->parameters, sizeof p->parameters);
  add_text(p, p->parameters, strlen(p->parameters));
  scan_source_defines(key, p->defines);
  add_text(p, p->defines, strlen(p->defines));
  add_text(p, names, sizeof names - 1);
  return SCAN_SUCCESS;
}

static scan_status program_build(scan_device *d, const scan_kernel_key *key, cl_program *program, scan_error *error) {
  opencl_source source = { .count = 0 };
  scan_status status = key->source != NULL ? add_source(d, key, &source, error) : SCAN_SUCCESS;
  if (status == SCAN_SUCCESS) status = add_part(&source, key->file, error);
  options_for(d, key, source.options, sizeof source.options);
  if (status == SCAN_SUCCESS) status = build_or_load(d, key, &source, program, error);
  for (cl_uint i = 0; i < source.count; i++) free(source.owned[i]);
  return status;
}

/* ---- programs and kernels ---- */

/* Returns the list's entry for the kernel's program, built or not; NULL: no memory. */
static scan_program *place_of(scan_device *d, const scan_kernel_key *key) {
  scan_key wanted;
  scan_kernel_build_key(key, &wanted);
  return scan_program_of(&d->programs, &wanted, key->source);
}

static scan_status program_for(scan_device *d, const scan_kernel_key *key, cl_program *program, scan_error *error) {
  scan_program *found = place_of(d, key);
  if (found == NULL) return scan_fail(error, SCAN_OUT_OF_MEMORY, "no host memory for an OpenCL program");
  *program = found->object;
  if (*program != NULL) return SCAN_SUCCESS;
  const scan_status status = program_build(d, key, program, error);
  if (status == SCAN_SUCCESS) found->object = *program;
  return status;
}

scan_status scan_opencl_kernel_create(scan_device *d, const scan_kernel_key *key, scan_kernel **result,
                                      scan_error *error) {
  cl_int made;
  scan_kernel *kernel = calloc(1, sizeof *kernel);
  if (kernel == NULL) return scan_fail(error, SCAN_OUT_OF_MEMORY, "no host memory for a kernel");
  scan_arguments_for(key, &kernel->arguments);
  scan_status status = program_for(d, key, &kernel->program, error);
  if (status == SCAN_SUCCESS) { /* the name that KERNEL of kernels_cl/lib/dialect.h makes */
    snprintf(kernel->name, sizeof kernel->name, "scanrt_%s", key->kernel);
    kernel->kernel = d->api->clCreateKernel(kernel->program, kernel->name, &made);
    if (made != CL_SUCCESS) status = scan_opencl_fail(error, "clCreateKernel", made);
  }
  if (status != SCAN_SUCCESS) {
    free(kernel);
    return status;
  }
  *result = kernel;
  return SCAN_SUCCESS;
}

scan_status scan_opencl_kernel_match_pointers(const scan_device *d, scan_kernel *kernel, uint32_t pointers,
                                              scan_error *error) {
  cl_int made = CL_SUCCESS;
  if (kernel->pointers == pointers) return SCAN_SUCCESS;
  cl_kernel other = d->api->clCreateKernel(kernel->program, kernel->name, &made);
  OPENCL_TRY(error, "clCreateKernel", made);
  (void)d->api->clReleaseKernel(kernel->kernel); /* enqueued launches keep it alive */
  kernel->kernel = other;
  kernel->pointers = pointers;
  return SCAN_SUCCESS;
}

/* ---- several programs at once ---- */

enum { MOST_AHEAD = 16 };

/* Programs to build in parallel, each by one thread. */
typedef struct programs_ahead {
  scan_device *device;
  int count;
  struct {
    const scan_kernel_key *key;
    scan_program *program;
  } of[MOST_AHEAD];
} programs_ahead;

static void add_ahead(programs_ahead *ahead, const scan_kernel_key *key) {
  scan_program *program = place_of(ahead->device, key);
  if (program == NULL || program->object != NULL || ahead->count == MOST_AHEAD) return;
  for (int i = 0; i < ahead->count; i++)
    if (ahead->of[i].program == program) return; /* two kernels of one program */
  ahead->of[ahead->count].key = key;
  ahead->of[ahead->count++].program = program;
}

static void build_one(void *tasks, int i) {
  const programs_ahead *ahead = tasks;
  scan_error ignored; /* kernel_create finds no program, builds again and words the fault */
  cl_program program = NULL;
  if (program_build(ahead->device, ahead->of[i].key, &program, &ignored) == SCAN_SUCCESS)
    ahead->of[i].program->object = program;
}

/* Builds the last keys first: the kernels for the largest n come last and take longest. */
void scan_opencl_kernels_prepare(scan_device *d, const scan_kernel_key *keys, int count) {
  programs_ahead ahead = { .device = d };
  if (d->tuning.build_threads < 2) return;
  for (int i = count - 1; i >= 0; i--) add_ahead(&ahead, &keys[i]);
  scan_parallel_for(ahead.count, d->tuning.build_threads, build_one, &ahead);
}
