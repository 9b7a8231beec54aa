/* SPDX-License-Identifier: BSD-2-Clause */
/* CUB of the toolkit that built this, as a peer of `scanrt bench` (tools/cli/peer.h). */
#include <cstdio>
#include <new>

#include <cub/version.cuh>

#include "../cli/peer.h"
#include "cub_reduce.h"
#include "cub_scans.h"
#include "cub_select.h"
#include "cub_sort.h"

static char error_text[256];

int cub_check(cudaError_t result, const char *call) {
  if (result == cudaSuccess) return 0;
  std::snprintf(error_text, sizeof error_text, "%s failed: %s (%s)", call, cudaGetErrorName(result),
                cudaGetErrorString(result));
  return -1;
}

namespace {

/* A prepared scan with its temporary storage. */
struct prepared {
  cub_scan *scan;
  cub_scan_by_key *scan_by_key; /* used instead of `scan` */
  const void *keys;
  scan_value seed;
  int64_t n;
  void *workspace;
  size_t workspace_bytes;
};

int check(cudaError_t result, const char *call) { return cub_check(result, call); }

bool is_signed(scan_type type) { return type == SCAN_I8 || type == SCAN_I16 || type == SCAN_I32 || type == SCAN_I64; }

scan_type unsigned_of(scan_type type) { return is_signed(type) ? static_cast<scan_type>(type + 1) : type; }

/* Chooses the types to compute in. All operators except minimum and maximum give the same bits in the unsigned type. */
void computed_types(const bench_peer_case &what, scan_type &input_type, scan_type &type) {
  input_type = what.input_type;
  type = what.type;
  if (what.op == SCAN_MIN || what.op == SCAN_MAX) return;
  if (input_type == type) input_type = unsigned_of(input_type);
  type = unsigned_of(type);
}

const cub_pair *find_pair(scan_type input_type, scan_type type) {
#define CUB_FIND_PAIR(input, INPUT, output, OUTPUT)                                                                    \
  if (input_type == INPUT && type == OUTPUT) return &cub_pair_##input##_##output;
  CUB_PAIRS(CUB_FIND_PAIR)
#undef CUB_FIND_PAIR
  return nullptr;
}

/* 1 if a case can have the variant: 0 takes n as a 64-bit number, 1 as an int. */
bool has_variant(const bench_peer_case &what) {
  return what.variant == 0 || (what.variant == 1 && what.n <= INT32_MAX);
}

cub_scan_by_key *find_scan_by_key(const bench_peer_case &what) {
  scan_type input_type, type;
  if (what.segments != SCAN_SEGMENTS_KEYS || !has_variant(what)) return nullptr;
  if (what.composite != SCAN_COMPOSITE_NONE || what.op != SCAN_ADD) return nullptr;
  computed_types(what, input_type, type);
  if (input_type != type) return nullptr;
  return cub_find_sum_by_key(unsigned_of(what.segment_type), type, what.variant, what.kind);
}

cub_scan *find_scan(const bench_peer_case &what) {
  scan_type input_type, type;
  if (what.segments != SCAN_SEGMENTS_NONE || !has_variant(what)) return nullptr;
  if (what.variant && (what.composite != SCAN_COMPOSITE_NONE || what.op != SCAN_ADD)) return nullptr;
  if (what.composite == SCAN_AFFINE_F32) return cub_affine_f32[what.kind];
  if (what.composite != SCAN_COMPOSITE_NONE) return nullptr;
  computed_types(what, input_type, type);
  const cub_pair *pair = find_pair(input_type, type);
  if (!pair) return nullptr;
  return what.variant ? pair->sum32[what.kind] : pair->scan[what.op][what.kind];
}

int open_device(int ordinal) { return check(cudaSetDevice(ordinal), "cudaSetDevice"); }

int supports(const bench_peer_case *what) { return find_scan(*what) || find_scan_by_key(*what); }

/* Runs the scan; without a workspace it only sets workspace_bytes. */
cudaError_t run(prepared *p, const void *in, void *out, cudaStream_t stream) {
  if (p->scan_by_key) return p->scan_by_key(p->workspace, p->workspace_bytes, p->keys, in, out, p->n, stream);
  return p->scan(p->workspace, p->workspace_bytes, in, out, p->seed, p->n, stream);
}

void destroy(void *state) {
  prepared *p = static_cast<prepared *>(state);
  if (!p) return;
  (void)cudaFree(p->workspace);
  delete p;
}

int prepare(const bench_peer_case *what, void **state) {
  prepared *p = new (std::nothrow) prepared{
    find_scan(*what), find_scan_by_key(*what), what->marks, what->seed, static_cast<int64_t>(what->n), nullptr, 0
  };
  if (!p) {
    std::snprintf(error_text, sizeof error_text, "no host memory");
    return -1;
  }
  int rc = check(run(p, nullptr, nullptr, nullptr), "cub::DeviceScan");
  if (rc == 0) rc = check(cudaMalloc(&p->workspace, p->workspace_bytes), "cudaMalloc");
  if (rc != 0) {
    destroy(p);
    return rc;
  }
  *state = p;
  return 0;
}

int start(void *state, const void *in, void *out, void *stream) {
  prepared *p = static_cast<prepared *>(state);
  return check(run(p, in, out, static_cast<cudaStream_t>(stream)), "cub::DeviceScan");
}

const char *last_error() { return error_text; }

char release_text[32];

const bench_peer peer = {
  BENCH_PEER_VERSION,
  "CUB",
  release_text,
  SCAN_BACKEND_CUDA,
  open_device,
  supports,
  prepare,
  start,
  destroy,
  last_error,
  &cub_select_peer,
  &cub_sort_peer,
  &cub_reduce_peer,
};

}

extern "C" __attribute__((visibility("default"))) const bench_peer *scanrt_bench_peer() {
  /* The version's parts are expressions, so they cannot be stringized. */
  std::snprintf(release_text, sizeof release_text, "%d.%d.%d", CUB_MAJOR_VERSION, CUB_MINOR_VERSION,
                CUB_SUBMINOR_VERSION);
  return &peer;
}
