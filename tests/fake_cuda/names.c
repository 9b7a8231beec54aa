/* SPDX-License-Identifier: BSD-2-Clause */
/* Parses the names that the library and its images agree on. */
#include <stdio.h>
#include <string.h>

#include "state.h"

static const char *const kernels[] = { "scan_sequential", "scan_block", "scan_lookback", "scan_pipelined",
                                       "scan_total",      "rts_reduce", "rts_spine",     "rts_scan" };
/* Kernels that the driver loads and never runs, by the beginnings of their names. */
static const char *const loaded_kernels[] = {
  "segment_bits_of_offsets_", "bits_of_flags_",        "bits_of_keys_",         "segment_edges_",
  "segment_totals_source",    "segment_groups_source", "segment_finish_source", "segment_alone_source",
  "segment_direct_source",    "segment_ranges_source"
};
static const char *const ops[] = { "add", "mul", "min", "max", "and", "or", "xor" };
static const char *const types[] = { "i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64", "f32", "f64" };

enum { KERNELS = sizeof kernels / sizeof kernels[0], OPS = sizeof ops / sizeof ops[0] };
enum { TYPES = sizeof types / sizeof types[0] };

static const char *kernel_at(unsigned index) {
  return index < KERNELS ? kernels[index] : fake_textbook_kernel(index - KERNELS);
}

int fake_parse_kernel(const char *name, struct CUfunc_st *function) {
  char whole[64];
  for (unsigned k = 0; kernel_at(k) != NULL; k++)
    for (unsigned op = 0; op < OPS; op++)
      for (unsigned subtiles = 1; subtiles <= 8; subtiles *= 2) {
        snprintf(whole, sizeof whole, "%s_%s_s%u", kernel_at(k), ops[op], subtiles);
        if (strcmp(whole, name) != 0) continue;
        function->kernel = kernel_at(k);
        function->op = (scan_op_id)(op + 1);
        function->subtiles = subtiles;
        return 1;
      }
  return 0;
}

int fake_parse_source_kernel(const char *name, struct CUfunc_st *function) {
  static const char suffix[] = "_source";
  for (unsigned k = 0; k < sizeof loaded_kernels / sizeof loaded_kernels[0]; k++)
    if (strncmp(name, loaded_kernels[k], strlen(loaded_kernels[k])) == 0) {
      function->kernel = loaded_kernels[k];
      return 1;
    }
  for (unsigned k = 0; k < KERNELS; k++) {
    const size_t length = strlen(kernels[k]);
    unsigned number;
    if (strncmp(name, kernels[k], length) != 0 || strncmp(name + length, suffix, sizeof suffix - 1) != 0) continue;
    function->kernel = kernels[k];
    return sscanf(name + length + sizeof suffix - 1, "%u", &number) == 1;
  }
  return 0;
}

/* Parses the part of an image's name behind the types. 1 if it is valid. */
static int parse_rest(const char *rest, int is_textbook, struct CUmod_st *module) {
  if (module->is_pipelined) return strcmp(rest, "_sm80") == 0 || strcmp(rest, "_sm90") == 0;
  if (!is_textbook) return rest[0] == '\0';
  for (unsigned op = 0; op < OPS; op++)
    if (rest[0] == '_' && strcmp(rest + 1, ops[op]) == 0) module->textbook_op = (scan_op_id)(op + 1);
  return module->textbook_op != SCAN_OP_NONE;
}

/* 1 if *name begins with the prefix; *name is then advanced past it. */
static int pass_prefix(const char **name, const char *prefix) {
  const size_t length = strlen(prefix);
  if (strncmp(*name, prefix, length) != 0) return 0;
  *name += length;
  return 1;
}

int fake_parse_pair(const char *name, struct CUmod_st *module) {
  const int is_textbook = pass_prefix(&name, "textbook_");
  char whole[16];
  module->is_pipelined = pass_prefix(&name, "pipelined_");
  for (unsigned from = 0; from < TYPES; from++)
    for (unsigned to = 0; to < TYPES; to++) {
      const int length = snprintf(whole, sizeof whole, "%s_%s", types[from], types[to]);
      if (strncmp(whole, name, (size_t)length) != 0) continue;
      if (!parse_rest(name + length, is_textbook, module)) continue;
      module->input_type = (scan_type)(from + 1);
      module->type = (scan_type)(to + 1);
      return 1;
    }
  return 0;
}

int fake_is_empty_ptx(const char *image) {
  return strncmp(image, ".version ", 9) == 0 && strstr(image, ".visible .entry " FAKE_EMPTY_KERNEL "(") != NULL;
}

int fake_is_compiled(const struct CUmod_st *module, const struct CUfunc_st *function) {
  const scan_type input_type = module->input_type, type = module->type;
  const scan_op_id op = function->op;
  const int is_float = type >= SCAN_F32, is_signed = !is_float && type % 2 == 1;
  if (module->textbook_op != SCAN_OP_NONE)
    return op == module->textbook_op && function->subtiles == 8 && fake_is_textbook(function->kernel);
  if (fake_is_textbook(function->kernel)) return 0;
  if (module->is_pipelined != (strcmp(function->kernel, "scan_pipelined") == 0)) return 0;
  if (input_type != type) return op == SCAN_ADD;
  if (is_float) return op <= SCAN_MAX;
  return !is_signed || op == SCAN_MIN || op == SCAN_MAX;
}
