/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests scans along an axis of scan.hpp: C order, strides, views that are like std::mdspan, and that where it is there.
 */
#include "checks.hpp"

#include <numeric>

#if __has_include(<version>)
#include <version>
#endif
#ifdef __cpp_lib_mdspan
#include <mdspan>
#endif

using u64 = std::uint64_t;

enum { ROWS = 7, COLUMNS = 300 };

/* A view with the members of std::mdspan that calls use. */
template <typename T> struct matrix_view {
  T *first;
  long rows, columns, row_step, column_step;
  static constexpr std::size_t rank() { return 2; }
  T *data_handle() const { return first; }
  long extent(std::size_t axis) const { return axis == 0 ? rows : columns; }
  long stride(std::size_t axis) const { return axis == 0 ? row_step : column_step; }
};

static std::vector<int> image() {
  std::vector<int> made;
  for (std::uint32_t x : numbers(ROWS * COLUMNS, 100)) made.push_back(static_cast<int>(x));
  return made;
}

static bool is_scanned(const std::vector<int> &in, const std::vector<int> &out, std::size_t axis) {
  const std::size_t step = axis == 0 ? COLUMNS : 1;
  for (std::size_t row = 0; row < ROWS; row++)
    for (std::size_t column = 0; column < COLUMNS; column++) {
      const std::size_t i = row * COLUMNS + column;
      const bool is_first = axis == 0 ? row == 0 : column == 0;
      if (out[i] != in[i] + (is_first ? 0 : out[i - step])) return false;
    }
  return true;
}

void test_arrays(const scanrt::context &ctx) {
  const std::vector<int> in = image();
  std::vector<int> out(in.size());
  const u64 extents[] = { ROWS, COLUMNS };
  for (std::size_t axis = 0; axis < 2; axis++) {
    scanrt::inclusive_scan_array(ctx, scanrt::make_array(in, extents), scanrt::make_array(out, extents), axis,
                                 scanrt::add);
    CHECK(is_scanned(in, out, axis));
  }

  const std::int64_t strides[] = { 1, ROWS };
  scanrt::exclusive_scan_array(ctx, scanrt::make_array(in, extents), scanrt::make_array(out, extents, strides), 1,
                               scanrt::add);
  CHECK(out[0] == 0 && out[ROWS] == in[0] && out[2 * ROWS + 3] == in[3 * COLUMNS] + in[3 * COLUMNS + 1]);

  const matrix_view<const int> from{ in.data(), ROWS, COLUMNS, COLUMNS, 1 };
  matrix_view<int> to{ out.data(), ROWS, COLUMNS, COLUMNS, 1 };
  scanrt::inclusive_scan_array(ctx, from, to, 0, scanrt::add);
  CHECK(is_scanned(in, out, 0));

#ifdef __cpp_lib_mdspan
  scanrt::inclusive_scan_array(ctx, std::mdspan(in.data(), ROWS, COLUMNS), std::mdspan(out.data(), ROWS, COLUMNS), 1,
                               scanrt::add);
  CHECK(is_scanned(in, out, 1));
#endif

  std::vector<int> sums(ROWS), columns(COLUMNS);
  scanrt::total_array(ctx, scanrt::make_array(in, extents), scanrt::make_array(sums, { u64(ROWS), u64(1) }), 1,
                      scanrt::add);
  scanrt::total_array(ctx, scanrt::make_array(in, extents), scanrt::make_array(columns, { u64(COLUMNS) }), 0,
                      scanrt::add);
  CHECK(sums[3] == std::accumulate(in.begin() + 3 * COLUMNS, in.begin() + 4 * COLUMNS, 0));
  CHECK(std::accumulate(columns.begin(), columns.end(), 0) == std::accumulate(in.begin(), in.end(), 0));
  CHECK(std::accumulate(sums.begin(), sums.end(), 0) == std::accumulate(in.begin(), in.end(), 0));
  CHECK(scanrt::total_array(std::nothrow, ctx, scanrt::make_array(in, extents), scanrt::make_array(sums, { u64(ROWS) }),
                            0, scanrt::add)
            .status() == SCAN_INVALID_ARGUMENT);

  auto device = on_device(ctx, in);
  const auto view = scanrt::make_array(device, extents);
  const scanrt::inclusive_scan_array_plan plan = scanrt::inclusive_scan_array.plan(ctx, view, view, 1, scanrt::add);
  plan(view, view, 1, scanrt::add);
  CHECK(is_scanned(in, on_host(ctx, device), 1));
  CHECK(plan(std::nothrow, view, view, 0, scanrt::add).status() == SCAN_INVALID_ARGUMENT);
  CHECK(scanrt::inclusive_scan_array(std::nothrow, ctx, view, view, 2, scanrt::add).status() == SCAN_INVALID_ARGUMENT);
}
