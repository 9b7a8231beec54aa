/* SPDX-License-Identifier: BSD-2-Clause */
/** @file bench_plot.c @brief Throughput against n as SVG: a panel a type, operator, kind and mode; a line a subject. */
#include "bench.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
  WIDTH = 1080,
  LEFT = 84,
  PLOT_WIDTH = 700,
  PLOT_HEIGHT = 320,
  TITLE_HEIGHT = 44,
  AXIS_HEIGHT = 66,
  PANEL_HEIGHT = TITLE_HEIGHT + PLOT_HEIGHT + AXIS_HEIGHT,
  LEGEND_LEFT = LEFT + PLOT_WIDTH + 24,
  LEGEND_STEP = 20,
  LINE_HEIGHT = 18,
  WRAP_COLUMNS = 150,
  MAX_LINES = 24,
  X_TICKS = 11
};

/** A line of a panel: the rows of one subject on one device. */
typedef struct plot_line {
  const bench_row *first;
} plot_line;

/** What is drawn in one coordinate system. */
typedef struct plot_panel {
  const bench_row *first;
  const bench_row *rows; /**< All rows of the report. */
  size_t row_count;
  plot_line lines[MAX_LINES];
  size_t line_count;
  double low; /**< log2 of the smallest and of the largest n. */
  double high;
  double top;  /**< GB/s at the top. */
  double step; /**< GB/s from one tick to the next. */
  double y;    /**< Where the panel begins. */
} plot_panel;

/* ---- which rows belong together ---- */

/** memcpy runs in the caches where n is small, and would press everything else down. */
static int is_plotted(const bench_row *row) { return row->mode != BENCH_HOST && row->role != BENCH_MEMCPY; }

static int same_panel(const bench_row *a, const bench_row *b) {
  return is_plotted(a) && is_plotted(b) && bench_same_spec(a, b) &&
         bench_input_type(&a->spec) == bench_input_type(&b->spec) && a->mode == b->mode;
}

static int same_line(const bench_row *a, const bench_row *b) {
  return same_panel(a, b) && !strcmp(a->device.selector, b->device.selector) && !strcmp(a->series, b->series);
}

static int on_line(const plot_line *line, const bench_row *row) { return !row->wrong && same_line(line->first, row); }

static int is_ceiling(const bench_row *row) { return row->role == BENCH_COPY; }

/** 1 when no row before `at` is of the same panel (or line). */
static int is_first(const bench_row *rows, size_t at, int (*same)(const bench_row *, const bench_row *)) {
  for (size_t i = 0; i < at; i++)
    if (same(&rows[i], &rows[at])) return 0;
  return is_plotted(&rows[at]);
}

/* ---- scales ---- */

/** The step of 1, 2 or 5 times a power of ten that makes four to nine ticks up to the value. */
static double nice_step(double value) {
  double step = pow(10, floor(log10(value / 4)));
  if (value / step > 20) return 5 * step;
  return value / step > 9 ? 2 * step : step;
}

/** Collects the panel's lines and what must fit. */
static void survey(plot_panel *panel) {
  double most = 0;
  panel->low = INFINITY;
  panel->high = -INFINITY;
  for (size_t i = 0; i < panel->row_count; i++) {
    const bench_row *row = &panel->rows[i];
    if (!same_panel(panel->first, row)) continue;
    if (is_first(panel->rows, i, same_line) && panel->line_count < MAX_LINES)
      panel->lines[panel->line_count++].first = row;
    panel->low = fmin(panel->low, log2((double)row->n));
    panel->high = fmax(panel->high, log2((double)row->n));
    if (!row->wrong) most = fmax(most, bench_gb_per_s(row));
  }
  if (panel->high - panel->low < 1) {
    panel->low -= 1;
    panel->high += 1;
  }
  panel->step = nice_step(most > 0 ? most : 1);
  panel->top = panel->step * (floor(most / panel->step) + 1);
}

static double x_of(const plot_panel *panel, double exponent) {
  return LEFT + PLOT_WIDTH * (exponent - panel->low) / (panel->high - panel->low);
}

static double y_of(const plot_panel *panel, double value) {
  return panel->y + TITLE_HEIGHT + PLOT_HEIGHT * (1 - value / panel->top);
}

/* ---- text ---- */

