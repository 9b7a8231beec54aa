/* SPDX-License-Identifier: BSD-2-Clause */
/* The look-back workspace: a control block, one descriptor a tile, one a group of tiles.
 *
 * A descriptor is one 64-bit word (two for 8-byte values): 32 bits of the value below, the launch's epoch above. Value
 * and flag so travel in one access, and each word vouches for itself, so that no ordering between words is needed.
 * A word of another epoch means "not there yet"; the workspace is zeroed once, when it is allocated, and epochs start
 * at 1. */
#define CONTROL_BYTES 512
#define CONTROL_CLAIM 0   /* 64-bit words: the next tile to hand out; above it the launch's epoch, less one */
#define CONTROL_EXITED 32 /* 32-bit words: work-groups that have finished */
#define CONTROL_ERROR 65  /* set when a wait was given up: the output is not to be trusted */
#define CONTROL_DONE 66   /* tiles written in this launch */
#define EPOCH_LAST 0xfffffffeu

/* Devices that end loops by themselves, without a word, are found out by the tiles that are missing. NVIDIA's do not.
 */
#define COUNTS_TILES (SCAN_SHUFFLE != 1)

#if VALUE_BYTES > 4
#define DESCRIPTOR_WORDS 2
#else
#define DESCRIPTOR_WORDS 1
#endif

typedef struct scan_board {
  volatile GLOBAL scan_u32 *control;
  volatile GLOBAL scan_u64 *tiles;
  volatile GLOBAL scan_u64 *groups;
  scan_u64 words;
  scan_u32 epoch; /* comes with the first claim */
} scan_board;

FUNC scan_board board_open(GLOBAL scan_u8 *workspace, scan_u32 tile_capacity) {
  scan_board b;
  b.control = (volatile GLOBAL scan_u32 *)workspace;
  b.tiles = (volatile GLOBAL scan_u64 *)(workspace + CONTROL_BYTES);
  b.groups = b.tiles + (scan_u64)tile_capacity * DESCRIPTOR_WORDS;
  b.words = ((scan_u64)tile_capacity + tile_capacity / GROUP_TILES + 1) * DESCRIPTOR_WORDS;
  b.epoch = 0;
  return b;
}

/* What a claim brings: the tile in the low half, the launch's epoch above. `claims` is how many there are in the whole
 * launch: whoever makes the last one readies the word for the next launch, so that a scan is one launch and a recorded
 * graph replays. */
FUNC scan_u64 board_claim(const scan_board *b, scan_u64 claims) {
  volatile GLOBAL scan_u64 *word = (volatile GLOBAL scan_u64 *)b->control + CONTROL_CLAIM;
  const scan_u64 claim = ATOMIC_ADD64(word, (scan_u64)1) + ((scan_u64)1 << 32);
  if (!COUNTS_TILES && (claim & 0xffffffffu) == claims - 1 && (scan_u32)(claim >> 32) < EPOCH_LAST)
    word_store(word, claim >> 32 << 32);
  return claim;
}

FUNC void descriptor_put(volatile GLOBAL scan_u64 *board, scan_u64 index, value_t value, scan_u32 epoch) {
  const scan_u64 bits = (scan_u64)VALUE_BITS(value), flag = (scan_u64)epoch << 32;
  word_store(board + index * DESCRIPTOR_WORDS, flag | (bits & 0xffffffffu));
#if DESCRIPTOR_WORDS == 2
  word_store(board + index * DESCRIPTOR_WORDS + 1, flag | (bits >> 32));
#endif
}

/* Returns 1 when the words of a descriptor are of this epoch; *value is what they hold. */
FUNC scan_u32 descriptor_decode(const scan_u64 word[DESCRIPTOR_WORDS], value_t *value, scan_u32 epoch) {
#if DESCRIPTOR_WORDS == 2
  *value = BITS_VALUE((word[1] << 32) | (word[0] & 0xffffffffu));
  return (scan_u32)(word[0] >> 32) == epoch && (scan_u32)(word[1] >> 32) == epoch;
#else
  *value = BITS_VALUE((scan_u32)word[0]);
  return (scan_u32)(word[0] >> 32) == epoch;
#endif
}

/* Asks for a descriptor: the answer need not be there before it is looked at. */
FUNC void descriptor_ask(volatile GLOBAL scan_u64 *board, scan_u64 index, scan_u64 word[DESCRIPTOR_WORDS]) {
#if DESCRIPTOR_WORDS == 2
  WORD_LOAD_PAIR(board + index * 2, word[0], word[1]);
#else
  word[0] = word_load(board + index);
#endif
}

FUNC scan_u32 descriptor_get(volatile GLOBAL scan_u64 *board, scan_u64 index, value_t *value, scan_u32 epoch) {
  scan_u64 word[DESCRIPTOR_WORDS];
  descriptor_ask(board, index, word);
  return descriptor_decode(word, value, epoch);
}

/* Waits for a descriptor, at most spin_limit polls, and gives up early once another work-group has. */
FUNC scan_u32 descriptor_wait(const scan_board *b, volatile GLOBAL scan_u64 *board, scan_u64 index, value_t *value,
                              scan_u32 spin_limit) {
  for (scan_u32 polls = 1; !descriptor_get(board, index, value, b->epoch); polls++) {
    if (polls >= spin_limit) return 0;
    if (polls % 1024 == 0 && ATOMIC_LOAD(b->control + CONTROL_ERROR)) return 0;
  }
  return 1;
}

/* Called once by each work-group when it has no tile left. Where the last claim has not done it, the last one out
 * makes the workspace ready for the next launch. Before the epoch comes round, the descriptors are cleared: one would
 * otherwise be taken for fresh 2^32 launches later. */
FUNC void board_close(const scan_board *b, scan_u32 tiles_done, scan_u32 tiles) {
  if (!COUNTS_TILES && b->epoch < EPOCH_LAST) return;
  ATOMIC_ADD(b->control + CONTROL_DONE, tiles_done);
  FENCE(); /* the count is there before the exit is */
  if (ATOMIC_ADD(b->control + CONTROL_EXITED, 1u) + 1 != GROUPS()) return;
  if (ATOMIC_LOAD(b->control + CONTROL_DONE) != tiles) ATOMIC_STORE(b->control + CONTROL_ERROR, 1u);
  ATOMIC_STORE(b->control + CONTROL_DONE, 0u);
  ATOMIC_STORE(b->control + CONTROL_EXITED, 0u);
  if (b->epoch >= EPOCH_LAST)
    for (scan_u64 i = 0; i < b->words; i++) word_store(b->tiles + i, 0);
  word_store((volatile GLOBAL scan_u64 *)b->control + CONTROL_CLAIM,
             b->epoch >= EPOCH_LAST ? 0 : (scan_u64)b->epoch << 32);
}
