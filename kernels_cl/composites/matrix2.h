/* SPDX-License-Identifier: BSD-2-Clause */
/* A 2 x 2 matrix, row by row; combining is the product x y. */
typedef struct NAME(matrix2) {
  NUMBER m[4];
} NAME(matrix2);

static inline NAME(matrix2) NAME(matrix2_combine)(NAME(matrix2) x, NAME(matrix2) y) {
  NAME(matrix2) z;
  for (int i = 0; i < 4; i += 2)
    for (int j = 0; j < 2; j++) z.m[i + j] = x.m[i] * y.m[j] + x.m[i + 1] * y.m[2 + j];
  return z;
}
