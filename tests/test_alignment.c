/* SPDX-License-Identifier: BSD-2-Clause */
/* Buffers that begin anywhere: misaligned input and output, out of place and in place, around every bound of the tiles
 * and of the pipelined kernel. */
#include "cases.h"
#include "reference.h"
#include "support.h"

enum { SUBTILE_BYTES = 4096, TILE_BYTES = 32768, PIPELINED_TILES = 17, SHIFTS_MOST = 8, STRATEGIES = 3 };

/* Elements after a multiple of 16 bytes. */
struct shifts {
  unsigned count, at[SHIFTS_MOST];
};

static struct {
  struct lab lab;
  struct case_list list;
  scan_strategy strategies[STRATEGIES]; /* that the device has */
  int strategy_count;
} program;

static scan_type input_of(const scan_spec *spec) { return spec->input_type ? spec->input_type : spec->type; }

/* Every shift of the type; of the 16 of a 1-byte type those that differ in their word or in their byte of a word. */
static struct shifts shifts_of(scan_type type) {
  const unsigned bytes = (unsigned)reference_bytes(type);
  if (bytes == 1) return (struct shifts){ 8, { 0, 1, 3, 4, 7, 8, 11, 15 } };
  struct shifts all = { .count = 16 / bytes };
  for (unsigned i = 0; i < all.count; i++) all.at[i] = i;
  return all;
}

static void add(uint64_t n, unsigned in_shift, unsigned out_shift, int in_place) {
  cases_add(&program.list, UINT64_MAX,
            (struct scan_case){ .n = n, .in_shift = in_shift, .out_shift = out_shift, .in_place = in_place });
}

static void add_in_place(const scan_spec *spec, uint64_t n) {
  const struct shifts out = shifts_of(spec->type);
  if (spec->input_type != SCAN_TYPE_DEFAULT) return;
  for (unsigned o = 0; o < out.count; o++) add(n, 0, out.at[o], 1);
}

/* Every input shift with every output shift. */
static void add_all(const scan_spec *spec, uint64_t n) {
  const struct shifts in = shifts_of(input_of(spec)), out = shifts_of(spec->type);
  for (unsigned i = 0; i < in.count; i++)
    for (unsigned o = 0; o < out.count; o++) add(n, in.at[i], out.at[o], 0);
  add_in_place(spec, n);
}

/* Every input shift and every output shift, twice. */
static void add_some(const scan_spec *spec, uint64_t n) {
  const struct shifts in = shifts_of(input_of(spec)), out = shifts_of(spec->type);
  for (unsigned i = 0; i < in.count; i++) {
    add(n, in.at[i], 0, 0);
    add(n, in.at[i], out.at[(out.count - 1 + i) % out.count], 0);
  }
  for (unsigned o = 1; o < out.count; o++) {
    add(n, 0, out.at[o], 0);
    add(n, in.at[(o + 1) % in.count], out.at[o], 0);
  }
  add_in_place(spec, n);
}

static void run_list(const struct lab_plan *plans) {
  lab_run(&program.lab, plans, (size_t)program.strategy_count, &program.list);
  program.list.count = 0;
}

/* Up to 512 KiB of output the pipelined strategy runs the look-back kernel: its own needs 17 tiles. */
static void run_sizes(const struct lab_plan *plans) {
  const scan_spec *spec = &plans[0].spec;
  const uint64_t bytes = reference_bytes(spec->type), tile = TILE_BYTES / bytes, subtile = SUBTILE_BYTES / bytes;
  const uint64_t every[] = { 1,       31,          16 / bytes - 1, 16 / bytes, 16 / bytes + 1, subtile - 1,
                             subtile, subtile + 1, tile - 1,       tile,       tile + 1,       3 * tile + 5 };
  const uint64_t some[] = { (PIPELINED_TILES - 1) * tile + 1, PIPELINED_TILES * tile, PIPELINED_TILES * tile + 5 };
  for (size_t i = 0; i < sizeof(every) / sizeof(every[0]); i++) add_all(spec, every[i]);
  run_list(plans);
  if (test_is_small()) return;
  for (size_t i = 0; i < sizeof(some) / sizeof(some[0]); i++) add_some(spec, some[i]);
  run_list(plans);
}

