/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file scan.hpp
 * @brief The C++17 interface: handles that free themselves, deduced types, errors as exceptions or results.
 *
 *     scanrt::context ctx;                                             // the best device of this machine
 *     std::vector<int> degree = ..., offset(degree.size());
 *     scanrt::exclusive_scan(ctx, degree, offset, scanrt::add);        // throws scanrt::error
 *     scanrt::result<> done = scanrt::exclusive_scan(std::nothrow, ctx, degree, offset, scanrt::add);
 *
 * Headers alone, over the C interface: calls neither allocate nor copy what those of scan.h do not. What the comments
 * of the C headers say of memory, waiting, threads and errors holds here, too. cxx/memory.hpp says what memory calls
 * take, cxx/call.hpp how plans and options work.
 */
#ifndef SCANRT_SCAN_HPP
#define SCANRT_SCAN_HPP

#if __cplusplus < 201703L
#error "scanrt/scan.hpp is C++17; scanrt/scan.h serves C and older C++"
#endif

#include <scanrt/cxx/reduce.hpp>
#include <scanrt/cxx/scans.hpp>
#include <scanrt/cxx/select.hpp>
#include <scanrt/cxx/sort.hpp>
#include <scanrt/cxx/stream.hpp>

#endif
