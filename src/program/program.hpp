// PRODUCT of recording: the bytecode of one flush.
//
// Four flat arrays and no pointers: two programs with the same structure and geometry are equal
// byte by byte, which is what the merge cache compares. Constants' values, error states and source
// sites are kept apart because they are not part of that identity. Bases are numbered by first
// appearance.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/small_vec.hpp"
#include "base/types.hpp"
#include "ops/op_info.hpp"

namespace hassium {

using BaseId = std::uint32_t;
inline constexpr BaseId kConstant = 0xffffffffu;  // Operand::base of a constant
inline constexpr BaseId kNoBase = kConstant;

// A view of a base, or a constant. 24 bytes.
struct Operand {
    BaseId base;
    DType dtype;
    std::uint8_t ndim;
    std::uint16_t unused = 0;
    std::int64_t offset;     // bytes from the base's start; for a constant its index
    std::uint32_t geometry;  // first of 2*ndim entries in Program::geometry: extents, then strides
    std::uint32_t unused2 = 0;

    bool is_constant() const { return base == kConstant; }
};
static_assert(sizeof(Operand) == 24);

// One operation. Its operands lie together: outputs, inputs, then the mask if there is one. All
// operands of a map have the iteration shape (broadcast axes have stride 0). The input of a
// reduction has the iteration shape; its output has the kept axes only, in order.
struct Instruction {
    Op op;
    Method method;
    DType compute;  // names the loop (dtype_rules.hpp)
    std::uint8_t nout;
    std::uint8_t nin;
    std::uint8_t masked;  // 1 when a where= operand follows the inputs
    // 1 when it computes elements that nothing reads as well, for the conditions that they raise.
    std::uint8_t all_elements = 0;
    std::uint32_t operands;  // index of the first
    std::uint32_t unused2 = 0;
    std::uint64_t axes;  // reduced, accumulated or indexed axes, as bits; options of a routine

    int operand_count() const { return nout + nin + masked; }
};
static_assert(sizeof(Instruction) == 24);

// A constant of any native dtype: its bytes, in place.
struct Constant {
    alignas(16) unsigned char bytes[16];
};

struct BaseInfo {
    std::int64_t bytes;
    DType dtype;            // of its creator: the text form counts in its elements
    std::uint8_t input;     // exists before the program
    std::uint8_t dies = 0;  // recorded only: a del belongs behind its last use (deaths.hpp)
    std::uint8_t unused[5] = {};
};
static_assert(sizeof(BaseInfo) == 16);

// What happens to floating-point conditions of one instruction: numpy.errstate when recorded.
enum class ErrMode : std::uint8_t { Ignore, Warn, Raise, Call, Print, Log };
struct ErrState {
    std::uint16_t bits = 0;  // three bits each: divide, over, under, invalid

    // NumPy's, where the program sets none: underflows are ignored, others are warned of.
    static constexpr ErrState standard() { return {01011}; }
    // Whether a condition is reported that would be ignored otherwise, or in another way.
    bool asks_more_than(ErrState other) const {
        for (int c = 0; c < 4; ++c) {
            if (mode(c) != ErrMode::Ignore && mode(c) != other.mode(c)) return true;
        }
        return false;
    }
    ErrMode mode(int condition) const {
        return static_cast<ErrMode>((bits >> (3 * condition)) & 7);
    }
    // Conditions that are not ignored, as FpFlag bits.
    std::uint8_t reported() const {
        std::uint8_t asked = 0;
        for (int c = 0; c < 4; ++c) {
            asked |= static_cast<std::uint8_t>((mode(c) != ErrMode::Ignore) << c);
        }
        return asked;
    }
    // Whether any condition does more than warn. An exception has its line, and a handler is the
    // one that is set at that line, so such instructions run at the call.
    bool acts_at_call() const { return (bits & 06666) != 0; }
};

// What was asked for, where that is another row than the instruction's or all of a reduction:
// floating-point conditions are reported under its name.
enum class StepOf : std::uint8_t { Itself, Reduction, Power, Quotient, Dot };

// Where an instruction comes from; not part of the program's identity.
struct Origin {
    ErrState errstate;
    std::uint32_t site = 0;  // source line of what can warn, as the host numbers it; 0: unknown
    StepOf step_of = StepOf::Itself;
    bool of_numbers = false;  // an operator of numbers: conditions are reported as a scalar's
    bool reports = false;     // can raise a condition that the errstate does not ignore
    bool failed = false;      // was in a job that failed
    bool lacking = false;     // because there was no memory for what it makes
};

// Memory of one program base during a flush. Null until the first block that touches it.
struct Binding {
    char* data;
    std::int64_t bytes;
};

// What a run reports and whom it asks.
struct RunState {
    std::uint8_t raised = 0;          // FpFlag bits seen in the block
    bool (*interrupted)() = nullptr;  // asked by the caller's thread between chunks
    // Values in place of the program's own: a cached program has none.
    const Constant* constants = nullptr;
    // When the first kernel of the first block started, by the steady clock; 0: not yet.
    std::int64_t launched = 0;
};

struct Program {
    std::vector<BaseInfo> bases;
    std::vector<Instruction> instructions;
    std::vector<Operand> operands;
    std::vector<std::int64_t> geometry;
    std::vector<Constant> constants;
    std::vector<Origin> origins;  // one per instruction
    // For a parsed program: what the text calls its bases (`input` bases are filled from them).
    // Empty when recorded; not part of the identity.
    std::vector<std::string> names;

