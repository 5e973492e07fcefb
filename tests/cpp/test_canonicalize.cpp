// Requests take the cheapest row that computes the same bits.

#include "record/canonicalize.hpp"

#include <cstring>

#include "support/check.hpp"

using namespace hassium;

namespace {

// An operation of an array, which nothing looks at, and a number.
template <class T>
Request canonical(Op op, DType dtype, T number) {
    static const View array;
    Request request;
    request.op = op;
    request.compute = dtype;
    request.nin = 2;
    request.in[0] = {&array, dtype, {}};
    request.in[1].dtype = dtype;
    std::memcpy(request.in[1].value.bytes, &number, sizeof number);
    if (may_be_cheaper(request)) canonicalize(request);
    return request;
}

void powers() {
    CHECK(canonical(Op::Power, DType::F64, 2.0).op == Op::Square);
    CHECK(canonical(Op::Power, DType::F64, 0.5).op == Op::Sqrt);
    CHECK(canonical(Op::Power, DType::F64, -1.0).op == Op::Reciprocal);
    CHECK(canonical(Op::Power, DType::F64, 1.0).op == Op::Copy);
    CHECK(canonical(Op::Power, DType::F64, 2.0).nin == 1);
    CHECK(canonical(Op::Power, DType::F64, 2.0).step_of == StepOf::Power);
    CHECK(canonical(Op::Power, DType::F64, 3.0).op == Op::Power);
    CHECK(canonical(Op::Power, DType::I64, std::int64_t{2}).op == Op::Power);
    const Request one = canonical(Op::Power, DType::I64, std::int64_t{0});
    CHECK(one.op == Op::Copy && !one.in[0].view && one.in[0].value.bytes[0] == 1);
}

void divisions() {
    const Request shift = canonical(Op::FloorDivide, DType::I32, std::int32_t{8});
    CHECK(shift.op == Op::RightShift && shift.in[1].value.bytes[0] == 3);
    const Request mask = canonical(Op::Remainder, DType::I32, std::int32_t{8});
    CHECK(mask.op == Op::BitwiseAnd && mask.in[1].value.bytes[0] == 7);
    CHECK(canonical(Op::FloorDivide, DType::I32, std::int32_t{-8}).op == Op::FloorDivide);
    CHECK(canonical(Op::FloorDivide, DType::I32, std::int32_t{6}).op == Op::FloorDivide);
    CHECK(canonical(Op::FloorDivide, DType::F64, 8.0).op == Op::FloorDivide);
}

void tests_of_integers() {
    const Request finite = canonical(Op::Isfinite, DType::I16, std::int16_t{});
    CHECK(finite.op == Op::Copy && finite.in[0].value.bytes[0] == 1);
    const Request nan = canonical(Op::Isnan, DType::Bool, false);
    CHECK(nan.op == Op::Copy && nan.in[0].value.bytes[0] == 0);
    CHECK(canonical(Op::Isnan, DType::F32, 0.0f).op == Op::Isnan);
}

}  // namespace

int main() {
    powers();
    divisions();
    tests_of_integers();
}
