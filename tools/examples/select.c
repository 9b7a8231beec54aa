/* SPDX-License-Identifier: BSD-2-Clause */
/* Stream compaction: the numbers between two bounds, in order and without gaps, and their indices. The bounds are
 * parameters of the predicate, so that other bounds need no other program. Build: cc select.c -lscanrt */
#include <stdint.h>
#include <stdio.h>

#include <scanrt/scan_select.h>

SCAN_OP_TEXT(
    text,
    typedef struct bounds {
      float low;
      float high;
    } bounds;

    static inline int is_inside(float x, uint64_t index, bounds b) {
      (void)index;
      return x >= b.low && x < b.high;
    });
SCAN_KEEP_PARAMS_HOST(is_inside_on_host, float, bounds, is_inside);

enum { N = 100000 };
static float in[N], out[N];
static uint32_t place[N];

/* Compares with a plain loop. */
static int is_right(uint64_t kept, bounds b) {
  uint64_t k = 0;
  for (uint32_t i = 0; i < N; i++)
    if (is_inside(in[i], i, b) && (out[k] != in[i] || place[k++] != i)) return 0;
  return k == kept;
}

/* Selects the elements, and their indices by the same predicate. */
static scan_status select_both(scan_ctx *ctx, scan_op *predicate, const bounds *b, uint64_t *kept) {
  scan_select_spec elements = SCAN_SELECT_SPEC_INIT(SCAN_SELECT_PREDICATE, sizeof(float));
  scan_select_spec indices = SCAN_SELECT_INDEX_INIT(SCAN_SELECT_PREDICATE, SCAN_U32);
  scan_select_args args = { .struct_bytes = sizeof args, .params = b, .count = scan_host(kept) };
  elements.predicate = indices.predicate = predicate;
  args.in[0] = scan_host(in);
  args.out[0] = scan_host(out);
  const scan_status status = scan_select(ctx, &elements, N, &args);
  if (status != SCAN_SUCCESS) return status;
  args.marks = args.in[0];
  args.in[0] = SCAN_NO_MEM;
  args.out[0] = scan_host(place);
  return scan_select(ctx, &indices, N, &args);
}

int main(void) {
  static const bounds both[] = { { 0.25f, 0.75f }, { 0.5f, 0.51f } };
  scan_predicate_source source = SCAN_PREDICATE_PARAMS_INIT(text, float, is_inside, bounds);
  scan_ctx *ctx = NULL;
  scan_op *predicate = NULL;
  int right = 1;
  for (uint32_t i = 0; i < N; i++) in[i] = (float)(i * 2654435761u >> 8) * 0x1p-24f;
  source.host = is_inside_on_host;
  scan_status status = scan_ctx_create(NULL, &ctx);
  if (status == SCAN_SUCCESS) status = scan_predicate_create(ctx, &source, &predicate);
  for (int i = 0; i < 2 && status == SCAN_SUCCESS; i++) {
    uint64_t kept = 0;
    status = select_both(ctx, predicate, &both[i], &kept);
    if (status != SCAN_SUCCESS) break;
    right = right && is_right(kept, both[i]);
    printf("%llu of %d from %.2f to %.2f, %s\n", (unsigned long long)kept, N, both[i].low, both[i].high,
           right ? "as the loop keeps them" : "WRONG");
  }
  if (status != SCAN_SUCCESS) fprintf(stderr, "%s: %s\n", scan_status_name(status), scan_last_error(ctx));
  scan_op_destroy(predicate);
  scan_ctx_destroy(ctx);
  return status != SCAN_SUCCESS || !right;
}
