/* SPDX-License-Identifier: BSD-2-Clause */
/* Types of elements by their number in scan.h. The argument is a macro such as SCAN_TYPE; halves (11, 12) are moved as
 * their bits. */
#ifndef SCANRT_CL_TYPES_H
#define SCANRT_CL_TYPES_H

#define TYPE_PASTE(row, type) row##type
#define TYPE_ROW(row, type) TYPE_PASTE(row, type)

#define TYPE_T(type) TYPE_ROW(TYPE_T_, type)
#define TYPE_T_1 scanrt_i8
#define TYPE_T_2 scanrt_u8
#define TYPE_T_3 scanrt_i16
#define TYPE_T_4 scanrt_u16
#define TYPE_T_5 scanrt_i32
#define TYPE_T_6 scanrt_u32
#define TYPE_T_7 scanrt_i64
#define TYPE_T_8 scanrt_u64
#define TYPE_T_9 scanrt_f32
#define TYPE_T_10 scanrt_f64
#define TYPE_T_11 scanrt_u16
#define TYPE_T_12 scanrt_u16

#define TYPE_BYTES(type) TYPE_ROW(TYPE_BYTES_, type)
#define TYPE_BYTES_0 1 /* from source: unused */
#define TYPE_BYTES_1 1
#define TYPE_BYTES_2 1
#define TYPE_BYTES_3 2
#define TYPE_BYTES_4 2
#define TYPE_BYTES_5 4
#define TYPE_BYTES_6 4
#define TYPE_BYTES_7 8
#define TYPE_BYTES_8 8
#define TYPE_BYTES_9 4
#define TYPE_BYTES_10 8
#define TYPE_BYTES_11 2
#define TYPE_BYTES_12 2

/* The unsigned integer of a type's size. */
#define TYPE_WORD(type) TYPE_ROW(TYPE_WORD_, TYPE_BYTES(type))
#define TYPE_WORD_1 scanrt_u8
#define TYPE_WORD_2 scanrt_u16
#define TYPE_WORD_4 scanrt_u32
#define TYPE_WORD_8 scanrt_u64

/* The canonical NaNs, which results of arithmetic show in place of any NaN: devices and processors make others. */
#define F32_NAN BITS_F32(0x7fc00000u)
#define F64_NAN BITS_F64(0x7ff8000000000000ul)

/* 1 for unsigned integers, which all elements that are only moved are read as. */
#define TYPE_IS_UNSIGNED(type) ((type) <= 8 && (type) % 2 == 0 && (type) != 0)
#endif
