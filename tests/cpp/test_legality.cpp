// What may share a block, rule by rule.
#include <string>

#include "base/error.hpp"
#include "fuse/fuse.hpp"
#include "fuse/partitioners/partitioners.hpp"
#include "support/check.hpp"
#include "support/partitions.hpp"

using namespace hassium;

namespace {

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
    CHECK(together("add.reduce axis=0 s[0+()] a\nminimum.reduce axis=0 s[1+()] b\n"));
    CHECK(together("maximum.reduce axis=0 s[0+()] a\nadd.reduce axis=0 s[1+()] a\n"));
    CHECK(
        !together("add.reduce axis=0 s[0+(4:1)] a[0+(3:4,4:1)]\n"
                  "add.reduce axis=1 d[0+(3:1)] a[0+(3:4,4:1)]\n"));
    // The same axes in another stride order.
    CHECK(
        !together("add.reduce axis=0 s[0+(4:1)] a[0+(3:4,4:1)]\n"
                  "add.reduce axis=0 d[0+(4:1)] b[0+(3:1,4:3)]\n"));
    CHECK(!together("add.reduce axis=0 s[0+()] a\nsubtract.reduce axis=0 s[1+()] b\n"));
    CHECK(!together("add.reduce axis=0 s[0+()] a\nmultiply.reduce axis=0 s[1+()] b\n"));
}

