#include "rewrite/split_bases.hpp"

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <ranges>
#include <span>
#include <vector>

#include "program/overlap.hpp"
#include "rewrite/base_uses.hpp"

namespace hassium {
namespace {

// Bases with more parts stay whole.
constexpr std::size_t kMostParts = 128;
constexpr std::uint32_t kNever = 0xffffffffu;

// An axis along which a view has more than one element.
struct Axis {
    std::int64_t stride, extent;
    friend bool operator==(const Axis&, const Axis&) = default;
};
using Axes = SmallVec<Axis, 8>;

// An operand of an instruction.
struct Place {
    std::uint32_t instruction, operand;
};

// Operands that show the same elements of a base, in any order of axes.
struct Part {
    std::int64_t offset;
    DType dtype;
    Axes axes;  // outermost in memory first
    std::vector<Place> written, read;
    bool alone = true;      // shares no element with another part
    BaseId base = kNoBase;  // to which it is moved
};

class BaseSplitter {
  public:
    explicit BaseSplitter(Program& program) : p_(program) {}

    void split() {
        std::vector<Part> found = parts();
        std::ranges::stable_sort(found, {},
                                 [](const Part& part) { return part.written[0].instruction; });
        for (Part& part : found) {
            part.base = static_cast<BaseId>(p_.bases.size());
            p_.bases.push_back(p_.bases[operand_at(part.written[0]).base]);
        }
        // Backwards: moving an output may permute the axes of the map that reads an earlier part.
        for (Part& part : std::views::reverse(found)) move(part);
    }

  private:
    Program& p_;

    Operand& operand_at(const Place& place) {
        return p_.operands[p_.instructions[place.instruction].operands + place.operand];
    }
    static Place place_of(const Part& part) {
        return part.written.empty() ? part.read[0] : part.written[0];
    }

    // --- finding parts

    // Returns the parts to move.
    std::vector<Part> parts() {
        std::vector<std::vector<Part>> of_base(p_.bases.size());
        std::vector<bool> whole(p_.bases.size(), false);
        for (std::uint32_t i = 0; i < p_.instructions.size(); ++i) {
            const Instruction& map = p_.instructions[i];
            for (std::uint32_t k = 0; k < static_cast<std::uint32_t>(map.operand_count()); ++k) {
                const Operand& o = operand_at({i, k});
                if (o.is_constant() || p_.bases[o.base].input || !p_.bases[o.base].dies) continue;
                whole[o.base] = whole[o.base] || !is_map(map);
                if (whole[o.base]) continue;
                Part& part = part_of(o, of_base[o.base]);
                (k < map.nout ? part.written : part.read).push_back({i, k});
                whole[o.base] = of_base[o.base].size() > kMostParts;
            }
        }
        std::vector<Part> found;
        for (BaseId b = 0; b < of_base.size(); ++b) {
            if (whole[b] || of_base[b].size() < 2) continue;
            find_alone(of_base[b]);
            const auto moves = [](const Part& part) { return part.alone && is_array(part.axes); };
            const auto stay = std::ranges::partition(of_base[b], moves);
            const std::span moved(of_base[b].begin(), stay.begin());
            const auto begins_written = [](const Part& part) {
                return are_written_first({&part, 1});
            };
            if (!are_written_first(stay) || !std::ranges::all_of(moved, begins_written)) continue;
            std::ranges::move(moved, std::back_inserter(found));
        }
        return found;
    }
    Part& part_of(const Operand& o, std::vector<Part>& known) const {
        Part part{o.offset, o.dtype, axes_of(o), {}, {}};
        std::ranges::stable_sort(part.axes, [](const Axis& a, const Axis& b) {
            return std::abs(a.stride) > std::abs(b.stride);
        });
        const auto same = std::ranges::find_if(known, [&](const Part& other) {
            return other.offset == part.offset && other.dtype == part.dtype &&
                   std::ranges::equal(other.axes, part.axes);
        });
        return same == known.end() ? known.emplace_back(std::move(part)) : *same;
    }
    // Returns the axes of a view, outermost first.
    Axes axes_of(const Operand& o) const {
        Axes axes;
        for (std::size_t k = 0; k < o.ndim; ++k) {
            const std::int64_t extent = p_.shape(o)[k], stride = p_.strides(o)[k];
            if (extent != 1 && stride != 0) axes.push_back({stride, extent});
        }
        return axes;
    }
    void find_alone(std::vector<Part>& parts) {
        const auto extent_of = [&](const Part& part) {
            const Operand& o = operand_at(place_of(part));
            return Extent{o.offset, itemsize(o.dtype), p_.shape(o), p_.strides(o)};
        };
        for (std::size_t a = 0; a < parts.size(); ++a) {
            for (std::size_t b = a + 1; b < parts.size(); ++b) {
                if (!parts[a].alone && !parts[b].alone) continue;
                if (!may_overlap(extent_of(parts[a]), extent_of(parts[b]))) continue;
                parts[a].alone = parts[b].alone = false;
            }
        }
    }
    // Returns whether parts are written before they are read, if there are any: elements of an
    // array from empty() may be read without having been written.
    static bool are_written_first(std::span<const Part> parts) {
        std::uint32_t written = kNever, read = kNever;
        for (const Part& part : parts) {
            if (!part.written.empty()) written = std::min(written, part.written[0].instruction);
            if (!part.read.empty()) read = std::min(read, part.read[0].instruction);
        }
        return parts.empty() || written < read;
    }
    // Returns whether an array can have these axes: each element is at one place along them.
    static bool is_array(const Axes& axes) {
        const auto same = [](const Axis& a, const Axis& b) {
            return std::abs(a.stride) == std::abs(b.stride);
        };
        return std::ranges::adjacent_find(axes, same) == axes.end() &&
               std::ranges::find(axes, 0, &Axis::extent) == axes.end();
    }

