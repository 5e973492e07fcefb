#include "engine/merge_cache.hpp"

namespace hassium {

std::shared_ptr<const CachedFlush> MergeCache::find(const Program& program, std::uint64_t hash,
                                                    std::uint64_t settings_version) {
    std::lock_guard lock(mutex_);
    auto [first, last] = by_hash_.equal_range(hash);
    for (auto it = first; it != last; ++it) {
        const CachedFlush& entry = *it->second->entry;
        if (entry.settings_version != settings_version || !entry.program.same_structure(program)) {
            continue;
        }
        recent_.splice(recent_.begin(), recent_, it->second);
        return it->second->entry;
    }
    return nullptr;
}

void MergeCache::store(std::uint64_t hash, std::shared_ptr<const CachedFlush> entry,
                       std::size_t bound) {
    std::lock_guard lock(mutex_);
    recent_.push_front({hash, std::move(entry)});
    by_hash_.emplace(hash, recent_.begin());
    while (recent_.size() > bound) {
        auto oldest = std::prev(recent_.end());
        auto [first, last] = by_hash_.equal_range(oldest->hash);
        for (auto it = first; it != last; ++it) {
            if (it->second != oldest) continue;
            by_hash_.erase(it);
            break;
        }
        recent_.pop_back();
    }
}

void MergeCache::clear() {
    std::lock_guard lock(mutex_);
    by_hash_.clear();
    recent_.clear();
}

std::int64_t MergeCache::entries() const {
    std::lock_guard lock(mutex_);
    return static_cast<std::int64_t>(recent_.size());
}

}  // namespace hassium
