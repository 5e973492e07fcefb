// Copy forwarding: readers of an array that is assembled from copies read the sources of the
// copies.
//
// `roll`, `concatenate`, `stack`, `pad` and assignments to the parts of an array copy pieces into a
// new array. A reader of the whole sees a view that no single copy wrote, so nothing fuses across
// it (fuse/legal/legal.hpp, rule 1): a stencil made of eight rolled grids carries sixteen arrays to
// memory and back. This pass does not materialize such an array. The maps that read it are cut
// where its pieces meet, into one instruction for each cell of the iteration space, and each reads
// the source of its piece. What remains is an interior that reads shifted views of one array, and
// rims: several generators of one result, split into cubes, in the words of "On Code Generation for
// Multi-Generator WITH-Loops in SAC".
//
// An array is omitted when
//
//   - it is new, dies in the program, and every write is a copy without a cast into a box of it
//     (rewrite/boxes.hpp), before the first read;
//   - every reader is a map over a box of it that is covered by the pieces;
//   - nothing writes to the source of a piece until the last reader has run, not even a reader.
//
// A map that writes or reads all elements of an operand of a cut map is cut in the same way, so
// that both share the cells' blocks. It stays whole if an instruction other than a map, such as a
// reduction, reads a temporary between them, which must then be kept in memory. Temporaries
// between maps that are all cut get a base for each cell (split_bases.hpp).
//
// Elements are computed by the same operations on the same values: results are bit-identical.
#include <algorithm>
#include <ranges>
#include <utility>

#include "rewrite/base_uses.hpp"
#include "rewrite/cells.hpp"
#include "rewrite/rewrite.hpp"
#include "rewrite/split_axes.hpp"
#include "rewrite/split_bases.hpp"

namespace hassium {
namespace {

// More instructions take too long to partition.
constexpr std::size_t kMostInstructions = 4096;

// Elements of a base and their source, with strides along the axes of the base.
struct Piece {
    Box box;
    Operand source;
    Dims strides;

    Piece part(const Box& of) const {
        Piece smaller{of, source, strides};
        if (source.is_constant()) return smaller;
        for (std::size_t k = 0; k < of.lower.size(); ++k) {
            smaller.source.offset += (of.lower[k] - box.lower[k]) * strides[k];
        }
        return smaller;
    }
};

class Cutter {
  public:
    Cutter(const Program& recorded, std::int64_t least) : in_(recorded), uses_(recorded, least) {}

    std::optional<RewrittenProgram> cut() {
        if (!uses_.any_left_out()) return std::nullopt;
        wanted_ = uses_.wanted_by_others();
        find_pieces();
        std::vector<Cuts> cuts;
        for (const Instruction& i : in_.instructions) cuts.push_back(cuts_of(i, pieced(i)));
        if (!spread(cuts)) return std::nullopt;
        std::size_t count = 0;
        for (const Cuts& c : cuts) count += cell_count(c);
        if (count > kMostInstructions) return std::nullopt;
        made_ = without_instructions(in_);
        emit_all(cuts);
        split_bases(made_.program);
        return std::move(made_);
    }

  private:
    const Program& in_;
    ProgramUses uses_;
    std::vector<bool> wanted_;                // per instruction, see wanted_by_others()
    std::vector<std::vector<Piece>> pieces_;  // of the bases that are omitted
    RewrittenProgram made_;
    Program& out_ = made_.program;

    // Returns whether `i` is a copy into an omitted base.
    bool is_left_out(const Instruction& i) const {
        return i.nout > 0 && uses_[in_.outputs(i)[0].base].left_out;
    }
    bool is_left_out(std::uint32_t i) const { return is_left_out(in_.instructions[i]); }

    // --- cutting

    // An operand that is read from the sources of its pieces.
    struct Pieced {
        BoxView view;
        const std::vector<Piece>* pieces = nullptr;
    };
    std::vector<Pieced> pieced(const Instruction& i) const {
        std::vector<Pieced> known;
        for (const Operand& o : in_.operands_of(i)) {
            known.emplace_back();
            if (o.is_constant() || pieces_[o.base].empty()) continue;
            known.back() = {*uses_[o.base].axes->find(in_, o), &pieces_[o.base]};
        }
        return known;
    }

