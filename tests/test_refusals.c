/* SPDX-License-Identifier: BSD-2-Clause */
/* usage: test_refusals FILE [LINE]
 * Tests calls that the library must refuse, and their error texts. FILE is tools/cases/refusals.txt, which explains its
 * lines; LINE: only that line. Each call is made directly and by a plan. It writes nothing, and the valid call from
 * which the line was made succeeds afterwards. */
#include "parts.h"
#include "refusal.h"
#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_BYTES = 512, MOST_BASES = 64, MOST_WORDS = 32, MOST_OPERATORS = 16, POISON = 0xA5 };

/* A valid call, which lines make invalid. */
typedef struct base {
  char name[32];
  refusal call;
} base;

/* The result that a line expects of its call. */
typedef struct expectation {
  uint64_t status;
  const char *words;
  int only_call, only_plan;  /* 1: only directly, only by a plan */
  const refusal *other_plan; /* the call whose plan is run; NULL: this call */
} expectation;

static struct {
  const char *file;
  unsigned long only, number; /* only: the line to run, 0: all; number: the line that is read */
  int wrong;                  /* faults that were reported */
  base bases[MOST_BASES];
  size_t base_count;
  refusal_names names;
  case_functions functions;
  struct {
    char name[32];
    scan_op *op;
  } operators[MOST_OPERATORS];
  scan_ctx *other;
  scan_mem input, output, count;
  unsigned char host[REFUSAL_MEMORY_BYTES], poison[REFUSAL_MEMORY_BYTES], got[REFUSAL_MEMORY_BYTES];
} file;

/* Prints a fault and the command that repeats its line. The test goes on. */
static void report(const char *what) {
  print_message("%s:%lu: %s\n  SCANRT_TEST_DEVICE=%s test_refusals %s %lu\n", file.file, file.number, what,
                test_selector(), file.file, file.number);
  file.wrong++;
}

/* ---- functions from source ---- */

/* Finds or makes the predicate or bucket function of a name such as "kept_4", "same_12" or "bucket_4"; the number is
 * the size of an element. */
static scan_op *sized_function(const char *name) {
  scan_case c = { .looked_bytes = 0 };
  scan_op *op = NULL;
  char kind[8];
  if (sscanf(name, "%7[a-z]_%u", kind, &c.looked_bytes) != 2 || case_looked_size(&c) < 0) return NULL;
  scan_status status = SCAN_INVALID_ARGUMENT;
  if (strcmp(kind, "kept") == 0) status = case_predicate_one(test_ctx(), &file.functions, &c, &op);
  if (strcmp(kind, "same") == 0) status = case_predicate_pair(test_ctx(), &file.functions, &c, &op);
  if (strcmp(kind, "bucket") == 0) status = case_bucket_function(test_ctx(), &file.functions, &c, &op);
  return status == SCAN_SUCCESS ? op : NULL;
}

/* Finds or makes a function. Names without a size are those of the cases' operators. */
static scan_op *function_named(const char *name) {
  source_operator source;
  scan_op *op = sized_function(name);
  size_t i = 0;
  if (op || strlen(name) >= sizeof file.operators[0].name) return op;
  while (i < MOST_OPERATORS && file.operators[i].op && strcmp(file.operators[i].name, name) != 0) i++;
  if (i == MOST_OPERATORS || file.operators[i].op) return i == MOST_OPERATORS ? NULL : file.operators[i].op;
  if (source_operator_find(name, &source) != 0) return NULL;
  test_ok(test_ctx(), source_operator_create(&source, SCAN_TYPE_DEFAULT, test_ctx(), &file.operators[i].op), name);
  strcpy(file.operators[i].name, name);
  return file.operators[i].op;
}

/* ---- memory ---- */

static void poison(void) {
  memcpy(file.host, file.poison, sizeof file.host);
  test_ok(test_ctx(), scan_write(test_ctx(), file.input, file.poison, sizeof file.poison), "scan_write");
  test_ok(test_ctx(), scan_write(test_ctx(), file.output, file.poison, sizeof file.poison), "scan_write");
}

