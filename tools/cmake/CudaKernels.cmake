# SPDX-License-Identifier: BSD-2-Clause
# Compiles the units of CudaUnits.cmake by plain nvcc commands: the C library needs neither CMake's CUDA language nor
# the toolkit at run time.

# SCANRT_TYPE_<name> and SCANRT_OP_<name>: the numbers in include/scanrt/scan_types.h of what runtime/base/types.def lists.
foreach(file include/scanrt/scan_types.h runtime/base/types.def)
  set_property(DIRECTORY "${PROJECT_SOURCE_DIR}" APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/${file}")
endforeach()
file(READ "${PROJECT_SOURCE_DIR}/include/scanrt/scan_types.h" numbers)
file(STRINGS "${PROJECT_SOURCE_DIR}/runtime/base/types.def" entries REGEX "^SCAN_(TYPE|OP)_ENTRY")
foreach(entry IN LISTS entries)
  string(REGEX MATCH "^SCAN_(TYPE|OP)_ENTRY\\((SCAN_[A-Z0-9]+), ([a-z0-9]+)" entry "${entry}")
  set(variable "SCANRT_${CMAKE_MATCH_1}_${CMAKE_MATCH_3}")
  string(REGEX MATCH "${CMAKE_MATCH_2} = ([0-9]+)" number "${numbers}")
  set(${variable} ${CMAKE_MATCH_1})
endforeach()

# Families of images, by the end of an image's name: the architecture that their PTX is made for, and what an image
# holds. All code is made from one PTX, since compiling to PTX takes half of the time; this gives up the instruction of
# 9.0 that compares two bytes at once. nvcc leaves out machine code that it does not know. Images that end in _sm<set>
# hold a set of CUDA's own kernels (TUNE_LARGE_IMAGE of runtime/device/tuning.h): 90 and 120 use the copy engine, 86 and
# 120 are for little shared memory. Textbook scans are PTX only, which halves the bytes. Machine code of totals of
# segments is made from PTX for compute_80, whose warps combine bits in one instruction.
set(SCANRT_NVCC_FLAGS -fatbin -O3 -std=c++17 -fmad=false)
set(SCANRT_NVCC_FAMILIES _any _textbook _totals _sm80 _sm86 _sm90 _sm120)
set(SCANRT_NVCC_CODES_any 75 compute_75 sm_80 sm_90 sm_100 sm_120)
set(SCANRT_NVCC_CODES_textbook 75 compute_75)
set(SCANRT_NVCC_CODES_totals 80 compute_75 sm_80 sm_90 sm_100 sm_120)
set(SCANRT_NVCC_CODES_sm80 80 compute_80 sm_80)
set(SCANRT_NVCC_CODES_sm86 80 compute_80 sm_86)
set(SCANRT_NVCC_CODES_sm90 90 compute_90 sm_90 sm_100 sm_120)
set(SCANRT_NVCC_CODES_sm120 90 compute_90 sm_120)
set(SCANRT_NVCC_OLDEST 11.8)
# A fifth of the bytes of nvcc's default (i32 with nvcc 13.0: 114 KB instead of 637 KB), supported by the same drivers.
set(SCANRT_NVCC_COMPRESSION --compress-mode=size)
set(SCANRT_NVCC_COMPRESSION_SINCE 12.8)

# scanrt_cuda_fault(fault): reports why CUDA kernels cannot be compiled: an error if SCANRT_CUDA is ON, else a notice.
function(scanrt_cuda_fault fault)
  if(SCANRT_CUDA STREQUAL "ON")
    message(FATAL_ERROR "SCANRT_CUDA is ON, but ${fault}")
  endif()
  message(STATUS "CUDA kernels are left out: ${fault}")
endfunction()

# scanrt_find_nvcc(out out_version out_fault): finds nvcc. Without it and with SCANRT_CUDA=AUTO `out` is empty, with a
# notice; with OFF it is empty. out_fault states the reason.
function(scanrt_find_nvcc out out_version out_fault)
  set(${out} "" PARENT_SCOPE)
  if(SCANRT_CUDA STREQUAL "OFF")
    set(${out_fault} "SCANRT_CUDA is OFF" PARENT_SCOPE)
    return()
  endif()
  find_program(SCANRT_NVCC nvcc HINTS ENV CUDA_HOME ENV CUDA_PATH PATHS /usr/local/cuda PATH_SUFFIXES bin
    DOC "NVIDIA's compiler")
  set(fault "")
  if(NOT SCANRT_NVCC)
    set(fault "nvcc was not found (PATH, CUDA_HOME)")
  else()
    execute_process(COMMAND "${SCANRT_NVCC}" --version OUTPUT_VARIABLE words ERROR_VARIABLE words)
    string(REGEX MATCH "release ([0-9]+\\.[0-9]+)" found "${words}")
    set(version "${CMAKE_MATCH_1}")
    if(NOT found)
      set(fault "${SCANRT_NVCC} --version was not understood")
    elseif(version VERSION_LESS SCANRT_NVCC_OLDEST)
      set(fault "${SCANRT_NVCC} is ${version}, and ${SCANRT_NVCC_OLDEST} is the oldest that knows sm_90")
    endif()
  endif()
  if(NOT fault)
    set(${out} "${SCANRT_NVCC}" PARENT_SCOPE)
    set(${out_version} "${version}" PARENT_SCOPE)
  else()
    scanrt_cuda_fault("${fault}")
    set(${out_fault} "${fault}" PARENT_SCOPE)
  endif()
endfunction()

# scanrt_native_archs(out): sets `out` to the compute capabilities of this machine's GPUs, such as 80;90; empty without
# a driver, and in a cross build.
function(scanrt_native_archs out)
  if(CMAKE_CROSSCOMPILING)
    set(${out} "" PARENT_SCOPE)
    return()
  endif()
  unset(SCANRT_NATIVE_RAN CACHE) # a driver may have come or gone
  try_run(SCANRT_NATIVE_RAN SCANRT_NATIVE_COMPILED "${PROJECT_BINARY_DIR}/cuda_devices"
    "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/cuda_devices.c" LINK_LIBRARIES ${CMAKE_DL_LIBS} RUN_OUTPUT_VARIABLE words)
  string(REGEX MATCHALL "[0-9]+" archs "${words}")
  list(REMOVE_DUPLICATES archs)
  set(${out} "${archs}" PARENT_SCOPE)
endfunction()

# scanrt_cuda_targets(): in the caller's scope, sets cuda_archs to SCANRT_CUDA_ARCHS, with `native` replaced by its
# list, and `auto` by `native` if a driver answers, else by `all`. Sets SCANRT_NVCC_TARGETS<family> to nvcc's arguments
# for these devices: with a list of devices their machine code, or PTX for devices that nvcc does not know yet; empty if
# none of them takes the family.
function(scanrt_cuda_targets)
  set(archs "${SCANRT_CUDA_ARCHS}")
  if(archs STREQUAL "native" OR archs STREQUAL "auto")
    scanrt_native_archs(archs)
    if(SCANRT_CUDA_ARCHS STREQUAL "auto" AND NOT archs)
      set(archs all)
    endif()
  endif()
  if(NOT archs STREQUAL "all")
    foreach(arch IN LISTS archs)
      if(NOT arch MATCHES "^[0-9]+$")
        message(FATAL_ERROR "SCANRT_CUDA_ARCHS is '${SCANRT_CUDA_ARCHS}': give all, native, auto, or a list such as 80;90")
      elseif(arch LESS 75)
        list(REMOVE_ITEM archs ${arch})
      endif()
    endforeach()
  endif()
  set(cuda_archs "${archs}" PARENT_SCOPE)
  execute_process(COMMAND "${SCANRT_NVCC}" --list-gpu-code OUTPUT_VARIABLE known)
  foreach(family IN LISTS SCANRT_NVCC_FAMILIES)
    set(codes "${SCANRT_NVCC_CODES${family}}")
    list(POP_FRONT codes oldest)
    if(NOT archs STREQUAL "all")
      set(codes "")
      foreach(arch IN LISTS archs)
        if(arch GREATER_EQUAL oldest AND NOT (family MATCHES "^_sm8" AND arch GREATER_EQUAL 90))
          list(APPEND codes sm_${arch})
        endif()
      endforeach()
    endif()
    set(chosen "")
    set(older "")
    foreach(code IN LISTS codes)
      if(code MATCHES "^compute_([0-9]+)$" AND CMAKE_MATCH_1 LESS oldest)
        set(older -gencode "arch=${code},code=${code}")
      elseif(code MATCHES "^compute" OR known MATCHES "${code}[^0-9a-z]")
        list(APPEND chosen ${code})
      elseif(NOT archs STREQUAL "all")
        list(APPEND chosen compute_${oldest})
      endif()
    endforeach()
    list(REMOVE_DUPLICATES chosen)
    list(JOIN chosen "," chosen)
    set(SCANRT_NVCC_TARGETS${family} "" PARENT_SCOPE)
    if(chosen)
      set(SCANRT_NVCC_TARGETS${family} ${older} -gencode "arch=compute_${oldest},code=[${chosen}]" PARENT_SCOPE)
    endif()
  endforeach()
endfunction()

# Prefix of an image's command: copies the image from a cache if it was made before.
find_program(SCANRT_BASH bash DOC "Runs tools/cmake/cached_image.sh")
mark_as_advanced(SCANRT_BASH)
set(SCANRT_CACHED_IMAGE "")
if(SCANRT_BASH)
  set(SCANRT_CACHED_IMAGE "${SCANRT_BASH}" "${CMAKE_CURRENT_LIST_DIR}/cached_image.sh")
endif()

# scanrt_cuda_family(image out): sets `out` to the family of an image.
function(scanrt_cuda_family image out)
  set(${out} _any PARENT_SCOPE)
  if(image MATCHES "^textbook_")
    set(${out} _textbook PARENT_SCOPE)
  elseif(image MATCHES "_(sm[0-9]+|totals)$")
    set(${out} ${CMAKE_MATCH_0} PARENT_SCOPE)
  endif()
endfunction()

# scanrt_cuda_set(image out): sets `out` to the definition of the set of kernels that an image holds; empty if all
# devices share its kernels.
function(scanrt_cuda_set image out)
  set(${out} "" PARENT_SCOPE)
  if(image MATCHES "_sm([0-9]+)$")
    set(${out} -DSCAN_CUDA_IMAGE=${CMAKE_MATCH_1} PARENT_SCOPE)
  endif()
endfunction()

# scanrt_cuda_image(image unit DEFINITIONS...): compiles one fatbin. Call it after scanrt_cuda_kernels. A program of the
# catalogue has #line names that are not files, so it depends on all kernels instead of the files that nvcc reports, and
# defines its set of kernels itself.
function(scanrt_cuda_image image unit)
  cmake_path(GET image STEM name)
  scanrt_cuda_family(${name} family)
  scanrt_cuda_set(${name} set)
  set(read -MD -MF "${image}.d" -MT "${image}")
  set(dependencies DEPENDS "${unit}" "${SCANRT_INSTANCE_END}" DEPFILE "${image}.d")
  if(unit MATCHES "^${SCANRT_EMBED_DIR}/")
    set(read "")
    set(dependencies DEPENDS "${unit}" "${SCANRT_INSTANCE_END}" ${SCANRT_KERNEL_FILES})
    set(set "")
  endif()
  add_custom_command(OUTPUT "${image}"
    COMMAND ${SCANRT_CACHED_IMAGE} "${SCANRT_NVCC}" ${SCANRT_NVCC_ALL_FLAGS} ${SCANRT_NVCC_TARGETS${family}}
      ${SCANRT_CUDA_FLAGS} ${set} ${ARGN}
      -I "${PROJECT_SOURCE_DIR}/kernels_cu" -I "${PROJECT_SOURCE_DIR}/kernels_cl" -I "${PROJECT_SOURCE_DIR}/include"
      -I "${PROJECT_SOURCE_DIR}/runtime/device" -I "${SCANRT_EMBED_DIR}"
      ${read} -o "${image}" "${unit}"
    ${dependencies}
    COMMENT "Compiling CUDA kernels ${name}" VERBATIM)
endfunction()

# scanrt_cuda_unit_image(image DEFINITIONS...): compiles the unit of an image (CudaUnits.cmake).
function(scanrt_cuda_unit_image image)
  cmake_path(GET image STEM name)
  scanrt_cuda_unit("${name}" unit)
  scanrt_cuda_image("${image}" "${unit}" ${ARGN})
endfunction()

# scanrt_cuda_kernels(pairs piped textbook batch source primitives out_images): sets out_images to the fatbins of each
# pair "<input type>_<type>", of the pipelined scan of each pair in `piped`, of each "<input type>_<type>_<operator>" in
# `textbook`, of many lines of each type in `batch`, and of the images `source` and `primitives` (CudaCatalogue.cmake).
# They are in the build folder's cuda/, or are those in SCANRT_CUDA_PREBUILT. Sets cuda_archs in the caller's scope to
# the devices (scanrt_cuda_targets), and cuda_left_out to the reason why there are none.
function(scanrt_cuda_kernels pairs piped textbook batch source primitives out_images)
  set(images "")
  set(cuda_archs all PARENT_SCOPE)
  set(cuda_left_out "" PARENT_SCOPE)
  list(TRANSFORM piped REPLACE "(.+)"
    "pipelined_\\1_sm80;pipelined_\\1_sm86;pipelined_\\1_sm90;pipelined_\\1_sm120" OUTPUT_VARIABLE pipelined)
  list(TRANSFORM textbook PREPEND textbook_)
  list(TRANSFORM batch REPLACE "(.+)" "batch_\\1_\\1")
  if(SCANRT_CUDA_PREBUILT)
    foreach(name ${pairs} ${pipelined} ${textbook} ${batch} ${source} ${primitives})
      if(NOT EXISTS "${SCANRT_CUDA_PREBUILT}/${name}.fatbin")
        message(FATAL_ERROR "SCANRT_CUDA_PREBUILT: there is no ${name}.fatbin in ${SCANRT_CUDA_PREBUILT}")
      endif()
      list(APPEND images "${SCANRT_CUDA_PREBUILT}/${name}.fatbin")
    endforeach()
    set(${out_images} "${images}" PARENT_SCOPE)
    return()
  endif()

  scanrt_find_nvcc(nvcc version fault)
  if(nvcc)
    scanrt_cuda_targets()
    if(NOT cuda_archs)
      set(nvcc "")
      set(fault "no NVIDIA driver answered where it was built")
      scanrt_cuda_fault("${fault}")
    endif()
  endif()
  set(cuda_archs "${cuda_archs}" PARENT_SCOPE)
  set(cuda_left_out "${fault}" PARENT_SCOPE)
  foreach(family IN LISTS SCANRT_NVCC_FAMILIES)
    set(SCANRT_NVCC_TARGETS${family} "${SCANRT_NVCC_TARGETS${family}}" PARENT_SCOPE)
    if(NOT SCANRT_NVCC_TARGETS${family}) # nothing of it for these devices
      list(FILTER pipelined EXCLUDE REGEX "${family}$")
      list(FILTER source EXCLUDE REGEX "${family}$")
      list(FILTER primitives EXCLUDE REGEX "${family}$")
    endif()
  endforeach()
  set(flags ${SCANRT_NVCC_FLAGS})
  if(version VERSION_GREATER_EQUAL SCANRT_NVCC_COMPRESSION_SINCE)
    list(APPEND flags ${SCANRT_NVCC_COMPRESSION})
  endif()
  set(SCANRT_NVCC_ALL_FLAGS ${flags})
  set(SCANRT_NVCC_ALL_FLAGS ${flags} PARENT_SCOPE)
  if(nvcc)
    set(folder "${PROJECT_BINARY_DIR}/cuda")
    file(MAKE_DIRECTORY "${folder}")
    foreach(name ${pairs} ${pipelined} ${textbook} ${primitives} ${batch})
      scanrt_cuda_unit_image("${folder}/${name}.fatbin")
      list(APPEND images "${folder}/${name}.fatbin")
    endforeach()
    foreach(name IN LISTS source)
      scanrt_cuda_image("${folder}/${name}.fatbin" "${SCANRT_EMBED_DIR}/cuda/${name}.cu")
      list(APPEND images "${folder}/${name}.fatbin")
    endforeach()
  endif()
  set(${out_images} "${images}" PARENT_SCOPE)
endfunction()
