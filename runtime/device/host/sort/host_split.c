/* SPDX-License-Identifier: BSD-2-Clause */
#include "device/host/sort/host_split.h"

#include <string.h>

#include "base/types.h"
#include "device/host/output_buffer.h"
#include "device/host/host_stream.h"
#include "kernels_cl/sort/sort.h"

/* STREAMED_BYTES: arrays from this size on are written past the caches. BLOCK: keys whose digits are computed at once.
 * COUNTED_ITEMS: keys that are counted by one digit after the other while they are in the cache. TABLES: counter tables
 * used in turn, so that a key need not wait for the one before it with the same digit. */
enum { LINE = 64, STREAMED_BYTES = 8 << 20, BLOCK = 64, COUNTED_ITEMS = SORT_COUNTED_ITEMS, TABLES = 4 };
#define INLINE static inline __attribute__((always_inline))
#define NOINLINE __attribute__((noinline))

/* A digit's line of keys and line of values. */
typedef struct split_line {
  _Alignas(LINE) uint8_t keys[LINE];
  uint8_t values[LINE];
} split_line;

/* Scratch memory of a thread: lines, with the place of each digit's next key and of its first one; or tables of each
 * pass's counts. */
struct host_split_scratch {
  union {
    struct {
      split_line lines[SORT_DIGITS];
      uint64_t places[SORT_DIGITS], digit_starts[SORT_DIGITS];
    };
    uint32_t counts[SORT_MOST_PASSES][TABLES][SORT_DIGITS];
  };
};
_Static_assert(sizeof(host_split_scratch) <= HOST_SORT_SCRATCH_BYTES,
               "a thread's memory does not fit in its scratch memory");

/* The digits of a pass, as in kernels_cl/sort/sort_keys.h. */
typedef struct split_order {
  uint64_t flipped, negative;
  uint32_t shift, mask;
} split_order;

/* A tile's keys, and their destination. */
typedef struct split_tile {
  const uint8_t *keys, *values; /* NULL: the values are indices, from `first` on */
  uint8_t *keys_to, *values_to;
  uint64_t first, items;
  int streams; /* 1: written by lines, past the caches */
} split_tile;

struct host_split_task {
  const host_sort_crew *crew;
  const host_split *how;
  const scan_kernel_args *args;
  uint32_t value_bytes, tiles;
  split_tile all; /* all keys as one tile */
};

/* ---- elements of one size ---- */

INLINE uint64_t load(const uint8_t *from, uint64_t i, uint32_t bytes) {
  switch (bytes) {
  case 1: return from[i];
  case 2: return ((const uint16_t *)(const void *)from)[i];
  case 4: return ((const uint32_t *)(const void *)from)[i];
  default: return ((const uint64_t *)(const void *)from)[i];
  }
}

INLINE void store(uint8_t *to, uint64_t i, uint64_t x, uint32_t bytes) {
  switch (bytes) {
  case 1: to[i] = (uint8_t)x; break;
  case 2: ((uint16_t *)(void *)to)[i] = (uint16_t)x; break;
  case 4: ((uint32_t *)(void *)to)[i] = (uint32_t)x; break;
  default: ((uint64_t *)(void *)to)[i] = x;
  }
}

/* Computes the digits of BLOCK keys, by vectors. */
#define DIGITS(bytes, key_t)                                                                                           \
  static NOINLINE void digits_##bytes(const split_order *order, const uint8_t *from, uint8_t digits[BLOCK]) {          \
    const key_t *keys = (const void *)from;                                                                            \
    const key_t flipped = (key_t)order->flipped, negative = (key_t)order->negative, mask = (key_t)order->mask;         \
    const uint32_t shift = order->shift;                                                                               \
    for (uint32_t i = 0; i < BLOCK; i++) {                                                                             \
      const key_t is_negative = (key_t)(0 - (keys[i] >> (8 * bytes - 1)));                                             \
      digits[i] = (uint8_t)((key_t)(keys[i] ^ flipped ^ (is_negative & negative)) >> shift & mask);                    \
    }                                                                                                                  \
  }
