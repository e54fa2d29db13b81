// What the host's side of cudash knows of an allocation, on either backend.
#pragma once

#include <cstdint>
#include <string>

#include "runtime_wrappers/api/runtime.h"

namespace cudash::host_check {

struct Memory {
    std::uint64_t begin = 0, size = 0;               ///< bytes
    std::uint64_t pitch = 0, width = 0, height = 0;  ///< pitched memory: bytes, bytes, rows; otherwise 0
    api::CallPlace made{};                           ///< the call that allocated it
};

/// "cell 2 line 4".
std::string words_of(const SourceSpot& place);
/// Where something was made and the variable that it is for: "d_a, cell 2 line 4"; may be empty.
std::string origin_of(const api::CallPlace& made);

}  // namespace cudash::host_check
