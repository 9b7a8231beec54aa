/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests errors and handles of scan.hpp: exceptions and results have the status and the sentence of the library. */
#include "checks.hpp"

#include <cstring>
#include <string>
#include <type_traits>

using u32 = std::uint32_t;

static_assert(!std::is_copy_constructible<scanrt::context>::value && std::is_move_constructible<scanrt::context>::value,
              "contexts move");
static_assert(std::is_move_assignable<scanrt::context>::value && std::is_move_assignable<scanrt::buffer<int>>::value,
              "handles move");
static_assert(!std::is_copy_constructible<scanrt::sort_plan>::value &&
                  !std::is_copy_constructible<scanrt::op<int>>::value,
              "handles are not copied");

/* clang-format off */
SCAN_OP_TEXT(broken_text,
  static inline uint32_t plus(uint32_t a, uint32_t b) { return a + b; });
/* clang-format on */

static void test_exceptions(const scanrt::context &ctx) {
  std::vector<float> x(3, 1.0f);
  std::string said;
  scan_status status = SCAN_SUCCESS;
  try {
    scanrt::inclusive_scan(ctx, x, x, scanrt::xor_);
  } catch (const scanrt::error &error) {
    said = error.what();
    status = error.status();
  }
  CHECK(status == SCAN_INVALID_ARGUMENT);
  CHECK(said == std::string("SCAN_INVALID_ARGUMENT: ") + scan_last_error(ctx.get()));
  status = SCAN_SUCCESS;
  try {
    const scanrt::context none("no such device");
  } catch (const scanrt::error &error) { status = error.status(); }
  CHECK(status != SCAN_SUCCESS);
}

static void test_results(const scanrt::context &ctx) {
  std::vector<float> x(3, 1.0f), few(2);
  const scanrt::result<> refused = scanrt::inclusive_scan(std::nothrow, ctx, x, x, scanrt::and_);
  CHECK(!refused && refused.status() == SCAN_INVALID_ARGUMENT && std::strstr(refused.message(), "and") != nullptr);
  const scanrt::result<> small = scanrt::inclusive_scan(std::nothrow, ctx, x, few, scanrt::add);
  CHECK(!small && std::strstr(small.message(), "fewer") != nullptr && few[0] == 0.0f);
  const std::vector<u32> no_bits;
  const scanrt::result<> marked =
      scanrt::inclusive_scan(std::nothrow, ctx, x, x, scanrt::add, scanrt::by_bits(no_bits));
  CHECK(!marked && std::strstr(marked.message(), "fewer bits") != nullptr);
  const scanrt::result<float> sum = scanrt::reduce(std::nothrow, ctx, x, scanrt::add);
  CHECK(sum && *sum == 3.0f && sum.status() == SCAN_SUCCESS && *sum.message() == 0);
  const auto opened = scanrt::context::open(std::nothrow, scanrt::context_options("no such device"));
  CHECK(!opened && opened.status() != SCAN_SUCCESS && *opened.message() != 0);
  const auto missing = scanrt::op<u32>::make(std::nothrow, ctx, scanrt::source<plus>(broken_text, "uint32_t", "minus"));
  CHECK(ctx.device().backend == SCAN_BACKEND_HOST || missing.status() == SCAN_BUILD_FAILED);
  CHECK(scanrt::context::on_opencl(std::nothrow, nullptr, nullptr).status() != SCAN_SUCCESS);
  const scanrt::device_span<u32> elsewhere(static_cast<u32 *>(nullptr), 4);
  CHECK(scanrt::exclusive_scan(std::nothrow, ctx, elsewhere, elsewhere, scanrt::add).status() == SCAN_INVALID_ARGUMENT);
}

static void test_handles(const scanrt::context &ctx) {
  scanrt::buffer<u32> a(ctx, 4), b(ctx, 2);
  const scan_mem of_a = a.mem();
  b = std::move(a);
  CHECK(b.size() == 4 && b.mem().handle == of_a.handle);
  scanrt::buffer<u32> c = std::move(b);
  const scanrt::buffer<u32> empty(ctx, 0);
  CHECK(c.mem().handle == of_a.handle && empty.size() == 0);
  scan_ctx *raw = nullptr;
  CHECK(scan_ctx_create(nullptr, &raw) == SCAN_SUCCESS);
  scanrt::context first = scanrt::context::adopt(raw), second = std::move(first);
  CHECK(second.get() == raw && first.get() == nullptr);
  const scanrt::mem_span<u32> words = c.subspan(1, 2);
  const scanrt::mem_span<const u32> read = words;
  CHECK(read.size() == 2 && read.mem().offset_bytes == words.mem().offset_bytes);
  CHECK(c.subspan(1).size() == 3 && c.subspan(9).size() == 0);
}

/* Calls, runs of plans and refused calls with std::nothrow do not allocate. On the host alone, because drivers call
 * operator new, too. */
static void test_allocations(const scanrt::context &ctx) {
  const std::vector<u32> in = numbers(N, 1000);
  std::vector<u32> out(N), more(N), few(1);
  std::vector<unsigned char> flags(N, 1);
  auto device = on_device(ctx, in);
  const scanrt::inclusive_scan_plan plan = scanrt::inclusive_scan.plan(ctx, device, device, scanrt::add);
  const long before = allocations();
  scanrt::exclusive_scan(ctx, in, out, scanrt::add, scanrt::by_flags(flags), scanrt::init(3u));
  scanrt::sort(ctx, in, out, scanrt::with(in, more), scanrt::descending());
  scanrt::copy_if(ctx, in, few, scanrt::none, scanrt::by_flags(flags));
  plan(device, device, scanrt::add);
  const scanrt::result<> refused = scanrt::exclusive_scan(std::nothrow, ctx, in, few, scanrt::add);
  CHECK(allocations() == before && !refused);
}

void test_errors(const scanrt::context &ctx) {
  test_exceptions(ctx);
  test_results(ctx);
  test_handles(ctx);
  if (ctx.device().backend == SCAN_BACKEND_HOST) test_allocations(ctx);
}
