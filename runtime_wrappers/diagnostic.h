// What went wrong, as a value: every part of cudash that finds a mistake returns or emits one of these, and exactly one
// place (repl/view/diagnostic_printer) turns it into text.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace cudash {

/// A place in the student's text. `line` and `column` count from 1; 0 means unknown.
struct SourceSpot {
    std::string file;  ///< "cell 3" or a path, as the student would name it
    unsigned line = 0;
    unsigned column = 0;
};

struct Dim3 {
    unsigned x = 1, y = 1, z = 1;
    friend bool operator==(const Dim3&, const Dim3&) = default;
};

/// A thread of a running kernel.
struct ThreadSpot {
    std::string kernel;
    Dim3 block{0, 0, 0};
    Dim3 thread{0, 0, 0};
};

struct Diagnostic {
    enum class Severity { note, warning, error };

    /// A second place or fact that belongs to the first: the other party of a race, where memory was allocated.
    struct Note {
        std::string message;
        SourceSpot where;
    };

    Severity severity = Severity::error;
    std::string code;     ///< stable kebab-case name: "oob-write", "unknown-profile"
    std::string message;  ///< one sentence, lower case, no full stop
    SourceSpot where;
    std::optional<ThreadSpot> thread;
    std::vector<Note> notes;
    std::string hint;  ///< what to try; empty when there is nothing useful to say
};

/// An error made of a code, a message and a hint: the common case.
inline Diagnostic error(std::string code, std::string message, std::string hint = {}) {
    Diagnostic diagnostic;
    diagnostic.code = std::move(code);
    diagnostic.message = std::move(message);
    diagnostic.hint = std::move(hint);
    return diagnostic;
}

}  // namespace cudash
