/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests several devices of an application, in one context and in several, and sub-devices. */
#include "opencl_lane.h"
#include "reference.h"

#include <string.h>

enum { N = OPENCL_LANE_ITEMS, BYTES = OPENCL_LANE_BYTES };

/* Closes the lane and releases its queue. Returns its cl_context. */
static cl_context close_lane(opencl_lane *lane) {
  cl_context context = lane->context;
  cl_command_queue queue = lane->queue;
  opencl_lane_close(lane);
  CL_OK(clReleaseCommandQueue(queue));
  return context;
}

/* ---- two devices ---- */

static int needs_two(cl_device_id devices[2]) {
  devices[0] = opencl_app_device();
  devices[1] = opencl_app_other_device();
  if (devices[1] != NULL) return 1;
  test_skipped("the platform of %s has one device, and the test needs two", test_selector());
  return 0;
}

/* A cl_context of both devices, and a scan_ctx for each; alternately in one thread, and in threads. */
static void test_two_devices(void **state) {
  (void)state;
  cl_device_id devices[2];
  if (!needs_two(devices)) return;
  cl_context both = opencl_app_context(2, devices);
  opencl_lane *lanes[OPENCL_LANES];
  for (int threads = 0; threads < 2; threads++) {
    for (int k = 0; k < OPENCL_LANES; k++) {
      cl_context context = k < 2 ? both : opencl_app_context(1, &devices[k % 2]);
      lanes[k] = opencl_lane_new(context, opencl_app_queue(context, devices[k % 2], 0));
      if (threads) continue;
      (void)opencl_lane_open(lanes[k]);
      opencl_lane_ok(lanes[k]);
    }
    if (threads)
      opencl_lanes_run_threads(lanes, OPENCL_LANES);
    else
      opencl_lanes_run_in_turn(lanes, OPENCL_LANES);
    for (int k = 0; k < OPENCL_LANES; k++) {
      cl_context context = close_lane(lanes[k]);
      if (k >= 2) CL_OK(clReleaseContext(context));
    }
  }
  CL_OK(clReleaseContext(both));
}

/* Devices scan alternately in the buffers of their common cl_context; each waits for the other's event. */
static void test_buffers_of_two_devices(void **state) {
  (void)state;
  cl_device_id devices[2];
  if (!needs_two(devices)) return;
  enum { LINKS = 6 };
  cl_context both = opencl_app_context(2, devices);
  cl_command_queue queues[2];
  opencl_lane *lanes[2];
  cl_event before = NULL;
  for (int k = 0; k < 2; k++) {
    queues[k] = opencl_app_queue(both, devices[k], 0);
    lanes[k] = opencl_lane_new(both, queues[k]);
    (void)opencl_lane_open(lanes[k]);
    opencl_lane_ok(lanes[k]);
  }
  opencl_lane *first = lanes[0];
  const scan_mem buffers[] = { scan_opencl_mem(first->in, 0), scan_opencl_mem(first->out, 0) };
  values_fill(&first->rng, SCAN_I32, SCAN_ADD, N, N, first->want);
  CL_OK(clEnqueueWriteBuffer(queues[0], first->in, CL_TRUE, 0, BYTES, first->want, 0, NULL, NULL));
  for (int k = 0; k < LINKS; k++) {
    cl_event done = NULL;
    scan_opencl_events events = SCAN_OPENCL_EVENTS_INIT;
    scan_args args = SCAN_ARGS_INIT(buffers[k % 2], buffers[(k + 1) % 2]);
    events.wait_count = before != NULL, events.wait_list = before != NULL ? &before : NULL, events.event = &done;
    args.opencl = &events;
    test_ok(lanes[k % 2]->ctx, scan_plan_run_args(lanes[k % 2]->plan, N, &args), "scan_plan_run_args");
    CL_OK(clFlush(queues[k % 2]));
    if (before != NULL) CL_OK(clReleaseEvent(before));
    before = done;
    reference_scan(&opencl_lane_sum, N, first->want, first->values);
    memcpy(first->want, first->values, BYTES);
  }
  CL_OK(clEnqueueReadBuffer(queues[0], first->in, CL_TRUE, 0, BYTES, first->got, 1, &before, NULL));
  assert_memory_equal(first->got, first->want, BYTES);
  CL_OK(clReleaseEvent(before));
  for (int k = 0; k < 2; k++) {
    opencl_lane_close(lanes[k]);
    CL_OK(clReleaseCommandQueue(queues[k]));
  }
  CL_OK(clReleaseContext(both));
}

/* ---- sub-devices ---- */

/* 1 if the device can be divided. Some drivers lack the function for dividing if it cannot. */
static int is_divisible(cl_device_id device) {
  cl_device_partition_property properties[16] = { 0 };
  if (clGetDeviceInfo(device, CL_DEVICE_PARTITION_PROPERTIES, sizeof properties, properties, NULL) != CL_SUCCESS)
    return 0;
  for (int k = 0; k < 16; k++)
    if (properties[k] == CL_DEVICE_PARTITION_EQUALLY) return 1;
  return 0;
}

static void test_sub_device(void **state) {
  (void)state;
  const cl_device_partition_property by_one[] = { CL_DEVICE_PARTITION_EQUALLY, 1, 0 };
  const cl_device_id device = opencl_app_device();
  cl_device_id parts[256];
  cl_uint count = 0;
  if (!is_divisible(device)) {
    test_skipped("%s cannot be divided (CL_DEVICE_PARTITION_PROPERTIES)", test_selector());
    return;
  }
  const cl_int status = clCreateSubDevices(device, by_one, 256, parts, &count);
  if (status != CL_SUCCESS || count < 2) {
    test_skipped("%s is not divided: clCreateSubDevices gives %d, %d parts", test_selector(), status, (int)count);
    return;
  }
  opencl_lane *lanes[OPENCL_LANES];
  const int most = count < OPENCL_LANES ? (int)count : OPENCL_LANES;
  for (int k = 0; k < most; k++) {
    scan_device_info info = SCAN_DEVICE_INFO_INIT;
    cl_context context = opencl_app_context(1, &parts[k]);
    lanes[k] = opencl_lane_new(context, opencl_app_queue(context, parts[k], 0));
    (void)opencl_lane_open(lanes[k]);
    opencl_lane_ok(lanes[k]);
    test_ok(lanes[k]->ctx, scan_ctx_device(lanes[k]->ctx, &info), "scan_ctx_device");
    assert_string_equal(info.selector, test_info()->selector);
    assert_int_equal(info.compute_units, 1);
  }
  opencl_lanes_run_in_turn(lanes, most);
  for (int k = 0; k < most; k++) CL_OK(clReleaseContext(close_lane(lanes[k])));
  for (cl_uint k = 0; k < count; k++) CL_OK(clReleaseDevice(parts[k]));
}

#define TEST(function) cmocka_unit_test_setup(function, test_count_setup)

int main(void) {
  const struct CMUnitTest tests[] = { TEST(test_two_devices), TEST(test_buffers_of_two_devices),
                                      TEST(test_sub_device) };
  opencl_app_open();
  return test_exit(cmocka_run_group_tests_name("opencl_devices", tests, NULL, NULL));
}
