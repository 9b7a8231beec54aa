/* SPDX-License-Identifier: BSD-2-Clause */
/* Input and output of the pipelined scan that do not begin at a multiple of 16 bytes. Included by pipelined.cuh. */

/* From word `first` on of eight consecutive words: five of them. Each choice is a few instructions more, so that what
 * all lanes do for a whole tile is told the word as a parameter. */
FUNC void words_select(const scan_u32 (&from)[8], scan_u32 first, scan_u32 (&to)[5]) {
  scan_u32 half[6];
  UNROLL
  for (int k = 0; k < 6; k++) half[k] = first & 2 ? from[k + 2] : from[k];
  UNROLL
  for (int k = 0; k < 5; k++) to[k] = first & 1 ? half[k + 1] : half[k];
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
    UNROLL
    for (int k = 0; k < 5; k++) w[k] = both[WORD + k];
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
/* How far an element may reach over a multiple of 16 bytes: those from source need not be aligned to their size. */
#if SCAN_TYPE == 0
#define STRADDLE_BYTES (OUTPUT_BYTES - 1)
#else
#define STRADDLE_BYTES 0
#endif

/* Stores a row of a whole tile where the output does not begin at a multiple of 16 bytes: each lane the 16 bytes of
 * which its vector has the end, with the begin from the lane before. `last` is the row before, of which lane 31's
 * vector is wanted. The sub-tile's first and last bytes are stored element by element. */
FUNC void row_store_shifted(const scan_job &job, scan_u64 first, scan_u32 row, scan_raw16 own, scan_raw16 last) {
  const scan_u32 lane = ITEM() % 32, shift = (scan_u32)(ADDRESS(job.out) % 16), from = 16 - shift;
  output_vector v, give;
  v.raw = own;
  give.raw = lane == 31 ? last : own;
  scan_u32 both[8], w[5];
  UNROLL
  for (int k = 0; k < 4; k++) {
    both[k] = shuffle_from_u32(give.word[k], (lane + 31) % 32);
    both[4 + k] = v.word[k];
  }
  words_select(both, from / 4, w);
  output_vector o;
  UNROLL
  for (int k = 0; k < 4; k++) o.word[k] = __funnelshift_r(w[k], w[k + 1], from * 8);
  const scan_u32 begin = row == 0 && lane == 0, end = row == SUBTILE_ROWS - 1 && lane == 31;
  if (!begin) *(scan_raw16 *)((char *)(job.out + first) - shift) = o.raw;
  if (begin || end) {
    UNROLL
    for (scan_u32 k = 0; k < VEC_ITEMS; k++)
      if (begin ? k * OUTPUT_BYTES < from : k * OUTPUT_BYTES + STRADDLE_BYTES >= from) job.out[first + k] = v.x[k];
  }
}
#endif