    // Returns the positions where pieces of the operands meet.
    Cuts cuts_of(const Instruction& i, const std::vector<Pieced>& known) const {
        Cuts cuts;
        for (std::int64_t extent : in_.iteration_shape(i)) cuts.push_back({0, extent});
        for (const Pieced& p : known) {
            for (std::size_t j = 0; j < cuts.size() && p.pieces; ++j) {
                const std::size_t k = p.view.axis[j];
                if (k == BoxView::kBroadcast) continue;
                for (const Piece& piece : *p.pieces) {
                    if (p.view.box.meet(piece.box).volume() == 0) continue;
                    add_cut(cuts[j], piece.box.lower[k] - p.view.box.lower[k]);
                    add_cut(cuts[j], piece.box.upper[k] - p.view.box.lower[k]);
                }
            }
        }
        return cuts;
    }
    void find_pieces() {
        pieces_.resize(uses_.size());
        for (const Instruction& i : in_.instructions) {
            if (!is_left_out(i)) continue;
            const Operand& out = in_.outputs(i)[0];
            std::vector<Pieced> known = pieced(i);
            known[0].pieces = nullptr;
            for_each_cell(cuts_of(i, known), [&](std::span<const std::int64_t> lower,
                                                 std::span<const std::int64_t> upper) {
                add_piece(out, read(in_.inputs(i)[0], known[1], lower, upper), lower, upper);
            });
        }
    }

    // A map that writes exactly what another reads, or a copy into an omitted base that another
    // reads entirely.
    struct Link {
        std::uint32_t writer, reader;
        BoxView written, read;
    };

    std::vector<Link> links() {
        std::vector<Link> found;
        for (BaseId b = 0; b < uses_.size(); ++b) {
            BaseUse& use = uses_[b];
            if (use.writers.empty() || use.readers.empty()) continue;
            if (!use.axes) use.axes = BaseAxes::of(in_, b, use.operands);
            if (!use.axes) continue;
            const std::vector<Access> written = accesses(b, use.writers, true);
            const std::vector<Access> read = accesses(b, use.readers, false);
            if (use.left_out) {
                link_pieces(written, read, found);
                continue;
            }
            for (const Access& r : read) link_last(written, r, found);
        }
        return found;
    }
    // A view of a base that a map writes or reads.
    struct Access {
        std::uint32_t map;
        BoxView view;
    };
    std::vector<Access> accesses(BaseId base, const BaseUse::Places& maps, bool written) const {
        std::vector<Access> found;
        for (std::uint32_t i : maps) {
            const Instruction& map = in_.instructions[i];
            if (!is_map(map)) continue;
            for (const Operand& o :
                 written ? in_.outputs(map) : in_.operands_of(map).subspan(map.nout)) {
                if (o.is_constant() || o.base != base) continue;
                if (auto view = uses_[base].axes->find(in_, o)) found.push_back({i, *view});
            }
        }
        return found;
    }
    static void link_last(const std::vector<Access>& written, const Access& read,
                          std::vector<Link>& found) {
        for (const Access& w : std::views::reverse(written)) {
            if (w.map >= read.map || w.view.box.meet(read.view.box).volume() == 0) continue;
            if (w.view.box == read.view.box) found.push_back({w.map, read.map, w.view, read.view});
            return;
        }
    }
    static void link_pieces(const std::vector<Access>& written, const std::vector<Access>& read,
                            std::vector<Link>& found) {
        for (const Access& w : written) {
            const bool entirely = std::ranges::all_of(
                read, [&](const Access& r) { return r.view.box.contains(w.view.box); });
            for (const Access& r : read) {
                if (entirely) found.push_back({w.map, r.map, w.view, r.view});
            }
        }
    }

    // Propagates the cuts of a map to the maps that write or read all of its operands. Returns
    // false if there are too many cells. Alternates directions, so that long chains of producers
    // converge as fast as long chains of users.
    bool spread(std::vector<Cuts>& cuts) {
        const std::vector<Link> all = links();
        for (bool changed = true; changed;) {
            changed = false;
            for (const Link& l : all) changed |= spread(l, cuts);
            for (const Link& l : std::views::reverse(all)) changed |= spread(l, cuts);
            for (const Cuts& c : cuts) {
                if (cell_count(c) > kMostCells) return false;
            }
        }
        return true;
    }
    bool spread(const Link& l, std::vector<Cuts>& cuts) const {
        bool changed = false;
        const bool piece = is_left_out(l.writer);
        if (!wanted_[l.reader] && !piece) {
            changed |= add_cuts(cuts[l.writer], l.written, cuts[l.reader], l.read);
        }
        if (!wanted_[l.writer]) {
            changed |= add_cuts(cuts[l.reader], l.read, cuts[l.writer], l.written);
        }
        return changed;
    }

    // Returns the part of a base's box that a cell of the iteration space covers.
    static Box part_of(const BoxView& view, std::span<const std::int64_t> lower,
                       std::span<const std::int64_t> upper) {
        Box part = view.box;
        for (std::size_t j = 0; j < lower.size(); ++j) {
            const std::size_t k = view.axis[j];
            if (k == BoxView::kBroadcast) continue;
            part.lower[k] = view.box.lower[k] + lower[j];
            part.upper[k] = view.box.lower[k] + upper[j];
        }
        return part;
    }

