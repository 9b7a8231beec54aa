/* SPDX-License-Identifier: BSD-2-Clause */
#include "sweep/sweep.h"

#include "reference.h"
#include "support.h"
#include "sweep/libc.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TRIAL_SECONDS = 120, MOST_COMPLAINTS = 40, HANGS = 3, COMPLAINS = 4, FAULTLESS = 5 };

/* How long calls fail: once, from the k-th to the end of the scenario, or until the context is destroyed. */
typedef enum fault_extent { ALONE, ON, TO_THE_END, EXTENTS } fault_extent;
static const char *const extent_names[] = { "alone", "and all that follow", "and all to the end" };

/* The current trial. */
static struct {
  const char *scenario, *kind;
  fault_extent fault_extent;
  unsigned k, calls; /* calls: made by the scenario */
} at;

static int complaints;
static struct tally {
  unsigned scenarios, trials, reported, recovered;
  unsigned long calls;
} tally;

/* ---- functions that scenarios use ---- */

int sweep_step(sweep_trial *t, const char *call, scan_status status) {
  if (status == SCAN_SUCCESS) return 1;
  if (t->step != NULL) return 0;
  t->step = call;
  t->status = status;
  if (t->words[0] == '\0') strncpy(t->words, scan_last_error(t->ctx), sizeof t->words - 1);
  return 0;
}

void sweep_expect(sweep_trial *t, const char *what, const void *got, const void *want, size_t bytes) {
  if (t->step == NULL && t->wrong == NULL && memcmp(got, want, bytes) != 0) t->wrong = what;
}

scan_status sweep_open(scan_ctx **ctx) {
  scan_ctx_options options = SCAN_CTX_OPTIONS_INIT;
  options.device = test_selector();
  options.threads = options.device[0] == 'h' ? 3 : 0;
  return scan_ctx_create(&options, ctx);
}

static float values[SWEEP_N], sums[SWEEP_N];

static void make_values(void) {
  const scan_spec spec = SCAN_SPEC_INIT(SCAN_F32, SCAN_ADD, SCAN_INCLUSIVE);
  for (int i = 0; i < SWEEP_N; i++) values[i] = (float)(i % 7 - 2);
  reference_scan(&spec, SWEEP_N, values, sums);
}

const float *sweep_values(void) {
  if (values[0] == 0) make_values();
  return values;
}

const float *sweep_sums(void) {
  (void)sweep_values();
  return sums;
}

int sweep_scan_works(scan_ctx *ctx) {
  static float got[SWEEP_N];
  const scan_spec spec = SCAN_SPEC_INIT(SCAN_F32, SCAN_ADD, SCAN_INCLUSIVE);
  memset(got, 0x5a, sizeof got);
  return scan_run(ctx, &spec, SWEEP_N, scan_host(sweep_values()), scan_host(got)) == SCAN_SUCCESS &&
         memcmp(got, sweep_sums(), sizeof got) == 0;
}

static char folder[256];

static void remove_folder(void) {
  char command[300];
  snprintf(command, sizeof command, "rm -rf '%s'", folder);
  if (system(command) != 0) fprintf(stderr, "%s stays\n", folder);
}

const char *sweep_folder(void) {
  const char *temporary = getenv("TMPDIR");
  if (folder[0] != '\0') return folder;
  snprintf(folder, sizeof folder, "%.200s/scanrt-sweep-XXXXXX", temporary != NULL ? temporary : "/tmp");
  if (mkdtemp(folder) == NULL || atexit(remove_folder) != 0) test_fail("no folder %s", folder);
  return folder;
}

/* ---- complaints ---- */

static void say_place(FILE *file) {
  fprintf(file, "%s, %s %u fails %s: ", at.scenario, at.kind, at.k, extent_names[at.fault_extent]);
}

void sweep_complain(const char *format, ...) {
  va_list arguments;
  if (complaints++ >= MOST_COMPLAINTS) return;
  say_place(stderr);
  va_start(arguments, format);
  vfprintf(stderr, format, arguments);
  va_end(arguments);
  fputc('\n', stderr);
}

/* Ends the program if a trial hangs, and prints which one. */
static void hang(int signal) {
  (void)signal;
  say_place(stderr);
  fprintf(stderr, "nothing comes back\n");
  _exit(HANGS);
}

static void begin_trial(const char *scenario, const sweep_kind *kind, fault_extent how, unsigned k) {
  at.scenario = scenario;
  at.kind = kind->name;
  at.fault_extent = how;
  at.k = k;
  (void)signal(SIGALRM, hang);
  (void)alarm(TRIAL_SECONDS);
}

/* ---- leftovers ---- */

typedef struct leftovers {
  libc_counts libc;
  long driver;
} leftovers;

static leftovers count_all(void) { return (leftovers){ libc_live(), sweep_driver_objects() }; }

