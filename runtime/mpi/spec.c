/* SPDX-License-Identifier: BSD-2-Clause */
#include <float.h>
#include <math.h>

#include "mpi/spec.h"

static int is_half(scan_type type) { return type == SCAN_F16 || type == SCAN_BF16; }

static int is_float(scan_type type) { return is_half(type) || type == SCAN_F32 || type == SCAN_F64; }

/* ---- values ---- */

/* Returns the type that results are combined in. */
static scan_type value_type(scan_type type) { return is_half(type) ? SCAN_F32 : type; }

static float float_of_f16(uint16_t bits) {
  const int exponent = bits >> 10 & 31;
  const float fraction = (float)(bits & 1023);
  float value;
  if (exponent == 31)
    value = fraction > 0 ? NAN : INFINITY;
  else
    value = exponent == 0 ? ldexpf(fraction, -24) : ldexpf(fraction + 1024.0f, exponent - 25);
  return bits >> 15 ? -value : value;
}

static float float_of_bf16(uint16_t bits) {
  const uint32_t wide = (uint32_t)bits << 16;
  float value;
  memcpy(&value, &wide, sizeof value);
  return value;
}

/* Converts an initial value to the type that the operator combines. */
static void widen_init(scan_type type, const void *init, mpi_value *value) {
  uint16_t bits;
  memcpy(&bits, init, sizeof bits);
  const float wide = type == SCAN_F16 ? float_of_f16(bits) : float_of_bf16(bits);
  if (is_half(type))
    memcpy(value, &wide, sizeof wide);
  else
    memcpy(value, init, scan_type_bytes(type));
}

/* Sets *value to the largest (most 1) or smallest value of a type. */
static void put_bound(scan_type type, int most, mpi_value *value) {
  const uint32_t bytes = (uint32_t)scan_type_bytes(type);
  const int is_signed = type == SCAN_I8 || type == SCAN_I16 || type == SCAN_I32 || type == SCAN_I64;
  const float f32 = most ? INFINITY : -INFINITY;
  const double f64 = f32;
  const uint64_t top = UINT64_C(1) << (8 * bytes - 1);
  uint64_t bits = most ? top - 1 + (is_signed ? 0 : top) : is_signed ? top : 0;
  if (type == SCAN_F32)
    memcpy(value, &f32, sizeof f32);
  else if (type == SCAN_F64)
    memcpy(value, &f64, sizeof f64);
  else
    for (uint32_t i = 0; i < bytes; i++, bits >>= 8) value->bytes[i] = (unsigned char)bits;
}

static void put_number(scan_type type, double number, mpi_value *value) {
  const float f32 = (float)number;
  if (type == SCAN_F32)
    memcpy(value, &f32, sizeof f32);
  else if (type == SCAN_F64)
    memcpy(value, &number, sizeof number);
  else
    value->bytes[0] = (unsigned char)number; /* 0 or 1, in little-endian bytes */
}

/* Sets *value to the operator's identity, which leaves every value bit for bit as it is. */
static void put_identity(scan_type type, scan_op_id op, mpi_value *value) {
  switch (op) {
  case SCAN_MIN: put_bound(type, 1, value); break;
  case SCAN_MAX: put_bound(type, 0, value); break;
  case SCAN_AND: memset(value, 255, scan_type_bytes(type)); break;
  case SCAN_MUL: put_number(type, 1.0, value); break;
  default: put_number(type, is_float(type) ? -0.0 : 0.0, value);
  }
}

/* ---- reading a spec ---- */

#define F(field) MPI_FIELD(scan_spec, field)
static const mpi_field fields[] = { F(type),     F(input_type), F(op),         F(kind),     F(custom_op), F(flags),
                                    F(has_init), F(init),       F(init_bytes), F(segments), F(key_type),  F(strategy) };
#undef F
static const mpi_struct spec_struct = MPI_STRUCT(scan_spec, "spec", "SCAN_SPEC_INIT", fields);

scan_status scan_mpi_spec_read(scan_mpi *mpi, const scan_spec *given, scan_spec *own) {
  MPI_TRY(scan_mpi_struct_copy_in(mpi, &spec_struct, own, given));
  if (scan_strategy_name(own->strategy) == NULL)
    return scan_mpi_fail(mpi, SCAN_INVALID_ARGUMENT, "spec->strategy is %d, which is no strategy", (int)own->strategy);
  if (own->flags & SCAN_N_FROM)
    return scan_mpi_fail(mpi, SCAN_UNSUPPORTED,
                         "spec->flags has SCAN_N_FROM: ranks exchange their n before they scan; give local_n");
  if (!scan_strategy_is_canonical(own->strategy))
    return scan_mpi_fail(mpi, SCAN_UNSUPPORTED,
                         "strategy %s has an order of operations of its own: over ranks scans have the canonical one",
                         scan_strategy_name(own->strategy));
  return SCAN_SUCCESS;
}

