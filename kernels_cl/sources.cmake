# SPDX-License-Identifier: BSD-2-Clause
# Kernels that the OpenCL backend compiles at run time, in kernels_cl/: each is embedded with all that it includes, under
# its file's name.
set(SCANRT_OPENCL_KERNELS
  scan/sequential.cl
  scan/block.cl
  scan/reduce_then_scan.cl
  scan/lookback.cl
  scan/item.cl
  scan/layout.cl
  scan/heads.cl
  difference/difference.cl
  select/select_marks.cl
  select/select_predicate.cl
  select/select.cl
  sort/sort.cl
  sort/sort_wide.cl
  sort/sort_segments.cl
  sort/sort_segments_runs.cl
  sort/sort_lookback.cl
  sort/sort_numeric.cl
  sort/sort_numeric_segments.cl
  sort/sort_numeric_segments_runs.cl
  sort/sort_numeric_lookback.cl
  select/select_lookback_flags.cl
  select/select_lookback_flags_wide.cl
  select/select_lookback_bits.cl
  select/select_lookback_bits_wide.cl
  select/select_lookback_runs.cl
  select/select_lookback_predicate.cl
  batch/lines_item.cl
  batch/rows_group.cl
  batch/lines_group.cl
  textbook/hillis_steele.cl
  textbook/blelloch.cl
  textbook/blelloch_padded.cl
  textbook/subgroup.cl
  textbook/three_pass.cl
  textbook/chained.cl
  textbook/lookback_classic.cl)

# Kernels that NVRTC compiles for operators from source, in kernels_cl/ or kernels_cu/: embedded as cuda/<file>.
set(SCANRT_NVRTC_KERNELS
  scan/sequential.cl
  scan/block.cl
  scan/reduce_then_scan.cl
  scan/lookback.cl
  scan/layout.cl
  select/select_predicate.cl
  batch/rows_group.cl
  batch/lines_group.cl
  scan/pipelined.cuh
  select/select_pipelined.cuh)

# Composites as text for the devices; runtime/api/composite.c includes the same files for the host.
set(SCANRT_COMPOSITE_TEXTS f32.h f64.h u32.h i32.h i64.h
  affine.h matrix2.h matrix3.h complex.h logsumexp.h argmin.h argmax.h compensated.h)