    std::span<const Operand> operands_of(const Instruction& i) const {
        return {operands.data() + i.operands, static_cast<std::size_t>(i.operand_count())};
    }
    std::span<const Operand> outputs(const Instruction& i) const {
        return {operands.data() + i.operands, i.nout};
    }
    std::span<const Operand> inputs(const Instruction& i) const {
        return {operands.data() + i.operands + i.nout, i.nin};
    }
    const Operand* mask(const Instruction& i) const {
        return i.masked ? operands.data() + i.operands + i.nout + i.nin : nullptr;
    }
    std::span<const std::int64_t> shape(const Operand& o) const {
        return {geometry.data() + o.geometry, o.ndim};
    }
    std::span<const std::int64_t> strides(const Operand& o) const {
        return {geometry.data() + o.geometry + o.ndim, o.ndim};
    }
    // The iteration shape: that of a reduction's or accumulation's input, of a scatter's values (of
    // its index, if they are one number), else of the output. Empty for del and sync.
    std::span<const std::int64_t> iteration_shape(const Instruction& i) const;

    // `del BASE` carries one operand: the whole base, one-dimensional bytes. `sync VIEW` says that
    // the view is read after the program. Of a base that does not die, all is read unless it has
    // syncs.
    bool is_del(const Instruction& i) const { return i.op == Op::Del; }
    bool is_sync(const Instruction& i) const { return i.op == Op::Sync; }

    void clear();
    std::uint64_t hash() const;
    bool same_structure(const Program& other) const;  // exact identity, without values and origins

    // Stable text form, see docs/bytecode.md.
    std::string dump() const;
    // One instruction as a line of the text form.
    std::string dump_instruction(std::size_t index) const;
    // A view as an operand of the text form, by the base's own name where the program has names.
    std::string dump_view(const Operand& view) const;
    // UserError (Value) with the line number and the offending word.
    static Program parse(const std::string& text);
    // Throws InternalError that prints the offending line.
    void verify() const;
    // The same where something is read that is no input and that nothing before has written, or
    // changed in place: of memory that is new, a program may read what it likes, but nobody who
    // rewrites one makes it do so.
    void verify_sources() const;
    // What is wrong with one instruction by itself, as a sentence; empty when nothing is.
    std::string fault(std::size_t index) const;
};

// Appends operands and geometry; used by the recorder and the parser.
std::uint32_t append_view(Program& p, BaseId base, DType dtype, std::int64_t offset,
                          std::span<const std::int64_t> shape,
                          std::span<const std::int64_t> strides);
std::uint32_t append_constant(Program& p, DType dtype, const Constant& value);
// All of a base, as one-dimensional bytes.
std::uint32_t append_bytes(Program& p, BaseId base);
void append_del(Program& p, BaseId base);
void append_sync(Program& p, std::uint32_t view);  // the operand appended last

}  // namespace hassium
