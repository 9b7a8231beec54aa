/* SPDX-License-Identifier: BSD-2-Clause */
#include "device/cuda/cuda_kernels.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/embedded.h"
#include "base/log.h"
#include "device/cuda/cuda_background.h"
#include "device/cuda/cuda_catalogue.h"
#include "device/cuda/cuda_compile_parallel.h"
#include "device/cuda/cuda_program.h"
#include "device/cuda/cuda_source.h"
#include "device/cuda/nvrtc_api.h"
#include "device/source.h"

/* ---- programs: called between enter and leave ---- */

static scan_status cuda_load(scan_device *d, const void *image, scan_program *module, scan_error *error) {
  cuda_module loaded = NULL;
  CUDA_TRY(d->cuda.api, error, "cuModuleLoadData", d->cuda.api->module_load(&loaded, image));
  module->object = loaded;
  return SCAN_SUCCESS;
}

static scan_status compile_program(scan_device *d, const scan_kernel_key *key, scan_program *module,
                                   scan_error *error) {
  size_t bytes;
  scan_status status = SCAN_SUCCESS;
  if (module->image == NULL) (void)scan_cuda_background_take(d->background, module, 1);
  if (module->image == NULL)
    status = scan_cuda_source_compile(key, d->capability, d->image, &module->image, &bytes, error);
  if (status == SCAN_SUCCESS) status = cuda_load(d, module->image, module, error);
  free(module->image);
  module->image = NULL;
  return status;
}

/* Returns the device's program for a kernel of an operator from source; NULL: no memory. */
static scan_program *source_program(scan_device *d, const scan_kernel_key *key) {
  scan_key wanted;
  scan_kernel_build_key(key, &wanted);
  return scan_program_of(&d->modules, &wanted, key->source);
}

/* Finds the module that has the kernel: an image of the catalogue, or one compiled for an operator from source. Loads
 * it at its first use. */
static scan_status module_for(scan_device *d, const scan_kernel_key *key, cuda_instance *instance, cuda_module *module,
                              scan_error *error) {
  const int is_there = scan_cuda_catalogue_find(key, d->image, instance);
  scan_program *found;
  if (is_there) {
    scan_key wanted;
    scan_key_start(&wanted);
    scan_key_add_number(&wanted, (uintptr_t)instance->image);
    found = scan_program_of(&d->modules, &wanted, NULL);
  } else if (key->source != NULL) {
    found = source_program(d, key);
    snprintf(instance->name, sizeof instance->name, "%s" CUDA_SOURCE_SUFFIX, key->kernel);
  } else {
    return scan_fail(error, SCAN_BUILD_FAILED, "internal: the library holds no CUDA image for %s to %s",
                     scan_type_name(key->input_type), scan_type_name(key->type));
  }
  if (found == NULL) return scan_fail(error, SCAN_OUT_OF_MEMORY, "no host memory for a CUDA module");
  scan_status status = SCAN_SUCCESS;
  if (found->object == NULL)
    status = is_there ? cuda_load(d, instance->image->bytes, found, error) : compile_program(d, key, found, error);
  *module = found->object;
  return status;
}

/* 1 if the key's program must be compiled. */
static int is_from_source(const scan_device *d, const scan_kernel_key *key) {
  cuda_instance instance;
  return key->source != NULL && !scan_cuda_catalogue_find(key, d->image, &instance);
}

/* Compiles the last keys first: the kernels for the largest n come last and take longest. */
void scan_cuda_kernels_prepare(scan_device *d, const scan_kernel_key *keys, int count) {
  cuda_compile_ahead ahead = { .capability = d->capability, .tuned_image = d->image };
  for (int i = count - 1; i >= 0; i--) {
    if (!is_from_source(d, &keys[i])) continue;
    scan_program *program = source_program(d, &keys[i]);
    if (program != NULL && program->object == NULL && !scan_cuda_background_has(d->background, program))
      scan_cuda_compile_ahead_add(&ahead, &keys[i], &program->image);
  }
  scan_cuda_compile_ahead_run(&ahead);
}

/* ---- kernels ---- */

/* Raises a function's limit of dynamic shared memory to `bytes`. Does not lower it, because kernels of other plans are
 * the same function. */
static scan_status allow_shared_bytes(const cuda_api *api, cuda_function function, uint32_t bytes, scan_error *error) {
  enum { ATTRIBUTE = CUDA_FUNCTION_ATTRIBUTE_MAX_DYNAMIC_SHARED_BYTES };
  int most = 0;
  CUDA_TRY(api, error, "cuFuncGetAttribute", api->function_attribute(&most, ATTRIBUTE, function));
  if ((int64_t)most >= bytes) return SCAN_SUCCESS;
  CUDA_TRY(api, error, "cuFuncSetAttribute", api->function_set_attribute(function, ATTRIBUTE, (int)bytes));
  return SCAN_SUCCESS;
}

static scan_status find_function(scan_device *d, const scan_kernel_key *key, scan_kernel *kernel, scan_error *error) {
  const cuda_api *api = d->cuda.api;
  cuda_module module = NULL;
  cuda_instance instance;
  const scan_status status = module_for(d, key, &instance, &module, error);
  if (status != SCAN_SUCCESS) return status;
  const cuda_result found = api->module_function(&kernel->function, module, instance.name);
  if (found == CUDA_NOT_FOUND)
    return scan_fail(error, SCAN_BUILD_FAILED, "internal: the CUDA image has no kernel %s", instance.name);
  CUDA_TRY(api, error, "cuModuleGetFunction", found);
  SCAN_TRY(allow_shared_bytes(api, kernel->function, key->local_bytes, error));
  if (key->is_cluster)
    CUDA_TRY(api, error, "cuFuncSetAttribute",
             api->function_set_attribute(kernel->function, CUDA_FUNCTION_ATTRIBUTE_NON_PORTABLE_CLUSTER, 1));
  kernel->local_bytes = key->local_bytes;
  kernel->flags = instance.flags;
  kernel->flip = instance.flip;
  return SCAN_SUCCESS;
}

