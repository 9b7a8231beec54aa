/* SPDX-License-Identifier: BSD-2-Clause */
/* Splits and histograms by a bucket function of two parameters, whose numbers may be past the last bucket. */
#include "functions.h"
#include "reference.h"

#include <scanrt/scan_sort.h>
#include <scanrt/scan_split.h>
#include <stdlib.h>
#include <string.h>

enum { ARRAYS = 3 };

typedef struct range {
  uint32_t least, step;
} range;
#define IN_RANGE(x, index, r) ((x) < (r).least ? 0 : ((x) - (r).least) / (r).step + (uint32_t)((index) % 2))
SCAN_BUCKET_PARAMS_HOST(in_range, uint32_t, range, IN_RANGE);

static scan_op *bucket_of(scan_ctx *ctx) {
  scan_bucket_source source = SCAN_BUCKET_PARAMS_INIT("", uint32_t, IN_RANGE, range);
  scan_op *op = NULL;
  source.host = in_range;
  fuzz_done(ctx, scan_bucket_create(ctx, &source, &op), "scan_bucket_create");
  return op;
}

typedef struct job {
  scan_split_spec spec;
  uint64_t n, items; /* as in the args, and what n_from makes of it */
  range params;
  int is_histogram, in_place;
  fuzz_memory keys_in, keys_out, in[ARRAYS], out[ARRAYS], bins, n_from;
} job;

/* @return 1 where it is one */
static int decode_spec(fuzz_input *in, job *j) {
  scan_split_spec *s = &j->spec;
  s->buckets =
      fuzz_rarely(in, 16) ? (uint32_t)fuzz_number(in, 4) : 1 + (uint32_t)fuzz_below(in, SCAN_SPLIT_MOST_BUCKETS);
  if (fuzz_rarely(in, 16)) s->key_type = SCAN_U32;
  const int is_valid = s->buckets >= 1 && s->buckets <= SCAN_SPLIT_MOST_BUCKETS && s->key_type == SCAN_TYPE_DEFAULT;
  j->is_histogram = fuzz_rarely(in, 2);
  if (j->is_histogram) return is_valid;
  s->drops_keys = (uint32_t)fuzz_rarely(in, 4);
  if (fuzz_rarely(in, 4)) s->index_type = fuzz_rarely(in, 2) ? SCAN_U32 : SCAN_U64;
  s->arrays = s->index_type ? (uint32_t)fuzz_rarely(in, 32) : (uint32_t)fuzz_below(in, ARRAYS + 1);
  for (uint32_t a = 0; a < s->arrays; a++) s->element_bytes[a] = 1 + (uint32_t)fuzz_below(in, 64);
  s->in_place = (uint32_t)fuzz_rarely(in, 4);
  j->in_place = s->in_place && !s->index_type;
  if (s->index_type && (s->arrays > 0 || !s->drops_keys)) return 0;
  return is_valid && (!s->drops_keys || s->arrays > 0 || s->index_type);
}

static uint64_t index_bytes(const job *j) { return scan_type_bytes(j->spec.index_type); }

static void take_memory(job *j, fuzz_input *in, struct rng *rng) {
  const uint64_t shift = fuzz_below(in, 5);
  j->n_from = fuzz_take(8, 0);
  memcpy(j->n_from.data, &j->items, 8);
  j->keys_in = functions_random(rng, j->n, 4, shift);
  j->keys_out = fuzz_take(j->n * 4, shift * 4);
  j->bins = fuzz_take((j->spec.buckets + (uint64_t)!j->is_histogram) * 8, 8 * shift);
  for (uint32_t a = 0; a < ARRAYS; a++) {
    const uint32_t bytes = j->spec.element_bytes[a];
    j->in[a] = functions_random(rng, bytes ? j->n : 0, bytes, 0);
    j->out[a] = fuzz_take(j->n * (a == 0 && index_bytes(j) ? index_bytes(j) : bytes), 0);
  }
}

static uint32_t bucket_at(const job *j, uint64_t i) {
  uint32_t x;
  memcpy(&x, j->keys_in.data + 4 * i, sizeof x);
  const uint32_t said = IN_RANGE(x, i, j->params);
  return said < j->spec.buckets ? said : j->spec.buckets - 1;
}

/* What a memory must become, which is as it was but for what is said next. */
static unsigned char *copy_of(const fuzz_memory *memory) {
  unsigned char *copy = reference_alloc((size_t)memory->bytes + 1);
  memcpy(copy, memory->data, (size_t)memory->bytes);
  return copy;
}

typedef struct wanted {
  unsigned char *keys_in, *keys_out, *in[ARRAYS], *out[ARRAYS], *bins;
} wanted;

static void say_bins(const job *j, uint64_t begins[SCAN_SPLIT_MOST_BUCKETS + 1], unsigned char *bins) {
  uint64_t counts[SCAN_SPLIT_MOST_BUCKETS] = { 0 };
  for (uint64_t i = 0; i < j->items; i++) counts[bucket_at(j, i)]++;
  begins[0] = 0;
  for (uint32_t b = 0; b < j->spec.buckets; b++) begins[b + 1] = begins[b] + counts[b];
  memcpy(bins, j->is_histogram ? counts : begins, (size_t)j->bins.bytes);
}

