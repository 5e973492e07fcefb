// Owned references to Python objects, and Python errors as C++ exceptions.
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

// Takes ownership of a new reference; throws PythonError if it is null.
inline Ref own(PyObject* owned) {
    if (!owned) throw PythonError();
    return Ref(owned);
}
inline Ref borrow(PyObject* borrowed) { return Ref(Py_XNewRef(borrowed)); }
inline void check(int status) {
    if (status < 0) throw PythonError();
}
// Returns the result of a conversion to a number; throws if it is -1 with an error set.
template <class Number>
Number checked(Number value) {
    if (value == static_cast<Number>(-1) && PyErr_Occurred()) throw PythonError();
    return value;
}

}  // namespace hassium
