/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks the text of an operator from source, and makes the text that surrounds it. The operator's text is data:
 * nothing in it changes the meaning of the library's own text. */
#include "device/source.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/structs.h"
#include "base/types.h"
#include "device/backend.h"
#include "device/source_text.h"

#define FAIL_INVALID(...) return scan_fail(error, SCAN_INVALID_ARGUMENT, __VA_ARGS__)

/* ---- checks ---- */

scan_status scan_source_check_sizes(const char *what, size_t bytes, size_t align, scan_error *error) {
  if (bytes == 0 || bytes > SCAN_OP_MOST_BYTES)
    FAIL_INVALID("source->%s_bytes is %zu: an element has 1 to %d bytes", what, bytes, SCAN_OP_MOST_BYTES);
  if (align == 0 || (align & (align - 1)) != 0 || bytes % align != 0)
    FAIL_INVALID("source->%s_align is %zu: it must be a power of two that divides %s_bytes, which is %zu", what, align,
                 what, bytes);
  return SCAN_SUCCESS;
}

/* Checks one end of the scan: its type, and the map or emit between it and the value. */
static scan_status check_end(const char *what, const char *type, size_t bytes, size_t align, const char *function,
                             const char *name, const char *combine, int has_host, scan_error *error) {
  if (function == NULL) {
    if (type == NULL && bytes == 0 && align == 0 && !has_host) return SCAN_SUCCESS;
    FAIL_INVALID("source->%s_type, %s_bytes, %s_align and %s_host mean nothing without source->%s: name its function",
                 what, what, what, name, name);
  }
  if (!scan_source_is_function(function)) FAIL_INVALID("source->%s must be the name of a function in the text", name);
  if (strcmp(function, combine) == 0)
    FAIL_INVALID("source->%s is %s, which is the operator: its parameters are two values, not those of %s", name,
                 function, name);
  if (type == NULL && bytes == 0 && align == 0) return SCAN_SUCCESS; /* no type: the value's own */
  if (!scan_source_is_type(type))
    FAIL_INVALID(
        "source->%s_type must name a type in the text, or be NULL with %s_bytes and %s_align 0 for the value's own",
        what, what, what);
  return scan_source_check_sizes(what, bytes, align, error);
}

/* Refuses loops without the function for the host that they replace. */
static scan_status check_loops(const scan_op_source *from, scan_error *error) {
  if (from->loops != NULL && from->host == NULL)
    FAIL_INVALID("source->loops is given, and source->host is NULL: set both");
  if (from->map_loop != NULL && from->map_host == NULL)
    FAIL_INVALID("source->map_loop is given, and source->map_host is NULL: set both");
  if (from->emit_loop != NULL && from->emit_host == NULL)
    FAIL_INVALID("source->emit_loop is given, and source->emit_host is NULL: set both");
  return SCAN_SUCCESS;
}

static scan_status check_fused(const scan_op_source *from, scan_error *error) {
  const scan_status status = check_end("input", from->input_type, from->input_bytes, from->input_align, from->map,
                                       "map", from->combine, from->map_host != NULL, error);
  if (status != SCAN_SUCCESS) return status;
  return check_end("output", from->output_type, from->output_bytes, from->output_align, from->emit, "emit",
                   from->combine, from->emit_host != NULL, error);
}

/* Checks the text as far as that is possible without a compiler. */
scan_status scan_source_check_text(const char *text, const char *function, const char *type, scan_error *error) {
  char name[SCAN_SOURCE_NAME_BYTES];
  int line = 0;
  if (text == NULL) return SCAN_SUCCESS;
  const char *open = scan_source_open(text, &line);
  if (open != NULL)
    return scan_fail(error, SCAN_BUILD_FAILED, "operator:%d: %s begins here and has no end (operator %s of %s)", line,
                     open, function, type);
  if (scan_source_reserved(text, name, &line))
    FAIL_INVALID("operator:%d: the name %s: names that begin with scanrt_ are the library's own; choose another one",
                 line, name);
  return SCAN_SUCCESS;
}

static scan_status copy_loops_in(const scan_op_source *from, scan_op_loops *loops, scan_error *error) {
  if (from->loops == NULL) return SCAN_SUCCESS;
  SCAN_TRY(scan_struct_copy_in(SCAN_STRUCT_scan_op_loops, loops, from->loops, "source->loops", error));
  if (!loops->fold || !loops->tree || !loops->doubling || !loops->prepend || !loops->chain)
    FAIL_INVALID("source->loops lacks a loop: define it with SCAN_OP_HOST, or leave it NULL");
  if (!loops->block_lanes != !loops->block_chain)
    FAIL_INVALID("source->loops has one of block_lanes and block_chain without the other");
  return SCAN_SUCCESS;
}

