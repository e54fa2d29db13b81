#include "repl/view/style.h"

#include <unistd.h>

#include <cstdlib>

namespace cudash::view {

Style style_for(int fd, bool plain) {
    const char* no_colour = std::getenv("NO_COLOR");
    const char* terminal = std::getenv("TERM");
    const bool refused = plain || (no_colour && *no_colour) || !terminal || std::string_view(terminal) == "dumb";
    return {!refused && isatty(fd) == 1};
}

}  // namespace cudash::view
