/* SPDX-License-Identifier: BSD-2-Clause */
/** @file verify_html.c @brief The report of `scanrt verify` as one HTML page: no script, no font, no picture from
 *  elsewhere; light or dark as the reader's system. */
#define _POSIX_C_SOURCE 200809L
#include "verify.h"

#include <inttypes.h>
#include <time.h>

static const char style[] =
    ":root{color-scheme:light dark;--page:#fff;--ink:#1d2433;--soft:#5b6577;--line:#d5dae3;--card:#f5f7fa;"
    "--good:#d9f2e0;--good-ink:#0f5a2a;--bad:#ffd9d6;--bad-ink:#97140c;--none:#eceff3;--none-ink:#5b6577}\n"
    "@media(prefers-color-scheme:dark){:root{--page:#12151c;--ink:#e4e8f0;--soft:#9aa5b8;--line:#323a4a;"
    "--card:#1a1f2a;--good:#12391f;--good-ink:#8fe3ab;--bad:#551613;--bad-ink:#ffb3ac;--none:#232936;"
    "--none-ink:#9aa5b8}}\n"
    "body{margin:0 auto;padding:1.5rem;max-width:90rem;background:var(--page);color:var(--ink);"
    "font:16px/1.5 system-ui,sans-serif}\n"
    "h1{margin:0 0 .5rem;font-size:1.6rem}h2{margin:2rem 0 .5rem;font-size:1.2rem}p{max-width:50rem}\n"
    ".soft{color:var(--soft)}.verdict{padding:.6rem 1rem;border-radius:.4rem;font-weight:600}\n"
    ".pass{background:var(--good);color:var(--good-ink)}.fail{background:var(--bad);color:var(--bad-ink);"
    "font-weight:600}.none{background:var(--none);color:var(--none-ink)}\n"
    ".cards{display:grid;grid-template-columns:repeat(auto-fill,minmax(20rem,1fr));gap:1rem}\n"
    ".card{padding:1rem;border:1px solid var(--line);border-radius:.4rem;background:var(--card)}\n"
    ".card h3{margin:0;font-size:1rem}dl{display:grid;grid-template-columns:auto 1fr;gap:.1rem .8rem;margin:.5rem 0 "
    "0}\n"
    "dt{color:var(--soft)}dd{margin:0;overflow-wrap:anywhere}\n"
    ".wide{overflow:auto;max-height:85vh}thead{position:sticky;top:0}table{border-collapse:collapse;font-size:.85rem}\n"
    "th,td{padding:.15rem .5rem;border:1px solid var(--line);text-align:left;white-space:nowrap}\n"
    "th{background:var(--card)}code,pre{font:.85rem/1.4 ui-monospace,monospace}\n"
    "pre{padding:.6rem;overflow-x:auto;border:1px solid var(--line);background:var(--page)}\n"
    "details{margin:.6rem 0;padding:.6rem 1rem;border:1px solid var(--line);border-radius:.4rem;"
    "background:var(--card)}summary{cursor:pointer;font-weight:600}a{color:inherit}\n";

/** Text, with what HTML takes as its own escaped; control characters and bytes that are not ASCII become '?'. */
static void put(FILE *file, const char *text) {
  for (const unsigned char *p = (const unsigned char *)text; *p; p++) {
    switch (*p) {
    case '&': fputs("&amp;", file); break;
    case '<': fputs("&lt;", file); break;
    case '>': fputs("&gt;", file); break;
    case '"': fputs("&quot;", file); break;
    default: fputc(*p < 0x20 || *p > 0x7e ? '?' : *p, file);
    }
  }
}

static void put_term(FILE *file, const char *term, const char *text) {
  fprintf(file, "<dt>%s</dt><dd>", term);
  put(file, text);
  fputs("</dd>\n", file);
}

/* ---- summary ---- */

static void put_head(FILE *file, const verify_report *report) {
  const verify_counts *total = &report->total;
  const int good = verify_is_good(report);
  char date[32] = "";
  const time_t now = time(NULL);
  struct tm parts;
  if (gmtime_r(&now, &parts)) strftime(date, sizeof date, "%Y-%m-%d %H:%M UTC", &parts);
  fprintf(file,
          "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
          "<title>scanrt verify: %s</title>\n<style>\n%s</style>\n</head>\n<body>\n<h1>scanrt verify</h1>\n",
          good ? "passed" : "FAILED", style);
  fprintf(file,
          "<p class=\"verdict %s\">%s: %" PRIu64 " passed, %" PRIu64 " failed, %" PRIu64 " disagreements, %" PRIu64
          " not applicable</p>\n",
          good ? "pass" : "fail", good ? "Passed" : "FAILED", total->passed, total->failed, report->disagreements,
          total->not_applicable);
  fprintf(file, "<p class=\"soft\">scanrt %s, %s, seed %" PRIu64 ", %d device%s</p>\n", scan_version(), date,
          report->request->seed, report->device_count, report->device_count == 1 ? "" : "s");
  fputs("<p>A prefix scan replaces each element by the sum (or product, minimum, ...) of all elements up to it. Every "
        "device below scanned the same inputs. A result <em>passed</em> when it has exactly the bits of a plain "
        "reference on the processor, floating point included (two NaNs count as the same). Independently of the "
        "reference, the devices' results are compared with each other.</p>\n",
        file);
}

