/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests compaction, partitions, runs and reductions by key of scan.hpp. */
#include "checks.hpp"

#include <algorithm>
#include <numeric>

using u32 = std::uint32_t;
using u64 = std::uint64_t;

/* clang-format off */
SCAN_OP_TEXT(text,
  typedef struct bounds { uint32_t low; uint32_t high; } bounds;
  static inline int is_even(uint32_t x, uint64_t index) { (void)index; return (x & 1u) == 0; }
  static inline int is_inside(uint32_t x, uint64_t index, bounds b) { (void)index; return x >= b.low && x < b.high; }
  static inline int same_tens(uint32_t before, uint32_t x) { return before / 10 == x / 10; });
/* clang-format on */

static void test_flags(const scanrt::context &ctx) {
  const std::vector<u32> in = numbers(N, 1000);
  std::vector<unsigned char> flags(N);
  std::vector<u32> words(N / 32 + 1), want, others, indices, out(N), rest(N);
  for (u32 i = 0; i < N; i++) {
    flags[i] = in[i] % 3 == 0;
    words[i / 32] |= static_cast<u32>(flags[i]) << i % 32;
    (flags[i] ? want : others).push_back(in[i]);
    if (flags[i]) indices.push_back(i);
  }
  u64 kept = 0;
  scanrt::copy_if(ctx, in, out, &kept, scanrt::by_flags(flags));
  CHECK(kept == want.size() && std::equal(want.begin(), want.end(), out.begin()));
  scanrt::copy_if(ctx, in, out, &kept, scanrt::by_bits(words), scanrt::rest_apart(rest));
  CHECK(kept == want.size() && std::equal(want.begin(), want.end(), out.begin()));
  CHECK(std::equal(others.begin(), others.end(), rest.begin()));
  scanrt::partition(ctx, in, out, scanrt::none, scanrt::by_flags(flags));
  want.insert(want.end(), others.begin(), others.end());
  CHECK(out == want);
  scanrt::indices_if(ctx, N, out, &kept, scanrt::by_flags(flags));
  CHECK(std::equal(indices.begin(), indices.end(), out.begin()));

  std::vector<u32> same = in;
  scanrt::copy_if(ctx, same, same, &kept, scanrt::by_flags(flags)); /* in place */
  CHECK(kept == indices.size() &&
        std::equal(want.begin(), want.begin() + static_cast<std::ptrdiff_t>(kept), same.begin()));

  std::vector<u32> few(3, 0); /* fewer than are kept */
  std::vector<double> values(N), values_out(N);
  std::iota(values.begin(), values.end(), 0.0);
  scanrt::copy_if(ctx, in, few, &kept, scanrt::by_flags(flags), scanrt::with(values, values_out));
  CHECK(kept == indices.size() && few[2] == in[indices[2]] && values_out[2] == indices[2] && values_out[3] == 0.0);
  scanrt::copy_if(ctx, in, std::vector<u32>(), &kept, scanrt::by_flags(flags));
  CHECK(kept == indices.size());
}

