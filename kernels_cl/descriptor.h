/* SPDX-License-Identifier: BSD-2-Clause */
/* The look-back workspace: a control block, one descriptor a tile, one a group of tiles.
 *
 * A descriptor is one 64-bit word (two for 8-byte values): 32 bits of the value below, the launch's epoch above. Value
 * and flag so travel in one access, and each word vouches for itself, so that no ordering between words is needed.
 * A word of another epoch means "not there yet"; the workspace is zeroed once, when it is allocated, and epochs start
 * at 1. */
#define CONTROL_BYTES 512
#define CONTROL_TICKET 0  /* next tile to hand out */
#define CONTROL_EXITED 32 /* work-groups that have finished */
#define CONTROL_EPOCH 64  /* epoch of this launch, less one */
#define CONTROL_ERROR 65  /* set when a wait was given up: the output is not to be trusted */
#define CONTROL_DONE 66   /* tiles written in this launch */
#define EPOCH_LAST 0xfffffffeu

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
  scan_u32 epoch;
} scan_board;

FUNC scan_board board_open(GLOBAL scan_u8 *workspace, scan_u32 tile_capacity) {
  scan_board b;
  b.control = (volatile GLOBAL scan_u32 *)workspace;
  b.tiles = (volatile GLOBAL scan_u64 *)(workspace + CONTROL_BYTES);
  b.groups = b.tiles + (scan_u64)tile_capacity * DESCRIPTOR_WORDS;
  b.words = ((scan_u64)tile_capacity + tile_capacity / GROUP_TILES + 1) * DESCRIPTOR_WORDS;
  b.epoch = b.control[CONTROL_EPOCH] + 1; /* changes only when the launch's last work-group leaves */
  return b;
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

FUNC scan_u32 descriptor_get(volatile GLOBAL scan_u64 *board, scan_u64 index, value_t *value, scan_u32 epoch) {
  scan_u64 word[DESCRIPTOR_WORDS];
  UNROLL
  for (scan_u32 k = 0; k < DESCRIPTOR_WORDS; k++) word[k] = word_load(board + index * DESCRIPTOR_WORDS + k);
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

/* Called once by each work-group when it has no tile left. The last one out makes the workspace ready for the next
 * launch, so that a scan is one launch and a recorded graph replays. Before the epoch comes round, the descriptors are
 * cleared: one would otherwise be taken for fresh 2^32 launches later. */
FUNC void board_close(const scan_board *b, scan_u32 tiles_done, scan_u32 tiles) {
  ATOMIC_ADD(b->control + CONTROL_DONE, tiles_done);
  FENCE(); /* the count is there before the exit is */
  if (ATOMIC_ADD(b->control + CONTROL_EXITED, 1u) + 1 != GROUPS()) return;
  if (ATOMIC_LOAD(b->control + CONTROL_DONE) != tiles) ATOMIC_STORE(b->control + CONTROL_ERROR, 1u);
  ATOMIC_STORE(b->control + CONTROL_DONE, 0u);
  ATOMIC_STORE(b->control + CONTROL_TICKET, 0u);
  ATOMIC_STORE(b->control + CONTROL_EXITED, 0u);
  if (b->epoch >= EPOCH_LAST)
    for (scan_u64 i = 0; i < b->words; i++) word_store(b->tiles + i, 0);
  ATOMIC_STORE(b->control + CONTROL_EPOCH, b->epoch >= EPOCH_LAST ? 0u : b->epoch);
}
