/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file fields.h
 * @brief Fields of a line of text: words between blanks, or what lies between delimiters, which may be quoted as in
 * RFC 4180.
 *
 * A quoted field begins with a double quote, may hold delimiters and line ends, and has a double quote written twice.
 * Between tabs a quote without an end on its line is a character as any other.
 */
#ifndef SCANRT_CLI_FIELDS_H
#define SCANRT_CLI_FIELDS_H

/** A piece of text. */
typedef struct span {
  char *begin;
  char *end;
} span;

/** Leaves out blanks, tabs and carriage returns at its ends. */
span fields_trim(span s);

/** Finds the end of a record: its line feed or the text's end. @return NULL where a quoted field has no end */
char *fields_record_end(char *begin, char *end, char delimiter);

/** Result of fields_next. */
typedef enum fields_status {
  FIELDS_NONE,       /**< No field is left. */
  FIELDS_ONE,        /**< A field. */
  FIELDS_AFTER_QUOTE /**< More text after a closing quote. */
} fields_status;

/** Takes the next field off a record. A quoted one loses its quotes, in place.
 *  @param[in,out] rest  at first the record. @param delimiter  0: blanks and tabs. @param[out] field  trimmed */
fields_status fields_next(span *rest, char delimiter, span *field);

#endif
