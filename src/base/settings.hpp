// The table of settings: name, default, allowed values and meaning are in settings.def. The only
// place that reads the environment. Read by any thread, changed under the GIL.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>

namespace hassium {

enum class SettingKind : std::uint8_t { Choice, Flag, Integer };

enum class Setting : std::uint8_t {
#define HS_SETTING(name, kind, fallback, allowed, meaning) name,
#include "base/settings.def"
#undef HS_SETTING
};

inline constexpr int kSettingCount = 0
#define HS_SETTING(name, kind, fallback, allowed, meaning) +1
#include "base/settings.def"
#undef HS_SETTING
    ;

struct SettingInfo {
    std::string_view name;
    SettingKind kind;
    std::string_view fallback;
    std::string_view allowed;
    std::string_view meaning;
};

const SettingInfo& info(Setting s);

class Settings {
  public:
    // Sets the defaults, then reads the environment; an unknown value there is an error at import.
    Settings();

    // Returns for Choice the index among the allowed words, for Flag 0 or 1, else the number.
    std::int64_t get(Setting s) const { return values_[static_cast<int>(s)].load(kRelaxed); }
    bool on(Setting s) const { return get(s) != 0; }
    std::string_view choice(Setting s) const;
    std::string text(Setting s) const;

    // Throws UserError (Value) that names the setting and the allowed values.
    void set(std::string_view name, std::string_view text);
    // Increases with every change, to validate cached settings.
    std::uint64_t version() const { return version_.load(kRelaxed); }

  private:
    // Threads without the GIL may read during a change, each value by itself.
    static constexpr auto kRelaxed = std::memory_order_relaxed;
    std::atomic<std::int64_t> values_[kSettingCount];
    std::atomic<std::uint64_t> version_ = 0;

    inline static Settings* instance_ = nullptr;
    static Settings& make_instance();
    friend Settings& settings();
};

// Created at the first call, during the import of the module under the GIL; never destroyed.
inline Settings& settings() {
    return Settings::instance_ ? *Settings::instance_ : Settings::make_instance();
}

}  // namespace hassium
