// A chain: map statements that run together on register tiles. Internal to exec.
//
// The builder takes values in program order and finds the order of steps itself. It tries two and
// keeps the one that does less. Evaluating the heavier input first keeps fewest values waiting
// (Sethi and Ullman 1970; exact for trees, a good rule for graphs); the order in which the program
// is written is better where many results share their inputs. A value that only the next step
// needs stays in the accumulator; others get a tile of memory by linear scan, which the first-level
// cache holds. Neighbours in the order that are sums, differences or products make one step.
//
// A complex value is a pair of values, and operations on it are operations on its parts: kernels
// for pairs of registers would be as many again, and would leave half as many registers for a tile.
// Where a chain does the same to both parts, it runs on the pairs as on real numbers.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/small_vec.hpp"
#include "simd/tables/kernels.hpp"
#include "simd/tables/tiles.hpp"

namespace hassium {

using PointerId = std::uint16_t;

// Address `operand` of step `step` is that of a pointer.
struct ChainAddress {
    std::uint32_t step;
    std::uint16_t operand;
    PointerId pointer;
    std::int32_t walk = -1;  // of an array whose rows do not follow one another: see Chain::walks
    std::uint16_t into = 0;  // bytes behind it: of the imaginary part of a single element
    bool stored = false;
    friend bool operator==(const ChainAddress&, const ChainAddress&) = default;
};

// An array of the chain, and where its elements are staged for a short tile.
struct ChainArray {
    PointerId pointer;
    std::uint16_t bytes;  // of an element
    std::uint32_t stage;  // offset in the tile memory
    std::int32_t walk = -1;
    std::uint32_t step = 0;   // of a store
    std::int64_t stride = 0;  // bytes from element to element
    friend bool operator==(const ChainArray&, const ChainArray&) = default;
};

// Steps without addresses. Walkers keep filled copies, made when they are wanted: one on the arrays
// themselves, and for what is left at the end of a row one that stores to stages, a tile for each
// array, and one that reads from stages, too. The others step from line to line: the tiles of one
// place in several lines, on the arrays and, at the end of rows, to a stage for each line; and
// tiles that lie across lines, on the arrays and to stages.
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
// So many lines run together.
inline constexpr std::int64_t kLinesTogether = 8;
// Rows of so many tiles are short: the way from a row to the next costs as much as a tile. Where
// the chain writes what it reads, tiles lie across longer ones, too, which spares each row a tile
// that waits in a stage.
inline constexpr std::int64_t kShortRow = 3;
inline constexpr std::int64_t kMostOuterLoop = 8;

struct Chain {
    std::vector<TileStep> steps;
    std::vector<ChainAddress> arrays;   // element by element: the step's s is their distance
    std::vector<ChainAddress> singles;  // one element for all
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
    std::vector<Plain> plain;  // what takes the place of streams and strided moves on stages
    // How arrays lie over the span that are contiguous along its innermost axis alone: numbers of
    // the block's walks. With any of them the chain runs row by row.
    std::vector<std::uint32_t> walks;
    std::int64_t tile = 0;         // elements
    std::int64_t tile_memory = 0;  // bytes: slots and stages
    std::size_t kept = 0;          // steps that put a value into its slot
    bool overlaps = true;          // nothing read is written: elements may be computed twice
    bool together = false;         // lines may run together
    bool strided = false;          // elements of some array lie a distance apart that is a number
    std::vector<TileFn> across;    // of the steps for tiles across lines; none: not this way
    TileRowFn row = nullptr;       // runs whole rows in place of tiles, all copies but one unused
    std::int64_t copies_at = 0;    // offset of the filled copies among the block's
    std::int64_t ends_at = 0;      // in the scratch: of the stages for the ends of several lines
    std::int64_t rows_at = 0;      // of the stages for whole rows of kTileLines lines

    // For a row that tiles lie across, on its stage.
    std::int64_t row_pack_bytes(const ChainArray& a) const {
        return kMostOuterLoop * pack_bytes(a);
    }
    // For a tile of the array.
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
    // What is written at a place is not read there afterwards, except by the builder's values.
    using Place = std::uint64_t;

