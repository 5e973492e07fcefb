#include "record/queue.hpp"

#include <atomic>
#include <utility>

#include "base/error.hpp"
#include "program/word_hash.hpp"

namespace hassium {
namespace {

// Epochs are unique over all queues, so a stale slot of a base never looks valid.
std::uint64_t next_epoch() {
    static std::atomic<std::uint64_t> last{0};
    return ++last;
}

// Returns whether the program frees the base. It must not free memory of another owner.
bool dies(const Base& base) { return base.dead && !base.foreign && !base.release; }

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
    // A base of this queue that is not pending is part of a job.
    base->in_flight = base->owner != nullptr;
    base->owner = this;
    base->epoch = epoch_;
    base->slot = static_cast<std::uint32_t>(entries_.size());
    bool exists = base->data || base->in_flight || !written;
    if (!exists) largest_new_ = std::max(largest_new_, base->bytes);
    // Built in place, here and below: a struct that was just written field by field is copied by
    // vector loads, which wait for the stores.
    pending_.bases.emplace_back(base->bytes, base->dtype, exists, dies(*base));
    entries_.emplace_back(base, now, now, 0U);
    return base->slot;
}

void Queue::put_view(const View& view, std::span<const std::int64_t> shape, bool written) {
    std::uint32_t slot = slot_of(view.base.get(), written);
    if (!written) ++entries_[slot].reads;
    std::size_t ndim = shape.size();
    auto at = static_cast<std::uint32_t>(pending_.geometry.size());
    std::size_t missing = ndim - view.ndim();
    const std::int64_t* own = view.shape.data();
    const std::int64_t* step = view.strides.data();
    for (std::int64_t extent : shape) pending_.geometry.push_back(extent);
    for (std::size_t k = 0; k < ndim; ++k) {
        bool real = k >= missing && own[k - missing] == shape[k];
        pending_.geometry.push_back(real ? step[k - missing] : 0);
    }
    pending_.operands.emplace_back(slot, view.dtype, static_cast<std::uint8_t>(ndim),
                                   std::uint16_t{}, view.offset, at);
}

namespace {

// Returns a hash of the properties that an instruction has in every iteration of a loop: not its
// extents, which may shrink, nor its bases, but which inputs are constants and which share a base
// with the result.
std::uint64_t kind_in_loop(const Request& r, std::size_t ndim) {
    std::uint64_t inputs = 0;
    for (int k = 0; k < r.nin; ++k) {
        const View* view = r.in[k].view;
        inputs = inputs << 2 | (!view ? 1 : view->base.get() == r.out[0]->base.get() ? 2 : 0);
    }
    const std::uint64_t row = static_cast<std::uint64_t>(r.op) |
                              static_cast<std::uint64_t>(r.method) << 16 |
                              static_cast<std::uint64_t>(r.compute) << 24 | inputs << 32 |
                              static_cast<std::uint64_t>(ndim) << 48;
    return WordHash::mix(row, r.axes);
}

}  // namespace

void Queue::append(const Request& r, const Origin& origin) {
    const OpInfo& row = info(r.op);
    bool own_shapes = !row.is_loop() || r.method == Method::At || r.method == Method::Reduceat;
    const Dims& iteration = iterates_over_input(r.method) ? r.in[0].view->shape : r.out[0]->shape;
    const bool all = origin.reports && origin.errstate.bits != ErrState::standard().bits &&
                     origin.errstate.asks_more_than(ErrState::standard());
    const auto first = static_cast<std::uint32_t>(pending_.operands.size());
    for (int k = 0; k < r.nout; ++k) {
        // The result of a reduction has only the kept axes.
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
            pending_.operands.emplace_back(kConstant, in.dtype, std::uint8_t{}, std::uint16_t{},
                                           index, 0U);
        }
    }
    if (r.mask) put_view(*r.mask, iteration, false);
    pending_.instructions.emplace_back(r.op, r.method, r.compute, r.nout, r.nin,
                                       static_cast<std::uint8_t>(r.mask != nullptr), all, first, 0U,
                                       r.axes);
    pending_.origins.push_back(origin);
    note_kind(kind_in_loop(r, iteration.size()));
    note_last();
}

void Queue::append_sync(const View& view) {
    const auto operand = static_cast<std::uint32_t>(pending_.operands.size());
    put_view(view, view.shape, false);
    hassium::append_sync(pending_, operand);
    note_kind(WordHash::mix(static_cast<std::uint64_t>(Op::Sync), view.ndim()));
    note_last();
}

void Queue::mark_dead(Base* base) {
    if (!holds(*base)) {
        if (!lazy_reads.remove(base).base) return;
        return destroy_base(base);
    }
    if (base->data) dead_bytes_ += base->bytes;
    pending_.bases[base->slot].dies = dies(*base);
    unread_ |= entries_[base->slot].reads == 0;
}

namespace {

std::size_t geometry_words(std::span<const Operand> operands) {
    std::size_t words = 0;
    for (const Operand& o : operands) words += std::size_t{2} * o.ndim;
    return words;
}

}  // namespace

// Returns whether the instruction equals that of the known program, if all before it do.
// Instructions beyond its end belong to the next job: they show that the loop goes on, which tells
// where to cut, and are not hashed for it.
bool Queue::as_expected(std::size_t index) const {
    if (index >= known_.instructions.size()) return true;
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

void Queue::note_kind(std::uint64_t kind) {
    scheduler.recorded(kind, kinds_.size());
    kinds_.push_back(kind);
}

void Queue::note_last() {
    expected_ = expected_ && as_expected(size() - 1);
    if (!expected_) hash_up_to(size());
}

// Extends the running hash by each instruction with its operands and geometry.
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

// Resets the state of an empty queue.
void Queue::begin() {
    kinds_.clear();
    hashes_.clear();
    hashed_geometry_ = 0;
    scheduler.begin();
    expected_ = unread_ = false;
    largest_new_ = 0;
    lacking_ = idle_ = 0;
    epoch_ = next_epoch();
}

}  // namespace hassium
