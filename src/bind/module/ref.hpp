// Owned references to Python objects, and errors of Python's functions as C++ exceptions.
#pragma once

#include <Python.h>

#include <utility>

struct tagPyArrayObject;  // NumPy's PyArrayObject

namespace hassium {

// Thrown through C++ frames when a Python exception is already set.
struct PythonError {};

// An owned reference, or null.
class Ref {
  public:
    Ref() = default;
    explicit Ref(PyObject* owned) : object_(owned) {}
    Ref(const Ref& other) : object_(Py_XNewRef(other.object_)) {}
    Ref(Ref&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
    Ref& operator=(Ref other) noexcept {
        std::swap(object_, other.object_);
        return *this;
    }
    ~Ref() { Py_XDECREF(object_); }
    PyObject* get() const { return object_; }
    PyObject* release() { return std::exchange(object_, nullptr); }
    explicit operator bool() const { return object_ != nullptr; }
    tagPyArrayObject* ndarray() const { return reinterpret_cast<tagPyArrayObject*>(object_); }

  private:
    PyObject* object_ = nullptr;
};

// Takes a new reference; throws when there is none because an exception was set.
inline Ref own(PyObject* owned) {
    if (!owned) throw PythonError();
    return Ref(owned);
}
inline Ref borrow(PyObject* borrowed) { return Ref(Py_XNewRef(borrowed)); }
inline void check(int status) {
    if (status < 0) throw PythonError();
}
// What a conversion to a number gave; throws when it was -1 for an error.
template <class Number>
Number checked(Number value) {
    if (value == static_cast<Number>(-1) && PyErr_Occurred()) throw PythonError();
    return value;
}

}  // namespace hassium