static void put_escaped(FILE *file, const char *text, size_t length) {
  for (size_t i = 0; i < length && text[i]; i++) {
    switch (text[i]) {
    case '&': fputs("&amp;", file); break;
    case '<': fputs("&lt;", file); break;
    case '>': fputs("&gt;", file); break;
    case '"': fputs("&quot;", file); break;
    default:
      if ((unsigned char)text[i] >= 0x20) fputc(text[i], file);
    }
  }
}

/** Text that is escaped. @param attributes of the element, such as a class */
static void put_text(FILE *file, double x, double y, const char *attributes, const char *text) {
  fprintf(file, "<text x=\"%.1f\" y=\"%.1f\" %s>", x, y, attributes);
  put_escaped(file, text, strlen(text));
  fputs("</text>\n", file);
}

/** A long text in several lines. @return where the next one goes */
static double put_wrapped(FILE *file, double y, const char *text) {
  for (size_t left = strlen(text); left > 0;) {
    size_t take = left < WRAP_COLUMNS ? left : WRAP_COLUMNS;
    while (take < left && take > WRAP_COLUMNS / 2 && text[take] != ' ') take--;
    fprintf(file, "<text x=\"%d\" y=\"%.1f\" class=\"small\">", LEFT, y);
    put_escaped(file, text, take);
    fputs("</text>\n", file);
    text += take;
    left -= take;
    y += LINE_HEIGHT;
  }
  return y;
}

/** Bytes of input and output of n elements in binary units. */
static void format_bytes(double bytes, char *text, size_t text_bytes) {
  static const char *const units[] = { "B", "KiB", "MiB", "GiB", "TiB" };
  size_t unit = 0;
  for (; bytes >= 1024 && unit + 1 < sizeof units / sizeof units[0]; unit++) bytes /= 1024;
  snprintf(text, text_bytes, "%.3g %s", bytes, units[unit]);
}

/* ---- axes ---- */

static void draw_x_tick(FILE *file, const plot_panel *panel, int exponent) {
  char bytes[32];
  double x = x_of(panel, exponent), base = y_of(panel, 0);
  double item_bytes = (double)panel->first->bytes / (double)panel->first->n;
  format_bytes(ldexp(item_bytes, exponent), bytes, sizeof bytes);
  fprintf(file, "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" class=\"grid\"/>\n", x, base, x,
          y_of(panel, panel->top));
  fprintf(file,
          "<text x=\"%.1f\" y=\"%.1f\" class=\"tick middle\">2<tspan dy=\"-6\" font-size=\"9\">%d</tspan></text>\n", x,
          base + 18, exponent);
  put_text(file, x, base + 34, "class=\"small middle\"", bytes);
}

static void draw_x_axis(FILE *file, const plot_panel *panel) {
  int first = (int)ceil(panel->low), last = (int)floor(panel->high);
  int step = (last - first) / X_TICKS + 1;
  for (int exponent = first; exponent <= last; exponent += step) draw_x_tick(file, panel, exponent);
  put_text(file, LEFT + PLOT_WIDTH / 2.0, y_of(panel, 0) + 54, "class=\"label middle\"",
           "n, elements (below: bytes read and written)");
}

static void draw_y_axis(FILE *file, const plot_panel *panel) {
  char text[32], attributes[96];
  int ticks = (int)lround(panel->top / panel->step);
  for (int i = 0; i <= ticks; i++) {
    double value = i * panel->step, y = y_of(panel, value);
    fprintf(file, "<line x1=\"%d\" y1=\"%.1f\" x2=\"%d\" y2=\"%.1f\" class=\"%s\"/>\n", LEFT, y, LEFT + PLOT_WIDTH, y,
            i ? "grid" : "axis");
    snprintf(text, sizeof text, "%.6g", value);
    put_text(file, LEFT - 8, y + 4, "class=\"tick end\"", text);
  }
  double middle = y_of(panel, panel->top / 2);
  snprintf(attributes, sizeof attributes, "class=\"label middle\" transform=\"rotate(-90 24 %.1f)\"", middle);
  put_text(file, 24, middle, attributes, "GB/s");
}

/* ---- lines ---- */

