// Views and loops without the shapes that they are written in.
//
// Elements of a view are met in C order: what it shows is a function of the position, and its shape
// one of several ways to write that down. Axes of one element do not count, and two axes are one
// where the inner one carries into the outer (stride outside == stride inside * extent inside).
// What remains when all such axes are merged is unique: the innermost axis ends where the step from
// one position to the next changes for the first time, and what lies outside it is a view by
// itself. So two views show the same elements in the same order exactly when their merged axes are
// equal. Axes around nothing are left as they are.
#pragma once

#include <cstdint>
#include <span>

#include "base/small_vec.hpp"
#include "program/overlap.hpp"
#include "program/program.hpp"

namespace hassium {

struct MergedAxis {
    std::int64_t extent, stride;
    friend bool operator==(const MergedAxis&, const MergedAxis&) = default;
};

// The merged axes of a view one by one, innermost first.
class MergedAxes {
  public:
    MergedAxes(std::span<const std::int64_t> shape, std::span<const std::int64_t> strides)
        : shape_(shape), strides_(strides), left_(shape.size()) {}

    bool next(MergedAxis& axis) {
        skip_ones();
        if (left_ == 0) return false;
        --left_;
        axis = {shape_[left_], strides_[left_]};
        for (skip_ones(); left_ > 0; skip_ones()) {
            std::int64_t outside = shape_[left_ - 1];
            if (outside == 0 || axis.extent == 0) break;
            if (strides_[left_ - 1] != axis.stride * axis.extent) break;
            axis.extent *= outside;
            --left_;
        }
        return true;
    }

  private:
    void skip_ones() {
        while (left_ > 0 && shape_[left_ - 1] == 1) --left_;
    }
    std::span<const std::int64_t> shape_, strides_;
    std::size_t left_;
};

// Do two views of one base show the same elements in the same order, whatever their shapes?
bool same_elements(const Extent& a, const Extent& b);

// Strides of a reduction's result over its iteration shape: 0 along reduced axes.
Dims result_strides(const Program& program, const Instruction& reduction);

// The boundaries between axes that a loop cannot do without, each as the number of elements inside
// it, ascending; the last is the number of all elements. A map needs those where one of its views
// does not carry on, a reduction those between axes that its tree treats differently as well.
//
// Loops over as many elements have common axes when of any two of their boundaries one divides the
// other. That is a question about pairs, so it may be asked loop by loop.
using LoopCuts = SmallVec<std::int64_t, 8>;
LoopCuts loop_cuts(const Program& program, const Instruction& instruction);
// All boundaries of both; empty when they have no common axes.
LoopCuts common_cuts(const LoopCuts& a, const LoopCuts& b);
// Are all boundaries of `few` among `many`, over as many elements?
bool cuts_within(const LoopCuts& few, const LoopCuts& many);

}  // namespace hassium
