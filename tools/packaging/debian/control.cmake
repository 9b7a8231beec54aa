# SPDX-License-Identifier: BSD-2-Clause
# CPack runs this over the finished packages (CPACK_POST_BUILD_SCRIPTS). Adds the field Multi-Arch, which this CPack
# lacks, removes scripts that call ldconfig, which triggers replace, and sorts content that is in the order of a
# folder's entries. Removes the architecture from dependencies: those on Debian's libraries for cross builds have it.

foreach(file IN LISTS CPACK_PACKAGE_FILES)
  cmake_path(GET file FILENAME name)
  string(REGEX REPLACE "_.*" "" name "${name}")
  set(tree "${file}.tree")
  file(REMOVE_RECURSE "${tree}")
  execute_process(COMMAND dpkg-deb --raw-extract "${file}" "${tree}" COMMAND_ERROR_IS_FATAL ANY)
  file(REMOVE "${tree}/DEBIAN/postinst" "${tree}/DEBIAN/postrm")
  file(READ "${tree}/DEBIAN/control" control)
  string(REPLACE "\nPackage:" "\nMulti-Arch: ${CPACK_SCANRT_MULTI_ARCH_${name}}\nPackage:" control "${control}")
  string(REPLACE ":${CPACK_DEBIAN_PACKAGE_ARCHITECTURE} (" " (" control "${control}")
  file(WRITE "${tree}/DEBIAN/control" "${control}")
  execute_process(COMMAND "${CMAKE_COMMAND}" -E env LC_ALL=C sort -k 2 -o "${tree}/DEBIAN/md5sums" "${tree}/DEBIAN/md5sums"
    COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND dpkg-deb --root-owner-group -Zxz --build "${tree}" "${file}" OUTPUT_QUIET
    COMMAND_ERROR_IS_FATAL ANY)
  file(REMOVE_RECURSE "${tree}")
endforeach()
