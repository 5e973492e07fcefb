#include "fuse/legal/view_box.hpp"

#include <cstdlib>
#include <functional>

namespace hassium {
namespace {

std::int64_t floor_divide(std::int64_t a, std::int64_t b) { return a / b - (a % b < 0); }

bool divides_or_is_divided(std::int64_t a, std::int64_t b) {
    return std::max(a, b) % std::min(a, b) == 0;
}

}  // namespace

void RowVote::add(std::int64_t stride) {
    Candidate* free = nullptr;
    for (Candidate& c : candidates_) {
        if (c.votes > 0 && c.stride == stride) {
            ++c.votes;
            return;
        }
        if (c.votes == 0) free = &c;
    }
    if (free) {
        *free = {stride, 1};
        return;
    }
    for (Candidate& c : candidates_) --c.votes;
}

void RowVote::add(const Extent& view) {
    for (std::size_t k = 0; k < view.shape.size(); ++k) {
        if (view.shape[k] > 1 && view.strides[k] != 0) add(std::abs(view.strides[k]));
    }
}

RowLengths RowVote::lengths() const {
    auto sorted = candidates_;
    std::ranges::sort(sorted, [](const Candidate& a, const Candidate& b) {
        return a.votes != b.votes ? a.votes > b.votes : a.stride > b.stride;
    });
    RowLengths lengths = {};
    std::size_t count = 0;
    for (const Candidate& c : sorted) {
        if (c.votes == 0 || count == kRowLengths) break;
        const auto end = lengths.begin() + count;
        const bool fits = std::all_of(lengths.begin(), end, [&](std::int64_t length) {
            return divides_or_is_divided(length, c.stride);
        });
        if (fits) lengths[count++] = c.stride;
    }
    std::ranges::sort(lengths, std::greater());
    return lengths;
}

ViewBox box_of(const Extent& view, const RowLengths& lengths) {
    std::int64_t first, last;
    byte_bounds(view, first, last);
    if (first == last) return {};
    std::size_t finest = 0;
    while (finest < kRowLengths && lengths[finest] > 0) ++finest;
    auto unit = [&](std::size_t digit) { return digit == finest ? 1 : lengths[digit]; };
    // Steps by which the view extends beyond its first byte, in units of each digit.
    std::array<std::int64_t, kRowLengths + 1> reach = {};
    reach[finest] = view.itemsize - 1;
    for (std::size_t k = 0; k < view.shape.size(); ++k) {
        const std::int64_t stride = std::abs(view.strides[k]);
        std::size_t digit = 0;
        while (stride % unit(digit) != 0) ++digit;
        reach[digit] += (view.shape[k] - 1) * (stride / unit(digit));
    }
    ViewBox box;
    box.last.fill(1);  // for unused digits
    std::int64_t carried = 0;
    for (std::size_t digit = finest; digit > 0; --digit) {
        const std::int64_t radix = unit(digit - 1) / unit(digit);
        const std::int64_t units = floor_divide(first, unit(digit));
        const std::int64_t least = units - floor_divide(units, radix) * radix;
        const std::int64_t most = least + reach[digit] + carried;
        const bool carries = most >= radix;
        box.first[digit] = carries ? 0 : least;
        box.last[digit] = carries ? radix : most + 1;
        carried = most / radix;
    }
    box.first[0] = floor_divide(first, unit(0));
    box.last[0] = box.first[0] + reach[0] + carried + 1;
    return box;
}

}  // namespace hassium