/* ---- devices ---- */

static void put_card(FILE *file, const verify_device *d) {
  static const char *const backends[] = { "CUDA", "OpenCL", "host" };
  const scan_device_info *info = &d->info;
  char text[160];
  fputs("<div class=\"card\"><h3>", file);
  put(file, d->selector);
  fputs("</h3><dl>\n", file);
  if (info->name[0]) {
    put_term(file, "name", info->name);
    put_term(file, "vendor", info->vendor);
    put_term(file, "driver", info->driver);
    put_term(file, "kind",
             info->backend == SCAN_BACKEND_CUDA     ? backends[0]
             : info->backend == SCAN_BACKEND_OPENCL ? backends[1]
                                                    : backends[2]);
    snprintf(text, sizeof text, "%.1f GiB, %u compute units", (double)info->memory_bytes / (1024.0 * 1024.0 * 1024.0),
             (unsigned)info->compute_units);
    put_term(file, "memory", text);
    snprintf(text, sizeof text, "64-bit floats: %s; 64-bit atomics: %s; denormals: %s; fair progress: %s",
             info->has_fp64 ? "yes" : "no", info->has_int64_atomics ? "yes" : "no",
             info->flushes_denormals ? "flushed to zero" : "kept", info->has_fair_progress ? "yes" : "not known");
    put_term(file, "can", text);
  } else {
    put_term(file, "state", "could not be opened");
  }
  snprintf(text, sizeof text, "%" PRIu64 " passed, %" PRIu64 " failed, %" PRIu64 " not applicable", d->total.passed,
           d->total.failed, d->total.not_applicable);
  put_term(file, "results", text);
  fputs("</dl></div>\n", file);
}

static void put_agreement_cell(FILE *file, const verify_report *report, int a, int b) {
  const verify_agreement *pair = &report->agreement[(a < b ? a : b) * report->device_count + (a < b ? b : a)];
  if (a == b)
    fputs("<td class=\"none\">-</td>", file);
  else if (pair->different)
    fprintf(file, "<td class=\"fail\">DISAGREE in %" PRIu64 " of %" PRIu64 "</td>", pair->different, pair->compared);
  else if (pair->compared)
    fprintf(file, "<td class=\"pass\">same in %" PRIu64 "</td>", pair->compared);
  else
    fputs("<td class=\"none\">nothing in common</td>", file);
}

static void put_agreement(FILE *file, const verify_report *report) {
  if (report->device_count < 2) return;
  fputs("<h2>Device against device</h2>\n<p class=\"soft\">Cases in which both had a result, bit for bit.</p>\n"
        "<div class=\"wide\"><table>\n<tr><th></th>",
        file);
  for (int d = 0; d < report->device_count; d++) {
    fputs("<th>", file);
    put(file, report->devices[d].selector);
    fputs("</th>", file);
  }
  fputs("</tr>\n", file);
  for (int a = 0; a < report->device_count; a++) {
    fputs("<tr><th>", file);
    put(file, report->devices[a].selector);
    fputs("</th>", file);
    for (int b = 0; b < report->device_count; b++) put_agreement_cell(file, report, a, b);
    fputs("</tr>\n", file);
  }
  fputs("</table></div>\n", file);
}

/* ---- the matrix: rows of types and operators, columns of devices and their strategies ---- */

/** 1 when the device ran anything with the strategy; the others would be columns of n/a. */
static int has_column(const verify_report *report, int device, int s) {
  for (int pair = 0; pair < report->pair_count; pair++) {
    const verify_cell sum = verify_sum(report, device, pair, 0, s);
    if (sum.counts.passed || sum.counts.failed) return 1;
  }
  return 0;
}

static int count_columns(const verify_report *report, int device) {
  int count = 0;
  for (int s = 0; s < report->strategy_count; s++) count += has_column(report, device, s);
  return count;
}

static void put_matrix_head(FILE *file, const verify_report *report) {
  fputs("<thead><tr><th rowspan=\"2\">type</th><th rowspan=\"2\">operator</th>", file);
  for (int d = 0; d < report->device_count; d++) {
    const int columns = count_columns(report, d);
    if (!columns) continue;
    fprintf(file, "<th colspan=\"%d\">", columns);
    put(file, report->devices[d].selector);
    fputs("</th>", file);
  }
  fputs("</tr>\n<tr>", file);
  for (int d = 0; d < report->device_count; d++)
    for (int s = 0; s < report->strategy_count; s++)
      if (has_column(report, d, s)) fprintf(file, "<th>%s</th>", scan_strategy_name(report->strategies[s]));
  fputs("</tr></thead>\n", file);
}

