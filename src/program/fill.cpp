#include "program/fill.hpp"

#include <cstring>

#include "base/half.hpp"

namespace hassium {
namespace {

// SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014).
struct Generator {
    std::uint64_t state;

    std::uint64_t next() {
        std::uint64_t z = state += 0x9e3779b97f4a7c15u;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
        return z ^ (z >> 31);
    }
    double real() { return static_cast<double>(next() >> 11) * 0x1p-52 - 1.0; }
    float real32() { return static_cast<float>(next() >> 40) * 0x1p-23f - 1.0f; }
    std::int64_t integer(bool is_signed) {
        std::int64_t least = is_signed ? -100 : 0;
        return least + static_cast<std::int64_t>(next() % static_cast<std::uint64_t>(101 - least));
    }
};

template <class T>
void put(char* at, T value) {
    std::memcpy(at, &value, sizeof value);
}

void put_one(Generator& g, DType dtype, char* at) {
    switch (dtype) {
        case DType::Bool:
            return put(at, static_cast<std::uint8_t>(g.next() >> 63));
        case DType::F16:
            return put(at, to_half(g.real32()));
        case DType::F32:
            return put(at, g.real32());
        case DType::F64:
            return put(at, g.real());
        case DType::C64: {
            float re = g.real32();
            return put(at, Complex64{re, g.real32()});
        }
        case DType::C128: {
            double re = g.real();
            return put(at, Complex128{re, g.real()});
        }
        default: {
            // Little endian: a narrow integer is the first bytes of a wide one.
            std::int64_t value = g.integer(kind(dtype) == DTypeKind::Signed);
            std::memcpy(at, &value, static_cast<std::size_t>(itemsize(dtype)));
        }
    }
}

}  // namespace

void fill_input(std::string_view name, DType dtype, char* memory, std::int64_t bytes) {
    std::uint64_t seed = 0xcbf29ce484222325u;  // FNV-1a of the name
    for (unsigned char c : name) seed = (seed ^ c) * 0x100000001b3u;
    Generator generator{seed};
    for (std::int64_t at = 0; at + itemsize(dtype) <= bytes; at += itemsize(dtype)) {
        put_one(generator, dtype, memory + at);
    }
}

}  // namespace hassium
