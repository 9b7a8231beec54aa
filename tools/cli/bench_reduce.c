/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file bench_reduce.c
 * @brief `scanrt bench --reduce`: totals of all elements, and of segments of equal lengths, beside a copy and peers.
 *
 * Elements are -1, 0 and 1, so that all sums are exact in any order (of f16 and bf16 as long as they stay small).
 */
#define _POSIX_C_SOURCE 200809L
#include "bench_options.h"
#include "data.h"
#include "reference.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <scanrt/scan_reduce.h>

enum { REDUCE_TOTAL, REDUCE_SEGMENTS, REDUCE_HOWS, MOST_LENGTHS = 8 };

typedef struct reduce_request {
  bench_request base; /**< First member, since the shared options are stored there. */
  int how[REDUCE_HOWS];
  bench_length lengths[MOST_LENGTHS];
  size_t length_count;
} reduce_request;

typedef struct reduce_state {
  bench_state base;           /**< First member, so that an entry's state is its reduce_state. */
  const bench_length *length; /**< NULL: one total. */
  bench_reduce_case what;
  uint32_t item_bytes;
  uint64_t results;
  bench_memory in, out, offsets, spare, poison;
  unsigned char *got;
  int8_t *values;
} reduce_state;

static const char *const how_names[REDUCE_HOWS] = { [REDUCE_TOTAL] = "total", [REDUCE_SEGMENTS] = "segments" };

/* ---- the command line ---- */

static void reduce_help(void) {
  puts("Usage: scanrt bench --reduce HOW [OPTION]...\n"
       "Times sums of device memory by a plan, beside a copy and peers (CUB; TBB and OpenMP on the host). All take "
       "turns\n"
       "on the same buffers, and each result is checked.\n"
       "\n"
       "What to measure (options with * may be repeated, those with + also take a list with commas):\n"
       "      --reduce HOW      + total, of all elements; or segments, of each segment by u32 offsets\n"
       "      --segment-length L * elements of a segment (default 64)\n"
       "      --type T          * of elements and sums (default i32)");
  puts(bench_cases_help);
  puts("\n"
       "Columns: GB/s, elements, offsets and sums; % limit, the time that the copy would take for so many bytes, in\n"
       "percent of this time.\n"
       "\n"
       "Examples:\n"
       "  scanrt bench --reduce total --type f32 --n 2^28 --device cuda:0\n"
       "  scanrt bench --reduce segments --segment-length 10 --segment-length 1000 --n 2^26");
}

static int parse_how(const char *command, const char *text, void *request) {
  return bench_parse_names(command, "--reduce", text, how_names, REDUCE_HOWS, "total segments",
                           ((reduce_request *)request)->how);
}

static int add_length(const char *command, const char *text, void *request) {
  reduce_request *r = (reduce_request *)request;
  if (r->length_count == MOST_LENGTHS) return cli_usage(command, "more than %d --segment-length", MOST_LENGTHS);
  bench_length *length = &r->lengths[r->length_count++];
  snprintf(length->name, sizeof length->name, "%s", text);
  return cli_parse_within(command, "--segment-length", text, 1, UINT32_MAX, &length->average);
}

static const bench_option reduce_options[] = {
  { BENCH_OF(REDUCE), { .name = "reduce", .kind = CLI_CALL, .parse = parse_how } },
  { BENCH_OF(REDUCE), { .name = "segment-length", .kind = CLI_CALL, .parse = add_length } },
  { 0, { .name = NULL } },
};

static int reduce_complete(const char *command, bench_request *request) {
  reduce_request *r = (reduce_request *)request;
  if (!r->how[REDUCE_SEGMENTS] && r->length_count)
    return cli_usage(command, "--segment-length is for --reduce segments");
  if (!r->length_count) (void)add_length(command, "64", r);
  bench_set_defaults(request, SCAN_I32);
  for (size_t i = 0; i < request->size_count; i++)
    if (r->how[REDUCE_SEGMENTS] && request->sizes[i] > UINT32_MAX)
      return cli_usage(command, "--reduce segments has u32 offsets, below 2^32");
  const int rc = bench_check_shared(command, request);
  return rc == CLI_OK ? bench_add_devices(request) : rc;
}

/* ---- data ---- */

/** Stores an integer as element i, with the wrapping of the type. */
static void store(scan_type type, void *to, uint64_t i, int64_t value) {
  const size_t bytes = scan_type_bytes(type);
  if (reference_is_float(type))
    reference_store(type, to, i, (double)value);
  else
    memcpy((char *)to + i * bytes, &value, bytes);
}

static void fill_chunk(void *state, uint64_t chunk) {
  const reduce_state *bench = (const reduce_state *)state;
  const scan_type type = bench->what.type;
  for (uint64_t i = chunk * BENCH_CHUNK; i < bench_chunk_end(bench->what.n, chunk); i++) {
    const int8_t value = (int8_t)((int)(data_bits(1, i) % 3) - 1);
    bench->values[i] = value;
    store(type, bench->got, i, value);
  }
}

