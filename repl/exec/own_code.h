// Which memory of the process is cudash's: code and data of its libraries.
#pragma once

#include <cstdint>

namespace cudash::exec {

bool is_own(std::uintptr_t address);
/// One of its libraries was loaded since.
void find_own_again();
/// Neither cudash's nor of a library that cudash itself calls.
bool is_of_program(std::uintptr_t address);

}  // namespace cudash::exec
