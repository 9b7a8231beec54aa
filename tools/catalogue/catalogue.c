/* SPDX-License-Identifier: BSD-2-Clause */
/* usage: catalogue FOLDER ROW... [--lookback ROW...]
 *
 * The build runs it to write the catalogue of compiled instances for operators from source. A row is a name such as
 * u32_add_flags (tools/cmake/CudaCatalogue.cmake). The program creates the plans of each row's scans for an A100 and an
 * H100, on a backend that only notes which kernels they request: with every strategy, or for rows behind --lookback
 * with look-back alone and no flags built in. It writes FOLDER/<image>.cu, a unit for nvcc with these kernels' programs
 * as NVRTC would get them, and FOLDER/catalogue.c, the table by which the library finds them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <scanrt/scan_composite.h>
#include <scanrt/scan_reduce.h>

#include "base/embedded.h"
#include "base/process.h"
#include "core/plan.h"
#include "device/caps.h"
#include "device/cuda/cuda_program.h"
#include "device/program_cache.h"
#include "device/source_text.h"
#include "core/op.h"
#include "ops/scan/builtin_source.h"

/* Empty tables, which the library's objects need for linking. */
const struct scan_embedded_image scan_cuda_images[] = { { NULL, NULL, 0 } };
const size_t scan_cuda_image_count = 0;
const struct scan_catalogue_row scan_catalogue[] = { { 0, 0, NULL, 0 } };
const size_t scan_catalogue_count = 0;

static void die(const char *what, const char *which) {
  fprintf(stderr, "catalogue: %s: %s\n", which, what);
  exit(1);
}

/* ---- the kernels that plans request ---- */

enum { MOST_PROGRAMS = 1024, MOST_IMAGE_NAME = 64 };

typedef struct noted_program {
  char image[MOST_IMAGE_NAME];
  unsigned number; /* number among the programs of the image */
  char *operator_part, *kernels_part, *whole;
} noted_program;

static noted_program noted[MOST_PROGRAMS];
static size_t noted_count;

struct scan_device {
  const char *row;
  uint32_t tuned_image;
  int is_general; /* 1: look-back alone, for all flags */
};

static int is_noted(const char *whole) {
  for (size_t i = 0; i < noted_count; i++)
    if (strcmp(noted[i].whole, whole) == 0) return 1;
  return 0;
}

static unsigned programs_of(const char *image) {
  unsigned count = 0;
  for (size_t i = 0; i < noted_count; i++) count += strcmp(noted[i].image, image) == 0;
  return count;
}

/* Notes a requested program. The pipelined kernel is compiled for each architecture separately: its image for an
 * A100 is machine code for compute capability 8.0. Images of look-back alone are machine code for 8.0 and 9.0
 * (tools/cmake/CudaKernels.cmake). */
static scan_status catalogue_note(scan_device *d, const scan_kernel_key *asked, scan_kernel **kernel,
                                  scan_error *error) {
  scan_kernel_key general = *asked;
  const scan_kernel_key *key = d->is_general ? &general : asked;
  (void)error;
  *kernel = (scan_kernel *)d;
  general.flags_known = general.flags = 0;
  if (key->primitive != NULL) return SCAN_SUCCESS; /* in an image of its own */
  char *whole = key->source != NULL ? scan_cuda_program(key, d->tuned_image) : NULL;
  if (whole == NULL) die("asks for a kernel that is not from source", d->row);
  if (noted_count == MOST_PROGRAMS) die("too many programs", d->row);
  if (is_noted(whole)) {
    free(whole);
    return SCAN_SUCCESS;
  }
  noted_program *one = &noted[noted_count];
  const int is_pipelined = strcmp(key->file, "pipelined.cuh") == 0;
  const char *suffix = d->is_general ? "_lookback" : "";
  if (is_pipelined)
    snprintf(one->image, sizeof one->image, "source_%s_sm%u", d->row, d->tuned_image);
  else
    snprintf(one->image, sizeof one->image, "source_%s%s", d->row, suffix);
  one->number = programs_of(one->image);
  one->operator_part = scan_cuda_program_operator(key);
  one->kernels_part = scan_cuda_program_kernels(key, d->tuned_image);
  one->whole = whole;
  noted_count++;
  return SCAN_SUCCESS;
}

/* ---- the backend ---- */

static scan_status give_memory(scan_device *d, uint64_t bytes, void **handle, scan_error *error) {
  (void)bytes, (void)error;
  *handle = d;
  return SCAN_SUCCESS;
}

