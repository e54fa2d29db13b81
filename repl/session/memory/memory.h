// Answers what the front end asks of memory: where the elements behind an expression lie, and their bytes.
#pragma once

#include <cstddef>
#include <span>

#include "repl/session/inspect.h"
#include "repl/session/memory/query.h"

namespace cudash::session {

Answer answer(const Inspected& session, const Query& query, std::span<std::byte> window = {});

}  // namespace cudash::session
