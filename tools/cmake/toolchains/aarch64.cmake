# SPDX-License-Identifier: BSD-2-Clause
# cmake -DCMAKE_TOOLCHAIN_FILE=tools/cmake/toolchains/aarch64.cmake: a cross build for aarch64 by Debian's compiler.
set(CMAKE_SYSTEM_PROCESSOR aarch64)
include("${CMAKE_CURRENT_LIST_DIR}/linux.cmake")
