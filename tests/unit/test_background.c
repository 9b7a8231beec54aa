/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests compilations in the background with a stand-in for NVRTC that compiles nothing (fake_nvrtc.c). */
#include "device/cuda/cuda_background.h"
#include "device/cuda/cuda_source.h"
#include "device/source.h"
#include "nvrtc_gate.h"
#include "support.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PROGRAMS = 4, THREADS = 4, ROUNDS = 20 };

static const nvrtc_gate *gate;
static const char *const files[PROGRAMS] = { "block.cl", "lookback.cl", "reduce_then_scan.cl", "pipelined.cuh" };
static const char all[] = "block.cl lookback.cl reduce_then_scan.cl pipelined.cuh";

/* A device's list, with programs of one operator. */
typedef struct fixture {
  scan_source source;
  scan_program programs[PROGRAMS];
  cuda_background *list;
} fixture;

static void open_fixture(fixture *f) {
  const scan_op_source from = { .struct_bytes = sizeof from,
                                .text = "static inline int add(int a, int b) { return a + b; }",
                                .type = "int",
                                .combine = "add",
                                .value_bytes = 4,
                                .value_align = 4 };
  scan_error error;
  memset(f, 0, sizeof *f);
  if (scan_source_copy(&from, &f->source, &error) != SCAN_SUCCESS) abort();
}

static void close_fixture(fixture *f) {
  scan_cuda_background_end(&f->list, NULL);
  for (int i = 0; i < PROGRAMS; i++) free(f->programs[i].image);
  scan_source_free(&f->source);
}

static int begin(fixture *f) {
  cuda_programs programs = { .capability = 90, .tuned_image = 90, .count = PROGRAMS };
  for (int i = 0; i < PROGRAMS; i++) {
    programs.of[i].key = (scan_kernel_key){ .file = files[i], .kernel = "k", .subtiles = 8, .source = &f->source };
    programs.of[i].program = &f->programs[i];
  }
  return scan_cuda_background_begin(&f->list, &programs);
}

/* Takes each program and compares its image with its name. */
static int take_all(fixture *f) {
  for (int i = 0; i < PROGRAMS; i++)
    if (scan_cuda_background_take(f->list, &f->programs[i], 1) != SCAN_COMPILE_DONE ||
        strncmp(f->programs[i].image, files[i], strlen(files[i])) != 0)
      return 0;
  return 1;
}

static void *release(void *unused) {
  (void)unused;
  gate->set("", "");
  return NULL;
}

/* ---- the end of a process: first, because a process registers it once ---- */

static void check_idle(void) {
  if (gate->running() != 0) _exit(2);
}

/* A process that exits waits for its compilations, which NVRTC's destructors must not overtake. */
static void test_exit_waits(void **state) {
  int status = 0;
  (void)state;
#ifdef __SANITIZE_THREAD__ /* TSan reports threads that are not joined */
  return;
#endif
  const pid_t child = fork();
  if (child == 0) {
    fixture f;
    pthread_t thread;
    (void)atexit(check_idle); /* runs after the handler that begin registers */
    gate->set(all, "");
    open_fixture(&f);
    if (!begin(&f) || pthread_create(&thread, NULL, release, NULL) != 0) _exit(3);
    (void)pthread_detach(thread);
    exit(0);
  }
  assert_true(child > 0);
  assert_int_equal(waitpid(child, &status, 0), child);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) test_fail("the process ended with status %x", (unsigned)status);
}

/* ---- programs ---- */

static void test_take(void **state) {
  fixture f;
  (void)state;
  open_fixture(&f);
  const int before = gate->begun(NULL);
  assert_true(begin(&f));
  assert_true(take_all(&f));
  assert_int_equal(gate->begun(NULL) - before, PROGRAMS);
  for (int i = 0; i < PROGRAMS; i++) assert_false(scan_cuda_background_has(f.list, &f.programs[i]));
  close_fixture(&f);
}

