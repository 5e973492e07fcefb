// Lazy element reads: elements that were read while their array is pending, and not used since.
//
// A number that only feeds operations on arrays, such as the pivot of an elimination, needs no
// memory of its own: these operations read the element in place. Before something is recorded that
// writes there, the element is copied. So a read waits only while its array belongs to the queue:
// while that is pending or running.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "record/base.hpp"

namespace hassium {

struct LazyElementRead {
    Base* number;  // compared, and written to, while it lives; its owner is the queue
    View source;   // the element
};

class LazyElementReads {
  public:
    bool empty() const { return reads_.empty(); }
    std::size_t size() const { return reads_.size(); }
    void add(Base* number, View source) { reads_.push_back({number, std::move(source)}); }

    const View* source_of(const Base* number) const {
        const auto found = std::ranges::find(reads_, number, &LazyElementRead::number);
        return found == reads_.end() ? nullptr : &found->source;
    }
    // The first one that writing to the view would change.
    const LazyElementRead* changed_by(const View& written) const {
        return first([&](const View& source) { return views_overlap(source, written); });
    }
    // The first one of another array.
    const LazyElementRead* of_another(const Base* source) const {
        return first([&](const View& other) { return other.base.get() != source; });
    }
    // The first one whose element is there, or in no memory yet.
    const LazyElementRead* ready() const {
        return first(
            [](const View& source) { return source.base->idle() || source.base->readable(); });
    }
    // It waits no more, and is nobody's; its source. An empty view if it did not wait.
    View remove(const Base* number) {
        const auto found = std::ranges::find(reads_, number, &LazyElementRead::number);
        if (found == reads_.end()) return {};
        found->number->owner = nullptr;
        View source = std::move(found->source);
        reads_.erase(found);
        return source;
    }

  private:
    std::vector<LazyElementRead> reads_;

    template <class Test>
    const LazyElementRead* first(Test test) const {
        const auto found = std::ranges::find_if(reads_, test, &LazyElementRead::source);
        return found == reads_.end() ? nullptr : &*found;
    }
};

}  // namespace hassium
