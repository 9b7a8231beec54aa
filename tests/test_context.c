/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests the lives of devices, contexts and plans: listing, selection, several at once, fork. */
#include "guarded.h"
#include "reference.h"
#include "support.h"
#include "values.h"

#include <scanrt/scan_composite.h>
#include <scanrt/scan_select.h>
#include <scanrt/scan_sort.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Expected error texts: scan_last_error must contain them. */
static const char MSG_NO_MATCH[] = "no device matches '";
static const char MSG_OPTIONS_SIZE[] = "initialise it with SCAN_CTX_OPTIONS_INIT";
static const char MSG_OPTIONS_STRATEGY[] = "options->strategy is 77";
static const char MSG_CTX_NULL[] = "ctx is NULL";
static const char MSG_COUNT_NULL[] = "count is NULL";
static const char MSG_INFO_NULL[] = "info is NULL";
static const char MSG_INFO_SIZE[] = "initialise it with SCAN_DEVICE_INFO_INIT";
static const char MSG_INDEX[] = "there is no device";
static const char MSG_FORK[] = "fork";

enum { N = 3000 };

static void check_one_device(int index, int count) {
  scan_device_info info = SCAN_DEVICE_INFO_INIT;
  test_ok(NULL, scan_device_get(index, &info), "scan_device_get");
  const char *backend = scan_backend_name(info.backend);
  assert_non_null(backend);
  assert_int_equal(strncmp(info.selector, backend, strlen(backend)), 0);
  assert_true(info.name[0] && info.driver[0] && info.memory_bytes && info.max_alloc_bytes);
  assert_true(info.compute_units && info.max_group_items);
  assert_int_equal(info.struct_bytes, sizeof(info));
  assert_true(info.auto_strategy != SCAN_STRATEGY_AUTO && scan_strategy_name(info.auto_strategy));
  assert_int_equal(info.backend == SCAN_BACKEND_HOST, index == count - 1);
}

static void test_listing(void **state) {
  (void)state;
  int count = 0, again = 0;
  test_ok(NULL, scan_device_count(&count), "scan_device_count");
  test_ok(NULL, scan_device_count(&again), "scan_device_count");
  assert_true(count >= 1);
  assert_int_equal(count, again);
  for (int i = 0; i < count; i++) check_one_device(i, count);
}

/* The device under test is in the list with its own description. */
static void test_context_is_listed(void **state) {
  (void)state;
  int count = 0, found = 0;
  test_ok(NULL, scan_device_count(&count), "scan_device_count");
  for (int i = 0; i < count; i++) {
    scan_device_info info = SCAN_DEVICE_INFO_INIT;
    test_ok(NULL, scan_device_get(i, &info), "scan_device_get");
    if (strcmp(info.selector, test_info()->selector) != 0) continue;
    assert_string_equal(info.name, test_info()->name);
    assert_int_equal(info.memory_bytes, test_info()->memory_bytes);
    found++;
  }
  assert_int_equal(found, 1);
}

static void test_listing_faults(void **state) {
  (void)state;
  const scan_status bad = SCAN_INVALID_ARGUMENT;
  scan_device_info info = SCAN_DEVICE_INFO_INIT, small = { .struct_bytes = 1 };
  int count = 0;
  test_ok(NULL, scan_device_count(&count), "scan_device_count");
  test_refusal(NULL, scan_device_count(NULL), bad, MSG_COUNT_NULL);
  test_refusal(NULL, scan_device_get(0, NULL), bad, MSG_INFO_NULL);
  test_refusal(NULL, scan_device_get(0, &small), bad, MSG_INFO_SIZE);
  test_refusal(NULL, scan_device_get(-1, &info), bad, MSG_INDEX);
  test_refusal(NULL, scan_device_get(count, &info), bad, MSG_INDEX);
  for (int backend = SCAN_BACKEND_CUDA; backend <= SCAN_BACKEND_HOST; backend++) {
    assert_true(scan_backend_note((scan_backend)backend)[0]);
  }
}

