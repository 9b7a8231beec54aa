/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests what the library concludes from an OpenCL driver's answers about a pointer: whether it is valid, and how many
 * bytes follow. This file is the driver. */
#include "device/opencl/opencl_pointers.h"
#include "support.h"

#include <scanrt/scan_opencl.h>

#include <string.h>

enum { SVM_CAPABILITIES = 0x1053, SYSTEM_CAPABILITIES = 0x4194, ALLOC_TYPE = 0x419A, ALLOC_BASE = 0x419B };
enum { TYPE_UNKNOWN = 0x4196, TYPE_SHARED = 0x4199, BYTES = 1000 };

/* The driver's answers. */
static struct {
  const char *extensions;
  cl_ulong svm, system;
  const char *lacks; /* a function that is missing; NULL: none */
} driver;

static char allocation[BYTES], elsewhere[BYTES];

static cl_int answer(const void *value, size_t bytes, size_t room, void *to, size_t *size) {
  if (to != NULL) memcpy(to, value, bytes < room ? bytes : room);
  if (size != NULL) *size = bytes;
  return CL_SUCCESS;
}

static cl_int CL_API_CALL device_info(cl_device_id id, cl_device_info which, size_t room, void *to, size_t *size) {
  static const cl_platform_id platform = NULL;
  (void)id;
  switch (which) {
  case CL_DEVICE_EXTENSIONS: return answer(driver.extensions, strlen(driver.extensions) + 1, room, to, size);
  case CL_DEVICE_PLATFORM: return answer(&platform, sizeof platform, room, to, size);
  case SVM_CAPABILITIES: return answer(&driver.svm, sizeof driver.svm, room, to, size);
  case SYSTEM_CAPABILITIES: return answer(&driver.system, sizeof driver.system, room, to, size);
  default: return CL_INVALID_VALUE;
  }
}

static cl_int CL_API_CALL alloc_info(cl_context context, const void *pointer, cl_uint which, size_t room, void *to,
                                     size_t *size) {
  const char *at = pointer, *base = allocation;
  const int is_known = at >= allocation && at < allocation + BYTES;
  const cl_uint type = is_known ? TYPE_SHARED : TYPE_UNKNOWN;
  const size_t bytes = BYTES;
  (void)context;
  if (which == ALLOC_TYPE) return answer(&type, sizeof type, room, to, size);
  if (which == ALLOC_BASE) return answer(&base, sizeof base, room, to, size);
  return answer(&bytes, sizeof bytes, room, to, size);
}

static cl_int CL_API_CALL set_argument(cl_kernel kernel, cl_uint at, const void *pointer) {
  (void)kernel, (void)at, (void)pointer;
  return CL_SUCCESS;
}

static cl_int CL_API_CALL copy(cl_command_queue queue, cl_bool waits, void *to, const void *from, size_t bytes,
                               cl_uint count, const cl_event *events, cl_event *event) {
  (void)queue, (void)waits, (void)to, (void)from, (void)bytes, (void)count, (void)events, (void)event;
  return CL_SUCCESS;
}

static cl_int CL_API_CALL fill(cl_command_queue queue, void *to, const void *pattern, size_t pattern_bytes,
                               size_t bytes, cl_uint count, const cl_event *events, cl_event *event) {
  (void)queue, (void)to, (void)pattern, (void)pattern_bytes, (void)bytes, (void)count, (void)events, (void)event;
  return CL_SUCCESS;
}

/* ISO C has no cast from a function to an object pointer. */
static void *CL_API_CALL function_address(cl_platform_id platform, const char *name) {
  void *address = NULL;
  cl_int(CL_API_CALL * function)(cl_context, const void *, cl_uint, size_t, void *, size_t *) = alloc_info;
  (void)platform;
  if (driver.lacks == NULL || strcmp(driver.lacks, name) != 0) memcpy(&address, &function, sizeof address);
  return address;
}

static opencl_api api;
static scan_device device;

static int set_up(void **state) {
  (void)state;
  api = (opencl_api){ .clGetDeviceInfo = device_info,
                      .clGetExtensionFunctionAddressForPlatform = function_address,
                      .clSetKernelArgSVMPointer = set_argument,
                      .clEnqueueSVMMemcpy = copy,
                      .clEnqueueSVMMemFill = fill };
  device = (scan_device){ .api = &api };
  driver.extensions = "cl_khr_fp64 cl_intel_unified_shared_memory cl_khr_icd";
  driver.svm = 1, driver.system = 0, driver.lacks = NULL;
  return test_count_setup(state);
}

