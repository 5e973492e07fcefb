#include "bind/array/live_views.hpp"

#include <algorithm>

namespace hassium {
namespace {

// More arrays of one base are not looked at.
constexpr std::size_t kMostArrays = 64;

PyObject* object_of(ArrayObject* array) { return reinterpret_cast<PyObject*>(array); }

// Of a base, that views have to leave out: less is not worth another program.
constexpr std::int64_t kLeastLeftOut = 4;  // one part of so many

}  // namespace

std::vector<const View*> live_views(Base& base) {
    std::vector<ArrayObject*> arrays;
    for (ArrayObject* array = base.arrays; array; array = array->next) arrays.push_back(array);
    const bool known = static_cast<std::size_t>(base.references - base.holds) == arrays.size();
    if (!known || arrays.size() > kMostArrays || base.eager()) return {};
    auto is_only_parent = [&](ArrayObject* array) {
        const auto children = std::ranges::count(arrays, object_of(array), &ArrayObject::parent);
        return children > 0 && children == Py_REFCNT(object_of(array)) && !array->weakrefs &&
               !array->exported && !array->copied_from;
    };
    const auto parents = std::ranges::partition(arrays, std::not_fn(is_only_parent));
    const std::span<ArrayObject*> live(arrays.begin(), parents.begin());
    std::int64_t bytes = 0;
    for (const ArrayObject* array : live) {
        bytes += array->view.size() * itemsize(array->view.dtype);
    }
    if (live.empty() || bytes > base.bytes - base.bytes / kLeastLeftOut) return {};
    std::vector<const View*> views;
    for (ArrayObject* array : live) {
        views.push_back(&array->view);
        const bool let_go =
            std::ranges::find(parents, reinterpret_cast<ArrayObject*>(array->parent)) !=
            parents.end();
        if (let_go) Py_CLEAR(array->parent);
    }
    return views;
}

}  // namespace hassium