static scan_status resolve_source(scan_mpi *mpi, mpi_spec *s) {
  scan_op_facts facts = SCAN_OP_FACTS_INIT;
  if (scan_op_info(s->asked.custom_op, &facts) != SCAN_SUCCESS)
    return scan_mpi_fail(mpi, SCAN_INVALID_ARGUMENT, "spec->custom_op: %s", scan_last_error(NULL));
  s->in_bytes = facts.input_bytes;
  s->out_bytes = facts.output_bytes;
  s->value_bytes = facts.value_bytes;
  memcpy(&s->identity, facts.identity, sizeof facts.identity);
  if (facts.maps || facts.emits) s->refusal = "an operator with a map or an emit, which are told an element's index,";
  if (facts.input_members || facts.output_members) s->refusal = "an operator with members in arrays of their own";
  if (!facts.has_identity) s->refusal = "an operator from source without an identity";
  return SCAN_SUCCESS;
}

static void resolve_types(mpi_spec *s) {
  const scan_spec *a = &s->asked;
  const scan_type input = a->input_type == SCAN_TYPE_DEFAULT ? a->type : a->input_type;
  s->in_bytes = (uint32_t)scan_type_bytes(input);
  s->out_bytes = (uint32_t)scan_type_bytes(a->type);
  s->value_bytes = (uint32_t)scan_type_bytes(value_type(a->type));
  s->is_exact = !is_float(a->type) || a->op == SCAN_MIN || a->op == SCAN_MAX;
  put_identity(value_type(a->type), a->op, &s->identity);
  if (is_half(a->type) && a->op == SCAN_MUL) s->refusal = "a product of 16-bit floats";
}

/* Reads the initial value, and sets the seed before the first element. */
static void read_init(mpi_spec *s) {
  scan_spec *a = &s->asked;
  const int is_sum = a->custom_op == NULL && a->op == SCAN_ADD && is_float(a->type);
  const void *init = a->init_bytes != NULL ? a->init_bytes : (const void *)&a->init;
  s->has_seed = (int)a->has_init;
  if (a->has_init) {
    memcpy(&s->init, init, a->custom_op != NULL ? s->value_bytes : s->out_bytes);
    a->init_bytes = s->init.bytes;
  }
  if (a->has_init && a->custom_op == NULL) widen_init(a->type, s->init.bytes, &s->seed);
  if (a->has_init && a->custom_op != NULL) s->seed = s->init;
  s->sum_is_plus_zero = is_sum && a->kind == SCAN_EXCLUSIVE && !a->has_init && a->segments == SCAN_SEGMENTS_NONE;
  if (s->sum_is_plus_zero) s->has_seed = 1; /* the seed has all bits 0 */
}

/* Derives the scan that reduces a block. Its value is the output that an exclusive scan has for one more element; for
 * operators whose result does not depend on the order it is the total. */
static void derive_reduce(mpi_spec *s) {
  scan_spec *r = &s->scans[MPI_REDUCE];
  *r = s->scans[MPI_PIECE];
  r->strategy = SCAN_STRATEGY_AUTO;
  r->flags &= (uint32_t)SCAN_BACKWARD;
  r->kind = s->is_exact ? SCAN_TOTAL : SCAN_EXCLUSIVE;
  if (r->segments == SCAN_SEGMENTS_NONE) {
    r->has_init = 0;
    r->init_bytes = NULL;
  }
  if (s->is_exact) return;
  s->reduces_groups = r->segments == SCAN_SEGMENTS_NONE;
  if (r->custom_op == NULL && is_half(r->type)) {
    r->input_type = r->type;
    r->type = SCAN_F32;
  }
  if (r->segments == SCAN_SEGMENTS_NONE) return;
  s->reduce_init = r->has_init ? s->seed : s->identity;
  r->has_init = 1;
  r->init_bytes = s->reduce_init.bytes;
}

/* Derives the scans of memory whose segments the caller's keys mark. The exact value of a block is that of its last
 * run, which is scanned alone. */
static void derive_by_keys(mpi_spec *s) {
  scan_spec *scans = s->scans;
  s->by_keys = s->asked.segments == SCAN_SEGMENTS_KEYS && (s->asked.flags & SCAN_BACKWARD) == 0;
  if (!s->by_keys) return;
  scans[MPI_PIECE_KEYS] = scans[MPI_PIECE];
  scans[MPI_CONTINUED_KEYS] = scans[MPI_CONTINUED];
  scans[MPI_REDUCE_KEYS] = scans[MPI_REDUCE];
  for (int i = MPI_PIECE_KEYS; i <= MPI_REDUCE_KEYS; i++) {
    scans[i].segments = SCAN_SEGMENTS_KEYS;
    scans[i].key_type = s->asked.key_type;
  }
  if (!s->is_exact) return;
  scans[MPI_REDUCE_KEYS].segments = SCAN_SEGMENTS_NONE;
  scans[MPI_REDUCE_KEYS].key_type = SCAN_TYPE_DEFAULT;
  scans[MPI_REDUCE_OPEN] = scans[MPI_REDUCE_KEYS];
  scans[MPI_REDUCE_OPEN].has_init = 0;
  scans[MPI_REDUCE_OPEN].init_bytes = NULL;
}

