/* SPDX-License-Identifier: BSD-2-Clause */
/* Splits over the ranks: sorts by the keys' bits, or by the numbers that a bucket function gives. Each rank then
 * numbers its elements' buckets, splits them, and sends the numbers, of a byte each, with the elements. */
#include "mpi/sort.h"

typedef struct mpi_split {
  mpi_sort sort; /* must be the first member */
  scan_split_spec asked;
  /* By a bucket function: */
  uint32_t element_bytes;
  scan_plan *plan;     /* splits this rank's elements */
  mpi_buffer elements; /* copy of the caller's elements if they are on the host and are dropped */
  mpi_buffer offsets;  /* this rank's */
  uint64_t *starts;    /* `offsets` on the host */
  scan_mem keys_in;    /* the caller's elements */
  const void *params;
} mpi_split;

#define F(field) MPI_FIELD(scan_split_spec, field)
static const mpi_field spec_fields[] = { F(key_type), F(descending),    F(first_bit),     F(end_bit),    F(index_type),
                                         F(arrays),   F(element_bytes), F(element_align), F(drops_keys), F(in_place),
                                         F(bucket),   F(buckets),       F(flags) };
#undef F
#define F(field) MPI_FIELD(scan_split_args, field)
static const mpi_field args_fields[] = { F(keys_in), F(keys_out), F(offsets), F(in),
                                         F(out),     F(n_from),   F(params),  F(opencl) };
#undef F
static const mpi_struct spec_struct = MPI_STRUCT(scan_split_spec, "spec", "SCAN_SPLIT_SPEC_INIT", spec_fields);
static const mpi_struct args_struct = MPI_STRUCT(scan_split_args, "args", "SCAN_SPLIT_ARGS_INIT", args_fields);

/* ---- this rank's elements, by a bucket function ---- */

/* Writes the buckets' numbers of this rank's elements, which are in the order of the buckets. */
static scan_status number_buckets(mpi_split *s) {
  mpi_sort *sort = &s->sort;
  unsigned char *keys = sort->host_keys;
  if (keys == NULL) keys = (unsigned char *)scan_mpi_host_pointer(sort->a[0].mem);
  for (uint32_t k = 0; k < sort->buckets; k++) memset(keys + s->starts[k], (int)k, s->starts[k + 1] - s->starts[k]);
  return sort->host_keys == NULL ? SCAN_SUCCESS
                                 : scan_mpi_copy(sort->mpi, sort->a[0].mem, scan_host(keys), sort->local_n);
}

/* Returns memory of the context with the caller's elements: column 1, or memory of their own if they are dropped. */
static scan_status read_elements(mpi_split *s, scan_mem *mem) {
  *mem = s->keys_in;
  if (!s->asked.drops_keys) return scan_mpi_sort_read(&s->sort, 1, s->sort.local_n, mem);
  if (s->elements.bytes == 0 || mem->kind != SCAN_MEM_HOST) return SCAN_SUCCESS;
  *mem = s->elements.mem;
  return scan_mpi_copy(s->sort.mpi, *mem, s->keys_in, s->sort.local_n * s->element_bytes);
}

/* Splits this rank's elements into `a`: the own_step of splits by a bucket function. */
static scan_status split_own(mpi_sort *sort) {
  mpi_split *s = (mpi_split *)sort;
  const uint32_t first = s->asked.drops_keys ? 1 : 2; /* the first column of an array */
  scan_mpi *mpi = sort->mpi;
  scan_split_args args =
      SCAN_SPLIT_ARGS_INIT(s->keys_in, s->asked.drops_keys ? SCAN_NO_MEM : sort->a[1].mem, s->offsets.mem);
  if (sort->local_n == 0) return SCAN_SUCCESS;
  args.params = s->params;
  MPI_TRY(read_elements(s, &args.keys_in));
  for (uint32_t c = first; c < sort->form.columns; c++) {
    args.in[c - first] = sort->number != NULL ? sort->b[c].mem : sort->args.in[c - 1];
    args.out[c - first] = sort->a[c].mem;
    if (sort->number == NULL) MPI_TRY(scan_mpi_sort_read(sort, c, sort->local_n, &args.in[c - first]));
  }
  if (sort->number != NULL) MPI_TRY(scan_mpi_sort_number(sort));
  MPI_TRY(scan_mpi_adopt_error(mpi, scan_plan_run_split(s->plan, sort->local_n, &args)));
  MPI_TRY(scan_mpi_copy(mpi, scan_host(s->starts), s->offsets.mem, ((uint64_t)sort->buckets + 1) * sizeof *s->starts));
  return number_buckets(s);
}

/* ---- plans ---- */

