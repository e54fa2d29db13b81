// Answers what the front end asks of memory: where the elements behind an expression lie, and their bytes.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "repl/session/inspect.h"
#include "repl/session/memory/query.h"

namespace cudash::session {

Answer answer(const Inspected& session, const Query& query, std::span<std::byte> window = {});

/// Where the array of a Displayed lies, and whether all of it is there. The error says why it can't be shown.
std::optional<Diagnostic> find_displayed(const Inspected& session, Displayed& displayed);

}  // namespace cudash::session
