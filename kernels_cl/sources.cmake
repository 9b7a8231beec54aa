# SPDX-License-Identifier: BSD-2-Clause
# Programs that the OpenCL backend compiles at run time: files of kernels_cl/, each embedded with all that it includes,
# under its name.
set(SCANRT_OPENCL_KERNELS
  scan/sequential.cl
  scan/block.cl
  scan/reduce_then_scan.cl
  scan/lookback.cl
  scan/layout.cl
  scan/segment_bits.cl
  scan/segment_gather.cl
  scan/segment_item.cl
  scan/segment_marked.cl
  scan/segment_totals.cl
  difference/difference.cl
  select/select_marks.cl
  select/select_predicate.cl
  select/select.cl
  sort/sort.cl
  sort/sort_segments.cl
  sort/sort_segments_item.cl
  sort/sort_segments_warps.cl
  sort/sort_segments_runs.cl
  sort/sort_segments_held.cl
  sort/sort_segments_digits.cl
  sort/sort_lookback.cl
  sort/sort_ranges.cl
  batch/lines_item.cl
  batch/rows_group.cl
  batch/lines_group.cl
  batch/totals_group.cl
  textbook/hillis_steele.cl
  textbook/subgroup.cl
  textbook/sklansky.cl
  textbook/brent_kung.cl
  textbook/raking.cl
  textbook/three_pass.cl
  textbook/chained.cl
  textbook/lookback_classic.cl)

# Programs of OpenCL made of the same files with other macros, or of several files: "name | files | macros". The macros
# are defined before the files.
#   item.cl: all that processors scan with, since most of a build is the driver's fixed work for a program (PoCL 3.1).
#   sort_numeric*: floating-point keys in the numeric order. sort_wide.cl: keys of 16 bytes, two words of 8.
#   select_lookback_*: compaction in one launch by bits, flags, runs of equal keys or a predicate; _wide: 16 bytes.
set(SCANRT_OPENCL_VARIANTS
  "item.cl | scan/block.cl scan/lookback.cl |"
  "sort_wide.cl | sort/sort.cl | SORT_WIDE_KEYS"
  "sort_numeric.cl | sort/sort.cl | SORT_NUMERIC_KEYS"
  "sort_numeric_segments.cl | sort/sort_segments.cl | SORT_NUMERIC_KEYS"
  "sort_numeric_segments_item.cl | sort/sort_segments_item.cl | SORT_NUMERIC_KEYS"
  "sort_numeric_segments_warps.cl | sort/sort_segments_warps.cl | SORT_NUMERIC_KEYS"
  "sort_numeric_segments_runs.cl | sort/sort_segments_runs.cl | SORT_NUMERIC_KEYS"
  "sort_numeric_segments_held.cl | sort/sort_segments_held.cl | SORT_NUMERIC_KEYS"
  "sort_numeric_segments_digits.cl | sort/sort_segments_digits.cl | SORT_NUMERIC_KEYS"
  "sort_numeric_lookback.cl | sort/sort_lookback.cl | SORT_NUMERIC_KEYS"
  "sort_numeric_ranges.cl | sort/sort_ranges.cl | SORT_NUMERIC_KEYS"
  "select_lookback_flags.cl | lib/types.h select/select_lookback.h | \
SELECT_KERNEL=select_lookback_flags LOOK_BY=1 SELECT_BYTES=TYPE_BYTES(SCAN_TYPE)"
  "select_lookback_flags_wide.cl | lib/dialect.h select/select_lookback.h | \
SELECT_KERNEL=select_lookback_flags_wide LOOK_BY=1 SELECT_BYTES=16"
  "select_lookback_bits.cl | lib/types.h select/select_lookback.h | \
SELECT_KERNEL=select_lookback_bits LOOK_BY=2 SELECT_BYTES=TYPE_BYTES(SCAN_TYPE)"
  "select_lookback_bits_wide.cl | lib/dialect.h select/select_lookback.h | \
SELECT_KERNEL=select_lookback_bits_wide LOOK_BY=2 SELECT_BYTES=16"
  "select_lookback_runs.cl | lib/marks.h select/select_lookback.h | \
SELECT_KERNEL=select_lookback_runs LOOK_BY=3 SELECT_BYTES=MARK_BYTES"
  "select_lookback_predicate.cl | lib/dialect.h select/select_lookback.h | \
SELECT_KERNEL=select_lookback_predicate LOOK_BY=4 SELECT_BYTES=SCAN_SOURCE_INPUT_BYTES"
  "blelloch.cl | textbook/blelloch.cl | \
TEXTBOOK(part)=blelloch_##part PLACE(i)=(i)"
  "blelloch_padded.cl | textbook/blelloch.cl | \
TEXTBOOK(part)=blelloch_padded_##part PLACE(i)=PADDED(i)")

# Kernels that NVRTC compiles for operators from source, in kernels_cl/ or kernels_cu/: embedded as cuda/<file>.
set(SCANRT_NVRTC_KERNELS
  scan/sequential.cl
  scan/block.cl
  scan/reduce_then_scan.cl
  scan/rolled.cl
  scan/lookback.cl
  scan/layout.cl
  scan/segment_gather.cl
  scan/segment_totals.cl
  select/select_predicate.cl
  batch/rows_group.cl
  batch/lines_group.cl
  batch/totals_group.cl
  scan/pipelined.cuh
  select/select_pipelined.cuh)

# Composites as text for the devices; runtime/api/composite.c includes the same files for the host.
set(SCANRT_COMPOSITE_TEXTS numbers.h
  affine.h matrix2.h matrix3.h complex.h complex_sum.h logsumexp.h argmin.h argmax.h compensated.h
  sum.h minimum.h maximum.h)