static void check_unwritten(void) {
  const scan_mem memories[] = { file.input, file.output };
  if (memcmp(file.host, file.poison, sizeof file.host) != 0) report("memory of the host is written");
  for (int i = 0; i < 2; i++) {
    test_ok(test_ctx(), scan_read(test_ctx(), memories[i], file.got, sizeof file.got), "scan_read");
    if (memcmp(file.got, file.poison, sizeof file.got) != 0) report(i ? "OUTPUT is written" : "INPUT is written");
  }
}

/* ---- calls ---- */

static const void *spec_of(const refusal *r) { return r->has_no_spec ? NULL : r->spec; }
static const void *args_of(const refusal *r) { return r->has_no_args ? NULL : r->args; }

static void check_status(const char *manner, scan_status got, const expectation *want) {
  char text[LINE_BYTES];
  const char *words = scan_last_error(test_ctx());
  snprintf(text, sizeof text, "%s: %s, '%s'", manner, scan_status_name(got), words);
  if (got != (scan_status)want->status || (got != SCAN_SUCCESS && !strstr(words, want->words))) report(text);
}

/* Checks that the making of a plan is refused, or its run. */
static void check_plan(const refusal *r, const expectation *want) {
  scan_plan *plan = NULL;
  const refusal *made = want->other_plan ? want->other_plan : r;
  scan_status status = made->call->make_plan(test_ctx(), spec_of(made), made->plan_n ? made->plan_n : made->n, &plan);
  if (status != SCAN_SUCCESS && plan) report("a plan that is refused is made");
  if (status == SCAN_SUCCESS) status = r->call->run_plan(plan, r->n, args_of(r));
  check_status("by a plan", status, want);
  scan_plan_destroy(plan);
}

static void check(const refusal *r, const expectation *want) {
  poison();
  if (!want->only_plan) check_status("by a call", r->call->run(test_ctx(), spec_of(r), r->n, args_of(r)), want);
  if (!want->only_call && r->call->make_plan) check_plan(r, want);
  if (want->status != SCAN_SUCCESS) check_unwritten();
  test_ok(test_ctx(), scan_sync(test_ctx()), "scan_sync");
}

static void check_succeeds(const refusal *r) {
  const expectation success = { .status = SCAN_SUCCESS };
  check(r, &success);
}

/* ---- lines ---- */

static const refusal *find_base(const char *name) {
  for (size_t i = 0; i < file.base_count; i++)
    if (strcmp(file.bases[i].name, name) == 0) return &file.bases[i].call;
  return NULL;
}

/* Makes a call from words. @return 0, or -1 if a word is invalid */
static int make(refusal *r, char *words[], size_t count) {
  char text[LINE_BYTES];
  const refusal *of = find_base(words[0]);
  if (of) *r = *of;
  if (!of && refusal_begin(r, words[0]) != 0) return report("neither a call nor a function"), -1;
  for (size_t i = 1; i < count; i++)
    if (refusal_set(r, &file.names, words[i]) != 0) {
      snprintf(text, sizeof text, "the word '%s' is wrong", words[i]);
      return report(text), -1;
    }
  return 0;
}

/* Reads "= NAME CALL WORD...": defines a valid call. */
static void define(char *words[], size_t count) {
  base *b = &file.bases[file.base_count];
  if (count < 3 || file.base_count == MOST_BASES || strlen(words[1]) >= sizeof b->name) {
    report("no definition");
    return;
  }
  if (make(&b->call, words + 2, count - 2) != 0) return;
  if (!b->call.n) b->call.n = 100;
  strcpy(b->name, words[1]);
  file.base_count++;
  check_succeeds(&b->call);
}

static int is_for(const char *condition) {
  const int is_host = test_info()->backend == SCAN_BACKEND_HOST;
  return strcmp(condition, is_host ? "@host" : "@device") == 0;
}

/* Removes the words that say how the call is made. @return the number of words left */
static size_t take_manner(char *words[], size_t count, expectation *want) {
  size_t left = 0;
  for (size_t i = 0; i < count; i++)
    if (strcmp(words[i], "call") == 0)
      want->only_call = 1;
    else if (strcmp(words[i], "plan") == 0)
      want->only_plan = 1;
    else if (strncmp(words[i], "plan_of=", 8) == 0)
      want->only_plan = 1, want->other_plan = find_base(words[i] + 8);
    else
      words[left++] = words[i];
  return left;
}

