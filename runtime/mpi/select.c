/* SPDX-License-Identifier: BSD-2-Clause */
/* Compaction and partition over ranks: each rank's elements stay on it, and the results are counted. */
#include "mpi/mpi.h"

/* ---- counts ---- */

/* For each kind of element: how many lie before this rank's (then before the next context's), and how many there
 * are. */
typedef struct tally {
  uint64_t before[SCAN_PARTITION3_PARTS], all[SCAN_PARTITION3_PARTS];
} tally;

static scan_status count_all(scan_mpi *mpi, const uint64_t *own, int kinds, tally *t) {
  *t = (tally){ .all = { 0 } };
  MPI_TRY(MPI_CALL(mpi, MPI_Exscan, own, t->before, kinds, MPI_UINT64_T, MPI_SUM, mpi->comm));
  MPI_TRY(MPI_CALL(mpi, MPI_Allreduce, own, t->all, kinds, MPI_UINT64_T, MPI_SUM, mpi->comm));
  if (mpi->rank == 0) memset(t->before, 0, sizeof t->before); /* MPI leaves rank 0's result unset */
  return SCAN_SUCCESS;
}

/* Returns the next context's part, and counts it. */
static scan_mpi_part next_part(tally *t, int kind, uint64_t count) {
  const scan_mpi_part part = { count, t->before[kind], t->all[kind] };
  t->before[kind] += count;
  return part;
}

scan_status scan_mpi_place(scan_mpi *mpi, uint64_t count, scan_mpi_part *part) {
  tally t;
  MPI_TRY(count_all(mpi, &count, 1, &t));
  if (part != NULL) *part = next_part(&t, 0, count);
  return SCAN_SUCCESS;
}

/* ---- runs that continue from context to context ---- */

typedef struct end {
  uint64_t n;
  _Alignas(16) unsigned char first[SCAN_OP_MOST_BYTES], last[SCAN_OP_MOST_BYTES];
} end;

/* The call of one context of this rank. */
typedef struct call {
  mpi_work work; /* must be the first member */
  scan_mpi *mpi;
  scan_select_spec spec;
  scan_select_args args;
  uint64_t n;
  uint32_t key_bytes;
  end *ends;     /* the ends of all contexts */
  int continues; /* SCAN_SELECT_FIRST: 1 if the first run began in an earlier context; SCAN_SELECT_LAST: 1 if the last
                  run continues */
  uint64_t skipped; /* elements of the run that began earlier */
  uint64_t counts[2];
} call;

static scan_status for_each_call(call *calls, int count, mpi_work_step *step) {
  return scan_mpi_work(calls->mpi, calls, sizeof *calls, count, step);
}

/* 1 if runs may continue from one context to the next, because there are several contexts. */
static int joins_runs(const call *c, int count) {
  return (c->mpi->ranks > 1 || count > 1) && (c->spec.by == SCAN_SELECT_FIRST || c->spec.by == SCAN_SELECT_LAST);
}

static scan_mem keys_of(const call *c) { return c->args.marks.kind != SCAN_MEM_NONE ? c->args.marks : c->args.in[0]; }

/* Compacts the keys alone, to indices. */
static scan_status select_indices(const call *c, uint64_t n, scan_mem keys, uint64_t *indices, uint64_t capacity,
                                  uint64_t *kept) {
  scan_select_spec spec = SCAN_SELECT_INDEX_INIT(SCAN_SELECT_FIRST, SCAN_U64);
  scan_select_args args = { .struct_bytes = sizeof args, .marks = keys, .capacity = capacity };
  spec.key_type = c->spec.key_type;
  spec.predicate = c->spec.predicate;
  args.params = c->args.params;
  args.out[0] = scan_host(indices);
  args.count = scan_host(kept);
  return scan_mpi_adopt_error(c->mpi, scan_select(c->mpi->ctx, &spec, n, &args));
}

/* Finds out if two elements are of one run, by the device's comparison. */
static scan_status are_one_run(const call *c, const unsigned char *before, const unsigned char *x, int *are_one) {
  _Alignas(16) unsigned char pair[2 * SCAN_OP_MOST_BYTES];
  uint64_t indices[2] = { 0 }, kept = 0;
  memcpy(pair, before, c->key_bytes);
  memcpy(pair + c->key_bytes, x, c->key_bytes);
  MPI_TRY(select_indices(c, 2, scan_host(pair), indices, 2, &kept));
  *are_one = kept == 1;
  return SCAN_SUCCESS;
}

