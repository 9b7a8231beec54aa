/* SPDX-License-Identifier: BSD-2-Clause */
/* Stream compaction: the elements that a predicate keeps, in order and without gaps. One scan reads the elements and
 * writes the target index of each, or GONE: map asks the predicate, the scan counts, emit writes the index. Build: cc
 * compaction.c -lscanrt */
#include <stdint.h>
#include <stdio.h>

#include <scanrt/scan.h>

SCAN_OP_TEXT(
    text,
    static inline uint32_t is_kept(float x, uint64_t index) {
      (void)index;
      return x > 0.5f;
    }

    static inline uint32_t count(uint32_t a, uint32_t b) { return a + b; }

    static inline uint32_t place(uint32_t upto, uint32_t before, float x, uint64_t index) {
      (void)upto;
      return is_kept(x, index) ? before : 0xffffffffu;
    });
SCAN_OP_HOST(count_on_host, uint32_t, count);
SCAN_MAP_HOST(is_kept_on_host, float, uint32_t, is_kept);
SCAN_EMIT_HOST(place_on_host, uint32_t, float, uint32_t, place);

#define GONE UINT32_MAX
enum { N = 100000 };
static float in[N], out[N];
static uint32_t to[N];

/* Moves the elements on the host. On a device a kernel of the application does so, with one work-item an element. */
static uint32_t scatter(void) {
  uint32_t kept = 0;
  for (uint32_t i = 0; i < N; i++) {
    if (to[i] == GONE) continue;
    out[to[i] < N ? to[i] : 0] = in[i];
    kept++;
  }
  return kept;
}

/* Compares with a plain loop. */
static int is_right(uint32_t kept) {
  uint32_t k = 0;
  for (uint32_t i = 0; i < N; i++)
    if (in[i] > 0.5f && out[k++] != in[i]) return 0;
  return k == kept;
}

int main(void) {
  static const uint32_t none = 0;
  scan_op_source source = SCAN_OP_SOURCE_INIT(text, uint32_t, count);
  scan_spec spec = SCAN_SPEC_INIT(SCAN_TYPE_DEFAULT, SCAN_OP_NONE, SCAN_INCLUSIVE);
  scan_ctx *ctx = NULL;
  for (uint32_t i = 0; i < N; i++) in[i] = (float)(i * 2654435761u >> 8) * 0x1p-24f;

  source.identity = &none; /* the value before the first element, for emit */
  source.host = count_on_host;
  source.loops = &count_on_host_loops;
  source.map = "is_kept";
  source.input_type = "float";
  source.input_bytes = source.input_align = sizeof(float);
  source.map_host = is_kept_on_host;
  source.map_loop = is_kept_on_host_loop;
  source.emit = "place";
  source.output_type = "uint32_t";
  source.output_bytes = source.output_align = sizeof(uint32_t);
  source.emit_host = place_on_host;
  source.emit_loop = place_on_host_loop;
  scan_status status = scan_ctx_create(NULL, &ctx);
  if (status == SCAN_SUCCESS) status = scan_op_create(ctx, &source, &spec.custom_op);
  if (status == SCAN_SUCCESS) status = scan_run(ctx, &spec, N, scan_host(in), scan_host(to));
  const uint32_t kept = status == SCAN_SUCCESS ? scatter() : 0;
  const int right = status == SCAN_SUCCESS && is_right(kept);
  if (status != SCAN_SUCCESS)
    fprintf(stderr, "%s: %s\n", scan_status_name(status), scan_last_error(ctx));
  else
    printf("%u of %d kept, %s\n", kept, N, right ? "as the loop keeps them" : "WRONG");
  scan_op_destroy(spec.custom_op);
  scan_ctx_destroy(ctx);
  return !right;
}
