/* SPDX-License-Identifier: BSD-2-Clause */
#include "device/predicate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/source_text.h"

#define FAIL_INVALID(...) return scan_fail(error, SCAN_INVALID_ARGUMENT, __VA_ARGS__)

static int has_params(const scan_predicate_source *from) { return from->params_type != NULL; }

scan_status scan_predicate_check(const scan_predicate_source *from, scan_error *error) {
  SCAN_TRY(scan_source_check_sizes("element", from->element_bytes, from->element_align, error));
  if (!scan_source_is_type(from->type))
    FAIL_INVALID("source->type must name a type in the text, such as \"float\" or \"struct pair\"");
  if (!scan_source_is_function(from->keep)) FAIL_INVALID("source->keep must be the name of a function in the text");
  if (!has_params(from) && (from->params_bytes != 0 || from->params_align != 0))
    FAIL_INVALID("source->params_bytes and params_align mean nothing without source->params_type: name the type");
  if (has_params(from) && !scan_source_is_type(from->params_type))
    FAIL_INVALID("source->params_type must name a type in the text, or be NULL");
  if (from->is_pair > 1) FAIL_INVALID("source->is_pair is %u: 1 of a predicate of two elements, else 0", from->is_pair);
  if (has_params(from)) SCAN_TRY(scan_source_check_sizes("params", from->params_bytes, from->params_align, error));
  return scan_source_check_text(from->text, from->keep, from->type, error);
}

static const char types[] = "\n\n#line 1 \"the library's call of %s\"\n"
                            "typedef uint32_t scanrt_source_t;\n"
                            "typedef %s scanrt_source_input_t;\n"
                            "typedef %s scanrt_source_output_t;\n"
                            "SCANRT_SOURCE_FUNC scanrt_source_t scanrt_source_combine(scanrt_source_t scanrt_a, "
                            "scanrt_source_t scanrt_b) { return scanrt_a + scanrt_b; }\n"
                            "#define SCAN_SOURCE_KEEPS 1\n";
static const char parameters_alone[] = "(scanrt_source_input_t, uint64_t)";
static const char parameters_all[] = "(scanrt_source_input_t, uint64_t, scanrt_source_output_t)";
#define CALL_OPEN                                                                                                      \
  "SCANRT_SOURCE_FUNC scanrt_source_t scanrt_source_keep(scanrt_source_input_t scanrt_x, uint64_t scanrt_i, "          \
  "scanrt_source_output_t scanrt_p) { "
static const char call_alone[] = CALL_OPEN "(void)scanrt_p; return %s(scanrt_x, scanrt_i) != 0; }\n";
static const char call_all[] = CALL_OPEN "return %s(scanrt_x, scanrt_i, scanrt_p) != 0; }\n";

/* Calls of a predicate of two elements: the result is 1 if they are not of one run. SCAN_SOURCE_PAIRS tells the kernels
 * that there are two. */
static const char pairs_alone[] = "(scanrt_source_input_t, scanrt_source_input_t)";
static const char pairs_all[] = "(scanrt_source_input_t, scanrt_source_input_t, scanrt_source_output_t)";
#define PAIR_OPEN                                                                                                      \
  "#define SCAN_SOURCE_PAIRS 1\nSCANRT_SOURCE_FUNC scanrt_source_t scanrt_source_keep(scanrt_source_input_t "          \
  "scanrt_before, scanrt_source_input_t scanrt_x, scanrt_source_output_t scanrt_p) { "
static const char pair_alone[] = PAIR_OPEN "(void)scanrt_p; return %s(scanrt_before, scanrt_x) == 0; }\n";
static const char pair_all[] = PAIR_OPEN "return %s(scanrt_before, scanrt_x, scanrt_p) == 0; }\n";

/* Calls of a bucket function: the result is the element's bucket. SCAN_SOURCE_BUCKETS tells the kernels so. */
#define BUCKET_OPEN "#define SCAN_SOURCE_BUCKETS 1\n" CALL_OPEN
static const char bucket_alone[] = BUCKET_OPEN "(void)scanrt_p; return %s(scanrt_x, scanrt_i); }\n";
static const char bucket_all[] = BUCKET_OPEN "return %s(scanrt_x, scanrt_i, scanrt_p); }\n";

