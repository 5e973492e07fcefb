// Two kinds of failure. User errors: UserError, which bind converts to the Python exception that
// NumPy raises. Internal errors: InternalError from HS_CHECK, which states the violated assumption.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

namespace hassium {

enum class ErrorKind : std::uint8_t {
    Value,
    Type,
    Index,
    Axis,  // numpy.exceptions.AxisError
    Memory,
    Overflow,
    ZeroDivision,
    Runtime,
    Arithmetic,  // FloatingPointError
    Casting,     // numpy's UFuncTypeError family: a TypeError
    NotImplemented,
};

class UserError : public std::runtime_error {
  public:
    // `message` is NumPy's own text if NumPy raises as well.
    UserError(ErrorKind kind, const std::string& message)
        : std::runtime_error(message), kind_(kind) {}
    ErrorKind kind() const { return kind_; }

  private:
    ErrorKind kind_;
};

class InternalError : public std::logic_error {
  public:
    using std::logic_error::logic_error;
};

// Thrown between chunks when the caller of a flush was interrupted (Ctrl-C).
class Interrupted : public std::runtime_error {
  public:
    Interrupted() : std::runtime_error("interrupted") {}
};

[[noreturn]] void fail_check(const char* file, int line, const std::string& sentence);

}  // namespace hassium

#define HS_CHECK(condition, sentence)                                          \
    do {                                                                       \
        if (!(condition)) ::hassium::fail_check(__FILE__, __LINE__, sentence); \
    } while (false)
