#include "repl/session/header_errors.h"

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace cudash::session {
namespace {

bool is_of_system(const SourceSpot& place) {
    const std::string_view file = place.file;
    return file.starts_with("/usr/") || file.starts_with("/opt/") || file.find("/include/c++/") != file.npos ||
           file.find("/include/cccl/") != file.npos;
}

bool leads_here(const Diagnostic::Note& note) {
    return note.message.ends_with("requested here") && !note.where.file.empty();
}

/// Whether its place changed.
bool move_to_own_line(Diagnostic& diagnostic) {
    if (diagnostic.severity != Diagnostic::Severity::error || !is_of_system(diagnostic.where)) return false;
    const auto own = std::ranges::find_if(
        diagnostic.notes, [](const Diagnostic::Note& note) { return leads_here(note) && !is_of_system(note.where); });
    if (own == diagnostic.notes.end()) return false;
    const SourceSpot header = std::exchange(diagnostic.where, own->where);
    diagnostic.notes.erase(own);
    // The way from one to the other leads through the header's own templates.
    std::erase_if(diagnostic.notes,
                  [](const Diagnostic::Note& note) { return leads_here(note) && is_of_system(note.where); });
    diagnostic.notes.insert(diagnostic.notes.begin(), {"the error is here, in a template that this line uses", header});
    return true;
}

}  // namespace

void tell_at_own_line(Diagnostic& diagnostic) {
    move_to_own_line(diagnostic);
}

void tell_at_own_lines(std::vector<Diagnostic>& diagnostics) {
    std::set<std::pair<std::string, unsigned>> told;
    bool follows = false;  // clang tells the way to an error once, and not again for the next one there
    std::erase_if(diagnostics, [&](Diagnostic& each) {
        const bool moved = move_to_own_line(each);
        if (each.severity != Diagnostic::Severity::error) return false;
        if (follows && !moved && is_of_system(each.where)) return true;
        follows = moved;
        const bool is_first = told.emplace(each.where.file, each.where.line).second;
        return moved && !is_first;
    });
}

}  // namespace cudash::session
