// `cudash serve`: Jupyter's notebook server on this machine, with the kernel and the lessons as notebooks.
#pragma once

#include <string>

#include "repl/view/display.h"

namespace cudash::notebook {

struct ServeCommand {
    std::string folder;  ///< of the notebooks; empty: cudash-notebooks in the user's home
    int port = 0;        ///< 0: the first free one from 8888
    bool no_browser = false;
    std::string device{};  ///< of the kernel; empty: as the settings say
};

/// Runs until the server ends (Ctrl-C). Returns the exit code.
int run_serve_command(const ServeCommand& command, const view::Display& display);

}  // namespace cudash::notebook
