/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests refusals: if one rank's arguments are wrong, every rank gets that rank's number and error text, and the handle
 * still works. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <scanrt/scan_mpi_sort.h>

#include "group.h"

enum { N = 1000 };

/* Checks that every rank has this status and the error text of rank `who`, and that the handle still works. */
static void check_failed(group *g, const char *what, scan_status status, scan_status due, int who, const char *words) {
  char begin[64];
  const char *text = scan_mpi_last_error(g->mpi);
  snprintf(begin, sizeof begin, "rank %d: ", who);
  group_check(g, status == due && strncmp(text, begin, strlen(begin)) == 0 && strstr(text, words) != NULL,
              "%s by rank %d: %s, \"%s\"", what, who, scan_status_name(status), text);
  group_check_works(g, g->mpi, what);
}

/* ---- faults of one rank ---- */

static scan_mem freed_memory(group *g) {
  scan_mem freed = SCAN_NO_MEM;
  group_check(g, scan_alloc(g->ctx, N * sizeof(float), &freed) == SCAN_SUCCESS, "%s", scan_last_error(g->ctx));
  group_check(g, scan_free(g->ctx, freed) == SCAN_SUCCESS, "%s", scan_last_error(g->ctx));
  return freed;
}

/* Freed memory, which the device finds while others scan. The plan has all of its memory before, since a later
 * allocation may reuse the freed address. */
static void test_freed(group *g, int who) {
  static float in[N], out[N];
  const scan_spec spec = SCAN_SPEC_INIT(SCAN_F32, SCAN_ADD, SCAN_INCLUSIVE);
  const scan_mem from = scan_host(in), to = scan_host(out);
  const int is_it = g->rank == who;
  scan_mpi_plan *plan = NULL;
  group_check(g, scan_mpi_plan_create(g->mpi, &spec, N, &plan) == SCAN_SUCCESS, "%s", scan_mpi_last_error(g->mpi));
  group_check(g, scan_mpi_plan_run(plan, N, from, to) == SCAN_SUCCESS, "%s", scan_mpi_last_error(g->mpi));
  scan_mem freed = freed_memory(g);
  check_failed(g, "freed memory", scan_mpi_plan_run(plan, N, is_it ? freed : from, to), SCAN_INVALID_ARGUMENT, who,
               "freed");
  freed = freed_memory(g);
  check_failed(g, "freed output", scan_mpi_plan_run(plan, N, from, is_it ? freed : to), SCAN_INVALID_ARGUMENT, who,
               "freed");
  scan_mpi_plan_destroy(plan);
}

static void test_memory(group *g, int who) {
  static float in[N], out[N];
  const scan_spec spec = SCAN_SPEC_INIT(SCAN_F32, SCAN_ADD, SCAN_INCLUSIVE);
  const int is_it = g->rank == who;
  check_failed(g, "no input", group_run(g, &spec, N, is_it ? scan_host(NULL) : scan_host(in), scan_host(out)),
               SCAN_INVALID_ARGUMENT, who, "in is no memory");
  check_failed(g, "overlap", group_run(g, &spec, N, scan_host(in), is_it ? scan_host(in + 1) : scan_host(out)),
               SCAN_INVALID_ARGUMENT, who, "overlap");
  check_failed(g, "no args",
               is_it ? scan_mpi_run_args(g->mpi, &spec, N, NULL)
                     : group_run(g, &spec, N, scan_host(in), scan_host(out)),
               SCAN_INVALID_ARGUMENT, who, "args is NULL");
  test_freed(g, who);
}

