#include "program/text/literal.hpp"

#include <bit>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <limits>

#include "base/half.hpp"

namespace hassium {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Parses an unsigned or signed decimal that ends where a number can end; advances `text` past it.
std::optional<double> take_real(std::string_view& text) {
    std::string_view rest = text;
    bool negative = false;
    if (!rest.empty() && (rest[0] == '-' || rest[0] == '+')) {
        negative = rest[0] == '-';
        rest.remove_prefix(1);
    }
    if (rest.empty() || rest[0] == '-') return std::nullopt;
    double value = 0;
    if (rest.starts_with("nan") || rest.starts_with("inf")) {
        value = rest[0] == 'n' ? std::numeric_limits<double>::quiet_NaN()
                               : std::numeric_limits<double>::infinity();
        rest.remove_prefix(3);
    } else {
        if (!is_digit(rest[0]) && rest[0] != '.') return std::nullopt;
        auto [end, failure] = std::from_chars(rest.data(), rest.data() + rest.size(), value);
        if (failure != std::errc()) return std::nullopt;
        rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
    }
    text = rest;
    return negative ? -value : value;
}

template <class T>
std::string format_float(T value) {
    char buffer[64];
    auto [end, failure] = std::to_chars(buffer, buffer + sizeof buffer, value);
    std::string text(buffer, end);
    // Integral values keep a decimal point, so that they read back as floats.
    if (text.find_first_not_of("-0123456789") == std::string::npos) text += ".0";
    return text;
}

template <class T>
std::string format_complex(T re, T im) {
    std::string tail = format_float(im);
    if (tail[0] != '-') tail = "+" + tail;
    return format_float(re) + tail + "j";
}

template <class T>
T read(const Constant& value) {
    T result;
    std::memcpy(&result, value.bytes, sizeof(T));
    return result;
}

template <class T>
Constant hold(T value) {
    Constant result{};
    std::memcpy(result.bytes, &value, sizeof(T));
    return result;
}

template <class T>
std::optional<Constant> hold_integer(const Literal& l) {
    auto most = static_cast<std::uint64_t>(std::numeric_limits<T>::max());
    std::uint64_t limit = !l.negative ? most : std::numeric_limits<T>::is_signed ? most + 1 : 0;
    if (l.magnitude > limit) return std::nullopt;
    return hold(static_cast<T>(l.negative ? std::uint64_t{0} - l.magnitude : l.magnitude));
}

// Parses 32 hexadecimal digits into real part (low) and imaginary part (high).
std::optional<Literal> parse_bits(std::string_view digits) {
    if (digits.size() != 32) return std::nullopt;
    std::uint64_t halves[2];
    for (std::size_t k = 0; k < 2; ++k) {
        const char* first = digits.data() + 16 * k;
        auto [end, failure] = std::from_chars(first, first + 16, halves[k], 16);
        if (end != first + 16 || failure != std::errc()) return std::nullopt;
    }
    return Literal{DTypeKind::Complex, false, 0, std::bit_cast<double>(halves[1]),
                   std::bit_cast<double>(halves[0])};
}

}  // namespace

std::optional<Literal> parse_literal(std::string_view text) {
    if (text.starts_with("0x")) return parse_bits(text.substr(2));
    if (text == "True" || text == "False") {
        return Literal{DTypeKind::Bool, false, text == "True", text == "True" ? 1.0 : 0.0, 0};
    }
    std::string_view digits = text;
    bool negative = !digits.empty() && digits[0] == '-';
    if (negative) digits.remove_prefix(1);
    std::uint64_t magnitude = 0;
    auto [end, failure] = std::from_chars(digits.data(), digits.data() + digits.size(), magnitude);
    if (!digits.empty() && end == digits.data() + digits.size() && failure == std::errc()) {
        auto real = static_cast<double>(magnitude);
        return Literal{DTypeKind::Signed, negative, magnitude, negative ? -real : real, 0};
    }
    std::optional<double> first = take_real(text);
    if (!first) return std::nullopt;
    if (text.empty()) return Literal{DTypeKind::Float, false, 0, *first, 0};
    if (text == "j") return Literal{DTypeKind::Complex, false, 0, 0, *first};
    if (text[0] != '+' && text[0] != '-') return std::nullopt;
    std::optional<double> second = take_real(text);
    if (!second || text != "j") return std::nullopt;
    return Literal{DTypeKind::Complex, false, 0, *first, *second};
}

