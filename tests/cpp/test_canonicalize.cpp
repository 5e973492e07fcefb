// Requests take the cheapest row that computes the same bits.

#include "record/canonicalize.hpp"

#include <complex>
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

void quotients() {
    const Request half = canonical(Op::Divide, DType::F64, -2.0);
    double factor = 0;
    std::memcpy(&factor, half.in[1].value.bytes, sizeof factor);
    CHECK(half.op == Op::Multiply && factor == -0.5 && half.step_of == StepOf::Quotient);
    CHECK(canonical(Op::Divide, DType::F32, 0.25f).op == Op::Multiply);
    // The inverse is not exact, not normal, or there is none.
    CHECK(canonical(Op::Divide, DType::F64, 3.0).op == Op::Divide);
    CHECK(canonical(Op::Divide, DType::F64, 0x1p1023).op == Op::Divide);
    CHECK(canonical(Op::Divide, DType::F64, 0x1p-1030).op == Op::Divide);
    CHECK(canonical(Op::Divide, DType::F32, 0.0f).op == Op::Divide);
    CHECK(canonical(Op::Divide, DType::C64, std::complex<float>(2)).op == Op::Divide);
    // In place of the divisor an array.
    static const View array;
    Request by_array = canonical(Op::Divide, DType::F64, 2.0);
    by_array.op = Op::Divide;
    by_array.in[1].view = &array;
    CHECK(!may_be_cheaper(by_array));
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
    quotients();
    tests_of_integers();
}
