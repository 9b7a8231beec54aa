/* SPDX-License-Identifier: BSD-2-Clause */
/** @file bench_array.c @brief Arrays of lines and backward scans in `scanrt bench`: options, plans and references. */
#define _POSIX_C_SOURCE 200809L
#include "bench_scan.h"
#include "reference.h"
#include "reference_operator.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- options ---- */

int bench_parse_shape(const char *command, const char *text, void *request) {
  bench_request *r = request;
  uint64_t n = 1;
  char part[32];
  r->ndim = 0;
  for (const char *at = text; at != NULL;) {
    const size_t length = strcspn(at, ",");
    if (length >= sizeof part) return cli_usage(command, "--shape '%s' is out of range", text);
    if (r->ndim == SCAN_ARRAY_MAX_AXES)
      return cli_usage(command, "--shape '%s' has more than %d axes", text, SCAN_ARRAY_MAX_AXES);
    memcpy(part, at, length);
    part[length] = '\0';
    int rc = cli_parse_count(command, "--shape", part, &r->shape[r->ndim]);
    if (rc != CLI_OK) return rc;
    if (r->shape[r->ndim] == 0 || n > UINT64_MAX / 64 / r->shape[r->ndim])
      return cli_usage(command, "--shape '%s' is out of range", text);
    n *= r->shape[r->ndim++];
    at = at[length] ? at + length + 1 : NULL;
  }
  r->sizes[0] = n;
  return CLI_OK;
}

int bench_parse_axis(const char *command, const char *text, void *request) {
  bench_request *r = request;
  uint64_t axis = 0;
  int rc = cli_parse_count(command, "--axis", text, &axis);
  if (rc == CLI_OK && axis >= SCAN_ARRAY_MAX_AXES) return cli_usage(command, "--axis '%s' is out of range", text);
  if (rc == CLI_OK) r->axes |= 1u << axis;
  return rc;
}

int bench_check_shape(const char *command, bench_request *r) {
  if (r->ndim == 0 && (r->axes || r->totals))
    return cli_usage(command, "--%s needs --shape", r->axes ? "axis" : "total");
  if (r->ndim == 0) return CLI_OK;
  if (r->totals && (r->kinds[SCAN_EXCLUSIVE] || r->in_place || r->segments || r->source_count))
    return cli_usage(command, "--total has no --exclusive, --in-place, --segments or --op-source");
  if (r->size_count || r->strategy_count) return cli_usage(command, "--shape excludes --n, --strategy and --gallery");
  if (r->axes >> r->ndim) return cli_usage(command, "--shape has %u axes, from 0 to %u", r->ndim, r->ndim - 1);
  if (!r->axes) r->axes = (1u << r->ndim) - 1;
  r->size_count = 1;
  return CLI_OK;
}

/* ---- references ---- */

enum { LINES_AT_ONCE = 16 }; /* neighbouring lines: a cache line holds as many elements */

/** Copies one item. A constant size lets the compiler inline memcpy. */
static void copy_item(char *to, const char *from, uint64_t bytes) {
  if (bytes == 1) memcpy(to, from, 1);
  if (bytes == 2) memcpy(to, from, 2);
  if (bytes == 4) memcpy(to, from, 4);
  if (bytes == 8) memcpy(to, from, 8);
  if (bytes != 1 && bytes != 2 && bytes != 4 && bytes != 8) memcpy(to, from, (size_t)bytes);
}

/** Copies lines. Element i of line l lies at from + i * from_step + l * from_line. */
static void copy_lines(char *to, uint64_t to_step, uint64_t to_line, const char *from, uint64_t from_step,
                       uint64_t from_line, uint64_t n, uint64_t lines, uint64_t bytes, int backward) {
  for (uint64_t i = 0; i < n; i++)
    for (uint64_t l = 0; l < lines; l++)
      copy_item(to + i * to_step + l * to_line, from + (backward ? n - 1 - i : i) * from_step + l * from_line, bytes);
}

/** Computes the reference of one contiguous line. */
static void scan_line(const bench_state *bench, int sequential, const uint8_t *segment_flags, uint64_t n,
                      const void *in, void *out) {
  const scan_composite_facts *composite = bench->composite;
  if (composite) {
    const struct reference_operator op = { composite->value_bytes, composite->host, 0, NULL };
    const void *seed = bench->spec.kind == SCAN_EXCLUSIVE ? composite->identity : NULL;
    reference_operator_segmented(&op, sequential, bench->spec.kind, seed, segment_flags, n, in, out);
    return;
  }
  scan_spec spec = bench->spec;
  spec.strategy = sequential ? SCAN_STRATEGY_SEQUENTIAL : SCAN_STRATEGY_AUTO;
  reference_segmented(&spec, segment_flags, n, in, out);
}

