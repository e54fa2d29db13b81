// What instructions mean, as LLVM's bitcode: clang compiles the interpreter's own functions (operations.def) when
// cudash is built. Each row becomes a pointer whose name has the row's line in it.
#include "runtime_wrappers/virtual_gpu/isa/approx.h"
#include "runtime_wrappers/virtual_gpu/isa/semantics.h"

using namespace cudash::virtual_gpu::semantics;

#define CUDASH_JOINED(name, line) name##line
#define CUDASH_NAMED(name, line) CUDASH_JOINED(name, line)
#define CUDASH_OPERATION(...) \
    extern "C" const auto CUDASH_NAMED(cudash_operation_, __LINE__) __attribute__((used)) = &__VA_ARGS__;
#include "runtime_wrappers/virtual_gpu/jit/operations.def"
