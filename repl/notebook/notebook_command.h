// `cudash kernel`.
#pragma once

#include <string>
#include <vector>

#include "repl/notebook/kernelspec.h"
#include "repl/settings/settings.h"
#include "repl/view/display.h"
#include "repl/worker/client.h"

namespace cudash::notebook {

struct NotebookCommand {
    std::vector<std::string> words;  ///< after `kernel`
    Kernelspec spec;
    worker::Settings worker;
    settings::Settings values;
};

/// `cudash kernel install | uninstall | run FILE`; returns the exit code.
int run_kernel_command(const NotebookCommand& command, const view::Display& display);

}  // namespace cudash::notebook
