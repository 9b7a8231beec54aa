/* SPDX-License-Identifier: BSD-2-Clause */
/* The order of keys on the host, by their digits. */
#include "mpi/sort.h"

/* The unsigned integer of up to 128 bits that has a key's order. */
typedef struct mpi_key_rank {
  uint64_t low, high;
} mpi_key_rank;

static uint64_t lowest(uint32_t bits) { return bits >= 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1; }

static int is_signed(scan_type type) {
  return type == SCAN_I8 || type == SCAN_I16 || type == SCAN_I32 || type == SCAN_I64;
}

/* Returns the bits of a floating-point type's fraction; 0: the type is an integer. */
static uint32_t fraction_bits(scan_type type) {
  switch (type) {
  case SCAN_F64: return 52;
  case SCAN_F32: return 23;
  case SCAN_F16: return 10;
  case SCAN_BF16: return 7;
  default: return 0;
  }
}

static uint64_t float_rank(uint64_t word, uint32_t bits, uint32_t fraction, int is_numeric) {
  const uint64_t sign = UINT64_C(1) << (bits - 1), magnitude = word & (sign - 1);
  const uint64_t infinity = lowest(bits - 1) ^ lowest(fraction);
  if (is_numeric && magnitude > infinity) return lowest(bits);
  if (is_numeric && magnitude == 0) return sign;
  return word & sign ? ~word & lowest(bits) : word | sign;
}

/* The keys that are counted, and the facts of their type. */
typedef struct mpi_key_range {
  const mpi_sort_form *form;
  const unsigned char *keys;
  uint32_t first, bits;
  uint32_t word_bytes, fraction;
  uint64_t sign; /* the sign bit of signed integers, else 0 */
} mpi_key_range;

static uint64_t load(const unsigned char *at, uint32_t bytes) {
  uint64_t word = 0; /* little-endian */
  switch (bytes) {
  case 8: memcpy(&word, at, 8); break;
  case 4: memcpy(&word, at, 4); break;
  case 2: memcpy(&word, at, 2); break;
  default: word = *at;
  }
  return word;
}

static uint64_t word_rank(const mpi_key_range *range, const unsigned char *at) {
  const uint64_t word = load(at, range->word_bytes);
  if (range->fraction > 0) return float_rank(word, 8 * range->word_bytes, range->fraction, range->form->is_numeric);
  return word ^ range->sign;
}

static mpi_key_rank rank_of(const mpi_key_range *range, const unsigned char *key) {
  const uint32_t word_bytes = range->word_bytes;
  if (range->form->key_bytes == word_bytes) return (mpi_key_rank){ word_rank(range, key), 0 };
  const int low_first = range->form->asked.low_word_first != 0;
  const uint64_t low = word_rank(range, low_first ? key : key + word_bytes);
  const uint64_t high = word_rank(range, low_first ? key + word_bytes : key);
  if (word_bytes == sizeof high) return (mpi_key_rank){ low, high };
  return (mpi_key_rank){ low | high << (8 * word_bytes), 0 };
}

static uint32_t digit_at(const mpi_key_range *range, uint64_t place) {
  const mpi_key_rank rank = rank_of(range, range->keys + place * range->form->key_bytes);
  const uint32_t first = range->first;
  uint64_t from = first >= 64 ? rank.high >> (first - 64) : rank.low >> first;
  if (first > 0 && first < 64) from |= rank.high << (64 - first);
  return (uint32_t)((range->form->asked.descending ? ~from : from) & lowest(range->bits));
}

/* Keys for each value of a digit from which on binary searches take less time than to look at all keys. */
static const uint64_t search_items = 8;

/* Returns the first place between `low` and `high` whose digit is above `digit`. */
static uint64_t place_above(const mpi_key_range *range, uint64_t low, uint64_t high, uint32_t digit) {
  while (low < high) {
    const uint64_t middle = low + (high - low) / 2;
    if (digit_at(range, middle) > digit)
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

void scan_mpi_sort_count(const mpi_sort_form *form, const unsigned char *keys, uint64_t low, uint64_t high,
                         uint32_t first, uint32_t bits, uint64_t *counts) {
  const scan_type type = form->asked.key_type;
  const uint32_t bytes = (uint32_t)scan_type_bytes(type);
  const uint64_t sign = is_signed(type) ? UINT64_C(1) << (8 * bytes - 1) : 0;
  const mpi_key_range range = { form, keys, first, bits, bytes, fraction_bits(type), sign };
  memset(counts, 0, sizeof *counts << bits);
  if (high - low <= search_items << bits) {
    for (uint64_t i = low; i < high; i++) counts[digit_at(&range, i)]++;
    return;
  }
  while (low < high) {
    const uint32_t digit = digit_at(&range, low);
    const uint64_t end = place_above(&range, low + 1, high, digit);
    counts[digit] = end - low;
    low = end;
  }
}
