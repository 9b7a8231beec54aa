# SPDX-License-Identifier: BSD-2-Clause
# The target `doc` makes doc/man3, manual pages of the public headers by Doxygen, and doc/html, the site by Sphinx, in the
# build folder; it says so and makes less where a program is missing. Manual pages that are there are installed; nothing
# of this is built by default.

set(documents "${PROJECT_BINARY_DIR}/doc")
configure_file(tools/doc/Doxyfile.in "${PROJECT_BINARY_DIR}/Doxyfile" @ONLY)
set(make_doc "${PROJECT_SOURCE_DIR}/tools/doc/make_doc.sh" "${PROJECT_BINARY_DIR}/Doxyfile" "${documents}")
set(make_site "${PROJECT_SOURCE_DIR}/tools/doc/make_site.sh" "${documents}" "${PROJECT_VERSION}")
set(or_skip sh -c "\"$@\" || [ $? -eq 77 ]" doc)
add_custom_target(doc COMMAND ${or_skip} ${make_doc} COMMAND ${or_skip} ${make_site}
  COMMENT "Making manual pages of the headers, and the site" VERBATIM USES_TERMINAL)

if(SCANRT_BUILD_TESTS)
  add_test(NAME docs.doxygen COMMAND ${make_doc})
  add_test(NAME docs.site COMMAND ${make_site})
  add_test(NAME docs.pages3 COMMAND "${PROJECT_SOURCE_DIR}/tools/doc/check_pages.sh" "${documents}/man3" error)
  set_tests_properties(docs.site docs.pages3 PROPERTIES DEPENDS docs.doxygen)
  add_test(NAME docs.pages1 COMMAND "${PROJECT_SOURCE_DIR}/tools/doc/check_pages.sh"
    "${PROJECT_BINARY_DIR}/tools/cli/man1")
  set_tests_properties(docs.doxygen docs.site docs.pages1 docs.pages3 PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 120)
  set_tests_properties(docs.site PROPERTIES TIMEOUT 300 PROCESSORS 2) # pip fetches some 20 MB the first time
endif()

install(DIRECTORY "${documents}/man3" DESTINATION "${CMAKE_INSTALL_MANDIR}" COMPONENT development OPTIONAL
  PATTERN "scan_mpi*" EXCLUDE)
if(SCANRT_HAVE_MPI)
  install(DIRECTORY "${documents}/man3" DESTINATION "${CMAKE_INSTALL_MANDIR}" COMPONENT mpi_development OPTIONAL
    FILES_MATCHING PATTERN "scan_mpi*")
endif()
