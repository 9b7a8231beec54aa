# SPDX-License-Identifier: BSD-2-Clause
# The catalogue: everything compiled for CUDA when the library is built. NVRTC compiles other kernels on demand, or the
# library refuses them, naming the feature. tools/doc/measurements/catalogue.md states the cost of a row.

# Built-in operators, one image for each pair "input type _ type", with the numbers of scan_type in scan.h. Images of
# u32 and u64 serve signed integers, too; for the pipelined scan only that of u32 does (kernels_cu/images.cmake).
set(SCANRT_CUDA_PAIRS
  i8_i8 u8_u8 i16_i16 u16_u16 u32_u32 u64_u64 f32_f32 f64_f64
  i8_u32 i8_u64 u8_u32 u8_u64 i16_u32 i16_u64 u16_u32 u16_u64 i32_u64 u32_u64 f32_f64)
set(SCANRT_PIPELINED_PAIRS ${SCANRT_CUDA_PAIRS} i64_i64)

# The images of the textbook scans, "input type _ type _ operator". These sums serve signed integers, too. OpenCL has
# all others.
set(SCANRT_TEXTBOOK_IMAGES u32_u32_add u64_u64_add f32_f32_add f64_f64_add i32_i32_max)

# Many lines at once and backward scans, one image for each type: add, mul and min, which also serve max and signed
# integers (kernels_cl/lib/flip.h).
set(SCANRT_BATCH_TYPES u8 u16 u32 u64 f32 f64)

# The CUDA images of primitives other than scans, and of lines through stages: rows of kernels_cu/images.cmake. Names
# that end in _sm<set> hold a set of CUDA's own kernels (CudaKernels.cmake).
set(SCANRT_CUDA_PRIMITIVES difference segment_bits select select_marks sort sort_numeric split
  staged_u32_u32_sm90 staged_u64_u64_sm90 staged_f32_f32_sm90 staged_f64_f64_sm90
  sort_onesweep_sm80 sort_onesweep_sm86 sort_onesweep_sm90 sort_onesweep_sm120
  sort_numeric_onesweep_sm80 sort_numeric_onesweep_sm86 sort_numeric_onesweep_sm90 sort_numeric_onesweep_sm120
  select_pipelined_sm80 select_pipelined_sm86 select_pipelined_sm90 select_pipelined_sm120)

# Built-in operators in segments, which are scanned as operators from source: "type _ operator _ marks". Marks are
# flags, bits (offsets become bits) or keys_<type>. Unsigned types and keys serve signed ones, too, except for min and
# max. And binary16, "type _ operator _ kind", since each kind has a text of its own.
set(SCANRT_SOURCE_ROWS
  u32_add_flags u32_add_bits u32_add_keys_u32
  f32_add_flags f32_add_bits f32_add_keys_u32
  u64_add_flags u64_add_bits u64_add_keys_u32
  f64_add_flags f64_add_bits f64_add_keys_u32
  f16_add_inclusive f16_add_exclusive)

# Rows compiled for look-back alone, whose kernels support every flag: a seventh of a row's bytes. Flags and keys become bits there. `checked` is for overflow; names without an operator are composites
# (scan_composite.h).
set(SCANRT_LOOKBACK_ROWS
  u32_min_bits u32_max_bits i32_min_bits i32_max_bits u64_min_bits u64_max_bits i64_min_bits i64_max_bits
  f32_min_bits f32_max_bits f64_min_bits f64_max_bits
  u32_add_checked i32_add_checked u64_add_checked i64_add_checked
  u32_mul_checked i32_mul_checked u64_mul_checked i64_mul_checked
  f16_min_inclusive f16_min_exclusive f16_max_inclusive f16_max_exclusive
  bf16_add_inclusive bf16_add_exclusive bf16_min_inclusive bf16_min_exclusive bf16_max_inclusive bf16_max_exclusive
  affine_f32 affine_f64 complex_f32 complex_f64 complex_sum_f32 complex_sum_f64 compensated_f32 compensated_f64
  logsumexp_f32 sum_i128 sum_u128
  argmin_f32 argmin_f64 argmin_i32 argmin_i64 argmax_f32 argmax_f64 argmax_i32 argmax_i64)

# Totals of segments by offsets (kernels_cl/scan/segment_totals.cl), "type _ operator _ totals". A row takes about 280 to
# 310 KB, so that minima and maxima, 12 rows, are left to NVRTC.
set(SCANRT_TOTALS_ROWS
  u32_add_totals u64_add_totals f32_add_totals f64_add_totals f16_add_totals bf16_add_totals)

# The images of the rows: the portable kernels, and the pipelined one for each architecture. An A100's shared memory is
# too small for the ring with keys, except keys of half an element's size.
list(TRANSFORM SCANRT_SOURCE_ROWS REPLACE "(.+)" "source_\\1;source_\\1_sm80;source_\\1_sm90"
  OUTPUT_VARIABLE SCANRT_SOURCE_IMAGES)
list(FILTER SCANRT_SOURCE_IMAGES EXCLUDE REGEX "32_[a-z]+_keys_u32_sm80$")
list(TRANSFORM SCANRT_LOOKBACK_ROWS REPLACE "(.+)" "source_\\1_lookback" OUTPUT_VARIABLE lookback_images)
list(TRANSFORM SCANRT_TOTALS_ROWS PREPEND source_ OUTPUT_VARIABLE totals_images)
list(APPEND SCANRT_SOURCE_IMAGES ${lookback_images} ${totals_images})

