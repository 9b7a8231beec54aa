/* SPDX-License-Identifier: BSD-2-Clause */
/* Descriptors on devices whose atomics are 32 bits wide (SCAN_SPLIT 1). A descriptor is a 32-bit word for each 16 bits
 * of the value: these below, the launch's epoch above. The claim is a 32-bit ticket; the epoch is a word of its own,
 * which nobody writes before the last work-group is out. Both lie where the packed claim has its halves, so that the
 * host finds the epoch in the same place. */
typedef scan_u32 descriptor_word;
#define DESCRIPTOR_WORDS ((VALUE_BYTES + 1) / 2)
#define EPOCH_LAST 0xfffeu
#define CONTROL_TICKET 0
#define CONTROL_EPOCH 1 /* the launch's, less one */

/* The last work-group out readies the control block, on every device. */
#define COUNTS_TILES 1

/* What a claim brings: the tile in the low half, the launch's epoch above. */
FUNC scan_u64 claim_next(volatile GLOBAL scan_u32 *control, scan_u64 claims) {
  const scan_u32 tile = ATOMIC_ADD(control + CONTROL_TICKET, 1u);
  (void)claims;
  return (scan_u64)(ATOMIC_LOAD(control + CONTROL_EPOCH) + 1) << 32 | tile;
}

/* The next launch starts at tile 0, in the epoch after this one. */
FUNC void claim_restart(volatile GLOBAL scan_u32 *control, scan_u32 epoch) {
  ATOMIC_STORE(control + CONTROL_TICKET, 0u);
  ATOMIC_STORE(control + CONTROL_EPOCH, epoch);
}

FUNC void descriptor_word_clear(volatile GLOBAL descriptor_word *word) { ATOMIC_STORE(word, 0u); }

FUNC void descriptor_put(volatile GLOBAL descriptor_word *board, scan_u64 index, value_t value, scan_u32 epoch) {
  const scan_u64 bits = (scan_u64)VALUE_BITS(value);
  UNROLL
  for (scan_u32 k = 0; k < DESCRIPTOR_WORDS; k++)
    ATOMIC_STORE(board + index * DESCRIPTOR_WORDS + k, epoch << 16 | (scan_u32)(bits >> (16 * k) & 0xffffu));
}

/* Returns 1 when the words of a descriptor are of this epoch; *value is what they hold. */
FUNC scan_u32 descriptor_decode(const descriptor_word word[DESCRIPTOR_WORDS], value_t *value, scan_u32 epoch) {
  scan_u64 bits = 0;
  scan_u32 fresh = 1;
  UNROLL
  for (scan_u32 k = 0; k < DESCRIPTOR_WORDS; k++) {
    bits |= (scan_u64)(word[k] & 0xffffu) << (16 * k);
    fresh &= word[k] >> 16 == epoch;
  }
  *value = BITS_VALUE(bits);
  return fresh;
}

/* Asks for a descriptor: the answer need not be there before it is looked at. */
FUNC void descriptor_ask(volatile GLOBAL descriptor_word *board, scan_u64 index,
                         descriptor_word word[DESCRIPTOR_WORDS]) {
  UNROLL
  for (scan_u32 k = 0; k < DESCRIPTOR_WORDS; k++) word[k] = ATOMIC_LOAD(board + index * DESCRIPTOR_WORDS + k);
}
