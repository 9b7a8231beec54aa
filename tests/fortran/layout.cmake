# SPDX-License-Identifier: BSD-2-Clause
# usage: cmake -D "HEADERS=..." -D "SOURCES=..." -D MODULE=scanrt -D NAME=layout -D OUT=folder -P layout.cmake
# Writes <name>.c, with an array of every public constant's value and of the size and offset of every struct and field,
# and <name>.f90, with calls of `compare` for the same numbers in Fortran. If Fortran lacks one, that does not compile.
# A function that no source calls is an error here.

set(c "")
set(declarations "")
set(calls "")
set(includes "")
set(values 0)

# layout_value(WORDS C FORTRAN): adds a number.
macro(layout_value words in_c in_fortran)
  string(APPEND c "  (long long)${in_c},\n")
  string(APPEND calls "  call compare('${words}', &\n    int(${in_fortran}, int64))\n")
  math(EXPR values "${values} + 1")
endmacro()

# layout_struct(NAME FIELDS): adds a struct of C; `@` ends each declaration.
macro(layout_struct struct fields)
  set(type "${struct}")
  if(type MATCHES "_[fiu](32|64|128)$") # elements of composites: types.f90.in says why
    string(APPEND type "_t")
  endif()
  string(APPEND declarations "  type(${type}), target :: the_${struct}\n")
  layout_value("sizeof(${struct})" "sizeof(${struct})" "c_sizeof(the_${struct})")
  string(REGEX REPLACE "<[^>]*>" "" names "${fields}")
  string(REPLACE "@" ";" names "${names}")
  string(REPLACE "," ";" names "${names}")
  foreach(field IN LISTS names)
    if(field MATCHES "([a-z0-9_]+)[ \n]*$")
      set(field ${CMAKE_MATCH_1})
      layout_value("offsetof(${struct}, ${field})" "offsetof(${struct}, ${field})"
        "place(c_loc(the_${struct}%${field})) - &\n    place(c_loc(the_${struct}))")
      layout_value("sizeof ${struct}.${field}" "sizeof ((${struct} *)0)->${field}" "c_sizeof(the_${struct}%${field})")
    endif()
  endforeach()
endmacro()

set(bound "")
foreach(source IN LISTS SOURCES)
  if(NOT source MATCHES "/scanrt_(mpi_)?c.f90$") # the interfaces, which CMake makes for all functions
    file(READ "${source}" text)
    string(APPEND bound "${text}")
  endif()
endforeach()

foreach(header IN LISTS HEADERS)
  string(REGEX MATCH "scanrt/[a-z_]+[.]h$" name "${header}")
  string(APPEND includes "#include <${name}>\n")
  file(STRINGS "${header}" functions REGEX "^SCAN_API .*[(]")
  foreach(declaration IN LISTS functions)
    string(REGEX MATCH "([a-z0-9_]+)[(]" function "${declaration}")
    set(function ${CMAKE_MATCH_1})
    if(NOT bound MATCHES "c_${function}[(,\n ]" AND NOT declaration MATCHES "^SCAN_API void [a-z0-9_]+_init[(]") # Fortran's types have defaults
      message(FATAL_ERROR "${name}: no Fortran module calls ${function}")
    endif()
  endforeach()
  file(STRINGS "${header}" macros REGEX "^#define SCAN_[A-Z0-9_]+ [0-9(]")
  foreach(macro IN LISTS macros)
    string(REGEX MATCH "SCAN_[A-Z0-9_]+" macro "${macro}")
    if(macro STREQUAL "SCAN_NO_MEM") # a struct: test_api.f90 uses it
      continue()
    endif()
    layout_value(${macro} ${macro} ${macro})
  endforeach()
  file(READ "${header}" text)
  string(REPLACE ";" "@" text "${text}")
  string(REPLACE "[" "<" text "${text}")
  string(REPLACE "]" ">" text "${text}")
  string(REGEX REPLACE "/[*]([^*]|[*]+[^*/])*[*]+/" "" text "${text}")
  string(REGEX MATCHALL "enum[ a-z_]*{[^}]*}" enums "${text}")
  foreach(enum IN LISTS enums)
    string(REGEX MATCHALL "SCAN_[A-Z0-9_]+" enumerators "${enum}")
    foreach(enumerator IN LISTS enumerators)
      layout_value(${enumerator} ${enumerator} ${enumerator})
    endforeach()
  endforeach()
  string(REGEX MATCHALL "struct scan_[a-z0-9_]+ {[^}]*}" structs "${text}")
  foreach(struct IN LISTS structs)
    string(REGEX MATCH "struct (scan_[a-z0-9_]+) {([^}]*)}" all "${struct}")
    layout_struct("${CMAKE_MATCH_1}" "${CMAKE_MATCH_2}")
  endforeach()
endforeach()
if(values LESS 5)
  message(FATAL_ERROR "${HEADERS}: only ${values} constants, sizes and places were found")
endif()

file(WRITE "${OUT}/${NAME}.c" "/* SPDX-License-Identifier: BSD-2-Clause */
/* Written by tests/fortran/layout.cmake. */
#include <stddef.h>
${includes}
const int ${NAME}_count = ${values};
const long long ${NAME}_values[] = {
${c}};
")
file(WRITE "${OUT}/${NAME}.f90" "! SPDX-License-Identifier: BSD-2-Clause
! Written by tests/fortran/layout.cmake.
module ${NAME}_in_c
  use, intrinsic :: iso_c_binding
  implicit none
  integer(c_int), bind(C, name='${NAME}_count') :: values
  integer(c_long_long), bind(C, name='${NAME}_values') :: in_c(${values})
end module ${NAME}_in_c

program ${NAME}
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: int64
  use ${MODULE}
  use checks
  use ${NAME}_in_c
  implicit none
  integer :: compared = 0
${declarations}
  call begin('${NAME}')
${calls}
  call check(compared == values, 'all of C''s numbers are compared')
  call finish()
contains
  integer(int64) function place(address)
    type(c_ptr), intent(in) :: address
    place = transfer(address, 0_c_intptr_t)
  end function place

  subroutine compare(what, in_fortran)
    character(*), intent(in) :: what
    integer(int64), intent(in) :: in_fortran
    character(60) :: numbers
    compared = compared + 1
    write (numbers, '(i0, a, i0)') in_fortran, ' in Fortran, in C ', in_c(compared)
    call check(in_fortran == in_c(compared), what//': '//trim(numbers))
  end subroutine compare
end program ${NAME}
")
