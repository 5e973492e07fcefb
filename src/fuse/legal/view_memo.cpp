#include "fuse/legal/view_memo.hpp"

#include <algorithm>
#include <utility>

#include "fuse/graph/interner.hpp"

namespace hassium {

OverlapMemo::OverlapMemo(std::vector<std::uint32_t> others) : unknown_(std::move(others)) {
    bool wanted = std::ranges::any_of(unknown_, [](std::uint32_t n) { return n != kNone; });
    if (wanted) met_.resize(unknown_.size());
}

bool OverlapMemo::operator()(const Program& program, std::span<const DistinctView> views,
                             std::uint32_t a, std::uint32_t b, Questions& questions) {
    if (2 * used_ >= slots_.size()) {
        std::vector<std::uint64_t> old(std::max<std::size_t>(32, 2 * slots_.size()));
        old.swap(slots_);
        for (std::uint64_t word : old) {
            if (word == 0) continue;
            std::size_t at = Interner::mix(0, word >> 2) & (slots_.size() - 1);
            while (slots_[at] != 0) at = (at + 1) & (slots_.size() - 1);
            slots_[at] = word;
        }
    }
    // Numbers of views fit 31 bits: programs with more would not fit into memory.
    std::uint64_t pair = std::uint64_t{std::min(a, b)} << 31 | std::max(a, b);
    std::size_t at = Interner::mix(0, pair) & (slots_.size() - 1);
    for (; slots_[at] != 0; at = (at + 1) & (slots_.size() - 1)) {
        if (slots_[at] >> 2 == pair) return (slots_[at] & 1) != 0;
    }
    bool answer = false;
    if (views[a].box.apart(views[b].box)) {
        questions.note(Question::Overlap, false, views[a].operand, views[b].operand);
    } else {
        answer = questions.ask(program, Question::Overlap, views[a].operand, views[b].operand);
    }
    slots_[at] = pair << 2 | 2 | std::uint64_t{answer};
    ++used_;
    keep(a, b, answer);
    keep(b, a, answer);
    return answer;
}

void OverlapMemo::keep(std::uint32_t view, std::uint32_t other, bool overlap) {
    std::uint32_t& unknown = unknown_[view];
    if (unknown == kNone) return;
    --unknown;
    if (!overlap) return;
    if (met_[view].size() == kFew) {
        unknown = kNone;
    } else {
        met_[view].push_back(other);
    }
}

bool ComponentMemo::operator()(const Program& program, std::span<const DistinctView> views,
                               std::uint32_t whole, std::uint32_t part, Questions& questions) {
    auto [at, unknown] = known_.try_emplace(std::uint64_t{whole} << 32 | part, false);
    if (unknown) {
        std::uint32_t a = views[whole].operand, b = views[part].operand;
        at->second = questions.ask(program, Question::RealPart, a, b) ||
                     questions.ask(program, Question::ImagPart, a, b);
    }
    return at->second;
}

}  // namespace hassium
