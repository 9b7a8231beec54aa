/* SPDX-License-Identifier: BSD-2-Clause */
/* Input and output of the pipelined scan that do not begin at a multiple of 16 bytes. Included by pipelined.cuh. */
#ifndef SCANRT_PIPELINED_SHIFT_CUH
#define SCANRT_PIPELINED_SHIFT_CUH

/* From word `first` on of eight consecutive words: five of them; `first` is WORD where that is known. */
enum { ANY_WORD = -1 };
template <int WORD> FUNC void words_select(const scan_u32 (&from)[8], scan_u32 first, scan_u32 (&to)[5]) {
  if constexpr (WORD != ANY_WORD) {
    UNROLL
    for (int k = 0; k < 5; k++) to[k] = from[WORD + k];
  } else {
    scan_u32 half[6];
    UNROLL
    for (int k = 0; k < 6; k++) half[k] = first & 2 ? from[k + 2] : from[k];
    UNROLL
    for (int k = 0; k < 5; k++) to[k] = first & 1 ? half[k + 1] : half[k];
  }
}

/* Vector `index` of a sub-tile that lies shifted in its stage; vectors of 16 bytes by WORD words, and less than one. */
template <int WORD> FUNC loaded_t shifted_vector(const pipe &p, const pipe_place &at, scan_u32 sub, scan_u32 index) {
  const unsigned char *const stage = p.ring + at.stage * PIPE_STAGE_BYTES, *const begin =
                                                                               stage + sub * PIPE_SUBTILE_BYTES;
  const unsigned char *const spare = stage + PIPE_TILE_BYTES + sub * 16 - PIPE_SUBTILE_BYTES;
  const scan_u32 byte = p.in_shift + index * (scan_u32)sizeof(loaded_t);
  const int words = (sizeof(loaded_t) + 3) / 4;
  scan_u32 w[5];
  if (sizeof(loaded_t) == 16) { /* two aligned vectors hold it */
    const scan_u32 low_at = byte & ~15u, high_at = low_at + 16;
    const uint4 low = *(const uint4 *)(begin + low_at);
    const uint4 high = *(const uint4 *)((high_at < PIPE_SUBTILE_BYTES ? begin : spare) + high_at);
    const scan_u32 both[8] = { low.x, low.y, low.z, low.w, high.x, high.y, high.z, high.w };
    words_select<WORD>(both, WORD, w);
  } else {
    UNROLL
    for (int k = 0; k < words + 1; k++) { /* the last one is where the vector ends: nothing past it was copied */
      const scan_u32 word_at = k < words ? (byte & ~3u) + 4 * k : (byte + (scan_u32)sizeof(loaded_t) - 1) & ~3u;
      w[k] = *(const scan_u32 *)((word_at < PIPE_SUBTILE_BYTES ? begin : spare) + word_at);
    }
  }
  input_vector v;
  UNROLL
  for (int k = 0; k < words; k++) v.word[k] = __funnelshift_r(w[k], w[k + 1], byte * 8);
  return v.raw;
}

#if STORED_BYTES == 16
#define OUT_SHIFT(job) ((scan_u32)(ADDRESS((job).out) % 16))

/* Stores bytes `first` to `end` of the vector of lane `owner`, which belongs at `to`: a byte by each lane. */
FUNC void edge_store(char *to, const output_vector &v, scan_u32 owner, scan_u32 first, scan_u32 end) {
  const scan_u32 lane = ITEM() % 32;
  scan_u32 word = 0;
  UNROLL
  for (scan_u32 k = 0; k < 4; k++) {
    const scan_u32 w = shuffle_from_u32(v.word[k], owner);
    word = lane / 4 == k ? w : word;
  }
  if (lane >= first && lane < end) to[lane] = (char)(word >> lane % 4 * 8);
}

/* Stores a row of a whole sub-tile where the output does not begin at a multiple of 16 bytes: each lane the 16 bytes of
 * which its vector has the end, with the begin from the lane before. `last` is the row before, of which lane 31's
 * vector is wanted. The first and the last 16 bytes are shared with other sub-tiles. */
template <int WORD>
FUNC void row_store_shifted(const scan_job &job, scan_u64 first, scan_u32 row, scan_raw16 own, scan_raw16 last) {
  const scan_u32 lane = ITEM() % 32, shift = OUT_SHIFT(job), from = 16 - shift;
  char *const to = (char *)(job.out + first);
  output_vector v, give, o;
  v.raw = own;
  give.raw = lane == 31 ? last : own;
  scan_u32 both[8], w[5];
  UNROLL
  for (int k = 0; k < 4; k++) {
    both[k] = k >= WORD ? shuffle_from_u32(give.word[k], (lane + 31) % 32) : 0;
    both[4 + k] = v.word[k];
  }
  words_select<WORD>(both, from / 4, w);
  UNROLL
  for (int k = 0; k < 4; k++) o.word[k] = __funnelshift_r(w[k], w[k + 1], from * 8);
  if (row > 0 || lane > 0) *(scan_raw16 *)(to - shift) = o.raw;
  if (row == 0) edge_store(to - lane * 16, v, 0, 0, from);
  if (row == SUBTILE_ROWS - 1) edge_store(to + (31 - lane) * 16, v, 31, from, 16);
}

/* A whole sub-tile, of which `first` is the lane's first element. */
template <int WORD> FUNC void subtile_store_shifted(const pipe &p, scan_u32 tile, scan_u32 sub, scan_u64 first,
                                                    const loaded_t *in, const rows_before &before, value_t prefix,
                                                    value_t sub_before) {
  scan_raw16 last = { 0, 0, 0, 0 };
  UNROLL
  for (scan_u32 r = 0; r < SUBTILE_ROWS; r++) {
    const scan_raw16 out = row_output(p, tile, sub, r, in, before, prefix, sub_before);
    row_store_shifted<WORD>(p.job, first + r * ROW_ITEMS, r, out, last);
    last = out;
  }
}
#endif
#endif
