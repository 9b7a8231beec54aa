# SPDX-License-Identifier: BSD-2-Clause
# Debian packages by CPack, one for each component of Install.cmake: `cpack -G DEB` in the build folder.
# tools/packaging/README.md states the required configuration, and the script that configures and builds.

if(NOT SCANRT_SHARED) # packages are of the shared library
  return()
endif()

set(SCANRT_PACKAGE_CONTACT "scanrt authors <scanrt@example.org>" CACHE STRING "Maintainer that the packages name")
set(SCANRT_PACKAGE_REVISION 1 CACHE STRING "Revision of the packages, behind the version")

set(packaging "${PROJECT_SOURCE_DIR}/tools/packaging/debian")
set(package_version "${PROJECT_VERSION}-${SCANRT_PACKAGE_REVISION}")
set(CPACK_COMPONENTS_ALL "")

# Targets that the packages contain.
add_custom_target(packaged DEPENDS scanrt scanrt_static)

# scanrt_package(component name section depends summary description): a package of a component. `depends` is added to
# the result of dpkg-shlibdeps. Its targets become dependencies of the target `packaged`.
macro(scanrt_package component name section depends summary description)
  list(APPEND CPACK_COMPONENTS_ALL ${component})
  string(TOUPPER ${component} upper)
  set(CPACK_DEBIAN_${upper}_PACKAGE_NAME ${name})
  set(CPACK_DEBIAN_${upper}_PACKAGE_SECTION ${section})
  set(CPACK_DEBIAN_${upper}_PACKAGE_DEPENDS "${depends}")
  set(CPACK_DEBIAN_${upper}_DESCRIPTION "${summary}\n${description}")
  set(CPACK_SCANRT_MULTI_ARCH_${name} same)
  if("${section}" STREQUAL libs)
    set(CPACK_DEBIAN_${upper}_PACKAGE_CONTROL_EXTRA "${packaging}/triggers")
  elseif("${section}" STREQUAL science)
    set(CPACK_SCANRT_MULTI_ARCH_${name} foreign)
  endif()
endmacro()

