/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file checks.hpp
 * @brief Shared by the tests of scan.hpp: the device under test, checks that count, memory of the device.
 */
#ifndef SCANRT_TESTS_CXX_CHECKS_HPP
#define SCANRT_TESTS_CXX_CHECKS_HPP

#include <scanrt/scan.hpp>

#include <cstdint>
#include <vector>

/** Counts a check, and prints its place if it fails. */
void check(bool is_right, const char *what, const char *file, int line);

#define CHECK(what) check((what), #what, __FILE__, __LINE__)

/** How often operator new was called. The library itself is C and does not call it. */
long allocations();

/** Elements of most tests: several tiles of the host and of PoCL, and a part of one. */
constexpr std::uint64_t N = 5003;

/** Returns n numbers less than `below`, each time the same ones. */
std::vector<std::uint32_t> numbers(std::uint64_t n, std::uint32_t below);

/** Memory of the device with the elements of a vector. */
template <typename T> scanrt::buffer<T> on_device(const scanrt::context &ctx, const std::vector<T> &from) {
  scanrt::buffer<T> made(ctx, from.size());
  scanrt::copy(ctx, from, made);
  return made;
}

/** The first elements of memory of the device. */
template <typename T>
std::vector<T> on_host(const scanrt::context &ctx, const scanrt::buffer<T> &from, std::uint64_t n) {
  std::vector<T> got(n);
  if (n > 0) scanrt::copy(ctx, from.subspan(0, n), got);
  return got;
}
template <typename T> std::vector<T> on_host(const scanrt::context &ctx, const scanrt::buffer<T> &from) {
  return on_host(ctx, from, from.size());
}

void test_scans(const scanrt::context &ctx);
void test_arrays(const scanrt::context &ctx);
void test_operators(const scanrt::context &ctx);
void test_compaction(const scanrt::context &ctx);
void test_runs(const scanrt::context &ctx);
void test_sorts(const scanrt::context &ctx);
void test_streams(const scanrt::context &ctx);
void test_errors(const scanrt::context &ctx);

#endif