/** The place of a line among those that have a colour of their own. A copy has that of its device's first line. */
static size_t colour_index(const plot_panel *panel, size_t line) {
  const bench_row *row = panel->lines[line].first;
  size_t coloured = 0;
  for (size_t i = 0; i < line; i++) {
    if (is_ceiling(panel->lines[i].first)) continue;
    if (is_ceiling(row) && !strcmp(panel->lines[i].first->device.selector, row->device.selector)) break;
    coloured++;
  }
  return coloured;
}

/** Colours that people with any colour vision tell apart (Okabe and Ito, 2008). */
static const char *colour_of(const plot_panel *panel, size_t line) {
  static const char *const colours[] = { "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#a6761d", "#56b4e9", "#7a4fbf" };
  return colours[colour_index(panel, line) % (sizeof colours / sizeof colours[0])];
}

/** A marker; its form too differs from line to line. */
static void draw_marker(FILE *file, double x, double y, size_t form, const char *colour) {
  switch (form % 3) {
  case 0: fprintf(file, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3.5\" fill=\"%s\"/>\n", x, y, colour); break;
  case 1:
    fprintf(file, "<rect x=\"%.1f\" y=\"%.1f\" width=\"7\" height=\"7\" fill=\"%s\"/>\n", x - 3.5, y - 3.5, colour);
    break;
  default: fprintf(file, "<path d=\"M%.1f %.1fl4.5 8h-9z\" fill=\"%s\"/>\n", x, y - 5, colour); break;
  }
}

static int by_n(const void *a, const void *b) {
  uint64_t x = (*(const bench_row *const *)a)->n, y = (*(const bench_row *const *)b)->n;
  return (x > y) - (x < y);
}

/** The rows of a line in the order of n. @return how many; `sorted` has room for all rows */
static size_t sort_line(const plot_panel *panel, const plot_line *line, const bench_row **sorted) {
  size_t count = 0;
  for (size_t i = 0; i < panel->row_count; i++)
    if (on_line(line, &panel->rows[i])) sorted[count++] = &panel->rows[i];
  qsort(sorted, count, sizeof *sorted, by_n);
  return count;
}

static void draw_line(FILE *file, const plot_panel *panel, size_t index, const bench_row **sorted) {
  const plot_line *line = &panel->lines[index];
  const char *colour = colour_of(panel, index);
  size_t count = sort_line(panel, line, sorted);
  fprintf(file, "<polyline class=\"line\" stroke=\"%s\"%s points=\"", colour,
          is_ceiling(line->first) ? " stroke-dasharray=\"7 5\"" : "");
  for (size_t i = 0; i < count; i++)
    fprintf(file, "%s%.1f,%.1f", i ? " " : "", x_of(panel, log2((double)sorted[i]->n)),
            y_of(panel, bench_gb_per_s(sorted[i])));
  fputs("\"/>\n", file);
  for (size_t i = 0; i < count && !is_ceiling(line->first); i++)
    draw_marker(file, x_of(panel, log2((double)sorted[i]->n)), y_of(panel, bench_gb_per_s(sorted[i])), index, colour);
}

static void draw_legend(FILE *file, const plot_panel *panel) {
  char text[BENCH_LABEL_BYTES + 64];
  for (size_t i = 0; i < panel->line_count; i++) {
    const bench_row *row = panel->lines[i].first;
    double y = panel->y + TITLE_HEIGHT + 10 + (double)(i * LEGEND_STEP);
    fprintf(file, "<line x1=\"%d\" y1=\"%.1f\" x2=\"%d\" y2=\"%.1f\" stroke=\"%s\" stroke-width=\"2\"%s/>\n",
            LEGEND_LEFT, y, LEGEND_LEFT + 34, y, colour_of(panel, i),
            is_ceiling(row) ? " stroke-dasharray=\"7 5\"" : "");
    if (!is_ceiling(row)) draw_marker(file, LEGEND_LEFT + 17, y, i, colour_of(panel, i));
    snprintf(text, sizeof text, "%s %s", row->device.selector, row->series);
    put_text(file, LEGEND_LEFT + 42, y + 4, "class=\"tick\"", text);
  }
}

/* ---- the page ---- */

