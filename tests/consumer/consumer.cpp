// SPDX-License-Identifier: BSD-2-Clause
// Uses an installed scan.hpp, with exceptions and by results.
#include <scanrt/scan.hpp>

#include <cstdio>
#include <vector>

int main() {
  try {
    const scanrt::context ctx("host");
    std::vector<int> x{ 3, 1, 2 }, sums(3);
    scanrt::sort(ctx, x, x);
    scanrt::inclusive_scan(ctx, x, sums, scanrt::add);
    const scanrt::result<int> most = scanrt::reduce(std::nothrow, ctx, x, scanrt::max);
    return !(x[0] == 1 && sums[2] == 6 && most && *most == 3);
  } catch (const scanrt::error &error) {
    std::fprintf(stderr, "consumer: %s\n", error.what());
    return 1;
  }
}