static void test_specs(group *g, int who) {
  static float in[N], out[N];
  scan_spec spec = SCAN_SPEC_INIT(SCAN_F32, SCAN_ADD, SCAN_INCLUSIVE);
  const scan_mem from = scan_host(in), to = scan_host(out);
  const int is_it = g->rank == who;
  const float init = is_it ? 1.0f : 2.0f;
  check_failed(g, "no spec", group_run(g, is_it ? NULL : &spec, N, from, to), SCAN_INVALID_ARGUMENT, who,
               "spec is NULL");
  spec.op = is_it ? SCAN_XOR : SCAN_ADD;
  check_failed(g, "no such operator", group_run(g, &spec, N, from, to), SCAN_INVALID_ARGUMENT, who,
               "not defined on f32");
  spec.op = SCAN_ADD;
  spec.strategy = is_it ? SCAN_STRATEGY_SEQUENTIAL : SCAN_STRATEGY_AUTO;
  check_failed(g, "another order", group_run(g, &spec, N, from, to), SCAN_UNSUPPORTED, who, "sequential");
  spec.strategy = is_it ? (scan_strategy)64 : SCAN_STRATEGY_AUTO; /* used for differences, no strategy */
  check_failed(g, "no strategy", group_run(g, &spec, N, from, to), SCAN_INVALID_ARGUMENT, who, "which is no strategy");
  spec.strategy = SCAN_STRATEGY_AUTO;
  if (g->ranks == 1) return;
  const int reported = who == 0 ? 1 : who; /* the first rank that differs from rank 0 */
  spec.kind = is_it ? SCAN_EXCLUSIVE : SCAN_INCLUSIVE;
  check_failed(g, "another kind", group_run(g, &spec, N, from, to), SCAN_INVALID_ARGUMENT, reported,
               "another one than rank 0's");
  spec.kind = SCAN_INCLUSIVE;
  spec.has_init = 1;
  spec.init_bytes = &init;
  check_failed(g, "another init", group_run(g, &spec, N, from, to), SCAN_INVALID_ARGUMENT, reported,
               "another one than rank 0's");
}

static void test_plans(group *g, int who) {
  static float in[N], out[N];
  const scan_spec spec = SCAN_SPEC_INIT(SCAN_F32, SCAN_ADD, SCAN_INCLUSIVE);
  scan_mpi_plan *plan = NULL;
  scan_mpi_plan **place = g->rank == who ? NULL : &plan;
  check_failed(g, "no place for a plan", scan_mpi_plan_create(g->mpi, &spec, N, place), SCAN_INVALID_ARGUMENT, who,
               "plan is NULL");
  group_check(g, plan == NULL, "a plan of a call that failed");
  group_check(g, scan_mpi_plan_create(g->mpi, &spec, N, &plan) == SCAN_SUCCESS, "%s", scan_mpi_last_error(g->mpi));
  const uint64_t n = g->rank == who ? N + 1 : 1;
  check_failed(g, "too many", scan_mpi_plan_run(plan, n, scan_host(in), scan_host(out)), SCAN_INVALID_ARGUMENT, who,
               "the plan was created for at most 1000");
  group_check(g, scan_mpi_plan_run(plan, N, scan_host(in), scan_host(out)) == SCAN_SUCCESS,
              "a plan after a failure: %s", scan_mpi_last_error(g->mpi));
  scan_mpi_plan_destroy(plan);
}

static void test_marks(group *g, int who) {
  static float in[N], out[N];
  scan_spec spec = SCAN_SPEC_INIT(SCAN_F32, SCAN_ADD, SCAN_INCLUSIVE);
  const uint32_t offsets[] = { 5, g->rank == who ? 3u : 7u, N };
  scan_args args = SCAN_ARGS_INIT(scan_host(in), scan_host(out));
  spec.segments = SCAN_SEGMENTS_OFFSETS;
  spec.key_type = SCAN_U32;
  args.marks = scan_host(offsets);
  args.mark_count = 3;
  check_failed(g, "offsets that fall", scan_mpi_run_args(g->mpi, &spec, N, &args), SCAN_INVALID_ARGUMENT, who,
               "offsets ascend");
  spec.segments = SCAN_SEGMENTS_FLAGS;
  spec.key_type = SCAN_TYPE_DEFAULT;
  args.mark_count = g->rank == who ? N - 1 : N;
  args.marks = scan_host(in);
  check_failed(g, "too few marks", scan_mpi_run_args(g->mpi, &spec, N, &args), SCAN_INVALID_ARGUMENT, who,
               "args->mark_count is 999");
  args.mark_count = N;
  if (g->rank == who) args.marks = SCAN_NO_MEM;
  check_failed(g, "no marks", scan_mpi_run_args(g->mpi, &spec, N, &args), SCAN_INVALID_ARGUMENT, who,
               "args->marks is no memory, and spec->segments asks for it");
  spec.segments = SCAN_SEGMENTS_NONE;
  args.marks = g->rank == who ? scan_host(in) : SCAN_NO_MEM;
  check_failed(g, "marks of nothing", scan_mpi_run_args(g->mpi, &spec, N, &args), SCAN_INVALID_ARGUMENT, who,
               "args->marks is given, but spec->segments is 0");
}

