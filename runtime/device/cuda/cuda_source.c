/* SPDX-License-Identifier: BSD-2-Clause */
#include "device/cuda/cuda_source.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "device/cuda/cuda_program.h"
#include "device/cuda/nvrtc_api.h"
#include "device/program_cache.h"
#include "device/source.h"

/* A file's kernels, with all that they include. */
static const char *kernels_of(const scan_kernel_key *key) {
  char name[64];
  snprintf(name, sizeof name, "cuda/%s", key->file);
  return scan_cuda_text(name);
}

/* ---- NVRTC ---- */

/* The newest architecture up to the device's; 0 where there is none. */
static int newest_architecture(const nvrtc_api *api, uint32_t capability) {
  int count = 0, best = 0;
  if (api->arch_count(&count) != 0 || count <= 0) return 0;
  int *all = calloc((size_t)count, sizeof *all);
  if (all != NULL && api->archs(all) == 0)
    for (int i = 0; i < count; i++)
      if (all[i] <= (int)capability && all[i] > best) best = all[i];
  free(all);
  return best;
}

static scan_status nvrtc_fail(const nvrtc_api *api, const char *call, nvrtc_result result, scan_error *error) {
  return scan_fail(error, SCAN_BUILD_FAILED, "%s failed: %s", call, api->error_text(result));
}

static scan_status build_failed(const nvrtc_api *api, nvrtc_program program, const scan_kernel_key *key,
                                nvrtc_result result, scan_error *error) {
  size_t bytes = 0;
  char *log = NULL;
  if (api->log_bytes(program, &bytes) == 0 && bytes > 0) log = calloc(bytes + 1, 1);
  if (log != NULL && api->log(program, log) != 0) log[0] = '\0';
  const scan_status status = scan_fail(
      error, SCAN_BUILD_FAILED, "nvrtcCompileProgram failed: %s for %s (operator %s of %s, from source): %.1600s",
      api->error_text(result), key->file, key->source->combine, key->source->type,
      log != NULL && log[0] != '\0' ? log : "the compiler said nothing");
  free(log);
  return status;
}

static scan_status take_image(const nvrtc_api *api, nvrtc_program program, int is_cubin, char **image,
                              size_t *image_bytes, scan_error *error) {
  size_t bytes = 0;
  nvrtc_result result = is_cubin ? api->cubin_bytes(program, &bytes) : api->ptx_bytes(program, &bytes);
  if (result != 0) return nvrtc_fail(api, is_cubin ? "nvrtcGetCUBINSize" : "nvrtcGetPTXSize", result, error);
  char *taken = malloc(bytes);
  if (taken == NULL) return scan_fail(error, SCAN_OUT_OF_MEMORY, "no host memory for a CUDA image");
  result = is_cubin ? api->cubin(program, taken) : api->ptx(program, taken);
  if (result != 0) {
    free(taken);
    return nvrtc_fail(api, is_cubin ? "nvrtcGetCUBIN" : "nvrtcGetPTX", result, error);
  }
  *image = taken;
  *image_bytes = bytes;
  return SCAN_SUCCESS;
}

enum { TARGET_BYTES = 48, OPTIONS = 4 };

/* The options that follow the target. */
static const char *const fixed_options[OPTIONS - 1] = { "--std=c++17", "--fmad=false",
                                                        "--device-as-default-execution-space" };

static scan_status compile(const nvrtc_api *api, nvrtc_program program, const scan_kernel_key *key, const char *target,
                           scan_error *error) {
  const char *options[OPTIONS] = { target };
  memcpy(options + 1, fixed_options, sizeof fixed_options);
  scan_log(SCAN_LOG_DEBUG, "compiling %s for operator %s with %s", key->file, key->source->combine, target);
  const nvrtc_result result = api->compile(program, OPTIONS, options);
  return result == 0 ? SCAN_SUCCESS : build_failed(api, program, key, result, error);
}

/* From the text to the image. */
static scan_status build(const nvrtc_api *api, const scan_kernel_key *key, const char *text, const char *target,
                         int is_cubin, char **image, size_t *image_bytes, scan_error *error) {
  const char *kernels = kernels_of(key);
  nvrtc_program program = NULL;
  if (kernels == NULL)
    return scan_fail(error, SCAN_BUILD_FAILED, "internal: the library holds no kernel text %s", key->file);
  const nvrtc_result result = api->create(&program, text, "scanrt", 1, &kernels, &key->file);
  if (result != 0) return nvrtc_fail(api, "nvrtcCreateProgram", result, error);
  scan_status status = compile(api, program, key, target, error);
  if (status == SCAN_SUCCESS) status = take_image(api, program, is_cubin, image, image_bytes, error);
  (void)api->destroy(&program);
  return status;
}