static void test_predicates(const scanrt::context &ctx) {
  const auto even = scanrt::make_predicate<is_even>(ctx, text, "is_even", { "uint32_t" });
  const auto inside = scanrt::make_predicate<is_inside>(ctx, text, "is_inside", { "uint32_t", "bounds" });
  const std::vector<u32> in = numbers(N, 1000);
  const auto device = on_device(ctx, in);
  scanrt::buffer<u32> out(ctx, N);
  scanrt::buffer<u64> count(ctx, 1);
  const auto plan = scanrt::copy_if.plan(ctx, device, out, count, inside, scanrt::params(bounds{ 0, 0 }));
  for (const bounds &b : { bounds{ 100, 200 }, bounds{ 0, 1000 }, bounds{ 5, 5 } }) {
    plan(device, out, count, inside, scanrt::params(b));
    std::vector<u32> want;
    std::copy_if(in.begin(), in.end(), std::back_inserter(want), [&b](u32 x) { return x >= b.low && x < b.high; });
    CHECK(on_host(ctx, count)[0] == want.size());
    CHECK(on_host(ctx, out, want.size()) == want);
  }

  std::vector<u32> first(N), second(N), rest(N);
  u64 counts[3];
  const bounds b{ 0, 500 };
  std::vector<double> also(N), also_first(N), also_second(N), also_rest(N);
  std::copy(in.begin(), in.end(), also.begin());
  scanrt::partition3(ctx, in, first, second, rest, counts, even, inside, scanrt::second_params(b),
                     scanrt::with_parts(also, also_first, also_second, also_rest));
  CHECK(also_first[1] == first[1] && also_second[1] == second[1] && also_rest[1] == rest[1]);
  CHECK(counts[0] + counts[1] + counts[2] == N);
  CHECK(counts[0] == static_cast<u64>(std::count_if(in.begin(), in.end(), [](u32 x) { return x % 2 == 0; })));
  CHECK(first[0] % 2 == 0 && second[0] % 2 == 1 && second[0] < 500 && rest[0] % 2 == 1 && rest[0] >= 500);
  scanrt::partition3(ctx, in, first, second, rest, counts, inside, even, scanrt::first_params(b));
  CHECK(first[0] < 500 && second[0] >= 500 && second[0] % 2 == 0 && rest[0] >= 500 && rest[0] % 2 == 1);
  scanrt::buffer<u32> a(ctx, N), c(ctx, N), d(ctx, N);
  scanrt::buffer<u64> three(ctx, 3);
  const scanrt::partition3_plan parts =
      scanrt::partition3.plan(ctx, device, a, c, d, three, inside, even, scanrt::first_params(b));
  parts(device, a, c, d, three, inside, even, scanrt::first_params(b));
  CHECK((on_host(ctx, three) == std::vector<u64>(counts, counts + 3)));
  scanrt::partition3(ctx, in, first, second, rest, counts, even, inside, scanrt::second_params(b));
  u64 kept = 0;
  scanrt::indices_if(ctx, N, first, &kept, even, scanrt::looking_at(in));
  CHECK(kept == counts[0] && in[first[0]] % 2 == 0);
}

static void test_unique(const scanrt::context &ctx) {
  std::vector<u32> in = numbers(N, 300);
  std::sort(in.begin(), in.end());
  std::vector<u32> want = in, out(N);
  want.erase(std::unique(want.begin(), want.end()), want.end());
  u64 kept = 0;
  scanrt::unique(ctx, in, out, &kept);
  CHECK(kept == want.size() && std::equal(want.begin(), want.end(), out.begin()));
  const auto tens = scanrt::make_pair_predicate<same_tens>(ctx, text, "same_tens", { "uint32_t" });
  scanrt::unique(ctx, in, out, &kept, scanrt::same_by(tens), scanrt::last_of_each());
  CHECK(kept == 30 && out[0] / 10 == 0 && out[29] == in[N - 1]);
  std::vector<double> values(N), values_out(N);
  std::iota(values.begin(), values.end(), 0.0);
  scanrt::unique(ctx, values, values_out, &kept, scanrt::by_keys(in));
  CHECK(kept == want.size() && in[static_cast<std::size_t>(values_out[1])] == want[1]);
}

void test_compaction(const scanrt::context &ctx) {
  test_flags(ctx);
  test_predicates(ctx);
  test_unique(ctx);
}

