# SPDX-License-Identifier: BSD-2-Clause
# Sweeps of faults: <what>.<device>.

# The program's own calls of the C library are counted and made to fail.
set(wrapped malloc calloc realloc posix_memalign aligned_alloc strdup free mmap pthread_create pthread_join open openat fopen close fclose closedir
  fdopendir readdir fgets read pread write readlink readlinkat mkdir fstat fstatat futimens renameat unlinkat symlinkat)
list(TRANSFORM wrapped PREPEND "-Wl,--wrap=")
set(sweep_sources sweep/sweep.c sweep/fault.c sweep/libc.c sweep/drivers.c sweep/devices.c sweep/cases.c)

add_executable(test_sweep test_sweep.c ${sweep_sources})
target_link_libraries(test_sweep PRIVATE scanrt_cases scanrt_hooks_support)
target_link_options(test_sweep PRIVATE ${wrapped})
add_dependencies(test_sweep fake_cuda)
set(no_opencl SCANRT_LIBOPENCL=libscanrt-no-such-opencl.so.1)
scanrt_add_test(sweep.host COMMAND test_sweep
  ENVIRONMENT SCANRT_TEST_DEVICE=host SCANRT_TUNE=one_thread_bytes=0 ${no_opencl} LABELS host hooks)
scanrt_add_test(sweep.fake_cuda COMMAND test_sweep
  ENVIRONMENT SCANRT_TEST_DEVICE=cuda:0 ${fake_environment}
    SCANRT_SWEEP=list,open,close,interop_cuda,memory,plan,three_launches,host_memory,pieces,total,stream ${no_opencl}
  LABELS host hooks)
if(emulated_suites)
  add_executable(test_sweep_built_in $<TARGET_OBJECTS:test_sweep> emulated_cuda/images.c)
  target_link_libraries(test_sweep_built_in PRIVATE scanrt_cases scanrt_hooks_support)
  target_link_options(test_sweep_built_in PRIVATE ${wrapped})
  target_include_directories(test_sweep_built_in PRIVATE emulated_cuda)
  target_compile_definitions(test_sweep_built_in PRIVATE EMULATED_MODULES="${emulated_modules}")
  add_dependencies(test_sweep_built_in fake_cuda emulated_libraries emulated_nvrtc)
  # An emulated launch takes a tenth of a second, and compiling an operator half a second.
  scanrt_add_emulated_test(sweep.emulated test_sweep_built_in SCANRT_SWEEP_MOST=2 EMULATED_CUDA_LEVEL=-O0
    SCANRT_SWEEP=memory,segments,difference,select,select_plan,unique,run_length,reduce_by_key,sort,sort_segments,split,histogram,operator,partition
    ${no_opencl})
endif()
if(SCANRT_HAVE_OPENCL)
  add_library(opencl_shim MODULE sweep/opencl_shim.c sweep/fault.c)
  set_target_properties(opencl_shim PROPERTIES C_VISIBILITY_PRESET hidden)
  target_include_directories(opencl_shim PRIVATE "${CMAKE_CURRENT_SOURCE_DIR}")
  target_include_directories(opencl_shim SYSTEM PRIVATE ${SCANRT_CL_HEADERS})
  target_link_libraries(opencl_shim PRIVATE scanrt_flags Threads::Threads ${CMAKE_DL_LIBS})
  add_dependencies(test_sweep opencl_shim)
  if("opencl:pocl" IN_LIST test_devices)
    scanrt_add_test(sweep.opencl:pocl COMMAND test_sweep
      ENVIRONMENT SCANRT_TEST_DEVICE=opencl:pocl SCANRT_LIBOPENCL=$<TARGET_FILE:opencl_shim>
        SCANRT_SWEEP_MOST=5 ${unoptimised_pocl}
      LABELS opencl hooks)
    # Every call that lists and opens devices fails once: any failure must be reported.
    scanrt_add_test(sweep.opencl:pocl.devices COMMAND test_sweep test_driver_calls
      ENVIRONMENT SCANRT_TEST_DEVICE=opencl:pocl SCANRT_LIBOPENCL=$<TARGET_FILE:opencl_shim>
        SCANRT_SWEEP=list,open,close,interop_opencl SCANRT_SWEEP_MOST=0 ${unoptimised_pocl}
      LABELS opencl hooks)
  endif()
endif()

foreach(unit structs memory_table geometry strategy array tuning overrides program_cache cache_folder program_claim cost
    devices processors pace pool copy log simd_sort)
  add_executable(unit_${unit} unit/test_${unit}.c)
  target_link_libraries(unit_${unit} PRIVATE scanrt_hooks_support)
  scanrt_add_test(unit.${unit} COMMAND unit_${unit} LABELS host hooks)
