/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests scan.hpp compiled without exceptions: calls, plans and handles by results, on $SCANRT_TEST_DEVICE. */
#include <scanrt/scan.hpp>

#include <array>
#include <cstdio>
#include <cstdlib>

#ifdef __cpp_exceptions
#error "compile with -fno-exceptions"
#endif

using u32 = std::uint32_t;
using u64 = std::uint64_t;

/* clang-format off */
SCAN_OP_TEXT(text,
  static inline uint32_t plus(uint32_t a, uint32_t b) { return a + b; }
  static inline int is_odd(uint32_t x, uint64_t index) { (void)index; return (x & 1u) != 0; });
/* clang-format on */

static int failures;

static void expect(scanrt::result<> done, const char *what) {
  if (done) return;
  failures++;
  std::fprintf(stderr, "%s: %s: %s\n", what, scan_status_name(done.status()), done.message());
}

static void expect(bool is_right, const char *what) {
  if (is_right) return;
  failures++;
  std::fprintf(stderr, "%s: a wrong result\n", what);
}

static void test_calls(const scanrt::context &ctx) {
  const std::array<u32, 6> in{ 3, 1, 4, 1, 5, 9 };
  std::array<u32, 6> out{}, keys{};
  u64 kept = 0;
  expect(scanrt::inclusive_scan(std::nothrow, ctx, in, out, scanrt::add, scanrt::init(1u)), "inclusive_scan");
  expect(out[5] == 24, "inclusive_scan");
  expect(scanrt::sort(std::nothrow, ctx, in, keys, scanrt::descending()), "sort");
  expect(keys[0] == 9 && keys[5] == 1, "sort");
  auto odd = scanrt::make_predicate<is_odd>(std::nothrow, ctx, text, "is_odd", { "uint32_t" });
  expect(bool(odd), "make_predicate");
  expect(scanrt::copy_if(std::nothrow, ctx, in, out, &kept, *odd), "copy_if");
  expect(kept == 5 && out[4] == 9, "copy_if");
  expect(scanrt::unique(std::nothrow, ctx, keys, out, &kept), "unique");
  expect(kept == 5, "unique");
  auto sum = scanrt::op<u32>::make(std::nothrow, ctx, scanrt::source<plus>(text, "uint32_t", "plus"));
  expect(bool(sum), "op");
  const scanrt::result<u32> total = scanrt::reduce(std::nothrow, ctx, in, *sum);
  expect(total && *total == 23, "reduce");
  expect(scanrt::reduce(std::nothrow, ctx, in, scanrt::builtin<SCAN_OP_NONE>()).status() == SCAN_INVALID_ARGUMENT,
         "reduce by no operator");
}

static void test_plan(const scanrt::context &ctx) {
  const std::array<u32, 3> in{ 1, 2, 3 };
  std::array<u32, 3> out{};
  auto memory = scanrt::buffer<u32>::make(std::nothrow, ctx, 3);
  expect(bool(memory), "buffer");
  auto plan = scanrt::exclusive_scan.plan(std::nothrow, ctx, *memory, *memory, scanrt::add);
  expect(bool(plan), "plan");
  if (failures) return;
  expect(scanrt::copy(std::nothrow, ctx, in, *memory), "copy to the device");
  expect((*plan)(std::nothrow, *memory, *memory, scanrt::add), "a run of the plan");
  expect(scanrt::copy(std::nothrow, ctx, *memory, out), "copy from the device");
  expect(out[0] == 0 && out[2] == 3, "a run of the plan");
  expect(ctx.sync(std::nothrow), "sync");
}

int main() {
  const char *selector = std::getenv("SCANRT_TEST_DEVICE");
  auto ctx = scanrt::context::open(std::nothrow, scanrt::context_options(selector ? selector : "host"));
  if (ctx.status() == SCAN_NO_DEVICE) {
    std::printf("skipped: %s\n", ctx.message());
    return 77;
  }
  if (!ctx) {
    std::fprintf(stderr, "%s\n", ctx.message());
    return 1;
  }
  test_calls(*ctx);
  test_plan(*ctx);
  return failures != 0;
}
