// Construction in time near linear in the accesses.
//
// Views are numbered, then compared within their base only, and there only when their byte ranges
// meet (a sweep over the range starts) and one of them is written. Dependencies are found in
// program order from two facts per view: its last writer and its readers, newest first. With w(v)
// the last writer of v:
//   a read of u  follows w(v) for every v that overlaps u;
//   a write of u follows w(v) and the readers of v for every v that overlaps u.
// What happened before w(u) is left out: w(u) itself was ordered behind it, and the new instruction
// is ordered behind w(u). So a reader is looked at once per overlapping view, not once per writer.
#include "fuse/graph.hpp"

#include <algorithm>

namespace hassium {
namespace {

void number_views(const Program& p, Graph& g) {
    Interner table(p.operands.size());
    g.access_begin.reserve(p.instructions.size() + 1);
    g.accesses.reserve(p.operands.size());
    g.views.reserve(p.operands.size());
    auto number = [&](const Operand& o, std::uint32_t operand) {
        auto shape = p.shape(o);
        auto strides = p.strides(o);
        std::uint64_t head = std::uint64_t{o.base} << 16 | std::uint64_t{o.ndim} << 8 |
                             static_cast<std::uint64_t>(o.dtype);
        std::uint64_t hash = Interner::mix(head, static_cast<std::uint64_t>(o.offset));
        hash = Interner::mix(hash, shape);
        for (std::size_t k = 0; k < shape.size(); ++k) {
            if (shape[k] != 1) hash = Interner::mix(hash, static_cast<std::uint64_t>(strides[k]));
        }
        auto equal = [&](std::uint32_t index) {
            const View& view = g.views[index];
            return view.base == o.base && view.dtype == o.dtype &&
                   same_view(extent_of(p, p.operands[view.operand]), extent_of(p, o));
        };
        auto add = [&] {
            View view{o.base, o.dtype, false, operand, 0, 0, itemsize(o.dtype)};
            byte_bounds(extent_of(p, o), view.first, view.last);
            for (std::size_t k = 0; k < shape.size(); ++k) {
                if (strides[k] != 0 || shape[k] == 0) view.bytes *= shape[k];
            }
            g.views.push_back(view);
            return static_cast<std::uint32_t>(g.views.size() - 1);
        };
        return table.intern(hash, equal, add);
    };
    for (const Instruction& i : p.instructions) {
        auto begin = static_cast<std::uint32_t>(g.accesses.size());
        g.access_begin.push_back(begin);
        if (info(i.op).cls == OpClass::System) continue;
        for (int k = 0; k < i.operand_count(); ++k) {
            std::uint32_t operand = i.operands + static_cast<std::uint32_t>(k);
            const Operand& o = p.operands[operand];
            if (o.is_constant()) continue;
            std::uint32_t view = number(o, operand);
            std::uint8_t kind = k < i.nout ? kWrite : kRead;
            g.views[view].written |= kind == kWrite;
            auto known = std::find_if(g.accesses.begin() + begin, g.accesses.end(),
                                      [&](const Access& a) { return a.view == view; });
            if (known == g.accesses.end()) {
                g.accesses.push_back({view, kind});
            } else {
                known->kinds |= kind;
            }
        }
    }
    g.access_begin.push_back(static_cast<std::uint32_t>(g.accesses.size()));
}

// Turns (list, item) pairs into lists; items keep their order within a list.
Lists to_lists(std::size_t count, std::span<const std::pair<std::uint32_t, std::uint32_t>> pairs) {
    Lists lists;
    lists.begin.assign(count + 1, 0);
    lists.items.resize(pairs.size());
    for (const auto& pair : pairs) ++lists.begin[pair.first + 1];
    for (std::size_t k = 0; k < count; ++k) lists.begin[k + 1] += lists.begin[k];
    for (const auto& pair : pairs) lists.items[lists.begin[pair.first]++] = pair.second;
    for (std::size_t k = count; k > 0; --k) lists.begin[k] = lists.begin[k - 1];
    lists.begin[0] = 0;
    return lists;
}

void find_conflicts(const Program& p, Graph& g) {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;
    pairs.reserve(g.views.size());
    for (std::uint32_t v = 0; v < g.views.size(); ++v) pairs.emplace_back(g.views[v].base, v);
    g.views_of_base = to_lists(p.bases.size(), pairs);
    pairs.clear();
    std::vector<std::uint32_t> sorted, active;
    for (std::size_t base = 0; base < p.bases.size(); ++base) {
        auto views = g.views_of_base[base];
        auto is_written = [&](std::uint32_t v) { return g.views[v].written; };
        if (views.size() < 2 || std::none_of(views.begin(), views.end(), is_written)) continue;
        sorted.assign(views.begin(), views.end());
        std::sort(sorted.begin(), sorted.end(), [&](std::uint32_t a, std::uint32_t b) {
            return g.views[a].first < g.views[b].first;
        });
        active.clear();
        for (std::uint32_t v : sorted) {
            const View& view = g.views[v];
            std::erase_if(active, [&](std::uint32_t u) { return g.views[u].last <= view.first; });
            for (std::uint32_t u : active) {
                if (!view.written && !g.views[u].written) continue;
                if (!may_overlap(extent_of(p, p.operands[view.operand]),
                                 extent_of(p, p.operands[g.views[u].operand]))) {
                    continue;
                }
                pairs.emplace_back(u, v);
                pairs.emplace_back(v, u);
            }
            active.push_back(v);
        }
    }
    g.conflicts = to_lists(g.views.size(), pairs);
}

class Dependencies {
  public:
    Dependencies(const Program& p, Graph& g)
        : program_(p),
          graph_(g),
          writer_(g.views.size(), kNone),
          readers_(g.views.size(), kNone),
          syncs_(p.bases.size(), kNone),
          seen_(p.instructions.size(), kNone) {
        log_.reserve(g.accesses.size());
    }

