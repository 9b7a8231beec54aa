/* SPDX-License-Identifier: BSD-2-Clause */
/* Elements of operators from source whose members lie in arrays of their own (scan_op_member). */
#include "device/host/scan/host_values.h"

/* Copies n words of a member between an array, with a step in bytes, and elements side by side. */
#define COPY_WORDS(T)                                                                                                  \
  for (uint32_t i = 0; i < n; i++) memcpy(to + i * to_step, from + i * from_step, sizeof(T));                          \
  break
static void copy_words(uint8_t *to, int64_t to_step, const uint8_t *from, int64_t from_step, uint32_t n,
                       uint32_t bytes) {
  switch (bytes) {
  case 1: COPY_WORDS(uint8_t);
  case 2: COPY_WORDS(uint16_t);
  case 4: COPY_WORDS(uint32_t);
  default: COPY_WORDS(uint64_t);
  }
}

/* The bytes from an element to the next one of the scan, in the array of a member that is not the first. */
static int64_t more_step(const job *j, uint32_t bytes) {
  return (j->reversed ? -j->index_step : j->index_step) * (int64_t)bytes;
}

/* The offset of element i in the array of a member that is not the first. */
static int64_t more_at(const job *j, uint64_t i, uint32_t bytes) {
  return (int64_t)index_of(j, j->reversed ? j->n - 1 - i : i) * (int64_t)bytes;
}

/* Reads member k of the elements [first, first + n) of the scan, all of which exist. */
static void member_read(const job *j, uint32_t k, uint64_t first, uint32_t n, uint8_t *elements) {
  const scan_op_member *m = &j->source->input_members.of[k];
  const uint8_t *from = k == 0 ? input_at(j, first) : j->more_in[k - 1] + more_at(j, first, m->bytes);
  copy_words(elements + m->offset, j->source->input_bytes, from, k == 0 ? j->in_step : more_step(j, m->bytes), n,
             m->bytes);
}

void scan_host_members_read(const job *j, uint64_t first, uint32_t n, uint8_t *elements) {
  const scan_source_members *members = &j->source->input_members;
  const size_t bytes = j->source->input_bytes;
  memset(elements, 0, n * bytes);
  for (uint32_t k = 0; k < members->count; k++) {
    const int64_t shift = j->reversed ? -members->of[k].shift : members->of[k].shift;
    const int64_t begin = (int64_t)first + shift, end = begin + n, last = (int64_t)j->n;
    const int64_t from = begin < 0 ? 0 : begin, to = end > last ? last : end; /* those that the line has */
    if (from < to) member_read(j, k, (uint64_t)from, (uint32_t)(to - from), elements + (size_t)(from - begin) * bytes);
  }
}

void scan_host_members_write(const job *j, uint64_t first, uint32_t n, const uint8_t *elements) {
  const scan_source_members *members = &j->source->output_members;
  for (uint32_t k = 0; k < members->count; k++) {
    const scan_op_member *m = &members->of[k];
    uint8_t *to = k == 0 ? output_at(j, first) : j->more_out[k - 1] + more_at(j, first, m->bytes);
    copy_words(to, k == 0 ? j->out_step : more_step(j, m->bytes), elements + m->offset, j->source->output_bytes, n,
               m->bytes);
  }
}
