/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests scans, totals, segments, options, plans, differences and streams of scan.hpp. */
#include "checks.hpp"

#include <algorithm>
#include <array>
#if __has_include(<span>) && __cplusplus >= 202002L
#include <span>
#endif

using u32 = std::uint32_t;
using u64 = std::uint64_t;

static std::vector<u32> sums(const std::vector<u32> &in, bool exclusive, u32 first = 0) {
  std::vector<u32> out(in.size());
  u32 sum = first;
  for (std::size_t i = 0; i < in.size(); i++) {
    out[i] = exclusive ? sum : sum + in[i];
    sum += in[i];
  }
  return out;
}

static void test_memory(const scanrt::context &ctx) {
  const std::vector<u32> in = numbers(N, 1000);
  const std::vector<u32> want = sums(in, false);
  std::vector<u32> out(N);
  scanrt::inclusive_scan(ctx, in, out, scanrt::add);
  CHECK(out == want);
  scanrt::inclusive_scan(ctx.get(), scanrt::host_span(in.data(), N), out.data(), scanrt::add);
  CHECK(out == want);

#ifdef __cpp_lib_span
  scanrt::inclusive_scan(ctx, std::span<const u32>(in).first(3), std::span(out).first(3), scanrt::max);
  CHECK(out[2] == std::max(in[0], std::max(in[1], in[2])));
#endif

  int few[5] = { 3, 1, 4, 1, 5 };
  std::array<int, 5> most{};
  scanrt::inclusive_scan(ctx, few, most, scanrt::max);
  CHECK((most == std::array<int, 5>{ 3, 3, 4, 4, 5 }));
  scanrt::exclusive_scan(ctx, few, few, scanrt::add);
  CHECK(few[0] == 0 && few[4] == 9);
  scanrt::exclusive_scan(ctx, std::vector<int>(), most, scanrt::add);

  auto device = on_device(ctx, in);
  scanrt::exclusive_scan(ctx, device, device, scanrt::add, scanrt::init(7));
  CHECK(on_host(ctx, device) == sums(in, true, 7));
  scanrt::buffer<u32> other(ctx, N);
  scanrt::copy(ctx, device, other);
  CHECK(on_host(ctx, other) == on_host(ctx, device));

  auto part = on_device(ctx, in);
  scanrt::inclusive_scan(ctx, part.subspan(3, 10), part.subspan(3), scanrt::add);
  const std::vector<u32> got = on_host(ctx, part);
  CHECK(got[2] == in[2] && got[3] == in[3] && got[4] == in[3] + in[4] && got[13] == in[13]);
}

static void test_totals(const scanrt::context &ctx) {
  const std::vector<u32> in = numbers(N, 1u << 31);
  u64 want = 0;
  for (u32 x : in) want += x;
  u64 got = 0;
  scanrt::total(ctx, in, &got, scanrt::add);
  CHECK(got == want);
  CHECK(scanrt::reduce(ctx, in, scanrt::max) == *std::max_element(in.begin(), in.end()));
  auto device = on_device(ctx, in);
  CHECK(scanrt::reduce(ctx, device, scanrt::add) == static_cast<u32>(want));
  CHECK(scanrt::reduce(ctx, device, scanrt::xor_, scanrt::init(u32(5))) ==
        (scanrt::reduce(ctx, device, scanrt::xor_) ^ 5u));
}

static void test_types(const scanrt::context &ctx) {
  const std::vector<signed char> bytes(300, 1);
  std::vector<int> wide(300);
  scanrt::inclusive_scan(ctx, bytes, wide, scanrt::add);
  CHECK(wide[299] == 300);
  const std::vector<scanrt::half> halves(9, scanrt::half{ 0x3c00 });
  std::vector<float> floats(9);
  scanrt::inclusive_scan(ctx, halves, floats, scanrt::add);
  CHECK(floats[8] == 9.0f);
  std::vector<scanrt::half> back(9);
  scanrt::inclusive_scan(ctx, halves, back, scanrt::mul);
  CHECK(back[8].bits == 0x3c00);
  std::vector<long long> longs(9, 2);
  scanrt::inclusive_scan(ctx, longs, longs, scanrt::mul);
  CHECK(longs[8] == 512);
  static_assert(scanrt::element_type<long>::value == (sizeof(long) == 8 ? SCAN_I64 : SCAN_I32), "by size");
#if defined(__FLT16_MANT_DIG__) && defined(__GNUC__) && !defined(__clang__) && !defined(__CUDACC__) && __GNUC__ >= 12
  std::vector<_Float16> own(9, _Float16(2));
  scanrt::inclusive_scan(ctx, own, own, scanrt::mul);
  CHECK(own[8] == _Float16(512));
#endif
  static_assert(scanrt::element_type<char16_t>::value == SCAN_U16, "by sign");
}