/* Creates a kernel by calls of the given kind. */
static scan_status create(scan_device *d, const scan_kernel_key *key, cuda_manner manner, scan_kernel **result,
                          scan_error *error) {
  scan_kernel *kernel = calloc(1, sizeof *kernel);
  if (kernel == NULL) return scan_fail(error, SCAN_OUT_OF_MEMORY, "no host memory for a kernel");
  scan_arguments_for(key, &kernel->arguments);
  cuda_visit visit;
  scan_status status = scan_cuda_enter(&d->cuda, manner, &visit, error);
  if (status == SCAN_SUCCESS) {
    status = find_function(d, key, kernel, error);
    scan_cuda_exit(&d->cuda, &visit);
  }
  if (status != SCAN_SUCCESS) {
    free(kernel);
    return status;
  }
  *result = kernel;
  return SCAN_SUCCESS;
}

scan_status scan_cuda_kernel_create(scan_device *d, const scan_kernel_key *key, scan_kernel **result,
                                    scan_error *error) {
  return create(d, key, CUDA_ACTS, result, error);
}

int scan_cuda_has_kernel(const scan_kernel_key *key) {
  cuda_instance instance;
  return scan_cuda_catalogue_find(key, 0, &instance);
}

int scan_cuda_is_compiled(const scan_device *d, const scan_kernel_key *key) {
  cuda_instance instance;
  return scan_cuda_catalogue_find(key, d->image, &instance);
}

int scan_cuda_has_compiler(void) {
  char note[256];
  return scan_nvrtc_api_get(note, sizeof note) != NULL;
}

void scan_cuda_kernel_destroy(scan_device *d, scan_kernel *kernel) {
  (void)d;
  free(kernel);
}

/* ---- compiling in the background ---- */

int scan_cuda_kernels_are_kept(scan_device *d, const scan_kernel_key *keys, int count) {
  for (int i = 0; i < count; i++) {
    if (!is_from_source(d, &keys[i])) continue;
    scan_program *program = source_program(d, &keys[i]);
    if (program == NULL || scan_cuda_background_has(d->background, program)) return 0;
    if (program->object != NULL || program->image != NULL) continue;
    program->image = scan_cuda_source_load(&keys[i], d->capability, d->image);
    if (program->image == NULL) return 0;
  }
  return 1;
}

static int is_listed(const cuda_programs *programs, const scan_program *program) {
  for (int i = 0; i < programs->count; i++)
    if (programs->of[i].program == program) return 1;
  return 0;
}

int scan_cuda_kernels_begin(scan_device *d, const scan_kernel_key *keys, int count) {
  cuda_programs missing = { .capability = d->capability, .tuned_image = d->image };
  for (int i = 0; i < count && missing.count < CUDA_MOST_BACKGROUND; i++) {
    if (!is_from_source(d, &keys[i])) continue;
    scan_program *program = source_program(d, &keys[i]);
    if (program == NULL || program->object != NULL || program->image != NULL || is_listed(&missing, program) ||
        scan_cuda_background_has(d->background, program))
      continue;
    missing.of[missing.count].key = keys[i];
    missing.of[missing.count++].program = program;
  }
  return missing.count == 0 || scan_cuda_background_begin(&d->background, &missing);
}

static int is_captured(const scan_device *d) {
  int capture = CUDA_CAPTURE_NONE;
  cuda_visit visit;
  scan_error ignored;
  if (scan_cuda_enter(&d->cuda, CUDA_ALWAYS, &visit, &ignored) != SCAN_SUCCESS) return 0;
  const cuda_result result = d->cuda.api->stream_capturing(d->cuda.stream, &capture);
  scan_cuda_exit(&d->cuda, &visit);
  return result == CUDA_OK && capture != CUDA_CAPTURE_NONE;
}

/* Takes the images of programs that scan_cuda_kernels_begin has listed; those of the catalogue are not in the list. */
static scan_compile_state take_images(scan_device *d, const scan_kernel_key *keys, int count, int waits) {
  for (int i = 0; i < count; i++) {
    scan_key wanted;
    scan_kernel_build_key(&keys[i], &wanted);
    scan_program *program = scan_program_find(d->modules, &wanted);
    if (program == NULL || program->object != NULL || program->image != NULL) continue;
    const scan_compile_state state = scan_cuda_background_take(d->background, program, waits);
    if (state != SCAN_COMPILE_DONE) return state;
  }
  return SCAN_COMPILE_DONE;
}

scan_compile_state scan_cuda_kernels_take(scan_device *d, const scan_kernel_key *keys, int count,
                                          scan_kernel **kernels) {
  scan_error error;
  scan_kernel *made[CUDA_MOST_BACKGROUND];
  int created = 0;
  const scan_compile_state state = take_images(d, keys, count, is_captured(d));
  if (state != SCAN_COMPILE_DONE) return state;
  while (created < count && create(d, &keys[created], CUDA_ALWAYS, &made[created], &error) == SCAN_SUCCESS) created++;
  if (created == count) {
    memcpy(kernels, made, (size_t)count * sizeof made[0]);
    return SCAN_COMPILE_DONE;
  }
  scan_log(SCAN_LOG_INFO, "kernels compiled in the background are not used: %s", error.text);
  while (created > 0) scan_cuda_kernel_destroy(d, made[--created]);
  return SCAN_COMPILE_FAILED;
}
