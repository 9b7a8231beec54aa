# SPDX-License-Identifier: BSD-2-Clause
# cmake -DCMAKE_TOOLCHAIN_FILE=tools/cmake/toolchains/ppc64le.cmake: a cross build for ppc64le by Debian's compiler.
set(CMAKE_SYSTEM_PROCESSOR ppc64le)
include("${CMAKE_CURRENT_LIST_DIR}/linux.cmake")