static void test_segments(const scanrt::context &ctx) {
  const std::vector<u32> in = numbers(N, 10), which = numbers(N, 4);
  std::vector<unsigned char> flags(N);
  std::vector<u32> words(N / 32 + 1), keys(N), offsets, want(N), out(N);
  for (std::size_t i = 0; i < N; i++) {
    const bool begins = i == 0 || which[i] == 0;
    flags[i] = begins;
    if (begins) words[i / 32] |= 1u << i % 32;
    keys[i] = i == 0 ? 0 : keys[i - 1] + begins;
    if (begins) offsets.push_back(static_cast<u32>(i));
    want[i] = begins ? in[i] : want[i - 1] + in[i];
  }
  offsets.push_back(N);
  scanrt::inclusive_scan(ctx, in, out, scanrt::add, scanrt::by_flags(flags));
  CHECK(out == want);
  scanrt::inclusive_scan(ctx, in, out, scanrt::add, scanrt::by_bits(words));
  CHECK(out == want);
  scanrt::inclusive_scan(ctx, in, out, scanrt::add, scanrt::by_keys(keys));
  CHECK(out == want);
  scanrt::inclusive_scan(ctx, in, out, scanrt::add, scanrt::by_offsets(offsets));
  CHECK(out == want);
}

static void test_options(const scanrt::context &ctx) {
  const std::vector<u32> in = numbers(N, 1000);
  std::vector<u32> out(N), carried(N);
  scanrt::inclusive_scan(ctx, in, out, scanrt::add, scanrt::backward);
  CHECK(out[N - 1] == in[N - 1] && out[0] == sums(in, false)[N - 1]);

  u32 carry = 0;
  const u64 half = N / 2;
  scanrt::inclusive_scan(ctx, scanrt::host_span(in.data(), half), carried, scanrt::add, scanrt::carry_out(&carry));
  scanrt::inclusive_scan(ctx, scanrt::host_span(in.data() + half, N - half), carried.data() + half, scanrt::add,
                         scanrt::carry_in(&carry));
  CHECK(carried == sums(in, false));

  const std::vector<int> large{ 1, 2147483647, 1 };
  std::vector<int> wrapped(3);
  const scanrt::result<> found =
      scanrt::inclusive_scan(std::nothrow, ctx, large, wrapped, scanrt::add, scanrt::check_overflow);
  CHECK(found.status() == SCAN_OVERFLOW);
  CHECK(ctx.overflow_index() == 1);

  scanrt::buffer<u64> items(ctx, 1);
  scanrt::copy(ctx, std::vector<u64>{ 10 }, items);
  auto device = on_device(ctx, in);
  CHECK(scanrt::reduce(ctx, device, scanrt::add, scanrt::n_from(items)) == sums(in, false)[9]);
}

static void test_more_options(const scanrt::context &ctx) {
  const std::vector<u32> in = numbers(N, 1000), keys = numbers(N, 3);
  std::vector<u32> out(N);
  scanrt::inclusive_scan(ctx, in, out, scanrt::add, scanrt::strategy(SCAN_STRATEGY_SEQUENTIAL));
  CHECK(out == sums(in, false));
  scanrt::buffer<u64> items(ctx, 1);
  scanrt::copy(ctx, std::vector<u64>{ 2 * N }, items);
  auto from = on_device(ctx, in);
  const auto marks = on_device(ctx, keys);
  CHECK(scanrt::reduce(ctx, from, scanrt::add, scanrt::n_from_clamped(items)) == sums(in, false)[N - 1]);

  const scan_opencl_events around = SCAN_OPENCL_EVENTS_INIT;
  const scanrt::result<> waited = scanrt::inclusive_scan(std::nothrow, ctx, from, from, scanrt::add,
                                                         scanrt::events(around), scanrt::by_keys(marks));
  CHECK(bool(waited) == (ctx.device().backend == SCAN_BACKEND_OPENCL));

  u32 x[4] = { 1, 2, 3, 4 };
  CHECK(scanrt::svm_span(x, 4).mem().kind == SCAN_MEM_SVM && scanrt::usm_span(x, 4).mem().kind == SCAN_MEM_USM);
  CHECK(scanrt::buffer_span<u32>(nullptr, 4, 2).mem().offset_bytes == 8);
  const scanrt::device_ptr<u32> pointer(x);
  CHECK((pointer + 2).get() == x + 2 && pointer.mem().kind == SCAN_MEM_CUDA);
  CHECK(scanrt::device_span<u32>(pointer, 4).size() == 4 && scanrt::device_span<const u32>(x, 4).size() == 4);
  const scanrt::device_span<u32> elsewhere(x, 4);
  CHECK(scanrt::exclusive_scan(std::nothrow, ctx, elsewhere, pointer, scanrt::add).status() == SCAN_INVALID_ARGUMENT);
}

