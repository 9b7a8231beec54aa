/* SPDX-License-Identifier: BSD-2-Clause */
/* The C text of an operator from source, as a preprocessor reads it, and the lines of it that a compiler's log names.
 */
#ifndef SCANRT_SOURCE_TEXT_H
#define SCANRT_SOURCE_TEXT_H

#include <stddef.h>

/* Writes an "#undef NAME" line to `out` for every macro that the text defines, at most out_bytes including the end.
 * Like snprintf it returns the bytes that all lines take. */
size_t scan_source_undefine(const char *text, char *out, size_t out_bytes);

/* 1 if the text, outside of comments and strings, uses a name that begins with scanrt_; sets the name and its line. */
enum { SCAN_SOURCE_NAME_BYTES = 256 };
int scan_source_reserved(const char *text, char name[SCAN_SOURCE_NAME_BYTES], int *line);

/* Returns "a comment" or "a conditional (#if)" that the text leaves open, and its line; NULL if there is none. It would
 * swallow the library's own text. */
const char *scan_source_open(const char *text, int *line);

/* Longest name of a function or a type. */
enum { SCAN_SOURCE_MOST_WORDS = 100 };

/* 1 for an identifier that may name a function and that the library does not reserve. */
int scan_source_is_function(const char *name);

/* 1 for words between single blanks: "float", "struct pair", "unsigned int". */
int scan_source_is_type(const char *type);

/* Copies a compiler's log to `out`, truncated to fit. Line numbers of the whole program, which NVIDIA's OpenCL
 * prints whatever #line says ("<kernel>:18:1"), become those of the text ("operator:1:1"), which follows
 * `lines_before` lines. */
void scan_source_relocate(const char *log, const char *text, int lines_before, char *out, size_t out_bytes);

#endif
