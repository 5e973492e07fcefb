#include "base/settings.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdlib>
#include <optional>

#include "base/error.hpp"

#ifndef HS_VERIFY_DEFAULT
#define HS_VERIFY_DEFAULT "0"
#endif

namespace hassium {
namespace {

constexpr SettingInfo kSettings[kSettingCount] = {
#define HS_SETTING(name, kind, fallback, allowed, meaning) \
    {#name, SettingKind::kind, fallback, allowed, meaning},
#include "base/settings.def"
#undef HS_SETTING
};

std::string_view next_word(std::string_view& rest) {
    std::size_t end = std::min(rest.find(' '), rest.size());
    std::string_view word = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    return word;
}

std::optional<std::int64_t> to_integer(std::string_view text) {
    std::int64_t value = 0;
    auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (failure != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return value;
}

std::optional<std::int64_t> parse(const SettingInfo& row, std::string_view text) {
    std::string_view allowed = row.allowed;
    if (row.kind == SettingKind::Choice) {
        for (std::int64_t i = 0; !allowed.empty(); ++i) {
            if (next_word(allowed) == text) return i;
        }
        return std::nullopt;
    }
    if (row.kind == SettingKind::Flag) {
        if (text == "True" || text == "true") text = "1";
        if (text == "False" || text == "false") text = "0";
    }
    std::optional<std::int64_t> value = to_integer(text);
    std::int64_t least = *to_integer(next_word(allowed));
    std::int64_t most = *to_integer(next_word(allowed));
    if (!value || *value < least || *value > most) return std::nullopt;
    return value;
}

std::string describe_allowed(const SettingInfo& row) {
    std::string_view allowed = row.allowed;
    if (row.kind == SettingKind::Integer) {
        std::string least(next_word(allowed));
        return "an integer from " + least + " to " + std::string(next_word(allowed));
    }
    std::string text = "one of ";
    while (!allowed.empty()) {
        text += next_word(allowed);
        if (!allowed.empty()) text += ", ";
    }
    return text;
}

[[noreturn]] void refuse(const std::string& name, std::string_view text, const SettingInfo& row) {
    throw UserError(ErrorKind::Value,
                    name + "=" + std::string(text) + ": must be " + describe_allowed(row));
}

// Returns the first number of OMP_NUM_THREADS, which has one for each nesting level. Software that
// divides a machine among processes (joblib, dask, cluster schedulers) sets it.
std::optional<std::int64_t> threads_of_openmp() {
    const char* text = std::getenv("OMP_NUM_THREADS");
    if (!text) return std::nullopt;
    std::string_view first = text;
    first = first.substr(0, first.find(','));
    const std::size_t begin = std::min(first.find_first_not_of(' '), first.size());
    first = first.substr(begin, first.find_last_not_of(' ') - begin + 1);
    return parse(info(Setting::threads), first);
}

}  // namespace

const SettingInfo& info(Setting s) { return kSettings[static_cast<int>(s)]; }

Settings::Settings() {
    for (int i = 0; i < kSettingCount; ++i) {
        const SettingInfo& row = kSettings[i];
        values_[i] = *parse(row, row.fallback);
        std::string variable = "HASSIUM_" + std::string(row.name);
        std::transform(variable.begin(), variable.end(), variable.begin(),
                       [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
        if (const char* text = std::getenv(variable.c_str())) {
            const auto value = parse(row, text);
            if (!value) refuse(variable, text, row);
            values_[i] = *value;
        } else if (static_cast<Setting>(i) == Setting::threads) {
            if (const auto threads = threads_of_openmp()) values_[i] = *threads;
        }
    }
}

std::string_view Settings::choice(Setting s) const {
    std::string_view allowed = info(s).allowed;
    for (std::int64_t i = 0; i < get(s); ++i) next_word(allowed);
    return next_word(allowed);
}

std::string Settings::text(Setting s) const {
    return info(s).kind == SettingKind::Choice ? std::string(choice(s)) : std::to_string(get(s));
}

void Settings::set(std::string_view name, std::string_view text) {
    for (int i = 0; i < kSettingCount; ++i) {
        const SettingInfo& row = kSettings[i];
        if (row.name != name) continue;
        std::optional<std::int64_t> value = parse(row, text);
        if (!value) refuse("[config] " + std::string(name), text, row);
        values_[i] = *value;
        ++version_;
        return;
    }
    std::string names;
    for (const SettingInfo& row : kSettings)
        names += (names.empty() ? "" : ", ") + std::string(row.name);
    throw UserError(ErrorKind::Value, "[config] unknown setting '" + std::string(name) +
                                          "': the settings are " + names);
}

Settings& Settings::make_instance() {
    static Settings* const made = new Settings;
    instance_ = made;
    return *made;
}

}  // namespace hassium
