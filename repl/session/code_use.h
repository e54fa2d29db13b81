// What a text of CUDA C++ is made of, as a syntax tree has it: plain data, so that it can be asked across processes.
#pragma once

#include <cstddef>
#include <string>
#include <tuple>
#include <vector>

namespace cudash::session {

struct CodeUse {
    std::string kind;        ///< "atomic", "shared", "library", "call" of the runtime, or "kernel" that is defined
    std::string name;        ///< "atomicAdd"
    unsigned line = 0;       ///< where it is used, or defined; of a macro: where it is expanded
    std::size_t offset = 0;  ///< of a kernel: the character behind the `{` of its body

    auto operator<=>(const CodeUse&) const = default;
};

struct CodeUses {
    std::vector<CodeUse> uses;  ///< each once, by kind and name and line
    bool complete = false;      ///< the whole text was understood
};

}  // namespace cudash::session
