# SPDX-License-Identifier: BSD-2-Clause
# The library with test hooks, and a fake CUDA driver.

# The library with SCANRT_TEST_HOOKS. Only the fake driver can load its CUDA images, so no nvcc is needed. The files
# that depend on the hooks are compiled again. Its tests see the private headers, too.
set(hooked_sources runtime/device/opencl/opencl_build.c runtime/device/cuda/backend_cuda.c)
if(NOT SCANRT_HAVE_OPENCL)
  list(REMOVE_AT hooked_sources 0)
endif()
list(TRANSFORM hooked_sources REPLACE "^(.+)$" "/\\1[.]o" OUTPUT_VARIABLE other_objects)
list(JOIN other_objects "|" other_objects)
list(TRANSFORM hooked_sources PREPEND "${PROJECT_SOURCE_DIR}/")
add_library(scanrt_testing STATIC
  ${hooked_sources} $<FILTER:$<TARGET_OBJECTS:scanrt_objects>,EXCLUDE,${other_objects}>
  ${SCANRT_HOST_OBJECTS} "${SCANRT_CATALOGUE_TABLE}" fake_cuda/images.c)
add_dependencies(scanrt_testing scanrt_objects scanrt_catalogue_table) # which write the generated sources
target_include_directories(scanrt_testing
  PUBLIC "${PROJECT_SOURCE_DIR}/include" "${PROJECT_SOURCE_DIR}/runtime" "${PROJECT_SOURCE_DIR}/kernels_cl"
  "${PROJECT_SOURCE_DIR}" fake_cuda)
target_compile_definitions(scanrt_testing PUBLIC SCANRT_STATIC PRIVATE _GNU_SOURCE SCANRT_TEST_HOOKS=1 SCANRT_CUDA_LEFT_OUT="")
target_link_libraries(scanrt_testing PUBLIC scanrt_flags Threads::Threads ${CMAKE_DL_LIBS} m)
if(SCANRT_HAVE_OPENCL)
  target_include_directories(scanrt_testing SYSTEM PRIVATE ${SCANRT_CL_HEADERS})
endif()

scanrt_test_support(scanrt_hooks_support lookback_state.c fake_cuda/open.c hooked.c)
target_link_libraries(scanrt_hooks_support PUBLIC scanrt_testing)

add_library(fake_cuda MODULE
  fake_cuda/driver.c fake_cuda/state.c fake_cuda/launch.c fake_cuda/textbook.c fake_cuda/names.c fake_cuda/events.c
    fake_cuda/host_memory.c fake_cuda/graph.c fake_cuda/peer.c
  fake_cuda/app.c
  fake_cuda/report.c sweep/fault.c
  emulated_cuda/module.c emulated_cuda/grid.c emulated_cuda/block.c emulated_cuda/calls.c)
add_library(fake_cuda_stub MODULE fake_cuda/stub.c)
foreach(driver fake_cuda fake_cuda_stub)
  set_target_properties(${driver} PROPERTIES C_VISIBILITY_PRESET hidden)
  target_include_directories(${driver} PRIVATE
    "${PROJECT_SOURCE_DIR}/include" "${PROJECT_SOURCE_DIR}/runtime" "${CMAKE_CURRENT_SOURCE_DIR}" fake_cuda
    "${PROJECT_SOURCE_DIR}" emulated_cuda "${PROJECT_SOURCE_DIR}/tools/cli")
  target_link_libraries(${driver} PRIVATE scanrt_oracle scanrt_flags Threads::Threads ${CMAKE_DL_LIBS} m)
endforeach()

foreach(suite cuda_listing cuda_fake cuda_faults)
  add_executable(test_${suite} test_${suite}.c)
  target_compile_definitions(test_${suite} PRIVATE
    FAKE_CUDA_LIBRARY="$<TARGET_FILE:fake_cuda>" FAKE_CUDA_STUB="$<TARGET_FILE:fake_cuda_stub>")
  add_dependencies(test_${suite} fake_cuda fake_cuda_stub)
  target_link_libraries(test_${suite} PRIVATE scanrt_hooks_support)
  scanrt_add_test(${suite} COMMAND test_${suite} LABELS host hooks)
endforeach()

# Suites for any device, on the fake driver: streams; scans in pieces, totals and streams of built-in operators.
set(fake_environment "SCANRT_LIBCUDA=$<TARGET_FILE:fake_cuda>;${no_nvrtc}")
scanrt_hooked_program(stream fake)
scanrt_add_test(stream.fake_cuda
  COMMAND test_stream_fake ENVIRONMENT SCANRT_TEST_DEVICE=cuda:0 ${fake_environment} LABELS host hooks)
