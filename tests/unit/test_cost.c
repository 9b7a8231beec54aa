/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests work and span of the canonical strategies against a model, which follows the order of kernels_cl/README.md with
 * depths as values and counts; and the textbook strategies' geometry, workspaces and refusals. */
#include "base/canonical.h"
#include "base/embedded.h"
#include "bench_networks.h"
#include "strategy/scan/textbook.h"
#include "support.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define KIB ((uint64_t)1 << 10)

/* ---- recorded devices ---- */

static const scan_caps gpu = { .info = { .backend = SCAN_BACKEND_OPENCL,
                                         .selector = "opencl:0",
                                         .compute_units = 132,
                                         .max_group_items = 1024,
                                         .has_int64_atomics = 1,
                                         .has_fair_progress = 1 },
                               .tuning = { .group_items = 256, .groups_per_unit = 2 } };
static const scan_caps cpu = { .info = { .backend = SCAN_BACKEND_OPENCL,
                                         .selector = "opencl:1",
                                         .compute_units = 2,
                                         .max_group_items = 4096,
                                         .is_cpu = 1,
                                         .has_int64_atomics = 1,
                                         .has_fair_progress = 1 },
                               .tuning = { .group_items = 1, .groups_per_unit = 2 } };

/* ---- a model whose values are depths ---- */

enum { LANES = 32, ROWS = 8, PLACES = 128, MOST_SUBTILES = 8, MOST_ITEMS = 16 };

static struct {
  uint64_t work, deepest, groups;
  uint64_t totals[PLACES]; /* of the tiles of the open group */
  int has_run[7];          /* of a walking work-item: it has a run of 1, 2, 4 ... tiles */
} model;

static uint64_t combine(uint64_t a, uint64_t b) {
  model.work++;
  return (a > b ? a : b) + 1;
}

static uint64_t fold(const uint64_t *x, unsigned count) {
  uint64_t all = x[0];
  for (unsigned i = 1; i < count; i++) all = combine(all, x[i]);
  return all;
}

static uint64_t tree(const uint64_t *leaves, unsigned count, unsigned places) {
  uint64_t node[PLACES];
  for (unsigned i = 0; i < places; i++) node[i] = i < count ? leaves[i] : 0;
  for (unsigned width = places / 2; width > 0; width /= 2)
    for (unsigned i = 0; i < width; i++) node[i] = combine(node[2 * i], node[2 * i + 1]);
  return node[0];
}

static uint64_t fold_vector(unsigned items) {
  const uint64_t elements[MOST_ITEMS] = { 0 };
  return fold(elements, items);
}

/* Counts the work of reducing a tile before it is scanned. */
static void reduce_tile(unsigned items, unsigned subtiles) {
  uint64_t subs[MOST_SUBTILES];
  for (unsigned q = 0; q < subtiles; q++) {
    uint64_t rows[ROWS];
    for (unsigned r = 0; r < ROWS; r++) {
      uint64_t vectors[LANES];
      for (unsigned l = 0; l < LANES; l++) vectors[l] = fold_vector(items);
      rows[r] = tree(vectors, LANES, LANES);
    }
    subs[q] = fold(rows, ROWS);
  }
  (void)fold(subs, subtiles);
}

/* Counts the work of a walking work-item for a tile's prefix. Its runs of tiles are the bits of a counter, which each
 * tile increments. */
static void walk_past(unsigned place) {
  unsigned k = 0;
  for (unsigned bit = 0; bit < 7; bit++) model.work += model.has_run[bit] != 0;
  model.work++; /* the groups' prefix and the runs */
  for (; k < 7 && model.has_run[k]; k++) {
    model.has_run[k] = 0;
    model.work++;
  }
  if (place == PLACES - 1)
    model.work++;
  else
    model.has_run[k] = 1;
}

static uint64_t tile_prefix(unsigned place, int walks) {
  const uint64_t before = model.work, prefix = combine(model.groups, tree(model.totals, place, PLACES));
  if (walks) model.work = before;
  if (walks) walk_past(place);
  return prefix;
}

