#include "exec/nest/fold_tile.hpp"

#include <algorithm>
#include <cstring>

namespace hassium {
namespace {

constexpr std::int64_t kLeastPlane = 8;  // fewer rows are cheaper one by one
constexpr std::int64_t kNarrow = 4;

// The start of sums, for one element or a register tile.
alignas(64) constexpr char kZeros[1024] = {};

void begin(const ReductionCode& r, char* state, const char* in, std::int64_t n) {
    begin_columns(r.map, r.from_zero, r.bytes, state, in, n);
}

void scan_into(const ReductionCode& r, char* state, const char* in, std::int64_t n, bool first,
               char* rubbish) {
    if (first && r.from_zero) {
        std::memset(state, 0, r.bytes);
    } else if (first) {
        std::memcpy(state, in, r.bytes);
        in += r.bytes;
        --n;
    }
    if (n > 0) r.scan(rubbish, in, state, n);
}

void accumulate(const ReductionCode& r, char* state, const char* in, std::int64_t n, bool first) {
    if (first) return begin(r, state, in, n);
    char* p[3] = {state, state, const_cast<char*>(in)};
    r.map(p, 0, n);
}

// Stores the fold of n bools, of which `count` are true.
void store_count(const ReductionCode& r, char* out, std::int64_t count, std::int64_t n) {
    if (r.accumulator == DType::Bool) {
        *out = r.decisive ? count > 0 : count == n;
    } else if (r.accumulator == DType::F64) {
        const auto number = static_cast<double>(count);
        std::memcpy(out, &number, sizeof number);
    } else {
        std::memcpy(out, &count, sizeof count);
    }
}

}  // namespace

void begin_columns(MapFn map, bool from_zero, std::int64_t bytes, char* state, const char* in,
                   std::int64_t columns) {
    if (!from_zero) {
        std::memcpy(state, in, static_cast<std::size_t>(columns * bytes));
        return;
    }
    char* p[3] = {state, const_cast<char*>(kZeros), const_cast<char*>(in)};
    map(p, 1, columns);
}

void TileFold::row_chunks(const ReductionCode& r, char* partials, const char* in,
                          char* buffer) const {
    char* out = partials + position / r.piece * r.pitch;
    std::int64_t rows = count / r.piece;
    if (r.planes && rows >= kLeastPlane) {
        // As many rows at a time as the buffer holds.
        const std::int64_t most = code.tile / r.piece;
        for (std::int64_t n; rows > 0; rows -= n, out += n * r.pitch) {
            n = std::min(rows, most);
            row_planes(r, out, in, buffer, n);
            in += n * r.piece * r.bytes;
        }
        return;
    }
    for (std::int64_t done = 0; done < count; done += r.piece) {
        // The last chunk of a long row is short; a tile holds short rows as a whole.
        r.chunk(out, in + done * r.bytes, std::min(r.piece, count - done));
        out += r.pitch;
    }
}

void TileFold::row_sums(const ReductionCode& r, const Step& step, char* partials, const char* p,
                        const char* q) const {
    char* out = partials + position / r.piece * r.pitch;
    for (std::int64_t done = 0; done < count; done += r.piece) {
        const std::int64_t at = done * step.bytes;
        step.sum(out, p + at, step.scalars ? q : q + at, std::min(r.piece, count - done));
        out += r.pitch;
    }
}

void TileFold::row_counts(const ReductionCode& r, const Step& step, char* partials, const char* p,
                          const char* q) const {
    char* out = partials + position / r.piece * r.pitch;
    for (std::int64_t done = 0; done < count; done += r.piece) {
        const std::int64_t at = done * step.bytes, n = std::min(r.piece, count - done);
        store_count(r, out, step.count(p + at, step.scalars ? q : q + at, step.scalars != 0, n), n);
        out += r.pitch;
    }
}

// Folds rows that are shorter than the lanes. Element k of all rows makes a plane, and planes are
// folded in the order of lanes; a kernel call for each row would cost more.
void TileFold::row_planes(const ReductionCode& r, char* out, const char* in, char* buffer,
                          std::int64_t rows) const {
    LoadFn load = code.table->load[item_log2(r.bytes)];
    std::int64_t plane = rows * r.bytes;
    for (std::int64_t k = 0; k < r.piece; ++k) {
        load(buffer + k * plane, in + k * r.bytes, r.piece * r.bytes, rows);
    }
    auto take = [&](std::int64_t to, std::int64_t from) {
        char* p[3] = {buffer + to * plane, buffer + to * plane, buffer + from * plane};
        r.map(p, 0, rows);
    };
    const bool in_order = r.sequential || r.piece < ReductionTree::in_order(r.accumulator);
    for (std::int64_t k = 1; in_order && k < r.piece; ++k) take(0, k);
    for (std::int64_t half = kMostPlanes / 2; !in_order && half > 0; half /= 2) {
        for (std::int64_t k = 0; k < half && k + half < r.piece; ++k) take(k, k + half);
    }
    if (r.from_zero) begin(r, buffer, buffer, rows);
    code.table->store[item_log2(r.bytes)](out, r.pitch, buffer, rows);
}

// The state of a row is its partial; the scan's own output is discarded.
void TileFold::row_scan(const ReductionCode& r, char* partials, const char* in,
                        char* rubbish) const {
    for (std::int64_t done = 0; done < count;) {
        std::int64_t row = (position + done) / r.row, into = (position + done) % r.row;
        std::int64_t n = std::min(r.row - into, count - done);
        scan_into(r, partials + row * r.pitch, in + done * r.bytes, n, into == 0, rubbish);
        done += n;
    }
}

void TileFold::column_rows(const ReductionCode& r, char* partials, const char* in, char* buffer,
                           std::int64_t pitch, std::int64_t rows) const {
    accumulate_rows(r, partials + chunk * r.chunk_bytes, in, buffer, {count, pitch, rows, first});
}

void TileFold::columns(const ReductionCode& r, char* partials, const char* in, char* buffer) const {
    if (!code.swept.empty() || code.span_elements == r.inner) {
        // Only the inner axis: the pointer has been advanced along it.
        accumulate(r, partials + chunk * r.chunk_bytes, in, count, first);
        return;
    }
    // A tile does not cross a chunk.
    std::int64_t step = position / r.inner, steps = count / r.inner;
    const bool one_by_one = !r.columns && r.inner <= kNarrow && r.scan;
    if (one_by_one) return narrow_columns(r, partials, in, buffer, step);
    char* const state = partials + step / r.run * r.chunk_bytes;
    accumulate_rows(r, state, in, buffer, {r.inner, r.inner * r.bytes, steps, step % r.run == 0});
}

void TileFold::accumulate_rows(const ReductionCode& r, char* state, const char* in, char* buffer,
                               Rows rows) const {
    const bool tiled = r.bytes <= 8 && rows.columns >= code.tiles->tile_bytes / r.bytes;
    if (tiled || !r.columns) {
        for (std::int64_t left = rows.count; left > 0; left -= rows.count) {
            rows.count = std::min(left, kFoldRows);
            accumulate_some(r, state, in, buffer, rows);
            in += rows.count * rows.pitch;
            rows.first = false;
        }
        return;
    }
    if (rows.first) begin(r, state, in, rows.columns);
    const std::int64_t skipped = rows.first ? 1 : 0;
    r.columns(state, {in + skipped * rows.pitch, rows.pitch, rows.columns, rows.count - skipped});
}

// Accumulates in register tiles: the state is the accumulator, rows are operands, and sums of
// floats take two rows a step. The tail is a tile that overlaps the one before; it runs first,
// while the state is unchanged, and its new part is copied after the others.
void TileFold::accumulate_some(const ReductionCode& r, char* state, const char* in, char* buffer,
                               const Rows& rows) const {
    const int log2 = item_log2(r.bytes), dtype = static_cast<int>(r.accumulator);
    const TileTable& tiles = *code.tiles;
    const TileFn one =
        r.bytes > 8
            ? nullptr
            : tiles.map[static_cast<int>(r.op)][dtype][log2][static_cast<int>(TileForm::AccMem)];
    const TileFn two =
        info(r.op).is_sum()
            ? tiles.joined[dtype][static_cast<int>(ArithmeticOp::Add)][static_cast<int>(
                  ArithmeticForm::AccMem)][static_cast<int>(ArithmeticOp::Add)][0]
            : nullptr;
    const std::int64_t tile = tiles.tile_bytes >> log2, left = rows.columns % tile;
    auto row = [&](std::int64_t k) { return const_cast<char*>(in) + k * rows.pitch; };
    if (!one || rows.columns < tile) {
        for (std::int64_t k = 0; k < rows.count; ++k) {
            accumulate(r, state, row(k), rows.columns, rows.first && k == 0);
        }
        return;
    }
    TileStep steps[kFoldRows + 3];
    TileStep* step = steps;
    const std::int32_t s = r.bytes;
    const bool zeros = rows.first && r.from_zero;
    const TileFn load = tiles.load[dtype][log2];
    if (zeros) {
        *step++ = {load, {const_cast<char*>(kZeros)}, {0}};
    } else {
        *step++ = {load, {rows.first ? row(0) : state}, {s}};
    }
    for (std::int64_t k = rows.first && !zeros; k < rows.count;) {
        const bool pair = two && k + 1 < rows.count;
        *step++ = {pair ? two : one, {row(k), pair ? row(k + 1) : nullptr}, {s, s}};
        k += pair ? 2 : 1;
    }
    TileStep& store = *step++ = {tiles.store[dtype][log2], {buffer}, {0}};
    *step = {tiles.end, {}, {}};
    if (left > 0) tiles.run(steps, rows.columns - tile, rows.columns, tile);
    store.p[0] = state;
    store.s[0] = s;
    tiles.run(steps, 0, rows.columns - left, tile);
    std::memcpy(state + (rows.columns - left) * s, buffer + (tile - left) * s,
                static_cast<std::size_t>(left * s));
}

// Accumulates a few columns one by one, all steps of a tile in one call.
void TileFold::narrow_columns(const ReductionCode& r, char* partials, const char* in, char* buffer,
                              std::int64_t step) const {
    LoadFn load = code.table->load[item_log2(r.bytes)];
    std::int64_t steps = count / r.inner;
    char* state = partials + step / r.run * r.chunk_bytes;
    for (std::int64_t k = 0; k < r.inner; ++k) {
        load(buffer, in + k * r.bytes, r.inner * r.bytes, steps);
        scan_into(r, state + k * r.bytes, buffer, steps, step % r.run == 0, buffer);
    }
}

}  // namespace hassium
