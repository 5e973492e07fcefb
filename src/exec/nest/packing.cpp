// A range of the span is cut into runs of the innermost axis, and whole rows of the next axis into
// groups of rows: a kernel call for each row would cost more than moving it. For short rows of
// strided elements the next axis is the inner loop.
#include "exec/nest/packing.hpp"

#include <algorithm>
#include <cstring>

#include "base/types.hpp"

namespace hassium {
namespace {

constexpr std::int64_t kShortRun = 16;
constexpr std::int64_t kTogether = 16;  // bytes of a row that are copied at once

struct Bytes16 {
    std::uint64_t low, high;
};

// Calls run(byte offset in the walk, element index in the tile, elements of a row, rows) for all
// runs.
template <class Run>
void for_runs(const Walk& walk, std::int64_t first, std::int64_t n, Run run) {
    std::size_t rank = walk.extents.size();
    std::int64_t index[kMaxDims];
    std::int64_t offset = 0, rest = first;
    for (std::size_t k = rank; k-- > 0;) {
        index[k] = rest % walk.extents[k];
        rest /= walk.extents[k];
        offset += index[k] * walk.strides[k];
    }
    std::int64_t inner = walk.extents[rank - 1];
    for (std::int64_t done = 0; done < n;) {
        std::int64_t length = std::min(inner - index[rank - 1], n - done);
        std::int64_t rows = 1;  // whole rows of the next axis
        if (rank > 1 && index[rank - 1] == 0) {
            rows = std::min(walk.extents[rank - 2] - index[rank - 2], (n - done) / inner);
            rows = std::max<std::int64_t>(rows, 1);
        }
        run(offset, done, length, rows);
        done += length * rows;
        if (done >= n) break;
        std::size_t k = rank - 1;
        offset -= index[k] * walk.strides[k];
        index[k] = 0;
        std::int64_t forward = rows;
        while (k-- > 0) {
            index[k] += forward;
            offset += forward * walk.strides[k];
            if (index[k] < walk.extents[k]) break;
            offset -= index[k] * walk.strides[k];
            index[k] = 0;
            forward = 1;
        }
    }
}

// Calls visit(T{}) with an element type of this size.
template <class Visit>
void with_item(std::int64_t bytes, Visit visit) {
    switch (bytes) {
        case 1:
            return visit(std::uint8_t{});
        case 2:
            return visit(std::uint16_t{});
        case 4:
            return visit(std::uint32_t{});
        case 8:
            return visit(std::uint64_t{});
        default:
            return visit(Bytes16{});
    }
}

template <bool kIn, class T>
void move_rows(char* memory, char* tile, std::int64_t inner_stride, std::int64_t row_stride,
               std::int64_t inner, std::int64_t rows) {
    for (std::int64_t j = 0; j < inner; ++j) {
        char* at = memory + j * inner_stride;
        char* element = tile + j * static_cast<std::int64_t>(sizeof(T));
        for (std::int64_t i = 0; i < rows; ++i) {
            if constexpr (kIn) {
                std::memcpy(element, at, sizeof(T));
            } else {
                std::memcpy(at, element, sizeof(T));
            }
            at += row_stride;
            element += inner * static_cast<std::int64_t>(sizeof(T));
        }
    }
}

template <std::int64_t kTimes, class T>
void repeat_each(const char* memory, char* tile, std::int64_t row_stride, std::int64_t times,
                 std::int64_t rows) {
    if constexpr (kTimes > 0) times = kTimes;
    for (std::int64_t i = 0; i < rows; ++i, memory += row_stride) {
        T x;
        std::memcpy(&x, memory, sizeof(T));
        for (std::int64_t j = 0; j < times; ++j, tile += sizeof(T))
            std::memcpy(tile, &x, sizeof(T));
    }
}

// Returns the bytes from row to row of a walk.
std::int64_t pitch_of(const Walk& walk) {
    const std::size_t rank = walk.strides.size();
    return rank > 1 ? walk.strides[rank - 2] : 0;
}

// Returns whether short rows without long contiguous parts are moved column by column.
bool by_columns(std::int64_t stride, std::int64_t bytes, std::int64_t length, std::int64_t rows) {
    const bool together = stride == bytes && length * bytes >= kTogether;
    return rows > 1 && length < kShortRun && !together;
}

// Repeats the single element of each row; known lengths compile to stores only.
template <class T>
void repeat_rows(const char* memory, char* tile, std::int64_t row_stride, std::int64_t times,
                 std::int64_t rows) {
    switch (times) {
        case 2:
            return repeat_each<2, T>(memory, tile, row_stride, times, rows);
        case 3:
            return repeat_each<3, T>(memory, tile, row_stride, times, rows);
        case 4:
            return repeat_each<4, T>(memory, tile, row_stride, times, rows);
        default:
            return repeat_each<0, T>(memory, tile, row_stride, times, rows);
    }
}

}  // namespace

void gather(const KernelTable& table, const Walk& walk, char* out, const char* base,
            std::int64_t bytes, std::int64_t first, std::int64_t n) {
    const std::int64_t stride = walk.strides.back(), pitch = pitch_of(walk);
    const int log = item_log2(bytes);
    auto run = [&](std::int64_t offset, std::int64_t at, std::int64_t length, std::int64_t rows) {
        const char* from = base + offset;
        char* to = out + at * bytes;
        if (by_columns(stride, bytes, length, rows)) {
            with_item(bytes, [&](auto item) {
                using T = decltype(item);
                if (stride == 0) return repeat_rows<T>(from, to, pitch, length, rows);
                move_rows<true, T>(const_cast<char*>(from), to, stride, pitch, length, rows);
            });
        } else {
            // Prefetches the rows of the next tile.
            const std::int64_t ahead = walk.ahead ? rows * pitch : 0;
            table.load_rows[log](to, from, stride, pitch, length, rows, ahead);
        }
    };
    for_runs(walk, first, n, run);
}

void scatter(const KernelTable& table, const Walk& walk, char* base, const char* in,
             std::int64_t bytes, std::int64_t first, std::int64_t n) {
    const std::int64_t stride = walk.strides.back(), pitch = pitch_of(walk);
    const int log = item_log2(bytes);
    auto run = [&](std::int64_t offset, std::int64_t at, std::int64_t length, std::int64_t rows) {
        char* to = base + offset;
        const char* from = in + at * bytes;
        if (by_columns(stride, bytes, length, rows)) {
            with_item(bytes, [&](auto item) {
                move_rows<false, decltype(item)>(to, const_cast<char*>(from), stride, pitch, length,
                                                 rows);
            });
        } else {
            table.store_rows[log](to, stride, pitch, from, length, rows);
        }
    };
    for_runs(walk, first, n, run);
}

void scatter_blend(const KernelTable& table, const Walk& walk, char* base, const char* in,
                   const char* mask, std::int64_t bytes, std::int64_t first, std::int64_t n) {
    std::size_t rank = walk.extents.size();
    std::int64_t stride = walk.strides[rank - 1];
    BlendFn blend = table.blend[item_log2(bytes)];
    auto run = [&](std::int64_t offset, std::int64_t at, std::int64_t length, std::int64_t rows) {
        for (std::int64_t r = 0; r < rows; ++r) {
            std::int64_t element = at + r * length;
            std::int64_t row = rows > 1 ? r * walk.strides[rank - 2] : 0;
            blend(base + offset + row, stride, in + element * bytes, mask + element, length);
        }
    };
    for_runs(walk, first, n, run);
}

void range_runs(RangeFn range, const Walk& walk, char* out, const char* start, const char* step,
                std::int64_t base, std::int64_t bytes, std::int64_t first, std::int64_t n) {
    std::size_t rank = walk.extents.size();
    std::int64_t stride = walk.strides[rank - 1];
    auto run = [&](std::int64_t offset, std::int64_t at, std::int64_t length, std::int64_t rows) {
        for (std::int64_t r = 0; r < rows; ++r) {
            std::int64_t position = base + offset + (rows > 1 ? r * walk.strides[rank - 2] : 0);
            char* to = out + (at + r * length) * bytes;
            range(to, start, step, position, stride, length);
        }
    };
    for_runs(walk, first, n, run);
}

}  // namespace hassium
