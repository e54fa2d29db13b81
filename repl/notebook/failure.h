#pragma once

#include "repl/view/display.h"

namespace cudash::notebook {

/// Tells why a command ends, and gives its exit code back.
inline int fail(const Diagnostic& problem, const view::Display& display, int code) {
    display.show(problem, {});
    return code;
}

}  // namespace cudash::notebook
