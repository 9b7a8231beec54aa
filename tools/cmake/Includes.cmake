# SPDX-License-Identifier: BSD-2-Clause
# Include folders of other libraries. `-isystem /usr/include` puts that folder before the C++ library's, whose cmath
# then does not find its math.h. CMake omits such folders from its targets; this project's commands must do so
# themselves.

# scanrt_default_includes(out): sets `out` to the folders that compilers search by default, with links resolved.
function(scanrt_default_includes out)
  set(folders "")
  foreach(folder IN LISTS CMAKE_C_IMPLICIT_INCLUDE_DIRECTORIES
      CMAKE_CXX_IMPLICIT_INCLUDE_DIRECTORIES ITEMS /usr/include /usr/local/include)
    file(REAL_PATH "${folder}" folder)
    list(APPEND folders "${folder}")
  endforeach()
  set(${out} "${folders}" PARENT_SCOPE)
endfunction()

# scanrt_include_option(out folder): sets `out` to the compiler option for a folder; empty if the compiler searches it
# by default.
function(scanrt_include_option out folder)
  scanrt_default_includes(defaults)
  file(REAL_PATH "${folder}" found)
  if(found IN_LIST defaults)
    set(${out} "" PARENT_SCOPE)
  else()
    set(${out} -isystem "${folder}" PARENT_SCOPE)
  endif()
endfunction()

# scanrt_find_cl_headers(out): sets `out` to the folder that contains CL/cl.h: SCANRT_CL_INCLUDE, which a toolchain file
# does not move below its root, or a usual place; empty if there is none. The headers suit every processor, but a cross
# compiler must not see the build machine's other headers: it gets a folder that contains only CL.
function(scanrt_find_cl_headers out)
  set(folder "${SCANRT_CL_INCLUDE}")
  if(NOT folder)
    find_path(SCANRT_CL_FOUND CL/cl.h DOC "Folder that holds CL/cl.h, of the usual places")
    mark_as_advanced(SCANRT_CL_FOUND)
    set(folder "${SCANRT_CL_FOUND}")
  elseif(NOT EXISTS "${folder}/CL/cl.h")
    message(FATAL_ERROR "SCANRT_CL_INCLUDE is '${folder}', which holds no CL/cl.h")
  endif()
  if(folder AND CMAKE_CROSSCOMPILING)
    file(MAKE_DIRECTORY "${PROJECT_BINARY_DIR}/cl_headers")
    file(CREATE_LINK "${folder}/CL" "${PROJECT_BINARY_DIR}/cl_headers/CL" SYMBOLIC)
    set(folder "${PROJECT_BINARY_DIR}/cl_headers")
  endif()
  set(${out} "${folder}" PARENT_SCOPE)
endfunction()
