# SPDX-License-Identifier: BSD-2-Clause
# Kernels from source, compiled for the processor and emulated there.

# Only these tests need a C++ compiler, not the project.
find_program(SCANRT_CXX_COMPILER NAMES c++ g++ clang++ DOC "C++ compiler, for the tests that emulate CUDA kernels")
set(emulated_suites cases members operator_api function_text half overflow segmented_reduce)
if(NOT SCANRT_TEST_EMULATION OR SCANRT_SANITIZE OR NOT SCANRT_CXX_COMPILER OR NOT CMAKE_SYSTEM_NAME STREQUAL "Linux" OR
    NOT CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|aarch64)$")
  message(STATUS "CUDA kernels are not emulated: SCANRT_TEST_EMULATION is off, no C++ compiler, a sanitizer that knows no fibers, or another processor")
  set(emulated_suites "")
else()
  add_library(emulated_nvrtc MODULE emulated_cuda/nvrtc.c nvrtc_gate.c sweep/fault.c)
  set_target_properties(emulated_nvrtc PROPERTIES C_VISIBILITY_PRESET hidden)
  target_include_directories(emulated_nvrtc PRIVATE
    emulated_cuda "${PROJECT_SOURCE_DIR}/runtime" "${CMAKE_CURRENT_SOURCE_DIR}")
  target_compile_definitions(emulated_nvrtc PRIVATE
    EMULATED_CUDA_COMPILER="${SCANRT_CXX_COMPILER}" EMULATED_CUDA_FOLDER="${CMAKE_CURRENT_SOURCE_DIR}/emulated_cuda")
  target_link_libraries(emulated_nvrtc PRIVATE scanrt_flags Threads::Threads)
endif()
if(emulated_suites)
  scanrt_test_program(schedules) # nothing runs it as it is
  set_target_properties(test_schedules PROPERTIES EXCLUDE_FROM_ALL ON)
endif()
set(emulated_modules "${CMAKE_CURRENT_BINARY_DIR}/emulated_modules")
foreach(suite IN LISTS emulated_suites)
  scanrt_hooked_program(${suite} emulated fake_cuda/images.c)
  target_include_directories(test_${suite}_emulated PRIVATE emulated_cuda)
  target_compile_definitions(test_${suite}_emulated PRIVATE EMULATED_MODULES="${emulated_modules}")
  add_dependencies(test_${suite}_emulated emulated_nvrtc emulated_libraries)
