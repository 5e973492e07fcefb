// A base is bytes: a buffer that springs into existence with the first write. Views share it by a
// count. Everything here is touched under the host's lock (the GIL) only; during a flush the engine
// works on copies of the data pointers and writes them back when it holds the lock again.
#pragma once

#include <cstdint>
#include <utility>

#include "base/small_vec.hpp"
#include "base/types.hpp"
#include "program/axes.hpp"

namespace hassium {

class Queue;
struct ArrayObject;  // an array of the host language

struct Base {
    char* data = nullptr;  // null until the first write (or read) ran
    std::int64_t bytes = 0;
    std::int32_t references = 0;  // views: arrays, lazy scalars, exports
    ArrayObject* arrays =
        nullptr;                // the first of those that show it (src/bind/array/live_views.hpp)
    std::int32_t holds = 0;     // references among these that read nothing (BaseHold)
    std::int32_t exports = 0;   // live exports of the address: instructions on it run at once
    bool pinned = false;        // a bare address was handed out: eager until it dies
    bool foreign = false;       // memory of somebody else: eager, overlap by address
    bool in_flight = false;     // while pending: `owner` is running something on it as well
    bool dead = false;          // no views left; kept only by its queue
    bool partial = false;       // computed where its arrays show it, and nowhere else
    bool generated = false;     // a flush has generated its elements once without storing them
    DType dtype = DType::Bool;  // of the creator
    Queue* owner = nullptr;     // the queue with instructions on it, pending or running
    std::uint32_t slot = 0;     // number in owner's pending program, valid when epoch matches
    std::uint64_t epoch = 0;
    std::uint64_t written = 0;  // the last epoch in which something that writes it was recorded
    // Memory that is not of the pool, foreign or adopted for good: called with `keeper` when the
    // base dies. No `del` is recorded for such a base: a flush must not free it.
    void (*release)(void* keeper) = nullptr;
    void* keeper = nullptr;
    // Least and greatest value of an integer base used as index, until it is written.
    bool range_known = false;
    std::int64_t range_least = 0, range_most = 0;

    // Nothing recorded or running touches it: its data may be read and written in place.
    bool idle() const { return owner == nullptr; }
    // Its data may be read in place: nothing running touches it, and what is recorded only reads.
    bool readable() const { return data && (idle() || only_read_by_owner()); }
    bool only_read_by_owner() const;
    // Others know its address, so another base may be of the same memory: what was exported comes
    // back as foreign. Instructions on it run at once.
    bool eager() const { return exports > 0 || pinned || foreign; }
};

Base* new_base(std::int64_t bytes, DType dtype);
// One that only its queue keeps, with memory of the pool or none yet.
Base* new_dead_base(char* data, std::int64_t bytes, DType dtype);
// Memory of somebody else, shared; `release(keeper)` when the last view is gone.
Base* new_foreign_base(char* data, std::int64_t bytes, DType dtype, void (*release)(void*),
                       void* keeper);
// The last reference is gone: frees the base, or leaves its end to the queue that still needs it.
void base_unreferenced(Base* base);
// Frees an idle base without references.
void destroy_base(Base* base);
// Bytes of all bases with references, whether they have memory yet or not.
std::int64_t referenced_bytes();
// Who takes memory back; set once by the engine.
void set_memory_release(void (*release)(char* memory, std::int64_t bytes));

// Counted reference.
class BaseRef {
  public:
    BaseRef() = default;
    explicit BaseRef(Base* base) : base_(base) {
        if (base_) ++base_->references;
    }
    BaseRef(const BaseRef& other) : BaseRef(other.base_) {}
    BaseRef(BaseRef&& other) noexcept : base_(std::exchange(other.base_, nullptr)) {}
    BaseRef& operator=(BaseRef other) noexcept {
        std::swap(base_, other.base_);
        return *this;
    }
    ~BaseRef() {
        if (base_ && --base_->references == 0) base_unreferenced(base_);
    }
    Base* get() const { return base_; }
    Base* operator->() const { return base_; }
    Base& operator*() const { return *base_; }
    explicit operator bool() const { return base_ != nullptr; }

  private:
    Base* base_ = nullptr;
};

// Keeps a base during a flush, when other threads may let it go.
class BaseHold {
  public:
    explicit BaseHold(Base* base) : base_(base) { ++base_->holds; }
    BaseHold(const BaseHold&) = delete;
    BaseHold& operator=(const BaseHold&) = delete;
    ~BaseHold() { --base_->holds; }
    const BaseRef& base() const { return base_; }

  private:
    BaseRef base_;
};

// What an array shows of a base. Strides and offset in bytes.
struct View {
    BaseRef base;
    DType dtype = DType::F64;
    std::int64_t offset = 0;
    Dims shape;
    Dims strides;

    std::int64_t size() const { return element_count(shape); }
    std::size_t ndim() const { return shape.size(); }
    bool c_contiguous() const;
    bool f_contiguous() const;
};

// C-ordered and Fortran-ordered strides for a fresh array.
Dims c_strides(std::span<const std::int64_t> shape, std::int64_t itemsize);
void c_strides(std::span<const std::int64_t> shape, std::int64_t itemsize, Dims& strides);
void f_strides(std::span<const std::int64_t> shape, std::int64_t itemsize, Dims& strides);
// NumPy's K order, of what is computed from `models`, broadcast to `ndim` axes.
AxisOrder order_like(std::size_t ndim, std::span<const View* const> models);
// NumPy's K order of a concatenation (PyArray_CreateMultiSortedStridePerm): unlike that of ufuncs,
// repeated axes have a stride, zero, and sorting begins with the outermost. That of a copy is
// stride_order, so that repeated axes come to lie innermost.
AxisOrder order_of_joined(std::span<const View> parts);
inline bool is_c_order(const AxisOrder& order) {
    for (std::size_t k = 0; k < order.size(); ++k) {
        if (order[k] != k) return false;
    }
    return true;
}
// A fresh base with a view on it: C-ordered, Fortran-ordered, or with axes in the order given.
View fresh_view(DType dtype, std::span<const std::int64_t> shape);
View fortran_view(DType dtype, std::span<const std::int64_t> shape);
View ordered_view(DType dtype, std::span<const std::int64_t> shape, const AxisOrder& order);
inline View fresh_view_like(DType dtype, std::span<const std::int64_t> shape,
                            std::span<const View* const> models) {
    return ordered_view(dtype, shape, order_like(shape.size(), models));
}
// Strides of `view` broadcast to `shape`, one an axis; false when it does not broadcast.
bool broadcast_strides(const View& view, std::span<const std::int64_t> shape,
                       std::int64_t* strides);
bool broadcast_strides(const View& view, std::span<const std::int64_t> shape, Dims& strides);
bool views_overlap(const View& a, const View& b);
bool views_identical(const View& a, const View& b);
// Whether the view shows one byte at two places (strides set by hand).
bool view_overlaps_itself(const View& v);

}  // namespace hassium
