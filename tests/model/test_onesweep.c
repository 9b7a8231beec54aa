/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks every schedule of a onesweep's warps, for few warps and tiles, beside other work-groups that take and publish
 * tiles at any time, and that each deliberate defect is found. */
#include <stdio.h>

#include "support.h"
#include "onesweep.h"
#include "tally.h"

static void check(const struct onesweep_model *m) {
  static struct walk_findings found;
  onesweep_check(m, &found);
  if (found.fault != NULL || found.ends == 0) {
    print_message("%s", found.schedule);
    test_fail("%u tiles, %u workers, %u of them publish, %u look back, others=%u, wrong=%u, warp %u finds it: %s",
              m->tiles, m->workers, m->publishers, m->lookers, m->others, m->wrong, m->finder,
              found.fault ? found.fault : "no end is reached");
  }
  tally_add(found.states, found.steps);
}

static void check_tiles(struct onesweep_model m, unsigned most_tiles) {
  for (unsigned tiles = 1; tiles <= most_tiles; tiles++) {
    m.tiles = (uint8_t)tiles;
    check(&m);
  }
}

/* ---- every schedule ---- */

/* A work-group alone, and beside any number of others. */
static void test_warps(void **state) {
  (void)state;
  for (unsigned others = 0; others <= 1; others++)
    for (unsigned workers = 1; workers <= ONESWEEP_WORKERS; workers++)
      for (unsigned publishers = 1; publishers <= workers && publishers <= ONESWEEP_DIGITS; publishers++)
        for (unsigned lookers = 0; lookers <= publishers; lookers++) {
          const struct onesweep_model m = { .workers = (uint8_t)workers,
                                            .publishers = (uint8_t)publishers,
                                            .lookers = (uint8_t)lookers,
                                            .others = (uint8_t)others };
          check_tiles(m, test_is_small() || workers + lookers > 3 ? 3 : 4);
        }
}

/* Every set of tiles is out of order, and each warp finds it. */
static void test_repairs(void **state) {
  (void)state;
  for (unsigned lookers = 0; lookers <= 1; lookers++)
    for (unsigned others = 0; others <= 1; others++)
      for (unsigned finder = 0; finder < 2 + lookers; finder++)
        for (unsigned wrong = 1; wrong < 1u << 3; wrong++) {
          const struct onesweep_model m = { .tiles = 3,
                                            .workers = 2,
                                            .publishers = 2,
                                            .lookers = (uint8_t)lookers,
                                            .others = (uint8_t)others,
                                            .wrong = (uint8_t)wrong,
                                            .finder = (uint8_t)finder };
          check(&m);
        }
}

/* ---- deliberate defects ---- */

#define ONESWEEP(NAME, MUTANT, LOOKERS, OTHERS, WRONG)                                                                 \
  {                                                                                                                    \
    .name = NAME, .mutant = MUTANT, .tiles = 3, .workers = 2, .publishers = 2, .lookers = LOOKERS, .others = OTHERS,   \
    .wrong = WRONG                                                                                                     \
  }

/* Without its mutant each model is right. */
static const struct onesweep_model mistakes[] = {
  ONESWEEP("counts are not waited for", ONESWEEP_NO_COUNTED, 1, 0, 0),
  ONESWEEP("counts are not waited for by those that look back", ONESWEEP_NO_COUNTED, 0, 0, 0),
  ONESWEEP("sums are not waited for", ONESWEEP_NO_SUMS, 1, 0, 0),
  ONESWEEP("the ticket is not waited for", ONESWEEP_NO_TICKET, 1, 0, 0),
  ONESWEEP("moved keys are not waited for", ONESWEEP_NO_MOVED, 1, 0, 0),
  ONESWEEP("moved keys are not waited for by those that look back", ONESWEEP_NO_MOVED, 0, 0, 0),
  ONESWEEP("those that look back are ahead", ONESWEEP_LOOKERS_AHEAD, 1, 0, 0),
  ONESWEEP("a tile's counts are those of all", ONESWEEP_INCLUSIVE_EARLY, 1, 1, 0),
  ONESWEEP("no word is no key", ONESWEEP_EMPTY_IS_NONE, 1, 1, 0),
  ONESWEEP("words of another pass", ONESWEEP_OLD_LOOKBACK, 1, 1, 0),
  ONESWEEP("the next pass's look-back state is not cleared", ONESWEEP_NOT_CLEARED, 0, 0, 0),
  ONESWEEP("a repair that nobody hears of", ONESWEEP_REPAIR_ALONE, 1, 0, 2),
  ONESWEEP("a repair that is not waited for", ONESWEEP_REPAIR_PASSES, 1, 0, 2),
  ONESWEEP("rounds that are not waited for", ONESWEEP_REPAIR_HALVES, 1, 0, 2),
  ONESWEEP("an end before the last tile is known to be in order", ONESWEEP_ENDS_EARLY, 1, 0, 4),
};

static void test_mistakes(void **state) {
  static struct walk_findings found;
  (void)state;
  for (size_t i = 0; i < sizeof mistakes / sizeof mistakes[0]; i++) {
    struct onesweep_model right = mistakes[i];
    onesweep_check(&mistakes[i], &found);
    print_message("%s: %s\n", mistakes[i].name, found.fault != NULL ? found.fault : "not found");
    if (found.fault == NULL) test_fail("nothing was found of: %s", mistakes[i].name);
    right.mutant = ONESWEEP_RIGHT;
    check(&right);
  }
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = { TALLIED(test_mistakes), TALLIED(test_warps), TALLIED(test_repairs) };
  if (argc > 1) cmocka_set_test_filter(argv[1]);
  return test_exit(cmocka_run_group_tests_name("onesweep", tests, NULL, NULL));
}
