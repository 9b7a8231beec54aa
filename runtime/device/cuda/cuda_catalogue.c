/* SPDX-License-Identifier: BSD-2-Clause */
#include "device/cuda/cuda_catalogue.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/embedded.h"
#include "base/types.h"
#include "device/cuda/cuda_program.h"
#include "device/program_cache.h"

static const struct scan_embedded_image *image_named(const char *name) {
  for (size_t i = 0; i < scan_cuda_image_count; i++)
    if (strcmp(scan_cuda_images[i].name, name) == 0) return &scan_cuda_images[i];
  return NULL;
}

/* ---- operators from source: looked up by their program ---- */

static const struct scan_catalogue_row *row_of(const char *program) {
  program_cache_hash hash = scan_program_cache_hash_start();
  scan_program_cache_hash_add(&hash, program, strlen(program));
  for (size_t i = 0; i < scan_catalogue_count; i++)
    if (scan_catalogue[i].high == hash.high && scan_catalogue[i].low == hash.low) return &scan_catalogue[i];
  return NULL;
}

static const struct scan_catalogue_row *row_for(const scan_kernel_key *key, uint32_t tuned_image) {
  char *program = scan_cuda_program(key, tuned_image);
  const struct scan_catalogue_row *row = program != NULL ? row_of(program) : NULL;
  free(program);
  return row;
}

/* Finds the program with the key's flags compiled in, else the one that takes all flags at launch. */
static int find_from_source(const scan_kernel_key *key, uint32_t tuned_image, cuda_instance *found) {
  const struct scan_catalogue_row *row = row_for(key, tuned_image);
  if (row == NULL && key->flags_known != 0) {
    scan_kernel_key general = *key;
    general.flags_known = general.flags = 0;
    row = row_for(&general, tuned_image);
  }
  if (row == NULL) return 0;
  snprintf(found->name, sizeof found->name, "%s" CUDA_SOURCE_SUFFIX "%u", key->kernel, row->number);
  found->image = image_named(row->image);
  return found->image != NULL;
}

/* ---- built-in operators: looked up by name ---- */

cuda_served scan_cuda_serve(scan_type type, scan_op_id op) {
  cuda_served served = { .type = scan_type_for_kernel(type, SCAN_ADD), .op = op };
  const uint64_t sign = (uint64_t)1 << (8 * scan_type_bytes(type) - 1), rest = sign - 1;
  const int is_float = scan_type_is_float(type);
  if (op == SCAN_MAX || op == SCAN_OR) {
    served.op = op == SCAN_MAX ? SCAN_MIN : SCAN_AND;
    served.flip = is_float ? sign : sign | rest; /* -x, ~x */
  }
  if (served.op == SCAN_MIN && scan_type_is_signed(type) && !is_float) served.flip ^= sign;
  served.flags = (served.flip & sign ? SCAN_KERNEL_FLIP_SIGN : 0u) | (served.flip & rest ? SCAN_KERNEL_FLIP_REST : 0u);
  return served;
}

/* 1 for kernels of the batch_ images: many lines, and backward scans. None has widening. */
static int is_batch(const scan_kernel_key *key) {
  static const char *const files[] = { "rows_group.cl", "lines_group.cl", "totals_group.cl", "rows_staged.cuh",
                                       "lines_staged.cuh" };
  for (size_t i = 0; i < sizeof files / sizeof files[0]; i++)
    if (strcmp(key->file, files[i]) == 0) return 1;
  return (int)key->backward;
}

static int is_staged(const scan_kernel_key *key) {
  return strcmp(key->file, "rows_staged.cuh") == 0 || strcmp(key->file, "lines_staged.cuh") == 0;
}

static int is_pipelined(const scan_kernel_key *key) { return strcmp(key->file, "pipelined.cuh") == 0; }

/* The image of a scan's kernel. The pipelined scan has one for each set of CUDA's own kernels, lines through stages one
 * for set 90; all other kernels have one for every device. */
static const struct scan_embedded_image *image_of(const scan_kernel_key *key, uint32_t tuned_image) {
  const char *prefix = "", *op = "";
  char suffix[8] = "", name[40];
  if (is_staged(key)) {
    prefix = "staged_";
    snprintf(suffix, sizeof suffix, "_sm90");
  } else if (is_batch(key)) {
    prefix = "batch_";
  } else if (is_pipelined(key)) {
    prefix = "pipelined_";
    snprintf(suffix, sizeof suffix, "_sm%u", tuned_image);
  } else if (key->group_items != 0) {
    prefix = "textbook_";
    suffix[0] = '_';
    op = scan_op_name(key->op);
  }
  snprintf(name, sizeof name, "%s%s_%s%s%s", prefix, scan_type_name(key->input_type), scan_type_name(key->type), suffix,
           op);
  return image_named(name);
}

/* 1 if a kernel of another type or operator serves the key, as decided in kernels_cu/images.cmake. */
static int is_served(const scan_kernel_key *key) {
  const size_t bytes = scan_type_bytes(key->type);
  if (key->group_items != 0 || key->input_type != key->type) return 0;
  return is_batch(key) || (!scan_type_is_float(key->type) && (bytes == 4 || (bytes == 8 && !is_pipelined(key))));
}

/* The image of an operation other than a scan: one for every device, or one for each set of CUDA's own kernels. */
static const struct scan_embedded_image *primitive_image(const char *primitive, uint32_t tuned_image) {
  char name[40];
  const struct scan_embedded_image *image = image_named(primitive);
  if (image != NULL) return image;
  snprintf(name, sizeof name, "%s_sm%u", primitive, tuned_image);
  return image_named(name);
}

static int find_built_in(const scan_kernel_key *asked, uint32_t tuned_image, cuda_instance *found) {
  scan_kernel_key key = *asked;
  if (asked->primitive != NULL) {
    snprintf(found->name, sizeof found->name, "%s_%s", asked->kernel, scan_type_name(asked->type));
    found->image = primitive_image(asked->primitive, tuned_image);
    return found->image != NULL;
  }
  if (is_batch(asked) && (asked->input_type != asked->type || asked->op > SCAN_MAX)) return 0;
  if (is_served(asked)) {
    const cuda_served served = scan_cuda_serve(asked->type, asked->op);
    key.input_type = key.type = served.type;
    key.op = served.op;
    found->flags = served.flags;
    found->flip = served.flip;
  }
  snprintf(found->name, sizeof found->name, "%s_%s_s%u%s", key.kernel, scan_op_name(key.op), key.subtiles,
           key.backward ? "_backward" : "");
  found->image = image_of(&key, tuned_image);
  return found->image != NULL;
}

int scan_cuda_catalogue_find(const scan_kernel_key *key, uint32_t tuned_image, cuda_instance *found) {
  *found = (cuda_instance){ 0 };
  if (key->source != NULL) return find_from_source(key, tuned_image, found);
  return find_built_in(key, tuned_image, found);
}
