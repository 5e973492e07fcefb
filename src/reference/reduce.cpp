// Reductions by the tree of program/reduction_tree.hpp, literally: lanes, chunks, partials.
#include <algorithm>
#include <bit>
#include <cstring>
#include <vector>

#include "base/error.hpp"
#include "ops/dtype_rules.hpp"
#include "program/reduction_tree.hpp"
#include "program/scan_tree.hpp"
#include "reference/walk.hpp"

namespace hassium::reference {
namespace {

// float16 accumulates in float32 and rounds once, if the row has that loop.
DType accumulator_of(const Instruction& i) {
    if (i.compute != DType::F16 || !info(i.op).has(kAssociative)) return i.compute;
    auto wide = loop_of(i.op, DType::F32);
    return wide && wide->out[0] == DType::F32 ? DType::F32 : DType::F16;
}

using Index = std::span<const std::int64_t>;

class Reduction {
  public:
    Reduction(const Instruction& i, const Places& places)
        : in_(places.in()),
          places_(places),
          dtype_(accumulator_of(i)),
          fold_(element_fn(i.op, dtype_)),
          tree_(reduction_tree(in_.shape, in_.strides, i.axes, combines_parts(i.op, i.compute))),
          has_identity_(identity_value(info(i.op).identity, dtype_, identity_)),
          from_zero_(i.method == Method::Reduce && begins_with_zero(i.op, dtype_)),
          index_(in_.shape.size(), 0) {
        std::size_t rank = tree_.order.size();
        for (std::size_t k = 0; k < rank; ++k) {
            std::uint8_t axis = tree_.order[k];
            if (!(i.axes >> axis & 1)) continue;
            // In the column form all reduced axes form the line that is cut into chunks.
            bool in_line = !tree_.row_form || k >= rank - tree_.row_axes;
            (in_line ? line_ : outer_).push_back(axis);
        }
        for (std::size_t axis = 0; axis < rank; ++axis) {
            if (!(i.axes >> axis & 1)) kept_.push_back(static_cast<std::uint8_t>(axis));
        }
    }

    DType dtype() const { return dtype_; }

    Value output(Index kept) {
        for (std::size_t k = 0; k < kept_.size(); ++k) index_[kept_[k]] = kept[k];
        std::vector<Value> partials;
        Dims outer_shape = extents(outer_), line_shape = extents(line_);
        std::int64_t length = element_count(line_shape);
        std::int64_t chunk = tree_.row_form ? ReductionTree::kChunk : ReductionTree::kColumnChunk;
        if (tree_.sequential) chunk = length;
        if (length > 0) {
            each_index(outer_shape, [&](Index outer) {
                set(outer_, outer);
                for (std::int64_t first = 0; first < length; first += chunk) {
                    partials.push_back(partial(first, std::min(chunk, length - first)));
                }
            });
        }
        HS_CHECK(static_cast<std::int64_t>(partials.size()) == tree_.partials(),
                 "a reduction has as many partials as its tree says");
        if (partials.empty()) {
            HS_CHECK(has_identity_, "a reduction over nothing has an identity");
            return identity_;
        }
        while (partials.size() > 1) {
            std::size_t half = partials.size() / 2;
            for (std::size_t k = 0; k < half; ++k) {
                partials[k] = combine(partials[2 * k], partials[2 * k + 1]);
            }
            if (partials.size() % 2) partials[half++] = partials.back();
            partials.resize(half);
        }
        return partials[0];
    }

  private:
    Dims extents(const SmallVec<std::uint8_t, 8>& axes) const {
        Dims result;
        for (std::uint8_t axis : axes) result.push_back(in_.shape[axis]);
        return result;
    }
    void set(const SmallVec<std::uint8_t, 8>& axes, Index values) {
        for (std::size_t k = 0; k < axes.size(); ++k) index_[axes[k]] = values[k];
    }
    Value combine(const Value& a, const Value& b) const {
        Value pair[2] = {a, b}, result{};
        fold_(pair, &result);
        return result;
    }
    // Returns element `position` of the line, in stride order.
    Value element(std::int64_t position) {
        for (std::size_t k = line_.size(); k-- > 0;) {
            std::int64_t extent = in_.shape[line_[k]];
            index_[line_[k]] = position % extent;
            position /= extent;
        }
        // A masked-out element counts as the identity.
        return places_.masked_out(index_) ? identity_ : in_.get(index_, dtype_);
    }
    Value partial(std::int64_t first, std::int64_t count) {
        const bool one_lane =
            tree_.sequential || !tree_.row_form || count < ReductionTree::in_order(dtype_);
        std::int64_t width = one_lane ? 1 : ReductionTree::kLanes;
        std::vector<Value> lanes;
        for (std::int64_t k = 0; k < count; ++k) {
            Value value = element(first + k);
            if (k < width) {
                lanes.push_back(value);
            } else {
                Value& lane = lanes[static_cast<std::size_t>(k % width)];
                lane = combine(lane, value);
            }
        }
        for (std::size_t h = ReductionTree::kLanes / 2; h > 0; h /= 2) {
            for (std::size_t lane = 0; lane < h && lane + h < lanes.size(); ++lane) {
                lanes[lane] = combine(lanes[lane], lanes[lane + h]);
            }
            if (lanes.size() > h) lanes.resize(h);
        }
        // A sum begins with 0.
        return from_zero_ ? combine(Value{}, lanes[0]) : lanes[0];
    }

