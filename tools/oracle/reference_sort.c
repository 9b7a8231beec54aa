/* SPDX-License-Identifier: BSD-2-Clause */
/** @file reference_sort.c @brief A plain stable merge sort, and generators of keys. */
#include "reference_sort.h"

#include <string.h>

#include "reference.h"

/* ---- ranks ---- */

static uint32_t bits_of(scan_type type) { return 8 * (uint32_t)reference_bytes(type); }

static uint64_t ones(uint32_t bits) { return bits >= 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1; }

static uint64_t sign_of(scan_type type) { return UINT64_C(1) << (bits_of(type) - 1); }

static int is_signed(scan_type type) {
  return type == SCAN_I8 || type == SCAN_I16 || type == SCAN_I32 || type == SCAN_I64;
}

static uint32_t fraction_bits(scan_type type) {
  return type == SCAN_F16 ? 10 : type == SCAN_BF16 ? 7 : type == SCAN_F32 ? 23 : 52;
}

uint64_t reference_rank(scan_type type, uint64_t bits) {
  const uint64_t sign = sign_of(type);
  if (is_signed(type)) return bits ^ sign;
  if (!reference_is_float(type)) return bits;
  return bits & sign ? ~bits & ones(bits_of(type)) : bits | sign;
}

/* Returns the rank in the numeric order: all zeros are equal; all NaNs are equal and above all numbers. */
static uint64_t numeric_rank(scan_type type, uint64_t bits) {
  const uint64_t sign = sign_of(type), magnitude = bits & (sign - 1);
  const uint64_t infinity = (sign - 1) & ~ones(fraction_bits(type));
  if (magnitude > infinity) return ones(bits_of(type));
  return reference_rank(type, magnitude == 0 ? 0 : bits);
}

uint64_t reference_of_rank(scan_type type, uint64_t rank) {
  const uint64_t sign = sign_of(type);
  if (is_signed(type)) return rank ^ sign;
  if (!reference_is_float(type)) return rank;
  return rank & sign ? rank ^ sign : ~rank & ones(bits_of(type));
}

/* ---- the order ---- */

static uint64_t keys_least(uint64_t a, uint64_t b) { return a < b ? a : b; }

static int comes_before(const reference_item *a, const reference_item *b) {
  return a->upper != b->upper ? a->upper < b->upper : a->rank < b->rank;
}

/* Merges two sorted ranges. With equal ranks the item of the first range comes first. */
static void keys_merge(const reference_item *from, reference_item *to, uint64_t first, uint64_t middle, uint64_t end) {
  uint64_t a = first, b = middle;
  for (uint64_t i = first; i < end; i++) {
    const int takes_second = a == middle || (b < end && comes_before(&from[b], &from[a]));
    to[i] = takes_second ? from[b++] : from[a++];
  }
}

uint64_t reference_key_bytes(const scan_sort_spec *spec) {
  return reference_bytes(spec->key_type) * (spec->key_words == 2 ? 2 : 1);
}

/* Returns the mask of a word's bits between first_bit and end_bit of the key. @param from  bit of the key at which
 * the word begins */
static uint64_t mask_of(const scan_sort_spec *spec, uint32_t from) {
  const uint32_t bits = bits_of(spec->key_type), end = spec->end_bit ? spec->end_bit : UINT32_MAX;
  const uint32_t first = spec->first_bit > from ? spec->first_bit - from : 0;
  if (end <= from || first >= bits) return 0;
  return ones(end - from < bits ? end - from : bits) & ~ones(first);
}

/* Returns the rank of a word. @param word  its number among the words of all keys. @param from  bit of the key at
 * which it begins */
static uint64_t word_rank(const scan_sort_spec *spec, const void *keys, uint64_t word, uint32_t from) {
  const uint64_t bytes = reference_bytes(spec->key_type);
  uint64_t bits = 0;
  memcpy(&bits, (const unsigned char *)keys + word * bytes, bytes);
  const int is_numeric = spec->order == SCAN_SORT_NUMERIC_ORDER && reference_is_float(spec->key_type);
  const uint64_t rank = is_numeric ? numeric_rank(spec->key_type, bits) : reference_rank(spec->key_type, bits);
  return (spec->descending ? ~rank : rank) & mask_of(spec, from);
}

const reference_item *reference_sort(const scan_sort_spec *spec, uint64_t n, const void *keys, reference_item *items,
                                     reference_item *spare) {
  const uint64_t words = spec->key_words == 2 ? 2 : 1, low = words == 2 && !spec->low_word_first;
  for (uint64_t i = 0; i < n; i++) {
    const uint64_t upper = words == 2 ? word_rank(spec, keys, 2 * i + 1 - low, bits_of(spec->key_type)) : 0;
    items[i] = (reference_item){ upper, word_rank(spec, keys, words * i + low, 0), i };
  }
  for (uint64_t run = 1; run < n; run *= 2) {
    reference_item *sorted = spare;
    for (uint64_t first = 0; first < n; first += 2 * run)
      keys_merge(items, sorted, first, keys_least(first + run, n), keys_least(first + 2 * run, n));
    spare = items;
    items = sorted;
  }
  return items;
}

