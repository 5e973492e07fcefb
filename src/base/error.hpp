// Two kinds of failure. The user's: UserError, which bind turns into the Python exception that
// NumPy raises. Ours: InternalError from HS_CHECK, which says what was assumed.
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
    // `message` is NumPy's own text where NumPy raises as well.
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

// Raised between chunks when the caller of a flush was interrupted (Ctrl-C).
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
