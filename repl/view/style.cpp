#include "repl/view/style.h"

#include <unistd.h>

#include <cstdlib>

namespace cudash::view {

bool speaks_utf8() {
    // The first of these variables that is set names the locale.
    for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
        const char* value = std::getenv(name);
        if (!value || !*value) continue;
        const std::string_view locale(value);
        for (const std::string_view encoding : {"UTF-8", "utf-8", "UTF8", "utf8"})
            if (locale.find(encoding) != std::string_view::npos) return true;
        return false;
    }
    return true;
}

bool takes_controls(int fd, bool plain) {
    const char* terminal = std::getenv("TERM");
    return !plain && terminal && std::string_view(terminal) != "dumb" && isatty(fd) == 1;
}

bool takes_colour(int fd, bool plain) {
    const char* no_colour = std::getenv("NO_COLOR");
    return takes_controls(fd, plain) && !(no_colour && *no_colour);
}

}  // namespace cudash::view
