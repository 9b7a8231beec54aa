/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests the work-group form of the kernels, forced by $SCANRT_TUNE on a device that would use the other form: the
 * variant is the one that $SCANRT_TEST_VARIANT names ("local 0", "sub_group 32"), compilers report the local memory
 * that runtime/device/caps.c computes, and sub-groups are laid out as the kernels assume. */
#include "support.h"

#include "device/caps.h"
#include "core/context.h"
#include "device/opencl/opencl_device.h"
#include "kernels_cl/lib/arguments.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void test_variant(void **state) {
  (void)state;
  char found[64];
  const char *wanted = getenv("SCANRT_TEST_VARIANT");
  if (wanted == NULL) test_fail("SCANRT_TEST_VARIANT is not set: give an exchange and a size of sub-groups");
  snprintf(found, sizeof found, "%s %u", test_info()->exchange, test_info()->sub_group_items);
  if (strcmp(found, wanted) != 0) test_fail("%s instead of %s: %s", found, wanted, test_info()->variant_reason);
}

/* ---- local memory ---- */

typedef cl_int CL_API_CALL kernel_group_info(cl_kernel kernel, cl_device_id device, cl_kernel_work_group_info which,
                                             size_t bytes, void *value, size_t *bytes_written);

static cl_ulong local_bytes_of(cl_kernel kernel) {
  const char *given = getenv("SCANRT_LIBOPENCL");
  void *library = dlopen(given != NULL && given[0] != '\0' ? given : "libOpenCL.so.1", RTLD_NOW);
  void *symbol = library != NULL ? dlsym(library, "clGetKernelWorkGroupInfo") : NULL;
  kernel_group_info *ask;
  cl_ulong bytes = 0;
  if (symbol == NULL) test_fail("no clGetKernelWorkGroupInfo: %s", dlerror());
  memcpy(&ask, &symbol, sizeof ask);
  if (ask(kernel, test_ctx()->device->id, CL_KERNEL_LOCAL_MEM_SIZE, sizeof bytes, &bytes, NULL) != CL_SUCCESS)
    test_fail("clGetKernelWorkGroupInfo fails");
  dlclose(library);
  return bytes;
}

static const scan_argument_list arguments = SCAN_ARGUMENTS(TILE_ARGUMENTS);

static uint32_t local_bytes_in(const char *name) {
  scan_ctx *ctx = test_ctx();
  const scan_kernel_key key = { .file = "reduce_then_scan.cl",
                                .kernel = name,
                                .arguments = &arguments,
                                .input_type = SCAN_U32,
                                .type = SCAN_U32,
                                .op = SCAN_ADD,
                                .subtiles = 8 };
  scan_kernel *kernel;
  test_ok(ctx, ctx->ops->kernel_create(ctx->device, &key, &kernel, &ctx->error), "kernel_create");
  const cl_ulong bytes = local_bytes_of(kernel->kernel);
  ctx->ops->kernel_destroy(ctx->device, kernel);
  return (uint32_t)bytes;
}

/* The two kernels that need most local memory. All others declare what the first one does. */
static void test_local_memory(void **state) {
  (void)state;
  const uint32_t counted = scan_caps_local_bytes((scan_exchange)test_ctx()->caps.tuning.exchange, 4);
  const uint32_t tile = local_bytes_in("rts_scan"), spine = local_bytes_in("rts_spine");
  if ((tile > spine ? tile : spine) != counted)
    test_fail("a tile takes %u bytes of local memory, the spine %u: caps.c counts %u", tile, spine, counted);
}

/* ---- sub-groups ---- */

static const char layout_source[] =
    "#pragma OPENCL EXTENSION cl_khr_subgroups : enable\n"
    "__kernel __attribute__((reqd_work_group_size(256, 1, 1), intel_reqd_sub_group_size(SIZE)))\n"
    "void layout(__global uint *out) {\n"
    "  out[get_global_id(0)] = get_sub_group_local_id() << 16 | get_sub_group_id();\n"
    "}\n";

static void run_layout(const scan_device *d, uint32_t size, scan_mem mem) {
  const char *text = layout_source;
  const size_t items = 256;
  char options[64];
  cl_int status;
  cl_mem buffer = ((const scan_memory *)mem.handle)->handle;
  cl_program program = d->api->clCreateProgramWithSource(d->context, 1, &text, NULL, &status);
  assert_int_equal(status, CL_SUCCESS);
  snprintf(options, sizeof options, "-cl-std=CL1.2 -DSIZE=%u", size);
  assert_int_equal(d->api->clBuildProgram(program, 1, &d->id, options, NULL, NULL), CL_SUCCESS);
  cl_kernel kernel = d->api->clCreateKernel(program, "layout", &status);
  assert_int_equal(status, CL_SUCCESS);
  assert_int_equal(d->api->clSetKernelArg(kernel, 0, sizeof buffer, &buffer), CL_SUCCESS);
  assert_int_equal(d->api->clEnqueueNDRangeKernel(d->queue, kernel, 1, NULL, &items, &items, 0, NULL, NULL),
                   CL_SUCCESS);
  assert_int_equal(d->api->clFinish(d->queue), CL_SUCCESS);
  (void)d->api->clReleaseKernel(kernel);
  (void)d->api->clReleaseProgram(program);
}

/* A sub-group has consecutive work-items that begin at a multiple of its size. */
static void test_sub_groups(void **state) {
  (void)state;
  const uint32_t size = test_info()->sub_group_items;
  uint32_t place[256];
  scan_mem mem;
  if (size == 0) {
    test_skipped("the kernels require no size of sub-groups");
    skip();
  }
  test_ok(test_ctx(), scan_alloc(test_ctx(), sizeof place, &mem), "scan_alloc");
  run_layout(test_ctx()->device, size, mem);
  test_ok(test_ctx(), scan_read(test_ctx(), mem, place, sizeof place), "scan_read");
  test_ok(test_ctx(), scan_free(test_ctx(), mem), "scan_free");
  for (uint32_t i = 0; i < 256; i++)
    if (place[i] != (i % size << 16 | i / size))
      test_fail("work-item %u is number %u of sub-group %u", i, place[i] >> 16, place[i] & 0xffff);
  test_ran();
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test_setup(test_variant, test_count_setup),
    cmocka_unit_test_setup(test_local_memory, test_count_setup),
    cmocka_unit_test(test_sub_groups),
  };
  test_device_open();
  return test_exit(cmocka_run_group_tests_name("variants", tests, NULL, NULL));
}
