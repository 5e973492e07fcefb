// take, repeat and count_nonzero of what needs no index understood: the fronts ask here first.
// None: it is not as simple, and nothing has happened.
#include <cstring>

#include "bind/array/array_methods.hpp"
#include "bind/index/index.hpp"
#include "engine/positions.hpp"
#include "record/policy.hpp"

namespace hassium {
namespace {

// The array, flattened without a copy when there is no axis; false when that cannot be.
bool along_axis(PyObject* object, PyObject* axis_argument, View& view, std::size_t& axis) {
    if (Py_TYPE(object) != array_type) return false;
    view = as_array(object)->view;
    if (axis_argument == Py_None) {
        if (!view.c_contiguous()) return false;
        const std::int64_t size = view.size();
        view.shape = Dims{size};
        view.strides = Dims{itemsize(view.dtype)};
        axis = 0;
        return true;
    }
    if (!PyLong_CheckExact(axis_argument)) return false;
    int overflow = 0;
    long long wanted = PyLong_AsLongLongAndOverflow(axis_argument, &overflow);
    const auto ndim = static_cast<long long>(view.ndim());
    if (overflow || wanted < -ndim || wanted >= ndim) return false;
    axis = static_cast<std::size_t>(wanted < 0 ? wanted + ndim : wanted);
    return true;
}

bool in_bounds(const std::int64_t* positions, std::int64_t count, std::int64_t extent) {
    bool all = true;
    const auto most = static_cast<std::uint64_t>(extent);
    for (std::int64_t k = 0; k < count; ++k) {
        all &= static_cast<std::uint64_t>(positions[k]) + most < 2 * most;
    }
    return all;
}

// kBytes of a run; 0: any number.
template <std::size_t kBytes>
void take_runs(char* out, const char* from, std::int64_t extent, const std::int64_t* positions,
               std::int64_t count, std::int64_t bytes) {
    const std::size_t run = kBytes ? kBytes : static_cast<std::size_t>(bytes);
    for (std::int64_t k = 0; k < count; ++k, out += run) {
        const std::int64_t at = positions[k] < 0 ? positions[k] + extent : positions[k];
        std::memcpy(out, from + at * static_cast<std::int64_t>(run), run);
    }
}

// Memory that was lent may lie at odd addresses.
template <class Word>
Word word_at(const char* data, std::int64_t k) {
    Word word;
    std::memcpy(&word, data + k * static_cast<std::int64_t>(sizeof word), sizeof word);
    return word;
}

// Of words, by the bits that make them differ from zero.
template <class Word>
std::int64_t count_words(const char* data, std::int64_t n, std::uint64_t bits) {
    const auto mask = static_cast<Word>(bits);
    std::int64_t found = 0;
    for (std::int64_t k = 0; k < n; ++k) found += (word_at<Word>(data, k) & mask) != 0;
    return found;
}

std::int64_t count_pairs(const char* data, std::int64_t n, std::uint64_t bits) {
    std::int64_t found = 0;
    for (std::int64_t k = 0; k < n; ++k) {
        const auto both =
            word_at<std::uint64_t>(data, 2 * k) | word_at<std::uint64_t>(data, 2 * k + 1);
        found += (both & bits) != 0;
    }
    return found;
}

std::int64_t count_nonzero(const char* data, std::int64_t n, DType dtype) {
    if (dtype == DType::Bool) return count_true(data, n);
    // The sign of a number, or of two in a word, does not count.
    const bool whole = is_integer(dtype);
    const std::uint64_t signs = dtype == DType::C64 ? 0x80000000'80000000u
                                : itemsize(dtype) > 8
                                    ? std::uint64_t{1} << 63
                                    : std::uint64_t{1} << (itemsize(dtype) * 8 - 1);
    const std::uint64_t bits = whole ? ~std::uint64_t{0} : ~signs;
    switch (itemsize(dtype)) {
        case 1:
            return count_words<std::uint8_t>(data, n, bits);
        case 2:
            return count_words<std::uint16_t>(data, n, bits);
        case 4:
            return count_words<std::uint32_t>(data, n, bits);
        case 8:
            return count_words<std::uint64_t>(data, n, bits);
        default:
            return count_pairs(data, n, bits);
    }
}

}  // namespace

HS_FAST_METHOD(count_few) {
    (void)self;
    return guarded([&]() -> PyObject* {
        if (count != 1 || keywords || Py_TYPE(args[0]) != array_type) return Py_NewRef(Py_None);
        const View view = as_array(args[0])->view;  // held, whatever others do meanwhile
        const std::int64_t size = view.size();
        const bool short_way = view.dtype == DType::Bool || size <= eager_limit(Threshold::counted);
        if (!short_way || !view.c_contiguous() || !view.base->readable()) {
            return Py_NewRef(Py_None);
        }
        const std::int64_t found = count_nonzero(data_to_read(view), size, view.dtype);
        return element_at(reinterpret_cast<const char*>(&found), DType::I64);
    });
}

HS_FAST_METHOD(take_few) {
    (void)self;
    (void)keywords;
    return guarded([&]() -> PyObject* {
        if (count != 3) fail(ErrorKind::Type, "take_few() takes an array, indices and an axis");
        View source;
        std::size_t axis = 0;
        const auto is_index = [](PyObject* object) {
            return Py_TYPE(object) == array_type && as_array(object)->view.dtype == DType::I64 &&
                   as_array(object)->view.ndim() > 0;
        };
        if (!is_index(args[1]) || !along_axis(args[0], args[2], source, axis)) {
            return Py_NewRef(Py_None);
        }
        const View& index = as_array(args[1])->view;
        const bool ready = source.base->readable() && index.base->readable();
        if (!ready || !source.c_contiguous() || !index.c_contiguous()) return Py_NewRef(Py_None);
        Dims shape;
        for (std::size_t k = 0; k < axis; ++k) shape.push_back(source.shape[k]);
        const std::int64_t outer = element_count(shape), extent = source.shape[axis];
        for (const std::int64_t e : index.shape) shape.push_back(e);
        for (std::size_t k = axis + 1; k < source.ndim(); ++k) shape.push_back(source.shape[k]);
        const std::int64_t size = element_count(shape), selected = index.size();
        const bool short_way = size <= eager_limit(Threshold::take) &&
                               selected <= eager_limit(Threshold::take_positions);
        if (size == 0 || !short_way || shape.size() > kMaxDims) return Py_NewRef(Py_None);
        const auto* positions = reinterpret_cast<const std::int64_t*>(data_to_read(index));
        if (!in_bounds(positions, selected, extent)) return Py_NewRef(Py_None);
        char* out = nullptr;
        View result = filled_view(source.dtype, shape, out);
        const std::int64_t bytes = size / (outer * selected) * itemsize(source.dtype);
        const char* from = data_to_read(source);
        for (std::int64_t k = 0; k < outer; ++k) {
            auto* const run = bytes == 8 ? take_runs<8> : bytes == 4 ? take_runs<4> : take_runs<0>;
            run(out + k * selected * bytes, from + k * extent * bytes, extent, positions, selected,
                bytes);
        }
        return new_array(std::move(result));
    });
}

HS_FAST_METHOD(repeat_evenly) {
    (void)self;
    (void)keywords;
    return guarded([&]() -> PyObject* {
        if (count != 3) fail(ErrorKind::Type, "repeat_evenly() takes an array, times and an axis");
        View view;
        std::size_t axis = 0;
        if (!PyLong_CheckExact(args[1]) || !along_axis(args[0], args[2], view, axis)) {
            return Py_NewRef(Py_None);
        }
        int overflow = 0;
        const long long times = PyLong_AsLongLongAndOverflow(args[1], &overflow);
        if (overflow || times < 0 || view.ndim() >= kMaxDims) return Py_NewRef(Py_None);
        View wide = view;
        wide.shape.insert(axis + 1, times);
        wide.strides.insert(axis + 1, 0);
        check_extents(wide.shape, itemsize(view.dtype));
        View result = contiguous_copy(wide, view.dtype);
        result.shape = view.shape;
        result.shape[axis] *= times;
        result.strides = c_strides(result.shape, itemsize(view.dtype));
        return new_array(std::move(result));
    });
}

}  // namespace hassium