void test_runs(const scanrt::context &ctx) {
  const std::vector<u32> keys = numbers(N, 3), values = numbers(N, 1000);
  std::vector<u32> want_keys, want_lengths, want_starts;
  std::vector<u64> want_sums;
  for (u32 i = 0; i < N; i++) {
    if (i == 0 || keys[i] != keys[i - 1]) {
      want_keys.push_back(keys[i]);
      want_lengths.push_back(0);
      want_starts.push_back(i);
      want_sums.push_back(0);
    }
    want_lengths.back()++;
    want_sums.back() += values[i];
  }
  const std::size_t runs = want_keys.size();
  std::vector<u32> keys_out(N), lengths(N), starts(N);
  std::vector<u64> sums(N);
  u64 count = 0;
  scanrt::run_length_encode(ctx, keys, keys_out, lengths, &count, scanrt::starts(starts));
  CHECK(count == runs && std::equal(want_keys.begin(), want_keys.end(), keys_out.begin()));
  CHECK(std::equal(want_lengths.begin(), want_lengths.end(), lengths.begin()));
  CHECK(std::equal(want_starts.begin(), want_starts.end(), starts.begin()));
  scanrt::run_length_encode(ctx, keys, scanrt::none, scanrt::none, &count);
  CHECK(count == runs);
  std::vector<u64> from_seven(N);
  scanrt::reduce_by_key(ctx, keys, values, scanrt::none, from_seven, &count, scanrt::add, scanrt::init(7));
  CHECK(count == runs && from_seven[0] == want_sums[0] + 7 && from_seven[runs - 1] == want_sums[runs - 1] + 7);

  const auto from = on_device(ctx, keys), with = on_device(ctx, values);
  scanrt::buffer<u32> to(ctx, N);
  scanrt::buffer<u64> added(ctx, N), found(ctx, 1);
  scanrt::reduce_by_key(ctx, from, with, to, added, found, scanrt::add);
  CHECK(on_host(ctx, found)[0] == runs && on_host(ctx, to, runs) == want_keys &&
        on_host(ctx, added, runs) == want_sums);
  const auto plan = scanrt::reduce_by_key.plan(ctx, from, with, scanrt::none, added, scanrt::none, scanrt::add);
  plan(from, with, scanrt::none, added, scanrt::none, scanrt::add);
  CHECK(on_host(ctx, added, runs) == want_sums);

  const std::vector<u32> offsets{ 0, 2, 2, static_cast<u32>(N) };
  std::vector<u64> of_segments(3), wanted(3, 7);
  for (std::size_t i = 0; i < N; i++) wanted[i < 2 ? 0 : 2] += values[i];
  scanrt::segmented_reduce(ctx, values, offsets, of_segments, scanrt::add, scanrt::init(7));
  CHECK(of_segments == wanted);
  std::vector<u64> too_few(2);
  CHECK(scanrt::segmented_reduce(std::nothrow, ctx, values, offsets, too_few, scanrt::add).status() ==
        SCAN_INVALID_ARGUMENT);
  const std::vector<std::int16_t> shorts(N, -30000);
  std::vector<std::int64_t> wide(N);
  scanrt::segmented_reduce(ctx, shorts, offsets, wide, scanrt::add);
  CHECK(wide[0] == -60000 && wide[1] == 0 && wide[2] == (static_cast<std::int64_t>(N) - 2) * -30000);
  scanrt::reduce_by_key(ctx, keys, shorts, scanrt::none, wide, &count, scanrt::add);
  CHECK(count == runs && wide[0] == want_lengths[0] * std::int64_t(-30000));
  std::vector<std::int64_t> all(1);
  scanrt::total(ctx, shorts, all, scanrt::add);
  CHECK(all[0] == static_cast<std::int64_t>(N) * -30000);
  const auto begins = on_device(ctx, offsets);
  const auto reduction = scanrt::segmented_reduce.plan(ctx, with, begins, added, scanrt::add, scanrt::init(7));
  reduction(with, begins, added, scanrt::add, scanrt::init(7));
  CHECK(on_host(ctx, added, 3) == wanted);

  std::vector<uint8_t> flags(N);
  std::vector<u32> words(N / 32 + 1);
  flags[2] = 1;
  words[0] = 1u << 2;
  const std::vector<u64> two{ wanted[0], wanted[2] };
  u64 segments = 0;
  std::vector<u64> of_flags(2);
  scanrt::marked_reduce(ctx, values, scanrt::by_flags(flags), of_flags, &segments, scanrt::add, scanrt::init(7));
  CHECK(of_flags == two && segments == 2);
  const auto bits = on_device(ctx, words);
  const auto marked =
      scanrt::marked_reduce.plan(ctx, with, scanrt::by_bits(bits), added, found, scanrt::add, scanrt::init(7));
  marked(with, scanrt::by_bits(bits), added, found, scanrt::add, scanrt::init(7));
  CHECK(on_host(ctx, added, 2) == two && on_host(ctx, found)[0] == 2);
}
