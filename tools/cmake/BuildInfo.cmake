# SPDX-License-Identifier: BSD-2-Clause
# The source of scan_build_info: from which commit, with which options and by which compilers the library was built.

# scanrt_git(out arguments...): sets `out` to git's output; empty if it fails.
function(scanrt_git out)
  set(words "")
  if(GIT_FOUND)
    execute_process(COMMAND "${GIT_EXECUTABLE}" -c safe.directory=* ${ARGN} WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}"
      OUTPUT_VARIABLE words OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
    if(failed)
      set(words "")
    endif()
  endif()
  set(${out} "${words}" PARENT_SCOPE)
endfunction()

# scanrt_commit(out): sets `out` to the commit of the sources: of the archive that tools/release.sh made, or of a
# checkout. A repository that merely contains an unpacked archive is ignored.
function(scanrt_commit out)
  set(${out} "unknown" PARENT_SCOPE)
  set(release "${PROJECT_SOURCE_DIR}/RELEASE")
  if(EXISTS "${release}")
    file(STRINGS "${release}" commit REGEX "^commit ")
    string(REPLACE "commit " "" commit "${commit}")
    set(${out} "${commit}" PARENT_SCOPE)
    return()
  endif()
  find_package(Git QUIET)
  scanrt_git(top rev-parse --show-cdup)
  scanrt_git(words describe --always --dirty --abbrev=12 --exclude *)
  if(NOT words OR NOT top STREQUAL "")
    return()
  endif()
  set(${out} "${words}" PARENT_SCOPE)
  scanrt_git(log rev-parse --git-path logs/HEAD)
  cmake_path(ABSOLUTE_PATH log BASE_DIRECTORY "${PROJECT_SOURCE_DIR}")
  if(EXISTS "${log}") # another commit configures again
    set_property(DIRECTORY "${PROJECT_SOURCE_DIR}" APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${log}")
  endif()
endfunction()

# scanrt_build_info(images out): writes the source, for that number of CUDA images, and sets `out` to its path.
function(scanrt_build_info images out)
  scanrt_commit(commit)
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
