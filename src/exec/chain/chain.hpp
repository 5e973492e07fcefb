// A chain: map statements that run together on register tiles. Internal to exec.
//
// The builder takes values in program order and chooses the order of steps. It tries two and keeps
// the cheaper one. Evaluating the heavier input first keeps the fewest values live (Sethi and
// Ullman 1970; exact for trees, a good heuristic for graphs); program order is better where many
// results share their inputs. A value that only the next step needs stays in the accumulator;
// others get a tile of memory by linear scan, in the first-level cache. Adjacent sums, differences
// and products in the order make one step.
//
// A complex value is a pair of values, and operations on it are operations on its parts: kernels
// for pairs of registers would double the number of kernels and leave half the registers for a
// tile. A chain that does the same to both parts runs on interleaved pairs as on real numbers.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/small_vec.hpp"
#include "simd/tables/kernels.hpp"
#include "simd/tables/tiles.hpp"

namespace hassium {

using PointerId = std::uint16_t;

// Operand `operand` of step `step` is the address of a pointer.
struct ChainAddress {
    std::uint32_t step;
    std::uint16_t operand;
    PointerId pointer;
    std::int32_t walk = -1;  // index in Chain::walks, of an array with gaps between rows; -1: none
    std::uint16_t into = 0;  // bytes added: to the imaginary part of a single element
    bool stored = false;
    friend bool operator==(const ChainAddress&, const ChainAddress&) = default;
};

// An array of the chain, and the buffer in which its elements are packed for a short tile.
struct ChainArray {
    PointerId pointer;
    std::uint16_t bytes;  // of an element
    std::uint32_t stage;  // offset in the tile memory
    std::int32_t walk = -1;
    std::uint32_t step = 0;   // of a store
    std::int64_t stride = 0;  // bytes from element to element
    friend bool operator==(const ChainArray&, const ChainArray&) = default;
};

// Copies of a chain's steps with addresses, which a walker fills on first use. Main runs on the
// arrays themselves. For the tail of a row, Tail stores to packed buffers, a tile for each array,
// and Packed reads from them, too. Lines runs the tiles at one position of several lines on the
// arrays, and TailLines stores their tails to a buffer for each line. OuterLoop and TailOuterLoop
// run tiles across lines (run_outer_loop.cpp), on the arrays and to buffers.
enum class ChainCopy : std::uint8_t {
    Main,
    Tail,
    Packed,
    Lines,
    TailLines,
    OuterLoop,
    TailOuterLoop
};
inline constexpr int kChainCopies = 7;
// The most lines that run together.
inline constexpr std::int64_t kLinesTogether = 8;
// Longest rows, in tiles, whose lines run together: advancing to the next row costs as much as a
// tile. A chain that writes what it reads runs across lines up to kMostOuterLoop tiles: that saves
// each row a tail tile in a packed buffer.
inline constexpr std::int64_t kShortRow = 3;
inline constexpr std::int64_t kMostOuterLoop = 8;

struct Chain {
    std::vector<TileStep> steps;
    std::vector<ChainAddress> arrays;   // element by element: the step's s is their stride
    std::vector<ChainAddress> singles;  // one element, broadcast
    struct Slot {
        std::uint32_t step;
        std::uint16_t operand;
        std::uint32_t offset;  // in the tile memory
        friend bool operator==(const Slot&, const Slot&) = default;
    };
    std::vector<Slot> slots;
    std::vector<ChainArray> loads, stores;  // each array once
    struct Plain {
        std::uint32_t step;
        bool store;
        TileFn fn;
        friend bool operator==(const Plain&, const Plain&) = default;
    };
    std::vector<Plain> plain;  // kernels that replace streams and strided moves on packed buffers
    // Walks over the span, by number in the block, of arrays that are contiguous along its
    // innermost axis only. A chain with any of them runs row by row.
    std::vector<std::uint32_t> walks;
    std::int64_t tile = 0;         // elements
    std::int64_t tile_memory = 0;  // bytes: slots and packed buffers
    std::size_t kept = 0;          // steps that store a value to its slot
    bool overlaps = true;          // no array is read and written: tiles may overlap
    std::int32_t streamed = -1;    // of `stores`: tiles begin at whole lines of it; -1: anywhere
    bool together = false;         // lines may run together
    bool strided = false;          // some array's stride is a parameter of the plan
    std::vector<TileFn> across;    // the steps' kernels for tiles across lines; empty: none
    TileRowFn row = nullptr;       // runs whole rows in place of tiles; only copy Main is then used
    std::int64_t copies_at = 0;    // offset of the filled copies among the block's
    std::int64_t ends_at = 0;      // in the scratch: buffers for tails of several lines
    std::int64_t rows_at = 0;      // buffers for whole rows of kTileLines lines

