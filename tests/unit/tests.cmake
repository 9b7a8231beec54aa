# SPDX-License-Identifier: BSD-2-Clause
# The library as it is, from inside: its layers' headers and the real drivers.

scanrt_test_support(scanrt_inside_support lookback_state.c)
target_include_directories(scanrt_inside_support PUBLIC "${PROJECT_SOURCE_DIR}/runtime")
target_link_libraries(scanrt_inside_support PUBLIC scanrt::scanrt_static)

add_executable(test_epoch test_epoch.c)
target_link_libraries(test_epoch PRIVATE scanrt_inside_support)
foreach(device IN LISTS test_devices)
  string(REGEX REPLACE ":.*" "" backend "${device}")
  if(NOT backend STREQUAL "host") # which has no look-back
    scanrt_add_test(epoch.${device}
      COMMAND test_epoch ENVIRONMENT SCANRT_TEST_DEVICE=${device} LABELS device ${backend})
  endif()
  if(backend STREQUAL "opencl" AND NOT device STREQUAL "opencl:rusticl")
    scanrt_add_tuned_test(split.${device}.epoch epoch ${device} descriptors=32)
  endif()
endforeach()

# Onesweep sorts on CUDA, whose tiles verify their order, with permuted lanes.
add_executable(test_sort_lanes test_sort_lanes.c)
target_include_directories(test_sort_lanes PRIVATE "${PROJECT_SOURCE_DIR}" "${PROJECT_SOURCE_DIR}/kernels_cl")
target_link_libraries(test_sort_lanes PRIVATE scanrt_inside_support)
if("cuda:0" IN_LIST test_devices)
  scanrt_add_tuned_test(lanes.cuda:0.sort_lanes sort_lanes cuda:0 sort_sweeps=3)
  foreach(how lanes/sort_sweeps=3 sweeps/sort_clusters=0 portable/sort_sweeps=0 parts/sort_clusters=0,sort_parts=5)
    string(REPLACE "/" ";" how "${how}")
    list(GET how 0 name)
    list(GET how 1 tune)
    scanrt_add_tuned_cases(${name}.cuda:0.sorts cuda:0 ${tune} sorts ${all_corners} --every 16)
  endforeach()
endif()
if(emulated_suites)
  scanrt_hooked_program(sort_lanes built_in emulated_cuda/images.c)
  target_include_directories(test_sort_lanes_built_in PRIVATE emulated_cuda)
  target_compile_definitions(test_sort_lanes_built_in PRIVATE EMULATED_MODULES="${emulated_modules}")
  add_dependencies(test_sort_lanes_built_in emulated_libraries)
  foreach(order forward backward 1)
    scanrt_add_emulated_test(sort_lanes.emulated.${order} test_sort_lanes_built_in SCANRT_TEST_SCALE=small
      EMULATED_CUDA_ORDER=${order} SCANRT_TUNE=sort_sweeps=3)
  endforeach()
endif()

if(SCANRT_HAVE_OPENCL)
  add_executable(test_cache test_cache.c)
  target_include_directories(test_cache SYSTEM PRIVATE ${SCANRT_CL_HEADERS})
  target_link_libraries(test_cache PRIVATE scanrt_inside_support)
  scanrt_add_opencl_tests(cache)
endif()

# OpenCL implementations that tools/setup_opencl.sh fetches, one at a time under the loader. Skipped if not fetched.
if(DEFINED ENV{XDG_CACHE_HOME})
  set(fetched_opencl "$ENV{XDG_CACHE_HOME}/scanrt/opencl")
else()
  set(fetched_opencl "$ENV{HOME}/.cache/scanrt/opencl")
endif()
set(SCANRT_TEST_OPENCL "${fetched_opencl}" CACHE PATH "Folder of the OpenCL implementations that tools/setup_opencl.sh fetched")

# scanrt_add_fetched_test(IMPLEMENTATION WHAT PROGRAM VARIABLES...): PROGRAM may be a list with arguments.
function(scanrt_add_fetched_test implementation what program)
  scanrt_add_test(${implementation}.${what}
    COMMAND ${program}
    ENVIRONMENT SCANRT_TEST_DEVICE=opencl SCANRT_TEST_SCALE=small
      "OCL_ICD_VENDORS=${SCANRT_TEST_OPENCL}/${implementation}/vendors/"
      "SCANRT_TEST_NEEDS=${SCANRT_TEST_OPENCL}/${implementation}/vendors/" ${ARGN}
    LABELS device opencl fetched)
