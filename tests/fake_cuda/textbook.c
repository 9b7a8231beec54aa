/* SPDX-License-Identifier: BSD-2-Clause */
/* The textbook kernels: names, geometry, workspace and order of launches, as in kernels_cl/textbook/. */
#include <inttypes.h>
#include <string.h>

#include "reference.h"
#include "state.h"

enum { CONTROL_BYTES = 512, SMALL = FAKE_GROUP_ITEMS, PAIRED = 2 * SMALL, RAKED = 8 * SMALL };

/* The work-groups of a launch: one for each tile, or one that walks all tiles. */
enum role { EACH_TILE, WALK };

static const struct fake_textbook {
  const char *kernel;
  unsigned tile_items, stage, stages; /* launch `stage` of `stages` */
  enum role role;
  int has_descriptors;
} kernels[] = {
  { "hillis_steele_tiles", SMALL, 0, 3, EACH_TILE, 0 },
  { "hillis_steele_totals", SMALL, 1, 3, WALK, 0 },
  { "hillis_steele_add", SMALL, 2, 3, EACH_TILE, 0 },
  { "blelloch_tiles", PAIRED, 0, 3, EACH_TILE, 0 },
  { "blelloch_totals", PAIRED, 1, 3, WALK, 0 },
  { "blelloch_add", PAIRED, 2, 3, EACH_TILE, 0 },
  { "blelloch_padded_tiles", PAIRED, 0, 3, EACH_TILE, 0 },
  { "blelloch_padded_totals", PAIRED, 1, 3, WALK, 0 },
  { "blelloch_padded_add", PAIRED, 2, 3, EACH_TILE, 0 },
  { "subgroup_tiles", SMALL, 0, 3, EACH_TILE, 0 },
  { "subgroup_totals", SMALL, 1, 3, WALK, 0 },
  { "subgroup_add", SMALL, 2, 3, EACH_TILE, 0 },
  { "sklansky_tiles", PAIRED, 0, 3, EACH_TILE, 0 },
  { "sklansky_totals", PAIRED, 1, 3, WALK, 0 },
  { "sklansky_add", PAIRED, 2, 3, EACH_TILE, 0 },
  { "brent_kung_tiles", SMALL, 0, 3, EACH_TILE, 0 },
  { "brent_kung_totals", SMALL, 1, 3, WALK, 0 },
  { "brent_kung_add", SMALL, 2, 3, EACH_TILE, 0 },
  { "raking_tiles", SMALL, 0, 3, EACH_TILE, 0 },
  { "raking_totals", SMALL, 1, 3, WALK, 0 },
  { "raking_add", SMALL, 2, 3, EACH_TILE, 0 },
  { "three_pass_reduce", RAKED, 0, 3, EACH_TILE, 0 },
  { "three_pass_totals", RAKED, 1, 3, WALK, 0 },
  { "three_pass_scan", RAKED, 2, 3, EACH_TILE, 0 },
  { "chained_scan", RAKED, 0, 1, EACH_TILE, 1 },
  { "lookback_classic_scan", RAKED, 0, 1, EACH_TILE, 1 },
};

const char *fake_textbook_kernel(unsigned index) {
  return index < sizeof kernels / sizeof kernels[0] ? kernels[index].kernel : NULL;
}

static const struct fake_textbook *find(const char *kernel) {
  for (size_t i = 0; i < sizeof kernels / sizeof kernels[0]; i++)
    if (strcmp(kernels[i].kernel, kernel) == 0) return &kernels[i];
  return NULL;
}

int fake_is_textbook(const char *kernel) { return find(kernel) != NULL; }

cuda_result fake_check_textbook(const struct CUfunc_st *f, unsigned groups, unsigned items, const fake_arguments *a) {
  const struct fake_textbook *k = find(f->kernel);
  const uint64_t bytes = reference_bytes(f->module->type), tiles = (a->n + k->tile_items - 1) / k->tile_items;
  const uint64_t wanted = k->role == WALK ? 1 : tiles;
  const uint64_t room = k->has_descriptors ? CONTROL_BYTES + tiles * (bytes > 4 ? 16 : 8) : tiles * bytes;
  if (items != FAKE_GROUP_ITEMS || groups != wanted)
    return fake_punish(FAKE_INVALID_VALUE, "%s: %u groups of %u for %" PRIu64 " tiles", f->kernel, groups, items,
                       tiles);
  if (!fake_range_is_live(a->workspace, room) || a->workspace % 8 != 0)
    return fake_punish(FAKE_ILLEGAL_ADDRESS, "%s: the workspace is smaller than %" PRIu64 " bytes", f->kernel, room);
  return k->has_descriptors && a->spin_limit == 0 ? fake_punish(FAKE_INVALID_VALUE, "the spin limit is 0") : CUDA_OK;
}

/* Checks that a strategy's launches come in order and are not mixed with another strategy's. Sets *scans to 1 for the
 * last one. */
cuda_result fake_advance_textbook(const struct CUfunc_st *f, int *scans) {
  const struct fake_textbook *k = find(f->kernel), **last = &f->module->context->textbook_last;
  const int follows = k->stage == 0 ? *last == NULL : *last == k - 1;
  if (!follows)
    return fake_punish(FAKE_INVALID_VALUE, "%s came after %s", f->kernel, *last ? (*last)->kernel : "nothing");
  *scans = k->stage + 1 == k->stages;
  *last = *scans ? NULL : k;
  return CUDA_OK;
}
