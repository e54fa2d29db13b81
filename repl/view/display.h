// Where results (values) and messages (everything else) go.
#pragma once

#include <functional>
#include <memory>
#include <string_view>

#include "repl/session/outcome.h"
#include "repl/view/array.h"
#include "repl/view/diagnostic_printer.h"
#include "repl/view/event_stream.h"
#include "repl/view/look.h"
#include "repl/view/picture/canvas.h"
#include "repl/view/rich.h"
#include "repl/view/style.h"

namespace cudash::view {

struct Display {
    std::function<void(std::string_view)> results;
    std::function<void(std::string_view)> messages;
    /// Moves to the start of a line if the program's output ended inside one; may be empty.
    std::function<void()> fresh_line;
    /// How far a running kernel is; `all` = 0: that something takes long. No `what` ends the display. May be empty.
    std::function<void(std::string_view what, std::uint64_t done, std::uint64_t all)> progress;
    /// Where more than text can be shown: results that have other forms come here, and not to `results`. May be empty.
    std::function<void(const Rich&)> rich;
    /// Where a cell's value is more than one result among others, it comes here. May be empty.
    std::function<void(const session::Value&)> value;
    /// The same of a finding; its plain form is what `messages` would get, in color. May be empty.
    std::function<void(const Diagnostic&, const Rich&)> finding;
    /// Gets each finding too, however it is shown. May be empty.
    std::function<void(const Diagnostic&)> collect;
    Style style;                          ///< of messages
    Style style_of_results;               ///< of tables
    bool json = false;                    ///< findings as JSON
    std::shared_ptr<EventStream> events;  ///< everything as JSON; may be empty
    bool controls = false;                ///< stdout is a terminal that may be sent control sequences
    bool measures = false;                ///< this process's own terminal: its size can be asked for
    unsigned width = 0;                   ///< of the terminal that shows results, in columns; 0: none
    unsigned width_of_messages = 0;       ///< the same, of the one that shows messages
    unsigned height = 0;                  ///< in lines; what is longer is paged. 0: no terminal
    Look look;                            ///< what was wished for, and the rest of it

    /// What there is to show things on: nothing, for a display that collects text.
    struct Terminal {
        bool colour_of_results = false, colour_of_messages = false;
        bool utf8 = true;
        unsigned width = 0, height = 0;
    };
    Terminal terminal;

    /// Sets styles, width and height to what is wished for, as far as the terminal allows.
    void use(Look wished);

    /// The terminal may have another size than before: width and height follow.
    void measure();

    /// Pictures are made for this; without a terminal, for one of 100 columns.
    Screen screen() const { return {style_of_results, width ? width : 100, look.elements}; }
    /// The same where colors mean nothing.
    Screen plain_screen() const {
        Screen plain = screen();
        plain.style.colour = false;
        return plain;
    }
    /// For pictures of profiles.
    Canvas canvas() const { return {width ? width : 80, style_of_results.utf8, style_of_results.colour, look.light}; }
    /// With a terminal that is too small for the text, by the pager.
    bool page(std::string_view text) const;
    void show(const Diagnostic& diagnostic, const SourceLines& lines) const;
    void show(const session::Table& table) const;
    void show(const session::TraceLine& told) const;
    /// What an outcome says besides the program's own output.
    void show(const session::Outcome& outcome, std::string_view cell, const SourceLines& lines) const;

private:
    void show_answer(const session::Outcome& outcome) const;
    void show_rich_answer(const session::Outcome& outcome) const;
    void show_stop(const session::Outcome& outcome, const SourceLines& lines) const;
};

/// All on stdout, as events.
Display event_display(const Look& look, bool times);
/// Results on stdout, messages on stderr.
Display standard_display(const Look& look, bool json = false);

}  // namespace cudash::view