/* Derives the sort that a split by bits is. */
static scan_sort_spec sort_of(const scan_split_spec *asked) {
  scan_sort_spec sort = SCAN_SORT_SPEC_INIT(asked->key_type);
  const uint32_t bits = 8 * (uint32_t)scan_type_bytes(asked->key_type);
  sort.descending = asked->descending;
  sort.first_bit = asked->first_bit;
  sort.end_bit = asked->end_bit;
  if (sort.end_bit == 0 && sort.first_bit < bits)
    sort.end_bit = bits - sort.first_bit < SCAN_SPLIT_MOST_BITS ? bits : sort.first_bit + SCAN_SPLIT_MOST_BITS;
  sort.index_type = asked->index_type;
  sort.arrays = asked->arrays;
  memcpy(sort.element_bytes, asked->element_bytes, sizeof sort.element_bytes);
  memcpy(sort.element_align, asked->element_align, sizeof sort.element_align);
  sort.drops_keys = asked->drops_keys;
  sort.in_place = asked->in_place;
  sort.flags = asked->flags;
  return sort;
}

static scan_status open_bits(mpi_split *s) {
  mpi_sort *sort = &s->sort;
  const scan_sort_spec spec = sort_of(&s->asked);
  if (s->asked.buckets != 0)
    return scan_mpi_fail(sort->mpi, SCAN_INVALID_ARGUMENT,
                         "spec->buckets is %u, and there is no spec->bucket that numbers them", s->asked.buckets);
  MPI_TRY(scan_mpi_sort_check(sort, &spec));
  if (spec.end_bit - spec.first_bit > SCAN_SPLIT_MOST_BITS)
    return scan_mpi_fail(sort->mpi, SCAN_INVALID_ARGUMENT,
                         "spec->first_bit is %u, and spec->end_bit %u: keys are split by up to %d bits; sort them",
                         spec.first_bit, spec.end_bit, SCAN_SPLIT_MOST_BITS);
  sort->buckets = 1u << (spec.end_bit - spec.first_bit);
  sort->own_step = scan_mpi_sort_own;
  return scan_mpi_sort_open(sort);
}

/* Derives the sort of bytes that a split by a bucket function is, with the elements as its first array. */
static scan_sort_spec sort_of_buckets(const mpi_split *s) {
  scan_sort_spec sort = sort_of(&s->asked);
  sort.key_type = SCAN_U8;
  sort.end_bit = 1;
  while (1u << sort.end_bit < s->asked.buckets) sort.end_bit++;
  sort.drops_keys = 1;
  if (s->asked.drops_keys) return sort;
  sort.arrays++;
  sort.element_bytes[0] = s->element_bytes;
  sort.element_align[0] = 0;
  for (uint32_t a = 1; a < sort.arrays; a++) {
    sort.element_bytes[a] = s->asked.element_bytes[a - 1];
    sort.element_align[a] = s->asked.element_align[a - 1];
  }
  return sort;
}

/* Makes the plan of this rank's split, with indices as an array. It also checks the spec. */
static scan_status make_plan(mpi_split *s) {
  scan_mpi *mpi = s->sort.mpi;
  scan_split_spec own = s->asked;
  scan_op_facts facts = SCAN_OP_FACTS_INIT;
  if (scan_op_info(own.bucket, &facts) != SCAN_SUCCESS)
    return scan_mpi_fail(mpi, SCAN_INVALID_ARGUMENT, "spec->bucket: %s", scan_last_error(NULL));
  s->element_bytes = facts.input_bytes;
  own.in_place = 0;
  if (own.index_type != SCAN_TYPE_DEFAULT && own.drops_keys && own.arrays == 0) {
    own.arrays = 1;
    own.element_bytes[0] = (uint32_t)scan_type_bytes(scan_mpi_sort_index_type(s->sort.max_n, own.index_type));
    own.index_type = SCAN_TYPE_DEFAULT;
  }
  const uint64_t n = s->sort.max_local_n > 0 ? s->sort.max_local_n : 1;
  return scan_mpi_adopt_error(mpi, scan_plan_create_split(mpi->ctx, &own, n, &s->plan));
}

static scan_status open_buckets(mpi_split *s) {
  mpi_sort *sort = &s->sort;
  scan_mpi *mpi = sort->mpi;
  MPI_TRY(make_plan(s));
  const scan_sort_spec spec = sort_of_buckets(s);
  MPI_TRY(scan_mpi_sort_check(sort, &spec));
  sort->form.counts_on_device = 0; /* the host has the numbers of the buckets */
  sort->buckets = s->asked.buckets;
  sort->own_step = split_own;
  s->starts = scan_mpi_allocate(mpi, (uint64_t)sort->buckets + 1, sizeof *s->starts);
  if (s->starts == NULL) return SCAN_OUT_OF_MEMORY;
  MPI_TRY(scan_mpi_reserve(mpi, &s->offsets, ((uint64_t)sort->buckets + 1) * sizeof *s->starts));
  if (mpi->backend != SCAN_BACKEND_HOST && s->asked.drops_keys)
    MPI_TRY(scan_mpi_reserve(mpi, &s->elements, (sort->max_local_n + 1) * s->element_bytes));
  return scan_mpi_sort_open(sort);
}

