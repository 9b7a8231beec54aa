// SPDX-License-Identifier: BSD-2-Clause
// Compiles the public headers as C++: each is complete by itself, links with C names and needs no vendor header.
#include <scanrt/scan_composite.h>
#include <scanrt/scan_opencl.h>
#include <scanrt/scan_cuda.h>
#include <scanrt/scan_op.h>
#include <scanrt/scan_stream.h>
#include <scanrt/scan.h>

#include <cstdio>
#include <cstring>

int main() {
  scan_device_info info = SCAN_DEVICE_INFO_INIT;
  scan_ctx_options options = SCAN_CTX_OPTIONS_INIT;
  scan_plan_facts facts = SCAN_PLAN_FACTS_INIT;
  scan_spec spec;
  scan_spec_init(&spec, sizeof spec);
  spec.type = SCAN_I32;
  spec.op = SCAN_ADD;
  options.device = "host";

  scan_ctx *ctx = nullptr;
  scan_plan *plan = nullptr;
  scan_args args;
  scan_args_init(&args, sizeof args);
  args.in = SCAN_NO_MEM;
  const scan_mem none = SCAN_NO_MEM;

  int count = 0;
  bool good = none.kind == SCAN_MEM_NONE && args.in.handle == nullptr && scan_device_count(&count) == SCAN_SUCCESS &&
              scan_device_get(count - 1, &info) == SCAN_SUCCESS && std::strcmp(info.selector, "host") == 0 &&
              scan_ctx_create(&options, &ctx) == SCAN_SUCCESS &&
              scan_plan_create(ctx, &spec, 1000, &plan) == SCAN_SUCCESS &&
              scan_plan_info(plan, &facts) == SCAN_SUCCESS && facts.max_n == 1000;
  // On a host context the stream and the queue are refused.
  CUstream_st *stream = nullptr;
  _cl_command_queue *queue = nullptr;
  good = good && scan_cuda_stream(ctx, &stream) == SCAN_INVALID_ARGUMENT &&
         scan_opencl_queue(ctx, &queue) == SCAN_INVALID_ARGUMENT;
  if (!good) std::fprintf(stderr, "headers: %s%s\n", scan_last_error(nullptr), ctx ? scan_last_error(ctx) : "");
  scan_plan_destroy(plan);
  scan_ctx_destroy(ctx);
  return good ? 0 : 1;
}
