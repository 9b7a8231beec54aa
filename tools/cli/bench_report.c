/* SPDX-License-Identifier: BSD-2-Clause */
/** @file bench_report.c @brief The columns of `scanrt bench`, and the table, JSON and CSV that they make. */
#include "bench_report.h"
#include "bench_options.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* ---- columns ---- */

/** Outputs that have a column. BESIDE: only with --beside; GALLERY: only with --gallery. */
enum { JSON = 1, CSV = 2, TABLE = 4, BESIDE = 8, GALLERY = 16, FILES = JSON | CSV, EVERYWHERE = FILES | TABLE };

/** Sets of columns beside the kinds: of --cold, and of --cold with --mpi. */
enum {
  COLD = 1u << BENCH_KIND_COUNT,
  MPI_COLD = COLD << 1,
  SCAN = BENCH_OF(SCAN),
  SELECT = BENCH_OF(SELECT),
  SORTS = BENCH_OF(SORT) | BENCH_OF(SPLIT),
  STREAM = BENCH_OF(STREAM),
  REDUCE = BENCH_OF(REDUCE),
  VERSUS = BENCH_OF(VERSUS),
  RANKS = BENCH_OF(MPI) | MPI_COLD,
  CASES = SCAN | SELECT | SORTS | REDUCE | STREAM,
  MODES = SCAN | SELECT | SORTS | REDUCE,
  TIMED = CASES | BENCH_OF(MPI) | VERSUS,
  ALL = TIMED | COLD | MPI_COLD
};

typedef enum column_kind {
  TEXT,  /**< A const char *. */
  COUNT, /**< A uint64_t. */
  FLAG,  /**< A uint64_t that is true or false. */
  BIT,   /**< A uint64_t that is true or false; 1 or 0 in CSV. */
  REAL,  /**< A double. */
  RIGHT  /**< A FLAG; if it is false, a table says WRONG instead of the rest of the line. */
} column_kind;

typedef struct column {
  unsigned sets, forms;
  const char *name; /**< Name in JSON and CSV. */
  column_kind kind;
  size_t offset_bytes;
  double factor;     /**< For REAL: units a second, or a byte a second. */
  const char *head;  /**< Heading in tables; "x": the text at head_bytes follows. */
  int width;         /**< Width in tables; negative: left-aligned. */
  int decimals;      /**< For REAL: decimals in tables. */
  unsigned shown;    /**< Bit of bench_row.shown that must be set for a table to show the column; 0: always shown. */
  size_t head_bytes; /**< Offset of a text behind `head`; 0: none. */
} column;

#define AT(field) offsetof(bench_row, field)
/* A column without a place in tables, unscaled. */
#define FIELD(sets, forms, name, kind, field)                                                                          \
  { sets, forms, name, kind, AT(field), 1, NULL, 0, 0, 0, 0 }
