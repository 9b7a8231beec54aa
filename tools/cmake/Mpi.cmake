# SPDX-License-Identifier: BSD-2-Clause
# libscanrt_mpi: scans over the ranks of MPI. It uses only include/, and libscanrt links no MPI.

set(SCANRT_BUILD_MPI AUTO CACHE STRING "Build libscanrt_mpi: AUTO (where CMake finds an MPI for C), ON, OFF")
set_property(CACHE SCANRT_BUILD_MPI PROPERTY STRINGS AUTO ON OFF)
if(NOT SCANRT_BUILD_MPI MATCHES "^(AUTO|ON|OFF)$")
  message(FATAL_ERROR "SCANRT_BUILD_MPI is '${SCANRT_BUILD_MPI}': give AUTO, ON or OFF")
endif()

set(SCANRT_MPI_HEADERS include/scanrt/scan_mpi.h include/scanrt/scan_mpi_sort.h include/scanrt/scan_mpi_runs.h)
set(SCANRT_MPI_SOURCES
  runtime/mpi/error.c
  runtime/mpi/handle.c
  runtime/mpi/memory.c
  runtime/mpi/contexts.c
  runtime/mpi/library.c
  runtime/mpi/gpu.c
  runtime/mpi/messages.c
  runtime/mpi/moves.c
  runtime/mpi/copies.c
  runtime/mpi/transport.c
  runtime/mpi/transport_mpi.c
  runtime/mpi/transport_staged.c
  runtime/mpi/transport_peer.c
  runtime/mpi/transport_nccl.c
  runtime/mpi/layout.c
  runtime/mpi/spec.c
  runtime/mpi/scan_memory.c
  runtime/mpi/segment_flags.c
  runtime/mpi/places.c
  runtime/mpi/edges.c
  runtime/mpi/values.c
  runtime/mpi/fold.c
  runtime/mpi/pieces.c
  runtime/mpi/scan.c
  runtime/mpi/plan.c
  runtime/mpi/array.c
  runtime/mpi/select.c
  runtime/mpi/redistribute.c
  runtime/mpi/sort_keys.c
  runtime/mpi/sort_spec.c
  runtime/mpi/sort_memory.c
  runtime/mpi/sort_columns.c
  runtime/mpi/sort_cuts.c
  runtime/mpi/sort_parts.c
  runtime/mpi/sort.c
  runtime/mpi/split.c
  runtime/mpi/runs.c
  runtime/mpi/reduce_by_key.c)

set(SCANRT_HAVE_MPI OFF)
if(SCANRT_BUILD_MPI STREQUAL "ON")
  find_package(MPI REQUIRED COMPONENTS C)
elseif(SCANRT_BUILD_MPI STREQUAL "AUTO" AND NOT CMAKE_CROSSCOMPILING)
  find_package(MPI QUIET COMPONENTS C)
endif()
if(MPI_C_FOUND AND NOT SCANRT_BUILD_MPI STREQUAL "OFF")
  set(SCANRT_HAVE_MPI ON)
endif()

if(SCANRT_HAVE_MPI)
  set(mpi_kind SHARED)
  if(NOT SCANRT_SHARED)
    set(mpi_kind STATIC)
  endif()
  add_library(scanrt_mpi ${mpi_kind} ${SCANRT_MPI_SOURCES})
  add_library(scanrt::scanrt_mpi ALIAS scanrt_mpi)
  set_target_properties(scanrt_mpi PROPERTIES POSITION_INDEPENDENT_CODE ON C_VISIBILITY_PRESET hidden
    VERSION ${PROJECT_VERSION} SOVERSION ${SCANRT_ABI})
  target_sources(scanrt_mpi PUBLIC FILE_SET HEADERS BASE_DIRS include FILES ${SCANRT_MPI_HEADERS})
  target_include_directories(scanrt_mpi PRIVATE runtime)
  target_compile_definitions(scanrt_mpi PRIVATE _GNU_SOURCE) # secure_getenv, RTLD_DEFAULT
  target_link_libraries(scanrt_mpi PUBLIC scanrt::scanrt MPI::MPI_C PRIVATE m Threads::Threads ${CMAKE_DL_LIBS} $<BUILD_INTERFACE:scanrt_flags>)
  if(SCANRT_SHARED AND NOT SCANRT_SANITIZE)
    target_link_options(scanrt_mpi PRIVATE LINKER:--no-undefined)
    scanrt_export_only_declared(scanrt_mpi "${SCANRT_MPI_HEADERS}")
  endif()
endif()

