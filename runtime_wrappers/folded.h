// Findings that are alike are told once, with a note of how many more there were: its text, and the number back from
// it.
#pragma once

#include <fmt/format.h>

#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>

#include "runtime_wrappers/diagnostic.h"

namespace cudash {

inline constexpr std::string_view more_times = " more time";

/// `where` goes on: "at this line".
inline Diagnostic::Note note_of_more(std::uint64_t more, std::string_view where) {
    return {fmt::format("{}{}{} {}", more, more_times, more == 1 ? "" : "s", where), {}};
}

/// How often it was found, itself included.
inline std::uint64_t times_found(const Diagnostic& diagnostic) {
    for (const Diagnostic::Note& note : diagnostic.notes) {
        std::uint64_t more = 0;
        const char* const end = note.message.data() + note.message.size();
        const auto [rest, failure] = std::from_chars(note.message.data(), end, more);
        if (failure == std::errc() && std::string_view(rest, end).starts_with(more_times)) return more + 1;
    }
    return 1;
}

}  // namespace cudash
