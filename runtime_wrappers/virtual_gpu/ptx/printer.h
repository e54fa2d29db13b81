// Prints a syntax tree as PTX text that parses back to the same tree, PTX line numbers aside.
#pragma once

#include <string>

#include "runtime_wrappers/virtual_gpu/ptx/ast.h"

namespace cudash::ptx {

std::string print(const Module& module);
std::string print(const Function& function);
/// One instruction with its guard and semicolon, without indentation: what a diagnostic or a listing quotes.
std::string print(const Instruction& instruction);
std::string print(const Operand& operand);

}  // namespace cudash::ptx
