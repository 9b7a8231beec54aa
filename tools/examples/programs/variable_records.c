/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file variable_records.c
 * @brief Where records of variable length begin, if each says its own length: a scan that composes functions.
 *
 * Usage: variable_records [--n BYTES] [--rounds N]. A record is a byte whose low three bits count the bytes that follow
 * it, 0 to 7, and these bytes, as in some encodings of integers. Where a record begins is known only from the record
 * before it. But a parser has 8 states, the bytes that are still to be skipped, and a piece of text is a function from
 * the state before it to that behind it. Functions compose. As a table of 8 numbers of four bits a function is one
 * 32-bit word, so that a scan of these words knows all states. The operator's map makes the function of 32 bytes, and
 * its emit a bit for each of them, 1 where a record begins; scan_select writes the places of these bits. Exit status: 0
 * places and count are those of the plain loop; 1 they are not, or a call failed; 77 there is no such device.
 */
#include <stdio.h>
#include <stdlib.h>

#include <scanrt/scan_select.h>

#include "program.h"

/* Compiled here, and as `text` by the scan's device. Bits 4 s to 4 s + 3 of a function are its value for state s. There
 * are no loops, since some OpenCL devices end the loops of a work-item after 65,535 iterations in all. */
SCAN_OP_TEXT(
    text,
    typedef struct piece {
      uint32_t of[8]; /* byte 0 in the lowest bits of word 0 */
    } piece;

    static inline uint32_t one(uint32_t f, uint32_t g, uint32_t at) {
      const uint32_t state = f >> at & 7u;
      return (g >> state * 4u & 7u) << at;
    }

    static inline uint32_t four(uint32_t f, uint32_t g, uint32_t at) {
      return one(f, g, at) | one(f, g, at + 4u) | one(f, g, at + 8u) | one(f, g, at + 12u);
    }

    static inline uint32_t then(uint32_t f, uint32_t g) { return four(f, g, 0u) | four(f, g, 16u); }

    /* The function of a byte, then f: from state s > 0 to s - 1, from 0 to the byte's count. */
    static inline uint32_t before(uint32_t byte, uint32_t f) {
      const uint32_t count = byte & 7u;
      return f << 4 | (f >> count * 4u & 7u);
    }

    static inline uint32_t before2(uint32_t x, uint32_t f) { return before(x, before(x >> 8, f)); }

    static inline uint32_t before4(uint32_t x, uint32_t f) { return before2(x, before2(x >> 16, f)); }

    static inline uint32_t of_piece(piece x, uint64_t index) {
      uint32_t f = 0x76543210u; /* behind the piece a state stays as it is */
      (void)index;
      f = before4(x.of[4], before4(x.of[5], before4(x.of[6], before4(x.of[7], f))));
      return before4(x.of[0], before4(x.of[1], before4(x.of[2], before4(x.of[3], f))));
    }

    typedef struct parsed { uint32_t bits, skip; } parsed;

    static inline parsed parse(parsed p, uint32_t byte) {
      const uint32_t first = p.skip == 0u;
      p.bits = p.bits >> 1 | first << 31;
      p.skip = first ? byte & 7u : p.skip - 1u;
      return p;
    }

    static inline parsed parse2(parsed p, uint32_t x) { return parse(parse(p, x), x >> 8); }

    static inline parsed parse4(parsed p, uint32_t x) { return parse2(parse2(p, x), x >> 16); }

    static inline uint32_t begins(uint32_t with, uint32_t until, piece x, uint64_t index) {
      parsed p;
      (void)with;
      (void)index;
      p.bits = 0;
      p.skip = until & 7u; /* the text begins in state 0 */
      p = parse4(parse4(parse4(parse4(p, x.of[0]), x.of[1]), x.of[2]), x.of[3]);
      return parse4(parse4(parse4(parse4(p, x.of[4]), x.of[5]), x.of[6]), x.of[7]).bits;
    });
SCAN_OP_HOST(then_host, uint32_t, then);
SCAN_MAP_HOST(of_piece_host, piece, uint32_t, of_piece);
SCAN_EMIT_HOST(begins_host, uint32_t, piece, uint32_t, begins);

typedef struct parser {
  scan_ctx *ctx;
  scan_op *op;
  scan_plan *states, *places;
  scan_mem in, bits, out, count;
  uint64_t n, pieces;
  uint64_t records, loop_records;
  piece *x;               /* the text */
  uint32_t *begin, *loop; /* the scan's, the loop's */
} parser;

/* Makes records; their contents look like counts, too. The last one may be cut off. */
static int make_records(parser *p) {
  p->x = calloc(p->pieces, sizeof(piece));
  p->begin = malloc(p->n * sizeof(uint32_t));
  p->loop = malloc(p->n * sizeof(uint32_t));
  if (!p->x || !p->begin || !p->loop) return PROGRAM_WRONG;
  uint8_t *const x = (uint8_t *)p->x;
  for (uint64_t i = 0; i < p->n; i++) x[i] = (uint8_t)program_random(i);
  return 0;
}