std::optional<Constant> to_constant(const Literal& l, DType dtype) {
    bool whole = l.kind == DTypeKind::Bool || l.kind == DTypeKind::Signed;
    bool real = whole || l.kind == DTypeKind::Float;
    switch (dtype) {
        case DType::Bool:
            if (!whole || l.negative || l.magnitude > 1) return std::nullopt;
            return hold(static_cast<std::uint8_t>(l.magnitude));
        case DType::I8:
            return whole ? hold_integer<std::int8_t>(l) : std::nullopt;
        case DType::I16:
            return whole ? hold_integer<std::int16_t>(l) : std::nullopt;
        case DType::I32:
            return whole ? hold_integer<std::int32_t>(l) : std::nullopt;
        case DType::I64:
            return whole ? hold_integer<std::int64_t>(l) : std::nullopt;
        case DType::U8:
            return whole ? hold_integer<std::uint8_t>(l) : std::nullopt;
        case DType::U16:
            return whole ? hold_integer<std::uint16_t>(l) : std::nullopt;
        case DType::U32:
            return whole ? hold_integer<std::uint32_t>(l) : std::nullopt;
        case DType::U64:
            return whole ? hold_integer<std::uint64_t>(l) : std::nullopt;
        case DType::F16:
            return real ? std::optional(hold(to_half(l.real))) : std::nullopt;
        case DType::F32:
            return real ? std::optional(hold(static_cast<float>(l.real))) : std::nullopt;
        case DType::F64:
            return real ? std::optional(hold(l.real)) : std::nullopt;
        case DType::C64:
            return hold(Complex64{static_cast<float>(l.real), static_cast<float>(l.imaginary)});
        case DType::C128:
            return hold(Complex128{l.real, l.imaginary});
    }
    return std::nullopt;
}

std::string format_bits(const Constant& value) {
    std::uint64_t halves[2];
    std::memcpy(halves, value.bytes, sizeof halves);
    char text[2 + 32 + 1];
    std::snprintf(text, sizeof text, "0x%016llx%016llx", static_cast<unsigned long long>(halves[1]),
                  static_cast<unsigned long long>(halves[0]));
    return text;
}

std::string format_constant(const Constant& value, DType dtype) {
    switch (dtype) {
        case DType::Bool:
            return value.bytes[0] ? "True" : "False";
        case DType::I8:
            return std::to_string(read<std::int8_t>(value));
        case DType::I16:
            return std::to_string(read<std::int16_t>(value));
        case DType::I32:
            return std::to_string(read<std::int32_t>(value));
        case DType::I64:
            return std::to_string(read<std::int64_t>(value));
        case DType::U8:
            return std::to_string(read<std::uint8_t>(value));
        case DType::U16:
            return std::to_string(read<std::uint16_t>(value));
        case DType::U32:
            return std::to_string(read<std::uint32_t>(value));
        case DType::U64:
            return std::to_string(read<std::uint64_t>(value));
        case DType::F16:
            return format_float(to_float(read<Half>(value)));
        case DType::F32:
            return format_float(read<float>(value));
        case DType::F64:
            return format_float(read<double>(value));
        case DType::C64: {
            auto z = read<Complex64>(value);
            return format_complex(z.re, z.im);
        }
        case DType::C128: {
            auto z = read<Complex128>(value);
            return format_complex(z.re, z.im);
        }
    }
    return {};
}

}  // namespace hassium