static int add_keep(const scan_source *s, char *to) {
  const int is_alone = s->params_bytes == 0;
  if (s->is_bucket)
    return scan_source_add_call(to, s->combine, "uint32_t", is_alone ? parameters_alone : parameters_all,
                                is_alone ? bucket_alone : bucket_all);
  if (s->is_pair)
    return scan_source_add_call(to, s->combine, "int", is_alone ? pairs_alone : pairs_all,
                                is_alone ? pair_alone : pair_all);
  return scan_source_add_call(to, s->combine, "int", is_alone ? parameters_alone : parameters_all,
                              is_alone ? call_alone : call_all);
}

static char *make_epilogue(const scan_source *s) {
  enum { MOST = (int)sizeof types + 3 * SCAN_SOURCE_MOST_WORDS + SCAN_SOURCE_CALL_BYTES };
  const size_t undefines = scan_source_undefine(s->text, NULL, 0) + 1;
  char *epilogue = malloc(MOST + undefines);
  if (epilogue == NULL) return NULL;
  int used = snprintf(epilogue, MOST, types, s->combine, s->type, s->params_bytes == 0 ? "uint32_t" : s->output_type);
  used += add_keep(s, epilogue + used);
  (void)scan_source_undefine(s->text, epilogue + used, undefines);
  return epilogue;
}

static scan_status predicate_copy(const scan_predicate_source *from, int is_bucket, scan_source *source,
                                  scan_error *error) {
  enum { RESULT = sizeof(uint32_t) };
  int whole = 1;
  *source = (scan_source){ .bytes = RESULT,
                           .align = RESULT,
                           .input_bytes = (uint32_t)from->element_bytes,
                           .input_align = (uint32_t)from->element_align,
                           .output_bytes = has_params(from) ? (uint32_t)from->params_bytes : RESULT,
                           .output_align = has_params(from) ? (uint32_t)from->params_align : RESULT,
                           .is_predicate = 1,
                           .is_pair = from->is_pair != 0,
                           .is_bucket = is_bucket,
                           .params_bytes = (uint32_t)from->params_bytes,
                           .keep_host = from->host,
                           .user = from->user };
  const char *const given[] = { from->text, from->type, from->type, from->keep, from->params_type };
  char **const own[] = { &source->text, &source->type, &source->input_type, &source->combine, &source->output_type };
  for (size_t i = 0; i < sizeof given / sizeof given[0]; i++)
    if (given[i] != NULL && (*own[i] = strdup(given[i])) == NULL) whole = 0;
  if (whole && source->text != NULL) {
    source->epilogue = make_epilogue(source);
    whole = source->epilogue != NULL;
  }
  if (whole) return SCAN_SUCCESS;
  scan_source_free(source);
  return scan_fail(error, SCAN_OUT_OF_MEMORY, "no host memory for a %s", is_bucket ? "bucket function" : "predicate");
}

scan_status scan_predicate_copy(const scan_predicate_source *from, scan_source *source, scan_error *error) {
  return predicate_copy(from, 0, source, error);
}

/* ---- bucket functions ---- */

static scan_predicate_source predicate_of(const scan_bucket_source *from) {
  return (scan_predicate_source){ .text = from->text,
                                  .type = from->type,
                                  .keep = from->bucket,
                                  .element_bytes = from->element_bytes,
                                  .element_align = from->element_align,
                                  .params_type = from->params_type,
                                  .params_bytes = from->params_bytes,
                                  .params_align = from->params_align,
                                  .user = from->user };
}

scan_status scan_bucket_check(const scan_bucket_source *from, scan_error *error) {
  const scan_predicate_source predicate = predicate_of(from);
  if (!scan_source_is_function(from->bucket)) FAIL_INVALID("source->bucket must be the name of a function in the text");
  return scan_predicate_check(&predicate, error);
}

scan_status scan_bucket_copy(const scan_bucket_source *from, scan_source *source, scan_error *error) {
  const scan_predicate_source predicate = predicate_of(from);
  SCAN_TRY(predicate_copy(&predicate, 1, source, error));
  source->bucket_host = from->host;
  return SCAN_SUCCESS;
}
