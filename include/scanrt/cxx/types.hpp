/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file types.hpp
 * @brief Element types and built-in operators of the C++ interface. Included by scan.hpp.
 */
#ifndef SCANRT_CXX_TYPES_HPP
#define SCANRT_CXX_TYPES_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <scanrt/scan.h>

namespace scanrt {

/** The bits of an IEEE 754 binary16: SCAN_F16. */
struct half {
  uint16_t bits; /**< Sign, 5 bits of the exponent, 10 of the fraction. */
};

/** The bits of a bfloat16: SCAN_BF16. */
struct bfloat16 {
  uint16_t bits; /**< The upper half of a binary32. */
};

/**
 * The scan_type of a C++ type, as `value`: integers by size and sign, float, double, half, bfloat16, and the 16-bit
 * floating-point types that the compiler has (_Float16, std::float16_t, std::bfloat16_t). Specialise it for others of
 * the same layout, such as CUDA's:
 *
 *     template <> struct scanrt::element_type<__half> : scanrt::element_type<scanrt::half> {};
 */
template <typename T, typename = void> struct element_type {};

/** Integers. bool is none: its bytes are flags. */
template <typename T>
struct element_type<T, std::enable_if_t<std::is_integral<T>::value && !std::is_same<T, bool>::value>> {
  static constexpr scan_type value = sizeof(T) == 1   ? (std::is_signed<T>::value ? SCAN_I8 : SCAN_U8)
                                     : sizeof(T) == 2 ? (std::is_signed<T>::value ? SCAN_I16 : SCAN_U16)
                                     : sizeof(T) == 4
                                         ? (std::is_signed<T>::value ? SCAN_I32 : SCAN_U32)
                                         : (std::is_signed<T>::value ? SCAN_I64 : SCAN_U64); /**< By size and sign. */
};
/** binary32. */
template <> struct element_type<float> { static constexpr scan_type value = SCAN_F32; /**< Its type. */ };
/** binary64. */
template <> struct element_type<double> { static constexpr scan_type value = SCAN_F64; /**< Its type. */ };
/** binary16. */
template <> struct element_type<half> { static constexpr scan_type value = SCAN_F16; /**< Its type. */ };
/** bfloat16. */
template <> struct element_type<bfloat16> { static constexpr scan_type value = SCAN_BF16; /**< Its type. */ };
#if defined(__FLT16_MANT_DIG__) && !defined(__CUDACC__) &&                                                             \
    (defined(__clang__) ? __clang_major__ >= 15 : defined(__GNUC__) && __GNUC__ >= 12)
/** The compiler's binary16. */
template <> struct element_type<_Float16> : element_type<half> {};
#endif
#ifdef __STDCPP_BFLOAT16_T__
/** The compiler's bfloat16. */
template <> struct element_type<decltype(0.0bf16)> : element_type<bfloat16> {};
#endif

/** A built-in operator as an object. */
template <scan_op_id Id> struct builtin {};

inline constexpr builtin<SCAN_ADD> add{};  /**< Sums. */
inline constexpr builtin<SCAN_MUL> mul{};  /**< Products. */
inline constexpr builtin<SCAN_MIN> min{};  /**< The least so far; a NaN, once met, stays. */
inline constexpr builtin<SCAN_MAX> max{};  /**< The greatest so far; a NaN, once met, stays. */
inline constexpr builtin<SCAN_AND> and_{}; /**< Bitwise and, of integers. */
inline constexpr builtin<SCAN_OR> or_{};   /**< Bitwise or, of integers. */
inline constexpr builtin<SCAN_XOR> xor_{}; /**< Bitwise exclusive or, of integers. */

namespace detail {

template <typename T> using bare = std::remove_cv_t<std::remove_reference_t<T>>;

template <typename T, typename = void> struct is_element : std::false_type {};
template <typename T> struct is_element<T, std::void_t<decltype(element_type<T>::value)>> : std::true_type {};

/* The scan_type of T; a compile-time error where there is none. */
template <typename T> constexpr scan_type type_of() {
  static_assert(is_element<T>::value, "the library has no scans and keys of this type: specialise scanrt::element_type "
                                      "if it has the layout of one that there is");
  return element_type<T>::value;
}

/* Keys of one word, or of two: std::array<K, 2>, the first more significant. */
template <typename T> struct key {
  static constexpr scan_type type = type_of<T>();
  static constexpr uint32_t words = 0;
};
template <typename T> struct key<std::array<T, 2>> {
  static constexpr scan_type type = type_of<T>();
  static constexpr uint32_t words = 2;
};

/* Indices, lengths and offsets: SCAN_U32 or SCAN_U64. */
template <typename T> constexpr scan_type index_type() {
  static_assert(std::is_unsigned<T>::value && (sizeof(T) == 4 || sizeof(T) == 8),
                "indices, lengths and offsets are unsigned integers of 32 or 64 bits");
  return type_of<T>();
}

}
}

#endif