static void test_unknown_selectors(void **state) {
  (void)state;
  static const char *const selectors[] = { "nonsense", "cuda:999", "opencl:999", "opencl:no-such-vendor", "host:7" };
  for (size_t i = 0; i < sizeof(selectors) / sizeof(selectors[0]); i++) {
    scan_ctx_options options = SCAN_CTX_OPTIONS_INIT;
    scan_ctx *ctx = NULL;
    options.device = selectors[i];
    test_refusal(NULL, scan_ctx_create(&options, &ctx), SCAN_NO_DEVICE, MSG_NO_MATCH);
    if (!strstr(scan_last_error(NULL), selectors[i])) test_fail("%s is not named", selectors[i]);
    assert_null(ctx);
  }
}

static void check_bad_options(scan_ctx_options options, const char *message) {
  scan_ctx *ctx = NULL;
  options.device = test_selector();
  test_refusal(NULL, scan_ctx_create(&options, &ctx), SCAN_INVALID_ARGUMENT, message);
  assert_null(ctx);
}

static void test_bad_options(void **state) {
  (void)state;
  check_bad_options((scan_ctx_options){ .struct_bytes = 1 }, MSG_OPTIONS_SIZE);
  check_bad_options((scan_ctx_options){ .struct_bytes = sizeof(scan_ctx_options) + 8 }, "older than the headers");
  check_bad_options((scan_ctx_options){ .struct_bytes = 0 }, MSG_OPTIONS_SIZE);
  check_bad_options((scan_ctx_options){ .struct_bytes = sizeof(scan_ctx_options), .strategy = (scan_strategy)77 },
                    MSG_OPTIONS_STRATEGY);
  check_bad_options((scan_ctx_options){ .struct_bytes = sizeof(scan_ctx_options), .strategy = (scan_strategy)64 },
                    "options->strategy is 64"); /* the number is used for differences */
  test_refusal(NULL, scan_ctx_create(NULL, NULL), SCAN_INVALID_ARGUMENT, MSG_CTX_NULL);
}

static void test_strategy_of_the_context(void **state) {
  (void)state;
  const scan_spec spec = SCAN_SPEC_INIT(SCAN_I32, SCAN_ADD, SCAN_INCLUSIVE);
  scan_ctx_options options = { .struct_bytes = sizeof(scan_ctx_options),
                               .device = test_selector(),
                               .strategy = SCAN_STRATEGY_SEQUENTIAL };
  scan_plan_facts facts = SCAN_PLAN_FACTS_INIT;
  scan_ctx *ctx = NULL;
  scan_plan *plan = NULL;
  test_ok(NULL, scan_ctx_create(&options, &ctx), "scan_ctx_create");
  test_ok(ctx, scan_plan_create(ctx, &spec, N, &plan), "scan_plan_create");
  test_ok(ctx, scan_plan_info(plan, &facts), "scan_plan_info");
  assert_int_equal(facts.strategy, SCAN_STRATEGY_SEQUENTIAL);
  assert_int_equal(facts.max_n, N);
  assert_true(facts.launches >= 1 || test_info()->backend == SCAN_BACKEND_HOST);
  scan_plan_destroy(plan);
  scan_ctx_destroy(ctx);
}

static void test_destroy_nothing(void **state) {
  (void)state;
  scan_plan_destroy(NULL);
  scan_ctx_destroy(NULL);
}

/* A context frees memory that the caller has not freed; the leak checker reports it otherwise. */
static void test_destroy_with_memory(void **state) {
  (void)state;
  scan_ctx *ctx = test_ctx_new();
  scan_mem first, second;
  test_ok(ctx, scan_alloc(ctx, 100, &first), "scan_alloc");
  test_ok(ctx, scan_alloc(ctx, 4096, &second), "scan_alloc");
  assert_int_equal(first.kind, SCAN_MEM_ALLOCATED);
  assert_int_equal(second.size_bytes, 4096);
  scan_ctx_destroy(ctx);
}