static void close_group(int walks) {
  const uint64_t before = model.work;
  model.groups = combine(model.groups, tree(model.totals, PLACES, PLACES));
  if (walks) model.work = before; /* walk_past has counted this work */
}

static void emit_vector(uint64_t start, unsigned items, scan_kind kind) {
  for (unsigned k = 0; k < items; k++) {
    const uint64_t next = combine(start, 0), out = kind == SCAN_INCLUSIVE ? next : start;
    if (out > model.deepest) model.deepest = out;
    start = next;
  }
}

static void scan_tile(unsigned items, unsigned subtiles, unsigned place, int walks, scan_kind kind) {
  uint64_t lanes[MOST_SUBTILES][ROWS][LANES], rows[ROWS], subs_before[MOST_SUBTILES], rows_before[MOST_SUBTILES][ROWS];
  uint64_t tile = 0;
  for (unsigned q = 0; q < subtiles; q++) {
    uint64_t sub = 0;
    for (unsigned r = 0; r < ROWS; r++) {
      uint64_t *x = lanes[q][r];
      for (unsigned l = 0; l < LANES; l++) x[l] = fold_vector(items);
      for (unsigned d = 1; d < LANES; d *= 2)
        for (unsigned l = LANES - 1; l >= d; l--) x[l] = combine(x[l - d], x[l]);
      rows[r] = x[LANES - 1];
      rows_before[q][r] = sub;
      sub = r == 0 ? rows[0] : combine(sub, rows[r]);
    }
    subs_before[q] = tile;
    tile = q == 0 ? sub : combine(tile, sub);
  }
  const uint64_t far = tile_prefix(place, walks);
  for (unsigned q = 0; q < subtiles; q++)
    for (unsigned r = 0; r < ROWS; r++)
      for (unsigned l = 0; l < LANES; l++) {
        const uint64_t near = combine(subs_before[q], combine(rows_before[q][r], l > 0 ? lanes[q][r][l - 1] : 0));
        emit_vector(combine(far, near), items, kind);
      }
  model.totals[place] = tile;
}

static scan_cost model_of(const scan_problem *problem, uint64_t n, int reduces_first, int walks) {
  const unsigned bytes = (unsigned)scan_type_bytes(problem->type), items = 16 / bytes;
  const unsigned subtiles = n * bytes > 32 * KIB && n * bytes <= 512 * KIB ? 1 : 8;
  const uint64_t tile_items = subtiles * 4 * KIB / bytes, tiles = (n + tile_items - 1) / tile_items;
  memset(&model, 0, sizeof model);
  for (uint64_t t = 0; t < tiles; t++) {
    const unsigned place = (unsigned)(t % PLACES);
    if (reduces_first) reduce_tile(items, subtiles);
    scan_tile(items, subtiles, place, walks, problem->kind);
    if (place == PLACES - 1 && (walks || t + 1 < tiles)) close_group(walks);
  }
  return (scan_cost){ model.work, model.deepest };
}

static void check_cost(const scan_strategy_ops *strategy, const scan_caps *caps, const scan_problem *problem,
                       uint64_t n, int reduces_first, int walks) {
  const scan_cost want = model_of(problem, n, reduces_first, walks), got = strategy->cost(caps, problem, n);
  if (got.work != want.work || got.span != want.span)
    test_fail("%s of %s, n=%" PRIu64 ": work %" PRIu64 " instead of %" PRIu64 ", span %" PRIu64 " instead of %" PRIu64,
              scan_strategy_name(strategy->id), scan_type_name(problem->type), n, got.work, want.work, got.span,
              want.span);
}

