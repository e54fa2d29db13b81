// A submission that is a Jupyter notebook: the code of the cells that are marked as such.
#pragma once

#include <string>
#include <string_view>

#include "runtime_wrappers/result.h"

namespace cudash::grade {

/// Of notebooks more is read than of source: outputs can hold images.
inline constexpr std::size_t most_notebook = 64 << 20;

bool has_notebook_suffix(std::string_view name);

/// The submission in a notebook (nbformat 4). Its cells are those of code that nbgrader calls solutions
/// (`metadata.nbgrader.solution`), else those with the tag or the name `submission`. Lines that are commands (`:show
/// d`) become empty. The error is a sentence for the student: the notebook is damaged, for another kernel, or has no
/// such cell.
Result<std::string> notebook_source(std::string_view notebook);

}  // namespace cudash::grade