    const Place& in_;
    const Places& places_;
    DType dtype_;
    ElementFn fold_;
    ReductionTree tree_;
    Value identity_{};
    bool has_identity_;
    bool from_zero_;
    SmallVec<std::uint8_t, 8> outer_, line_, kept_;
    Dims index_;
};

}  // namespace

void reduce(const Instruction& i, const Places& places) {
    Reduction reduction(i, places);
    each_index(places.out().shape, [&](Index kept) {
        Value value = reduction.output(kept), rounded{};
        cast_fn(reduction.dtype(), i.compute)(value.bytes, rounded.bytes);
        places.out().put(kept, i.compute, rounded);
    });
}

// Each segment is a reduction by itself.
void reduceat(const Instruction& i, const Places& places) {
    const Place &out = places.out(), &in = places.in(0), &index = places.in(1);
    const auto axis = static_cast<std::size_t>(std::countr_zero(i.axes));
    auto position = [&](std::int64_t k) {
        std::int64_t at;
        std::memcpy(&at, index.at({&k, 1}), sizeof at);
        return at;
    };
    const std::int64_t count = index.shape[0];
    for (std::int64_t k = 0; k < count; ++k) {
        const std::int64_t begin = position(k);
        const std::int64_t end = k + 1 < count ? position(k + 1) : in.shape[axis];
        Dims shape(in.shape), result(out.shape);
        shape[axis] = std::max<std::int64_t>(end - begin, 1);
        result[axis] = 1;
        Places segment = places;
        segment.all[1] = {in.data + begin * in.strides[axis], in.dtype, shape, in.strides};
        segment.all[0].data += k * out.strides[axis];
        Reduction reduction(i, segment);
        each_index(result, [&](Index at) {
            Dims kept;
            for (std::size_t a = 0; a < at.size(); ++a) {
                if (a != axis) kept.push_back(at[a]);
            }
            segment.out().put(at, i.compute, reduction.output(kept));
        });
    }
}

void accumulate(const Instruction& i, const Places& places) {
    const Place& in = places.in();
    auto axis = static_cast<std::size_t>(std::countr_zero(i.axes));
    ElementFn fold = element_fn(i.op, i.compute);
    Dims starts(in.shape);
    std::int64_t length = starts[axis];
    if (length == 0) return;
    const std::int64_t piece = scan_piece(i.op, i.compute, length);
    const std::int64_t block = scan_block(i.op, i.compute, length);
    auto combined = [fold](Value left, Value right) {
        Value pair[2] = {left, right}, result;
        fold(pair, &result);
        return result;
    };
    starts[axis] = 1;
    each_index(starts, [&](Index start) {
        Dims index(start);
        Value values[kScanBlock], running{}, before{};
        for (std::int64_t first = 0; first < length; first += block) {
            const std::int64_t count = std::min(block, length - first);
            for (std::int64_t k = 0; k < count; ++k) {
                index[axis] = first + k;
                values[k] = in.get(index, i.compute);
            }
            for (std::int64_t half = 1; half < count; half *= 2) {
                for (std::int64_t k = 0; k < count; ++k) {
                    if (k & half) {
                        values[k] = combined(values[last_of_first_half(k, half)], values[k]);
                    }
                }
            }
            for (std::int64_t k = 0; k < count; ++k) {
                if (first % piece != 0) values[k] = combined(running, values[k]);
                index[axis] = first + k;
                const bool is_first = first < piece;
                places.out().put(index, i.compute,
                                 is_first ? values[k] : combined(before, values[k]));
            }
            running = values[count - 1];
            if ((first + count) % piece == 0) {
                before = first < piece ? running : combined(before, running);
            }
        }
    });
}

// Of equal elements the first wins; NaN wins over all others.
void reduce_to_position(const Instruction& i, const Places& places) {
    const Place& in = places.in();
    Dims reduced, kept_axes, reduced_axes;
    for (std::size_t axis = 0; axis < in.shape.size(); ++axis) {
        bool is_reduced = (i.axes >> axis & 1) != 0;
        (is_reduced ? reduced_axes : kept_axes).push_back(static_cast<std::int64_t>(axis));
        if (is_reduced) reduced.push_back(in.shape[axis]);
    }
    bool least = i.op == Op::Argmin;
    Dims index(in.shape.size(), 0);
    each_index(places.out().shape, [&](Index kept) {
        for (std::size_t k = 0; k < kept.size(); ++k) {
            index[static_cast<std::size_t>(kept_axes[k])] = kept[k];
        }
        Value best{}, result{};
        std::int64_t position = 0, winner = 0;
        each_index(reduced, [&](Index inner) {
            for (std::size_t k = 0; k < inner.size(); ++k) {
                index[static_cast<std::size_t>(reduced_axes[k])] = inner[k];
            }
            Value value = in.get(index, i.compute);
            if (position == 0 || beats(i.compute, least, value, best)) {
                best = value;
                winner = position;
            }
            ++position;
        });
        cast_fn(DType::I64, DType::I64)(&winner, result.bytes);
        places.out().put(kept, DType::I64, result);
    });
}

}  // namespace hassium::reference
