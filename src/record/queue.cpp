#include "record/queue.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <utility>

#include "base/error.hpp"
#include "program/word_hash.hpp"

namespace hassium {
namespace {

// Epochs are unique over all queues, so a stale slot of a base can never look valid.
std::uint64_t next_epoch() {
    static std::atomic<std::uint64_t> last{0};
    return ++last;
}

// Does the program free it? Memory of somebody else is not the program's.
bool dies(const Base& base) { return base.dead && !base.foreign && !base.release; }

bool iterates_over_input(const Request& r) { return r.method != Method::Call; }

// Operands of these rows keep their own shapes.
bool broadcasts(OpClass cls) { return cls == OpClass::Map || cls == OpClass::Generate; }

// Could running this instruction be noticed although nobody reads its result?
bool may_warn(const Instruction& i, ErrState errstate) {
    std::uint8_t flags = raises(i.op, i.compute);
    for (int condition = 0; condition < 4; ++condition) {
        if ((flags >> condition & 1) && errstate.mode(condition) != ErrMode::Ignore) return true;
    }
    return false;
}

}  // namespace

bool Base::only_read_by_owner() const {
    return owner->holds(*this) && !in_flight && written != epoch;
}

Queue::Queue() : epoch_(next_epoch()) {}

std::uint32_t Queue::slot_of(Base* base, bool written) {
    auto now = static_cast<std::uint32_t>(pending_.instructions.size());
    if (written) base->written = epoch_;
    if (holds(*base)) {
        entries_[base->slot].last_use = now;
        return base->slot;
    }
    HS_CHECK(base->owner == nullptr || base->owner == this, "a base has two queues");
    // What is of this queue and not pending is part of a job.
    base->in_flight = base->owner != nullptr;
    base->owner = this;
    base->epoch = epoch_;
    base->slot = static_cast<std::uint32_t>(entries_.size());
    bool exists = base->data || base->in_flight || !written;
    pending_.bases.push_back({base->bytes, base->dtype, exists, dies(*base), {}});
    entries_.push_back({base, now, now, 0});
    return base->slot;
}

void Queue::put_view(const View& view, std::span<const std::int64_t> shape, bool written) {
    std::uint32_t slot = slot_of(view.base.get(), written);
    if (!written) ++entries_[slot].reads;
    std::size_t ndim = shape.size();
    auto at = static_cast<std::uint32_t>(pending_.geometry.size());
    pending_.geometry.resize(at + 2 * ndim);
    std::int64_t* extents = pending_.geometry.data() + at;
    std::int64_t* strides = extents + ndim;
    std::size_t missing = ndim - view.ndim();
    const std::int64_t* own = view.shape.data();
    const std::int64_t* step = view.strides.data();
    for (std::size_t k = 0; k < ndim; ++k) {
        extents[k] = shape[k];
        bool real = k >= missing && own[k - missing] == shape[k];
        strides[k] = real ? step[k - missing] : 0;
    }
    pending_.operands.push_back(
        {slot, view.dtype, static_cast<std::uint8_t>(ndim), 0, view.offset, at, 0});
}

void Queue::append(const Request& r) {
    const OpInfo& row = info(r.op);
    bool own_shapes = !broadcasts(row.cls);
    const Dims& iteration = iterates_over_input(r) ? r.in[0].view->shape : r.out[0]->shape;
    Instruction instruction{r.op,      r.method,
                            r.compute, r.nout,
                            r.nin,     static_cast<std::uint8_t>(r.mask != nullptr),
                            0,         static_cast<std::uint32_t>(pending_.operands.size()),
                            0,         r.axes};
    for (int k = 0; k < r.nout; ++k) {
        // The result of a reduction has the kept axes only.
        bool own = own_shapes || r.method == Method::Reduce;
        put_view(*r.out[k], own ? r.out[k]->shape : iteration, true);
        r.out[k]->base->range_known = false;
    }
    for (int k = 0; k < r.nin; ++k) {
        const Input& in = r.in[k];
        if (in.view) {
            put_view(*in.view, own_shapes ? in.view->shape : iteration, false);
        } else {
            auto index = static_cast<std::int64_t>(pending_.constants.size());
            pending_.constants.push_back(in.value);
            pending_.operands.push_back({kConstant, in.dtype, 0, 0, index, 0, 0});
        }
    }
    if (r.mask) put_view(*r.mask, iteration, false);
    pending_.instructions.push_back(instruction);
    pending_.origins.push_back({r.errstate, r.site});
    std::uint64_t hash =
        WordHash::mix(static_cast<std::uint64_t>(r.op), static_cast<std::uint64_t>(r.method));
    hash = WordHash::mix(
        hash, static_cast<std::uint64_t>(r.compute) << 8 | r.axes << 16 | iteration.size());
    kinds_.push_back(hash);
    note_last();
}

void Queue::mark_dead(Base* base) {
    if (!holds(*base)) return;
    if (base->data) dead_bytes_ += base->bytes;
    pending_.bases[base->slot].dies = dies(*base);
    unread_ |= entries_[base->slot].reads == 0;
}

// Which instructions are dropped; empty when none is. Backwards: a result matters if its base lives
// on, is read later, or making it can warn.
std::vector<bool> Queue::unread(std::size_t count) const {
    if (!unread_) return {};
    std::vector<bool> needed(entries_.size());
    for (std::size_t b = 0; b < entries_.size(); ++b) {
        needed[b] = !entries_[b].base->dead || entries_[b].last_use >= count;
    }
    std::vector<bool> drop(count);
    bool any = false;
    for (std::size_t i = count; i-- > 0;) {
        const Instruction& instruction = pending_.instructions[i];
        bool keep = may_warn(instruction, pending_.origins[i].errstate) ||
                    info(instruction.op).cls == OpClass::Opaque;
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

namespace {

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

// Cuts all behind the first `count` instructions off; the first `bases` bases are theirs.
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

namespace {

std::size_t geometry_words(std::span<const Operand> operands) {
    std::size_t words = 0;
    for (const Operand& o : operands) words += std::size_t{2} * o.ndim;
    return words;
}

// Without a branch for each word: mostly all are equal.
bool same_words(const void* a, const void* b, std::size_t count) {
    const char *one = static_cast<const char*>(a), *other = static_cast<const char*>(b);
    std::uint64_t different = 0;
    for (std::size_t k = 0; k < count; ++k, one += 8, other += 8) {
        std::uint64_t x, y;
        std::memcpy(&x, one, 8);
        std::memcpy(&y, other, 8);
        different |= x ^ y;
    }
    return different == 0;
}

}  // namespace

// Is the instruction that of the known program, if all before it are?
bool Queue::as_expected(std::size_t index) const {
    if (index >= known_.instructions.size()) return false;
    const Instruction& own = pending_.instructions[index];
    if (!same_words(&own, &known_.instructions[index], sizeof own / 8)) return false;
    std::span<const Operand> operands = pending_.operands_of(own);
    const Operand* others = known_.operands.data() + own.operands;
    if (!same_words(operands.data(), others, operands.size() * (sizeof(Operand) / 8))) return false;
    for (const Operand& o : operands) {
        if (!same_words(pending_.geometry.data() + o.geometry, known_.geometry.data() + o.geometry,
                        std::size_t{2} * o.ndim)) {
            return false;
        }
    }
    return true;
}

void Queue::note_last() {
    expected_ = expected_ && as_expected(size() - 1);
    if (!expected_) hash_up_to(size());
}

// The running hash takes in instruction after instruction, its operands and geometry.
void Queue::hash_up_to(std::size_t count) {
    while (hashes_.size() < count) {
        const Instruction& next = pending_.instructions[hashes_.size()];
        std::span<const Operand> operands = pending_.operands_of(next);
        const std::size_t words = geometry_words(operands);
        WordHash hash(hashes_.empty() ? 0 : hashes_.back());
        hash.add(&next, sizeof next / 8);
        hash.add(operands.data(), operands.size() * (sizeof(Operand) / 8));
        hash.add(pending_.geometry.data() + hashed_geometry_, words);
        hashes_.push_back(hash.value());
        hashed_geometry_ += words;
    }
}

void Queue::expect(KnownProgram known) {
    known_ = std::move(known);
    expected_ = known_.owner != nullptr;
    for (std::size_t k = 0; expected_ && k < size(); ++k) expected_ = as_expected(k);
    if (!expected_) hash_up_to(size());
}

// The job without dropped instructions; bases that only those used leave it.
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

// Nothing is pending.
void Queue::begin() {
    kinds_.clear();
    hashes_.clear();
    hashed_geometry_ = 0;
    expected_ = unread_ = false;
    epoch_ = next_epoch();
}

Job Queue::take(std::size_t count) {
    HS_CHECK(count > 0, "a job has instructions");
    bool all = count == size();
    held_back = 0;
    std::vector<bool> drop = unread(count);
    Job job = std::move(spare_);
    auto behind = [count](const Entry& e) { return e.first_use < count; };
    auto end =
        all ? entries_.end() : std::partition_point(entries_.begin(), entries_.end(), behind);
    auto bases = static_cast<std::size_t>(end - entries_.begin());
    job.bases.resize(bases);
    job.bindings.resize(bases);
    // What was written first has no memory yet: most bases are such, and not looked at.
    for (std::size_t b = 0; b < bases; ++b) {
        BaseInfo& known = pending_.bases[b];
        job.bases[b] = entries_[b].base;
        job.bindings[b] = {known.input ? entries_[b].base->data : nullptr, known.bytes};
        job.lacks_memory |= known.input && !job.bindings[b].data;
        if (entries_[b].last_use >= count) known.dies = false;
    }
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
    if (!all) kinds = kinds_;
    begin();
    looks_ = 0;
    dead_bytes_ = 0;
    if (!all) {
        for (std::size_t b = bases; b < old.size(); ++b) old[b].base->owner = nullptr;
        readmit(job.program, old, kinds, count);
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

// Appends instructions [from, end) of an older pending program under new numbers.
void Queue::readmit(const Program& older, std::span<const Entry> old,
                    std::span<const std::uint64_t> kinds, std::size_t from) {
    std::vector<std::uint32_t> slots(old.size(), kNone);
    for (std::size_t i = from; i < older.instructions.size(); ++i) {
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
        kinds_.push_back(kinds[i]);
    }
    for (const Entry& e : entries_) unread_ |= e.base->dead && e.reads == 0;
}

void Queue::restore(Job&& job, const std::vector<bool>& done) {
    Program newer = std::move(pending_);
    std::vector<Entry> newer_entries = std::move(entries_);
    std::vector<std::uint64_t> newer_kinds = std::move(kinds_);
    pending_ = Program();
    entries_.clear();
    begin();
    // What the job was to make does not exist: the instructions that make it come again.
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
        left_kinds.push_back(
            WordHash::mix(static_cast<std::uint64_t>(instruction.op), instruction.axes));
    }
    readmit(left, left_entries, left_kinds, 0);
    readmit(newer, newer_entries, newer_kinds, 0);
}

}  // namespace hassium
