/* SPDX-License-Identifier: BSD-2-Clause */
/* CUB's scan of steps x -> a x + b in f32, the composite affine_f32, as CUB tunes it for elements of 8 bytes. */
#include "cub_scans.h"

#include <cub/device/device_scan.cuh>

namespace {

struct compose {
  __host__ __device__ scan_affine_f32 operator()(const scan_affine_f32 &f, const scan_affine_f32 &g) const {
    return { g.a * f.a, g.a * f.b + g.b };
  }
};

const scan_affine_f32 *input(const void *in) { return static_cast<const scan_affine_f32 *>(in); }
scan_affine_f32 *output(void *out) { return static_cast<scan_affine_f32 *>(out); }

cudaError_t inclusive(void *workspace, size_t &workspace_bytes, const void *in, void *out, const scan_value &,
                      int64_t n, cudaStream_t stream) {
  return cub::DeviceScan::InclusiveScan(workspace, workspace_bytes, input(in), output(out), compose{}, n, stream);
}

cudaError_t exclusive(void *workspace, size_t &workspace_bytes, const void *in, void *out, const scan_value &,
                      int64_t n, cudaStream_t stream) {
  return cub::DeviceScan::ExclusiveScan(workspace, workspace_bytes, input(in), output(out), compose{},
                                        scan_affine_f32{ 1.0f, -0.0f }, n, stream);
}

}

cub_scan *const cub_affine_f32[] = { inclusive, exclusive };