static scan_status take_memory(scan_device *d, void *handle, scan_error *error) {
  (void)d, (void)handle, (void)error;
  return SCAN_SUCCESS;
}

static scan_status fill_nothing(scan_device *d, scan_mem dst, uint8_t byte, uint64_t bytes, scan_error *error) {
  (void)d, (void)dst, (void)byte, (void)bytes, (void)error;
  return SCAN_SUCCESS;
}

static scan_status write_nothing(scan_device *d, scan_mem dst, const void *src, uint64_t bytes, scan_error *error) {
  (void)d, (void)dst, (void)src, (void)bytes, (void)error;
  return SCAN_SUCCESS;
}

static scan_status read_nothing(scan_device *d, scan_mem src, void *dst, uint64_t bytes, scan_error *error) {
  (void)d, (void)src, (void)error;
  memset(dst, 0, (size_t)bytes);
  return SCAN_SUCCESS;
}

static scan_status wait_for_nothing(scan_device *d, scan_error *error) {
  (void)d, (void)error;
  return SCAN_SUCCESS;
}

static void forget_kernel(scan_device *d, scan_kernel *kernel) { (void)d, (void)kernel; }
static void forget_source(scan_device *d, const struct scan_source *source) { (void)d, (void)source; }

static const scan_backend_ops backend = { .id = SCAN_BACKEND_CUDA,
                                          .memory = SCAN_MEM_CUDA,
                                          .alloc = give_memory,
                                          .free = take_memory,
                                          .fill = fill_nothing,
                                          .write = write_nothing,
                                          .read = read_nothing,
                                          .kernel_create = catalogue_note,
                                          .kernel_destroy = forget_kernel,
                                          .source_release = forget_source,
                                          .sync = wait_for_nothing };

/* Opens a context with the properties of an A100 or an H100, as their drivers report them. */
static scan_ctx open_device(scan_device *device, uint32_t capability) {
  scan_ctx ctx = { .magic = SCAN_CTX_MAGIC, .pid = scan_process_id(), .ops = &backend, .device = device };
  scan_device_info *info = &ctx.caps.info;
  info->backend = SCAN_BACKEND_CUDA;
  snprintf(info->selector, sizeof info->selector, "cuda:0");
  info->memory_bytes = info->max_alloc_bytes = UINT64_C(80) << 30;
  info->local_memory_bytes = 48 << 10;
  info->compute_units = capability >= 90 ? 132 : 108;
  info->max_group_items = 1024;
  info->has_fp64 = 1;
  info->facts.compute_capability = capability;
  info->facts.sub_group_items = 32;
  info->facts.local_memory_optin_bytes = (capability >= 90 ? 227u : 163u) << 10;
  scan_caps_derive(&ctx.caps, NULL);
  device->tuned_image = ctx.caps.tuning.image;
  return ctx;
}

/* ---- rows ---- */

/* Returns the type that a word of a row names. */
static scan_type type_named(const char *name) {
  for (int type = SCAN_I8; scan_type_name((scan_type)type) != NULL; type++)
    if (strcmp(scan_type_name((scan_type)type), name) == 0) return (scan_type)type;
  return SCAN_TYPE_DEFAULT;
}

static scan_op_id op_named(const char *name) {
  for (int op = SCAN_ADD; scan_op_name((scan_op_id)op) != NULL; op++)
    if (strcmp(scan_op_name((scan_op_id)op), name) == 0) return (scan_op_id)op;
  return SCAN_OP_NONE;
}

/* Plans one scan. A forced strategy may lack the kernel for it. */
static void plan_one(scan_ctx *ctx, const scan_spec *spec, const char *row) {
  scan_plan *plan = NULL;
  const scan_status status = scan_plan_create(ctx, spec, UINT64_C(1) << 30, &plan);
  if (status == SCAN_UNSUPPORTED && spec->strategy != SCAN_STRATEGY_AUTO) return;
  if (status != SCAN_SUCCESS) die(ctx->error.text, row);
  scan_plan_destroy(plan);
}

/* Plans scans of the spec's kind without an initial value, with every strategy or with look-back alone. */
static void plan_kind(scan_ctx *ctx, scan_spec spec, const char *row) {
  static const scan_strategy strategies[] = { SCAN_STRATEGY_AUTO, SCAN_STRATEGY_BLOCK, SCAN_STRATEGY_LOOKBACK,
                                              SCAN_STRATEGY_PIPELINED };
  for (size_t s = 0; s < sizeof strategies / sizeof strategies[0]; s++) {
    if (ctx->device->is_general && strategies[s] != SCAN_STRATEGY_LOOKBACK) continue;
    spec.strategy = strategies[s];
    plan_one(ctx, &spec, row);
  }
}