scan_status scan_source_check(const scan_op_source *from, scan_error *error) {
  if (from == NULL) FAIL_INVALID("scan_op_create: source is NULL");
  const scan_status sizes = scan_source_check_sizes("value", from->value_bytes, from->value_align, error);
  if (sizes != SCAN_SUCCESS) return sizes;
  if (!scan_source_is_type(from->type))
    FAIL_INVALID("source->type must name a type in the text, such as \"pair\" or \"struct pair\"");
  if (!scan_source_is_function(from->combine))
    FAIL_INVALID("source->combine must be the name of a function in the text");
  SCAN_TRY(copy_loops_in(from, &(scan_op_loops){ 0 }, error));
  SCAN_TRY(check_loops(from, error));
  SCAN_TRY(scan_source_check_members(from, error));
  const scan_status fused = check_fused(from, error);
  return fused != SCAN_SUCCESS ? fused : scan_source_check_text(from->text, from->combine, from->type, error);
}

/* ---- copies ---- */

/* The calls precede the #undef lines of the text's macros, so that combine may be a macro. They begin with two line
 * ends, because the text may end with a backslash. */
static const char calls[] = "\n\n#line 1 \"the library's call of %s\"\n"
                            "typedef %s scanrt_source_t;\n"
                            "typedef %s scanrt_source_input_t;\n"
                            "typedef %s scanrt_source_output_t;\n"
                            "SCANRT_SOURCE_FUNC scanrt_source_t scanrt_source_combine(scanrt_source_t scanrt_a, "
                            "scanrt_source_t scanrt_b) { return %s(scanrt_a, scanrt_b); }\n";
/* The check before each call: a function must have exactly the type that it is called with, because C converts numbers
 * silently. C accepts a second declaration only with the same type; C++ would take another type for an overload. Macros
 * have no type and are not checked. */
static const char check_of_type[] = "#line 1 \"the library's call of %s\"\n"
                                    "#ifndef %s\n"
                                    "#ifdef __cplusplus\n"
                                    "static_assert(sizeof(static_cast<%s (*)%s>(%s)) != 0, \"\");\n"
                                    "#else\n"
                                    "%s %s%s;\n"
                                    "#endif\n"
                                    "#endif\n";
static const char parameters_of_map[] = "(scanrt_source_input_t, uint64_t)";
static const char call_of_map[] = "SCANRT_SOURCE_FUNC scanrt_source_t scanrt_source_map(scanrt_source_input_t "
                                  "scanrt_x, uint64_t scanrt_i) { return %s(scanrt_x, scanrt_i); }\n";
static const char parameters_of_emit[] = "(scanrt_source_t, scanrt_source_t, scanrt_source_input_t, uint64_t)";
static const char call_of_emit[] =
    "SCANRT_SOURCE_FUNC scanrt_source_output_t scanrt_source_emit(scanrt_source_t scanrt_a, scanrt_source_t scanrt_b, "
    "scanrt_source_input_t scanrt_x, uint64_t scanrt_i) { return %s(scanrt_a, scanrt_b, scanrt_x, scanrt_i); }\n";

enum { MOST_CALL = SCAN_SOURCE_CALL_BYTES, MOST_WORDS = SCAN_SOURCE_MOST_WORDS };
_Static_assert(sizeof check_of_type + sizeof call_of_emit + 256 + 5 * (size_t)MOST_WORDS <= MOST_CALL, "a call is cut");

int scan_source_add_call(char *out, const char *function, const char *result, const char *parameters,
                         const char *call) {
  int used = snprintf(out, MOST_CALL, check_of_type, function, function, result, parameters, function, result, function,
                      parameters);
  used += snprintf(out + used, (size_t)(MOST_CALL - used), call, function);
  return used;
}

static char *make_epilogue(const scan_source *s) {
  enum { MOST = sizeof calls + 5 * (size_t)MOST_WORDS + 2 * (size_t)MOST_CALL };
  const size_t undefines = scan_source_undefine(s->text, NULL, 0) + 1;
  char *epilogue = malloc(MOST + undefines);
  if (epilogue == NULL) return NULL;
  int used = snprintf(epilogue, MOST, calls, s->combine, s->type, s->input_type ? s->input_type : s->type,
                      s->output_type ? s->output_type : s->type, s->combine);
  if (s->map != NULL)
    used += scan_source_add_call(epilogue + used, s->map, "scanrt_source_t", parameters_of_map, call_of_map);
  if (s->emit != NULL)
    used += scan_source_add_call(epilogue + used, s->emit, "scanrt_source_output_t", parameters_of_emit, call_of_emit);
  (void)scan_source_undefine(s->text, epilogue + used, undefines);
  return epilogue;
}

/* Bytes of a value's parts, of which one-work-item kernels make vectors: the members' size as far as the text shows it.
 * A wrong guess only costs speed. */
