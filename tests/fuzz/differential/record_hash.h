// The hash under which recordings of a GPU name PTX texts and results. It must not change, or they would not be found.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include <fmt/format.h>

namespace cudash::fuzz {

class RecordHash {
public:
    /// Adds a field: its length counts, so that ("a", "bc") and ("ab", "c") differ.
    RecordHash& add(std::string_view text) {
        add(text.size());
        while (text.size() >= 8) {
            std::uint64_t word;
            std::memcpy(&word, text.data(), 8);
            mix(word);
            text.remove_prefix(8);
        }
        std::uint64_t rest = 0;
        if (!text.empty()) std::memcpy(&rest, text.data(), text.size());
        mix(rest);
        return *this;
    }
    RecordHash& add(std::uint64_t number) {
        mix(number);
        return *this;
    }

    std::uint64_t low() const { return finish(a_ ^ std::rotl(b_, 21)); }
    std::uint64_t high() const { return finish(b_ ^ std::rotl(a_, 42)); }
    std::string text() const { return fmt::format("{:016x}{:016x}", high(), low()); }

private:
    // Two lanes, each multiplied by an odd constant of the golden ratio and of pi and rotated, fed with the same words.
    void mix(std::uint64_t word) {
        a_ = std::rotl(a_ ^ word, 29) * 0x9e3779b97f4a7c15u;
        b_ = (std::rotl(b_, 37) + word) * 0xc90fdaa22168c235u ^ (a_ >> 31);
    }
    static std::uint64_t finish(std::uint64_t value) {
        for (int round = 0; round < 2; ++round) value = (value ^ (value >> 32)) * 0x9e3779b97f4a7c15u;
        return value ^ (value >> 29);
    }
    std::uint64_t a_ = 0x243f6a8885a308d3u, b_ = 0x13198a2e03707344u;
};

}  // namespace cudash::fuzz
