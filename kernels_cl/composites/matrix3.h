/* SPDX-License-Identifier: BSD-2-Clause */
/* A 3 x 3 matrix, row by row; combining is the product x y, with terms added left to right. */
typedef struct NAME(matrix3) {
  NUMBER m[9];
} NAME(matrix3);

static inline NAME(matrix3) NAME(matrix3_combine)(NAME(matrix3) x, NAME(matrix3) y) {
  NAME(matrix3) z;
  for (int i = 0; i < 9; i += 3)
    for (int j = 0; j < 3; j++) z.m[i + j] = x.m[i] * y.m[j] + x.m[i + 1] * y.m[3 + j] + x.m[i + 2] * y.m[6 + j];
  return z;
}
