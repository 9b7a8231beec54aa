# SPDX-License-Identifier: BSD-2-Clause
# usage: cmake -D SOURCES=... -D FOLDER=... -P test_includes.cmake
# Tests scanrt_include_option: it gives nothing for a compiler's default folder, which -isystem would put before the C++
# library's; it passes another folder.
cmake_minimum_required(VERSION 3.25)
include("${SOURCES}/tools/cmake/Includes.cmake")
file(REMOVE_RECURSE "${FOLDER}")
file(MAKE_DIRECTORY "${FOLDER}/prefix/include" "${FOLDER}/implicit")
file(CREATE_LINK /usr/include "${FOLDER}/link" SYMBOLIC)
set(CMAKE_C_IMPLICIT_INCLUDE_DIRECTORIES "${FOLDER}/implicit")

function(expect folder option)
  scanrt_include_option(found "${folder}")
  if(NOT "${found}" STREQUAL "${option}")
    message(FATAL_ERROR "${folder} becomes '${found}', expected '${option}'")
  endif()
endfunction()

foreach(folder IN ITEMS /usr/include /usr/include/ /usr/lib/../include /usr/local/include "${FOLDER}/link" "${FOLDER}/implicit")
  expect("${folder}" "")
endforeach()
expect("${FOLDER}/prefix/include" "-isystem;${FOLDER}/prefix/include")
