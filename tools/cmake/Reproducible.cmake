# SPDX-License-Identifier: BSD-2-Clause
# Release builds do not depend on the source and build folders: tools/packaging/check_reproducible.sh. Builds for
# debuggers and gcov keep the folders' names, by which these find sources.

# scanrt_reproducible(flags): adds options that omit folders' names from objects (__FILE__, debugging information).
function(scanrt_reproducible flags)
  if(CMAKE_C_COMPILER_ID MATCHES "GNU|Clang")
    set(release "$<CONFIG:Release,MinSizeRel>")
    target_compile_options(${flags} INTERFACE
      "$<${release}:-ffile-prefix-map=${PROJECT_BINARY_DIR}=build>" "$<${release}:-ffile-prefix-map=${PROJECT_SOURCE_DIR}=.>")
  endif()
endfunction()