static void plan_row(scan_ctx *ctx, scan_spec spec, const char *row) {
  plan_kind(ctx, spec, row);
  spec.kind = SCAN_EXCLUSIVE;
  plan_kind(ctx, spec, row);
}

/* Plans the totals of segments by offsets. */
static void plan_totals(scan_ctx *ctx, scan_type type, scan_op_id op, const char *row) {
  const scan_spec spec = SCAN_SEGMENTED_REDUCE_INIT(SCAN_U32, type, op);
  scan_plan *plan = NULL;
  if (scan_plan_create_segmented_reduce(ctx, &spec, UINT64_C(1) << 30, &plan) != SCAN_SUCCESS)
    die(ctx->error.text, row);
  scan_plan_destroy(plan);
}

static void plan_composite(scan_ctx *ctx, scan_composite which, const char *row) {
  scan_spec spec = SCAN_SPEC_INIT(SCAN_TYPE_DEFAULT, SCAN_OP_NONE, SCAN_INCLUSIVE);
  if (scan_composite_create(ctx, which, &spec.custom_op) != SCAN_SUCCESS) die(ctx->error.text, row);
  plan_row(ctx, spec, row);
  scan_op_destroy(spec.custom_op);
}

/* Plans a row: <type>_<operator> with _flags, _bits (also for offsets, which become bits), _keys_<type>, _checked
 * (overflow) or _totals (of segments by offsets); with _inclusive or _exclusive for a single kind, which 16-bit floats
 * need; or the name of a composite. */
static void plan_all(scan_ctx *ctx, const char *row) {
  scan_composite which;
  if (scan_composite_parse(row, &which) == SCAN_SUCCESS) {
    plan_composite(ctx, which, row);
    return;
  }
  char type[8] = "", op[8] = "", marks[16] = "", key[8] = "";
  const int words = sscanf(row, "%7[^_]_%7[^_]_%15[^_]_%7s", type, op, marks, key);
  scan_spec spec = SCAN_SPEC_INIT(type_named(type), op_named(op), SCAN_INCLUSIVE);
  if (spec.type == SCAN_TYPE_DEFAULT || spec.op == SCAN_OP_NONE) die("no type, or no operator", row);
  if (words == 3 && strcmp(marks, "flags") == 0) {
    spec.segments = SCAN_SEGMENTS_FLAGS;
    plan_row(ctx, spec, row);
  } else if (words == 3 && strcmp(marks, "bits") == 0) {
    spec.segments = SCAN_SEGMENTS_BITS;
    plan_row(ctx, spec, row);
  } else if (words == 4 && strcmp(marks, "keys") == 0 && type_named(key) != SCAN_TYPE_DEFAULT) {
    spec.segments = SCAN_SEGMENTS_KEYS;
    spec.key_type = type_named(key);
    plan_row(ctx, spec, row);
  } else if (words == 3 && strcmp(marks, "checked") == 0) {
    spec.flags = SCAN_CHECK_OVERFLOW;
    plan_row(ctx, spec, row);
  } else if (words == 3 && strcmp(marks, "totals") == 0) {
    plan_totals(ctx, spec.type, spec.op, row);
  } else if (words == 3 && (strcmp(marks, "inclusive") == 0 || strcmp(marks, "exclusive") == 0)) {
    spec.kind = marks[0] == 'i' ? SCAN_INCLUSIVE : SCAN_EXCLUSIVE;
    plan_kind(ctx, spec, row);
  } else {
    die("a row is a composite, or <type>_<op> and _flags, _bits, _keys_<type>, _checked, _totals, _inclusive or "
        "_exclusive",
        row);
  }
}

/* ---- files ---- */

/* A growing text. */
typedef struct growing {
  char *text;
  size_t bytes, room;
} growing;

static void catalogue_add(growing *g, const char *text) {
  const size_t more = strlen(text);
  if (g->bytes + more + 1 > g->room) {
    g->room = 2 * (g->bytes + more) + 4096;
    g->text = realloc(g->text, g->room);
    if (g->text == NULL) die("no memory", "text");
  }
  memcpy(g->text + g->bytes, text, more + 1);
  g->bytes += more;
}