/* scan_host_ptr returns the address of host memory, and of scan_alloc's on the host backend only. */
static void test_host_pointers(void **state) {
  (void)state;
  static const int32_t values[4] = { 1, 2, 3, 4 };
  const int is_host = test_info()->backend == SCAN_BACKEND_HOST;
  const scan_mem none = { SCAN_MEM_NONE, NULL, 0, 0 }, own = scan_host(values);
  scan_mem mem;
  assert_ptr_equal(scan_host_ptr(own), values);
  assert_ptr_equal(scan_host_ptr(scan_offset(own, 8)), values + 2);
  assert_null(scan_host_ptr(scan_host(NULL)));
  assert_null(scan_host_ptr(none));
  test_ok(test_ctx(), scan_alloc(test_ctx(), sizeof values, &mem), "scan_alloc");
  test_ok(test_ctx(), scan_write(test_ctx(), mem, values, sizeof values), "scan_write");
  assert_int_equal(scan_host_ptr(mem) != NULL, is_host);
  assert_int_equal(scan_host_ptr(scan_offset(mem, 12)) != NULL, is_host);
  if (is_host) assert_memory_equal(scan_host_ptr(mem), values, sizeof values);
  if (is_host) assert_int_equal(*(const int32_t *)scan_host_ptr(scan_offset(mem, 12)), 4);
  assert_null(scan_host_ptr(scan_offset(mem, 16)));
  assert_null(scan_host_ptr(scan_offset(mem, UINT64_MAX)));
  mem.offset_bytes = 16; /* without scan_offset, the size stays that of the whole memory */
  assert_null(scan_host_ptr(mem));
  mem.offset_bytes = 0;
  test_ok(test_ctx(), scan_free(test_ctx(), mem), "scan_free");
}

static void run_on(scan_ctx *ctx, const scan_spec *spec, uint64_t n, uint64_t seed) {
  struct rng rng = { .state = seed };
  char text[TEST_TEXT], words[TEST_TEXT];
  void *in = reference_alloc((size_t)n * 8 + 8);
  values_fill(&rng, spec->input_type ? spec->input_type : spec->type, spec->op, n, n, in);
  scan_status status = guarded_scan(ctx, spec, n, in, NULL, text);
  free(in);
  if (status != SCAN_SUCCESS) test_fail("%s: %s", test_spec_text(spec, words), text);
}

static void test_two_contexts_interleaved(void **state) {
  (void)state;
  const scan_spec sum = SCAN_SPEC_INIT(SCAN_I32, SCAN_ADD, SCAN_EXCLUSIVE);
  const scan_spec most = SCAN_SPEC_INIT(SCAN_F32, SCAN_MAX, SCAN_INCLUSIVE);
  scan_ctx *one = test_ctx_new(), *two = test_ctx_new();
  for (uint64_t i = 0; i < 10; i++) {
    run_on(one, &sum, N + i, 2 * i);
    run_on(two, i % 2 ? &most : &sum, N - i, 2 * i + 1);
  }
  scan_ctx_destroy(one);
  run_on(two, &sum, N, 99);
  scan_ctx_destroy(two);
}

/* ---- the last error stays ---- */

/* Checks that scan_last_error(ctx) is still `words` after another call, for programs that clean up first. */
static void check_kept(const scan_ctx *ctx, const char *words, const char *call) {
  if (strcmp(scan_last_error(ctx), words) != 0) test_fail("after %s: \"%s\"", call, scan_last_error(ctx));
}

