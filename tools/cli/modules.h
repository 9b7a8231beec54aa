/* SPDX-License-Identifier: BSD-2-Clause */
/** @file modules.h @brief Where the tool's modules are: beside the program, or in the library folder's scanrt/. */
#ifndef SCANRT_CLI_MODULES_H
#define SCANRT_CLI_MODULES_H

enum { MODULES_PATH_BYTES = 4352, MODULES_FOLDERS = 2 };

/** A folder that modules may lie in. @param which  0 to MODULES_FOLDERS - 1, in the order in which they are looked
 *  through. @return 0 where it is not known */
int modules_folder(int which, char folder[MODULES_PATH_BYTES]);

#endif