static void check_left(const leftovers *before, const fault_plan *plan) {
  const leftovers now = count_all();
  const char *fault = sweep_driver_fault();
  if (now.libc.blocks != before->libc.blocks)
    sweep_complain("%s: %ld allocations left", plan->names, now.libc.blocks - before->libc.blocks);
  if (now.libc.files != before->libc.files)
    sweep_complain("%s: %ld files left", plan->names, now.libc.files - before->libc.files);
  if (now.libc.threads != before->libc.threads)
    sweep_complain("%s: %ld threads left", plan->names, now.libc.threads - before->libc.threads);
  if (now.driver - before->driver > sweep_driver_excuses(plan))
    sweep_complain("%s: %ld objects left", plan->names, now.driver - before->driver);
  if (fault[0] != '\0') sweep_complain("%s: the driver was used wrongly: %s", plan->names, fault);
}

/* ---- a trial ---- */

static void check_reported(const sweep_trial *t, const sweep_kind *kind) {
  const fault_plan *plan = kind->plan;
  if (t->wrong != NULL && plan->failed > 0)
    sweep_complain("%s: nobody was told, and %s is wrong", plan->names, t->wrong);
  if (plan->failed == 0 && t->step != NULL)
    sweep_complain("%s, without a fault: %s (%s)", t->step, scan_status_name(t->status), t->words);
  if (plan->failed == 0 && t->wrong != NULL) sweep_complain("without a fault %s is wrong", t->wrong);
  if (plan->failed == 0 || t->step == NULL) return;
  if (kind->status != SCAN_SUCCESS && t->status != kind->status)
    sweep_complain("%s: %s is told as %s (%s)", plan->names, t->step, scan_status_name(t->status), t->words);
  if (t->words[0] == '\0' || (kind->is_named && !fault_is_named(plan, t->words)))
    sweep_complain("%s: %s (%s) says \"%s\"", plan->names, t->step, scan_status_name(t->status), t->words);
}

/* Checks that the context scans again. It may refuse to if a query failed when it was made; the error text then names
 * the query. */
static void check_usable(scan_ctx *ctx, const fault_plan *plan) {
  if (!sweep_scan_works(ctx) && strstr(scan_last_error(ctx), "cannot be judged") == NULL)
    sweep_complain("%s: the context does not scan any more: %s", plan->names, scan_last_error(ctx));
}

static void add_to_tally(const sweep_trial *t, const fault_plan *plan) {
  tally.trials++;
  tally.calls += plan->failed;
  if (t->step != NULL)
    tally.reported++;
  else
    tally.recovered++;
}

/* Runs a scenario in which the k-th call fails. Returns the number of calls that failed. */
static unsigned try_fault(const sweep_scenario *s, const sweep_kind *kind, fault_extent how, unsigned k) {
  sweep_trial t = { 0 };
  begin_trial(s->name, kind, how, k);
  const leftovers before = count_all();
  sweep_case_begin(s);
  if (!s->begins_itself && sweep_open(&t.ctx) != SCAN_SUCCESS) test_fail("%s", scan_last_error(NULL));
  if (s->prepare != NULL) s->prepare(&t);
  fault_arm(kind->plan, k, how != ALONE);
  (s->line ? sweep_case_run : s->run)(&t);
  at.calls = kind->plan->calls;
  if (how != TO_THE_END) fault_disarm(kind->plan);
  check_reported(&t, kind);
  if (how != TO_THE_END && t.ctx != NULL) check_usable(t.ctx, kind->plan);
  scan_ctx_destroy(t.ctx);
  fault_disarm(kind->plan);
  if (s->finish != NULL) s->finish();
  sweep_case_end(s);
  check_left(&before, kind->plan);
  if (kind->plan->failed > 0) add_to_tally(&t, kind->plan);
  sweep_driver_reset();
  return kind->plan->failed;
}

/* ---- a sweep ---- */

/* Returns $SCANRT_SWEEP_MOST, the most calls of a scenario that are tried, evenly spaced; 0: all. */
static unsigned most_places(void) {
  const char *text = getenv("SCANRT_SWEEP_MOST");
  if (text != NULL) return (unsigned)strtoul(text, NULL, 10);
  return test_is_small() ? 12 : 0;
}

static unsigned stride_for(unsigned calls, unsigned most) { return most == 0 || calls <= most ? 1 : calls / most; }

static void sweep_scenario_through(const sweep_scenario *s, const sweep_kind *kind) {
  (void)try_fault(s, kind, ALONE, 0); /* warms up: makes objects that stay */
  (void)try_fault(s, kind, ALONE, 0);
  const unsigned calls = at.calls;
  tally.scenarios += calls > 0;
  for (fault_extent how = ALONE; how < EXTENTS && calls > 0; how++) {
    const unsigned most = most_places(), stride = stride_for(calls, how == TO_THE_END ? (most + 2) / 3 : most);
    for (unsigned k = 1; try_fault(s, kind, how, k) > 0; k += stride) continue;
  }
}

