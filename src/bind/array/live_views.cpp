#include "bind/array/live_views.hpp"

#include <algorithm>
#include <functional>
#include <span>

namespace hassium {
namespace {

// Limit on the arrays of a base: the search for parents is quadratic.
constexpr std::size_t kMostArrays = 64;

PyObject* object_of(ArrayObject* array) { return reinterpret_cast<PyObject*>(array); }

}  // namespace

std::vector<const View*> live_views(Base& base, std::int64_t most_bytes) {
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
    if (bytes > most_bytes) return {};
    std::vector<const View*> views;
    for (ArrayObject* array : live) {
        views.push_back(&array->view);
        auto is_parent = [&](ArrayObject* other) { return object_of(other) == array->parent; };
        if (std::ranges::any_of(parents, is_parent)) Py_CLEAR(array->parent);
    }
    return views;
}

}  // namespace hassium
