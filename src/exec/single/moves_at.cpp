// The method `at`: combines elements or rows of an array with values, one after another in the
// order of the index, so that repeated positions accumulate as in NumPy.
//
// Indices were checked and made non-negative when the instruction was recorded; values have the
// dtype of the array. Jobs are independent rows of the array, or parts of rows.
#include <algorithm>
#include <bit>
#include <cstring>
#include <type_traits>

#include "base/error.hpp"
#include "exec/flags.hpp"
#include "exec/routines/with_number.hpp"
#include "exec/single/index_lookups.hpp"
#include "exec/single/moves_common.hpp"
#include "simd/tables/kernels.hpp"

namespace hassium {
namespace {

// Shorter rows are combined in place: a kernel call takes as long as eight elements.
constexpr std::int64_t kShortRow = 12;
// Elements of a row per job.
constexpr std::int64_t kColumns = 64;

template <class T>
using Wide = std::conditional_t<std::is_integral_v<T>, std::uint64_t, T>;

struct Add {
    template <class T>
    T operator()(T a, T b) const {
        return static_cast<T>(static_cast<Wide<T>>(a) + static_cast<Wide<T>>(b));
    }
};
struct Subtract {
    template <class T>
    T operator()(T a, T b) const {
        return static_cast<T>(static_cast<Wide<T>>(a) - static_cast<Wide<T>>(b));
    }
};
struct Multiply {
    template <class T>
    T operator()(T a, T b) const {
        return static_cast<T>(static_cast<Wide<T>>(a) * static_cast<Wide<T>>(b));
    }
};
// NaN propagates; of two, the first.
struct Maximum {
    template <class T>
    T operator()(T a, T b) const {
        return a >= b || a != a ? a : b;
    }
};
struct Minimum {
    template <class T>
    T operator()(T a, T b) const {
        return a <= b || a != a ? a : b;
    }
};

// Returns visit(f) for the row's combination f; false if it has none here.
template <class Visit>
bool with_combination(Op op, Visit visit) {
    switch (op) {
        case Op::Add:
            return visit(Add{});
        case Op::Subtract:
            return visit(Subtract{});
        case Op::Multiply:
            return visit(Multiply{});
        case Op::Maximum:
            return visit(Maximum{});
        case Op::Minimum:
            return visit(Minimum{});
        default:
            return false;
    }
}

// Rows of `n` elements along the index, and their values. Steps in bytes.
struct Rows {
    char* whole;
    const char* part;
    const char* index;  // int64
    std::int64_t count, axis_step, part_step, index_step;
    std::int64_t n, whole_inner, part_inner;  // inside a row
    bool far;                                 // the rows span more memory than a core's caches

