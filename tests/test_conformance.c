/* SPDX-License-Identifier: BSD-2-Clause */
/* The matrix: every type, widening, operator and kind of one device, by each of its strategies ($SCANRT_TEST_STRATEGY:
 * by some). Strategies that must give the same have one input and one expected output. */
#include "cases.h"
#include "reference.h"
#include "support.h"
#include "twin.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STRATEGIES = SCAN_STRATEGY_LOOKBACK_CLASSIC + 1, LIST_BYTES = 128 };

/* What is expected of a strategy, and how far it goes. */
enum group {
  SEQUENTIAL, /* the loop */
  CANONICAL,  /* the canonical order */
  SMALL,      /* the small matrix: the gallery, whose floats are near the exact result, and the host's AUTO */
  GROUPS
};

/* A strategy of the device. */
struct walker {
  scan_strategy strategy;
  char types[LIST_BYTES]; /* that it goes through; empty: all */
};

/* One cell of the matrix, in one group: a plan a strategy. */
struct cell {
  scan_spec spec;
  int takes_millions; /* every other cell goes to millions, the others to 4 MiB; floats do both */
  struct lab_plan plans[STRATEGIES];
  size_t count;
};

static struct {
  struct lab lab;
  struct case_list list;
  struct walker walkers[STRATEGIES];
  size_t walker_count;
  enum group group;
} matrix;

/* The host's AUTO is `threads` whatever n is, as its plans say (tile_items). */
static enum group group_of(scan_strategy strategy) {
  if (strategy == SCAN_STRATEGY_SEQUENTIAL) return SEQUENTIAL;
  if (strategy == SCAN_STRATEGY_AUTO && test_info()->backend == SCAN_BACKEND_HOST) return SMALL;
  return scan_strategy_is_canonical(strategy) ? CANONICAL : SMALL;
}

/* The gallery's kernels move every type alike, and test_gallery.c scans many tiles. */
static int is_small(void) { return test_is_small() || matrix.group == SMALL; }

static uint64_t max_of(uint64_t a, uint64_t b) { return a > b ? a : b; }

/* The largest n of a cell. */
static uint64_t cell_max_n(const struct cell *cell) {
  const uint64_t item_bytes = reference_bytes(cell->spec.type);
  const uint64_t boundary = UINT64_C(4) * 1024 * 1024 / item_bytes + 1, row = 32 * 1024 / item_bytes + 1;
  if (is_small()) return 2500;
  /* More turns than llvmpipe lets one work-item make. */
  if (matrix.group == SEQUENTIAL) return cell->takes_millions ? max_of(row, 70001) : row;
  /* Operators from source are slow on the host: past the change from small tiles to large ones. */
  if (matrix.lab.twins && !cell->takes_millions) return 520 * 1024 / item_bytes;
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
  if (spec->strategy == SCAN_STRATEGY_AUTO && test_info()->backend == SCAN_BACKEND_HOST &&
      facts.strategy != SCAN_STRATEGY_THREADS)
    test_fail("the host's AUTO is %s", scan_strategy_name(facts.strategy));
  return facts.tile_items;
}

/* Makes a plan for each of the cell's strategies. */
static void make_plans(struct cell *cell, const scan_spec *spec, uint64_t max_n) {
  for (size_t i = 0; i < cell->count; i++) {
    const scan_strategy strategy = cell->plans[i].spec.strategy;
    cell->plans[i].spec = *spec;
    cell->plans[i].spec.strategy = strategy;
    cell->plans[i].plan = make_plan(&cell->plans[i].spec, max_n);
  }
}

static void destroy_plans(struct cell *cell) {
  for (size_t i = 0; i < cell->count; i++) scan_plan_destroy(cell->plans[i].plan);
}

