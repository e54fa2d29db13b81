// TOML. toml++ compiles in each file that includes it unless told otherwise: toml.cpp alone does it.
#pragma once

#define TOML_EXCEPTIONS 0
#define TOML_ENABLE_FORMATTERS 0
#define TOML_HEADER_ONLY 0
#include <toml++/toml.h>
