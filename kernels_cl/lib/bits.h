/* SPDX-License-Identifier: BSD-2-Clause */
/* Packs bytes of a word into bits. */
#ifndef SCANRT_CL_BITS_H
#define SCANRT_CL_BITS_H

/* The bits of four bytes, each of which is 0 or 1. */
#define BITS_OF(byte4) ((byte4)*0x01020408u >> 24)
/* Sets the upper bit of each byte other than 0. */
#define UPPER_BITS(byte4) (((((byte4)&0x7f7f7f7fu) + 0x7f7f7f7fu) | (byte4)) & 0x80808080u)
/* The bits of four bytes: 1 for each byte other than 0. */
#define BITS_OF_FLAGS(byte4) BITS_OF(UPPER_BITS(byte4) >> 7)
#endif
