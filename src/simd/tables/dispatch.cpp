// Selects the table in use: that of the setting `simd`, or of the best level of build and machine.
#include <atomic>
#include <mutex>
#include <string>

#include "base/error.hpp"
#include "base/processor.hpp"
#include "base/settings.hpp"
#include "simd/tables/extremes.hpp"
#include "simd/tables/kernels.hpp"
#include "simd/tables/running_sums.hpp"
#include "simd/tables/tiles.hpp"
#include "simd/tables/transposes.hpp"

namespace hassium {

#define HS_LEVEL(ns)                                \
    namespace ns {                                  \
    void fill_table(KernelTable& table);            \
    void fill_extremes(ExtremeTable& table);        \
    void fill_running_sums(RunningSumTable& table); \
    void fill_transposes(TransposeTable& table);    \
    }                                               \
    namespace ns##_tiles {                          \
        void fill_tile_table(TileTable & table);    \
    }
#ifdef HS_HAVE_NEON
HS_LEVEL(neon)
#endif
#ifdef HS_HAVE_V2
HS_LEVEL(v2)
#endif
#ifdef HS_HAVE_V3
HS_LEVEL(v3)
#endif
#ifdef HS_HAVE_V4
HS_LEVEL(v4)
#endif
#undef HS_LEVEL

namespace {

struct Level {
    const char* name;
    void (*fill)(KernelTable&);
    void (*fill_tiles)(TileTable&);
    void (*fill_extremes)(ExtremeTable&);
    void (*fill_transposes)(TransposeTable&);
    void (*fill_running_sums)(RunningSumTable&);
    bool (*runs)();
};

// Ascending: the last one that runs is the best.
constexpr Level kLevels[] = {
#ifdef HS_HAVE_NEON
    {"neon", &neon::fill_table, &neon_tiles::fill_tile_table, &neon::fill_extremes,
     &neon::fill_transposes, &neon::fill_running_sums, [] { return true; }},
#endif
#ifdef HS_HAVE_V2
    {"v2", &v2::fill_table, &v2_tiles::fill_tile_table, &v2::fill_extremes, &v2::fill_transposes,
     &v2::fill_running_sums, [] { return __builtin_cpu_supports("x86-64-v2") != 0; }},
#endif
#ifdef HS_HAVE_V3
    {"v3", &v3::fill_table, &v3_tiles::fill_tile_table, &v3::fill_extremes, &v3::fill_transposes,
     &v3::fill_running_sums, [] { return __builtin_cpu_supports("x86-64-v3") != 0; }},
#endif
#ifdef HS_HAVE_V4
    {"v4", &v4::fill_table, &v4_tiles::fill_tile_table, &v4::fill_extremes, &v4::fill_transposes,
     &v4::fill_running_sums, [] { return __builtin_cpu_supports("x86-64-v4") != 0; }},
#endif
};
constexpr int kLevelCount = sizeof(kLevels) / sizeof(kLevels[0]);

// Tables are filled on first use: most processes use one.
template <class Table, void (*Level::*kFill)(Table&)>
const Table& filled(int level) {
    static Table tables[kLevelCount];
    static std::once_flag known[kLevelCount];
    std::call_once(known[level], [&] { (kLevels[level].*kFill)(tables[level]); });
    return tables[level];
}

template <bool SparesDivider>
const TileTable& filled_tiles(int level) {
    static TileTable tables[kLevelCount];
    static std::once_flag known[kLevelCount];
    std::call_once(known[level], [&] {
        tables[level].spares_divider = SparesDivider;
        kLevels[level].fill_tiles(tables[level]);
    });
    return tables[level];
}

const KernelTable& table_of(int level) { return filled<KernelTable, &Level::fill>(level); }

int level_of(const KernelTable& table) {
    for (int level = 0; level < kLevelCount; ++level) {
        if (std::string_view(kLevels[level].name) == table.level) return level;
    }
    throw InternalError("a table of kernels belongs to a level");
}

struct Available {
    const char* names[kLevelCount];
    int index[kLevelCount];
    int count = 0;

    Available() {
        for (int i = 0; i < kLevelCount; ++i) {
            if (!kLevels[i].runs()) continue;
            names[count] = kLevels[i].name;
            index[count++] = i;
        }
    }
};

const Available& available() {
    static const Available instance;
    return instance;
}

}  // namespace

const TileTable& tiles_of(const KernelTable& table) {
    static const bool gains = sparing_the_divider_gains();
    const std::string_view choice = settings().choice(Setting::newton_division);
    const int level = level_of(table);
    if (choice == "auto" ? gains : choice == "on") return filled_tiles<true>(level);
    return filled_tiles<false>(level);
}
const ExtremeTable& extremes_of(const KernelTable& table) {
    return filled<ExtremeTable, &Level::fill_extremes>(level_of(table));
}
const TransposeTable& transposes_of(const KernelTable& table) {
    return filled<TransposeTable, &Level::fill_transposes>(level_of(table));
}

const RunningSumTable& running_sums_of(const KernelTable& table) {
    return filled<RunningSumTable, &Level::fill_running_sums>(level_of(table));
}

int available_levels(const char* const** names) {
    *names = available().names;
    return available().count;
}

namespace {

const KernelTable& chosen_table() {
    const Available& levels = available();
    const std::string_view wanted = settings().choice(Setting::simd);
    if (wanted == "auto" && levels.count > 0) return table_of(levels.index[levels.count - 1]);
    std::string names;
    for (int i = 0; i < levels.count; ++i) {
        if (wanted == levels.names[i]) return table_of(levels.index[i]);
        names += std::string(names.empty() ? "" : ", ") + levels.names[i];
    }
    throw UserError(ErrorKind::Value, "[config] simd=" + std::string(wanted) +
                                          ": not in this build or not on this machine, which has " +
                                          (names.empty() ? "none" : names));
}

}  // namespace

// Cached until a setting changes: short operations take less time than the look-up.
const KernelTable& kernels() {
    static std::atomic<const KernelTable*> table{nullptr};
    static std::atomic<std::uint64_t> version{0};
    const std::uint64_t now = settings().version();
    const KernelTable* known = nullptr;
    if (version.load(std::memory_order_acquire) == now) known = table.load();
    if (known) return *known;
    known = &chosen_table();
    table.store(known);
    version.store(now, std::memory_order_release);  // last: the table is that of this version
    return *known;
}

}  // namespace hassium