static scan_status read_ends(mpi_work *work) {
  const call *c = (const call *)work;
  const scan_mem keys = keys_of(c);
  end *own = &c->ends[c->mpi->context];
  own->n = c->n;
  if (c->n == 0) return SCAN_SUCCESS;
  MPI_TRY(scan_mpi_copy(c->mpi, scan_host(own->first), keys, c->key_bytes));
  return scan_mpi_copy(c->mpi, scan_host(own->last), scan_offset(keys, (c->n - 1) * c->key_bytes), c->key_bytes);
}

/* Compares this context's end with the nearest context that has elements. */
static scan_status look_over(mpi_work *work) {
  call *c = (call *)work;
  const end *ends = c->ends;
  const int own = c->mpi->context, is_first = c->spec.by == SCAN_SELECT_FIRST, step = is_first ? -1 : 1;
  uint64_t indices[2] = { 0 }, kept = 0;
  int other = own + step;
  if (c->n == 0) return SCAN_SUCCESS;
  while (other >= 0 && other < c->mpi->contexts && ends[other].n == 0) other += step;
  if (other < 0 || other >= c->mpi->contexts) return SCAN_SUCCESS;
  MPI_TRY(is_first ? are_one_run(c, ends[other].last, ends[own].first, &c->continues)
                   : are_one_run(c, ends[own].last, ends[other].first, &c->continues));
  if (!is_first || !c->continues) return SCAN_SUCCESS;
  MPI_TRY(select_indices(c, c->n, keys_of(c), indices, 2, &kept));
  c->skipped = kept > 1 ? indices[1] : c->n;
  return SCAN_SUCCESS;
}

static scan_status join_runs(call *calls, int count) {
  scan_mpi *mpi = calls->mpi;
  end *ends = scan_mpi_allocate(mpi, (uint64_t)mpi->contexts, sizeof *ends);
  for (int i = 0; i < count; i++) calls[i].ends = ends;
  scan_status status = scan_mpi_agree(mpi, ends != NULL ? for_each_call(calls, count, read_ends) : SCAN_OUT_OF_MEMORY);
  if (status == SCAN_SUCCESS) status = scan_mpi_report_all(mpi, ends, sizeof *ends);
  if (status == SCAN_SUCCESS) status = scan_mpi_agree(mpi, for_each_call(calls, count, look_over));
  free(ends);
  return status;
}

/* ---- select ---- */

static scan_status check_runs(call *c) {
  scan_mpi *mpi = c->mpi;
  scan_op_facts facts = SCAN_OP_FACTS_INIT;
  if (c->spec.rest != SCAN_REST_DROPPED)
    return scan_mpi_fail(mpi, SCAN_UNSUPPORTED,
                         "spec->rest: the rest of runs that go on from rank to rank can only be dropped");
  if (c->spec.index_type != SCAN_TYPE_DEFAULT)
    return scan_mpi_fail(mpi, SCAN_UNSUPPORTED,
                         "spec->index_type: of runs that go on from rank to rank elements are moved, and no indices");
  if (c->spec.in_place && c->spec.by == SCAN_SELECT_FIRST)
    return scan_mpi_fail(mpi, SCAN_UNSUPPORTED,
                         "spec->in_place: a rank passes over the run that began before, so that out lies behind in");
  c->key_bytes = (uint32_t)scan_type_bytes(c->spec.key_type);
  if (c->spec.predicate != NULL) {
    if (scan_op_info(c->spec.predicate, &facts) != SCAN_SUCCESS)
      return scan_mpi_fail(mpi, SCAN_INVALID_ARGUMENT, "spec->predicate: %s", scan_last_error(NULL));
    c->key_bytes = facts.input_bytes;
  }
  if (c->key_bytes == 0)
    return scan_mpi_fail(mpi, SCAN_INVALID_ARGUMENT, "spec->key_type is %d, which is no type", (int)c->spec.key_type);
  if (c->n > 0 && (keys_of(c).kind == SCAN_MEM_NONE || keys_of(c).handle == NULL))
    return scan_mpi_fail(mpi, SCAN_INVALID_ARGUMENT,
                         "args->marks and args->in[0] are no memory: one must have the keys");
  return SCAN_SUCCESS;
}

