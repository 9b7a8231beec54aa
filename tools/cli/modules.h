/* SPDX-License-Identifier: BSD-2-Clause */
/** @file modules.h @brief Finds the folders of the tool's modules: beside the program, and scanrt/ in the library
 * folder. */
#ifndef SCANRT_CLI_MODULES_H
#define SCANRT_CLI_MODULES_H

enum { MODULES_PATH_BYTES = 4352, MODULES_FOLDERS = 2 };

/** Returns a folder that may contain modules. @param which  0 to MODULES_FOLDERS - 1, in the order of the search.
 * @return 0 if the folder is not known */
int modules_folder(int which, char folder[MODULES_PATH_BYTES]);

#endif
