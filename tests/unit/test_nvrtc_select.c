/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests compaction by predicates with NVRTC, which compiles without a GPU: predicates of one element and of two
 * neighbours, every size that one launch supports, with and without parameters, A100 and H100; partitions into three.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/predicate.h"
#include "nvrtc_compile.h"
#include "support.h"

static const char text[] = "typedef struct pair_of_words { uint32_t first, second; } pair_of_words;\n"
                           "typedef struct four_words { uint32_t word[4]; } four_words;\n"
                           "typedef struct wide { double x; int64_t i; } wide;\n"
                           "typedef struct bounds { float low, high; } bounds;\n"
                           "static inline float of_uint8_t(uint8_t x) { return x; }\n"
                           "static inline float of_int16_t(int16_t x) { return x; }\n"
                           "static inline float of_float(float x) { return x; }\n"
                           "static inline float of_double(double x) { return (float)x; }\n"
                           "static inline float of_pair_of_words(pair_of_words x) { return (float)x.second; }\n"
                           "static inline float of_four_words(four_words x) { return (float)x.word[3]; }\n"
                           "static inline float of_wide(wide x) { return (float)x.x + x.i; }\n";

/* The predicates of a type, in the order of PREDICATES; they follow the type's text. */
static const char predicates_text[] =
    "static inline int keep(%s x, uint64_t i) { return of_%s(x) < 3 || i %% 7 == 0; }\n"
    "static inline int keep_in(%s x, uint64_t i, bounds b) { return of_%s(x) >= b.low && of_%s(x) < b.high; }\n"
    "static inline int same(%s before, %s x) { return of_%s(before) <= of_%s(x); }\n"
    "static inline int near(%s before, %s x, bounds b) { return of_%s(x) - of_%s(before) < b.high; }\n";
static const char *const predicates[] = { "keep", "keep_in", "same", "near" };
enum { PREDICATES = sizeof predicates / sizeof predicates[0], FIRST_PAIR = 2, TEXT_BYTES = 4096 };

static const struct element {
  const char *type;
  size_t bytes, align;
} elements[] = { { "uint8_t", 1, 1 }, { "int16_t", 2, 2 },     { "float", 4, 4 }, { "pair_of_words", 8, 4 },
                 { "double", 8, 8 },  { "four_words", 16, 4 }, { "wide", 16, 8 } };
enum { ELEMENTS = sizeof elements / sizeof elements[0] };

static void make(const struct element *e, int predicate, char whole[TEXT_BYTES], scan_source *source) {
  const char *t = e->type;
  const int has_params = predicate % 2;
  scan_error error;
  const int used = snprintf(whole, TEXT_BYTES, "%s", text);
  snprintf(whole + used, (size_t)(TEXT_BYTES - used), predicates_text, t, t, t, t, t, t, t, t, t, t, t, t, t);
  const scan_predicate_source from = { .struct_bytes = sizeof from,
                                       .text = whole,
                                       .type = t,
                                       .keep = predicates[predicate],
                                       .element_bytes = e->bytes,
                                       .element_align = e->align,
                                       .params_type = has_params ? "bounds" : NULL,
                                       .params_bytes = has_params ? 8 : 0,
                                       .params_align = has_params ? 4 : 0,
                                       .is_pair = predicate >= FIRST_PAIR };
  if (scan_predicate_check(&from, &error) != SCAN_SUCCESS || scan_predicate_copy(&from, source, &error) != SCAN_SUCCESS)
    test_fail("%s of %s: %s", predicates[predicate], t, error.text);
}

static void check(const struct element *e, int predicate, const char *file, const char *kernel, uint32_t capability) {
  const scan_kernel_key wanted = { .file = file, .kernel = kernel, .subtiles = 1 };
  scan_kernel_key key = wanted;
  char whole[TEXT_BYTES], *image = NULL;
  size_t image_bytes = 0;
  scan_source source;
  scan_error error;
  make(e, predicate, whole, &source);
  key.source = &source;
  if (scan_cuda_source_compile(&key, capability, capability, &image, &image_bytes, &error) != SCAN_SUCCESS)
    test_fail("%s by %s of %s, for %u: %s", file, predicates[predicate], e->type, capability, error.text);
  free(image);
  scan_source_free(&source);
  test_ran();
}

static void test_one_launch(void **state) {
  (void)state;
  for (int e = 0; e < ELEMENTS; e++)
    for (int p = 0; p < PREDICATES; p++)
      check(&elements[e], p, "select_pipelined.cuh", "select_pipelined", (e + p) % 2 ? 80 : 90);
}

static void test_partition(void **state) {
  (void)state;
  for (int e = 0; e < ELEMENTS; e++)
    check(&elements[e], e % 2, "select_partition.cuh", "select_partition", e % 3 ? 90 : 80);
}

/* Both kinds of predicates once for the other device, and in separate launches. */
static void test_others(void **state) {
  (void)state;
  for (int p = 0; p < PREDICATES; p++) {
    check(&elements[2], p, "select_pipelined.cuh", "select_pipelined", p % 2 ? 90 : 80);
    check(&elements[p], p, "select_predicate.cl", "select_predicate", 80);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = { cmocka_unit_test(test_one_launch), cmocka_unit_test(test_partition),
                                      cmocka_unit_test(test_others) };
  nvrtc_require();
  return test_exit(cmocka_run_group_tests_name("nvrtc select", tests, NULL, NULL));
}
