// Every operation of jit/operations.def has a body that machine code can use: one that has not is left to the
// interpreter's handler without a word, and kernels that need it are many times slower.
#include <cstdio>

#include <llvm/IR/LLVMContext.h>

#include "runtime_wrappers/virtual_gpu/isa/approx.h"
#include "runtime_wrappers/virtual_gpu/isa/lane_operation.h"
#include "runtime_wrappers/virtual_gpu/isa/semantics.h"
#include "runtime_wrappers/virtual_gpu/jit/operation_body.h"

int main() {
    using namespace cudash::virtual_gpu;
    using namespace cudash::virtual_gpu::semantics;
    llvm::LLVMContext context;
    OperationBodies bodies(context);
    int passed = 0, failed = 0;
    const auto check = [&](std::string_view function) {
        const bool is_there = bodies.find(function) != nullptr;
        ++(is_there ? passed : failed);
        if (!is_there)
            std::printf("%.*s: no body that can be used for 32 lanes\n", static_cast<int>(function.size()),
                        function.data());
    };
#define CUDASH_OPERATION(...) check(lane_operation<&__VA_ARGS__>.function);
#include "runtime_wrappers/virtual_gpu/jit/operations.def"
#undef CUDASH_OPERATION
    std::printf("%d passed, %d failed\n", passed, failed);
    return failed != 0;
}
