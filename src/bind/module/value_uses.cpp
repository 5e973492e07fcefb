#include "bind/module/value_uses.hpp"

#include <opcode.h>

#include "base/settings.hpp"
#include "bind/array/array_parts.hpp"
#include "bind/array/live_views.hpp"
#include "bind/module/instruction_table.hpp"
#include "bind/module/python_frames.hpp"

namespace hassium {
namespace {

// The numbers that hassium/_uses returns.
enum class Maker : std::uint8_t { Other, Operator, Call };
enum class Use : std::uint8_t { Escapes, Calculated, Returned, ReturnedInside };

// An instruction with a result.
struct Site {
    Maker maker = Maker::Other;
    Use use = Use::Escapes;
    Use inside = Use::Escapes;  // of an element of the result, a list or tuple
    int arguments = 0;          // of a call, without `self` of a method
};

InstructionTable<Site>& known_sites() {
    static auto* const sites = new InstructionTable<Site>;  // outlives the interpreter
    return *sites;
}

// Returns hassium._uses.use_at, which reads bytecode. Null if the module cannot be imported: in a
// signal handler that interrupts this import.
PyObject* reader() {
    static PyObject* use_at = nullptr;
    if (use_at) return use_at;
    const Ref module(PyImport_ImportModule("hassium._uses"));
    if (module) use_at = PyObject_GetAttrString(module.get(), "use_at");
    if (use_at) return use_at;
    if (!PyErr_ExceptionMatches(PyExc_Exception)) throw PythonError();
    PyErr_Clear();
    return nullptr;
}

Site read_bytecode(InstructionPlace place) {
    PyObject* use_at = reader();
    if (!use_at) return {};  // everything escapes
    // Debuggers must not step into it.
    PyThreadState* thread = PyThreadState_Get();
    PyThreadState_EnterTracing(thread);
    const Ref found(PyObject_CallFunction(use_at, "Oi", place.code, place.offset));
    PyThreadState_LeaveTracing(thread);
    if (!found) throw PythonError();
    int maker = 0, use = 0, inside = 0, arguments = 0;
    if (!PyArg_ParseTuple(found.get(), "iiii", &maker, &use, &inside, &arguments)) {
        throw PythonError();
    }
    return {static_cast<Maker>(maker), static_cast<Use>(use), static_cast<Use>(inside), arguments};
}

Site site_of(const RunningFrame& frame) {
    const InstructionPlace place = frame.instruction();
    if (const Site* site = known_sites().find(place)) return *site;
    const Site site = read_bytecode(place);
    known_sites().insert(place, site);
    return site;
}

#if PY_VERSION_HEX < 0x030E0000

// The interpreter passes a part of its evaluation stack.
bool are_passed_by_python(const CallArguments& arguments) {
    const PyThreadState* thread = PyThreadState_Get();
    const _PyStackChunk* chunk = thread->datastack_chunk;
    const auto place = reinterpret_cast<std::uintptr_t>(arguments.others) - sizeof(PyObject*);
    return chunk && place >= reinterpret_cast<std::uintptr_t>(chunk->data) &&
           place < reinterpret_cast<std::uintptr_t>(thread->datastack_top);
}

// Returns whether an instruction, a call, passed exactly these arguments. During a call,
// functools.partial puts one argument of its own before those that it was passed.
bool are_of_call(const RunningFrame&, const Site& site, const CallArguments& arguments) {
    if (!are_passed_by_python(arguments)) return false;
    if (arguments.count + 1 == site.arguments) return true;
    PyObject* called = arguments.others[-2];
    return arguments.count == site.arguments && called &&
           (Py_IS_TYPE(called, &PyMethodDescr_Type) || is_dispatcher(called));
}

bool may_be_of_call(const RunningFrame&, const Site&, const CallArguments& arguments) {
    return are_passed_by_python(arguments);
}

#else

// Returns whether an instruction, a call, passed exactly these arguments. The interpreter passes
// copies of values on its evaluation stack, which are the callable, `self` of a method or null, the
// arguments, and the names of keywords.
bool are_of_call(const RunningFrame& frame, const Site& site, const CallArguments& arguments) {
    const Py_ssize_t before = site.arguments - arguments.count;  // 1 for a function, 0 for a method
    if (!arguments.object || before < 0 || before > 1) return false;
    Py_ssize_t depth = 0;
    if (arguments.keywords && frame.stack_value(depth++) != arguments.keywords) return false;
    for (Py_ssize_t k = arguments.count; k > 0; --k) {
        if (frame.stack_value(depth++) != arguments.others[k - 1]) return false;
    }
    if (frame.stack_value(depth) == arguments.object) return true;
    PyObject* callable = frame.stack_value(depth + before + 1);
    return callable && PyCFunction_Check(callable) &&
           PyCFunction_GET_SELF(callable) == arguments.object;
}

bool may_be_of_call(const RunningFrame& frame, const Site& site, const CallArguments& arguments) {
    return are_of_call(frame, site, arguments);
}

#endif

// Returns whether the evaluation stack holds the only reference to an array on it.
bool is_only_on_stack(PyObject* array) {
#if PY_VERSION_HEX >= 0x030E0000
    return PyUnstable_Object_IsUniqueReferencedTemporary(array);
#else
    return Py_REFCNT(array) == 1;
#endif
}

}  // namespace

bool may_stay_pending(const CallArguments& arguments) {
    if (settings().choice(Setting::lazy_scalars) == "on") return true;
    RunningFrame frame;
    if (!frame) return false;
    Site site = site_of(frame);
    if (site.maker == Maker::Call && !may_be_of_call(frame, site, arguments)) return false;
    // A returned value is the result of the call in the caller's frame, or part of it.
    Use use = site.use;
    while (use == Use::Returned || use == Use::ReturnedInside) {
        if (!frame.is_called_by_python()) return false;
        frame.step_back();
        if (!frame) return false;
        site = site_of(frame);
        if (site.maker != Maker::Call) return false;
        use = use == Use::Returned ? site.use : site.inside;
    }
    return use == Use::Calculated;
}

bool is_in_place_operator() {
    const RunningFrame frame;
    if (!frame || frame.offset() < 0) return false;
    const Ref code(PyCode_GetCode(frame.code()));  // without specialised instructions
    if (!code) throw PythonError();
    const auto* bytes = reinterpret_cast<unsigned char*>(PyBytes_AS_STRING(code.get()));
    const int operation = bytes[frame.offset()], argument = bytes[frame.offset() + 1];
    return operation == BINARY_OP && argument >= NB_INPLACE_ADD && argument <= NB_INPLACE_XOR;
}

void release_stack_temporary(const CallArguments& arguments) {
    PyObject* array = arguments.object;
    if (!array || !is_array(array) || as_array(array)->weakrefs || !is_only_on_stack(array)) return;
    const RunningFrame frame;
    if (!frame) return;
    const Site site = site_of(frame);
    if (site.maker != Maker::Call || !are_of_call(frame, site, arguments)) return;
    release_base(as_array(array));
}

}  // namespace hassium
