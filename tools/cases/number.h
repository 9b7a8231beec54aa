/* SPDX-License-Identifier: BSD-2-Clause */
/** @file number.h @brief Numbers of the element types as text. */
#ifndef SCANRT_CLI_NUMBER_H
#define SCANRT_CLI_NUMBER_H

#include <scanrt/scan.h>

enum { NUMBER_TEXT_BYTES = 40, NUMBER_WORDS_BYTES = 192 };

/** What number_parse found. */
typedef enum number_status {
  NUMBER_OK,
  NUMBER_NOT_ONE,     /**< Not a number of this kind. */
  NUMBER_OUT_OF_RANGE /**< A number, but outside the type's range. */
} number_status;

/** Parses the whole of `text` (decimal; floats as strtod takes them). @param[out] value the member of `type`. */
number_status number_parse(scan_type type, const char *text, scan_value *value);

/** Says what is wrong, such as "'300' is outside the range of u8, 0 to 255".
 *  @param status  not NUMBER_OK. @param type_option  such as "type": the option by which a type is suggested that has
 *  the number; NULL: none. @return words */
const char *number_refusal(scan_type type, const char *text, number_status status, const char *type_option,
                           char words[NUMBER_WORDS_BYTES]);

/** The least and the largest number of a type, "0 to 255". */
const char *number_range(scan_type type);

/** Formats one element so that number_parse gives the same bits (NaN payloads apart).
 *  @param element of `type`, any alignment. @return the number of characters */
int number_format(scan_type type, const void *element, char text[NUMBER_TEXT_BYTES]);

#endif
