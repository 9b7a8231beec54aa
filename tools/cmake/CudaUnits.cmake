# SPDX-License-Identifier: BSD-2-Clause
# Makes the units that nvcc compiles, one an image, of the rows in kernels_cu/images.cmake. Each row is an instance: a
# namespace that includes kernel files. instance_end.h takes back their macros and include guards after it, so that the
# next instance includes them anew.

set(SCANRT_CUDA_UNIT_DIR "${PROJECT_BINARY_DIR}/cuda_units")

# scanrt_cuda_unit(image out): sets `out` to the unit of an image, which is the same for every architecture.
function(scanrt_cuda_unit image out)
  string(REGEX REPLACE "_sm[0-9]+$" "" name "${image}")
  set(${out} "${SCANRT_CUDA_UNIT_DIR}/${name}.cu" PARENT_SCOPE)
endfunction()

# scanrt_cuda_instance(image suffix FILES files... MACROS macros...): adds an instance, whose kernels are named
# <kernel>_<suffix>.
function(scanrt_cuda_instance image suffix)
  cmake_parse_arguments(PARSE_ARGV 2 row "" "" "FILES;MACROS")
  get_property(instances GLOBAL PROPERTY SCANRT_CUDA_UNIT_${image})
  list(LENGTH instances number)
  set(defines "")
  set(includes "")
  set(undefines "")
  foreach(macro IN LISTS row_MACROS ITEMS "SCAN_SUFFIX=_${suffix}")
    string(REGEX REPLACE "^([^=]+)=" "\\1 " definition "${macro}")
    string(REGEX MATCH "^[A-Za-z0-9_]+" name "${macro}")
    string(APPEND defines "#define ${definition}\n")
    string(APPEND undefines "#undef ${name}\n")
  endforeach()
  foreach(file IN LISTS row_FILES)
    string(APPEND includes "#include \"${file}\"\n")
  endforeach()
  if(row_FILES MATCHES "_staged[.]cuh") # functions that all instances share
    string(PREPEND defines "#include \"lib/async_store.h\"\n")
  endif()
  set_property(GLOBAL APPEND PROPERTY SCANRT_CUDA_UNITS "${image}")
  set_property(GLOBAL APPEND PROPERTY SCANRT_CUDA_UNIT_${image}
    "${defines}namespace instance_${number} {\n${includes}}\n#include \"instance_end.h\"\n${undefines}")
endfunction()

# scanrt_cuda_primitive(image [NAME name] TYPES types... FILES files... MACROS macros...): adds an instance for each
# type. Kernels are named <kernel>_[<name>_]<type>.
function(scanrt_cuda_primitive image)
  cmake_parse_arguments(PARSE_ARGV 1 row "" "NAME" "TYPES;FILES;MACROS")
  if(DEFINED row_NAME)
    string(APPEND row_NAME _)
  endif()
  foreach(type IN LISTS row_TYPES)
    scanrt_cuda_instance(${image} ${row_NAME}${type} FILES ${row_FILES}
      MACROS SCAN_TYPE=${SCANRT_TYPE_${type}} ${row_MACROS})
  endforeach()
endfunction()

# scanrt_cuda_scan(image pair op subtiles FILES files... MACROS macros...): adds an instance for an operator on the
# types `pair`, <input type>_<type>, and a tile size. `op` is `min_flipped` if it flips values. Kernels are named
# <kernel>_<op>_s<subtiles>; `subtiles` may be 8_backward.
function(scanrt_cuda_scan image pair op subtiles)
  cmake_parse_arguments(PARSE_ARGV 4 row "" "" "FILES;MACROS")
  string(REPLACE "_" ";" types "${pair}")
  list(GET types 0 in_type)
  list(GET types 1 type)
  if(op MATCHES "^([a-z]+)_flipped$")
    set(op ${CMAKE_MATCH_1})
    list(APPEND row_MACROS SCAN_FLIPS=1)
  endif()
  string(REGEX MATCH "^[0-9]+" count "${subtiles}")
  if(subtiles MATCHES "_backward$")
    list(APPEND row_MACROS SCAN_BACKWARD=1)
  endif()
  scanrt_cuda_instance(${image} ${op}_s${subtiles} FILES ${row_FILES} MACROS
    SCAN_IN_TYPE=${SCANRT_TYPE_${in_type}} SCAN_TYPE=${SCANRT_TYPE_${type}} SCAN_OP=${SCANRT_OP_${op}}
    SCAN_SUBTILES=${count} SCAN_SHUFFLE=1 SCAN_PTX=1 SCAN_GROUP_ITEMS=TUNE_GROUP_ITEMS SCAN_GROUPS_PER_UNIT=TUNE_GROUPS_PER_UNIT ${row_MACROS})
endfunction()

include("${PROJECT_SOURCE_DIR}/kernels_cu/images.cmake")
get_property(units GLOBAL PROPERTY SCANRT_CUDA_UNITS)
list(REMOVE_DUPLICATES units)
foreach(image IN LISTS units)
  get_property(instances GLOBAL PROPERTY SCANRT_CUDA_UNIT_${image})
  list(JOIN instances "\n" instances)
  scanrt_cuda_unit(${image} unit)
  file(CONFIGURE OUTPUT "${unit}" @ONLY CONTENT
    "// Made by tools/cmake/CudaUnits.cmake.\n#include \"lib/dialect.h\"\n#include \"tuning.h\"\n${instances}")
endforeach()