static int make_offsets(reduce_state *bench) {
  const uint64_t bytes = (bench->what.segments + 1) * sizeof(uint32_t);
  if (!bench->what.segments) return CLI_OK;
  uint32_t *offsets = (uint32_t *)malloc((size_t)bytes);
  if (!offsets) return cli_fail("no memory for %" PRIu64 " offsets", bench->what.segments);
  for (uint64_t s = 0; s <= bench->what.segments; s++)
    offsets[s] = (uint32_t)(s < bench->what.segments ? s * bench->what.segment_items : bench->what.n);
  scan_status status = bench_memory_make(&bench->base, bytes, &bench->offsets);
  if (status == SCAN_SUCCESS) status = scan_write(bench->base.ctx, bench->offsets.mem, offsets, bytes);
  free(offsets);
  return bench_forward(&bench->base, status);
}

static int data_make(reduce_state *bench) {
  const uint64_t bytes = bench->what.n * bench->item_bytes, out_bytes = bench->results * bench->item_bytes;
  bench->got = (unsigned char *)malloc((size_t)(bytes > out_bytes ? bytes : out_bytes));
  bench->values = (int8_t *)malloc((size_t)bench->what.n);
  if (!bench->got || !bench->values) return cli_fail("no memory for n = %" PRIu64, bench->what.n);
  bench_each_chunk(bench->what.n, fill_chunk, bench);
  scan_status status = bench_memory_make(&bench->base, bytes, &bench->in);
  if (status == SCAN_SUCCESS) status = bench_memory_make(&bench->base, bytes, &bench->spare);
  if (status == SCAN_SUCCESS) status = bench_memory_make(&bench->base, out_bytes, &bench->out);
  if (status == SCAN_SUCCESS) status = bench_poison_make(&bench->base, bytes, &bench->poison);
  if (status == SCAN_SUCCESS) status = scan_write(bench->base.ctx, bench->in.mem, bench->got, bytes);
  return status == SCAN_SUCCESS ? make_offsets(bench) : bench_forward(&bench->base, status);
}

static void data_clear(reduce_state *bench) {
  bench_memory *all[] = { &bench->in, &bench->spare, &bench->out, &bench->offsets, &bench->poison };
  for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) bench_memory_free(&bench->base, all[i]);
  free(bench->got);
  free(bench->values);
  bench->got = NULL;
  bench->values = NULL;
}

/* ---- checks ---- */

static int reduce_poison(bench_entry *s) {
  const reduce_state *bench = (const reduce_state *)s->bench;
  return bench_forward(&bench->base, bench_memory_poison(&bench->base, &bench->poison, &bench->out));
}

static int reduce_check(bench_entry *s) {
  const reduce_state *bench = (const reduce_state *)s->bench;
  const bench_reduce_case *what = &bench->what;
  const uint64_t length = what->segments ? what->segment_items : what->n;
  if (s->role == BENCH_COPY || s->role == BENCH_MEMCPY) return CLI_OK;
  const scan_status status = scan_read(bench->base.ctx, bench->out.mem, bench->got, bench->results * bench->item_bytes);
  if (status != SCAN_SUCCESS) return bench_forward(&bench->base, status);
  for (uint64_t r = 0; r < bench->results; r++) {
    const uint64_t end = (r + 1) * length < what->n ? (r + 1) * length : what->n;
    int64_t sum = 0;
    uint64_t expected = 0;
    for (uint64_t i = r * length; i < end; i++) sum += bench->values[i];
    store(what->type, &expected, 0, sum);
    if (memcmp(&expected, bench->got + r * bench->item_bytes, bench->item_bytes) != 0)
      return bench_wrong(s, "n = %" PRIu64 ": sum %" PRIu64 " is not %" PRId64, what->n, r, sum);
  }
  return CLI_OK;
}

/* ---- entries ---- */

static int start_plan(bench_entry *s, uint64_t pair) {
  const reduce_state *bench = (const reduce_state *)s->bench;
  scan_status status;
  (void)pair;
  if (bench->what.segments) {
    const scan_segmented_reduce_args args =
        SCAN_SEGMENTED_REDUCE_ARGS_INIT(bench->in.mem, bench->offsets.mem, bench->what.segments, bench->out.mem);
    status = scan_plan_run_segmented_reduce(s->plan, bench->what.n, &args);
  } else {
    status = scan_plan_run(s->plan, bench->what.n, bench->in.mem, bench->out.mem);
  }
  return bench_forward(&bench->base, status);
}

static int start_peer(bench_entry *s, uint64_t pair) {
  const reduce_state *bench = (const reduce_state *)s->bench;
  const bench_reduce_memory memory = { .in = bench_pointer(&bench->base, &bench->in.mem),
                                       .offsets = bench_pointer(&bench->base, &bench->offsets.mem),
                                       .out = bench_pointer(&bench->base, &bench->out.mem) };
  (void)pair;
  if (s->peer->reduce->start(s->peer_state, &memory, bench->base.stream) == 0) return CLI_OK;
  return bench_peer_fail(s->peer, "cannot reduce");
}

