// Where results (values) and messages (everything else) go.
#pragma once

#include <functional>
#include <string_view>

#include "repl/session/outcome.h"
#include "repl/view/array.h"
#include "repl/view/diagnostic_printer.h"
#include "repl/view/style.h"

namespace cudash::view {

struct Display {
    std::function<void(std::string_view)> results;
    std::function<void(std::string_view)> messages;
    /// Moves to the start of a line if the program's output ended inside one; may be empty.
    std::function<void()> fresh_line;
    /// How far a running kernel is; `all` = 0 ends the display. May be empty.
    std::function<void(std::string_view what, std::uint64_t done, std::uint64_t all)> progress;
    Style style;                     ///< of messages
    Style style_of_results;          ///< of tables
    bool json = false;               ///< findings as JSON
    bool unicode = false;            ///< pictures may have more than ASCII
    bool controls = false;           ///< stdout is a terminal that may be sent control sequences
    unsigned width = 0;              ///< of the terminal that shows results, in columns; 0: none
    unsigned width_of_messages = 0;  ///< of the terminal that shows messages; 0: none
    unsigned height = 0;             ///< in lines; what is longer is paged. 0: no terminal

    /// Pictures are made for this; without a terminal, for one of 100 columns.
    Screen screen() const { return {style_of_results, width ? width : 100}; }
    void show(const Diagnostic& diagnostic, const SourceLines& lines) const;
    /// What an outcome says besides the program's own output.
    void show(const session::Outcome& outcome, std::string_view cell, const SourceLines& lines) const;
};

/// Results on stdout, messages on stderr.
Display standard_display(bool plain, bool json = false);

}  // namespace cudash::view