void rule_5_alone() {
    const char* spaced = "add.accumulate axis=0 a[0+(4:2)] a[0+(4:2)]\n";
    CHECK(!together(std::string("add b[0+(4:1)] b[0+(4:1)] 1\n") + spaced));
    CHECK(!together(std::string("add.accumulate axis=0 b[0+(4:1)] b[0+(4:1)]\n") + spaced));
    CHECK(!together("add b b 1\nargmax axis=0 i[0+()] a\n"));
    CHECK(!together("add b b 1\ntake axis=0 c[0+(4:1)] a i\n"));
    CHECK(!together("add b[0+(4:1)] b[0+(4:1)] 1\nput axis=0 a 1 i\n"));
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

// No third instruction brings together what may not join: greedy merging relies on it.
void refusals_are_for_good() {
    const char* lines[] = {
        "add a b 1\n",
        "add c a 1\n",
        "add a[0+(3:4,4:1)] b[0+(3:4,4:1)] 1\n",
        "add c[0+(3:4,4:1)] a[0+(3:4,4:1)] d[0+(3:0,4:1)]\n",
        "add c[0+(3:3,3:1)] a[0+(3:3,3:1)] 1\n",
        "add a[1+(3:1)] b[0+(3:1)] 1\n",
        "add c[0+(3:1)] a[0+(3:1)] 1\n",
        "add.reduce axis=1 s[0+(3:1)] a[0+(3:4,4:1)]\n",
        "maximum.reduce axis=1 d[0+(3:1)] c[0+(3:4,4:1)]\n",
        "add.reduce axis=0 s[0+(4:1)] a[0+(3:4,4:1)]\n",
        "add.reduce axis=0 s[0+()] a\n",
        "add.reduce axis=1 s[0+(3:1)] a[0+(3:3,3:1)]\n",
        "add c[0+(3:1)] s[0+(3:1)] 1\n",
        "add s[0+(3:1)] s[0+(3:1)] d[0+(3:2)]\n",
        "add c[0+(3:1)] s[1+(3:1)] 1\n",
        "add s[2+(3:-1)] d[0+(3:1)] 1\n",
        "add c[0+(4:1)] s[0+(4:1)] 1\n",
        "subtract b[0+(3:4,4:1)] a[0+(3:4,4:1)] s[0+(3:1,4:0)]\n",
        "subtract a[0+(3:4,4:1)] a[0+(3:4,4:1)] s[0+(3:1,4:0)]\n",
        "subtract b[0+(3:3,3:1)] a[0+(3:3,3:1)] s[0+(3:0,3:1)]\n",
        "subtract b[0+(3:4,4:1)] a[0+(3:4,4:1)] s[1+(3:1,4:0)]\n",
        "add b a s[0+()]\n",
        "add.accumulate axis=1 b[0+(3:4,4:1)] a[0+(3:4,4:1)]\n",
        "add.accumulate axis=0 c a\n",
    };
    int refused = 0;
    for (const char* one : lines) {
        for (const char* two : lines) {
            for (const char* three : lines) {
                Program p = Program::parse(std::string(kBases) + one + two + three);
                Graph graph = build_graph(p);
                Legality legality(graph);
                BlockState state[3];
                for (std::uint32_t k = 0; k < 3; ++k) legality.load(k, state[k]);
                if (legality.may_join(state[0], state[1])) continue;
                ++refused;
                for (int k = 0; k < 2; ++k) {
                    BlockState grown = state[k];
                    if (!legality.may_join(grown, state[2])) continue;
                    legality.join(grown, state[2]);
                    CHECK(!legality.may_join(grown, state[1 - k]));
                }
            }
        }
    }
    CHECK(refused > 1000);
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

void rule_11_accumulations() {
    CHECK(together("add a b 1\nadd.accumulate axis=0 a a\n"));
    CHECK(together("add.accumulate axis=0 a b\nmultiply b a 2\n"));
    CHECK(together("add.accumulate axis=0 a a\nmaximum.accumulate axis=0 b a\n"));
    // Along another axis than that of the stride of one item, or of another shape.
    CHECK(
        !together("add.accumulate axis=0 a[0+(3:4,4:1)] a[0+(3:4,4:1)]\n"
                  "add b[0+(3:4,4:1)] a[0+(3:4,4:1)] 1\n"));
    CHECK(!together("add.accumulate axis=1 a[0+(3:4,4:1)] a[0+(3:4,4:1)]\nadd b a 1\n"));
    CHECK(
        together("add.accumulate axis=1 a[0+(1:9,6:1)] a[0+(1:9,6:1)]\n"
                 "add b[0+(6:1)] a[0+(6:1)] 1\n"));
    CHECK(!together("add.accumulate axis=0 a[0+(6:1)] a[0+(6:1)]\nadd b[0+(6:1)] a[1+(6:1)] 1\n"));
    CHECK(!together("add.accumulate axis=0 a b\nadd.reduce axis=0 s[0+()] a\n"));
    // What it overwrites, others would read too late.
    CHECK(!together("add c b[11+(12:-1)] 1\nadd.accumulate axis=0 b a\n"));
}

void rule_11_scatters() {
    const std::string values = "add c[0+(4:1)] b[0+(4:1)] 1\n";
    const std::string put = "put axis=0 a c[0+(4:1)] i\n", at = "add.at axis=0 a c[0+(4:1)] i\n";
    CHECK(together(values + put) && together(values + at));
    CHECK(together(put + "multiply d[0+(4:2)] c[0+(4:1)] 2\n"));
    CHECK(together(at + "add.accumulate axis=0 d[0+(4:1)] c[0+(4:1)]\n"));
    // The vector that is written belongs to the scatter alone.
    CHECK(!together(at + at) && !together(put + at));
    CHECK(!together(at + "maximum.at axis=0 d b[0+(4:1)] i\n"));
    CHECK(!together(at + "add b[0+(4:1)] a[0+(4:1)] 1\n"));
    CHECK(!together("add a[8+(4:1)] b[0+(4:1)] 1\n" + put));
    // Values of another shape or order, a reduction, rows.
    CHECK(!together("add c b 1\n" + put));
    CHECK(!together("add c[3+(4:-1)] b[0+(4:1)] 1\n" + put));
    CHECK(!together(at + "add.reduce axis=0 s[0+()] c[0+(4:1)]\n"));
    CHECK(
        !together("add c[0+(4:2,2:1)] b[0+(4:2,2:1)] 1\n"
                  "put axis=0 a[0+(6:2,2:1)] c[0+(4:2,2:1)] i\n"));
}

void rule_11_segments() {
    const std::string values = "add c[0+(4:1)] b[0+(4:1)] 1\n";
    const std::string segments = "add.reduceat axis=0 s[0+(4:1)] c[0+(4:1)] i\n";
    CHECK(together(values + segments));
    CHECK(together(segments + "maximum.reduceat axis=0 d[0+(4:1)] c[0+(4:1)] i\n"));
    CHECK(!together(segments + "add d[0+(4:1)] s[0+(4:1)] 1\n"));
    CHECK(!together(segments + "subtract.reduceat axis=0 d[0+(4:1)] s[0+(4:1)] i\n"));
    CHECK(!together("add c[0+(4:2)] b[0+(4:1)] 1\nadd.reduceat axis=0 s[0+(4:1)] c[0+(4:2)] i\n"));
    CHECK(
        !together("add c[0+(2:4,4:1)] b[0+(2:4,4:1)] 1\n"
                  "add.reduceat axis=1 d[0+(2:4,4:1)] c[0+(2:4,4:1)] i\n"));
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

}  // namespace

int main() {
    rule_1_views();
    rule_2_shapes();
    rule_3_reductions();
    rule_4_trees();
    rule_5_alone();
    rule_6_system();
    rule_7_size();
    rule_8_kept_axes();
    rule_9_rows();
    rule_11_accumulations();
    rule_11_scatters();
    rule_11_segments();
    rows_of_programs();
    rows_of_pieces();
    refusals_are_for_good();
    order();
    return 0;
}