DIGITS(1, uint8_t)
DIGITS(2, uint16_t)
DIGITS(4, uint32_t)
DIGITS(8, uint64_t)

/* Computes the digits of up to BLOCK keys. */
static NOINLINE void make_digits(const split_order *order, const uint8_t *keys, uint32_t key_bytes, uint64_t items,
                                 uint8_t digits[BLOCK]) {
  _Alignas(uint64_t) uint8_t last[BLOCK * sizeof(uint64_t)];
  if (items < BLOCK) {
    memset(last, 0, sizeof last);
    keys = memcpy(last, keys, items * key_bytes);
  }
  switch (key_bytes) {
  case 1: digits_1(order, keys, digits); return;
  case 2: digits_2(order, keys, digits); return;
  case 4: digits_4(order, keys, digits); return;
  default: digits_8(order, keys, digits);
  }
}

static split_order order_of(const scan_kernel_args *args, uint32_t key_bytes, uint32_t pass) {
  const uint64_t all = UINT64_MAX >> (64 - 8 * key_bytes), sign = (uint64_t)1 << (8 * key_bytes - 1);
  const uint32_t shift = args->first_bit + pass * SORT_DIGIT_BITS, flags = args->flags;
  const uint32_t bits = args->end_bit - shift < SORT_DIGIT_BITS ? args->end_bit - shift : SORT_DIGIT_BITS;
  split_order order = { .flipped = flags & (SORT_SIGNED | SORT_FLOAT) ? sign : 0,
                        .negative = flags & SORT_FLOAT ? all ^ sign : 0,
                        .shift = shift,
                        .mask = (1u << bits) - 1 };
  if (flags & SORT_DESCENDING) order.flipped ^= all;
  return order;
}

/* ---- tiles ---- */

/* Returns a tile of the launch; items is 0 if there is no such tile. */
static split_tile tile_of(const host_split_task *task, uint64_t number) {
  const uint64_t first = number * task->args->tile_items, all = task->all.items;
  split_tile own = task->all;
  own.first = first;
  own.items = first >= all ? 0 : all - first < task->args->tile_items ? all - first : task->args->tile_items;
  own.keys += first * task->how->key_bytes;
  if (own.values != NULL) own.values += first * task->value_bytes;
  return own;
}

/* ---- counts ---- */

static void count_block(const split_order *order, const uint8_t *keys, uint32_t key_bytes, uint64_t items,
                        uint32_t counts[TABLES][SORT_DIGITS]) {
  uint8_t digits[BLOCK];
  uint32_t i = 0;
  make_digits(order, keys, key_bytes, items, digits);
  for (; i + TABLES <= items; i += TABLES) {
    counts[0][digits[i]]++;
    counts[1][digits[i + 1]]++;
    counts[2][digits[i + 2]]++;
    counts[3][digits[i + 3]]++;
  }
  for (; i < items; i++) counts[0][digits[i]]++;
}

static void count_keys(const host_split_task *task, const split_tile *tile, uint32_t passes,
                       host_split_scratch *scratch) {
  const uint32_t key_bytes = task->how->key_bytes;
  memset(scratch->counts, 0, passes * sizeof scratch->counts[0]);
  for (uint64_t turn = 0; turn < tile->items; turn += COUNTED_ITEMS) {
    const uint64_t end = tile->items - turn < COUNTED_ITEMS ? tile->items : turn + COUNTED_ITEMS;
    for (uint32_t p = 0; p < passes; p++) {
      const split_order order = order_of(task->args, key_bytes, p);
      for (uint64_t i = turn; i < end; i += BLOCK)
        count_block(&order, tile->keys + i * key_bytes, key_bytes, end - i < BLOCK ? end - i : BLOCK,
                    scratch->counts[p]);
    }
  }
}

