/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests scan.hpp on $SCANRT_TEST_DEVICE (default: host): each call once against a plain loop, errors, handles. Exits
 * with 77 where there is no such device. */
#include "checks.hpp"

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>

static int checks, failures;
static long news;

void *operator new(std::size_t bytes, const std::nothrow_t &) noexcept {
  news++;
  return std::malloc(bytes);
}
void *operator new(std::size_t bytes) {
  if (void *memory = operator new(bytes, std::nothrow)) return memory;
  throw std::bad_alloc();
}
void operator delete(void *memory) noexcept { std::free(memory); }
void operator delete(void *memory, std::size_t) noexcept { std::free(memory); }

long allocations() { return news; }

void check(bool is_right, const char *what, const char *file, int line) {
  checks++;
  if (is_right) return;
  failures++;
  std::fprintf(stderr, "%s:%d: %s\n", file, line, what);
}

std::vector<std::uint32_t> numbers(std::uint64_t n, std::uint32_t below) {
  std::vector<std::uint32_t> made(n);
  std::uint64_t state = 0x5ca9;
  for (std::uint32_t &number : made) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    number = static_cast<std::uint32_t>(state >> 33) % below;
  }
  return made;
}

struct named_test {
  const char *name;
  void (*run)(const scanrt::context &ctx);
};
static const named_test tests[] = {
  { "scans", test_scans },           { "arrays", test_arrays }, { "operators", test_operators },
  { "compaction", test_compaction }, { "runs", test_runs },     { "sorts", test_sorts },
  { "streams", test_streams },       { "errors", test_errors },
};

static void run(const named_test &test, const scanrt::context &ctx) {
  const int before = failures;
  try {
    test.run(ctx);
    ctx.sync();
  } catch (const std::exception &error) {
    failures++;
    std::fprintf(stderr, "%s: %s\n", test.name, error.what());
  }
  std::printf("%-10s %s\n", test.name, failures == before ? "passed" : "FAILED");
}

int main() {
  const char *selector = std::getenv("SCANRT_TEST_DEVICE");
  auto opened = scanrt::context::open(std::nothrow, scanrt::context_options(selector ? selector : "host"));
  if (opened.status() == SCAN_NO_DEVICE) {
    std::printf("skipped: %s\n", opened.message());
    return 77;
  }
  const scanrt::context ctx = std::move(opened).value();
  for (const named_test &test : tests) run(test, ctx);
  std::printf("%d checks, %d failures\n", checks, failures);
  return failures != 0 || checks == 0;
}
