/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests handles: element indices in maps and emits, many tiles, error handlers, freed communicators, several handles,
 * calls without a handle, overflow. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "group.h"

enum { N = 1000 };

/* ---- maps and emits ---- */

SCAN_OP_TEXT(
    places_text, static inline uint32_t plus(uint32_t a, uint32_t b) { return a + b; }

    static inline uint32_t by_place(uint8_t x, uint64_t index) { return x * (uint32_t)(index + 1); }

    static inline uint64_t with_place(uint32_t inclusive, uint32_t exclusive, uint8_t x, uint64_t index) {
      return (uint64_t)(inclusive ^ exclusive) << 32 | (uint32_t)(index * 256 + x);
    });
SCAN_OP_HOST(plus_host, uint32_t, plus);
SCAN_MAP_HOST(by_place_host, uint8_t, uint32_t, by_place);
SCAN_EMIT_HOST(with_place_host, uint32_t, uint8_t, uint64_t, with_place);

static scan_op *create_places(group *g) {
  static const uint32_t zero = 0;
  scan_op_source source = SCAN_OP_SOURCE_INIT(places_text, uint32_t, plus);
  scan_op *op = NULL;
  source.identity = &zero;
  source.host = plus_host;
  source.loops = &plus_host_loops;
  source.map = "by_place";
  source.input_type = "uint8_t";
  source.input_bytes = source.input_align = 1;
  source.map_host = by_place_host;
  source.emit = "with_place";
  source.output_type = "uint64_t";
  source.output_bytes = source.output_align = 8;
  source.emit_host = with_place_host;
  group_check(g, scan_op_create(g->ctx, &source, &op) == SCAN_SUCCESS, "%s", scan_last_error(g->ctx));
  return op;
}

/* Maps and emits get the index of an element among those of all ranks. Every second rank has no elements. */
static void test_places(group *g, uint32_t flags) {
  static uint8_t in[N];
  static uint64_t out[N];
  scan_spec spec = SCAN_SPEC_INIT(SCAN_TYPE_DEFAULT, SCAN_OP_NONE, SCAN_INCLUSIVE);
  const uint64_t n = g->rank % 2 ? 0 : N, first = ((uint64_t)g->rank + 1) / 2 * N,
                 all = ((uint64_t)g->ranks + 1) / 2 * N;
  uint8_t *whole = group_allocate(all);
  uint64_t *due = group_allocate(all * sizeof *due);
  spec.custom_op = create_places(g);
  spec.flags = flags;
  for (uint64_t i = 0; i < all; i++) whole[i] = (uint8_t)(i * 7 % 251);
  memcpy(in, whole + (n > 0 ? first : 0), N);
  group_check(g, scan_run(g->ctx, &spec, all, scan_host(whole), scan_host(due)) == SCAN_SUCCESS, "%s",
              scan_last_error(g->ctx));
  const scan_status status = group_run(g, &spec, n, scan_host(in), scan_host(out));
  group_check(g, status == SCAN_SUCCESS && memcmp(out, due + first, n * sizeof *out) == 0, "places: %s",
              scan_mpi_last_error(g->mpi));
  scan_op_destroy(spec.custom_op);
  free(whole);
  free(due);
}

/* ---- many tiles ---- */

/* Each rank has several groups of tiles, whose values a device reduces in one launch. The result has the bits of one
 * device. */
static void test_groups(group *g, scan_type type, scan_op_id op) {
  const scan_spec spec = SCAN_SPEC_INIT(type, op, SCAN_INCLUSIVE);
  const uint64_t n = 1200000, all = n * (uint64_t)g->ranks, bytes = scan_type_bytes(type);
  struct rng rng = { 0x6709 };
  unsigned char *in = group_allocate(all * bytes), *due = group_allocate(all * bytes), *out = group_allocate(n * bytes);
  values_fill(&rng, type, op, all, all, in);
  group_check(g, scan_run(g->ctx, &spec, all, scan_host(in), scan_host(due)) == SCAN_SUCCESS, "%s",
              scan_last_error(g->ctx));
  const uint64_t first = (uint64_t)g->rank * n * bytes;
  const scan_mem from = group_give(g, in + first, n * bytes, 1), to = group_give(g, out, n * bytes, 1);
  const scan_status status = group_run(g, &spec, n, from, to);
  group_read_back(g, from, in + first, n * bytes);
  group_read_back(g, to, out, n * bytes);
  group_check(g, status == SCAN_SUCCESS && memcmp(out, due + first, n * bytes) == 0, "groups of %s: %s",
              scan_type_name(type), scan_mpi_last_error(g->mpi));
  free(in);
  free(due);
  free(out);
}