static uint32_t part_bytes(const scan_source *s) {
  const char *wide[] = { "double", "int64_t", "long" };
  uint32_t most = 4;
  for (size_t i = 0; i < sizeof wide / sizeof wide[0]; i++)
    if (strstr(s->is_builtin ? s->type : s->text, wide[i]) != NULL) most = 8;
  return s->align < most ? s->align : most;
}

void scan_source_defines(const scan_kernel_key *key, char defines[SCAN_SOURCE_DEFINES_BYTES]) {
  const scan_source *s = key->source;
  int used =
      snprintf(defines, SCAN_SOURCE_DEFINES_BYTES,
               "#define SCAN_SOURCE_BYTES %u\n"
               "#define SCAN_SOURCE_MEMBER %u\n"
               "#define SCAN_SOURCE_INPUT_BYTES %u\n"
               "#define SCAN_SOURCE_OUTPUT_BYTES %u\n"
               "#define SCAN_SOURCE_MAPS %d\n"
               "#define SCAN_SOURCE_EMITS %d\n"
               "#define SCAN_SOURCE_IS_FLOAT_SUM %d\n"
               "#define SCAN_SOURCE_SHOWS_NANS %d\n"
               "#define SCAN_SOURCE_HAS_IDENTITY %d\n"
               "#define SCAN_SOURCE_ORDER_BYTES %u\n"
               "#define SCAN_SEGMENTS %u\n"
               "#define SCAN_KEY_TYPE %d\n"
               "#define SCAN_CHECKS %u\n"
               "#define SCAN_STEPS %u\n"
               "#define SCAN_READS_N %u\n"
               "#define SCAN_FLAGS_KNOWN %uu\n"
               "#define SCAN_FLAGS %uu\n",
               s->bytes, part_bytes(s), s->input_bytes, s->output_bytes, s->map != NULL, s->emit != NULL,
               scan_type_is_float(s->sum), s->shows_nans, s->has_identity, scan_source_order_bytes(s), key->segments,
               (int)key->key_type, key->checks, key->steps, key->reads_n, key->flags_known, key->flags);
  used +=
      scan_source_add_members(defines + used, SCAN_SOURCE_DEFINES_BYTES - (size_t)used, "INPUTS", &s->input_members);
  (void)scan_source_add_members(defines + used, SCAN_SOURCE_DEFINES_BYTES - (size_t)used, "OUTPUTS",
                                &s->output_members);
}

scan_status scan_source_copy(const scan_op_source *from, scan_source *source, scan_error *error) {
  const int has_input = from->input_type != NULL, has_output = from->output_type != NULL;
  int whole = 1;
  *source = (scan_source){ .bytes = (uint32_t)from->value_bytes,
                           .align = (uint32_t)from->value_align,
                           .input_bytes = (uint32_t)(has_input ? from->input_bytes : from->value_bytes),
                           .input_align = (uint32_t)(has_input ? from->input_align : from->value_align),
                           .output_bytes = (uint32_t)(has_output ? from->output_bytes : from->value_bytes),
                           .output_align = (uint32_t)(has_output ? from->output_align : from->value_align),
                           .has_identity = from->identity != NULL,
                           .host = from->host,
                           .map_host = from->map_host,
                           .emit_host = from->emit_host,
                           .user = from->user,
                           .map_loop = from->map_loop,
                           .emit_loop = from->emit_loop,
                           .input_members.count = from->input_member_count,
                           .output_members.count = from->output_member_count };
  for (uint32_t k = 0; k < from->input_member_count; k++) source->input_members.of[k] = from->input_members[k];
  for (uint32_t k = 0; k < from->output_member_count; k++) source->output_members.of[k] = from->output_members[k];
  SCAN_TRY(copy_loops_in(from, &source->loops, error));
  const char *const given[] = { from->text, from->type,        from->combine, from->input_type,
                                from->map,  from->output_type, from->emit };
  char **const own[] = { &source->text, &source->type,        &source->combine, &source->input_type,
                         &source->map,  &source->output_type, &source->emit };
  for (size_t i = 0; i < sizeof given / sizeof given[0]; i++)
    if (given[i] != NULL && (*own[i] = strdup(given[i])) == NULL) whole = 0;
  if (from->identity != NULL) memcpy(source->identity, from->identity, from->value_bytes);
  if (whole && source->text != NULL) {
    source->epilogue = make_epilogue(source);
    whole = source->epilogue != NULL;
  }
  if (whole) return SCAN_SUCCESS;
  scan_source_free(source);
  return scan_fail(error, SCAN_OUT_OF_MEMORY, "no host memory for an operator");
}

void scan_source_free(scan_source *source) {
  free(source->text);
  free(source->type);
  free(source->combine);
  free(source->input_type);
  free(source->map);
  free(source->output_type);
  free(source->emit);
  free(source->epilogue);
  *source = (scan_source){ 0 };
}
