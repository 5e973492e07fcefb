// argmin and argmax: the position, in C order of the reduced axes, of the first extreme element.
// The first NaN, if there is one, is more extreme than any number.
//
// A line is cut into blocks. The reduction kernel of minimum or maximum finds a block's extreme
// value; only a block that improves on the earlier ones is searched for the position.
//
// Contiguous lines of most dtypes have a kernel that finds the position (simd/tables/extremes.hpp).
//
// Short lines without such a kernel, or with strided elements, are searched element by element.
//
// If the kept elements are closer together than the reduced ones, many lines are searched side by
// side, some rows at a time, by another kernel of the same file. For dtypes and layouts without it,
// row by row: the kernel of minimum or maximum keeps its first operand, bit for bit, unless the
// second one is more extreme, so wherever the bits change the row is a better position.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "base/error.hpp"
#include "exec/routines/with_number.hpp"
#include "exec/single/extreme_values.hpp"
#include "exec/single/moves_common.hpp"
#include "simd/tables/extremes.hpp"

namespace hassium {
namespace {

// Longest line for which single comparisons are cheaper than the kernels of a block.
constexpr std::int64_t kShortLine = 128;
// Lines side by side that keep their kernel busy.
constexpr std::int64_t kFewLines = 64;

struct Extreme {
    const KernelTable& table;
    Op fold;
    DType dtype;
    Port from;
    std::int64_t length, stride, bytes;  // of the innermost reduced axis
    Odometer outer;                      // the other reduced axes
    ExtremeFn position = nullptr;        // of a single line
    ExtremesFn positions = nullptr;      // of lines side by side

