/* SPDX-License-Identifier: BSD-2-Clause */
/* Textbook scans, those of the literature, beside the product's; only a caller can choose them, by name. Their kernels
 * are in kernels_cl/textbook/. Each strategy is one TEXTBOOK line here, with its kernels. */
#include "strategy/scan/textbook.h"
#include "base/types.h"
#include "device/arguments.h"
#include "kernels_cl/lib/arguments.h"

static const scan_argument_list arguments = SCAN_ARGUMENTS(TEXTBOOK_ARGUMENTS);

/* Polls before a work-group gives up waiting and the scan fails; a poll takes 0.5 to 1 us on a GPU. */
enum { SPIN_LIMIT = 1 << 26 };

typedef struct textbook_variant {
  textbook_kind kind;
  const char *file;
  const char *kernels[3]; /* NULL at the end */
} textbook_variant;

uint32_t scan_textbook_group_items(const scan_caps *caps) {
  return caps->tuning.group_items > 1 ? caps->tuning.group_items : TEXTBOOK_LEAST_ITEMS;
}

/* ---- refusals ---- */

static int is_compiled(const textbook_variant *variant, const scan_caps *caps, const scan_problem *problem) {
  const scan_type type = scan_type_for_kernel(problem->type, problem->op);
  const scan_kernel_key key = { .file = variant->file,
                                .kernel = variant->kernels[0],
                                .input_type = problem->input_type == problem->type ? type : problem->input_type,
                                .type = type,
                                .op = problem->op,
                                .group_items = TEXTBOOK_LEAST_ITEMS };
  return scan_backend_has_kernel(caps->info.backend, &key);
}

static const char *textbook_refusal(const textbook_variant *variant, const scan_caps *caps,
                                    const scan_problem *problem) {
  if (caps->info.backend == SCAN_BACKEND_HOST) return scan_refuse_host(caps, problem);
  if (problem->source != NULL) return "the textbook scans have built-in operators only; use another strategy";
  if (problem->kind == SCAN_TOTAL)
    return "the textbook scans store every element: they have no SCAN_TOTAL; use another strategy";
  if (problem->reads_n) return "the textbook scans do not read n from memory; use another strategy";
  if (problem->carry_in.kind != SCAN_MEM_NONE || problem->carry_out.kind != SCAN_MEM_NONE)
    return "the textbook scans stand alone: they have no carry_in and carry_out; use another strategy";
  if (caps->info.max_group_items < TEXTBOOK_LEAST_ITEMS)
    return "the textbook scans want work-groups of 64, and this device has none so large";
  if (!is_compiled(variant, caps, problem))
    return "on CUDA the textbook scans are compiled for few types and operators only (SCANRT_TEXTBOOK_IMAGES in "
           "tools/cmake/CudaCatalogue.cmake), and this is none of them; scan it on OpenCL, which has all, or by "
           "another strategy";
  if (variant->kind != TEXTBOOK_SINGLE_PASS) return NULL;
  if (!caps->info.has_int64_atomics) return "it needs 64-bit atomics, which this device does not have";
  return caps->info.has_fair_progress
             ? NULL
             : "its work-groups wait for others, and nothing is known of this device's forward progress";
}

/* The largest n on a device that ends loops: the walk over the totals runs up to 32 inner iterations for each of its
 * own. */
static uint64_t textbook_limit(const textbook_variant *variant, const scan_caps *caps) {
  const uint64_t items = scan_textbook_group_items(caps);
  return scan_loop_limited(caps, caps->loop_limit / 32 * items * scan_textbook_tile_items(variant->kind, items));
}

/* ---- geometry ---- */

static uint64_t workspace_bytes_of(const textbook_variant *variant, const scan_problem *problem, uint64_t tiles) {
  const uint64_t bytes = scan_problem_bytes(problem);
  return variant->kind == TEXTBOOK_SINGLE_PASS ? SCAN_CONTROL_BYTES + tiles * (bytes > 4 ? 16 : 8) : tiles * bytes;
}

/* Clears ticket and descriptors before a single-pass scan, as the originals do. The error word that an earlier
 * look-back left stays. */
static void add_clearing(uint64_t at, uint64_t bytes, scan_schedule *s) {
  scan_schedule_add(
      s, &(scan_step){ .kind = SCAN_STEP_FILL, .to = offsetof(scan_kernel_args, workspace), .at = at, .bytes = bytes });
}

