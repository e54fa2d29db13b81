// Programs that the interpreter can't run, and nvcc may be able to build.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "repl/session/outcome.h"
#include "repl/worker/client.h"

namespace cudash::shell {

/// What of a cell that did not compile is the interpreter's own limit, as far as can be told without asking nvcc. A
/// file that ends the worker while it is read is such a limit, too. nullopt: it ran, or it has a mistake that every
/// compiler refuses.
std::optional<Diagnostic> why_not_interpreted(const session::Cell& cell, const session::Outcome& outcome);

/// The same for a program that has been read: what it calls and only a built program has.
std::optional<Diagnostic> why_not_interpreted(worker::Client& client);

/// What of a file's text is better built by nvcc (the codes): the headers of Thrust and CUB, which take the interpreter
/// longer each time than nvcc takes once, also where a header beside the file or in one of the `folders` (-I) includes
/// them; the start of other programs, since only a program with a file of its own can start itself again. nullopt:
/// nothing.
inline constexpr const char* slow_headers = "slow-headers";
std::optional<Diagnostic> why_built_first(const std::string& path, std::string_view text,
                                          const std::vector<std::string>& folders = {});
/// Whether a file's text calls execvp() or its kin.
bool starts_programs(std::string_view text);

}  // namespace cudash::shell
