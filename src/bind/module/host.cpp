#include "bind/module/host.hpp"

#include <new>
#include <string>

#include "base/error.hpp"
#include "bind/array/array_parts.hpp"
#include "bind/array/live_views.hpp"
#include "bind/module/call_sites.hpp"
#include "ops/op_info.hpp"
#include "record/allocation.hpp"

namespace hassium {
namespace {

// ---- GIL and interrupts ----

void* leave_gil() { return PyEval_SaveThread(); }
void enter_gil(void* left) { PyEval_RestoreThread(static_cast<PyThreadState*>(left)); }

bool interrupted() {
    PyGILState_STATE gil = PyGILState_Ensure();
    bool signal = PyErr_CheckSignals() != 0;
    PyGILState_Release(gil);
    return signal;
}

// Calls hassium.tools.progress.show; reports its errors as unraisable. Returns true, with the
// Python error set, if a signal handler raised an exception meanwhile that is no error, as Ctrl-C
// does.
bool show_progress(double seconds, double done) {
    PyGILState_STATE gil = PyGILState_Ensure();
    PyObject *type, *value, *trace;
    PyErr_Fetch(&type, &value, &trace);
    {
        const Ref module(PyImport_ImportModule("hassium.tools.progress"));
        const Ref shown(module ? PyObject_CallMethod(module.get(), "show", "dd", seconds, done)
                               : nullptr);
        if (!shown && PyErr_ExceptionMatches(PyExc_Exception)) {
            PyErr_WriteUnraisable(module.get());
        }
    }
    const bool interrupt = PyErr_Occurred() != nullptr;
    if (!interrupt) {
        PyErr_Restore(type, value, trace);
    } else {
        Py_XDECREF(type);
        Py_XDECREF(value);
        Py_XDECREF(trace);
    }
    PyGILState_Release(gil);
    return interrupt;
}

// ---- floating-point exceptions ----

constexpr const char* kConditions[] = {"divide by zero", "overflow", "underflow", "invalid value"};
constexpr int kConditionBits[] = {1, 2, 4, 8};  // NumPy's FPE bits, for seterrcall

// Returns the name of an operation in NumPy's warnings.
std::string name_of(const FpReport::Candidate& candidate) {
    if (candidate.dot) return "dot";
    if (candidate.method == Method::Reduce) return "reduce";
    if (candidate.method == Method::Accumulate) return "accumulate";
    if (candidate.method == Method::Reduceat) return "reduceat";
    const std::string name(info(candidate.op).is_copy() ? "cast" : info(candidate.op).name);
    return candidate.of_numbers ? "scalar " + name : name;
}

std::string names_of(const FpReport& report) {
    std::string names;
    int count = 0;
    for (const FpReport::Candidate& candidate : report.candidates) {
        const std::string name = name_of(candidate);
        if ((", " + names + ", ").find(", " + name + ", ") != std::string::npos) continue;
        names += (count++ ? ", " : "") + name;
    }
    return count > 1 ? "one of " + names : names;
}

std::string describe(const FpReport& report) {
    return std::string(kConditions[report.condition]) + " encountered in " + names_of(report);
}

[[noreturn]] void fail_without_handler(const FpReport& report) {
    const std::string where =
        std::string(kConditions[report.condition]) + " (in " + names_of(report) + ")";
    PyErr_Format(PyExc_NameError,
                 report.mode == ErrMode::Call
                     ? "python callback specified for %s but no function found."
                     : "log specified for %s but no object with write method found.",
                 where.c_str());
    throw PythonError();
}

// Returns NumPy's bits of all conditions that the operation of a report raised.
int bits_of_operation(const std::vector<FpReport>& reports, const FpReport& report) {
    int bits = 0;
    for (const FpReport& other : reports) {
        const bool same = other.recorded == report.recorded && other.site == report.site;
        if (same) bits |= kConditionBits[other.condition];
    }
    return bits;
}

void call_handler(const FpReport& report, const std::string& text, int bits) {
    const Ref numpy = own(PyImport_ImportModule("numpy"));
    const Ref handler = own(PyObject_CallMethod(numpy.get(), "geterrcall", nullptr));
    if (handler.get() == Py_None) fail_without_handler(report);
    if (report.mode == ErrMode::Call) {
        own(PyObject_CallFunction(handler.get(), "si", kConditions[report.condition], bits));
    } else {
        const std::string line = "Warning: " + text + "\n";
        own(PyObject_CallMethod(handler.get(), "write", "s", line.c_str()));
    }
}

void report_conditions(const std::vector<FpReport>& reports) {
    for (const FpReport& report : reports) {
        std::string text = describe(report);
        switch (report.mode) {
            case ErrMode::Ignore:
                break;
            case ErrMode::Warn:
            case ErrMode::WarnAtCall:
                if (warn_at(report.site, PyExc_RuntimeWarning, text.c_str()) < 0)
                    throw PythonError();
                break;
            case ErrMode::Raise:
                PyErr_SetString(PyExc_FloatingPointError, text.c_str());
                throw PythonError();
            case ErrMode::Print:
                PySys_WriteStderr("Warning: %s\n", text.c_str());
                break;
            case ErrMode::Call:
            case ErrMode::Log:
                call_handler(report, text, bits_of_operation(reports, report));
                break;
        }
    }
}

void eager_instruction(Op op) { count_eager(std::string(info(op).name).c_str()); }

// ---- errstate ----

// Whether a RuntimeWarning must be issued at the call.
bool warnings_at_call = false;
// The value of NumPy's context variable whose modes current_errstate() has; null after a change of
// `warnings_at_call`.
PyObject* decoded_errstate = nullptr;

ErrMode parse_mode(PyObject* word) {
    constexpr const char* kWords[] = {"ignore", "warn", "raise", "call", "print", "log"};
    for (int k = 0; k < 6; ++k) {
        if (word && PyUnicode_CompareWithASCIIString(word, kWords[k]) == 0) {
            return static_cast<ErrMode>(k);
        }
    }
    return ErrMode::Warn;
}

PyObject* numpy_umath() {
    return made_once([] { return PyImport_ImportModule("numpy._core.umath"); });
}

PyObject* errstate_variable() {
    return made_once([] { return PyObject_GetAttrString(numpy_umath(), "_extobj_contextvar"); });
}

ErrState decode_errstate() {
    const Ref modes = own(PyObject_CallMethod(numpy_umath(), "_get_extobj_dict", nullptr));
    ErrState state;
    const char* names[] = {"divide", "over", "under", "invalid"};
    for (int c = 0; c < 4; ++c) {
        ErrMode mode = parse_mode(PyDict_GetItemString(modes.get(), names[c]));
        if (mode == ErrMode::Warn && warnings_at_call) mode = ErrMode::WarnAtCall;
        state.bits = static_cast<std::uint16_t>(state.bits | static_cast<unsigned>(mode) << 3 * c);
    }
    return state;
}

// Returns a private exception of NumPy, or null with an error set if there is none.
Ref private_exception(const char* name) {
    const Ref module(PyImport_ImportModule("numpy._core._exceptions"));
    return Ref(module ? PyObject_GetAttrString(module.get(), name) : nullptr);
}

// Returns the base class of NumPy's casting errors of ufuncs, whose name its subclasses show.
PyObject* ufunc_type_error() {
    if (Ref type = private_exception("UFuncTypeError")) return type.release();
    PyErr_Clear();
    return Py_NewRef(PyExc_TypeError);
}

PyObject* exception_type(ErrorKind kind) {
    if (kind == ErrorKind::Axis) {
        return made_once([] { return Py_NewRef(numpy_attribute("exceptions.AxisError")); });
    }
    if (kind == ErrorKind::Casting) return made_once(ufunc_type_error);
    PyObject* const types[] = {PyExc_ValueError,         PyExc_TypeError,
                               PyExc_IndexError,         nullptr,
                               PyExc_MemoryError,        PyExc_OverflowError,
                               PyExc_ZeroDivisionError,  PyExc_RuntimeError,
                               PyExc_FloatingPointError, nullptr,
                               PyExc_NotImplementedError};
    return types[static_cast<int>(kind)];  // in the order of ErrorKind
}

// Raises NumPy's _ArrayMemoryError, whose message has the size, shape and dtype.
void raise_allocation_error(const AllocationError& error) {
    const Ref type = private_exception("_ArrayMemoryError");
    const Ref value(type ? PyObject_CallFunction(type.get(), "NO", tuple_of(error.shape()),
                                                 numpy_dtype(error.dtype()))
                         : nullptr);
    if (value) return PyErr_SetObject(type.get(), value.get());
    PyErr_SetString(PyExc_MemoryError, error.what());
}

}  // namespace

// The context variable holds a capsule that numpy.errstate replaces. The same capsule means the
// same modes, so the dictionary is read only after a change.
ErrState current_errstate() {
    static ErrState state;
    PyObject*& seen = decoded_errstate;
    PyObject* variable = errstate_variable();
    PyObject* capsule = nullptr;
    if (!variable || PyContextVar_Get(variable, nullptr, &capsule) < 0) throw PythonError();
    if (capsule != seen) {
        state = decode_errstate();
        Py_XSETREF(seen, Py_NewRef(capsule));
    }
    Py_DECREF(capsule);
    return state;
}

void set_warnings_at_call(bool raise) {
    if (raise != warnings_at_call) Py_CLEAR(decoded_errstate);
    warnings_at_call = raise;
}

Unreported::Unreported() {
    PyObject* modes = made_once([] {
        const Ref words = own(Py_BuildValue("{ss}", "all", "ignore"));
        const Ref make = own(PyObject_GetAttrString(numpy_umath(), "_make_extobj"));
        return PyObject_Call(make.get(), own(PyTuple_New(0)).get(), words.get());
    });
    before_ = own(PyContextVar_Set(errstate_variable(), modes)).release();
}

Unreported::~Unreported() {
    PyObject *type, *value, *trace;
    PyErr_Fetch(&type, &value, &trace);
    if (PyContextVar_Reset(errstate_variable(), before_) < 0) PyErr_Clear();
    Py_DECREF(before_);
    PyErr_Restore(type, value, trace);
}

PyObject* raise_current_exception() {
    try {
        throw;
    } catch (const PythonError&) {
    } catch (const AllocationError& e) {
        raise_allocation_error(e);
    } catch (const UserError& e) {
        PyErr_SetString(exception_type(e.kind()), e.what());
    } catch (const Interrupted&) {
        if (!PyErr_Occurred()) PyErr_SetNone(PyExc_KeyboardInterrupt);
    } catch (const std::bad_alloc&) {
        PyErr_SetString(PyExc_MemoryError, "not enough memory for the result");
    } catch (const std::exception& e) {
        PyErr_SetString(PyExc_RuntimeError, e.what());
    }
    return nullptr;
}

void install_host() {
    Engine::instance().register_host({leave_gil, enter_gil, interrupted, report_conditions,
                                      eager_instruction, call_site, live_views, show_progress});
}

}  // namespace hassium
