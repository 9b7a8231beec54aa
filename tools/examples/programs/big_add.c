/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file big_add.c
 * @brief The sum of two big integers with carry lookahead: one scan over their limbs.
 *
 * Usage: big_add [--n LIMBS] [--rounds N]. The sum of four limbs of 64 bits each stops a carry, passes it on (all its
 * bits are 1) or generates one. These states compose by an associative operator: of two neighbours the higher one
 * decides, unless it passes the carry of the lower one on. The operator's map makes the state of four limbs, and its
 * emit adds them with the carry that arrives, so that one pass reads both numbers and writes the sum. The limbs of both
 * numbers lie side by side, since a map has one input. Exit status: 0 the sum and its carry are those of the plain
 * loop; 1 they are not, or a call failed; 77 there is no such device.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "program.h"

/* Compiled here, and as `text` by the scan's device. Limbs ascend from the lowest. */
SCAN_OP_TEXT(
    text, enum { STOPS = 0, PASSES = 1, GENERATES = 2, LIMBS = 4 };

    typedef struct addends {
      uint64_t a[LIMBS];
      uint64_t b[LIMBS];
    } addends;

    typedef struct limbs { uint64_t of[LIMBS]; } limbs;

    static inline uint32_t then(uint32_t lower, uint32_t higher) { return higher == PASSES ? lower : higher; }

    static inline uint64_t carry_of(uint64_t a, uint64_t b, uint64_t carry) {
      return (a + b < a) | (a + b + carry < carry);
    }

    static inline uint32_t state_of(addends x, uint64_t index) {
      uint64_t carry = 0, ones = ~carry;
      (void)index;
      for (int k = 0; k < LIMBS; k++) {
        ones &= x.a[k] + x.b[k];
        carry = carry_of(x.a[k], x.b[k], carry);
      }
      return carry != 0u ? GENERATES : ones + 1u == 0u ? PASSES : STOPS;
    }

    static inline limbs sum_of(uint32_t with, uint32_t before, addends x, uint64_t index) {
      uint64_t carry = before == GENERATES;
      limbs sum;
      (void)with;
      (void)index;
      for (int k = 0; k < LIMBS; k++) {
        sum.of[k] = x.a[k] + x.b[k] + carry;
        carry = carry_of(x.a[k], x.b[k], carry);
      }
      return sum;
    });
SCAN_OP_HOST(then_host, uint32_t, then);
SCAN_MAP_HOST(state_of_host, addends, uint32_t, state_of);
SCAN_EMIT_HOST(sum_of_host, uint32_t, addends, limbs, sum_of);

typedef struct addition {
  scan_ctx *ctx;
  scan_op *op;
  scan_plan *plan;
  scan_mem in, out, carry;
  uint64_t n; /* groups of LIMBS limbs */
  addends *x;
  limbs *sum, *loop; /* the scan's, the loop's */
  uint32_t state, loop_carry;
} addition;

/* Makes two numbers whose sum passes carries on over most limbs. */
static int make_numbers(addition *s) {
  s->x = malloc(s->n * sizeof *s->x);
  s->sum = malloc(s->n * sizeof(limbs));
  s->loop = malloc(s->n * sizeof(limbs));
  if (!s->x || !s->sum || !s->loop) return PROGRAM_WRONG;
  for (uint64_t i = 0; i < LIMBS * s->n; i++) {
    const uint64_t a = (uint64_t)program_random(3 * i) << 32 | program_random(3 * i + 1);
    const uint32_t kind = program_random(3 * i + 2);
    s->x[i / LIMBS].a[i % LIMBS] = a;
    s->x[i / LIMBS].b[i % LIMBS] = kind % 16 ? ~a : a ^ kind;
  }
  return 0;
}

