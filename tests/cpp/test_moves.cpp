// Scans, gathers, scatters and argreductions on views with any strides, against loops over indices.
#include "exec/single/moves.hpp"

#include <atomic>
#include <cfenv>
#include <chrono>
#include <cmath>
#include <cstring>
#include <thread>
#include <vector>

#include "base/settings.hpp"
#include "exec/single/moves_common.hpp"
#include "support/check.hpp"

using namespace hassium;

namespace {

check::Random random_source{88172645463325252ull};

// A strided view over memory of its own, with space around it.
struct Array {
    DType dtype;
    Dims shape, strides;
    std::vector<char> bytes;
    std::int64_t offset = 0;

    char* at(const Dims& index) {
        std::int64_t p = offset;
        for (std::size_t k = 0; k < index.size(); ++k) p += index[k] * strides[k];
        return bytes.data() + p;
    }
    template <class T>
    T get(const Dims& index) {
        T x;
        std::memcpy(&x, at(index), sizeof(T));
        return x;
    }
    template <class T>
    void put(const Dims& index, T x) {
        std::memcpy(at(index), &x, sizeof(T));
    }
    BoundView view() { return {bytes.data() + offset, dtype, shape, strides}; }
};

enum class Layout { C, Fortran, Reversed, Spaced };
constexpr Layout kLayouts[] = {Layout::C, Layout::Fortran, Layout::Reversed, Layout::Spaced};

Array make(DType dtype, const Dims& shape, Layout layout) {
    Array a{dtype, shape, Dims(shape.size(), 0), {}, 0};
    std::int64_t step = itemsize(dtype) * (layout == Layout::Spaced ? 3 : 1);
    for (std::size_t k = 0; k < shape.size(); ++k) {
        const std::size_t axis = layout == Layout::Fortran ? k : shape.size() - 1 - k;
        a.strides[axis] = step;
        step *= shape[axis];
    }
    if (layout == Layout::Reversed) {
        for (std::size_t k = 0; k < shape.size(); ++k) {
            if (shape[k] > 0) a.offset += (shape[k] - 1) * a.strides[k];
            a.strides[k] = -a.strides[k];
        }
    }
    a.bytes.resize(static_cast<std::size_t>(step + 16), 0);
    return a;
}

template <class Body>
void for_indices(const Dims& shape, Body body) {
    Dims index(shape.size(), 0);
    for (std::int64_t n : shape) {
        if (n == 0) return;
    }
    for (;;) {
        body(index);
        std::size_t k = shape.size();
        while (k > 0 && ++index[k - 1] == shape[k - 1]) index[--k] = 0;
        if (k == 0) return;
    }
}

void randomise(Array& a, int nans = 0) {
    for_indices(a.shape, [&](const Dims& i) {
        const std::int64_t x = random_source.between(-9, 9);
        const bool nan = nans > 0 && random_source.below(nans) == 0;
        if (a.dtype == DType::F64) a.put(i, nan ? NAN : static_cast<double>(x) / 4);
        if (a.dtype == DType::I64) a.put(i, x);
        if (a.dtype == DType::I32) a.put(i, static_cast<std::int32_t>(x));
        if (a.dtype == DType::Bool) a.put(i, x == 9);
    });
}

void run(Op op, Method method, DType compute, int axis, std::vector<BoundView> views,
         bool part_is_constant = false) {
    const Instruction i{op, method, compute, 1, static_cast<std::uint8_t>(views.size() - 1),
                        0,  0,      0,       0, std::uint64_t{1} << axis};
    RunState state;
    run_single(i, views, {part_is_constant}, state);
}

Dims with(Dims index, std::size_t axis, std::int64_t value) {
    index[axis] = value;
    return index;
}

void scans() {
    for (Layout layout : kLayouts) {
        for (const Dims& shape :
             {Dims{5}, Dims{700, 20}, Dims{3, 1300}, Dims{4, 9, 11}, Dims{0, 4}}) {
            for (std::size_t axis = 0; axis < shape.size(); ++axis) {
                Array in = make(DType::I32, shape, layout);
                randomise(in);
                Array out = make(DType::I64, shape, Layout::C);
                run(Op::Add, Method::Accumulate, DType::I64, static_cast<int>(axis),
                    {out.view(), in.view()});
                for_indices(shape, [&](const Dims& i) {
                    std::int64_t sum = 0;
                    for (std::int64_t k = 0; k <= i[axis]; ++k) {
                        sum += in.get<std::int32_t>(with(i, axis, k));
                    }
                    CHECK(out.get<std::int64_t>(i) == sum);
                });
                // In place, in order: subtraction does not forgive another one.
                Array values = make(DType::F64, shape, layout);
                randomise(values);
                Array before = values;
                run(Op::Subtract, Method::Accumulate, DType::F64, static_cast<int>(axis),
                    {values.view(), values.view()});
                for_indices(shape, [&](const Dims& i) {
                    double x = before.get<double>(with(i, axis, 0));
                    for (std::int64_t k = 1; k <= i[axis]; ++k) {
                        x -= before.get<double>(with(i, axis, k));
                    }
                    CHECK(values.get<double>(i) == x);
                });
            }
        }
    }
}

Dims without(const Dims& shape, std::size_t axis) {
    Dims out;
    for (std::size_t k = 0; k < shape.size(); ++k) {
        if (k != axis) out.push_back(shape[k]);
    }
    return out;
}

template <class T>
std::int64_t position(Array& in, const Dims& kept, std::size_t axis, bool largest) {
    std::int64_t best = 0;
    for (std::int64_t k = 0; k < in.shape[axis]; ++k) {
        auto at = [&](std::int64_t q) {
            Dims index;
            for (std::size_t a = 0, from = 0; a < in.shape.size(); ++a) {
                index.push_back(a == axis ? q : kept[from++]);
            }
            return in.get<T>(index);
        };
        const T x = at(k), y = at(best);
        if (y != y) break;
        if (x != x || (largest ? x > y : x < y)) best = k;
    }
    return best;
}

template <class T>
void extremes(DType dtype, int nans) {
    for (Layout layout : kLayouts) {
        for (const Dims& shape : {Dims{6}, Dims{2000, 3}, Dims{3, 1700}, Dims{4, 9, 11},
                                  Dims{30, 600}, Dims{5, 7, 40}}) {
            for (std::size_t axis = 0; axis < shape.size(); ++axis) {
                Array in = make(dtype, shape, layout);
                randomise(in, nans);
                for (Op op : {Op::Argmax, Op::Argmin}) {
                    Array out = make(DType::I64, without(shape, axis), Layout::C);
                    run(op, Method::Reduce, dtype, static_cast<int>(axis), {out.view(), in.view()});
                    for_indices(out.shape, [&](const Dims& kept) {
                        CHECK(out.get<std::int64_t>(kept) ==
                              position<T>(in, kept, axis, op == Op::Argmax));
                    });
                }
            }
        }
    }
}

// The part's index: the index's axes in place of the axis.
Dims part_shape(const Dims& whole, std::size_t axis, const Dims& index) {
    Dims out;
    for (std::size_t k = 0; k < whole.size(); ++k) {
        if (k != axis) {
            out.push_back(whole[k]);
            continue;
        }
        for (std::int64_t n : index) out.push_back(n);
    }
    return out;
}

Dims whole_index(const Dims& part, std::size_t axis, std::size_t index_rank, std::int64_t value) {
    Dims out;
    for (std::size_t k = 0; k < axis; ++k) out.push_back(part[k]);
    out.push_back(value);
    for (std::size_t k = axis + index_rank; k < part.size(); ++k) out.push_back(part[k]);
    return out;
}

Dims index_of(const Dims& part, std::size_t axis, std::size_t index_rank) {
    Dims out;
    for (std::size_t k = 0; k < index_rank; ++k) out.push_back(part[axis + k]);
    return out;
}

void gathers_and_scatters() {
    for (Layout layout : kLayouts) {
        for (const Dims& shape : {Dims{7}, Dims{30, 20}, Dims{3, 4, 600}, Dims{2, 5, 3, 4}}) {
            for (const Dims& index_shape : {Dims{}, Dims{6}, Dims{3, 4}, Dims{0}}) {
                for (std::size_t axis = 0; axis < shape.size(); ++axis) {
                    Array whole = make(DType::F64, shape, layout);
                    randomise(whole);
                    Array index = make(DType::I64, index_shape, layout);
                    for_indices(index_shape, [&](const Dims& i) {
                        index.put(i, static_cast<std::int64_t>(random_source.below(shape[axis])));
                    });
                    const Dims part = part_shape(shape, axis, index_shape);
                    const std::size_t rank = index_shape.size();
                    // The value is stored as another dtype.
                    for (DType stored : {DType::F64, DType::I32}) {
                        Array out = make(stored, part, Layout::Fortran);
                        run(Op::Take, Method::Call, DType::F64, static_cast<int>(axis),
                            {out.view(), whole.view(), index.view()});
                        for_indices(part, [&](const Dims& i) {
                            const auto k = index.get<std::int64_t>(index_of(i, axis, rank));
                            const double x = whole.get<double>(whole_index(i, axis, rank, k));
                            CHECK(stored == DType::F64
                                      ? out.get<double>(i) == x
                                      : out.get<std::int32_t>(i) == static_cast<std::int32_t>(x));
                        });
                    }
                    Array values = make(DType::F64, part, Layout::Spaced);
                    randomise(values);
                    Array wanted = whole;
                    for_indices(part, [&](const Dims& i) {
                        const auto k = index.get<std::int64_t>(index_of(i, axis, rank));
                        wanted.put(whole_index(i, axis, rank, k), values.get<double>(i));
                    });
                    run(Op::Put, Method::Call, DType::F64, static_cast<int>(axis),
                        {whole.view(), values.view(), index.view()});
                    CHECK(whole.bytes == wanted.bytes);
                    // One value for all places.
                    double one = 0.75;
                    static constexpr std::int64_t kNowhere[kMaxDims] = {};
                    BoundView constant{
                        reinterpret_cast<char*>(&one), DType::F64, shape, {kNowhere, shape.size()}};
                    for_indices(part, [&](const Dims& i) {
                        const auto k = index.get<std::int64_t>(index_of(i, axis, rank));
                        wanted.put(whole_index(i, axis, rank, k), one);
                    });
                    run(Op::Put, Method::Call, DType::F64, static_cast<int>(axis),
                        {whole.view(), constant, index.view()}, true);
                    CHECK(whole.bytes == wanted.bytes);
                }
            }
        }
    }
}

// Enough work for more than one thread; the workers' conditions are reported.
void threads() {
    constexpr std::int64_t kRows = 64, kLength = 5000;
    Array in = make(DType::F64, {kRows, kLength}, Layout::C);
    for_indices(in.shape, [&](const Dims& i) { in.put(i, i[0] == kRows - 1 ? 1e308 : 1.0); });
    Array out = make(DType::F64, {kRows, kLength}, Layout::C);
    const std::vector<BoundView> views{out.view(), in.view()};
    const Instruction i{Op::Add, Method::Accumulate, DType::F64, 1, 1, 0, 0, 0, 0, 2};
    RunState state;
    std::feclearexcept(FE_ALL_EXCEPT);
    run_single(i, views, {}, state);
    CHECK((state.raised & kOver) != 0 || std::fetestexcept(FE_OVERFLOW));
    CHECK(out.get<double>({0, kLength - 1}) == static_cast<double>(kLength));
    CHECK(std::isinf(out.get<double>({kRows - 1, 1})));
}

// Jobs that wait for those before them are claimed in order: the second thread begins with the
// second job, not with a share of its own.
void in_order() {
    settings().set("threads", "2");
    std::atomic<int> begun{0};
    std::atomic<bool> together{false};
    RunState state;
    const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    auto job = [&](std::int64_t first, std::int64_t last) {
        CHECK(last == first + 1);
        begun |= 1 << first;
        if (first == 1) CHECK((begun & ~3) == 0);
        // The first one goes on when the second has begun.
        while (first == 0 && !together && std::chrono::steady_clock::now() < limit) {
            together = (begun & 2) != 0;
            std::this_thread::yield();
        }
    };
    spread(8, std::int64_t{1} << 20, state, job, true);
    CHECK(together && begun == 0xff);
    settings().set("threads", "0");
}

}  // namespace

int main() {
    scans();
    in_order();
    extremes<double>(DType::F64, 0);
    extremes<double>(DType::F64, 500);
    extremes<std::int64_t>(DType::I64, 0);
    extremes<std::int32_t>(DType::I32, 0);
    extremes<bool>(DType::Bool, 0);
    gathers_and_scatters();
    threads();
    return 0;
}
