// Finds the bitcode of what an instruction means by the identity that decoding gave it (isa/lane_operation.h).
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace cudash::virtual_gpu {

/// The name of the pointer to the function's body in the bitcode; empty: it has none.
std::string operation_symbol(std::string_view function);

/// The bitcode of semantics_bitcode.cpp.
std::string_view operation_bitcode();

}  // namespace cudash::virtual_gpu
