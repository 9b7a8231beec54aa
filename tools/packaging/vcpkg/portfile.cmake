# SPDX-License-Identifier: BSD-2-Clause
vcpkg_download_distfile(archive
  URLS "https://scanrt.example.org/releases/scanrt-${VERSION}.tar.xz"
  FILENAME "scanrt-${VERSION}.tar.xz"
  SHA512 0)
vcpkg_extract_source_archive(SOURCE_PATH ARCHIVE "${archive}")

vcpkg_check_features(OUT_FEATURE_OPTIONS features FEATURES
  cuda SCANRT_CUDA
  opencl SCANRT_OPENCL
  tools SCANRT_BUILD_TOOLS)
string(COMPARE EQUAL "${VCPKG_LIBRARY_LINKAGE}" "dynamic" shared)

vcpkg_cmake_configure(
  SOURCE_PATH "${SOURCE_PATH}"
  OPTIONS
    ${features}
    -DSCANRT_SHARED=${shared}
    -DSCANRT_BUILD_TESTS=OFF
    -DSCANRT_BUILD_PEERS=OFF
    -DSCANRT_BUILD_MPI=OFF
    -DSCANRT_FORTRAN=OFF
    -DSCANRT_CCACHE=OFF)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH lib/cmake/scanrt)
vcpkg_fixup_pkgconfig()
if("tools" IN_LIST FEATURES)
  vcpkg_copy_tools(TOOL_NAMES scanrt AUTO_CLEAN)
endif()

file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include" "${CURRENT_PACKAGES_DIR}/debug/share")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
