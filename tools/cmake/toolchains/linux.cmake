# SPDX-License-Identifier: BSD-2-Clause
# Shared by this folder's toolchain files, which set CMAKE_SYSTEM_PROCESSOR:
# Debian's cross compiler, libraries of that processor alone, and qemu for programs that the build runs.
set(CMAKE_SYSTEM_NAME Linux)
set(triplet ${CMAKE_SYSTEM_PROCESSOR}-linux-gnu)
if(CMAKE_SYSTEM_PROCESSOR STREQUAL "ppc64le")
  set(triplet powerpc64le-linux-gnu)
endif()
set(CMAKE_C_COMPILER ${triplet}-gcc)
if(NOT CMAKE_FIND_ROOT_PATH)
  set(CMAKE_FIND_ROOT_PATH /usr/${triplet})
endif()
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
find_program(SCANRT_QEMU qemu-${CMAKE_SYSTEM_PROCESSOR})
if(SCANRT_QEMU)
  set(CMAKE_CROSSCOMPILING_EMULATOR "${SCANRT_QEMU};-L;/usr/${triplet}")
endif()
