#define TOML_IMPLEMENTATION
#include "repl/toml.h"
