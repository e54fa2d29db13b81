// PTX of several files made with -G, made one. The code is linked; debug information is not: what stands in one
// module's sections refers to other places of the same.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace cudash::nvrtc {

/// The debug information of one module, which the linked code lacks.
struct DebugPart {
    std::string sections;
    std::map<std::string, std::string, std::less<>> renamed;  ///< by the linker
};

struct LinkedDebugPtx {
    std::string text;
    std::vector<DebugPart> parts;  ///< of each module, in their order
};

LinkedDebugPtx link_debug_ptx(const std::vector<std::string_view>& modules);

}  // namespace cudash::nvrtc
