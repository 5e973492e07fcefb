// From plans to code: decides for each operand whether kernels work on its memory in place or on a
// packed copy; adds casts where stored and computed dtypes differ; forms chains of maps on register
// tiles. Internal to exec.
#pragma once

#include <initializer_list>
#include <memory>
#include <optional>
#include <vector>

#include "exec/chain/chain.hpp"
#include "exec/compile/code.hpp"
#include "ops/dtype_rules.hpp"

namespace hassium {

class Compiler {
  public:
    explicit Compiler(const LoopPlan& plan) : plan_(plan) {}
    std::shared_ptr<BlockCode> compile();

  private:
    struct Value {
        PointerId pointer;
        bool scalar;
    };
    // Where a kernel may store elements for an output; unless `final`, they need a cast or a move.
    struct Target {
        PointerId pointer;
        bool final;
    };

    const LoopPlan& plan_;
    BlockCode code_;
    int temporaries_ = 0;  // in use
    int kept_ = 0;         // temporaries below this number are not freed
    std::vector<bool> slot_scalar_;
    std::vector<PointerId> operand_pointers_, scratch_pointers_;  // created so far

    // The open chain: the values it has computed, and the outputs to move after it.
    struct Computed {
        std::uint32_t operand;
        ChainBuilder::Value value;
    };
    struct Moved {
        std::uint32_t operand;
        PointerId from;
    };
    std::optional<ChainBuilder> chain_;
    std::vector<Computed> computed_;
    std::vector<Moved> moved_;
    struct Walked {
        PointerId pointer;
        std::uint32_t walk;
    };
    std::vector<Walked> walked_;
    // Outputs with interleaved elements: they are collected in scratch, and streamed together.
    struct Interleaved {
        std::uint32_t first;           // operand of lane 0
        std::vector<PointerId> lanes;  // in scratch, at equal distances
        std::uint8_t missing;          // lanes still to be stored
    };
    std::vector<Interleaved> interleaved_;
    std::optional<PointerId> zero_;  // imaginary parts of real numbers

    // --- compile.cpp: slots, pointers
    const PlanOperand& operand(const Statement& s, std::size_t k) const;
    std::uint32_t number_of(const PlanOperand& o) const;
    void list_slots();
    PointerId add_pointer(const Pointer& pointer);
    PointerId scratch_pointer(std::size_t number);
    PointerId slot_pointer(const PlanOperand& o) { return scratch_pointer(o.index); }
    PointerId temporary();
    // Returns a temporary that no other step of the tile uses.
    PointerId kept_temporary();
    void free_temporaries() { temporaries_ = kept_; }
    PointerId literal(const unsigned char* bytes);
    OperandLayout operand_layout(const PlanOperand& o) const;
    // Returns the pointer of an operand in place: to the tile if contiguous, to the span's first
    // element if walked.
    PointerId pointer_of(const PlanOperand& o, OperandLayout layout);
    std::uint32_t walk_of(const PlanOperand& o);
    bool overwrites_input() const;
    static bool moves(const Pointer& p);
    void order_pointers();
    void rename_pointers(std::span<const PointerId> renamed);
    void link_pointers();

    // --- compile_moves.cpp: between memory, tiles and dtypes
    Step& add(StepKind kind, std::initializer_list<PointerId> pointers);
    void cast(PointerId out, PointerId in, DType from, DType to, bool one);
    void fill(PointerId out, PointerId value, DType dtype);
    void load(PointerId out, const PlanOperand& o, OperandLayout layout);
    // As load, to a new temporary.
    PointerId loaded(const PlanOperand& o, OperandLayout layout);
    // Returns an input as contiguous elements (or one element) of `wanted`. Moves and casts go to
    // `target` if given.
    Value fetch(const PlanOperand& o, DType wanted, int target = -1);
    // Returns contiguous elements even for a broadcast operand.
    PointerId fetch_all(const PlanOperand& o, DType wanted);
    PointerId copy_one(PointerId from, DType dtype);
    // Stores contiguous elements of the operand's dtype.
    void store(const PlanOperand& o, PointerId from, int mask);
    // Returns whether the operand is a lane of an interleaved output; lane_pointer has its place.
    bool is_lane(const PlanOperand& o) const { return code_.lies[number_of(o)].lanes > 0; }
    PointerId lane_pointer(const PlanOperand& o);
    // Streams the groups whose lanes are all stored.
    void stream_lanes();
    bool in_place(const PlanOperand& o);
    Target target_of(const PlanOperand& o, DType dtype, bool masked);
    void finish_output(const PlanOperand& o, PointerId from, DType dtype, int mask);
    // Fills a slot that holds one broadcast element, before some elements are overwritten.
    void spread_slot(const PlanOperand& o);
    // Stores one element of `dtype` to all of an output.
    void spread(const PlanOperand& o, PointerId one, DType dtype, int mask);
    // Emits a copy: a load, a cast and a store, of which at most one needs a step of its own.
    void emit_move(const Statement& s, DType through);