static void run_primitives(scan_ctx *ctx) {
  static const uint32_t in[4] = { 3, 1, 2, 0 };
  static const uint8_t flags[4] = { 1, 0, 1, 1 };
  uint32_t out[4];
  uint64_t count = 0;
  const scan_select_spec select = SCAN_SELECT_SPEC_INIT(SCAN_SELECT_FLAGS, 4);
  const scan_select_args chosen =
      SCAN_SELECT_ARGS_INIT(scan_host(flags), scan_host(in), scan_host(out), scan_host(&count));
  const scan_sort_spec sort = SCAN_SORT_SPEC_INIT(SCAN_U32);
  const scan_sort_args sorted = SCAN_SORT_ARGS_INIT(scan_host(in), scan_host(out));
  test_ok(ctx, scan_select(ctx, &select, 4, &chosen), "scan_select");
  test_ok(ctx, scan_sort(ctx, &sort, 4, &sorted), "scan_sort");
}

static void test_words_are_kept(void **state) {
  (void)state;
  const scan_spec spec = SCAN_SPEC_INIT(SCAN_I32, SCAN_ADD, SCAN_INCLUSIVE);
  const scan_mem none = { SCAN_MEM_NONE, NULL, 0, 0 };
  scan_device_info info = SCAN_DEVICE_INFO_INIT;
  scan_ctx *ctx = test_ctx_new(), *other = test_ctx_new();
  char words[TEST_TEXT];
  scan_plan *plan = NULL;
  scan_mem mem;
  assert_string_equal(scan_last_error(ctx), "");
  test_ok(ctx, scan_plan_create(ctx, &spec, 10, &plan), "scan_plan_create");
  test_ok(ctx, scan_alloc(ctx, 100, &mem), "scan_alloc");
  test_refusal(ctx, scan_plan_run(plan, 11, mem, mem), SCAN_INVALID_ARGUMENT, "n is 11");
  snprintf(words, sizeof words, "%s", scan_last_error(ctx));
  scan_plan_destroy(plan);
  check_kept(ctx, words, "scan_plan_destroy");
  test_ok(ctx, scan_free(ctx, none), "scan_free");
  check_kept(ctx, words, "scan_free of nothing");
  test_ok(ctx, scan_sync(ctx), "scan_sync");
  test_ok(ctx, scan_ctx_device(ctx, &info), "scan_ctx_device");
  test_ok(ctx, scan_run(ctx, &spec, 10, mem, mem), "scan_run");
  run_on(ctx, &spec, N, 7);
  check_kept(ctx, words, "scans");
  run_primitives(ctx);
  check_kept(ctx, words, "a compaction and a sort");
  assert_string_equal(scan_last_error(other), "");
  test_refusal(ctx, scan_free(ctx, scan_offset(mem, 4)), SCAN_INVALID_ARGUMENT, "mem is offset");
  test_ok(ctx, scan_free(ctx, mem), "scan_free");
  scan_ctx_destroy(other);
  scan_ctx_destroy(ctx);
}

static void *words_of_a_new_thread(void *unused) {
  (void)unused;
  return scan_last_error(NULL)[0] == '\0' ? NULL : unused;
}

static void test_words_of_a_thread_are_kept(void **state) {
  scan_ctx_options options = SCAN_CTX_OPTIONS_INIT;
  scan_device_info info = SCAN_DEVICE_INFO_INIT;
  char words[TEST_TEXT];
  scan_ctx *ctx = NULL;
  pthread_t thread;
  void *has_words = state;
  int count = 0;
  options.device = "nonsense";
  test_refusal(NULL, scan_ctx_create(&options, &ctx), SCAN_NO_DEVICE, MSG_NO_MATCH);
  snprintf(words, sizeof words, "%s", scan_last_error(NULL));
  ctx = test_ctx_new();
  check_kept(NULL, words, "scan_ctx_create");
  test_ok(NULL, scan_device_count(&count), "scan_device_count");
  test_ok(NULL, scan_device_get(0, &info), "scan_device_get");
  (void)scan_backend_note(SCAN_BACKEND_CUDA);
  scan_plan_destroy(NULL);
  scan_ctx_destroy(ctx);
  check_kept(NULL, words, "calls without a context");
  assert_int_equal(pthread_create(&thread, NULL, words_of_a_new_thread, state), 0);
  assert_int_equal(pthread_join(thread, &has_words), 0);
  assert_null(has_words);
  test_refusal(NULL, scan_device_count(NULL), SCAN_INVALID_ARGUMENT, MSG_COUNT_NULL);
}

