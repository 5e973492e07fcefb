// The merge cache's parts: the symbolic form, guards, and the two levels with their bounds.
//
// The property that all rests on: a program of equal symbolic form that gives the same answers may
// be cut as the first one was, so the other's partition is legal for it and can be lowered. And a
// plan that lets itself be bound to the other's numbers is the one that lowering makes for them, in
// every field, as is its code.
#include <string>
#include <thread>
#include <vector>

#include "engine/cache/merge_cache.hpp"
#include "fuse/fuse.hpp"
#include "plan/lower/lower.hpp"
#include "plan/rebind/rebind.hpp"
#include "program/deaths.hpp"
#include "support/check.hpp"

using namespace hassium;

namespace {

// Bases are long enough for every view, whatever its numbers.
constexpr std::int64_t kElements = 4000;
constexpr std::int64_t kMiddle = 2000;

// Programs with one structure for each `shape` generator, and the numbers of `values`.
struct Numbers {
    std::int64_t length[3];
    std::vector<std::int64_t> offsets;  // one per view of a base, used by number
};

Numbers numbers(check::Random& random) {
    Numbers n{};
    for (std::int64_t& length : n.length) length = random.between(1, 9);
    for (int k = 0; k < 6; ++k) n.offsets.push_back(random.between(0, 12));
    return n;
}

struct View {
    BaseId base;
    std::int64_t offset;
    Dims shape, strides;
};

Program build(check::Random shape, const Numbers& n) {
    Program p;
    for (int b = 0; b < 4; ++b) {
        p.bases.push_back({kElements * 8, DType::F64, static_cast<std::uint8_t>(b < 2), {}});
    }
    auto view = [&](BaseId base, std::int64_t rows, std::int64_t columns) {
        std::int64_t step = shape.below(4) == 0 ? 2 : shape.below(5) == 0 ? -1 : 1;
        std::int64_t offset = kMiddle + n.offsets[static_cast<std::size_t>(shape.below(6))];
        View v{base, offset * 8, {}, {}};
        if (rows > 0) v.shape.push_back(rows);
        if (rows > 0) v.strides.push_back(shape.below(3) == 0 ? 8 * columns * 3 : 8 * columns * 2);
        v.shape.push_back(columns);
        v.strides.push_back(8 * step);
        return v;
    };
    auto put = [&](const View& v) {
        append_view(p, v.base, DType::F64, v.offset, v.shape, v.strides);
    };
    int count = 3 + static_cast<int>(shape.below(7));
    for (int k = 0; k < count; ++k) {
        Instruction i{};
        i.op = Op::Add;
        i.method = Method::Call;
        i.compute = DType::F64;
        i.nout = 1;
        i.operands = static_cast<std::uint32_t>(p.operands.size());
        auto out_base = static_cast<BaseId>(shape.below(4));
        auto in_base = static_cast<BaseId>((out_base + 1 + shape.below(3)) % 4);
        std::int64_t columns = n.length[shape.below(3)];
        if (shape.below(5) == 0) {
            i.method = Method::Reduce;
            i.nin = 1;
            i.axes = 1 + static_cast<std::uint64_t>(shape.below(2));
            std::int64_t rows = n.length[shape.below(3)];
            View in = view(in_base, rows, columns);
            put(view(out_base, 0, i.axes == 1 ? columns : rows));
            put(in);
        } else {
            i.nin = 2;
            View out = view(out_base, 0, columns);
            put(out);
            put(shape.below(2) ? out : view(in_base, 0, columns));
            put(view(in_base, 0, columns));
        }
        p.instructions.push_back(i);
        p.origins.push_back({});
    }
    p.bases[2].dies = shape.below(2) != 0;
    p.bases[3].dies = shape.below(2) != 0;
    return p;
}

bool plausible(const Program& p) {
    for (std::size_t k = 0; k < p.instructions.size(); ++k) {
        if (!p.fault(k).empty()) return false;
    }
    return true;
}

// False: planning would decide otherwise.
bool bound_alike(const Program& first, const Program& other, const Block& block,
                 const LoopPlan& fresh) {
    BaseUses uses = count_uses(first);
    LoopPlan plan = Lowering(first, uses).lower(block);
    auto code = compile(plan);
    std::optional<Rebinding> rebinding = Rebinding::of(plan, first, uses);
    if (!rebinding || !rebinding->apply(plan, other, uses) || !rebind(*code, plan)) return false;
    CHECK_TEXT(plan.dump(), fresh.dump());
    CHECK(plan == fresh);
    CHECK(same_code(*code, *compile(fresh)));
    return true;
}

// Guards are asked in quick ways: with the answers that the questions have.
void quick_answers_are_answers(const Program& p) {
    constexpr Question kOfViews[] = {Question::SameView, Question::Overlap, Question::Contains,
                                     Question::OverlapsItself};
    for (std::uint32_t a = 0; a < p.operands.size(); ++a) {
        for (std::uint32_t b = 0; b < p.operands.size(); ++b) {
            if (p.operands[a].base != p.operands[b].base) continue;
            for (Question question : kOfViews) {
                bool answer = answer_to(p, question, a, b);
                CHECK(guards_hold(p, {{question, answer, a, b}}));
                CHECK(!guards_hold(p, {{question, !answer, a, b}}));
            }
        }
    }
}

void what_guards_hold_for_is_legal() {
    check::Random random{20240611};
    int alike = 0, held = 0, other_numbers = 0, bound = 0, refused = 0, of_phases = 0;
    for (int round = 0; round < 6000; ++round) {
        check::Random shape{random.next() | 1};
        std::vector<std::uint32_t> from;
        Program first = build(shape, numbers(random));
        if (!plausible(first)) continue;
        Program finished = with_deaths(first, from);
        SymbolicKey key, other_key;
        symbolic_key(first, key);
        std::vector<Guard> guards;
        FuseOptions options{round % 2 ? "greedy" : "optimal", "bohrium"};
        options.time_limit = 0.01;
        Partition partition = hassium::partition(finished, options, &guards);
        CHECK(guards_hold(finished, guards));
        for (int again = 0; again < 20; ++again) {
            Program second = build(shape, numbers(random));
            if (!plausible(second)) continue;
            symbolic_key(second, other_key);
            if (key.words != other_key.words) continue;
            CHECK(key.hash == other_key.hash);
            ++alike;
            Program other = finished;
            renumber(other, second);
            CHECK(other.same_structure(with_deaths(second, from)));
            if (again == 0) quick_answers_are_answers(other);
            if (!guards_hold(other, guards)) continue;
            ++held;
            other_numbers += !other.same_structure(finished);
            partition.verify(other);  // throws when a block is illegal
            for (const Block& block : partition.blocks) {
                LoopPlan fresh = lower(other, block);
                fresh.verify();
                bool same = bound_alike(finished, other, block, fresh);
                // Blocks of several phases are moved at most.
                bool rows = fresh.kind == BlockKind::Rows;
                ++(rows && !same ? of_phases : same ? bound : refused);
            }
        }
    }
    CHECK(held > 2000);
    CHECK(other_numbers > 1000);
    CHECK(alike - held > 1000);  // guards do refuse
    CHECK(bound > 5000 && bound > 4 * refused);
    CHECK(refused > 100);  // and so do plans
    CHECK(of_phases > 100);
}

std::string two_sweeps(int first, int second, int length) {
    std::string n = std::to_string(length);
    auto view = [&](int offset) { return "a[" + std::to_string(offset) + "+(" + n + ":1)]"; };
    return "base a float64 100 input\nadd " + view(first) + " " + view(first) + " 1\nadd " +
           view(second) + " " + view(second) + " 1\n";
}

void programs_that_differ_in_an_overlap() {
    auto guards_of = [](const Program& p) {
        std::vector<Guard> guards;
        partition(p, {"greedy", "bohrium"}, &guards);
        return guards;
    };
    SymbolicKey key, other;
    Program apart = Program::parse(two_sweeps(0, 10, 10)),
            met = Program::parse(two_sweeps(0, 9, 10));
    Program same = Program::parse(two_sweeps(3, 3, 10)),
            far = Program::parse(two_sweeps(0, 60, 12));
    for (const Program* p : {&met, &same, &far}) {
        symbolic_key(apart, key);
        symbolic_key(*p, other);
        CHECK(key.words == other.words);
    }
    CHECK(guards_hold(far, guards_of(apart)) && guards_hold(apart, guards_of(far)));
    for (const Program* p : {&apart, &far}) {
        for (const Program* q : {&met, &same}) {
            CHECK(!guards_hold(*p, guards_of(*q)));
            CHECK(!guards_hold(*q, guards_of(*p)));
        }
    }
    CHECK(!guards_hold(met, guards_of(same)));
}

SymbolicKey::Words words_of(const std::string& text) {
    SymbolicKey key;
    symbolic_key(Program::parse(text), key);
    return key.words;
}

void symbols() {
    auto map = [](const char* out, const char* in, const char* bases = "") {
        return std::string("base x float64 1000 input\nbase y float64 1000\n") + bases +
               "negative y" + out + " x" + in + "\n";
    };
    auto base = words_of(map("[0+(10:1)]", "[5+(10:2)]"));
    CHECK(base == words_of(map("[7+(99:1)]", "[0+(99:3)]")));
    CHECK(base != words_of(map("[0+(1:1)]", "[5+(1:2)]")));      // an extent of one
    CHECK(base != words_of(map("[0+(0:1)]", "[5+(0:2)]")));      // of nothing
    CHECK(base != words_of(map("[0+(10:2)]", "[5+(10:2)]")));    // a stride of one item
    CHECK(base != words_of(map("[0+(10:1)]", "[90+(10:-2)]")));  // a negative stride
    CHECK(base != words_of(map("[0+(10:1)]", "[5+(10:0)]")));    // a stride of nothing
    auto square = words_of(map("[0+(10:10,10:1)]", "[0+(10:1,10:10)]"));
    CHECK(square == words_of(map("[0+(20:20,20:1)]", "[0+(20:1,20:30)]")));
    CHECK(square != words_of(map("[0+(10:11,11:1)]", "[0+(10:11,11:11)]")));  // no longer square
}

std::shared_ptr<CachedFlush> entry_of(const Program& recorded, std::uint64_t hash) {
    auto form = std::make_shared<FinishedForm>();
    form->recorded = recorded.instructions;
    form->recorded_bases = recorded.bases.size();
    form->program = with_deaths(recorded, form->recorded_as);
    auto entry = std::make_shared<CachedFlush>();
    entry->hash = hash;
    entry->program = form->program;
    entry->form = form;
    return entry;
}

Program of_length(int n) { return Program::parse(two_sweeps(0, 40, n)); }

void exact_level() {
    MergeCache cache;
    // All under one hash: equality decides.
    for (int n = 2; n < 10; ++n) cache.store(entry_of(of_length(n), 7), 4);
    CHECK(cache.sizes().exact == 4);
    for (int n = 2; n < 10; ++n) {
        auto found = cache.find(of_length(n), 7, 0);
        CHECK((found != nullptr) == (n >= 6));
        CHECK(!found || found->program.same_structure(of_length(n)));
        CHECK(!cache.find(of_length(n), 8, 0) && !cache.find(of_length(n), 7, 1));
    }
    CHECK(cache.find(of_length(6), 7, 0));
    cache.store(entry_of(of_length(20), 9), 4);
    CHECK(cache.find(of_length(6), 7, 0));   // used just now
    CHECK(!cache.find(of_length(7), 7, 0));  // used least recently
    CHECK(!cache.admits(5, 8) && cache.admits(5, 8));
    int admitted = 0;
    for (int n = 0; n < 16; ++n) admitted += cache.admits(5, 4);
    CHECK(admitted == 2);  // a full one mostly stays as it is
    cache.clear();
    CHECK(cache.sizes().exact == 0 && !cache.admits(5, 8));
}

// A death or an input more is another program.
void deaths_count() {
    MergeCache cache;
    Program p = of_length(5);
    cache.store(entry_of(p, 1), 4);
    p.bases[0].dies = 1;
    CHECK(!cache.find(p, 1, 0));
    p.bases[0].dies = 0;
    CHECK(cache.find(p, 1, 0));
    p.bases[0].input = 0;
    CHECK(!cache.find(p, 1, 0));
}

void many_threads() {
    MergeCache cache;
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) {
        threads.emplace_back([&cache, t] {
            check::Random random{static_cast<unsigned long long>(t) + 1};
            for (int k = 0; k < 3000; ++k) {
                int n = static_cast<int>(random.between(2, 30));
                Program p = of_length(n);
                auto hash = static_cast<std::uint64_t>(n % 5);
                auto found = cache.find(p, hash, 0);
                if (!found) cache.store(entry_of(p, hash), 16);
                CHECK(!found || found->program.same_structure(p));
                if (random.below(500) == 0) cache.clear();
            }
        });
    }
    for (std::thread& t : threads) t.join();
    CHECK(cache.sizes().exact <= 16);
}

}  // namespace

int main() {
    symbols();
    programs_that_differ_in_an_overlap();
    what_guards_hold_for_is_legal();
    exact_level();
    deaths_count();
    many_threads();
    return 0;
}
