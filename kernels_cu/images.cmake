# SPDX-License-Identifier: BSD-2-Clause
# What each CUDA image holds: rows of kernel files and the macros that they are compiled with.
# tools/cmake/CudaUnits.cmake makes a unit for nvcc of each image's rows; CudaCatalogue.cmake lists the images.

# ---- scans -----------------------------------------------------------------------------------------------------------

# Operators by kind of types. Sums, products and bitwise operators of signed integers are compiled for the unsigned type
# only.
set(operators_widening add)
set(operators_i min max)
set(operators_f add mul min max)
set(operators_u add mul min max and or xor)
# With flipped values (kernels_cl/lib/flip.h) `min` also serves maxima and signed integers, and `and` serves `or`.
set(operators_flipped add mul min_flipped and_flipped xor)

# scanrt_operators(pair flipped out): sets `out` to the operators of <input type>_<type>. `flipped` lists the pairs of
# types for which flipping costs next to nothing.
function(scanrt_operators pair flipped out)
  set(kind widening)
  if(pair IN_LIST flipped)
    set(kind flipped)
  elseif(pair MATCHES "^(([iuf])[0-9]+)_(.+)$" AND CMAKE_MATCH_1 STREQUAL CMAKE_MATCH_3)
    set(kind ${CMAKE_MATCH_2})
  endif()
  set(${out} ${operators_${kind}} PARENT_SCOPE)
endfunction()

# The portable scans: <pair>. Only block has tiles of 4 sub-tiles.
foreach(pair IN LISTS SCANRT_CUDA_PAIRS)
  scanrt_operators(${pair} "u32_u32;u64_u64" operators)
  foreach(op IN LISTS operators)
    scanrt_cuda_scan(${pair} ${pair} ${op} 1 FILES scan/block.cl scan/reduce_then_scan.cl scan/lookback.cl)
    scanrt_cuda_scan(${pair} ${pair} ${op} 4 FILES scan/block.cl)
    scanrt_cuda_scan(${pair} ${pair} ${op} 8
      FILES scan/block.cl scan/reduce_then_scan.cl scan/lookback.cl scan/sequential.cl scan/total.cuh)
  endforeach()
endforeach()

# The pipelined scan. With flipped values that of bytes fell from 85 to 79 % of a copy, of f64 from 90 to 85, of i64
# from 96 to 95 (H200).
foreach(pair IN LISTS SCANRT_PIPELINED_PAIRS)
  scanrt_operators(${pair} u32_u32 operators)
  foreach(op IN LISTS operators)
    scanrt_cuda_scan(pipelined_${pair} ${pair} ${op} 8 FILES scan/pipelined.cuh)
  endforeach()
endforeach()

# Many lines at once, and scans from the last element to the first.
foreach(type IN LISTS SCANRT_BATCH_TYPES)
  set(pair ${type}_${type})
  foreach(op IN ITEMS add mul min_flipped)
    scanrt_cuda_scan(batch_${pair} ${pair} ${op} 8
      FILES batch/rows_group.cl batch/lines_group.cl batch/totals_group.cl)
    scanrt_cuda_scan(batch_${pair} ${pair} ${op} 8_backward
      FILES scan/block.cl scan/reduce_then_scan.cl scan/lookback.cl batch/rows_group.cl batch/totals_group.cl)
    scanrt_cuda_scan(batch_${pair} ${pair} ${op} 1_backward
      FILES scan/block.cl scan/reduce_then_scan.cl scan/lookback.cl)
  endforeach()
endforeach()

# Lines through stages of shared memory: staged_<pair>.
foreach(type IN ITEMS u32 u64 f32 f64)
  set(pair ${type}_${type})
  foreach(op IN ITEMS add mul min_flipped)
    scanrt_cuda_scan(staged_${pair} ${pair} ${op} 8 FILES batch/rows_staged.cuh batch/lines_staged.cuh)
    scanrt_cuda_scan(staged_${pair} ${pair} ${op} 8_backward FILES batch/rows_staged.cuh)
  endforeach()
endforeach()

# The textbook scans: <pair>_<operator>. They do not follow the canonical order that the sub-tiles in their kernels'
# names belong to.
foreach(image IN LISTS SCANRT_TEXTBOOK_IMAGES)
  string(REGEX MATCH "^(.+)_([a-z]+)$" image "${image}")
  set(scan textbook_${image} ${CMAKE_MATCH_1} ${CMAKE_MATCH_2} 8)
  scanrt_cuda_scan(${scan} FILES textbook/hillis_steele.cl)
  scanrt_cuda_scan(${scan} FILES textbook/blelloch.cl MACROS "TEXTBOOK(part)=blelloch_##part" "PLACE(i)=(i)")
  scanrt_cuda_scan(${scan} FILES textbook/blelloch.cl
    MACROS "TEXTBOOK(part)=blelloch_padded_##part" "PLACE(i)=PADDED(i)")
  scanrt_cuda_scan(${scan} FILES textbook/subgroup.cl)
  scanrt_cuda_scan(${scan} FILES textbook/sklansky.cl)
  scanrt_cuda_scan(${scan} FILES textbook/brent_kung.cl)
  scanrt_cuda_scan(${scan} FILES textbook/raking.cl)
  scanrt_cuda_scan(${scan} FILES textbook/three_pass.cl)
  scanrt_cuda_scan(${scan} FILES textbook/chained.cl)
  scanrt_cuda_scan(${scan} FILES textbook/lookback_classic.cl)
