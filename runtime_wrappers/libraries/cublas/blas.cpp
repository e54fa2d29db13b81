#include "runtime_wrappers/libraries/cublas/blas.h"

#include <dlfcn.h>

#include <cstdlib>
namespace cudash::libraries::cublas {
namespace {

struct Library {
    std::string missing;
    Blas<float> single;
    Blas<double> doubles;
    Blas<Complex<float>> single_complex;
    Blas<Complex<double>> double_complex;

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
#define CUDASH_FIND(member, function)                                         \
    member = reinterpret_cast<decltype(&function)>(dlsym(handle, #function)); \
    if (!member) missing = "libopenblas.so.0 has no function " #function;
#define CUDASH_LOAD(name)                   \
    CUDASH_FIND(single.name, cblas_s##name) \
    CUDASH_FIND(doubles.name, cblas_d##name)
        CUDASH_EACH_BLAS_OF_REAL(CUDASH_LOAD)
#undef CUDASH_LOAD
#define CUDASH_LOAD(name)                           \
    CUDASH_FIND(single_complex.name, cblas_c##name) \
    CUDASH_FIND(double_complex.name, cblas_z##name)
        CUDASH_EACH_BLAS_OF_COMPLEX(CUDASH_LOAD)
        CUDASH_FIND(single_complex.asum, cblas_scasum)
        CUDASH_FIND(single_complex.nrm2, cblas_scnrm2)
        CUDASH_FIND(double_complex.asum, cblas_dzasum)
        CUDASH_FIND(double_complex.nrm2, cblas_dznrm2)
#undef CUDASH_LOAD
#undef CUDASH_FIND
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
template <>
const Blas<Complex<float>>& blas() {
    return library().single_complex;
}
template <>
const Blas<Complex<double>>& blas() {
    return library().double_complex;
}

}  // namespace cudash::libraries::cublas
