// Steps of register tiles on complex numbers, which are two tiles: of real and of imaginary parts.
// D is the dtype of the parts.
#pragma once

#include "simd/tile/tile_loop.hpp"

namespace hassium::HS_SIMD_NS {

template <DType D, int N, int Which>
struct PartLanes {
    static constexpr int kCount = N;
    const char* p;
    HS_INLINE PartLanes(const TileStep* step, std::int64_t at) : p(tile_address<0>(step, at)) {}
    HS_INLINE Raw apply(Raw, int k) const {
        const Cx<Part<D>> z = load_complex<Part<D>>(p + 2 * k * kRawBytes);
        return to_raw<D>(Which == 0 ? z.re : z.im);
    }
};

template <DType D, int N, bool Stream>
struct PairLanes {
    static constexpr int kCount = N;
    char* p;
    const char* q;
    bool aligned;
    HS_INLINE PairLanes(const TileStep* step, std::int64_t at)
        : p(tile_address<0>(step, at)),
          q(tile_address<1>(step, at)),
          aligned(reinterpret_cast<std::uintptr_t>(p) % kRawBytes == 0) {}
    HS_INLINE Raw apply(Raw acc, int k) const {
        const Cx<Part<D>> z{load_register<D>(q + k * kRawBytes), from_raw<D>(acc)};
        char* to = p + 2 * k * kRawBytes;
        if (Stream && aligned) {
            alignas(64) char both[2 * kRawBytes];
            store_complex<Part<D>>(both, z);
            stream_register(to, Raw::load_aligned(reinterpret_cast<const uint8_t*>(both)));
            stream_register(to + kRawBytes,
                            Raw::load_aligned(reinterpret_cast<const uint8_t*>(both + kRawBytes)));
        } else {
            store_complex<Part<D>>(to, z);
        }
        return acc;
    }
};

template <DType D, int N, int Plus>
struct FusedLanes {
    static constexpr int kCount = N;
    const char *p, *q;
    HS_INLINE FusedLanes(const TileStep* step, std::int64_t at)
        : p(tile_address<0>(step, at)), q(tile_address<1>(step, at)) {}
    HS_INLINE Raw apply(Raw acc, int k) const {
        Register<D> c = from_raw<D>(acc);
        if constexpr (!Plus) c = math::negative(c);
        return to_raw<D>(math::cplx::fused(load_register<D>(p + k * kRawBytes),
                                           load_register<D>(q + k * kRawBytes), c));
    }
};

// ---- squares ----

// Returns one part of the square of a + bi, as a product computes it, plus c.
template <DType D, int Which>
HS_INLINE Register<D> square_plus(Register<D> a, Register<D> b, Register<D> c) {
    constexpr lane::None kNone{};
    Register<D> second = row::Multiply::apply(b, Which == 0 ? b : a, kNone);
    if constexpr (Which == 0) second = math::negative(second);
    return row::Add::apply(math::cplx::fused(a, Which == 0 ? a : b, second), c, kNone);
}

template <DType D>
HS_INLINE Register<D> sum_of_squares(Register<D> a, Register<D> b) {
    constexpr lane::None kNone{};
    return row::Add::apply(row::Multiply::apply(a, a, kNone), row::Multiply::apply(b, b, kNone),
                           kNone);
}

template <DType D, int N, int Which, Lay L>
struct SquareLanes {
    static constexpr int kCount = N;
    TileOperand<D, 0, L> p;
    TileOperand<D, 1, L> q;
    std::conditional_t<Which == 2, NoOperand, TileOperand<D, 2, L>> r;
    HS_INLINE SquareLanes(const TileStep* step, std::int64_t at)
        : p(step, at), q(step, at), r(step, at) {}
    HS_INLINE Raw apply(Raw, int k) const {
        const Register<D> a = p.get(k), b = q.get(k);
        if constexpr (Which == 2) {
            return to_raw<D>(sum_of_squares<D>(a, b));
        } else {
            return to_raw<D>(square_plus<D, Which>(a, b, r.get(k)));
        }
    }
};

// Lanes where a square replaces its operand: all, those where bools are true, or those where the
// sum of the squares of both parts compares with an element; the bools of that are stored.
template <DType D>
struct Everywhere {
    static constexpr bool kChooses = false;
    HS_INLINE Everywhere(const TileStep*, std::int64_t) {}
};
template <DType D>
struct WhereTrue {
    static constexpr bool kChooses = true;
    const char* mask;
    HS_INLINE WhereTrue(const TileStep* step, std::int64_t at)
        : mask(tile_address<1>(step + 1, at)) {}
    HS_INLINE Mask<Part<D>> chosen(int k, Register<D>, Register<D>) const {
        return tile_mask<Part<D>>(mask + k * kWidth<D>);
    }
};
template <class R, DType D>
struct WhereNear {
    static constexpr bool kChooses = true;
    char* mask;
    Register<D> bound;
    HS_INLINE WhereNear(const TileStep* step, std::int64_t at)
        : mask(tile_address<1>(step + 1, at)), bound(broadcast<D>(tile_address<1>(step + 2, at))) {}
    HS_INLINE Mask<Part<D>> chosen(int k, Register<D> a, Register<D> b) const {
        const Mask<Part<D>> near = R::apply(sum_of_squares<D>(a, b), bound, lane::None{});
        store_mask<Part<D>>(mask + k * kWidth<D>, near);
        return near;
    }
};

// A lane is read before it is written: results may overwrite operands.
template <DType D, int N, class Where>
struct WholeSquareLanes {
    static constexpr int kCount = N;
    const char *re, *im, *plus_re, *plus_im;
    char *out_re, *out_im;
    Where where;
    HS_INLINE WholeSquareLanes(const TileStep* step, std::int64_t at)
        : re(tile_address<0>(step, at)),
          im(tile_address<1>(step, at)),
          plus_re(tile_address<2>(step, at)),
          plus_im(tile_address<0>(step + 1, at)),
          out_re(tile_address<2>(step + 1, at)),
          out_im(tile_address<0>(step + 2, at)),
          where(step, at) {}
    HS_INLINE Raw apply(Raw, int k) const {
        const std::int64_t here = k * kRawBytes;
        Register<D> a = load_register<D>(re + here), b = load_register<D>(im + here);
        read_once(a), read_once(b);
        Register<D> x = square_plus<D, 0>(a, b, load_register<D>(plus_re + here));
        Register<D> y = square_plus<D, 1>(a, b, load_register<D>(plus_im + here));
        if constexpr (Where::kChooses) {
            // Otherwise g++ adds only where the mask is true, and other lanes would raise nothing.
            read_once(x), read_once(y);
            const Mask<Part<D>> chosen = where.chosen(k, a, b);
            x = xsimd::select(chosen, x, a);
            y = xsimd::select(chosen, y, b);
        }
        store_register<D>(out_re + here, x);
        store_register<D>(out_im + here, y);
        return to_raw<D>(y);
    }
};

}  // namespace hassium::HS_SIMD_NS
