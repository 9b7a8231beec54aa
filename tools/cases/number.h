/* SPDX-License-Identifier: BSD-2-Clause */
/** @file number.h @brief Converts numbers of the element types to and from text. */
#ifndef SCANRT_CLI_NUMBER_H
#define SCANRT_CLI_NUMBER_H

#include <scanrt/scan.h>

enum { NUMBER_TEXT_BYTES = 40, NUMBER_WORDS_BYTES = 192 };

/** Result of number_parse. */
typedef enum number_status {
  NUMBER_OK,
  NUMBER_NOT_ONE,     /**< Not a number of this kind. */
  NUMBER_OUT_OF_RANGE /**< A number outside the type's range. */
} number_status;

/** Parses all of `text` (decimal; floats as strtod reads them). @param[out] value  its member of `type` is set */
number_status number_parse(scan_type type, const char *text, scan_value *value);

/** Words the fault of a text, such as "'300' is outside the range of u8, 0 to 255".
 * @param status  not NUMBER_OK
 * @param type_option  name of the type option, such as "type", used to suggest a type that can hold the number; NULL:
 * no suggestion
 * @return words */
const char *number_refusal(scan_type type, const char *text, number_status status, const char *type_option,
                           char words[NUMBER_WORDS_BYTES]);

/** Returns the smallest and the largest number of a type as text, such as "0 to 255". */
const char *number_range(scan_type type);

/** Formats one element so that number_parse gives the same bits (except NaN payloads).
 * @param element  of `type`, any alignment
 * @return the number of characters */
int number_format(scan_type type, const void *element, char text[NUMBER_TEXT_BYTES]);

#endif
