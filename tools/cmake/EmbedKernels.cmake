# SPDX-License-Identifier: BSD-2-Clause
# Turns kernel text and CUDA images into C sources of the build folder (cmake/Embed.cmake does the work at build time).

set(SCANRT_EMBED_SCRIPT "${CMAKE_CURRENT_LIST_DIR}/Embed.cmake")
set(SCANRT_EMBED_DIR "${PROJECT_BINARY_DIR}/embedded")

# scanrt_embed_texts(files out_sources): one C source with all texts and the table scan_kernel_texts.
function(scanrt_embed_texts files out_sources)
  set(output "${SCANRT_EMBED_DIR}/kernel_texts.c")
  add_custom_command(OUTPUT "${output}"
    COMMAND "${CMAKE_COMMAND}" -D MODE=texts -D "OUTPUT=${output}" -D "FILES=${files}" -P "${SCANRT_EMBED_SCRIPT}"
    DEPENDS ${files} "${SCANRT_EMBED_SCRIPT}"
    COMMENT "Embedding kernel text" VERBATIM)
  set(${out_sources} "${output}" PARENT_SCOPE)
endfunction()

# scanrt_embed_images(files folder out_sources): one C source an image, so that they are made side by side, and one with
# the table scan_cuda_images, in the folder. Without images the table is empty.
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