static void test_pending(void **state) {
  fixture f;
  (void)state;
  open_fixture(&f);
  gate->set("lookback.cl", "");
  assert_true(begin(&f));
  assert_int_equal(scan_cuda_background_take(f.list, &f.programs[1], 0), SCAN_COMPILE_PENDING);
  assert_true(scan_cuda_background_has(f.list, &f.programs[1]));
  assert_null(f.programs[1].image);
  gate->set("", "");
  assert_true(take_all(&f));
  close_fixture(&f);
}

static void test_refused(void **state) {
  fixture f;
  (void)state;
  open_fixture(&f);
  gate->set("", "pipelined.cuh");
  assert_true(begin(&f));
  assert_int_equal(scan_cuda_background_take(f.list, &f.programs[3], 1), SCAN_COMPILE_FAILED);
  assert_int_equal(scan_cuda_background_take(f.list, &f.programs[3], 1), SCAN_COMPILE_FAILED);
  assert_null(f.programs[3].image);
  assert_int_equal(scan_cuda_background_take(f.list, &f.programs[1], 1), SCAN_COMPILE_DONE);
  gate->set("", "");
  close_fixture(&f);
}

/* The end of a source waits for what runs; the other source's compilation goes on. */
static void test_end(void **state) {
  fixture f, other;
  pthread_t thread;
  (void)state;
  open_fixture(&f);
  open_fixture(&other);
  gate->set(all, "");
  assert_true(begin(&f));
  other.list = f.list;
  assert_true(begin(&other));
  assert_int_equal(pthread_create(&thread, NULL, release, NULL), 0);
  scan_cuda_background_end(&other.list, &f.source);
  f.list = NULL;
  assert_int_equal(pthread_join(thread, NULL), 0);
  assert_true(take_all(&other));
  close_fixture(&other);
  close_fixture(&f);
  assert_int_equal(gate->running(), 0);
}

static void *use_device(void *failures) {
  for (int round = 0; round < ROUNDS; round++) {
    fixture f;
    open_fixture(&f);
    if (!begin(&f)) ++*(int *)failures;
    if (round % 2 == 0 && !take_all(&f)) ++*(int *)failures;
    close_fixture(&f);
  }
  return NULL;
}

static void test_threads(void **state) {
  pthread_t threads[THREADS];
  int failures[THREADS] = { 0 };
  (void)state;
  for (int t = 0; t < THREADS; t++) assert_int_equal(pthread_create(&threads[t], NULL, use_device, &failures[t]), 0);
  for (int t = 0; t < THREADS; t++) {
    assert_int_equal(pthread_join(threads[t], NULL), 0);
    assert_int_equal(failures[t], 0);
  }
}

/* Only quick kernels are compiled with the option that saves the compiler's time. */
static void test_quick(void **state) {
  fixture f;
  (void)state;
  open_fixture(&f);
  for (uint32_t is_quick = 0; is_quick < 2; is_quick++) {
    const scan_kernel_key key = {
      .file = "rolled.cl", .kernel = "rts_scan", .subtiles = 8, .source = &f.source, .is_quick = is_quick
    };
    char *image = NULL;
    size_t bytes;
    scan_error error;
    assert_int_equal(scan_cuda_source_compile(&key, 90, 90, &image, &bytes, &error), SCAN_SUCCESS);
    assert_int_equal(strstr(image, "--Ofast-compile=") != NULL, is_quick);
    free(image);
  }
  close_fixture(&f);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup(name, test_count_setup)
  const struct CMUnitTest tests[] = { TEST(test_exit_waits), TEST(test_take),    TEST(test_pending), TEST(test_refused),
                                      TEST(test_end),        TEST(test_threads), TEST(test_quick) };
  gate = nvrtc_gate_open();
  return test_exit(cmocka_run_group_tests_name("background", tests, NULL, NULL));
}
