/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests operators from source with maps and emits, and composites, of scan.hpp. */
#include "checks.hpp"

#include <algorithm>
#include <complex>

using u32 = std::uint32_t;
using u64 = std::uint64_t;

/* clang-format off */
SCAN_OP_TEXT(affine_text,
  typedef struct affine { uint32_t a; uint32_t b; } affine;
  static inline affine then(affine f, affine g) { affine h; h.a = g.a * f.a; h.b = g.a * f.b + g.b; return h; });

SCAN_OP_TEXT(count_text,
  static inline uint32_t plus(uint32_t a, uint32_t b) { return a + b; }
  static inline uint32_t is_large(float x, uint64_t index) { (void)index; return x > 0.5f; }
  static inline int64_t place(uint32_t inclusive, uint32_t exclusive, float x, uint64_t index) {
    (void)exclusive; (void)index; if (x > 0.5f) return inclusive; return -1; });
/* clang-format on */

static void test_source(const scanrt::context &ctx) {
  const scanrt::op<affine> compose(ctx, scanrt::source<then>(affine_text, "affine", "then").identity({ 1, 0 }));
  const std::vector<u32> a = numbers(N, 100), b = numbers(N + 1, 100);
  std::vector<affine> in(N), out(N);
  for (std::size_t i = 0; i < N; i++) in[i] = { a[i], b[i + 1] };
  scanrt::inclusive_scan(ctx, in, out, compose);
  u32 y = 0;
  bool is_right = true;
  for (std::size_t i = 0; i < N; i++) {
    y = in[i].a * y + in[i].b;
    is_right = is_right && out[i].b == y;
  }
  CHECK(is_right);
  scanrt::exclusive_scan(ctx, in, out, compose, scanrt::init(affine{ 0, 9 }));
  CHECK(out[0].b == 9 && out[1].b == in[0].a * 9 + in[0].b);
  scanrt::exclusive_scan(ctx, in, out, compose);
  CHECK(out[0].a == 1 && out[0].b == 0 && out[1].a == in[0].a);
  CHECK(scanrt::reduce(ctx, in, compose, scanrt::init(affine{ 0, 0 })).b == y);

  auto device = on_device(ctx, in);
  const auto plan = scanrt::inclusive_scan.plan(ctx, device, device, compose);
  plan(device, device, compose);
  CHECK(on_host(ctx, device)[N - 1].b == y);
}

static void test_map_and_emit(const scanrt::context &ctx) {
  const auto source = scanrt::source<plus>(count_text, "uint32_t", "plus");
  const scanrt::op counts(ctx, source.map<is_large>("float", "is_large"));
  const scanrt::op places(ctx, source.identity(0).map<is_large>("float", "is_large").emit<place>("int64_t", "place"));
  std::vector<float> in;
  for (u32 x : numbers(N, 100)) in.push_back(static_cast<float>(x) / 100.0f);
  std::vector<u32> so_far(N);
  std::vector<std::int64_t> out(N);
  scanrt::inclusive_scan(ctx, in, so_far, counts);
  scanrt::inclusive_scan(ctx, in, out, places);
  u32 large = 0;
  bool is_right = true;
  for (std::size_t i = 0; i < N; i++) {
    large += in[i] > 0.5f;
    is_right = is_right && so_far[i] == large && out[i] == (in[i] > 0.5f ? static_cast<std::int64_t>(large) : -1);
  }
  CHECK(is_right);
}

static void test_composites(const scanrt::context &ctx) {
  const auto least = scanrt::composite<SCAN_ARGMIN_I32>(ctx);
  std::vector<scan_arg_i32> in(N), out(N);
  const std::vector<u32> values = numbers(N, 1u << 20);
  for (std::size_t i = 0; i < N; i++) in[i] = { static_cast<std::int32_t>(values[i]), static_cast<u32>(i) };
  scanrt::inclusive_scan(ctx, in, out, least);
  std::size_t best = 0;
  for (std::size_t i = 0; i < N; i++) best = values[i] < values[best] ? i : best;
  CHECK(out[N - 1].index == best && out[0].index == 0);

  const auto product = scanrt::composite<SCAN_COMPLEX_F32>(ctx);
  std::vector<std::complex<float>> turns(8, std::complex<float>(0, 1)), turned(8);
  scanrt::inclusive_scan(ctx, turns, turned, product);
  CHECK(turned[1] == std::complex<float>(-1, 0) && turned[7] == std::complex<float>(1, 0));

#ifdef __SIZEOF_INT128__
  const auto sum = scanrt::composite<SCAN_SUM_I128>(ctx);
  const auto greatest = scanrt::composite<SCAN_MAXIMUM_U128>(ctx);
  std::vector<scanrt::int128> terms(N, static_cast<scanrt::int128>(INT64_MIN) * 3), sums(N);
  std::vector<scanrt::uint128> wide(N), greater(N);
  for (std::size_t i = 0; i < N; i++) wide[i] = static_cast<scanrt::uint128>(values[i]) << 64;
  scanrt::inclusive_scan(ctx, terms, sums, sum);
  CHECK(sums[N - 1] == terms[0] * static_cast<scanrt::int128>(N));
  scanrt::inclusive_scan(ctx, wide, greater, greatest);
  const auto wide_sum = scanrt::composite<SCAN_WIDE_SUM_I64>(ctx);
  const std::vector<std::int64_t> least_terms(N, INT64_MIN);
  scanrt::inclusive_scan(ctx, least_terms, sums, wide_sum);
  CHECK(sums[N - 1] == static_cast<scanrt::int128>(INT64_MIN) * static_cast<scanrt::int128>(N));
  CHECK(greater[N - 1] == *std::max_element(wide.begin(), wide.end()));
#endif
}

void test_operators(const scanrt::context &ctx) {
  test_source(ctx);
  test_map_and_emit(ctx);
  test_composites(ctx);
}
