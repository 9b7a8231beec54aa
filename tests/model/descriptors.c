/* SPDX-License-Identifier: BSD-2-Clause */
/* Models descriptors word by word. The upper byte is the epoch, the lower one a number that only this part of this
 * value has. */
#include "steps.h"

enum { EPOCH_SHIFT = 8, PART_MASK = 0xff, PART_SPOILT = 1 };

static unsigned cell_of(const struct run *r, enum kind kind, unsigned index) {
  return (kind == KIND_TILE ? AT_TILES : AT_TOTALS) + index * r->model->words;
}

/* Returns the number for a part of a tile's aggregate or of a group's total in this launch. */
static uint16_t part_of(const struct run *r, enum kind kind, unsigned index, unsigned part) {
  return (uint16_t)(0x80u | (r->state->launch & 3u) << 5 | (unsigned)kind << 4 | index << 1 | part);
}

static int has_epoch(const struct run *r, unsigned part) {
  return part == 0 || (r->model->mutant != MUTANT_HALF_EPOCH && r->model->mutant != MUTANT_FLAG_LAST);
}

/* Returns the word to store. A work-group that has given up a wait stores a wrong total. */
static uint16_t word_of(const struct run *r, enum kind kind, unsigned index, unsigned part) {
  const unsigned value = r->w->tainted && kind == KIND_TOTAL ? PART_SPOILT : part_of(r, kind, index, part);
  return (uint16_t)(value | (has_epoch(r, part) ? (unsigned)r->w->epoch << EPOCH_SHIFT : 0));
}

int descriptor_put(struct run *r, enum kind kind, unsigned index) {
  const unsigned words = r->model->words, turn = r->w->part;
  const unsigned part = r->model->mutant == MUTANT_FLAG_LAST ? words - 1 - turn : turn;
  memory_store(r, cell_of(r, kind, index) + part, word_of(r, kind, index, part));
  r->w->part = (uint8_t)((turn + 1) % words);
  return r->w->part == 0;
}

static int is_fresh(const struct run *r, uint16_t word, unsigned part) {
  if (!has_epoch(r, part)) return 1;
  if (r->model->mutant == MUTANT_NO_EPOCH) return word != 0;
  return word >> EPOCH_SHIFT == r->w->epoch;
}

static void forget(struct work_group *w) { w->part = w->is_wrong = 0; }

/* Reads the next word. A stale word is read again later; the words found before it are kept. */
static enum answer read_on(struct run *r, enum kind kind, unsigned index) {
  struct work_group *w = r->w;
  const unsigned part = w->part;
  const uint16_t word = memory_load(r, cell_of(r, kind, index) + part);
  if (!is_fresh(r, word, part)) return ANSWER_NOT_THERE;
  w->is_wrong |= (word & PART_MASK) != part_of(r, kind, index, part);
  if (++w->part < r->model->words) return ANSWER_MORE;
  if (w->is_wrong && !r->state->error)
    run_fault(r, "a word of another launch, or of another value, is taken for this one");
  w->tainted |= w->is_wrong;
  return ANSWER_THERE;
}

enum answer descriptor_get(struct run *r, enum kind kind, unsigned index) {
  const enum answer answer = read_on(r, kind, index);
  if (answer != ANSWER_MORE) forget(r->w);
  return answer;
}

enum answer descriptor_wait(struct run *r, enum kind kind, unsigned index) {
  const enum answer answer = read_on(r, kind, index);
  if (answer == ANSWER_MORE) return answer;
  if (answer == ANSWER_NOT_THERE && !(r->model->times_out && oracle_pick(r->oracle, 2))) return ANSWER_MORE;
  forget(r->w);
  return answer == ANSWER_THERE ? answer : ANSWER_LATE;
}
