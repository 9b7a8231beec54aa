/* SPDX-License-Identifier: BSD-2-Clause */
/* Undefines the macros of a type's file, for the next one. */
#undef NAME
#undef NUMBER
#undef INDEX
#undef PAIR
#undef LITERAL
#undef DIGITS
#undef IS_NAN
