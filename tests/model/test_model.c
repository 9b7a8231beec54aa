/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks every schedule of the look-back protocol for few tiles, work-groups and launches, with a wrap of the epochs,
 * and that each deliberate defect is found. $SCANRT_TEST_MODEL: the most tiles and work-groups (3; 4 takes minutes). */
#include <stdio.h>
#include <stdlib.h>

#include "model.h"
#include "support.h"
#include "tally.h"

enum { MOST = MODEL_TILES, LAUNCHES = 3, EPOCH_LAST = 2 };

static unsigned most(void) {
  const char *text = getenv("SCANRT_TEST_MODEL");
  const unsigned long size = text != NULL ? strtoul(text, NULL, 10) : test_is_small() ? 2 : 3;
  return size >= 1 && size <= MOST ? (unsigned)size : MOST;
}

static void describe(const struct model *m, char text[TEST_TEXT]) {
  snprintf(text, TEST_TEXT,
           "%s: %u work-groups, %u at once, tiles %u %u %u, words=%u relaxed=%d split=%u counts=%u own=%u backwards=%u "
           "in_place=%u times_out=%u withheld=%u lost=%u dropped=%u epochs=%u",
           m->name, m->work_groups, m->resident ? m->resident : m->work_groups, m->tiles[0], m->tiles[1], m->tiles[2],
           m->words, m->ordering == ORDERING_RELAXED, m->split, m->counts, m->own, m->backwards, m->in_place,
           m->times_out, m->withheld, m->lost, m->dropped, m->epoch_last);
}

static void check(const struct model *m) {
  static struct findings found;
  char text[TEST_TEXT];
  describe(m, text);
  model_check(m, &found);
  if (found.fault != NULL) {
    print_message("%s", found.schedule);
    test_fail("%s: %s", text, found.fault);
  }
  tally_add(found.states, found.steps);
}

/* ---- every schedule ---- */

/* Checks equal launches, as in replays of a graph, and a short launch among long ones, which leaves old words. */
static void check_launches(struct model m, unsigned tiles) {
  m.launches = LAUNCHES;
  m.epoch_last = EPOCH_LAST;
  for (unsigned l = 0; l < LAUNCHES; l++) m.tiles[l] = (uint8_t)tiles;
  check(&m);
  m.tiles[1] = 1;
  if (tiles > 1) check(&m);
  m.epoch_last = 1; /* each launch has the last epoch */
  check(&m);
}

/* Checks withheld tiles: if waits end, another work-group publishes such a tile. */
static void check_waits(struct model m, unsigned tiles) {
  for (unsigned withheld = 0; withheld < 1u << tiles; withheld++) {
    m.times_out = 1;
    m.withheld = (uint8_t)withheld;
    if ((withheld & (withheld - 1)) == 0) check_launches(m, tiles); /* at most one tile */
  }
  m.withheld = m.times_out = 0;
  if (!m.own || m.resident == m.work_groups) check_launches(m, tiles); /* fallback is needed for fewer */
}

static void check_sizes(struct model m) {
  for (unsigned tiles = 1; tiles <= most(); tiles++)
    for (unsigned groups = 1; groups <= most() && (groups <= tiles || m.compacts); groups++)
      for (unsigned resident = 1; resident <= groups; resident++) {
        m.work_groups = (uint8_t)groups;
        m.resident = (uint8_t)resident;
        check_waits(m, tiles);
      }
}

/* Checks descriptors of one and two words, packed and split, with a claim that is reset by the last claim or by the
 * last work-group out. */
static void check_words(struct model m, int closes_at_claim) {
  for (unsigned words = 1; words <= MODEL_WORDS; words++)
    for (unsigned split = 0; split <= 1; split++)
      for (unsigned counts = 0; counts <= 1; counts++) {
        m.words = (uint8_t)words;
        m.split = (uint8_t)split;
        m.counts = (uint8_t)counts;
        if (!counts && (split || !closes_at_claim)) continue; /* COUNTS_TILES is 1 in these cases */
        check_sizes(m);
      }
}

static void check_places(struct model m, int closes_at_claim) {
  for (unsigned in_place = 0; in_place <= 1; in_place++) {
    m.in_place = (uint8_t)in_place;
    check_words(m, closes_at_claim);
  }
}

static void test_groups_relaxed(void **state) {
  (void)state;
  check_places((struct model){ .name = "PTX", .variant = VARIANT_GROUP, .ordering = ORDERING_RELAXED }, 1);
}

static void test_groups_own(void **state) {
  (void)state;
  check_words((struct model){ .name = "own tiles", .variant = VARIANT_GROUP, .ordering = ORDERING_RELAXED, .own = 1 },
              1);
}

