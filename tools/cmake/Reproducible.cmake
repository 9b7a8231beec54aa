# SPDX-License-Identifier: BSD-2-Clause
# What is built for use is the same, whatever the folders are that it is built from and in:
# tools/packaging/check_reproducible.sh. Builds for debuggers and gcov keep the names of folders, by which these find sources.

# scanrt_reproducible(flags): names of folders are left out of objects (__FILE__, debugging information).
function(scanrt_reproducible flags)
  if(CMAKE_C_COMPILER_ID MATCHES "GNU|Clang")
    set(release "$<CONFIG:Release,MinSizeRel>")
    target_compile_options(${flags} INTERFACE
      "$<${release}:-ffile-prefix-map=${PROJECT_BINARY_DIR}=build>" "$<${release}:-ffile-prefix-map=${PROJECT_SOURCE_DIR}=.>")
  endif()
endfunction()
