#include "runtime_wrappers/libraries/cublas/blas.h"

#include <dlfcn.h>

#include <cstdlib>
#include <type_traits>

namespace cudash::libraries::cublas {
namespace {

struct Library {
    std::string missing;
    Blas<float> single;
    Blas<double> doubles;

    Library() {
        // One thread: sums are the same on every machine with such a processor, and none is started beside the program.
        constexpr const char* threads = "OPENBLAS_NUM_THREADS";
        const char* const before = std::getenv(threads);
        const std::string kept = before ? before : "";
        setenv(threads, "1", 1);
        void* const handle = dlopen("libopenblas.so.0", RTLD_NOW | RTLD_LOCAL);
        if (before)
            setenv(threads, kept.c_str(), 1);
        else
            unsetenv(threads);
        if (!handle) {
            missing = "libopenblas.so.0 can't be loaded; install the package libopenblas0";
            return;
        }
        const auto load = [&](auto& function, const char* name) {
            function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(handle, name));
            if (!function) missing = std::string("libopenblas.so.0 has no function ") + name;
        };
#define CUDASH_LOAD(name)               \
    load(single.name, "cblas_s" #name); \
    load(doubles.name, "cblas_d" #name);
        CUDASH_EACH_BLAS(CUDASH_LOAD)
#undef CUDASH_LOAD
    }
};

const Library& library() {
    static const Library loaded;
    return loaded;
}

}  // namespace

const std::string& blas_missing() {
    return library().missing;
}
template <>
const Blas<float>& blas() {
    return library().single;
}
template <>
const Blas<double>& blas() {
    return library().doubles;
}

}  // namespace cudash::libraries::cublas
