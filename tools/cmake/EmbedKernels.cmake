# SPDX-License-Identifier: BSD-2-Clause
# Turns kernel text and CUDA images into C sources in the build folder. Embed.cmake, Flatten.cmake and InstanceEnd.cmake
# do so at build time.

set(SCANRT_EMBED_SCRIPT "${CMAKE_CURRENT_LIST_DIR}/Embed.cmake")
set(SCANRT_FLATTEN_SCRIPT "${CMAKE_CURRENT_LIST_DIR}/Flatten.cmake")
set(SCANRT_EMBED_DIR "${PROJECT_BINARY_DIR}/embedded")

file(GLOB SCANRT_KERNEL_FILES CONFIGURE_DEPENDS
  "${PROJECT_SOURCE_DIR}/kernels_cl/*/*.h" "${PROJECT_SOURCE_DIR}/kernels_cl/*/*.cl" "${PROJECT_SOURCE_DIR}/kernels_cu/*/*.cuh")
list(FILTER SCANRT_KERNEL_FILES EXCLUDE REGEX "/(dialect|source_open)\\.h$")

# The header that ends an instance if several are compiled in one unit, by nvcc or for the host; and the header of the
# host's names.
set(SCANRT_INSTANCE_END "${SCANRT_EMBED_DIR}/instance_end.h")
set(SCANRT_INSTANCE_NAMES "${SCANRT_EMBED_DIR}/instance_names.h")
add_custom_command(OUTPUT "${SCANRT_INSTANCE_END}" "${SCANRT_INSTANCE_NAMES}"
  COMMAND "${CMAKE_COMMAND}" -D "OUTPUT=${SCANRT_INSTANCE_END}" -D "NAMES=${SCANRT_INSTANCE_NAMES}"
    -D "FILES=${SCANRT_KERNEL_FILES}" -P "${CMAKE_CURRENT_LIST_DIR}/InstanceEnd.cmake"
  DEPENDS ${SCANRT_KERNEL_FILES} "${CMAKE_CURRENT_LIST_DIR}/InstanceEnd.cmake"
  COMMENT "Listing the kernels' macros" VERBATIM)

# scanrt_flatten(output folders macros FILES...): flattens the files to one text without includes, behind definitions of
# the macros.
function(scanrt_flatten output folders macros)
  cmake_path(RELATIVE_PATH output BASE_DIRECTORY "${SCANRT_EMBED_DIR}" OUTPUT_VARIABLE name)
  list(TRANSFORM folders PREPEND "${PROJECT_SOURCE_DIR}/")
  add_custom_command(OUTPUT "${output}"
    COMMAND "${CMAKE_COMMAND}" -D "OUTPUT=${output}" -D "FILES=${ARGN}" -D "FOLDERS=${folders}"
      -D "MACROS=${macros}" -P "${SCANRT_FLATTEN_SCRIPT}"
    DEPENDS ${ARGN} ${SCANRT_KERNEL_FILES} ${SCANRT_DEVICE_HEADERS} "${PROJECT_SOURCE_DIR}/kernels_cl/lib/dialect.h"
      "${PROJECT_SOURCE_DIR}/kernels_cu/lib/dialect.h" "${PROJECT_SOURCE_DIR}/runtime/device/tuning.h" "${SCANRT_FLATTEN_SCRIPT}"
    COMMENT "Flattening ${name}" VERBATIM)
endfunction()

