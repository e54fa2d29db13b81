// What cudash::display() and its kin show.
#pragma once

#include "repl/view/display.h"
#include "repl/worker/client.h"

namespace cudash::shell {

/// As `:show` shows an array; with a title, if the program gave one. A worker that says what can't be gets a finding.
void show_displayed(const session::Displayed& displayed, const worker::ReadMemory& read, const view::Display& display,
                    const view::SourceLines& lines);

}  // namespace cudash::shell