/* Sizes of output around the bounds of tiles, of tile sizes and of groups. */
static void test_canonical_costs(void **state) {
  (void)state;
  const uint64_t sizes[] = { 8,        4 * KIB,   32 * KIB,      32 * KIB + 8, 36 * KIB,       40 * KIB,
                             68 * KIB, 512 * KIB, 512 * KIB + 8, 4096 * KIB,   4096 * KIB + 8, 8200 * KIB };
  const scan_type types[] = { SCAN_U8, SCAN_I16, SCAN_F32, SCAN_F64 };
  for (size_t t = 0; t < sizeof types / sizeof types[0]; t++)
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
      const scan_problem problem = {
        .input_type = types[t], .type = types[t], .op = SCAN_ADD, .kind = i % 2 ? SCAN_EXCLUSIVE : SCAN_INCLUSIVE
      };
      const uint64_t n = sizes[i] / scan_type_bytes(types[t]);
      check_cost(&scan_strategy_block, &gpu, &problem, n, 0, 1);
      check_cost(&scan_strategy_reduce_then_scan, &gpu, &problem, n, 1, 1);
      check_cost(&scan_strategy_threads, &cpu, &problem, n, 1, 1);
      check_cost(&scan_strategy_lookback, &cpu, &problem, n, 1, 1);
      check_cost(&scan_strategy_lookback, &gpu, &problem, n, 1, 0);
      check_cost(&scan_strategy_pipelined, &gpu, &problem, n, 1, 0);
    }
}

static void test_sequential_costs(void **state) {
  (void)state;
  scan_problem problem = { .input_type = SCAN_I32, .type = SCAN_I32, .op = SCAN_ADD, .kind = SCAN_INCLUSIVE };
  for (uint64_t n = 1; n < (uint64_t)1 << 40; n = 3 * n + 1) {
    problem.kind = SCAN_INCLUSIVE;
    assert_int_equal(scan_strategy_sequential.cost(&gpu, &problem, n).work, n);
    assert_int_equal(scan_strategy_sequential.cost(&gpu, &problem, n).span, n);
    problem.kind = SCAN_EXCLUSIVE; /* the last application is not part of an output */
    assert_int_equal(scan_strategy_sequential.cost(&gpu, &problem, n).work, n);
    assert_int_equal(scan_strategy_sequential.cost(&gpu, &problem, n).span, n - 1);
  }
}

/* ---- the textbook strategies ---- */

static int is_textbook(scan_strategy strategy) {
  return strategy != SCAN_STRATEGY_SEQUENTIAL && !scan_strategy_is_canonical(strategy);
}

/* Checks each launch: as many work-groups as tiles, or one; every element in a tile; a workspace with a value or a
 * descriptor for each tile, for all n up to the plan's. */
static void check_geometry(const scan_strategy_ops *strategy, const scan_caps *caps, scan_type type, uint64_t n,
                           uint32_t items) {
  const scan_problem problem = { .input_type = type, .type = type, .op = SCAN_ADD, .kind = SCAN_INCLUSIVE };
  const uint64_t bytes = scan_type_bytes(type), room = strategy->workspace_bytes(&problem, n);
  const uint64_t tile_bytes = strategy->has_control_block ? (bytes > 4 ? 16 : 8) : bytes;
  scan_schedule s;
  memset(&s, 0x5a, sizeof s);
  strategy->schedule(caps, &problem, n, &s);
  assert_true(s.tiles * s.tile_items >= n && (s.tiles - 1) * s.tile_items < n);
  assert_true(s.tiles * tile_bytes + (strategy->has_control_block ? SCAN_CONTROL_BYTES : 0) <= room);
  assert_int_equal(s.step_count, 3);
  assert_true(s.spin_limit > 0 && s.spin_limit_in_place > 0);
  assert_int_equal(s.group_items, items);
  const int clears = strategy->has_control_block ? 2 : 0; /* the steps that clear the ticket and the descriptors */
  for (int i = 0; i < clears; i++) {
    assert_int_equal(s.steps[i].kind, SCAN_STEP_FILL);
    assert_int_equal(s.steps[i].to, offsetof(scan_kernel_args, workspace));
    assert_int_equal(s.steps[i].at, i == 0 ? 0 : SCAN_CONTROL_BYTES);
    assert_int_equal(s.steps[i].bytes, i == 0 ? 4 : s.tiles * tile_bytes);
  }
  for (int i = clears; i < s.step_count; i++) {
    assert_int_equal(s.steps[i].groups, !clears && i == 1 ? 1 : s.tiles); /* or one for totals */
    assert_int_equal(s.steps[i].items_per_group, items);
    assert_string_equal(s.steps[i].file, s.steps[clears].file);
    assert_memory_equal(s.steps[i].kernel, scan_strategy_name(strategy->id), strlen(scan_strategy_name(strategy->id)));
  }
}