    // The memory that a cell of an operand reads or writes: an operand of the new program without
    // its geometry.
    struct Place {
        Operand operand;
        Dims strides;
    };
    Place read(const Operand& o, const Pieced& known, std::span<const std::int64_t> lower,
               std::span<const std::int64_t> upper) const {
        if (o.is_constant()) return {o, {}};
        if (!known.pieces) {
            Place same{o, Dims(in_.strides(o))};
            for (std::size_t j = 0; j < lower.size(); ++j) {
                same.operand.offset += lower[j] * same.strides[j];
            }
            return same;
        }
        const Box part = part_of(known.view, lower, upper);
        const Piece& piece = *std::ranges::find_if(
            *known.pieces, [&](const Piece& p) { return p.box.contains(part); });
        Place other{piece.part(part).source, Dims(lower.size(), 0)};
        if (other.operand.is_constant()) return other;
        for (std::size_t j = 0; j < lower.size(); ++j) {
            const std::size_t k = known.view.axis[j];
            if (k != BoxView::kBroadcast) other.strides[j] = piece.strides[k];
        }
        return other;
    }

    // Records a copy into an omitted base; it replaces earlier copies to the same elements.
    void add_piece(const Operand& out, const Place& source, std::span<const std::int64_t> lower,
                   std::span<const std::int64_t> upper) {
        const BaseUse& use = uses_[out.base];
        const BoxView view = *use.axes->find(in_, out);
        Piece piece{part_of(view, lower, upper), source.operand, Dims(use.axes->rank(), 0)};
        for (std::size_t j = 0; j < source.strides.size(); ++j) {
            if (view.axis[j] != BoxView::kBroadcast)
                piece.strides[view.axis[j]] = source.strides[j];
        }
        std::vector<Piece> left{std::move(piece)};
        for (const Piece& before : pieces_[out.base]) {
            for (const Box& part : before.box.without(left[0].box)) {
                left.push_back(before.part(part));
            }
        }
        pieces_[out.base] = std::move(left);
    }

    void emit(std::uint32_t i, const std::vector<Pieced>& known,
              std::span<const std::int64_t> lower, std::span<const std::int64_t> upper) {
        Dims shape;
        for (std::size_t j = 0; j < lower.size(); ++j) shape.push_back(upper[j] - lower[j]);
        const auto first = static_cast<std::uint32_t>(out_.operands.size());
        const std::span<const Operand> operands = in_.operands_of(in_.instructions[i]);
        for (std::size_t k = 0; k < operands.size(); ++k) {
            const Place at = read(operands[k], known[k], lower, upper);
            if (at.operand.is_constant()) {
                out_.operands.push_back(at.operand);
            } else {
                append_view(out_, at.operand.base, at.operand.dtype, at.operand.offset, shape,
                            at.strides);
            }
        }
        made_.append(in_, i, in_.instructions[i]).operands = first;
    }

    void emit_all(const std::vector<Cuts>& cuts) {
        for (std::uint32_t i = 0; i < in_.instructions.size(); ++i) {
            const Instruction& instruction = in_.instructions[i];
            if (is_left_out(instruction)) continue;
            const std::vector<Pieced> known = pieced(instruction);
            const bool elsewhere =
                std::ranges::any_of(known, [](const Pieced& p) { return p.pieces != nullptr; });
            if (!elsewhere && cell_count(cuts[i]) == 1) {
                made_.append(in_, i, instruction);
                continue;
            }
            for_each_cell(cuts[i], [&](std::span<const std::int64_t> lower,
                                       std::span<const std::int64_t> upper) {
                emit(i, known, lower, upper);
            });
        }
    }
};

}  // namespace

// Returns the program without assembled arrays of at least `least_bytes`; none if it has none.
std::optional<RewrittenProgram> forward_copies(const Program& recorded, std::int64_t least_bytes) {
    const bool any = std::ranges::any_of(recorded.instructions, [&](const Instruction& i) {
        if (!is_move(recorded, i)) return false;
        const BaseInfo& base = recorded.bases[recorded.outputs(i)[0].base];
        return !base.input && base.dies && base.bytes >= least_bytes;
    });
    if (!any) return std::nullopt;
    const std::optional<RewrittenProgram> split = split_axes(recorded, least_bytes);
    std::optional<RewrittenProgram> cut =
        Cutter(split ? split->program : recorded, least_bytes).cut();
    if (!cut || !split) return cut;
    for (std::uint32_t& i : cut->from) i = split->from[i];
    return cut;
}

}  // namespace hassium
