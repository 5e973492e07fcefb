#include "engine/flush/raised_by.hpp"

#include <algorithm>
#include <cstring>

#include "base/small_vec.hpp"
#include "exec/executor.hpp"
#include "program/overlap.hpp"
#include "reference/reference.hpp"
#include "runtime/memory_pool.hpp"

namespace hassium {
namespace {

// Memory of what a block writes, apart from what the program sees.
class Scratch {
  public:
    explicit Scratch(std::span<const Binding> bases) : bases_(bases.begin(), bases.end()) {}
    ~Scratch() {
        for (const Binding& own : owned_) memory_pool().release(own.data, own.bytes);
    }
    Scratch(const Scratch&) = delete;
    Scratch& operator=(const Scratch&) = delete;

    // The base has memory of its own from now on, with what it holds after the block.
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

// What is known of one base while the instructions are gone through.
struct Written {
    std::uint32_t last = 0;  // place of the last instruction that writes it
    bool ever = false;
    bool replaced = false;
    bool known = true;   // every write so far was done again
    bool whole = false;  // and some write was to all of it
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
        answer_.tested.resize(program.instructions.size());
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
            if (info(program_.instructions[index].op).cls == OpClass::System) continue;
            const bool tested = can_run(k);
            if (tested) answer_.flags[index] = raised(index);
            answer_.tested[index] = tested;
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
            // What an output keeps is read as well.
            if (i.masked || info(i.op).cls == OpClass::Scatter) {
                can &= holds_what_was_read(base, out.base, k);
            }
        }
        return can;
    }
    bool holds_what_was_read(const Written& base, BaseId id, std::uint32_t k) const {
        if (!base.ever || base.last < k) return bases_[id].data || (base.ever && base.known);
        return base.known && (base.whole || !existed_[id]);
    }
    void note_write(const Operand& out, bool known) {
        Written& base = written_[out.base];
        base.known = base.known && known;
        std::int64_t elements = 1;
        for (std::int64_t extent : program_.shape(out)) elements *= extent;
        const Extent view{out.offset, itemsize(out.dtype), program_.shape(out),
                          program_.strides(out)};
        if (elements * view.itemsize != bases_[out.base].bytes || overlaps_itself(view)) return;
        base.whole = base.known = known;
    }
    // As much as raises conditions may be large: maps run on vectors.
    std::uint8_t raised(std::uint32_t index) {
        const Instruction& i = program_.instructions[index];
        RunState state;
        if (info(i.op).cls != OpClass::Map || i.method != Method::Call || i.masked) {
            run_reference(program_, index, scratch_.bases(), state);
            return state.raised;
        }
        static constexpr std::int64_t kStill[kMaxDims] = {};
        SmallVec<DirectOperand, 6> operands;
        for (const Operand& o : program_.operands_of(i)) {
            if (o.is_constant()) {
                auto* value = const_cast<unsigned char*>(
                    program_.constants[static_cast<std::size_t>(o.offset)].bytes);  // only read
                operands.push_back({reinterpret_cast<char*>(value), o.dtype, kStill});
            } else {
                char* data = scratch_.bases()[o.base].data + o.offset;
                operands.push_back({data, o.dtype, program_.strides(o).data()});
            }
        }
        return run_direct(i.op, i.compute, program_.iteration_shape(i),
                          {operands.data(), operands.size()});
    }
};

}  // namespace

RaisedBy test_each(const Program& program, std::span<const std::uint32_t> instructions,
                   std::span<const Binding> bases, const std::vector<bool>& existed) {
    return Test(program, instructions, bases, existed).run();
}

}  // namespace hassium
