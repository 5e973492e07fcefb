// Products of many small matrices, at which BLAS is slow, and of integers, which it does not have.
// A single product of floats is left to BLAS.
#include <algorithm>
#include <utility>
#include <vector>

#include "exec/single/moves_common.hpp"

namespace hassium {
namespace {

// Extents up to which BLAS takes longer to start than to multiply: of matrices, of a matrix and a
// vector, of complex matrices.
constexpr std::int64_t kMostReal = 32, kMostVector = 8, kMostComplex = 3;
// Rows per job of a larger product.
constexpr std::int64_t kRowBlock = 32;
// Multiplications that take as long as one element of the cheapest operation.
constexpr std::int64_t kTogether = 4;

// The matrices of a product, and their places in a stack. A vector is a matrix of one row (on the
// left) or column.
class Stack {
  public:
    Stack(Op op, std::span<const BoundView> operands)
        : out_(operands[0]), a_(operands[1]), b_(operands[2]) {
        const bool row = a_.shape.size() == 1 || info(op).has(kLeftVector);
        const bool column = b_.shape.size() == 1 || info(op).has(kRightVector);
        const std::size_t of_a = row ? 1 : 2, of_b = column ? 1 : 2;
        const std::size_t of_out = (row ? 0u : 1u) + (column ? 0u : 1u);
        auto from_end = [](std::span<const std::int64_t> of, std::size_t k) {
            return of[of.size() - k];
        };
        shape.inner = from_end(a_.shape, 1);
        rows = row ? 1 : from_end(a_.shape, 2);
        shape.columns = column ? 1 : from_end(b_.shape, 1);
        const std::int64_t item = itemsize(out_.dtype);
        shape.a[0] = row ? 0 : from_end(a_.strides, 2);
        shape.a[1] = from_end(a_.strides, 1);
        shape.b[0] = from_end(b_.strides, of_b);
        shape.b[1] = column ? item : from_end(b_.strides, 1);
        shape.out[0] = row ? 0 : from_end(out_.strides, of_out);
        shape.out[1] = column ? item : from_end(out_.strides, 1);
        if (shape.columns == 1) shape.b[1] = shape.out[1] = item;
        stack(out_.shape.size() - of_out, a_.shape.size() - of_a, b_.shape.size() - of_b);
        turn(item);
    }

    ProductShape shape;
    std::int64_t rows;
    Odometer places;

    std::int64_t work() const { return places.count() * rows * shape.inner * shape.columns; }
    bool fits(std::int64_t most) const {
        return std::max({rows, shape.inner, shape.columns}) <= most;
    }
    bool of_vector() const { return rows == 1 || shape.columns == 1; }
    bool by_rows(std::int64_t item) const { return shape.b[1] == item && shape.out[1] == item; }
    // The operands, swapped for a transposed product.
    char* out() const { return out_.data; }
    const char* a() const { return transposed_ ? b_.data : a_.data; }
    const char* b() const { return transposed_ ? a_.data : b_.data; }
    std::int64_t a_place() const { return places.at(transposed_ ? 2 : 1); }
    std::int64_t b_place() const { return places.at(transposed_ ? 1 : 2); }

  private:
    const BoundView &out_, &a_, &b_;
    bool transposed_ = false;

    void stack(std::size_t of_out, std::size_t of_a, std::size_t of_b) {
        for (std::size_t k = 0; k < of_out; ++k) {
            auto stride = [&](const BoundView& v, std::size_t axes) -> std::int64_t {
                const std::size_t missing = of_out - axes;
                return k < missing || v.shape[k - missing] == 1 ? 0 : v.strides[k - missing];
            };
            places.axis(out_.shape[k], out_.strides[k], stride(a_, of_a), stride(b_, of_b));
        }
    }
    // Multiplies the transposed matrices if their rows, and not those of the matrices, are
    // contiguous.
    void turn(std::int64_t item) {
        if (by_rows(item) || rows == 1 || shape.a[0] != item || shape.out[0] != item) return;
        transposed_ = true;
        std::swap(rows, shape.columns);
        std::swap(shape.out[0], shape.out[1]);
        std::swap(shape.a, shape.b);
        std::swap(shape.a[0], shape.a[1]);
        std::swap(shape.b[0], shape.b[1]);
    }
};

bool takes(const Stack& stack, DType dtype) {
    switch (kind(dtype)) {
        case DTypeKind::Float:
            return stack.places.count() > 1 &&
                   stack.fits(stack.of_vector() ? kMostVector : kMostReal);
        case DTypeKind::Complex:
            return stack.places.count() > 1 && stack.fits(kMostComplex);
        default:
            return true;
    }
}

// The rows of one integer matrix, packed if that pays.
class Packed {
  public:
    Packed(Stack& stack, DType dtype, const KernelTable& table) : b(stack.b()) {
        constexpr std::int64_t kWorthIt = 8;  // rows that are multiplied with it
        const std::int64_t item = itemsize(dtype), row = stack.shape.columns * item;
        if (!is_integer(dtype) || stack.places.count() > 1 || stack.rows < kWorthIt) return;
        if (stack.by_rows(item) || stack.shape.out[1] != item) return;
        memory_.resize(static_cast<std::size_t>(stack.shape.inner * row));
        for (std::int64_t k = 0; k < stack.shape.inner; ++k) {
            table.load[item_log2(item)](memory_.data() + k * row, b + k * stack.shape.b[0],
                                        stack.shape.b[1], stack.shape.columns);
        }
        stack.shape.b[0] = row;
        stack.shape.b[1] = item;
        b = memory_.data();
    }
    const char* b;

  private:
    std::vector<char> memory_;
};

bool multiply_small(const Instruction& i, std::span<const BoundView> operands, RunState& state) {
    const DType dtype = operands[0].dtype;
    const MultiplyFn kernel = kernels().multiply[static_cast<int>(dtype)];
    // A vector on the left is conjugated.
    const bool conjugates = info(i.op).has(kLeftVector) && kind(dtype) == DTypeKind::Complex;
    if (!kernel || conjugates) return false;
    for (const BoundView& v : operands) {
        if (v.dtype != dtype || std::ranges::find(v.shape, 0) != v.shape.end()) return false;
        if (&v != operands.data() && may_share(v, operands[0])) return false;
    }
    if (operands[1].shape.empty() || operands[2].shape.empty()) return false;
    Stack stack(i.op, operands);
    if (!takes(stack, dtype)) return false;
    const Packed packed(stack, dtype, kernels());
    const std::int64_t blocks = (stack.rows + kRowBlock - 1) / kRowBlock;
    auto work = [&](std::int64_t first, std::int64_t last) {
        Stack at = stack;
        at.places.seek(first / blocks);
        for (std::int64_t block = first % blocks; first < last; ++first) {
            const std::int64_t row = block * kRowBlock;
            kernel(at.shape, at.out() + at.places.at(0) + row * at.shape.out[0],
                   at.a() + at.a_place() + row * at.shape.a[0], packed.b + at.b_place(),
                   std::min(kRowBlock, at.rows - row));
            if (++block == blocks) {
                block = 0;
                at.places.next();
            }
        }
    };
    spread(stack.places.count() * blocks, stack.work() / kTogether, state, work);
    return true;
}

void multiply(const Instruction& i, std::span<const BoundView> operands, RunState& state) {
    if (!multiply_small(i, operands, state)) run_library_routine(i, operands, state);
}

const RegisteredRoutine routines[] = {
    {Op::Matmul, multiply}, {Op::Matvec, multiply}, {Op::Vecmat, multiply}};

}  // namespace

}  // namespace hassium
