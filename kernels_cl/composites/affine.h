/* SPDX-License-Identifier: BSD-2-Clause */
/* The map x -> a x + b; the earlier operand f is applied first (Blelloch, "Prefix Sums and Their Applications", 1990,
 * 1.4.1). */
typedef struct PAIR NAME(affine) {
  NUMBER a;
  NUMBER b;
} NAME(affine);

static inline NAME(affine) NAME(affine_combine)(NAME(affine) f, NAME(affine) g) {
  NAME(affine) h;
  h.a = g.a * f.a;
  h.b = g.a * f.b + g.b;
  return h;
}