static void test_words_of_names(void **state) {
  (void)state;
  scan_type type;
  scan_op_id op;
  scan_strategy strategy;
  scan_composite composite;
  test_refusal(NULL, scan_type_parse("i128", &type), SCAN_INVALID_ARGUMENT, "'i128' is the name of no type");
  test_refusal(NULL, scan_type_parse(NULL, &type), SCAN_INVALID_ARGUMENT, "name is NULL");
  test_refusal(NULL, scan_op_parse("sub", &op), SCAN_INVALID_ARGUMENT, "'sub' is the name of no operator");
  test_refusal(NULL, scan_op_parse("add", NULL), SCAN_INVALID_ARGUMENT, "the place for the operator is NULL");
  test_refusal(NULL, scan_strategy_parse("guess", &strategy), SCAN_INVALID_ARGUMENT,
               "'guess' is the name of no strategy");
  test_refusal(NULL, scan_composite_parse("x", &composite), SCAN_INVALID_ARGUMENT, "'x' is the name of no composite");
}

enum { PLANS = 24 };

static scan_spec numbered_spec(int i) {
  static const scan_type types[] = { SCAN_I8, SCAN_U16, SCAN_I32, SCAN_F32 };
  static const scan_op_id ops[] = { SCAN_ADD, SCAN_MIN, SCAN_MAX };
  return (scan_spec)SCAN_SPEC_INIT(types[i % 4], ops[i / 4 % 3], (scan_kind)(i / 12));
}

/* Launches all plans before it reads a result: plans of a context must not share a workspace. */
static void test_many_plans(void **state) {
  (void)state;
  scan_plan *plans[PLANS];
  char text[TEST_TEXT], in[N * 4];
  struct guarded g;
  scan_mem input;
  size_t bad;
  memset(in, 1, sizeof(in));
  test_ok(test_ctx(), scan_alloc(test_ctx(), sizeof(in), &input), "scan_alloc");
  test_ok(test_ctx(), scan_write(test_ctx(), input, in, sizeof(in)), "scan_write");
  test_ok(test_ctx(), guarded_open(&g, test_ctx(), PLANS * guarded_bytes(SCAN_I32, N)), "guarded_open");
  guarded_begin(&g);
  for (int i = 0; i < PLANS; i++) {
    const scan_spec spec = numbered_spec(i);
    test_ok(test_ctx(), scan_plan_create(test_ctx(), &spec, N, &plans[i]), "scan_plan_create");
    assert_true(guarded_reserve(&g, spec.type, N, 0));
  }
  test_ok(test_ctx(), guarded_poison(&g), "guarded_poison");
  for (int i = PLANS - 1; i >= 0; i--) {
    const scan_spec spec = numbered_spec(i);
    test_ok(test_ctx(), scan_plan_run(plans[i], N, input, guarded_mem(&g, (size_t)i)), "scan_plan_run");
    reference_scan(&spec, N, in, guarded_want(&g, (size_t)i));
  }
  if (guarded_check(&g, &bad, text)) test_fail("plan %zu: %s", bad, text);
  for (int i = 0; i < PLANS; i++) scan_plan_destroy(plans[i]);
  guarded_close(&g);
  scan_free(test_ctx(), input);
}

