/* SPDX-License-Identifier: BSD-2-Clause */
/* The keys of a part of a tile whose runs are reduced in one launch: a warp copies them to shared memory, finds where
 * runs begin, and stores the last key of each run. Included by select_pipelined.cuh. */
#ifndef SCANRT_SELECT_ALONE_PART_CUH
#define SCANRT_SELECT_ALONE_PART_CUH

#define PART_WORDS (PART_ITEMS / 32)

/* A part's keys in shared memory, and the index of the first one. */
typedef struct scanrt_part_keys {
  const unsigned char *at;
  scanrt_u64 first;
} scanrt_part_keys;

/* The place of the keys of a part: `room` has room for those of a part and 16 bytes more. */
FUNC scanrt_part_keys scanrt_keys_place(const scanrt_pipe &p, scanrt_u32 bytes, scanrt_u64 first, unsigned char *room) {
  return { room + ADDRESS(p.marks + first * bytes) % 16, first };
}

/* Describes the copy of the keys of a part to `room`. */
FUNC scanrt_piece scanrt_piece_of_keys(const scanrt_pipe &p, scanrt_u32 bytes, scanrt_u64 first, unsigned char *room) {
  const scanrt_u32 shift = (scanrt_u32)(scanrt_keys_place(p, bytes, first, room).at - room);
  scanrt_piece piece = { room, p.marks + first * bytes - shift, PART_ITEMS * bytes + (shift ? 16 : 0), 0, 0 };
  if (first < p.n) piece.there = (p.n - first) * bytes + shift;
  return piece;
}

template <class T> FUNC scanrt_u32 scanrt_typed_keys_mark(const scanrt_pipe &p, const scanrt_key_kind &kind,
                                                          const scanrt_part_keys &keys, scanrt_u64 before,
                                                          scanrt_u64 after, scanrt_u32 &starts_after) {
  const scanrt_u32 lane = ITEM() % 32;
  const T *const own = (const T *)keys.at;
  const scanrt_u64 left = keys.first < p.n ? p.n - keys.first : 0;
  const scanrt_u32 there = left < PART_ITEMS ? (scanrt_u32)left : PART_ITEMS;
  scanrt_u32 word = 0;
  starts_after = left > PART_ITEMS && scanrt_keys_differ(kind, own[PART_ITEMS - 1], (T)after);
#pragma unroll 8
  for (scanrt_u32 w = 0; w < PART_WORDS; w++) {
    const scanrt_u32 k = w * 32 + lane;
    const scanrt_u32 bits = WARP_BALLOT(scanrt_keys_differ(kind, k ? own[k - 1] : (T)before, own[k]));
    word = lane == w ? bits : word;
  }
  word |= keys.first + lane == 0;
  return there >= lane * 32 + 32 ? word : there > lane * 32 ? word & ((1u << there % 32) - 1) : 0;
}

/* Waits for the part's keys and writes the bits of the elements with which runs begin, 32 a word, and behind them, if
 * `is_last`, that of the element behind the part. Keys of other parts are loaded while the warp waits. */
FUNC void scanrt_keys_mark(const scanrt_pipe &p, const scanrt_key_kind &kind, const scanrt_part_keys &keys,
                           scanrt_u32 is_last, scanrt_u32 *words) {
  const scanrt_u32 lane = ITEM() % 32;
  const scanrt_u64 after = keys.first + PART_ITEMS;
  const scanrt_u64 before = keys.first > 0 && keys.first < p.n ? scanrt_key_at(p.marks, kind.bytes, keys.first - 1) : 0;
  const scanrt_u64 behind = after < p.n ? scanrt_key_at(p.marks, kind.bytes, after) : 0;
  scanrt_u32 word, starts_after;
  scanrt_async_wait();
  __syncwarp();
  switch (kind.bytes) {
  case 1: word = scanrt_typed_keys_mark<scanrt_u8>(p, kind, keys, before, behind, starts_after); break;
  case 2: word = scanrt_typed_keys_mark<scanrt_u16>(p, kind, keys, before, behind, starts_after); break;
  case 4: word = scanrt_typed_keys_mark<scanrt_u32>(p, kind, keys, before, behind, starts_after); break;
  default: word = scanrt_typed_keys_mark<scanrt_u64>(p, kind, keys, before, behind, starts_after);
  }
  if (lane < PART_WORDS) words[lane] = word;
  if (is_last && lane == 0) words[PART_WORDS] = starts_after;
}

/* Returns the bits of those of the lane's 32 consecutive elements with which runs end; `words` has the part's bits. */
FUNC scanrt_u32 scanrt_word_ends(const scanrt_pipe &p, scanrt_u64 first, const scanrt_u32 *words) {
  const scanrt_u32 lane = ITEM() % 32;
  const scanrt_u64 left = p.n - first - 1 - lane * 32; /* elements behind the lane's first one */
  if (lane >= PART_WORDS || first + lane * 32 >= p.n) return 0;
  return __funnelshift_r(words[lane], words[lane + 1], 1) | (left < 32 ? 1u << left : 0);
}

template <class T> FUNC void scanrt_typed_keys_store(const scanrt_pipe &p, scanrt_u64 prefix, scanrt_u32 ends,
                                                     scanrt_u32 before, const scanrt_part_keys &keys) {
  const scanrt_u32 lane = ITEM() % 32;
  const T *const own = (const T *)keys.at;
  T *const to = (T *)p.rest + prefix;
  const scanrt_u64 left = p.rest_capacity > prefix ? p.rest_capacity - prefix : 0;
  const scanrt_u32 room = left < PART_ITEMS ? (scanrt_u32)left : PART_ITEMS;
#pragma unroll 8
  for (scanrt_u32 w = 0; w < PART_WORDS; w++) {
    const scanrt_u32 bits = scanrt_shuffle_from_u32(ends, w);
    const scanrt_u32 at = scanrt_shuffle_from_u32(before, w) + (scanrt_u32)__popc(bits & ((1u << lane) - 1));
    if (bits >> lane & 1u && at < room) to[at] = own[w * 32 + lane];
  }
}

/* Stores the last keys of the part's runs from place `prefix` on. */
FUNC void scanrt_keys_store(const scanrt_pipe &p, scanrt_u32 bytes, scanrt_u64 prefix, scanrt_u32 ends,
                            const scanrt_part_keys &keys) {
  scanrt_u32 all;
  const scanrt_u32 before = scanrt_count_below((scanrt_u32)__popc(ends), &all);
  switch (bytes) {
  case 1: scanrt_typed_keys_store<scanrt_u8>(p, prefix, ends, before, keys); break;
  case 2: scanrt_typed_keys_store<scanrt_u16>(p, prefix, ends, before, keys); break;
  case 4: scanrt_typed_keys_store<scanrt_u32>(p, prefix, ends, before, keys); break;
  default: scanrt_typed_keys_store<scanrt_u64>(p, prefix, ends, before, keys);
  }
}
#endif
