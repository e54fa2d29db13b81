// The inspections that have files of their own (session/inspect.h has the table), and what they share.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "repl/session/inspect.h"

namespace cudash::session {

/// "4096 (4 KiB)".
std::string bytes_text(std::uint64_t count);
/// The words of an argument.
std::vector<std::string> words_of(std::string_view text);
/// The kernel that `name` means; nullptr after filling `outcome` with the names that there are.
const void* find_kernel(const Inspected& session, std::string_view name, Outcome& outcome);

Outcome occupancy(const Inspected& session, std::string_view argument);
Outcome streams(const Inspected& session, std::string_view argument);
Outcome window(const Inspected& session, std::string_view argument);
Outcome sass(const Inspected& session, std::string_view kernel);
Outcome source(const Inspected& session, std::string_view name);
Outcome trace(const Inspected& session, std::string_view argument);
Outcome launches(const Inspected& session, std::string_view argument);
/// The cells with these numbers as a program for nvcc.
Outcome program(const Inspected& session, std::string_view cells);

}  // namespace cudash::session