    void build() {
        Lists& before = graph_.predecessors;
        auto count = static_cast<std::uint32_t>(program_.instructions.size());
        before.begin.reserve(count + 1);
        before.items.reserve(2 * graph_.accesses.size());
        graph_.bases.resize(program_.bases.size());
        for (now_ = 0; now_ < count; ++now_) {
            before.begin.push_back(static_cast<std::uint32_t>(before.items.size()));
            const Instruction& i = program_.instructions[now_];
            if (info(i.op).cls == OpClass::System) {
                system(i);
                continue;
            }
            for (const Access& a : graph_.accesses_of(now_)) order(a);
            for (const Access& a : graph_.accesses_of(now_)) record(a);
        }
        before.begin.push_back(static_cast<std::uint32_t>(before.items.size()));
    }

  private:
    struct Entry {
        std::uint32_t instruction;
        std::uint32_t older;  // index into log_
    };

    void after(std::uint32_t instruction) {
        if (instruction == kNone || seen_[instruction] == now_) return;
        seen_[instruction] = now_;
        graph_.predecessors.items.push_back(instruction);
    }
    // Everything in the list that is newer than `since` comes before the present instruction.
    void after_list(std::uint32_t newest, std::uint32_t since) {
        for (std::uint32_t at = newest; at != kNone; at = log_[at].older) {
            if (since != kNone && log_[at].instruction <= since) return;
            after(log_[at].instruction);
        }
    }
    void append(std::uint32_t& newest) {
        log_.push_back({now_, newest});
        newest = static_cast<std::uint32_t>(log_.size() - 1);
    }
    // `view` overlaps what the present instruction accesses, which was last written by `since`.
    void after_view(std::uint32_t view, std::uint32_t since, bool write) {
        std::uint32_t writer = writer_[view];
        if (writer != kNone && (since == kNone || writer >= since)) after(writer);
        if (!write) return;
        std::uint32_t bound = since;
        if (writer != kNone && (since == kNone || writer > since)) bound = writer;
        after_list(readers_[view], bound);
    }
    void order(const Access& a) {
        std::uint32_t since = writer_[a.view];
        bool write = (a.kinds & kWrite) != 0;
        after_view(a.view, since, write);
        for (std::uint32_t other : graph_.conflicts[a.view]) after_view(other, since, write);
        if (write) after_list(syncs_[graph_.views[a.view].base], since);
    }
    void record(const Access& a) {
        BaseId base = graph_.views[a.view].base;
        BaseLife& life = graph_.bases[base];
        if (life.created == kNone && !program_.bases[base].input) life.created = now_;
        if (a.kinds & kRead) append(readers_[a.view]);
        if (a.kinds & kWrite) writer_[a.view] = now_;
    }
    void system(const Instruction& i) {
        BaseId base = program_.operands[i.operands].base;
        BaseLife& life = graph_.bases[base];
        bool deletes = program_.is_del(i);
        for (std::uint32_t view : graph_.views_of_base[base]) after_view(view, kNone, deletes);
        if (deletes) {
            after_list(syncs_[base], kNone);
            life.deleted = now_;
        } else {
            append(syncs_[base]);
            life.synced = true;
        }
    }

    const Program& program_;
    Graph& graph_;
    std::vector<std::uint32_t> writer_, readers_, syncs_, seen_;
    std::vector<Entry> log_;
    std::uint32_t now_ = 0;
};

void reverse_edges(Graph& g) {
    std::size_t count = g.size();
    Lists& after = g.successors;
    after.begin.assign(count + 1, 0);
    after.items.resize(g.predecessors.items.size());
    for (std::uint32_t from : g.predecessors.items) ++after.begin[from + 1];
    for (std::size_t k = 0; k < count; ++k) after.begin[k + 1] += after.begin[k];
    for (std::size_t to = 0; to < count; ++to) {
        for (std::uint32_t from : g.predecessors[to]) {
            after.items[after.begin[from]++] = static_cast<std::uint32_t>(to);
        }
    }
    for (std::size_t k = count; k > 0; --k) after.begin[k] = after.begin[k - 1];
    after.begin[0] = 0;
}

}  // namespace

Extent extent_of(const Program& program, const Operand& view) {
    return {view.offset, itemsize(view.dtype), program.shape(view), program.strides(view)};
}

Graph build_graph(const Program& program) {
    Graph graph{};
    graph.program = &program;
    number_views(program, graph);
    find_conflicts(program, graph);
    Dependencies(program, graph).build();
    reverse_edges(graph);
    return graph;
}

}  // namespace hassium
