/* SPDX-License-Identifier: BSD-2-Clause */
/** @file text.c @brief Reads and writes a case as one line, such as "keys seed=7 n=65537 key_type=u32 first_bit=8
 * end_bit=24 in_place": the call, then each field that is not 0. */
#define _POSIX_C_SOURCE 200809L
#include "parts.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_VALUES = 64 };

/** How a field is written in a line. */
typedef enum field_kind {
  FIELD_FLAG, /**< The name alone means 1. */
  FIELD_NUMBER,
  FIELD_NUMBERS,  /**< Up to `count` numbers, separated by commas; zeros at the end are left out. */
  FIELD_COUNTED,  /**< Numbers separated by commas; scan.array.ndim is their count. */
  FIELD_CAPACITY, /**< A number, or "none". */
  FIELD_BIT,      /**< The name alone sets `bit` of the flags. */
  FIELD_TEXT,     /**< Text of fewer than `bytes` bytes. */
  FIELD_NAME      /**< One of the names that `name_of` gives. */
} field_kind;

typedef const char *name_of_value(int value);

typedef struct field {
  const char *name;
  field_kind kind;
  size_t at, bytes; /**< Position and size of one number in scan_case. */
  size_t count;
  uint32_t bit;
  name_of_value *name_of;
} field;

/* ---- names of values ---- */

static const char *type_name(int value) { return value <= SCAN_BF16 ? scan_type_name((scan_type)value) : NULL; }
static const char *op_name(int value) { return value <= SCAN_XOR ? scan_op_name((scan_op_id)value) : NULL; }
static const char *strategy_name(int value) {
  return value <= SCAN_STRATEGY_RAKING ? scan_strategy_name((scan_strategy)value) : NULL;
}

static const char *kind_name(int value) { return value < CASE_COLUMNS ? case_column_name(FAMILY_SCANS, value) : NULL; }

static const char *rest_name(int value) {
  return value < CASE_COLUMNS ? case_column_name(FAMILY_COMPACTION, value) : NULL;
}

static const char *segments_name(int value) {
  static const char *const names[] = { "none", "flags", "bits", "keys", "offsets" };
  return value < 5 ? names[value] : NULL;
}

static const char *shape_name(int value) {
  static const char *const names[SORT_SHAPES] = { "random", "sorted", "reversed", "equal", "two",   "few",  "pipes",
                                                  "one",    "digit",  "edges",    "span",  "stray", "third" };
  return value < SORT_SHAPES ? names[value] : NULL;
}

static const char *values_name(int value) {
  static const char *const names[] = { "",         "wide", "signs",   "zeros",   "infinite",  "nan",
                                       "denormal", "any",  "inverse", "growing", "vanishing", "minus" };
  return value <= CASE_VALUES_MINUS ? names[value] : NULL;
}

static const char *cuts_name(int value) { return value < CASE_CUTS_KINDS ? case_cuts_name((case_cuts)value) : NULL; }

static const char *results_name(int value) {
  static const char *const names[] = { "given", "even", "key" };
  return value <= CASE_RESULTS_BY_KEY ? names[value] : NULL;
}

/* ---- fields ---- */

#define AT(member) .at = offsetof(scan_case, member), .bytes = sizeof(((scan_case *)0)->member)
#define AT_FIRST(member) .at = offsetof(scan_case, member), .bytes = sizeof(((scan_case *)0)->member[0])
#define FLAG(text, member)                                                                                             \
  { .name = (text), .kind = FIELD_FLAG, AT(member) }
#define NUMBER(text, member)                                                                                           \
  { .name = (text), .kind = FIELD_NUMBER, AT(member) }
#define NUMBERS(text, member)                                                                                          \
  {                                                                                                                    \
    .name = (text), .kind = FIELD_NUMBERS, AT_FIRST(member),                                                           \
    .count = sizeof(((scan_case *)0)->member) / sizeof(((scan_case *)0)->member[0])                                    \
  }
#define NAME(text, member, names)                                                                                      \
  { .name = (text), .kind = FIELD_NAME, AT(member), .name_of = (names) }
#define BIT(text, member, flag)                                                                                        \
  { .name = (text), .kind = FIELD_BIT, AT(member), .bit = (flag) }

