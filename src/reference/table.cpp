#include "reference/table.hpp"

#include <array>
#include <cstring>
#include <limits>

#include "ops/loop_types.hpp"
#include "reference/ops.hpp"

namespace hassium::reference {
namespace {

// The C++ type that computes like the dtype; for float16 the storage type.
template <class T>
struct NativeOf {
    using Type = T;
};
template <>
struct NativeOf<Complex64> {
    using Type = std::complex<float>;
};
template <>
struct NativeOf<Complex128> {
    using Type = std::complex<double>;
};
template <DType D>
struct NativeType;
#define HS_DTYPE(id, name, type, kind, code, bytes) \
    template <>                                     \
    struct NativeType<DType::id> : NativeOf<type> {};
#include "base/dtypes.def"
#undef HS_DTYPE
template <DType D>
using Native = typename NativeType<D>::Type;

// Calls visit.operator()<D>() with the dtype as a constant.
template <class Visit>
auto with_dtype(DType dtype, Visit visit) {
    switch (dtype) {
#define HS_DTYPE(id, name, type, kind, code, bytes) \
    case DType::id:                                 \
        return visit.template operator()<DType::id>();
#include "base/dtypes.def"
#undef HS_DTYPE
    }
    __builtin_unreachable();
}

template <DType D>
Native<D> load(const void* from) {
    if constexpr (D == DType::Bool) {
        return *static_cast<const unsigned char*>(from) != 0;
    } else {
        Native<D> value;
        std::memcpy(&value, from, sizeof value);
        return value;
    }
}
template <DType D, class T>
void store(void* to, T value) {
    Native<D> stored = convert<Native<D>>(value);
    std::memcpy(to, &stored, sizeof stored);
}

// One type per Map row; call() is the function with the row's id.
#define HS_NO_ROW(id)
#define HS_ROW_Map(id)                                                       \
    struct Row##id {                                                         \
        template <class... Args>                                             \
        static auto call(Args... args) -> decltype(reference::id(args...)) { \
            return reference::id(args...);                                   \
        }                                                                    \
    };
#define HS_ROW_Reduce(id) HS_NO_ROW(id)
#define HS_ROW_Generate(id) HS_NO_ROW(id)
#define HS_ROW_Gather(id) HS_NO_ROW(id)
#define HS_ROW_Scatter(id) HS_NO_ROW(id)
#define HS_ROW_Opaque(id) HS_NO_ROW(id)
#define HS_ROW_System(id) HS_NO_ROW(id)
#define HS_OP(id, name, nin, nout, cls, rule, flags, identity, cycles, ulp, raises, ...) \
    HS_ROW_##cls(id)
#include "ops/ops.def"
#undef HS_OP
#undef HS_ROW_Map

float widen(Half h) { return to_float(h); }
template <class T>
T widen(T value) {
    return value;
}

// float16 is passed as float unless the row's function takes Half.
template <class Row, class... Args>
auto call(Args... args) {
    if constexpr (requires { Row::call(args...); }) {
        return Row::call(args...);
    } else {
        return Row::call(widen(args)...);
    }
}

template <class T>
struct IsPair : std::false_type {};
template <class A, class B>
struct IsPair<std::pair<A, B>> : std::true_type {};

template <class Row, Op op, DType compute>
void element(const Value* in, Value* out) {
    constexpr LoopTypes loop = loop_types(info(op).rule, compute);
    auto result = [&] {
        if constexpr (info(op).nin == 1) {
            return call<Row>(load<loop.in[0]>(in));
        } else if constexpr (info(op).nin == 2) {
            return call<Row>(load<loop.in[0]>(in), load<loop.in[1]>(in + 1));
        } else {
            return call<Row>(load<loop.in[0]>(in), load<loop.in[1]>(in + 1),
                             load<loop.in[2]>(in + 2));
        }
    }();
    static_assert(IsPair<decltype(result)>::value == (info(op).nout == 2),
                  "a row's function returns as many values as the row has outputs");
    if constexpr (info(op).nout == 2) {
        store<loop.out[0]>(out, result.first);
        store<loop.out[1]>(out + 1, result.second);
    } else {
        store<loop.out[0]>(out, result);
    }
}

template <class Row, Op op, DType compute>
constexpr ElementFn element_or_null() {
    if constexpr (loop_types(info(op).rule, compute).exists) {
        return &element<Row, op, compute>;
    } else {
        return nullptr;
    }
}

using RowFns = std::array<ElementFn, kDTypeCount>;

template <class Row, Op op>
constexpr RowFns row_fns() {
    return [&]<std::size_t... t>(std::index_sequence<t...>) {
        return RowFns{element_or_null<Row, op, static_cast<DType>(t)>()...};
    }(std::make_index_sequence<kDTypeCount>());
}

#define HS_ROW_Map(id) row_fns<Row##id, Op::id>()
#undef HS_NO_ROW
#define HS_NO_ROW(id) \
    RowFns {}
constexpr RowFns kElements[kOpCount] = {
#define HS_OP(id, name, nin, nout, cls, rule, flags, identity, cycles, ulp, raises, ...) \
    HS_ROW_##cls(id),
#include "ops/ops.def"
#undef HS_OP
};

template <DType From, DType To>
void cast(const void* from, void* to) {
    store<To>(to, load<From>(from));
}

template <DType From>
constexpr std::array<CastFn, kDTypeCount> casts_from() {
    return []<std::size_t... t>(std::index_sequence<t...>) {
        return std::array<CastFn, kDTypeCount>{&cast<From, static_cast<DType>(t)>...};
    }(std::make_index_sequence<kDTypeCount>());
}

constexpr std::array<CastFn, kDTypeCount> kCasts[kDTypeCount] = {
#define HS_DTYPE(id, name, type, kind, code, bytes) casts_from<DType::id>(),
#include "base/dtypes.def"
#undef HS_DTYPE
};

}  // namespace

