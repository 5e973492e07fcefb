#include "fuse/legal/legal.hpp"

#include <algorithm>
#include <bit>

#include "program/lookup.hpp"

namespace hassium {

void BlockState::clear() {
    loop = {};
    members = 0;
    accesses.clear();
}

void Legality::load(std::uint32_t instruction, BlockState& state) const {
    state.loop = loops_[instruction];
    state.members = !info(graph_.program->instructions[instruction].op).is_system();
    auto accesses = graph_.accesses_of(instruction);
    state.accesses.assign(accesses.data(), accesses.size());
    if (state.loop.tree != kNone) {
        for (ViewAccess& a : state.accesses) {
            if (a.kinds & kWrite) a.kinds |= state.loop.rows ? kResult | kRowResult : kResult;
        }
    }
    const Instruction& i = graph_.program->instructions[instruction];
    std::uint32_t off_loop = state.loop.alone ? 0 : operands_off_loop(*graph_.program, i);
    for (; off_loop != 0; off_loop &= off_loop - 1) {
        const std::uint32_t operand =
            i.operands + static_cast<std::uint32_t>(std::countr_zero(off_loop));
        for (ViewAccess& a : state.accesses) {
            if (a.view == graph_.view_of[operand]) a.kinds |= kAnywhere;
        }
    }
    std::sort(state.accesses.begin(), state.accesses.end(),
              [](const ViewAccess& a, const ViewAccess& b) { return a.view < b.view; });
}

bool Legality::trees_agree(const Loop& a, const Loop& b) const {
    return a.tree == b.tree || a.tree == kNone || b.tree == kNone || mode_ != LegalityMode::Full;
}

std::uint32_t Legality::unite(std::uint32_t a, std::uint32_t b) const {
    if (a == b || a == kNone || b == kNone) return a == b ? a : kNone;
    static_assert(Grids::kNothing == kNone);
    return grids_.unite(a, b);
}

// Rules 8 and 10.
const char* Legality::shape_refusal(const Loop& a, const Loop& b) const {
    if (!a.mixed && !b.mixed && (a.keeps == b.shape || b.keeps == a.shape)) {
        const Loop& outer = a.keeps == b.shape ? a : b;
        const Loop& inner = a.keeps == b.shape ? b : a;
        if (inner.kept) return "they iterate over different shapes";
        bool over_rows = outer.tree == kNone || outer.rows;
        return over_rows && inner.tree == kNone ? "" : "they reduce different axes";
    }
    bool common = unite(a.grid, b.grid) != kNone && !a.kept && !b.kept;
    if (!common) return "they iterate over different shapes";
    bool hosts_agree = a.host == b.host || a.host == kNone || b.host == kNone;
    if (!hosts_agree) return "their shapes have different rows";
    return trees_agree(a, b) ? "" : "they reduce in different orders";
}

// Rule 11.
const char* Legality::scan_refusal(const Loop& a, const Loop& b) const {
    if (a.tree != kNone || b.tree != kNone) return "one accumulates where the other reduces";
    if (a.scatters && b.scatters) return "both scatter";
    const bool one_shape = a.shape == b.shape && !a.mixed && !b.mixed && !a.kept && !b.kept;
    if (!one_shape) return "they iterate over different shapes";
    const bool one_axis = a.scan == b.scan || a.scan == kNone || b.scan == kNone;
    return one_axis ? "" : "they accumulate along different axes";
}

const char* Legality::loop_refusal(const Loop& a, const Loop& b) const {
    if (a.shape == kNone || b.shape == kNone) return "";
    if (a.alone || b.alone) return "one of them runs by a routine of its own";
    if (a.scan != kNone || b.scan != kNone) return scan_refusal(a, b);
    if (a.shape != b.shape || a.mixed || b.mixed) return shape_refusal(a, b);
    if (!trees_agree(a, b)) return "they reduce in different orders";
    for (const Loop* loop : {&a, &b}) {
        bool other_rows = loop->tree != kNone && !loop->rows;
        if (other_rows && (a.kept || b.kept)) return "they reduce different axes";
    }
    return "";
}

bool Legality::same_loop(std::uint32_t a, std::uint32_t b) const {
    return loop_refusal(loops_[a], loops_[b])[0] == '\0';
}

// A written view that overlaps itself is alone in its block, so elements of `whole` are disjoint
// here.
bool Legality::shows_part(const ViewAccess& a, const ViewAccess& b) const {
    if (mode_ != LegalityMode::Full || ((a.kinds | b.kinds) & kResult)) return false;
    return (a.kinds == kRead && graph_.component(b.view, a.view)) ||
           (b.kinds == kRead && graph_.component(a.view, b.view));
}

// Rules 3 and 8, for two accesses to one view.
bool Legality::results_agree(std::uint8_t a, std::uint8_t b) const {
    if (((a | b) & kResult) == 0) return true;
    return !(a & b & kResult) && ((a | b) & kRowResult);
}

bool Legality::ask_repeats(const Rows& rows, std::uint32_t row, std::uint32_t element) const {
    const Program& p = *graph_.program;
    const Operand& o = p.operands[row];
    auto extents = p.shape(o), strides = p.strides(o);
    std::uint64_t still = 0;
    std::size_t at = 0;
    for (std::size_t axis = 0; axis < extents.size(); ++axis) {
        if (extents[axis] == 1) continue;
        still |= std::uint64_t{strides[axis] == 0} << at;
        ++at;
    }
    return still == rows.axes && graph_.questions.ask(p, Question::Repeats, element, row);
}

// Rule 9: returns whether one view has an element per row and the other broadcasts it along the
// row.
bool Legality::repeats_row(std::uint32_t host, const ViewAccess& one,
                           const ViewAccess& other) const {
    std::uint8_t kinds = one.kinds | other.kinds;
    if (host == kNone || (kinds & (kResult | kRowResult)) == kResult) return false;
    const Rows& rows = rows_[host];
    if (!rows.is_short) return false;
    auto look = [&](std::uint32_t shape, std::uint32_t view) {
        auto found = looks_.find(std::uint64_t{shape} << 32 | view);
        return found == looks_.end() ? kNone : found->second;
    };
    std::uint32_t row = look(host, one.view), element = look(rows.keeps, other.view);
    if (row == kNone || element == kNone) {
        row = look(host, other.view);
        element = look(rows.keeps, one.view);
    }
    if (row == kNone || element == kNone) return false;
    auto [known, is_new] = repeats_.try_emplace(std::uint64_t{row} << 32 | element, false);
    if (is_new) known->second = ask_repeats(rows, row, element);
    return known->second;
}

// Rules 1, 3, 8, 9 and 12, for two accesses to one base.
bool Legality::accesses_agree(const ViewAccess& a, const ViewAccess& b, std::uint32_t host) const {
    const std::uint8_t kinds = a.kinds | b.kinds;
    if ((kinds & kAnywhere) && (kinds & kWrite)) {
        return a.view != b.view && !graph_.overlap(a.view, b.view);
    }
    if (a.view == b.view) return results_agree(a.kinds, b.kinds);
    if (!(kinds & kWrite) || !graph_.overlap(a.view, b.view)) return true;
    return shows_part(a, b) || repeats_row(host, a, b);
}

// Accesses are sorted by view, and the views of a base have consecutive numbers.
bool Legality::views_agree(const BlockState& few, const BlockState& many,
                           std::uint32_t host) const {
    auto from = [](const ViewAccess* begin, const ViewAccess* end, std::uint32_t view) {
        return std::lower_bound(begin, end, view,
                                [](const ViewAccess& x, std::uint32_t v) { return x.view < v; });
    };
    auto writes = [](const ViewAccess& x) { return (x.kinds & kWrite) != 0; };
    const ViewAccess *a = few.accesses.begin(), *b = many.accesses.begin();
    const ViewAccess *const a_end = few.accesses.end(), *const b_end = many.accesses.end();
    while (a != a_end) {
        const BaseId base = graph_.views[a->view].base;
        const std::uint32_t next_base = graph_.first_view[base + 1];
        const ViewAccess* const mine = a;
        while (a != a_end && a->view < next_base) ++a;
        b = from(b, b_end, graph_.first_view[base]);
        const ViewAccess* const theirs = b;
        while (b != b_end && b->view < next_base) ++b;
        // Results of reductions count as written.
        if (theirs == b || (std::none_of(mine, a, writes) && std::none_of(theirs, b, writes))) {
            continue;
        }
        for (const ViewAccess* x = mine; x != a; ++x) {
            const OverlapMemo::Few* others = graph_.overlapping(x->view);
            if (!others || std::ssize(*others) >= b - theirs) {
                auto agrees = [&](const ViewAccess& y) {
                    const bool may_meet = y.view == x->view || writes(*x) || writes(y);
                    return !may_meet || accesses_agree(*x, y, host);
                };
                if (!std::all_of(theirs, b, agrees)) return false;
                continue;
            }
            auto agrees = [&](std::uint32_t view) {
                const ViewAccess* const y = from(theirs, b, view);
                return y == b || y->view != view || accesses_agree(*x, *y, host);
            };
            if (!agrees(x->view) || !std::ranges::all_of(*others, agrees)) return false;
        }
    }
    return true;
}

std::uint32_t Legality::host_of(const Loop& a, const Loop& b) {
    bool inner = a.shape != b.shape && !a.mixed && !b.mixed && b.keeps == a.shape;
    return inner || a.host == kNone ? b.host : a.host;
}

namespace {

// Counts the views of the union: whether a block is too large must not depend on the order of
// merges.
std::size_t count_views(const BlockState& a, const BlockState& b) {
    const auto known = std::ranges::count_if(b.accesses, [&](const ViewAccess& x) {
        return std::ranges::binary_search(a.accesses, x.view, {}, &ViewAccess::view);
    });
    return a.accesses.size() + b.accesses.size() - static_cast<std::size_t>(known);
}

}  // namespace

bool Legality::may_join(const BlockState& a, const BlockState& b) const {
    if (loop_refusal(a.loop, b.loop)[0] != '\0') return false;
    if (mode_ == LegalityMode::Full) {
        if (a.members + b.members > kMaxMembers) return false;
        const bool many = a.accesses.size() + b.accesses.size() > kMaxViews;
        if (many && count_views(a, b) > kMaxViews) return false;
    }
    bool fewer = a.accesses.size() <= b.accesses.size();
    std::uint32_t host = host_of(a.loop, b.loop);
    return fewer ? views_agree(a, b, host) : views_agree(b, a, host);
}

void Legality::join_loops(Loop& a, const Loop& b) const {
    bool one_shape = a.shape == b.shape && !a.mixed && !b.mixed;
    bool nested = !one_shape && !a.mixed && !b.mixed;
    if (a.shape == kNone) {
        a = b;
    } else if (b.shape == kNone) {
        return;
    } else if (nested && a.keeps == b.shape) {
        a.kept = true;
    } else if (nested && b.keeps == a.shape) {
        a = b;
        a.kept = true;
    } else {
        a.kept = a.kept || b.kept;
        a.rows = a.rows || b.rows;
        a.mixed = !one_shape;
        if (a.tree == kNone) a.tree = b.tree;
        if (a.scan == kNone) a.scan = b.scan;
        if (a.host == kNone) a.host = b.host;
        if (a.grid != b.grid) a.grid = unite(a.grid, b.grid);
    }
    a.alone = a.alone || b.alone;
    a.scatters = a.scatters || b.scatters;
}

void Legality::join(BlockState& a, const BlockState& b) const {
    join_loops(a.loop, b.loop);
    a.members += b.members;
    if (b.accesses.empty()) return;
    // Moves the accesses of a to the end, to make room for the merge at the front.
    const std::size_t old = a.accesses.size(), more = b.accesses.size();
    a.accesses.resize(old + more);
    ViewAccess* const to = a.accesses.data();
    std::copy_backward(to, to + old, to + old + more);
    const ViewAccess *mine = to + more, *mine_end = mine + old;
    const ViewAccess *theirs = b.accesses.begin(), *theirs_end = b.accesses.end();
    std::size_t kept = 0;
    while (theirs != theirs_end) {
        if (mine == mine_end || theirs->view < mine->view) {
            to[kept++] = *theirs++;
        } else {
            to[kept] = *mine++;
            if (to[kept].view == theirs->view) to[kept].kinds |= theirs++->kinds;
            ++kept;
        }
    }
    kept = static_cast<std::size_t>(std::copy(mine, mine_end, to + kept) - to);
    a.accesses.resize(kept);
}

}  // namespace hassium
