/* SPDX-License-Identifier: BSD-2-Clause */
/* The control block of a look-back state, which precedes its descriptors. */
#ifndef SCANRT_CL_CONTROL_BLOCK_H
#define SCANRT_CL_CONTROL_BLOCK_H

#define CONTROL_BYTES 512
/* Indices of 32-bit words; the first two words are the claim and the epoch. */
#define CONTROL_EXITED 32 /* work-groups that have finished */
#define CONTROL_ERROR 65  /* set when a wait gave up or tiles are missing: the output is invalid */
#define CONTROL_DONE 66   /* tiles written in this launch */
#endif
