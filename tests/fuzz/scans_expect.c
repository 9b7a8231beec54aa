/* SPDX-License-Identifier: BSD-2-Clause */
/* What a scan must give: the oracle's scan, forward, of elements that are turned over where the scan goes backward. */
#include "reference.h"
#include "scans.h"

#include <stdlib.h>
#include <string.h>

/* The job in the order of the scan. */
typedef struct ordered {
  unsigned char *in, *out;
  uint8_t *heads; /* NULL: no segments; the first of them is not looked at */
} ordered;

static int is_backward(const scan_job *job) { return (job->spec.flags & SCAN_BACKWARD) != 0; }

/* Element i of what is turned over is n - 1 - i; its segment begins where, in memory, the next one does. */
static ordered put_in_order(const scan_job *job) {
  ordered o = { .in = reference_alloc((size_t)(job->n * job->in_bytes) + 1),
                .out = reference_alloc((size_t)(job->n * job->out_bytes) + 1) };
  if (job->heads != NULL) o.heads = reference_alloc((size_t)job->n + 1);
  for (uint64_t i = 0; i < job->n; i++) {
    const uint64_t from = is_backward(job) ? job->n - 1 - i : i;
    memcpy(o.in + i * job->in_bytes, job->in + from * job->in_bytes, (size_t)job->in_bytes);
    if (o.heads != NULL) o.heads[i] = i == 0 ? 1 : is_backward(job) ? job->heads[from + 1] : job->heads[i];
  }
  return o;
}

static void free_ordered(ordered *o) {
  free(o->in);
  free(o->out);
  free(o->heads);
}

/* ---- overflow ---- */

typedef struct exact {
  int is_signed;
  unsigned bits;
} exact;

static uint64_t load(const void *from, unsigned bytes, int is_signed) {
  uint64_t bits = 0;
  memcpy(&bits, from, bytes);
  const unsigned unused = 64 - 8 * bytes;
  return is_signed ? (uint64_t)((int64_t)(bits << unused) >> unused) : bits;
}

/* a op x, both of the type; 1 where the exact result is not. */
static int leaves(const exact *e, scan_op_id op, uint64_t *a, uint64_t x) {
  int64_t narrow = 0;
  uint64_t wide = 0;
  int over;
  if (e->is_signed) {
    over = op == SCAN_ADD ? __builtin_add_overflow((int64_t)*a, (int64_t)x, &narrow)
                          : __builtin_mul_overflow((int64_t)*a, (int64_t)x, &narrow);
    *a = (uint64_t)narrow;
    return over || narrow > INT64_MAX >> (64 - e->bits) || narrow < INT64_MIN >> (64 - e->bits);
  }
  over = op == SCAN_ADD ? __builtin_add_overflow(*a, x, &wide) : __builtin_mul_overflow(*a, x, &wide);
  *a = wide;
  return over || wide > UINT64_MAX >> (64 - e->bits);
}

static int is_signed(scan_type type) { return type % 2 == 1; }

/* The first output that is not exact, in the order of the scan; of exclusive scans what is left counts as one more. */
static uint64_t find_overflow(const scan_job *job, const ordered *o) {
  const scan_type type = job->spec.type;
  const exact e = { is_signed(type), 8 * (unsigned)job->out_bytes };
  const scan_value seed = reference_seed(&job->spec);
  const void *first = job->has_carry_in && (o->heads == NULL || job->continues) ? (const void *)&job->carry : &seed;
  uint64_t value = load(first, (unsigned)job->out_bytes, e.is_signed);
  int is_over = 0;
  for (uint64_t i = 0; i < job->n; i++) {
    if (i > 0 && o->heads != NULL && o->heads[i]) {
      value = load(&seed, (unsigned)job->out_bytes, e.is_signed);
      is_over = 0;
    }
    if (job->spec.kind == SCAN_EXCLUSIVE && is_over) return i;
    const uint64_t x = load(o->in + i * job->in_bytes, (unsigned)job->in_bytes, is_signed(job->input_type));
    is_over |= leaves(&e, job->spec.op, &value, x);
    if (job->spec.kind != SCAN_EXCLUSIVE && is_over) return i;
  }
  return is_over && job->has_carry_out ? job->n : UINT64_MAX;
}

/* ---- results ---- */

/* Those before the second segment go on from the carry. */
static void scan_ordered(const scan_job *job, const ordered *o, scan_kind kind, unsigned char *out) {
  scan_spec spec = job->spec, begin = job->spec;
  uint64_t from = 0;
  spec.kind = begin.kind = kind;
  spec.strategy = SCAN_STRATEGY_AUTO;
  if (job->has_carry_in && (o->heads == NULL || job->continues)) {
    begin.has_init = 1;
    begin.init = job->carry;
    for (from = 1; from < job->n && (o->heads == NULL || !o->heads[from]); from++) continue;
    if (from > job->n) from = job->n;
    reference_segmented(&begin, NULL, from, o->in, out);
  }
  if (from < job->n)
    reference_segmented(&spec, o->heads != NULL ? o->heads + from : NULL, job->n - from, o->in + from * job->in_bytes,
                        out + from * job->out_bytes);
}

static void give(const scan_job *job, const ordered *o, unsigned char *out) {
  for (uint64_t i = 0; i < job->n; i++) {
    const uint64_t to = is_backward(job) ? job->n - 1 - i : i;
    memcpy(out + to * job->out_bytes, o->out + i * job->out_bytes, (size_t)job->out_bytes);
  }
}

uint64_t scans_expect(const scan_job *job, void *out, scan_value *carry) {
  ordered o = put_in_order(job);
  const int goes_on = job->has_carry_in && (o.heads == NULL || job->continues || job->n == 0);
  *carry = goes_on ? job->carry : reference_seed(&job->spec); /* of no elements */
  scan_ordered(job, &o, SCAN_INCLUSIVE, o.out);
  if (job->n > 0) memcpy(carry, o.out + (job->n - 1) * job->out_bytes, (size_t)job->out_bytes);
  if (job->spec.kind == SCAN_TOTAL)
    memcpy(out, carry, (size_t)job->out_bytes);
  else if (job->spec.kind == SCAN_EXCLUSIVE)
    scan_ordered(job, &o, SCAN_EXCLUSIVE, o.out);
  if (job->spec.kind != SCAN_TOTAL) give(job, &o, out);
  const uint64_t at = job->spec.flags & SCAN_CHECK_OVERFLOW ? find_overflow(job, &o) : UINT64_MAX;
  free_ordered(&o);
  return at;
}