/* Runs that cross ranks: unsupported options, and specs without keys. */
static void test_runs(group *g, int who) {
  static uint32_t in[N], out[N];
  const int is_it = g->rank == who;
  uint64_t count = 0;
  scan_mpi_part kept, rest;
  scan_select_spec spec = SCAN_SELECT_SPEC_INIT(SCAN_SELECT_FIRST, sizeof(uint32_t));
  scan_select_args args = SCAN_SELECT_ARGS_INIT(scan_host(in), scan_host(in), scan_host(out), scan_host(&count));
  if (g->ranks == 1) return;
  args.marks = SCAN_NO_MEM;
  spec.key_type = is_it ? (scan_type)77 : SCAN_U32;
  check_failed(g, "no type of keys", scan_mpi_select(g->mpi, &spec, N, &args, &kept, NULL), SCAN_INVALID_ARGUMENT, who,
               "spec->key_type is 77, which is no type");
  spec.key_type = SCAN_U32;
  spec.in_place = (uint32_t)is_it;
  check_failed(g, "in place", scan_mpi_select(g->mpi, &spec, N, &args, &kept, NULL), SCAN_UNSUPPORTED, who,
               "spec->in_place: a rank passes over the run that began before");
  spec.in_place = 0;
  spec.rest = is_it ? SCAN_REST_BEHIND : SCAN_REST_DROPPED;
  check_failed(g, "the rest of runs", scan_mpi_select(g->mpi, &spec, N, &args, &kept, &rest), SCAN_UNSUPPORTED, who,
               "spec->rest: the rest of runs");
  spec.rest = SCAN_REST_DROPPED;
  spec.index_type = is_it ? SCAN_U32 : SCAN_TYPE_DEFAULT;
  check_failed(g, "indices of runs", scan_mpi_select(g->mpi, &spec, N, &args, &kept, NULL), SCAN_UNSUPPORTED, who,
               "spec->index_type: of runs");
  spec.index_type = SCAN_TYPE_DEFAULT;
  if (is_it) args.in[0] = SCAN_NO_MEM;
  check_failed(g, "no keys", scan_mpi_select(g->mpi, &spec, N, &args, &kept, NULL), SCAN_INVALID_ARGUMENT, who,
               "one must have the keys");
}

