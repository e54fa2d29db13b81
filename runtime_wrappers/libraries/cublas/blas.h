// OpenBLAS, loaded when the first program asks for cuBLAS: nothing else needs it.
#pragma once

#include <cblas.h>

#include <complex>
#include <string>
#include <type_traits>

namespace cudash::libraries::cublas {

template <class T>
using Complex = std::complex<T>;
template <class T>
struct PartsOf {
    using Real = T;
    static constexpr bool complex = false;
};
template <class T>
struct PartsOf<Complex<T>> {
    using Real = T;
    static constexpr bool complex = true;
};
/// float of Complex<float>, and of float.
template <class T>
using RealOf = typename PartsOf<T>::Real;
template <class T>
constexpr bool is_complex = PartsOf<T>::complex;

template <class T>
T conjugate(T value) {
    if constexpr (is_complex<T>)
        return std::conj(value);
    else
        return value;
}

/// A function of CBLAS that takes complex numbers: it knows them by addresses alone, those given by value, too.
template <class Function>
class Call;
template <class Result, class... Parameters>
class Call<Result(Parameters...)> {
public:
    template <class... Given>
    Result operator()(const Given&... given) const {
        return function_(passed<Parameters>(given)...);
    }
    void operator=(Result (*function)(Parameters...)) { function_ = function; }
    explicit operator bool() const { return function_ != nullptr; }

private:
    template <class Parameter, class Given>
    static Parameter passed(const Given& given) {
        if constexpr (is_complex<Given>)
            return &given;
        else
            return given;
    }
    Result (*function_)(Parameters...) = nullptr;
};

// The names after the letter of the precision.
#define CUDASH_EACH_BLAS_OF_BOTH(name)                                                                            \
    name(axpy) name(copy) name(swap) name(gbmv) name(gemv) name(tbmv) name(tbsv) name(tpmv) name(tpsv) name(trmv) \
        name(trsv) name(gemm) name(symm) name(syrk) name(syr2k) name(trmm) name(trsm)
#define CUDASH_EACH_BLAS_OF_REAL(name)                                                                          \
    CUDASH_EACH_BLAS_OF_BOTH(name)                                                                              \
    name(asum) name(dot) name(nrm2) name(rot) name(rotg) name(rotm) name(rotmg) name(scal) name(ger) name(sbmv) \
        name(spmv) name(spr) name(spr2) name(symv) name(syr) name(syr2)
#define CUDASH_EACH_BLAS_OF_COMPLEX(name)                                                                     \
    CUDASH_EACH_BLAS_OF_BOTH(name)                                                                            \
    name(rotg) name(dotu_sub) name(dotc_sub) name(geru) name(gerc) name(hbmv) name(hemv) name(her) name(her2) \
        name(hpmv) name(hpr) name(hpr2) name(hemm) name(herk) name(her2k)

/// The functions of one precision.
template <class T>
struct Blas;
#define CUDASH_MEMBER(name) decltype(&cblas_s##name) name = nullptr;
template <>
struct Blas<float> {
    CUDASH_EACH_BLAS_OF_REAL(CUDASH_MEMBER)
};
#undef CUDASH_MEMBER
#define CUDASH_MEMBER(name) decltype(&cblas_d##name) name = nullptr;
template <>
struct Blas<double> {
    CUDASH_EACH_BLAS_OF_REAL(CUDASH_MEMBER)
};
#undef CUDASH_MEMBER
#define CUDASH_MEMBER(name) Call<decltype(cblas_c##name)> name;
template <>
struct Blas<Complex<float>> {
    CUDASH_EACH_BLAS_OF_COMPLEX(CUDASH_MEMBER)
    Call<decltype(cblas_scasum)> asum;
    Call<decltype(cblas_scnrm2)> nrm2;
};
#undef CUDASH_MEMBER
#define CUDASH_MEMBER(name) Call<decltype(cblas_z##name)> name;
template <>
struct Blas<Complex<double>> {
    CUDASH_EACH_BLAS_OF_COMPLEX(CUDASH_MEMBER)
    Call<decltype(cblas_dzasum)> asum;
    Call<decltype(cblas_dznrm2)> nrm2;
};
#undef CUDASH_MEMBER

/// Why there is none; empty: it is loaded.
const std::string& blas_missing();
/// Only where it is loaded.
template <class T>
const Blas<T>& blas();

}  // namespace cudash::libraries::cublas