static void test_textbook_geometry(void **state) {
  (void)state;
  unsigned count = 0;
  for (int s = SCAN_STRATEGY_AUTO; scan_strategy_name((scan_strategy)s) != NULL; s++) {
    if (!is_textbook((scan_strategy)s)) continue;
    const scan_strategy_ops *strategy = scan_strategy_get((scan_strategy)s);
    count++;
    for (int type = SCAN_I8; type <= SCAN_F64; type++)
      for (uint64_t n = 1; n<(uint64_t)1 << 36; n = 5 * n - 1> n ? 5 * n - 1 : n + 1) {
        check_geometry(strategy, &gpu, (scan_type)type, n, 256);
        check_geometry(strategy, &cpu, (scan_type)type, n, 64);
      }
  }
  assert_int_equal(count, 10);
}

/* The networks of `scanrt bench --gallery` cost what the kernels do, whose costs tests/test_textbook.c counts: a scan
 * of one tile is its network, an exclusive one of its total, of as many values, and three additions. */
static void test_textbook_networks(void **state) {
  (void)state;
  const scan_problem problem = { .input_type = SCAN_I32, .type = SCAN_I32, .op = SCAN_ADD, .kind = SCAN_INCLUSIVE };
  const scan_caps *const devices[] = { &cpu, &gpu };
  unsigned count = 0;
  for (int s = SCAN_STRATEGY_AUTO; scan_strategy_name((scan_strategy)s) != NULL; s++)
    for (size_t d = 0; d < 2; d++) {
      bench_network network;
      if (!bench_network_count((scan_strategy)s, 16, 4, &network)) continue;
      const scan_strategy_ops *strategy = scan_strategy_get((scan_strategy)s);
      scan_schedule schedule;
      strategy->schedule(devices[d], &problem, 1, &schedule);
      const uint64_t m = schedule.tile_items,
                     final = strategy->id == SCAN_STRATEGY_BLELLOCH || strategy->id == SCAN_STRATEGY_BLELLOCH_PADDED
                                 ? m /* its inclusive scan adds each element once more */
                                 : 0;
      assert_true(bench_network_count(strategy->id, (unsigned)m, 32, &network));
      const scan_cost cost = strategy->cost(devices[d], &problem, m);
      if (cost.work != 2 * network.size - final + m + 1 + m || cost.span != network.depth + 1)
        test_fail("%s: work %" PRIu64 ", span %" PRIu64 ", of a network of size %" PRIu64 ", depth %" PRIu64,
                  scan_strategy_name(strategy->id), cost.work, cost.span, network.size, network.depth);
      count++;
    }
  assert_int_equal(count, 14);
}

/* Networks of 16 inputs: the literature's depth and size, but of Sklansky's network, drawn with 36 applications. */
static void test_networks_of_16(void **state) {
  (void)state;
  static const struct {
    scan_strategy strategy;
    uint64_t depth, size;
  } known[] = { { SCAN_STRATEGY_HILLIS_STEELE, 4, 49 },
                { SCAN_STRATEGY_SKLANSKY, 4, 32 },
                { SCAN_STRATEGY_BRENT_KUNG, 5, 37 },
                { SCAN_STRATEGY_RAKING, 9, 29 } };
  for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
    bench_network network;
    assert_true(bench_network_count(known[i].strategy, 16, 4, &network));
    assert_int_equal(network.depth, known[i].depth);
    assert_int_equal(network.size, known[i].size);
  }
  bench_network none;
  assert_int_equal(bench_network_count(SCAN_STRATEGY_CHAINED, 16, 4, &none), 0);
}