/* A column of --gallery. */
#define GALLERY_COLUMN(name, kind, field, factor, head, width, decimals, shown)                                        \
  { SCAN, EVERYWHERE | GALLERY, name, kind, AT(field), factor, head, width, decimals, BENCH_SHOWS_##shown, 0 }
static const column columns[] = {
  FIELD(ALL, FILES, "device", TEXT, device),
  { CASES, TABLE, NULL, TEXT, AT(device), 0, "device", -10, 0, 0, 0 },
  { COLD, TABLE, NULL, TEXT, AT(device), 0, "device", -15, 0, 0, 0 },
  FIELD(TIMED | MPI_COLD, FILES, "device_name", TEXT, device_name),
  FIELD(TIMED | MPI_COLD, FILES, "driver", TEXT, driver),
  FIELD(VERSUS, FILES, "primitive", TEXT, primitive),
  { VERSUS, TABLE, NULL, TEXT, AT(title), 0, "case", -56, 0, 0, 0 },
  { VERSUS, TABLE, NULL, COUNT, AT(n), 0, "n", 10, 0, 0, 0 },
  { VERSUS, TABLE, NULL, TEXT, AT(peer), 0, "peer", -26, 0, 0, 0 },
  { CASES, EVERYWHERE, "what", TEXT, AT(what), 0, "what", -25, 0, 0, 0 },
  FIELD(MODES, JSON, "series", TEXT, series),
  FIELD(MODES, JSON, "case", TEXT, title),
  FIELD(VERSUS, FILES, "case", TEXT, title),
  FIELD(CASES, FILES, "role", TEXT, role),
  FIELD(RANKS, FILES, "mpi", TEXT, mpi),
  FIELD(RANKS, FILES, "takes_device_memory", BIT, takes_device_memory),
  FIELD(SCAN, FILES, "strategy", TEXT, strategy),
  { MODES | VERSUS, EVERYWHERE, "mode", TEXT, AT(mode), 0, "mode", -5, 0, 0, 0 },
  FIELD(SELECT, FILES, "by", TEXT, by),
  FIELD(SELECT, FILES, "rest", TEXT, rest),
  FIELD(SELECT, FILES, "payload", TEXT, payload),
  FIELD(SORTS, FILES, "sort", TEXT, sort),
  FIELD(TIMED | MPI_COLD, FILES, "type", TEXT, type),
  FIELD(SORTS, FILES, "shape", TEXT, shape),
  FIELD(SORTS, FILES, "key_words", COUNT, key_words),
  FIELD(SORTS, FILES, "descending", FLAG, descending),
  FIELD(SORTS, JSON, "order", TEXT, order),
  FIELD(SORTS, FILES, "first_bit", COUNT, first_bit),
  FIELD(SORTS, FILES, "end_bit", COUNT, end_bit),
  FIELD(SORTS, FILES, "value_bytes", COUNT, value_bytes),
  FIELD(SCAN | STREAM, FILES, "input_type", TEXT, input_type),
  FIELD(SCAN | SELECT | STREAM, FILES, "op", TEXT, op),
  FIELD(SCAN | STREAM | RANKS, FILES, "kind", TEXT, kind),
  FIELD(RANKS, JSON, "op_source", FLAG, from_source),
  FIELD(RANKS, FILES, "scaling", TEXT, scaling),
  { BENCH_OF(MPI), TABLE, NULL, TEXT, AT(scaling), 0, "scaling", -7, 0, 0, 0 },
  { RANKS, EVERYWHERE, "ranks", COUNT, AT(ranks), 0, "ranks", 5, 0, 0, 0 },
  FIELD(SCAN, CSV, "in_place", BIT, in_place),
  FIELD(SCAN, CSV, "in_offset", COUNT, in_offset),
  FIELD(SCAN, CSV, "out_offset", COUNT, out_offset),
  FIELD(SCAN, FILES, "buffers", COUNT, buffers),
  FIELD(SELECT, CSV, "share_or_run_length", TEXT, given),
  FIELD(SELECT, JSON, "share", TEXT, share),
  FIELD(SELECT, JSON, "run_length", TEXT, run_length),
  FIELD(TIMED | MPI_COLD, FILES, "n", COUNT, n),
  { CASES, TABLE, NULL, COUNT, AT(n), 0, "n", 12, 0, 0, 0 },
  { RANKS, TABLE, NULL, COUNT, AT(n), 0, "n a rank", 12, 0, 0, 0 },
  { SELECT, TABLE, NULL, TEXT, AT(given), 0, "given", 7, 0, 0, 0 },
  FIELD(SELECT, FILES, "kept", COUNT, kept),
  { SELECT, TABLE, NULL, REAL, AT(kept_ratio), 100, "kept %", 7, 2, 0, 0 },
  { SORTS, TABLE, NULL, TEXT, AT(shape), 0, "shape", 8, 0, 0, 0 },
  { SORTS, EVERYWHERE, "passes", COUNT, AT(passes), 0, "passes", 6, 0, 0, 0 },
  FIELD(STREAM, FILES, "memory", TEXT, memory),
  FIELD(STREAM, FILES, "memory_bytes", COUNT, memory_bytes),
  { STREAM, EVERYWHERE, "chunk_items", COUNT, AT(chunk_items), 0, "chunk", 12, 0, 0, 0 },
  { STREAM, EVERYWHERE, "chunks", COUNT, AT(chunks), 0, "chunks", 6, 0, 0, 0 },
  FIELD(CASES, FILES, "bytes", COUNT, bytes),
  FIELD(TIMED, CSV, "reps", COUNT, reps),
  FIELD(TIMED | MPI_COLD, EVERYWHERE, "correct", RIGHT, correct),
  FIELD(SORTS, FILES, "segment_length", COUNT, segment_items),
  { COLD, JSON, "create_ms", REAL, AT(open), 1e3, NULL, 0, 0, 0, 0 },
  { COLD, TABLE, NULL, REAL, AT(open), 1e3, "open ms", 10, 2, 0, 0 },
  { MPI_COLD, JSON | TABLE, "open_ms", REAL, AT(open), 1e3, "open ms", 10, 2, 0, 0 },
  { MPI_COLD, JSON | TABLE, "first_ms", REAL, AT(first), 1e3, "first ms", 10, 2, 0, 0 },
  { COLD, JSON | TABLE, "operator_ms", REAL, AT(source), 1e3, "operator ms", 12, 2, 0, 0 },
  { COLD, JSON | TABLE, "plan_ms", REAL, AT(plan), 1e3, "plan ms", 10, 2, 0, 0 },
  { COLD, JSON | TABLE, "first_run_ms", REAL, AT(first), 1e3, "first run ms", 14, 2, 0, 0 },
  { COLD, JSON | TABLE, "second_run_ms", REAL, AT(second), 1e3, "second run ms", 15, 3, 0, 0 },
  { COLD, JSON | TABLE, "total_ms", REAL, AT(total), 1e3, "total ms", 10, 2, 0, 0 },
  { COLD, JSON | TABLE, "later_context_ms", REAL, AT(later), 1e3, "later context ms", 16, 2, 0, 0 },
  { BENCH_OF(MPI), EVERYWHERE, "alone_us", REAL, AT(alone), 1e6, "alone us", 12, 2, 0, 0 },
  { VERSUS, EVERYWHERE, "times_peer", REAL, AT(peer_ratio), 1, "ratio", 7, 3, 0, 0 },
  { VERSUS, EVERYWHERE, "median_us", REAL, AT(median), 1e6, "us", 11, 2, 0, 0 },
  { VERSUS, EVERYWHERE, "peer_us", REAL, AT(peer_median), 1e6, "peer us", 11, 2, 0, 0 },
  { SCAN | SELECT | REDUCE, FILES, "median_us", REAL, AT(median), 1e6, NULL, 0, 0, 0, 0 },
  { SCAN | SELECT | REDUCE, TABLE, NULL, REAL, AT(median), 1e6, "median us", 12, 2, BENCH_SHOWS_RATE, 0 },
  { SCAN, TABLE, NULL, REAL, AT(median), 1e6, "us a call", 12, 2, BENCH_SHOWS_HOST, 0 },
  { BENCH_OF(MPI), EVERYWHERE, "median_us", REAL, AT(median), 1e6, "median us", 12, 2, 0, 0 },
  { MPI_COLD, JSON | TABLE, "median_ms", REAL, AT(median), 1e3, "median ms", 10, 2, 0, 0 },
  { SORTS | STREAM, EVERYWHERE, "median_ms", REAL, AT(median), 1e3, "median ms", 12, 4, 0, 0 },
  { CASES | BENCH_OF(MPI) | MPI_COLD, FILES, "iqr_percent", REAL, AT(spread), 100, NULL, 0, 0, 0, 0 },
  { MODES, TABLE, NULL, REAL, AT(spread), 100, "IQR %", 7, 1, BENCH_SHOWS_RATE | BENCH_SHOWS_HOST, 0 },
  { STREAM | BENCH_OF(MPI) | MPI_COLD, TABLE, NULL, REAL, AT(spread), 100, "IQR %", 7, 1, 0, 0 },
  { MPI_COLD, JSON | TABLE, "plain_loop_ms", REAL, AT(loop), 1e3, "plain loop ms", 14, 2, 0, 0 },
  { SCAN | SELECT | REDUCE | BENCH_OF(MPI), FILES, "min_us", REAL, AT(least), 1e6, NULL, 0, 0, 0, 0 },
  { SORTS | STREAM, FILES, "min_ms", REAL, AT(least), 1e3, NULL, 0, 0, 0, 0 },
  { SORTS, FILES, "keys_per_s", REAL, AT(items_per_s), 1, NULL, 0, 0, 0, 0 },
  { SORTS, TABLE, NULL, REAL, AT(items_per_s), 1e-6, "Mkeys/s", 10, 1, 0, 0 },
  { CASES | BENCH_OF(MPI), FILES, "gb_per_s", REAL, AT(bytes_per_s), 1e-9, NULL, 0, 0, 0, 0 },
  { MODES, TABLE, NULL, REAL, AT(bytes_per_s), 1e-9, "GB/s", 9, 1, BENCH_SHOWS_RATE, 0 },
  { STREAM, TABLE, NULL, REAL, AT(bytes_per_s), 1e-9, "GB/s each way", 13, 2, 0, 0 },
  { BENCH_OF(MPI), TABLE, NULL, REAL, AT(bytes_per_s), 1e-9, "GB/s a rank", 12, 2, 0, 0 },
  { SCAN | STREAM, EVERYWHERE, "percent_of_copy", REAL, AT(limit_ratio), 100, "% copy", 8, 1, BENCH_SHOWS_RATE, 0 },
  { SELECT | SORTS | REDUCE, EVERYWHERE, "percent_of_limit", REAL, AT(limit_ratio), 100, "% limit", 8, 1, 0, 0 },
  { BENCH_OF(MPI), EVERYWHERE, "percent_of_alone", REAL, AT(alone_ratio), 100, "% alone", 8, 1, 0, 0 },
  { STREAM, EVERYWHERE, "page_lock_ms", REAL, AT(pin), 1e3, "page-lock ms", 12, 1, BENCH_SHOWS_PINS, 0 },
  { MODES, EVERYWHERE, "times_plain_loop", REAL, AT(loop_ratio), 1, "x plain loop", 12, 2, BENCH_SHOWS_LOOP, 0 },
  { MODES, TABLE, NULL, REAL, AT(one_ratio), 1, "x one thread", 12, 2, BENCH_SHOWS_ONE, 0 },
  { SCAN, TABLE, NULL, REAL, AT(plain_ratio), 1, "x", 4, 2, BENCH_SHOWS_PLAIN, AT(plain_head) },
  FIELD(MODES | VERSUS, FILES, "peer", TEXT, peer),
  { MODES, FILES, "times_peer", REAL, AT(peer_ratio), 1, NULL, 0, 0, 0, 0 },
  { MODES, TABLE, NULL, REAL, AT(peer_ratio), 1, "x", 4, 2, BENCH_SHOWS_PEER, AT(peer_head) },
  { SCAN, EVERYWHERE, "over_empty_us", REAL, AT(over_empty), 1e6, "us over empty", 14, 2, BENCH_SHOWS_HOST, 0 },
  { SCAN, EVERYWHERE, "work", COUNT, AT(work), 0, "work", 14, 0, BENCH_SHOWS_COST, 0 },
  { SCAN, EVERYWHERE, "span", COUNT, AT(span), 0, "span", 10, 0, BENCH_SHOWS_COST, 0 },
  GALLERY_COLUMN("times_2n_less_2", REAL, bound_ratio, 1, "x 2n - 2", 8, 2, COST),
  GALLERY_COLUMN("network_depth", COUNT, network_depth, 0, "d of 16", 7, 0, COST),
  GALLERY_COLUMN("network_size", COUNT, network_size, 0, "s of 16", 7, 0, COST),
  GALLERY_COLUMN("network_sum", COUNT, network_sum, 0, "d + s >= 30", 11, 0, COST),
  GALLERY_COLUMN("published_depth", COUNT, published_depth, 0, "drawn d", 7, 0, COST),
  GALLERY_COLUMN("published_size", COUNT, published_size, 0, "drawn s", 7, 0, COST),
  GALLERY_COLUMN("block_items", COUNT, block_items, 0, "block", 7, 0, COST),
  GALLERY_COLUMN("ns_a_block", REAL, block, 1e9, "ns a block", 10, 1, COST),
  GALLERY_COLUMN("a100_gb_per_s", REAL, a100, 1e-9, "A100 GB/s", 9, 0, A100),
  GALLERY_COLUMN("a100_percent_of_copy", REAL, a100_ratio, 100, "A100 % copy", 11, 1, A100),
  FIELD(SCAN, FILES, "segments", TEXT, segments),
  FIELD(SCAN | REDUCE, FILES, "segment_length", TEXT, segment_length),
  FIELD(SCAN, FILES, "segment_count", COUNT, segment_count),
  FIELD(SCAN, FILES, "check_overflow", BIT, check_overflow),
  FIELD(SCAN, FILES, "plain", TEXT, plain),
  { SCAN, FILES, "times_plain", REAL, AT(plain_ratio), 1, NULL, 0, 0, 0, 0 },
  { BENCH_OF(MPI), EVERYWHERE, "sent_bytes", COUNT, AT(sent_bytes), 0, "sent bytes", 12, 0, 0, 0 },
  FIELD(BENCH_OF(MPI), CSV, "op_source", TEXT, op_source),
  { MODES, FILES | BESIDE, "times_one_thread", REAL, AT(one_ratio), 1, NULL, 0, 0, 0, 0 },
};
#undef GALLERY_COLUMN
#undef FIELD
#undef AT

enum { COLUMNS = sizeof columns / sizeof columns[0] };

static const void *field_of(const column *c, const bench_row *row) { return (const char *)row + c->offset_bytes; }
static const char *text_of(const column *c, const bench_row *row) { return *(const char *const *)field_of(c, row); }
static uint64_t count_of(const column *c, const bench_row *row) { return *(const uint64_t *)field_of(c, row); }
static double real_of(const column *c, const bench_row *row) { return *(const double *)field_of(c, row); }

void bench_row_start(bench_row *row) {
  *row = (bench_row){ .shown = 0 };
  for (size_t i = 0; i < COLUMNS; i++) {
    char *field = (char *)row + columns[i].offset_bytes;
    if (columns[i].kind == REAL)
      *(double *)(void *)field = NAN;
    else if (columns[i].kind != TEXT)
      *(uint64_t *)(void *)field = UINT64_MAX;
  }
}

static int is_there(const column *c, const bench_row *row) {
  if (c->kind == TEXT) return text_of(c, row) != NULL;
  return c->kind == REAL ? !isnan(real_of(c, row)) : count_of(c, row) != UINT64_MAX;
}

/** 1 if the table has a column in a form. */
static int table_has(const bench_table *table, const column *c, unsigned form) {
  const bench_request *r = table->request;
  return c->sets & table->columns && c->forms & form && (!(c->forms & BESIDE) || r->has_beside) &&
         (!(c->forms & GALLERY) || r->gallery);
}

/* ---- JSON ---- */

static void json_begin(json *j, const bench_request *r) {
  json_open(j, NULL, '{');
  json_string(j, "version", scan_version());
  json_string(j, "command", r->command);
  if (!r->cold || r->measurement == BENCH_KIND_MPI) json_count(j, "reps", r->reps);
  if (r->has_beside) json_count(j, "beside", r->beside);
  if (r->measurement == BENCH_KIND_SCAN && !r->cold) {
    json_bool(j, "in_place", r->in_place);
    json_count(j, "in_offset", r->in_offset);
    json_count(j, "out_offset", r->out_offset);
  }
  json_open(j, "rows", '[');
}

static void json_field(json *j, const column *c, const bench_row *row) {
  switch (c->kind) {
  case TEXT: json_string(j, c->name, text_of(c, row)); break;
  case COUNT: json_count(j, c->name, count_of(c, row)); break;
  case REAL: json_real(j, c->name, c->factor * real_of(c, row)); break;
  default: json_bool(j, c->name, count_of(c, row) != 0); break;
  }
}

static void json_row(bench_table *table, const bench_row *row) {
  json_open(&table->json, NULL, '{');
  for (size_t i = 0; i < COLUMNS; i++)
    if (table_has(table, &columns[i], JSON) && is_there(&columns[i], row)) json_field(&table->json, &columns[i], row);
  json_close(&table->json, '}');
}

/* ---- CSV, RFC 4180 with bare line feeds ---- */

static void csv_head(const bench_table *table) {
  const char *separator = "";
  for (size_t i = 0; i < COLUMNS; i++) {
    if (!table_has(table, &columns[i], CSV)) continue;
    fprintf(table->csv, "%s%s", separator, columns[i].name);
    separator = ",";
  }
  fputc('\n', table->csv);
}

static void csv_text(FILE *file, const char *text) {
  const char *const quote = strpbrk(text, ",\"\r\n") ? "\"" : "";
  fputs(quote, file);
  for (; *text; text++) {
    if (*text == '"') fputc('"', file);
    fputc(*text, file);
  }
  fputs(quote, file);
}

static void csv_field(FILE *file, const column *c, const bench_row *row) {
  switch (c->kind) {
  case TEXT: csv_text(file, text_of(c, row)); break;
  case REAL: fprintf(file, "%.6g", c->factor * real_of(c, row)); break;
  case FLAG:
  case RIGHT: fputs(count_of(c, row) ? "true" : "false", file); break;
  default: fprintf(file, "%" PRIu64, count_of(c, row)); break;
  }
}

static void csv_row(const bench_table *table, const bench_row *row) {
  const char *separator = "";
  for (size_t i = 0; i < COLUMNS; i++) {
    if (!table_has(table, &columns[i], CSV)) continue;
    fputs(separator, table->csv);
    separator = ",";
    if (is_there(&columns[i], row)) csv_field(table->csv, &columns[i], row);
  }
  fputc('\n', table->csv);
  fflush(table->csv);
}

/* ---- tables ---- */

/** Returns the text behind a column's heading; "" if there is none. */
static const char *named_by(const column *c, const bench_row *first) {
  const char *const name = c->head_bytes ? *(const char *const *)((const char *)first + c->head_bytes) : NULL;
  return name ? name : "";
}

static int width_of(const column *c, const bench_row *first) { return c->width + (int)strlen(named_by(c, first)); }

static int is_shown(const bench_table *table, const column *c) {
  return table_has(table, c, TABLE) && c->kind != RIGHT && (!c->shown || c->shown & table->first.shown);
}

static void print_heads(const bench_table *table) {
  const char *separator = "";
  for (size_t i = 0; i < COLUMNS; i++) {
    const column *const c = &columns[i];
    char head[BENCH_LABEL_BYTES];
    if (!is_shown(table, c)) continue;
    snprintf(head, sizeof head, "%s%s%s", c->head, c->head_bytes ? " " : "", named_by(c, &table->first));
    printf("%s%*s", separator, width_of(c, &table->first), head);
    separator = " ";
  }
  putchar('\n');
}

static void print_field(const column *c, int width, const bench_row *row) {
  if (!is_there(c, row))
    printf("%*s", width, "-");
  else if (c->kind == TEXT)
    printf("%*s", width, text_of(c, row));
  else if (c->kind == REAL)
    printf("%*.*f", width, c->decimals, c->factor * real_of(c, row));
  else
    printf("%*" PRIu64, width, count_of(c, row));
}

static void print_row(const bench_table *table, const bench_row *row) {
  const char *separator = "";
  for (size_t i = 0; i < COLUMNS; i++) {
    const column *const c = &columns[i];
    if (c->kind == RIGHT && !row->correct) {
      fputs("        WRONG", stdout);
      break;
    }
    if (!is_shown(table, c)) continue;
    fputs(separator, stdout);
    separator = " ";
    print_field(c, width_of(c, &table->first), row);
  }
  putchar('\n');
  fflush(stdout);
}

static void print(bench_table *table, const bench_row *row, const char *caption) {
  if (!table->printed || strcmp(table->caption, caption) != 0) {
    if (table->printed) putchar('\n');
    table->printed = 1;
    table->first = *row;
    snprintf(table->caption, sizeof table->caption, "%s", caption);
    fputs(caption, stdout);
    print_heads(table);
  }
  print_row(table, row);
}

/* ---- tables ---- */

int bench_table_open(bench_table *table, const bench_request *r) {
  *table = (bench_table){ .request = r, .json = { .file = stdout }, .columns = 1u << r->measurement };
  if (r->cold) table->columns = r->measurement == BENCH_KIND_MPI ? MPI_COLD : COLD;
  if (r->csv && output_begin(r->csv, &table->output) != CLI_OK) return CLI_FAILED;
  if (r->csv) table->csv = table->output.file;
  if (r->csv) csv_head(table);
  if (r->as_json) json_begin(&table->json, r);
  return CLI_OK;
}

int bench_table_close(bench_table *table) {
  if (table->request->as_json) {
    json_close(&table->json, ']');
    json_close(&table->json, '}');
  }
  return table->csv ? output_end(&table->output, CLI_OK) : CLI_OK;
}

void bench_table_print(bench_table *table, const bench_row *row, const char *caption) {
  const bench_request *r = table->request;
  if (!r->as_json && !(r->csv && !strcmp(r->csv, "-"))) print(table, row, caption);
}

void bench_table_write(bench_table *table, const bench_row *row, const char *caption) {
  const bench_request *r = table->request;
  if (r->as_json) json_row(table, row);
  if (table->csv) csv_row(table, row);
  bench_table_print(table, row, caption);
}