static int tear_down(void **state) {
  (void)state;
  scan_opencl_pointers_close(&device);
  return 0;
}

static void check_bytes(scan_mem mem, uint64_t want) {
  scan_error error = { "" };
  uint64_t bytes = 77;
  const scan_status status = scan_opencl_pointer_bytes(&device, mem, &bytes, &error);
  if (status != SCAN_SUCCESS) test_fail("%s: %s", scan_status_name(status), error.text);
  assert_true(bytes == want);
}

static void check_refusal(scan_mem mem, scan_status want, const char *words) {
  scan_error error = { "" };
  uint64_t bytes = 77;
  assert_int_equal(scan_opencl_pointer_bytes(&device, mem, &bytes, &error), want);
  if (strstr(error.text, words) == NULL) test_fail("\"%s\" has no \"%s\"", error.text, words);
}

static void test_bytes_of_usm(void **state) {
  (void)state;
  check_bytes(scan_opencl_usm(allocation, 0), BYTES);
  check_bytes(scan_opencl_usm(allocation + 10, 0), BYTES - 10);
  check_bytes(scan_offset(scan_opencl_usm(allocation + 10, 0), 20), BYTES - 30);
  check_bytes(scan_opencl_usm(allocation, 100), 100);
  check_bytes(scan_offset(scan_opencl_usm(allocation, 100), 40), 60);
  check_bytes(scan_offset(scan_opencl_usm(allocation, 100), 100), 0);
  check_bytes(scan_offset(scan_opencl_usm(allocation, 0), BYTES), 0);
  check_bytes(scan_offset(scan_opencl_usm(allocation, 0), BYTES + 1), 0);
  check_bytes(scan_opencl_usm(allocation, 2 * BYTES), BYTES);
}

static void test_bytes_of_svm(void **state) {
  (void)state;
  check_bytes(scan_opencl_svm(elsewhere, 0), UINT64_MAX);
  check_bytes(scan_opencl_svm(elsewhere, 100), 100);
  check_bytes(scan_offset(scan_opencl_svm(elsewhere, 100), 100), 0);
}

/* Memory that the driver did not allocate is refused, unless it shares all host memory. */
static void test_unknown_pointer(void **state) {
  (void)state;
  check_refusal(scan_opencl_usm(elsewhere, 8), SCAN_INVALID_ARGUMENT, "the pointer is to no unified shared memory");
  scan_opencl_pointers_close(&device);
  device.pointers = NULL;
  driver.system = 1;
  check_bytes(scan_opencl_usm(elsewhere, 8), 8);
  check_bytes(scan_opencl_usm(elsewhere, 0), UINT64_MAX);
  check_bytes(scan_opencl_usm(allocation, 0), BYTES);
}

static void test_devices_without(void **state) {
  (void)state;
  static const char *const others[] = { "", "cl_intel_unified_shared_memory_preview",
                                        "x_cl_intel_unified_shared_memory", "cl_intel_unified_shared_memor" };
  for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
    driver.extensions = others[i];
    check_refusal(scan_opencl_usm(allocation, 8), SCAN_UNSUPPORTED, "has no cl_intel_unified_shared_memory");
    scan_opencl_pointers_close(&device);
    device.pointers = NULL;
  }
  driver.extensions = "cl_intel_unified_shared_memory_preview cl_intel_unified_shared_memory";
  check_bytes(scan_opencl_usm(allocation, 0), BYTES);
  scan_opencl_pointers_close(&device);
  device.pointers = NULL;
  driver.lacks = "clEnqueueMemcpyINTEL", driver.svm = 2;
  check_refusal(scan_opencl_usm(allocation, 8), SCAN_UNSUPPORTED, "has no cl_intel_unified_shared_memory");
  check_refusal(scan_opencl_svm(allocation, 8), SCAN_UNSUPPORTED, "has no shared virtual memory");
}

/* A loader of OpenCL 1.2. */
static void test_old_loader(void **state) {
  (void)state;
  api.clEnqueueSVMMemcpy = NULL;
  check_refusal(scan_opencl_svm(allocation, 8), SCAN_UNSUPPORTED, "has no shared virtual memory");
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void) {
  const struct CMUnitTest tests[] = { TEST(test_bytes_of_usm), TEST(test_bytes_of_svm), TEST(test_unknown_pointer),
                                      TEST(test_devices_without), TEST(test_old_loader) };
  return test_exit(cmocka_run_group_tests_name("pointers", tests, NULL, NULL));
}
