/* SPDX-License-Identifier: BSD-2-Clause */
/* Keys of the type that SELECT_KEY_TYPE finds in the launch's flags, and where their runs begin. Included by
 * select_pipelined.cuh. */
#ifndef SCANRT_SELECT_ALONE_KEYS_CUH
#define SCANRT_SELECT_ALONE_KEYS_CUH

/* How keys compare (IS_START of marks.h): a NaN differs from every key, +0.0 equals -0.0. */
typedef struct scanrt_key_kind {
  scanrt_u32 bytes;
  scanrt_u64 magnitude; /* the bits that say whether keys with different bits differ */
  scanrt_u64 most;      /* the largest magnitude of a key that equals itself */
} scanrt_key_kind;

FUNC scanrt_key_kind scanrt_key_kind_of(scanrt_u32 flags) {
  switch (SELECT_KEY_TYPE(flags)) {
  case 2: return { 1, ~0ull, ~0ull };
  case 4: return { 2, ~0ull, ~0ull };
  case 6: return { 4, ~0ull, ~0ull };
  case 8: return { 8, ~0ull, ~0ull };
  case 9: return { 4, 0x7fffffffu, 0x7f800000u };
  case 10: return { 8, ~0ull >> 1, 0x7ffull << 52 };
  case 11: return { 2, 0x7fffu, 0x7c00u };
  default: return { 2, 0x7fffu, 0x7f80u };
  }
}

template <class T> FUNC scanrt_u32 scanrt_keys_differ(const scanrt_key_kind &kind, T a, T b) {
  const T magnitude = (T)kind.magnitude, most = (T)kind.most;
  return KEYS_DIFFER(a, b, magnitude, most);
}

FUNC scanrt_u64 scanrt_key_at(const unsigned char *keys, scanrt_u32 bytes, scanrt_u64 i) {
  switch (bytes) {
  case 1: return keys[i];
  case 2: return ((const scanrt_u16 *)keys)[i];
  case 4: return ((const scanrt_u32 *)keys)[i];
  default: return ((const scanrt_u64 *)keys)[i];
  }
}

/* Returns 1 if a run begins with element i. */
FUNC scanrt_u32 scanrt_starts_at(const scanrt_pipe &p, scanrt_u64 i) {
  const scanrt_key_kind kind = scanrt_key_kind_of(p.flags);
  return i == 0 ||
         scanrt_keys_differ(kind, scanrt_key_at(p.marks, kind.bytes, i - 1), scanrt_key_at(p.marks, kind.bytes, i));
}
#endif
