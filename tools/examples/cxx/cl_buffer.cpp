/* SPDX-License-Identifier: BSD-2-Clause */
/* Compacts a cl::Buffer on the application's queue, between the application's own commands, and checks the result. */
#define CL_HPP_TARGET_OPENCL_VERSION 120
#define CL_HPP_MINIMUM_OPENCL_VERSION 120
#include "opencl_adapter.hpp"

#include <cstdint>
#include <cstdio>
#include <numeric>
#include <vector>

static bool is_right(const cl::Context &opencl, const cl::CommandQueue &queue) {
  const std::size_t n = 1000;
  const scanrt::context ctx = cl_adapter::context(queue);
  std::vector<std::uint32_t> values(n), got(n);
  std::vector<unsigned char> flags(n);
  std::iota(values.begin(), values.end(), 0u);
  for (std::size_t i = 0; i < n; i++) flags[i] = i % 3 == 0;
  const cl::Buffer in(opencl, CL_MEM_READ_WRITE, n * sizeof(std::uint32_t)), marks(opencl, CL_MEM_READ_WRITE, n),
      out(opencl, CL_MEM_READ_WRITE, n * sizeof(std::uint32_t)),
      count(opencl, CL_MEM_READ_WRITE, sizeof(std::uint64_t));
  queue.enqueueWriteBuffer(in, CL_FALSE, 0, n * sizeof(std::uint32_t), values.data());
  queue.enqueueWriteBuffer(marks, CL_FALSE, 0, n, flags.data());

  scanrt::copy_if(ctx, cl_adapter::span<std::uint32_t>(in), cl_adapter::span<std::uint32_t>(out),
                  cl_adapter::span<std::uint64_t>(count), scanrt::by_flags(cl_adapter::span<unsigned char>(marks)));

  std::uint64_t kept = 0;
  queue.enqueueReadBuffer(count, CL_TRUE, 0, sizeof kept, &kept);
  queue.enqueueReadBuffer(out, CL_TRUE, 0, kept * sizeof(std::uint32_t), got.data());
  return kept == 334 && got[0] == 0 && got[1] == 3 && got[333] == 999;
}

int main() {
  std::vector<cl::Platform> platforms;
  std::vector<cl::Device> devices;
  (void)cl::Platform::get(&platforms);
  for (const cl::Platform &platform : platforms)
    if (devices.empty()) (void)platform.getDevices(CL_DEVICE_TYPE_ALL, &devices);
  if (devices.empty()) {
    std::puts("skipped: there is no OpenCL device");
    return 77;
  }
  const cl::Context opencl(devices[0]);
  const cl::CommandQueue queue(opencl, devices[0]);
  try {
    const bool right = is_right(opencl, queue);
    std::puts(right ? "compacted on the queue" : "a wrong result");
    return !right;
  } catch (const scanrt::error &error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
