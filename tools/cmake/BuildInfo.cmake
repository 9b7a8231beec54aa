# SPDX-License-Identifier: BSD-2-Clause
# The source of scan_build_info: from what, by what and with what the library was built.

# scanrt_build_info(images out): writes it, of so many CUDA images, and says where.
function(scanrt_build_info images out)
  set(commit "unknown")
  find_package(Git QUIET)
  if(GIT_FOUND)
    execute_process(COMMAND "${GIT_EXECUTABLE}" -c safe.directory=* describe --always --dirty --abbrev=12 --exclude *
      WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}" OUTPUT_VARIABLE words OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET
      RESULT_VARIABLE failed)
    execute_process(COMMAND "${GIT_EXECUTABLE}" -c safe.directory=* rev-parse --git-path logs/HEAD
      WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}" OUTPUT_VARIABLE log OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    if(NOT failed)
      set(commit "${words}")
      cmake_path(ABSOLUTE_PATH log BASE_DIRECTORY "${PROJECT_SOURCE_DIR}")
      if(EXISTS "${log}") # another commit configures again
        set_property(DIRECTORY "${PROJECT_SOURCE_DIR}" APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${log}")
      endif()
    endif()
  endif()
  string(TOUPPER "${CMAKE_BUILD_TYPE}" type)
  string(STRIP "${CMAKE_C_FLAGS} ${CMAKE_C_FLAGS_${type}}" flags)
  string(CONCAT words "scanrt ${PROJECT_VERSION}, commit ${commit}; ${CMAKE_C_COMPILER_ID} ${CMAKE_C_COMPILER_VERSION}, "
    "${CMAKE_BUILD_TYPE} (${flags}); CUDA images ${images} (${SCANRT_CUDA_ARCHS}), OpenCL ${SCANRT_HAVE_OPENCL}, "
    "host native ${SCANRT_HOST_NATIVE}, sanitizers '${SCANRT_SANITIZE}'")
  string(REGEX REPLACE "([\"\\\\])" "\\\\\\1" words "${words}")
  set(source "${SCANRT_EMBED_DIR}/build_info.c")
  file(CONFIGURE OUTPUT "${source}" @ONLY CONTENT
    "#include <scanrt/scan.h>\n\nconst char *scan_build_info(void) {\n  return \"@words@\";\n}\n")
  set(${out} "${source}" PARENT_SCOPE)
endfunction()
