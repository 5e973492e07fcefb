// ufunc.at: elements or rows of an array that are combined with values, one after another.
#include <type_traits>

#include "exec/flags.hpp"
#include "exec/routines/with_number.hpp"
#include "exec/single/moves_common.hpp"
#include "simd/tables/kernels.hpp"

namespace hassium {
namespace {

// Rows of fewer elements are combined in place: a kernel call takes as long as eight.
constexpr std::int64_t kShortRow = 12;
// Elements of a row that are worth a thread of their own.
constexpr std::int64_t kColumns = 64;

struct CombinedAt {
    Op op;
    DType dtype;  // of the array and the values, and what the row computes in
    char* array;
    std::span<const std::int64_t> places;  // bytes from `array` to a row, as often as it is named
    std::int64_t row;                      // elements, side by side
    const char* values;
    std::int64_t value_step, element_step;  // bytes from row to row and inside a row; 0: the same
};

template <class T>
using Wide = std::conditional_t<std::is_integral_v<T>, std::uint64_t, T>;

struct Add {
    template <class T>
    T operator()(T a, T b) const {
        return static_cast<T>(static_cast<Wide<T>>(a) + static_cast<Wide<T>>(b));
    }
};
struct Subtract {
    template <class T>
    T operator()(T a, T b) const {
        return static_cast<T>(static_cast<Wide<T>>(a) - static_cast<Wide<T>>(b));
    }
};
struct Multiply {
    template <class T>
    T operator()(T a, T b) const {
        return static_cast<T>(static_cast<Wide<T>>(a) * static_cast<Wide<T>>(b));
    }
};
// A nan wins, the first one of two.
struct Maximum {
    template <class T>
    T operator()(T a, T b) const {
        return a >= b || a != a ? a : b;
    }
};
struct Minimum {
    template <class T>
    T operator()(T a, T b) const {
        return a <= b || a != a ? a : b;
    }
};

template <class T, class Row>
void combine_elements(const CombinedAt& w, Row row) {
    constexpr std::int64_t kSize = sizeof(T);
    const char* value = w.values;
    for (const std::int64_t place : w.places) {
        for (std::int64_t k = 0; k < w.row; ++k) {
            char* const at = w.array + place + k * kSize;
            T a, b;
            std::memcpy(&a, at, sizeof(T));
            std::memcpy(&b, value + k * w.element_step, sizeof(T));
            a = row(a, b);
            std::memcpy(at, &a, sizeof(T));
        }
        value += w.value_step;
    }
}

// False: the row has no loop here.
template <class T>
bool combine_short(const CombinedAt& w) {
    switch (w.op) {
        case Op::Add:
            combine_elements<T>(w, Add{});
            return true;
        case Op::Subtract:
            combine_elements<T>(w, Subtract{});
            return true;
        case Op::Multiply:
            combine_elements<T>(w, Multiply{});
            return true;
        case Op::Maximum:
            combine_elements<T>(w, Maximum{});
            return true;
        case Op::Minimum:
            combine_elements<T>(w, Minimum{});
            return true;
        default:
            return false;
    }
}

void combine_rows(const CombinedAt& w, MapFn map, std::int64_t first, std::int64_t n) {
    const std::int64_t bytes = itemsize(w.dtype);
    const std::uint32_t scalars = w.element_step == 0 ? 2 : 0;
    const char* value = w.values + first * w.element_step;
    for (const std::int64_t place : w.places) {
        char* const at = w.array + place + first * bytes;
        char* const operands[] = {at, at, const_cast<char*>(value)};
        map(operands, scalars, n);
        value += w.value_step;
    }
}

// Returns the floating-point exceptions that other threads have raised.
std::uint8_t combine_at(const CombinedAt& w) {
    auto in_place = [&w](auto number) { return combine_short<decltype(number)>(w); };
    if (w.row < kShortRow && with_number(w.dtype, in_place)) return 0;
    const MapFn map = kernels().map[static_cast<int>(w.op)][static_cast<int>(w.dtype)];
    const std::int64_t pieces = (w.row + kColumns - 1) / kColumns;
    RunState state;
    auto work = [&](std::int64_t first, std::int64_t last) {
        const std::int64_t begin = first * kColumns, end = std::min(last * kColumns, w.row);
        combine_rows(w, map, begin, end - begin);
    };
    spread(pieces, w.row * static_cast<std::int64_t>(w.places.size()), state, work);
    return state.raised;
}

// (places in bytes, values [places][elements of a row], number of a ufunc) -> (array, changed where
// the places are; the floating-point exceptions raised, which are the ufunc's).
void combine(const Instruction&, std::span<const BoundView> operands, RunState&) {
    const BoundView &array = operands[0], &raised = operands[1], &places = operands[2],
                    &values = operands[3];
    std::int64_t op;
    std::memcpy(&op, operands[4].data, sizeof op);
    const auto* const first = reinterpret_cast<const std::int64_t*>(places.data);
    const CombinedAt work = {
        static_cast<Op>(op), array.dtype,
        array.data,          {first, static_cast<std::size_t>(places.shape[0])},
        values.shape[1],     values.data,
        values.strides[0],   values.strides[1]};
    clear_fp_flags();
    *raised.data = static_cast<char>(combine_at(work) | read_fp_flags());
    clear_fp_flags();
}

const RegisteredRoutine routine(Op::CombineAt, combine);

}  // namespace
}  // namespace hassium
