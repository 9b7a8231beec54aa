# SPDX-License-Identifier: BSD-2-Clause
# The oldest glibc that can load the shared library: 2.28 (manylinux_2_28), even if it is linked with a newer one.

# scanrt_glibc_floor(library): adds runtime/base/glibc_floor.c, and links libpthread and libdl, which are part of libc
# only since 2.34. A glibc before 2.33 has no newer versions of these functions.
function(scanrt_glibc_floor library)
  if(NOT CMAKE_SYSTEM_NAME STREQUAL "Linux" OR NOT CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|aarch64)$")
    return()
  endif()
  include(CheckCSourceCompiles)
  check_c_source_compiles("
    #include <features.h>
    #if !defined(__GLIBC__) || !__GLIBC_PREREQ(2, 33)
    #error
    #endif
    int main(void) { return 0; }" SCANRT_HAVE_NEWER_GLIBC)
  if(NOT SCANRT_HAVE_NEWER_GLIBC)
    return()
  endif()
  target_sources(${library} PRIVATE runtime/base/glibc_floor.c)
  set_target_properties(${library} PROPERTIES C_VISIBILITY_PRESET hidden)
  target_link_libraries(${library} PRIVATE
    "-Wl,--push-state,--no-as-needed,-l:libpthread.so.0,-l:libdl.so.2,--pop-state")
endfunction()
