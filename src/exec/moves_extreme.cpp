// argmin and argmax: the position, in C order of the reduced axes, of the first extreme element. A
// nan is more extreme than any number, and the first one counts.
//
// A line is cut into blocks. The reduction kernel of minimum or maximum finds a block's extreme
// value; only a block that improves on what came before is searched for the position.
#include <bit>
#include <cstring>

#include "base/error.hpp"
#include "exec/moves_common.hpp"

namespace hassium {
namespace {

template <class T>
T value_at(const char* p) {
    T x;
    std::memcpy(&x, p, sizeof(T));
    return x;
}

// Half, in order: sign and magnitude to two's complement.
int order_of(Half h) {
    const int magnitude = h.bits & 0x7fff;
    return h.bits & 0x8000 ? -magnitude : magnitude;
}
bool is_nan(Half h) { return (h.bits & 0x7fff) > 0x7c00; }
bool is_nan(float x) { return x != x; }
bool is_nan(double x) { return x != x; }
bool is_nan(Complex64 z) { return is_nan(z.re) || is_nan(z.im); }
bool is_nan(Complex128 z) { return is_nan(z.re) || is_nan(z.im); }
template <class T>
bool is_nan(T) {
    return false;
}

template <class T>
bool less(T a, T b) {
    return a < b;
}
bool less(Half a, Half b) { return order_of(a) < order_of(b); }
template <class T>
bool less_complex(T a, T b) {
    return a.re < b.re || (a.re == b.re && a.im < b.im);
}
bool less(Complex64 a, Complex64 b) { return less_complex(a, b); }
bool less(Complex128 a, Complex128 b) { return less_complex(a, b); }

template <class T>
bool equal(T a, T b) {
    return !less(a, b) && !less(b, a);
}

struct Extreme {
    ChunkFn chunk;
    bool largest;
    Port from;
    std::int64_t length, stride, bytes;  // of the innermost reduced axis
    Odometer outer;                      // the other reduced axes

    template <class T>
    std::int64_t find(const char* source) const;
};

// Position of the first extreme element of the reduced axes that begin at `source`.
template <class T>
std::int64_t Extreme::find(const char* source) const {
    LineBuffer loaded, cast;
    alignas(16) char block_value[16];
    T best{};
    std::int64_t best_at = -1;
    Odometer walk = outer;
    walk.seek(0);
    const std::int64_t lines = walk.count();
    for (std::int64_t l = 0; l < lines; ++l, walk.next()) {
        for (std::int64_t done = 0; done < length; done += kLineBlock) {
            const std::int64_t n = length - done < kLineBlock ? length - done : kLineBlock;
            const char* values =
                from.read(source + walk.at(0) + done * stride, stride, n, loaded, cast);
            chunk(block_value, values, n);
            const T value = value_at<T>(block_value);
            const bool nan = is_nan(value);
            const bool better =
                best_at < 0 || nan || (largest ? less(best, value) : less(value, best));
            if (!better) continue;
            std::int64_t k = 0;
            for (; k < n; ++k) {
                const T x = value_at<T>(values + k * bytes);
                if (nan ? is_nan(x) : equal(x, value)) break;
            }
            HS_CHECK(k < n, "a block contains its extreme value");
            best = value;
            best_at = l * length + done + k;
            if (nan) return best_at;
        }
    }
    return best_at;
}

std::int64_t find(const Extreme& e, DType dtype, const char* source) {
    switch (dtype) {
#define HS_DTYPE(id, name, type, kind, code, bytes) \
    case DType::id:                                 \
        return e.find<type>(source);
#include "base/dtypes.def"
#undef HS_DTYPE
    }
    return 0;
}

}  // namespace

void run_extreme(const Instruction& i, std::span<const BoundView> operands, RunState& state) {
    const BoundView& out = operands[0];
    const BoundView& in = operands[1];
    const KernelTable& table = kernels();
    const bool largest = i.op == Op::Argmax;
    const Op fold = largest ? Op::Maximum : Op::Minimum;
    Extreme extreme{table.chunk[static_cast<int>(fold)][static_cast<int>(i.compute)],
                    largest,
                    {table, in.dtype, i.compute},
                    1,
                    0,
                    itemsize(i.compute),
                    {}};
    Odometer kept;  // in, out
    std::int64_t elements = 1;
    std::size_t out_axis = 0;
    int last_reduced = -1;
    for (int k = 0; k < static_cast<int>(in.shape.size()); ++k) {
        const auto at = static_cast<std::size_t>(k);
        elements *= in.shape[at];
        if (i.axes >> k & 1) {
            if (last_reduced >= 0) {
                const auto before = static_cast<std::size_t>(last_reduced);
                extreme.outer.axis(in.shape[before], in.strides[before]);
            }
            last_reduced = k;
            extreme.length = in.shape[at];
            extreme.stride = in.strides[at];
        } else {
            kept.axis(in.shape[at], in.strides[at], out.strides[out_axis++]);
        }
    }
    if (elements == 0) return;
    const Port to{table, out.dtype, DType::I64};
    spread(kept.count(), elements, state, [&](std::int64_t first, std::int64_t last) {
        Odometer walk = kept;
        walk.seek(first);
        LineBuffer cast;
        for (std::int64_t k = first; k < last; ++k, walk.next()) {
            const std::int64_t position = find(extreme, i.compute, in.data + walk.at(0));
            char value[sizeof(position)];
            std::memcpy(value, &position, sizeof(position));
            to.write(out.data + walk.at(1), 0, 1, value, cast);
        }
    });
}

}  // namespace hassium
