// Special registers that are the same in all lanes of a warp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "runtime_wrappers/virtual_gpu/exec/warp.h"

namespace cudash::virtual_gpu {

bool is_uniform_special_register(std::string_view name);
/// `row`: as select_special_register() left it in Instruction::extra.
std::uint64_t uniform_special_register(std::size_t row, Warp& w, const Instruction* i);

}  // namespace cudash::virtual_gpu