/* ---- communicators ---- */

static int handler_calls;
static void count_error(MPI_Comm *comm, int *error, ...) {
  (void)comm, (void)error;
  handler_calls++;
}

static void test_handler(group *g) {
  MPI_Comm comm;
  MPI_Errhandler own, found;
  scan_mpi *mpi = NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_create_errhandler(count_error, &own);
  MPI_Comm_set_errhandler(comm, own);
  group_check(g, scan_mpi_create(g->ctx, comm, &mpi) == SCAN_SUCCESS, "%s", scan_mpi_last_error(NULL));
  group_check_works(g, mpi, "a handler of the caller's");
  MPI_Comm_get_errhandler(comm, &found);
  group_check(g, found == own, "the communicator has another error handler");
  MPI_Errhandler_free(&found);
  /* The caller's handler is still called for its communicator, and not for the library's. */
  MPI_Send(&handler_calls, 1, MPI_INT, g->ranks + 1, 0, comm);
  group_check(g, handler_calls == 1, "the caller's handler was called %d times", handler_calls);
  MPI_Errhandler_free(&own);
  MPI_Comm_free(&comm);
  group_check_works(g, mpi, "its communicator was freed");
  scan_mpi_destroy(mpi);
}

static void test_communicators(group *g) {
  scan_mpi *mpi = NULL;
  group_check(g, scan_mpi_create(g->ctx, MPI_COMM_NULL, &mpi) == SCAN_INVALID_ARGUMENT, "no communicator: accepted");
  group_check(g, strstr(scan_mpi_last_error(NULL), "MPI_COMM_NULL") != NULL, "words: %s", scan_mpi_last_error(NULL));
  const int last = g->ranks - 1;
  scan_status status = scan_mpi_create(g->rank == last ? NULL : g->ctx, MPI_COMM_WORLD, &mpi);
  char begin[64];
  snprintf(begin, sizeof begin, "rank %d: scan_mpi_create: ctx is NULL", last);
  group_check(g, status == SCAN_INVALID_ARGUMENT && mpi == NULL && strcmp(scan_mpi_last_error(NULL), begin) == 0,
              "a rank without a context: \"%s\"", scan_mpi_last_error(NULL));
  group_check(g, scan_mpi_plan_create(NULL, NULL, 0, NULL) == SCAN_INVALID_ARGUMENT, "no handle: accepted");
  scan_mpi_destroy(NULL);
  scan_mpi_plan_destroy(NULL);
  if (g->ranks == 1) return;
  MPI_Comm half, between;
  MPI_Comm_split(MPI_COMM_WORLD, g->rank % 2, g->rank, &half);
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - g->rank % 2, 7, &between);
  status = scan_mpi_create(g->ctx, between, &mpi);
  group_check(g, status == SCAN_INVALID_ARGUMENT && strstr(scan_mpi_last_error(NULL), "intercommunicator") != NULL,
              "an intercommunicator: \"%s\"", scan_mpi_last_error(NULL));
  MPI_Comm_free(&between);
  MPI_Comm_free(&half);
}

/* Each rank has two contexts and two handles, whose calls alternate. */
static void test_two_handles(group *g) {
  scan_ctx_options options = SCAN_CTX_OPTIONS_INIT;
  scan_ctx *ctx = NULL;
  scan_mpi *mpi = NULL;
  options.device = "host";
  options.threads = 1;
  group_check(g, scan_ctx_create(&options, &ctx) == SCAN_SUCCESS, "%s", scan_last_error(NULL));
  group_check(g, scan_mpi_create(ctx, MPI_COMM_WORLD, &mpi) == SCAN_SUCCESS, "%s", scan_mpi_last_error(NULL));
  group_check_works(g, mpi, "a second handle");
  group_check_works(g, g->mpi, "a second handle was used");
  group_check_works(g, mpi, "both were used");
  scan_mpi_destroy(mpi);
  scan_ctx_destroy(ctx);
}