static int is_written(const char *path, const growing *g) {
  FILE *file = fopen(path, "rb");
  int same = file != NULL;
  for (size_t i = 0; same && i < g->bytes; i++) same = getc(file) == (unsigned char)g->text[i];
  if (same) same = getc(file) == EOF;
  if (file != NULL) fclose(file);
  return same;
}

/* Writes a file unless it has this content already: its time then stays, and nothing is compiled again. */
static void write_file(const char *folder, const char *name, const char *suffix, growing *g) {
  char path[4096];
  snprintf(path, sizeof path, "%s/%s%s", folder, name, suffix);
  if (!is_written(path, g)) {
    FILE *file = fopen(path, "wb");
    const int whole = file != NULL && fwrite(g->text, 1, g->bytes, file) == g->bytes;
    if (file == NULL || fclose(file) != 0 || !whole) die("cannot be written", path);
  }
  free(g->text);
  *g = (growing){ 0 };
}

/* Writes a unit. nvcc lacks NVRTC's --device-as-default-execution-space, so the operator's functions get __device__
 * through `inline`. Each program undefines its parameters and macros before the next one. */
static void write_unit(const char *folder, size_t first) {
  growing unit = { 0 };
  char line[64], undefines[2048];
  catalogue_add(&unit, "#define inline __device__ inline\n");
  catalogue_add(&unit, noted[first].operator_part);
  catalogue_add(&unit, "#undef inline\n");
  for (size_t i = first; i < noted_count; i++) {
    if (strcmp(noted[i].image, noted[first].image) != 0) continue;
    if (strcmp(noted[i].operator_part, noted[first].operator_part) != 0) die("has two operators", noted[i].image);
    snprintf(line, sizeof line, "#define SCAN_SUFFIX " CUDA_SOURCE_SUFFIX "%u\n", noted[i].number);
    catalogue_add(&unit, line);
    catalogue_add(&unit, noted[i].kernels_part);
    if (scan_source_undefine(noted[i].kernels_part, undefines, sizeof undefines) >= sizeof undefines)
      die("too many parameters", noted[i].image);
    catalogue_add(&unit, "#include \"instance_end.h\"\n#undef SCAN_SUFFIX\n");
    catalogue_add(&unit, undefines);
  }
  write_file(folder, noted[first].image, ".cu", &unit);
}

static void write_table(const char *folder) {
  growing table = { 0 };
  char line[96 + MOST_IMAGE_NAME];
  catalogue_add(&table, "/* Made by tools/catalogue. */\n#include \"base/embedded.h\"\n\n"
                        "const struct scan_catalogue_row scan_catalogue[] = {\n");
  for (size_t i = 0; i < noted_count; i++) {
    program_cache_hash hash = scan_program_cache_hash_start();
    scan_program_cache_hash_add(&hash, noted[i].whole, strlen(noted[i].whole));
    snprintf(line, sizeof line, "  { 0x%016llxull, 0x%016llxull, \"%.63s\", %u },\n", (unsigned long long)hash.high,
             (unsigned long long)hash.low, noted[i].image, noted[i].number);
    catalogue_add(&table, line);
  }
  snprintf(line, sizeof line, "  { 0, 0, 0, 0 },\n};\nconst size_t scan_catalogue_count = %zu;\n", noted_count);
  catalogue_add(&table, line);
  write_file(folder, "catalogue", ".c", &table);
}

static void free_all(void) {
  for (size_t i = 0; i < noted_count; i++) {
    free(noted[i].operator_part);
    free(noted[i].kernels_part);
    free(noted[i].whole);
  }
}

int main(int argc, char **argv) {
  int is_general = 0;
  if (argc < 2) die("usage: catalogue FOLDER ROW... [--lookback ROW...]", "arguments");
  for (int i = 2; i < argc; i++)
    for (uint32_t capability = 80; capability <= 90; capability += 10) {
      is_general |= strcmp(argv[i], "--lookback") == 0;
      if (argv[i][0] == '-') continue;
      scan_device device = { .row = argv[i], .is_general = is_general };
      scan_ctx ctx = open_device(&device, capability);
      plan_all(&ctx, argv[i]);
      scan_ops_release(&ctx);
      scan_builtin_sources_release(&ctx);
    }
  for (size_t i = 0; i < noted_count; i++)
    if (noted[i].number == 0) write_unit(argv[1], i);
  write_table(argv[1]);
  free_all();
  return 0;
}