#define F(field) MPI_FIELD(scan_select_spec, field)
static const mpi_field spec_fields[] = { F(by),       F(key_type),      F(rest),          F(index_type),
                                         F(arrays),   F(element_bytes), F(element_align), F(predicate),
                                         F(in_place), F(flags) };
#undef F
#define F(field) MPI_FIELD(scan_select_args, field)
static const mpi_field args_fields[] = { F(marks),         F(in),    F(out),    F(rest),   F(capacity),
                                         F(rest_capacity), F(count), F(n_from), F(params), F(opencl) };
#undef F
static const mpi_struct spec_struct = MPI_STRUCT(scan_select_spec, "spec", "SCAN_SELECT_SPEC_INIT", spec_fields);
static const mpi_struct args_struct = MPI_STRUCT(scan_select_args, "args", "SCAN_SELECT_ARGS_INIT", args_fields);

static scan_status copy_call_in(call *c, const scan_select_spec *spec, const scan_select_args *args, int count) {
  scan_mpi *mpi = c->mpi;
  if (spec == NULL || args == NULL)
    return scan_mpi_fail(mpi, SCAN_INVALID_ARGUMENT, "scan_mpi_select: %s is NULL", spec == NULL ? "spec" : "args");
  MPI_TRY(scan_mpi_struct_copy_in(mpi, &spec_struct, &c->spec, spec));
  MPI_TRY(scan_mpi_struct_copy_in(mpi, &args_struct, &c->args, args));
  if (c->args.n_from.kind != SCAN_MEM_NONE || c->args.opencl != NULL)
    return scan_mpi_fail(mpi, SCAN_UNSUPPORTED,
                         "args->%s: what ranks keep is counted on the host, which has n and waits for the device",
                         c->args.opencl != NULL ? "opencl" : "n_from");
  return joins_runs(c, count) ? check_runs(c) : SCAN_SUCCESS;
}

/* Runs a compaction by SCAN_SELECT_LAST whose last run continues in the next context: counts the runs, and keeps all
 * but the last one. */
static scan_status select_ended(const call *c, scan_select_args *args, uint64_t *kept) {
  const uint64_t room = args->capacity == SCAN_NO_CAPACITY ? 0 : args->capacity;
  args->capacity = SCAN_NO_CAPACITY;
  MPI_TRY(scan_mpi_adopt_error(c->mpi, scan_select(c->mpi->ctx, &c->spec, c->n, args)));
  const uint64_t ended = *kept - 1;
  args->capacity = ended < room ? ended : room;
  if (args->capacity > 0) MPI_TRY(scan_mpi_adopt_error(c->mpi, scan_select(c->mpi->ctx, &c->spec, c->n, args)));
  *kept = ended;
  return SCAN_SUCCESS;
}

/* Runs a context's compaction without the elements of a run that began earlier. */
static scan_status select_run(mpi_work *work) {
  call *c = (call *)work;
  scan_mpi *mpi = c->mpi;
  const scan_mem asked = c->args.count;
  scan_select_args args = c->args;
  uint64_t kept = 0;
  args.count = scan_host(&kept);
  if (args.capacity == 0) args.capacity = c->n;
  if (c->skipped > 0 && args.marks.kind != SCAN_MEM_NONE)
    args.marks = scan_offset(args.marks, c->skipped * c->key_bytes);
  for (uint32_t a = 0; c->skipped > 0 && a < c->spec.arrays && a < SCAN_SELECT_MOST_ARRAYS; a++)
    args.in[a] = scan_offset(args.in[a], c->skipped * c->spec.element_bytes[a]);
  if (c->continues && c->spec.by == SCAN_SELECT_LAST)
    MPI_TRY(select_ended(c, &args, &kept));
  else
    MPI_TRY(scan_mpi_adopt_error(mpi, scan_select(mpi->ctx, &c->spec, c->n - c->skipped, &args)));
  c->counts[0] = kept;
  c->counts[1] = c->n - kept;
  return asked.kind != SCAN_MEM_NONE ? scan_mpi_copy(mpi, asked, scan_host(&kept), sizeof kept) : SCAN_SUCCESS;
}

