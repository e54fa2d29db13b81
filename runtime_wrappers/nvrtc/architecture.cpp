#include "runtime_wrappers/nvrtc/architecture.h"

#include <algorithm>
#include <array>

namespace cudash::nvrtc {

std::string architecture_for(unsigned arch, std::string_view text) {
    // PTX ISA, wgmma and setmaxnreg: "requires sm_90a". The macros are those of the Programming Guide,
    // "Architecture-Specific Features".
    constexpr std::array<std::string_view, 4> of_90a = {"wgmma.", "setmaxnreg.", "__CUDA_ARCH_FEAT_SM90_ALL",
                                                        "NV_HAS_FEATURE_SM_90a"};
    const bool specific = arch == 90 && std::ranges::any_of(of_90a, [&](std::string_view name) {
                              return text.find(name) != std::string_view::npos;
                          });
    return std::to_string(arch) + (specific ? "a" : "");
}

}  // namespace cudash::nvrtc
