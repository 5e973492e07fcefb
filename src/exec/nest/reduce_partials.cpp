// Combines partials into results, after the nest.
#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "exec/compile/code.hpp"

namespace hassium {
namespace {

constexpr std::int64_t kBatch = 512;

// Row form: each output's partials are contiguous.
void fold_rows(const ReductionCode& r, char* partials, std::int64_t first, std::int64_t count) {
    if (r.partials == 1) return;
    for (std::int64_t k = first; k < first + count; ++k) {
        r.tree(partials + k * r.partials * r.bytes, r.partials);
    }
}

// Column form: chunks of partials are combined pairwise, as a balanced tree.
void fold_columns(const ReductionCode& r, char* partials) {
    for (std::int64_t reach = 1; reach < r.partials; reach *= 2) {
        for (std::int64_t k = 0; k + reach < r.partials; k += 2 * reach) {
            char* left = partials + k * r.chunk_bytes;
            char* p[3] = {left, left, partials + (k + reach) * r.chunk_bytes};
            r.map(p, 0, r.outputs);
        }
    }
}

// Stores outputs [first, end), a batch at a time. `from` is the address of output 0; outputs are
// `stride` bytes apart.
void store_results(const KernelTable& table, const ReductionCode& r, const char* from,
                   std::int64_t stride, char* base, std::int64_t first, std::int64_t end) {
    alignas(64) char raw[kBatch * 16], made[kBatch * 16];
    Walk walk{r.extents, r.strides};
    if (walk.extents.empty()) walk = {Dims{1}, Dims{itemsize(r.result)}};
    for (std::int64_t done = first; done < end; done += kBatch) {
        std::int64_t n = std::min(kBatch, end - done);
        if (stride == 0) {
            table.fill[item_log2(r.bytes)](raw, from, n);
        } else {
            table.load[item_log2(r.bytes)](raw, from + done * stride, stride, n);
        }
        char *ready = raw, *other = made;
        for (CastFn cast : {r.round, r.cast}) {
            if (!cast) continue;
            cast(other, ready, n);
            std::swap(ready, other);
        }
        scatter(table, walk, base, ready, itemsize(r.result), done, n);
    }
}

}  // namespace

void finish_reductions(const Launch& launch) {
    // All reductions of a nest have the same outputs.
    if (!launch.code.reductions.empty())
        finish_outputs(launch, 0, launch.code.reductions[0].outputs);
}

void finish_outputs(const Launch& launch, std::int64_t first, std::int64_t count) {
    for (std::size_t k = 0; k < launch.code.reductions.size(); ++k) {
        const ReductionCode& r = launch.code.reductions[k];
        if (r.direct) continue;
        char* partials = launch.partials[k];
        std::int64_t stride = r.bytes;
        if (r.row_form) {
            fold_rows(r, partials, first, count);
            stride *= r.partials;
        } else {
            fold_columns(r, partials);
        }
        store_results(*launch.code.table, r, partials, stride, launch.bases[r.base].data + r.offset,
                      first, first + count);
    }
}

void store_identities(const Launch& launch) {
    for (const ReductionCode& r : launch.code.reductions) {
        if (r.outputs == 0) continue;
        HS_CHECK(r.has_identity, "a reduction over nothing has an identity");
        store_results(*launch.code.table, r, reinterpret_cast<const char*>(r.identity), 0,
                      launch.bases[r.base].data + r.offset, 0, r.outputs);
    }
}

}  // namespace hassium