/* The arguments of each of this rank's contexts. */
typedef struct given {
  int count; /* number of contexts with elements; the others have none */
  const scan_select_spec *specs;
  const uint64_t *local_ns;
  const scan_select_args *args;
} given;

static uint64_t kind_of(const call *c) { return (uint64_t)c->spec.by << 8 | (uint64_t)c->spec.key_type; }

static scan_status copy_calls_in(scan_mpi *mpi, const given *g, call **calls) {
  if (g->local_ns == NULL) return scan_mpi_fail(mpi, SCAN_INVALID_ARGUMENT, "scan_mpi_select: local_ns is NULL");
  *calls = scan_mpi_allocate(mpi, (uint64_t)g->count, sizeof **calls);
  if (*calls == NULL) return SCAN_OUT_OF_MEMORY;
  for (int i = 0; i < g->count; i++) {
    call *c = &(*calls)[i];
    *c = (call){ .mpi = &mpi[i], .n = g->local_ns[i] };
    MPI_TRY(scan_mpi_own_words(&mpi[i], copy_call_in(c, g->specs != NULL ? &g->specs[i] : NULL,
                                                     g->args != NULL ? &g->args[i] : NULL, g->count)));
    if (kind_of(c) != kind_of(*calls))
      return scan_mpi_fail(mpi, SCAN_INVALID_ARGUMENT,
                           "context %d: spec->by or spec->key_type is another one than context 0's", i);
  }
  return scan_mpi_wait(mpi, g->count);
}

static scan_status place_selected(const call *calls, int count, scan_mpi_part *kept, scan_mpi_part *rest) {
  uint64_t own[2] = { 0 };
  tally t;
  for (int i = 0; i < count; i++)
    for (int k = 0; k < 2; k++) own[k] += calls[i].counts[k];
  MPI_TRY(count_all(calls->mpi, own, 2, &t));
  for (int i = 0; i < count; i++) {
    if (kept != NULL) kept[i] = next_part(&t, 0, calls[i].counts[0]);
    if (rest != NULL) rest[i] = next_part(&t, 1, calls[i].counts[1]);
  }
  return SCAN_SUCCESS;
}

static scan_status select_agreed(call *calls, int count, scan_mpi_part *kept, scan_mpi_part *rest) {
  scan_mpi *mpi = calls->mpi;
  MPI_TRY(scan_mpi_same(mpi, kind_of(calls), "spec->by or spec->key_type"));
  if (joins_runs(calls, count)) MPI_TRY(join_runs(calls, count));
  MPI_TRY(scan_mpi_agree(mpi, for_each_call(calls, count, select_run)));
  return place_selected(calls, count, kept, rest);
}

/* Compacts the elements of the first g->count contexts. */
static scan_status select_all(scan_mpi *mpi, const given *g, scan_mpi_part *kept, scan_mpi_part *rest) {
  call *calls = NULL;
  scan_status status = scan_mpi_agree(mpi, copy_calls_in(mpi, g, &calls));
  if (status == SCAN_SUCCESS) status = select_agreed(calls, g->count, kept, rest);
  free(calls);
  return status;
}

scan_status scan_mpi_select(scan_mpi *mpi, const scan_select_spec *spec, uint64_t local_n, const scan_select_args *args,
                            scan_mpi_part *kept, scan_mpi_part *rest) {
  MPI_TRY(scan_mpi_begin(mpi));
  return select_all(mpi, &(given){ 1, spec, &local_n, args }, kept, rest);
}

scan_status scan_mpi_select_contexts(scan_mpi *mpi, const scan_select_spec *specs, const uint64_t *local_ns,
                                     const scan_select_args *args, scan_mpi_part *kept, scan_mpi_part *rest) {
  MPI_TRY(scan_mpi_begin(mpi));
  return select_all(mpi, &(given){ mpi->own_contexts, specs, local_ns, args }, kept, rest);
}

/* ---- partition ---- */

/* The partition of one context of this rank. */
typedef struct split {
  mpi_work work; /* must be the first member */
  scan_mpi *mpi;
  const scan_partition3_spec *spec;
  const scan_partition3_args *args;
  uint64_t n, counts[SCAN_PARTITION3_PARTS];
} split;

#define F(field) MPI_FIELD(scan_partition3_args, field)
static const mpi_field split_fields[] = { F(in),     F(first),        F(second),        F(rest),  F(counts),
                                          F(n_from), F(first_params), F(second_params), F(opencl) };
