// Jobs leave the queue and come back: instructions without observable effect are dropped, those
// behind the cut stay pending, renumbered, and those that a failed job left undone go to the front.
#include <algorithm>
#include <numeric>
#include <utility>

#include "base/error.hpp"
#include "base/settings.hpp"
#include "program/word_hash.hpp"
#include "record/queue.hpp"
#include "record/thresholds.hpp"

namespace hassium {
namespace {

// Returns whether running the instruction could be observed although its result is never read. The
// failure of a job was reported already; running its remaining instructions could only fail again.
bool noticed(const Instruction& i, const Origin& origin) {
    if (info(i.op).is_system()) return true;
    if (origin.failed) return false;
    return info(i.op).is_opaque() || origin.reports;
}

// Copies one instruction with its operands from one program to another.
void transfer(const Program& from, std::size_t index, std::span<const std::uint32_t> slots,
              Program& to) {
    Instruction instruction = from.instructions[index];
    std::span<const Operand> operands = from.operands_of(instruction);
    instruction.operands = static_cast<std::uint32_t>(to.operands.size());
    for (Operand o : operands) {
        if (o.is_constant()) {
            to.constants.push_back(from.constants[static_cast<std::size_t>(o.offset)]);
            o.offset = static_cast<std::int64_t>(to.constants.size()) - 1;
        } else {
            auto first = from.geometry.begin() + o.geometry;
            o.geometry = static_cast<std::uint32_t>(to.geometry.size());
            to.geometry.insert(to.geometry.end(), first, first + 2 * o.ndim);
            o.base = slots[o.base];
        }
        to.operands.push_back(o);
    }
    to.instructions.push_back(instruction);
    to.origins.push_back(from.origins[index]);
}

constexpr std::uint32_t kNone = 0xffffffffu;

std::vector<std::uint32_t> numbers(std::size_t from, std::size_t end) {
    std::vector<std::uint32_t> all(end - from);
    std::iota(all.begin(), all.end(), static_cast<std::uint32_t>(from));
    return all;
}

// Removes all after the first `count` instructions, which use the first `bases` bases.
void truncate(Program& p, std::size_t count, std::size_t bases) {
    std::size_t operands = p.instructions[count].operands;
    std::size_t geometry = p.geometry.size(), constants = p.constants.size();
    for (std::size_t k = p.operands.size(); k-- > operands;) {
        const Operand& o = p.operands[k];
        if (o.is_constant()) {
            constants = static_cast<std::size_t>(o.offset);
        } else {
            geometry = o.geometry;
        }
    }
    p.instructions.resize(count);
    p.origins.resize(count);
    p.operands.resize(operands);
    p.geometry.resize(geometry);
    p.constants.resize(constants);
    p.bases.resize(bases);
}

}  // namespace

// Returns which instructions are dropped; empty if none. Walks backwards: a result matters if its
// base lives on, is read later, or computing it can be observed.
std::vector<bool> Queue::unread(std::size_t count) const {
    if (!unread_ && lacking_ == 0) return {};
    std::vector<bool> needed(entries_.size());
    for (std::size_t b = 0; b < entries_.size(); ++b) {
        needed[b] = !entries_[b].base->dead || entries_[b].last_use >= count;
    }
    const std::vector<bool> hopeless = without_memory();
    std::vector<bool> drop(count);
    bool any = false;
    for (std::size_t i = count; i-- > 0;) {
        const Instruction& instruction = pending_.instructions[i];
        const bool runs = hopeless.empty() || !hopeless[i];
        bool keep = runs && noticed(instruction, pending_.origins[i]);
        for (const Operand& o : pending_.outputs(instruction)) keep |= needed[o.base];
        drop[i] = !keep;
        any |= !keep;
        if (!keep) continue;
        for (const Operand& o : pending_.operands_of(instruction)) {
            if (!o.is_constant()) needed[o.base] = true;
        }
    }
    if (!any) drop.clear();
    return drop;
}

// Removes the dropped instructions from the job, and the bases that only they used.
void Queue::drop_from(Job& job, const std::vector<bool>& drop) {
    Job kept;
    std::vector<std::uint32_t> slots(job.bases.size(), kNone);
    WordHash hash(0);
    for (std::size_t i = 0; i < drop.size(); ++i) {
        if (drop[i]) continue;
        for (const Operand& o : job.program.operands_of(job.program.instructions[i])) {
            if (o.is_constant() || slots[o.base] != kNone) continue;
            slots[o.base] = static_cast<std::uint32_t>(kept.bases.size());
            kept.bases.push_back(job.bases[o.base]);
            kept.bindings.push_back(job.bindings[o.base]);
            kept.program.bases.push_back(job.program.bases[o.base]);
        }
        transfer(job.program, i, slots, kept.program);
    }
    hash.add(kept.program.instructions.data(), kept.program.instructions.size() * 3);
    hash.add(kept.program.operands.data(), kept.program.operands.size() * 3);
    hash.add(kept.program.geometry.data(), kept.program.geometry.size());
    hash.add(kept.program.bases.data(), kept.program.bases.size() * 2);
    kept.hash = hash.value();
    kept.lacks_memory = job.lacks_memory;
    for (std::size_t b = 0; b < job.bases.size(); ++b) {
        if (slots[b] == kNone) let_go(job.bases[b]);
    }
    job = std::move(kept);
}

// Returns whether the array still has a name and its elements come from a generator alone, so that
// they can be generated in the job for its readers there, and again for a later reader of the
// array. Often there is no later reader: the name of a loop variable is rebound. Each array is
// regenerated only once, so generating costs at most twice as much.
bool Queue::may_be_generated_again(std::size_t slot, std::size_t count) const {
    const Base& base = *entries_[slot].base;
    const std::size_t first = entries_[slot].first_use;
    if (base.dead || base.data || base.eager() || base.generated || first >= count) return false;
    const Instruction& generator = pending_.instructions[first];
    if (!info(generator.op).is_generator() || generator.nout != 1) return false;
    bool read = false;
    for (std::size_t i = first + 1; i < count; ++i) {
        const Instruction& other = pending_.instructions[i];
        for (const Operand& o : pending_.outputs(other)) {
            if (o.base == slot) return false;
        }
        for (const Operand& o : pending_.operands_of(other)) {
            read |= !o.is_constant() && o.base == slot;
        }
    }
    return read;
}

std::vector<std::uint32_t> Queue::regenerated_slots(std::size_t count, const Base* wanted) const {
    const std::string_view choice = settings().choice(Setting::rematerialize);
    std::vector<std::uint32_t> slots;
    if (!wanted || choice == "off") return slots;
    const std::int64_t least_bytes = choice == "on" ? 0 : threshold(Threshold::regenerated_bytes);
    for (std::size_t slot = 0; slot < entries_.size(); ++slot) {
        if (pending_.bases[slot].bytes < least_bytes || entries_[slot].base == wanted) continue;
        if (may_be_generated_again(slot, count)) slots.push_back(static_cast<std::uint32_t>(slot));
    }
    return slots;
}

Job Queue::take(std::size_t count, const Base* wanted) {
    HS_CHECK(count > 0, "a job has instructions");
    bool all = count == size();
    pending_small = 0;
    std::vector<bool> drop = unread(count);
    const std::vector<std::uint32_t> regenerated = regenerated_slots(count, wanted);
    Job job = std::move(spare_);
    auto behind = [count](const Entry& e) { return e.first_use < count; };
    auto end =
        all ? entries_.end() : std::partition_point(entries_.begin(), entries_.end(), behind);
    auto bases = static_cast<std::size_t>(end - entries_.begin());
    job.bases.resize(bases);
    job.bindings.resize(bases);
    // A base whose first use is a write has no memory yet: most bases are such, and are not
    // accessed.
    for (std::size_t b = 0; b < bases; ++b) {
        BaseInfo& known = pending_.bases[b];
        job.bases[b] = entries_[b].base;
        job.bindings[b] = {known.input ? entries_[b].base->data : nullptr, known.bytes};
        job.lacks_memory |= known.input && !job.bindings[b].data;
        if (entries_[b].last_use >= count) known.dies = false;
    }
    for (const std::uint32_t slot : regenerated) pending_.bases[slot].dies = true;
    if (expected_ && count == known_.instructions.size() && drop.empty() &&
        bases == known_.bases.size() &&
        same_words(pending_.bases.data(), known_.bases.data(), 2 * bases)) {
        job.hash = known_.hash;
        job.known = known_.owner;
    } else {
        hash_up_to(count);
        WordHash hash(hashes_[count - 1]);
        hash.add(pending_.bases.data(), 2 * bases);
        job.hash = hash.value();
    }
    std::swap(job.program, pending_);  // the spare one is empty
    std::vector<Entry> old = std::exchange(entries_, std::move(spare_entries_));
    std::vector<std::uint64_t> kinds;
    if (!all || !regenerated.empty()) kinds = kinds_;
    begin();
    dead_bytes_ = 0;
    for (const std::uint32_t slot : regenerated) {
        Base* base = old[slot].base;
        base->owner = nullptr;
        base->generated = true;
        job.bases[slot] = new_dead_base(nullptr, base->bytes, base->dtype);
        job.bases[slot]->owner = this;
        const std::uint32_t generator[] = {old[slot].first_use};
        readmit(job.program, old, kinds, generator);
    }
    if (!all) {
        for (std::size_t b = bases; b < old.size(); ++b) old[b].base->owner = nullptr;
        readmit(job.program, old, kinds, numbers(count, job.program.instructions.size()));
        truncate(job.program, count, bases);
    }
    if (!drop.empty()) drop_from(job, drop);
    old.clear();
    spare_entries_ = std::move(old);
    return job;
}

void Queue::recycle(Job&& job) {
    job.program.clear();
    job.bases.clear();
    job.bindings.clear();
    job.lacks_memory = false;
    job.known = nullptr;
    spare_ = std::move(job);
}

void Queue::readmit(const Program& older, std::span<const Entry> old,
                    std::span<const std::uint64_t> kinds, std::span<const std::uint32_t> which) {
    std::vector<std::uint32_t> slots(old.size(), kNone);
    for (const std::uint32_t i : which) {
        const Instruction& instruction = older.instructions[i];
        std::span<const Operand> operands = older.operands_of(instruction);
        for (std::size_t k = 0; k < operands.size(); ++k) {
            if (operands[k].is_constant()) continue;
            BaseId was = operands[k].base;
            bool written = k < instruction.nout;
            Base* base = old[was].base;
            slots[was] = slot_of(base, written);
            if (!written) ++entries_[slots[was]].reads;
            if (base->dead && base->data && entries_[slots[was]].reads == 1) {
                dead_bytes_ += base->bytes;
            }
        }
        transfer(older, i, slots, pending_);
        note_last();
        note_kind(kinds[i]);
        lacking_ += older.origins[i].lacking;
    }
    for (const Entry& e : entries_) unread_ |= e.base->dead && e.reads == 0;
}

void Queue::restore(Job&& job, const std::vector<bool>& done, const std::vector<bool>& lacking) {
    Program newer = std::move(pending_);
    std::vector<Entry> newer_entries = std::move(entries_);
    std::vector<std::uint64_t> newer_kinds = std::move(kinds_);
    pending_ = Program();
    entries_.clear();
    begin();
    dead_bytes_ = 0;
    // The results of the job do not exist: the instructions that make them are pending again.
    for (Base* base : job.bases) base->owner = nullptr;
    for (const Entry& e : newer_entries) e.base->owner = nullptr;
    Program left;
    std::vector<Entry> left_entries;
    std::vector<std::uint64_t> left_kinds;
    std::vector<std::uint32_t> slots;
    for (std::uint32_t b = 0; b < job.bases.size(); ++b) {
        left_entries.push_back({job.bases[b], 0, 0, 0});
        slots.push_back(b);
    }
    for (std::size_t i = 0; i < job.program.instructions.size(); ++i) {
        const Instruction& instruction = job.program.instructions[i];
        if (done[i]) continue;
        transfer(job.program, i, slots, left);
        Origin& origin = left.origins.back();
        origin.failed = true;
        found_lacking_ += !lacking.empty() && lacking[i] && !origin.lacking;
        origin.lacking |= !lacking.empty() && lacking[i];
        left_kinds.push_back(
            WordHash::mix(static_cast<std::uint64_t>(instruction.op), instruction.axes));
    }
    readmit(left, left_entries, left_kinds, numbers(0, left.instructions.size()));
    readmit(newer, newer_entries, newer_kinds, numbers(0, newer.instructions.size()));
}

}  // namespace hassium