static const field fields[] = {
  NUMBER("seed", seed),
  { .name = "tune", .kind = FIELD_TEXT, AT(tune) },
  NUMBER("threads", threads),
  NUMBER("n", n),
  NAME("key_type", key_type, type_name),
  FLAG("plan", by_plan),
  NUMBER("plan_n", plan_n),
  FLAG("plan_memory", plan_memory),
  FLAG("again", runs_again),
  FLAG("host_memory", by_host),
  FLAG("host_in", host_in),
  FLAG("host_out", host_out),
  FLAG("in_place", in_place),
  NUMBER("shift", shift),
  NUMBER("out_shift", out_shift),
  NUMBER("percent", percent),
  FLAG("n_from", has_n_from),
  NUMBER("n_said", n_said),
  FLAG("clamp", clamps),
  FLAG("count", has_count),
  FLAG("count_is_n", counts_n),
  { .name = "capacity", .kind = FIELD_CAPACITY, AT(capacity) },
  { .name = "rest_capacity", .kind = FIELD_CAPACITY, AT(rest_capacity) },
  /* compaction */
  NUMBER("kept_items", kept_items),
  FLAG("last", keeps_last),
  NAME("rest", spec.rest, rest_name),
  NAME("select_index", spec.index_type, type_name),
  NUMBERS("element_bytes", spec.element_bytes),
  NUMBERS("element_align", spec.element_align),
  NUMBER("looked_bytes", looked_bytes),
  FLAG("in_first", in_first),
  NUMBER("second_percent", second_percent),
  /* runs */
  FLAG("keys", has_keys),
  NAME("length_type", encode.length_type, type_name),
  NAME("start_type", encode.start_type, type_name),
  NAME("reduce_type", reduce.type, type_name),
  NAME("reduce_input", reduce.input_type, type_name),
  NAME("reduce_op", reduce.op, op_name),
  FLAG("reduce_init", reduce.has_init),
  /* sorts */
  NUMBER("key_words", sort.key_words),
  FLAG("low_word_first", sort.low_word_first),
  FLAG("descending", sort.descending),
  FLAG("numeric_order", sort.order),
  NUMBER("first_bit", sort.first_bit),
  NUMBER("end_bit", sort.end_bit),
  NAME("index_type", sort.index_type, type_name),
  NUMBERS("payload_bytes", sort.element_bytes),
  NUMBERS("payload_align", sort.element_align),
  FLAG("drops_keys", sort.drops_keys),
  FLAG("may_overwrite", sort.in_place),
  NUMBER("over", over),
  FLAG("scratch", sort.gives_scratch),
  FLAG("split", is_split),
  NUMBER("buckets", buckets),
  FLAG("by_segments", has_segments),
  NAME("offset_type", sort.offset_type, type_name),
  NUMBER("segments", segments),
  NUMBER("most_segment_items", sort.most_segment_items),
  NAME("shape", shape, shape_name),
  /* scans */
  NAME("type", scan.spec.type, type_name),
  NAME("input_type", scan.spec.input_type, type_name),
  NAME("op", scan.spec.op, op_name),
  NAME("kind", scan.spec.kind, kind_name),
  NAME("strategy", scan.spec.strategy, strategy_name),
  NAME("marks", scan.spec.segments, segments_name),
  NAME("mark_type", scan.spec.key_type, type_name),
  NUMBER("segment_items", scan.segment_items),
  FLAG("init", scan.spec.has_init),
  BIT("backward", scan.spec.flags, SCAN_BACKWARD),
  BIT("check_overflow", scan.spec.flags, SCAN_CHECK_OVERFLOW),
  NAME("values", scan.values, values_name),
  FLAG("carry", scan.has_carry),
  FLAG("carry_in", scan.carries_in),
  FLAG("carry_out", scan.carries_out),
  FLAG("carry_same", scan.carries_same),
  FLAG("device_carry", scan.device_carry),
  NUMBER("chunk_items", scan.chunk_items),
  NUMBER("device_bytes", scan.device_bytes),
  FLAG("reads", scan.reads),
  FLAG("writes", scan.writes),
  FLAG("progress", scan.sees_progress),
  FLAG("pinned", scan.is_pinned),
  NUMBER("axis", scan.array.axis),
  { .name = "axes", .kind = FIELD_COUNTED, AT_FIRST(scan.array.shape), .count = SCAN_ARRAY_MAX_AXES },
  FLAG("packed", scan.is_packed),
  NUMBERS("runs", scan.run_n),
  NUMBER("outputs", outputs),
  /* over ranks */
  NAME("cuts", cuts, cuts_name),
  NUMBER("cut_seed", cut_seed),
  NAME("results", results, results_name),
  FLAG("moved", is_moved),
};
enum { FIELD_COUNT = sizeof fields / sizeof fields[0] };

