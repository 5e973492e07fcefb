#include "fuse/cost/memory.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace hassium {
namespace {

// Bytes that blocks may hold beyond the peak of the unfused program. Saving less is not worth a
// cut.
constexpr std::int64_t kSlack = std::int64_t{32} << 20;

constexpr std::uint32_t kNever = 0xffffffffu;

// Life of a base, as positions in the order of execution.
struct Life {
    std::uint32_t first = kNever, last = 0;
    bool dies = false;
};

// Returns the bytes that are live at each position besides the inputs, given the position of every
// instruction. `inside`: also count arrays with a single position.
std::vector<std::int64_t> bytes_alive(const Program& program,
                                      const std::vector<std::uint32_t>& places, std::size_t count,
                                      bool inside) {
    std::vector<Life> lives(program.bases.size());
    for (std::size_t i = 0; i < program.instructions.size(); ++i) {
        const Instruction& instruction = program.instructions[i];
        for (const Operand& o : program.operands_of(instruction)) {
            if (o.is_constant()) continue;
            Life& life = lives[o.base];
            life.dies |= program.is_del(instruction);
            if (info(instruction.op).is_system()) continue;
            if (life.first == kNever) life.first = life.last = places[i];
            life.first = std::min(life.first, places[i]);
            life.last = std::max(life.last, places[i]);
        }
    }
    std::vector<std::int64_t> alive(count + 1);
    for (std::size_t b = 0; b < lives.size(); ++b) {
        const Life& life = lives[b];
        const BaseInfo& base = program.bases[b];
        if (life.first == kNever) continue;
        if (!base.input && life.dies && life.first == life.last && !inside) continue;
        if (!base.input) alive[life.first] += base.bytes;
        if (life.dies) alive[life.last + 1] -= base.bytes;
    }
    std::partial_sum(alive.begin(), alive.end(), alive.begin());
    alive.pop_back();
    return alive;
}

std::vector<std::uint32_t> in_order(const Program& program) {
    std::vector<std::uint32_t> places(program.instructions.size());
    std::iota(places.begin(), places.end(), 0u);
    return places;
}

std::vector<std::int64_t> alive_in(const Program& program, const std::vector<Block>& blocks) {
    std::vector<std::uint32_t> places(program.instructions.size());
    for (std::uint32_t k = 0; k < blocks.size(); ++k) {
        for (std::uint32_t member : blocks[k].members) places[member] = k;
    }
    return bytes_alive(program, places, blocks.size(), false);
}

std::int64_t most(const std::vector<std::int64_t>& alive) {
    return alive.empty() ? 0 : std::max<std::int64_t>(*std::ranges::max_element(alive), 0);
}

// The part [begin, end) of a program, and its partition with instructions numbered in the part.
struct Piece {
    std::size_t begin, end;
    Partition partition;
};

Piece make_piece(const Program& whole, std::size_t begin, std::size_t end,
                 const FuseOptions& options) {
    Program part = whole;
    part.origins.clear();
    auto from = whole.instructions.begin();
    part.instructions.assign(from + static_cast<std::ptrdiff_t>(begin),
                             from + static_cast<std::ptrdiff_t>(end));
    for (std::size_t i = 0; i < begin; ++i) {
        for (const Operand& o : whole.operands_of(whole.instructions[i])) {
            if (!o.is_constant()) part.bases[o.base].input = 1;
        }
    }
    return {begin, end, partition(part, options)};
}

// Returns the cut in the middle half that the fewest bytes cross; of equal ones the nearest to the
// middle.
std::size_t place_to_cut(const std::vector<std::int64_t>& alive, std::size_t begin,
                         std::size_t end) {
    std::size_t middle = begin + (end - begin) / 2, quarter = (end - begin) / 4;
    std::size_t best = middle;
    for (std::size_t step = 0; step <= quarter; ++step) {
        for (std::size_t at : {middle - step, middle + step}) {
            if (at <= begin || at >= end) continue;
            // Bytes that cross the cut: live at the instruction before and not freed.
            if (std::min(alive[at - 1], alive[at]) < std::min(alive[best - 1], alive[best])) {
                best = at;
            }
        }
    }
    return best;
}

Partition join(const std::vector<Piece>& pieces) {
    Partition joined;
    for (const Piece& piece : pieces) {
        for (Block block : piece.partition.blocks) {
            for (std::uint32_t& member : block.members) {
                member += static_cast<std::uint32_t>(piece.begin);
            }
            joined.blocks.push_back(std::move(block));
        }
        joined.cost += piece.partition.cost;
        joined.nodes += piece.partition.nodes;
        joined.apart += piece.partition.apart;
        joined.bytes_saved += piece.partition.bytes_saved;
    }
    return joined;
}

// Returns the peak bytes of one operation after another, in addition to the program's inputs.
std::int64_t peak_bytes(const Program& program) {
    return most(bytes_alive(program, in_order(program), program.instructions.size(), true));
}

// Returns the peak that a partition may have: that of one operation at a time, plus some slack.
std::int64_t allowed_bytes(const Program& program) {
    // Python keeps the old value of a name until the new one exists: one more array.
    std::int64_t largest = kSlack;
    for (const BaseInfo& base : program.bases) largest = std::max(largest, base.bytes);
    return peak_bytes(program) + largest;
}

}  // namespace

std::int64_t peak_bytes(const Program& program, const std::vector<Block>& blocks) {
    return most(alive_in(program, blocks));
}

bool makes_little(const Program& program) {
    std::int64_t made = 0;
    for (const BaseInfo& base : program.bases) made += base.input ? 0 : base.bytes;
    return made <= kSlack;
}

bool swells(const Program& program, const Partition& partition) {
    if (makes_little(program)) return false;
    std::int64_t held = peak_bytes(program, partition.blocks);
    return held > kSlack && held > allowed_bytes(program);
}

Partition partition_within_memory(const Program& program, const FuseOptions& options,
                                  std::vector<Guard>& guards) {
    Partition whole = partition(program, options, &guards);
    if (!swells(program, whole)) return whole;
    std::size_t count = program.instructions.size();
    std::vector<std::int64_t> alone = bytes_alive(program, in_order(program), count, true);
    std::int64_t allowed = allowed_bytes(program);
    std::vector<Piece> pieces;
    pieces.push_back({0, count, std::move(whole)});
    Partition joined = join(pieces);
    for (;;) {
        std::vector<std::int64_t> alive = alive_in(program, joined.blocks);
        auto worst = static_cast<std::size_t>(std::ranges::max_element(alive) - alive.begin());
        if (alive[worst] <= allowed) break;
        auto piece = pieces.begin();
        while (worst >= piece->partition.blocks.size()) {
            worst -= piece->partition.blocks.size();
            ++piece;
        }
        if (piece->end - piece->begin < 2) break;
        std::size_t end = piece->end, cut = place_to_cut(alone, piece->begin, end);
        *piece = make_piece(program, piece->begin, cut, options);
        pieces.insert(piece + 1, make_piece(program, cut, end, options));
        joined = join(pieces);
    }
    Questions lost;
    lost.lose();
    guards = std::move(lost).guards();
    return joined;
}

}  // namespace hassium