/* 1 if the scenario suits the device, and $SCANRT_SWEEP is unset or names it. */
static int is_wanted(const sweep_scenario *s) {
  const char *wanted = getenv("SCANRT_SWEEP");
  const size_t length = strlen(s->name);
  if (s->backend != 0 && strcmp(scan_backend_name(s->backend), "host") != 0 &&
      strncmp(test_selector(), scan_backend_name(s->backend), strlen(scan_backend_name(s->backend))) != 0)
    return 0;
  if (s->needs_device && strncmp(test_selector(), "host", 4) == 0) return 0;
  if (wanted == NULL) return 1;
  for (const char *found = wanted; (found = strstr(found, s->name)) != NULL; found += length)
    if ((found == wanted || found[-1] == ',') && (found[length] == ',' || found[length] == '\0')) return 1;
  return 0;
}

static int end_sweep(const sweep_kind *kind) {
  const int found = complaints;
  if (tally.trials > 0 && tally.calls == 0)
    print_message("%s, %s: first use in %u processes\n", test_selector(), kind->name, tally.trials);
  else if (tally.trials > 0)
    print_message("%s, %s: %u scenarios, %u trials with %lu calls that failed: %u told, %u without consequence\n",
                  test_selector(), kind->name, tally.scenarios, tally.trials, tally.calls, tally.reported,
                  tally.recovered);
  tally = (struct tally){ 0 };
  complaints = 0;
  (void)alarm(0);
  return found;
}

int sweep_through(const sweep_kind *kind) {
  const sweep_scenario *const lists[] = { sweep_devices, sweep_cases };
  for (size_t l = 0; l < sizeof lists / sizeof lists[0]; l++)
    for (const sweep_scenario *s = lists[l]; s->name != NULL; s++)
      if (is_wanted(s)) sweep_scenario_through(s, kind);
  return end_sweep(kind);
}

/* ---- first use ---- */

/* Makes the first calls of a process fail; later calls must succeed, and all must work. */
static int first_use(const sweep_kind *kind, unsigned k, int is_lasting) {
  sweep_trial t = { 0 };
  scan_ctx *ctx = NULL;
  int count = 0;
  complaints = 0;
  begin_trial("first use", kind, is_lasting ? ON : ALONE, k);
  fault_arm(kind->plan, k, is_lasting);
  if (sweep_step(&t, "scan_device_count", scan_device_count(&count)) &&
      sweep_step(&t, "scan_ctx_create", sweep_open(&t.ctx)) && !sweep_scan_works(t.ctx) &&
      scan_last_error(t.ctx)[0] == '\0')
    sweep_complain("%s: a scan without words, or a wrong one", kind->plan->names);
  fault_disarm(kind->plan);
  if (t.step != NULL && t.words[0] == '\0') sweep_complain("%s: %s says nothing", kind->plan->names, t.step);
  if (t.ctx != NULL) check_usable(t.ctx, kind->plan);
  if (sweep_open(&ctx) != SCAN_SUCCESS || !sweep_scan_works(ctx))
    sweep_complain("%s: no further context: %s", kind->plan->names, scan_last_error(ctx));
  scan_ctx_destroy(ctx);
  scan_ctx_destroy(t.ctx);
  if (complaints > 0) return COMPLAINS;
  return kind->plan->failed > 0 ? 0 : FAULTLESS;
}

/* Runs a trial in a process of its own; 0 if no call failed in it. */
static int try_first_use(const sweep_kind *kind, unsigned k, int is_lasting) {
  int status = 0;
  (void)fflush(NULL);
  const pid_t child = fork();
  if (child == 0) _exit(first_use(kind, k, is_lasting));
  if (child < 0 || waitpid(child, &status, 0) != child) test_fail("no process for a trial");
  if (WIFEXITED(status) && WEXITSTATUS(status) == FAULTLESS) return 0;
  tally.trials++;
  if (status == 0) return 1;
  begin_trial("first use", kind, is_lasting ? ON : ALONE, k);
  sweep_complain("the process ended with %s %d", WIFEXITED(status) ? "status" : "signal",
                 WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
  return 1;
}

/* Returns the next k. A driver takes a second to start, so later calls are tried ever more sparsely. */
static unsigned next_first_use(unsigned k) {
  const unsigned most = most_places();
  return most == 0 || k < most / 4 ? k + 1 : k + 1 + k / 2;
}

int sweep_first_use(const sweep_kind *kind) {
  tally.scenarios = 1;
  for (int is_lasting = 0; is_lasting < 2; is_lasting++)
    for (unsigned k = 1; try_first_use(kind, k, is_lasting); k = next_first_use(k)) continue;
  return end_sweep(kind);
}
