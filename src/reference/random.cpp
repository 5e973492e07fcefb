// NumPy's PCG64 one word at a time, each computed from the initial state alone.
#include <cstring>

#include "base/error.hpp"
#include "base/pcg64.hpp"
#include "reference/table.hpp"

namespace hassium::reference {
namespace {

Word128 read(const Value& value) {
    Word128 bits;
    std::memcpy(&bits, value.bytes, sizeof bits);
    return bits;
}

template <class T>
void put(Value& out, T value) {
    std::memcpy(out.bytes, &value, sizeof value);
}

}  // namespace

void random_value(DType dtype, const Value& state, const Value& increment, std::int64_t position,
                  Value& out) {
    const auto at = static_cast<std::uint64_t>(position);
    const std::uint64_t each = dtype == DType::F32 ? 2 : 1;
    const std::uint64_t word = pcg_word(pcg_jump(read(state), read(increment), at / each + 1));
    if (dtype == DType::F64) return put(out, static_cast<double>(word >> 11) * 0x1p-53);
    if (dtype == DType::U64) return put(out, word);
    HS_CHECK(dtype == DType::F32, "random rows draw words and floats");
    const auto half = static_cast<std::uint32_t>(at % 2 == 0 ? word : word >> 32);
    put(out, static_cast<float>(half >> 8) * 0x1p-24f);
}

}  // namespace hassium::reference
