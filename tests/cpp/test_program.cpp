// The text form: golden lines, a round trip, and what each malformed line is told.
#include "program/program.hpp"

#include <cstring>

#include "base/error.hpp"
#include "support/check.hpp"
#include "support/fig3.hpp"

using namespace hassium;

namespace {

// Canonical text dumps as itself.
void same(const std::string& text) {
    Program p = Program::parse(text);
    p.verify();
    CHECK_TEXT(p.dump(), text);
    CHECK(Program::parse(p.dump()).same_structure(p));
}

void becomes(const std::string& text, const std::string& canonical) {
    CHECK_TEXT(Program::parse(text).dump(), canonical);
    same(canonical);
}

void round_trips() {
    same("base b0 float64 10 input\nbase b1 float64 10\nadd b1 b0 0.5\nsync b1\ndel b0\n");
    same("base b0 float64 12\nadd.reduce axis=0 b0[0+(4:1)] b0[4+(2:4,4:1)]\n");
    same("base b0 float64 12\nadd.reduce axis=0,1 b0[0+()] b0[4+(2:4,4:1)]\n");
    same("base b0 int32 8\nbase b1 int64 8\nadd.accumulate axis=0 b1 b0\n");
    same("base b0 int32 8\nadd.accumulate:int32 axis=0 b0 b0\n");
    same(
        "base b0 float64 6\nbase b1 int64 4\nbase b2 float64 4\nadd.at axis=0 b0 b2 b1\n"
        "multiply.at axis=0 b0 2.0 b1\nadd.reduceat axis=0 b2 b0 b1\n");
    same("base b0 float64 4\nbase b1 bool 4\nless b1 b0 1.0\ncopy b0 0.0 where=b1\n");
    same("base b0 float64 8\nmodf b0[0+(4:1)],b0[4+(4:1)] 2.5\n");
    same(
        "base b0 complex128 4\nmultiply b0 b0 1.0+2.0j\nadd b0:float64@[8+(4:16)] "
        "b0:float64@[0+(4:16)] 1.0\n");
    same("base b0 float64 6\ncopy b0[5+(6:-1)] 3.0\n");
    same("base b0 float32 6\ncopy b0 0.1\nadd b0 b0 0.1\nadd:float64 b0 b0 0.1\n");
    same("base b0 int64 5\narange b0 0 1\n");
    // The bits of no number, and of a nan with a payload.
    same(
        "base b0 float64 5\nrandom b0 0xfff123456789abcd7ff0000000000001 "
        "0x00000000000000000000000000000001\n");
    same(
        "base b0 float64 9\nbase b1 int64 2\nbase b2 float64 6\n"
        "take axis=1 b2[0+(3:2,2:1)] b0[0+(3:3,3:1)] b1\nput axis=0 b0 0.0 b1\n");
    same("base b0 float64 4\nbase b1 int64 1\nargmax axis=0 b1[0+()] b0\n");
    same("base b0 int8 4\nadd b0 b0 3\nadd:int64 b0 b0 300\nadd b0 b0 True:bool\n");
    same(
        "base b0 float64 2\ncopy b0 inf\ncopy b0 -inf\ncopy b0 nan\ncopy b0 -0.0\ncopy b0 "
        "1e+300\n");
    same("base b0 float64 4\nbase b1 bool 4\nwhere b0 b1 b0 0.0\nclip b0 b0 -1.0 1.0\n");
    same("base b0 int64 4\nbase b1 uint64 4\nbase b2 bool 4\nequal_mixed b2 b0 b1\n");
}

void canonical_forms() {
    becomes("# a comment\n\n base   x float64 3\nabs x x  # trailing\n",
            "base b0 float64 3\nabsolute b0 b0\n");
    // Inputs broadcast to the output.
    becomes("base m float64 6\nbase v float64 3\nadd m[0+(2:3,3:1)] m[0+(2:3,3:1)] v\n",
            "base b0 float64 6\nbase b1 float64 3\n"
            "add b0[0+(2:3,3:1)] b0[0+(2:3,3:1)] b1[0+(2:0,3:1)]\n");
    becomes("base a float64 3\nadd a a 1\n", "base b0 float64 3\nadd b0 b0 1.0\n");
    becomes("base a complex64 3\nadd a a 1j\n", "base b0 complex64 3\nadd b0 b0 0.0+1.0j\n");
    // A suffix that says nothing new goes away.
    becomes("base a float64 3\nadd:float64 a a 1\n", "base b0 float64 3\nadd b0 b0 1.0\n");
    becomes("base a int64 4\nbase b uint64 4\nbase c bool 4\nequal c a b\n",
            Program::parse("base a int64 4\nbase b uint64 4\nbase c bool 4\nequal c a b\n").dump());
    Program fig3 = Program::parse(kFig3);
    CHECK(fig3.instructions.size() == 17 && fig3.names[2] == "D");
    same(fig3.dump());
}

void refused(const std::string& text, const std::string& message) {
    try {
        Program::parse(text);
    } catch (const UserError& error) {
        CHECK(error.kind() == ErrorKind::Value);
        CHECK_TEXT(error.what(), "[program] " + message);
        return;
    }
    check::fail(__FILE__, __LINE__, "accepted: " + text);
}

void errors() {
    const std::string a = "base a float64 4\n";
    const std::string forms =
        "a view is NAME, NAME[OFFSET+(EXTENT:STRIDE,...)] or "
        "NAME:DTYPE@[OFFSET+(EXTENT:STRIDE,...)]";
    refused("adds a a",
            "line 1: unknown opcode 'adds': must be base, del, sync or the NumPy name of "
            "an operation, such as add");
    refused("\n\nbase a", "line 3: must be base NAME DTYPE COUNT [input]");
    refused("base a float 4",
            "line 1: unknown dtype 'float': must be one of bool, int8, int16, "
            "int32, int64, uint8, uint16, uint32, uint64, float16, float32, "
            "float64, complex64, complex128");
    refused("base 3 float64 4",
            "line 1: bad base name '3': letters, digits, _ and ., not a number, "
            "beginning with a letter or _");
    refused("base a float64 -4", "line 1: bad count '-4': must be a number of elements");
    refused("base a float64 4 output",
            "line 1: unexpected 'output': only `input` may follow the count");
    refused(a + "base a int8 1", "line 2: base 'a' exists already");
    refused(a + "add a a b",
            "line 2: unknown base 'b': declare it by `base NAME DTYPE COUNT` first");
    refused(a + "add a a", "line 2: 'add' takes 1 output(s) and 2 input(s), not 1 and 1");
    refused(a + "add a a a[0+(5:1)]",
            "line 2: view 'a[0+(5:1)]' lies outside its base of 32 bytes");
    refused(a + "add a a a[0+(4:1)", "line 2: bad view 'a[0+(4:1)': " + forms);
    refused(a + "add a a a:float32", "line 2: bad view 'a:float32': " + forms);
    refused(a + "add a[0+(2:1)] a[1+(2:1)] 1",
            "line 2: an input overlaps an output without being the same view");
    refused(a + "add a[0+(3:1)] a 1", "line 2: cannot broadcast 'a' to the shape of the operation");
    refused(a + "sqrt.reduce axis=0 a a", "line 2: 'sqrt' has no method reduce");
    refused(a + "add.fold a a",
            "line 2: unknown method 'fold': must be reduce, accumulate, reduceat or at");
    refused(a + "exp.at axis=0 a a a", "line 2: 'exp' has no method at");
    refused(a + "add.reduce axis=1 a[0+()] a[1+(3:1)]", "line 2: an axis is out of bounds");
    refused(a + "add.reduce axis=x a a",
            "line 2: bad axis in 'axis=x': must be axis=N,N,... counted "
            "from 0");
    refused(a + "add.reduce axis=0 a[0+(2:1)] a[2+(2:1)]",
            "line 2: the output has shape (2), the kept axes have ()");
    refused(a + "maximum.reduce axis=0 a[0+()] a[1+(0:1)]",
            "line 2: it reduces nothing, and the operation has no identity");
    refused(a + "bitwise_and a a a",
            "line 2: 'bitwise_and' has no loop for these dtypes: name one, "
            "as in bitwise_and:float64");
    refused(a + "bitwise_and:float64 a a a", "line 2: 'bitwise_and' has no loop in float64");
    refused(a + "del a\nadd a a 1", "line 3: base 'a' is used after its del");
    refused(a + "del a a", "line 2: must be del NAME");
    refused("base a int8 4\nadd a a 300", "line 2: '300' is no value of dtype int8");
    refused(a + "add a a 1 where=a", "line 2: the mask 'a' is not bool");
    refused(a + "base m bool 4\nadd a a where=m 1",
            "line 3: unexpected '1': where=VIEW is the last word");
    refused(a + "sqrt a[99999999999999999999+()] 1",
            "line 2: bad view 'a[99999999999999999999+()]': " + forms);
}

// Arbitrary damage ends in an answer or a UserError, never in anything else.
void damaged() {
    check::Random random{7};
    std::string text = kFig3;
    text += "base Z complex64 3\nadd.reduce axis=0 Z[0+()] Z:complex64@[8+(2:8)]\n";
    int accepted = 0, refused = 0;
    for (int round = 0; round < 20000; ++round) {
        std::string broken = text;
        for (long long k = random.between(1, 3); k > 0; --k) {
            auto at = static_cast<std::size_t>(random.below(static_cast<long long>(broken.size())));
            const char* alphabet = "ab0 19[](),:+-.@=#\nDET";
            if (random.below(2))
                broken[at] = alphabet[random.below(22)];
            else
                broken.erase(at, 1);
        }
        try {
            Program p = Program::parse(broken);
            p.verify();
            same(p.dump());
            ++accepted;
        } catch (const UserError&) {
            ++refused;
        }
    }
    CHECK(accepted > 100 && refused > 5000);
}

void identity() {
    Program p = Program::parse(kFig3), q = Program::parse(kFig3);
    CHECK(p.same_structure(q) && p.hash() == q.hash());
    q.constants[0].bytes[3] = 1;
    q.origins[2].site = 9;
    CHECK(p.same_structure(q) && p.hash() == q.hash());
    Program r = Program::parse(std::string(kFig3) + "base Z int8 1\n");
    CHECK(!p.same_structure(r) && p.hash() != r.hash());
    for (std::size_t k = 0; k < p.geometry.size(); ++k) {
        Program changed = p;
        ++changed.geometry[k];
        CHECK(!p.same_structure(changed) && p.hash() != changed.hash());
    }
    p.clear();
    CHECK(p.bases.empty() && p.instructions.empty() && p.names.empty());
}

void verification() {
    Program p = Program::parse("base a float64 4\nbase b float64 4\nadd b a 1\ndel a\n");
    p.verify();
    auto broken = [&](auto change, const char* what) {
        Program q = p;
        change(q);
        try {
            q.verify();
        } catch (const InternalError& error) {
            if (!std::strstr(error.what(), what)) check::fail(__FILE__, __LINE__, error.what());
            return;
        }
        check::fail(__FILE__, __LINE__, what);
    };
    broken([](Program& q) { q.geometry[0] = 5; }, "outside its base");
    broken([](Program& q) { q.geometry[0] = 3; }, "an operand has shape");
    broken([](Program& q) { q.instructions[0].operands = 99; }, "outside the operand list");
    broken([](Program& q) { q.instructions[0].nin = 1; }, "takes 1 output(s) and 2 input(s)");
    broken([](Program& q) { q.operands[0].base = 9; }, "names no base");
    broken([](Program& q) { q.operands[2].offset = 9; }, "constant list");
    broken([](Program& q) { std::swap(q.instructions[0], q.instructions[1]); }, "after its del");
    broken([](Program& q) { q.instructions[0].axes = 1; }, "takes no axes");
    broken([](Program& q) { q.origins.pop_back(); }, "origin");
}

}  // namespace

int main() {
    round_trips();
    canonical_forms();
    errors();
    damaged();
    identity();
    verification();
    return 0;
}