static void test_plans(const scanrt::context &ctx) {
  const std::vector<u32> in = numbers(N, 1000), keys = numbers(N, 2);
  auto from = on_device(ctx, in);
  const auto marks = on_device(ctx, keys);
  scanrt::buffer<u32> to(ctx, N);
  scanrt::exclusive_scan_plan plan = scanrt::exclusive_scan.plan(ctx, from, to, scanrt::add, scanrt::init(2));
  plan(from, to, scanrt::add, scanrt::init(2));
  CHECK(on_host(ctx, to) == sums(in, true, 2));
  plan(from.subspan(0, 3), to, scanrt::add, scanrt::init(2));
  CHECK(plan.info().max_n == N && plan.get() != nullptr);
  CHECK(plan(std::nothrow, from, to, scanrt::max, scanrt::init(2)).status() == SCAN_INVALID_ARGUMENT);
  CHECK(plan(std::nothrow, from, to, scanrt::add, scanrt::init(3)).status() == SCAN_INVALID_ARGUMENT);

  const scanrt::exclusive_scan_plan moved = std::move(plan);
  scanrt::buffer<unsigned char> memory(ctx, moved.memory_bytes() + 256);
  if (moved.memory_bytes() > 0) moved.use_memory(memory);
  moved(from, to, scanrt::add, scanrt::init(2));
  CHECK(on_host(ctx, to) == sums(in, true, 2));

  auto segmented = scanrt::inclusive_scan.plan(std::nothrow, ctx, from, to, scanrt::add, scanrt::by_keys(marks));
  CHECK(bool(segmented));
  CHECK(bool((*segmented)(std::nothrow, from, to, scanrt::add, scanrt::by_keys(marks))));
  CHECK(on_host(ctx, to, 1)[0] == in[0]);
}

static void test_differences(const scanrt::context &ctx) {
  const std::vector<u32> in = numbers(N, 1000);
  std::vector<u32> out(N);
  scanrt::inclusive_scan(ctx, in, out, scanrt::add);
  scanrt::adjacent_difference(ctx, out, out);
  CHECK(out == in);
  scanrt::inclusive_scan(ctx, in, out, scanrt::add, scanrt::backward);
  scanrt::adjacent_difference(ctx, out, out, scanrt::backward);
  CHECK(out == in);
  auto device = on_device(ctx, sums(in, false));
  const scanrt::adjacent_difference_plan plan = scanrt::adjacent_difference.plan(ctx, device, device);
  plan(device, device);
  CHECK(on_host(ctx, device) == in);
}

void test_scans(const scanrt::context &ctx) {
  test_memory(ctx);
  test_totals(ctx);
  test_types(ctx);
  test_segments(ctx);
  test_options(ctx);
  if (ctx.device().backend != SCAN_BACKEND_CUDA) test_more_options(ctx);
  test_plans(ctx);
  test_differences(ctx);
}

void test_streams(const scanrt::context &ctx) {
  const std::vector<u32> in = numbers(N, 1000);
  std::vector<u32> out(N), parts;
  {
    const scanrt::pinned lock(ctx, out);
    scanrt::exclusive_scan_stream(ctx, in, out, scanrt::add, scanrt::init(1), scanrt::chunk_items(1000));
  }
  CHECK(out == sums(in, true, 1));
  CHECK(scanrt::stream_chunk(ctx, in, out, scanrt::add, scanrt::chunk_items(1000)) == 1000);

  auto give = [&in](u64 first, u64 items, u32 *to) {
    std::copy_n(in.begin() + static_cast<std::ptrdiff_t>(first), items, to);
    return true;
  };
  auto take = [&parts](u64, u64 items, const u32 *from) {
    parts.insert(parts.end(), from, from + items);
    return true;
  };
  u64 done = 0;
  auto follow = [&done](u64 so_far, u64) {
    done = so_far;
    return true;
  };
  std::vector<unsigned char> flags(N);
  std::vector<u32> words(N / 32 + 1), keys(N);
  const std::vector<u32> offsets{ 0, 2000, N };
  flags[2000] = 1;
  words[2000 / 32] = 1u << 2000 % 32;
  std::fill(keys.begin() + 2000, keys.end(), 1u);
  std::vector<u32> want(N), carry(1);
  scanrt::inclusive_scan(ctx, in, want, scanrt::add, scanrt::by_offsets(offsets));
  scanrt::inclusive_scan_stream(ctx, in, out, scanrt::add, scanrt::by_offsets(offsets), scanrt::device_bytes(1 << 16));
  CHECK(out == want);
  scanrt::inclusive_scan_stream(ctx, in, out, scanrt::add, scanrt::by_flags(flags), scanrt::carry_out(carry));
  CHECK(out == want && carry[0] == want[N - 1]);
  scanrt::inclusive_scan_stream(ctx, in, out, scanrt::add, scanrt::by_bits(words));
  CHECK(out == want);
  scanrt::inclusive_scan_stream(ctx, in, out, scanrt::add, scanrt::by_keys(keys));
  CHECK(out == want);

  scanrt::inclusive_scan_stream(ctx, scanrt::from<u32>(N, give), scanrt::to<u32>(take), scanrt::add,
                                scanrt::chunk_items(1000), scanrt::progress(follow));
  CHECK(parts == sums(in, false) && done == N);
  auto stop = [](u64, u64) { return false; };
  CHECK(scanrt::inclusive_scan_stream(std::nothrow, ctx, in, out, scanrt::add, scanrt::progress(stop)).status() ==
        SCAN_CANCELLED);
}
