/* SPDX-License-Identifier: BSD-2-Clause */
/* The kernels that processors scan with, in one program for every n: most of a build is the driver's fixed work for a
 * program, and a kernel that is not launched costs little (PoCL 3.1). */
#include "scan/block.cl"
#include "scan/lookback.cl"