ElementFn element_fn(Op op, DType compute) {
    return kElements[static_cast<int>(op)][static_cast<std::size_t>(compute)];
}

CastFn cast_fn(DType from, DType to) {
    return kCasts[static_cast<int>(from)][static_cast<std::size_t>(to)];
}

void range_value(DType dtype, const Value& start, const Value& step, std::int64_t position,
                 Value& out) {
    with_dtype(dtype, [&]<DType D>() {
        auto a = widen(load<D>(start.bytes));
        auto d = widen(load<D>(step.bytes));
        using T = decltype(a);
        if constexpr (D == DType::Bool) {
            store<D>(out.bytes, a != (d && position % 2 != 0));
        } else if constexpr (Complex<T>) {
            auto k = static_cast<typename T::value_type>(position);
            store<D>(out.bytes, T{a.real() + k * d.real(), a.imag() + k * d.imag()});
        } else if constexpr (Floating<T>) {
            store<D>(out.bytes, a + static_cast<T>(position) * d);
        } else {
            store<D>(out.bytes, Add(a, Multiply(static_cast<T>(position), d)));
        }
    });
}

bool beats(DType dtype, bool least, const Value& a, const Value& b) {
    return with_dtype(dtype, [&]<DType D>() {
        auto x = widen(load<D>(a.bytes)), y = widen(load<D>(b.bytes));
        if (is_nan(x) || is_nan(y)) return is_nan(x) && !is_nan(y);
        return least ? Less(x, y) : Less(y, x);
    });
}

bool identity_value(Identity identity, DType dtype, Value& out) {
    return with_dtype(dtype, [&]<DType D>() {
        using T = decltype(widen(Native<D>{}));
        const auto give = [&](T value) {
            store<D>(out.bytes, value);
            return true;
        };
        if (identity == Identity::Zero) return give(T{0});
        if (identity == Identity::One) return give(T{1});
        if constexpr (Whole<T>) {
            if (identity == Identity::AllOnes) return give(Invert(T{0}));
        }
        if constexpr (Floating<T>) {
            if (identity == Identity::MinusInf) return give(-std::numeric_limits<T>::infinity());
        }
        return false;
    });
}

}  // namespace hassium::reference