static uint64_t count_of(const host_split_scratch *scratch, uint32_t pass, uint32_t digit) {
  uint64_t sum = 0;
  for (uint32_t t = 0; t < TABLES; t++) sum += scratch->counts[pass][t][digit];
  return sum;
}

/* Counts a tile's digits. The counts of a digit for all tiles lie side by side. */
static void count_tile(host_split_task *task, uint32_t number, host_split_scratch *scratch) {
  uint8_t *numbers = host_bytes_of(task->args->workspace);
  const split_tile tile = tile_of(task, number);
  count_keys(task, &tile, 1, scratch);
  for (uint32_t d = 0; d < SORT_DIGITS; d++)
    store(numbers, (uint64_t)d * task->tiles + number, count_of(scratch, 0, d),
          task->args->flags & SORT_WIDE_COUNTS ? 8 : 4);
}

/* Counts all digits of every tile of the work-group. */
static void count_digits(host_split_task *task, uint32_t group, host_split_scratch *scratch) {
  const uint32_t passes = SORT_PASSES(task->args->first_bit, task->args->end_bit), digits = passes * SORT_DIGITS;
  uint64_t *counts =
      (uint64_t *)(void *)host_bytes_of(task->args->digits) + SORT_WORD_COUNTS + (uint64_t)group * digits;
  memset(counts, 0, digits * sizeof *counts);
  for (uint64_t number = group; number * task->args->tile_items < task->all.items; number += task->tiles) {
    const split_tile tile = tile_of(task, number);
    count_keys(task, &tile, passes, scratch);
    for (uint32_t i = 0; i < digits; i++) counts[i] += count_of(scratch, i / SORT_DIGITS, i % SORT_DIGITS);
  }
}

/* ---- lines ---- */

INLINE void write_whole(uint8_t *to, const uint8_t *from, size_t bytes) {
  if (bytes == LINE && (uintptr_t)to % LINE == 0)
    scan_host_stream(to, from, LINE);
  else
    memcpy(to, from, bytes);
}

/* Writes items `begin` to `end` of a digit's lines. `at` is the place of the lines' first item; it may lie before the
 * array. */
static NOINLINE void write_part(const split_tile *t, const split_line *line, int64_t at, uint64_t begin, uint64_t end,
                                uint32_t key_bytes, uint32_t value_bytes) {
  const int64_t to = at + (int64_t)begin;
  if (begin >= end) return;
  memcpy(t->keys_to + to * key_bytes, line->keys + begin * key_bytes, (end - begin) * key_bytes);
  if (value_bytes != 0)
    memcpy(t->values_to + to * value_bytes, line->values + begin * value_bytes, (end - begin) * value_bytes);
}

/* Moves a block of keys into lines. Places count from the beginning of a line of the array with the wider elements,
 * `lead` elements before the array. */
INLINE void move_block(const split_tile *t, const uint8_t *digits, uint64_t begin, uint64_t end, uint64_t lead,
                       host_split_scratch *scratch, uint32_t key_bytes, uint32_t value_bytes) {
  const uint64_t line_items = LINE / (key_bytes > value_bytes ? key_bytes : value_bytes);
  for (uint64_t i = begin; i < end; i++) {
    const uint32_t d = digits[i - begin];
    const uint64_t at = scratch->places[d]++, k = at % line_items;
    split_line *line = &scratch->lines[d];
    store(line->keys, k, load(t->keys, i, key_bytes), key_bytes);
    if (value_bytes != 0)
      store(line->values, k, t->values != NULL ? load(t->values, i, value_bytes) : t->first + i, value_bytes);
    if (k != line_items - 1) continue;
    const uint64_t first = at - k;
    if (first < scratch->digit_starts[d]) {
      write_part(t, line, (int64_t)(first - lead), scratch->digit_starts[d] - first, line_items, key_bytes,
                 value_bytes);
      continue;
    }
    write_whole(t->keys_to + (first - lead) * key_bytes, line->keys, line_items * key_bytes);
    if (value_bytes != 0)
      write_whole(t->values_to + (first - lead) * value_bytes, line->values, line_items * value_bytes);
  }
}