static scan_status make_operator(parser *p) {
  static const uint32_t identity = 0x76543210;
  scan_op_source source = SCAN_OP_SOURCE_INIT(text, uint32_t, then);
  source.identity = &identity;
  source.host = then_host;
  source.loops = &then_host_loops;
  source.map = "of_piece";
  source.input_type = "piece";
  source.input_bytes = sizeof(piece);
  source.input_align = _Alignof(piece);
  source.map_host = of_piece_host;
  source.map_loop = of_piece_host_loop;
  source.emit = "begins";
  source.output_type = "uint32_t";
  source.output_bytes = source.output_align = sizeof(uint32_t);
  source.emit_host = begins_host;
  source.emit_loop = begins_host_loop;
  return scan_op_create(p->ctx, &source, &p->op);
}

static scan_status make_memory(parser *p) {
  scan_status status = scan_alloc(p->ctx, p->pieces * sizeof(piece), &p->in);
  if (status == SCAN_SUCCESS) status = scan_alloc(p->ctx, p->pieces * sizeof(uint32_t), &p->bits);
  if (status == SCAN_SUCCESS) status = scan_alloc(p->ctx, p->n * sizeof(uint32_t), &p->out);
  if (status == SCAN_SUCCESS) status = scan_alloc(p->ctx, sizeof(uint64_t), &p->count);
  return status == SCAN_SUCCESS ? scan_write(p->ctx, p->in, p->x, p->pieces * sizeof(piece)) : status;
}

static scan_status open_parser(parser *p) {
  scan_spec spec = SCAN_SPEC_INIT(SCAN_TYPE_DEFAULT, SCAN_OP_NONE, SCAN_INCLUSIVE);
  const scan_select_spec select = SCAN_SELECT_INDEX_INIT(SCAN_SELECT_BITS, SCAN_U32);
  scan_status status = make_operator(p);
  spec.custom_op = p->op;
  if (status == SCAN_SUCCESS) status = scan_plan_create(p->ctx, &spec, p->pieces, &p->states);
  if (status == SCAN_SUCCESS) status = scan_plan_create_select(p->ctx, &select, p->n, &p->places);
  return status == SCAN_SUCCESS ? make_memory(p) : status;
}

static scan_status run_scans(void *state) {
  parser *p = state;
  const scan_select_args places = SCAN_SELECT_ARGS_INIT(p->bits, SCAN_NO_MEM, p->out, p->count);
  const scan_status status = scan_plan_run(p->states, p->pieces, p->in, p->bits);
  return status == SCAN_SUCCESS ? scan_plan_run_select(p->places, p->n, &places) : status;
}

static void run_loop(void *state) {
  parser *p = state;
  const uint8_t *const x = (const uint8_t *)p->x;
  uint64_t records = 0;
  for (uint64_t i = 0; i < p->n; i += 1u + (x[i] & 7u)) p->loop[records++] = (uint32_t)i;
  p->loop_records = records;
}

static scan_status read_places(parser *p) {
  const scan_status status = scan_read(p->ctx, p->count, &p->records, sizeof p->records);
  if (status != SCAN_SUCCESS || p->records > p->n) return status;
  return scan_read(p->ctx, p->out, p->begin, p->records * sizeof(uint32_t));
}

static double count_wrong(const parser *p) {
  uint64_t wrong = 0;
  if (p->records != p->loop_records) return (double)p->n;
  for (uint64_t i = 0; i < p->records; i++) wrong += p->begin[i] != p->loop[i];
  return (double)wrong;
}

int main(int argc, char **argv) {
  program_options o = { .n = 1 << 24, .rounds = 9 };
  int rc = program_parse(argc, argv, &o);
  parser p = { .n = o.n, .pieces = (o.n + sizeof(piece) - 1) / sizeof(piece) };
  if (rc == 0) rc = make_records(&p);
  if (rc == 0) rc = program_open(0, &p.ctx);
  if (rc == 0) rc = program_status(p.ctx, open_parser(&p));
  if (rc == 0) rc = program_time(p.ctx, "scan and select", run_scans, &p, o.rounds, (double)p.n);
  if (rc == 0) program_time_loop("plain loop", run_loop, &p, o.rounds, (double)p.n);
  if (rc == 0) rc = program_status(p.ctx, read_places(&p));
  if (rc == 0) rc = program_verdict("begins of records", count_wrong(&p), 0);
  (void)scan_free(p.ctx, p.in);
  (void)scan_free(p.ctx, p.bits);
  (void)scan_free(p.ctx, p.out);
  (void)scan_free(p.ctx, p.count);
  scan_plan_destroy(p.states);
  scan_plan_destroy(p.places);
  scan_op_destroy(p.op);
  scan_ctx_destroy(p.ctx);
  free(p.x);
  free(p.begin);
  free(p.loop);
  return rc;
}
