// Construction in time nearly linear in the accesses.
//
// Dependencies are found in program order. Known are, for every view, its last writer and its
// readers, newest first, and, for every base, its views by the time of their last write and of
// their last read. With w(v) the last writer of v:
//   a read of u  follows w(v) for every v that overlaps u;
//   a write of u follows w(v) and the readers of v for every v that overlaps u.
// Let `since` be the last write of a view that contains u (u itself, or the matrix of which u is
// the lower right part). Earlier accesses to the bytes of u were ordered before that write already,
// so the lists are walked from the newest entry back to `since` and no further: an elimination
// whose every step writes a part of the step before examines one step only. For a view that is
// known to overlap few others (view_memo.hpp) only these are examined, in the same order.
#include "fuse/graph/graph.hpp"

#include <algorithm>

#include "program/axes.hpp"

namespace hassium {
namespace {

// The properties by which views of one base and dtype differ (DistinctView).
struct ViewIdentity {
    LegalityMode mode;

    std::uint64_t hash(std::uint64_t head, const Extent& view) const {
        std::uint64_t hash = Interner::mix(head, static_cast<std::uint64_t>(view.offset));
        auto add = [&hash](std::int64_t extent, std::int64_t stride) {
            hash = Interner::mix(hash, static_cast<std::uint64_t>(extent));
            hash = Interner::mix(hash, static_cast<std::uint64_t>(stride));
        };
        if (mode == LegalityMode::Full) {
            for (const Axis<1>& axis : coalesce(view.shape, view.strides)) {
                add(axis.extent, axis.strides[0]);
            }
            return hash;
        }
        for (std::size_t k = 0; k < view.shape.size(); ++k) {
            if (view.shape[k] != 1) add(view.shape[k], view.strides[k]);
        }
        return hash;
    }
    bool same(const Extent& a, const Extent& b) const {
        return mode == LegalityMode::Full ? same_elements(a, b) : same_view(a, b);
    }
};

void number_views(const Program& p, LegalityMode mode, Graph& g) {
    const ViewIdentity identity{mode};
    Interner table(p.operands.size());
    g.access_begin.reserve(p.instructions.size() + 1);
    g.accesses.reserve(p.operands.size());
    g.views.reserve(p.operands.size());
    g.view_of.assign(p.operands.size(), kNone);
    auto number = [&](const Operand& o, std::uint32_t operand) {
        auto shape = p.shape(o);
        auto strides = p.strides(o);
        std::uint64_t head = std::uint64_t{o.base} << 8 | static_cast<std::uint64_t>(o.dtype);
        std::uint64_t hash = identity.hash(head, extent_of(p, o));
        auto equal = [&](std::uint32_t index) {
            const DistinctView& view = g.views[index];
            return view.base == o.base && view.dtype == o.dtype &&
                   identity.same(extent_of(p, p.operands[view.operand]), extent_of(p, o));
        };
        auto add = [&] {
            DistinctView view{o.base, o.dtype, operand, 0, 0, itemsize(o.dtype)};
            byte_bounds(extent_of(p, o), view.first, view.last);
            for (std::size_t k = 0; k < shape.size(); ++k) {
                if (strides[k] != 0 || shape[k] == 0) view.bytes *= shape[k];
            }
            g.views.push_back(view);
            return static_cast<std::uint32_t>(g.views.size() - 1);
        };
        std::size_t known = g.views.size();
        std::uint32_t view = table.intern(hash, equal, add);
        if (view < known) {
            g.questions.note(Question::SameView, true, g.views[view].operand, operand);
        }
        return view;
    };
    for (const Instruction& i : p.instructions) {
        auto begin = static_cast<std::uint32_t>(g.accesses.size());
        g.access_begin.push_back(begin);
        if (info(i.op).is_system()) continue;
        for (int k = 0; k < i.operand_count(); ++k) {
            std::uint32_t operand = i.operands + static_cast<std::uint32_t>(k);
            const Operand& o = p.operands[operand];
            if (o.is_constant()) continue;
            std::uint32_t view = g.view_of[operand] = number(o, operand);
            std::uint8_t kind = k < i.nout ? kWrite : kRead;
            auto known = std::find_if(g.accesses.begin() + begin, g.accesses.end(),
                                      [&](const ViewAccess& a) { return a.view == view; });
            if (known == g.accesses.end()) {
                g.accesses.push_back({view, kind});
            } else {
                known->kinds |= kind;
            }
        }
    }
    g.access_begin.push_back(static_cast<std::uint32_t>(g.accesses.size()));
}

// Returns the least distance between two elements.
std::int64_t least_stride(const Axes<1>& axes) {
    std::int64_t least = 0;
    for (const Axis<1>& axis : axes) {
        const std::int64_t stride = std::abs(axis.strides[0]);
        if (stride != 0 && (least == 0 || stride < least)) least = stride;
    }
    return least;
}

// Interleaved views, such as even and odd elements, cover the same cache lines: they differ in
// their offset by less than the step from element to element.
void find_lines(const Program& p, Graph& g) {
    Interner table(g.views.size());
    auto axes_of = [&](const Operand& o) { return coalesce(p.shape(o), p.strides(o)); };
    for (std::uint32_t v = 0; v < g.views.size(); ++v) {
        const Operand& o = p.operands[g.views[v].operand];
        g.views[v].lines = v;
        const auto axes = axes_of(o);
        const std::int64_t step = least_stride(axes);
        if (step <= itemsize(o.dtype)) continue;
        const std::int64_t place = o.offset / step;
        std::uint64_t hash = Interner::mix(o.base, static_cast<std::uint64_t>(place));
        for (const Axis<1>& axis : axes) {
            hash = Interner::mix(hash, static_cast<std::uint64_t>(axis.extent));
            hash = Interner::mix(hash, static_cast<std::uint64_t>(axis.strides[0]));
        }
        auto same = [&](std::uint32_t other) {
            const Operand& w = p.operands[g.views[other].operand];
            return w.base == o.base && w.dtype == o.dtype && w.offset / step == place &&
                   axes_of(w) == axes;
        };
        g.views[v].lines = table.intern(hash, same, [v] { return v; });
    }
}

// Renumbers the views so that those of one base are consecutive.
void group_views(const Program& p, Graph& g) {
    g.first_view.assign(p.bases.size() + 1, 0);
    for (const DistinctView& view : g.views) ++g.first_view[view.base + 1];
    for (std::size_t base = 0; base < p.bases.size(); ++base) {
        g.first_view[base + 1] += g.first_view[base];
    }
    std::vector<std::uint32_t> next(g.first_view), number(g.views.size());
    std::vector<DistinctView> grouped(g.views.size());
    for (std::size_t v = 0; v < g.views.size(); ++v) {
        number[v] = next[g.views[v].base]++;
        grouped[number[v]] = g.views[v];
    }
    g.views.swap(grouped);
    for (ViewAccess& a : g.accesses) a.view = number[a.view];
    for (std::uint32_t& view : g.view_of) view = view == kNone ? kNone : number[view];
}

void box_views(const Program& p, Graph& g) {
    for (std::size_t base = 0; base < p.bases.size(); ++base) {
        std::span<DistinctView> views(g.views.data() + g.first_view[base],
                                      g.first_view[base + 1] - g.first_view[base]);
        if (views.size() < 2) continue;
        RowVote vote;
        for (const DistinctView& v : views) vote.add(extent_of(p, p.operands[v.operand]));
        const RowLengths lengths = vote.lengths();
        for (DistinctView& v : views) v.box = box_of(extent_of(p, p.operands[v.operand]), lengths);
    }
}

// Returns the number of views that each may conflict with: two that are only read never conflict.
// Bases with so few views that a scan is as fast are omitted.
std::vector<std::uint32_t> possible_conflicts(const Graph& g) {
    constexpr std::uint32_t kLookedThrough = 2 * OverlapMemo::kFew;
    std::vector<std::uint32_t> others(g.views.size(), kNone);
    std::vector<bool> written;
    for (std::size_t base = 0; base + 1 < g.first_view.size(); ++base) {
        const std::uint32_t begin = g.first_view[base], end = g.first_view[base + 1];
        if (end - begin <= kLookedThrough) continue;
        if (written.empty()) {
            written.resize(g.views.size());
            for (const ViewAccess& a : g.accesses) {
                if (a.kinds & kWrite) written[a.view] = true;
            }
        }
        std::uint32_t writes = 0;
        for (std::uint32_t v = begin; v < end; ++v) writes += written[v];
        for (std::uint32_t v = begin; v < end; ++v) {
            others[v] = written[v] ? end - begin - 1 : writes;
        }
    }
    return others;
}

// The views of a base by the time of their last access, newest first.
class RecentViews {
  public:
    RecentViews(std::size_t bases, std::size_t views)
        : newest_(bases, kNone),
          older_(views, kNone),
          newer_(views, kNone),
          time_(views, kNone),
          rank_(views, 0) {}

