// An object of host code, seen as an array.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "repl/session/memory/query.h"

namespace cudash::session {

struct HostObject {
    enum class Kind : std::uint8_t {
        itself,     ///< the elements are the object: an array, a number, a struct
        pointed,    ///< they are where it points
        pitched,    ///< a cudaPitchedPtr
        cuda_array  ///< behind a cudaArray_t
    };
    Kind kind = Kind::itself;
    std::uint64_t address = 0;  ///< of the first element, or the handle
    Element element;            ///< of size 0: not known (void*)
    /// Elements in each dimension, outermost first; 0 first: not known. Without gaps.
    std::vector<std::uint64_t> extent;
    std::uint64_t pitch = 0, width = 0, height = 0;  ///< of a cudaPitchedPtr
};

}  // namespace cudash::session