static void put_matrix_cell(FILE *file, const verify_cell *cell) {
  const verify_counts *c = &cell->counts;
  if (c->failed)
    fprintf(file, "<td class=\"fail\"><a href=\"#failures\">FAIL %" PRIu64 "/%" PRIu64 "</a></td>", c->failed,
            c->passed + c->failed);
  else if (c->passed)
    fprintf(file, "<td class=\"pass\">pass %" PRIu64 "</td>", c->passed);
  else if (c->not_applicable)
    fprintf(file, "<td class=\"none\">n/a <a href=\"#reason%d\">[%d]</a></td>", cell->reason, cell->reason);
  else
    fputs("<td class=\"none\">-</td>", file);
}

static void put_matrix_row(FILE *file, const verify_report *report, int pair, int op) {
  fputs("<tr><th scope=\"row\">", file);
  put(file, report->pairs[pair].name);
  fprintf(file, "</th><th scope=\"row\">%s</th>", scan_op_name((scan_op_id)op));
  for (int d = 0; d < report->device_count; d++)
    for (int s = 0; s < report->strategy_count; s++)
      if (has_column(report, d, s)) put_matrix_cell(file, verify_cell_of(report, d, pair, op, s));
  fputs("</tr>\n", file);
}

static void put_matrix(FILE *file, const verify_report *report) {
  fputs(
      "<h2>Every type, operator and strategy</h2>\n<p class=\"soft\">A strategy is a way to compute a scan. The number "
      "in a cell counts cases: sizes, inclusive and exclusive, in place and not. n/a means that the library refuses "
      "the combination on this device, for the reason whose number is given; strategies that a device refuses "
      "altogether have no column. Types: i integer, u unsigned, f floating point, and bits; i8-&gt;i32 sums i8 into "
      "i32.</p>\n<div class=\"wide\"><table>\n",
      file);
  put_matrix_head(file, report);
  fputs("<tbody>\n", file);
  for (int pair = 0; pair < report->pair_count; pair++)
    for (int op = SCAN_ADD; op < VERIFY_OPS; op++) {
      if (report->request->ops && !(report->request->ops >> op & 1)) continue;
      if (scan_spec_defined(report->pairs[pair].type, report->pairs[pair].input, (scan_op_id)op))
        put_matrix_row(file, report, pair, op);
    }
  fputs("</tbody></table></div>\n", file);
}

static void put_reasons(FILE *file, const verify_report *report) {
  if (!report->reason_count) return;
  fputs("<h2>Not applicable</h2>\n<ol>\n", file);
  for (int i = 0; i < report->reason_count; i++) {
    fprintf(file, "<li id=\"reason%d\">", i + 1);
    put(file, report->reasons[i]);
    fputs("</li>\n", file);
  }
  fputs("</ol>\n", file);
}

/* ---- failures ---- */

static void put_failure(FILE *file, const verify_report *report, const verify_failure *f) {
  char words[160], number[32];
  verify_case_words(report, &f->one, words, sizeof words);
  fputs("<details open=\"open\"><summary>", file);
  put(file, report->devices[f->device].selector);
  if (f->other >= 0) {
    fputs(" and ", file);
    put(file, report->devices[f->other].selector);
  }
  fputs(": ", file);
  put(file, words);
  fputs("</summary>\n<p>", file);
  put(file, f->words);
  fputs("</p>\n<dl>\n", file);
  snprintf(number, sizeof number, "%" PRIu64, f->one.n);
  put_term(file, "n", number);
  snprintf(number, sizeof number, "%" PRIu64, f->seed);
  put_term(file, "seed of the input", number);
  if (f->has_element) {
    snprintf(number, sizeof number, "%" PRIu64, f->at);
    put_term(file, "first index that differs", number);
    put_term(file, f->other < 0 ? "expected" : "there", f->expected);
    put_term(file, "found", f->found);
  }
  fputs("</dl>\n<p>To repeat this case alone:</p>\n<pre>", file);
  put(file, f->command);
  fputs("</pre></details>\n", file);
}

static void put_failures(FILE *file, const verify_report *report) {
  fputs("<h2 id=\"failures\">Failures</h2>\n", file);
  if (!report->failure_count)
    fputs(verify_is_good(report) ? "<p>None.</p>\n" : "<p>None is recorded: see the table.</p>\n", file);
  else
    fputs(
        "<p class=\"soft\">The first one of each device, type, operator and strategy, and of each pair of devices that "
        "disagrees.</p>\n",
        file);
  for (int i = 0; i < report->failure_count; i++) put_failure(file, report, &report->failures[i]);
  if (report->failures_left_out) fprintf(file, "<p>And %" PRIu64 " more.</p>\n", report->failures_left_out);
}

void verify_html(const verify_report *report, FILE *file) {
  put_head(file, report);
  if (report->failure_count) put_failures(file, report);
  fputs("<h2>Devices</h2>\n<div class=\"cards\">\n", file);
  for (int d = 0; d < report->device_count; d++) put_card(file, &report->devices[d]);
  fputs("</div>\n", file);
  put_agreement(file, report);
  put_matrix(file, report);
  put_reasons(file, report);
  if (!report->failure_count) put_failures(file, report);
  fputs("</body>\n</html>\n", file);
}
