/* SPDX-License-Identifier: BSD-2-Clause */
/* The matrix: every type, widening, operator and kind of one device and one strategy ($SCANRT_TEST_STRATEGY). */
#include "cases.h"
#include "reference.h"
#include "support.h"
#include "twin.h"

#include <stdlib.h>
#include <string.h>

/* One cell of the matrix. */
struct cell {
  scan_spec spec;
  int takes_millions; /* every other cell goes to millions, the others to 4 MiB; floats do both */
};

static struct {
  struct lab lab;
  struct case_list list;
  scan_strategy strategy;
} matrix;

static int is_sequential(void) { return matrix.strategy == SCAN_STRATEGY_SEQUENTIAL; }

static int is_gallery(void) { return !is_sequential() && !scan_strategy_is_canonical(matrix.strategy); }

static uint64_t max_of(uint64_t a, uint64_t b) { return a > b ? a : b; }

/* The largest n of a cell. */
static uint64_t cell_max_n(const struct cell *cell) {
  const uint64_t item_bytes = reference_bytes(cell->spec.type);
  const uint64_t boundary = UINT64_C(4) * 1024 * 1024 / item_bytes + 1, row = 32 * 1024 / item_bytes + 1;
  if (test_is_small()) return 2500;
  /* More turns than llvmpipe lets one work-item make. */
  if (is_sequential()) return cell->takes_millions ? max_of(row, 70001) : row;
  if (reference_is_float(cell->spec.type)) return max_of(boundary, 2500003);
  return cell->takes_millions ? 2500003 : boundary;
}

static scan_plan *make_plan(const scan_spec *spec, uint64_t max_n) {
  char text[TEST_TEXT];
  scan_plan *plan = NULL;
  const scan_spec asked = matrix.lab.twins ? twin_spec(matrix.lab.ctx, spec) : *spec;
  scan_status status = scan_plan_create(matrix.lab.ctx, &asked, max_n, &plan);
  if (status != SCAN_SUCCESS) {
    test_fail("%s max_n=%llu: %s: %s", test_spec_text(spec, text), (unsigned long long)max_n, scan_status_name(status),
              scan_last_error(matrix.lab.ctx));
  }
  return plan;
}

static uint64_t tile_items(const scan_spec *spec, const scan_plan *plan) {
  scan_plan_facts facts = SCAN_PLAN_FACTS_INIT;
  test_ok(matrix.lab.ctx, scan_plan_info(plan, &facts), "scan_plan_info");
  if (facts.tile_items == 0 || facts.strategy == SCAN_STRATEGY_AUTO || facts.reason[0] == '\0') {
    test_fail("scan_plan_info gives no tile size, strategy or reason");
  }
  if (spec->strategy != SCAN_STRATEGY_AUTO && facts.strategy != spec->strategy) {
    test_fail("asked for %s, got %s: %s", scan_strategy_name(spec->strategy), scan_strategy_name(facts.strategy),
              facts.reason);
  }
  return facts.tile_items;
}

/* Runs matrix.list by a plan for max_n and empties it. */
static void run_list(const scan_spec *spec, scan_plan *plan) {
  lab_run(&matrix.lab, spec, plan, &matrix.list);
  matrix.list.count = 0;
}

static void add_in_place(const scan_spec *spec, uint64_t max_n, uint64_t n) {
  const scan_type input_type = spec->input_type ? spec->input_type : spec->type;
  if (reference_bytes(input_type) != reference_bytes(spec->type)) return;
  cases_add(&matrix.list, max_n, (struct scan_case){ .n = n, .in_place = 1 });
}

static void add_shifts(const scan_spec *spec, uint64_t max_n, uint64_t n) {
  cases_shifts(&matrix.list, max_n, n, spec->input_type == SCAN_TYPE_DEFAULT);
}