    bool largest() const { return info(fold).has(kMaximal); }
    template <class T>
    std::int64_t find(const char* source) const;
    std::int64_t find(const char* source) const;
    void find_abreast(const char* source, std::int64_t step, std::int64_t n, char* found) const;
    void find_rows(const char* source, std::int64_t n, char* found) const;
    template <class T>
    void find_few(const char* source, std::int64_t n, char* found) const;
    void find_few(const char* source, std::int64_t n, char* found) const;
};

// Returns the index of the first element equal to the value, or of the first NaN; there must be
// one. The kernels compare many at a time.
std::int64_t index_of(const KernelTable& table, DType dtype, const char* values, const char* value,
                      bool nan, std::int64_t n) {
    alignas(64) char found[kLineBlock];
    auto* all = const_cast<char*>(values);  // kernels only read inputs
    char* p[3] = {found, all, nan ? all : const_cast<char*>(value)};
    const Op op = nan ? Op::NotEqual : Op::Equal;
    table.map[static_cast<int>(op)][static_cast<int>(dtype)](p, nan ? 0 : 2, n);
    const void* first = std::memchr(found, 1, static_cast<std::size_t>(n));
    HS_CHECK(first, "a block contains its extreme value");
    return static_cast<const char*>(first) - found;
}

// Returns the position of the first extreme element of the reduced axes that begin at `source`.
// Only the block with the extreme value is searched.
template <class T>
std::int64_t Extreme::find(const char* source) const {
    if (length <= kShortLine && outer.count() == 1 && from.stored == from.computed) {
        return largest() ? first_extreme<T, true>(source, stride, length)
                         : first_extreme<T, false>(source, stride, length);
    }
    const ChunkFn chunk = table.chunk[static_cast<int>(fold)][static_cast<int>(dtype)];
    LineBuffer loaded, cast;
    alignas(16) char value_bytes[16], best_bytes[16];
    T best{};
    std::int64_t best_line = -1, best_done = 0;
    bool nan = false;
    Odometer walk = outer;
    walk.seek(0);
    const std::int64_t lines = walk.count();
    auto block = [&](std::int64_t done, std::int64_t n) {
        return from.read(source + walk.at(0) + done * stride, stride, n, loaded, cast);
    };
    for (std::int64_t l = 0; l < lines && !nan; ++l, walk.next()) {
        for (std::int64_t done = 0; done < length && !nan; done += kLineBlock) {
            const std::int64_t n = std::min(length - done, kLineBlock);
            chunk(value_bytes, block(done, n), n);
            const T value = value_at<T>(value_bytes);
            nan = is_nan(value);
            const bool better =
                best_line < 0 || nan || (largest() ? less(best, value) : less(value, best));
            if (!better) continue;
            best = value;
            std::memcpy(best_bytes, value_bytes, sizeof(T));
            best_line = l;
            best_done = done;
        }
    }
    walk.seek(best_line);
    const std::int64_t n = std::min(length - best_done, kLineBlock);
    const std::int64_t into = index_of(table, dtype, block(best_done, n), best_bytes, nan, n);
    return best_line * length + best_done + into;
}

std::int64_t Extreme::find(const char* source) const {
    switch (dtype) {
#define HS_DTYPE(id, name, type, kind, code, bytes) \
    case DType::id:                                 \
        return find<type>(source);
#include "base/dtypes.def"
#undef HS_DTYPE
    }
    return 0;
}

// For few lines of many contiguous rows: each line is split into `times` lines, every times-th row
// each, to fill some registers. Of the parts of one line the first best row counts.
template <class T>
void Extreme::find_few(const char* source, std::int64_t n, char* found) const {
    constexpr std::int64_t kCalled = 32;
    LineBuffer best, indices;
    const std::int64_t times = kFewLines / n, wide = times * n, rows = length / times;
    std::memcpy(best.bytes, source, static_cast<std::size_t>(wide * bytes));
    std::memset(indices.bytes, 0, static_cast<std::size_t>(wide * bytes));
    for (std::int64_t k = 1; k < rows; k += kCalled) {
        positions(best.bytes, indices.bytes, source + k * wide * bytes, wide * bytes,
                  std::min(kCalled, rows - k), k, wide);
    }
    for (std::int64_t line = 0; line < n; ++line) {
        T value{};
        std::int64_t at = -1;
        auto offer = [&](T x, std::int64_t row) {
            const bool better = is_nan(x) != is_nan(value) ? is_nan(x)
                                : largest()                ? less(value, x)
                                                           : less(x, value);
            const bool equal = is_nan(x) ? is_nan(value) : x == value;
            if (at >= 0 && !better && !(equal && row < at)) return;
            value = x;
            at = row;
        };
        for (std::int64_t k = 0; k < times; ++k) {
            const std::int64_t lane = (k * n + line) * bytes;
            const std::int64_t group = bytes == 8 ? value_at<std::int64_t>(indices.bytes + lane)
                                                  : value_at<std::int32_t>(indices.bytes + lane);
            offer(value_at<T>(best.bytes + lane), group * times + k);
        }
        for (std::int64_t row = rows * times; row < length; ++row) {
            offer(value_at<T>(source + (row * n + line) * bytes), row);
        }
        std::memcpy(found + line * 8, &at, sizeof(at));
    }
}

void Extreme::find_few(const char* source, std::int64_t n, char* found) const {
    with_number(dtype, [&](auto number) {
        find_few<decltype(number)>(source, n, found);
        return true;
    });
}

// Returns whether elements can be compared by bits: float16 goes through float32, which quiets
// NaNs, and complex numbers have no integer of their size.
bool compares_by_bits(DType dtype) { return dtype != DType::F16 && itemsize(dtype) <= 8; }

DType bits_of(DType dtype) {
    switch (itemsize(dtype)) {
        case 1:
            return DType::U8;
        case 2:
            return DType::U16;
        case 4:
            return DType::U32;
        default:
            return DType::U64;
    }
}

// Finds the positions (int64) of n <= kLineBlock adjacent lines.
void Extreme::find_rows(const char* source, std::int64_t n, char* found) const {
    constexpr std::int64_t kRows = 8;
    LineBuffer best, narrow;
    char* const indices = bytes == 8 ? found : narrow.bytes;
    Odometer walk = outer;
    walk.seek(0);
    const std::int64_t lines = walk.count();
    for (std::int64_t l = 0; l < lines; ++l, walk.next()) {
        const char* in = source + walk.at(0);
        std::int64_t k = 0;
        if (l == 0) {
            std::memcpy(best.bytes, in, static_cast<std::size_t>(n * bytes));
            std::memset(indices, 0, static_cast<std::size_t>(n * bytes));
            k = 1;
        }
        for (; k < length; k += kRows) {
            positions(best.bytes, indices, in + k * stride, stride, std::min(kRows, length - k),
                      l * length + k, n);
        }
    }
    if (indices == found) return;
    table.cast[static_cast<int>(DType::I32)][static_cast<int>(DType::I64)](found, indices, n);
}

// As find_rows, for lines whose first elements are `step` bytes apart.
void Extreme::find_abreast(const char* source, std::int64_t step, std::int64_t n,
                           char* found) const {
    const bool solid = stride == n * bytes && outer.count() == 1;
    if (positions && solid && n <= kFewLines / 2 && length >= 4 * kFewLines) {
        return find_few(source, n, found);
    }
    if (positions) return find_rows(source, n, found);
    auto kernel = [&](Op op, DType t) {
        return table.map[static_cast<int>(op)][static_cast<int>(t)];
    };
    const MapFn better = kernel(fold, dtype), differ = kernel(Op::NotEqual, bits_of(dtype));
    const MapFn select = kernel(Op::Where, DType::I64);
    LineBuffer loaded, cast, first, second;
    alignas(64) char changed[kLineBlock];
    char *best = first.bytes, *next = second.bytes;
    Odometer walk = outer;
    walk.seek(0);
    const std::int64_t lines = walk.count();
    for (std::int64_t l = 0; l < lines; ++l, walk.next()) {
        for (std::int64_t k = 0; k < length; ++k) {
            alignas(8) std::int64_t position = l * length + k;
            const char* row = from.read(source + walk.at(0) + k * stride, step, n, loaded, cast);
            if (position == 0) {
                std::memcpy(best, row, static_cast<std::size_t>(n * bytes));
                table.fill[3](found, reinterpret_cast<char*>(&position), n);
                continue;
            }
            char* fold_operands[3] = {next, best, const_cast<char*>(row)};
            better(fold_operands, 0, n);
            char* differ_operands[3] = {changed, next, best};
            differ(differ_operands, 0, n);
            std::swap(best, next);
            char* select_operands[4] = {found, changed, reinterpret_cast<char*>(&position), found};
            select(select_operands, 2, n);
        }
    }
}

// The kept axes: elements one by one, or runs of the innermost kept axis side by side.
struct Kept {
    Odometer outer;                                       // in, out
    std::int64_t run = 1, in_stride = 0, out_stride = 0;  // of the innermost kept axis
};

void run_abreast(const Extreme& extreme, const Kept& kept, const char* in, char* out,
                 const Port& to, std::int64_t elements, RunState& state) {
    const std::int64_t blocks = (kept.run + kLineBlock - 1) / kLineBlock;
    spread(kept.outer.count() * blocks, elements, state,
           [&](std::int64_t first, std::int64_t last) {
               Odometer walk = kept.outer;
               LineBuffer positions, cast;
               for (std::int64_t k = first; k < last; ++k) {
                   walk.seek(k / blocks);
                   const std::int64_t done = k % blocks * kLineBlock;
                   const std::int64_t n = std::min(kept.run - done, kLineBlock);
                   extreme.find_abreast(in + walk.at(0) + done * kept.in_stride, kept.in_stride, n,
                                        positions.bytes);
                   to.write(out + walk.at(1) + done * kept.out_stride, kept.out_stride, n,
                            positions.bytes, cast);
               }
           });
}

// Finds the position of each line by the kernel of a single line.
void run_lines(const Extreme& extreme, const Odometer& every, const char* in, char* out,
               std::int64_t elements, RunState& state) {
    spread(every.count(), elements, state, [&](std::int64_t first, std::int64_t last) {
        Odometer walk = every;
        walk.seek(first);
        for (std::int64_t k = first; k < last; ++k, walk.next()) {
            const std::int64_t position = extreme.position(in + walk.at(0), extreme.length);
            std::memcpy(out + walk.at(1), &position, sizeof(position));
        }
    });
}

// Finds the positions of adjacent lines, `reduced` rows of `inner` elements each.
void find_beside(ExtremesFn positions, const KernelTable& table, const DirectFold& fold,
                 std::int64_t bytes, const char* in, char* found) {
    LineBuffer best, narrow;
    char* const indices = bytes == 8 ? found : narrow.bytes;
    const std::int64_t row = fold.inner * bytes;
    std::memcpy(best.bytes, in, static_cast<std::size_t>(row));
    std::memset(indices, 0, static_cast<std::size_t>(row));
    if (fold.reduced > 1) {
        positions(best.bytes, indices, in + row, row, fold.reduced - 1, 1, fold.inner);
    }
    if (indices == found) return;
    table.cast[static_cast<int>(DType::I32)][static_cast<int>(DType::I64)](found, indices,
                                                                           fold.inner);
}

}  // namespace

bool run_direct_extreme(Op op, DType dtype, const DirectFold& fold, const char* in, char* out) {
    const KernelTable& table = kernels();
    const ExtremeTable& kernels = extremes_of(table);
    const bool largest = info(op).has(kMaximal);
    const ExtremeFn position = kernels.position[largest][static_cast<int>(dtype)];
    const ExtremesFn positions = kernels.positions[largest][static_cast<int>(dtype)];
    const bool lines = fold.inner == 1;
    if (lines ? !position : !positions || fold.inner > kLineBlock) return false;
    const std::int64_t bytes = itemsize(dtype), step = fold.reduced * fold.inner * bytes;
    for (std::int64_t k = 0; k < fold.outer; ++k, in += step) {
        char* const to = out + k * fold.inner * 8;
        if (lines) {
            const std::int64_t found = position(in, fold.reduced);
            std::memcpy(to, &found, sizeof(found));
        } else {
            find_beside(positions, table, fold, bytes, in, to);
        }
    }
    return true;
}

void run_extreme(const Instruction& i, std::span<const BoundView> operands, RunState& state) {
    constexpr std::int64_t kFewAbreast = 16;
    const BoundView& out = operands[0];
    const BoundView& in = operands[1];
    const KernelTable& table = kernels();
    Extreme extreme{table,
                    info(i.op).has(kMaximal) ? Op::Maximum : Op::Minimum,
                    i.compute,
                    {table, in.dtype, i.compute},
                    1,
                    0,
                    itemsize(i.compute),
                    {}};
    Kept kept;
    Odometer every;  // in, out: the kept axes with the innermost one
    std::int64_t elements = 1;
    std::size_t out_axis = 0;
    int last_reduced = -1, last_kept = -1;
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
            if (last_kept >= 0) kept.outer.axis(kept.run, kept.in_stride, kept.out_stride);
            last_kept = k;
            kept.run = in.shape[at];
            kept.in_stride = in.strides[at];
            kept.out_stride = out.strides[out_axis++];
            every.axis(kept.run, kept.in_stride, kept.out_stride);
        }
    }
    if (elements == 0) return;
    const Port to{table, out.dtype, DType::I64};
    const bool closer = std::abs(kept.in_stride) < std::abs(extreme.stride);
    const bool countable = extreme.bytes == 8 || elements <= INT32_MAX;
    if (in.dtype == i.compute && countable && kept.in_stride == extreme.bytes) {
        extreme.positions =
            extremes_of(table).positions[extreme.largest()][static_cast<int>(i.compute)];
    }
    const bool abreast = extreme.positions ? kept.run > 1 : kept.run >= kFewAbreast;
    if (closer && abreast && compares_by_bits(i.compute)) {
        return run_abreast(extreme, kept, in.data, out.data, to, elements, state);
    }
    if (in.dtype == i.compute && extreme.stride == extreme.bytes) {
        bool largest = extreme.largest();
        extreme.position = extremes_of(table).position[largest][static_cast<int>(i.compute)];
    }
    if (extreme.position && extreme.outer.count() == 1 && out.dtype == DType::I64) {
        return run_lines(extreme, every, in.data, out.data, elements, state);
    }
    spread(every.count(), elements, state, [&](std::int64_t first, std::int64_t last) {
        Odometer walk = every;
        walk.seek(first);
        LineBuffer cast;
        for (std::int64_t k = first; k < last; ++k, walk.next()) {
            const std::int64_t position = extreme.find(in.data + walk.at(0));
            char value[sizeof(position)];
            std::memcpy(value, &position, sizeof(position));
            if (out.dtype == DType::I64) {
                std::memcpy(out.data + walk.at(1), value, sizeof(position));
            } else {
                to.write(out.data + walk.at(1), 0, 1, value, cast);
            }
        }
    });
}

}  // namespace hassium
