// Guard after guard of one program. Most are answered by the bytes that their views lie between,
// which are found once for every operand, or by numbers that are plainly equal or plainly nested;
// the others go the long way through answer_to.
#include <algorithm>
#include <cstdlib>
#include <memory>

#include "base/counters.hpp"
#include "fuse/guards.hpp"
#include "program/overlap.hpp"

namespace hassium {
namespace {

class Asking {
  public:
    explicit Asking(const Program& program)
        : program_(program),
          bounds_(std::make_unique_for_overwrite<Bounds[]>(program.operands.size())) {
        for (std::size_t k = 0; k < program.operands.size(); ++k) {
            const Operand& o = program.operands[k];
            byte_bounds(extent(o), bounds_[k].begin, bounds_[k].end);
        }
    }

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
                if (plainly_nested(view(a))) return false;
                break;
            default:
                break;
        }
        return answer_to(program_, question, a, b);
    }

  private:
    struct Bounds {
        std::int64_t begin, end;  // of the bytes; equal when the view is empty
    };
    const Operand& view(std::uint32_t operand) const { return program_.operands[operand]; }
    Extent extent(const Operand& o) const {
        return {o.offset, itemsize(o.dtype), program_.shape(o), program_.strides(o)};
    }
    const std::int64_t* numbers(const Operand& o) const {
        return program_.geometry.data() + o.geometry;
    }

    // Beginning at one place.
    bool plainly_same(const Operand& a, const Operand& b) const {
        if (a.ndim != b.ndim || a.dtype != b.dtype) return false;
        const std::int64_t *x = numbers(a), *y = numbers(b);
        for (std::size_t k = 0; k < std::size_t{2} * a.ndim; ++k) {
            if (x[k] != y[k]) return false;
        }
        return true;
    }
    // Does each axis step over all that lies inside it?
    bool plainly_nested(const Operand& o) const {
        const std::int64_t *shape = numbers(o), *strides = shape + o.ndim;
        std::int64_t inside = itemsize(o.dtype);
        bool nested = true;
        for (std::size_t k = o.ndim; k-- > 0;) {
            const std::int64_t step = std::abs(strides[k]);
            nested = nested && (step >= inside || shape[k] == 1);
            inside += step * (shape[k] - 1);
        }
        return nested;
    }
    bool contains(std::uint32_t a, std::uint32_t b) {
        const Bounds &whole = bounds_[a], &part = bounds_[b];
        if (whole.begin > part.begin || whole.end < part.end) return false;
        if (whole_ == a && part_ == b) return within_;
        whole_ = a;
        part_ = b;
        within_ = plainly_within(extent(view(b)), extent(view(a)), whole.end - whole.begin);
        return within_;
    }
    bool overlap(std::uint32_t a, std::uint32_t b) {
        const Bounds &one = bounds_[a], &other = bounds_[b];
        if (one.begin == one.end || other.begin == other.end) return false;
        if (one.end <= other.begin || other.end <= one.begin) return false;
        // Both ends of a view are bytes of it.
        if (one.begin == other.begin || one.end == other.end) return true;
        // What is within a view is mostly asked next.
        return contains(a, b) || may_overlap(extent(view(a)), extent(view(b)));
    }

    const Program& program_;
    std::unique_ptr<Bounds[]> bounds_;  // per operand
    // The answer of the last Contains that took more than bounds.
    std::uint32_t whole_ = ~0u, part_ = ~0u;
    bool within_ = false;
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
