// Legality rule by rule, costs against the definition, and every partitioner on random programs.
#include "fuse/fuse.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "base/error.hpp"
#include "base/settings.hpp"
#include "fuse/partitioners.hpp"
#include "support/check.hpp"
#include "support/fig3.hpp"
#include "support/random_program.hpp"

using namespace hassium;

namespace {

Partition run(const Program& p, std::string_view partitioner) {
    Partition result = partition(p, {partitioner, "bohrium"});
    result.verify(p);
    return result;
}

double elements(const Program& p, std::string_view partitioner) {
    return run(p, partitioner).cost / 8;
}

void fig3() {
    Program p = Program::parse(kFig3);
    CHECK(elements(p, "singleton") == 94);
    CHECK(elements(p, "linear") == 62);
    CHECK(elements(p, "greedy") <= 58);
}

// --- legality ------------------------------------------------------------------------------------

constexpr const char* kBases =
    "base a float64 12\nbase b float64 12\nbase c float64 12\nbase d float64 12\nbase s float64 "
    "12\n"
    "base i int64 4\nbase m bool 12\n";

// Whether the two lines may share a block; the legality of a pair must not depend on who asks.
bool together(const std::string& lines) {
    Program p = Program::parse(kBases + lines);
    CHECK(p.instructions.size() == 2);
    Graph graph = build_graph(p);
    Legality legality(graph);
    BlockState first, second;
    legality.load(0, first);
    legality.load(1, second);
    bool answer = legality.may_join(first, second);
    CHECK(answer == legality.may_join(second, first));
    CHECK(answer == (legality.refusal(0, 1)[0] == '\0'));
    Partition one;
    one.blocks.resize(1);
    one.blocks[0].members = {{0}, {1}};
    bool verified = true;
    try {
        one.verify(p);
    } catch (const InternalError&) {
        verified = false;
    }
    CHECK(answer == verified);
    CHECK(answer == (run(p, "linear").blocks.size() == 1));
    return answer;
}

void rule_1_views() {
    CHECK(together("add a b 1\nadd c a 1\n"));
    CHECK(together("add a b 1\nadd b c 1\n"));
    CHECK(together("add b[0+(3:1)] a[0+(3:1)] 1\nadd c[0+(3:1)] a[1+(3:1)] 1\n"));  // only read
    CHECK(!together("add a[0+(3:1)] b[0+(3:1)] 1\nadd c[0+(3:1)] a[1+(3:1)] 1\n"));
    CHECK(!together("add c[0+(3:1)] a[1+(3:1)] 1\nadd a[0+(3:1)] b[0+(3:1)] 1\n"));
    CHECK(!together("add a[0+(3:1)] b[0+(3:1)] 1\nadd a[1+(3:1)] b[0+(3:1)] 2\n"));
    CHECK(together("add a[0+(3:1)] b[0+(3:1)] 1\nadd a[3+(3:1)] b[0+(3:1)] 2\n"));
    CHECK(together("add a[0+(6:2)] b[0+(6:1)] 1\nadd c[0+(6:1)] a[1+(6:2)] 2\n"));
    CHECK(!together("add a b 1\nadd c a[11+(12:-1)] 1\n"));
    // The same bytes read as another dtype.
    CHECK(!together("add a b 1\nadd c a:int64@[0+(12:8)] 1\n"));
    // A broadcast read of what is being written.
    CHECK(!together("add a[0+(2:6,6:1)] b[0+(2:6,6:1)] 1\nadd c[0+(2:6,6:1)] a[0+(1:1,6:1)] 1\n"));
    // The stride of an axis of extent 1 does not make another view.
    CHECK(together("add a[0+(1:6,6:1)] b[0+(1:6,6:1)] 1\nadd c[0+(1:6,6:1)] a[0+(1:9,6:1)] 1\n"));
    // A mask is an input.
    CHECK(!together("less m[0+(3:1)] a[0+(3:1)] 1\ncopy b[0+(3:1)] 0 where=m[1+(3:1)]\n"));
    CHECK(together("less m[0+(3:1)] a[0+(3:1)] 1\ncopy b[0+(3:1)] 0 where=m[0+(3:1)]\n"));
}

void rule_2_shapes() {
    CHECK(!together("add a[0+(3:1)] b[0+(3:1)] 1\nadd c[0+(4:1)] d[0+(4:1)] 1\n"));
    CHECK(together("add a[0+(2:1,6:2)] b[0+(2:6,6:1)] 1\nadd c d 1\n"));
    CHECK(
        !together("add a[0+(2:6,6:1)] b[0+(2:0,6:1)] 1\n"
                  "add c[0+(3:4,4:1)] d[0+(3:0,4:1)] 1\n"));
    CHECK(together("add a[0+()] b[0+()] 1\nadd c[0+(1:1)] d[0+(1:1)] 1\n"));
    CHECK(together("add a[0+()] b[0+()] 1\nadd c[0+()] d[0+()] 1\n"));
    CHECK(together("arange i 0 1\nadd a[0+(4:1)] i 1\n"));
    CHECK(!together("arange i 0 1\nadd a[0+(3:1)] b[0+(3:1)] 1\n"));
}

void rule_3_reductions() {
    CHECK(together("add a b 1\nadd.reduce axis=0 s[0+()] a\n"));
    CHECK(together("add.reduce axis=0 s[0+()] a\nadd a b 1\n"));
    CHECK(
        together("add a[0+(3:4,4:1)] b[0+(3:4,4:1)] 1\n"
                 "add.reduce axis=1 s[0+(3:1)] a[0+(3:4,4:1)]\n"));
    // The result's consumer runs after the loop. Even where shapes and views agree.
    CHECK(!together("add.reduce axis=0 s[0+()] a[0+(1:1)]\nadd b[0+(1:1)] s[0+(1:1)] 1\n"));
    CHECK(!together("add.reduce axis=0 s[0+()] a\nmultiply.reduce axis=0 s[0+()] b\n"));
    CHECK(!together("add.reduce axis=0 s[0+()] a\nadd.reduce axis=0 b[0+()] s\n"));
}

void rule_4_trees() {
    CHECK(together("add.reduce axis=0 s[0+()] a\nmultiply.reduce axis=0 s[1+()] b\n"));
    CHECK(together("maximum.reduce axis=0 s[0+()] a\nadd.reduce axis=0 s[1+()] a\n"));
    CHECK(
        !together("add.reduce axis=0 s[0+(4:1)] a[0+(3:4,4:1)]\n"
                  "add.reduce axis=1 d[0+(3:1)] a[0+(3:4,4:1)]\n"));
    // The same axes in another stride order.
    CHECK(
        !together("add.reduce axis=0 s[0+(4:1)] a[0+(3:4,4:1)]\n"
                  "add.reduce axis=0 d[0+(4:1)] b[0+(3:1,4:3)]\n"));
    CHECK(!together("add.reduce axis=0 s[0+()] a\nsubtract.reduce axis=0 s[1+()] b\n"));
}

void rule_5_alone() {
    CHECK(!together("add a b 1\nadd.accumulate axis=0 a a\n"));
    CHECK(!together("add.accumulate axis=0 a a\nadd.accumulate axis=0 b b\n"));
    CHECK(!together("add b b 1\nargmax axis=0 i[0+()] a\n"));
    CHECK(!together("add b b 1\ntake axis=0 c[0+(4:1)] a i\n"));
    CHECK(!together("add b[0+(4:1)] b[0+(4:1)] 1\nput axis=0 a c[0+(4:1)] i\n"));
    CHECK(
        !together("add b[0+(9:1)] b[0+(9:1)] 1\n"
                  "matmul a[0+(3:3,3:1)] b[0+(3:3,3:1)] c[0+(3:3,3:1)]\n"));
}

void rule_8_kept_axes() {
    const std::string rows = "add.reduce axis=1 s[0+(3:1)] a[0+(3:4,4:1)]\n";
    const std::string columns = "add.reduce axis=0 s[0+(4:1)] a[0+(3:4,4:1)]\n";
    CHECK(together("add.reduce axis=0 s[0+()] a\nadd s[1+()] s[0+()] 1\n"));
    CHECK(together(rows + "add c[0+(3:1)] s[0+(3:1)] 1\n"));
    CHECK(together(rows + "add s[0+(3:1)] s[0+(3:1)] d[0+(3:2)]\n"));
    CHECK(together(rows + "add c[0+(3:1,1:1)] s[0+(3:1,1:7)] 1\n"));  // keepdims
    CHECK(together("add a[9+(3:1)] b[0+(3:1)] 1\nadd.reduce axis=1 s[0+(3:1)] a[0+(3:3,3:1)]\n"));
    CHECK(together(columns + "add c[0+(4:1)] s[0+(4:1)] 1\n"));
    // Other axes, another view of the result, another order of the two.
    CHECK(!together(rows + "add c[0+(4:1)] d[0+(4:1)] 1\n"));
    CHECK(!together(rows + "add c[0+(3:1)] s[1+(3:1)] 1\n"));
    CHECK(!together(rows + "add s[2+(3:-1)] d[0+(3:1)] 1\n"));
    CHECK(!together("add a[8+(3:1)] b[0+(3:1)] 1\nadd.reduce axis=1 s[0+(3:1)] a[0+(3:3,3:1)]\n"));
    // Two reductions into one view, and one of the other's result.
    CHECK(!together(rows + "maximum.reduce axis=1 s[0+(3:1)] b[0+(3:4,4:1)]\n"));
    CHECK(!together(rows + "maximum.reduce axis=0 c[0+()] s[0+(3:1)]\n"));
}

void rule_9_rows() {
    const std::string rows = "add.reduce axis=1 s[0+(3:1)] a[0+(3:4,4:1)]\n";
    const std::string columns = "add.reduce axis=0 s[0+(4:1)] a[0+(3:4,4:1)]\n";
    const std::string square = "add.reduce axis=1 s[0+(3:1)] a[0+(3:3,3:1)]\n";
    CHECK(together("add.reduce axis=0 s[0+()] a\nadd b a s[0+()]\n"));
    CHECK(together(rows + "subtract b[0+(3:4,4:1)] a[0+(3:4,4:1)] s[0+(3:1,4:0)]\n"));
    CHECK(together(rows + "subtract a[0+(3:4,4:1)] a[0+(3:4,4:1)] s[0+(3:1,4:0)]\n"));
    CHECK(together(square + "subtract b[0+(3:3,3:1)] a[0+(3:3,3:1)] s[0+(3:1,3:0)]\n"));
    // What was in the result before is read first.
    CHECK(together("subtract b[0+(3:4,4:1)] a[0+(3:4,4:1)] s[0+(3:1,4:0)]\n" + rows));
    // Along the other axis, displaced, and by columns.
    CHECK(!together(square + "subtract b[0+(3:3,3:1)] a[0+(3:3,3:1)] s[0+(3:0,3:1)]\n"));
    CHECK(!together(rows + "subtract b[0+(3:4,4:1)] a[0+(3:4,4:1)] s[1+(3:1,4:0)]\n"));
    CHECK(!together(columns + "subtract b[0+(3:4,4:1)] a[0+(3:4,4:1)] s[0+(3:0,4:1)]\n"));
    // The transposed input is reduced by columns.
    CHECK(
        !together("add.reduce axis=1 s[0+(3:1)] a[0+(3:1,4:3)]\n"
                  "subtract b[0+(3:4,4:1)] d[0+(3:4,4:1)] s[0+(3:1,4:0)]\n"));
}

// A piece of a program may have chosen other axes than the whole.
void rows_of_pieces() {
    Program p = Program::parse(
        "base a float64 12 input\nbase s float64 4\nbase t float64 4\nbase r float64 3\n"
        "add.reduce axis=0 s a[0+(3:4,4:1)]\nmultiply t s 2.0\n"
        "add.reduce axis=1 r a[0+(3:4,4:1)]\n");
    Partition pieces;
    pieces.blocks.resize(2);
    pieces.blocks[0].members = {{0}, {1}};
    pieces.blocks[1].members = {{2}};
    pieces.verify(p);
    CHECK(run(p, "linear").blocks.size() == 3);
}

// What is made of a result shares the block of its readers, and long rows stay apart.
void rows_of_programs() {
    auto text = [](int columns) {
        std::string m = std::to_string(columns), shape = "[0+(2:" + m + "," + m + ":1)]";
        std::string n = std::to_string(2 * columns);
        return "base x float64 " + n +
               " input\nbase s float64 2\nbase t float64 2\nbase y float64 " + n +
               "\nadd.reduce axis=1 s x" + shape + "\ndivide t s 3.0\ndel s\nsubtract y" + shape +
               " x" + shape + " t[0+(2:1," + m + ":0)]\ndel t\n";
    };
    for (const char* partitioner : {"linear", "greedy", "optimal", "unintrusive"}) {
        CHECK(run(Program::parse(text(1000)), partitioner).blocks.size() == 1);
        CHECK(run(Program::parse(text(20000)), partitioner).blocks.size() > 1);
    }
}

void rule_6_system() {
    CHECK(together("add a b 1\ndel a\n"));
    CHECK(together("sync a\ndel b\n"));
    CHECK(together("add.accumulate axis=0 a a\nsync a\n"));
    // They do not make friends of strangers.
    Program p =
        Program::parse(std::string(kBases) + "add a b 1\nsync a\nadd c[0+(3:1)] d[0+(3:1)] 1\n");
    CHECK(run(p, "linear").blocks.size() == 2);
}

void rule_7_size() {
    std::string text = "base a float64 4\n";
    for (int k = 0; k < 1300; ++k) text += "add a a 1\n";
    Program p = Program::parse(text);
    for (std::string_view name : {"linear", "greedy"}) {
        Partition result = run(p, name);
        CHECK(result.blocks.size() >= 3 && result.blocks.size() <= 6);
        for (const Block& b : result.blocks) CHECK(b.members.size() <= kMaxMembers);
    }
}

void order() {
    // b depends on a row that a path through a refused block leads to: Lemma 1.
    Program p = Program::parse(
        "base a float64 8\nbase b float64 8\nbase s float64 4\n"
        "add a[0+(2:4,4:1)] a[0+(2:4,4:1)] 1\nadd.reduce axis=0 s a[0+(2:4,4:1)]\n"
        "add b[0+(2:4,4:1)] a[0+(2:4,4:1)] s[0+(2:0,4:1)]\n");
    Partition bad;
    bad.blocks.resize(2);
    bad.blocks[0].members = {{0}, {2}};
    bad.blocks[1].members = {{1}};
    bool refused = false;
    try {
        bad.verify(p);
    } catch (const InternalError&) {
        refused = true;
    }
    CHECK(refused);
    for (std::string_view name : {"singleton", "linear", "greedy"}) {
        CHECK(run(p, name).blocks.size() >= 2);
    }
    for (auto broken : {Partition{}, Partition{{{{{0}, {1}, {2}, {0}}}}}, Partition{{{{{7}}}}}}) {
        refused = false;
        try {
            broken.verify(p);
        } catch (const InternalError&) {
            refused = true;
        }
        CHECK(refused);
    }
}

// --- random programs -----------------------------------------------------------------------------

// Def. 13 as it is written, with sets.
double definition(const Program& p, const Partition& partition) {
    // A view is the places of its elements, in C order.
    auto key = [&](const Operand& o) {
        std::vector<std::int64_t> k{o.base, static_cast<int>(o.dtype)}, places{o.offset}, more;
        for (std::size_t a = 0; a < p.shape(o).size(); ++a) {
            more.clear();
            for (std::int64_t place : places) {
                for (std::int64_t n = 0; n < p.shape(o)[a]; ++n) {
                    more.push_back(place + n * p.strides(o)[a]);
                }
            }
            places.swap(more);
        }
        k.insert(k.end(), places.begin(), places.end());
        return k;
    };
    std::set<BaseId> synced, seen;
    std::map<BaseId, std::uint32_t> creator;
    for (std::uint32_t k = 0; k < p.instructions.size(); ++k) {
        const Instruction& i = p.instructions[k];
        for (const Operand& o : p.operands_of(i)) {
            if (o.is_constant()) continue;
            if (p.is_sync(i)) synced.insert(o.base);
            if (p.is_sync(i) || p.is_del(i)) continue;
            if (seen.insert(o.base).second && !p.bases[o.base].input) creator[o.base] = k;
        }
    }
    double cost = 0;
    for (const Block& block : partition.blocks) {
        std::map<std::vector<std::int64_t>, std::pair<BaseId, double>> in, out;
        std::set<BaseId> made, deleted;
        for (const BlockMember& m : block.members) {
            const Instruction& i = p.instructions[m.instruction];
            if (p.is_del(i)) deleted.insert(p.operands_of(i)[0].base);
            if (p.is_del(i) || p.is_sync(i)) continue;
            for (const Operand& o : p.operands_of(i)) {
                if (o.is_constant()) continue;
                double bytes = static_cast<double>(itemsize(o.dtype));
                for (std::size_t a = 0; a < p.shape(o).size(); ++a) {
                    if (p.strides(o)[a] != 0) bytes *= static_cast<double>(p.shape(o)[a]);
                }
                bool is_out = &o - p.operands_of(i).data() < i.nout;
                (is_out ? out : in)[key(o)] = {o.base, bytes};
                if (creator.count(o.base) && creator[o.base] == m.instruction) made.insert(o.base);
            }
        }
        for (auto& [k, v] : in) cost += made.count(v.first) ? 0 : v.second;
        for (auto& [k, v] : out) {
            cost += deleted.count(v.first) && !synced.count(v.first) ? 0 : v.second;
        }
    }
    return cost;
}

double by_nets(const Nets& nets, const Partition& partition) {
    std::map<std::uint32_t, std::size_t> block_of;
    for (std::size_t b = 0; b < partition.blocks.size(); ++b) {
        for (const BlockMember& m : partition.blocks[b].members) block_of[m.instruction] = b;
    }
    double cost = nets.constant;
    for (const Net& net : nets.nets) {
        std::set<std::size_t> touched;
        for (std::uint32_t pin : nets.pins_of(net)) touched.insert(block_of[pin]);
        cost += net.weight * static_cast<double>(touched.size() - 1);
    }
    return cost;
}

// Every model: its definition, its nets and its flat nets agree on any partition, and (Def. 6) it
// is never negative and never rises when two blocks become one.
void check_models(const Graph& graph, const Partition& any, check::Random& random) {
    Partition merged = any;
    if (any.blocks.size() > 1) {
        auto gone =
            static_cast<std::size_t>(random.below(static_cast<long long>(any.blocks.size() - 1)));
        auto& kept = merged.blocks.back().members;
        auto& members = merged.blocks[gone].members;
        kept.insert(kept.end(), members.begin(), members.end());
        merged.blocks.erase(merged.blocks.begin() + static_cast<std::ptrdiff_t>(gone));
    }
    Partition apart;
    for (std::uint32_t k = 0; k < graph.size(); ++k) apart.blocks.push_back({{{k}}});
    for (const CostModel& model : cost_models()) {
        Nets nets = model.nets(graph);
        Nets flat = flat_nets(nets, graph.size());
        for (const Partition* p : std::initializer_list<const Partition*>{&any, &merged, &apart}) {
            double cost = model.cost(graph, *p);
            CHECK(cost >= nets.floor(graph.size()) && cost >= 0);
            if (model.extra) {
                double sum = cost_of(nets, *p, graph.size());
                for (const Block& block : p->blocks) {
                    std::vector<std::uint32_t> members;
                    for (const BlockMember& m : block.members) members.push_back(m.instruction);
                    double extra = model.extra(graph, members);
                    CHECK(extra >= 0);
                    sum += extra;
                }
                CHECK(std::abs(cost - sum) <= 1e-12 * sum);
                continue;
            }
            CHECK(cost == cost_of(nets, *p, graph.size()));
            CHECK(cost == by_nets(flat, *p));
        }
        if (model.extra) continue;
        CHECK(model.cost(graph, merged) <= model.cost(graph, any));
        CHECK(model.cost(graph, apart) == cost_apart(nets, graph.size()));
    }
}

// All pairs by the definition of a dependence, against the sparse edges' closure.
void check_closure(const Program& p, const Graph& g) {
    std::size_t n = p.instructions.size();
    std::vector<std::vector<bool>> sparse(n, std::vector<bool>(n)), full = sparse;
    auto touches = [&](const Operand& a, const Operand& b, bool system) {
        if (a.is_constant() || b.is_constant() || a.base != b.base) return false;
        return system || may_overlap(extent_of(p, a), extent_of(p, b));
    };
    auto is_system = [&](const Instruction& i) { return info(i.op).cls == OpClass::System; };
    for (std::size_t j = 0; j < n; ++j) {
        for (std::uint32_t i : g.predecessors[j]) sparse[i][j] = true;
        for (std::uint32_t k : g.successors[j]) CHECK(k > j);
        const Instruction& y = p.instructions[j];
        for (std::size_t i = 0; i < j; ++i) {
            const Instruction& x = p.instructions[i];
            bool system = is_system(x) || is_system(y);
            auto xs = p.operands_of(x), ys = p.operands_of(y);
            for (std::size_t u = 0; u < xs.size(); ++u) {
                for (std::size_t v = 0; v < ys.size(); ++v) {
                    bool write = u < x.nout || v < y.nout || p.is_del(y);
                    if (write && touches(xs[u], ys[v], system)) full[i][j] = true;
                }
            }
        }
    }
    auto close = [&](auto& m) {
        for (std::size_t k = 0; k < n; ++k) {
            for (std::size_t i = 0; i < n; ++i) {
                for (std::size_t j = 0; j < n && m[i][k]; ++j) {
                    if (m[k][j]) m[i][j] = true;
                }
            }
        }
    };
    close(sparse);
    close(full);
    CHECK(sparse == full);
}

// Every byte of a view lies in its box, whatever the length of the rows.
void boxes() {
    check::Random random{5};
    int separate = 0;
    for (int round = 0; round < 20000; ++round) {
        std::int64_t length = random.between(0, 40);
        ViewBox box[2];
        Extent view[2];
        std::vector<std::int64_t> shape[2], strides[2];
        for (int k : {0, 1}) {
            for (long long axes = random.between(0, 3); axes > 0; --axes) {
                shape[k].push_back(random.between(1, 4));
                strides[k].push_back(random.below(2) ? random.between(-12, 12)
                                                     : length * random.between(-2, 2));
            }
            view[k] = {random.between(2000, 2100), random.between(1, 8), shape[k], strides[k]};
            box[k] = box_of(view[k], length);
            std::vector<std::int64_t> starts{view[k].offset};
            for (std::size_t axis = 0; axis < shape[k].size(); ++axis) {
                std::vector<std::int64_t> next;
                for (std::int64_t start : starts) {
                    for (std::int64_t i = 0; i < shape[k][axis]; ++i) {
                        next.push_back(start + i * strides[k][axis]);
                    }
                }
                starts = next;
            }
            for (std::int64_t start : starts) {
                for (std::int64_t byte = start; byte < start + view[k].itemsize; ++byte) {
                    std::int64_t row = length > 0 ? byte / length : byte;
                    std::int64_t column = length > 0 ? byte % length : 0;
                    CHECK(row >= box[k].first_row && row < box[k].last_row);
                    CHECK(column >= box[k].first_column && column < box[k].last_column);
                }
            }
        }
        bool apart = box[0].apart(box[1]);
        CHECK(!apart || !may_overlap(view[0], view[1]));
        separate += apart;
    }
    CHECK(separate > 1000);
}

// More questions than are kept give guards that never hold.
void lost_questions() {
    Program p = Program::parse(
        "base a float64 8\nadd a[0+(4:1)] a[4+(4:1)] 1\n"
        "add a[4+(4:1)] a[0+(4:1)] 1\n");
    Graph all = build_graph(p, LegalityMode::Full, 100), none = build_graph(p);
    Graph few = build_graph(p, LegalityMode::Full, 1);
    CHECK(guards_hold(p, std::move(all.questions).guards()));
    CHECK(!guards_hold(p, std::move(few.questions).guards()));
    CHECK(!guards_hold(p, std::move(none.questions).guards()));
}

void random_programs() {
    check::Random random{2463534242u};
    int fused = 0;
    for (int round = 0; round < 3000; ++round) {
        Program p = Program::parse(random_program(random, static_cast<int>(random.between(1, 40))));
        p.verify();
        Graph graph = build_graph(p);
        check_closure(p, graph);
        Nets nets = find_cost_model("bohrium").nets(graph);
        double apart = run(p, "singleton").cost;
        for (std::string_view name : {"singleton", "linear", "unintrusive", "greedy"}) {
            Partition result = run(p, name);
            CHECK(result.cost <= apart && result.apart == apart);
            CHECK(result.bound <= result.cost);
            CHECK(result.cost == definition(p, result));
            CHECK(result.cost == by_nets(nets, result));
            fused += result.blocks.size() < p.instructions.size();
            for (const Block& b : result.blocks) {
                CHECK(std::is_sorted(b.members.begin(), b.members.end(), [](auto& x, auto& y) {
                    return x.instruction < y.instruction;
                }));
            }
        }
        for (const CostModel& model : cost_models()) {
            Partition greedy = partition(p, {"greedy", model.name});
            greedy.verify(p);
            // Seconds are rounded, counts and sizes are whole.
            double slack = model.extra ? 1e-12 * greedy.apart : 0;
            CHECK(greedy.cost <= greedy.apart + slack && greedy.bound <= greedy.cost);
        }
        // Costs do not need a legal partition.
        Partition any;
        any.blocks.resize(static_cast<std::size_t>(random.between(1, 6)));
        for (std::uint32_t k = 0; k < p.instructions.size(); ++k) {
            auto b =
                static_cast<std::size_t>(random.below(static_cast<long long>(any.blocks.size())));
            any.blocks[b].members.push_back({k});
        }
        std::erase_if(any.blocks, [](const Block& b) { return b.members.empty(); });
        check_models(graph, any, random);
        double cost = find_cost_model("bohrium").cost(graph, any);
        CHECK(cost == definition(p, any) && cost == by_nets(nets, any));
    }
    CHECK(fused > 4000);
}

void tables() {
    std::string names;
    for (const Partitioner& row : partitioners()) names += " " + std::string(row.name);
    // `auto` is the engine's choice between them.
    CHECK_TEXT("auto" + names, std::string(info(Setting::partitioner).allowed));
    names.clear();
    for (const CostModel& row : cost_models()) names += " " + std::string(row.name);
    CHECK_TEXT(names.substr(1), std::string(info(Setting::cost_model).allowed));
    for (FuseOptions options : {FuseOptions{"best", "bohrium"}, FuseOptions{"greedy", "none"}}) {
        bool refused = false;
        try {
            partition(Program::parse(kFig3), options);
        } catch (const UserError& error) {
            refused = error.kind() == ErrorKind::Value;
        }
        CHECK(refused);
    }
    Program empty;
    for (const Partitioner& row : partitioners()) CHECK(run(empty, row.name).blocks.empty());
}

void dump() {
    Program p = Program::parse("base a float64 4\nadd a a 1\nsync a\n");
    CHECK_TEXT(run(p, "greedy").dump(p),
               "partition: 1 blocks, cost 32, bound 32, optimal\n"
               "block 0:\n  0: add b0 b0 1.0\n  1: sync b0\n");
}

}  // namespace

int main() {
    fig3();
    rule_1_views();
    rule_2_shapes();
    rule_3_reductions();
    rule_4_trees();
    rule_5_alone();
    rule_6_system();
    rule_8_kept_axes();
    rule_9_rows();
    rows_of_programs();
    rows_of_pieces();
    rule_7_size();
    order();
    boxes();
    lost_questions();
    random_programs();
    tables();
    dump();
    return 0;
}