# The program that makes the rows' units for nvcc, and the table by which the library finds them (tools/catalogue). It
# runs on the build machine; a cross build without an emulator compiles it for that machine.
set(SCANRT_SOURCE_UNITS "${SCANRT_SOURCE_IMAGES}")
list(TRANSFORM SCANRT_SOURCE_UNITS REPLACE "(.+)" "${SCANRT_EMBED_DIR}/cuda/\\1.cu")
set(SCANRT_CATALOGUE_TABLE "${SCANRT_EMBED_DIR}/cuda/catalogue.c")
set(catalogue_program scanrt_catalogue)
set(catalogue_depends scanrt_catalogue)
if(CMAKE_CROSSCOMPILING AND NOT CMAKE_CROSSCOMPILING_EMULATOR)
  set(catalogue_program "${PROJECT_BINARY_DIR}/build_machine/bin/scanrt_catalogue")
  set(catalogue_depends scanrt_build_machine "${catalogue_program}")
endif()
add_custom_command(OUTPUT "${SCANRT_CATALOGUE_TABLE}" ${SCANRT_SOURCE_UNITS}
  COMMAND "${catalogue_program}" "${SCANRT_EMBED_DIR}/cuda" ${SCANRT_SOURCE_ROWS} ${SCANRT_TOTALS_ROWS} --lookback ${SCANRT_LOOKBACK_ROWS}
  DEPENDS ${catalogue_depends} "${CMAKE_CURRENT_LIST_FILE}"
  COMMENT "Writing the programs of the catalogue" VERBATIM)

# scanrt_catalogue_of_images(images out): sets `out` to the table of a library with these images; without images an
# empty table, which needs no program.
function(scanrt_catalogue_of_images images out)
  set(${out} "${SCANRT_CATALOGUE_TABLE}" PARENT_SCOPE)
  if(NOT images)
    set(empty "${SCANRT_EMBED_DIR}/no_catalogue.c")
    file(CONFIGURE OUTPUT "${empty}" @ONLY CONTENT "#include \"base/embedded.h\"

const struct scan_catalogue_row scan_catalogue[] = { { 0, 0, 0, 0 } };
const size_t scan_catalogue_count = 0;
")
    set(${out} "${empty}" PARENT_SCOPE)
  endif()
endfunction()

# scanrt_build_machine(): builds the program with this project, configured for the build machine in build_machine/.
function(scanrt_build_machine)
  include(ExternalProject)
  set(SCANRT_BUILD_MACHINE_CC cc CACHE STRING "C compiler of the machine that builds, for programs of a cross build")
  ExternalProject_Add(scanrt_build_machine
    SOURCE_DIR "${PROJECT_SOURCE_DIR}" BINARY_DIR "${PROJECT_BINARY_DIR}/build_machine"
    CONFIGURE_COMMAND "${CMAKE_COMMAND}" -E env --unset=CC --unset=CFLAGS --unset=CPPFLAGS --unset=LDFLAGS
      --unset=CMAKE_TOOLCHAIN_FILE "${CMAKE_COMMAND}" -S <SOURCE_DIR> -B <BINARY_DIR> -G "${CMAKE_GENERATOR}"
      "-DCMAKE_C_COMPILER=${SCANRT_BUILD_MACHINE_CC}" "-DCMAKE_C_COMPILER_LAUNCHER=${CMAKE_C_COMPILER_LAUNCHER}"
      -DCMAKE_BUILD_TYPE=Debug -DSCANRT_CUDA=OFF -DSCANRT_OPENCL=OFF -DSCANRT_BUILD_MPI=OFF -DSCANRT_FORTRAN=OFF
      -DSCANRT_BUILD_TESTS=OFF -DSCANRT_BUILD_TOOLS=OFF -DSCANRT_INSTALL=OFF
    BUILD_COMMAND "${CMAKE_COMMAND}" --build <BINARY_DIR> --target scanrt_catalogue
    BUILD_BYPRODUCTS "${catalogue_program}" BUILD_ALWAYS ON INSTALL_COMMAND "" EXCLUDE_FROM_ALL ON)
endfunction()

# scanrt_add_catalogue(): adds the program. Call it after the library's objects are defined.
function(scanrt_add_catalogue)
  add_custom_target(scanrt_catalogue_table DEPENDS "${SCANRT_CATALOGUE_TABLE}")
  if(NOT catalogue_program STREQUAL "scanrt_catalogue")
    scanrt_build_machine()
    return()
  endif()
  add_executable(scanrt_catalogue EXCLUDE_FROM_ALL "${PROJECT_SOURCE_DIR}/tools/catalogue/catalogue.c"
    $<TARGET_OBJECTS:scanrt_objects> ${SCANRT_HOST_OBJECTS})
  target_include_directories(scanrt_catalogue PRIVATE "${PROJECT_SOURCE_DIR}/include" "${PROJECT_SOURCE_DIR}/runtime")
  target_link_libraries(scanrt_catalogue PRIVATE scanrt_flags Threads::Threads ${CMAKE_DL_LIBS} m)
endfunction()
