// The running Python frames, innermost first, for code that runs at every recorded operation. The
// interpreter creates a frame object on demand, which costs about 70 ns for each call of a Python
// function, so its internal frames are read.
#pragma once

#include <Python.h>

#include <cstdint>

#if PY_VERSION_HEX >= 0x030F0000
#error "the layout of frames is known for Python 3.11 to 3.14"
#endif
#define Py_BUILD_CORE 1
#include <internal/pycore_frame.h>
#if PY_VERSION_HEX >= 0x030E0000
#include <internal/pycore_interpframe_structs.h>
#endif
#undef Py_BUILD_CORE

namespace hassium {

// An instruction of a code object; `offset` is that of PyFrame_GetLasti, in bytes.
struct InstructionPlace {
    PyCodeObject* code;  // borrowed
    int offset;
};

// Iterates from the innermost frame outwards. Needs the GIL; the frames must not end meanwhile.
class RunningFrame {
  public:
    RunningFrame() : frame_(innermost()) { skip_entries(); }
    explicit operator bool() const { return frame_ != nullptr; }
    InstructionPlace instruction() const { return {code(), offset()}; }
    PyCodeObject* code() const;  // borrowed
    int offset() const;          // of the instruction, in bytes
    // Returns whether an instruction of the next frame called the function, with no C code in
    // between.
    bool is_called_by_python() const;
    void step_back() {
        frame_ = frame_->previous;
        skip_entries();
    }
#if PY_VERSION_HEX >= 0x030E0000
    // Returns the value `depth` below the top of the evaluation stack of a frame that calls,
    // without the tags of its reference. Borrowed. Null if there is none.
    PyObject* stack_value(Py_ssize_t depth) const;
#endif

  private:
    static _PyInterpreterFrame* innermost();
    // Leaves frames that stand for an entry from C code.
    void skip_entries();

    _PyInterpreterFrame* frame_;
};

#if PY_VERSION_HEX >= 0x030D0000
inline _PyInterpreterFrame* RunningFrame::innermost() { return PyThreadState_Get()->current_frame; }
#else
inline _PyInterpreterFrame* RunningFrame::innermost() {
    return PyThreadState_Get()->cframe->current_frame;
}
#endif

#if PY_VERSION_HEX >= 0x030C0000
inline PyCodeObject* RunningFrame::code() const {
    PyObject* code = PyUnstable_InterpreterFrame_GetCode(frame_);
    Py_DECREF(code);  // the frame holds it
    return reinterpret_cast<PyCodeObject*>(code);
}
inline int RunningFrame::offset() const { return PyUnstable_InterpreterFrame_GetLasti(frame_); }

inline bool is_entry(const _PyInterpreterFrame& frame) {
#if PY_VERSION_HEX >= 0x030E0000
    return frame.owner >= FRAME_OWNED_BY_INTERPRETER;
#else
    return frame.owner >= FRAME_OWNED_BY_CSTACK;
#endif
}
inline bool RunningFrame::is_called_by_python() const {
    return frame_->previous && !is_entry(*frame_->previous);
}
inline void RunningFrame::skip_entries() {
    while (frame_ && is_entry(*frame_)) frame_ = frame_->previous;
}
#else
inline PyCodeObject* RunningFrame::code() const { return frame_->f_code; }
inline int RunningFrame::offset() const {
    return _PyInterpreterFrame_LASTI(frame_) * static_cast<int>(sizeof(_Py_CODEUNIT));
}
inline bool RunningFrame::is_called_by_python() const { return !frame_->is_entry; }
inline void RunningFrame::skip_entries() {}
#endif

#if PY_VERSION_HEX >= 0x030E0000
inline PyObject* RunningFrame::stack_value(Py_ssize_t depth) const {
    constexpr std::uintptr_t kTags = 3;
    const _PyStackRef* bottom = frame_->localsplus + code()->co_nlocalsplus;
    if (depth >= frame_->stackpointer - bottom) return nullptr;
    return reinterpret_cast<PyObject*>(frame_->stackpointer[-1 - depth].bits & ~kTags);
}
#endif

}  // namespace hassium
