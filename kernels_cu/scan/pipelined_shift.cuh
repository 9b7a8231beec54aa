/* SPDX-License-Identifier: BSD-2-Clause */
/* Input and output of the pipelined scan that do not begin at a multiple of 16 bytes. Included by pipelined.cuh. */
#ifndef SCANRT_PIPELINED_SHIFT_CUH
#define SCANRT_PIPELINED_SHIFT_CUH

/* Selects five of eight consecutive words, from word `first` on, which is WORD if that is known. */
enum { ANY_WORD = -1 };
template <int WORD> FUNC void scanrt_words_select(const scanrt_u32 (&from)[8], scanrt_u32 first, scanrt_u32 (&to)[5]) {
  if constexpr (WORD != ANY_WORD) {
    UNROLL
    for (int k = 0; k < 5; k++) to[k] = from[WORD + k];
  } else {
    scanrt_u32 half[6];
    UNROLL
    for (int k = 0; k < 6; k++) half[k] = first & 2 ? from[k + 2] : from[k];
    UNROLL
    for (int k = 0; k < 5; k++) to[k] = first & 1 ? half[k + 1] : half[k];
  }
}

/* Returns vector `index` of a sub-tile that lies shifted in its stage. Vectors of 16 bytes are shifted by WORD words,
 * or ANY_WORD, and less than one. */
template <int WORD> FUNC scanrt_loaded_t scanrt_shifted_vector(const scanrt_pipe &p, const scanrt_pipe_place &at,
                                                               scanrt_u32 sub, scanrt_u32 index) {
  const unsigned char *const stage = p.ring + at.stage * PIPE_STAGE_BYTES, *const begin =
                                                                               stage + sub * PIPE_SUBTILE_BYTES;
  const unsigned char *const spare = stage + PIPE_TILE_BYTES + sub * 16 - PIPE_SUBTILE_BYTES;
  const scanrt_u32 byte = p.in_shift + index * (scanrt_u32)sizeof(scanrt_loaded_t);
  const int words = (sizeof(scanrt_loaded_t) + 3) / 4;
  scanrt_u32 w[5];
  if (sizeof(scanrt_loaded_t) == 16) { /* two aligned vectors hold it */
    const scanrt_u32 low_at = byte & ~15u, high_at = low_at + 16;
    const uint4 low = *(const uint4 *)(begin + low_at);
    const uint4 high = *(const uint4 *)((high_at < PIPE_SUBTILE_BYTES ? begin : spare) + high_at);
    const scanrt_u32 both[8] = { low.x, low.y, low.z, low.w, high.x, high.y, high.z, high.w };
    scanrt_words_select<WORD>(both, p.in_shift / 4, w);
  } else {
    UNROLL
    for (int k = 0; k < words + 1; k++) { /* the last word is where the vector ends: nothing past it was copied */
      const scanrt_u32 word_at =
          k < words ? (byte & ~3u) + 4 * k : (byte + (scanrt_u32)sizeof(scanrt_loaded_t) - 1) & ~3u;
      w[k] = *(const scanrt_u32 *)((word_at < PIPE_SUBTILE_BYTES ? begin : spare) + word_at);
    }
  }
  scanrt_input_vector v;
  UNROLL
  for (int k = 0; k < words; k++) v.word[k] = __funnelshift_r(w[k], w[k + 1], byte * 8);
  return v.raw;
}

#if STORED_BYTES == 16
#define OUT_SHIFT(job) ((scanrt_u32)(ADDRESS((job).out) % 16))

/* Stores bytes `first` to `end` - 1 of the vector of lane `owner`, whose address is `to`; each lane stores a byte. */
FUNC void scanrt_edge_store(char *to, const scanrt_output_vector &v, scanrt_u32 owner, scanrt_u32 first,
                            scanrt_u32 end) {
  const scanrt_u32 lane = ITEM() % 32;
  scanrt_u32 word = 0;
  UNROLL
  for (scanrt_u32 k = 0; k < 4; k++) {
    const scanrt_u32 w = scanrt_shuffle_from_u32(v.word[k], owner);
    word = lane / 4 == k ? w : word;
  }
  if (lane >= first && lane < end) to[lane] = (char)(word >> lane % 4 * 8);
}

/* Stores a row of a whole sub-tile if the output does not begin at a multiple of 16 bytes. Each lane stores the aligned
 * 16 bytes whose end lies in its vector; their start comes from the lane before. `last` is the row before, of which
 * lane 31's vector is used. Other sub-tiles share the first and the last 16 bytes. */
template <int WORD> FUNC void scanrt_row_store_shifted(const scanrt_job &job, scanrt_u64 first, scanrt_u32 row,
                                                       scanrt_raw16 own, scanrt_raw16 last) {
  const scanrt_u32 lane = ITEM() % 32, shift = OUT_SHIFT(job), from = 16 - shift;
  char *const to = (char *)(job.out + first);
  scanrt_output_vector v, give, o;
  v.raw = own;
  give.raw = lane == 31 ? last : own;
  scanrt_u32 both[8], w[5];
  UNROLL
  for (int k = 0; k < 4; k++) {
    both[k] = k >= WORD ? scanrt_shuffle_from_u32(give.word[k], (lane + 31) % 32) : 0;
    both[4 + k] = v.word[k];
  }
  scanrt_words_select<WORD>(both, from / 4, w);
  UNROLL
  for (int k = 0; k < 4; k++) o.word[k] = __funnelshift_r(w[k], w[k + 1], from * 8);
  if (row > 0 || lane > 0) *(scanrt_raw16 *)(to - shift) = o.raw;
  if (row == 0) scanrt_edge_store(to - lane * 16, v, 0, 0, from);
  if (row == SUBTILE_ROWS - 1) scanrt_edge_store(to + (31 - lane) * 16, v, 31, from, 16);
}

/* Stores a whole sub-tile; `first` is the lane's first element. */
template <int WORD> FUNC void scanrt_subtile_store_shifted(const scanrt_pipe &p, scanrt_u32 tile, scanrt_u32 sub,
                                                           scanrt_u64 first, const scanrt_loaded_t *in,
                                                           const scanrt_rows_before &before, scanrt_value_t prefix,
                                                           scanrt_value_t sub_before) {
  scanrt_raw16 last = { 0, 0, 0, 0 };
  UNROLL
  for (scanrt_u32 r = 0; r < SUBTILE_ROWS; r++) {
    const scanrt_raw16 out = scanrt_row_output(p, tile, sub, r, in, before, prefix, sub_before);
    scanrt_row_store_shifted<WORD>(p.job, first + r * ROW_ITEMS, r, out, last);
    last = out;
  }
}
#endif
#endif