/* Reads "CALL WORD...": makes the invalid call, then the valid one. */
static void spoil(char *words[], size_t count, expectation *want) {
  refusal r;
  if (make(&r, words, take_manner(words, count, want)) != 0) return;
  check(&r, want);
  if (find_base(words[0])) check_succeeds(find_base(words[0]));
  test_ran();
}

static size_t split_words(char *text, char *words[MOST_WORDS]) {
  size_t count = 0;
  for (char *word = strtok(text, " "); word && count < MOST_WORDS; word = strtok(NULL, " ")) words[count++] = word;
  return count;
}

/* Reads "[@DEVICE] CALL WORD... | STATUS | WORDS". */
static void read_refusal(char *line) {
  char *words[MOST_WORDS];
  char *status = strstr(line, " | "), *said = status ? strstr(status + 3, " | ") : NULL;
  expectation want = { .words = said ? said + 3 : NULL };
  if (said) *status = *said = '\0';
  const size_t count = split_words(line, words), first = count > 0 && *words[0] == '@';
  if (!said || refusal_number(status + 3, &want.status) != 0 || count <= first)
    report("no line 'CALL WORD... | STATUS | WORDS'");
  else if (!first || is_for(words[0]))
    spoil(words + first, count - first, &want);
}

static void read_line(char *line) {
  char *words[MOST_WORDS];
  line[strcspn(line, "\n")] = '\0';
  if (!*line || *line == '#') return;
  if (*line == '=')
    define(words, split_words(line, words));
  else if (!file.only || file.only == file.number)
    read_refusal(line);
}

static void test_file(void **state) {
  char line[LINE_BYTES];
  FILE *stream = fopen(file.file, "r");
  (void)state;
  if (!stream) test_fail("cannot read %s", file.file);
  for (file.number = 1; fgets(line, sizeof line, stream); file.number++) read_line(line);
  fclose(stream);
  if (file.wrong) test_fail("%d lines are wrong", file.wrong);
}

/* ---- all ---- */

static void name_memory(const char *name, scan_mem mem) {
  size_t i = 0;
  while (file.names.memories[i].name) i++;
  file.names.memories[i].name = name;
  file.names.memories[i].mem = mem;
}

static scan_mem allocated(scan_ctx *ctx, uint64_t bytes) {
  scan_mem mem = SCAN_NO_MEM;
  test_ok(ctx, scan_alloc(ctx, bytes, &mem), "scan_alloc");
  return mem;
}

static void name_memories(scan_ctx *ctx) {
  const scan_mem none = SCAN_NO_MEM, unknown = { .kind = (scan_mem_kind)77 };
  const scan_mem freed = allocated(ctx, REFUSAL_COUNT_BYTES);
  file.other = test_ctx_new();
  file.input = allocated(ctx, REFUSAL_MEMORY_BYTES);
  file.output = allocated(ctx, REFUSAL_MEMORY_BYTES);
  file.count = allocated(ctx, REFUSAL_COUNT_BYTES);
  name_memory("INPUT", file.input);
  name_memory("OUTPUT", file.output);
  name_memory("COUNT", file.count);
  name_memory("FOREIGN", allocated(file.other, REFUSAL_MEMORY_BYTES));
  name_memory("HOST", scan_host(file.host));
  name_memory("HOST_NULL", scan_host(NULL));
  name_memory("NONE", none);
  name_memory("UNKNOWN", unknown);
  name_memory("FREED", freed);
  test_ok(ctx, scan_free(ctx, freed), "scan_free"); /* last, since later memory may get its handle */
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = { cmocka_unit_test(test_file) };
  if (argc < 2) return fprintf(stderr, "usage: test_refusals FILE [LINE]\n"), 2;
  file.file = argv[1];
  file.only = argc > 2 ? strtoul(argv[2], NULL, 10) : 0;
  memset(file.poison, POISON, sizeof file.poison);
  file.names.function = function_named;
  name_memories(test_device_open());
  const int failed = cmocka_run_group_tests_name("refusals", tests, NULL, NULL);
  for (size_t i = 0; i < MOST_OPERATORS; i++) scan_op_destroy(file.operators[i].op);
  case_functions_destroy(&file.functions);
  scan_ctx_destroy(file.other);
  return test_exit(failed);
}