/* ---- keys ---- */

/* SplitMix64 (Steele, Lea and Flood, 2014). */
static uint64_t random_of(uint64_t *state) {
  uint64_t z = *state += 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

/* Returns the bits of a key at the limits of its type. */
static uint64_t edge_of(scan_type type, uint64_t *state) {
  const uint64_t sign = sign_of(type), random = random_of(state), turn = random >> 60 & 1 ? sign : 0;
  if (!reference_is_float(type)) {
    const uint64_t integers[] = { 0, 1, 2, sign - 1, sign - 2, random, random & 0xff };
    return (integers[random_of(state) % 7] & ones(bits_of(type))) ^ turn;
  }
  const uint64_t fraction = ones(fraction_bits(type)), infinity = (sign - 1) & ~fraction;
  const uint64_t floats[] = {
    0,        infinity,     infinity | 1, infinity | fraction, infinity | (random & fraction), 1, random & fraction,
    fraction, fraction + 1, infinity - 1, random & (sign - 1)
  };
  return floats[random_of(state) % 11] ^ turn;
}

/* Returns rank i of n ranks that rise over the whole range. */
static uint64_t rising(uint64_t most, uint64_t n, uint64_t i) { return most / n ? i * (most / n) : i * (most + 1) / n; }

/* Returns the rank of key i. @param chosen  random numbers, the same for all keys */
static uint64_t rank_at(const reference_keys *keys, uint64_t n, uint64_t i, const uint64_t chosen[3], uint64_t *state) {
  const uint64_t most = ones(bits_of(keys->type)), lower = ones(bits_of(keys->type) / 2), random = random_of(state);
  switch (keys->shape) {
  case SORT_SORTED: return rising(most, n, i);
  case SORT_REVERSED: return rising(most, n, n - 1 - i);
  case SORT_EQUAL: return chosen[0] & most;
  case SORT_TWO: return chosen[random & 1] & most;
  case SORT_FEW: return random & random_of(state) & random_of(state) & most;
  case SORT_PIPES: return rising(most, n, i < n / 2 ? 2 * i : 2 * (n - 1 - i));
  case SORT_ONE: return i == chosen[2] % n ? chosen[0] & most : rising(most, n, i);
  case SORT_DIGIT: return (chosen[0] ^ (random & 0xff) << 8 * keys->digit) & most;
  case SORT_SPAN: return (random & most >> 5) << 2;
  case SORT_THIRD:
    if (i == chosen[2] % n) return ((chosen[0] & lower) | (chosen[1] & ~lower)) & most;
    return chosen[random & 1] & most;
  case SORT_STRAY: return i == chosen[2] % n ? chosen[0] & most : (random & most >> 5) << 2;
  default: return random & most;
  }
}

/* Fills the first of every `step` words. */
static void fill_words(const reference_keys *keys, uint64_t n, uint64_t step, void *out) {
  const uint64_t bytes = reference_bytes(keys->type);
  uint64_t state = keys->seed, chosen[3];
  for (int c = 0; c < 3; c++) chosen[c] = random_of(&state);
  for (uint64_t i = 0; i < n; i++) {
    const uint64_t bits = keys->shape == SORT_EDGES
                              ? edge_of(keys->type, &state)
                              : reference_of_rank(keys->type, rank_at(keys, n, i, chosen, &state));
    memcpy((unsigned char *)out + i * step * bytes, &bits, bytes);
  }
}

void reference_fill_keys(const reference_keys *keys, uint64_t n, void *out) { fill_words(keys, n, 1, out); }

/* Returns the shape of the more significant words. */
static sort_shape upper_shape(const reference_keys *keys, uint64_t n) {
  const sort_shape few[] = { keys->shape, SORT_TWO, SORT_EQUAL, SORT_EDGES };
  if (keys->shape == SORT_DIGIT) return keys->digit >= reference_bytes(keys->type) ? SORT_DIGIT : SORT_EQUAL;
  return keys->shape == SORT_EQUAL ? SORT_EQUAL : few[(keys->seed ^ n) % 4];
}

void reference_fill_sort_keys(const reference_keys *keys, const scan_sort_spec *spec, uint64_t n, void *out) {
  const uint64_t bytes = reference_bytes(keys->type), low = spec->low_word_first ? 0 : bytes;
  reference_keys lower = *keys, upper = *keys;
  if (spec->key_words != 2) {
    reference_fill_keys(keys, n, out);
    return;
  }
  upper.shape = upper_shape(keys, n);
  upper.digit = keys->digit % (uint32_t)bytes;
  upper.seed = ~keys->seed;
  if (keys->shape == SORT_DIGIT && upper.shape == SORT_DIGIT) lower.shape = SORT_EQUAL;
  fill_words(&lower, n, 2, (unsigned char *)out + low);
  fill_words(&upper, n, 2, (unsigned char *)out + bytes - low);
}
