// Costs against the definition, and every partitioner on random programs.
#include "fuse/fuse.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "base/error.hpp"
#include "base/settings.hpp"
#include "fuse/partitioners/partitioners.hpp"
#include "support/check.hpp"
#include "support/fig3.hpp"
#include "support/partitions.hpp"
#include "support/random_program.hpp"

using namespace hassium;

namespace {

double elements(const Program& p, std::string_view partitioner) {
    return run(p, partitioner).cost / 8;
}

void fig3() {
    Program p = Program::parse(kFig3);
    CHECK(elements(p, "singleton") == 94);
    CHECK(elements(p, "linear") == 62);
    CHECK(elements(p, "greedy") <= 58);
}

// Def. 13 as it is written, with sets; but views of interleaved elements are one.
double definition(const Program& p, const Partition& partition) {
    // A view is the places of its elements, in C order.
    auto key = [&](const Operand& o) {
        std::vector<std::int64_t> k{o.base, static_cast<int>(o.dtype)}, places{o.offset}, more;
        std::int64_t step = 0;
        for (std::size_t a = 0; a < p.shape(o).size(); ++a) {
            const std::int64_t stride = std::abs(p.strides(o)[a]);
            if (p.shape(o)[a] < 2 || stride == 0) continue;
            step = step == 0 ? stride : std::min(step, stride);
        }
        if (step > itemsize(o.dtype)) places[0] -= o.offset % step;
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
        for (std::uint32_t m : block.members) {
            const Instruction& i = p.instructions[m];
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
                if (creator.count(o.base) && creator[o.base] == m) made.insert(o.base);
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
        for (std::uint32_t m : partition.blocks[b].members) block_of[m] = b;
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
                    double extra = model.extra(graph, block.members);
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

// Of a byte's place, in rows of these lengths.
std::array<std::int64_t, kRowLengths + 1> digits_of(std::int64_t byte, const RowLengths& lengths) {
    std::array<std::int64_t, kRowLengths + 1> digits = {};
    for (std::size_t k = 0; k <= kRowLengths; ++k) {
        const std::int64_t unit = k < kRowLengths && lengths[k] > 0 ? lengths[k] : 1;
        digits[k] = byte / unit;
        byte %= unit;
        if (unit == 1) break;
    }
    return digits;
}

// Every byte of a view lies in its box, whatever the lengths of the rows.
void boxes() {
    check::Random random{5};
    int separate = 0;
    for (int round = 0; round < 20000; ++round) {
        RowLengths lengths = {};
        const auto count = static_cast<std::size_t>(random.between(0, kRowLengths));
        for (std::size_t k = count; k-- > 0;) {
            lengths[k] = k + 1 == count ? random.between(1, 40 >> (2 * k))
                                        : lengths[k + 1] * random.between(2, 5);
        }
        ViewBox box[2];
        Extent view[2];
        std::vector<std::int64_t> shape[2], strides[2];
        for (int k : {0, 1}) {
            for (long long axes = random.between(0, 3); axes > 0; --axes) {
                shape[k].push_back(random.between(1, 4));
                const std::int64_t length = lengths[static_cast<std::size_t>(random.below(3))];
                strides[k].push_back(random.below(2) ? random.between(-12, 12)
                                                     : length * random.between(-2, 2));
            }
            view[k] = {random.between(4000, 4100), random.between(1, 8), shape[k], strides[k]};
            box[k] = box_of(view[k], lengths);
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
                    const auto digits = digits_of(byte, lengths);
                    for (std::size_t digit = 0; digit < digits.size(); ++digit) {
                        CHECK(digits[digit] >= box[k].first[digit]);
                        CHECK(digits[digit] < box[k].last[digit]);
                    }
                }
            }
        }
        bool apart = box[0].apart(box[1]);
        CHECK(!apart || !may_overlap(view[0], view[1]));
        separate += apart;
    }
    CHECK(separate > 1000);
}

// Pairs of views in which one axis of an array stands still, wherever it lies among the axes.
void boxes_of_cells() {
    const std::array<std::int64_t, 4> shape = {3, 4, 5, 6}, strides = {960, 240, 48, 8};
    for (unsigned fixed = 1; fixed < 15; ++fixed) {
        std::vector<std::int64_t> moving, steps;
        for (std::size_t axis = 0; axis < 4; ++axis) {
            if (fixed >> axis & 1) continue;
            moving.push_back(shape[axis]);
            steps.push_back(strides[axis]);
        }
        std::vector<Extent> views;
        for (std::int64_t cell = 0; cell < 360; ++cell) {
            const std::array<std::int64_t, 4> at = {cell / 120, cell / 30 % 4, cell / 6 % 5,
                                                    cell % 6};
            std::int64_t offset = 0;
            bool first = true;
            for (std::size_t axis = 0; axis < 4; ++axis) {
                offset += at[axis] * strides[axis];
                first &= at[axis] == 0 || (fixed >> axis & 1);
            }
            if (first) views.push_back({offset, 8, moving, steps});
        }
        RowVote vote;
        for (const Extent& view : views) vote.add(view);
        const RowLengths lengths = vote.lengths();
        for (std::size_t a = 0; a < views.size(); ++a) {
            for (std::size_t b = 0; b < a; ++b) {
                CHECK(box_of(views[a], lengths).apart(box_of(views[b], lengths)));
            }
        }
    }
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
                CHECK(std::is_sorted(b.members.begin(), b.members.end(),
                                     [](auto& x, auto& y) { return x < y; }));
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
    boxes();
    boxes_of_cells();
    lost_questions();
    random_programs();
    tables();
    dump();
    return 0;
}
