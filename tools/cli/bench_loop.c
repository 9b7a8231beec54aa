/* SPDX-License-Identifier: BSD-2-Clause */
/** @file bench_loop.c @brief Which plain loop a case is compared with. */
#include "bench_scan.h"
#include "half.h"
#include "plain_loop.h"
#include "reference.h"

/** Of differences there is one for numbers that a processor knows. */
static int has_difference(const bench_lab *lab) {
  return !half_is(lab->spec.type) && bench_input_type(&lab->spec) == lab->spec.type;
}

/* A loop has no operands that overlap, goes forward over one line, and widens nothing. */
int bench_loop_is_there(const bench_lab *lab) {
  const scan_spec *spec = &lab->spec;
  if (lab->request->in_place || lab->request->ndim || lab->request->backward) return 0;
  if (lab->request->difference) return has_difference(lab);
  if (lab->told_by && (lab->composite || bench_maps(lab) || lab->request->check_overflow)) return 0;
  if (lab->composite) return plain_loop_composite(lab->which, spec->kind, 0, NULL, NULL);
  if (bench_maps(lab)) return 1;
  if (bench_input_type(spec) != spec->type) return 0;
  if (lab->told_by) return plain_loop_segmented(spec->type, spec->op, spec->kind, 0, NULL, NULL, NULL, NULL);
  return !half_is(spec->type) || plain_loop_half(spec->type, spec->op, spec->kind, 0, NULL, NULL, NULL);
}

static void scan(const bench_lab *lab, const scan_spec *spec, const void *in, void *out) {
  const scan_value seed = reference_seed(spec);
  if (lab->told_by)
    (void)plain_loop_segmented(spec->type, spec->op, spec->kind, lab->n, &seed, &lab->buffers.marks, in, out);
  else if (half_is(spec->type))
    (void)plain_loop_half(spec->type, spec->op, spec->kind, lab->n, &seed, in, out);
  else if (lab->request->check_overflow)
    (void)plain_loop_checked(spec->type, spec->op, spec->kind, lab->n, &seed, in, out);
  else
    plain_loop(spec->type, spec->op, spec->kind, lab->n, &seed, in, out);
}

void bench_loop_run(const bench_lab *lab) {
  const scan_spec *spec = &lab->spec;
  const void *in = lab->buffers.input.host;
  void *out = lab->buffers.staging.host;
  if (lab->request->difference)
    bench_difference(spec, lab->n, in, out);
  else if (lab->composite)
    (void)plain_loop_composite(lab->which, spec->kind, lab->n, in, out);
  else if (bench_maps(lab))
    bench_mapped_expect(lab->source, spec->kind, NULL, lab->n, in, out);
  else
    scan(lab, spec, in, out);
}
