// The functions of one library under their own names, for programs that nvcc built: CUDASH_LIBRARY_TABLE is its table.
// Each jumps to its entry point in our libcudart, which has the device: who called it is then what the entry point
// sees.
#include <dlfcn.h>

#include <cstddef>
#include <iterator>

namespace {

constexpr const char* names[] = {
#define CUBLAS(topic, body, name, parameters, arguments) #name,
#define CUBLAS_PLAIN CUBLAS
#define CUBLAS_LACKING(topic, name) #name,
#define CUBLAS_LEGACY(topic, result, name, parameters, names, now, arguments) \
    CUBLAS(topic, now, name, parameters, arguments)
#define CUBLASLT CUBLAS
#define CUBLASLT_PLAIN CUBLAS
#define CUBLASLT_LACKING CUBLAS_LACKING
#define CUFFT CUBLAS
#define CUFFT_LACKING CUBLAS_LACKING
#define CURAND CUBLAS
#define CURAND_LACKING CUBLAS_LACKING
#define CUSOLVER CUBLAS
#define CUSOLVER_LACKING CUBLAS_LACKING
#define CUSPARSE CUBLAS
#define CUSPARSE_PLAIN CUBLAS
#define CUSPARSE_LACKING CUBLAS_LACKING
#include CUDASH_LIBRARY_TABLE
#undef CUBLAS
#undef CUBLAS_LACKING
};

}  // namespace

/// In the order of the jumps below.
extern "C" {
__attribute__((visibility("hidden"))) const void* cudash_library_functions[std::size(names)] = {};
}

namespace {

struct Filled {
    Filled() {
        using Find = const void* (*)(const char*);
        // The library of the CUDA runtime that cudash exec has loaded, whichever of its versions.
        const auto find = reinterpret_cast<Find>(dlsym(RTLD_DEFAULT, "__cudaCudashLibraryFunction"));
        for (std::size_t i = 0; find && i < std::size(names); ++i) cudash_library_functions[i] = find(names[i]);
    }
} const filled;

}  // namespace

asm(".macro cudash_library_jump name, index\n"
    "  .text\n .globl \\name\n .type \\name,@function\n"
    "  \\name: jmp *8*(\\index-1)+cudash_library_functions(%rip)\n"
    ".endm\n");
#define CUDASH_TEXT_OF(number) #number
#define CUDASH_TEXT(number) CUDASH_TEXT_OF(number)
#define CUDASH_JUMP_TO(name, index) asm("cudash_library_jump " name ", " index "\n");
#define CUBLAS(topic, body, name, parameters, arguments) CUDASH_JUMP_TO(#name, CUDASH_TEXT(__COUNTER__))
#define CUBLAS_LACKING(topic, name) CUDASH_JUMP_TO(#name, CUDASH_TEXT(__COUNTER__))
static_assert(__COUNTER__ == 0, "the first jump is that to the first function");
#include CUDASH_LIBRARY_TABLE
static_assert(__COUNTER__ == std::size(names) + 1, "a jump for each function");
