/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file result.hpp
 * @brief Errors of the C++ interface: exceptions, or results for callers that want none. Included by scan.hpp.
 *
 * A call throws scanrt::error; with std::nothrow as its first argument the same call returns a scanrt::result. Programs
 * that are compiled without exceptions have the second form alone.
 */
#ifndef SCANRT_CXX_RESULT_HPP
#define SCANRT_CXX_RESULT_HPP

#include <new>
#include <optional>
#include <utility>

#include <scanrt/scan.h>

#ifdef __cpp_exceptions
#include <stdexcept>
#include <string>
#endif

namespace scanrt {

#ifdef __cpp_exceptions
/** A call that failed. what() is the status's name and the sentence of scan_last_error. */
class error : public std::runtime_error {
public:
  /** @param status why the call failed @param message the sentence, which is copied */
  error(scan_status status, const char *message)
      : std::runtime_error(std::string(scan_status_name(status)) + ": " + message), status_(status) {}

  /** Returns the status of the call; never SCAN_SUCCESS. */
  scan_status status() const noexcept { return status_; }

private:
  scan_status status_;
};
#endif

/** The status of a call that returns nothing else, and the sentence that says what was wrong. Allocates nothing. */
template <typename T = void> class result;

template <> class [[nodiscard]] result<void> {
public:
  /** A call that succeeded. */
  constexpr result() noexcept = default;

  /** @param status  of the call
   *  @param message a sentence, not copied: that of scan_last_error is valid until the next failure of the context */
  constexpr result(scan_status status, const char *message) noexcept : status_(status), message_(message) {}

  /** Returns the status of the call. */
  constexpr scan_status status() const noexcept { return status_; }

  /** Returns what was wrong; "" after success. */
  constexpr const char *message() const noexcept { return message_; }

  /** true after success. */
  constexpr explicit operator bool() const noexcept { return status_ == SCAN_SUCCESS; }

#ifdef __cpp_exceptions
  /** Throws the error, if there is one. */
  void value() const {
    if (status_ != SCAN_SUCCESS) throw error(status_, message_);
  }
#endif

private:
  scan_status status_ = SCAN_SUCCESS;
  const char *message_ = "";
};

/** A value, or the status and the sentence of a call that failed. */
template <typename T> class [[nodiscard]] result {
public:
  /** A call that succeeded. */
  result(T value) : value_(std::move(value)) {}

  /** A call that failed. @param fault a result that is not a success */
  result(result<void> fault) noexcept : fault_(fault) {}

  /** Returns the status of the call. */
  scan_status status() const noexcept { return fault_.status(); }

  /** Returns what was wrong; "" after success. */
  const char *message() const noexcept { return fault_.message(); }

  /** true after success. */
  explicit operator bool() const noexcept { return value_.has_value(); }

  /** The value. The call must have succeeded. */
  T &operator*() &noexcept { return *value_; }
  const T &operator*() const &noexcept { return *value_; }  /**< The value. */
  T &&operator*() &&noexcept { return *std::move(value_); } /**< The value, to be moved from. */
  T *operator->() noexcept { return &*value_; }             /**< A member of the value. */
  const T *operator->() const noexcept { return &*value_; } /**< A member of the value. */

#ifdef __cpp_exceptions
  /** Returns the value, or throws the error. */
  T value() && {
    fault_.value();
    return *std::move(value_);
  }
#endif

private:
  std::optional<T> value_;
  result<void> fault_;
};

namespace detail {

/* The result of a call of the C interface. */
inline result<void> result_of(scan_status status, const scan_ctx *ctx) noexcept {
  if (status == SCAN_SUCCESS) return {};
  return { status, scan_last_error(ctx) };
}

/* A call that is refused before it reaches the library. */
inline result<void> refusal(const char *message) noexcept { return { SCAN_INVALID_ARGUMENT, message }; }

}
}

#endif