    // --- compile_maps.cpp
    void emit_map(const Statement& s);
    bool can_raise(const Statement& s, const Loop& loop) const;
    Step& add_map(const Statement& s);
    void emit_kernel(const Statement& s, const Value* in, const Loop& loop, int mask);
    // For inputs that are all single elements: computes once per tile, then fills; in a slot the
    // result stays single.
    void emit_single(const Statement& s, const Value* in, const Loop& loop, int mask);
    // Unselected elements must raise nothing: they are replaced by a selected one before the
    // operation, or the statement is skipped if there is none. Returns the index of the step after
    // the guard.
    std::size_t emit_guard(const Statement& s, Value* in, const Loop& loop, PointerId mask);
    void emit_range(const Statement& s);
    void emit_pick(const Statement& s);

    // --- compile_reductions.cpp
    void add_reduction(std::size_t index);
    void choose_kernels(ReductionCode& c, DType compute) const;
    PointerId partial_pointer(const Statement& s);
    void emit_reduction(const Statement& s);

    // --- compile_sums.cpp
    // The fused input of a reduction: elements of two arrays or values of the block, or of an array
    // and one element, and the statements absorbed, whose only reader is the reduction.
    struct Sum {
        bool found = false;
        FoldOf of{};
        std::uint32_t p = 0, q = 0;  // operands
        SmallVec<std::size_t, 2> statements;
        bool one = false;         // q is one element
        CountFn count = nullptr;  // instead of `of`
    };
    std::vector<Sum> sums_;       // of each statement
    std::vector<bool> absorbed_;  // the statement is part of a sum
    std::optional<std::size_t> made_for(std::uint32_t operand, std::size_t end,
                                        std::ptrdiff_t readers) const;
    bool computes(const Statement& s, DType dtype) const;
    bool array_in_memory(std::uint32_t operand) const;
    bool comes_to_memory(std::uint32_t operand) const;
    bool one_element(std::uint32_t operand) const;
    // Returns whether a statement between the first of `parts` and `end`, and not of a sum, writes
    // to the operand.
    bool rewritten(std::uint32_t operand, std::span<const std::size_t> parts,
                   std::size_t end) const;
    Sum sum_of_product(std::size_t product, DType dtype) const;
    Sum sum_at(std::size_t statement) const;
    Sum count_at(std::size_t statement) const;
    SumFn sum_kernel(const Sum& sum, DType dtype) const;
    // Returns whether a fused sum from this statement on reads the operand.
    bool summed_from(std::size_t statement, std::uint32_t operand) const;
    void find_sums();
    void emit_sum(const Statement& s, const Sum& sum);

    // --- compile_chain.cpp
    // Returns whether a statement can run on register tiles, by its row and dtypes.
    bool tiled(const Statement& s) const;
    bool copies_computed(const Statement& s) const;
    bool has_neighbour(const Statement& s) const;
    bool is_complex_product(const Statement& s) const;
    bool has_tile_row(const Statement& s) const;
    const Computed* computed(std::uint32_t operand) const;
    // Returns whether the statement reads memory that the open chain has yet to write.
    bool waits_for_chain(const Statement& s) const;
    void chain_statement(const Statement& s);
    ChainBuilder::Value chain_cast(ChainBuilder::Value value, DType to);
    ChainBuilder::Value chain_input(std::uint32_t operand, DType wanted);
    ChainBuilder::Value chain_value(const Statement& s);
    // Returns how a chain accesses a strided operand in place; nothing if it cannot.
    std::optional<TileStrided> apart_of(const PlanOperand& o) const;
    void set_walks(Chain& chain);
    void chain_output(std::uint32_t operand, ChainBuilder::Value value);
    // Returns whether the open chain computes the input of a reduction by columns, whose contiguous
    // partials it can accumulate as well.
    bool folds_in_chain(const Statement& s) const;
    void chain_fold(const Statement& s);
    bool read_from(std::size_t statement, std::uint32_t operand) const;
    // Ends the chain; `next` is the index of the next statement.
    void close_chain(std::size_t next);
    void lay_out_chains();
};

}  // namespace hassium
