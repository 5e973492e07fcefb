#include "record/queue.hpp"

#include <algorithm>
#include <atomic>

#include "base/error.hpp"

namespace hassium {
namespace {

// Epochs are unique over all queues, so a stale slot of a base can never look valid.
std::uint64_t next_epoch() {
    static std::atomic<std::uint64_t> last{0};
    return ++last;
}

bool iterates_over_input(const Request& r) { return r.method != Method::Call; }

// Operands of these rows keep their own shapes.
bool broadcasts(OpClass cls) { return cls == OpClass::Map || cls == OpClass::Generate; }

std::uint64_t mix(std::uint64_t hash, std::uint64_t value) {
    hash = (hash ^ value) * 0x9e3779b97f4a7c15ull;
    return hash ^ (hash >> 29);
}

// Could running this instruction be noticed although nobody reads its result?
bool may_warn(const Instruction& i, ErrState errstate) {
    std::uint8_t flags = raises(i.op, i.compute);
    for (int condition = 0; condition < 4; ++condition) {
        if ((flags >> condition & 1) && errstate.mode(condition) != ErrMode::Ignore) return true;
    }
    return false;
}

}  // namespace

Queue::Queue() : epoch_(next_epoch()) {}

std::uint32_t Queue::slot_of(Base* base, bool written) {
    auto now = static_cast<std::uint32_t>(pending_.instructions.size());
    if (holds(*base)) {
        entries_[base->slot].last_use = now;
        return base->slot;
    }
    HS_CHECK(base->owner == nullptr || base->owner == this, "a base has two queues");
    base->owner = this;
    base->epoch = epoch_;
    base->slot = static_cast<std::uint32_t>(entries_.size());
    bool exists = base->data || base->in_flight || !written;
    pending_.bases.push_back({base->bytes, base->dtype, exists, {}});
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
    for (std::size_t k = 0; k < ndim; ++k) {
        extents[k] = shape[k];
        bool real = k >= missing && view.shape[k - missing] == shape[k];
        strides[k] = real ? view.strides[k - missing] : 0;
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
        mix(static_cast<std::uint64_t>(r.op), static_cast<std::uint64_t>(r.method));
    hash = mix(hash, static_cast<std::uint64_t>(r.compute) << 8 | r.axes << 16 | iteration.size());
    kinds_.push_back(hash);
}

void Queue::mark_dead(Base* base) {
    if (holds(*base) && base->data) dead_bytes_ += base->bytes;
}

// Backwards: a result matters if its base lives on, is read later, or making it can warn.
std::vector<bool> Queue::unread(std::size_t count) const {
    bool candidate = false;
    for (const Entry& e : entries_) candidate |= e.base->dead && e.reads == 0;
    if (!candidate) return {};
    std::vector<bool> needed(entries_.size());
    for (std::size_t b = 0; b < entries_.size(); ++b) {
        needed[b] = !entries_[b].base->dead || entries_[b].last_use >= count;
    }
    std::vector<bool> drop(count);
    for (std::size_t i = count; i-- > 0;) {
        const Instruction& instruction = pending_.instructions[i];
        bool keep = may_warn(instruction, pending_.origins[i].errstate) ||
                    info(instruction.op).cls == OpClass::Opaque;
        for (const Operand& o : pending_.outputs(instruction)) keep |= needed[o.base];
        drop[i] = !keep;
        if (!keep) continue;
        for (const Operand& o : pending_.operands_of(instruction)) {
            if (!o.is_constant()) needed[o.base] = true;
        }
    }
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

}  // namespace

// Instructions [0, count) without the dropped ones, with dels behind the last uses.
Program Queue::finished_prefix(std::size_t count, const std::vector<bool>& drop,
                               std::vector<Base*>& bases) {
    Program out;
    out.instructions.reserve(count + entries_.size());
    out.operands.reserve(pending_.operands.size() + entries_.size());
    std::vector<std::uint32_t> slots(entries_.size(), kNone);
    // dels_after[i]: chain of slots that die behind instruction i.
    std::vector<std::uint32_t> head(count, kNone), next(entries_.size(), kNone);
    for (std::uint32_t b = 0; b < entries_.size(); ++b) {
        if (!entries_[b].base->dead || entries_[b].last_use >= count) continue;
        if (entries_[b].base->foreign || entries_[b].base->release) continue;
        std::uint32_t last = entries_[b].last_use;
        next[b] = head[last];
        head[last] = b;
    }
    for (std::size_t i = 0; i < count; ++i) {
        if (drop.empty() || !drop[i]) {
            for (const Operand& o : pending_.operands_of(pending_.instructions[i])) {
                if (o.is_constant() || slots[o.base] != kNone) continue;
                slots[o.base] = static_cast<std::uint32_t>(bases.size());
                bases.push_back(entries_[o.base].base);
                out.bases.push_back(pending_.bases[o.base]);
            }
            transfer(pending_, i, slots, out);
        }
        for (std::uint32_t b = head[i]; b != kNone; b = next[b]) {
            if (slots[b] == kNone) continue;  // only dropped instructions used it
            append_del(out, slots[b]);
        }
    }
    return out;
}

Job Queue::take(std::size_t count) {
    Job job;
    job.program = finished_prefix(count, unread(count), job.bases);
    Program rest_of = std::move(pending_);
    std::vector<Entry> old = std::move(entries_);
    std::vector<std::uint64_t> kinds = std::move(kinds_);
    pending_ = Program();
    entries_.clear();
    kinds_.clear();
    dead_bytes_ = 0;
    epoch_ = next_epoch();
    for (Base* base : job.bases) base->in_flight = true;
    readmit(rest_of, old, kinds, count);
    for (const Entry& e : old) {
        Base* base = e.base;
        if (base->in_flight || holds(*base)) continue;
        base->owner = nullptr;  // only dropped instructions used it
        if (base->dead) destroy_base(base);
    }
    return job;
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
        kinds_.push_back(kinds[i]);
    }
}

void Queue::restore(Job&& job, const std::vector<bool>& done) {
    Program newer = std::move(pending_);
    std::vector<Entry> newer_entries = std::move(entries_);
    std::vector<std::uint64_t> newer_kinds = std::move(kinds_);
    pending_ = Program();
    entries_.clear();
    kinds_.clear();
    epoch_ = next_epoch();
    // What the job was to make does not exist: the instructions that make it come again.
    for (Base* base : job.bases) base->in_flight = false;
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
        if (done[i] || info(instruction.op).cls == OpClass::System) continue;
        transfer(job.program, i, slots, left);
        left_kinds.push_back(mix(static_cast<std::uint64_t>(instruction.op), instruction.axes));
    }
    readmit(left, left_entries, left_kinds, 0);
    readmit(newer, newer_entries, newer_kinds, 0);
}

}  // namespace hassium
