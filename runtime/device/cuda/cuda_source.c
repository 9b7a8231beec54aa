/* SPDX-License-Identifier: BSD-2-Clause */
#include "device/cuda/cuda_source.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/embedded.h"
#include "base/log.h"
#include "device/cuda/cuda_program.h"
#include "device/cuda/nvrtc_api.h"
#include "device/program_claim.h"
#include "device/source.h"

enum { TARGET_BYTES = 48, FIXED_OPTIONS = 3, MOST_OPTIONS = FIXED_OPTIONS + 2 };

/* The options after the target. */
static const char *const fixed_options[FIXED_OPTIONS] = { "--std=c++17", "--fmad=false",
                                                          "--device-as-default-execution-space" };

/* The option of quick kernels, and the first version of NVRTC that has it. NVRTC 13.0 then compiles rolled.cl of a
 * float in 0.10 s instead of 0.16, by flags in 0.13 instead of 0.22. */
static const char quick_option[] = "--Ofast-compile=mid";
enum { QUICK_SINCE = 1209 };

typedef struct compilation {
  const nvrtc_api *api;
  const scan_kernel_key *key;
  char *kernels;             /* text of the key's file, with all its includes */
  char *text;                /* text that includes `kernels` */
  char target[TARGET_BYTES]; /* the target option */
  int is_cubin;              /* 1: machine code; 0: PTX */
  int major, minor;          /* NVRTC's version */
  const char *options[MOST_OPTIONS];
  int option_count;
} compilation;

/* ---- NVRTC ---- */

/* Largest size of a log or image that is accepted from NVRTC. */
#define MOST_NVRTC_BYTES ((size_t)256 << 20)

static scan_status nvrtc_fail(const nvrtc_api *api, const char *call, nvrtc_result result, scan_error *error) {
  return scan_fail(error, SCAN_BUILD_FAILED, "%s failed: %s", call, api->error_text(result));
}

/* Finds the newest architecture that NVRTC knows up to the device's; 0 if there is none. */
static scan_status find_architecture(const nvrtc_api *api, uint32_t capability, int *best, scan_error *error) {
  int count = 0;
  *best = 0;
  nvrtc_result result = api->arch_count(&count);
  if (result != 0) return nvrtc_fail(api, "nvrtcGetNumSupportedArchs", result, error);
  if (count <= 0) return SCAN_SUCCESS;
  int *all = calloc((size_t)count, sizeof *all);
  if (all == NULL) return scan_fail(error, SCAN_OUT_OF_MEMORY, "no host memory for NVRTC's architectures");
  result = api->archs(all);
  for (int i = 0; result == 0 && i < count; i++)
    if (all[i] <= (int)capability && all[i] > *best) *best = all[i];
  free(all);
  return result == 0 ? SCAN_SUCCESS : nvrtc_fail(api, "nvrtcGetSupportedArchs", result, error);
}

static scan_status build_failed(const compilation *c, nvrtc_program program, nvrtc_result result, scan_error *error) {
  size_t bytes = 0;
  char *log = NULL;
  if (c->api->log_bytes(program, &bytes) == 0 && bytes > 0 && bytes <= MOST_NVRTC_BYTES) log = calloc(bytes + 1, 1);
  if (log != NULL && c->api->log(program, log) != 0) log[0] = '\0';
  const scan_status status = scan_fail(
      error, SCAN_BUILD_FAILED, "nvrtcCompileProgram failed: %s for %s (operator %s of %s, from source): %.1600s",
      c->api->error_text(result), c->key->file, c->key->source->combine, c->key->source->type,
      log != NULL && log[0] != '\0' ? log : "the compiler said nothing");
  free(log);
  return status;
}

