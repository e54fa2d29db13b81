#include "repl/session/clang/stand_ins.h"

#include <algorithm>
#include <array>
#include <string>

namespace cudash::session {
namespace {

/// Standard headers of the host, by the file that declares an entity, and the toolkit's for the device.
struct StandIn {
    std::string_view host, device;
};
constexpr std::array stand_ins = {
    StandIn{"limits", "cuda/std/limits"},
    StandIn{"type_traits", "cuda/std/type_traits"},
    StandIn{"concepts", "cuda/std/concepts"},
    StandIn{"compare", "cuda/std/compare"},
    StandIn{"bit", "cuda/std/bit"},
    StandIn{"numbers", "cuda/std/numbers"},
    StandIn{"span", "cuda/std/span"},
    StandIn{"ratio", "cuda/std/ratio"},
    StandIn{"variant", "cuda/std/variant"},
    StandIn{"bits/ranges_base.h", "cuda/std/iterator"},
    StandIn{"bits/iterator_concepts.h", "cuda/std/iterator"},
    StandIn{"bits/move.h", "cuda/std/utility"},
    StandIn{"bits/utility.h", "cuda/std/utility"},
    StandIn{"bits/stl_pair.h", "cuda/std/utility"},
    StandIn{"utility", "cuda/std/utility"},
    StandIn{"array", "cuda/std/array"},
    StandIn{"tuple", "cuda/std/tuple"},
    StandIn{"complex", "cuda/std/complex"},
    StandIn{"algorithm", "cuda/std/algorithm"},
    StandIn{"bits/stl_algobase.h", "cuda/std/algorithm"},
    StandIn{"bits/stl_function.h", "cuda/std/functional"},
    StandIn{"bits/stl_algo.h", "cuda/std/algorithm"},
    StandIn{"initializer_list", "cuda/std/initializer_list"},
    StandIn{"optional", "cuda/std/optional"},
    StandIn{"cmath", "cuda/std/cmath"},
    StandIn{"bits/std_abs.h", "cuda/std/cmath"},
    StandIn{"__clang_cuda_cmath.h", "cuda/std/cmath"},
    StandIn{"__clang_cuda_math_forward_declares.h", "cuda/std/cmath"},
    StandIn{"cstddef", "cuda/std/cstddef"},
    StandIn{"cstdint", "cuda/std/cstdint"},
    StandIn{"atomic", "cuda/std/atomic"},
};

/// The toolkit's headers that device code may include: by the beginning of the name that #include uses. The others
/// declare host functions, which NVRTC refuses (Thrust's, and CUB's of whole devices, too: kernels that use them go
/// through nvcc); what device code needs of the runtime's own header NVRTC has built in.
constexpr std::array device_headers = {
    "cooperative_groups",
    "cuda_fp16",
    "cuda_bf16",
    "cuda_fp8",
    "cuda_fp6",
    "cuda_fp4",
    "cuda_pipeline",
    "cuda_awbarrier",
    "mma.h",
    "cuComplex.h",
    "curand_kernel",
    "math_constants.h",
    "cuda/",
    "cub/agent/",
    "cub/block/",
    "cub/thread/",
    "cub/util",
    "cub/warp/",
    "nv/",
    "vector_types.h",
    "curand_mtgp32_kernel.h",
    "curand_philox4x32_x.h",
};

}  // namespace

std::string_view device_stand_in(std::string_view path) {
    for (const StandIn& entry : stand_ins)
        if (path.ends_with("/" + std::string(entry.host))) return entry.device;
    return {};
}

bool is_device_header(std::string_view name) {
    return std::any_of(device_headers.begin(), device_headers.end(),
                       [&](std::string_view prefix) { return name.starts_with(prefix); });
}

}  // namespace cudash::session
