#include "runtime_wrappers/libraries/cusolver/lapack.h"

#include <dlfcn.h>

#include <tuple>

namespace cudash::libraries::cusolver {
namespace {

struct Library {
    std::string missing = cublas::blas_missing();
    std::tuple<Lapack<float>, Lapack<double>, Lapack<Complex<float>>, Lapack<Complex<double>>> all;

    Library() {
        if (!missing.empty()) return;
        // It is loaded already, with one thread: blas.cpp.
        void* const handle = dlopen("libopenblas.so.0", RTLD_NOW | RTLD_LOCAL);
        load(handle, std::get<0>(all), "s");
        load(handle, std::get<1>(all), "d");
        load(handle, std::get<2>(all), "c");
        load(handle, std::get<3>(all), "z");
    }
    template <class T>
    void load(void* handle, Lapack<T>& functions, const std::string& letter) {
        const auto find = [&]<class Function>(Function*& function, const std::string& name) {
            const std::string symbol = letter + name + "_";
            function = reinterpret_cast<Function*>(dlsym(handle, symbol.c_str()));
            if (!function) missing = "libopenblas.so.0 has no function " + symbol;
        };
        constexpr bool complex = is_complex<T>;
        find(functions.getrf, "getrf");
        find(functions.getrs, "getrs");
        find(functions.potrf, "potrf");
        find(functions.potrs, "potrs");
        find(functions.potri, "potri");
        find(functions.geqrf, "geqrf");
        find(functions.orgqr, complex ? "ungqr" : "orgqr");
        find(functions.ormqr, complex ? "unmqr" : "ormqr");
        find(functions.syev, complex ? "heev" : "syev");
        find(functions.sygv, complex ? "hegv" : "sygv");
        find(functions.gesvd, "gesvd");
    }
};

const Library& library() {
    static const Library loaded;
    return loaded;
}

}  // namespace

const std::string& lapack_missing() {
    return library().missing;
}
template <>
const Lapack<float>& lapack() {
    return std::get<0>(library().all);
}
template <>
const Lapack<double>& lapack() {
    return std::get<1>(library().all);
}
template <>
const Lapack<Complex<float>>& lapack() {
    return std::get<2>(library().all);
}
template <>
const Lapack<Complex<double>>& lapack() {
    return std::get<3>(library().all);
}

}  // namespace cudash::libraries::cusolver
