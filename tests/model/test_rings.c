/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks every schedule of the pipelined scan's warps for few tiles, stages and slots, the number of slots that
 * suffices, and that each deliberate defect is found. */
#include <stdio.h>
#include <stdlib.h>

#include "ring.h"
#include "support.h"
#include "tally.h"

static void describe(const struct ring_model *m, char text[TEST_TEXT]) {
  snprintf(
      text, TEST_TEXT,
      "%s: %u work-groups, %u tiles in groups of %u, %u stages, %u slots, %u producers, %u look back, %u reducers, "
      "%u scanners, %u sets, start %u, times_out=%u",
      m->name, m->work_groups, m->tiles, m->group, m->stages, m->slots, m->producers, m->look_backs, m->reducers,
      m->scanners, m->sets, m->start, m->times_out);
}

static void check(const struct ring_model *m) {
  static struct walk_findings found;
  char text[TEST_TEXT];
  describe(m, text);
  ring_check(m, &found);
  if (found.fault != NULL || found.ends == 0) {
    print_message("%s", found.schedule);
    test_fail("%s: %s", text, found.fault ? found.fault : "no end is reached");
  }
  tally_add(found.states, found.steps);
}

/* ---- every schedule ---- */

static const struct ring_model forms[] = {
  { .name = "read again", .variant = RING_READ_AGAIN }, { .name = "kept", .variant = RING_KEPT },
  { .name = "shifted", .variant = RING_SHIFTED },       { .name = "put off", .variant = RING_PUT_OFF },
  { .name = "total", .variant = RING_TOTAL },
};

static const struct ring_model compaction = { .name = "compaction", .variant = RING_COMPACTED },
                               encoding = { .name = "encoding", .variant = RING_LISTED };
enum { FORMS = sizeof forms / sizeof forms[0] };

/* Returns the ends that the claiming warp posts. */
static unsigned ends(const struct ring_model *m) { return m->sets > m->look_backs ? m->sets : m->look_backs; }

/* Returns how many turns roles of scans can be apart. */
static unsigned turns_apart(const struct ring_model *m) {
  return m->stages + ends(m) + (m->variant == RING_KEPT ? m->sets - 1u : 0);
}

/* Checks rings with as many slots as roles can be apart, and with enough tiles for all slots to be reused. */
static void check_stages(struct ring_model m, unsigned most_stages, unsigned most_tiles) {
  const int compacts = ring_compacts(&m);
  for (unsigned stages = compacts ? ends(&m) : 1; /* FEWEST_STAGES */ stages <= most_stages; stages++)
    for (unsigned tiles = 1; tiles <= most_tiles; tiles++) {
      m.stages = (uint8_t)stages;
      m.slots = (uint8_t)(compacts ? stages : turns_apart(&m));
      m.tiles = (uint8_t)tiles;
      m.start = 1;
      check(&m);
    }
}

/* One work-group with several warps of each role. */
static void test_warps(void **state) {
  (void)state;
  for (unsigned f = 0; f < FORMS; f++)
    for (unsigned look_backs = 1; look_backs <= 2; look_backs++)
      for (unsigned k = 0; k < 4; k++) {
        const unsigned warps = 1 + k % 2;
        struct ring_model m = forms[f];
        m.work_groups = 1;
        m.sets = (uint8_t)(1 + k / 2);
        m.group = 2;
        m.look_backs = (uint8_t)look_backs;
        m.producers = m.reducers = m.scanners = (uint8_t)warps;
        check_stages(m, 3, test_is_small() ? 4 : 6);
      }
}

/* Two work-groups that wait for each other's tiles, or may recompute them. */
static void test_work_groups(void **state) {
  const char *size = getenv("SCANRT_TEST_MODEL");
  (void)state;
  for (unsigned f = 0; f < FORMS; f++)
    for (unsigned times_out = 0; times_out <= 1; times_out++) {
      struct ring_model m = forms[f];
      m.work_groups = 2;
      m.group = 2;
      m.times_out = (uint8_t)times_out;
      m.sets = m.look_backs = m.producers = m.reducers = m.scanners = 1;
      check_stages(m, 2, size != NULL && size[0] == '4' ? 4 : 3);
    }
}

