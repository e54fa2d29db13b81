// The functions of the CUDA runtime under their own names, for programs that nvcc built. Each jumps to the entry point
// of its row: who called it is then what the entry point sees.
#include <iterator>

#include "runtime_wrappers/api/entry_points.h"

// Some of the functions are deprecated; their users are told by their own compiler.
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

namespace cudash::api::entry {

#define CUDASH_ADDRESS(name) reinterpret_cast<const void*>(&name),
#define CUDASH_VARIANT_ONE(name)
#define CUDASH_VARIANT_PTDS(name) CUDASH_ADDRESS(name##_ptds)
#define CUDASH_VARIANT_PTSZ(name) CUDASH_ADDRESS(name##_ptsz)
#define CUDA_API(topic, support, real, versions, result, name, parameters, arguments) \
    CUDASH_ADDRESS(name) CUDASH_VARIANT_##versions(name)

/// In the order of the jumps below.
extern "C" __attribute__((visibility("hidden"))) const void* const cudash_exports[] = {
#include "runtime_wrappers/api/cuda_api.def"
    // The launch glue.
    CUDASH_ADDRESS(push_call_configuration) CUDASH_ADDRESS(pop_call_configuration)};
#undef CUDA_API
#undef CUDASH_VARIANT_PTSZ
#undef CUDASH_VARIANT_PTDS

// What has another meaning in CUDA 12 (toolkit12.cpp) has a name with a version there.
#ifdef CUDASH_CUDART_12
#define CUDASH_VERSIONED                                                                                         \
    "cudaMemAdvise,cudaMemPrefetchAsync,cudaMemPrefetchAsync_ptsz,cudaGraphAddDependencies,"                     \
    "cudaGraphRemoveDependencies,cudaGraphGetEdges,cudaGraphNodeGetDependencies,cudaGraphNodeGetDependentNodes," \
    "cudaGraphAddNode,cudaStreamUpdateCaptureDependencies"
#else
#define CUDASH_VERSIONED "none"
#endif
asm(".macro cudash_jump name, index\n"
    "  .set cudash_versioned, 0\n"
    "  .irp each, " CUDASH_VERSIONED
    "\n"
    "    .ifc \\name,\\each\n .set cudash_versioned, 1\n .endif\n"
    "  .endr\n"
    "  .if cudash_versioned\n cudash_jump_as \\name\\()_v2, \\index\n"
    "  .else\n cudash_jump_as \\name, \\index\n .endif\n"
    ".endm\n"
    ".macro cudash_jump_as name, index\n"
    "  .text\n .globl \\name\n .type \\name,@function\n"
    "  \\name: jmp *8*(\\index-1)+cudash_exports(%rip)\n"
    ".endm\n");

#define CUDASH_TEXT_OF(number) #number
#define CUDASH_TEXT(number) CUDASH_TEXT_OF(number)
#define CUDASH_JUMP_TO(name, index) asm("cudash_jump " name ", " index "\n");
#define CUDASH_JUMP(name) CUDASH_JUMP_TO(name, CUDASH_TEXT(__COUNTER__))
#define CUDASH_VARIANT_PTDS(name) CUDASH_JUMP(#name "_ptds")
#define CUDASH_VARIANT_PTSZ(name) CUDASH_JUMP(#name "_ptsz")
#define CUDA_API(topic, support, real, versions, result, name, parameters, arguments) \
    CUDASH_JUMP(#name) CUDASH_VARIANT_##versions(name)

static_assert(__COUNTER__ == 0, "the first jump is that to the first entry point");
#include "runtime_wrappers/api/cuda_api.def"
CUDASH_JUMP("__cudaPushCallConfiguration")
CUDASH_JUMP("__cudaPopCallConfiguration")
static_assert(__COUNTER__ == std::size(cudash_exports) + 1, "a jump for each entry point");

}  // namespace cudash::api::entry
