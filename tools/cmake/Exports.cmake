# SPDX-License-Identifier: BSD-2-Clause
# A linker version script from the headers: the library exports the functions declared with SCAN_API, and nothing else.

# scanrt_export_only_declared(library headers): links the library by this script. The symbols' version is SCANRT_<n>,
# with the number of the SONAME.
function(scanrt_export_only_declared library headers)
  set(map "${PROJECT_BINARY_DIR}/${library}.map")
  set(names "")
  foreach(header IN LISTS headers)
    file(STRINGS "${PROJECT_SOURCE_DIR}/${header}" declarations REGEX "^SCAN_API .*[(]")
    foreach(declaration IN LISTS declarations)
      string(REGEX MATCH "([a-z0-9_]+)[(]" name "${declaration}")
      list(APPEND names "    ${CMAKE_MATCH_1}$<SEMICOLON>")
    endforeach()
    set_property(DIRECTORY "${PROJECT_SOURCE_DIR}" APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${header}")
  endforeach()
  list(JOIN names "\n" names)
  file(GENERATE OUTPUT "${map}"
    CONTENT "SCANRT_${SCANRT_ABI} {\n  global:\n${names}\n  local:\n    *$<SEMICOLON>\n}$<SEMICOLON>\n")
  target_link_options(${library} PRIVATE "LINKER:--version-script=${map}")
  set_target_properties(${library} PROPERTIES LINK_DEPENDS "${map}")
endfunction()