/* The numbers of sets and look-back warps that the kernels have. */
static void test_compaction(void **state) {
  (void)state;
  for (unsigned sets = 1; sets <= 2; sets++)
    for (unsigned look_backs = 1; look_backs <= 2; look_backs++) {
      struct ring_model m = compaction;
      m.work_groups = 1;
      m.group = 2;
      m.look_backs = (uint8_t)look_backs;
      m.sets = (uint8_t)sets;
      m.producers = m.scanners = 1;
      m.reducers = 2;
      check_stages(m, 3, test_is_small() ? 4 : 6);
    }
}

/* Every choice of tiles that need a whole list. There are at most as many stages as the lists have quarters:
 * PIPE_MOST_STAGES. */
static void test_encoding(void **state) {
  (void)state;
  const unsigned tiles = test_is_small() ? 5 : 7;
  for (unsigned sets = 1; sets <= 2; sets++)
    for (unsigned stages = 2; stages <= RING_LISTS * RING_QUARTERS; stages++)
      for (unsigned large = 0; large < 1u << tiles; large++) {
        struct ring_model m = encoding;
        m.work_groups = m.look_backs = m.producers = m.reducers = m.scanners = 1;
        m.group = 2;
        m.sets = (uint8_t)sets;
        m.stages = m.slots = (uint8_t)stages;
        m.start = 1;
        m.tiles = (uint8_t)tiles;
        m.large = (uint8_t)large;
        check(&m);
      }
}

/* ---- deliberate defects ---- */

#define RING(NAME, VARIANT, MUTANT, SLOTS, LOOK_BACKS, GROUP)                                                          \
  {                                                                                                                    \
    .name = NAME, .variant = VARIANT, .mutant = MUTANT, .work_groups = 1, .tiles = 4, .group = GROUP, .stages = 2,     \
    .slots = SLOTS, .producers = 2, .look_backs = LOOK_BACKS, .sets = 1, .reducers = 2, .scanners = 2, .start = 1      \
  }
#define COMPACTION(NAME, VARIANT, MUTANT, STAGES, SETS, LARGE)                                                         \
  {                                                                                                                    \
    .name = NAME, .variant = VARIANT, .mutant = MUTANT, .work_groups = 1, .tiles = 6, .group = 2, .stages = STAGES,    \
    .slots = STAGES, .producers = 1, .look_backs = 1, .sets = SETS, .reducers = 2, .scanners = 1, .start = 1,          \
    .large = LARGE                                                                                                     \
  }