/* Specs and args that are NULL or not initialised. */
static void test_structs(group *g, int who) {
  static uint32_t in[N], out[N];
  const int is_it = g->rank == who;
  scan_mpi_part kept, parts[SCAN_PARTITION3_PARTS];
  uint64_t count = 0;
  scan_select_spec select = SCAN_SELECT_SPEC_INIT(SCAN_SELECT_FLAGS, sizeof(uint32_t));
  scan_select_args args = SCAN_SELECT_ARGS_INIT(scan_host(in), scan_host(in), scan_host(out), scan_host(&count));
  const scan_partition3_spec three = SCAN_PARTITION3_SPEC_INIT(NULL, NULL, sizeof(uint32_t));
  scan_partition3_args others = { .struct_bytes = sizeof others };
  check_failed(g, "no select spec", scan_mpi_select(g->mpi, is_it ? NULL : &select, N, &args, &kept, NULL),
               SCAN_INVALID_ARGUMENT, who, "scan_mpi_select: spec is NULL");
  select.struct_bytes = offsetof(scan_select_spec, flags); /* of a program with older headers */
  args.struct_bytes = offsetof(scan_select_args, params);
  group_check(g, scan_mpi_select(g->mpi, &select, N, &args, &kept, NULL) == SCAN_SUCCESS, "%s",
              scan_mpi_last_error(g->mpi));
  if (is_it) args.struct_bytes = 8;
  check_failed(g, "a select of another size", scan_mpi_select(g->mpi, &select, N, &args, &kept, NULL),
               SCAN_INVALID_ARGUMENT, who, "args->struct_bytes is 8: initialise the args with SCAN_SELECT_ARGS_INIT");
  if (who != 0) return; /* the other ranks have no predicates either, so the text would name rank 0 */
  check_failed(g, "no partition args", scan_mpi_partition(g->mpi, &three, N, is_it ? NULL : &others, parts),
               SCAN_INVALID_ARGUMENT, who, "scan_mpi_partition: args is NULL");
  if (is_it) others.n_from = scan_host(&count);
  check_failed(g, "a partition's n_from", scan_mpi_partition(g->mpi, &three, N, &others, parts), SCAN_UNSUPPORTED, who,
               "n_from");
  others.n_from = SCAN_NO_MEM;
  if (is_it) others.struct_bytes = 8;
  check_failed(g, "a partition of another size", scan_mpi_partition(g->mpi, &three, N, &others, parts),
               SCAN_INVALID_ARGUMENT, who, "SCAN_PARTITION3_ARGS_INIT");
}

static void test_arrays(group *g, int who) {
  static uint32_t in[N], out[N];
  const uint64_t shape[] = { 10, 10 };
  scan_spec spec = SCAN_SPEC_INIT(SCAN_U32, SCAN_ADD, SCAN_INCLUSIVE);
  scan_array array = SCAN_ARRAY_INIT;
  const int is_it = g->rank == who;
  group_check(g, scan_array_packed(&spec, 2, shape, 1, &array) == SCAN_SUCCESS, "%s", scan_last_error(NULL));
  scan_device_info info = SCAN_DEVICE_INFO_INIT;
  group_check(g, scan_ctx_device(g->ctx, &info) == SCAN_SUCCESS, "%s", scan_last_error(g->ctx));
  if (is_it) spec.strategy = info.backend == SCAN_BACKEND_HOST ? SCAN_STRATEGY_THREADS : SCAN_STRATEGY_BLOCK;
  check_failed(g, "a strategy of arrays", scan_mpi_run_array(g->mpi, &spec, &array, scan_host(in), scan_host(out)),
               SCAN_INVALID_ARGUMENT, who, "spec->strategy must be SCAN_STRATEGY_AUTO with arrays");
  spec.strategy = SCAN_STRATEGY_AUTO;
  spec.segments = is_it ? SCAN_SEGMENTS_FLAGS : SCAN_SEGMENTS_NONE;
  check_failed(g, "arrays in segments", scan_mpi_run_array(g->mpi, &spec, &array, scan_host(in), scan_host(out)),
               SCAN_UNSUPPORTED, who, "without segments");
  spec.segments = SCAN_SEGMENTS_NONE;
  check_failed(g, "an array of no memory",
               scan_mpi_run_array(g->mpi, &spec, &array, scan_host(in), scan_host(is_it ? NULL : out)),
               SCAN_INVALID_ARGUMENT, who, "out is no memory");
  if (is_it) array.struct_bytes = 8;
  check_failed(g, "an array of another size", scan_mpi_run_array(g->mpi, &spec, &array, scan_host(in), scan_host(out)),
               SCAN_INVALID_ARGUMENT, who, "SCAN_ARRAY_INIT");
}