endforeach()

foreach(unit program_cache cache_folder)
  target_sources(unit_${unit} PRIVATE unit/stored_programs.c)
endforeach()

add_library(fake_nvrtc MODULE fake_nvrtc.c nvrtc_gate.c)
set_target_properties(fake_nvrtc PROPERTIES C_VISIBILITY_PRESET hidden)
target_include_directories(fake_nvrtc PRIVATE "${PROJECT_SOURCE_DIR}/runtime")
target_link_libraries(fake_nvrtc PRIVATE scanrt_flags Threads::Threads)
add_executable(unit_background unit/test_background.c nvrtc_gate_open.c)
target_link_libraries(unit_background PRIVATE scanrt_hooks_support)
target_include_directories(unit_background PRIVATE "${CMAKE_CURRENT_SOURCE_DIR}")
add_dependencies(unit_background fake_nvrtc)
scanrt_add_test(unit.background COMMAND unit_background ENVIRONMENT SCANRT_LIBNVRTC=$<TARGET_FILE:fake_nvrtc>
  LABELS host hooks)

# Not a test: times the first results on a GPU.
add_executable(first_result EXCLUDE_FROM_ALL first_result.c)
target_include_directories(first_result PRIVATE "${PROJECT_SOURCE_DIR}/runtime" "${PROJECT_SOURCE_DIR}/kernels_cl" "${PROJECT_SOURCE_DIR}")
target_link_libraries(first_result PRIVATE scanrt::scanrt_static scanrt_flags)

target_sources(unit_cost PRIVATE "${PROJECT_SOURCE_DIR}/tools/cli/bench_networks.c")
target_include_directories(unit_cost PRIVATE "${PROJECT_SOURCE_DIR}/tools/cli")

if(SCANRT_HAVE_OPENCL)
  add_executable(unit_pointers unit/test_pointers.c)
  target_include_directories(unit_pointers SYSTEM PRIVATE ${SCANRT_CL_HEADERS})
  target_link_libraries(unit_pointers PRIVATE scanrt_hooks_support)
  scanrt_add_test(unit.pointers COMMAND unit_pointers LABELS host hooks)
endif()

add_executable(unit_source unit/test_source.c)
target_link_libraries(unit_source PRIVATE scanrt_hooks_support)
scanrt_add_test(unit.source COMMAND unit_source LABELS host hooks)

add_executable(unit_json unit/test_json.c "${PROJECT_SOURCE_DIR}/tools/cli/json.c")
target_include_directories(unit_json PRIVATE "${PROJECT_SOURCE_DIR}/tools/cli")
target_link_libraries(unit_json PRIVATE scanrt_test_support)
scanrt_add_test(unit.json COMMAND unit_json LABELS host)

# Every schedule of the look-back protocol (model/README.md).
add_executable(test_model model/test_model.c model/tally.c model/search.c model/known.c model/steps.c model/group.c model/item.c
  model/lookback_state.c model/descriptors.c model/memory.c)
add_executable(test_rings model/test_rings.c model/tally.c model/ring.c model/ring_steps.c model/ring_scan.c
  model/ring_compaction.c model/walk.c model/known.c)
add_executable(test_onesweep model/test_onesweep.c model/tally.c model/onesweep.c model/walk.c model/known.c)
foreach(program test_model test_rings test_onesweep)
  target_include_directories(${program} PRIVATE model)
  target_link_libraries(${program} PRIVATE scanrt_test_support)
endforeach()
foreach(part mistakes groups_relaxed groups_own groups_atomic items lost backwards compaction)
  scanrt_add_test(model.${part} COMMAND test_model test_${part} LABELS host)
endforeach()
foreach(part mistakes slots warps work_groups compaction encoding)
  scanrt_add_test(model.rings_${part} COMMAND test_rings test_${part} LABELS host)
endforeach()
foreach(part mistakes warps repairs)
  scanrt_add_test(model.sweeps_${part} COMMAND test_onesweep test_${part} LABELS host)
endforeach()

# These need neither a GPU nor a driver.
foreach(unit nvrtc nvrtc_images nvrtc_select)
  add_executable(unit_${unit} unit/test_${unit}.c unit/nvrtc_compile.c)
  target_link_libraries(unit_${unit} PRIVATE scanrt_hooks_support)
endforeach()
set(slow "")
if(SCANRT_TEST_SLOW)
  set(slow SCANRT_TEST_SLOW=1)