endfunction()

foreach(implementation intel pocl3)
  scanrt_add_fetched_test(${implementation} cases
    "test_cases;--case;scan n=0..20|33|1025|2500 type=i32|u8|f32|i64 op=add|max kind=|exclusive strategy=|reduce_then_scan plan plan_n=2500")
endforeach()

# Work-groups with exchange by local memory and by sub-groups, which this implementation builds in seconds. With
# device_fence=1, as on Intel's GPUs, they are built as OpenCL C 3.0.
set(variant_lines --case "scan n=1|40|8193|131073|1300001 type=u32 op=add kind=exclusive strategy=lookback plan shift=|1"
  --case "scan n=1000 type=u32 op=add kind=exclusive strategy=lookback in_place shift=1|3|7")
set(variant_full_lines ${variant_lines} --case "scan n=1|1025|8192 type=f32 op=add strategy=reduce_then_scan plan"
  --case "scan n=1|513|4096 type=i64 op=max strategy=lookback plan" --case "scan n=1|4096 type=i8 op=min kind=exclusive strategy=block plan")
foreach(form "local/exchange=0/words3" "sub_group32/exchange=2,device_fence=1/affine" "split/exchange=0,descriptors=32/longs3")
  string(REPLACE "/" ";" form "${form}")
  list(GET form 0 name)
  list(GET form 1 tune)
  list(GET form 2 operator)
  scanrt_add_fetched_test(intel cases.${name}
    "test_cases;${variant_full_lines}" SCANRT_TUNE=group_items=256,${tune})
  scanrt_add_fetched_test(intel cases.${name}.${operator}
    "test_cases;--case;source operator=${operator} n=1|33|1025|4097|70001 kind=|exclusive init strategy=lookback plan"
    SCANRT_TUNE=group_items=256,${tune})
endforeach()
# Compaction by look-back, which compares keys of neighbours by exchange, and reductions of runs by work-groups, in tiles
# of both sizes.
set(runs_lines --case "first|last n=33|12321 key_type=u32|u8|f64 percent=10 count in_first plan"
  --case "reduce-by-key n=1|4097|150001 key_type=u32 percent=10 keys count reduce_type=f32 reduce_op=add plan")
scanrt_add_fetched_test(intel cases.runs.sub_group32 "test_cases;${runs_lines}"
  SCANRT_TUNE=group_items=256,exchange=2,device_fence=1,select_warps=4,select_groups=2)
scanrt_add_fetched_test(intel cases.sub_group64 "test_cases;${variant_lines}" SCANRT_TUNE=group_items=256,exchange=2,sub_group=64)
if(SCANRT_TEST_SLOW) # kernels of work-groups, which compilers for processors build slowly
  foreach(exchange 0 2)
    scanrt_add_fetched_test(intel cases.few.exchange${exchange}
      "test_cases;--corners;${cases_folder}/few.txt;--only;random" SCANRT_TUNE=group_items=256,exchange=${exchange})
  endforeach()
  scanrt_add_fetched_test(intel cases.slow
    "test_cases;--case;source operator=matrix|logsumexp_f32 n=1|33|1025|4097 kind=|exclusive"
    SCANRT_TUNE=group_items=256,exchange=0)
endif()

# Sub-groups, which only one of these implementations has.
if(SCANRT_HAVE_OPENCL)
  add_executable(test_variants test_variants.c)
  target_include_directories(test_variants PRIVATE "${PROJECT_SOURCE_DIR}" "${PROJECT_SOURCE_DIR}/kernels_cl")
  target_include_directories(test_variants SYSTEM PRIVATE ${SCANRT_CL_HEADERS})
  target_link_libraries(test_variants PRIVATE scanrt_inside_support ${CMAKE_DL_LIBS})
  scanrt_add_fetched_test(intel variants.local test_variants
    SCANRT_TUNE=group_items=256,exchange=0 "SCANRT_TEST_VARIANT=local 0")
  scanrt_add_fetched_test(intel variants.sub_group32 test_variants
    SCANRT_TUNE=group_items=256,exchange=2,device_fence=1 "SCANRT_TEST_VARIANT=sub_group 32")
  scanrt_add_fetched_test(intel variants.sub_group64 test_variants
    SCANRT_TUNE=group_items=256,exchange=2,sub_group=64 "SCANRT_TEST_VARIANT=sub_group 64")
endif()
