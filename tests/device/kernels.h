/* SPDX-License-Identifier: BSD-2-Clause */
/* Kernels of a user, one text for CUDA C++ and OpenCL C: it follows the text of scanrt/device/lookback.h and the number
 * SCANRT_GROUP_ITEMS. */
#define TEST_ADD(a, b) ((a) + (b))
#define TEST_VALUES 4

typedef struct test_affine {
  float a, b;
} test_affine;

SCANRT_FUNC test_affine test_compose(test_affine f, test_affine g) {
  test_affine h;
  h.a = g.a * f.a;
  h.b = g.a * f.b + g.b;
  return h;
}

SCANRT_DEFINE_GROUP(sum, scanrt_device_u32, TEST_ADD)
SCANRT_DEFINE_GROUP(affine, test_affine, test_compose)
SCANRT_DEFINE_LOOKBACK(affine, test_affine, test_compose)

/* Writes each element as often as its value says, with its index. */
SCANRT_KERNEL test_repeat(SCANRT_GLOBAL const scanrt_device_u32 *counts, scanrt_device_u32 n,
                          SCANRT_GLOBAL scanrt_device_u32 *out, scanrt_state state) {
  SCANRT_SHARED scanrt_scratch scratch;
  const scanrt_device_u32 ticket = scanrt_ticket(state, &scratch);
  const scanrt_device_u32 i = ticket * SCANRT_GROUP_ITEMS + SCANRT_ITEM(), count = i < n ? counts[i] : 0;
  const scanrt_place at = scanrt_allocate(state, ticket, count, &scratch);
  if (at.is_valid)
    for (scanrt_device_u32 k = 0; k < count; k++) out[at.first + k] = i;
}

/* Composes maps x -> a x + b, one a work-item. */
SCANRT_KERNEL test_recur(SCANRT_GLOBAL const float *a, SCANRT_GLOBAL const float *b, scanrt_device_u32 n,
                         SCANRT_GLOBAL float *out, scanrt_state state) {
  SCANRT_SHARED scanrt_scratch ticket_scratch;
  SCANRT_SHARED scanrt_scratch_affine scratch;
  const scanrt_device_u32 ticket = scanrt_ticket(state, &ticket_scratch);
  const scanrt_device_u32 i = ticket * SCANRT_GROUP_ITEMS + SCANRT_ITEM();
  scanrt_device_u32 is_valid;
  test_affine own, start;
  own.a = i < n ? a[i] : 1;
  own.b = i < n ? b[i] : 0;
  start.a = 1;
  start.b = 0;
  const test_affine inclusive = scanrt_inclusive_affine(own, &scratch), all = scanrt_total_affine(&scratch);
  const test_affine before = scanrt_prefix_affine(state, ticket, all, start, &is_valid, &scratch);
  if (i < n && is_valid) out[i] = test_compose(before, inclusive).b;
}

/* Per work-group: inclusive and exclusive sums, the total and that of the first 1 + group % items, and inclusive sums
 * of TEST_VALUES consecutive values a work-item. */
SCANRT_KERNEL test_group(SCANRT_GLOBAL const scanrt_device_u32 *x, SCANRT_GLOBAL scanrt_device_u32 *inclusive,
                         SCANRT_GLOBAL scanrt_device_u32 *exclusive, SCANRT_GLOBAL scanrt_device_u32 *totals,
                         SCANRT_GLOBAL scanrt_device_u32 *several, scanrt_state state) {
  SCANRT_SHARED scanrt_scratch ticket_scratch;
  SCANRT_SHARED scanrt_scratch_sum scratch;
  const scanrt_device_u32 group = scanrt_ticket(state, &ticket_scratch), i = group * SCANRT_GROUP_ITEMS + SCANRT_ITEM();
  scanrt_device_u32 v[TEST_VALUES];
  inclusive[i] = scanrt_inclusive_sum(x[i], &scratch);
  exclusive[i] = scanrt_exclusive_sum(x[i], 7u, &scratch);
  totals[2 * i] = scanrt_reduce_sum(x[i], &scratch);
  totals[2 * i + 1] = scanrt_reduce_first_sum(x[i], 1 + group % SCANRT_GROUP_ITEMS, &scratch);
  for (int k = 0; k < TEST_VALUES; k++) v[k] = x[i] + k;
  scanrt_inclusive_items_sum(v, TEST_VALUES, &scratch);
  for (int k = 0; k < TEST_VALUES; k++) several[i * TEST_VALUES + k] = v[k];
  (void)scanrt_allocate(state, group, 0, &ticket_scratch);
}