set(about "scanrt computes prefix scans (cumulative sums, products, minima, ...) and what
is made of them: stream compaction, run-length encoding, reduction by key,
stable sorts and splits. One C API runs on CUDA and OpenCL devices, whose
drivers are opened where they are there, and on the threads of the host, with
the same bits everywhere.

This package has")

set(runtime_package libscanrt${SCANRT_ABI})
scanrt_package(runtime ${runtime_package} libs ""
  "prefix scans, compaction and sorts for GPUs and hosts" "${about} the shared library.")
set(CPACK_DEBIAN_RUNTIME_PACKAGE_RECOMMENDS "ocl-icd-libopencl1 | libopencl1")
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SUGGESTS libcuda1)
scanrt_package(development libscanrt-dev libdevel "${runtime_package} (= ${package_version})"
  "prefix scans, compaction and sorts for GPUs and hosts - development"
  "${about} the headers, the static library, the CMake package and
the pkg-config file.")
if(TARGET scanrt_man)
  add_dependencies(packaged scanrt_cli scanrt_man scanrt_completion)
  scanrt_package(tools scanrt-tools science "${runtime_package} (= ${package_version})"
    "prefix scans, compaction and sorts of files on GPUs and hosts"
    "${about} the program scanrt: it scans, compacts and sorts files and
pipes, describes devices, compares them bit for bit, and measures them.")
endif()
if(SCANRT_HAVE_MPI)
  add_dependencies(packaged scanrt_mpi)
  if(TARGET scanrt_tool_mpi)
    add_dependencies(packaged scanrt_tool_mpi)
  endif()
  set(mpi_package libscanrt-mpi${SCANRT_ABI})
  scanrt_package(mpi ${mpi_package} libs "${runtime_package} (= ${package_version})"
    "prefix scans over the ranks of MPI"
    "${about} the shared library of scans, compaction and offsets over
the ranks of an MPI communicator.")
  # The header includes <mpi.h>, which must belong to the MPI that the library was built with.
  set(mpi_headers libopenmpi-dev)
  if("${MPI_C_INCLUDE_DIRS};${MPI_C_LIBRARIES}" MATCHES "mpich")
    set(mpi_headers libmpich-dev)
  endif()
  scanrt_package(mpi_development libscanrt-mpi-dev libdevel
    "${mpi_package} (= ${package_version}), libscanrt-dev (= ${package_version}), ${mpi_headers}"
    "prefix scans over the ranks of MPI - development"
    "${about} the header, the CMake component mpi and the pkg-config file
of the library for MPI.")
endif()
if(SCANRT_HAVE_FORTRAN)
  add_dependencies(packaged scanrt_fortran scanrt_fortran_static)
  set(fortran_package libscanrt-fortran${SCANRT_ABI})
  scanrt_package(fortran ${fortran_package} libs "${runtime_package} (= ${package_version})"
    "prefix scans, compaction and sorts for GPUs and hosts - Fortran"
    "${about} the shared library of the Fortran module.")
  scanrt_package(fortran_development libscanrt-fortran-dev libdevel
    "${fortran_package} (= ${package_version}), libscanrt-dev (= ${package_version}), gfortran"
    "prefix scans, compaction and sorts for GPUs and hosts - Fortran development"
    "${about} the Fortran modules of gfortran, the static library, the
CMake component fortran and the pkg-config file.")
  if(SCANRT_HAVE_MPI)
    add_dependencies(packaged scanrt_fortran_mpi)
    scanrt_package(fortran_mpi libscanrt-fortran-mpi${SCANRT_ABI} libs "${fortran_package} (= ${package_version})"
      "prefix scans over the ranks of MPI - Fortran"
      "${about} the shared library of the Fortran module for MPI.")
    scanrt_package(fortran_mpi_development libscanrt-fortran-mpi-dev libdevel
      "libscanrt-fortran-mpi${SCANRT_ABI} (= ${package_version}), libscanrt-fortran-dev (= ${package_version}), libscanrt-mpi-dev (= ${package_version})"
      "prefix scans over the ranks of MPI - Fortran development"
      "${about} the CMake component fortran_mpi and the pkg-config file of
the Fortran module for MPI.")
  endif()
endif()

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME scanrt)
set(CPACK_PACKAGE_VENDOR "the scanrt authors")
set(CPACK_PACKAGE_CONTACT "${SCANRT_PACKAGE_CONTACT}")
set(CPACK_PACKAGE_VERSION "${PROJECT_VERSION}")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "") # each package has its own
set(CPACK_PACKAGE_DIRECTORY "${PROJECT_BINARY_DIR}/packages")
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
  OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SOURCE scanrt)
set(CPACK_DEBIAN_PACKAGE_RELEASE ${SCANRT_PACKAGE_REVISION})
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_COMPRESSION_TYPE none) # control.cmake compresses them
# Dependencies of the libraries, and shlibs for their users; triggers for ldconfig are separate files.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS "${PROJECT_BINARY_DIR}/lib")
if(CMAKE_CROSSCOMPILING)
  foreach(root IN LISTS CMAKE_FIND_ROOT_PATH)
    list(APPEND CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS "${root}/lib")
  endforeach()
endif()
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS_POLICY >=)

# Scripts that add files required by Debian and remove machine-dependent content. Their files are in
# tools/packaging/debian/.
set(CPACK_PRE_BUILD_SCRIPTS "${packaging}/finish.cmake")
set(CPACK_POST_BUILD_SCRIPTS "${packaging}/control.cmake")
set(CPACK_SCANRT_SOURCE "${PROJECT_SOURCE_DIR}")
set(CPACK_SCANRT_BUILD "${PROJECT_BINARY_DIR}")
set(CPACK_SCANRT_LIBDIR "${CMAKE_INSTALL_LIBDIR}")
set(CPACK_SCANRT_STRIP "${CMAKE_STRIP}")
set(CPACK_SCANRT_NATIVE OFF)
if(SCANRT_BENCH_NATIVE OR SCANRT_HOST_NATIVE)
  set(CPACK_SCANRT_NATIVE ON)
endif()
include(CPack)