    // Bytes of a packed row of the array, for tiles across lines.
    std::int64_t row_pack_bytes(const ChainArray& a) const {
        return kMostOuterLoop * pack_bytes(a);
    }
    // Bytes of a packed tile of the array.
    std::int64_t pack_bytes(const ChainArray& a) const { return (tile * a.bytes + 63) / 64 * 64; }
    std::int64_t copy_bytes() const {
        return static_cast<std::int64_t>((steps.size() * sizeof(TileStep) + 63) / 64 * 64);
    }
    friend bool operator==(const Chain&, const Chain&) = default;
};

class ChainBuilder {
  public:
    explicit ChainBuilder(const TileTable& table) : table_(table) { values_.reserve(kUsual); }

    using Value = std::int32_t;
    // The memory of an array. Once written, it is only read through the builder's values.
    using Place = std::uint64_t;

    bool empty() const { return stores_.empty(); }
    // Upper bound of the steps for values.
    std::size_t size() const { return values_.size() - absorbed_; }

    Value array(PointerId pointer, DType dtype, Place place);
    // An array whose elements are strided.
    Value apart(PointerId pointer, DType dtype, Place place, TileStrided how);
    // Prefetches the array, which comes from beyond the caches.
    void prefetch(Value array) { values_[at(array)].ahead = true; }
    Value single(PointerId pointer, DType dtype, Place place);
    // The table must have a kernel: see tile_can_cast, tile_has_map.
    Value cast(Value value, DType to);
    Value map(Op op, DType compute, DType result, const Value* in, int count);
    // For complex values.
    Value part(Value value, int which);
    Value pair(Value re, Value im);
    Value complex_map(Op op, DType compute, const Value* in, int count);
    // Returns the value as a result of the chain, with a step even for a leaf.
    Value computed(Value value);
    void store(Value value, PointerId pointer, Place place, bool stream,
               std::optional<TileStrided> apart = std::nullopt);
    bool stores_to(Place place) const;
    // Returns whether a value reads the place as elements of another size.
    bool reads_other_size(Place place, DType dtype) const;

    DType dtype(Value value) const { return values_[at(value)].dtype; }
    bool is_leaf(Value value) const { return leaf(value); }
    bool is_single(Value value) const { return values_[at(value)].kind == Kind::Single; }

    Chain finish();

  private:
    // Part: of a complex array. Fused: the product of the first two inputs minus or plus the third.
    // Pair: its inputs are the parts; no step computes it. Apart: strided, see TileStrided. Bools:
    // an arithmetic op whose operand is bools. Squares: see TileTable; a fourth input is the mask
    // of a select between them and the number squared.
    enum class Kind : std::uint8_t {
        Array,
        Apart,
        Single,
        Cast,
        Map,
        Select,
        Part,
        Fused,
        Pair,
        Bools,
        Squares
    };
    static constexpr int kMostInputs = 4;
    static constexpr std::size_t kUsual = 8;  // values of most chains
    struct Node {
        Kind kind;
        DType dtype;    // of the value
        DType compute;  // of a map
        Op op{};
        Value in[kMostInputs] = {-1, -1, -1, -1};
        std::uint8_t inputs = 0;
        std::uint8_t which =
            0;  // Part: 0 real, 1 imaginary; Fused: 0 minus, 1 plus; or the enum's value; Squares
        PointerId pointer = 0;   // Array, Single
        std::uint16_t into = 0;  // Single: bytes added to the pointer
        Place place = 0;
        int weight = 0;  // values live at the same time while this one is computed
        bool ordered = false;
        bool ahead = false;     // Array, Apart
        bool absorbed = false;  // another node computes it as an intermediate
        std::int32_t slot = -1;
    };
    struct Root {
        Value value;
        PointerId pointer;
        Place place;
        bool stream;
        std::optional<TileStrided> apart;
        Value re = -1;  // the real parts; `value` then holds the imaginary parts
    };
    // One entry of the order: a value to compute, or a root to store.
    struct Item {
        bool store;
        std::int32_t index;
        friend bool operator==(const Item&, const Item&) = default;
    };
    using Uses = SmallVec<std::uint32_t, 4>;

    const TileTable& table_;
    std::vector<Node> values_;
    std::vector<Root> stores_;
    std::vector<Item> order_;
    Chain chain_;
    int width_ = 0;             // logarithm of the widest item size
    bool in_pairs_ = false;     // steps see each element as two
    std::size_t absorbed_ = 0;  // nodes that are absorbed
    bool overlaps_ = true;      // see Chain
    Value held_ = -1;           // value in the accumulator
    std::vector<Uses> uses_;    // positions in the order
    std::vector<std::uint32_t> free_slots_;
    std::uint32_t slot_count_ = 0;

