// A base is a buffer of bytes that is allocated at the first write and reference-counted by its
// views. Everything here is accessed under the host's lock (the GIL) only; during a flush the
// engine works on copies of the data pointers and writes them back when it holds the lock again.
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
        nullptr;               // first of the arrays over this base (src/bind/array/live_views.hpp)
    std::int32_t holds = 0;    // references among these that never read (BaseHold)
    std::int32_t exports = 0;  // live exports of the address: instructions on it run at once
    bool pinned = false;       // a bare address was handed out: eager until it dies
    bool foreign = false;      // memory of another owner: eager, overlap by address
    bool in_flight = false;    // while pending: a job of `owner` that uses it is running as well
    bool dead = false;         // no views left; kept only by its queue
    bool partial = false;      // only the elements that its arrays show are computed
    bool generated = false;    // a flush has generated its elements once without storing them
    DType dtype = DType::Bool;  // of the creator
    Queue* owner = nullptr;     // the queue with instructions on it, pending or running
    std::uint32_t slot = 0;     // index in owner's pending program, valid if epoch matches
    std::uint64_t epoch = 0;
    std::uint64_t written = 0;  // the last epoch in which a write to it was recorded
    // For memory that is neither of the pool nor foreign but adopted for good: called with `keeper`
    // when the base dies. No `del` is recorded for such a base: a flush must not free it.
    void (*release)(void* keeper) = nullptr;
    void* keeper = nullptr;
    // Least and greatest value of an integer base used as an index, valid until it is written.
    bool range_known = false;
    std::int64_t range_least = 0, range_most = 0;

    // Returns whether nothing recorded or running touches it: its data may be read and written in
    // place.
    bool idle() const { return owner == nullptr; }
    // Returns whether its data may be read in place: nothing running touches it, and pending
    // instructions only read it.
    bool readable() const { return data && (idle() || only_read_by_owner()); }
    bool only_read_by_owner() const;
    // Returns whether its address is known outside, so that another base may alias its memory:
    // exported memory can come back as a foreign base. Instructions on it run at once.
    bool eager() const { return exports > 0 || pinned || foreign; }
};

Base* new_base(std::int64_t bytes, DType dtype);
// Makes a base that only its queue references, with memory of the pool or none yet.
Base* new_dead_base(char* data, std::int64_t bytes, DType dtype);
// Makes a base over memory of another owner; calls `release(keeper)` when the last view is gone.
Base* new_foreign_base(char* data, std::int64_t bytes, DType dtype, void (*release)(void*),
                       void* keeper);
// Called when the last reference is gone: frees the base, or leaves that to the queue that still
// uses it.
void base_unreferenced(Base* base);
// Frees an idle base without references.
void destroy_base(Base* base);
// Returns the bytes of all referenced bases, allocated or not.
std::int64_t referenced_bytes();
// Sets the function that takes memory back; called once by the engine.
void set_memory_release(void (*release)(char* memory, std::int64_t bytes));

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

// References a base during a flush without counting as a reader.
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

// What an array shows of a base. Strides and offset are in bytes.
struct View {
    BaseRef base;
    DType dtype = DType::F64;
    std::int64_t offset = 0;
    Dims shape;
    Dims strides;

    std::int64_t size() const { return element_count(shape); }
    std::size_t ndim() const { return shape.size(); }
    bool c_contiguous() const { return contiguous(true); }
    bool f_contiguous() const { return contiguous(false); }

  private:
    // In the header, as every recorded operation asks it of most of its views.
    bool contiguous(bool c_order) const {
        std::int64_t expected = itemsize(dtype);
        const std::size_t n = shape.size();
        for (std::size_t k = 0; k < n; ++k) {
            const std::size_t axis = c_order ? n - 1 - k : k;
            if (shape[axis] != 1 && strides[axis] != expected) return size() == 0;
            expected *= shape[axis];
        }
        return true;
    }
};

// Returns the C-ordered or Fortran-ordered strides of a new array.
Dims c_strides(std::span<const std::int64_t> shape, std::int64_t itemsize);
void c_strides(std::span<const std::int64_t> shape, std::int64_t itemsize, Dims& strides);
void f_strides(std::span<const std::int64_t> shape, std::int64_t itemsize, Dims& strides);
// Returns NumPy's K order for a result computed from `models`, broadcast to `ndim` axes.
AxisOrder order_like(std::size_t ndim, std::span<const View* const> models);
// Returns NumPy's K order for a concatenation (PyArray_CreateMultiSortedStridePerm): unlike in
// ufuncs, broadcast axes count with stride 0, and sorting begins with the outermost axis. The order
// of a copy is stride_order(), which puts broadcast axes innermost.
AxisOrder order_of_joined(std::span<const View> parts);
inline bool is_c_order(const AxisOrder& order) {
    for (std::size_t k = 0; k < order.size(); ++k) {
        if (order[k] != k) return false;
    }
    return true;
}
// Return a view of a new base: C-ordered, Fortran-ordered, or with axes in the given order. Without
// elements its strides are 0, as NumPy's.
View fresh_view(DType dtype, std::span<const std::int64_t> shape);
View fortran_view(DType dtype, std::span<const std::int64_t> shape);
View ordered_view(DType dtype, std::span<const std::int64_t> shape, const AxisOrder& order);
inline View fresh_view_like(DType dtype, std::span<const std::int64_t> shape,
                            std::span<const View* const> models) {
    return ordered_view(dtype, shape, order_like(shape.size(), models));
}
// Sets the strides of `view` broadcast to `shape`, one per axis; false if it does not broadcast.
bool broadcast_strides(const View& view, std::span<const std::int64_t> shape,
                       std::int64_t* strides);
bool broadcast_strides(const View& view, std::span<const std::int64_t> shape, Dims& strides);
bool views_overlap(const View& a, const View& b);
bool views_identical(const View& a, const View& b);
// Returns whether the view contains one byte twice (strides set by hand).
bool view_overlaps_itself(const View& v);

}  // namespace hassium