/** Returns the map of the composite under test; NULL: none. */
static const scan_op_source *map_of(const bench_state *bench) {
  return bench->composite ? source_composite_map(bench->which) : NULL;
}

/** Computes the reference of each line. The elements of `inner` neighbouring lines are interleaved; there are
 * `outer` such groups. */
static void scan_lines(const bench_state *bench, int sequential, uint64_t n, uint64_t inner, uint64_t outer,
                       const char *in, char *out, char *line[2]) {
  const uint64_t out_bytes = bench_item_bytes(bench), in_bytes = map_of(bench) ? out_bytes : bench_input_bytes(bench);
  const int backward = (bench->spec.flags & SCAN_BACKWARD) != 0;
  for (uint64_t l = 0, lines; l < inner * outer; l += lines) {
    const uint64_t first = l / inner * inner * n + l % inner, rest = inner - l % inner;
    lines = rest < LINES_AT_ONCE ? rest : LINES_AT_ONCE;
    copy_lines(line[0], in_bytes, n * in_bytes, in + first * in_bytes, inner * in_bytes, in_bytes, n, lines, in_bytes,
               backward);
    for (uint64_t k = 0; k < lines; k++)
      scan_line(bench, sequential, NULL, n, line[0] + k * n * in_bytes, line[1] + k * n * out_bytes);
    copy_lines(out + first * out_bytes, inner * out_bytes, out_bytes, line[1], out_bytes, n * out_bytes, n, lines,
               out_bytes, backward);
  }
}

/** The array as groups of `inner` neighbouring lines, whose elements are interleaved. Without an axis it is one line.
 */
typedef struct axis_view {
  uint64_t length, inner, outer;
} axis_view;

static axis_view view_along(const bench_state *bench, int axis) {
  const bench_request *r = bench->request;
  axis_view view = { .length = bench->n, .inner = 1, .outer = 1 };
  for (int a = 0; axis >= 0 && a < (int)r->ndim; a++) {
    if (a < axis) view.outer *= r->shape[a];
    if (a == axis) view.length = r->shape[a];
    if (a > axis) view.inner *= r->shape[a];
  }
  return view;
}

uint64_t bench_totals(const bench_state *bench, int axis) {
  const axis_view view = view_along(bench, axis);
  return view.inner * view.outer;
}

void bench_keep_totals(const bench_state *bench, int axis, void *results) {
  const axis_view view = view_along(bench, axis);
  const uint64_t bytes = view.inner * bench_item_bytes(bench);
  const uint64_t last = bench->spec.flags & SCAN_BACKWARD ? 0 : view.length - 1;
  for (uint64_t group = 0; group < view.outer; group++)
    memmove((char *)results + group * bytes, (char *)results + (group * view.length + last) * bytes, (size_t)bytes);
}

/** Computes the reference of values. */
static int values_scan(const bench_state *bench, int sequential, int axis, const uint8_t *segment_flags, const void *in,
                       void *out) {
  const axis_view view = view_along(bench, axis);
  const uint64_t length = view.length, inner = view.inner, outer = view.outer;
  if (axis < 0 && !(bench->spec.flags & SCAN_BACKWARD)) {
    scan_line(bench, sequential, segment_flags, bench->n, in, out);
    return 0;
  }
  const size_t line_items = (size_t)length * (inner < LINES_AT_ONCE ? inner : LINES_AT_ONCE);
  const size_t line_bytes = line_items * (size_t)(bench_input_bytes(bench) + bench_item_bytes(bench));
  char *line[2] = { malloc(line_bytes), malloc(line_bytes) };
  const int failed = line[0] == NULL || line[1] == NULL;
  if (!failed) scan_lines(bench, sequential, length, inner, outer, in, out, line);
  free(line[0]);
  free(line[1]);
  return failed ? -1 : 0;
}

int bench_reference(const bench_state *bench, int sequential, int axis, const uint8_t *segment_flags, const void *in,
                    void *out) {
  const scan_op_source *const map = map_of(bench);
  if (!map) return values_scan(bench, sequential, axis, segment_flags, in, out);
  char *const values = malloc((size_t)bench->n * map->value_bytes);
  for (uint64_t i = 0; values && i < bench->n; i++)
    map->map_host((const char *)in + i * map->input_bytes, i, values + i * map->value_bytes, NULL);
  const int failed = !values || values_scan(bench, sequential, axis, segment_flags, values, out) != 0;
  free(values);
  return failed ? -1 : 0;
}
