/* SPDX-License-Identifier: BSD-2-Clause */
/* Sorts, splits and histograms. */
#include "primitives.h"
#include "reference.h"
#include "sort_bench.h"

static int are_bits(const sort_cell *c) {
  const scan_sort_spec *s = &c->spec;
  const int has_words = s->key_words == 2;
  const uint32_t bits = (has_words ? 16 : 8) * (uint32_t)scan_type_bytes(s->key_type);
  const uint32_t end = s->end_bit ? s->end_bit : bits;
  if (has_words && (s->first_bit % 8 != 0 || s->end_bit % 8 != 0)) return 0;
  if (s->first_bit >= end || end > bits) return 0;
  return c->call != CALL_SPLIT || s->end_bit == 0 || s->end_bit - s->first_bit <= SCAN_SPLIT_MOST_BITS;
}

static int are_words(const scan_sort_spec *s) {
  if (s->key_words > 2 || s->low_word_first > 1 || (s->low_word_first && s->key_words != 2)) return 0;
  return s->key_words != 2 || (s->key_type >= SCAN_I32 && s->key_type <= SCAN_U64);
}

static void decode_keys(fuzz_input *in, sort_cell *c) {
  scan_sort_spec *s = &c->spec;
  s->key_type = (scan_type)fuzz_choice(in, SCAN_I8, SCAN_BF16);
  s->descending = (uint32_t)fuzz_choice(in, 0, 1);
  if (fuzz_rarely(in, 2)) s->first_bit = (uint32_t)fuzz_below(in, fuzz_rarely(in, 4) ? 256 : 16);
  if (fuzz_rarely(in, 2)) s->end_bit = s->first_bit + (uint32_t)fuzz_below(in, fuzz_rarely(in, 4) ? 256 : 12);
  if (c->call != CALL_SORT) return;
  if (fuzz_rarely(in, 4)) s->key_words = (uint32_t)fuzz_choice(in, 0, 2);
  if (fuzz_rarely(in, 4)) s->low_word_first = (uint32_t)fuzz_choice(in, 0, 1);
  s->gives_scratch = (uint32_t)(fuzz_rarely(in, 4) ? fuzz_choice(in, 0, 1) : 0);
  s->order = (uint64_t)(fuzz_rarely(in, 4) ? fuzz_choice(in, 0, 1) : 0);
}

/* The numeric order has no bits of floating-point keys. */
static int is_order(const scan_sort_spec *s) {
  const uint32_t bits = 8 * (uint32_t)scan_type_bytes(s->key_type);
  if (s->order > SCAN_SORT_NUMERIC_ORDER) return 0;
  if (s->order == SCAN_SORT_TOTAL_ORDER || !reference_is_float(s->key_type)) return 1;
  return s->first_bit == 0 && (s->end_bit == 0 || s->end_bit == bits);
}

/* @return 1 where it is one */
static int decode_spec(fuzz_input *in, sort_cell *c) {
  scan_sort_spec *s = &c->spec;
  scan_sort_spec_init(s, sizeof *s);
  c->call = (sort_call)fuzz_below(in, 3);
  decode_keys(in, c);
  int is_valid = scan_type_bytes(s->key_type) > 0 && s->descending <= 1 && s->gives_scratch <= 1;
  if (!is_valid || !are_words(s) || !are_bits(c) || !is_order(s)) return 0;
  if (c->call == CALL_HISTOGRAM) {
    s->drops_keys = 1; /* it has nothing to write them to */
    return 1;
  }
  if (fuzz_rarely(in, 4)) s->index_type = (scan_type)fuzz_choice(in, SCAN_U32, SCAN_U64);
  s->arrays = (uint32_t)(s->index_type || fuzz_rarely(in, 2) ? 0 : fuzz_choice(in, 0, 4));
  s->drops_keys = (uint32_t)(fuzz_rarely(in, 4) ? fuzz_choice(in, 0, 1) : 0);
  s->in_place = (uint32_t)(fuzz_rarely(in, 2) ? fuzz_choice(in, 0, 1) : 0);
  is_valid = primitives_arrays(in, s->arrays, s->element_bytes, s->element_align);
  is_valid &= s->index_type == SCAN_TYPE_DEFAULT || s->index_type == SCAN_U32 || s->index_type == SCAN_U64;
  is_valid &= s->arrays <= SCAN_SORT_MOST_ARRAYS && s->drops_keys <= 1 && s->in_place <= 1;
  return is_valid && (!s->drops_keys || s->arrays || s->index_type);
}

static void run_cell(fuzz_input *in, sort_cell *c, scan_plan *plan) {
  c->shape = (sort_shape)fuzz_below(in, SORT_SHAPES);
  c->digit = (uint32_t)fuzz_below(in, reference_key_bytes(&c->spec));
  c->how = (int)fuzz_below(in, SORT_WAYS);
  c->shift = (uint32_t)fuzz_below(in, 17);
  c->has_n_from = fuzz_rarely(in, 4);
  c->n_from = fuzz_below(in, c->n + 1);
  const uint32_t arrays = ((1u << c->spec.arrays) - 1) * SORT_ARRAY_OVER;
  if (c->spec.in_place && c->call != CALL_HISTOGRAM)
    c->in_place = fuzz_byte(in) & (arrays | (c->spec.drops_keys ? 0 : SORT_KEYS_OVER));
  if (c->n > 0 || c->how != BY_PLAN) sort_bench_check(c, plan);
}

void primitives_sort(fuzz_input *in) {
  static int is_open;
  sort_cell c = { .n = 0 };
  if (!is_open++) sort_bench_open(PRIMITIVES_SIDE_BYTES, PRIMITIVES_MOST_ITEMS);
  sort_bench_seed(fuzz_number(in, 2));
  const int is_valid = decode_spec(in, &c);
  c.n = fuzz_items(in, PRIMITIVES_MOST_ITEMS);
  scan_plan *plan = NULL;
  const scan_status status = sort_bench_plan_for(&c, c.n + 1, &plan);
  if (fuzz_judge(test_ctx(), status, plan, is_valid, "a sort")) run_cell(in, &c, plan);
  scan_plan_destroy(plan);
}
