#include "engine/cache/merge_cache.hpp"

#include <cstring>

namespace hassium {
namespace {

template <class T>
bool begins_with(const std::vector<T>& longer, const std::vector<T>& shorter) {
    return shorter.size() <= longer.size() &&
           (shorter.empty() ||
            std::memcmp(longer.data(), shorter.data(), shorter.size() * sizeof(T)) == 0);
}

// Operands, geometry and bases of dels and of rewrite passes are appended to the recorded ones and
// follow from them, so only the recorded ones are compared.
bool same_program(const CachedFlush& entry, const Program& recorded) {
    const std::vector<Instruction>& instructions = entry.form->recorded;
    return instructions.size() == recorded.instructions.size() &&
           entry.form->recorded_bases == recorded.bases.size() &&
           begins_with(instructions, recorded.instructions) &&
           begins_with(entry.program.operands, recorded.operands) &&
           begins_with(entry.program.geometry, recorded.geometry) &&
           begins_with(entry.program.bases, recorded.bases);
}

}  // namespace

std::shared_ptr<const CachedFlush> MergeCache::find(const Program& recorded, std::uint64_t hash,
                                                    std::uint64_t settings, const void* known) {
    std::lock_guard lock(mutex_);
    return exact_.find(hash, [&](const CachedFlush& entry) {
        return entry.settings == settings && (&entry == known || same_program(entry, recorded));
    });
}

std::vector<std::shared_ptr<const Family>> MergeCache::find(const SymbolicKey& key,
                                                            std::uint64_t settings) const {
    std::lock_guard lock(mutex_);
    return families_.find_all(key.hash, [&](const Family& family) {
        return family.settings == settings && family.key.words == key.words;
    });
}

void MergeCache::touch(const Family& family) {
    std::lock_guard lock(mutex_);
    families_.find(family.key.hash, [&](const Family& other) { return &other == &family; });
}

void MergeCache::store(std::shared_ptr<const CachedFlush> entry, std::size_t bound) {
    std::lock_guard lock(mutex_);
    std::uint64_t hash = entry->hash;
    exact_.add(hash, std::move(entry), bound, bound);
}

void MergeCache::store(std::shared_ptr<const Family> family, std::size_t bound) {
    std::lock_guard lock(mutex_);
    std::uint64_t hash = family->key.hash;
    families_.add(hash, std::move(family), bound, kCongruent);
}

bool MergeCache::admits(std::uint64_t hash, std::size_t bound) {
    std::lock_guard lock(mutex_);
    if (!seen(hash)) return false;
    return exact_.size() < bound || ++refused_ % kOneIn == 0;
}

bool MergeCache::seen(std::uint64_t hash) {
    // Two slots: with one, hundreds of shapes in a cycle would evict each other.
    auto second = [this](std::uint64_t h) -> std::uint64_t& {
        return seen_[(h >> 41) % seen_.size()];
    };
    std::uint64_t& first = seen_[(hash >> 17) % seen_.size()];
    if (first == hash || second(hash) == hash) return true;
    if (first != 0) second(first) = first;
    first = hash;
    return false;
}

void MergeCache::clear() {
    std::lock_guard lock(mutex_);
    exact_.clear();
    families_.clear();
    seen_.fill(0);
}

MergeCache::Sizes MergeCache::sizes() const {
    std::lock_guard lock(mutex_);
    return {static_cast<std::int64_t>(exact_.size()), static_cast<std::int64_t>(families_.size())};
}

}  // namespace hassium
