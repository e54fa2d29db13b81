// The PTX of cases.
#pragma once

#include <span>
#include <string>

#include "tests/hardware/case_list.h"

namespace cudash::oracle {

/// A module whose kernels are case_<index of the case in all_cases()>(inputs, results).
std::string module_text(std::span<const std::size_t> cases);
std::string kernel_name(std::size_t index);

}  // namespace cudash::oracle
