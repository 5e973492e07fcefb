#include "engine/flush/raised_by.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

#include "base/small_vec.hpp"
#include "exec/executor.hpp"
#include "program/overlap.hpp"
#include "reference/reference.hpp"
#include "runtime/memory_pool.hpp"

namespace hassium {
namespace {

// Private memory for the bases that a block writes.
class Scratch {
  public:
    explicit Scratch(std::span<const Binding> bases) : bases_(bases.begin(), bases.end()) {}
    ~Scratch() {
        for (const Binding& own : owned_) memory_pool().release(own.data, own.bytes);
    }
    Scratch(const Scratch&) = delete;
    Scratch& operator=(const Scratch&) = delete;

    // Gives the base private memory, with its contents after the block.
    void replace(BaseId base) {
        Binding& binding = bases_[base];
        char* own = memory_pool().acquire(binding.bytes);
        owned_.push_back({own, binding.bytes});
        if (binding.data) std::memcpy(own, binding.data, static_cast<std::size_t>(binding.bytes));
        binding.data = own;
    }
    std::span<Binding> bases() { return bases_; }

  private:
    std::vector<Binding> bases_, owned_;
};

// A packed result over an iteration shape, outside of all bases.
struct Dense {
    Dims strides;
    DType dtype;
    std::vector<char> memory;

    Dense(std::span<const std::int64_t> shape, DType of) : dtype(of) {
        strides.resize(shape.size());
        std::int64_t step = itemsize(of);
        for (std::size_t axis = shape.size(); axis-- > 0; step *= shape[axis]) strides[axis] = step;
        memory.resize(static_cast<std::size_t>(step));
    }
    DirectOperand operand() { return {memory.data(), dtype, strides.data()}; }
};

// State of one base while the instructions are repeated.
struct Written {
    std::uint32_t last = 0;  // position of the last instruction that writes it
    bool ever = false;
    bool begun = false;  // an earlier instruction has written it
    bool replaced = false;
    bool known = true;   // every write so far was repeated
    bool whole = false;  // and one of them wrote all of it
};

class Test {
  public:
    Test(const Program& program, std::span<const std::uint32_t> instructions,
         std::span<const Binding> bases, const std::vector<bool>& existed)
        : program_(program),
          bases_(bases),
          existed_(existed),
          scratch_(bases),
          written_(bases.size()),
          order_(instructions.begin(), instructions.end()) {
        answer_.flags.resize(program.instructions.size());
        answer_.known.resize(program.instructions.size());
        std::ranges::sort(order_);
        for (std::uint32_t k = 0; k < order_.size(); ++k) {
            for (const Operand& out : outputs(k)) {
                written_[out.base].ever = true;
                written_[out.base].last = k;
            }
        }
    }

    RaisedBy run() {
        for (std::uint32_t k = 0; k < order_.size(); ++k) {
            const std::uint32_t index = order_[k];
            if (info(program_.instructions[index].op).is_system()) continue;
            const bool tested = can_run(k);
            if (tested) {
                answer_.flags[index] = raised(index);
                answer_.known[index] = kDivide | kOver | kUnder | kInvalid;
            } else if (shows_what_it_raised(k)) {
                answer_.flags[index] = shown_by_result(k);
                answer_.known[index] = kDivide | kOver | kInvalid;
            }
            for (const Operand& out : outputs(k)) note_write(out, tested);
        }
        return std::move(answer_);
    }

  private:
    const Program& program_;
    std::span<const Binding> bases_;
    const std::vector<bool>& existed_;
    Scratch scratch_;
    std::vector<Written> written_;
    std::vector<std::uint32_t> order_;
    RaisedBy answer_;

