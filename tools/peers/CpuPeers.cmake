# SPDX-License-Identifier: BSD-2-Clause
# Peers in C++, on the host and on OpenCL devices, each if its compiler and library are found.
include(CheckLanguage)
check_language(CXX)
if(NOT CMAKE_CXX_COMPILER)
  message(STATUS "scanrt bench is built without std::sort, TBB and OpenMP: there is no C++ compiler")
  return()
endif()
enable_language(CXX)

# cpu_peer(name libraries...): builds the module of <name>.cpp. As the plain loop, it is compiled for this machine's
# processor.
function(cpu_peer name)
  add_library(scanrt_peer_${name} MODULE ${name}.cpp)
  set_target_properties(scanrt_peer_${name} PROPERTIES
    CXX_STANDARD 17 CXX_STANDARD_REQUIRED ON CXX_EXTENSIONS OFF CXX_VISIBILITY_PRESET hidden)
  if(CMAKE_RUNTIME_OUTPUT_DIRECTORY)
    set_target_properties(scanrt_peer_${name} PROPERTIES LIBRARY_OUTPUT_DIRECTORY "${CMAKE_RUNTIME_OUTPUT_DIRECTORY}")
  endif()
  target_include_directories(scanrt_peer_${name} PRIVATE "${PROJECT_SOURCE_DIR}/include")
  target_compile_options(scanrt_peer_${name} PRIVATE ${plain_loop_options})
  target_link_libraries(scanrt_peer_${name} PRIVATE scanrt_flags ${ARGN})
  if(SCANRT_INSTALL)
    install(TARGETS scanrt_peer_${name} LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}/scanrt" COMPONENT peers)
  endif()
endfunction()

set(plain_loop_options -O3)
if(SCANRT_BENCH_NATIVE AND SCANRT_HAS_MARCH_NATIVE AND NOT CMAKE_CROSSCOMPILING)
  list(APPEND plain_loop_options -march=native)
endif()

cpu_peer(std)

find_package(TBB QUIET CONFIG)
if(TBB_FOUND)
  cpu_peer(tbb TBB::tbb)
else()
  message(STATUS "scanrt bench is built without std::inclusive_scan in parallel: TBB was not found (libtbb-dev)")
endif()

# clang 14 crashes on `#pragma omp scan` in a template, so this checks if the file compiles.
find_package(OpenMP QUIET COMPONENTS CXX)
if(OpenMP_CXX_FOUND AND NOT DEFINED SCANRT_OPENMP_SCANS)
  set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
  try_compile(SCANRT_OPENMP_SCANS "${CMAKE_CURRENT_BINARY_DIR}/openmp_scans" "${CMAKE_CURRENT_SOURCE_DIR}/openmp.cpp"
    CMAKE_FLAGS "-DINCLUDE_DIRECTORIES=${PROJECT_SOURCE_DIR}/include" COMPILE_DEFINITIONS ${OpenMP_CXX_FLAGS}
    CXX_STANDARD 17 CXX_STANDARD_REQUIRED ON)
endif()
if(OpenMP_CXX_FOUND AND SCANRT_OPENMP_SCANS)
  cpu_peer(openmp OpenMP::OpenMP_CXX)
  # gcc takes its private copies of the sum for uninitialised.
  target_compile_options(scanrt_peer_openmp PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
else()
  message(STATUS "scanrt bench is built without `#pragma omp scan`: the C++ compiler does not have it")
endif()

find_path(SCANRT_HWY_INCLUDE hwy/contrib/sort/vqsort.h DOC "Folder that holds hwy/contrib/sort/vqsort.h")
find_library(SCANRT_HWY_CONTRIB hwy_contrib DOC "Highway's sorts")
find_library(SCANRT_HWY hwy DOC "Highway")
if(SCANRT_HWY_INCLUDE AND SCANRT_HWY_CONTRIB AND SCANRT_HWY)
  cpu_peer(highway ${SCANRT_HWY_CONTRIB} ${SCANRT_HWY})
  target_include_directories(scanrt_peer_highway SYSTEM PRIVATE ${SCANRT_HWY_INCLUDE})
  set(hwy_lines "")
  foreach(header IN ITEMS highway base)
    file(STRINGS "${SCANRT_HWY_INCLUDE}/hwy/${header}.h" lines REGEX "^#define HWY_(MAJOR|MINOR) [0-9]+$")
    string(APPEND hwy_lines "${lines}")
  endforeach()
  string(REGEX REPLACE ".*MAJOR ([0-9]+).*MINOR ([0-9]+).*" "\\1.\\2" hwy_release "${hwy_lines}")
  target_compile_definitions(scanrt_peer_highway PRIVATE HWY_RELEASE="${hwy_release}")
else()
  message(STATUS "scanrt bench is built without vqsort: Highway was not found (libhwy-dev)")
endif()

find_path(SCANRT_BOOST_INCLUDE boost/compute/core.hpp DOC "Folder that holds boost/compute/core.hpp")
find_library(SCANRT_CL_LIBRARY NAMES OpenCL libOpenCL.so.1 DOC "OpenCL's loader, which Boost.Compute links with")
if(SCANRT_OPENCL AND SCANRT_BOOST_INCLUDE AND SCANRT_CL_LIBRARY)
  cpu_peer(boost_compute scanrt::scanrt ${SCANRT_CL_LIBRARY} Threads::Threads)
  target_include_directories(scanrt_peer_boost_compute SYSTEM PRIVATE ${SCANRT_BOOST_INCLUDE} ${SCANRT_CL_INCLUDE})
  target_compile_definitions(scanrt_peer_boost_compute PRIVATE CL_TARGET_OPENCL_VERSION=120)
else()
  message(STATUS "scanrt bench is built without Boost.Compute: boost/compute or libOpenCL was not found (libboost-dev, "
    "ocl-icd-opencl-dev)")
endif()
