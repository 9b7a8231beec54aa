/* SPDX-License-Identifier: BSD-2-Clause */
/* The names that the library and its images agree on, read back. */
#include <stdio.h>
#include <string.h>

#include "state.h"

static const char *const kernels[] = { "scan_sequential", "scan_block", "scan_lookback", "scan_pipelined",
                                       "rts_reduce",      "rts_spine",  "rts_scan" };
static const char *const ops[] = { "add", "mul", "min", "max", "and", "or", "xor" };
static const char *const types[] = { "i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64", "f32", "f64" };

enum { KERNELS = sizeof kernels / sizeof kernels[0], OPS = sizeof ops / sizeof ops[0] };
enum { TYPES = sizeof types / sizeof types[0] };

int fake_parse_kernel(const char *name, struct CUfunc_st *function) {
  char whole[64];
  for (unsigned k = 0; k < KERNELS; k++)
    for (unsigned op = 0; op < OPS; op++)
      for (unsigned subtiles = 1; subtiles <= 8; subtiles *= 2) {
        snprintf(whole, sizeof whole, "%s_%s_s%u", kernels[k], ops[op], subtiles);
        if (strcmp(whole, name) != 0) continue;
        function->kernel = kernels[k];
        function->op = (scan_op_id)(op + 1);
        function->subtiles = subtiles;
        return 1;
      }
  return 0;
}

int fake_parse_pair(const char *name, scan_type *input_type, scan_type *type) {
  char whole[16];
  for (unsigned from = 0; from < TYPES; from++)
    for (unsigned to = 0; to < TYPES; to++) {
      const int length = snprintf(whole, sizeof whole, "%s_%s", types[from], types[to]);
      if (strncmp(whole, name, (size_t)length) != 0) continue;
      if (name[length] != '\0' && strcmp(name + length, "_sm90") != 0) continue;
      *input_type = (scan_type)(from + 1);
      *type = (scan_type)(to + 1);
      return 1;
    }
  return 0;
}

int fake_is_empty_ptx(const char *image) {
  return strncmp(image, ".version ", 9) == 0 && strstr(image, ".visible .entry " FAKE_EMPTY_KERNEL "(") != NULL;
}

int fake_is_compiled(scan_type input_type, scan_type type, scan_op_id op) {
  const int is_float = type >= SCAN_F32, is_signed = !is_float && type % 2 == 1;
  if (input_type != type) return op == SCAN_ADD;
  if (is_float) return op <= SCAN_MAX;
  return !is_signed || op == SCAN_MIN || op == SCAN_MAX;
}
