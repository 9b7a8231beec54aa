/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file scan_cxx.h
 * @brief Lets the macros of the other headers be C and C++, from C++11 on. Included by scan_types.h.
 *
 * An initialiser such as SCAN_SPEC_INIT is in C a list of designated fields, which static objects may have, too. C++
 * has no such lists before C++20, and warns of fields that they leave out: there it is a call of a function that
 * returns the struct, which is a constant expression from C++14 on.
 */
#ifndef SCANRT_SCAN_CXX_H
#define SCANRT_SCAN_CXX_H

/** @cond */

#ifdef __cplusplus

/* The first for C++, the rest for C. */
#define SCAN_INITIALISER(call, ...) call
#define SCAN_CAST(type, value) static_cast<type>(value)

/* Before the functions: always inlined, so that programs and libraries of different versions share no symbol. */
#if __cplusplus >= 201402L
#define SCAN_MAKER constexpr inline __attribute__((always_inline))
#else
#define SCAN_MAKER inline __attribute__((always_inline))
#endif

/* The headers may be included within extern "C", where templates are not allowed. */
extern "C++" {
/* A struct whose fields are 0 but for its size. */
template <typename Struct> SCAN_MAKER Struct scan_make_() {
  Struct made = Struct();
  made.struct_bytes = sizeof(Struct);
  return made;
}
}

#else

#define SCAN_INITIALISER(call, ...) __VA_ARGS__
#define SCAN_CAST(type, value) ((type)(value))

#endif

/** @endcond */
#endif
