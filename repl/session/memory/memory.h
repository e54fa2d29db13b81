// Answers what the front end asks of memory: where the elements behind an expression lie, and their bytes.
#pragma once

#include "repl/session/inspect.h"
#include "repl/session/memory/query.h"

namespace cudash::session {

Answer answer(const Inspected& session, const Query& query);

}  // namespace cudash::session
