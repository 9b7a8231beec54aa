# SPDX-License-Identifier: BSD-2-Clause
# libscanrt_fortran: the Fortran module scanrt; libscanrt_fortran_mpi: scanrt_mpi. They use only the public headers'
# API. CMake generates the code for each kind of array elements from runtime/fortran/parts/ when it configures.

set(SCANRT_FORTRAN AUTO CACHE STRING "Build the Fortran modules: AUTO (where CMake finds a Fortran compiler), ON, OFF")
set_property(CACHE SCANRT_FORTRAN PROPERTY STRINGS AUTO ON OFF)
if(NOT SCANRT_FORTRAN MATCHES "^(AUTO|ON|OFF)$")
  message(FATAL_ERROR "SCANRT_FORTRAN is '${SCANRT_FORTRAN}': give AUTO, ON or OFF")
endif()

set(SCANRT_HAVE_FORTRAN OFF)
if(SCANRT_FORTRAN STREQUAL "ON")
  set(SCANRT_HAVE_FORTRAN ON)
elseif(SCANRT_FORTRAN STREQUAL "AUTO" AND NOT CMAKE_CROSSCOMPILING)
  include(CheckLanguage)
  check_language(Fortran)
  if(CMAKE_Fortran_COMPILER)
    set(SCANRT_HAVE_FORTRAN ON)
  else()
    message(STATUS "Fortran: no compiler, the modules and their tests are left out (Debian: gfortran)")
  endif()
endif()
if(SCANRT_HAVE_FORTRAN AND SCANRT_SANITIZE AND NOT CMAKE_C_COMPILER_ID STREQUAL "GNU")
  message(STATUS "Fortran: left out, since gfortran has not the sanitizers of ${CMAKE_C_COMPILER_ID}")
  set(SCANRT_HAVE_FORTRAN OFF)
endif()
if(NOT SCANRT_HAVE_FORTRAN)
  return()
endif()
enable_language(Fortran)

set(SCANRT_FORTRAN_PARTS "${PROJECT_SOURCE_DIR}/runtime/fortran/parts")
set(SCANRT_FORTRAN_MADE "${PROJECT_BINARY_DIR}/fortran")

# scanrt_fortran_part(NAME): configures a part with the caller's variables. Text before its line "contains" is added to
# `interfaces`, text behind it to `procedures`.
macro(scanrt_fortran_part name)
  set_property(DIRECTORY "${PROJECT_SOURCE_DIR}" APPEND PROPERTY
    CMAKE_CONFIGURE_DEPENDS "${SCANRT_FORTRAN_PARTS}/${name}.f90.in")
  file(READ "${SCANRT_FORTRAN_PARTS}/${name}.f90.in" part)
  string(CONFIGURE "${part}" part @ONLY)
  string(FIND "${part}" "\ncontains\n" middle)
  string(SUBSTRING "${part}" 0 ${middle} head)
  math(EXPR middle "${middle} + 10")
  string(SUBSTRING "${part}" ${middle} -1 tail)
  string(APPEND interfaces "\n${head}")
  string(APPEND procedures "${tail}")
endmacro()

# scanrt_fortran_module(NAME TEXT): writes <name>.f90 from the parts since the last module. It uses the modules `used`
# and exports the names `exported`.
macro(scanrt_fortran_module name text)
  set(module ${name})
  set(about "${text}")
  list(TRANSFORM used PREPEND "  use " OUTPUT_VARIABLE uses)
  list(JOIN uses "\n" uses)
  list(TRANSFORM exported PREPEND "  public :: " OUTPUT_VARIABLE publics)
  list(JOIN publics "\n" publics)
  configure_file("${SCANRT_FORTRAN_PARTS}/module.f90.in" "${SCANRT_FORTRAN_MADE}/${module}.f90" @ONLY)
  list(APPEND SCANRT_FORTRAN_SOURCES "${SCANRT_FORTRAN_MADE}/${module}.f90")
  set(interfaces "")
  set(procedures "")
endmacro()

# Kinds of array elements: the Fortran declaration, and the library's type.
set(fortran_kinds int8 int16 int32 int64 real32 real64)
foreach(bits 8 16 32 64)
  set(fortran_element_int${bits} "integer(int${bits})")
  set(fortran_own_int${bits} SCAN_I${bits})
endforeach()
foreach(bits 32 64)
  set(fortran_element_real${bits} "real(real${bits})")
  set(fortran_own_real${bits} SCAN_F${bits})
  set(fortran_element_complex_real${bits} "complex(real${bits})")
  set(fortran_own_complex_real${bits} SCAN_OWN_COMPLEX_F${bits})
endforeach()
set(fortran_element_logical "logical(c_bool)")

