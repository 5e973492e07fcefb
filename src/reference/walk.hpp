// Operands and index loops of the reference executor.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/small_vec.hpp"
#include "program/program.hpp"
#include "reference/table.hpp"

namespace hassium::reference {

// An operand in memory. A constant has no axes; its data is in the program.
struct Place {
    char* data;
    DType dtype;
    std::span<const std::int64_t> shape;
    std::span<const std::int64_t> strides;

    // Returns the element at an index vector; trailing entries beyond the operand's rank are
    // ignored.
    char* at(std::span<const std::int64_t> index) const {
        char* p = data;
        for (std::size_t k = 0; k < strides.size(); ++k) p += index[k] * strides[k];
        return p;
    }
    // Returns the element, cast to `to`.
    Value get(std::span<const std::int64_t> index, DType to) const {
        Value value{};
        cast_fn(dtype, to)(at(index), value.bytes);
        return value;
    }
    void put(std::span<const std::int64_t> index, DType from, const Value& value) const {
        cast_fn(from, dtype)(value.bytes, at(index));
    }
};

struct Places {
    SmallVec<Place, 6> all;  // outputs, inputs, mask
    int nout, nin;

    const Place& out(int k = 0) const { return all[static_cast<std::size_t>(k)]; }
    const Place& in(int k = 0) const { return all[static_cast<std::size_t>(nout + k)]; }
    const Place* mask() const {
        auto k = static_cast<std::size_t>(nout + nin);
        return k < all.size() ? &all[k] : nullptr;
    }
    bool masked_out(std::span<const std::int64_t> index) const {
        return mask() && *mask()->at(index) == 0;
    }
};

// Calls visit(index) for every index vector of the shape, the last axis fastest.
template <class Visit>
void each_index(std::span<const std::int64_t> shape, Visit visit) {
    if (element_count(shape) == 0) return;
    Dims index(shape.size(), 0);
    for (;;) {
        visit(std::span<const std::int64_t>(index));
        std::size_t k = shape.size();
        while (k > 0 && ++index[k - 1] == shape[k - 1]) index[--k] = 0;
        if (k == 0) return;
    }
}

void reduce(const Instruction& i, const Places& places);
void accumulate(const Instruction& i, const Places& places);
void reduceat(const Instruction& i, const Places& places);
void reduce_to_position(const Instruction& i, const Places& places);

}  // namespace hassium::reference
