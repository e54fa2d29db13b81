// Proves that lessons are what they say: their cells print what the text says, their questions' answers are right and
// the foreseen wrong ones wrong, their exercises fail unsolved, their solutions pass, and each foreseen wrong
// submission gets its reply.
#pragma once

#include <string>
#include <vector>

#include "repl/view/display.h"
#include "repl/worker/client.h"

namespace cudash::lesson {

struct VerifySettings {
    worker::Settings worker;
    bool device_given = false;  ///< --device: lessons that need the virtual GPU are skipped on a real one
    bool exercises = true;      ///< false: the text, its cells and its questions only
};

/// `folders`: those of lessons. The last line counts. Returns the exit code.
int verify(const std::vector<std::string>& folders, const VerifySettings& settings, const view::Display& display);

}  // namespace cudash::lesson
