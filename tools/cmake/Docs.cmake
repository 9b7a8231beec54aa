# SPDX-License-Identifier: BSD-2-Clause
# Documents of the public headers by Doxygen: the target `doc` makes doc/html and doc/man3 in the build folder. Existing
# pages are installed; no page is built by default.

set(documents "${PROJECT_BINARY_DIR}/doc")
configure_file(tools/doc/Doxyfile.in "${PROJECT_BINARY_DIR}/Doxyfile" @ONLY)
add_custom_target(doc COMMAND "${PROJECT_SOURCE_DIR}/tools/doc/make_doc.sh" "${PROJECT_BINARY_DIR}/Doxyfile" "${documents}"
  COMMENT "Making documents of the headers" VERBATIM)

if(SCANRT_BUILD_TESTS)
  add_test(NAME docs.doxygen COMMAND "${PROJECT_SOURCE_DIR}/tools/doc/make_doc.sh" "${PROJECT_BINARY_DIR}/Doxyfile"
    "${documents}")
  add_test(NAME docs.pages3 COMMAND "${PROJECT_SOURCE_DIR}/tools/doc/check_pages.sh" "${documents}/man3" error)
  set_tests_properties(docs.pages3 PROPERTIES DEPENDS docs.doxygen)
  add_test(NAME docs.pages1 COMMAND "${PROJECT_SOURCE_DIR}/tools/doc/check_pages.sh"
    "${PROJECT_BINARY_DIR}/tools/cli/man1")
  set_tests_properties(docs.doxygen docs.pages1 docs.pages3 PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 120)
endif()

install(DIRECTORY "${documents}/man3" DESTINATION "${CMAKE_INSTALL_MANDIR}" COMPONENT development OPTIONAL
  PATTERN "scan_mpi*" EXCLUDE)
if(SCANRT_HAVE_MPI)
  install(DIRECTORY "${documents}/man3" DESTINATION "${CMAKE_INSTALL_MANDIR}" COMPONENT mpi_development OPTIONAL
    FILES_MATCHING PATTERN "scan_mpi*")
endif()