# scanrt_flatten_kernels(opencl variants nvrtc out_texts): flattens each program's text into the build folder's opencl/
# and cuda/ (kernels_cl/sources.cmake).
function(scanrt_flatten_kernels opencl variants nvrtc out_texts)
  set(texts "")
  foreach(file IN LISTS opencl)
    cmake_path(GET file FILENAME name)
    scanrt_flatten("${SCANRT_EMBED_DIR}/opencl/${name}" "kernels_cl;include" "" "${PROJECT_SOURCE_DIR}/kernels_cl/${file}")
    list(APPEND texts "${SCANRT_EMBED_DIR}/opencl/${name}")
  endforeach()
  foreach(row IN LISTS variants)
    if(NOT row MATCHES "^([a-z_]+[.]cl) [|] ([^|]+) [|] ?([^|]*)$")
      message(FATAL_ERROR "'${row}' is not 'name | files | macros'")
    endif()
    set(name "${CMAKE_MATCH_1}")
    string(REPLACE " " ";" files "${CMAKE_MATCH_2}")
    string(REPLACE " " ";" macros "${CMAKE_MATCH_3}")
    list(TRANSFORM files PREPEND "${PROJECT_SOURCE_DIR}/kernels_cl/")
    scanrt_flatten("${SCANRT_EMBED_DIR}/opencl/${name}" "kernels_cl;include" "${macros}" ${files})
    list(APPEND texts "${SCANRT_EMBED_DIR}/opencl/${name}")
  endforeach()
  foreach(file IN LISTS nvrtc)
    cmake_path(GET file FILENAME name)
    set(folder kernels_cl)
    if(name MATCHES "\\.cuh$")
      set(folder kernels_cu)
    endif()
    scanrt_flatten("${SCANRT_EMBED_DIR}/cuda/${name}" "kernels_cu;kernels_cl;include;runtime/device" ""
      "${PROJECT_SOURCE_DIR}/kernels_cu/lib/source_close.h" "${PROJECT_SOURCE_DIR}/${folder}/${file}")
    list(APPEND texts "${SCANRT_EMBED_DIR}/cuda/${name}")
  endforeach()
  set(${out_texts} "${texts}" PARENT_SCOPE)
endfunction()

# scanrt_flatten_device_headers(out_texts): flattens headers of users' kernels into the build folder's device/.
function(scanrt_flatten_device_headers out_texts)
  set(texts "")
  foreach(name IN ITEMS group.h lookback.h)
    scanrt_flatten("${SCANRT_EMBED_DIR}/device/${name}" include "" "${PROJECT_SOURCE_DIR}/include/scanrt/device/${name}")
    list(APPEND texts "${SCANRT_EMBED_DIR}/device/${name}")
  endforeach()
  set(${out_texts} "${texts}" PARENT_SCOPE)
endfunction()

# scanrt_embed_texts(files out_sources): makes one C source with all texts and the table scan_kernel_texts.
function(scanrt_embed_texts files out_sources)
  set(output "${SCANRT_EMBED_DIR}/kernel_texts.c")
  add_custom_command(OUTPUT "${output}"
    COMMAND "${CMAKE_COMMAND}" -D MODE=texts -D "OUTPUT=${output}" -D "FILES=${files}" -P "${SCANRT_EMBED_SCRIPT}"
    DEPENDS ${files} "${SCANRT_EMBED_SCRIPT}"
    COMMENT "Embedding kernel text" VERBATIM)
  set(${out_sources} "${output}" PARENT_SCOPE)
endfunction()

# scanrt_embed_images(files folder out_sources): makes one C source for each image, so that they compile in parallel,
# and one with the table scan_cuda_images, in `folder`. Without images the table is empty.
function(scanrt_embed_images files folder out_sources)
  set(table "${folder}/cuda_images.c")
  set(sources "${table}")
  add_custom_command(OUTPUT "${table}"
    COMMAND "${CMAKE_COMMAND}" -D MODE=image_table -D "OUTPUT=${table}" -D "FILES=${files}"
      -P "${SCANRT_EMBED_SCRIPT}"
    DEPENDS ${files} "${SCANRT_EMBED_SCRIPT}"
    COMMENT "Listing CUDA images" VERBATIM)
  foreach(file IN LISTS files)
    cmake_path(GET file STEM name)
    set(output "${folder}/cuda_image_${name}.c")
    add_custom_command(OUTPUT "${output}"
      COMMAND "${CMAKE_COMMAND}" -D MODE=image -D "OUTPUT=${output}" -D "FILES=${file}" -P "${SCANRT_EMBED_SCRIPT}"
      DEPENDS "${file}" "${SCANRT_EMBED_SCRIPT}"
      COMMENT "Embedding CUDA image ${name}" VERBATIM)
    list(APPEND sources "${output}")
  endforeach()
  set(${out_sources} "${sources}" PARENT_SCOPE)
endfunction()
