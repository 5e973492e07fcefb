// Every exact row in every compute dtype, tiled against the reference executor: maps plain, masked,
// cast and strided, reductions over every axis. Bits agree, and so do the conditions raised.
#include <algorithm>
#include <bit>
#include <cmath>

#include "base/error.hpp"
#include "ops/dtype_rules.hpp"
#include "reference/reference.hpp"
#include "runtime/memory_pool.hpp"
#include "simd/tables/kernels.hpp"
#include "support/blocks.hpp"

namespace {

using namespace blocks;

// Numbers that every dtype holds and that stay clear of overflow in products.
void fill_base(char* memory, DType dtype, std::int64_t bytes, check::Random& random) {
    for (std::int64_t at = 0; at < bytes; at += itemsize(dtype)) {
        long long n = random.between(0, 9);
        bool negative = kind(dtype) != DTypeKind::Unsigned && dtype != DType::Bool;
        if (negative && random.below(2)) n = -n;
        char* to = memory + at;
        auto put = [to](auto x) { std::memcpy(to, &x, sizeof(x)); };
        switch (dtype) {
            case DType::Bool:
                put(static_cast<std::uint8_t>(n & 1));
                break;
            case DType::F16:
                // Whole numbers below 16 in binary16.
                put(static_cast<std::uint16_t>(
                    n == 0
                        ? 0
                        : ((n < 0 ? 0x8000 : 0) |
                           ((std::bit_width(static_cast<unsigned>(std::abs(n))) - 1 + 15) << 10) |
                           ((std::abs(n)
                             << (11 - std::bit_width(static_cast<unsigned>(std::abs(n))))) &
                            0x3ff))));
                break;
            case DType::F32:
                put(static_cast<float>(n) + 0.25f);
                break;
            case DType::F64:
                put(static_cast<double>(n) + 0.375);
                break;
            case DType::C64:
                put(Complex64{static_cast<float>(n), 0.5f});
                break;
            case DType::C128:
                put(Complex128{static_cast<double>(n), -0.5});
                break;
            default:
                std::memcpy(to, &n, static_cast<std::size_t>(itemsize(dtype)));
        }
    }
}

View any_view(Builder& b, DType dtype, const Dims& shape, int style) {
    const Dims doubled{shape[0], shape[1] * 2 + 1};
    View v = b.array(dtype, style == 1 ? doubled : shape, true);
    v.shape = shape;
    if (style == 1) v.strides[1] *= 2;
    if (style == 2) {
        v.offset = v.strides[1] * (shape[1] - 1);
        v.strides[1] = -v.strides[1];
    }
    if (style == 3) v.strides[0] = 0;
    return v;
}

std::vector<Binding> bind(const Program& p, unsigned long long seed) {
    check::Random random{seed};
    std::vector<Binding> bases;
    for (const BaseInfo& info : p.bases) {
        char* data = memory_pool().acquire(info.bytes);
        fill_base(data, info.dtype, info.bytes, random);
        bases.push_back({data, info.bytes});
    }
    return bases;
}

template <class T>
bool same_number(const char* a, const char* b) {
    T x, y;
    std::memcpy(&x, a, sizeof(T));
    std::memcpy(&y, b, sizeof(T));
    return std::memcmp(a, b, sizeof(T)) == 0 || (std::isnan(x) && std::isnan(y));
}

bool same_element(DType dtype, const char* a, const char* b) {
    auto half_nan = [](const char* p) {
        std::uint16_t bits;
        std::memcpy(&bits, p, 2);
        return (bits & 0x7fff) > 0x7c00;
    };
    switch (dtype) {
        case DType::F16:
            return std::memcmp(a, b, 2) == 0 || (half_nan(a) && half_nan(b));
        case DType::F32:
            return same_number<float>(a, b);
        case DType::F64:
            return same_number<double>(a, b);
        case DType::C64:
            return same_number<float>(a, b) && same_number<float>(a + 4, b + 4);
        case DType::C128:
            return same_number<double>(a, b) && same_number<double>(a + 8, b + 8);
        default:
            return std::memcmp(a, b, static_cast<std::size_t>(itemsize(dtype))) == 0;
    }
}

int compared = 0;

void compare(const Builder& b, const std::string& what) {
    const Program& p = b.program;
    std::vector<Binding> tiled = bind(p, 77), plain = bind(p, 77);
    RunState tile_state, plain_state;
    LoopPlan plan = lower(p, block_of(0, static_cast<std::uint32_t>(p.instructions.size())));
    plan.verify();
    run_block(p, plan, *compile(plan), tiled, tile_state);
    for (std::size_t k = 0; k < p.instructions.size(); ++k) run_reference(p, k, plain, plain_state);
    for (std::size_t base = 0; base < p.bases.size(); ++base) {
        DType dtype = p.bases[base].dtype;
        for (std::int64_t at = 0; at < p.bases[base].bytes; at += itemsize(dtype)) {
            if (same_element(dtype, tiled[base].data + at, plain[base].data + at)) continue;
            check::fail(__FILE__, __LINE__,
                        what + ": base " + std::to_string(base) + " byte " + std::to_string(at) +
                            "\n" + plan.dump());
        }
        memory_pool().release(tiled[base].data, p.bases[base].bytes);
        memory_pool().release(plain[base].data, p.bases[base].bytes);
    }
    // Underflow depends on how a function arrives at its result.
    int tile_raised = tile_state.raised & plan.raises & ~kUnder;
    if (tile_raised != (plain_state.raised & ~kUnder)) {
        check::fail(__FILE__, __LINE__,
                    what + ": raised " + std::to_string(tile_raised) + ", reference " +
                        std::to_string(plain_state.raised) + "\n" + plan.dump());
    }
    ++compared;
}

std::string name_of(Op op, DType compute) {
    return std::string(info(op).name) + " " + std::string(info(compute).name);
}

void maps(Op op, DType compute, const Loop& loop) {
    for (const Dims& shape : {Dims{3, 70}, Dims{1, 1300}, Dims{40, 3}}) {
        for (int style = 0; style < 4; ++style) {
            for (bool masked : {false, true}) {
                Builder b;
                std::vector<View> in, out;
                for (int k = 0; k < info(op).nin; ++k) {
                    DType dtype = loop.in[k];
                    if (style == 1 && dtype == DType::F64 && k == 0) dtype = DType::I16;
                    in.push_back(any_view(b, dtype, shape, (style + k) % 4));
                }
                for (int k = 0; k < info(op).nout; ++k) {
                    DType dtype = loop.out[k];
                    if (style == 2 && dtype == DType::F64) dtype = DType::F32;
                    out.push_back(any_view(b, dtype, shape, style % 3));
                }
                View mask = any_view(b, DType::Bool, shape, style);
                b.add(op, compute, out, in, masked ? &mask : nullptr);
                compare(b, name_of(op, compute) + " style " + std::to_string(style));
            }
        }
    }
}

void reductions(Op op, DType compute, const Loop& loop) {
    bool several = info(op).has(kReorderable);
    for (const Dims& shape : {Dims{5, 70}, Dims{600, 3}, Dims{2, 2100}, Dims{300, 200}}) {
        for (std::uint64_t axes : {1, 2, 3}) {
            if (axes == 3 && !several) continue;
            Builder b;
            Dims kept;
            if (!(axes & 1)) kept.push_back(shape[0]);
            if (!(axes & 2)) kept.push_back(shape[1]);
            View in = any_view(b, loop.in[0], shape, static_cast<int>(axes % 3));
            View out = b.array(loop.out[0], kept, true);
            b.add(op, compute, {out}, {in}, nullptr, Method::Reduce, axes);
            compare(b, name_of(op, compute) + ".reduce " + std::to_string(axes));
        }
    }
}

// Whether two executors may differ. 1/0 fits no integer, and C leaves open what the conversion
// gives: g++ saturates single numbers, and in vector code keeps the low bits of a wider integer.
// For other types both give the same bits. On x86-64 kernels and reference spell one answer out.
bool is_open([[maybe_unused]] Op op, [[maybe_unused]] DType compute) {
#if defined(__x86_64__)
    return false;
#else
    return op == Op::Reciprocal && compute == DType::I32;
#endif
}

}  // namespace

int main() {
    for (int k = 0; k < kOpCount; ++k) {
        Op op = static_cast<Op>(k);
        const OpInfo& row = info(op);
        if (row.cls != OpClass::Map || !row.has(kExact)) continue;
        for (int d = 0; d < kDTypeCount; ++d) {
            auto compute = static_cast<DType>(d);
            std::optional<Loop> loop = loop_of(op, compute);
            // Complex loops of some exact rows are within a bound only.
            if (!loop || (kind(compute) == DTypeKind::Complex && row.ulp > 0)) continue;
            if (!is_open(op, compute)) maps(op, compute, *loop);
            bool folds = loop->in[0] == compute && loop->out[0] == compute;
            if (row.has(kReducible) && row.nin == 2 && folds) reductions(op, compute, *loop);
        }
    }
    CHECK(compared > 10000);
    return 0;
}