/* Moves keys directly: arrays that the caches hold need no lines. */
INLINE void scatter_of(const split_tile *tile, const split_order *order, uint64_t *places, uint32_t key_bytes,
                       uint32_t value_bytes) {
  const split_tile t = *tile;
  uint8_t digits[BLOCK];
  for (uint64_t i = 0; i < t.items; i += BLOCK) {
    const uint64_t items = t.items - i < BLOCK ? t.items - i : BLOCK;
    make_digits(order, t.keys + i * key_bytes, key_bytes, items, digits);
    for (uint64_t k = 0; k < items; k++) {
      const uint64_t at = places[digits[k]]++;
      store(t.keys_to, at, load(t.keys, i + k, key_bytes), key_bytes);
      if (value_bytes != 0)
        store(t.values_to, at, t.values != NULL ? load(t.values, i + k, value_bytes) : t.first + i + k, value_bytes);
    }
  }
}

INLINE void move_of(const split_tile *tile, const split_order *order, host_split_scratch *scratch, uint32_t key_bytes,
                    uint32_t value_bytes) {
  if (!tile->streams) {
    scatter_of(tile, order, scratch->places, key_bytes, value_bytes);
    return;
  }
  const split_tile t = *tile;
  const uint32_t widest = key_bytes > value_bytes ? key_bytes : value_bytes, line_items = LINE / widest;
  const uint64_t lead = (uintptr_t)(value_bytes > key_bytes ? t.values_to : t.keys_to) % LINE / widest;
  uint8_t digits[BLOCK];
  for (uint32_t d = 0; d <= order->mask; d++) scratch->digit_starts[d] = scratch->places[d] += lead;
  for (uint64_t i = 0; i < t.items; i += BLOCK) {
    const uint64_t end = t.items - i < BLOCK ? t.items : i + BLOCK;
    make_digits(order, t.keys + i * key_bytes, key_bytes, end - i, digits);
    move_block(&t, digits, i, end, lead, scratch, key_bytes, value_bytes);
  }
  for (uint32_t d = 0; d <= order->mask; d++) {
    const uint64_t end = scratch->places[d], first = end / line_items * line_items, begin = scratch->digit_starts[d];
    write_part(&t, &scratch->lines[d], (int64_t)(first - lead), begin > first ? begin - first : 0, end - first,
               key_bytes, value_bytes);
  }
}

typedef void split_move(const split_tile *tile, const split_order *order, host_split_scratch *scratch);
#define MOVE(key_bytes, value_bytes)                                                                                   \
  static void move_##key_bytes##_##value_bytes(const split_tile *tile, const split_order *order,                       \
                                               host_split_scratch *scratch) {                                          \
    move_of(tile, order, scratch, key_bytes, value_bytes);                                                             \
  }
#define MOVES(ROW)                                                                                                     \
  ROW(1, 0)                                                                                                            \
  ROW(1, 4) ROW(1, 8) ROW(2, 0) ROW(2, 4) ROW(2, 8) ROW(4, 0) ROW(4, 4) ROW(4, 8) ROW(8, 0) ROW(8, 4) ROW(8, 8)
MOVES(MOVE)
#define MOVE_ROW(key_bytes, value_bytes) [key_bytes][(value_bytes) / 4] = move_##key_bytes##_##value_bytes,
static split_move *const moves[9][3] = { MOVES(MOVE_ROW) };

/* Copies keys that are in order already to their places. */
static void copy_tile(const host_split_task *task, const split_tile *t) {
  const uint32_t key_bytes = task->how->key_bytes, value_bytes = task->value_bytes;
  memcpy(t->keys_to + t->first * key_bytes, t->keys, t->items * key_bytes);
  if (value_bytes != 0) memcpy(t->values_to + t->first * value_bytes, t->values, t->items * value_bytes);
}

