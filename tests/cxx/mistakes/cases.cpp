/* SPDX-License-Identifier: BSD-2-Clause */
/* Mistakes that scan.hpp finds when a program is compiled, each with words of its message. */
#include <scanrt/scan.hpp>

#include <vector>

/* clang-format off */
SCAN_OP_TEXT(text,
  static inline int is_less(int32_t x, uint64_t index, int32_t bound) { (void)index; return x < bound; }
  static inline uint32_t low(int32_t x, uint64_t index, uint32_t mask) { (void)index; return x & mask; });
/* clang-format on */

int main() {
  const scanrt::context ctx("host");
  const auto less = scanrt::make_predicate<is_less>(ctx, text, "is_less", { "int32_t", "int32_t" });
  const auto bucket = scanrt::make_bucket_function<low>(ctx, text, "low", { "int32_t", "uint32_t" });
  const auto product = scanrt::composite<SCAN_COMPLEX_F32>(ctx);
  const std::vector<int> in(3);
  const std::vector<float> floats(3);
  std::vector<int> out(3);
  std::vector<float> floats_out(3);
  std::vector<uint64_t> offsets(5);
  const scanrt::buffer<int> read_only(ctx, 3);
  (void)floats_out, (void)offsets;
#if CASE == 1 // the predicate has parameters of another type
  scanrt::copy_if(ctx, in, out, scanrt::none, less, scanrt::params(2.5f));
#elif CASE == 2  // the predicate looks at elements of another type
  scanrt::copy_if(ctx, floats, floats_out, scanrt::none, less, scanrt::params(2));
#elif CASE == 3  // the bucket function has parameters of another type
  scanrt::split(ctx, in, out, offsets, scanrt::into(bucket, 4), scanrt::params(3));
#elif CASE == 4  // the bucket function looks at elements of another type
  scanrt::histogram(ctx, floats, offsets, scanrt::into(bucket, 4), scanrt::params(3u));
#elif CASE == 5  // an output is const
  scanrt::inclusive_scan(ctx, in, in, scanrt::add);
#elif CASE == 6  // an output is const
  scanrt::sort(ctx, in, read_only);
#elif CASE == 7  // a pointer does not say how many elements the call has
  scanrt::sort(ctx, in.data(), out);
#elif CASE == 8  // keys of different types
  scanrt::sort(ctx, in, floats_out);
#elif CASE == 9  // backward
  scanrt::sort(ctx, in, out, scanrt::backward);
#elif CASE == 10 // the input has other elements than the operator reads
  scanrt::inclusive_scan(ctx, floats, floats_out, product);
#elif CASE == 11 // the library has no scans and keys of this type
  scanrt::inclusive_scan(ctx, in, std::vector<const char *>(3), scanrt::add);
#elif CASE == 12 // a count is an unsigned integer of 64 bits
  scanrt::unique(ctx, in, out, out);
#else
  scanrt::copy_if(ctx, floats, floats_out, scanrt::none, less, scanrt::params(2), scanrt::looking_at(in));
#endif
}