# Declarations of arrays of `rank` dimensions.
macro(scanrt_fortran_rank)
  set(contiguous ", contiguous")
  set(has_no_gaps "is_contiguous(x)")
  set(items "size(x, kind=c_int64_t)")
  if(rank EQUAL 0)
    set(contiguous "")
    set(has_no_gaps ".true.")
    set(items "1")
  endif()
  list(GET fortran_shapes ${rank} shape)
  list(GET fortran_firsts ${rank} first)
endmacro()
set(fortran_shapes "" "(:)" "(:, :)" "(:, :, :)")
set(fortran_firsts "" "(1)" "(1, 1)" "(1, 1, 1)")

set(interfaces "")
set(procedures "")
set(SCANRT_FORTRAN_SOURCES constants.f90 elements.f90 types.f90 base.f90 names.f90 context.f90 memory.f90 operators.f90 scan.f90 stream.f90
  sort_scratch.f90 typed.f90 scanrt.f90)
list(TRANSFORM SCANRT_FORTRAN_SOURCES PREPEND "${PROJECT_SOURCE_DIR}/runtime/fortran/")

# Calls that differ only in their structs: one module each.
foreach(row IN ITEMS
    "run_args/scan_run_args/scan_plan_create/scan_plan_run_args/scan_spec/scan_args"
    "select/scan_select/scan_plan_create_select/scan_plan_run_select/scan_select_spec/scan_select_args"
    "partition3/scan_partition3/scan_plan_create_partition3/scan_plan_run_partition3/scan_partition3_spec/scan_partition3_args"
    "run_length/scan_run_length_encode/scan_plan_create_run_length/scan_plan_run_run_length/scan_run_length_spec/scan_run_length_args"
    "reduce_by_key/scan_reduce_by_key/scan_plan_create_reduce_by_key/scan_plan_run_reduce_by_key/scan_spec/scan_reduce_by_key_args"
    "sort/scan_sort/scan_plan_create_sort/scan_plan_run_sort/scan_sort_spec/scan_sort_args"
    "split/scan_split/scan_plan_create_split/scan_plan_run_split/scan_split_spec/scan_split_args"
    "histogram/scan_histogram/scan_plan_create_histogram/scan_plan_run_histogram/scan_histogram_spec/scan_histogram_args")
  string(REPLACE "/" ";" row "${row}")
  set(column 0)
  foreach(variable name run plan_create plan_run spec args)
    list(GET row ${column} ${variable})
    math(EXPR column "${column} + 1")
  endforeach()
  configure_file("${SCANRT_FORTRAN_PARTS}/primitive.f90.in" "${SCANRT_FORTRAN_MADE}/scanrt_${name}.f90" @ONLY)
  list(APPEND SCANRT_FORTRAN_SOURCES "${SCANRT_FORTRAN_MADE}/scanrt_${name}.f90")
endforeach()

# Names and numbers, and the compiled part of a struct.
set(used scanrt_types)
set(exported "")
foreach(what type op strategy composite)
  list(APPEND exported scan_${what}_name scan_${what}_parse)
  scanrt_fortran_part(name)
endforeach()
scanrt_fortran_module(scanrt_parse "Names of types, operators, strategies and composites.")
set(exported "")
foreach(what op predicate bucket)
  list(APPEND exported scan_${what}_create)
  scanrt_fortran_part(source)
endforeach()
scanrt_fortran_module(scanrt_sources "Operators, predicates and bucket functions, of C's structs.")

# Arrays of every kind and up to three dimensions as memory.
foreach(kind IN LISTS fortran_kinds ITEMS complex_real32 complex_real64 logical)
  set(element "${fortran_element_${kind}}")
  set(own ${fortran_own_${kind}})
  foreach(rank RANGE 3)
    scanrt_fortran_rank()
    scanrt_fortran_part(memory)
  endforeach()
  scanrt_fortran_part(strides)
endforeach()
set(used scanrt_memory)
set(exported scan_host scan_write scan_read scan_strides scan_first)
scanrt_fortran_module(scanrt_array_memory "Arrays as memory.")