static int add_peer(reduce_state *bench, const bench_peer *peer, uint64_t bytes) {
  bench_reduce_case what = bench->what;
  for (; what.variant < BENCH_PEER_MOST_VARIANTS; what.variant++) {
    void *state = NULL;
    if (!peer->reduce || !peer->reduce->supports(&what)) break;
    if (peer->reduce->prepare(&what, &state) != 0)
      return bench_peer_unprepared(&bench->base, peer, "cannot prepare a reduction");
    bench_add_peer(&bench->base, peer, start_peer, bytes, state, peer->reduce->destroy);
  }
  return CLI_OK;
}

static int make_plan(reduce_state *bench, scan_plan **plan) {
  scan_spec total = SCAN_SPEC_INIT(bench->what.type, SCAN_ADD, SCAN_TOTAL);
  scan_spec segmented = SCAN_SEGMENTED_REDUCE_INIT(SCAN_U32, bench->what.type, SCAN_ADD);
  const scan_status status = bench->what.segments
                                 ? scan_plan_create_segmented_reduce(bench->base.ctx, &segmented, bench->what.n, plan)
                                 : scan_plan_create(bench->base.ctx, &total, bench->what.n, plan);
  return bench_forward(&bench->base, status);
}

static int reduce_list(bench_state *base) {
  reduce_state *bench = (reduce_state *)base;
  const uint64_t bytes = (bench->what.n + bench->results) * bench->item_bytes + bench->offsets.bytes;
  scan_plan *plan = NULL;
  base->entry_count = 0;
  int rc = make_plan(bench, &plan);
  if (rc != CLI_OK) return rc;
  bench_add(base, BENCH_SCAN, start_plan, bytes, bench->what.segments ? "scan_segmented_reduce" : "total by scan_run")
      ->plan = plan;
  bench_add_limit(base, 2 * bench->in.bytes, &bench->in, &bench->spare);
  for (size_t i = 0; i < base->peer_count && rc == CLI_OK; i++) rc = add_peer(bench, base->peers[i], bytes);
  return rc;
}

/* ---- the cases ---- */

static int measure_size(reduce_state *bench, uint64_t n) {
  const uint64_t length = bench->length ? bench->length->average : 0;
  bench->what.n = bench->base.n = n;
  bench->what.segment_items = length;
  bench->what.segments = length ? (n + length - 1) / length : 0;
  bench->results = length ? bench->what.segments : 1;
  int rc = data_make(bench);
  if (rc == CLI_OK) rc = bench_case(&bench->base, BENCH_EAGER, BENCH_GRAPH);
  data_clear(bench);
  return rc;
}

static int reduce_measure(bench_state *base) {
  reduce_state *bench = (reduce_state *)base;
  const reduce_request *r = (const reduce_request *)base->request;
  int rc = CLI_OK;
  for (size_t t = 0; t < base->request->type_count; t++)
    for (size_t l = 0; l <= r->length_count; l++) /* at first one total, then each length */
      for (size_t i = 0; i < base->request->size_count && r->how[l ? REDUCE_SEGMENTS : REDUCE_TOTAL]; i++) {
        bench->length = l ? &r->lengths[l - 1] : NULL;
        bench->what = (bench_reduce_case){ .type = base->request->types[t] };
        bench->item_bytes = (uint32_t)scan_type_bytes(base->request->types[t]);
        if (measure_size(bench, base->request->sizes[i]) != CLI_OK) rc = CLI_FAILED;
      }
  return rc;
}

static void reduce_describe(const bench_state *base, char *text, size_t bytes) {
  const reduce_state *bench = (const reduce_state *)base;
  if (bench->length)
    snprintf(text, bytes, "sums of %s in segments of %s", scan_type_name(bench->what.type), bench->length->name);
  else
    snprintf(text, bytes, "total of %s", scan_type_name(bench->what.type));
}

static void reduce_fill(const bench_entry *s, bench_row *row) {
  const reduce_state *bench = (const reduce_state *)s->bench;
  if (s->role == BENCH_SCAN) row->role = "reduce";
  row->type = scan_type_name(bench->what.type);
  row->segment_length = bench->length ? bench->length->name : "";
}

const bench_kind bench_reduce = { .name = "reduce",
                                  .options = reduce_options,
                                  .request_bytes = sizeof(reduce_request),
                                  .bench_state_bytes = sizeof(reduce_state),
                                  .reps = 21,
                                  .help = reduce_help,
                                  .complete = reduce_complete,
                                  .measure = reduce_measure,
                                  .list = reduce_list,
                                  .poison = reduce_poison,
                                  .check = reduce_check,
                                  .describe = reduce_describe,
                                  .fill = reduce_fill };
