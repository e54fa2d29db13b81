// Which registers instructions write and read, numbered for a launch: what the modelled time follows from one to the
// next.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>

#include "runtime_wrappers/virtual_gpu/profile/launch_profile.h"
#include "runtime_wrappers/virtual_gpu/ptx/ast.h"

namespace cudash::virtual_gpu {

class RegisterNumbers {
public:
    /// The next instructions are of another function: its names are its own.
    void next_function() { numbers_.clear(); }
    /// Fills `written` and `read` of an instruction whose cost is known.
    void add(const ptx::Instruction& written, LaunchProfile::Instruction& made);

private:
    void add(const ptx::Operand& operand, std::vector<std::uint32_t>& to);
    void add(const std::string& name, std::vector<std::uint32_t>& to);

    std::unordered_map<std::string, std::uint32_t> numbers_;
    std::uint32_t next_ = 0;
};

}  // namespace cudash::virtual_gpu