    char* row(std::int64_t k) const {
        std::int64_t position;
        std::memcpy(&position, index + k * index_step, sizeof position);
        return whole + position * axis_step;
    }
};

template <class T, class Combine>
void combine_element(char* at, const char* value, Combine combine) {
    T a, b;
    std::memcpy(&a, at, sizeof(T));
    std::memcpy(&b, value, sizeof(T));
    a = combine(a, b);
    std::memcpy(at, &a, sizeof(T));
}

// Returns whether elements, values and index are contiguous vectors. Steps known at compile time
// save a third of the loop.
template <class T>
bool is_packed(const Rows& r) {
    constexpr std::int64_t kItem = sizeof(T);
    return r.axis_step == kItem && r.part_step == kItem && r.index_step == sizeof(std::int64_t);
}
template <class T, bool kPacked, bool kFar, class Combine>
void combine_elements(const Rows& r, Combine combine) {
    Rows rows = r;  // a local copy, which the loop's stores cannot alias
    if (kPacked) {
        rows.axis_step = rows.part_step = sizeof(T);
        rows.index_step = sizeof(std::int64_t);
    }
    for (std::int64_t k = 0; k < rows.count; ++k) {
        if (kFar && k + kScatterAhead < rows.count) {
            __builtin_prefetch(rows.row(k + kScatterAhead), 1);
        }
        combine_element<T>(rows.row(k), rows.part + k * rows.part_step, combine);
    }
}

template <class T, class Combine>
void combine_short_rows(const Rows& r, Combine combine) {
    const Rows rows = r;
    for (std::int64_t k = 0; k < rows.count; ++k) {
        char* const at = rows.row(k);
        const char* const value = rows.part + k * rows.part_step;
        for (std::int64_t j = 0; j < rows.n; ++j) {
            combine_element<T>(at + j * rows.whole_inner, value + j * rows.part_inner, combine);
        }
    }
}

bool combine_in_place(Op op, DType dtype, const Rows& r) {
    return with_combination(op, [&](auto combine) {
        return with_number(dtype, [&](auto number) {
            using T = decltype(number);
            if (r.n > 1) {
                combine_short_rows<T>(r, combine);
            } else if (is_packed<T>(r)) {
                r.far ? combine_elements<T, true, true>(r, combine)
                      : combine_elements<T, true, false>(r, combine);
            } else {
                r.far ? combine_elements<T, false, true>(r, combine)
                      : combine_elements<T, false, false>(r, combine);
            }
            return true;
        });
    });
}

// Combines by the map kernel, which takes contiguous elements.
void combine_rows(MapFn map, bool contiguous, const Rows& r) {
    const std::uint32_t scalars = contiguous && r.part_inner == 0 ? 2 : 0;
    const std::int64_t piece = contiguous ? r.n : 1;
    for (std::int64_t k = 0; k < r.count; ++k) {
        char* at = r.row(k);
        const char* value = r.part + k * r.part_step;
        for (std::int64_t j = 0; j < r.n; j += piece) {
            char* const operands[] = {at, at, const_cast<char*>(value)};
            map(operands, scalars, piece);
            at += r.whole_inner;
            value += r.part_inner;
        }
    }
}

void combine(const Instruction& i, const Rows& r) {
    const std::int64_t item = itemsize(i.compute);
    const bool contiguous =
        r.n > 1 && r.whole_inner == item && (r.part_inner == item || r.part_inner == 0);
    const bool in_place = !contiguous || r.n < kShortRow;
    if (in_place && combine_in_place(i.op, i.compute, r)) return;
    combine_rows(kernels().map[static_cast<int>(i.op)][static_cast<int>(i.compute)], contiguous, r);
}

// The walk over the index, whose last axis is in `Rows`, inside the walk over independent axes:
// those before the indexed one, and those after it except for the row.
struct Walk {
    Odometer apart, index;
    Rows rows;
};

Walk walk_of(const BoundView& whole, const BoundView& part, const BoundView& index,
             const Dims& part_strides, std::size_t axis) {
    Walk walk = {};
    const std::size_t rank = index.shape.size();
    for (std::size_t k = 0; k < axis; ++k) {
        walk.apart.axis(whole.shape[k], whole.strides[k], part_strides[k]);
    }
    auto behind = coalesce<2>(whole.shape.subspan(axis + 1), [&](int k, std::size_t a) {
        return k == 0 ? whole.strides[axis + 1 + a] : part_strides[axis + rank + a];
    });
    auto along = coalesce<2>(index.shape, [&](int k, std::size_t a) {
        return k == 0 ? index.strides[a] : part_strides[axis + a];
    });
    Rows& r = walk.rows;
    r = {whole.data, part.data, index.data, 1, whole.strides[axis], 0, 0, 1, 0, 0, false};
    if (!behind.empty()) {
        r.n = behind.back().extent;
        r.whole_inner = behind.back().strides[0];
        r.part_inner = behind.back().strides[1];
        behind.pop_back();
    }
    if (!along.empty()) {
        r.count = along.back().extent;
        r.index_step = along.back().strides[0];
        r.part_step = along.back().strides[1];
        along.pop_back();
    }
    for (const auto& [extent, strides] : behind) walk.apart.axis(extent, strides[0], strides[1]);
    for (const auto& [extent, strides] : along) walk.index.axis(extent, 0, strides[1], strides[0]);
    r.far = is_far(whole.shape[axis], r.axis_step);
    return walk;
}

}  // namespace

void run_at(const Instruction& i, std::span<const BoundView> operands, bool part_is_constant,
            RunState& state) {
    const BoundView &whole = operands[0], &part = operands[1], &index = operands[2];
    HS_CHECK(index.dtype == DType::I64, "an index is int64");
    const auto axis = static_cast<std::size_t>(std::countr_zero(i.axes));
    const std::size_t rank = whole.shape.size() - 1 + index.shape.size();
    const Walk walk =
        walk_of(whole, part, index, strides_of_part(part, part_is_constant, rank), axis);
    const std::int64_t outside = walk.apart.count(), inside = walk.index.count();
    const std::int64_t pieces = (walk.rows.n + kColumns - 1) / kColumns;
    const std::int64_t elements = outside * inside * walk.rows.count * walk.rows.n;
    if (elements == 0) return;
    spread(outside * pieces, elements, state, [&](std::int64_t first, std::int64_t last) {
        Odometer apart = walk.apart;
        for (std::int64_t job = first; job < last; ++job) {
            apart.seek(job / pieces);
            const std::int64_t begin = job % pieces * kColumns;
            Rows piece = walk.rows;
            // Adjacent pieces of one row are merged.
            const std::int64_t more = std::min(last - job, pieces - job % pieces);
            piece.n = std::min(walk.rows.n - begin, more * kColumns);
            job += more - 1;
            Odometer at = walk.index;
            for (std::int64_t k = 0; k < inside; ++k, at.next()) {
                piece.whole = walk.rows.whole + apart.at(0) + begin * piece.whole_inner;
                piece.part = walk.rows.part + apart.at(1) + begin * piece.part_inner + at.at(1);
                piece.index = walk.rows.index + at.at(2);
                combine(i, piece);
            }
        }
    });
}

}  // namespace hassium
