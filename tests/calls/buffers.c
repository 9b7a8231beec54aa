/* SPDX-License-Identifier: BSD-2-Clause */
/** @file buffers.c @brief Where the buffers of a call are. */
#include "calls/calls.h"

#include <scanrt/scan_opencl.h>

#include <stdio.h>
#include <string.h>

enum { ALIGNED_BYTES = 16 };

void buffers_add(call_buffers *buffers, const char *name, scan_mem memory) {
  if (memory.kind == SCAN_MEM_NONE || buffers->count == CALL_MOST_BUFFERS) return;
  buffers->names[buffers->count] = name;
  buffers->memory[buffers->count++] = memory;
}

void buffers_add_arrays(call_buffers *buffers, const char *name, const scan_mem *memory, uint32_t count) {
  for (uint32_t a = 0; a < count && a < 8; a++) buffers_add(buffers, name, memory[a]);
}

/** 1 where the handle is an address, to which the offset is added. Other handles are objects. */
static int is_address(scan_mem memory) { return memory.kind != SCAN_MEM_ALLOCATED && memory.kind != SCAN_MEM_OPENCL; }

int buffers_are_same(scan_mem a, scan_mem b) {
  if (a.kind == SCAN_MEM_NONE || a.kind != b.kind) return 0;
  if (!is_address(a)) return a.handle == b.handle && a.offset_bytes == b.offset_bytes;
  return (uintptr_t)a.handle + a.offset_bytes == (uintptr_t)b.handle + b.offset_bytes;
}

void buffers_pair(call_buffers *buffers, scan_mem in, scan_mem out) {
  if (in.kind == SCAN_MEM_NONE || out.kind == SCAN_MEM_NONE) return;
  buffers->outputs++;
  buffers->reused += (uint32_t)buffers_are_same(in, out);
}

void buffers_pair_arrays(call_buffers *buffers, const scan_mem *in, const scan_mem *out, uint32_t count) {
  for (uint32_t a = 0; a < count && a < 8; a++) buffers_pair(buffers, in[a], out[a]);
}

/* ---- kinds of memory ---- */

static const char *kind_name(scan_mem_kind kind) {
  switch (kind) {
  case SCAN_MEM_HOST: return "host";
  case SCAN_MEM_ALLOCATED: return "device";
  case SCAN_MEM_CUDA: return "cuda";
  case SCAN_MEM_OPENCL: return "opencl";
  case SCAN_MEM_SVM: return "svm";
  case SCAN_MEM_USM: return "usm";
  default: return "unknown";
  }
}

/** Appends a name to a list, unless it is the list's last one already. */
static void list_name(char list[CALL_WORD_BYTES], const char *name) {
  const size_t used = strlen(list), bytes = strlen(name);
  if (used >= bytes && strcmp(list + used - bytes, name) == 0 && (used == bytes || list[used - bytes - 1] == '+'))
    return;
  snprintf(list + used, CALL_WORD_BYTES - used, "%s%s", used ? "+" : "", name);
}

/** Lists the buffers of one kind of memory; SCAN_MEM_NONE: of all kinds. @return how many there are */
static uint32_t list_buffers(char list[CALL_WORD_BYTES], const call_buffers *buffers, scan_mem_kind kind) {
  uint32_t count = 0;
  *list = '\0';
  for (uint32_t i = 0; i < buffers->count; i++)
    if (kind == SCAN_MEM_NONE || buffers->memory[i].kind == kind) {
      list_name(list, buffers->names[i]);
      count++;
    }
  return count;
}

/** One kind where all buffers are of one kind. Else the buffers of each kind but the first one. */
static void append_kinds(call_key *key, const call_buffers *buffers) {
  char list[CALL_WORD_BYTES], kinds[CALL_WORD_BYTES] = "";
  for (int kind = SCAN_MEM_USM; kind > SCAN_MEM_NONE; kind--) {
    const uint32_t count = list_buffers(list, buffers, (scan_mem_kind)kind);
    if (!count) continue;
    list_name(kinds, kind_name((scan_mem_kind)kind));
    if (count < buffers->count && kind == SCAN_MEM_HOST) key_word(key, "host_buffers", list);
  }
  if (*kinds) key_word(key, "memory", kinds);
}

/* ---- alignment ---- */

static int is_aligned(scan_mem memory) {
  return ((is_address(memory) ? (uintptr_t)memory.handle : 0) + memory.offset_bytes) % ALIGNED_BYTES == 0;
}

/** Appends name_at=elem where buffers of that name are not aligned to 16 bytes; mixed: some are not. */
static void append_alignment(call_key *key, const call_buffers *buffers, const char *name) {
  char field[64];
  uint32_t count = 0, aligned = 0;
  for (uint32_t i = 0; i < buffers->count; i++)
    if (strcmp(buffers->names[i], name) == 0) {
      count++;
      aligned += (uint32_t)is_aligned(buffers->memory[i]);
    }
  if (aligned == count) return;
  snprintf(field, sizeof field, "%s_at", name);
  key_word(key, field, aligned ? "mixed" : "elem");
}

/* ---- all ---- */

void key_buffers(call_key *key, const call_buffers *buffers) {
  char list[CALL_WORD_BYTES];
  if (list_buffers(list, buffers, SCAN_MEM_NONE)) key_word(key, "buffers", list);
  append_kinds(key, buffers);
  if (buffers->reused) key_word(key, "in_place", buffers->reused == buffers->outputs ? "all" : "some");
  for (uint32_t i = 0; i < buffers->count; i++)
    if (i == 0 || strcmp(buffers->names[i], buffers->names[i - 1]) != 0)
      append_alignment(key, buffers, buffers->names[i]);
}

void key_n_from(call_key *key, scan_mem n_from, uint64_t n, scan_mem count, uint32_t counts, int succeeded) {
  uint64_t said = 0;
  if (n_from.kind == SCAN_MEM_NONE) return;
  for (uint32_t i = 0; i < counts; i++)
    if (buffers_are_same(n_from, scan_offset(count, sizeof said * i))) {
      key_word(key, "n_from", "count");
      return;
    }
  key_word(key, "n_from", "apart");
  const void *at = succeeded && n ? scan_host_ptr(n_from) : NULL;
  if (!at) return;
  memcpy(&said, at, sizeof said);
  key_word(key, "n_said", said == 0 ? "0" : said < n ? "less" : said == n ? "equal" : "more");
}

void key_events(call_key *key, const struct scan_opencl_events *events) {
  if (!events) return;
  key_flag(key, "wait_count", events->wait_count != 0);
  key_flag(key, "event", events->event != NULL);
}
