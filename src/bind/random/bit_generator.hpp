// Access to the state of NumPy's bit generators in memory.
#pragma once

#include "base/pcg64.hpp"
#include "bind/array/array_parts.hpp"

namespace hassium {

// The layouts of NumPy's `pcg64_state` and `s_mt19937_state`, which are private.
// random/_sampling.py compares what is read through them with the property `state` before anything
// is drawn.
struct Pcg64State {
    struct Stream {
        Word128 state, increment;
    };
    Stream* stream;
    int has_half;        // the upper half of a word is left for the next 32-bit draw
    std::uint32_t half;  // the last such half
};
struct Mt19937State {
    std::uint32_t key[624];
    int position;
};

// Returns what each draw needs of a bit generator: (capsule, lock.acquire, lock.release).
Ref generator_handle(PyObject* bit_generator);

// Holds the lock of a bit generator for its lifetime, so that no other thread draws: a thread that
// draws through NumPy holds the lock without the GIL.
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