    static std::size_t at(Value value) { return static_cast<std::size_t>(value); }
    bool leaf(Value value) const {
        const Kind kind = values_[at(value)].kind;
        return kind == Kind::Array || kind == Kind::Apart || kind == Kind::Single;
    }
    bool is(Value value, Kind kind) const { return values_[at(value)].kind == kind; }
    // Returns whether a step can read the value as a tile of memory.
    bool in_tiles(Value value) const { return !is_single(value) && !is(value, Kind::Apart); }
    Value add(const Node& node);
    Value fused(Value a, Value b, Value c, bool plus);
    std::optional<Node> with_bools(Op op, DType compute, const Value* in) const;
    std::optional<Node> squares(Op op, DType compute, const Value* in);
    std::optional<Node> chosen_squares(const Value* in);
    Value squared(Value value, DType compute) const;
    void absorb(Node& node);
    Value product(Value a, Value b, DType part);
    Value real_twin(Value value, const std::vector<Value>& twins) const;
    bool of_real_parts(const Node& node, const std::vector<Value>& twins) const;
    std::optional<std::vector<Value>> real_twins() const;
    void lie_in_pairs();
    void estimate_traffic(Node& node) const;

    // Emits the steps in the current order.
    Chain build();
    void begin_order();
    void order_by_weight();
    void order_as_written();
    void visit(Value value);
    void visit_root(std::size_t number);
    void visit_readers(Place place);
    std::size_t last_reader(Place place) const;
    bool drops(const Node& node) const;
    void count_uses();
    bool takes_held(const Node& node, Value value) const;
    bool needs_slot(std::size_t position, Value value) const;

    // One step that computes several consecutive values of the order.
    struct Joined {
        TileFn fn;
        std::size_t values;
        Value operands[9];           // spread over as many steps as they take; -1: none
        std::uintptr_t literal = 0;  // replaces the address of an absent second operand
    };
    struct Start {
        ArithmeticOp turn;
        ArithmeticForm form;
        Value p, q;
    };
    // A sum of a polynomial: x times the value before (or times `factor`), plus or minus `element`.
    struct Term {
        Value x, factor, element;
        bool away;
    };
    std::optional<Joined> joined(std::size_t position) const;
    bool ends_with_held(std::size_t position) const;
    std::optional<Joined> polynomial(std::size_t position) const;
    TileFn whole_square(std::size_t position) const;
    TileFn near_square(std::size_t position) const;
    std::optional<Term> term(std::size_t position, Value value) const;
    std::optional<Term> first_term(std::size_t position) const;
    bool only_next_reads(std::size_t position) const;
    std::optional<Start> start_of(const Node& node) const;
    bool in_memory(Value value) const;

    void emit_ahead();
    void emit();
    void emit_joined(std::size_t position, const Joined& step);
    void finish_value(std::size_t position, Value value);
    void emit_value(std::size_t position, Value value);
    void emit_squares(const Node& node);
    void emit_whole_square(std::size_t position, TileFn fn);
    void emit_near_square(std::size_t position, TileFn fn);
    void emit_map(const Node& node);
    void emit_select(const Node& node, const TileFn* forms);
    // Adds the step of a binary map with the first or the second operand in the accumulator.
    std::size_t add_with_held(const TileFn* forms, bool held_first, Value other);
    void emit_store(const Root& root);
    void hold(Value value);
    void take_slot(Value value);
    void give_slot(Value value);
    void release_inputs(std::size_t position, const Node& node);
    std::size_t add_step(TileFn fn);
    void set_operand(std::size_t step, int operand, Value value);
    std::int64_t item_bytes(DType dtype) const { return itemsize(dtype) << in_pairs_; }
    std::int64_t distance(std::optional<TileStrided> apart, DType dtype) const;
    void load_array(std::size_t step, int operand, const Node& array);
    void store_array(std::size_t step, const Root& root, DType dtype);
    Value leaf_of(const Node& node);
    // Returns whether a kernel of this row reads the strided elements in place.
    bool takes(Op op, DType compute, Value value) const;
    TileFn map_taken(Op op, DType compute, int form) const;
    // Sets the kernel for strided elements; packed buffers use the step's former one.
    void replace_fn(std::size_t step, TileFn fn);
    void finish_stages();
    bool has_one_width() const;
    std::vector<TileFn> find_twins() const;
    TileRowFn find_row() const;
};

// Return whether the table has the kernels that a chain needs.
bool tile_has_dtype(const TileTable& table, DType dtype);
bool tile_can_cast(const TileTable& table, DType from, DType to);
bool tile_has_map(const TileTable& table, Op op, DType compute);
// Returns whether a cast keeps all bits, as between integers of one size.
bool tile_same_bits(DType from, DType to);
const TileFn* tile_forms(const TileTable& table, Op op, DType compute, int width);
// Returns the arithmetic op of a joined step, with the value as first or second operand.
std::optional<ArithmeticOp> tile_arithmetic(Op op, bool value_first);
bool tile_has_complex_map(const TileTable& table, Op op, DType compute);

}  // namespace hassium