/* Every small n by a plan for no more than that. */
static void run_small_plan(const scan_spec *spec) {
  const uint64_t last = test_is_small() ? 40 : 260;
  scan_plan *plan = make_plan(spec, last);
  cases_every(&matrix.list, last, last);
  for (uint64_t n = 1; n <= last; n = n * 2 + 1) add_in_place(spec, last, n);
  run_list(spec, plan);
  scan_plan_destroy(plan);
}

/* One large plan for sizes from nothing to its largest: each n has its own tiles, whatever the plan was made for. */
static void run_large_plan(const struct cell *cell) {
  const scan_spec *spec = &cell->spec;
  const uint64_t max_n = cell_max_n(cell), item_bytes = reference_bytes(spec->type);
  scan_plan *plan = make_plan(spec, max_n);
  const uint64_t tile = tile_items(spec, plan), few_tiles = 3 * tile + 17;
  cases_every(&matrix.list, max_n, test_is_small() ? 20 : 260);
  add_shifts(spec, max_n, test_is_small() ? 100 : 1000);
  run_list(spec, plan);
  if (!test_is_small()) add_shifts(spec, 100000, tile + 33 < max_n ? tile + 33 : 1033);
  cases_around(&matrix.list, max_n, tile);
  cases_around(&matrix.list, max_n, 32 * 1024 / item_bytes);
  cases_around(&matrix.list, max_n, UINT64_C(4) * 1024 * 1024 / item_bytes);
  cases_add(&matrix.list, max_n, (struct scan_case){ .n = few_tiles });
  cases_add(&matrix.list, max_n, (struct scan_case){ .n = max_n, .in_shift = 1 });
  add_in_place(spec, max_n, few_tiles);
  add_in_place(spec, max_n, max_n);
  run_list(spec, plan);
  scan_plan_destroy(plan);
}

static void run_init_plan(const struct cell *cell) {
  const uint64_t max_n = test_is_small() ? 1100 : 9000;
  scan_spec spec = cell->spec;
  spec.has_init = 1;
  spec.init = values_init(&matrix.lab.rng, spec.type, spec.op);
  scan_plan *plan = make_plan(&spec, max_n);
  cases_every(&matrix.list, max_n, 20);
  cases_around(&matrix.list, max_n, 128);
  cases_add(&matrix.list, max_n, (struct scan_case){ .n = max_n });
  add_in_place(&spec, max_n, max_n);
  run_list(&spec, plan);
  scan_plan_destroy(plan);
}

static void run_host_memory(const struct cell *cell) {
  static const uint64_t sizes[] = { 1, 5, 100, 1000, 5000, 20011 };
  for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
    if (sizes[i] <= cell_max_n(cell)) lab_run_host(&matrix.lab, &cell->spec, sizes[i]);
  }
}

/* 1 when the device may say that it has no such cell, which it then must. */
static int may_lack(const scan_spec *spec) {
  if (!test_has_type(spec->type)) return 1;
  return is_gallery() && test_info()->backend == SCAN_BACKEND_CUDA; /* compiled for a few cells */
}

static int is_lacking(const scan_spec *spec) {
  char text[TEST_TEXT];
  scan_plan *plan = NULL;
  if (!may_lack(spec)) return 0;
  scan_status status = scan_plan_create(matrix.lab.ctx, spec, 100, &plan);
  scan_plan_destroy(plan);
  if (status != SCAN_UNSUPPORTED) return 0;
  test_skipped("%s: %s", test_spec_text(spec, text), scan_last_error(matrix.lab.ctx));
  return 1;
}

static void run_cell(const struct cell *cell) {
  if (is_lacking(&cell->spec)) return;
  run_small_plan(&cell->spec);
  run_large_plan(cell);
  run_init_plan(cell);
  run_host_memory(cell);
  test_ok(matrix.lab.ctx, scan_sync(matrix.lab.ctx), "scan_sync");
  test_ran();
}

static int is_op_wanted(scan_op_id op) { return !test_is_small() || op == SCAN_ADD || op == SCAN_MAX; }