endif()
scanrt_add_test(unit.nvrtc COMMAND unit_nvrtc ENVIRONMENT ${slow} LABELS cuda hooks)
scanrt_add_test(unit.nvrtc_images COMMAND unit_nvrtc_images LABELS cuda hooks)
scanrt_add_test(unit.nvrtc_absent
  COMMAND unit_nvrtc_images absent ENVIRONMENT SCANRT_LIBNVRTC=libscanrt-no-such-nvrtc.so LABELS host hooks)
scanrt_add_test(unit.nvrtc_select COMMAND unit_nvrtc_select LABELS cuda hooks)

add_subdirectory(cli)
add_subdirectory(fuzz)
if(SCANRT_HAVE_MPI AND NOT SCANRT_SANITIZE) # whose own memory sanitizers would tell of
  add_subdirectory(mpi)
endif()
if(SCANRT_HAVE_FORTRAN)
  add_subdirectory(fortran)
endif()

add_executable(test_hooks test_hooks.c)
target_link_libraries(test_hooks PRIVATE scanrt_hooks_support)
scanrt_add_test(hooks.opencl:pocl
  COMMAND test_hooks ENVIRONMENT SCANRT_TEST_DEVICE=opencl:pocl ${unoptimised_pocl} LABELS device opencl hooks)

# scanrt_test_images(suite made taken out DEFINITIONS...): sources of a suite's own CUDA images, which replace the fake
# driver's; the linker then leaves those in their archive. `made` are compiled for the suite, `taken` are the library's.
function(scanrt_test_images suite made taken out)
  set(images "")
  set(folder "${CMAKE_CURRENT_BINARY_DIR}/${suite}")
  file(MAKE_DIRECTORY "${folder}")
  foreach(name IN LISTS made)
    scanrt_cuda_unit_image("${folder}/${name}.fatbin" ${ARGN})
    list(APPEND images "${folder}/${name}.fatbin")
  endforeach()
  foreach(name IN LISTS taken)
    list(APPEND images "${PROJECT_BINARY_DIR}/cuda/${name}.fatbin")
  endforeach()
  scanrt_embed_images("${images}" "${folder}" sources)
  set(${out} "${sources}" PARENT_SCOPE)
endfunction()

if(test_gpu AND cuda_images AND NOT SCANRT_CUDA_PREBUILT AND SCANRT_CUDA_ARCHS STREQUAL "all")
  set(withheld -DSCAN_TEST_WITHHOLD=2 -DSCAN_TEST_SPIN_LIMIT=1000)
  scanrt_test_images(withheld "f32_f32;pipelined_f32_f32_sm80;pipelined_f32_f32_sm86;pipelined_f32_f32_sm90;pipelined_f32_f32_sm120" ""
    sources ${withheld})
  add_executable(test_withheld test_withheld.c ${sources})
  target_link_libraries(test_withheld PRIVATE scanrt_hooks_support)
  foreach(form 80:image=80 86:image=80,shared_bytes=101376 90:image=90 120:shared_bytes=101376)
    string(REPLACE ":" ";" form ${form})
    list(POP_FRONT form image)
    scanrt_add_test(withheld.cuda:0.image${image}
      COMMAND test_withheld ENVIRONMENT SCANRT_TEST_DEVICE=cuda:0 SCANRT_TUNE=${form} LABELS device cuda hooks)
  endforeach()
  # Compaction in one launch. Predicates are compiled by NVRTC, without hooks: all of their tiles are published.
  scanrt_test_images(select_withheld "select_pipelined_sm80;select_pipelined_sm90" "select;select_marks" sources ${withheld})
  scanrt_hooked_program(cases cuda_withheld ${sources})
  scanrt_add_test(withheld.cuda:0.select
    COMMAND test_cases_cuda_withheld --case
      "flags|bits n=0..130|4097|12321|400001 percent=|50|100 rest=|behind|apart count element_bytes=1|2|4|8|16 plan"
    ENVIRONMENT SCANRT_TEST_DEVICE=cuda:0 LABELS device cuda hooks)
  scanrt_test_images(ring
    "pipelined_f32_f32_sm90;pipelined_f32_f32_sm120;pipelined_u8_u64_sm90;pipelined_u8_u64_sm120" "f32_f32;u8_u64" sources
    -DSCAN_TEST_LANES_ARRIVE)
  add_executable(test_ring test_ring.c ${sources})
  target_link_libraries(test_ring PRIVATE scanrt_hooks_support)
  scanrt_add_test(ring.cuda:0
    COMMAND test_ring ENVIRONMENT SCANRT_TEST_DEVICE=cuda:0 SCANRT_TUNE=image=90,most_groups=2 LABELS device cuda hooks)
  scanrt_add_test(ring.cuda:0.image120 COMMAND test_ring ENVIRONMENT
    SCANRT_TEST_DEVICE=cuda:0 SCANRT_TUNE=shared_bytes=101376,most_groups=2 LABELS device cuda hooks)
