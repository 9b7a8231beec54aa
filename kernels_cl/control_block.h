/* SPDX-License-Identifier: BSD-2-Clause */
/* The control block of a board, before its descriptors. */
#ifndef SCANRT_CL_CONTROL_BLOCK_H
#define SCANRT_CL_CONTROL_BLOCK_H

#define CONTROL_BYTES 512
/* 32-bit words; the claim and the epoch are the first two. */
#define CONTROL_EXITED 32 /* work-groups that have finished */
#define CONTROL_ERROR 65  /* set when a wait was given up: the output is not to be trusted */
#define CONTROL_DONE 66   /* tiles written in this launch */
#endif
