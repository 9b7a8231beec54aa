# SPDX-License-Identifier: BSD-2-Clause
# Installs headers, the libraries, the CMake package and the .pc files. The tool installs itself.
# Components: runtime, tools, peers (of `scanrt bench`), mpi, fortran, fortran_mpi, and NAME_development of each library. Package.cmake makes packages of them.

set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/scanrt")

set(libraries scanrt_static)
if(SCANRT_SHARED)
  list(PREPEND libraries scanrt)
endif()
install(TARGETS ${libraries} EXPORT scanrt_targets
  LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT runtime NAMELINK_COMPONENT development
  ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT development
  FILE_SET HEADERS DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" COMPONENT development)
install(EXPORT scanrt_targets NAMESPACE scanrt:: FILE scanrt-targets.cmake DESTINATION "${package_dir}"
  COMPONENT development)

configure_package_config_file(tools/cmake/scanrt-config.cmake.in "${PROJECT_BINARY_DIR}/scanrt-config.cmake"
  INSTALL_DESTINATION "${package_dir}" NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file("${PROJECT_BINARY_DIR}/scanrt-config-version.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/scanrt-config.cmake" "${PROJECT_BINARY_DIR}/scanrt-config-version.cmake"
  DESTINATION "${package_dir}" COMPONENT development)

# The .pc file finds its prefix from its own location, so that an installed tree can be moved. If only the static
# library is built, its dependencies are listed there.
set(pc_needed "-pthread -ldl -lm")
set(pc_beside "")
if(NOT SCANRT_SHARED)
  set(pc_beside " ${pc_needed}")
endif()
file(RELATIVE_PATH prefix_from_pc "${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig" "${CMAKE_INSTALL_PREFIX}")
configure_file(tools/cmake/scanrt.pc.in "${PROJECT_BINARY_DIR}/scanrt.pc" @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/scanrt.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig" COMPONENT development)

# The MPI targets are exported separately, so that find_package(scanrt) looks for MPI only if its component is
# requested.
if(SCANRT_HAVE_MPI)
  install(TARGETS scanrt_mpi EXPORT scanrt_mpi_targets
    LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT mpi NAMELINK_COMPONENT mpi_development
    ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT mpi_development
    FILE_SET HEADERS DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" COMPONENT mpi_development)
  install(EXPORT scanrt_mpi_targets NAMESPACE scanrt:: FILE scanrt-mpi-targets.cmake DESTINATION "${package_dir}"
    COMPONENT mpi_development)
  configure_file(tools/cmake/scanrt_mpi.pc.in "${PROJECT_BINARY_DIR}/scanrt_mpi.pc" @ONLY)
  install(FILES "${PROJECT_BINARY_DIR}/scanrt_mpi.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig"
    COMPONENT mpi_development)
endif()

if(SCANRT_HAVE_FORTRAN)
  scanrt_install_fortran("${package_dir}")
endif()

# Tests the installation: installs the build into a temporary folder, and builds and runs programs with it.
add_custom_target(test_install COMMAND "${PROJECT_SOURCE_DIR}/tests/consumer/run.sh" "${PROJECT_BINARY_DIR}" VERBATIM)