static void move_tile(host_split_task *task, uint32_t number, host_split_scratch *scratch) {
  const scan_kernel_args *args = task->args;
  const uint64_t *digit_starts = (const uint64_t *)(const void *)host_bytes_of(args->digits) + SORT_WORD_STARTS;
  const uint8_t *numbers = host_bytes_of(args->workspace);
  const split_tile tile = tile_of(task, number);
  if (tile.items == 0) return;
  if (args->pass != 0) {
    copy_tile(task, &tile);
    return;
  }
  const split_order order = order_of(args, task->how->key_bytes, 0);
  for (uint32_t d = 0; d <= order.mask; d++) {
    const uint64_t i = (uint64_t)d * task->tiles + number;
    scratch->places[d] = digit_starts[d] + load(numbers, i, args->flags & SORT_WIDE_COUNTS ? 8 : 4);
  }
  moves[task->how->key_bytes][task->value_bytes / 4](&tile, &order, scratch);
  scan_host_stream_done();
}

/* ---- a launch ---- */

host_split scan_host_split_find(const scan_kernel_key *key) {
  const uint32_t bytes = (uint32_t)scan_type_bytes(key->type);
  if (strcmp(key->kernel, "sort_count") == 0) return (host_split){ count_tile, bytes };
  if (strcmp(key->kernel, "sort_digits") == 0) return (host_split){ count_digits, bytes };
  if (strcmp(key->kernel, "sort_move") == 0) return (host_split){ move_tile, bytes };
  return (host_split){ .tile = NULL };
}

/* Returns the number of keys. notes: 1 to record an n_from above args->n. */
static uint64_t keys_that_are(const scan_kernel_args *args, int notes) {
  if (!(args->flags & SORT_N_FROM)) return args->n;
  const uint64_t found = *(const uint64_t *)(const void *)host_bytes_of(args->n_from);
  if (found <= args->n) return found;
  if (notes) *(uint64_t *)(void *)host_bytes_of(args->n_overflow) = found;
  return args->n;
}

/* Opens the keys as one tile. The first pass orders by the digit, to the output unless that is its input; a second pass
 * only moves. */
static void open_all(host_split_task *task) {
  const scan_kernel_args *args = task->args;
  const uint32_t flags = args->flags;
  const int is_first = args->pass == 0, is_last = !is_first || !(flags & SORT_IN_PLACE);
  split_tile *t = &task->all;
  *t = (split_tile){ .keys = host_bytes_of(is_first ? args->in : args->keys_spare),
                     .keys_to = host_bytes_of(is_last ? args->out : args->keys_spare),
                     .items = keys_that_are(args, task->how->tile == count_digits) };
  task->value_bytes = !(flags & SORT_VALUES) ? 0 : flags & SORT_WIDE_VALUES ? 8 : 4;
  t->streams = t->items * (task->how->key_bytes + task->value_bytes) >= STREAMED_BYTES;
  if (task->value_bytes == 0) return;
  t->values_to = host_bytes_of(is_last ? args->values_out : args->values_spare);
  if (!is_first || !(flags & SORT_INDICES)) t->values = host_bytes_of(is_first ? args->values_in : args->values_spare);
}

static void split_tiles(void *work, host_thread *me) {
  host_split_task *task = work;
  host_split_scratch *scratch =
      (void *)(task->crew->thread_scratch + (size_t)me->thread_index * HOST_SORT_SCRATCH_BYTES);
  for (uint64_t tile; scan_host_claim(me, task->tiles, &tile);) task->how->tile(task, (uint32_t)tile, scratch);
}

void scan_host_split_run(const host_sort_crew *crew, const host_split *how, uint32_t tiles,
                         const scan_kernel_args *args) {
  host_split_task task = { .crew = crew, .how = how, .args = args, .tiles = tiles };
  open_all(&task);
  const int is_small = task.all.items * how->key_bytes <= crew->one_thread_bytes;
  scan_host_pool_run(crew->pool, is_small || tiles == 1 ? 1 : crew->threads, split_tiles, &task);
}
