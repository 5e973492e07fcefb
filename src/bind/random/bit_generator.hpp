// The state of NumPy's bit generators, where it lies in memory.
#pragma once

#include "base/pcg64.hpp"
#include "bind/array/array_parts.hpp"

namespace hassium {

// NumPy's `pcg64_state`, `s_mt19937_state` and `bitgen_t`: none is public but the last, so
// draws.py compares what is read here with the property `state` before anything is drawn.
struct Pcg64State {
    struct Stream {
        Word128 state, increment;
    };
    Stream* stream;
    int has_half;        // the upper half of a word is left for who draws 32 bits
    std::uint32_t half;  // the one that was last left
};
struct Mt19937State {
    std::uint32_t key[624];
    int position;
};

// What is wanted of a bit generator for each draw: where its state lies, and the methods of its
// lock.
Ref generator_handle(PyObject* bit_generator);

// A bit generator while no other thread may draw: its lock is held, which a thread that draws by
// NumPy holds without the GIL.
class HeldGenerator {
  public:
    explicit HeldGenerator(PyObject* handle);
    ~HeldGenerator();
    HeldGenerator(const HeldGenerator&) = delete;
    HeldGenerator& operator=(const HeldGenerator&) = delete;

    Pcg64State& pcg64() const { return *static_cast<Pcg64State*>(state_); }
    Mt19937State& mt19937() const { return *static_cast<Mt19937State*>(state_); }

  private:
    PyObject* handle_;  // borrowed
    void* state_;
};

}  // namespace hassium
