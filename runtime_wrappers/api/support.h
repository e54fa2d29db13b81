// What is supported where, said from the table.
#pragma once

#include <string>
#include <string_view>

#include "runtime_wrappers/api/function.h"

namespace cudash::api {

/// Why the virtual GPU lacks the function; empty where it has it, or where the table says nothing.
std::string_view why_lacking(std::string_view function);

/// SUPPORT.md, in Markdown.
std::string support_page();

}  // namespace cudash::api
