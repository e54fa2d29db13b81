// The head of a lesson: TOML in an HTML comment.
//
//     <!-- lesson
//     minutes = 30
//     ...
//     -->
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime_wrappers/diagnostic.h"

namespace cudash::lesson {

struct Header {
    double minutes = 0;                  ///< that a student needs
    std::vector<std::string> documents;  ///< that it follows
    std::vector<std::string> claims;     ///< of the documents, that it shows: "4.2"
    unsigned claims_line = 1;            ///< of them, or of the head
    std::string needs;                   ///< "virtual": can't be shown on a real GPU; or empty
    std::string device;                  ///< empty: the virtual h200
    std::vector<std::string> options;    ///< of the session, as on the command line
    bool puzzle = false;                 ///< one exercise with a picture; its folder lies in lessons/puzzles
    std::size_t end = 0;                 ///< of the comment in the text
    unsigned last_line = 0;
};

/// nullopt: the text does not begin with such a comment. What is wrong with it goes to `problems`.
std::optional<Header> parse_header(const std::string& path, std::string_view text, std::vector<Diagnostic>& problems);

}  // namespace cudash::lesson
