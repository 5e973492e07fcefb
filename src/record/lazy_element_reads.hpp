// Lazy element reads: elements read from pending arrays whose values have not been needed yet.
//
// A number that only feeds operations on arrays, such as the pivot of an elimination, needs no
// memory of its own: these operations read the element in place. The element is copied before a
// write to it is recorded. So a read stays lazy only while its array belongs to the queue, pending
// or running.
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
    // Returns the first read whose element a write to the view would change.
    const LazyElementRead* changed_by(const View& written) const {
        return first([&](const View& source) { return views_overlap(source, written); });
    }
    // Returns the first read of another array.
    const LazyElementRead* of_another(const Base* source) const {
        return first([&](const View& other) { return other.base.get() != source; });
    }
    // Returns the first read whose element can be copied now: its base is idle or readable.
    const LazyElementRead* ready() const {
        return first(
            [](const View& source) { return source.base->idle() || source.base->readable(); });
    }
    // Removes the read of `number`, which then has no owner, and returns its source; an empty view
    // if it was not lazy.
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
