// Defers instructions whose results cannot be allocated, so that others do not wait for them.
//
// A result that is too large is recorded like any other, and most such results are never
// materialized because they fuse with their readers. One that must be materialized would fail its
// flush and every later one while its name lives, though it may never be read. So its instructions
// move behind the others, with all that depend on them. They are retried when a needed value
// depends on them, or by `flush`, and dropped when their results can no longer be read.
#include <algorithm>
#include <utility>
#include <vector>

#include "record/queue.hpp"

namespace hassium {
namespace {

// The bases that a set of instructions reads and writes.
struct Touched {
    std::vector<bool> read, written;

    explicit Touched(std::size_t bases) : read(bases), written(bases) {}
    // Returns whether the order of the set and the instruction matters.
    bool bind(const Program& program, const Instruction& i) const {
        const std::span<const Operand> operands = program.operands_of(i);
        for (std::size_t k = 0; k < operands.size(); ++k) {
            const Operand& o = operands[k];
            if (o.is_constant()) continue;
            if (written[o.base] || (k < i.nout && read[o.base])) return true;
        }
        return false;
    }
    void add(const Program& program, const Instruction& i) {
        const std::span<const Operand> operands = program.operands_of(i);
        for (std::size_t k = 0; k < operands.size(); ++k) {
            if (!operands[k].is_constant()) (k < i.nout ? written : read)[operands[k].base] = true;
        }
    }
};

}  // namespace

// Returns which instructions cannot run because an allocation failed, their own or that of an
// operand; empty if all can.
std::vector<bool> Queue::without_memory() const {
    if (lacking_ == 0) return {};
    std::vector<bool> found(size()), missing(entries_.size());
    for (std::size_t k = 0; k < size(); ++k) {
        const Instruction& i = pending_.instructions[k];
        found[k] = pending_.origins[k].lacking;
        for (const Operand& o : pending_.operands_of(i).subspan(i.nout)) {
            found[k] = found[k] || (!o.is_constant() && missing[o.base]);
        }
        for (const Operand& o : pending_.outputs(i)) missing[o.base] = missing[o.base] || found[k];
    }
    return found;
}

// Walks backwards: marks instructions that touch the base, and those that they depend on.
std::vector<bool> Queue::needed_for(const Base* wanted) const {
    std::vector<bool> needed(size());
    if (const View* element = lazy_reads.source_of(wanted)) wanted = element->base.get();
    if (!wanted || !holds(*wanted)) return needed;
    Touched later(entries_.size());
    later.read[wanted->slot] = later.written[wanted->slot] = true;
    for (std::size_t k = size(); k-- > 0;) {
        const Instruction& i = pending_.instructions[k];
        needed[k] = later.bind(pending_, i);
        if (needed[k]) later.add(pending_, i);
    }
    return needed;
}

const Operand* Queue::largest_lacking() const {
    const Operand* largest = nullptr;
    for (std::size_t k = 0; k < pending_.instructions.size(); ++k) {
        if (!pending_.origins[k].lacking) continue;
        for (const Operand& out : pending_.outputs(pending_.instructions[k])) {
            const std::int64_t bytes = pending_.bases[out.base].bytes;
            if (!largest || bytes > pending_.bases[largest->base].bytes) largest = &out;
        }
    }
    return largest;
}

std::size_t Queue::defer_failed(std::size_t count, const Base* wanted) {
    if (lacking_ == 0) return count;
    const std::vector<bool> needed = needed_for(wanted), unread = this->unread(size());
    Touched by_late(entries_.size());
    std::vector<std::uint32_t> order, late;
    std::size_t left = 0;
    for (std::uint32_t k = 0; k < size(); ++k) {
        if (!unread.empty() && unread[k]) continue;
        const Instruction& i = pending_.instructions[k];
        // A needed instruction never depends on one that is not needed.
        const bool lacking = pending_.origins[k].lacking && !needed[k];
        if (lacking || by_late.bind(pending_, i)) {
            by_late.add(pending_, i);
            late.push_back(k);
        } else {
            order.push_back(k);
            left += k < count;
        }
    }
    const bool same = order.size() == size() || late.size() == size();
    if (!same) {
        order.insert(order.end(), late.begin(), late.end());
        reorder(order);
    }
    if (late.size() == size()) idle_ = size();
    return left;
}

std::size_t Queue::bring_forward(const Base* wanted) {
    const std::vector<bool> needed = needed_for(wanted);
    std::vector<std::uint32_t> order, late;
    for (std::uint32_t k = 0; k < size(); ++k) (needed[k] ? order : late).push_back(k);
    const std::size_t count = order.size();
    const bool in_order = std::ranges::is_partitioned(needed, std::identity{});
    order.insert(order.end(), late.begin(), late.end());
    if (!in_order) reorder(order);
    return count;
}

// Instructions missing from `order` leave the queue.
void Queue::reorder(std::span<const std::uint32_t> order) {
    const Program older = std::exchange(pending_, {});
    const std::vector<Entry> old = std::exchange(entries_, {});
    const std::vector<std::uint64_t> kinds = kinds_;
    begin();
    dead_bytes_ = 0;
    for (const Entry& e : old) e.base->owner = nullptr;
    readmit(older, old, kinds, order);
    for (const Entry& e : old) let_go(e.base);
}

}  // namespace hassium
