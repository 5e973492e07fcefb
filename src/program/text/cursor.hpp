// Readers for text forms: the words of a line, and the characters of a word.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <string_view>
#include <vector>

namespace hassium {

struct Cursor {
    std::string_view rest;

    bool take(std::string_view expected) {
        if (!rest.starts_with(expected)) return false;
        rest.remove_prefix(expected.size());
        return true;
    }
    bool integer(std::int64_t& value) {
        auto [end, failure] = std::from_chars(rest.data(), rest.data() + rest.size(), value);
        if (failure != std::errc()) return false;
        rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
        return true;
    }
    std::string_view until(std::string_view stops) {
        std::string_view word = rest.substr(0, rest.find_first_of(stops));
        rest.remove_prefix(word.size());
        return word;
    }
};

// Removes the next line from the text and splits it into words; comments begin with #.
inline void take_line(std::string_view& text, std::vector<std::string_view>& words) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    line = line.substr(0, line.find('#'));
    words.clear();
    while (true) {
        line.remove_prefix(std::min(line.size(), line.find_first_not_of(" \t\r")));
        if (line.empty()) break;
        words.push_back(line.substr(0, line.find_first_of(" \t\r")));
        line.remove_prefix(words.back().size());
    }
}

}  // namespace hassium
