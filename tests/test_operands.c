/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests that scans apply an operator from source to neighbours alone, in order, also where the result is not used. */
#include "reference.h"
#include "reference_operator.h"
#include "support.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A link of a chain. `bad` counts operands that were not neighbours. */
typedef struct link_of {
  uint32_t first, next, bad, tag;
} link_of;
enum { LINK_TAG = 0x600d };

/* "%s" is a statement that runs for each wrong operand. */
static const char link_text[] =
    "typedef struct { uint32_t first, next, bad, tag; } link_of;\n"
    "static inline link_of link_combine(link_of a, link_of b) {\n"
    "  const uint32_t wrong = (a.next != b.first) + (a.tag != 0x600d) + (b.tag != 0x600d);\n"
    "  link_of c;\n"
    "  if (wrong != 0) { %s; }\n"
    "  c.first = a.first;\n"
    "  c.next = b.next;\n"
    "  c.bad = a.bad + b.bad + wrong;\n"
    "  c.tag = 0x600d;\n"
    "  return c;\n"
    "}\n";

static _Atomic uint32_t wrong_operands;

static void link_host(const void *a, const void *b, void *result, void *user) {
  const link_of *x = a, *y = b;
  const uint32_t wrong = (uint32_t)(x->next != y->first) + (x->tag != LINK_TAG) + (y->tag != LINK_TAG);
  (void)user;
  wrong_operands += wrong;
  *(link_of *)result = (link_of){ x->first, y->next, x->bad + y->bad + wrong, LINK_TAG };
}

/* Makes the operator. @param sees_host  1: kernels can count in host memory */
static scan_op *make_link(int sees_host) {
  static const link_of poison = { 77, 77, 0, 77 }; /* an identity that must not be combined */
  char text[1024], statement[160] = "(void)0";
  scan_op *op = NULL;
  if (sees_host)
    snprintf(statement, sizeof statement, "(void)atomic_inc((volatile __global uint *)%pul)", (void *)&wrong_operands);
  snprintf(text, sizeof text, link_text, statement);
  const scan_op_source source = { .struct_bytes = sizeof(scan_op_source),
                                  .text = text,
                                  .type = "link_of",
                                  .combine = "link_combine",
                                  .value_bytes = sizeof(link_of),
                                  .value_align = 4,
                                  .identity = &poison,
                                  .host = link_host };
  test_ok(test_ctx(), scan_op_create(test_ctx(), &source, &op), "scan_op_create");
  return op;
}

/* Checks that the operator's facts are those of its source. */
static void check_facts(scan_op *op) {
  scan_op_facts facts = SCAN_OP_FACTS_INIT, none = { .struct_bytes = 0 };
  assert_int_equal(scan_op_info(op, &facts), SCAN_SUCCESS);
  assert_true(facts.value_bytes == sizeof(link_of) && facts.value_align == 4);
  assert_true(facts.input_bytes == sizeof(link_of) && facts.output_bytes == sizeof(link_of));
  assert_true(facts.has_identity && ((const link_of *)facts.identity)->tag == 77);
  assert_false(facts.maps || facts.emits || facts.is_predicate);
  assert_int_equal(scan_op_info(NULL, &facts), SCAN_INVALID_ARGUMENT);
  assert_int_equal(scan_op_info(op, NULL), SCAN_INVALID_ARGUMENT);
  assert_int_equal(scan_op_info(op, &none), SCAN_INVALID_ARGUMENT);
}

/* Scans links with poison around them, at an odd offset. */
static void run_links(const scan_spec *spec, uint64_t n) {
  enum { BEFORE = 13, BEHIND = 12 };
  const uint64_t bytes = (n + BEFORE + BEHIND) * sizeof(link_of);
  link_of *links = reference_alloc(bytes);
  scan_mem in, out;
  memset(links, 0xA5, bytes);
  for (uint32_t i = 0; i < n; i++) links[BEFORE + i] = (link_of){ i + 1, i + 2, 0, LINK_TAG };
  test_ok(test_ctx(), scan_alloc(test_ctx(), bytes, &in), "scan_alloc");
  test_ok(test_ctx(), scan_alloc(test_ctx(), bytes, &out), "scan_alloc");
  test_ok(test_ctx(), scan_write(test_ctx(), in, links, bytes), "scan_write");
  in = scan_offset(in, BEFORE * sizeof(link_of));
  test_ok(test_ctx(), scan_run(test_ctx(), spec, n, in, out), "scan_run");
  test_ok(test_ctx(), scan_read(test_ctx(), out, links, n * sizeof(link_of)), "scan_read");
  for (uint32_t i = 0; i < n; i++)
    if (links[i].first != 1 || links[i].next != i + 2 || links[i].bad != 0)
      test_fail("strategy %s, n=%llu: element %u is wrong", scan_strategy_name(spec->strategy), (unsigned long long)n,
                i);
  if (wrong_operands != 0)
    test_fail("strategy %s, n=%llu: the operator saw what are no elements in a row", scan_strategy_name(spec->strategy),
              (unsigned long long)n);
  in.offset_bytes = 0;
  test_ok(test_ctx(), scan_free(test_ctx(), in), "scan_free");
  test_ok(test_ctx(), scan_free(test_ctx(), out), "scan_free");
  free(links);
}

/* If kernels can access host memory, every application is counted, also those whose result is not used. */
static void test_operands(void **state) {
  const uint64_t sub = reference_subtile_items(sizeof(link_of)), tile = sub * reference_most_subtiles(sizeof(link_of));
  const uint64_t sizes[] = {
    1, 2, 17, 33, sub - 1, sub, sub + 1, tile - 1, tile, tile + 1, 3 * tile + 17, 128 * sub + 1
  };
  const link_of apart[] = { { 1, 2, 0, LINK_TAG }, { 5, 6, 0, LINK_TAG } };
  const int sees_host = strstr(test_selector(), "pocl") != NULL;
  scan_spec spec = SCAN_SPEC_INIT(SCAN_TYPE_DEFAULT, SCAN_OP_NONE, SCAN_INCLUSIVE);
  link_of out[2];
  (void)state;
  if (!sees_host && test_info()->backend != SCAN_BACKEND_HOST) {
    test_skipped("operands are counted where kernels see the host's memory; in results: operator link");
    skip();
  }
  spec.custom_op = make_link(sees_host);
  check_facts(spec.custom_op);
  for (int s = SCAN_STRATEGY_AUTO; s < SCAN_STRATEGY_PIPELINED; s++) {
    spec.strategy = (scan_strategy)s;
    if (!test_has_strategy(spec.strategy)) continue;
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
      if (!test_is_small() || sizes[i] <= 2500) run_links(&spec, sizes[i]);
    test_ran();
  }
  spec.strategy = SCAN_STRATEGY_AUTO; /* checks the counter: one element is out of place */
  test_ok(test_ctx(), scan_run(test_ctx(), &spec, 2, scan_host(apart), scan_host(out)), "scan_run");
  assert_int_equal(out[1].bad, 1);
  assert_true(wrong_operands > 0);
  scan_op_destroy(spec.custom_op);
}

int main(void) {
  const struct CMUnitTest tests[] = { cmocka_unit_test(test_operands) };
  test_device_open();
  return test_exit(cmocka_run_group_tests_name("operands", tests, NULL, NULL));
}
