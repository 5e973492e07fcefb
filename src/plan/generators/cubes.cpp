// Cubes: section 4 of the paper, first step.
//
// A cube is a box with grids that extend over all of it, none ending inside. Generators whose hulls
// overlap form a group. A group is a cube if each member, as a grid over the group's box, has
// exactly the member's points. Otherwise the group is cut at an end of some member: at the cut that
// leaves the fewest groups that are not cubes, then the fewest groups. A cut makes boxes smaller,
// and a group whose members all end with its box is a cube, so this terminates.
//
// Members of a group may overlap: the later one writes. A member covered by a later one is dropped,
// so overwritten boxes are cut here; overlapping grids are resolved when they are merged.
#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "plan/generators/phases.hpp"

namespace hassium {
namespace {

// A part of a generator.
struct Member {
    SmallVec<RangePart, 4> axes;
    std::uint32_t op;
};

Member member_of(const Generator& generator) {
    Member member{{}, generator.op};
    for (const AxisRange& range : generator.axes) member.axes.push_back(*RangePart::of(range));
    return member;
}

IndexBox hull(const Member& member) {
    IndexBox box;
    for (const RangePart& a : member.axes) {
        box.lower.push_back(a.lower);
        box.upper.push_back(a.upper);
    }
    return box;
}

bool covers(const Member& later, const Member& member) {
    for (std::size_t k = 0; k < member.axes.size(); ++k) {
        if (!later.axes[k].covers(member.axes[k])) return false;
    }
    return true;
}

// Members whose hulls overlap, as ascending indices into a list.
struct Group {
    IndexBox box;
    std::vector<std::uint32_t> members;
};

class CubeSearch {
  public:
    explicit CubeSearch(std::size_t limit)
        : limit_(limit), comparisons_(GeneratorOptions::kComparisons * limit) {}

    std::optional<std::vector<Cube>> run(std::vector<Member> all) {
        push_groups(drop_covered(std::move(all)));
        while (!open_.empty() && within_limit()) {
            std::vector<Member> members = std::move(open_.back());
            open_.pop_back();
            const IndexBox box = group(members).front().box;
            if (is_cube(members, box)) {
                cubes_.push_back(make_cube(members, box));
            } else {
                for (std::vector<Member>& half : best_cut(members, box)) {
                    push_groups(std::move(half));
                }
            }
        }
        if (!within_limit()) return std::nullopt;
        std::ranges::sort(cubes_, [](const Cube& a, const Cube& b) {
            return std::ranges::lexicographical_compare(a.box.lower, b.box.lower);
        });
        return std::move(cubes_);
    }

  private:
    using Halves = std::array<std::vector<Member>, 2>;
    bool within_limit() const {
        return cubes_.size() + open_.size() <= limit_ && spent_ <= comparisons_;
    }

    std::vector<Member> drop_covered(std::vector<Member> members) {
        std::vector<Member> kept;
        for (std::size_t k = 0; k < members.size(); ++k) {
            const std::span<const Member> later(members.begin() + k + 1, members.end());
            auto hides = [&](const Member& g) { return covers(g, members[k]); };
            if (std::ranges::none_of(later, hides)) kept.push_back(members[k]);
        }
        spent_ += members.size() * members.size() / 2;
        return kept;
    }

    std::vector<Group> group(const std::vector<Member>& members) {
        std::vector<Group> groups;
        for (std::uint32_t k = 0; k < members.size(); ++k) {
            Group now{hull(members[k]), {k}};
            // A grown box may overlap a group that was tested before.
            for (std::size_t at = 0; at < groups.size(); ++spent_) {
                if (!groups[at].box.meets(now.box)) {
                    ++at;
                    continue;
                }
                now.box.grow(groups[at].box);
                std::ranges::copy(groups[at].members, std::back_inserter(now.members));
                groups.erase(groups.begin() + static_cast<std::ptrdiff_t>(at));
                at = 0;
            }
            std::ranges::sort(now.members);
            groups.push_back(std::move(now));
        }
        return groups;
    }

