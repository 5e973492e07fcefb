// Shared by the single-instruction routines: walks over the other axes, reads and writes of lines
// in the compute dtype, and distribution of independent lines over the threads.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "base/small_vec.hpp"
#include "exec/executor.hpp"
#include "program/axes.hpp"
#include "simd/tables/kernels.hpp"

namespace hassium {

// Elements of a block of a line: three buffers of the widest dtype stay in L1.
inline constexpr std::int64_t kLineBlock = 512;

struct LineBuffer {
    alignas(64) char bytes[kLineBlock * 16];
};

// A line of one operand: its stored and its compute dtype.
struct Port {
    const KernelTable& table;
    DType stored;
    DType computed;

    // Returns at most kLineBlock contiguous elements in the compute dtype, in place if possible.
    const char* read(const char* at, std::int64_t stride, std::int64_t n, LineBuffer& loaded,
                     LineBuffer& cast) const {
        if (stride != itemsize(stored)) {
            table.load[item_log2(itemsize(stored))](loaded.bytes, at, stride, n);
            at = loaded.bytes;
        }
        if (stored == computed) return at;
        table.cast[static_cast<int>(stored)][static_cast<int>(computed)](cast.bytes, at, n);
        return cast.bytes;
    }

    void write(char* at, std::int64_t stride, std::int64_t n, const char* values,
               LineBuffer& cast) const {
        if (stored != computed) {
            table.cast[static_cast<int>(computed)][static_cast<int>(stored)](cast.bytes, values, n);
            values = cast.bytes;
        }
        if (values == at && stride == itemsize(stored)) return;
        table.store[item_log2(itemsize(stored))](at, stride, values, n);
    }
};

// Byte offsets of up to three operands over common axes, in C order.
class Odometer {
  public:
    static constexpr int kOperands = 3;

    // Appends an axis; outermost first.
    void axis(std::int64_t extent, std::int64_t s0, std::int64_t s1 = 0, std::int64_t s2 = 0);
    std::int64_t count() const;
    void seek(std::int64_t index);
    void next();
    std::int64_t at(int operand) const { return offset_[operand]; }

    // Removes and returns the longest axis if it is longer than `least`; otherwise returns extent
    // 1.
    Axis<kOperands> take_longest(std::int64_t least);

  private:
    Axes<kOperands> axes_;
    Dims index_;
    std::int64_t offset_[kOperands] = {};
};

// Calls work(first, last) for ranges that partition [0, jobs), on the pool's threads if `elements`
// in all are worth it. `state` collects the workers' exception flags; the caller's stay on its
// thread. `singly`: threads claim one job at a time, in order, so that a job may wait for the one
// before.
void spread(std::int64_t jobs, std::int64_t elements, RunState& state,
            const std::function<void(std::int64_t, std::int64_t)>& work, bool singly = false);

// The routines of run_single, by the row's class, with the same operands.
void run_scan(const Instruction& i, std::span<const BoundView> operands, bool stream,
              RunState& state);
void run_reduceat(const Instruction& i, std::span<const BoundView> operands, RunState& state);
void run_extreme(const Instruction& i, std::span<const BoundView> operands, RunState& state);
// Returns the byte strides of the part, whose shape is derived: zeros for a constant, that is for a
// put whose values are one element (`part_is_constant`), whatever its view says.
Dims strides_of_part(const BoundView& part, bool constant, std::size_t rank);
void run_at(const Instruction& i, std::span<const BoundView> operands, bool part_is_constant,
            RunState& state);
void run_indexed(const Instruction& i, std::span<const BoundView> operands, bool part_is_constant,
                 RunState& state);

}  // namespace hassium