endif()

add_executable(test_textbook test_textbook.c)
target_link_libraries(test_textbook PRIVATE scanrt_hooks_support)
target_compile_definitions(test_textbook PRIVATE _DEFAULT_SOURCE) # MAP_ANONYMOUS
scanrt_add_test(textbook.opencl:pocl # one thread: work-groups run in order
  COMMAND test_textbook
  ENVIRONMENT SCANRT_TEST_DEVICE=opencl:pocl POCL_MAX_PTHREAD_COUNT=1 LABELS device opencl hooks textbook)
set(opencl_devices ${test_devices})
list(FILTER opencl_devices INCLUDE REGEX "^opencl:")
foreach(device IN LISTS opencl_devices)
  scanrt_add_test(textbook_small.${device}
    COMMAND test_textbook
    ENVIRONMENT SCANRT_TEST_DEVICE=${device} SCANRT_TEST_SCALE=small LABELS device opencl hooks textbook)
endforeach()

add_executable(test_progress test_progress.c)
target_link_libraries(test_progress PRIVATE scanrt_hooks_support)
foreach(device IN LISTS opencl_devices)
  foreach(descriptors 32 64)
    if(device STREQUAL "opencl:rusticl" AND (descriptors EQUAL 64 OR NOT SCANRT_TEST_SLOW))
      continue() # it has no atomics of that width; takes minutes to compile
    endif()
    scanrt_add_tuned_test(progress.${device}.${descriptors} progress ${device} descriptors=${descriptors})
    set_tests_properties(progress.${device}.${descriptors} PROPERTIES TIMEOUT 300 LABELS "device;opencl;hooks")
  endforeach()
endforeach()
if(NOT SCANRT_SANITIZE)
  scanrt_add_test(progress.oclgrind
    COMMAND "${CMAKE_CURRENT_SOURCE_DIR}/run_oclgrind.sh" $<TARGET_FILE:test_progress>
    ENVIRONMENT SCANRT_TUNE=descriptors=32 SCANRT_TEST_TYPES=i32
    LABELS opencl simulator hooks)
  set_tests_properties(progress.oclgrind PROPERTIES TIMEOUT 300)
endif()
# Sorts of few keys: by a single work-item, by work-groups, and by work-groups that look back. Oclgrind's default local
# memory is too small for these.
add_executable(test_sort_small test_sort_small.c)
target_link_libraries(test_sort_small PRIVATE scanrt_hooks_support)
foreach(form "items/group_items=1" "groups/group_items=256" "look_back/group_items=256,sort_sweeps=2")
  string(REPLACE "/" ";" form "${form}")
  list(GET form 0 name)
  list(GET form 1 tune)
  if("opencl:pocl" IN_LIST test_devices)
    scanrt_add_test(small.opencl:pocl.sort_${name} COMMAND test_sort_small
      ENVIRONMENT SCANRT_TEST_DEVICE=opencl:pocl SCANRT_TUNE=${tune} LABELS opencl hooks)
  endif()
  if(NOT SCANRT_SANITIZE)
    scanrt_add_test(oclgrind.sort_${name}
      COMMAND "${CMAKE_CURRENT_SOURCE_DIR}/run_oclgrind.sh" --local-mem-size 65536 $<TARGET_FILE:test_sort_small>
      ENVIRONMENT SCANRT_TUNE=${tune} LABELS opencl simulator hooks)
  endif()
endforeach()
if(SCANRT_TEST_SLOW)
  foreach(type i32 f32)
    scanrt_add_tuned_test(progress_group.opencl:pocl.${type} progress opencl:pocl group_items=256,descriptors=32
      SCANRT_TEST_TYPES=${type})
    scanrt_add_test(hooks_group.opencl:pocl.${type}
      COMMAND test_hooks
      ENVIRONMENT SCANRT_TEST_DEVICE=opencl:pocl SCANRT_TUNE=group_items=256 SCANRT_TEST_TYPES=${type}
      LABELS device opencl hooks slow)
  endforeach()
  scanrt_add_test(textbook_group.opencl:pocl
    COMMAND test_textbook
    ENVIRONMENT SCANRT_TEST_DEVICE=opencl:pocl POCL_MAX_PTHREAD_COUNT=1 SCANRT_TUNE=group_items=256
    LABELS device opencl hooks slow textbook)
endif()