endforeach()

# ---- primitives ------------------------------------------------------------------------------------------------------

# Unsigned integers stand for signed ones, and for all elements that are only moved.
set(units u8 u16 u32 u64)
set(types ${units} f32 f64 f16 bf16)
set(group SCAN_GROUP_ITEMS=TUNE_GROUP_ITEMS SCAN_GROUPS_PER_UNIT=4)

scanrt_cuda_primitive(difference TYPES ${types} FILES difference/difference.cl MACROS ${group})

# Bits that say where segments begin: of offsets, flags and keys.
scanrt_cuda_primitive(segment_bits TYPES u32 u64 FILES scan/segment_bits.cl MACROS ${group})
scanrt_cuda_primitive(segment_bits TYPES u8 FILES scan/marks.cl MACROS ${group} SCAN_SEGMENTS=1)
scanrt_cuda_primitive(segment_bits TYPES ${types} FILES scan/marks.cl MACROS ${group} SCAN_SEGMENTS=3 SCAN_KEY_TYPE=SCAN_TYPE)

scanrt_cuda_primitive(select TYPES ${units} FILES select/select.cl MACROS ${group})
scanrt_cuda_primitive(select_marks TYPES ${types} FILES select/select_marks.cl MACROS ${group})

# Compaction in one launch by flags, by bits and by runs of equal keys, of elements of 1 to 16 bytes or indices;
# run-length encoding of keys of 4 and 8 bytes; sums of runs.
set(pipelined FILES lib/types.h select/select_pipelined.cuh MACROS SCAN_PTX=1)
set(sized "SELECT_BYTES=TYPE_BYTES(SCAN_TYPE)")
foreach(by IN ITEMS flags bits)
  set(by_flags SELECT_BY=1)
  set(by_bits SELECT_BY=2)
  scanrt_cuda_primitive(select_pipelined NAME ${by} TYPES ${units} ${pipelined} ${by_${by}} SELECT_INDEX=0 ${sized})
  scanrt_cuda_primitive(select_pipelined NAME ${by}_wide TYPES u64 ${pipelined} ${by_${by}} SELECT_INDEX=0
    SELECT_BYTES=16)
  scanrt_cuda_primitive(select_pipelined NAME index_${by} TYPES u32 u64 ${pipelined} ${by_${by}} SELECT_INDEX=1
    ${sized})
endforeach()
scanrt_cuda_primitive(select_pipelined NAME runs TYPES ${types} ${pipelined} SELECT_BY=3 SELECT_INDEX=0 ${sized})
scanrt_cuda_primitive(select_pipelined NAME encode TYPES u32 u64 f32 f64 ${pipelined} SELECT_BY=3 SELECT_INDEX=0
  ${sized} SELECT_ENCODES=1)
scanrt_cuda_primitive(select_pipelined NAME reduce TYPES u32 u64 f32 f64 ${pipelined} SELECT_BY=2 SELECT_INDEX=0
  ${sized} SELECT_REDUCES=1 SCAN_IN_TYPE=SCAN_TYPE SCAN_OP=${SCANRT_OP_add})
foreach(alone IN ITEMS 1 2)
  scanrt_cuda_primitive(select_pipelined NAME alone${alone} TYPES u32 u64 f32 f64 ${pipelined} SELECT_BY=2
    SELECT_INDEX=0 ${sized} SELECT_REDUCES=1 SELECT_ALONE=${alone} SCAN_IN_TYPE=SCAN_TYPE SCAN_OP=${SCANRT_OP_add})
endforeach()

# ---- sorts -----------------------------------------------------------------------------------------------------------

