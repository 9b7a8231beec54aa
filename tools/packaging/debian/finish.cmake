# SPDX-License-Identifier: BSD-2-Clause
# CPack runs this over the installed components before it packages them (CPACK_PRE_BUILD_SCRIPTS). Adds the documents
# that Debian requires in each package and a bill of materials, compresses pages, and removes search paths from
# programs. Refuses code that only the build machine can run.

include("${CPACK_SCANRT_SOURCE}/tools/packaging/spdx.cmake")

if(CPACK_SCANRT_NATIVE)
  message(FATAL_ERROR "the programs were compiled for this machine alone: configure with -DSCANRT_BENCH_NATIVE=OFF "
    "-DSCANRT_HOST_NATIVE=OFF")
endif()
execute_process(COMMAND dpkg-architecture -q DEB_HOST_MULTIARCH OUTPUT_VARIABLE multiarch
  OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
if(NOT CPACK_SCANRT_LIBDIR STREQUAL "lib/${multiarch}")
  message(FATAL_ERROR "libraries of Debian are in lib/${multiarch}: configure with -DCMAKE_INSTALL_LIBDIR=lib/${multiarch}")
endif()

# The date of changelog and archives.
set(date "$ENV{SOURCE_DATE_EPOCH}")
if(NOT date)
  string(TIMESTAMP date "%s")
endif()
execute_process(COMMAND date -u -R -d "@${date}" OUTPUT_VARIABLE date OUTPUT_STRIP_TRAILING_WHITESPACE
  COMMAND_ERROR_IS_FATAL ANY)

# compress(files...)
function(compress)
  execute_process(COMMAND gzip -9nf ${ARGN} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

# strip(file): strips a program or a shared library, as dh_strip does.
function(strip file)
  execute_process(COMMAND "${CPACK_SCANRT_STRIP}" --strip-unneeded --remove-section=.comment --remove-section=.note "${file}"
    COMMAND_ERROR_IS_FATAL ANY)
endfunction()

# bill(component name root): writes NAME.spdx.json to the package's documents.
function(bill component name root)
  file(GLOB_RECURSE found RELATIVE "${root}" "${root}/*")
  set(files "")
  foreach(file IN LISTS found)
    if(NOT IS_SYMLINK "${root}/${file}")
      list(APPEND files "${file}")
    endif()
  endforeach()
  string(TOUPPER "${component}" upper)
  string(REGEX REPLACE "\n.*" "" about "${CPACK_DEBIAN_${upper}_DESCRIPTION}")
  scanrt_spdx("${root}/usr/share/doc/${name}/${name}.spdx.json" ${name} ${CPACK_PACKAGE_VERSION} "${about}" "${root}"
    "${files}" "${needs_${component}}")
endfunction()

# package(component name root): finishes the tree of one package.
function(package component name root)
  set(documents "${root}/usr/share/doc/${name}")
  file(MAKE_DIRECTORY "${documents}")
  configure_file("${CPACK_SCANRT_SOURCE}/tools/packaging/debian/copyright" "${documents}/copyright" COPYONLY)
  set(version "${CPACK_PACKAGE_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE}")
  file(WRITE "${documents}/changelog.Debian"
    "scanrt (${version}) unstable; urgency=medium\n\n  * Packages of scanrt ${CPACK_PACKAGE_VERSION}.\n\n"
    " -- ${CPACK_PACKAGE_CONTACT}  ${date}\n")
  configure_file("${CPACK_SCANRT_SOURCE}/CHANGELOG.md" "${documents}/changelog" COPYONLY)
  compress("${documents}/changelog.Debian" "${documents}/changelog")
  file(MAKE_DIRECTORY "${root}/usr/share/lintian/overrides")
  configure_file("${CPACK_SCANRT_SOURCE}/tools/packaging/debian/lintian-overrides"
    "${root}/usr/share/lintian/overrides/${name}" COPYONLY)
  foreach(example IN LISTS examples_${component})
    file(COPY "${CPACK_SCANRT_SOURCE}/tools/examples/${example}" DESTINATION "${documents}/examples")
  endforeach()

  file(GLOB pages "${root}/usr/share/man/man[0-9]/*.[0-9]")
  foreach(page IN LISTS pages)
    if(IS_SYMLINK "${page}")
      file(READ_SYMLINK "${page}" target)
      file(CREATE_LINK "${target}.gz" "${page}.gz" SYMBOLIC)
      file(REMOVE "${page}")
    else()
      compress("${page}")
    endif()
  endforeach()
  # The loader finds the libraries without a search path in the programs.
  file(GLOB programs "${root}/usr/bin/*")
  foreach(program IN LISTS programs)
    file(RPATH_REMOVE FILE "${program}")
    strip("${program}")
  endforeach()
  # Uses system paths, which pkg-config omits from flags and prefixes with a sysroot.
  file(GLOB pc_files "${root}/usr/lib/*/pkgconfig/*.pc")
  foreach(pc_file IN LISTS pc_files)
    file(READ "${pc_file}" text)
    string(REGEX REPLACE "prefix=[^\n]*" "prefix=/usr" text "${text}")
    file(WRITE "${pc_file}" "${text}")
  endforeach()
  file(GLOB archives "${root}/usr/lib/*/*.a")
  foreach(archive IN LISTS archives)
    execute_process(COMMAND "${CPACK_SCANRT_STRIP}" --strip-debug --remove-section=.comment --remove-section=.note
      --enable-deterministic-archives "${archive}" COMMAND_ERROR_IS_FATAL ANY)
  endforeach()
  file(GLOB libraries "${root}/usr/lib/*/*.so.*" "${root}/usr/lib/*/scanrt/*.so")
  foreach(library IN LISTS libraries)
    if(NOT IS_SYMLINK "${library}")
      file(RPATH_REMOVE FILE "${library}")
      strip("${library}")
      file(CHMOD "${library}" PERMISSIONS OWNER_READ OWNER_WRITE GROUP_READ WORLD_READ)
    endif()
  endforeach()
  execute_process(COMMAND grep -rlF -e "${CPACK_SCANRT_SOURCE}" -e "${CPACK_SCANRT_BUILD}" "${root}"
    OUTPUT_VARIABLE found RESULT_VARIABLE result)
  if(NOT result EQUAL 1) # 1: nothing was found
    message(FATAL_ERROR "files of ${name} name a folder of this machine: ${found}")
  endif()
  bill(${component} ${name} "${root}")
endfunction()

set(examples_development minimal.c csr_offsets.c compaction.c sort.c)
set(examples_mpi_development mpi_scan.c)
set(examples_fortran_development csr.f90)
# Names of dependencies in bills of materials: spdx.cmake.
set(needs_runtime libc opencl-icd-loader? cuda-driver? nvrtc?)
set(needs_development ${CPACK_DEBIAN_RUNTIME_PACKAGE_NAME})
set(needs_tools libc ${CPACK_DEBIAN_RUNTIME_PACKAGE_NAME})
set(needs_mpi libc mpi ${CPACK_DEBIAN_RUNTIME_PACKAGE_NAME})
set(needs_mpi_development mpi ${CPACK_DEBIAN_MPI_PACKAGE_NAME} ${CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME})
set(needs_fortran libc libgfortran ${CPACK_DEBIAN_RUNTIME_PACKAGE_NAME})
set(needs_fortran_development ${CPACK_DEBIAN_FORTRAN_PACKAGE_NAME} ${CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME})
set(needs_fortran_mpi libc libgfortran mpi ${CPACK_DEBIAN_FORTRAN_PACKAGE_NAME} ${CPACK_DEBIAN_MPI_PACKAGE_NAME})
set(needs_fortran_mpi_development ${CPACK_DEBIAN_FORTRAN_MPI_PACKAGE_NAME}
  ${CPACK_DEBIAN_FORTRAN_DEVELOPMENT_PACKAGE_NAME} ${CPACK_DEBIAN_MPI_DEVELOPMENT_PACKAGE_NAME})
foreach(component IN LISTS CPACK_COMPONENTS_ALL)
  string(TOUPPER "${component}" upper)
  package(${component} "${CPACK_DEBIAN_${upper}_PACKAGE_NAME}" "${CPACK_TEMPORARY_INSTALL_DIRECTORY}/${component}")
endforeach()