# Calls with arrays: one module for each kind of input.
set(used scanrt_array_memory scanrt_typed scanrt_memory scanrt_scan scanrt_stream)
foreach(kind IN LISTS fortran_kinds ITEMS complex_real32 complex_real64)
  set(element "${fortran_element_${kind}}")
  set(own ${fortran_own_${kind}})
  set(written ${fortran_kinds})
  set(exported scan_run scan_reduce scan_stream)
  if(NOT kind IN_LIST fortran_kinds)
    set(written ${kind})
  else()
    list(APPEND used scanrt_select scanrt_partition3 scanrt_run_length scanrt_reduce_by_key scanrt_sort scanrt_split
      scanrt_histogram)
    list(REMOVE_DUPLICATES used)
    list(APPEND exported scan_set_init scan_adjacent_difference scan_select scan_partition3 scan_sort scan_sort_index
      scan_split scan_histogram scan_reduce_by_key scan_run_length_encode)
    scanrt_fortran_part(kind)
  endif()
  foreach(to IN LISTS written)
    set(to_element "${fortran_element_${to}}")
    set(to_own ${fortran_own_${to}})
    scanrt_fortran_part(pair)
    foreach(rank 2 3)
      scanrt_fortran_rank()
      scanrt_fortran_part(array)
    endforeach()
    if(kind IN_LIST fortran_kinds)
      scanrt_fortran_part(key_value)
    endif()
    if(kind IN_LIST fortran_kinds AND to MATCHES "^int(32|64)$")
      scanrt_fortran_part(index)
    endif()
  endforeach()
  scanrt_fortran_module(scanrt_of_${kind} "Scans and their kin of arrays of ${element}.")
endforeach()

# ---- libraries ---------------------------------------------------------------------------------------------------------

add_library(scanrt_fortran_flags INTERFACE)
if(CMAKE_Fortran_COMPILER_ID STREQUAL "GNU")
  target_compile_options(scanrt_fortran_flags INTERFACE
    "$<$<COMPILE_LANGUAGE:Fortran>:-std=f2008;-Wall;-Wextra;$<$<BOOL:${SCANRT_WERROR}>:-Werror>>")
endif()
if(SCANRT_SANITIZE)
  target_compile_options(scanrt_fortran_flags INTERFACE
    "$<$<COMPILE_LANGUAGE:Fortran>:-fsanitize=${sanitizers};-fno-omit-frame-pointer;-fno-sanitize-recover=all>")
  target_link_options(scanrt_fortran_flags INTERFACE -fsanitize=${sanitizers})
endif()

set(SCANRT_FORTRAN_MODULE_DIR "${CMAKE_INSTALL_INCLUDEDIR}/scanrt/fortran")
add_library(scanrt_fortran_objects OBJECT ${SCANRT_FORTRAN_SOURCES})
set_target_properties(scanrt_fortran_objects PROPERTIES POSITION_INDEPENDENT_CODE ON
  Fortran_MODULE_DIRECTORY "${SCANRT_FORTRAN_MADE}/modules")
target_link_libraries(scanrt_fortran_objects PRIVATE scanrt_fortran_flags)

add_library(scanrt_fortran SHARED)
add_library(scanrt_fortran_static STATIC)
target_link_libraries(scanrt_fortran PUBLIC scanrt::scanrt)
target_link_libraries(scanrt_fortran_static PUBLIC scanrt_static)
set_target_properties(scanrt_fortran PROPERTIES EXPORT_NAME fortran INSTALL_RPATH "$ORIGIN"
  VERSION ${PROJECT_VERSION} SOVERSION ${SCANRT_ABI})
set_target_properties(scanrt_fortran_static PROPERTIES EXPORT_NAME fortran_static OUTPUT_NAME scanrt_fortran)
foreach(library scanrt_fortran scanrt_fortran_static)
  target_sources(${library} PRIVATE $<TARGET_OBJECTS:scanrt_fortran_objects>)
  set_target_properties(${library} PROPERTIES LINKER_LANGUAGE Fortran)
  target_include_directories(${library} PUBLIC $<BUILD_INTERFACE:${SCANRT_FORTRAN_MADE}/modules>
    $<INSTALL_INTERFACE:${SCANRT_FORTRAN_MODULE_DIR}>)
  add_dependencies(${library} scanrt_fortran_objects)
endforeach()
add_library(scanrt::fortran ALIAS scanrt_fortran)
add_library(scanrt::fortran_static ALIAS scanrt_fortran_static)

# ---- libscanrt_fortran_mpi ---------------------------------------------------------------------------------------------