static void run_kinds(const struct case_row *row, scan_op_id op) {
  for (int kind = SCAN_INCLUSIVE; kind <= SCAN_EXCLUSIVE; kind++) {
    struct cell cell = { .spec = SCAN_SPEC_INIT(row->type, op, (scan_kind)kind) };
    cell.spec.input_type = row->input_type;
    cell.spec.strategy = matrix.strategy;
    cell.takes_millions = ((int)row->type + (int)op + kind) % 2 == 0;
    run_cell(&cell);
  }
}

/* 1 when $SCANRT_TEST_TYPES, a comma-separated list, is not set or names the type. */
static int is_type_wanted(scan_type type) {
  const char *name = scan_type_name(type), *list = getenv("SCANRT_TEST_TYPES");
  if (!list || !list[0]) list = test_is_small() ? "i32,u8,f32,i64" : NULL;
  const size_t name_bytes = strlen(name);
  for (const char *at = list; at; at = strchr(at, ',')) {
    at += *at == ',';
    if (strncmp(at, name, name_bytes) == 0 && (at[name_bytes] == ',' || at[name_bytes] == '\0')) return 1;
  }
  return !list;
}

static void test_row(void **state) {
  const struct case_row *row = *state;
  matrix.list.count = 0; /* what a failed row left there */
  if (matrix.lab.twins && row->input_type != SCAN_TYPE_DEFAULT) {
    test_skipped("operators from source do not widen");
    skip();
  }
  if (!is_type_wanted(row->type)) {
    test_skipped("type %s was not asked for", scan_type_name(row->type));
    skip();
  }
  for (int op = SCAN_ADD; op <= SCAN_XOR; op++) {
    if (!reference_defined(row->type, row->input_type, (scan_op_id)op) || !is_op_wanted((scan_op_id)op)) continue;
    run_kinds(row, (scan_op_id)op);
  }
}

static void choose_strategy(void) {
  const char *name = getenv("SCANRT_TEST_STRATEGY");
  scan_spec spec = SCAN_SPEC_INIT(SCAN_I32, SCAN_ADD, SCAN_INCLUSIVE);
  scan_plan *plan = NULL;
  if (name && name[0] && scan_strategy_parse(name, &matrix.strategy) != SCAN_SUCCESS) {
    print_error("SCANRT_TEST_STRATEGY: no strategy is called %s\n", name);
    exit(1);
  }
  spec.strategy = matrix.strategy;
  scan_status status = scan_plan_create(test_ctx(), &spec, 1000, &plan);
  scan_plan_destroy(plan);
  if (status != SCAN_UNSUPPORTED) return;
  const char *sentence = scan_last_error(test_ctx());
  if (strlen(sentence) < 10) {
    print_error("strategy %s is refused without a reason\n", scan_strategy_name(matrix.strategy));
    exit(1);
  }
  test_skip_program("strategy %s on %s: %s", scan_strategy_name(matrix.strategy), test_selector(), sentence);
}

static int group_setup(void **state) {
  (void)state;
  lab_open(&matrix.lab, test_ctx(), test_is_small() ? 256 * 1024 : 24 * 1024 * 1024);
  matrix.lab.twins = getenv("SCANRT_TEST_TWINS") != NULL;
  return 0;
}

static int group_teardown(void **state) {
  (void)state;
  twin_release();
  lab_close(&matrix.lab);
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
    CASE_ROWS_OF_TYPES,           CASE_ROW(SCAN_I32, SCAN_I8),  CASE_ROW(SCAN_I64, SCAN_I8),
    CASE_ROW(SCAN_U32, SCAN_U8),  CASE_ROW(SCAN_U64, SCAN_U8),  CASE_ROW(SCAN_I64, SCAN_I32),
    CASE_ROW(SCAN_U64, SCAN_U32), CASE_ROW(SCAN_F64, SCAN_F32),
  };
  test_device_open();
  choose_strategy();
  return test_exit(cmocka_run_group_tests_name("conformance", tests, group_setup, group_teardown));
}