static void test_others(group *g, int who) {
  static uint32_t in[N], out[N];
  static unsigned char flags[N];
  const int is_it = g->rank == who;
  uint64_t count = 0;
  scan_mpi_part kept;
  scan_select_spec select = SCAN_SELECT_SPEC_INIT(SCAN_SELECT_FLAGS, sizeof(uint32_t));
  scan_select_args args = SCAN_SELECT_ARGS_INIT(scan_host(flags), scan_host(in), scan_host(out), scan_host(&count));
  if (is_it) args.n_from = scan_host(&count);
  check_failed(g, "n_from", scan_mpi_select(g->mpi, &select, N, &args, &kept, NULL), SCAN_UNSUPPORTED, who, "n_from");
  args.n_from = SCAN_NO_MEM;
  if (is_it) args.out[0] = SCAN_NO_MEM;
  check_failed(g, "no output", scan_mpi_select(g->mpi, &select, N, &args, &kept, NULL), SCAN_INVALID_ARGUMENT, who,
               "out");
  const scan_spec spec = SCAN_SPEC_INIT(SCAN_U32, SCAN_ADD, SCAN_INCLUSIVE);
  scan_array array = SCAN_ARRAY_INIT;
  const uint64_t shape[] = { 10, 10 };
  group_check(g, scan_array_packed(&spec, 2, shape, 1, &array) == SCAN_SUCCESS, "%s", scan_last_error(NULL));
  if (is_it) array.ndim = 9;
  check_failed(g, "nine axes", scan_mpi_run_array(g->mpi, &spec, &array, scan_host(in), scan_host(out)),
               SCAN_INVALID_ARGUMENT, who, "array->ndim is 9");
  array.ndim = 2;
  if (is_it) array.shape[0] = 9;
  if (g->ranks > 1)
    check_failed(g, "another shape", scan_mpi_run_array(g->mpi, &spec, &array, scan_host(in), scan_host(out)),
                 SCAN_INVALID_ARGUMENT, 0, "arrays differ");
}

/* ---- sorts ---- */

static scan_status sort_some(group *g, const scan_sort_spec *spec, scan_mpi_distribution distribution,
                             const scan_sort_args *args) {
  return scan_mpi_sort(g->mpi, spec, distribution, N, N, args, NULL);
}

static void test_sort_specs(group *g, int who) {
  static uint32_t in[N], out[N];
  const int is_it = g->rank == who;
  scan_sort_spec spec = SCAN_SORT_SPEC_INIT(SCAN_U32);
  const scan_sort_args args = SCAN_SORT_ARGS_INIT(scan_host(in), scan_host(out));
  check_failed(g, "no sort spec", sort_some(g, is_it ? NULL : &spec, SCAN_MPI_EVEN, &args), SCAN_INVALID_ARGUMENT, who,
               "spec is NULL");
  check_failed(g, "no sort args", sort_some(g, &spec, SCAN_MPI_EVEN, is_it ? NULL : &args), SCAN_INVALID_ARGUMENT, who,
               "args is NULL");
  spec.offset_type = is_it ? SCAN_U32 : SCAN_TYPE_DEFAULT;
  check_failed(g, "a sort by segments", sort_some(g, &spec, SCAN_MPI_EVEN, &args), SCAN_UNSUPPORTED, who,
               "spec->offset_type is set");
  spec.offset_type = SCAN_TYPE_DEFAULT;
  spec.gives_scratch = (uint32_t)is_it;
  check_failed(g, "a sort's scratch", sort_some(g, &spec, SCAN_MPI_EVEN, &args), SCAN_UNSUPPORTED, who,
               "spec->gives_scratch is 1");
  spec.gives_scratch = 0;
  spec.end_bit = is_it ? 33 : 0;
  check_failed(g, "33 bits", sort_some(g, &spec, SCAN_MPI_EVEN, &args), SCAN_INVALID_ARGUMENT, who,
               "spec->end_bit is 33");
  spec.end_bit = 0;
  check_failed(g, "no distribution", sort_some(g, &spec, (scan_mpi_distribution)(is_it ? 3 : 0), &args),
               SCAN_INVALID_ARGUMENT, who, "distribution is 3");
  if (g->ranks == 1) return;
  const int reported = who == 0 ? 1 : who; /* the first rank that differs from rank 0 */
  spec.descending = (uint32_t)is_it;
  check_failed(g, "another order", sort_some(g, &spec, SCAN_MPI_EVEN, &args), SCAN_INVALID_ARGUMENT, reported,
               "spec is another one than rank 0's");
  spec.descending = 0;
  check_failed(g, "another distribution", sort_some(g, &spec, is_it ? SCAN_MPI_EVEN : SCAN_MPI_BY_KEY, &args),
               SCAN_INVALID_ARGUMENT, reported, "distribution is another one than rank 0's");
}