/* Runs in a forked child. Returns 0 if every call of the inherited context is refused with the reason. */
static int child_verdict(scan_ctx *ctx, scan_plan *plan, scan_mem mem) {
  const scan_spec spec = SCAN_SPEC_INIT(SCAN_I32, SCAN_ADD, SCAN_INCLUSIVE);
  int32_t values[4] = { 1, 2, 3, 4 };
  scan_mem more;
  if (scan_run(ctx, &spec, 4, scan_host(values), scan_host(values)) != SCAN_INVALID_ARGUMENT) return 1;
  if (!strstr(scan_last_error(ctx), MSG_FORK)) return 2;
  if (scan_plan_run(plan, 4, mem, mem) != SCAN_INVALID_ARGUMENT) return 3;
  if (scan_sync(ctx) != SCAN_INVALID_ARGUMENT) return 4;
  if (scan_read(ctx, mem, values, sizeof(values)) != SCAN_INVALID_ARGUMENT) return 5;
  if (scan_write(ctx, mem, values, sizeof(values)) != SCAN_INVALID_ARGUMENT) return 6;
  if (scan_alloc(ctx, 16, &more) != SCAN_INVALID_ARGUMENT) return 7;
  if (scan_free(ctx, mem) != SCAN_INVALID_ARGUMENT) return 8;
  scan_plan_destroy(plan);
  scan_ctx_destroy(ctx);
  return 0;
}

/* Checks in the child that the advice of the error text works: a host context. */
static int child_takes_the_host(scan_ctx *ctx) {
  const scan_spec spec = SCAN_SPEC_INIT(SCAN_I32, SCAN_ADD, SCAN_INCLUSIVE);
  scan_ctx_options options = SCAN_CTX_OPTIONS_INIT;
  scan_ctx *host = NULL;
  int32_t values[4] = { 1, 2, 3, 4 };
  if (scan_sync(ctx) != SCAN_INVALID_ARGUMENT || !strstr(scan_last_error(ctx), "context of \"host\"")) return 9;
  options.device = "host";
  if (scan_ctx_create(&options, &host) != SCAN_SUCCESS) return 10;
  if (scan_run(host, &spec, 4, scan_host(values), scan_host(values)) != SCAN_SUCCESS || values[3] != 10) return 11;
  scan_ctx_destroy(host);
  return 0;
}

static void test_fork(void **state) {
  (void)state;
  const scan_spec spec = SCAN_SPEC_INIT(SCAN_I32, SCAN_ADD, SCAN_INCLUSIVE);
  scan_ctx *ctx = test_ctx_new();
  scan_plan *plan = NULL;
  scan_mem mem;
  int status = 0;
  test_ok(ctx, scan_alloc(ctx, 16, &mem), "scan_alloc");
  test_ok(ctx, scan_plan_create(ctx, &spec, 4, &plan), "scan_plan_create");
  run_on(ctx, &spec, N, 1);
  fflush(NULL);
  pid_t child = fork();
  if (child == 0) {
    alarm(60); /* a hang becomes a signal */
    const int verdict = child_takes_the_host(ctx);
    _exit(verdict != 0 ? verdict : child_verdict(ctx, plan, mem));
  }
  assert_true(child > 0);
  assert_int_equal(waitpid(child, &status, 0), child);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) test_fail("the child's wait status is 0x%x", (unsigned)status);
  run_on(ctx, &spec, N, 2);
  scan_plan_destroy(plan);
  test_ok(ctx, scan_free(ctx, mem), "scan_free");
  scan_ctx_destroy(ctx);
}

#define TEST(f) cmocka_unit_test_setup(f, test_count_setup)

int main(void) {
  const struct CMUnitTest tests[] = {
    TEST(test_listing),
    TEST(test_context_is_listed),
    TEST(test_listing_faults),
    TEST(test_unknown_selectors),
    TEST(test_bad_options),
    TEST(test_strategy_of_the_context),
    TEST(test_host_pointers),
    TEST(test_words_are_kept),
    TEST(test_words_of_a_thread_are_kept),
    TEST(test_words_of_names),
    TEST(test_destroy_nothing),
    TEST(test_destroy_with_memory),
    TEST(test_many_plans),
    TEST(test_two_contexts_interleaved),
    TEST(test_fork),
  };
  test_device_open();
  return test_exit(cmocka_run_group_tests_name("context", tests, NULL, NULL));
}
