# SPDX-License-Identifier: BSD-2-Clause
# Script: writes one C source that holds files as arrays. runtime/base/embedded.h declares the tables.
#   cmake -D MODE=texts       -D OUTPUT=x.c -D FILES=a;b -P Embed.cmake   texts and the table scan_kernel_texts; those of
#                                                                          kernels_cu/, cuda/ and composites/ with their
#                                                                          folder; what stands between form feeds
#                                                                          (Flatten.cmake) is held once
#   cmake -D MODE=image       -D OUTPUT=x.c -D FILES=a   -P Embed.cmake   one binary image
#   cmake -D MODE=image_table -D OUTPUT=x.c -D FILES=a;b -P Embed.cmake   the table scan_cuda_images (FILES may be empty)
cmake_minimum_required(VERSION 3.25)

# embed_piece(text out_symbol): sets out_symbol to the name of the text's array, and adds the array to the global
# property CODE if it is new. The array is a string literal, which compilers read ten times faster than numbers.
function(embed_piece text out_symbol)
  string(MD5 hash "${text}")
  set(symbol "scan_piece_${hash}")
  get_property(is_there GLOBAL PROPERTY ${symbol} SET)
  if(NOT is_there)
    set_property(GLOBAL PROPERTY ${symbol} 1)
    foreach(character "\\" "\"" "?") # the last for trigraphs
      string(REPLACE "${character}" "\\${character}" text "${text}")
    endforeach()
    string(REPLACE "\n" "\\n\"\n\"" text "${text}")
    set_property(GLOBAL APPEND_STRING PROPERTY CODE "static const char ${symbol}[] =\n\"${text}\";\n")
  endif()
  set(${out_symbol} ${symbol} PARENT_SCOPE)
endfunction()

# embed_text(file out_pieces): sets out_pieces to the names of the file's pieces, as elements of an array.
function(embed_text file out_pieces)
  file(READ "${file}" text)
  string(ASCII 12 form_feed)
  set(pieces "")
  while(NOT text STREQUAL "")
    string(FIND "${text}" "${form_feed}" end)
    string(SUBSTRING "${text}" 0 ${end} piece)
    if(NOT piece STREQUAL "")
      embed_piece("${piece}" symbol)
      string(APPEND pieces "${symbol}, ")
    endif()
    if(end EQUAL -1)
      break()
    endif()
    math(EXPR end "${end} + 1")
    string(SUBSTRING "${text}" ${end} -1 text)
  endwhile()
  set(${out_pieces} "${pieces}" PARENT_SCOPE)
endfunction()

# Writes an image as 64-bit words (least significant byte first, as on every machine with CUDA): an eighth of the
# compiler's tokens, with the alignment that the driver needs.
function(embed_image file symbol out_code)
  file(READ "${file}" hex HEX)
  string(LENGTH "${hex}" digits)
  math(EXPR padding "(16 - ${digits} % 16) % 16")
  string(REPEAT "0" ${padding} zeros)
  set(byte "([0-9a-f][0-9a-f])")
  string(REPEAT "${byte}" 8 word)
  string(REGEX REPLACE "${word}" "0x\\8\\7\\6\\5\\4\\3\\2\\1,\n" array "${hex}${zeros}")
  set(${out_code} "const uint64_t ${symbol}[] = {\n${array}};\n" PARENT_SCOPE)
endfunction()

set(code "/* Made by cmake/Embed.cmake. */\n#include \"base/embedded.h\"\n\n#include <stddef.h>\n#include <stdint.h>\n\n")
set(rows "")

if(MODE STREQUAL "texts")
  set_property(GLOBAL PROPERTY CODE "")
  set(arrays "")
  string(APPEND code "#pragma GCC diagnostic ignored \"-Woverlength-strings\"\n\n")
  foreach(file IN LISTS FILES)
    cmake_path(GET file FILENAME name)
    if(file MATCHES "/(kernels_cu/lib|cuda|composites|device)/[^/]+$") # beside the OpenCL ones, some with the same name
      set(name "${CMAKE_MATCH_1}/${name}")
    endif()
    string(REGEX REPLACE "[^A-Za-z0-9]" "_" symbol "scan_text_${name}")
    embed_text("${file}" pieces)
    string(APPEND arrays "static const char *const ${symbol}[] = {${pieces}NULL};\n")
    string(APPEND rows "  {\"${name}\", ${symbol}},\n")
  endforeach()
  get_property(pieces GLOBAL PROPERTY CODE)
  string(APPEND code "${pieces}${arrays}\n")
  string(APPEND code "const struct scan_embedded_text scan_kernel_texts[] = {\n${rows}};\n"
    "const size_t scan_kernel_text_count = sizeof scan_kernel_texts / sizeof scan_kernel_texts[0];\n")

elseif(MODE STREQUAL "image")
  cmake_path(GET FILES STEM name)
  embed_image("${FILES}" scan_cuda_image_${name} array)
  string(APPEND code "extern const uint64_t scan_cuda_image_${name}[];\n${array}")

elseif(MODE STREQUAL "image_table")
  list(LENGTH FILES count)
  foreach(file IN LISTS FILES)
    cmake_path(GET file STEM name)
    file(SIZE "${file}" bytes)
    string(APPEND code "extern const uint64_t scan_cuda_image_${name}[];\n")
    string(APPEND rows "  {\"${name}\", (const unsigned char *)scan_cuda_image_${name}, ${bytes}},\n")
  endforeach()
  # ISO C has no empty array: the last row is a terminator, which the count excludes.
  string(APPEND code "\nconst struct scan_embedded_image scan_cuda_images[] = {\n${rows}  {NULL, NULL, 0},\n};\n"
    "const size_t scan_cuda_image_count = ${count};\n")

else()
  message(FATAL_ERROR "Embed.cmake: MODE is '${MODE}': give texts, image or image_table")
endif()

file(WRITE "${OUTPUT}" "${code}")