    // --- moving them

    void move(Part& part) {
        order_as_read(part);
        BaseInfo& made = p_.bases[part.base];
        made.dtype = part.dtype;
        made.bytes = itemsize(part.dtype);
        Dims dense(part.axes.size(), 0);
        for (std::size_t k = part.axes.size(); k-- > 0;) {
            dense[k] = made.bytes;
            made.bytes *= part.axes[k].extent;
        }
        for (const std::vector<Place>* places : {&part.written, &part.read}) {
            for (const Place& place : *places) {
                Operand& o = operand_at(place);
                Dims strides(p_.strides(o));
                for (std::size_t k = 0; k < o.ndim; ++k) {
                    if (strides[k] == 0) continue;
                    const auto axis =
                        std::ranges::find(part.axes, Axis{strides[k], p_.shape(o)[k]});
                    const auto at = static_cast<std::size_t>(axis - part.axes.begin());
                    strides[k] = at == part.axes.size() ? itemsize(part.dtype) : dense[at];
                }
                o.base = part.base;
                o.offset = 0;
                set_geometry(o, Dims(p_.shape(o)), strides);
            }
        }
        for (const Place& place : part.written) permute_map(place);
    }
    // Orders the axes of a part that one map writes as its readers do, if these agree.
    void order_as_read(Part& part) {
        if (part.written.size() != 1 || part.read.empty()) return;
        const Axes order = axes_of(operand_at(part.read[0]));
        for (const Place& place : part.read) {
            if (place.instruction == part.written[0].instruction) return;
            if (!std::ranges::equal(axes_of(operand_at(place)), order)) return;
        }
        part.axes = order;
    }
    // Permutes the axes of a map into the memory order of its output.
    void permute_map(const Place& written) {
        const Dims extents(p_.shape(operand_at(written)));
        const Dims strides(p_.strides(operand_at(written)));
        SmallVec<std::uint8_t, 8> order;
        for (std::size_t k = 0; k < strides.size(); ++k) {
            order.push_back(static_cast<std::uint8_t>(k));
        }
        // Axes of one element are outside.
        std::ranges::stable_sort(order, [&](std::uint8_t a, std::uint8_t b) {
            if (extents[a] == 1 || extents[b] == 1) return extents[a] == 1 && extents[b] != 1;
            return strides[a] > strides[b];
        });
        if (std::ranges::is_sorted(order)) return;
        const Instruction& map = p_.instructions[written.instruction];
        for (std::uint32_t k = 0; k < static_cast<std::uint32_t>(map.operand_count()); ++k) {
            Operand& o = operand_at({written.instruction, k});
            if (o.is_constant()) continue;
            Dims shape, permuted;
            for (std::uint8_t at : order) {
                shape.push_back(p_.shape(o)[at]);
                permuted.push_back(p_.strides(o)[at]);
            }
            set_geometry(o, shape, permuted);
        }
    }
    void set_geometry(Operand& o, const Dims& shape, const Dims& strides) {
        o.geometry = static_cast<std::uint32_t>(p_.geometry.size());
        p_.geometry.insert(p_.geometry.end(), shape.begin(), shape.end());
        p_.geometry.insert(p_.geometry.end(), strides.begin(), strides.end());
    }
};

}  // namespace

void split_bases(Program& program) { BaseSplitter(program).split(); }

}  // namespace hassium
