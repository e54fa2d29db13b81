// Errors inside the headers of the system: the student's line that asked for the template comes first.
#pragma once

#include <vector>

#include "runtime_wrappers/diagnostic.h"

namespace cudash::session {

/// An error in a header is told at the line of the student's that uses it; the header's line becomes a note.
void tell_at_own_line(Diagnostic& diagnostic);

/// The same for all; of the errors in headers that one line of the student's leads to, the first is told, and none if
/// the line has an error of its own before.
void tell_at_own_lines(std::vector<Diagnostic>& diagnostics);

}  // namespace cudash::session
