/* SPDX-License-Identifier: BSD-2-Clause */
/* Kernels of a user, one text for CUDA C++ and OpenCL C: it follows the text of scanrt/device/lookback.h and the number
 * SCANRT_GROUP_ITEMS. */
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

/* A map z -> a z + b of integers, which compose exactly. */
typedef struct test_map {
  scanrt_device_u32 a, b;
} test_map;

SCANRT_FUNC test_map test_map_of(scanrt_device_u32 x) {
  test_map f;
  f.a = 2 * x + 1;
  f.b = x;
  return f;
}
SCANRT_FUNC test_map test_compose_maps(test_map f, test_map g) {
  test_map h;
  h.a = g.a * f.a;
  h.b = g.a * f.b + g.b;
  return h;
}

SCANRT_DEFINE_GROUP_SUM(sum, scanrt_device_u32)
SCANRT_DEFINE_GROUP_SUM(floats, float)
SCANRT_DEFINE_GROUP(maps, test_map, test_compose_maps)
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

/* Writes as test_repeat does, by half as many work-groups: each takes two tickets and publishes both before it waits.
 */
SCANRT_KERNEL test_repeat_twice(SCANRT_GLOBAL const scanrt_device_u32 *counts, scanrt_device_u32 n,
                                SCANRT_GLOBAL scanrt_device_u32 *out, scanrt_state state) {
  SCANRT_SHARED scanrt_scratch scratch;
  scanrt_device_u32 ticket[2], count[2], i[2];
  scanrt_place at[2];
  for (int t = 0; t < 2; t++) {
    ticket[t] = scanrt_ticket(state, &scratch);
    i[t] = ticket[t] * SCANRT_GROUP_ITEMS + SCANRT_ITEM();
    count[t] = i[t] < n ? counts[i[t]] : 0;
    at[t] = scanrt_publish(state, ticket[t], count[t], &scratch);
  }
  for (int t = 0; t < 2; t++) {
    at[t] = scanrt_await(state, ticket[t], 2 * SCANRT_GROUPS(), at[t], &scratch);
    if (at[t].is_valid)
      for (scanrt_device_u32 k = 0; k < count[t]; k++) out[at[t].first + k] = i[t];
  }
  scanrt_leave(state);
}

/* Stores sums of floats, TEST_FLOATS of each work-item. */
#define TEST_FLOATS (3 + TEST_VALUES)
SCANRT_KERNEL test_floats(SCANRT_GLOBAL const float *x, SCANRT_GLOBAL float *out, scanrt_state state) {
  SCANRT_SHARED scanrt_scratch ticket_scratch;
  SCANRT_SHARED scanrt_scratch_floats scratch;
  const scanrt_device_u32 group = scanrt_ticket(state, &ticket_scratch);
  const scanrt_device_u32 i = group * SCANRT_GROUP_ITEMS + SCANRT_ITEM();
  SCANRT_GLOBAL float *const to = out + i * TEST_FLOATS;
  float v[TEST_VALUES];
  for (scanrt_device_u32 k = 0; k < TEST_VALUES; k++) v[k] = x[i] + (float)k;
  to[0] = scanrt_inclusive_floats(x[i], &scratch);
  to[1] = scanrt_exclusive_floats(x[i], 0.5f, &scratch);
  to[2] = scanrt_reduce_floats(x[i], &scratch);
  scanrt_inclusive_items_floats(v, TEST_VALUES, &scratch);
  for (scanrt_device_u32 k = 0; k < TEST_VALUES; k++) to[3 + k] = v[k];
  (void)scanrt_allocate(state, group, 0, &ticket_scratch);
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

/* Defines a kernel that stores the results of every function of group.h, TEST_RESULTS of each work-item. value_of(x)
 * makes a value from an element, and number_of(v) a number from a value. values: TEST_VALUES, as a constant or not.
 * Work-item 0 has the results that others lack. */
#define TEST_RESULTS (9 + 2 * TEST_VALUES)
#define TEST_DEFINE_GROUP(kernel_name, name, value, value_of, number_of, values)                                       \
  SCANRT_KERNEL kernel_name(SCANRT_GLOBAL const scanrt_device_u32 *x, SCANRT_GLOBAL scanrt_device_u32 *out,            \
                            scanrt_state state) {                                                                      \
    SCANRT_SHARED scanrt_scratch ticket_scratch;                                                                       \
    SCANRT_SHARED scanrt_scratch_##name scratch;                                                                       \
    const scanrt_device_u32 group = scanrt_ticket(state, &ticket_scratch);                                             \
    const scanrt_device_u32 i = group * SCANRT_GROUP_ITEMS + SCANRT_ITEM(), is_root = SCANRT_ITEM() == 0;              \
    const value own = value_of(x[i]), initial = value_of(7u);                                                          \
    SCANRT_GLOBAL scanrt_device_u32 *const to = out + i * TEST_RESULTS;                                                \
    value v[TEST_VALUES], w[TEST_VALUES], root;                                                                        \
    for (scanrt_device_u32 k = 0; k < (values); k++) v[k] = w[k] = value_of(x[i] + k);                                 \
    to[0] = number_of(scanrt_reduce_items_##name(v, values, &scratch));                                                \
    root = scanrt_reduce_root_items_##name(v, values, &scratch);                                                       \
    to[1] = is_root ? number_of(root) : 0u;                                                                            \
    to[2] = number_of(scanrt_inclusive_##name(own, &scratch));                                                         \
    to[3] = number_of(scanrt_exclusive_##name(own, initial, &scratch));                                                \
    to[4] = number_of(scanrt_reduce_##name(own, &scratch));                                                            \
    to[5] = number_of(scanrt_reduce_first_##name(own, 1 + group * 37 % SCANRT_GROUP_ITEMS, &scratch));                 \
    to[6] = number_of(scanrt_row_reduce_##name(own, &scratch));                                                        \
    to[7] = number_of(scanrt_row_inclusive_##name(own, &scratch));                                                     \
    to[8] = number_of(scanrt_row_exclusive_##name(own, initial, &scratch));                                            \
    scanrt_inclusive_items_##name(v, values, &scratch);                                                                \
    scanrt_exclusive_items_##name(w, values, initial, &scratch);                                                       \
    for (scanrt_device_u32 k = 0; k < (values); k++) to[9 + k] = number_of(v[k]);                                      \
    for (scanrt_device_u32 k = 0; k < (values); k++) to[9 + TEST_VALUES + k] = number_of(w[k]);                        \
    (void)scanrt_allocate(state, group, 0, &ticket_scratch);                                                           \
  }
#define TEST_SAME(x) (x)
#define TEST_PART(f) ((f).b)
TEST_DEFINE_GROUP(test_sum, sum, scanrt_device_u32, TEST_SAME, TEST_SAME, TEST_VALUES)
TEST_DEFINE_GROUP(test_maps, maps, test_map, test_map_of, TEST_PART, SCANRT_GROUPS() == 0 ? 1u : TEST_VALUES)