static void make_plan(struct lab_plan *by) {
  const uint64_t max_n = PIPELINED_TILES * TILE_BYTES / reference_bytes(by->spec.type) + 5;
  char text[TEST_TEXT];
  const scan_status status = scan_plan_create(program.lab.ctx, &by->spec, max_n, &by->plan);
  if (status != SCAN_SUCCESS)
    test_fail("%s: %s: %s", test_spec_text(&by->spec, text), scan_status_name(status),
              scan_last_error(program.lab.ctx));
}

/* By all strategies, which are to give the same. */
static void run_strategies(const struct case_row *row, scan_op_id op, scan_kind kind) {
  struct lab_plan plans[STRATEGIES];
  for (int s = 0; s < program.strategy_count; s++) {
    plans[s] = (struct lab_plan){ .spec = SCAN_SPEC_INIT(row->type, op, kind) };
    plans[s].spec.input_type = row->input_type;
    plans[s].spec.strategy = program.strategies[s];
    make_plan(&plans[s]);
  }
  run_sizes(plans);
  for (int s = 0; s < program.strategy_count; s++) {
    scan_plan_destroy(plans[s].plan);
    test_ran();
  }
  test_ok(program.lab.ctx, scan_sync(program.lab.ctx), "scan_sync");
}

static int is_wanted(const struct case_row *row) {
  if (!test_is_small()) return 1;
  return row->type == SCAN_U8 || row->type == SCAN_U16 || row->type == SCAN_F32 || row->type == SCAN_I64;
}

static void test_row(void **state) {
  const struct case_row *row = *state;
  program.list.count = 0; /* what a failed row left there */
  if (!is_wanted(row)) {
    test_skipped("type %s at this scale", scan_type_name(row->type));
    skip();
  }
  if (!test_has_type(row->type)) {
    test_skipped("%s: %s cannot hold it", scan_type_name(row->type), test_info()->name);
    skip();
  }
  const int has_max = reference_defined(row->type, row->input_type, SCAN_MAX) && !test_is_small();
  for (int kind = SCAN_INCLUSIVE; kind <= SCAN_EXCLUSIVE; kind++) {
    run_strategies(row, SCAN_ADD, (scan_kind)kind);
    if (has_max) run_strategies(row, SCAN_MAX, (scan_kind)kind);
  }
}

/* What the device refuses for an int32 sum is left out; what it takes must serve every type. */
static void choose_strategies(void) {
  static const scan_strategy wanted[STRATEGIES] = { SCAN_STRATEGY_AUTO, SCAN_STRATEGY_LOOKBACK,
                                                    SCAN_STRATEGY_PIPELINED };
  for (int s = 0; s < STRATEGIES; s++) {
    scan_spec spec = SCAN_SPEC_INIT(SCAN_I32, SCAN_ADD, SCAN_INCLUSIVE);
    scan_plan *plan = NULL;
    spec.strategy = wanted[s];
    const scan_status status = scan_plan_create(test_ctx(), &spec, PIPELINED_TILES * TILE_BYTES / 4, &plan);
    scan_plan_destroy(plan);
    if (status == SCAN_UNSUPPORTED && wanted[s] != SCAN_STRATEGY_AUTO)
      test_skipped("strategy %s on %s: %s", scan_strategy_name(wanted[s]), test_selector(),
                   scan_last_error(test_ctx()));
    else
      program.strategies[program.strategy_count++] = wanted[s];
  }
}

static int group_setup(void **state) {
  (void)state;
  lab_open(&program.lab, test_ctx(), 4 * 1024 * 1024);
  return 0;
}

static int group_teardown(void **state) {
  (void)state;
  lab_close(&program.lab);
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
    CASE_ROWS_OF_TYPES,
    CASE_ROW(SCAN_U32, SCAN_U8),
    CASE_ROW(SCAN_U64, SCAN_U8),
  };
  test_device_open();
  choose_strategies();
  return test_exit(cmocka_run_group_tests_name("alignment", tests, group_setup, group_teardown));
}
