#include "program/program.hpp"

#include <cstring>

namespace hassium {
namespace {

// Two independent multiply-mix chains hide the multiplier's latency; the merge cache hashes every
// flush and always compares for equality afterwards, so speed matters more than dispersion.
constexpr std::uint64_t kMixA = 0x9e3779b97f4a7c15u;
constexpr std::uint64_t kMixB = 0xd6e8feb86659fd93u;

std::uint64_t mix(std::uint64_t h, std::uint64_t word, std::uint64_t factor) {
    h = (h ^ word) * factor;
    return h ^ (h >> 29);
}

// All hashed arrays consist of whole words: their element types have no padding (static assertions
// in the header and below).
template <class T>
std::uint64_t hash_words(std::uint64_t seed, const std::vector<T>& values) {
    static_assert(sizeof(T) % 8 == 0 && std::is_trivially_copyable_v<T>);
    const char* at = reinterpret_cast<const char*>(values.data());
    std::size_t words = values.size() * (sizeof(T) / 8);
    std::uint64_t a = seed ^ words, b = ~seed;
    for (; words >= 2; words -= 2, at += 16) {
        std::uint64_t pair[2];
        std::memcpy(pair, at, 16);
        a = mix(a, pair[0], kMixA);
        b = mix(b, pair[1], kMixB);
    }
    if (words) {
        std::uint64_t last;
        std::memcpy(&last, at, 8);
        a = mix(a, last, kMixA);
    }
    return mix(a, b, kMixB);
}

template <class T>
bool same_bytes(const std::vector<T>& a, const std::vector<T>& b) {
    return a.size() == b.size() &&
           (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

}  // namespace

std::span<const std::int64_t> Program::iteration_shape(const Instruction& i) const {
    bool over_input = iterates_over_input(i.method) || info(i.op).is_arg_reduction();
    if (over_input && i.nin > 0) return shape(operands[i.operands + i.nout]);
    if (is_scatter(i.op, i.method)) {
        const std::span<const Operand> in = inputs(i);
        return shape(in[in[0].is_constant() ? 1 : 0]);
    }
    if (i.nout > 0) return shape(operands[i.operands]);
    return {};
}

void Program::clear() {
    bases.clear();
    instructions.clear();
    operands.clear();
    geometry.clear();
    constants.clear();
    origins.clear();
    names.clear();
}

std::uint64_t Program::hash() const {
    std::uint64_t h = hash_words(kMixB, instructions);
    h = hash_words(h, operands);
    h = hash_words(h, geometry);
    return hash_words(h, bases);
}

bool Program::same_structure(const Program& other) const {
    return same_bytes(instructions, other.instructions) && same_bytes(operands, other.operands) &&
           same_bytes(geometry, other.geometry) && same_bytes(bases, other.bases);
}

std::uint32_t append_view(Program& p, BaseId base, DType dtype, std::int64_t offset,
                          std::span<const std::int64_t> shape,
                          std::span<const std::int64_t> strides) {
    auto index = static_cast<std::uint32_t>(p.operands.size());
    auto geometry = static_cast<std::uint32_t>(p.geometry.size());
    p.operands.push_back(
        Operand{base, dtype, static_cast<std::uint8_t>(shape.size()), 0, offset, geometry, 0});
    p.geometry.insert(p.geometry.end(), shape.begin(), shape.end());
    p.geometry.insert(p.geometry.end(), strides.begin(), strides.end());
    return index;
}

std::uint32_t append_constant(Program& p, DType dtype, const Constant& value) {
    auto index = static_cast<std::uint32_t>(p.operands.size());
    auto number = static_cast<std::int64_t>(p.constants.size());
    auto geometry = static_cast<std::uint32_t>(p.geometry.size());
    p.operands.push_back(Operand{kConstant, dtype, 0, 0, number, geometry, 0});
    p.constants.push_back(value);
    return index;
}

namespace {

void append_system(Program& p, Op op, std::uint32_t operand) {
    p.instructions.push_back({op, Method::Call, DType::U8, 0, 1, 0, 0, operand, 0, 0});
    p.origins.push_back({});
}

}  // namespace

std::uint32_t append_bytes(Program& p, BaseId base) {
    const std::int64_t extent = p.bases[base].bytes, stride = 1;
    return append_view(p, base, DType::U8, 0, {&extent, 1}, {&stride, 1});
}

void append_del(Program& p, BaseId base) { append_system(p, Op::Del, append_bytes(p, base)); }
void append_sync(Program& p, std::uint32_t view) { append_system(p, Op::Sync, view); }

}  // namespace hassium
