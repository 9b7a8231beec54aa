/* SPDX-License-Identifier: BSD-2-Clause */
/* CUB's segmented sums: scans by key, as CUB tunes them. */
#include "cub_scans.h"

#include <cub/device/device_scan.cuh>

namespace {

template <class T> cudaError_t inclusive(void *workspace, size_t &workspace_bytes, const void *keys, const void *in,
                                         void *out, int64_t n, cudaStream_t stream) {
  return cub::DeviceScan::InclusiveSumByKey(workspace, workspace_bytes, static_cast<const int32_t *>(keys),
                                            static_cast<const T *>(in), static_cast<T *>(out), n, {}, stream);
}

template <class T> cudaError_t exclusive(void *workspace, size_t &workspace_bytes, const void *keys, const void *in,
                                         void *out, int64_t n, cudaStream_t stream) {
  return cub::DeviceScan::ExclusiveSumByKey(workspace, workspace_bytes, static_cast<const int32_t *>(keys),
                                            static_cast<const T *>(in), static_cast<T *>(out), n, {}, stream);
}

}

cub_scan_by_key *const cub_sum_by_key_u32[] = { inclusive<uint32_t>, exclusive<uint32_t> };
cub_scan_by_key *const cub_sum_by_key_f32[] = { inclusive<float>, exclusive<float> };