static void test_sort_args(group *g, int who) {
  static uint32_t in[N], out[N];
  const int is_it = g->rank == who;
  uint64_t count = N;
  const scan_sort_spec spec = SCAN_SORT_SPEC_INIT(SCAN_U32);
  const scan_sort_args good = SCAN_SORT_ARGS_INIT(scan_host(in), scan_host(out));
  scan_sort_args args = good;
  if (is_it) args.n_from = scan_host(&count);
  check_failed(g, "a sort's n_from", sort_some(g, &spec, SCAN_MPI_EVEN, &args), SCAN_UNSUPPORTED, who, "n_from");
  args = good;
  if (is_it) args.keys_in = SCAN_NO_MEM;
  check_failed(g, "no keys to sort", sort_some(g, &spec, SCAN_MPI_EVEN, &args), SCAN_INVALID_ARGUMENT, who,
               "args->keys_in is no memory");
  args = good;
  if (is_it) args.keys_out = SCAN_NO_MEM; /* the rank finds this when all others have what they need */
  check_failed(g, "no sorted keys", sort_some(g, &spec, SCAN_MPI_EVEN, &args), SCAN_INVALID_ARGUMENT, who, "keys_out");
  args = good;
  if (is_it) args.in[0] = scan_host(in);
  check_failed(g, "an unasked array", sort_some(g, &spec, SCAN_MPI_EVEN, &args), SCAN_INVALID_ARGUMENT, who,
               "args->in is given");
  args = good;
  if (is_it) args.offsets = scan_host(in);
  check_failed(g, "unasked offsets", sort_some(g, &spec, SCAN_MPI_EVEN, &args), SCAN_INVALID_ARGUMENT, who,
               "args->offsets is given");
}

/* A rank without room for its results learns how many they are, as all ranks do. */
static void test_sort_room(group *g, int who) {
  static uint32_t in[N], out[N];
  const scan_sort_spec spec = SCAN_SORT_SPEC_INIT(SCAN_U32);
  const scan_sort_args args = SCAN_SORT_ARGS_INIT(scan_host(in), scan_host(out));
  const uint64_t room = g->rank == who ? N - 1 : N;
  scan_mpi_part part = { 0 };
  scan_mpi_plan *plan = NULL, **place = g->rank == who ? NULL : &plan;
  memset(out, 7, sizeof out);
  check_failed(g, "no room", scan_mpi_sort(g->mpi, &spec, SCAN_MPI_EVEN, N, room, &args, &part), SCAN_INVALID_ARGUMENT,
               who, "capacity is 999, and 1000 sorted elements are this rank's");
  group_check(g, part.count == N && part.offset == (uint64_t)g->rank * N && out[0] == 0x07070707u,
              "no room: %llu at %llu, out has %u", (unsigned long long)part.count, (unsigned long long)part.offset,
              out[0]);
  check_failed(g, "no capacity",
               scan_mpi_sort(g->mpi, &spec, SCAN_MPI_EVEN, N, g->rank == who ? SCAN_NO_CAPACITY : N, &args, &part),
               SCAN_INVALID_ARGUMENT, who, "capacity is 0, and 1000 sorted elements are this rank's");
  check_failed(g, "no place for a sort", scan_mpi_plan_create_sort(g->mpi, &spec, SCAN_MPI_EVEN, N, N, place),
               SCAN_INVALID_ARGUMENT, who, "plan is NULL");
  group_check(g, scan_mpi_plan_create_sort(g->mpi, &spec, SCAN_MPI_EVEN, N, N, &plan) == SCAN_SUCCESS, "%s",
              scan_mpi_last_error(g->mpi));
  check_failed(g, "too many keys", scan_mpi_plan_run_sort(plan, g->rank == who ? N + 1 : N, &args, NULL),
               SCAN_INVALID_ARGUMENT, who, "the plan was created for at most 1000");
  group_check(g,
              scan_mpi_plan_run(plan, N, scan_host(in), scan_host(out)) == SCAN_INVALID_ARGUMENT &&
                  strstr(scan_mpi_last_error(g->mpi), "plan was made by scan_mpi_plan_create_sort") != NULL,
              "a scan by the plan of a sort: %s", scan_mpi_last_error(g->mpi));
  group_check(g, scan_mpi_plan_run_sort(plan, N, &args, &part) == SCAN_SUCCESS, "a plan after a failure: %s",
              scan_mpi_last_error(g->mpi));
  scan_mpi_plan_destroy(plan);
}

