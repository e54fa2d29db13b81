// Runs transcripts, each in a worker of its own, and reports or rewrites.
#pragma once

#include <string>
#include <vector>

#include "repl/view/display.h"
#include "repl/worker/client.h"

namespace cudash::lesson {

struct RunnerSettings {
    worker::Settings worker;
    bool device_given = false;  ///< --device was given; otherwise transcripts run on the virtual GPU
    bool rewrite = false;
};

/// Runs the transcripts at `paths` (files, or folders of .cudash and .md files). The last line that it shows counts:
/// `N passed, N failed, N skipped`. Returns the exit code.
int run_transcripts(const std::vector<std::string>& paths, const RunnerSettings& settings,
                    const view::Display& display);

}  // namespace cudash::lesson
