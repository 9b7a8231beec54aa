# SPDX-License-Identifier: BSD-2-Clause
# Script: writes a header that ends an instance, where several are compiled in one unit: it takes back every macro of the
# files that the instance includes, their guards among them, so that the next includes them anew.
#   cmake -D OUTPUT=x.h -D FILES=a;b -P InstanceEnd.cmake
cmake_minimum_required(VERSION 3.25)

set(text "/* Made by tools/cmake/InstanceEnd.cmake. */\n")
foreach(file IN LISTS FILES)
  file(STRINGS "${file}" defines REGEX "^#define ")
  list(TRANSFORM defines REPLACE "^#define ([A-Za-z0-9_]+).*" "\\1")
  list(REMOVE_DUPLICATES defines)
  list(FILTER defines EXCLUDE REGEX "[^A-Za-z0-9_]") # what follows a bracket that file(STRINGS) took for a list's
  list(TRANSFORM defines PREPEND "#undef ")
  list(JOIN defines "\n" undefs)
  file(STRINGS "${file}" guard REGEX "^#ifndef SCANRT_[A-Z0-9_]+_C?U?H$" LIMIT_COUNT 1)
  if(guard AND defines)
    string(REPLACE "#ifndef" "#ifdef" guard "${guard}")
    string(APPEND text "${guard}\n${undefs}\n#endif\n")
  elseif(defines)
    string(APPEND text "${undefs}\n")
  endif()
endforeach()
file(WRITE "${OUTPUT}" "${text}")