/* ---- faults of all ranks ---- */

SCAN_OP_TEXT(
    first_text, static inline float keep_first(float a, float b) {
      (void)b;
      return a;
    });
SCAN_OP_HOST(keep_first_host, float, keep_first);

static void test_refused(group *g) {
  const uint64_t n = (UINT64_C(1) << 20) + (1 << 18);
  float *memory = group_allocate(n * sizeof(float));
  scan_op_source source = SCAN_OP_SOURCE_INIT(first_text, float, keep_first);
  scan_spec spec = SCAN_SPEC_INIT(SCAN_TYPE_DEFAULT, SCAN_OP_NONE, SCAN_INCLUSIVE);
  memset(memory, 0, n * sizeof(float));
  source.host = keep_first_host;
  source.loops = &keep_first_host_loops;
  group_check(g, scan_op_create(g->ctx, &source, &spec.custom_op) == SCAN_SUCCESS, "%s", scan_last_error(g->ctx));
  const scan_mem mem = scan_host(memory);
  check_failed(g, "no identity", group_run(g, &spec, n, mem, mem), SCAN_UNSUPPORTED, 0, "without an identity");
  const float first = 1.0f;
  spec.init_bytes = &first;
  check_failed(g, "init unasked", group_run(g, &spec, n, mem, mem), SCAN_INVALID_ARGUMENT, 0,
               "but spec->has_init is 0");
  spec.init_bytes = NULL;
  spec.has_init = 1;
  check_failed(g, "no init", group_run(g, &spec, n, mem, mem), SCAN_INVALID_ARGUMENT, 0, "spec->has_init needs");
  scan_op_destroy(spec.custom_op);
  spec = (scan_spec)SCAN_SPEC_INIT(SCAN_F16, SCAN_MUL, SCAN_INCLUSIVE);
  check_failed(g, "a product of halves", group_run(g, &spec, n, mem, mem), SCAN_UNSUPPORTED, 0,
               "a product of 16-bit floats");
  spec = (scan_spec)SCAN_SPEC_INIT(SCAN_F32, SCAN_ADD, SCAN_INCLUSIVE);
  spec.has_init = 1;
  scan_args args = SCAN_ARGS_INIT(mem, mem);
  args.carry_in = scan_host(memory);
  check_failed(g, "init and carry", scan_mpi_run_args(g->mpi, &spec, 0, &args), SCAN_INVALID_ARGUMENT, 0,
               "a scan begins with one or the other");
  free(memory);
}

int main(int argc, char **argv) {
  group g;
  group_open(&g, &argc, &argv);
  group_check_works(&g, g.mpi, "the beginning");
  const int step = g.ranks > 4 ? g.ranks - 1 : 1;
  for (int who = 0; who < g.ranks; who += step) {
    test_memory(&g, who);
    test_specs(&g, who);
    test_plans(&g, who);
    test_marks(&g, who);
    test_others(&g, who);
    test_runs(&g, who);
    test_structs(&g, who);
    test_arrays(&g, who);
    test_sort_specs(&g, who);
    test_sort_args(&g, who);
    test_sort_room(&g, who);
  }
  test_refused(&g);
  return group_close(&g, "mpi refusals");
}
