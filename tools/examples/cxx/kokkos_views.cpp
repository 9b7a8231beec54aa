/* SPDX-License-Identifier: BSD-2-Clause */
/* Scans Kokkos views where they lie: a view of rank 1, and the columns of a matrix of either layout. */
#include "kokkos_adapter.hpp"

#include <cstdio>

static bool scans_elements(const scanrt::context &ctx) {
  const Kokkos::View<int *, Kokkos::HostSpace> x("x", 1000), sums("sums", 1000);
  for (int i = 0; i < 1000; i++) x(i) = i;
  scanrt::inclusive_scan(ctx, x, sums, scanrt::add);
  return sums(0) == 0 && sums(999) == 499500;
}

template <typename Layout> static bool scans_columns(const scanrt::context &ctx) {
  const Kokkos::View<double **, Layout, Kokkos::HostSpace> m("m", 30, 40);
  Kokkos::deep_copy(m, 1.0);
  scanrt::inclusive_scan_array(ctx, m, m, 0, scanrt::add);
  for (int row = 0; row < 30; row++)
    for (int column = 0; column < 40; column++)
      if (m(row, column) != row + 1.0) return false;
  return true;
}

int main(int argc, char **argv) {
  const Kokkos::ScopeGuard kokkos(argc, argv);
  try {
    const scanrt::context ctx("host");
    const bool is_right =
        scans_elements(ctx) && scans_columns<Kokkos::LayoutLeft>(ctx) && scans_columns<Kokkos::LayoutRight>(ctx);
    std::puts(is_right ? "scanned views of both layouts" : "a wrong result");
    return !is_right;
  } catch (const scanrt::error &error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
