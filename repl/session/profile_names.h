// What `:profile` takes, as its help and its messages list it (profile_requests.def).
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

namespace cudash::session {

// A row is ", name argument"; the first comma goes.
#define PROFILE_ACTION(name) ", " #name
#define PROFILE_TABLE(name, text, argument)
#define PROFILE_PICTURE(name, argument)
inline constexpr std::string_view profile_actions =
    std::string_view{
#include "repl/session/profile_requests.def"
    }
        .substr(2);
#undef PROFILE_ACTION
#undef PROFILE_TABLE
#undef PROFILE_PICTURE

#define PROFILE_ACTION(name)
#define PROFILE_TABLE(name, text, argument) ", " text argument
#define PROFILE_PICTURE(name, argument)
inline constexpr std::string_view profile_tables =
    std::string_view{
#include "repl/session/profile_requests.def"
    }
        .substr(2);
#undef PROFILE_ACTION
#undef PROFILE_TABLE
#undef PROFILE_PICTURE

#define PROFILE_ACTION(name)
#define PROFILE_TABLE(name, text, argument)
#define PROFILE_PICTURE(name, argument) ", " #name argument
inline constexpr std::string_view profile_pictures =
    std::string_view{
#include "repl/session/profile_requests.def"
    }
        .substr(2);
#undef PROFILE_ACTION
#undef PROFILE_TABLE
#undef PROFILE_PICTURE

/// Several texts as one that is there before the program runs.
template <const std::string_view&... Parts>
inline constexpr auto joined = [] {
    std::array<char, (Parts.size() + ...)> text{};
    auto at = text.begin();
    ((at = std::copy(Parts.begin(), Parts.end(), at)), ...);
    return text;
}();

inline constexpr std::string_view counts_it = "counts what kernels do: ", shows_it = "; shows it: ",
                                  draws_it = "; draws it: ";
inline constexpr auto profile_help_text =
    joined<counts_it, profile_actions, shows_it, profile_tables, draws_it, profile_pictures>;
/// What `:help` says of it.
inline constexpr std::string_view profile_help{profile_help_text.data(), profile_help_text.size()};

}  // namespace cudash::session
