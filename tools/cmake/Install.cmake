# SPDX-License-Identifier: BSD-2-Clause
# Headers, the libraries, the CMake package and the .pc files. The tool installs itself.

set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/scanrt")

install(TARGETS scanrt scanrt_static EXPORT scanrt_targets
  LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}"
  ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}"
  FILE_SET HEADERS DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
install(EXPORT scanrt_targets NAMESPACE scanrt:: FILE scanrt-targets.cmake DESTINATION "${package_dir}")

configure_package_config_file(tools/cmake/scanrt-config.cmake.in "${PROJECT_BINARY_DIR}/scanrt-config.cmake"
  INSTALL_DESTINATION "${package_dir}" NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file("${PROJECT_BINARY_DIR}/scanrt-config-version.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/scanrt-config.cmake" "${PROJECT_BINARY_DIR}/scanrt-config-version.cmake"
  DESTINATION "${package_dir}")

# The .pc file finds its prefix from its own place, so that an installed tree may be moved.
file(RELATIVE_PATH prefix_from_pc "${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig" "${CMAKE_INSTALL_PREFIX}")
configure_file(tools/cmake/scanrt.pc.in "${PROJECT_BINARY_DIR}/scanrt.pc" @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/scanrt.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")

# Targets of their own, so that find_package(scanrt) looks for no MPI unless it is asked for the component.
if(SCANRT_HAVE_MPI)
  install(TARGETS scanrt_mpi EXPORT scanrt_mpi_targets
    LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}"
    FILE_SET HEADERS DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
  install(EXPORT scanrt_mpi_targets NAMESPACE scanrt:: FILE scanrt-mpi-targets.cmake DESTINATION "${package_dir}")
  configure_file(tools/cmake/scanrt_mpi.pc.in "${PROJECT_BINARY_DIR}/scanrt_mpi.pc" @ONLY)
  install(FILES "${PROJECT_BINARY_DIR}/scanrt_mpi.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
endif()

if(SCANRT_HAVE_FORTRAN)
  scanrt_install_fortran("${package_dir}")
endif()
