// Programs at the prompt: their main is called like any function, and `main()` also where it takes argc and argv.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "repl/session/outcome.h"

namespace cudash::shell {

/// How main is defined in `text`.
enum class MainForm { none, plain, with_arguments };
MainForm main_form(std::string_view text);

/// What `main()` calls when the last of `cells` to define main has given it parameters: it, with a program's name and
/// nothing else. Nothing for any other text.
std::optional<std::string> call_with_arguments(std::string_view text, std::span<const session::Cell> cells);

}  // namespace cudash::shell
