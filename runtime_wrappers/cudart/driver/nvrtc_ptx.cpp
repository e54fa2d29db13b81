// NVRTC in a program that nvcc built: the toolkit's library needs no GPU, but may be asked for machine code (sm_90).
// The virtual GPU executes PTX, so PTX it makes, and gives that in place of machine code: modules take either.
#include <dlfcn.h>

#include <string>
#include <vector>

namespace {

/// The toolkit's function behind ours; nullptr: the program is not linked with NVRTC.
template <class Function>
Function* next(const char* name) {
    return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

constexpr int invalid_input = 3;  // NVRTC_ERROR_INVALID_INPUT

/// "--gpu-architecture=compute_90" of "--gpu-architecture=sm_90"; the name may be an option of its own.
std::string for_ptx(const char* option) {
    std::string text = option ? option : "";
    const std::size_t at = text.starts_with("sm_") ? 0 : text.find("=sm_") + 1;  // npos + 1 is 0
    if (text.compare(at, 3, "sm_") == 0) text.replace(at, 3, "compute_");
    return text;
}

}  // namespace

#define CUDASH_EXPORT extern "C" __attribute__((visibility("default")))

CUDASH_EXPORT int nvrtcCompileProgram(void* program, int count, const char* const* options) {
    const auto compile = next<int(void*, int, const char* const*)>("nvrtcCompileProgram");
    if (!compile || (count > 0 && !options)) return invalid_input;
    std::vector<std::string> texts;
    for (int i = 0; i < count; ++i) texts.push_back(for_ptx(options[i]));
    std::vector<const char*> pointers;
    for (const std::string& text : texts) pointers.push_back(text.c_str());
    return compile(program, count, pointers.data());
}
CUDASH_EXPORT int nvrtcGetCUBINSize(void* program, std::size_t* size) {
    const auto get = next<int(void*, std::size_t*)>("nvrtcGetPTXSize");
    return get ? get(program, size) : invalid_input;
}
CUDASH_EXPORT int nvrtcGetCUBIN(void* program, char* code) {
    const auto get = next<int(void*, char*)>("nvrtcGetPTX");
    return get ? get(program, code) : invalid_input;
}