/* ---- numbers in memory ---- */

static uint64_t field_load(const scan_case *c, const field *f, size_t i) {
  uint64_t number = 0;
  memcpy(&number, (const char *)c + f->at + i * f->bytes, f->bytes); /* little-endian */
  return number;
}

static void field_store(scan_case *c, const field *f, size_t i, uint64_t number) {
  memcpy((char *)c + f->at + i * f->bytes, &number, f->bytes);
}

/* ---- to a line ---- */

/** A line being written. */
typedef struct writer {
  char *text;
  size_t used;
} writer;

__attribute__((format(printf, 2, 3))) static void append(writer *w, const char *format, ...) {
  va_list values;
  va_start(values, format);
  const int more = vsnprintf(w->text + w->used, CASE_LINE_BYTES - w->used, format, values);
  va_end(values);
  w->used += (size_t)more;
  if (w->used >= CASE_LINE_BYTES) w->used = CASE_LINE_BYTES - 1;
}

static int is_list(const field *f) { return f->kind == FIELD_NUMBERS || f->kind == FIELD_COUNTED; }

static void append_numbers(writer *w, const scan_case *c, const field *f) {
  size_t count = f->kind == FIELD_COUNTED ? c->scan.array.ndim : f->count;
  while (f->kind == FIELD_NUMBERS && count > 0 && field_load(c, f, count - 1) == 0) count--;
  for (size_t i = 0; i < count; i++) append(w, "%s%" PRIu64, i ? "," : "", field_load(c, f, i));
}

static int is_written(const scan_case *c, const field *f) {
  if (f->at == offsetof(scan_case, n_said) && !c->has_n_from) return 0; /* case_build sets it to n */
  if (f->kind == FIELD_BIT) return (field_load(c, f, 0) & f->bit) != 0;
  if (f->kind == FIELD_COUNTED) return c->scan.array.ndim != 0;
  if (f->kind == FIELD_TEXT) return *((const char *)c + f->at) != '\0';
  for (size_t i = 0; i < (f->kind == FIELD_NUMBERS ? f->count : 1); i++)
    if (field_load(c, f, i)) return 1;
  return 0;
}

static void append_field(writer *w, const scan_case *c, const field *f) {
  const uint64_t number = f->kind == FIELD_TEXT ? 0 : field_load(c, f, 0);
  append(w, " %s%s", f->name, f->kind == FIELD_FLAG || f->kind == FIELD_BIT ? "" : "=");
  if (is_list(f)) append_numbers(w, c, f);
  if (f->kind == FIELD_TEXT) append(w, "%s", (const char *)c + f->at);
  if (f->kind == FIELD_NUMBER) append(w, "%" PRIu64, number);
  if (f->kind == FIELD_NAME) append(w, "%s", f->name_of((int)number));
  if (f->kind != FIELD_CAPACITY) return;
  if (number == SCAN_NO_CAPACITY)
    append(w, "none");
  else
    append(w, "%" PRIu64, number);
}

const char *case_to_line(const scan_case *c, char text[CASE_LINE_BYTES]) {
  writer w = { .text = text };
  append(&w, "%s", case_by_name((int)c->by));
  if (c->scan.source.name) append(&w, " operator=%s", c->scan.source.name);
  for (size_t i = 0; i < FIELD_COUNT; i++)
    if (is_written(c, &fields[i])) append_field(&w, c, &fields[i]);
  return text;
}

/* ---- from a line ---- */

static int field_refuse(char words[CASE_WORDS_BYTES], const char *what, const char *text) {
  snprintf(words, CASE_WORDS_BYTES, "%s: '%.200s'", what, text);
  return -1;
}

/** Reads comma-separated numbers. @return 0, or -1 if the text has anything else or too many numbers */
static int read_numbers(scan_case *c, const field *f, const char *text) {
  for (size_t i = 0;; i++) {
    char *end = NULL;
    if (i == (is_list(f) ? f->count : 1) || *text < '0' || *text > '9') return -1;
    field_store(c, f, i, strtoull(text, &end, 10));
    if (f->kind == FIELD_COUNTED) c->scan.array.ndim = (uint32_t)i + 1;
    if (!*end) return 0;
    if (*end != ',') return -1;
    text = end + 1;
  }
}