if(SCANRT_HAVE_MPI)
  set(libscanrt_sources ${SCANRT_FORTRAN_SOURCES})
  set(used scanrt_array_memory scanrt_typed scanrt_mpi_core)
  set(exported scan_mpi_run)
  scanrt_fortran_part(mpi_typed)
  foreach(kind IN LISTS fortran_kinds ITEMS complex_real32 complex_real64)
    set(element "${fortran_element_${kind}}")
    set(own ${fortran_own_${kind}})
    set(written ${fortran_kinds})
    if(NOT kind IN_LIST fortran_kinds)
      set(written ${kind})
    endif()
    foreach(to IN LISTS written)
      set(to_element "${fortran_element_${to}}")
      set(to_own ${fortran_own_${to}})
      scanrt_fortran_part(mpi_pair)
    endforeach()
  endforeach()
  set(SCANRT_FORTRAN_SOURCES "${PROJECT_SOURCE_DIR}/runtime/fortran/mpi_c.f90"
    "${PROJECT_SOURCE_DIR}/runtime/fortran/mpi_core.f90")
  scanrt_fortran_module(scanrt_mpi_arrays "Scans of arrays over the ranks of MPI.")
  set(SCANRT_FORTRAN_MPI_SOURCES ${SCANRT_FORTRAN_SOURCES} "${PROJECT_SOURCE_DIR}/runtime/fortran/scanrt_mpi.f90")
  set(SCANRT_FORTRAN_MPI_C "${PROJECT_SOURCE_DIR}/runtime/fortran/mpi_comm.c")
  set(SCANRT_FORTRAN_SOURCES ${libscanrt_sources})

  add_library(scanrt_fortran_mpi_comm OBJECT "${SCANRT_FORTRAN_MPI_C}")
  set_target_properties(scanrt_fortran_mpi_comm PROPERTIES POSITION_INDEPENDENT_CODE ON C_VISIBILITY_PRESET hidden)
  target_link_libraries(scanrt_fortran_mpi_comm PRIVATE scanrt_mpi scanrt_flags)
  add_library(scanrt_fortran_mpi SHARED ${SCANRT_FORTRAN_MPI_SOURCES} $<TARGET_OBJECTS:scanrt_fortran_mpi_comm>)
  add_library(scanrt::fortran_mpi ALIAS scanrt_fortran_mpi)
  set_target_properties(scanrt_fortran_mpi PROPERTIES EXPORT_NAME fortran_mpi LINKER_LANGUAGE Fortran
    Fortran_MODULE_DIRECTORY "${SCANRT_FORTRAN_MADE}/modules" INSTALL_RPATH "$ORIGIN"
    VERSION ${PROJECT_VERSION} SOVERSION ${SCANRT_ABI})
  target_link_libraries(scanrt_fortran_mpi PUBLIC scanrt_fortran scanrt_mpi
    PRIVATE $<BUILD_INTERFACE:scanrt_fortran_flags>)
endif()

# ---- programs and installation
# -----------------------------------------------------------------------------------------

# Examples: csr, and mpi_scan_f if MPI has modules for this compiler.
function(scanrt_add_fortran_tools)
  set(programs csr/scanrt::fortran)
  if(SCANRT_HAVE_MPI)
    find_package(MPI QUIET COMPONENTS Fortran)
    if(MPI_Fortran_HAVE_F90_MODULE)
      list(APPEND programs mpi_scan/scanrt::fortran_mpi)
    endif()
  endif()
  foreach(program IN LISTS programs)
    string(REGEX MATCH "^([a-z_]+)/(.+)$" both "${program}")
    set(name scanrt_example_fortran_${CMAKE_MATCH_1})
    add_executable(${name} "${PROJECT_SOURCE_DIR}/tools/examples/${CMAKE_MATCH_1}.f90")
    target_link_libraries(${name} PRIVATE ${CMAKE_MATCH_2} scanrt_fortran_flags)
    if(CMAKE_MATCH_1 STREQUAL "mpi_scan")
      set_target_properties(${name} PROPERTIES OUTPUT_NAME mpi_scan_f)
      target_link_libraries(${name} PRIVATE MPI::MPI_Fortran)
    else()
      set_target_properties(${name} PROPERTIES OUTPUT_NAME ${CMAKE_MATCH_1})
    endif()
  endforeach()
endfunction()

# Installs the modules, which only the compiler that made them can read. They are targets of their own, so that
# find_package(scanrt) provides them for the components fortran and fortran_mpi.
function(scanrt_install_fortran package_dir)
  install(DIRECTORY "${SCANRT_FORTRAN_MADE}/modules/" DESTINATION "${SCANRT_FORTRAN_MODULE_DIR}"
    COMPONENT fortran_development FILES_MATCHING PATTERN "*.mod")
  set(components fortran)
  set(libraries_fortran scanrt_fortran scanrt_fortran_static)
  if(SCANRT_HAVE_MPI)
    list(APPEND components fortran_mpi)
    set(libraries_fortran_mpi scanrt_fortran_mpi)
  endif()
  foreach(component IN LISTS components)
    string(REPLACE "_" "-" name ${component})
    install(TARGETS ${libraries_${component}} EXPORT scanrt_${component}_targets
      LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT ${component} NAMELINK_COMPONENT ${component}_development
      ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT ${component}_development)
    install(EXPORT scanrt_${component}_targets NAMESPACE scanrt:: FILE scanrt-${name}-targets.cmake
      DESTINATION "${package_dir}" COMPONENT ${component}_development)
    configure_file(tools/cmake/scanrt_${component}.pc.in "${PROJECT_BINARY_DIR}/scanrt_${component}.pc" @ONLY)
    install(FILES "${PROJECT_BINARY_DIR}/scanrt_${component}.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig"
      COMPONENT ${component}_development)
  endforeach()
endfunction()
