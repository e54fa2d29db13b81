// Places of source code and threads in words.
#pragma once

#include <fmt/format.h>

#include <string>

#include "runtime_wrappers/diagnostic.h"

namespace cudash::view {

/// "cell 3 line 2".
inline std::string spot(const SourceSpot& where) {
    if (where.line == 0) return where.file;
    return fmt::format("{} line {}", where.file, where.line);
}

/// file:line:column, as compilers write it.
inline std::string position(const SourceSpot& where) {
    std::string text = where.file;
    if (where.line) text += fmt::format(":{}", where.line);
    if (where.line && where.column) text += fmt::format(":{}", where.column);
    return text;
}

/// "(1,0,0)".
inline std::string dim(const Dim3& d) {
    return fmt::format("({},{},{})", d.x, d.y, d.z);
}

}  // namespace cudash::view