static void derive(mpi_spec *s) {
  scan_spec *piece = &s->scans[MPI_PIECE], *continued = &s->scans[MPI_CONTINUED];
  *piece = s->asked;
  piece->segments = s->asked.segments != SCAN_SEGMENTS_NONE ? SCAN_SEGMENTS_FLAGS : SCAN_SEGMENTS_NONE;
  piece->key_type = SCAN_TYPE_DEFAULT;
  *continued = *piece;
  if (piece->segments == SCAN_SEGMENTS_NONE) {
    continued->has_init = 0;
    continued->init_bytes = NULL;
  }
  s->scans[MPI_LEFT] = *continued;
  s->scans[MPI_LEFT].kind = SCAN_TOTAL;
  derive_reduce(s);
  derive_by_keys(s);
  s->fold = (scan_spec)SCAN_SPEC_INIT(SCAN_TYPE_DEFAULT, s->asked.op, SCAN_INCLUSIVE);
  s->fold.strategy = SCAN_STRATEGY_SEQUENTIAL;
  s->fold.custom_op = s->asked.custom_op;
  if (s->asked.custom_op == NULL) s->fold.type = value_type(s->asked.type);
}

/* Finds the elements of a tile of a scan of n, from a plan. Making the plan also checks the spec. */
static scan_status ask_tile(scan_mpi *mpi, const scan_spec *spec, uint64_t n, uint64_t *items) {
  scan_plan *plan = NULL;
  scan_plan_facts facts = SCAN_PLAN_FACTS_INIT;
  MPI_TRY(scan_mpi_adopt_error(mpi, scan_plan_create(mpi->ctx, spec, n, &plan)));
  const scan_status status = scan_plan_info(plan, &facts);
  *items = facts.tile_items;
  scan_plan_destroy(plan);
  return scan_mpi_adopt_error(mpi, status);
}

/* Sets the size of blocks: a group of large tiles. A rest of at most a group of small tiles stays in the last block,
 * because alone it would be cut into small tiles. */
static scan_status ask_cut(scan_mpi *mpi, mpi_spec *s) {
  uint64_t large = 0, small = 0;
  MPI_TRY(ask_tile(mpi, &s->asked, 1, &large));
  if (s->is_exact) return SCAN_SUCCESS;
  MPI_TRY(ask_tile(mpi, &s->asked, large + 1, &small));
  s->cut = (mpi_cut){ .group_items = MPI_GROUP_TILES * large, .tail_items = MPI_GROUP_TILES * small };
  return SCAN_SUCCESS;
}

scan_status scan_mpi_spec_copy_in(scan_mpi *mpi, const scan_spec *given, scan_op *op, mpi_spec *spec) {
  *spec = (mpi_spec){ .is_exact = 0 };
  MPI_TRY(scan_mpi_spec_read(mpi, given, &spec->asked));
  if (op != NULL) spec->asked.custom_op = op;
  if (spec->asked.custom_op != NULL)
    MPI_TRY(resolve_source(mpi, spec));
  else
    resolve_types(spec);
  if (spec->asked.init_bytes != NULL && !spec->asked.has_init)
    return scan_mpi_fail(mpi, SCAN_INVALID_ARGUMENT, "spec->init_bytes is given, but spec->has_init is 0");
  if (spec->asked.custom_op != NULL && spec->asked.has_init && spec->asked.init_bytes == NULL)
    return scan_mpi_fail(mpi, SCAN_INVALID_ARGUMENT, "spec->has_init needs spec->init_bytes with custom_op");
  read_init(spec);
  derive(spec);
  return ask_cut(mpi, spec);
}

/* ---- agreement ---- */

static uint64_t hash_mix(uint64_t hash, const mpi_value *value) {
  for (size_t i = 0; i < sizeof value->bytes; i++) hash = scan_mpi_hash(hash, value->bytes[i]);
  return hash;
}

static uint64_t hash_of(const mpi_spec *s) {
  const scan_spec *a = &s->asked;
  const uint32_t numbers[] = {
    (uint32_t)a->type, (uint32_t)a->input_type, (uint32_t)a->op,       (uint32_t)a->kind, a->flags,
    a->has_init,       (uint32_t)a->segments,   (uint32_t)a->key_type, s->in_bytes,       s->out_bytes,
    s->value_bytes,    a->custom_op != NULL,    s->refusal != NULL
  };
  uint64_t hash = UINT64_C(0xcbf29ce484222325);
  for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) hash = scan_mpi_hash(hash, numbers[i]);
  return hash_mix(hash_mix(hash, &s->init), &s->identity);
}

int scan_mpi_spec_equals(const mpi_spec *a, const mpi_spec *b) { return hash_of(a) == hash_of(b); }

scan_status scan_mpi_spec_compare(scan_mpi *mpi, const mpi_spec *spec) {
  return scan_mpi_same(mpi, hash_of(spec), "spec");
}
