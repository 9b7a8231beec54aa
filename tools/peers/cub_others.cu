/* SPDX-License-Identifier: BSD-2-Clause */
/* CUB's scans of structs and by key. They share a file, since CUB's headers take longer to compile than either. */
#include "cub_scans.h"

#include <cub/device/device_scan.cuh>

/* Steps x -> a x + b in f32, the composite affine_f32, with CUB's tuning for elements of 8 bytes. */
namespace affine {

struct compose {
  __host__ __device__ scan_affine_f32 operator()(const scan_affine_f32 &f, const scan_affine_f32 &g) const {
    return { g.a * f.a, g.a * f.b + g.b };
  }
};

static const scan_affine_f32 *input(const void *in) { return static_cast<const scan_affine_f32 *>(in); }
static scan_affine_f32 *output(void *out) { return static_cast<scan_affine_f32 *>(out); }

static cudaError_t inclusive(void *workspace, size_t &workspace_bytes, const void *in, void *out, const scan_value &,
                             int64_t n, cudaStream_t stream) {
  return cub::DeviceScan::InclusiveScan(workspace, workspace_bytes, input(in), output(out), compose{}, n, stream);
}

static cudaError_t exclusive(void *workspace, size_t &workspace_bytes, const void *in, void *out, const scan_value &,
                             int64_t n, cudaStream_t stream) {
  return cub::DeviceScan::ExclusiveScan(workspace, workspace_bytes, input(in), output(out), compose{},
                                        scan_affine_f32{ 1.0f, -0.0f }, n, stream);
}

}

cub_scan *const cub_affine_f32[] = { affine::inclusive, affine::exclusive };

/* Segmented sums, with CUB's tuning. */
namespace by_key {

template <class K, class T, class N> static cudaError_t inclusive(void *workspace, size_t &workspace_bytes,
                                                                  const void *keys, const void *in, void *out,
                                                                  int64_t n, cudaStream_t stream) {
  return cub::DeviceScan::InclusiveSumByKey(workspace, workspace_bytes, static_cast<const K *>(keys),
                                            static_cast<const T *>(in), static_cast<T *>(out), static_cast<N>(n), {},
                                            stream);
}

template <class K, class T, class N> static cudaError_t exclusive(void *workspace, size_t &workspace_bytes,
                                                                  const void *keys, const void *in, void *out,
                                                                  int64_t n, cudaStream_t stream) {
  return cub::DeviceScan::ExclusiveSumByKey(workspace, workspace_bytes, static_cast<const K *>(keys),
                                            static_cast<const T *>(in), static_cast<T *>(out), static_cast<N>(n), {},
                                            stream);
}

template <class K, class T> static cub_scan_by_key *find_of(uint32_t variant, scan_kind kind) {
  static cub_scan_by_key *const scans[][SCAN_EXCLUSIVE + 1] = { { inclusive<K, T, int64_t>, exclusive<K, T, int64_t> },
                                                                { inclusive<K, T, int>, exclusive<K, T, int> } };
  return scans[variant][kind];
}

template <class K> static cub_scan_by_key *find(scan_type type, uint32_t variant, scan_kind kind) {
  switch (type) {
  case SCAN_U32: return find_of<K, uint32_t>(variant, kind);
  case SCAN_U64: return find_of<K, uint64_t>(variant, kind);
  case SCAN_F32: return find_of<K, float>(variant, kind);
  case SCAN_F64: return find_of<K, double>(variant, kind);
  default: return nullptr;
  }
}

}

cub_scan_by_key *cub_find_sum_by_key(scan_type key_type, scan_type type, uint32_t variant, scan_kind kind) {
  switch (key_type) {
  case SCAN_U8: return by_key::find<uint8_t>(type, variant, kind);
  case SCAN_U16: return by_key::find<uint16_t>(type, variant, kind);
  case SCAN_U32: return by_key::find<uint32_t>(type, variant, kind);
  case SCAN_U64: return by_key::find<uint64_t>(type, variant, kind);
  default: return nullptr;
  }
}
