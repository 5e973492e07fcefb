// The arrays that show a base, in a list: what of it may still be read.
#pragma once

#include <vector>

#include "bind/array/array.hpp"

namespace hassium {

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

// Changes what an array shows.
inline void show(ArrayObject* array, View&& view) {
    unlink(array);
    array->view = std::move(view);
    link(array);
}
// For an array that dies before it is read.
inline void give_up_base(ArrayObject* array) {
    unlink(array);
    array->link = nullptr;
    array->view.base = BaseRef();
    Py_CLEAR(array->parent);
}

// The views that may be read of a base whose elements have not been computed; none where all of it
// may be. A parent that nothing but arrays of the same base refer to can only be reached by their
// `.base`: it is let go, and they own their elements, as if each had been computed by itself.
std::vector<const View*> live_views(Base& base);

}  // namespace hassium