/* Runs matrix.list by the cell's plans, those whose results are not one set of bits each for itself, and empties it. */
static void run_list(const struct cell *cell) {
  const size_t together = reference_is_exact(&cell->plans[0].spec) ? cell->count : 1;
  for (size_t i = 0; i < cell->count; i += together) lab_run(&matrix.lab, &cell->plans[i], together, &matrix.list);
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

/* Every small n by plans for no more than that. */
static void run_small_plans(struct cell *cell) {
  const uint64_t last = is_small() ? 40 : 260;
  make_plans(cell, &cell->spec, last);
  cases_every(&matrix.list, last, last);
  for (uint64_t n = 1; n <= last; n = n * 2 + 1) add_in_place(&cell->spec, last, n);
  run_list(cell);
  destroy_plans(cell);
}

/* Around a tile of each size that the plans have. */
static void add_tiles(const struct cell *cell, uint64_t max_n) {
  uint64_t tiles[STRATEGIES];
  for (size_t i = 0; i < cell->count; i++) {
    size_t same = 0;
    tiles[i] = tile_items(&cell->plans[i].spec, cell->plans[i].plan);
    while (tiles[same] != tiles[i]) same++;
    if (same < i) continue;
    const uint64_t tile = tiles[i], few_tiles = 3 * tile + 17;
    if (!is_small()) add_shifts(&cell->spec, 100000, tile + 33 < max_n ? tile + 33 : 1033);
    cases_around(&matrix.list, max_n, tile);
    cases_add(&matrix.list, max_n, (struct scan_case){ .n = few_tiles });
    add_in_place(&cell->spec, max_n, few_tiles);
  }
}

/* Large plans for sizes from nothing to their largest: each n has its own tiles, whatever the plan was made for. */
static void run_large_plans(struct cell *cell) {
  const scan_spec *spec = &cell->spec;
  const uint64_t max_n = cell_max_n(cell), item_bytes = reference_bytes(spec->type);
  make_plans(cell, spec, max_n);
  cases_every(&matrix.list, max_n, is_small() ? 20 : 260);
  add_shifts(spec, max_n, is_small() ? 100 : 1000);
  run_list(cell);
  add_tiles(cell, max_n);
  cases_around(&matrix.list, max_n, 32 * 1024 / item_bytes);
  cases_around(&matrix.list, max_n, UINT64_C(4) * 1024 * 1024 / item_bytes);
  cases_add(&matrix.list, max_n, (struct scan_case){ .n = max_n, .in_shift = 1 });
  add_in_place(spec, max_n, max_n);
  run_list(cell);
  destroy_plans(cell);
}

static void run_init_plans(struct cell *cell) {
  const uint64_t max_n = is_small() ? 1100 : 9000;
  scan_spec spec = cell->spec;
  spec.has_init = 1;
  spec.init = values_init(&matrix.lab.rng, spec.type, spec.op);
  make_plans(cell, &spec, max_n);
  cases_every(&matrix.list, max_n, 20);
  cases_around(&matrix.list, max_n, 128);
  cases_add(&matrix.list, max_n, (struct scan_case){ .n = max_n });
  add_in_place(&spec, max_n, max_n);
  run_list(cell);
  destroy_plans(cell);
}

/* Without the initial value that the plans had last. */
static void run_host_memory(struct cell *cell) {
  static const uint64_t sizes[] = { 1, 5, 100, 1000, 5000, 20011 };
  for (size_t i = 0; i < cell->count; i++) {
    const scan_strategy strategy = cell->plans[i].spec.strategy;
    cell->plans[i].spec = cell->spec;
    cell->plans[i].spec.strategy = strategy;
  }
  for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
    if (sizes[i] <= cell_max_n(cell)) lab_run_host(&matrix.lab, cell->plans, cell->count, sizes[i]);
}

/* 1 when the device may say that it has no such cell, which it then must. */
static int may_lack(const scan_spec *spec) {
  if (!test_has_type(spec->type)) return 1;
  return matrix.group == SMALL && test_info()->backend == SCAN_BACKEND_CUDA; /* compiled for a few cells */
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

/* 1 when a comma-separated list names the type; an empty one names all. */
static int is_listed(const char *list, scan_type type) {
  const char *name = scan_type_name(type);
  const size_t name_bytes = strlen(name);
  for (const char *at = list; at; at = strchr(at, ',')) {
    at += *at == ',';
    if (strncmp(at, name, name_bytes) == 0 && (at[name_bytes] == ',' || at[name_bytes] == '\0')) return 1;
  }
  return list[0] == '\0';
}

/* What $SCANRT_TEST_TYPES, a comma-separated list, names; at small scale it names four where it is not set. */
static int is_type_wanted(scan_type type) {
  const char *list = getenv("SCANRT_TEST_TYPES");
  if (!list || !list[0]) list = is_small() ? "i32,u8,f32,i64" : "";
  return is_listed(list, type);
}

static int is_op_wanted(scan_op_id op) { return !is_small() || op == SCAN_ADD || op == SCAN_MAX; }

/* The strategies of this group that take the cell. */
static void choose_plans(struct cell *cell) {
  for (size_t i = 0; i < matrix.walker_count; i++) {
    const struct walker *walker = &matrix.walkers[i];
    struct lab_plan *next = &cell->plans[cell->count];
    if (group_of(walker->strategy) != matrix.group || !is_listed(walker->types, cell->spec.type)) continue;
    next->spec = cell->spec;
    next->spec.strategy = walker->strategy;
    cell->count += (size_t)!is_lacking(&next->spec);
  }
}

static void run_cell(struct cell *cell) {
  choose_plans(cell);
  if (cell->count == 0) return;
  run_small_plans(cell);
  run_large_plans(cell);
  run_init_plans(cell);
  run_host_memory(cell);
  test_ok(matrix.lab.ctx, scan_sync(matrix.lab.ctx), "scan_sync");
  for (size_t i = 0; i < cell->count; i++) test_ran();
}

static void run_kinds(const struct case_row *row, scan_op_id op) {
  for (int kind = SCAN_INCLUSIVE; kind <= SCAN_EXCLUSIVE; kind++) {
    struct cell cell = { .spec = SCAN_SPEC_INIT(row->type, op, (scan_kind)kind) };
    cell.spec.input_type = row->input_type;
    cell.takes_millions = ((int)row->type + (int)op + kind) % 2 == 0;
    run_cell(&cell);
  }
}

static void run_operators(const struct case_row *row) {
  for (int op = SCAN_ADD; op <= SCAN_XOR; op++)
    if (reference_defined(row->type, row->input_type, (scan_op_id)op) && is_op_wanted((scan_op_id)op))
      run_kinds(row, (scan_op_id)op);
}

static void test_row(void **state) {
  const struct case_row *row = *state;
  int wanted = 0;
  matrix.list.count = 0; /* what a failed row left there */
  if (matrix.lab.twins && row->input_type != SCAN_TYPE_DEFAULT) {
    test_skipped("operators from source do not widen");
    skip();
  }
  for (int group = 0; group < GROUPS; group++) {
    matrix.group = (enum group)group;
    if (!is_type_wanted(row->type)) continue;
    run_operators(row);
    wanted = 1;
  }
  if (wanted) return;
  test_skipped("type %s was not asked for", scan_type_name(row->type));
  skip();
}

/* Takes the strategy along, unless the device has none such, which it must give a reason for. */
static void add_walker(scan_strategy strategy, const char *types, size_t types_bytes) {
  struct walker *walker = &matrix.walkers[matrix.walker_count];
  scan_spec spec = SCAN_SPEC_INIT(SCAN_I32, SCAN_ADD, SCAN_INCLUSIVE);
  scan_plan *plan = NULL;
  spec.strategy = strategy;
  const scan_status status = scan_plan_create(test_ctx(), &spec, 1000, &plan);
  scan_plan_destroy(plan);
  if (status != SCAN_UNSUPPORTED) {
    *walker = (struct walker){ .strategy = strategy };
    snprintf(walker->types, sizeof walker->types, "%.*s", (int)types_bytes, types);
    matrix.walker_count++;
    return;
  }
  const char *sentence = scan_last_error(test_ctx());
  if (strlen(sentence) < 10) {
    print_error("strategy %s is refused without a reason\n", scan_strategy_name(strategy));
    exit(1);
  }
  test_skipped("strategy %s on %s: %s", scan_strategy_name(strategy), test_selector(), sentence);
}

/* One of $SCANRT_TEST_STRATEGY: "block", or "block=i8,u16" with the types that it goes through. */
static void add_named(const char *from, size_t bytes) {
  char name[LIST_BYTES];
  scan_strategy strategy;
  const size_t name_bytes = strcspn(from, "= ");
  snprintf(name, sizeof name, "%.*s", (int)name_bytes, from);
  if (scan_strategy_parse(name, &strategy) != SCAN_SUCCESS || matrix.walker_count == STRATEGIES ||
      bytes >= LIST_BYTES) {
    print_error("SCANRT_TEST_STRATEGY: no strategy is called %s\n", name);
    exit(1);
  }
  if (name_bytes < bytes)
    add_walker(strategy, from + name_bytes + 1, bytes - name_bytes - 1);
  else
    add_walker(strategy, "", 0);
}

static void choose_strategies(void) {
  const char *names = getenv("SCANRT_TEST_STRATEGY");
  if (names == NULL || names[0] == '\0')
    for (int s = 0; s < STRATEGIES; s++) add_walker((scan_strategy)s, "", 0);
  for (const char *at = names ? names : ""; *at != '\0'; at += strspn(at, " ")) {
    const size_t bytes = strcspn(at, " ");
    add_named(at, bytes);
    at += bytes;
  }
  if (matrix.walker_count == 0) test_skip_program("%s has none of the strategies", test_selector());
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
  choose_strategies();
  return test_exit(cmocka_run_group_tests_name("conformance", tests, group_setup, group_teardown));
}
