# SPDX-License-Identifier: BSD-2-Clause
# Script: writes a header that ends an instance if several are compiled in one unit: it undefines every macro of the
# files that the instance includes, their guards as well, so that the next instance includes them anew. NAMES is a
# header for C, which has no namespaces: it gives every function and type of an instance the suffix HOST_SUFFIX.
#   cmake -D OUTPUT=x.h -D NAMES=y.h -D FILES=a;b -P InstanceEnd.cmake
cmake_minimum_required(VERSION 3.25)

set(text "/* Made by tools/cmake/InstanceEnd.cmake. */\n")
set(names "")
foreach(file IN LISTS FILES)
  file(READ "${file}" source)
  string(REGEX MATCHALL "scanrt_[a-z0-9_]+" found "${source}")
  list(APPEND names ${found})
  string(REGEX MATCHALL "\n#define [A-Za-z0-9_]+" defines "${source}") # the names alone: no line's end can join two of them
  list(TRANSFORM defines REPLACE "\n#define " "#undef ")
  list(REMOVE_DUPLICATES defines)
  list(JOIN defines "\n" undefs)
  if(defines AND source MATCHES "\n#ifndef (SCANRT_[A-Z0-9_]+_C?U?H)\n")
    string(APPEND text "#ifdef ${CMAKE_MATCH_1}\n${undefs}\n#endif\n")
  elseif(defines)
    string(APPEND text "${undefs}\n")
  endif()
endforeach()
# Images depend on both headers: a header with equal names is not rewritten, and keeps its time.
file(CONFIGURE OUTPUT "${OUTPUT}" CONTENT "${text}" @ONLY)

list(REMOVE_DUPLICATES names)
list(FILTER names EXCLUDE REGEX "^scanrt_[iuf][0-9]+$") # types of the dialect's
list(SORT names)
list(TRANSFORM names REPLACE "(.+)" "#define \\1 HOST_NAME(\\1, HOST_SUFFIX)")
list(JOIN names "\n" names)
file(CONFIGURE OUTPUT "${NAMES}" CONTENT "/* Made by tools/cmake/InstanceEnd.cmake. */\n${names}\n" @ONLY)
