/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file fields.h
 * @brief Splits a line of text into fields: words between blanks, or the text between delimiters, which may be quoted
 * as in RFC 4180.
 *
 * A quoted field begins with a double quote, may hold delimiters and line ends, and has a double quote written twice.
 * Between tabs a quote without an end on its line is an ordinary character.
 */
#ifndef SCANRT_CLI_FIELDS_H
#define SCANRT_CLI_FIELDS_H

/** A range of text. */
typedef struct span {
  char *begin;
  char *end;
} span;

/** Removes blanks, tabs and carriage returns from both ends. */
span fields_trim(span s);

/** Finds the end of a record: its line feed or the text's end. @return NULL if a quoted field has no end */
char *fields_record_end(char *begin, char *end, char delimiter);

/** Result of fields_next. */
typedef enum fields_status {
  FIELDS_NONE,       /**< No field is left. */
  FIELDS_ONE,        /**< A field. */
  FIELDS_AFTER_QUOTE /**< More text after a closing quote. */
} fields_status;

/** Removes the next field from a record, and its quotes in place.
 * @param[in,out] rest  first the record, then what is left of it
 * @param delimiter  0: blanks and tabs
 * @param[out] field  trimmed */
fields_status fields_next(span *rest, char delimiter, span *field);

#endif
