// Liveness of views: each base has a list of the arrays on it.
#pragma once

#include <vector>

#include "bind/array/array.hpp"

namespace hassium {

// Adds an array to the list of its base, and removes it.
inline void link(ArrayObject* array) {
    Base* base = array->view.base.get();
    array->next = base ? base->arrays : nullptr;
    array->link = base ? &base->arrays : nullptr;
    if (!base) return;
    if (array->next) array->next->link = &array->next;
    base->arrays = array;
}
inline void unlink(ArrayObject* array) {
    if (!array->link) return;
    *array->link = array->next;
    if (array->next) array->next->link = array->link;
}

// Sets the view of an array.
inline void set_view(ArrayObject* array, View&& view) {
    unlink(array);
    array->view = std::move(view);
    link(array);
}
// Releases the base of an array that dies before it is read.
inline void release_base(ArrayObject* array) {
    unlink(array);
    array->link = nullptr;
    array->view.base = BaseRef();
    Py_CLEAR(array->parent);
}

// Returns the views of the reachable arrays on a base. Empty if they show more than `most_bytes`
// together, are too many, or other objects refer to the base. An array that is only the parent of
// other arrays on the base is reachable by their `.base` alone: those references are cleared, and
// the arrays own their elements from then on.
std::vector<const View*> live_views(Base& base, std::int64_t most_bytes);

}  // namespace hassium
