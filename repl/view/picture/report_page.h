#pragma once

#include <string>

#include "repl/view/picture/report.h"

namespace cudash::view {

/// A profile as one HTML page: the pictures as SVG, tables, no scripts and nothing from elsewhere.
std::string html(const Report& report);

}  // namespace cudash::view
