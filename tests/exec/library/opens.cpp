// A program without CUDA of its own that opens a library with device code, closes it, and opens it again.
#include <dlfcn.h>
#include <cstdio>
int main(int, char** arguments) {
    for (int round = 1; round <= 2; ++round) {
        void* library = dlopen(arguments[1], RTLD_NOW);
        if (!library) return std::puts(dlerror()), 1;
        const auto triple = reinterpret_cast<int (*)(int)>(dlsym(library, "run_triple"));
        std::printf("%d\n", triple(14 * round));
        std::printf("%d\n", dlclose(library));
    }
}