/* ---- images on disk ---- */

/* What an image depends on: NVRTC, its options, the text, and the kernels that it includes, those by a hash. */
static int cache_key(const nvrtc_api *api, const char *included, const char *text, const char *target,
                     program_cache_key *key) {
  char version[32], kernels[40];
  int major = 0, minor = 0;
  program_cache_hash hash = scan_program_cache_hash_start();
  *key = (program_cache_key){ 0 };
  if (!scan_program_cache_enabled() || included == NULL || api->version(&major, &minor) != 0) return 0;
  scan_program_cache_hash_add(&hash, included, strlen(included) + 1);
  snprintf(version, sizeof version, "%d.%d", major, minor);
  snprintf(kernels, sizeof kernels, "%016llx%016llx", (unsigned long long)hash.high, (unsigned long long)hash.low);
  const program_cache_part parts[] = {
    program_cache_text("scanrt", scan_version()),   program_cache_text("NVRTC", version),
    program_cache_text("kernels", kernels),         program_cache_text("target", target),
    program_cache_text("option", fixed_options[0]), program_cache_text("option", fixed_options[1]),
    program_cache_text("option", fixed_options[2]), program_cache_text("source", text)
  };
  return scan_program_cache_key_make(parts, sizeof parts / sizeof parts[0], key);
}

static scan_status load_or_build(const nvrtc_api *api, const scan_kernel_key *key, const char *text, const char *target,
                                 int is_cubin, char **image, size_t *image_bytes, scan_error *error) {
  program_cache_key kept;
  const int is_kept = cache_key(api, kernels_of(key), text, target, &kept);
  *image = is_kept ? scan_program_cache_load(&kept, image_bytes) : NULL;
  scan_status status = SCAN_SUCCESS;
  if (*image == NULL) {
    status = build(api, key, text, target, is_cubin, image, image_bytes, error);
    if (is_kept && status == SCAN_SUCCESS) scan_program_cache_store(&kept, *image, *image_bytes);
  }
  scan_program_cache_key_free(&kept);
  return status;
}

/* What was asked for, in words. */
enum { FEATURE_BYTES = 192 };
static const char *feature_of(const scan_kernel_key *key, char feature[FEATURE_BYTES]) {
  static const char *const marks[] = { "", " in segments by flags", " in segments by bits or offsets",
                                       " in segments by keys of " };
  const uint32_t from_init = SCAN_KERNEL_INCLUSIVE | SCAN_KERNEL_SEED;
  if (!key->source->is_lifted)
    snprintf(feature, FEATURE_BYTES, "the operator %s", key->source->combine);
  else
    snprintf(feature, FEATURE_BYTES, "%s%s%s%s%s%s", key->source->label, marks[key->segments],
             key->segments == SCAN_SEGMENTS_KEYS ? scan_type_name(key->key_type) : "",
             key->flags == from_init ? ", inclusive from an initial value," : "",
             key->checks ? " with SCAN_CHECK_OVERFLOW" : "", key->steps ? ", backward or along strides," : "");
  return feature;
}

scan_status scan_cuda_source_compile(const scan_kernel_key *key, uint32_t capability, uint32_t tuned_image,
                                     char **image, size_t *image_bytes, scan_error *error) {
  char note[256], target[TARGET_BYTES], feature[FEATURE_BYTES];
  const nvrtc_api *api = scan_nvrtc_api_get(note, sizeof note);
  if (api == NULL)
    return scan_fail(
        error, SCAN_UNSUPPORTED,
        "%s needs NVRTC on CUDA, and %s; install the CUDA toolkit's libnvrtc, or name it in $SCANRT_LIBNVRTC",
        feature_of(key, feature), note);
  const int architecture = newest_architecture(api, capability), is_cubin = architecture == (int)capability;
  if (architecture == 0)
    return scan_fail(error, SCAN_UNSUPPORTED, "NVRTC compiles for no architecture up to compute capability %u.%u",
                     capability / 10, capability % 10);
  snprintf(target, sizeof target, "--gpu-architecture=%s_%d", is_cubin ? "sm" : "compute", architecture);
  char *text = scan_cuda_program(key, tuned_image);
  if (text == NULL) return scan_fail(error, SCAN_OUT_OF_MEMORY, "no host memory for the text of an operator");
  const scan_status status = load_or_build(api, key, text, target, is_cubin, image, image_bytes, error);
  free(text);
  return status;
}
