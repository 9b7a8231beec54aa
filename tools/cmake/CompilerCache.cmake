# SPDX-License-Identifier: BSD-2-Clause
# ccache compiles equal C or C++ with equal flags once. To find objects compiled in another folder, it needs file names
# relative to the build folder. It makes them for all files below CCACHE_BASEDIR.

option(SCANRT_CCACHE "Compile C and C++ by ccache, where there is one and no CMAKE_C_COMPILER_LAUNCHER is set"
  ${PROJECT_IS_TOP_LEVEL})

# scanrt_common_folder(out): sets `out` to the innermost folder of both sources and build; if that is the root, to the
# sources'.
function(scanrt_common_folder out)
  set(folder "${PROJECT_SOURCE_DIR}")
  cmake_path(IS_PREFIX folder "${PROJECT_BINARY_DIR}" NORMALIZE has_both)
  while(NOT has_both)
    cmake_path(GET folder PARENT_PATH folder)
    cmake_path(IS_PREFIX folder "${PROJECT_BINARY_DIR}" NORMALIZE has_both)
  endwhile()
  cmake_path(GET folder RELATIVE_PART below_root)
  if(below_root STREQUAL "")
    set(folder "${PROJECT_SOURCE_DIR}")
  endif()
  set(${out} "${folder}" PARENT_SCOPE)
endfunction()

# scanrt_find_ccache(out): sets `out` to the launcher, a script that sets CCACHE_BASEDIR for ccache. Leaves it empty,
# with a notice, if ccache cannot compile, as without a writable folder.
function(scanrt_find_ccache out)
  set(${out} "" PARENT_SCOPE)
  find_program(SCANRT_CCACHE_PROGRAM ccache DOC "Keeps objects, for SCANRT_CCACHE")
  mark_as_advanced(SCANRT_CCACHE_PROGRAM)
  if(NOT SCANRT_CCACHE_PROGRAM)
    return()
  endif()
  scanrt_common_folder(folder)
  set(launcher "${PROJECT_BINARY_DIR}/launcher/ccache")
  file(CONFIGURE OUTPUT "${launcher}" @ONLY CONTENT [[#!/bin/sh
CCACHE_BASEDIR="${CCACHE_BASEDIR-@folder@}" exec "@SCANRT_CCACHE_PROGRAM@" "$@"
]])
  file(CHMOD "${launcher}" PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
  file(WRITE "${PROJECT_BINARY_DIR}/launcher/empty.c" "")
  execute_process(COMMAND "${launcher}" "${CMAKE_C_COMPILER}" -c empty.c -o empty.o
    WORKING_DIRECTORY "${PROJECT_BINARY_DIR}/launcher" RESULT_VARIABLE failed OUTPUT_VARIABLE words ERROR_VARIABLE words)
  if(failed)
    string(STRIP "${words}" words)
    message(STATUS "ccache is not used: ${words}")
  else()
    set(${out} "${launcher}" PARENT_SCOPE)
  endif()
endfunction()

if(SCANRT_CCACHE AND NOT DEFINED CMAKE_C_COMPILER_LAUNCHER)
  scanrt_find_ccache(launcher)
  if(launcher)
    set(CMAKE_C_COMPILER_LAUNCHER "${launcher}")
    if(NOT DEFINED CMAKE_CXX_COMPILER_LAUNCHER)
      set(CMAKE_CXX_COMPILER_LAUNCHER "${launcher}")
    endif()
  endif()
endif()
