// Which memory of the process is cudash's: code and data of its libraries.
#pragma once

#include <cstdint>

namespace cudash::exec {

bool is_own(std::uintptr_t address);
/// Neither cudash's nor of a library that cudash itself calls.
bool is_of_program(std::uintptr_t address);

}  // namespace cudash::exec
