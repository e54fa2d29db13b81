#include "runtime_wrappers/host_check/memory.h"

#include <fmt/format.h>

namespace cudash::host_check {

std::string words_of(const SourceSpot& place) {
    return place.line == 0 ? place.file : fmt::format("{} line {}", place.file, place.line);
}

std::string origin_of(const api::CallPlace& made) {
    std::string text = made.target;
    if (!made.where.file.empty()) text += (text.empty() ? "" : ", ") + words_of(made.where);
    return text;
}

}  // namespace cudash::host_check
