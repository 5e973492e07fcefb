#include "record/base.hpp"

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "base/error.hpp"
#include "program/overlap.hpp"
#include "record/allocation.hpp"
#include "record/queue.hpp"

namespace hassium {
namespace {

void (*free_memory)(char*, std::int64_t) = nullptr;
std::int64_t referenced = 0;  // guarded by the host's lock

// Free list of dead bases, linked by `keeper`: bases come and go with every temporary. Guarded by
// the host's lock.
Base* first_spare = nullptr;
int spares = 0;
constexpr int kSpareBases = 1024;

Extent extent_of(const View& v) {
    std::int64_t address = v.base->eager() ? reinterpret_cast<std::int64_t>(v.base->data) : 0;
    return {address + v.offset, itemsize(v.dtype), v.shape, v.strides};
}

}  // namespace

std::int64_t referenced_bytes() { return referenced; }

void set_memory_release(void (*release)(char*, std::int64_t)) { free_memory = release; }

Base* new_base(std::int64_t bytes, DType dtype) {
    Base* base = first_spare;
    if (!base) {
        base = new Base();
    } else {
        first_spare = static_cast<Base*>(base->keeper);
        --spares;
        // The same as Base(), whose members are zeros, in fewer stores.
        static_assert(std::is_trivially_copyable_v<Base> && DType::Bool == DType{});
        std::memset(static_cast<void*>(base), 0, sizeof(Base));
    }
    base->bytes = bytes;
    referenced += bytes;
    base->dtype = dtype;
    return base;
}

Base* new_dead_base(char* data, std::int64_t bytes, DType dtype) {
    Base* base = new_base(bytes, dtype);
    base->data = data;
    base->dead = true;
    referenced -= bytes;
    return base;
}

Base* new_foreign_base(char* data, std::int64_t bytes, DType dtype, void (*release)(void*),
                       void* keeper) {
    Base* base = new_base(bytes, dtype);
    base->data = data;
    base->foreign = true;
    base->release = release;
    base->keeper = keeper;
    return base;
}

void destroy_base(Base* base) {
    if (base->release) {
        base->release(base->keeper);
    } else if (!base->foreign && base->data) {
        free_memory(base->data, base->bytes);
    }
    if (spares == kSpareBases) {
        delete base;
        return;
    }
    base->keeper = first_spare;
    first_spare = base;
    ++spares;
}

void base_unreferenced(Base* base) {
    base->dead = true;
    referenced -= base->bytes;
    if (base->owner) {
        base->owner->mark_dead(base);
    } else {
        destroy_base(base);
    }
}

Dims c_strides(std::span<const std::int64_t> shape, std::int64_t itemsize) {
    Dims strides;
    c_strides(shape, itemsize, strides);
    return strides;
}

void c_strides(std::span<const std::int64_t> shape, std::int64_t itemsize, Dims& strides) {
    strides.resize_for_overwrite(shape.size());
    std::int64_t* out = strides.data();
    std::int64_t step = itemsize;
    for (std::size_t k = shape.size(); k-- > 0;) {
        out[k] = step;
        step *= std::max<std::int64_t>(shape[k], 1);
    }
}

void f_strides(std::span<const std::int64_t> shape, std::int64_t itemsize, Dims& strides) {
    strides.resize_for_overwrite(shape.size());
    std::int64_t step = itemsize;
    for (std::size_t k = 0; k < shape.size(); ++k) {
        strides[k] = step;
        step *= std::max<std::int64_t>(shape[k], 1);
    }
}

namespace {

// Returns the bytes of an array; throws if they exceed any address space.
std::int64_t bytes_of(DType dtype, std::span<const std::int64_t> shape) {
    constexpr std::int64_t kAddressable = std::int64_t{1} << 47;
    std::int64_t bytes = itemsize(dtype);
    bool too_many = false;
    for (std::int64_t extent : shape) too_many |= __builtin_mul_overflow(bytes, extent, &bytes);
    if (!too_many && bytes <= kAddressable) return bytes;
    Dims wanted;
    wanted.assign(shape.data(), shape.size());
    if (std::find(wanted.begin(), wanted.end(), 0) != wanted.end()) return 0;
    throw AllocationError(std::move(wanted), dtype);
}

}  // namespace

View fresh_view(DType dtype, std::span<const std::int64_t> shape) {
    View view;
    view.base = BaseRef(new_base(bytes_of(dtype, shape), dtype));
    view.dtype = dtype;
    view.shape.assign(shape.data(), shape.size());
    if (view.base->bytes == 0) {
        view.strides.resize(shape.size());
    } else {
        c_strides(shape, itemsize(dtype), view.strides);
    }
    return view;
}

View fortran_view(DType dtype, std::span<const std::int64_t> shape) {
    View view = fresh_view(dtype, shape);
    if (view.base->bytes > 0) f_strides(shape, itemsize(dtype), view.strides);
    return view;
}

View ordered_view(DType dtype, std::span<const std::int64_t> shape, const AxisOrder& order) {
    View view = fresh_view(dtype, shape);
    if (view.base->bytes == 0) return view;
    std::int64_t step = itemsize(dtype);
    for (std::size_t k = order.size(); k-- > 0;) {
        view.strides[order[k]] = step;
        step *= shape[order[k]];
    }
    return view;
}

// A model in C order decides against any number of others; ties keep C order (nditer.c,
// npyiter_find_best_axis_ordering). NumPy sorts from the innermost axis, so the axes are sorted in
// reverse.
AxisOrder order_like(std::size_t ndim, std::span<const View* const> models) {
    auto inside = [&](std::size_t from_end, std::size_t other_from_end) {
        const std::size_t axis = ndim - 1 - from_end, other = ndim - 1 - other_from_end;
        int verdict = 0;
        for (const View* m : models) {
            std::size_t missing = ndim - m->ndim();
            if (axis < missing || other < missing) continue;
            std::int64_t a = std::abs(m->strides[axis - missing]);
            std::int64_t b = std::abs(m->strides[other - missing]);
            if (m->shape[axis - missing] == 1 || m->shape[other - missing] == 1) continue;
            if (a == 0 || b == 0) continue;
            if (b <= a) return -1;
            verdict = 1;
        }
        return verdict;
    };
    AxisOrder order = sort_axes(ndim, inside);
    std::reverse(order.begin(), order.end());
    for (std::uint8_t& axis : order) axis = static_cast<std::uint8_t>(ndim - 1 - axis);
    return order;
}

AxisOrder order_of_joined(std::span<const View> parts) {
    return sort_axes(parts[0].ndim(), [&](std::size_t axis, std::size_t other) {
        int verdict = 0;
        for (const View& part : parts) {
            if (part.shape[axis] == 1 || part.shape[other] == 1) continue;
            if (std::abs(part.strides[axis]) <= std::abs(part.strides[other])) return -1;
            verdict = 1;
        }
        return verdict;
    });
}

bool broadcast_strides(const View& view, std::span<const std::int64_t> shape,
                       std::int64_t* strides) {
    if (view.ndim() > shape.size()) return false;
    std::size_t missing = shape.size() - view.ndim();
    for (std::size_t k = 0; k < shape.size(); ++k) {
        if (k < missing) {
            strides[k] = 0;
        } else if (view.shape[k - missing] == shape[k]) {
            strides[k] = view.strides[k - missing];
        } else if (view.shape[k - missing] == 1) {
            strides[k] = 0;
        } else {
            return false;
        }
    }
    return true;
}

bool broadcast_strides(const View& view, std::span<const std::int64_t> shape, Dims& strides) {
    strides.resize(shape.size());
    return broadcast_strides(view, shape, strides.data());
}

namespace {

bool may_share(const Base& a, const Base& b) { return &a == &b || (a.eager() && b.eager()); }

}  // namespace

bool views_overlap(const View& a, const View& b) {
    if (!may_share(*a.base, *b.base)) return false;
    return may_overlap(extent_of(a), extent_of(b));
}

bool views_identical(const View& a, const View& b) {
    if (!may_share(*a.base, *b.base)) return false;
    return a.dtype == b.dtype && same_view(extent_of(a), extent_of(b));
}

bool view_overlaps_itself(const View& v) {
    return !v.c_contiguous() && overlaps_itself(extent_of(v));
}

}  // namespace hassium