# scanrt_cuda_sort(image types merged macros...): adds the portable sorts of all keys and of segments by keys of `types`,
# with values of 0, 4 and 8 bytes; of few keys of the types `merged` by one work-group, and of few keys, also in segments,
# by work-groups that rank 64 or 128 keys each.
function(scanrt_cuda_sort image types merged)
  scanrt_cuda_primitive(${image} TYPES ${types} FILES sort/sort.cl
    MACROS SCAN_GROUP_ITEMS=TUNE_GROUP_ITEMS SCAN_GROUPS_PER_UNIT=2 ${ARGN})
  scanrt_cuda_primitive(${image} TYPES ${types} FILES sort/sort_segments_runs.cl MACROS ${group} ${ARGN})
  foreach(value IN ITEMS 0/u8/3 4/u32/2 8/u64/2)
    string(REPLACE "/" ";" value "${value}")
    list(GET value 0 name)
    list(GET value 1 type)
    list(GET value 2 warps_groups)
    scanrt_cuda_primitive(${image} NAME ${name} TYPES ${types} FILES sort/sort_segments_warps.cl
      MACROS SCAN_IN_TYPE=${SCANRT_TYPE_${type}} SCAN_GROUP_ITEMS=TUNE_GROUP_ITEMS
        SCAN_GROUPS_PER_UNIT=${warps_groups} ${ARGN})
    scanrt_cuda_primitive(${image} NAME ${name} TYPES ${types} FILES sort/sort_segments_held.cl
      MACROS SCAN_IN_TYPE=${SCANRT_TYPE_${type}} SCAN_SHUFFLE=1 SCAN_GROUP_ITEMS=SORT_HELD_ITEMS
        SCAN_GROUPS_PER_UNIT=2 ${ARGN})
    scanrt_cuda_primitive(${image} NAME ${name} TYPES ${types} FILES sort/sort_segments_digits.cl
      MACROS SCAN_IN_TYPE=${SCANRT_TYPE_${type}} SCAN_SHUFFLE=1 SCAN_GROUP_ITEMS=TUNE_GROUP_ITEMS
        SCAN_GROUPS_PER_UNIT=3 ${ARGN})
  endforeach()
  scanrt_cuda_primitive(${image} TYPES ${merged} FILES sort/sort_merged.cuh
    MACROS SCAN_GROUP_ITEMS=SORT_MERGED_ITEMS ${ARGN})
  foreach(own IN ITEMS 64 128)
    scanrt_cuda_primitive(${image} NAME ${own} TYPES ${types} FILES sort/sort_ranked.cuh
      MACROS SCAN_GROUP_ITEMS=SORT_RANKED_ITEMS SORT_RANKED_OWN=${own} RANKED_SEGMENTS=0 ${ARGN})
    scanrt_cuda_primitive(${image} NAME segments_${own} TYPES ${types} FILES sort/sort_ranked.cuh
      MACROS SCAN_GROUP_ITEMS=SORT_RANKED_SEGMENTS_ITEMS SORT_RANKED_OWN=${own} RANKED_SEGMENTS=1 ${ARGN})
  endforeach()
endfunction()
scanrt_cuda_sort(sort "${units}" "u32;u64")
scanrt_cuda_primitive(sort TYPES u64 FILES sort/sort.cl
  MACROS SCAN_GROUP_ITEMS=TUNE_GROUP_ITEMS SCAN_GROUPS_PER_UNIT=2 SORT_WIDE_KEYS)
# Floating-point keys in the numeric order: the kernels that read keys. Kernels that only move are those of `sort`.
scanrt_cuda_sort(sort_numeric "u16;u32;u64" "u32;u64" SORT_NUMERIC_KEYS)

# A pass of radix sort in one launch, with values of 0, 4 and 8 bytes, and for u32 alone that are proved by places. Keys
# of 1 and 2 bytes take the kernels for 4 bytes (SORT_BYTES, SORT_HALVES), since kernels of their own would be as large
# again.
scanrt_cuda_primitive(sort_onesweep NAME places TYPES u32 FILES sort/sort_onesweep.cuh
  MACROS SORT_VALUE_BYTES=0 SORT_PLACES)
scanrt_cuda_primitive(sort_onesweep NAME places_few TYPES u32 FILES sort/sort_onesweep.cuh
  MACROS SORT_VALUE_BYTES=0 SORT_PLACES ONESWEEP_KIND=TUNE_ONESWEEP_FEW)
foreach(type IN ITEMS u32 u64)
  foreach(bytes IN ITEMS 0 4 8)
    set(files sort/sort_onesweep.cuh)
    if(bytes EQUAL 0)
      list(APPEND files sort/sort_histogram.cuh)
    endif()
    list(APPEND files sort/sort_segments_onesweep.cuh sort/sort_cluster.cuh)
    scanrt_cuda_primitive(sort_onesweep NAME ${bytes} TYPES ${type} FILES ${files} MACROS SORT_VALUE_BYTES=${bytes})
    set(kinds_u32_0 few wide narrow)
    set(kinds_u32_4 few middle wide staged)
    set(kinds_u64_0 few)
    set(kinds_u64_4 few)
    set(kinds_u64_8 few)
    foreach(kind IN LISTS kinds_${type}_${bytes})
      string(TOUPPER ${kind} macro)
      scanrt_cuda_primitive(sort_onesweep NAME ${kind}_${bytes} TYPES ${type} FILES sort/sort_onesweep.cuh
        MACROS SORT_VALUE_BYTES=${bytes} ONESWEEP_KIND=TUNE_ONESWEEP_${macro})
    endforeach()
    scanrt_cuda_primitive(sort_numeric_onesweep NAME ${bytes} TYPES ${type} FILES ${files}
      MACROS SORT_VALUE_BYTES=${bytes} SORT_NUMERIC_KEYS)
  endforeach()
endforeach()

# A split of few keys in one launch.
scanrt_cuda_primitive(split TYPES ${units} FILES sort/split_alone.cuh
  MACROS SCAN_SHUFFLE=1 SCAN_GROUP_ITEMS=SPLIT_ALONE_ITEMS)
