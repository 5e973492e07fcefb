// The running Python frames, innermost first, for code that runs at every recorded operation. The
// interpreter creates a frame object on demand, which costs about 70 ns for each call of a Python
// function, so its internal frames are read where their layout is known.
#pragma once

#include <Python.h>

#include <cstdint>

#if PY_VERSION_HEX < 0x030C0000
#define HS_FRAMES_WITHOUT_OBJECTS 1
#endif
#define Py_BUILD_CORE 1
#include <internal/pycore_frame.h>
#if PY_VERSION_HEX >= 0x030E0000
#include <internal/pycore_interpframe_structs.h>
#endif
#undef Py_BUILD_CORE

namespace hassium {

// Returns the address of an instruction: unique while the code object lives. `offset` is that of
// PyFrame_GetLasti.
inline std::uintptr_t instruction_address(PyCodeObject* code, int offset) {
#if HS_FRAMES_WITHOUT_OBJECTS
    return reinterpret_cast<std::uintptr_t>(_PyCode_CODE(code)) +
           static_cast<std::uintptr_t>(offset);
#else
    return reinterpret_cast<std::uintptr_t>(code) + static_cast<std::uintptr_t>(offset + 1);
#endif
}

// Iterates from the innermost frame outwards. Needs the GIL; the frames must not end meanwhile.
class RunningFrame {
  public:
#if HS_FRAMES_WITHOUT_OBJECTS
    RunningFrame() : frame_(PyThreadState_Get()->cframe->current_frame) {}
    explicit operator bool() const { return frame_ != nullptr; }
    std::uintptr_t instruction() const {
        return reinterpret_cast<std::uintptr_t>(frame_->prev_instr);
    }
    PyCodeObject* code() const { return frame_->f_code; }  // borrowed
    int offset() const {
        return _PyInterpreterFrame_LASTI(frame_) * static_cast<int>(sizeof(_Py_CODEUNIT));
    }
    // Returns whether an instruction of the next frame called the function, with no C code in
    // between; false if this version of Python does not expose it.
    bool is_called_by_python() const { return !frame_->is_entry; }
    void step_back() { frame_ = frame_->previous; }

  private:
    _PyInterpreterFrame* frame_;
#else
    RunningFrame() : frame_(PyEval_GetFrame()) { Py_XINCREF(reinterpret_cast<PyObject*>(frame_)); }
    RunningFrame(const RunningFrame&) = delete;
    RunningFrame& operator=(const RunningFrame&) = delete;
    ~RunningFrame() { Py_XDECREF(reinterpret_cast<PyObject*>(frame_)); }
    explicit operator bool() const { return frame_ != nullptr; }
    std::uintptr_t instruction() const { return instruction_address(code(), offset()); }
    PyCodeObject* code() const {
        PyCodeObject* code = PyFrame_GetCode(frame_);
        Py_DECREF(reinterpret_cast<PyObject*>(code));  // the frame holds it
        return code;
    }
    int offset() const { return PyFrame_GetLasti(frame_); }
    bool is_called_by_python() const {
        const _PyInterpreterFrame* next = frame_->f_frame->previous;
#if PY_VERSION_HEX < 0x030E0000
        return next && next->owner != FRAME_OWNED_BY_CSTACK;
#else
        return next && next->owner < FRAME_OWNED_BY_INTERPRETER;
#endif
    }
#if PY_VERSION_HEX >= 0x030E0000
    // Returns the value `depth` below the top of the evaluation stack of a frame that calls,
    // without the tags of its reference. Borrowed. Null if there is none.
    PyObject* stack_value(Py_ssize_t depth) const {
        const _PyInterpreterFrame* frame = frame_->f_frame;
        const _PyStackRef* bottom = frame->localsplus + code()->co_nlocalsplus;
        if (depth >= frame->stackpointer - bottom) return nullptr;
        return reinterpret_cast<PyObject*>(frame->stackpointer[-1 - depth].bits & ~kTags);
    }
#endif
    void step_back() { Py_SETREF(frame_, PyFrame_GetBack(frame_)); }

  private:
    static constexpr std::uintptr_t kTags = 3;

    PyFrameObject* frame_;
#endif
};

}  // namespace hassium
