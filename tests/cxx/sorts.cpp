/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests sorts, splits and histograms of scan.hpp. */
#include "checks.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <numeric>

using u32 = std::uint32_t;
using u64 = std::uint64_t;

/* clang-format off */
SCAN_OP_TEXT(text,
  typedef struct grid { uint32_t origin; uint32_t width; } grid;
  static inline uint32_t cell(uint32_t x, uint64_t index, grid g) { (void)index; return (x - g.origin) / g.width; });
/* clang-format on */

static void test_keys(const scanrt::context &ctx) {
  const std::vector<u32> in = numbers(N, 1u << 31);
  std::vector<u32> want = in, out(N), indices(N);
  std::sort(want.begin(), want.end());
  scanrt::sort(ctx, in, out);
  CHECK(out == want);
  std::reverse(want.begin(), want.end());
  auto device = on_device(ctx, in);
  scanrt::sort(ctx, device, device, scanrt::descending()); /* in place */
  CHECK(on_host(ctx, device) == want);

  const u64 bytes = scanrt::sort_scratch_bytes(ctx, device, device);
  scanrt::buffer<unsigned char> room(ctx, bytes + 1);
  scanrt::sort(ctx, device, device, scanrt::scratch(room));
  std::reverse(want.begin(), want.end());
  CHECK(bytes > 0 && on_host(ctx, device) == want);

  std::vector<u64> places(N), moved(N);
  std::iota(places.begin(), places.end(), u64(0));
  scanrt::sort_pairs(ctx, in, out, places, moved);
  scanrt::argsort(ctx, in, indices);
  CHECK(std::is_sorted(out.begin(), out.end()) && in[moved[5]] == out[5]);
  CHECK(std::equal(indices.begin(), indices.end(), moved.begin()));
  scanrt::sort_pairs(ctx, in, scanrt::none, places, moved, scanrt::with(in, out), scanrt::bits(0, 8));
  CHECK(std::is_sorted(out.begin(), out.end(), [](u32 a, u32 b) { return (a & 255) < (b & 255); }));

  const std::vector<u32> rows = numbers(N, 50), columns = numbers(N + 1, 50);
  std::vector<std::array<u32, 2>> pairs(N), sorted(N);
  for (std::size_t i = 0; i < N; i++) pairs[i] = { rows[i], columns[i + 1] };
  scanrt::sort(ctx, pairs, sorted);
  std::stable_sort(pairs.begin(), pairs.end());
  CHECK(sorted == pairs);
  scanrt::sort(ctx, pairs, sorted, scanrt::low_word_first());
  CHECK(std::is_sorted(sorted.begin(), sorted.end(), [](const auto &a, const auto &b) { return a[1] < b[1]; }));
}

static void test_segments(const scanrt::context &ctx) {
  std::vector<u32> keys = numbers(N, 1000), out(N);
  const std::vector<u32> offsets{ 0, 10, 10, 3000, N };
  scanrt::sort(ctx, keys, out, scanrt::by_offsets(offsets));
  std::sort(keys.begin(), keys.begin() + 10);
  std::sort(keys.begin() + 10, keys.begin() + 3000);
  std::sort(keys.begin() + 3000, keys.end());
  CHECK(out == keys);
  scanrt::sort(ctx, out, out, scanrt::by_offsets(offsets), scanrt::most_segment_items(4000));
  CHECK(out == keys);
}

static void test_plan(const scanrt::context &ctx) {
  const std::vector<float> in{ 2.0f, -1.0f, 0.5f, -7.0f };
  const auto from = on_device(ctx, in);
  scanrt::buffer<float> to(ctx, in.size());
  const scanrt::sort_plan plan = scanrt::sort.plan(ctx, from, to, scanrt::numeric_order());
  plan(from, to, scanrt::numeric_order());
  CHECK((on_host(ctx, to) == std::vector<float>{ -7.0f, -1.0f, 0.5f, 2.0f }));
  CHECK(plan(std::nothrow, from, to).status() == SCAN_INVALID_ARGUMENT);
}

static void test_splits(const scanrt::context &ctx) {
  const std::vector<u32> in = numbers(N, 1u << 31);
  std::vector<u32> out(N), indices(N);
  std::vector<u64> offsets(17), counts(16), digits(512);
  scanrt::split(ctx, in, out, offsets, scanrt::bits(4, 8));
  scanrt::histogram(ctx, in, counts, scanrt::bits(4, 8));
  bool is_right = offsets[0] == 0 && offsets[16] == N;
  for (std::size_t bucket = 0; bucket < 16; bucket++) {
    is_right = is_right && offsets[bucket + 1] - offsets[bucket] == counts[bucket];
    for (u64 i = offsets[bucket]; i < offsets[bucket + 1]; i++) is_right = is_right && (out[i] >> 4 & 15) == bucket;
  }
  CHECK(is_right);
  std::vector<u64> reversed(16);
  scanrt::histogram(ctx, in, reversed, scanrt::bits(4, 8), scanrt::descending());
  std::reverse(reversed.begin(), reversed.end());
  CHECK(reversed == counts);
  auto device = on_device(ctx, in);
  scanrt::buffer<u64> begins(ctx, 17);
  const scanrt::split_plan plan = scanrt::split.plan(ctx, device, device, begins, scanrt::bits(4, 8));
  plan(device, device, begins, scanrt::bits(4, 8));
  CHECK(on_host(ctx, begins) == offsets && on_host(ctx, device) == out);
  const scanrt::histogram_plan count = scanrt::histogram.plan(ctx, device, begins, scanrt::bits(4, 8));
  count(device, begins, scanrt::bits(4, 8));
  CHECK(on_host(ctx, begins, 16) == counts);
  scanrt::histogram(ctx, in, digits, scanrt::bits(0, 16));
  CHECK(std::accumulate(digits.begin(), digits.begin() + 256, u64(0)) == N);
  scanrt::split(ctx, in, scanrt::none, offsets, scanrt::bits(4, 8), scanrt::indices(indices));
  CHECK(in[indices[0]] == out[0] && in[indices[N - 1]] == out[N - 1]);
}

static void test_bucket_functions(const scanrt::context &ctx) {
  const auto cells = scanrt::make_bucket_function<cell>(ctx, text, "cell", { "uint32_t", "grid" });
  const std::vector<u32> in = numbers(N, 800);
  std::vector<u32> out(N);
  std::vector<u64> offsets(9), counts(8);
  const grid g{ 0, 100 };
  scanrt::split(ctx, in, out, offsets, scanrt::into(cells, 8), scanrt::params(g));
  scanrt::histogram(ctx, in, counts, scanrt::into(cells, 8), scanrt::params(g));
  bool is_right = offsets[8] == N;
  for (std::size_t bucket = 0; bucket < 8; bucket++) {
    is_right = is_right && offsets[bucket + 1] - offsets[bucket] == counts[bucket];
    for (u64 i = offsets[bucket]; i < offsets[bucket + 1]; i++) is_right = is_right && out[i] / 100 == bucket;
  }
  CHECK(is_right);
  std::vector<u64> few(7);
  CHECK(scanrt::histogram(std::nothrow, ctx, in, few, scanrt::into(cells, 8), scanrt::params(g)).status() ==
        SCAN_INVALID_ARGUMENT);
}

void test_sorts(const scanrt::context &ctx) {
  test_keys(ctx);
  test_segments(ctx);
  test_plan(ctx);
  test_splits(ctx);
  test_bucket_functions(ctx);
}
