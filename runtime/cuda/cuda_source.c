/* SPDX-License-Identifier: BSD-2-Clause */
#include "cuda_source.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "embedded.h"
#include "log.h"
#include "nvrtc_api.h"
#include "source.h"

/* ---- the program ---- */

/* What the program includes: the name there, and the embedded text's. */
static const struct {
  const char *name, *text;
} headers[] = {
  { "dialect.h", "kernels_cu/dialect.h" },
  { "tuning.h", "runtime/tuning.h" },
  { "source_close.h", "kernels_cu/source_close.h" },
  { "value_source.h", "value_source.h" },
  { "tile.h", "tile.h" },
  { "segments_source.h", "segments_source.h" },
  { "overflow_source.h", "overflow_source.h" },
  { "element_source.h", "element_source.h" },
  { "vector_source.h", "vector_source.h" },
  { "tile_group.h", "tile_group.h" },
  { "descriptor_packed.h", "descriptor_packed.h" },
  { "descriptor_source.h", "descriptor_source.h" },
  { "descriptor.h", "descriptor.h" },
  { "lookback_group.h", "lookback_group.h" },
  { "schedules.h", "schedules.h" },
  { "lookback.cl", "lookback.cl" },
  { "pipelined.cuh", "kernels_cu/pipelined.cuh" },
  { "pipelined_look_back.cuh", "kernels_cu/pipelined_look_back.cuh" },
  { "pipelined_marks.cuh", "kernels_cu/pipelined_marks.cuh" },
  { "pipelined_shift.cuh", "kernels_cu/pipelined_shift.cuh" },
  { "reduce_then_scan.cl", "reduce_then_scan.cl" },
  { "block.cl", "block.cl" },
  { "sequential.cl", "sequential.cl" },
  { "layout.cl", "layout.cl" },
  { "heads.cl", "heads.cl" },
  { "lines.h", "lines.h" },
  { "rows_group.cl", "rows_group.cl" },
  { "lines_group.cl", "lines_group.cl" },
};
enum { HEADERS = sizeof headers / sizeof headers[0] };

static const struct scan_embedded_text *find_text(const char *name) {
  for (size_t i = 0; i < scan_kernel_text_count; i++)
    if (strcmp(scan_kernel_texts[i].name, name) == 0) return &scan_kernel_texts[i];
  return NULL;
}

/* The embedded texts end with a zero byte. */
static const char *text_of(const char *name) {
  const struct scan_embedded_text *text = find_text(name);
  return text != NULL ? (const char *)text->text : NULL;
}

/* SCAN_LOOKS_BACK: 0, 1 by a work-group, 2 by a warp. */
static int looks_back(const scan_kernel_key *key) {
  if (strcmp(key->file, "pipelined.cuh") == 0) return 2;
  return strcmp(key->file, "lookback.cl") == 0;
}

/* SCAN_LINES: whether it scans many lines. */
static int is_of_lines(const scan_kernel_key *key) {
  return strcmp(key->file, "rows_group.cl") == 0 || strcmp(key->file, "lines_group.cl") == 0;
}

/* The text in a namespace of its own, then the kernels. The caller frees it. */
static char *make_program(const scan_kernel_key *key, uint32_t image) {
  static const char form[] = "%s%s%s}\n"
                             "%s"
                             "#define SCAN_SUBTILES %u\n"
                             "#define SCAN_LOOKS_BACK %d\n"
                             "#define SCAN_LINES %d\n"
                             "#define SCAN_PIPE_IMAGE %u\n"
                             "#define SCAN_SOURCE_FILE \"%s\"\n"
                             "#line 1 \"scanrt\"\n"
                             "#include \"source_close.h\"\n";
  const scan_source *source = key->source;
  const char *open = text_of("kernels_cu/source_open.h");
  char defines[SCAN_SOURCE_DEFINES_BYTES];
  if (open == NULL) return NULL;
  scan_source_defines(key, defines);
  const size_t bytes = sizeof form + strlen(open) + strlen(source->text) + strlen(source->epilogue) + strlen(defines) +
                       strlen(key->file) + 48;
  char *program = malloc(bytes);
  if (program != NULL)
    snprintf(program, bytes, form, open, source->text, source->epilogue, defines, key->subtiles, looks_back(key),
             is_of_lines(key), image, key->file);
  return program;
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

static scan_status compile(const nvrtc_api *api, nvrtc_program program, const scan_kernel_key *key, int architecture,
                           int is_cubin, scan_error *error) {
  char target[48];
  snprintf(target, sizeof target, "--gpu-architecture=%s_%d", is_cubin ? "sm" : "compute", architecture);
  const char *const options[] = { target, "--std=c++17", "--fmad=false", "--device-as-default-execution-space" };
  scan_log(SCAN_LOG_DEBUG, "compiling %s for operator %s with %s", key->file, key->source->combine, target);
  const nvrtc_result result = api->compile(program, sizeof options / sizeof options[0], options);
  return result == 0 ? SCAN_SUCCESS : build_failed(api, program, key, result, error);
}

static scan_status create(const nvrtc_api *api, const scan_kernel_key *key, uint32_t image, nvrtc_program *program,
                          scan_error *error) {
  const char *texts[HEADERS], *names[HEADERS];
  for (int i = 0; i < HEADERS; i++) {
    names[i] = headers[i].name;
    texts[i] = text_of(headers[i].text);
    if (texts[i] == NULL)
      return scan_fail(error, SCAN_BUILD_FAILED, "internal: the library holds no kernel text %s", headers[i].text);
  }
  char *text = make_program(key, image);
  if (text == NULL) return scan_fail(error, SCAN_OUT_OF_MEMORY, "no host memory for the text of an operator");
  const nvrtc_result result = api->create(program, text, "scanrt", HEADERS, texts, names);
  free(text);
  return result == 0 ? SCAN_SUCCESS : nvrtc_fail(api, "nvrtcCreateProgram", result, error);
}

scan_status cuda_source_compile(const scan_kernel_key *key, uint32_t capability, uint32_t tuned_image, char **image,
                                size_t *image_bytes, scan_error *error) {
  char note[256];
  nvrtc_program program = NULL;
  const nvrtc_api *api = nvrtc_api_get(note, sizeof note);
  if (api == NULL)
    return scan_fail(
        error, SCAN_UNSUPPORTED,
        "operators from source need NVRTC on CUDA, and %s; install the CUDA toolkit's libnvrtc, or name it "
        "in $SCANRT_LIBNVRTC",
        note);
  const int architecture = newest_architecture(api, capability), is_cubin = architecture == (int)capability;
  if (architecture == 0)
    return scan_fail(error, SCAN_UNSUPPORTED, "NVRTC compiles for no architecture up to compute capability %u.%u",
                     capability / 10, capability % 10);
  scan_status status = create(api, key, tuned_image, &program, error);
  if (status != SCAN_SUCCESS) return status;
  status = compile(api, program, key, architecture, is_cubin, error);
  if (status == SCAN_SUCCESS) status = take_image(api, program, is_cubin, image, image_bytes, error);
  (void)api->destroy(&program);
  return status;
}