    std::uint32_t newest(BaseId base) const { return newest_[base]; }
    std::uint32_t older(std::uint32_t view) const { return older_[view]; }
    std::uint32_t time(std::uint32_t view) const { return time_[view]; }  // kNone: never
    // Returns whether `a` was touched after `b`, for views that were touched.
    bool is_newer(std::uint32_t a, std::uint32_t b) const { return rank_[a] > rank_[b]; }

    void touch(BaseId base, std::uint32_t view, std::uint32_t now) {
        bool known = time_[view] != kNone;
        time_[view] = now;
        rank_[view] = ++touches_;
        if (newest_[base] == view) return;
        if (known) {
            older_[newer_[view]] = older_[view];
            if (older_[view] != kNone) newer_[older_[view]] = newer_[view];
        }
        older_[view] = newest_[base];
        if (newest_[base] != kNone) newer_[newest_[base]] = view;
        newest_[base] = view;
    }

  private:
    std::vector<std::uint32_t> newest_, older_, newer_, time_;
    std::vector<std::uint32_t> rank_;  // per view: sequence number of its last touch
    std::uint32_t touches_ = 0;
};

class Dependencies {
  public:
    Dependencies(const Program& p, Graph& g)
        : program_(p),
          graph_(g),
          writes_(p.bases.size(), g.views.size()),
          reads_(p.bases.size(), g.views.size()),
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
            if (info(i.op).is_system()) {
                system(i);
                continue;
            }
            for (const ViewAccess& a : graph_.accesses_of(now_)) order(a);
            for (const ViewAccess& a : graph_.accesses_of(now_)) record(a);
        }
        before.begin.push_back(static_cast<std::uint32_t>(before.items.size()));
    }

