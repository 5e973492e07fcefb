// Checks the guards of one program. Most are answered from byte bounds, computed once per operand,
// from numbers that are trivially equal or nested, or, if there are many, from digit boxes; the
// others call answer_to.
#include <algorithm>
#include <cstdlib>
#include <memory>
#include <type_traits>
#include <vector>

#include "base/counters.hpp"
#include "fuse/graph/graph.hpp"
#include "fuse/legal/guards.hpp"
#include "fuse/legal/view_box.hpp"
#include "program/overlap.hpp"

namespace hassium {
namespace {

std::vector<ViewBox> box_operands(const Program& p) {
    std::vector<RowVote> votes(p.bases.size());
    for (const Operand& o : p.operands) {
        if (!o.is_constant()) votes[o.base].add(extent_of(p, o));
    }
    std::vector<RowLengths> lengths;
    lengths.reserve(votes.size());
    for (const RowVote& vote : votes) lengths.push_back(vote.lengths());
    std::vector<ViewBox> boxes;
    boxes.reserve(p.operands.size());
    for (const Operand& o : p.operands) {
        boxes.push_back(o.is_constant() ? ViewBox() : box_of(extent_of(p, o), lengths[o.base]));
    }
    return boxes;
}

class Asking {
  public:
    explicit Asking(const Program& program)
        : program_(program),
          places_(std::make_unique_for_overwrite<Place[]>(program.operands.size())),
          placed_(std::make_unique<bool[]>(program.operands.size())) {}

    bool answer(Question question, std::uint32_t a, std::uint32_t b) {
        switch (question) {
            case Question::SameView:
                if (view(a).offset != view(b).offset) return false;
                if (plainly_same(view(a), view(b))) return true;
                break;
            case Question::Overlap:
                return overlap(a, b);
            case Question::Contains:
                return contains(a, b);
            case Question::OverlapsItself:
                if (place(a).nested) return false;
                break;
            default:
                break;
        }
        return answer_to(program_, question, a, b);
    }

  private:
    // Bounds of a view.
    struct Place {
        std::int64_t begin, end;  // of the bytes; equal when the view is empty
        bool nested;              // each axis steps over all axes inside it
    };
    static Place place_of(const Operand& o, const std::int64_t* shape) {
        switch (o.ndim) {  // loops of constant trip count for few axes
            case 1:
                return place_of(o, shape, std::integral_constant<std::size_t, 1>());
            case 2:
                return place_of(o, shape, std::integral_constant<std::size_t, 2>());
            case 3:
                return place_of(o, shape, std::integral_constant<std::size_t, 3>());
            default:
                return place_of(o, shape, std::size_t{o.ndim});
        }
    }
    template <class Ndim>
    static Place place_of(const Operand& o, const std::int64_t* shape, Ndim ndim) {
        const std::int64_t* strides = shape + ndim;
        std::int64_t first = o.offset, inside = itemsize(o.dtype);
        bool nested = true, empty = false;
        for (std::size_t k = ndim; k-- > 0;) {
            const std::int64_t reach = strides[k] * (shape[k] - 1);
            nested &= (std::abs(strides[k]) >= inside) | (shape[k] == 1);
            empty |= shape[k] == 0;
            first += std::min<std::int64_t>(reach, 0);
            inside += std::abs(reach);
        }
        if (empty) return {o.offset, o.offset, nested};
        return {first, first + inside, nested};
    }

    const Place& place(std::uint32_t operand) {
        Place& known = places_[operand];
        if (!placed_[operand]) {
            const Operand& o = view(operand);
            known = place_of(o, program_.geometry.data() + o.geometry);
            placed_[operand] = true;
        }
        return known;
    }
    const Operand& view(std::uint32_t operand) const { return program_.operands[operand]; }
    Extent extent(std::uint32_t operand) const {
        const Operand& o = view(operand);
        return {o.offset, itemsize(o.dtype), program_.shape(o), program_.strides(o)};
    }
    // The offsets must be equal.
    bool plainly_same(const Operand& a, const Operand& b) const {
        if (a.ndim != b.ndim || a.dtype != b.dtype) return false;
        const std::int64_t* x = program_.geometry.data() + a.geometry;
        const std::int64_t* y = program_.geometry.data() + b.geometry;
        std::int64_t different = 0;
        for (std::size_t k = 0; k < std::size_t{2} * a.ndim; ++k) different |= x[k] ^ y[k];
        return different == 0;
    }
    bool contains(std::uint32_t a, std::uint32_t b) {
        const Place &whole = place(a), &part = place(b);
        if (whole.begin > part.begin || whole.end < part.end) return false;
        if (whole_ == a && part_ == b) return within_;
        whole_ = a;
        part_ = b;
        within_ = plainly_within(extent(b), extent(a), whole.end - whole.begin);
        return within_;
    }
    bool overlap(std::uint32_t a, std::uint32_t b) {
        const Place &one = place(a), &other = place(b);
        if (one.begin == one.end || other.begin == other.end) return false;
        if (one.end <= other.begin || other.end <= one.begin) return false;
        // Both ends of a view are bytes of it.
        if (one.begin == other.begin || one.end == other.end) return true;
        if (apart(a, b)) return false;
        // A test of containment mostly follows.
        return contains(a, b) || may_overlap(extent(a), extent(b));
    }
    // Returns whether digit boxes prove the two disjoint. Boxes are built after more tests than
    // there are boxes to build: for hundreds of columns of a matrix, compared pairwise.
    bool apart(std::uint32_t a, std::uint32_t b) {
        if (boxes_.empty()) {
            if (++asked_ <= program_.operands.size()) return false;
            boxes_ = box_operands(program_);
        }
        return boxes_[a].apart(boxes_[b]);
    }

    const Program& program_;
    std::unique_ptr<Place[]> places_;  // per operand, of those asked about
    std::unique_ptr<bool[]> placed_;
    // The last Contains answer that needed more than bounds.
    std::uint32_t whole_ = ~0u, part_ = ~0u;
    bool within_ = false;
    std::size_t asked_ = 0;  // overlap tests that needed more than bounds
    std::vector<ViewBox> boxes_;
};

}  // namespace

bool guards_hold(const Program& program, const std::vector<Guard>& guards) {
    Asking asking(program);
    auto failed = std::find_if(guards.begin(), guards.end(), [&](const Guard& g) {
        return asking.answer(g.question, g.a, g.b) != g.answer;
    });
    counters().add(Counter::guards_asked, failed - guards.begin());
    return failed == guards.end();
}

}  // namespace hassium
