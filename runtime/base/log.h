/* SPDX-License-Identifier: BSD-2-Clause */
/* $SCANRT_LOG: error, info or debug to standard error; nothing is written by default. */
#ifndef SCANRT_LOG_H
#define SCANRT_LOG_H

typedef enum scan_log_level { SCAN_LOG_ERROR = 1, SCAN_LOG_INFO = 2, SCAN_LOG_DEBUG = 3 } scan_log_level;

void scan_log(scan_log_level level, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
