/* SPDX-License-Identifier: BSD-2-Clause */
/* What a file of a type defines, for the next one. */
#undef NAME
#undef NUMBER
#undef INDEX
#undef PAIR
#undef LITERAL
#undef DIGITS
#undef IS_NAN
