/* SPDX-License-Identifier: BSD-2-Clause */
/* Bytes of a word as bits. */
#ifndef SCANRT_CL_BITS_H
#define SCANRT_CL_BITS_H

/* Four bytes that are 0 or 1; four bytes, of which those that are not 0 are looked for: the upper bit says so. */
#define BITS_OF(byte4) ((byte4)*0x01020408u >> 24)
#define UPPER_BITS(byte4) (((((byte4)&0x7f7f7f7fu) + 0x7f7f7f7fu) | (byte4)) & 0x80808080u)
#define BITS_OF_FLAGS(byte4) BITS_OF(UPPER_BITS(byte4) >> 7)
#endif