static int read_name(scan_case *c, const field *f, const char *text) {
  for (int value = 0; value < MOST_VALUES; value++)
    if (f->name_of(value) && strcmp(f->name_of(value), text) == 0) return field_store(c, f, 0, (uint64_t)value), 0;
  return -1;
}

static int read_value(scan_case *c, const field *f, const char *text) {
  if (!text) {
    if (f->kind != FIELD_FLAG && f->kind != FIELD_BIT) return -1;
    field_store(c, f, 0, f->kind == FIELD_FLAG ? 1 : field_load(c, f, 0) | f->bit);
    return 0;
  }
  switch (f->kind) {
  case FIELD_NUMBER:
  case FIELD_NUMBERS:
  case FIELD_COUNTED: return read_numbers(c, f, text);
  case FIELD_NAME: return read_name(c, f, text);
  case FIELD_TEXT:
    if (strlen(text) >= f->bytes) return -1;
    strcpy((char *)c + f->at, text);
    return 0;
  case FIELD_CAPACITY:
    if (strcmp(text, "none") != 0) return read_numbers(c, f, text);
    field_store(c, f, 0, SCAN_NO_CAPACITY);
    return 0;
  default: return -1;
  }
}

static int read_by(scan_case *c, const char *text) {
  for (uint32_t by = SCAN_SELECT_FLAGS; by < CASE_BYS; by++)
    if (case_by_name((int)by) && strcmp(case_by_name((int)by), text) == 0) return c->by = by, 0;
  return -1;
}

static int read_field(scan_case *c, char *word) {
  char *value = strchr(word, '=');
  if (value) *value++ = '\0';
  if (value && strcmp(word, "operator") == 0) return source_operator_find(value, &c->scan.source);
  for (size_t i = 0; i < FIELD_COUNT; i++)
    if (strcmp(fields[i].name, word) == 0) return read_value(c, &fields[i], value);
  return -1;
}

/** Sets the numbers of arrays from the element sizes. With in_first the size of in[0] defaults to that of the
 * elements that decide. */
static void count_arrays(scan_case *c) {
  if (c->in_first && !c->spec.element_bytes[0])
    c->spec.element_bytes[0] = c->key_type ? (uint32_t)scan_type_bytes(c->key_type) : case_looked_bytes(c);
  while (c->spec.arrays < SCAN_SELECT_MOST_ARRAYS && c->spec.element_bytes[c->spec.arrays]) c->spec.arrays++;
  while (c->sort.arrays < SCAN_SORT_MOST_ARRAYS && c->sort.element_bytes[c->sort.arrays]) c->sort.arrays++;
}

int case_from_line(const char *line, scan_case *c, char words[CASE_WORDS_BYTES]) {
  char text[CASE_LINE_BYTES], whole[CASE_LINE_BYTES], *rest = NULL;
  *c = (scan_case){ .by = 0 };
  if (strlen(line) >= sizeof text) return field_refuse(words, "the line is too long", line);
  strcpy(text, line);
  char *word = strtok_r(text, " \t\n", &rest);
  if (!word || read_by(c, word) != 0) return field_refuse(words, "a case begins with what is called", word ? word : "");
  while ((word = strtok_r(NULL, " \t\n", &rest))) {
    strcpy(whole, word);
    if (read_field(c, word) != 0) return field_refuse(words, "not a field of a case, or not a value of it", whole);
  }
  count_arrays(c);
  const char *fault = case_fault(c);
  if (fault) (void)field_refuse(words, fault, line);
  return fault != NULL;
}

const char *case_value_name(const char *name, size_t bytes, uint64_t k) {
  for (size_t i = 0; i < FIELD_COUNT; i++) {
    const field *f = &fields[i];
    if (f->kind != FIELD_NAME || strlen(f->name) != bytes || strncmp(f->name, name, bytes) != 0) continue;
    for (int value = 0; value < MOST_VALUES; value++)
      if (f->name_of(value) && *f->name_of(value) && k-- == 0) return f->name_of(value);
  }
  return NULL;
}
