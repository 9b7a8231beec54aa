/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file opencl_adapter.hpp
 * @brief Lets the calls of scan.hpp take cl::Buffer, and contexts of cl::Context and cl::CommandQueue.
 */
#ifndef SCANRT_EXAMPLES_OPENCL_ADAPTER_HPP
#define SCANRT_EXAMPLES_OPENCL_ADAPTER_HPP

#include <CL/opencl.hpp>
#include <scanrt/scan.hpp>

namespace cl_adapter {

/** The elements of a buffer. @param offset of the first one, in elements */
template <typename T> scanrt::mem_span<T> span(const cl::Buffer &buffer, std::uint64_t offset = 0) {
  return scanrt::buffer_span<T>(buffer(), buffer.getInfo<CL_MEM_SIZE>() / sizeof(T) - offset, offset);
}

/** A context on the application's queue. */
inline scanrt::context context(const cl::CommandQueue &queue) {
  return scanrt::context::on_opencl(queue.getInfo<CL_QUEUE_CONTEXT>()(), queue());
}

}

#endif