static scan_status make_operator(addition *s) {
  static const uint32_t identity = PASSES;
  scan_op_source source = SCAN_OP_SOURCE_INIT(text, uint32_t, then);
  source.identity = &identity;
  source.host = then_host;
  source.loops = &then_host_loops;
  source.map = "state_of";
  source.input_type = "addends";
  source.input_bytes = sizeof(addends);
  source.input_align = _Alignof(addends);
  source.map_host = state_of_host;
  source.map_loop = state_of_host_loop;
  source.emit = "sum_of";
  source.output_type = "limbs";
  source.output_bytes = sizeof(limbs);
  source.output_align = _Alignof(limbs);
  source.emit_host = sum_of_host;
  source.emit_loop = sum_of_host_loop;
  return scan_op_create(s->ctx, &source, &s->op);
}

static scan_status open_addition(addition *s) {
  scan_spec spec = SCAN_SPEC_INIT(SCAN_TYPE_DEFAULT, SCAN_OP_NONE, SCAN_INCLUSIVE);
  scan_status status = make_operator(s);
  spec.custom_op = s->op;
  if (status == SCAN_SUCCESS) status = scan_plan_create(s->ctx, &spec, s->n, &s->plan);
  if (status == SCAN_SUCCESS) status = scan_alloc(s->ctx, s->n * sizeof(addends), &s->in);
  if (status == SCAN_SUCCESS) status = scan_alloc(s->ctx, s->n * sizeof(limbs), &s->out);
  if (status == SCAN_SUCCESS) status = scan_alloc(s->ctx, sizeof(uint32_t), &s->carry);
  return status == SCAN_SUCCESS ? scan_write(s->ctx, s->in, s->x, s->n * sizeof(addends)) : status;
}

static scan_status run_scan(void *state) {
  addition *s = state;
  scan_args args = SCAN_ARGS_INIT(s->in, s->out);
  args.carry_out = s->carry; /* the state of the whole sum: whether it has a carry itself */
  return scan_plan_run_args(s->plan, s->n, &args);
}

static void run_loop(void *state) {
  addition *s = state;
  uint64_t carry = 0;
  for (uint64_t i = 0; i < s->n; i++)
    for (int k = 0; k < LIMBS; k++) {
      const uint64_t a = s->x[i].a[k], sum = a + s->x[i].b[k], with = sum + carry;
      carry = (uint64_t)(sum < a) | (uint64_t)(with < sum);
      s->loop[i].of[k] = with;
    }
  s->loop_carry = (uint32_t)carry;
}

static double count_wrong(const addition *s) {
  uint64_t wrong = (s->state == GENERATES) != (s->loop_carry != 0);
  for (uint64_t i = 0; i < s->n; i++) wrong += memcmp(&s->sum[i], &s->loop[i], sizeof(limbs)) != 0;
  return (double)wrong;
}

static scan_status read_sum(addition *s) {
  const scan_status status = scan_read(s->ctx, s->out, s->sum, s->n * sizeof(limbs));
  return status == SCAN_SUCCESS ? scan_read(s->ctx, s->carry, &s->state, sizeof s->state) : status;
}

int main(int argc, char **argv) {
  program_options o = { .n = 1 << 22, .rounds = 9 };
  int rc = program_parse(argc, argv, &o);
  addition s = { .n = (o.n + LIMBS - 1) / LIMBS };
  if (rc == 0) rc = make_numbers(&s);
  if (rc == 0) rc = program_open(0, &s.ctx);
  if (rc == 0) rc = program_status(s.ctx, open_addition(&s));
  const double bytes = (double)(sizeof(addends) + sizeof(limbs)) * (double)s.n;
  if (rc == 0) rc = program_time(s.ctx, "one scan", run_scan, &s, o.rounds, bytes);
  if (rc == 0) program_time_loop("plain loop", run_loop, &s, o.rounds, bytes);
  if (rc == 0) rc = program_status(s.ctx, read_sum(&s));
  if (rc == 0) rc = program_verdict("limbs of the sum", count_wrong(&s), 0);
  (void)scan_free(s.ctx, s.in);
  (void)scan_free(s.ctx, s.out);
  (void)scan_free(s.ctx, s.carry);
  scan_plan_destroy(s.plan);
  scan_op_destroy(s.op);
  scan_ctx_destroy(s.ctx);
  free(s.x);
  free(s.sum);
  free(s.loop);
  return rc;
}