static void textbook_schedule(const textbook_variant *variant, const scan_caps *caps, const scan_problem *problem,
                              uint64_t n, scan_schedule *s) {
  const uint32_t items = scan_textbook_group_items(caps);
  const uint64_t tile_items = scan_textbook_tile_items(variant->kind, items),
                 tiles = n / tile_items + (n % tile_items != 0);
  scan_schedule_start(s, 8, tile_items, tiles); /* no canonical tiles here: one build serves every n */
  s->spin_limit = s->spin_limit_in_place = SPIN_LIMIT;
  s->group_items = items;
  if (variant->kind == TEXTBOOK_SINGLE_PASS) {
    add_clearing(0, sizeof(uint32_t), s);
    add_clearing(SCAN_CONTROL_BYTES, workspace_bytes_of(variant, problem, tiles) - SCAN_CONTROL_BYTES, s);
  }
  for (int i = 0; i < 3 && variant->kernels[i] != NULL; i++)
    scan_schedule_launch(s, variant->file, variant->kernels[i], &arguments, i == 1 ? 1 : tiles, items);
}

/* Bytes of a value a tile, or of the control block and a descriptor a tile. They are counted for the smallest
 * work-groups, which have the most tiles: at most a 64th of the output. */
static uint64_t textbook_workspace_bytes(const textbook_variant *variant, const scan_problem *problem, uint64_t max_n) {
  return workspace_bytes_of(variant, problem,
                            max_n / scan_textbook_tile_items(variant->kind, TEXTBOOK_LEAST_ITEMS) + 1);
}

/* ---- the strategies ---- */

#define TEXTBOOK(name, id_, kind_, one, two, three)                                                                    \
  static const textbook_variant name##_variant = { kind_, #name ".cl", { one, two, three } };                          \
  static const char *name##_refusal(const scan_caps *caps, const scan_problem *problem) {                              \
    return textbook_refusal(&name##_variant, caps, problem);                                                           \
  }                                                                                                                    \
  static uint64_t name##_limit(const scan_caps *caps, const scan_problem *problem) {                                   \
    (void)problem;                                                                                                     \
    return textbook_limit(&name##_variant, caps);                                                                      \
  }                                                                                                                    \
  static void name##_schedule(const scan_caps *caps, const scan_problem *problem, uint64_t n, scan_schedule *s) {      \
    textbook_schedule(&name##_variant, caps, problem, n, s);                                                           \
  }                                                                                                                    \
  static uint64_t name##_workspace_bytes(const scan_problem *problem, uint64_t max_n) {                                \
    return textbook_workspace_bytes(&name##_variant, problem, max_n);                                                  \
  }                                                                                                                    \
  static scan_cost name##_cost(const scan_caps *caps, const scan_problem *problem, uint64_t n) {                       \
    return scan_textbook_cost(kind_, scan_textbook_group_items(caps), problem->kind, n);                               \
  }                                                                                                                    \
  const scan_strategy_ops scan_strategy_##name = { .id = (id_),                                                        \
                                                   .refusal = name##_refusal,                                          \
                                                   .limit = name##_limit,                                              \
                                                   .schedule = name##_schedule,                                        \
                                                   .workspace_bytes = name##_workspace_bytes,                          \
                                                   .cost = name##_cost,                                                \
                                                   .has_control_block = (kind_) == TEXTBOOK_SINGLE_PASS }

TEXTBOOK(hillis_steele, SCAN_STRATEGY_HILLIS_STEELE, TEXTBOOK_HILLIS_STEELE, "hillis_steele_tiles",
         "hillis_steele_totals", "hillis_steele_add");
TEXTBOOK(blelloch, SCAN_STRATEGY_BLELLOCH, TEXTBOOK_BLELLOCH, "blelloch_tiles", "blelloch_totals", "blelloch_add");
TEXTBOOK(blelloch_padded, SCAN_STRATEGY_BLELLOCH_PADDED, TEXTBOOK_BLELLOCH, "blelloch_padded_tiles",
         "blelloch_padded_totals", "blelloch_padded_add");
TEXTBOOK(subgroup, SCAN_STRATEGY_SUBGROUP, TEXTBOOK_SUBGROUP, "subgroup_tiles", "subgroup_totals", "subgroup_add");
TEXTBOOK(sklansky, SCAN_STRATEGY_SKLANSKY, TEXTBOOK_SKLANSKY, "sklansky_tiles", "sklansky_totals", "sklansky_add");
TEXTBOOK(brent_kung, SCAN_STRATEGY_BRENT_KUNG, TEXTBOOK_BRENT_KUNG, "brent_kung_tiles", "brent_kung_totals",
         "brent_kung_add");
TEXTBOOK(raking, SCAN_STRATEGY_RAKING, TEXTBOOK_RAKING, "raking_tiles", "raking_totals", "raking_add");
TEXTBOOK(three_pass, SCAN_STRATEGY_THREE_PASS, TEXTBOOK_THREE_PASS, "three_pass_reduce", "three_pass_totals",
         "three_pass_scan");
TEXTBOOK(chained, SCAN_STRATEGY_CHAINED, TEXTBOOK_SINGLE_PASS, "chained_scan", NULL, NULL);
TEXTBOOK(lookback_classic, SCAN_STRATEGY_LOOKBACK_CLASSIC, TEXTBOOK_SINGLE_PASS, "lookback_classic_scan", NULL, NULL);