    bool empty() const { return stores_.empty(); }
    // Values that may need a step.
    std::size_t size() const { return values_.size() - absorbed_; }

    Value array(PointerId pointer, DType dtype, Place place);
    // Elements of an array that lie apart.
    Value apart(PointerId pointer, DType dtype, Place place, TileStrided how);
    // The array comes from beyond the caches.
    void prefetch(Value array) { values_[at(array)].ahead = true; }
    Value single(PointerId pointer, DType dtype, Place place);
    // Null where there is no kernel, see can_cast.
    Value cast(Value value, DType to);
    Value map(Op op, DType compute, DType result, const Value* in, int count);
    // For complex values.
    Value part(Value value, int which);
    Value pair(Value re, Value im);
    Value complex_map(Op op, DType compute, const Value* in, int count);
    // The value as a result of the chain, even where it is what an array or an element holds.
    Value computed(Value value);
    void store(Value value, PointerId pointer, Place place, bool stream,
               std::optional<TileStrided> apart = std::nullopt);
    bool stores_to(Place place) const;
    // Whether the place is read as elements of another size.
    bool reads_other_size(Place place, DType dtype) const;

    DType dtype(Value value) const { return values_[at(value)].dtype; }
    bool is_leaf(Value value) const { return leaf(value); }
    bool is_single(Value value) const { return values_[at(value)].kind == Kind::Single; }

    Chain finish();

  private:
    // Part: of a complex array. Fused: the product of the first two inputs minus or plus the third.
    // Pair: its inputs are the parts; no step computes it. Apart: of an array, see TileStrided.
    // Bools: a turn whose operand is bools. Squares: see TileTable; a fourth input is the mask of a
    // select between them and the number squared.
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
            0;  // Part: 0 real, 1 imaginary; Fused: 0 minus, 1 plus; TileStrided; Turn; Squares
        PointerId pointer = 0;   // Array, Single
        std::uint16_t into = 0;  // Single: bytes behind the pointer
        Place place = 0;
        int weight = 0;  // values that wait at the same time while this one is computed
        bool ordered = false;
        bool ahead = false;     // Array, Apart
        bool absorbed = false;  // another node computes the same on its way
        std::int32_t slot = -1;
    };
    struct Root {
        Value value;
        PointerId pointer;
        Place place;
        bool stream;
        std::optional<TileStrided> apart;
        Value re = -1;  // where `value` holds the imaginary parts
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
    bool in_pairs_ = false;     // each element is two of those that steps see
    std::size_t absorbed_ = 0;  // values, see Node
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
    // Whether a step can read the value as a tile of memory.
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

    // From the order.
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

    // A step for the value at a position and those after it.
    struct Joined {
        TileFn fn;
        std::size_t values;
        Value operands[9];           // of as many places as they take; -1: none
        std::uintptr_t literal = 0;  // in place of the second operand, where that is none
    };
    struct Start {
        ArithmeticOp turn;
        ArithmeticForm form;
        Value p, q;
    };
    // A value, or x times `factor` where that is one, times x plus or minus `element`.
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
    // Adds the step of a map of two operands of which one is held, the first or the second.
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
    // Whether a row with this dtype can read the elements in place.
    bool takes(Op op, DType compute, Value value) const;
    TileFn map_taken(Op op, DType compute, int form) const;
    // For elements that lie apart; on stages the step does what it did.
    void replace_fn(std::size_t step, TileFn fn);
    void finish_stages();
    bool has_one_width() const;
    std::vector<TileFn> find_twins() const;
    TileRowFn find_row() const;
};

// Whether the table has what a chain needs.
bool tile_has_dtype(const TileTable& table, DType dtype);
bool tile_can_cast(const TileTable& table, DType from, DType to);
bool tile_has_map(const TileTable& table, Op op, DType compute);
// Registers of integers are what they are: only the reading changes.
bool tile_same_bits(DType from, DType to);
const TileFn* tile_forms(const TileTable& table, Op op, DType compute, int width);
// How an operation on a value and an operand, or the other way round, is part of a joined step.
std::optional<ArithmeticOp> tile_arithmetic(Op op, bool value_first);
bool tile_has_complex_map(const TileTable& table, Op op, DType compute);

}  // namespace hassium