    std::span<const Operand> outputs(std::uint32_t k) const {
        return program_.outputs(program_.instructions[order_[k]]);
    }
    bool can_run(std::uint32_t k) {
        const Instruction& i = program_.instructions[order_[k]];
        bool can = true;
        for (const Operand& o : program_.operands_of(i).subspan(i.nout)) {
            if (!o.is_constant()) can &= holds_what_was_read(written_[o.base], o.base, k);
        }
        for (const Operand& out : program_.outputs(i)) {
            Written& base = written_[out.base];
            if (!base.replaced) scratch_.replace(out.base);
            base.replaced = true;
            // An output that keeps some of its elements is read as well.
            if (i.masked || is_scatter(i.op, i.method)) {
                can &= holds_what_was_read(base, out.base, k);
            }
        }
        return can;
    }
    bool holds_what_was_read(const Written& base, BaseId id, std::uint32_t k) const {
        if (!base.ever || base.last < k) return bases_[id].data || (base.ever && base.known);
        return base.known && (base.whole || !existed_[id]);
    }
    // Returns whether the stored result shows what the instruction raised: a floating-point map
    // whose result is intact, and whose lost operands no earlier instruction of the block has
    // written, so that none has made them NaN.
    bool shows_what_it_raised(std::uint32_t k) const {
        const Instruction& i = program_.instructions[order_[k]];
        const Operand& out = outputs(k)[0];
        for (const Operand& o : program_.inputs(i)) {
            if (!is_left(o, k) && written_[o.base].begun) return false;
        }
        return info(i.op).is_elementwise() && i.method == Method::Call && !i.masked &&
               i.nout == 1 && out.dtype == i.compute && kind(out.dtype) == DTypeKind::Float &&
               written_[out.base].last == k && bases_[out.base].data;
    }
    bool is_left(const Operand& o, std::uint32_t k) const {
        return o.is_constant() || holds_what_was_read(written_[o.base], o.base, k);
    }
    // Returns the flags that the result shows and that some value of the lost operands could raise.
    std::uint8_t shown_by_result(std::uint32_t k) {
        std::uint8_t flags = 0;
        if (is_new_in_result(k, Op::Isnan)) flags |= kInvalid;
        if (is_new_in_result(k, Op::Isinf)) flags |= kDivide | kOver;
        return flags == 0 ? flags : flags & could_have_raised(k);
    }
    // Returns whether `test` holds for an element of the result, and for no intact operand there.
    bool is_new_in_result(std::uint32_t k, Op test) {
        const Instruction& i = program_.instructions[order_[k]];
        const std::span<const std::int64_t> shape = program_.iteration_shape(i);
        const auto tested = [&](const Operand& o) {
            Dense answers(shape, DType::Bool);
            const DirectOperand both[] = {answers.operand(), bound(o)};
            run_direct(test, i.compute, shape, both);
            return std::move(answers.memory);
        };
        std::vector<char> found = tested(outputs(k)[0]);
        for (const Operand& o : program_.inputs(i)) {
            if (!is_left(o, k)) continue;
            const std::vector<char> of_operand = tested(o);
            for (std::size_t n = 0; n < found.size(); ++n) found[n] = found[n] && !of_operand[n];
        }
        return std::ranges::find(found, true) != found.end();
    }
    std::uint8_t could_have_raised(std::uint32_t k) {
        const Instruction& i = program_.instructions[order_[k]];
        const std::span<const std::int64_t> shape = program_.iteration_shape(i);
        constexpr double kInfinity = std::numeric_limits<double>::infinity();
        const double most = i.compute == DType::F64   ? std::numeric_limits<double>::max()
                            : i.compute == DType::F32 ? std::numeric_limits<float>::max()
                                                      : 65504;
        Dense result(shape, i.compute);
        std::uint8_t flags = 0;
        for (double value : {0.0, 1.0, -1.0, kInfinity, -kInfinity, most, -most}) {
            SmallVec<DirectOperand, 6> operands;
            operands.push_back(result.operand());
            for (const Operand& o : program_.inputs(i)) {
                operands.push_back(is_left(o, k) ? bound(o) : still(&value, DType::F64));
            }
            flags |= run_direct(i.op, i.compute, shape, {operands.data(), operands.size()});
        }
        return flags;
    }
    void note_write(const Operand& out, bool known) {
        Written& base = written_[out.base];
        base.begun = true;
        base.known = base.known && known;
        std::int64_t elements = 1;
        for (std::int64_t extent : program_.shape(out)) elements *= extent;
        const Extent view{out.offset, itemsize(out.dtype), program_.shape(out),
                          program_.strides(out)};
        if (elements * view.itemsize != bases_[out.base].bytes || overlaps_itself(view)) return;
        base.whole = base.known = known;
    }
    // Repeats an instruction. Blocks that raise may be large, so maps run on the vector kernels.
    std::uint8_t raised(std::uint32_t index) {
        const Instruction& i = program_.instructions[index];
        RunState state;
        if (!info(i.op).is_elementwise() || i.method != Method::Call || i.masked) {
            run_reference(program_, index, scratch_.bases(), state);
            return state.raised;
        }
        SmallVec<DirectOperand, 6> operands;
        for (const Operand& o : program_.operands_of(i)) operands.push_back(bound(o));
        return run_direct(i.op, i.compute, program_.iteration_shape(i),
                          {operands.data(), operands.size()});
    }
    DirectOperand bound(const Operand& o) {
        if (o.is_constant()) {
            return still(program_.constants[static_cast<std::size_t>(o.offset)].bytes, o.dtype);
        }
        char* data = scratch_.bases()[o.base].data + o.offset;
        return {data, o.dtype, program_.strides(o).data()};
    }
    // A read-only operand with one value for every element.
    static DirectOperand still(const void* value, DType dtype) {
        static constexpr std::int64_t kStill[kMaxDims] = {};
        return {static_cast<char*>(const_cast<void*>(value)), dtype, kStill};
    }
};

}  // namespace

RaisedBy test_each(const Program& program, std::span<const std::uint32_t> instructions,
                   std::span<const Binding> bases, const std::vector<bool>& existed) {
    return Test(program, instructions, bases, existed).run();
}

}  // namespace hassium