#undef F
static const mpi_struct split_struct =
    MPI_STRUCT(scan_partition3_args, "args", "SCAN_PARTITION3_ARGS_INIT", split_fields);

static scan_status do_split(mpi_work *work) {
  split *s = (split *)work;
  scan_mpi *mpi = s->mpi;
  scan_partition3_args own = { 0 };
  MPI_TRY(scan_mpi_struct_copy_in(mpi, &split_struct, &own, s->args));
  const scan_mem counts = own.counts;
  if (own.n_from.kind != SCAN_MEM_NONE || own.opencl != NULL)
    return scan_mpi_fail(mpi, SCAN_UNSUPPORTED,
                         "args->%s: what ranks keep is counted on the host, which has n and waits for the device",
                         own.opencl != NULL ? "opencl" : "n_from");
  own.counts = scan_host(s->counts);
  MPI_TRY(scan_mpi_adopt_error(mpi, scan_partition3(mpi->ctx, s->spec, s->n, &own)));
  if (counts.kind == SCAN_MEM_NONE) return SCAN_SUCCESS;
  return scan_mpi_copy(mpi, counts, scan_host(s->counts), sizeof s->counts);
}

/* The arguments of each of this rank's contexts, and their results. */
typedef struct splits {
  int count;
  const scan_partition3_spec *specs;
  const uint64_t *local_ns;
  const scan_partition3_args *args;
  scan_mpi_part *parts;
  split *of;
} splits;

static scan_status split_own(scan_mpi *mpi, splits *all) {
  const char *missing = all->specs == NULL      ? "spec"
                        : all->local_ns == NULL ? "local_ns"
                        : all->args == NULL     ? "args"
                        : all->parts == NULL    ? "parts"
                                                : NULL;
  if (missing != NULL) return scan_mpi_fail(mpi, SCAN_INVALID_ARGUMENT, "scan_mpi_partition: %s is NULL", missing);
  all->of = scan_mpi_allocate(mpi, (uint64_t)all->count, sizeof *all->of);
  if (all->of == NULL) return SCAN_OUT_OF_MEMORY;
  for (int i = 0; i < all->count; i++)
    all->of[i] = (split){ .mpi = &mpi[i], .spec = &all->specs[i], .args = &all->args[i], .n = all->local_ns[i] };
  MPI_TRY(scan_mpi_wait(mpi, all->count));
  return scan_mpi_work(mpi, all->of, sizeof *all->of, all->count, do_split);
}

static scan_status place_split(scan_mpi *mpi, const splits *all) {
  uint64_t own[SCAN_PARTITION3_PARTS] = { 0 };
  tally t;
  for (int i = 0; i < all->count; i++)
    for (int k = 0; k < SCAN_PARTITION3_PARTS; k++) own[k] += all->of[i].counts[k];
  MPI_TRY(count_all(mpi, own, SCAN_PARTITION3_PARTS, &t));
  for (int i = 0; i < all->count; i++)
    for (int k = 0; k < SCAN_PARTITION3_PARTS; k++)
      all->parts[i * SCAN_PARTITION3_PARTS + k] = next_part(&t, k, all->of[i].counts[k]);
  return SCAN_SUCCESS;
}

static scan_status partition_all(scan_mpi *mpi, splits all) {
  scan_status status = scan_mpi_agree(mpi, split_own(mpi, &all));
  if (status == SCAN_SUCCESS) status = place_split(mpi, &all);
  free(all.of);
  return status;
}

scan_status scan_mpi_partition(scan_mpi *mpi, const scan_partition3_spec *spec, uint64_t local_n,
                               const scan_partition3_args *args, scan_mpi_part parts[SCAN_PARTITION3_PARTS]) {
  MPI_TRY(scan_mpi_begin(mpi));
  return partition_all(mpi, (splits){ 1, spec, &local_n, args, parts, NULL });
}

scan_status scan_mpi_partition_contexts(scan_mpi *mpi, const scan_partition3_spec *specs, const uint64_t *local_ns,
                                        const scan_partition3_args *args, scan_mpi_part *parts) {
  MPI_TRY(scan_mpi_begin(mpi));
  return partition_all(mpi, (splits){ mpi->own_contexts, specs, local_ns, args, parts, NULL });
}
