// SPDX-License-Identifier: BSD-2-Clause
// The pipelined scan with every operator of module.cu on one pair of types, in a module of its own: it is compiled for
// each architecture by itself, the portable kernels once for all.
#define SCAN_MODULE_PIPELINED 1
#include "instances/module.cu"
