/* SPDX-License-Identifier: BSD-2-Clause */
/** @file guard.c @brief Lets AddressSanitizer find what reads or writes beside the parts of an image. */
#include "parts.h"

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HAS_ASAN 1
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define HAS_ASAN 1
#endif

#ifdef HAS_ASAN
#include <sanitizer/asan_interface.h>

static void open_part(const unsigned char *image, const case_part *part) {
  if (part->bytes) __asan_unpoison_memory_region(image + part->at, (size_t)part->bytes);
}

static int writes_offsets(const scan_case *c) { return c->is_split || c->by == CASE_HISTOGRAM; }

void case_guard_in(const scan_case *c, const unsigned char *image) {
  __asan_poison_memory_region(image, (size_t)c->in_bytes);
  open_part(image, &c->n_from);
  open_part(image, &c->marks);
  open_part(image, &c->values);
  if (!writes_offsets(c)) open_part(image, &c->offsets);
  for (int a = 0; a < SCAN_SELECT_MOST_ARRAYS; a++) open_part(image, &c->in[a]);
}

void case_guard_out(const scan_case *c, const unsigned char *image) {
  __asan_poison_memory_region(image, (size_t)c->out_bytes);
  open_part(image, &c->count);
  open_part(image, &c->keys_out);
  open_part(image, &c->scan.carries);
  if (writes_offsets(c)) open_part(image, &c->offsets);
  for (int a = 0; a < SCAN_SELECT_MOST_ARRAYS; a++) {
    open_part(image, &c->out[a]);
    open_part(image, &c->rest[a]);
    open_part(image, &c->second[a]);
  }
}

void case_unguard(const unsigned char *image, uint64_t bytes) { __asan_unpoison_memory_region(image, (size_t)bytes); }
#else
void case_guard_in(const scan_case *c, const unsigned char *image) { (void)c, (void)image; }
void case_guard_out(const scan_case *c, const unsigned char *image) { (void)c, (void)image; }
void case_unguard(const unsigned char *image, uint64_t bytes) { (void)image, (void)bytes; }
#endif