static scan_status open_split(void *state, const mpi_plan_call *call) {
  mpi_split *s = state;
  MPI_TRY(scan_mpi_sort_take(&s->sort, call));
  MPI_TRY(scan_mpi_struct_copy_in(s->sort.mpi, &spec_struct, &s->asked, call->spec));
  return s->asked.bucket != NULL ? open_buckets(s) : open_bits(s);
}

static void close_split(void *state) {
  mpi_split *s = state;
  scan_mpi_sort_close(&s->sort);
  scan_plan_destroy(s->plan);
  scan_mpi_release(s->sort.mpi, &s->elements);
  scan_mpi_release(s->sort.mpi, &s->offsets);
  free(s->starts);
}

/* ---- runs ---- */

/* Makes the args of the sort that the split is. */
static scan_sort_args sort_args_of(const mpi_split *s, const scan_split_args *given) {
  const int has_elements = s->asked.bucket != NULL && !s->asked.drops_keys;
  scan_sort_args args = { .struct_bytes = sizeof args, .n_from = given->n_from, .opencl = given->opencl };
  args.keys_in = given->keys_in;
  args.keys_out = has_elements ? SCAN_NO_MEM : given->keys_out;
  if (has_elements) {
    args.in[0] = given->keys_in;
    args.out[0] = given->keys_out;
  }
  for (uint32_t a = (uint32_t)has_elements; a < SCAN_SORT_MOST_ARRAYS; a++) {
    args.in[a] = given->in[a - (uint32_t)has_elements];
    args.out[a] = given->out[a - (uint32_t)has_elements];
  }
  return args;
}

static scan_status copy_args_in(mpi_split *s, const scan_split_args *given, uint64_t local_n) {
  scan_split_args args = { 0 };
  mpi_sort *sort = &s->sort;
  sort->local_n = local_n;
  MPI_TRY(scan_mpi_struct_copy_in(sort->mpi, &args_struct, &args, given));
  const scan_sort_args sorted = sort_args_of(s, &args);
  if (args.offsets.kind == SCAN_MEM_NONE || args.offsets.handle == NULL)
    return scan_mpi_fail(sort->mpi, SCAN_INVALID_ARGUMENT, "args->offsets is no memory");
  if (s->asked.bucket == NULL && args.params != NULL)
    return scan_mpi_fail(sort->mpi, SCAN_INVALID_ARGUMENT,
                         "args->params is given, and there is no bucket function with parameters");
  s->keys_in = args.keys_in;
  s->params = args.params;
  sort->offsets = args.offsets;
  return scan_mpi_sort_args_copy_in(sort, &sorted, local_n);
}

static scan_status run_split(void *state, uint64_t local_n, const void *args, scan_mpi_part *split) {
  mpi_split *s = state;
  return scan_mpi_sort_run(&s->sort, copy_args_in(s, args, local_n), split);
}

static const mpi_plan_kind split_kind = { "scan_mpi_plan_create_split", sizeof(mpi_split), open_split,
                                          scan_mpi_sort_join,           run_split,         close_split };

scan_status scan_mpi_plan_create_split(scan_mpi *mpi, const scan_split_spec *spec, scan_mpi_distribution distribution,
                                       uint64_t max_local_n, uint64_t capacity, scan_mpi_plan **plan) {
  const mpi_plan_call call = { "scan_mpi_plan_create_split", spec, max_local_n, capacity, (int)distribution, 0, 0 };
  return scan_mpi_plan_open(mpi, &split_kind, &call, plan);
}

scan_status scan_mpi_plan_run_split(scan_mpi_plan *plan, uint64_t local_n, const scan_split_args *args,
                                    scan_mpi_part *split) {
  return scan_mpi_plan_do(plan, &split_kind, local_n, args, split);
}

scan_status scan_mpi_split(scan_mpi *mpi, const scan_split_spec *spec, scan_mpi_distribution distribution,
                           uint64_t local_n, uint64_t capacity, const scan_split_args *args, scan_mpi_part *split) {
  const mpi_plan_call call = { "scan_mpi_split", spec, local_n, capacity, (int)distribution, 0, 0 };
  return scan_mpi_plan_once(mpi, &split_kind, &call, args, split);
}
