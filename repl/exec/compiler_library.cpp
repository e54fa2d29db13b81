#include "repl/exec/compiler_library.h"

#include "repl/exec/late_library.h"

namespace cudash::exec {

std::shared_ptr<virtual_gpu::CodeGenerator> load_code_generator() {
    using Create = void (*)(std::shared_ptr<virtual_gpu::CodeGenerator> & made);
    const auto create = reinterpret_cast<Create>(load_late("libcudash_jit.so", "cudash_create_code_generator"));
    std::shared_ptr<virtual_gpu::CodeGenerator> made;
    if (create) create(made);
    return made;
}

}  // namespace cudash::exec