static void test_groups_atomic(void **state) {
  (void)state;
  check_places((struct model){ .name = "OpenCL", .variant = VARIANT_GROUP, .ordering = ORDERING_ATOMIC }, 0);
}

static void test_items(void **state) {
  (void)state;
  struct model m = { .name = "work-items", .variant = VARIANT_ITEM, .ordering = ORDERING_ATOMIC };
  check_places(m, 0);
  m.ordering = ORDERING_RELAXED; /* the weakest ordering */
  check_places(m, 0);
}

/* Checks tiles that are never written, as on a device that ends loops early: the last work-group out reports them. */
static void test_lost(void **state) {
  (void)state;
  struct model m = {
    .name = "lost tiles", .variant = VARIANT_ITEM, .ordering = ORDERING_ATOMIC, .words = 1, .counts = 1
  };
  for (unsigned lost = 1; lost < 1u << most(); lost++) {
    m.lost = (uint8_t)lost;
    m.times_out = 1;
    m.work_groups = m.resident = (uint8_t)most();
    check_launches(m, most());
  }
}

/* Checks tickets from the last tile down: waits are for tiles that no work-group has claimed. */
static void test_backwards(void **state) {
  (void)state;
  struct model m = { .name = "backwards", .ordering = ORDERING_ATOMIC, .backwards = 1, .times_out = 1, .counts = 1 };
  for (unsigned variant = VARIANT_ITEM; variant <= VARIANT_GROUP; variant++)
    for (unsigned words = 1; words <= MODEL_WORDS; words++)
      for (unsigned groups = 1; groups <= most(); groups++) {
        m.variant = variant == VARIANT_ITEM ? VARIANT_ITEM : VARIANT_GROUP;
        m.words = (uint8_t)words;
        m.work_groups = m.resident = (uint8_t)groups;
        check_launches(m, most());
      }
}

static void check_dropped(struct model m) {
  for (unsigned dropped = 0; dropped < 1u << most(); dropped++) {
    m.dropped = (uint8_t)dropped;
    check_sizes(m);
  }
}

static void test_compaction(void **state) {
  (void)state;
  struct model m = { .name = "compaction in place", .variant = VARIANT_GROUP, .words = 1, .compacts = 1 };
  check_dropped(m);
  m.ordering = ORDERING_ATOMIC;
  m.counts = 1;
  check_dropped(m);
}

/* ---- deliberate defects ---- */

#define MODEL(NAME, WORDS, VARIANT, ORDERING, ...)                                                                     \
  {                                                                                                                    \
    .name = NAME, .variant = VARIANT, .ordering = ORDERING, .words = WORDS, .epoch_last = EPOCH_LAST,                  \
    .work_groups = 2, .launches = LAUNCHES, __VA_ARGS__                                                                \
  }
#define GROUP_PTX(NAME, WORDS, ...) MODEL(NAME, WORDS, VARIANT_GROUP, ORDERING_RELAXED, __VA_ARGS__)
#define GROUP_OPENCL(NAME, WORDS, ...) MODEL(NAME, WORDS, VARIANT_GROUP, ORDERING_ATOMIC, .counts = 1, __VA_ARGS__)
#define ITEM_OPENCL(NAME, WORDS, ...) MODEL(NAME, WORDS, VARIANT_ITEM, ORDERING_ATOMIC, .counts = 1, __VA_ARGS__)
#define TILES(...) .tiles = { __VA_ARGS__ }
#define MUTANT(NAME) .times_out = 1, .mutant = MUTANT_##NAME

