#include "fuse/partition.hpp"

#include <cstdio>

#include "base/error.hpp"
#include "fuse/legal/legal.hpp"

namespace hassium {
namespace {

struct Place {
    std::uint32_t block = kNone, position = kNone;
};

std::string name_of(const Program& program, std::uint32_t instruction) {
    return "instruction " + std::to_string(instruction) + " (" +
           program.dump_instruction(instruction) + ")";
}

// Returns the place of each instruction; each must have exactly one: legality excludes
// recomputation.
std::vector<Place> places(const Partition& partition, const Program& program) {
    std::vector<Place> result(program.instructions.size());
    for (std::uint32_t k = 0; k < partition.blocks.size(); ++k) {
        const auto& members = partition.blocks[k].members;
        HS_CHECK(!members.empty(), "block " + std::to_string(k) + " is empty");
        for (std::uint32_t m = 0; m < members.size(); ++m) {
            std::uint32_t index = members[m];
            HS_CHECK(index < result.size(),
                     "block " + std::to_string(k) + " names an instruction that does not exist");
            HS_CHECK(result[index].block == kNone,
                     name_of(program, index) + " stands in two places");
            result[index] = {k, m};
        }
    }
    for (std::uint32_t index = 0; index < result.size(); ++index) {
        HS_CHECK(result[index].block != kNone, name_of(program, index) + " is in no block");
    }
    return result;
}

void check_order(const Graph& graph, const std::vector<Place>& where) {
    for (std::uint32_t to = 0; to < graph.size(); ++to) {
        for (std::uint32_t from : graph.predecessors[to]) {
            bool before =
                where[from].block < where[to].block ||
                (where[from].block == where[to].block && where[from].position < where[to].position);
            HS_CHECK(before, name_of(*graph.program, to) + " stands before " +
                                 name_of(*graph.program, from) + ", which it depends on");
        }
    }
}

// Returns the index of the first member that may not join those before it; the member count if
// none.
std::size_t first_stranger(const Block& b, const Legality& legality) {
    BlockState block, next;
    legality.load(b.members[0], block);
    for (std::size_t m = 1; m < b.members.size(); ++m) {
        legality.load(b.members[m], next);
        if (!legality.may_join(block, next)) return m;
        legality.join(block, next);
    }
    return b.members.size();
}

bool legal_by_itself(const Block& b, const Graph& graph, LegalityMode mode) {
    std::vector<bool> among(graph.size(), false);
    for (std::uint32_t member : b.members) among[member] = true;
    return first_stranger(b, Legality(graph, mode, &among)) == b.members.size();
}

void check_legal(const Partition& partition, const Graph& graph, LegalityMode mode) {
    Legality legality(graph, mode);
    for (const Block& b : partition.blocks) {
        std::size_t m = first_stranger(b, legality);
        if (m == b.members.size() || legal_by_itself(b, graph, mode)) continue;
        std::uint32_t index = b.members[m];
        std::string reason = "the block is too large";
        std::uint32_t other = b.members[0];
        for (std::size_t k = 0; k < m; ++k) {
            const char* refusal = legality.refusal(b.members[k], index);
            if (refusal[0] == '\0') continue;
            other = b.members[k];
            reason = refusal;
        }
        HS_CHECK(false, name_of(*graph.program, index) + " may not share a block with " +
                            name_of(*graph.program, other) + ": " + reason);
    }
}

}  // namespace

void Partition::verify(const Program& program, LegalityMode mode) const {
    Graph graph = build_graph(program, mode);
    check_order(graph, places(*this, program));
    check_legal(*this, graph, mode);
}

std::string Partition::dump(const Program& program) const {
    char head[128];
    std::snprintf(head, sizeof head, "partition: %zu blocks, cost %.17g, bound %.17g%s\n",
                  blocks.size(), cost, bound, optimal ? ", optimal" : "");
    std::string text = head;
    for (std::size_t k = 0; k < blocks.size(); ++k) {
        text += "block " + std::to_string(k) + ":\n";
        for (std::uint32_t m : blocks[k].members) {
            text += "  " + std::to_string(m) + ": " + program.dump_instruction(m) + '\n';
        }
    }
    return text;
}

}  // namespace hassium