static scan_status read_image(const compilation *c, nvrtc_program program, char **image, size_t *image_bytes,
                              scan_error *error) {
  const nvrtc_api *api = c->api;
  nvrtc_result result = (c->is_cubin ? api->cubin_bytes : api->ptx_bytes)(program, image_bytes);
  if (result != 0) return nvrtc_fail(api, c->is_cubin ? "nvrtcGetCUBINSize" : "nvrtcGetPTXSize", result, error);
  if (*image_bytes == 0 || *image_bytes > MOST_NVRTC_BYTES)
    return scan_fail(error, SCAN_BUILD_FAILED, "NVRTC says that an image has %zu bytes", *image_bytes);
  char *taken = calloc(*image_bytes + 1, 1); /* PTX is a text; the extra byte ends it */
  if (taken == NULL) return scan_fail(error, SCAN_OUT_OF_MEMORY, "no host memory for a CUDA image");
  result = (c->is_cubin ? api->cubin : api->ptx)(program, taken);
  if (result != 0) {
    free(taken);
    return nvrtc_fail(api, c->is_cubin ? "nvrtcGetCUBIN" : "nvrtcGetPTX", result, error);
  }
  *image = taken;
  return SCAN_SUCCESS;
}

static scan_status image_build(const compilation *c, char **image, size_t *image_bytes, scan_error *error) {
  const scan_kernel_key *key = c->key;
  nvrtc_program program = NULL;
  const char *const headers[] = { c->kernels };
  nvrtc_result result = c->api->create(&program, c->text, "scanrt", 1, headers, &key->file);
  if (result != 0) return nvrtc_fail(c->api, "nvrtcCreateProgram", result, error);
  scan_log(SCAN_LOG_DEBUG, "compiling %s for operator %s with %s", key->file, key->source->combine, c->target);
  result = c->api->compile(program, c->option_count, c->options);
  const scan_status status =
      result == 0 ? read_image(c, program, image, image_bytes, error) : build_failed(c, program, result, error);
  (void)c->api->destroy(&program);
  return status;
}

/* ---- images on disk ---- */

/* Makes the key of an image: NVRTC's version, the options, the text, and a hash of the kernels that it includes. */
static int cache_key(const compilation *c, program_cache_key *key) {
  enum { PARTS = 4 };
  char version[32], kernels[40];
  program_cache_hash hash = scan_program_cache_hash_start();
  *key = (program_cache_key){ 0 };
  if (!scan_program_cache_enabled() || c->major == 0) return 0;
  scan_program_cache_hash_add(&hash, c->kernels, strlen(c->kernels) + 1);
  snprintf(version, sizeof version, "%d.%d", c->major, c->minor);
  snprintf(kernels, sizeof kernels, "%016llx%016llx", (unsigned long long)hash.high, (unsigned long long)hash.low);
  program_cache_part parts[PARTS + MOST_OPTIONS] = { program_cache_text("scanrt", scan_version()),
                                                     program_cache_text("NVRTC", version),
                                                     program_cache_text("kernels", kernels),
                                                     program_cache_text("source", c->text) };
  for (int i = 0; i < c->option_count; i++) parts[PARTS + i] = program_cache_text("option", c->options[i]);
  return scan_program_cache_key_make(parts, PARTS + (size_t)c->option_count, key);
}

static scan_status load_or_build(const compilation *c, char **image, size_t *image_bytes, scan_error *error) {
  program_cache_key kept;
  program_claim claim = { .name = "" };
  const int is_kept = cache_key(c, &kept);
  *image = is_kept ? scan_program_claim_load(&kept, image_bytes, &claim) : NULL;
  scan_status status = SCAN_SUCCESS;
  if (*image == NULL) {
    status = image_build(c, image, image_bytes, error);
    if (is_kept && status == SCAN_SUCCESS) scan_program_cache_store(&kept, *image, *image_bytes);
  }
  scan_program_claim_release(&claim);
  scan_program_cache_key_free(&kept);
  return status;
}

