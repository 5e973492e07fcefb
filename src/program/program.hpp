// The bytecode of one flush, the product of recording.
//
// Flat arrays without pointers: two programs of the same structure and geometry are equal byte by
// byte, which is what the merge cache compares. Values of constants, errstates and source sites are
// stored separately because they are not part of that identity. Bases are numbered by first
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

// One operation. Its operands are adjacent: outputs, inputs, then the mask if there is one. All
// operands of a map have the iteration shape (broadcast axes have stride 0). The input of a
// reduction has the iteration shape; its output has the kept axes only, in order.
struct Instruction {
    Op op;
    Method method;
    DType compute;  // selects the loop (dtype_rules.hpp)
    std::uint8_t nout;
    std::uint8_t nin;
    std::uint8_t masked;  // 1 when a where= operand follows the inputs
    // 1 if it also computes elements that nothing reads, for their floating-point conditions.
    std::uint8_t all_elements = 0;
    std::uint32_t operands;  // index of the first operand
    std::uint32_t unused2 = 0;
    std::uint64_t axes;  // bit mask of reduced, accumulated or indexed axes; options of a routine

    int operand_count() const { return nout + nin + masked; }
};
static_assert(sizeof(Instruction) == 24);

// The bytes of a constant of any native dtype.
struct Constant {
    alignas(16) unsigned char bytes[16];
};

struct BaseInfo {
    std::int64_t bytes;
    DType dtype;            // of its creator; the text form counts elements of it
    std::uint8_t input;     // exists before the program
    std::uint8_t dies = 0;  // recorded programs only: with_deaths() puts a del after the last use
    std::uint8_t unused[5] = {};
};
static_assert(sizeof(BaseInfo) == 16);

// How a floating-point condition of an instruction is handled: numpy.errstate at recording.
// WarnAtCall: Warn, where the host turns warnings into exceptions.
enum class ErrMode : std::uint8_t { Ignore, Warn, Raise, Call, Print, Log, WarnAtCall };
struct ErrState {
    std::uint16_t bits = 0;  // three bits each: divide, over, under, invalid

    // NumPy's default: underflows are ignored, other conditions warn.
    static constexpr ErrState standard() { return {01011}; }
    // Returns whether a condition is reported here that `other` ignores or reports differently.
    bool asks_more_than(ErrState other) const {
        for (int c = 0; c < 4; ++c) {
            if (mode(c) != ErrMode::Ignore && mode(c) != other.mode(c)) return true;
        }
        return false;
    }
    ErrMode mode(int condition) const {
        return static_cast<ErrMode>((bits >> (3 * condition)) & 7);
    }
    // Returns the conditions that are not ignored, as FpFlag bits.
    std::uint8_t reported() const {
        const unsigned any = (bits | bits >> 1 | bits >> 2) & 01111u;  // a bit of each mode
        const unsigned asked = (any & 1) | (any >> 2 & 2) | (any >> 4 & 4) | (any >> 6 & 8);
        return static_cast<std::uint8_t>(asked);
    }
    // Returns whether any condition does more than warn. Instructions that can raise it run at the
    // call: an exception belongs to its line, and a handler is the one in effect at that line.
    bool acts_at_call() const { return (bits & 06666) != 0; }
};

// The operation under whose name floating-point conditions are reported, if it is not the
// instruction's own: a split reduction, or a power, quotient or dot that another row computes.
enum class StepOf : std::uint8_t { Itself, Reduction, Power, Quotient, Dot };

// Origin of an instruction; not part of the program's identity.
struct Origin {
    ErrState errstate;
    std::uint32_t site = 0;  // source line if it can warn, as the host numbers lines; 0: unknown
    StepOf step_of = StepOf::Itself;
    bool of_numbers = false;  // an operator of scalars: conditions are reported as such
    bool reports = false;     // can raise a condition that the errstate does not ignore
    bool failed = false;      // was in a job that failed
    bool lacking = false;     // failed because its result could not be allocated
};

// Memory of one base during a flush. Null until the first block that touches it runs.
struct Binding {
    char* data;
    std::int64_t bytes;
};

// State of a run: what it reports, and its callbacks.
struct RunState {
    std::uint8_t raised = 0;          // FpFlag bits seen in the block
    bool (*interrupted)() = nullptr;  // polled by the caller's thread between chunks
    // Replace the program's constants: a cached program has no values.
    const Constant* constants = nullptr;
    // Steady-clock time at which the first kernel of the first block started; 0: not yet.
    std::int64_t launched = 0;
};

struct Program {
    std::vector<BaseInfo> bases;
    std::vector<Instruction> instructions;
    std::vector<Operand> operands;
    std::vector<std::int64_t> geometry;
    std::vector<Constant> constants;
    std::vector<Origin> origins;  // one per instruction
    // Names of bases in a parsed program, which seed its `input` bases. Empty when recorded; not
    // part of the identity.
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
    // Returns the shape of the input of a reduction or accumulation, of the values of a scatter (of
    // its index if the value is a constant), else of the output. Empty for del and sync.
    std::span<const std::int64_t> iteration_shape(const Instruction& i) const;

    // `del BASE` has one operand: the whole base as one-dimensional bytes. `sync VIEW` declares
    // that the view is read after the program. A base that does not die is read entirely unless it
    // has syncs.
    bool is_del(const Instruction& i) const { return i.op == Op::Del; }
    bool is_sync(const Instruction& i) const { return i.op == Op::Sync; }

    void clear();
    std::uint64_t hash() const;
    bool same_structure(const Program& other) const;  // exact, ignoring constants and origins

    // Returns the stable text form, see docs/bytecode.md.
    std::string dump() const;
    // Returns one instruction as a line of the text form.
    std::string dump_instruction(std::size_t index) const;
    // Returns a view as an operand of the text form, with the name of the base if the program has
    // names.
    std::string dump_view(const Operand& view) const;
    // Throws UserError (Value) with the line number and the offending word.
    static Program parse(const std::string& text);
    // Throws InternalError with the offending line.
    void verify() const;
    // Also throws if an instruction reads a base that is no input and that no earlier instruction
    // has written, or updates it in place. A recorded program may read uninitialized memory, but a
    // pass must not introduce such reads.
    void verify_sources() const;
    // Returns the fault of one instruction by itself as a sentence; empty if it has none.
    std::string fault(std::size_t index) const;
};

// Append operands and their geometry; used by the recorder and the parser.
std::uint32_t append_view(Program& p, BaseId base, DType dtype, std::int64_t offset,
                          std::span<const std::int64_t> shape,
                          std::span<const std::int64_t> strides);
std::uint32_t append_constant(Program& p, DType dtype, const Constant& value);
// Appends the whole base as one-dimensional bytes.
std::uint32_t append_bytes(Program& p, BaseId base);
void append_del(Program& p, BaseId base);
void append_sync(Program& p, std::uint32_t view);  // `view` is the operand appended last

}  // namespace hassium