static void draw_panel(FILE *file, plot_panel *panel, const bench_request *request, const bench_row **sorted) {
  char title[256], segments[BENCH_LABEL_BYTES] = "";
  const bench_row *row = panel->first;
  scan_type input_type = bench_input_type(&row->spec);
  int widens = input_type != row->spec.type;
  survey(panel);
  if (*row->told_by) snprintf(segments, sizeof segments, ", segments of %s by %s", row->length, row->told_by);
  snprintf(title, sizeof title, "%s %s of %s%s%s%s%s%s, %s", bench_kind_name(row->spec.kind), bench_op_name(row),
           bench_input_type_name(row), widens ? " to " : "", widens ? bench_type_name(row) : "",
           request->check_overflow ? ", checked for overflow" : "", request->in_place ? ", in place" : "", segments,
           row->mode == BENCH_GRAPH ? "CUDA graph" : "eager calls");
  put_text(file, LEFT, panel->y + TITLE_HEIGHT - 16, "class=\"title\"", title);
  draw_x_axis(file, panel);
  draw_y_axis(file, panel);
  for (size_t i = 0; i < panel->line_count; i++) draw_line(file, panel, i, sorted);
  draw_legend(file, panel);
}

static int same_device(const bench_row *a, const bench_row *b) {
  return is_plotted(a) && !strcmp(a->device.selector, b->device.selector);
}

/** Devices, command and how to read it. */
static void draw_caption(FILE *file, const bench_report *report, double y) {
  char text[BENCH_COMMAND_BYTES + 64];
  for (size_t i = 0; i < report->row_count; i++) {
    const scan_device_info *device = &report->rows[i].device;
    if (!is_first(report->rows, i, same_device)) continue;
    snprintf(text, sizeof text, "%s: %s; %s", device->selector, device->name, device->driver);
    y = put_wrapped(file, y, text);
  }
  snprintf(text, sizeof text, "Medians of %" PRIu64 ". Dashed: a copy of as many bytes in the same run. scanrt %s",
           report->request->reps, scan_version());
  y = put_wrapped(file, y, text);
  put_wrapped(file, y, report->request->command);
}

static void draw_head(FILE *file, int height) {
  fprintf(file,
          "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
          "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\">\n",
          WIDTH, height, WIDTH, height);
  fputs("<style>text{font-family:sans-serif;fill:#222}.title{font-size:16px;font-weight:bold}.label{font-size:13px}"
        ".tick{font-size:12px}.small{font-size:10px;fill:#555}.middle{text-anchor:middle}.end{text-anchor:end}"
        ".grid{stroke:#ddd}.axis{stroke:#222}.line{fill:none;stroke-width:2;stroke-linejoin:round}</style>\n",
        file);
  /* White, for viewers that are dark. */
  fprintf(file, "<rect width=\"%d\" height=\"%d\" fill=\"#fff\"/>\n", WIDTH, height);
}

/** Lines that the caption may take. */
static int caption_height(const bench_report *report) {
  int lines = 4 + (int)strlen(report->request->command) / (WRAP_COLUMNS / 2);
  for (size_t i = 0; i < report->row_count; i++) lines += is_first(report->rows, i, same_device);
  return lines * LINE_HEIGHT;
}

static void draw(FILE *file, const bench_report *report, const bench_row **sorted) {
  int panels = 0;
  for (size_t i = 0; i < report->row_count; i++) panels += is_first(report->rows, i, same_panel);
  draw_head(file, panels * PANEL_HEIGHT + caption_height(report));
  double y = 0;
  for (size_t i = 0; i < report->row_count; i++) {
    if (!is_first(report->rows, i, same_panel)) continue;
    plot_panel panel = { .first = &report->rows[i], .rows = report->rows, .row_count = report->row_count, .y = y };
    draw_panel(file, &panel, report->request, sorted);
    y += PANEL_HEIGHT;
  }
  draw_caption(file, report, y + LINE_HEIGHT);
  fputs("</svg>\n", file);
}

int bench_plot(const bench_report *report, const char *path) {
  const bench_row **sorted = malloc((report->row_count + 1) * sizeof *sorted);
  if (!sorted) return cli_fail("no memory for the plot");
  FILE *file = fopen(path, "w");
  if (!file) {
    free(sorted);
    return cli_fail("cannot create %s: %s", path, strerror(errno));
  }
  draw(file, report, sorted);
  free(sorted);
  int failed = ferror(file);
  if (fclose(file) != 0 || failed) return cli_fail("cannot write %s", path);
  return CLI_OK;
}