static void test_one_call(group *g) {
  static double in[N], out[N];
  const scan_spec spec = SCAN_SPEC_INIT(SCAN_F64, SCAN_MAX, SCAN_INCLUSIVE);
  for (int i = 0; i < N; i++) in[i] = (double)(g->rank * 10 + i % 10);
  scan_status status = scan_mpi_run(g->ctx, MPI_COMM_WORLD, &spec, N, scan_host(in), scan_host(out));
  group_check(g, status == SCAN_SUCCESS && out[N - 1] == g->rank * 10 + 9, "one call: %s", scan_mpi_last_error(NULL));
  group_check(g, g->rank == 0 || out[0] == g->rank * 10, "one call: %f", out[0]);
  status = scan_mpi_run(g->ctx, MPI_COMM_WORLD, NULL, N, scan_host(in), scan_host(out));
  group_check(g, status == SCAN_INVALID_ARGUMENT && strstr(scan_mpi_last_error(NULL), "rank 0: spec") != NULL,
              "one call: \"%s\"", scan_mpi_last_error(NULL));
  uint64_t offset = 0;
  status = scan_mpi_offsets(MPI_COMM_WORLD, 1, g->rank == 0 ? NULL : &offset, NULL);
  group_check(g, g->rank == 0 ? status == SCAN_INVALID_ARGUMENT : offset == (uint64_t)g->rank,
              "offsets without a place");
}

/* A sum of floats in one group: every other rank sends its elements to rank 0, which sends the results back. */
static void test_sent_bytes(group *g) {
  static float in[N], out[N];
  const scan_spec spec = SCAN_SPEC_INIT(SCAN_F32, SCAN_ADD, SCAN_INCLUSIVE);
  group_check(g, group_run(g, &spec, N, scan_host(in), scan_host(out)) == SCAN_SUCCESS, "%s",
              scan_mpi_last_error(g->mpi));
  const uint64_t sent = scan_mpi_sent_bytes(g->mpi), each = sizeof in;
  group_check(g, sent == (g->rank == 0 ? each * (uint64_t)(g->ranks - 1) : each), "%llu bytes sent",
              (unsigned long long)sent);
  group_check(g, scan_mpi_sent_bytes(NULL) == 0, "bytes without a handle");
}

/* ---- overflow ---- */

static void test_overflow(group *g, uint32_t flags, uint64_t at) {
  static int32_t in[N], out[N];
  scan_spec spec = SCAN_SPEC_INIT(SCAN_I32, SCAN_ADD, SCAN_INCLUSIVE);
  uint64_t index = 0;
  const uint64_t all = (uint64_t)g->ranks * N, place = flags & SCAN_BACKWARD ? all - 1 - at : at;
  spec.flags = SCAN_CHECK_OVERFLOW | flags;
  memset(in, 0, sizeof in);
  if (place / N == (uint64_t)g->rank) in[place % N] = 1;
  const uint64_t first = flags & SCAN_BACKWARD ? all - 1 : 0;
  if (first / N == (uint64_t)g->rank) in[first % N] = INT32_MAX;
  const scan_status status = group_run(g, &spec, N, scan_host(in), scan_host(out));
  group_check(g, status == SCAN_OVERFLOW, "overflow: %s %s", scan_status_name(status), scan_mpi_last_error(g->mpi));
  group_check(g, scan_mpi_overflow_index(g->mpi, &index) == SCAN_SUCCESS && index == place,
              "overflow at %llu, not %llu", (unsigned long long)index, (unsigned long long)place);
  memset(in, 0, sizeof in);
  group_check(g, group_run(g, &spec, N, scan_host(in), scan_host(out)) == SCAN_SUCCESS, "no overflow: %s",
              scan_mpi_last_error(g->mpi));
  group_check(g, scan_mpi_overflow_index(g->mpi, &index) == SCAN_INVALID_ARGUMENT, "an index without an overflow");
}

int main(int argc, char **argv) {
  group g;
  group_open(&g, &argc, &argv);
  group_check_works(&g, g.mpi, "the beginning");
  if (g.ranks < 4) {
    test_groups(&g, SCAN_F32, SCAN_ADD);
    test_groups(&g, SCAN_F64, SCAN_ADD);
    test_groups(&g, SCAN_F32, SCAN_MUL);
    test_groups(&g, SCAN_F64, SCAN_MUL);
  }
  test_places(&g, 0);
  test_places(&g, SCAN_BACKWARD);
  test_handler(&g);
  test_communicators(&g);
  test_two_handles(&g);
  test_one_call(&g);
  test_sent_bytes(&g);
  for (uint32_t flags = 0; flags <= SCAN_BACKWARD; flags++) {
    test_overflow(&g, flags, 1);
    test_overflow(&g, flags, (uint64_t)g.ranks * N - 1);
    test_overflow(&g, flags, (uint64_t)g.ranks * N / 2);
  }
  return group_close(&g, "mpi api");
}