static wanted expect(const job *j) {
  wanted w = { copy_of(&j->keys_in), copy_of(&j->keys_out), .bins = copy_of(&j->bins) };
  uint64_t begins[SCAN_SPLIT_MOST_BUCKETS + 1];
  for (uint32_t a = 0; a < ARRAYS; a++) w.in[a] = copy_of(&j->in[a]), w.out[a] = copy_of(&j->out[a]);
  say_bins(j, begins, w.bins);
  for (uint64_t i = 0; i < j->items && !j->is_histogram; i++) {
    const uint64_t at = begins[bucket_at(j, i)]++;
    if (!j->spec.drops_keys) memcpy((j->in_place ? w.keys_in : w.keys_out) + 4 * at, j->keys_in.data + 4 * i, 4);
    for (uint32_t a = 0; a < j->spec.arrays; a++) {
      const uint32_t bytes = j->spec.element_bytes[a];
      memcpy((j->in_place ? w.in[a] : w.out[a]) + at * bytes, j->in[a].data + i * bytes, bytes);
    }
    if (index_bytes(j)) memcpy(w.out[0] + at * index_bytes(j), &i, index_bytes(j));
  }
  return w;
}

static void check(const job *j, wanted *w) {
  const char *what = j->is_histogram ? "a histogram" : "a split";
  functions_check(&j->keys_in, w->keys_in, what);
  functions_check(&j->keys_out, w->keys_out, what);
  functions_check(&j->bins, w->bins, what);
  for (uint32_t a = 0; a < ARRAYS; a++) {
    functions_check(&j->in[a], w->in[a], what);
    functions_check(&j->out[a], w->out[a], what);
    free(w->in[a]);
    free(w->out[a]);
  }
  free(w->keys_in);
  free(w->keys_out);
  free(w->bins);
}

static scan_status count(const job *j, scan_ctx *ctx, const scan_histogram_spec *spec, scan_plan *plan) {
  scan_histogram_args args = SCAN_HISTOGRAM_ARGS_INIT(scan_host(j->keys_in.data), scan_host(j->bins.data));
  args.params = &j->params;
  if (j->items != j->n) args.n_from = scan_host(j->n_from.data);
  return plan ? scan_plan_run_histogram(plan, j->n, &args) : scan_histogram(ctx, spec, j->n, &args);
}

static scan_status split(const job *j, scan_ctx *ctx, scan_plan *plan) {
  const fuzz_memory *keys_out = j->in_place ? &j->keys_in : &j->keys_out;
  scan_split_args args =
      SCAN_SPLIT_ARGS_INIT(scan_host(j->keys_in.data), scan_host(keys_out->data), scan_host(j->bins.data));
  if (j->spec.drops_keys) args.keys_out = SCAN_NO_MEM;
  for (uint32_t a = 0; a < j->spec.arrays; a++) {
    args.in[a] = scan_host(j->in[a].data);
    args.out[a] = scan_host(j->in_place ? j->in[a].data : j->out[a].data);
  }
  if (index_bytes(j)) args.out[0] = scan_host(j->out[0].data);
  args.params = &j->params;
  if (j->items != j->n) args.n_from = scan_host(j->n_from.data);
  return plan ? scan_plan_run_split(plan, j->n, &args) : scan_split(ctx, &j->spec, j->n, &args);
}

void functions_split(fuzz_input *in) {
  scan_ctx *ctx = fuzz_one_of_contexts(in);
  struct rng rng = { fuzz_number(in, 2) };
  scan_plan *plan = NULL;
  scan_op *bucket = bucket_of(ctx);
  job j = { .spec = SCAN_SPLIT_BUCKETS_INIT(bucket, 0) };
  const int is_valid = decode_spec(in, &j);
  j.n = j.items = fuzz_items(in, FUNCTIONS_MOST_ITEMS);
  if (fuzz_rarely(in, 4)) j.items = fuzz_below(in, j.n + 1);
  j.params = (range){ (uint32_t)fuzz_byte(in) << 24, ((uint32_t)fuzz_byte(in) << 20) + 1 };
  scan_histogram_spec counted = SCAN_HISTOGRAM_BUCKETS_INIT(bucket, j.spec.buckets);
  counted.key_type = j.spec.key_type;
  scan_status status = j.is_histogram ? scan_plan_create_histogram(ctx, &counted, j.n + 1, &plan)
                                      : scan_plan_create_split(ctx, &j.spec, j.n + 1, &plan);
  if (fuzz_judge(ctx, status, plan, is_valid, j.is_histogram ? "a histogram" : "a split")) {
    take_memory(&j, in, &rng);
    wanted w = expect(&j);
    scan_plan *by = fuzz_rarely(in, 2) ? plan : NULL;
    status = j.is_histogram ? count(&j, ctx, &counted, by) : split(&j, ctx, by);
    if (status == SCAN_SUCCESS) status = scan_sync(ctx);
    fuzz_done(ctx, status, j.is_histogram ? "scan_histogram" : "scan_split");
    check(&j, &w);
    fuzz_memory *all[] = { &j.keys_in, &j.keys_out, &j.bins, &j.n_from };
    for (int m = 0; m < 4; m++) free(all[m]->begin);
    for (uint32_t a = 0; a < ARRAYS; a++) free(j.in[a].begin), free(j.out[a].begin);
  }
  scan_plan_destroy(plan);
  scan_op_destroy(bucket);
}