/* The file that a strategy names is embedded in the library. */
static void test_textbook_texts(void **state) {
  (void)state;
  const scan_problem problem = { .input_type = SCAN_I32, .type = SCAN_I32, .op = SCAN_ADD, .kind = SCAN_INCLUSIVE };
  for (int s = SCAN_STRATEGY_AUTO; scan_strategy_name((scan_strategy)s) != NULL; s++) {
    if (!is_textbook((scan_strategy)s)) continue;
    scan_schedule schedule;
    scan_strategy_get((scan_strategy)s)->schedule(&gpu, &problem, 1000, &schedule);
    const char *file = schedule.steps[schedule.step_count - 1].file; /* check_geometry: the same for all steps */
    size_t i = 0;
    while (i < scan_kernel_text_count && strcmp(scan_kernel_texts[i].name, file) != 0) i++;
    if (i == scan_kernel_text_count) test_fail("%s: there is no %s", scan_strategy_name((scan_strategy)s), file);
  }
}

static void check_refusal(scan_strategy id, const scan_caps *caps, const char *words) {
  const scan_problem problem = { .input_type = SCAN_I32, .type = SCAN_I32, .op = SCAN_MUL, .kind = SCAN_INCLUSIVE };
  const char *refusal = scan_strategy_get(id)->refusal(caps, &problem);
  if (words == NULL ? refusal == NULL : refusal != NULL && strstr(refusal, words) != NULL) return;
  test_fail("%s on %s: \"%s\"", scan_strategy_name(id), caps->info.selector, refusal ? refusal : "accepted");
}

static void test_textbook_refusals(void **state) {
  (void)state;
  for (int s = SCAN_STRATEGY_AUTO; scan_strategy_name((scan_strategy)s) != NULL; s++) {
    if (!is_textbook((scan_strategy)s)) continue;
    const scan_strategy id = (scan_strategy)s;
    const int waits = id == SCAN_STRATEGY_CHAINED || id == SCAN_STRATEGY_LOOKBACK_CLASSIC;
    scan_caps device = gpu;
    check_refusal(id, &gpu, NULL);
    check_refusal(id, &cpu, NULL);
    device.info.has_fair_progress = 0;
    check_refusal(id, &device, waits ? "forward progress" : NULL);
    device.info.has_int64_atomics = 0;
    check_refusal(id, &device, waits ? "64-bit atomics" : NULL);
    device = gpu;
    device.info.max_group_items = 32;
    check_refusal(id, &device, "work-groups of 64");
    device = gpu;
    device.info.backend = SCAN_BACKEND_HOST;
    check_refusal(id, &device, "the host has no work-groups");
    device.info.backend = SCAN_BACKEND_CUDA;
    check_refusal(id, &device, "few types and operators");
  }
}

static void test_textbook_limits(void **state) {
  (void)state;
  const scan_problem problem = { .input_type = SCAN_I32, .type = SCAN_I32, .op = SCAN_ADD, .kind = SCAN_INCLUSIVE };
  scan_caps llvmpipe = cpu;
  llvmpipe.loop_limit = 65535;
  for (int s = SCAN_STRATEGY_AUTO; scan_strategy_name((scan_strategy)s) != NULL; s++) {
    if (!is_textbook((scan_strategy)s)) continue;
    const scan_strategy_ops *strategy = scan_strategy_get((scan_strategy)s);
    const uint64_t limit = strategy->limit(&llvmpipe, &problem);
    scan_schedule schedule;
    assert_true(strategy->limit(&gpu, &problem) == UINT64_MAX);
    strategy->schedule(&llvmpipe, &problem, limit, &schedule);
    assert_true(schedule.tiles / 64 * 32 <= 65535); /* a walk of at least 64 totals at a time, 32 iterations each */
    assert_true(limit > 1 << 20);
  }
}

#define TEST(function) cmocka_unit_test_setup(function, test_count_setup)

int main(void) {
  const struct CMUnitTest tests[] = {
    TEST(test_canonical_costs),   TEST(test_sequential_costs), TEST(test_textbook_geometry), TEST(test_textbook_texts),
    TEST(test_textbook_refusals), TEST(test_textbook_limits),  TEST(test_textbook_networks), TEST(test_networks_of_16),
  };
  unsetenv("SCANRT_TUNE");
  return test_exit(cmocka_run_group_tests_name("unit.cost", tests, NULL, NULL));
}
