// The Python side of the engine's Host: the GIL, warnings, interrupts, errstate, exceptions.
#pragma once

#include <Python.h>

#include <utility>

#include "bind/module/ref.hpp"
#include "engine/engine.hpp"

namespace hassium {

void install_host();

// Returns numpy.errstate of the current context. Throws.
ErrState current_errstate();
// Sets whether operations that can warn run at the call, as they do while a filter of `warnings`
// turns RuntimeWarning into an exception.
void set_warnings_at_call(bool raise);

// Suppresses NumPy's floating-point error reports for its lifetime: those of an instruction are
// reported after it, under the errstate of its recording. Needs the GIL.
class Unreported {
  public:
    Unreported();
    ~Unreported();
    Unreported(const Unreported&) = delete;
    Unreported& operator=(const Unreported&) = delete;

  private:
    PyObject* before_;
};

// Turns the C++ exception in flight into a Python one; returns null.
PyObject* raise_current_exception();

// Wraps the body of a slot or method: any C++ exception becomes a Python one.
template <class Body>
PyObject* guarded(Body&& body) {
    try {
        return body();
    } catch (...) {
        return raise_current_exception();
    }
}
template <class Body>
int guarded_int(Body&& body) {
    try {
        return body();
    } catch (...) {
        raise_current_exception();
        return -1;
    }
}

// Wraps `function` for a table of slots or methods: any C++ exception becomes a Python one, and a
// function without a result returns the status 0.
template <auto function>
struct Guarded;
template <class Result, class... Arguments, Result (*function)(Arguments...)>
struct Guarded<function> {
    using Answer = std::conditional_t<std::is_void_v<Result>, int, Result>;
    static Answer call(Arguments... arguments) {
        try {
            if constexpr (std::is_void_v<Result>) {
                function(arguments...);
                return 0;
            } else {
                return function(arguments...);
            }
        } catch (...) {
            raise_current_exception();
            if constexpr (std::is_pointer_v<Answer>)
                return nullptr;
            else
                return -1;
        }
    }
};
template <auto function>
inline constexpr auto guard = &Guarded<function>::call;

// Returns the value of a PyType_Slot.
template <class Function>
void* slot(Function* function) {
    return reinterpret_cast<void*>(function);
}

// Flags of types that programs can neither instantiate nor derive from.
constexpr unsigned long kFinalType =
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE | Py_TPFLAGS_DISALLOW_INSTANTIATION;
// Creates a type whose objects are of struct `Object`; null with a Python error set.
template <class Object>
PyTypeObject* make_type(const char* name, unsigned long flags, PyType_Slot* slots) {
    PyType_Spec spec = {name, static_cast<int>(sizeof(Object)), 0, static_cast<unsigned>(flags),
                        slots};
    return reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&spec));
}
// The tp_dealloc slot of such a type: clears the references `held` and frees the object.
template <class Object, PyObject* Object::*... held>
void deallocate(PyObject* self) {
    auto* object = reinterpret_cast<Object*>(self);
    PyTypeObject* type = Py_TYPE(self);
    if (PyType_IS_GC(type)) PyObject_GC_UnTrack(self);
    if constexpr (requires { object->weakrefs; }) {
        if (object->weakrefs) PyObject_ClearWeakRefs(self);
    }
    (Py_XDECREF(std::exchange(object->*held, nullptr)), ...);
    type->tp_free(self);
    Py_DECREF(type);
}

// Returns a PyMethodDef; the function may throw. By default it is called by vectorcall, with
// keywords.
constexpr int kFast = METH_FASTCALL | METH_KEYWORDS;
template <auto function>
PyMethodDef method(const char* name, int flags = kFast, const char* doc = nullptr) {
    const auto address = reinterpret_cast<void (*)()>(guard<function>);
    return {name, reinterpret_cast<PyCFunction>(address), flags, doc};
}

}  // namespace hassium
