/* SPDX-License-Identifier: BSD-2-Clause */
/* Sorts and scans thrust::device_vectors where they lie, on a stream of the application's, and checks the result. */
#include "thrust_adapter.hpp"

#include <cstdio>
#include <thrust/sequence.h>

static bool is_right(const scanrt::context &ctx, cudaStream_t stream) {
  const int n = 1 << 20;
  thrust::device_vector<int> x(n), sums(n);
  thrust::sequence(x.begin(), x.end(), n, -1); /* n, n - 1, ..., 1 */
  cudaDeviceSynchronize();                     /* Thrust used another stream */
  scanrt::sort(ctx, x, x);
  scanrt::inclusive_scan(ctx, x, sums, scanrt::max);
  const int greatest = scanrt::reduce(ctx, sums, scanrt::max); /* waits */
  cudaStreamSynchronize(stream);
  return x[0] == 1 && x[n - 1] == n && sums[9] == 10 && greatest == n;
}

int main() {
  cudaStream_t stream = nullptr;
  if (cudaStreamCreate(&stream) != cudaSuccess) {
    std::puts("skipped: there is no CUDA device");
    return 77;
  }
  int status = 1;
  try {
    const scanrt::context ctx = scanrt::context::on_cuda(nullptr, stream);
    status = !is_right(ctx, stream);
    std::puts(status ? "a wrong result" : "sorted and scanned on the stream");
  } catch (const scanrt::error &error) { std::fprintf(stderr, "%s\n", error.what()); }
  cudaStreamDestroy(stream);
  return status;
}