endforeach()
if(emulated_suites)

  # Built-in kernels, compiled for the processor. The emulation's dialect defines the guard of CUDA's dialect.
  file(MAKE_DIRECTORY "${emulated_modules}")
  set(emulated_libraries "")
  # scanrt_emulate(IMAGE UNIT SUFFIX DEFINITIONS...): compiles an image. SUFFIX is that of its name: _sm80, _sm90 or
  # empty.
  function(scanrt_emulate image unit suffix)
    string(REPLACE "_sm" "" architecture "${suffix}")
    if(NOT architecture)
      set(architecture 75)
    endif()
    set(library "${emulated_modules}/${image}.so")
    add_custom_command(OUTPUT "${library}"
      COMMAND ${SCANRT_CACHED_IMAGE} "${SCANRT_CXX_COMPILER}" -x c++ -std=c++17 -O1 -w -shared -fPIC -fvisibility=hidden -fno-strict-aliasing
        -fwrapv -ffp-contract=off -fno-exceptions -fno-rtti -fsanitize=alignment -fsanitize-undefined-trap-on-error
        ${ARGN} -D__CUDACC__=1 -D__CUDA_ARCH__=${architecture}0
        -include "${CMAKE_CURRENT_SOURCE_DIR}/emulated_cuda/dialect.h" -I "${PROJECT_SOURCE_DIR}/kernels_cu"
        -I "${PROJECT_SOURCE_DIR}/kernels_cl" -I "${PROJECT_SOURCE_DIR}/include" -I "${PROJECT_SOURCE_DIR}/runtime/device"
        -I "${SCANRT_EMBED_DIR}"
        -MD -MF "${library}.d" -MT "${library}" -o "${library}" "${unit}"
      DEPENDS "${unit}" "${SCANRT_INSTANCE_END}"
      DEPFILE "${library}.d"
      COMMENT "Compiling CUDA kernels ${image} for the processor" VERBATIM)
    list(APPEND emulated_libraries "${library}")
    set(emulated_libraries "${emulated_libraries}" PARENT_SCOPE)
  endfunction()
  # scanrt_emulate_unit(IMAGE NAME DEFINITIONS...): compiles the unit of the image NAME to IMAGE.
  macro(scanrt_emulate_unit image name)
    string(REGEX MATCH "_sm[0-9]+$" suffix "${name}")
    scanrt_cuda_unit("${name}" unit)
    scanrt_cuda_set("${name}" set)
    scanrt_emulate("${image}" "${unit}" "${suffix}" ${set} ${ARGN})
  endmacro()
  foreach(image f32_f32 u32_u32 u8_u8 u8_u32 u8_u64 batch_f32_f32 batch_u32_u32 staged_f32_f32_sm90 staged_u32_u32_sm90
      pipelined_f32_f32_sm80 pipelined_f32_f32_sm86 pipelined_f32_f32_sm90
      pipelined_f32_f32_sm120 pipelined_u8_u8_sm90 pipelined_u8_u64_sm80 pipelined_u8_u64_sm86 pipelined_u8_u64_sm90
      pipelined_u8_u64_sm120 i16_u32 pipelined_i16_u32_sm90 difference segment_bits select select_marks sort sort_numeric split)
    scanrt_emulate_unit(${image} ${image})
  endforeach()
  file(MAKE_DIRECTORY "${emulated_modules}/late" "${emulated_modules}/withheld")
  foreach(image sort_onesweep_sm80 sort_onesweep_sm90 sort_numeric_onesweep_sm80 sort_numeric_onesweep_sm90)
    scanrt_emulate_unit(${image} ${image}) # and with every third tile late
    scanrt_emulate_unit(late/${image} ${image} -DSCAN_TEST_STALL=3 -DSCAN_TEST_STALL_POLLS=2000)
  endforeach()
  foreach(image sort_onesweep_sm86 sort_onesweep_sm120 sort_numeric_onesweep_sm86 sort_numeric_onesweep_sm120
      select_pipelined_sm86 select_pipelined_sm120)
    scanrt_emulate_unit(${image} ${image})
  endforeach()
  foreach(image select_pipelined_sm80 select_pipelined_sm90)
    scanrt_emulate_unit(${image} ${image})
    scanrt_emulate_unit(withheld/${image} ${image} -DSCAN_TEST_WITHHOLD=2 -DSCAN_TEST_SPIN_LIMIT=50)
  endforeach()
  # Some rows of the catalogue.
  set(emulated_rows source_u32_add_bits source_u32_add_bits_sm90 source_f32_max_bits_lookback
    source_i32_add_checked_lookback source_affine_f32_lookback source_f32_add_totals)
  foreach(row IN LISTS emulated_rows)
    string(REGEX MATCH "_sm90$" suffix "${row}")
    scanrt_emulate(${row} "${SCANRT_EMBED_DIR}/cuda/${row}.cu" "${suffix}" -D__device__= -D__forceinline__=inline)
  endforeach()
  list(TRANSFORM emulated_rows REPLACE "(.+)" "IMAGE(\\1)" OUTPUT_VARIABLE emulated_rows)
  list(JOIN emulated_rows "," emulated_rows)
  add_custom_target(emulated_libraries DEPENDS ${emulated_libraries})
  foreach(suite schedules cuda_capture cases segmented_reduce sort_api runs_api)
    scanrt_hooked_program(${suite} built_in emulated_cuda/images.c)
    target_include_directories(test_${suite}_built_in PRIVATE emulated_cuda)
    target_compile_definitions(test_${suite}_built_in PRIVATE EMULATED_MODULES="${emulated_modules}")
    add_dependencies(test_${suite}_built_in emulated_libraries)
  endforeach()
  target_compile_options(test_segmented_reduce_built_in PRIVATE "-DEMULATED_SOURCE_IMAGES(IMAGE)=${emulated_rows},")
  # Modules with test hooks, in folders of their own: withheld tiles and late tiles.
  foreach(kind emulated_withheld/SELECT/withheld emulated_late/SORT/late)
    string(REPLACE "/" ";" kind "${kind}")
    list(GET kind 0 name)
    list(GET kind 1 family)
    list(GET kind 2 folder)
    scanrt_hooked_program(cases ${name} emulated_cuda/images.c)
    target_include_directories(test_cases_${name} PRIVATE emulated_cuda)
    target_compile_definitions(test_cases_${name} PRIVATE EMULATED_MODULES="${emulated_modules}"
      EMULATED_${family}_MODULES="${emulated_modules}/${folder}")
    add_dependencies(test_cases_${name} emulated_libraries)
  endforeach()

  scanrt_hooked_program(catalogue emulated emulated_cuda/images.c)
  target_compile_options(test_catalogue_emulated PRIVATE
    "-DEMULATED_SOURCE_IMAGES(IMAGE)=${emulated_rows},")
  target_include_directories(test_catalogue_emulated PRIVATE emulated_cuda)
  target_compile_definitions(test_catalogue_emulated PRIVATE EMULATED_MODULES="${emulated_modules}")
  add_dependencies(test_catalogue_emulated emulated_libraries)
  scanrt_add_test(catalogue.emulated COMMAND test_catalogue_emulated scans
    ENVIRONMENT ${fake_environment} SCANRT_TEST_DEVICE=cuda:0 SCANRT_TEST_SCALE=small
      SCANRT_TEST_ROWS=u32_add,f32_max,i32_add_checked,affine_f32
    LABELS emulated hooks)

  scanrt_add_test(catalogue.emulated.totals COMMAND test_segmented_reduce_built_in f32
    ENVIRONMENT ${fake_environment} SCANRT_TEST_DEVICE=cuda:0 SCANRT_TEST_SCALE=small LABELS emulated hooks)

  # scanrt_add_emulated_test(NAME PROGRAM VARIABLES...)
  function(scanrt_add_emulated_test name program)
    scanrt_add_test(${name} COMMAND ${program}
      ENVIRONMENT SCANRT_LIBCUDA=$<TARGET_FILE:fake_cuda> SCANRT_LIBNVRTC=$<TARGET_FILE:emulated_nvrtc>
        SCANRT_TEST_DEVICE=cuda:0 ${ARGN}
      LABELS emulated hooks)
  endfunction()

  scanrt_add_test(cache.emulated COMMAND "${CMAKE_CURRENT_SOURCE_DIR}/cache_nvrtc.sh" $<TARGET_FILE:test_cases_emulated>
      --case "source operator=words3 n=33|1000 kind=|exclusive strategy=lookback"
    ENVIRONMENT SCANRT_LIBCUDA=$<TARGET_FILE:fake_cuda> SCANRT_LIBNVRTC=$<TARGET_FILE:emulated_nvrtc>
      SCANRT_TEST_DEVICE=cuda:0
    LABELS emulated hooks)

  # Scans over many tiles, a few scans for each size of value, with shifted inputs and outputs: around the smallest
  # tile, small tiles, large tiles, and two groups of tiles.
  set(tiles_of_1 "n=1|4099|32769|524289|557061 shift=1 out_shift=2" "n=32768|540679 shift=3 in_place"
    "kind=exclusive init n=33|589824|557055 shift=1 out_shift=3" "kind=exclusive init n=98321|589824|557057 in_place")
  set(tiles_of_2 "n=1|2051|16385|262145|278533 shift=1 out_shift=2" "n=16384|270343 shift=3 in_place"
    "kind=exclusive init n=33|294912|278527 shift=1 out_shift=3" "kind=exclusive init n=49169|294912|278529 in_place")
  set(tiles_of_4 "n=1|1027|8193|131073|139269 shift=1 out_shift=2" "n=8192|135175 shift=3 in_place"
    "kind=exclusive init n=33|147456|139263 shift=1 out_shift=3" "kind=exclusive init n=24593|147456|139265 in_place")
  set(tiles_of_8 "n=1|515|4097|65537|69637|536579 shift=1 out_shift=2" "n=4096|67591 shift=3 in_place"
    "kind=exclusive init n=33|73728|69631 shift=1 out_shift=3" "kind=exclusive init n=12305|73728|69633 in_place")
  set(tiles_digits 1 "source operator=digits")
  set(tiles_bytes2 2 "source operator=bytes2")
  set(tiles_shorts2 4 "source operator=shorts2")
  set(tiles_single 4 "source operator=add type=f32 op=add")
  set(tiles_affine 8 "source operator=affine")
  set(tiles_add_f32 4 "scan type=f32 op=add")
  set(tiles_min_f32 4 "scan type=f32 op=min")
  set(tiles_add_u8 1 "scan type=u8 op=add")
  set(tiles_max_u8 1 "scan type=u8 op=max")
  set(tiles_add_u64_u8 8 "scan type=u64 input_type=u8 op=add")
  set(tiles_add_i32_i16 4 "scan type=i32 input_type=i16 op=add")

  # scanrt_add_tiles(NAME PROGRAM STRATEGY OPERATORS VARIABLES...): those cases with these operators
  function(scanrt_add_tiles name program strategy operators)
    foreach(operator IN LISTS operators)
      list(GET tiles_${operator} 0 bytes)
      list(GET tiles_${operator} 1 call)
      foreach(fields IN LISTS tiles_of_${bytes})
        list(APPEND program --case "${call} strategy=${strategy} plan ${fields}")
      endforeach()
    endforeach()
    scanrt_add_emulated_test(${name} "${program}" ${ARGN})
  endfunction()

  # Both images of the pipelined scan, short rings and few work-groups, which reuse their stages often, and several
  # orders of lanes: some mistakes show in only one of them.
  scanrt_add_tiles(tiles.emulated.pipelined test_cases_emulated pipelined "digits;bytes2;shorts2;single;affine")
  foreach(image 90 80)
    foreach(order forward backward 1 2)
      scanrt_add_tiles(tiles.emulated.pipelined.image${image}.${order} test_cases_emulated pipelined "shorts2;affine"
        SCANRT_TUNE=image=${image},stages=4,most_groups=2 EMULATED_CUDA_ORDER=${order})
    endforeach()
  endforeach()
  scanrt_add_tiles(tiles.emulated.pipelined.one_group test_cases_emulated pipelined "digits;single"
    SCANRT_TUNE=most_groups=1 EMULATED_CUDA_ORDER=3)
  foreach(strategy block reduce_then_scan lookback)
    scanrt_add_tiles(tiles.emulated.${strategy} test_cases_emulated ${strategy} "shorts2;affine")
  endforeach()
  scanrt_add_tiles(tiles.emulated.lookback.order test_cases_emulated lookback "single;affine" EMULATED_CUDA_ORDER=1)
  # A tile for each of up to 32 blocks, which run one at a time: the last one first, or from the middle on and then from
  # the first. A look-back then waits for blocks that have not begun.
  foreach(order backward 5)
    scanrt_add_tiles(tiles.emulated.lookback.alone.${order} test_cases_emulated lookback "single;affine"
      SCANRT_TUNE=groups_per_unit=8 EMULATED_CUDA_RESIDENT=1 EMULATED_CUDA_ORDER=${order})
  endforeach()
  foreach(strategy block reduce_then_scan lookback pipelined)
    scanrt_add_tiles(tiles.emulated.built_in.${strategy} test_cases_built_in ${strategy}
      "add_f32;add_u8;max_u8;add_u64_u8;add_i32_i16")
  endforeach()
  foreach(form 80:image=80,stages=4 86:image=80,shared_bytes=101376 120:shared_bytes=101376)
    string(REPLACE ":" ";" form ${form})
    list(POP_FRONT form image)
    scanrt_add_tiles(tiles.emulated.built_in.pipelined.image${image} test_cases_built_in pipelined
      "add_f32;min_f32;add_u64_u8" SCANRT_TUNE=${form},most_groups=2 EMULATED_CUDA_ORDER=1)
  endforeach()
  # Carries of pieces that end with a tile, after its first vector, within a row and within a sub-tile.
  set(pieces "scan n=140294 type=f32 op=add outputs=5 runs=139264,5,139265,140294,131100 kind=|exclusive carry plan")
  foreach(strategy block reduce_then_scan lookback pipelined)
    scanrt_add_emulated_test(carries.emulated.built_in.${strategy}
      "test_cases_built_in;--case;${pieces} strategy=${strategy}")
  endforeach()
  scanrt_add_emulated_test(carries.emulated.built_in.pipelined.image120
    "test_cases_built_in;--case;${pieces} strategy=pipelined" SCANRT_TUNE=shared_bytes=101376,most_groups=2)
  foreach(strategy lookback pipelined)
    scanrt_add_emulated_test(carries.emulated.${strategy}
      "test_cases_emulated;--case;${pieces} strategy=${strategy} marks=|keys mark_type=|u32 percent=1")
  endforeach()
  # Marks that do not begin at a multiple of 16 bytes, with elements that do so, too, or do not (f32 shifted by 4).
  set(shifted "scan n=131073|294912 op=add percent=1 shift=1|3|4 strategy=pipelined")
  foreach(capability 9 8)
    scanrt_add_emulated_test(marks.emulated.pipelined.${capability}0
      "test_cases_emulated;--case;${shifted} type=f64|u8 marks=keys mark_type=u8|u32|u64;--case;${shifted} type=f32 marks=flags|bits|keys mark_type=|u8|u16|u32 kind=|exclusive"
      FAKE_CUDA_CAPABILITY=${capability})
  endforeach()
  # Many random schedules of kernels that wait for other work-groups.
  scanrt_add_emulated_test(schedules.emulated.built_in test_schedules_built_in SCANRT_TEST_CASES=2000)
  # Checked sums, also for n that are no multiple of a tile.
  scanrt_add_emulated_test(cases.emulated.checked
    "test_cases_emulated;--case;scan n=1|33|4097|20001 type=i32|u32 input_type=|u8 op=add check_overflow kind=total seed=|3 init| plan")
  scanrt_add_emulated_test(sort_api.emulated test_sort_api_built_in SCANRT_TEST_SCALE=small EMULATED_CUDA_LEVEL=-O0)
  scanrt_add_emulated_test(runs_api.emulated test_runs_api_built_in SCANRT_TEST_SCALE=small EMULATED_CUDA_LEVEL=-O0)
  scanrt_add_emulated_test(segmented_reduce.emulated test_segmented_reduce_built_in SCANRT_TEST_SCALE=small EMULATED_CUDA_LEVEL=-O0)
  scanrt_add_emulated_test(cuda_capture.emulated test_cuda_capture_built_in EMULATED_CUDA_LEVEL=-O0)
  # Lines through stages: contiguous ones of one tile and of several, whose last tile n cuts or not, and lines side by
  # side, in one block of memory and in three.
  scanrt_add_emulated_test(cases.emulated.lines
    "test_cases_built_in;--case;array axes=17,8192|18,9000|40,20000 axis=1 type=f32|i32 op=add|max kind=|exclusive packed backward| shift=|1;--case;array axes=600,512 axis=0 type=f32|i32 op=add|max packed backward| in_place| shift=|1;--case;array axes=3,600,256 axis=1 type=f32|i32 op=add packed plan")

  # Differences, and sorts by the portable kernels, by onesweep and as by default, few keys by their ranks, on the devices
  # of both images; with several orders of lanes and copies.
  set(few --corners "${cases_folder}/few.txt")
  scanrt_add_emulated_test(cases.emulated.difference "test_cases_built_in;--case;difference n=|1|4097|12321 type=i32|u8|f64 op=add backward| shift=|1 plan")
  foreach(how 0/forward 1/1 2/1 2/backward 2/2 2/forward/5)
    string(REPLACE "/" ";" how "${how}")
    list(GET how 0 sweeps)
    list(GET how 1 order)
    list(LENGTH how length)
    set(name cases.emulated.sorts.${sweeps}.${order})
    set(tune sort_sweeps=${sweeps})
    if(length GREATER 2)
      string(APPEND name .parts)
      string(APPEND tune ,sort_parts=5)
    endif()
    scanrt_add_emulated_test(${name} "test_cases_built_in;${few};--only;sorts" EMULATED_CUDA_ORDER=${order} SCANRT_TUNE=${tune})
  endforeach()
  # Look-back that waits for late tiles: a dozen tiles on the device of one image, few on the other's.
  set(numeric "keys|pairs n=4097|20001 key_type=f32 payload_bytes=|4 numeric_order shape=edges plan")
  foreach(how 90/9/dozen_tiles 80/8/numeric 90.numeric/9/numeric)
    string(REPLACE "/" ";" how "${how}")
    list(GET how 0 name)
    list(GET how 1 capability)
    list(GET how 2 line)
    scanrt_add_emulated_test(cases.emulated.late.${name} "test_cases_emulated_late;--case;${${line}}"
      FAKE_CUDA_CAPABILITY=${capability} SCANRT_TUNE=sort_sweeps=2)
  endforeach()
  # Compaction in several launches, if shared memory is too small for one, and in one launch an array, also with small
  # tiles. So are sorts.
  foreach(family select runs)
    foreach(order forward 1)
      scanrt_add_emulated_test(cases.emulated.${family}.${order} "test_cases_built_in;${few};--only;${family}"
        EMULATED_CUDA_ORDER=${order} SCANRT_TUNE=shared_bytes=16384 EMULATED_CUDA_LEVEL=-O0)
    endforeach()
  endforeach()
  scanrt_add_emulated_test(cases.emulated.sorts.small_memory "test_cases_built_in;${few};--only;sorts"
    EMULATED_CUDA_ORDER=1 SCANRT_TUNE=shared_bytes=16384 EMULATED_CUDA_LEVEL=-O0)
  foreach(family select runs sorts)
    foreach(how 9/forward 8/1)
      string(REPLACE "/" ";" how "${how}")
      list(GET how 0 capability)
      list(GET how 1 order)
      scanrt_add_emulated_test(cases.emulated.${family}.small_tiles.${capability}0.${order}
        "test_cases_built_in;${few};--only;${family}" FAKE_CUDA_CAPABILITY=${capability} EMULATED_CUDA_ORDER=${order}
        SCANRT_TUNE=shared_bytes=101376,sort_sweeps=2 EMULATED_CUDA_LEVEL=-O0)
    endforeach()
  endforeach()
  foreach(family select runs)
    foreach(how 9/forward 9/1 8/backward)
      string(REPLACE "/" ";" how "${how}")
      list(GET how 0 capability)
      list(GET how 1 order)
      scanrt_add_emulated_test(cases.emulated.${family}.one_launch.${capability}0.${order}
        "test_cases_built_in;${few};--only;${family}" FAKE_CUDA_CAPABILITY=${capability} EMULATED_CUDA_ORDER=${order}
        EMULATED_CUDA_LEVEL=-O0)
    endforeach()
  endforeach()
  # Few kept elements: only these are loaded. In some tiles most are kept.
  set(sparse --case "flags|bits n=524288|600001 percent=1 count capacity=|1000 element_bytes=4|8|16 plan"
    --case "flags|bits n=1000003 percent=3 kept_items=1000|33000 seed=6|8 count capacity=|20000 element_bytes=4|8 plan")
  foreach(capability 9 8)
    scanrt_add_emulated_test(cases.emulated.select.sparse.${capability}0 "test_cases_built_in;${sparse}"
      FAKE_CUDA_CAPABILITY=${capability} EMULATED_CUDA_LEVEL=-O0)
  endforeach()
  scanrt_add_emulated_test(cases.emulated.withheld.sparse "test_cases_emulated_withheld;${sparse}"
    EMULATED_CUDA_WITHHOLD=2)
  foreach(capability 9 8) # every second tile is counted by whoever waits for it
    scanrt_add_emulated_test(cases.emulated.withheld.${capability}0
      "test_cases_emulated_withheld;--case;flags|bits|first n=4097|20001 key_type=|u32 percent=50 rest=|apart|behind in_first| element_bytes=|4|4,4 count plan"
      FAKE_CUDA_CAPABILITY=${capability} EMULATED_CUDA_WITHHOLD=2)
  endforeach()
  # The rest behind the kept elements in one launch, also of two groups of tiles, and in two launches, of which the second
  # goes from the last tile to the first. Two arrays in one launch.
  set(behind --case "flags|bits|first n=4097|20001|1300007 key_type=u32 percent=50 rest=behind element_bytes=4|8 count plan")
  scanrt_add_emulated_test(cases.emulated.behind.one_launch "test_cases_built_in;${behind}" EMULATED_CUDA_ORDER=1
    EMULATED_CUDA_LEVEL=-O0)
  scanrt_add_emulated_test(cases.emulated.behind.two_launches "test_cases_built_in;${behind}"
    EMULATED_CUDA_LEVEL=-O0 SCANRT_TUNE=most_groups=1)
  # By a predicate tiles that stages do not hold are claimed twice.
  set(twice --case "predicate n=300007 percent=50|1 rest=behind in_first looked_bytes=1|4|16 shift=|3 count plan"
    --case "predicate n=1300007 percent=50 rest=behind in_first looked_bytes=8 count plan"
    --case "predicate n=300007 percent=50 rest=behind in_first looked_bytes=4 element_bytes=4,8 capacity=|1000 count plan")
  foreach(capability 9 8)
    scanrt_add_emulated_test(cases.emulated.behind.twice.${capability}0 "test_cases_built_in;${twice}"
      FAKE_CUDA_CAPABILITY=${capability} EMULATED_CUDA_ORDER=1 EMULATED_CUDA_LEVEL=-O0)
  endforeach()
  scanrt_add_emulated_test(cases.emulated.withheld.twice "test_cases_emulated_withheld;${twice}" EMULATED_CUDA_WITHHOLD=2)
  # Partitions into three in one launch and by two compactions. In `withheld` a work-group that waits for a tile counts
  # it itself.
  set(thirds --case "partition3 n=1000|20001|170007 percent=33 second_percent=50 in_first rest=apart looked_bytes=1|2|4|8|16 shift=|3 count plan"
    --case "partition3 n=20001 percent=0|100 second_percent=50 in_first rest=apart looked_bytes=4 count plan"
    --case "partition3 n=8201 percent=20 second_percent=70 n_from n_said=0|4097|8202 in_first rest=apart count count_is_n| plan")
  foreach(capability 9 8)
    scanrt_add_emulated_test(cases.emulated.partition.${capability}0 "test_cases_built_in;${thirds}"
      FAKE_CUDA_CAPABILITY=${capability} EMULATED_CUDA_ORDER=1 EMULATED_CUDA_LEVEL=-O0)
  endforeach()
  scanrt_add_emulated_test(cases.emulated.partition.small_tiles "test_cases_built_in;${thirds}"
    SCANRT_TUNE=shared_bytes=101376 EMULATED_CUDA_LEVEL=-O0)
  scanrt_add_emulated_test(cases.emulated.partition.two_launches "test_cases_built_in;${thirds}"
    SCANRT_TUNE=most_groups=1 EMULATED_CUDA_LEVEL=-O0)
  scanrt_add_emulated_test(cases.emulated.withheld.partition "test_cases_emulated_withheld;${thirds}"
    EMULATED_CUDA_WITHHOLD=2)
  scanrt_add_emulated_test(cases.emulated.two_arrays
    "test_cases_built_in;--case;flags|first n=33|20001|60007 percent=50|3 element_bytes=4,4|8,8|16,16|4,8 key_type=u32 in_first shift=|3 capacity=|9000|none count plan"
    EMULATED_CUDA_ORDER=1 EMULATED_CUDA_LEVEL=-O0)
  # Sums of runs in one launch, of one and of two groups of tiles, with two warps a part of a tile up to 4 tiles, else with
  # one. In `withheld` and `waits` a work-group that waits for a tile sums it itself; in `waits` the last one runs first.
  # In `two_launches` there are more tiles than work-groups, which takes two launches.
  set(sums "reduce-by-key n=20011|131073|620011 key_type=u32 percent=14 keys count reduce_type=f32|u64 reduce_op=add plan")
  set(two_groups "reduce-by-key n=1200011 key_type=u8 percent=1 keys count reduce_type=f32 reduce_op=add plan")
  set(key_types "reduce-by-key n=5698|20011 key_type=u8|i8|u16|i16|u32|i32|u64|i64|f16|bf16|f32|f64 percent=50 keys count reduce_type=f32 reduce_op=add")
  scanrt_add_emulated_test(cases.emulated.sums.one_launch
    "test_cases_built_in;--case;${sums};--case;${two_groups};--case;${key_types}" EMULATED_CUDA_ORDER=1)
  scanrt_add_emulated_test(cases.emulated.sums.withheld
    "test_cases_emulated_withheld;--case;${sums};--case;${two_groups}" EMULATED_CUDA_WITHHOLD=2)
  scanrt_add_emulated_test(cases.emulated.sums.waits
    "test_cases_emulated_withheld;--case;${sums};--case;${two_groups}" EMULATED_CUDA_RESIDENT=1 EMULATED_CUDA_ORDER=backward)
  scanrt_add_emulated_test(cases.emulated.sums.two_launches "test_cases_built_in;--case;${sums}"
    SCANRT_TUNE=most_groups=2)
  # One tile or a few for every kind of element and scan: the compiler takes most of the time.
  foreach(suite members operator_api function_text half)
    scanrt_add_emulated_test(${suite}.emulated test_${suite}_emulated SCANRT_TEST_SCALE=small EMULATED_CUDA_LEVEL=-O0)
  endforeach()
  scanrt_add_emulated_test(cases.emulated.scans
    "test_cases_built_in;--corners;${CMAKE_CURRENT_SOURCE_DIR}/emulated_cuda/scans.txt;--every;16" EMULATED_CUDA_LEVEL=-O0)
  scanrt_add_emulated_test(overflow.emulated test_overflow_emulated SCANRT_TEST_SCALE=small)
  add_executable(test_operator_faults test_operator_faults.c)
  target_link_libraries(test_operator_faults PRIVATE scanrt_hooks_support)
  add_dependencies(test_operator_faults fake_cuda emulated_nvrtc)
  scanrt_add_emulated_test(operator_faults.emulated test_operator_faults)
  add_executable(test_background test_background.c cuda_driver.c nvrtc_gate_open.c emulated_cuda/images.c)
  target_link_libraries(test_background PRIVATE scanrt_hooks_support)
  target_include_directories(test_background PRIVATE emulated_cuda)
  target_compile_definitions(test_background PRIVATE EMULATED_MODULES="${emulated_modules}")
  add_dependencies(test_background fake_cuda emulated_libraries emulated_nvrtc)
  # The kernels that answer first, alone.
  scanrt_add_emulated_test(cases.emulated.rolled
    "test_cases_built_in;--case;scan n=1|2050 type=f32|u8|i64 op=add marks=flags|bits|keys|offsets mark_type=|u32 percent=10 kind=|exclusive;--case;scan n=1030|20001 type=i32|f16 op=add marks=flags|keys percent=10 carry|carry_out kind=|exclusive|total backward| init|;--case;scan n=33|20001 type=i32|u8 op=add check_overflow kind=|exclusive|total seed=|3;--case;source operator=words3|link|bytes3|above|colour|place n=1|17|2049 kind=|exclusive init in_place|;--case;source operator=words3|place n=2049 kind=total init backward|;--case;source operator=affine n=69637 kind=|exclusive init shift=|1;--case;reduce-by-key operator=words3|affine n=1|8193 key_type=|u16 percent=10 keys count;--case;predicate|pair n=1|4173|20001 percent=30 last| looked_bytes=1|12 rest=|behind|apart count element_bytes=4"
    EMULATED_CUDA_LEVEL=-O0 SCANRT_TUNE=background=2)
  scanrt_add_emulated_test(background.emulated test_background EMULATED_CUDA_LEVEL=-O0
    SCANRT_TUNE=pipelined_bytes=0,background=1)
endif()