  private:
    struct Entry {
        std::uint32_t instruction;
        std::uint32_t older;  // index into log_
    };

    void after(std::uint32_t instruction) {
        if (seen_[instruction] == now_) return;
        seen_[instruction] = now_;
        graph_.predecessors.items.push_back(instruction);
    }
    // Times are compared after adding 1, so that kNone (never) is before all others.
    static bool not_after(std::uint32_t time, std::uint32_t bound) { return time + 1 <= bound + 1; }
    static bool before(std::uint32_t time, std::uint32_t bound) { return time + 1 < bound + 1; }

    // Makes everything in the list newer than `since` a predecessor of the current instruction.
    void after_list(std::uint32_t newest, std::uint32_t since) {
        for (std::uint32_t at = newest; at != kNone; at = log_[at].older) {
            if (not_after(log_[at].instruction, since)) return;
            after(log_[at].instruction);
        }
    }
    void append(std::uint32_t& newest) {
        log_.push_back({now_, newest});
        newest = static_cast<std::uint32_t>(log_.size() - 1);
    }
    // Visits the views that overlap `view`, including itself, newest first, up to the first that is
    // not `near`.
    template <class Near, class Visit>
    void each_touching(const RecentViews& recent, std::uint32_t view, Near near, Visit visit) {
        if (const OverlapMemo::Few* others = graph_.overlapping(view)) {
            SmallVec<std::uint32_t, OverlapMemo::kFew + 1> touching;
            if (recent.time(view) != kNone) touching.push_back(view);
            for (std::uint32_t v : *others) {
                if (recent.time(v) != kNone) touching.push_back(v);
            }
            std::sort(touching.begin(), touching.end(),
                      [&](std::uint32_t v, std::uint32_t u) { return recent.is_newer(v, u); });
            for (std::uint32_t v : touching) {
                if (!near(v)) return;
                visit(v);
            }
            return;
        }
        std::uint32_t v = recent.newest(graph_.views[view].base);
        for (; v != kNone && near(v); v = recent.older(v)) {
            if (v == view || graph_.overlap(v, view)) visit(v);
        }
    }
    void order(const ViewAccess& a) {
        std::uint32_t since = writes_.time(a.view);
        auto written_since = [&](std::uint32_t v) { return !before(writes_.time(v), since); };
        each_touching(writes_, a.view, written_since, [&](std::uint32_t v) {
            const std::uint32_t writer = writes_.time(v);
            after(writer);
            if (before(since, writer) && graph_.contains(v, a.view)) since = writer;
        });
        if (!(a.kinds & kWrite)) return;
        auto read_since = [&](std::uint32_t v) { return !not_after(reads_.time(v), since); };
        each_touching(reads_, a.view, read_since, [&](std::uint32_t v) {
            const std::uint32_t writer = writes_.time(v);
            after_list(readers_[v], before(since, writer) ? writer : since);
        });
        after_list(syncs_[graph_.views[a.view].base], since);
    }
    void record(const ViewAccess& a) {
        BaseId base = graph_.views[a.view].base;
        BaseLife& life = graph_.bases[base];
        if (life.created == kNone && !program_.bases[base].input) life.created = now_;
        if (a.kinds & kRead) {
            append(readers_[a.view]);
            reads_.touch(base, a.view, now_);
        }
        if (a.kinds & kWrite) writes_.touch(base, a.view, now_);
    }
    void system(const Instruction& i) {
        BaseId base = program_.operands[i.operands].base;
        BaseLife& life = graph_.bases[base];
        for (std::uint32_t v = writes_.newest(base); v != kNone; v = writes_.older(v)) {
            after(writes_.time(v));
        }
        if (!program_.is_del(i)) {
            append(syncs_[base]);
            life.synced = true;
            return;
        }
        for (std::uint32_t v = reads_.newest(base); v != kNone; v = reads_.older(v)) {
            after_list(readers_[v], writes_.time(v));
        }
        after_list(syncs_[base], kNone);
        life.deleted = now_;
    }

    const Program& program_;
    Graph& graph_;
    RecentViews writes_, reads_;
    std::vector<std::uint32_t> readers_, syncs_, seen_;
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

Graph build_graph(const Program& program, LegalityMode mode, std::size_t questions) {
    Graph graph{};
    graph.program = &program;
    graph.questions = Questions(questions);
    number_views(program, mode, graph);
    group_views(program, graph);
    if (mode == LegalityMode::Full) {
        find_lines(program, graph);
    } else {
        for (std::uint32_t v = 0; v < graph.views.size(); ++v) graph.views[v].lines = v;
    }
    box_views(program, graph);
    graph.memo = OverlapMemo(possible_conflicts(graph));
    Dependencies(program, graph).build();
    reverse_edges(graph);
    return graph;
}

}  // namespace hassium
