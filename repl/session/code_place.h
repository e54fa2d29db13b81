// A place in host code, as the JIT's line tables know it.
#pragma once

#include <string>

namespace cudash::session {

struct CodePlace {
    std::string file;  ///< "cell 3", or a path as the student gave it
    unsigned line = 0, column = 0;
    /// False for headers of the toolkit and the system, and for the stubs behind <<<>>>: what called them is of
    /// interest.
    bool own = true;
    bool stub = false;  ///< what <<<>>> calls
};

}  // namespace cudash::session