    static std::vector<Member> pick(const std::vector<Member>& all, const Group& group) {
        std::vector<Member> members;
        for (std::uint32_t k : group.members) members.push_back(all[k]);
        return members;
    }

    void push_groups(const std::vector<Member>& members) {
        for (const Group& g : group(members)) open_.push_back(pick(members, g));
    }

    static bool is_cube(const std::vector<Member>& members, const IndexBox& box) {
        return std::ranges::all_of(members, [&](const Member& g) {
            for (std::size_t k = 0; k < g.axes.size(); ++k) {
                if (!g.axes[k].runs_through(box.lower[k], box.upper[k])) return false;
            }
            return true;
        });
    }

    static Cube make_cube(const std::vector<Member>& members, const IndexBox& box) {
        Cube cube{box, {}};
        for (const Member& g : members) {
            std::vector<Grid> grids{{{}, g.op}};
            for (std::size_t k = 0; k < g.axes.size(); ++k) {
                std::vector<Grid> longer;
                for (const Grid& grid : grids) {
                    for (const GridAxis& axis : g.axes[k].grid_axes(box.lower[k], box.upper[k])) {
                        longer.push_back(grid);
                        longer.back().axes.push_back(axis);
                    }
                }
                grids = std::move(longer);
            }
            std::ranges::move(grids, std::back_inserter(cube.grids));
        }
        return cube;
    }

    Halves cut_at(const std::vector<Member>& members, std::size_t axis, std::int64_t place) {
        Halves halves;
        for (const Member& g : members) {
            const RangePart& range = g.axes[axis];
            const std::optional<RangePart> parts[] = {range.cut(range.lower, place),
                                                      range.cut(place, range.upper)};
            for (std::size_t side = 0; side < 2; ++side) {
                if (!parts[side]) continue;
                halves[side].push_back(g);
                halves[side].back().axes[axis] = *parts[side];
            }
        }
        for (std::vector<Member>& half : halves) half = drop_covered(std::move(half));
        return halves;
    }

    // Returns the number of groups that are not cubes, and of all groups.
    std::pair<std::size_t, std::size_t> count_groups(const Halves& halves) {
        std::pair<std::size_t, std::size_t> count{0, 0};
        for (const std::vector<Member>& half : halves) {
            for (const Group& g : group(half)) {
                count.first += !is_cube(pick(half, g), g.box);
                ++count.second;
            }
        }
        return count;
    }

    Halves best_cut(const std::vector<Member>& members, const IndexBox& box) {
        Halves best;
        std::optional<std::pair<std::size_t, std::size_t>> fewest;
        for (std::size_t axis = 0; axis < box.lower.size(); ++axis) {
            std::vector<std::int64_t> places;
            for (const Member& g : members) {
                places.insert(places.end(), {g.axes[axis].lower, g.axes[axis].upper});
            }
            std::ranges::sort(places);
            places.erase(std::ranges::unique(places).begin(), places.end());
            for (std::int64_t place : places) {
                if (place <= box.lower[axis] || place >= box.upper[axis]) continue;
                Halves halves = cut_at(members, axis, place);
                const auto count = count_groups(halves);
                if (!fewest || count < *fewest) {
                    fewest = count;
                    best = std::move(halves);
                }
                if (spent_ > comparisons_) return best;
            }
        }
        return best;
    }

    std::size_t limit_, comparisons_, spent_ = 0;
    std::vector<std::vector<Member>> open_;  // groups
    std::vector<Cube> cubes_;
};

}  // namespace

std::optional<std::vector<Cube>> find_cubes(const GeneratorSet& set, std::size_t limit) {
    std::vector<Member> all;
    for (const Generator& g : set.generators) all.push_back(member_of(g));
    return CubeSearch(limit).run(std::move(all));
}

}  // namespace hassium