# scanrt_mpi_application(APP TARGET LIBRARY): an application of tools/examples/apps/ over ranks, or tools/mpi_costs/, with
# the library of one MPI.
set(SCANRT_MPI_APPLICATIONS coo_to_csr_mpi curve_cuts_mpi mpi_costs)
function(scanrt_mpi_application app target library)
  set(apps "${PROJECT_SOURCE_DIR}/tools/examples/apps")
  add_executable(${target} "${apps}/ranks.c" "${apps}/conversion.c"
    $<TARGET_OBJECTS:scanrt_example_parts> $<TARGET_OBJECTS:scanrt_example_kernels>)
  if(app STREQUAL "mpi_costs")
    target_sources(${target} PRIVATE "${apps}/../../mpi_costs/mpi_costs.c" "${apps}/../../mpi_costs/counts.c")
    target_include_directories(${target} PRIVATE "${PROJECT_SOURCE_DIR}/tools")
  else()
    target_sources(${target} PRIVATE "${apps}/${app}.c")
  endif()
  if(app STREQUAL "coo_to_csr_mpi")
    target_sources(${target} PRIVATE "${apps}/pattern.c" "${apps}/row_cuts.c")
  endif()
  if(app STREQUAL "curve_cuts_mpi")
    target_sources(${target} PRIVATE "${apps}/curve.c")
  endif()
  set_target_properties(${target} PROPERTIES C_STANDARD 11 C_STANDARD_REQUIRED ON C_EXTENSIONS OFF)
  target_link_libraries(${target} PRIVATE ${library} scanrt_flags ${CMAKE_DL_LIBS})
endfunction()

# The peer petsc_coo_to_csr, where pkg-config finds PETSc, which must be of the same MPI.
function(scanrt_add_petsc_peer)
  if(NOT SCANRT_BUILD_PEERS OR "${MPI_C_INCLUDE_DIRS};${MPI_C_LIBRARIES}" MATCHES "mpich")
    return()
  endif()
  find_package(PkgConfig QUIET)
  if(PkgConfig_FOUND)
    pkg_check_modules(petsc QUIET PETSc>=3.18) # MatSetPreallocationCOO with places that are not const
  endif()
  if(NOT petsc_FOUND)
    return()
  endif()
  add_executable(petsc_coo_to_csr "${PROJECT_SOURCE_DIR}/tools/peers/petsc_coo_to_csr.c"
    "${PROJECT_SOURCE_DIR}/tools/examples/apps/ranks.c" $<TARGET_OBJECTS:scanrt_example_parts>)
  set_target_properties(petsc_coo_to_csr PROPERTIES C_STANDARD 11 C_STANDARD_REQUIRED ON)
  target_include_directories(petsc_coo_to_csr PRIVATE "${PROJECT_SOURCE_DIR}/tools")
  target_include_directories(petsc_coo_to_csr SYSTEM PRIVATE ${petsc_INCLUDE_DIRS})
  target_link_libraries(petsc_coo_to_csr PRIVATE ${petsc_LINK_LIBRARIES} scanrt::scanrt MPI::MPI_C scanrt_flags)
endfunction()

# Adds examples, applications and the module that gives the command-line tool MPI (tools/cli/mpi_module.h). A build with
# a static library has no module, which would bring a second copy of the library into the tool.
function(scanrt_add_mpi_tools)
  add_executable(scanrt_example_mpi_scan "${PROJECT_SOURCE_DIR}/tools/examples/mpi_scan.c")
  set_target_properties(scanrt_example_mpi_scan PROPERTIES OUTPUT_NAME mpi_scan)
  target_link_libraries(scanrt_example_mpi_scan PRIVATE scanrt::scanrt_mpi scanrt_flags)
  foreach(app IN LISTS SCANRT_MPI_APPLICATIONS)
    scanrt_mpi_application(${app} scanrt_example_${app} scanrt::scanrt_mpi)
    set_target_properties(scanrt_example_${app} PROPERTIES OUTPUT_NAME ${app})
  endforeach()

  scanrt_add_petsc_peer()
  if(NOT SCANRT_SHARED)
    return()
  endif()
  add_library(scanrt_tool_mpi MODULE "${PROJECT_SOURCE_DIR}/tools/mpi_module.c")
  set_target_properties(scanrt_tool_mpi PROPERTIES C_VISIBILITY_PRESET hidden INSTALL_RPATH "$ORIGIN/..")
  if(CMAKE_RUNTIME_OUTPUT_DIRECTORY)
    set_target_properties(scanrt_tool_mpi PROPERTIES LIBRARY_OUTPUT_DIRECTORY "${CMAKE_RUNTIME_OUTPUT_DIRECTORY}")
  endif()
  target_include_directories(scanrt_tool_mpi PRIVATE "${PROJECT_SOURCE_DIR}/tools/cli")
  target_link_libraries(scanrt_tool_mpi PRIVATE scanrt::scanrt_mpi scanrt_flags)
  if(SCANRT_INSTALL)
    install(TARGETS scanrt_tool_mpi LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}/scanrt" COMPONENT mpi)
  endif()
endfunction()
