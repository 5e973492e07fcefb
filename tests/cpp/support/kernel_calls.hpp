// Buffers, random operands and calls of kernels, for the tests of kernel tables.
#pragma once

#include <cmath>
#include <cstdio>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "base/settings.hpp"
#include "exec/flags.hpp"
#include "ops/loop_types.hpp"
#include "simd/tables/kernels.hpp"
#include "support/check.hpp"

namespace kernel_tests {

using namespace hassium;  // NOLINT: tests speak of the project alone

inline int failures = 0;

// Goes on, so that one run names every row that fails.
inline void check_at(bool good, int line, const std::string& what) {
    if (good) return;
    ++failures;
    std::fprintf(stderr, "line %d: %s\n", line, what.c_str());
}
#define CHECK_AT(condition, what) check_at((condition), __LINE__, (what))

// Runs the checks on the kernels of each instruction set of the build; how the process ends.
inline int check_levels(void (*check)()) {
    const char* const* names;
    const int count = available_levels(&names);
    CHECK(count > 0);
    for (int k = 0; k < count; ++k) {
        settings().set("simd", names[k]);
        check();
    }
    return failures != 0;
}

inline constexpr int kGuard = 64;
inline std::mt19937_64 random_bits(12345);

// n elements and a guard behind them that nothing may touch.
struct Buffer {
    DType dtype;
    std::int64_t n;
    std::vector<char> bytes;

    Buffer(DType t, std::int64_t count)
        : dtype(t), n(count), bytes(static_cast<std::size_t>(count * itemsize(t) + kGuard), 0x5a) {}
    char* at(std::int64_t k) { return bytes.data() + k * itemsize(dtype); }
    char* data() { return bytes.data(); }
    bool intact() const {
        for (std::size_t k = bytes.size() - kGuard; k < bytes.size(); ++k) {
            if (bytes[k] != 0x5a) return false;
        }
        return true;
    }
};

// Small numbers, numbers of any size, and bit patterns without signalling nans.
inline void randomise(Buffer& b, bool small_positive = false) {
    for (std::int64_t k = 0; k < b.n; ++k) {
        std::uint64_t bits[2] = {random_bits(), random_bits()};
        const int choice = static_cast<int>(random_bits() % 4);
        const int small = static_cast<int>(random_bits() % 9) - (small_positive ? 0 : 4);
        std::int64_t value = small;
        double real[2] = {small / 2.0, static_cast<double>(bits[0] % 1000) / 64 - 7};
        if (choice == 0 && !small_positive)
            real[0] = std::ldexp(real[1], static_cast<int>(bits[1] % 60) - 30);
        if (choice == 1 && !small_positive) value = static_cast<std::int64_t>(bits[0]);
        if (choice == 2 && !small_positive) {
            const double specials[] = {0.0, -0.0, INFINITY, -INFINITY, NAN, 1e300, 5e-324, -1e-310};
            real[0] = specials[bits[0] % 8];
        }
        const int from = kind(b.dtype) == DTypeKind::Float     ? static_cast<int>(DType::F64)
                         : kind(b.dtype) == DTypeKind::Complex ? static_cast<int>(DType::C128)
                                                               : static_cast<int>(DType::I64);
        const char* source = is_inexact(b.dtype) ? reinterpret_cast<const char*>(real)
                                                 : reinterpret_cast<const char*>(&value);
        kernels().cast[from][static_cast<int>(b.dtype)](b.at(k), source, 1);
    }
}

struct Call {
    std::vector<Buffer> outs, ins;
    std::uint8_t raised = 0;
};

// Runs a map over the whole of the inputs; those in `scalars` have one element.
inline Call run_map(Op op, DType compute, const std::vector<Buffer>& ins, std::uint32_t scalars,
                    std::int64_t n) {
    const LoopTypes loop = loop_types(info(op).rule, compute);
    Call call{{}, ins, 0};
    std::vector<char*> ptr;
    for (int k = 0; k < info(op).nout; ++k) call.outs.emplace_back(loop.out[k], n);
    for (Buffer& b : call.outs) ptr.push_back(b.data());
    for (Buffer& b : call.ins) ptr.push_back(b.data());
    clear_fp_flags();
    kernels().map[static_cast<int>(op)][static_cast<int>(compute)](ptr.data(), scalars, n);
    call.raised = read_fp_flags();
    return call;
}

inline Buffer element(const Buffer& b, std::int64_t k) {
    Buffer one(b.dtype, 1);
    std::memcpy(one.data(), const_cast<Buffer&>(b).at(b.n == 1 ? 0 : k),
                static_cast<std::size_t>(itemsize(b.dtype)));
    return one;
}

inline bool same_element(Buffer& a, std::int64_t i, Buffer& b, std::int64_t j) {
    return std::memcmp(a.at(i), b.at(j), static_cast<std::size_t>(itemsize(a.dtype))) == 0;
}

// The same bits, or the same parts with two nans taken as equal: which of two nans survives an
// operation is nobody's promise.
inline bool same_number(Buffer& a, std::int64_t i, Buffer& b, std::int64_t j) {
    if (same_element(a, i, b, j)) return true;
    double parts[2][2];
    Buffer* sides[] = {&a, &b};
    for (int s = 0; s < 2; ++s) {
        kernels().cast[static_cast<int>(a.dtype)][static_cast<int>(DType::C128)](
            reinterpret_cast<char*>(parts[s]), sides[s]->at(s == 0 ? i : j), 1);
    }
    auto equal = [&](int k) {
        bool nans = std::isnan(parts[0][k]) && std::isnan(parts[1][k]);
        return nans || std::memcmp(&parts[0][k], &parts[1][k], sizeof(double)) == 0;
    };
    return is_inexact(a.dtype) && equal(0) && equal(1);
}

inline bool same_value(Buffer& a, Buffer& b) { return same_number(a, 0, b, 0); }

inline std::vector<Buffer> random_inputs(Op op, DType compute, std::int64_t n) {
    const LoopTypes loop = loop_types(info(op).rule, compute);
    std::vector<Buffer> ins;
    for (int k = 0; k < info(op).nin; ++k) {
        ins.emplace_back(loop.in[k], n);
        // Exponents of whole numbers are not negative: the recorder refuses those.
        randomise(ins.back(), k == 1 && info(op).has(kMath) && is_integer(compute));
    }
    return ins;
}

inline bool has_map(Op op, DType t) {
    return kernels().map[static_cast<int>(op)][static_cast<int>(t)] != nullptr;
}

inline std::string where(Op op, DType t) {
    return std::string(kernels().level) + " " + std::string(info(op).name) + " " +
           std::string(info(t).name);
}

template <class Body>
void for_all_maps(Body body) {
    for (int o = 0; o < kOpCount; ++o) {
        for (int t = 0; t < kDTypeCount; ++t) {
            const Op op = static_cast<Op>(o);
            const DType dtype = static_cast<DType>(t);
            if (has_map(op, dtype)) body(op, dtype);
        }
    }
}

}  // namespace kernel_tests