/* Writes the requested feature in words. */
enum { FEATURE_BYTES = 192 };
static const char *feature_of(const scan_kernel_key *key, char feature[FEATURE_BYTES]) {
  static const char *const marks[] = { "", " in segments by flags", " in segments by bits or offsets",
                                       " in segments by keys of " };
  const uint32_t from_init = SCAN_KERNEL_INCLUSIVE | SCAN_KERNEL_SEED;
  if (!key->source->is_builtin)
    snprintf(feature, FEATURE_BYTES, "the operator %s", key->source->combine);
  else
    snprintf(feature, FEATURE_BYTES, "%s%s%s%s%s%s", key->source->label, marks[key->segments],
             key->segments == SCAN_SEGMENTS_KEYS ? scan_type_name(key->key_type) : "",
             key->flags == from_init ? ", inclusive from an initial value," : "",
             key->checks ? " with SCAN_CHECK_OVERFLOW" : "",
             key->steps     ? ", backward or along strides,"
             : key->reads_n ? " with n in memory"
                            : "");
  return feature;
}

/* ---- compilations ---- */

static void set_options(compilation *c) {
  c->options[0] = c->target;
  memcpy(c->options + 1, fixed_options, sizeof fixed_options);
  c->option_count = 1 + FIXED_OPTIONS;
  if (c->api->version(&c->major, &c->minor) != 0) c->major = c->minor = 0;
  if (c->key->is_quick && c->major * 100 + c->minor >= QUICK_SINCE) c->options[c->option_count++] = quick_option;
}

static void compilation_end(compilation *c) {
  free(c->kernels);
  free(c->text);
}

/* Makes the texts and the options. After a failure, too, compilation_end follows. */
static scan_status compilation_begin(compilation *c, uint32_t capability, uint32_t tuned_image, scan_error *error) {
  char note[256], feature[FEATURE_BYTES], file[64];
  int architecture = 0;
  c->api = scan_nvrtc_api_get(note, sizeof note);
  if (c->api == NULL)
    return scan_fail(
        error, SCAN_UNSUPPORTED,
        "%s needs NVRTC on CUDA, and %s; install the CUDA toolkit's libnvrtc, or name it in $SCANRT_LIBNVRTC",
        feature_of(c->key, feature), note);
  SCAN_TRY(find_architecture(c->api, capability, &architecture, error));
  if (architecture == 0)
    return scan_fail(error, SCAN_UNSUPPORTED, "NVRTC compiles for no architecture up to compute capability %u.%u",
                     capability / 10, capability % 10);
  c->is_cubin = architecture == (int)capability;
  snprintf(c->target, sizeof c->target, "--gpu-architecture=%s_%d", c->is_cubin ? "sm" : "compute", architecture);
  set_options(c);
  snprintf(file, sizeof file, "cuda/%s", c->key->file);
  c->kernels = scan_kernel_text(file);
  c->text = scan_cuda_program(c->key, tuned_image);
  if (c->kernels == NULL || c->text == NULL)
    return scan_fail(error, SCAN_OUT_OF_MEMORY, "no host memory for the text of an operator");
  return SCAN_SUCCESS;
}

scan_status scan_cuda_source_compile(const scan_kernel_key *key, uint32_t capability, uint32_t tuned_image,
                                     char **image, size_t *image_bytes, scan_error *error) {
  compilation c = { .key = key };
  scan_status status = compilation_begin(&c, capability, tuned_image, error);
  if (status == SCAN_SUCCESS) status = load_or_build(&c, image, image_bytes, error);
  compilation_end(&c);
  return status;
}

char *scan_cuda_source_load(const scan_kernel_key *key, uint32_t capability, uint32_t tuned_image) {
  compilation c = { .key = key };
  program_cache_key kept;
  scan_error ignored;
  char *image = NULL;
  size_t bytes;
  if (scan_program_cache_enabled() && compilation_begin(&c, capability, tuned_image, &ignored) == SCAN_SUCCESS) {
    if (cache_key(&c, &kept)) image = scan_program_cache_load(&kept, &bytes);
    scan_program_cache_key_free(&kept);
  }
  compilation_end(&c);
  return image;
}
