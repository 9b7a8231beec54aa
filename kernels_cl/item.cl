/* SPDX-License-Identifier: BSD-2-Clause */
/* What processors scan with, in one program for every n: most of a build is the driver's own work for a program, and a
 * kernel that is not launched costs little (PoCL 3.1). */
#include "block.cl"
#include "lookback.cl"
