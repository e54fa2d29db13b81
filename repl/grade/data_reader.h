// [[check.input]] and [[check.result]] of assignment.toml, and the files that they name.
#pragma once

#include "repl/grade/data.h"
#include "repl/grade/toml_text.h"

namespace cudash::grade {

// Every number is known to be one of the type's; what is wrong is a problem of the table.
Input read_input(TomlTable& table);
ResultDemand read_result(TomlTable& table);

}  // namespace cudash::grade