/* Without its mutant, and with waits that end, each model is right. */
static const struct model mistakes[] = {
  GROUP_OPENCL("no epoch in a word", 1, TILES(2, 2, 2), MUTANT(NO_EPOCH)),
  GROUP_PTX("no epoch in a word", 1, TILES(2, 2, 2), MUTANT(NO_EPOCH)),
  ITEM_OPENCL("no epoch in a word", 2, TILES(2, 2, 2), .split = 1, MUTANT(NO_EPOCH)),
  GROUP_OPENCL("the epoch in the first word alone", 2, TILES(2, 2, 2), MUTANT(HALF_EPOCH)),
  ITEM_OPENCL("the epoch in the first word alone", 2, TILES(2, 2, 2), MUTANT(HALF_EPOCH)),
  GROUP_PTX("the epoch in the first word alone", 2, TILES(2, 2, 2), MUTANT(HALF_EPOCH)),
  GROUP_PTX("the word with the epoch last, no fence", 2, TILES(2, 2, 2), MUTANT(FLAG_LAST)),
  GROUP_OPENCL("the host says the epoch, replayed", 1, TILES(2, 2, 2), MUTANT(SAME_EPOCH)),
  GROUP_PTX("the host says the epoch, replayed", 1, TILES(2, 2, 2), MUTANT(SAME_EPOCH)),
  GROUP_PTX("the epoch does not move on", 1, TILES(2, 2, 2), MUTANT(STUCK_EPOCH)),
  ITEM_OPENCL("the epoch does not move on", 1, TILES(2, 2, 2), MUTANT(STUCK_EPOCH)),
  GROUP_PTX("the ticket stays", 1, TILES(2, 2, 2), MUTANT(NO_RESTART)),
  GROUP_OPENCL("the ticket stays", 1, TILES(2, 2, 2), MUTANT(NO_RESTART)),
  ITEM_OPENCL("the ticket stays", 1, TILES(2, 2, 2), .split = 1, MUTANT(NO_RESTART)),
  ITEM_OPENCL("the first one out readies the claim", 1, TILES(2, 2, 2), MUTANT(EARLY_RESTART)),
  GROUP_PTX("the last tile's claim readies the next launch", 1, TILES(3, 3, 3), MUTANT(EARLY_CLAIM)),
  GROUP_PTX("old words stay when the epoch comes round", 1, TILES(3, 1, 3), MUTANT(NO_CLEAR)),
  ITEM_OPENCL("old words stay when the epoch comes round", 1, TILES(3, 1, 3), MUTANT(NO_CLEAR)),
  GROUP_PTX("no fence before a work-group is out", 1, TILES(2, 2, 2), MUTANT(NO_RELEASE)),
  GROUP_PTX("no fence behind that", 1, TILES(2, 2, 2), MUTANT(NO_ACQUIRE)),
  GROUP_PTX("no fence behind that, split", 1, TILES(2, 2, 2), .split = 1, .counts = 1, MUTANT(NO_ACQUIRE)),
  GROUP_PTX("a tile reduced again in place", 1, TILES(2, 2, 2), .in_place = 1, MUTANT(RECOMPUTE_IN_PLACE)),
  ITEM_OPENCL("a tile reduced again in place", 1, TILES(2, 2, 2), .in_place = 1, MUTANT(RECOMPUTE_IN_PLACE)),
  GROUP_PTX("a tile counted again in place", 1, TILES(3, 3, 3), .compacts = 1, .dropped = 1,
            MUTANT(RECOMPUTE_IN_PLACE)),
  GROUP_PTX("a total waited for anew", 1, TILES(3, 3, 3), MUTANT(ASK_AGAIN)),
  GROUP_PTX("a wait given up without a word", 1, TILES(2, 2, 2), .in_place = 1, MUTANT(SILENT)),
  ITEM_OPENCL("a wait given up without a word", 1, TILES(2, 2, 2), .in_place = 1, MUTANT(SILENT)),
  ITEM_OPENCL("nobody counts tiles", 1, TILES(2, 2, 2), .lost = 1, MUTANT(UNCOUNTED)),
  GROUP_PTX("elements loaded after they are counted", 1, TILES(3, 3, 3), .compacts = 1, .dropped = 1,
            MUTANT(LATE_LOAD)),
  GROUP_PTX("a ticket read and written", 1, TILES(3, 3, 3), MUTANT(TWICE)),
  GROUP_OPENCL("a total of tiles that are missing", 1, TILES(3, 3, 3), MUTANT(EARLY_TOTAL)),
  GROUP_PTX("a tile that nobody publishes, no fallback", 1, TILES(2, 2, 2), .withheld = 1),
  ITEM_OPENCL("a tile that nobody publishes, no fallback", 1, TILES(2, 2, 2), .withheld = 1),
  GROUP_PTX("own tiles, not all at once, no fallback", 1, TILES(2, 2, 2), .own = 1, .resident = 1),
  ITEM_OPENCL("tickets from the last tile down, no fallback", 1, TILES(2, 2, 2), .backwards = 1, .resident = 1),
};

static void test_mistakes(void **state) {
  static struct findings found;
  (void)state;
  for (size_t i = 0; i < sizeof mistakes / sizeof mistakes[0]; i++) {
    struct model plain = mistakes[i];
    model_check(&mistakes[i], &found);
    print_message("%s: %s\n", mistakes[i].name, found.fault != NULL ? found.fault : "not found");
    if (found.fault == NULL) test_fail("nothing was found of: %s", mistakes[i].name);
    plain.mutant = MUTANT_NONE;
    plain.times_out = 1;
    check(&plain);
  }
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = { TALLIED(test_mistakes),   TALLIED(test_groups_relaxed),
                                      TALLIED(test_groups_own), TALLIED(test_groups_atomic),
                                      TALLIED(test_items),      TALLIED(test_lost),
                                      TALLIED(test_backwards),  TALLIED(test_compaction) };
  if (argc > 1) cmocka_set_test_filter(argv[1]);
  return test_exit(cmocka_run_group_tests_name("model", tests, NULL, NULL));
}
