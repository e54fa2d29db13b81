// What libcudash_jit.so has for the library inside of the program (compiler_library.cpp).
#include "runtime_wrappers/virtual_gpu/jit/generator.h"

extern "C" __attribute__((visibility("default"))) void cudash_create_code_generator(
    std::shared_ptr<cudash::virtual_gpu::CodeGenerator>& made) {
    made = cudash::virtual_gpu::create_code_generator();
}