/* Without its mutant each model is right. */
static const struct ring_model mistakes[] = {
  RING("stages are not waited for", RING_READ_AGAIN, RING_NO_EMPTY, 4, 1, 2),
  RING("a stage is empty too early", RING_READ_AGAIN, RING_EMPTY_EARLY, 4, 1, 2),
  RING("a stage is left before it is read again", RING_READ_AGAIN, RING_LEAVE_EARLY, 4, 1, 2),
  RING("a stage is full too early", RING_READ_AGAIN, RING_FULL_EARLY, 4, 1, 2),
  RING("one reducer is enough", RING_READ_AGAIN, RING_ONE_REDUCER, 4, 1, 2),
  RING("a prefix before the parts", RING_READ_AGAIN, RING_NO_REDUCED, 4, 1, 2),
  RING("a tile is published by the first reducer", RING_READ_AGAIN, RING_NO_MEETING, 4, 1, 2),
  RING("shifted elements are taken for there", RING_SHIFTED, RING_UNSHIFTED, 4, 1, 2),
  RING("one phase of a stage's barriers", RING_READ_AGAIN, RING_SAME_PHASE, 4, 1, 2),
  RING("one end for two that look back", RING_READ_AGAIN, RING_ONE_END, 4, 2, 2),
  RING("a stage is empty without the group's total", RING_READ_AGAIN, RING_TOTAL_AWAY, 4, 1, 8),
  COMPACTION("a stage of compaction is empty too early", RING_COMPACTED, RING_EMPTY_EARLY, 3, 2, 0),
  COMPACTION("a stage of compaction is empty without the group's total", RING_COMPACTED, RING_TOTAL_AWAY, 3, 2, 0),
  COMPACTION("one compactor is enough", RING_COMPACTED, RING_ONE_REDUCER, 3, 2, 0),
  COMPACTION("a tile is published by the first compactor", RING_COMPACTED, RING_NO_MEETING, 3, 2, 0),
  COMPACTION("writers do not wait for compactors", RING_COMPACTED, RING_NO_COMPACTED, 3, 2, 0),
  COMPACTION("one end for two sets", RING_COMPACTED, RING_ONE_END, 3, 2, 0),
  COMPACTION("lists are not waited for", RING_LISTED, RING_NO_LIST, 4, 2, 0x3f),
  COMPACTION("a small list behind a whole one", RING_LISTED, RING_LIST_OWN, 4, 2, 0x05),
  COMPACTION("a small list behind a whole one, one set", RING_LISTED, RING_LIST_OWN, 4, 1, 0x05),
};

static void test_mistakes(void **state) {
  static struct walk_findings found;
  (void)state;
  for (size_t i = 0; i < sizeof mistakes / sizeof mistakes[0]; i++) {
    struct ring_model right = mistakes[i];
    ring_check(&mistakes[i], &found);
    print_message("%s: %s\n", mistakes[i].name, found.fault != NULL ? found.fault : "not found");
    if (found.fault == NULL) test_fail("nothing was found of: %s", mistakes[i].name);
    right.mutant = RING_RIGHT;
    check(&right);
  }
}

static void check_found(const struct ring_model *m) {
  static struct walk_findings found;
  char text[TEST_TEXT];
  describe(m, text);
  ring_check(m, &found);
  print_message("%s: %s\n", text, found.fault ? found.fault : "right");
  if (found.fault == NULL) test_fail("%s: nothing was found", text);
}

/* Checks that one slot fewer than in check_stages is too few, to which PIPE_SLOTS of the kernel is compared, and that
 * more stages than the lists have room for (PIPE_MOST_STAGES) and fewer than sets of compactors (FEWEST_STAGES) are
 * wrong. */
static void test_slots(void **state) {
  (void)state;
  for (unsigned f = 0; f < FORMS; f++)
    for (unsigned k = 0; k < 4; k++) {
      const unsigned look_backs = 1 + k % 2;
      struct ring_model m = forms[f];
      m.work_groups = 1;
      m.sets = (uint8_t)(1 + k / 2);
      m.tiles = 4;
      m.group = m.stages = 2;
      m.start = 1;
      m.look_backs = (uint8_t)look_backs;
      m.producers = m.reducers = m.scanners = 1;
      m.slots = (uint8_t)(turns_apart(&m) - 1);
      check_found(&m);
      m.slots++;
      check(&m);
    }
  const struct ring_model stages[] = { COMPACTION("too many stages", RING_LISTED, RING_RIGHT, 5, 2, 0),
                                       COMPACTION("too few stages", RING_COMPACTED, RING_RIGHT, 1, 2, 0) };
  for (int i = 0; i < 2; i++) check_found(&stages[i]);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = { TALLIED(test_mistakes),    TALLIED(test_slots),      TALLIED(test_warps),
                                      TALLIED(test_work_groups), TALLIED(test_compaction), TALLIED(test_encoding) };
  if (argc > 1) cmocka_set_test_filter(argv[1]);
  return test_exit(cmocka_run_group_tests_name("rings", tests, NULL, NULL));
}
