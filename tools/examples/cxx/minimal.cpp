/* SPDX-License-Identifier: BSD-2-Clause */
/* Row offsets from row lengths in C++: an exclusive sum. Build: c++ -std=c++17 minimal.cpp -lscanrt */
#include <iostream>
#include <vector>

#include <scanrt/scan.hpp>

int main() {
  const std::vector<int> length{ 3, 1, 4, 1, 5, 9, 2, 6 };
  std::vector<int> offset(length.size());
  try {
    const scanrt::context ctx; // the best device of this machine
    scanrt::exclusive_scan(ctx, length, offset, scanrt::add);
  } catch (const scanrt::error &error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
  for (std::size_t i = 0; i < offset.size(); i++) std::cout << "row " << i << " begins at " << offset[i] << '\n';
}