scanrt_hooked_program(cases hooked)
scanrt_add_test(cases.fake_cuda
  COMMAND test_cases_hooked --every 8
    --case "scan n=1|300|4099 type=f32|i64|u8|i16|f64|i32|u32 input_type=|i32|f32 op=add|max|xor kind=|exclusive|total carry|carry_in|carry_out|carry_same plan|host_memory|"
    --case "scan n=33|9001|700000 type=f32|i64|u8|f64 input_type=|i32|f32 op=add|mul kind=total init| plan|host_memory shift=|1"
    --case "scan n=70001 type=f32|i64 input_type=|i32 op=add outputs=5 runs=0,1,5,300,70001 init| carry_out kind=|exclusive|total plan|host_memory"
    --case "stream n=0|99|5000 type=f32|i64|u8|i32|f64 input_type=|i32|f32 op=add|max host_memory chunk_items=|1|700 kind=|exclusive init| reads| writes| pinned| progress"
    --case "stream n=5000 type=f32|i32 op=add host_memory chunk_items=700 in_place| carry|carry_same|carry_in kind=|exclusive"
  ENVIRONMENT SCANRT_TEST_DEVICE=cuda:0 ${fake_environment} LABELS host hooks)

# Contexts, streams and threads of an application on two devices of the fake driver.
foreach(suite allocator cuda_contexts first_use)
  scanrt_hooked_program(${suite} fake)
  scanrt_add_test(${suite}.fake_cuda COMMAND test_${suite}_fake
    ENVIRONMENT SCANRT_TEST_DEVICE=cuda:0 FAKE_CUDA_DEVICES=2 ${fake_environment} LABELS host hooks)
endforeach()

# Look-back under adverse schedules, over a dozen tiles. withheld: every second tile is not published, and a tile that
# waits for it recomputes it (out-of-place compaction, and sorts). backwards: tiles are claimed from the last one down.
# stalled, late: some tiles are published late; waits end before that (stalled) or not (late).
set(withheld "-DSCAN_TEST_WITHHOLD=2 -DSCAN_TEST_SPIN_LIMIT=50")
set(dozen_tiles "keys|pairs n=|1|260|4097|40001|65537 key_type=u32 payload_bytes=|4 shape=|few plan")
if("opencl:pocl" IN_LIST test_devices)
  foreach(line "flags|bits n=4097|12321|40001 percent=50 rest=|behind|apart count element_bytes=4|12 plan"
      "predicate|pair n=4097|12321|40001 percent=50 in_first count plan")
    string(REGEX MATCH "^[a-z]+" name "${line}")
    scanrt_add_test(withheld.opencl:pocl.${name} COMMAND test_cases_hooked --case "${line}"
      ENVIRONMENT SCANRT_TEST_DEVICE=opencl:pocl SCANRT_TUNE=select_warps=2 "SCANRT_TEST_BUILD_OPTIONS=${withheld}"
        ${unoptimised_pocl}
      LABELS opencl hooks)
  endforeach()
  foreach(schedule "withheld/${withheld}" "backwards/-DSCAN_TEST_BACKWARDS -DSCAN_TEST_SPIN_LIMIT=50"
      "stalled/-DSCAN_TEST_STALL=3 -DSCAN_TEST_STALL_POLLS=200 -DSCAN_TEST_SPIN_LIMIT=5"
      "late/-DSCAN_TEST_STALL=2 -DSCAN_TEST_STALL_POLLS=200")
    string(REPLACE "/" ";" schedule "${schedule}")
    list(GET schedule 0 name)
    list(GET schedule 1 options)
    scanrt_add_test(${name}.opencl:pocl.sorts COMMAND test_cases_hooked --case "${dozen_tiles}"
      ENVIRONMENT SCANRT_TEST_DEVICE=opencl:pocl SCANRT_TUNE=group_items=256,sort_sweeps=2
        "SCANRT_TEST_BUILD_OPTIONS=${options}"
      LABELS opencl hooks)
  endforeach()
  # Compaction by AVX2 on processors that have AVX-512, too.
  scanrt_add_test(avx2.opencl:pocl
    COMMAND test_cases_hooked --case "predicate|bits n=31|33|4097|12321 percent=0|5|50|100 in_first rest=|apart capacity=|31 count plan element_bytes=4|8"
      --case "first|last n=31|33|4097|12321 percent=1|5|50|100 key_type=u32|u64|f32 in_first count plan"
    ENVIRONMENT SCANRT_TEST_DEVICE=opencl:pocl SCANRT_TEST_BUILD_OPTIONS=-DSCAN_TEST_AVX2 LABELS opencl hooks)
endif()

# Every row of the catalogue, with images that contain only names.
list(TRANSFORM SCANRT_SOURCE_IMAGES REPLACE "(.+)" "IMAGE(\\1)" OUTPUT_VARIABLE fake_images)
list(JOIN fake_images "," fake_images)
scanrt_hooked_program(catalogue fake fake_cuda/images.c)
target_compile_options(test_catalogue_fake PRIVATE "-DFAKE_SOURCE_IMAGES(IMAGE)=${fake_images}")
foreach(capability 8 9)
  scanrt_add_test(catalogue.fake_cuda.${capability}0 COMMAND test_catalogue_fake plans
    ENVIRONMENT SCANRT_TEST_DEVICE=cuda:0 FAKE_CUDA_CAPABILITY=${capability} ${fake_environment} LABELS host hooks)
endforeach()
