/* SPDX-License-Identifier: BSD-2-Clause */
#include "wild.h"

#include <string.h>

static struct {
  scan_ctx *ctx, *other;
  scan_mem arena, others, freed;
  unsigned char before[WILD_BYTES], after[WILD_BYTES], writable[WILD_BYTES];
} wild;

/* Moves the arena to another context, if it is in another one. There are few contexts. */
static void open_arena(scan_ctx *ctx) {
  if (wild.ctx == ctx) return;
  if (wild.ctx != NULL) fuzz_done(wild.ctx, scan_free(wild.ctx, wild.arena), "scan_free");
  if (wild.other == NULL) {
    wild.other = fuzz_context(1, NULL);
    fuzz_done(wild.other, scan_alloc(wild.other, WILD_BYTES, &wild.others), "scan_alloc");
  }
  wild.ctx = ctx;
  fuzz_done(ctx, scan_alloc(ctx, WILD_BYTES, &wild.freed), "scan_alloc");
  fuzz_done(ctx, scan_alloc(ctx, WILD_BYTES, &wild.arena), "scan_alloc");
  fuzz_done(ctx, scan_free(ctx, wild.freed), "scan_free");
}

void wild_begin(scan_ctx *ctx, fuzz_input *in) {
  open_arena(ctx);
  const unsigned step = 1u + fuzz_byte(in);
  for (unsigned i = 0; i < WILD_BYTES; i++) wild.before[i] = (unsigned char)(i / 16 * step);
  memset(wild.writable, 0, sizeof wild.writable);
  fuzz_done(ctx, scan_write(ctx, wild.arena, wild.before, WILD_BYTES), "scan_write");
}

scan_mem wild_memory(fuzz_input *in) {
  const unsigned kind = fuzz_byte(in);
  const uint64_t aligned = 16 * fuzz_below(in, WILD_BYTES / 16 + 2);
  if (kind < 200) return scan_offset(wild.arena, aligned);
  if (kind < 230) return scan_offset(wild.arena, aligned + fuzz_below(in, 16));
  if (kind < 234) return scan_offset(wild.arena, fuzz_number(in, 8));
  if (kind < 238) return wild.others;
  if (kind < 242) return wild.freed;
  if (kind < 246) return (scan_mem){ .kind = (scan_mem_kind)fuzz_byte(in) };
  return SCAN_NO_MEM;
}

scan_mem wild_optional(fuzz_input *in) { return fuzz_rarely(in, 2) ? wild_memory(in) : SCAN_NO_MEM; }

uint64_t wild_items(fuzz_input *in) { return fuzz_rarely(in, 8) ? fuzz_number(in, 8) : fuzz_below(in, 200); }

void wild_may_write(scan_mem memory, uint64_t items, uint64_t item_bytes) {
  if (memory.kind != SCAN_MEM_ALLOCATED || memory.handle != wild.arena.handle) return;
  if (memory.offset_bytes >= WILD_BYTES || item_bytes == 0) return;
  const uint64_t most = WILD_BYTES - memory.offset_bytes;
  memset(wild.writable + memory.offset_bytes, 1, (size_t)(items > most / item_bytes ? most : items * item_bytes));
}

void wild_check(scan_status status, const char *what) {
  const int is_done = status == SCAN_SUCCESS || status == SCAN_OVERFLOW;
  if (!is_done && status != SCAN_OUT_OF_MEMORY) fuzz_refused(wild.ctx, status, what);
  (void)scan_sync(wild.ctx); /* reports overflows, and counts in memory that were too large */
  fuzz_done(wild.ctx, scan_read(wild.ctx, wild.arena, wild.after, WILD_BYTES), "scan_read");
  for (unsigned i = 0; i < WILD_BYTES; i++)
    if (wild.before[i] != wild.after[i] && !(is_done && wild.writable[i]))
      fuzz_fail("%s, %s: byte %u has changed", what, scan_status_name(status), i);
}
