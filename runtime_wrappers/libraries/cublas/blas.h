// OpenBLAS, loaded when the first program asks for cuBLAS: nothing else needs it.
#pragma once

#include <cblas.h>

#include <string>

namespace cudash::libraries::cublas {

#define CUDASH_EACH_BLAS(name)                                                                                     \
    name(asum) name(axpy) name(copy) name(dot) name(nrm2) name(rot) name(rotg) name(rotm) name(rotmg) name(scal)   \
        name(swap) name(gbmv) name(gemv) name(ger) name(sbmv) name(spmv) name(spr) name(spr2) name(symv) name(syr) \
            name(syr2) name(tbmv) name(tbsv) name(tpmv) name(tpsv) name(trmv) name(trsv) name(gemm) name(symm)     \
                name(syrk) name(syr2k) name(trmm) name(trsm)

/// The functions of one precision.
template <class T>
struct Blas;
#define CUDASH_MEMBER(name) decltype(&cblas_s##name) name = nullptr;
template <>
struct Blas<float> {
    CUDASH_EACH_BLAS(CUDASH_MEMBER)
};
#undef CUDASH_MEMBER
#define CUDASH_MEMBER(name) decltype(&cblas_d##name) name = nullptr;
template <>
struct Blas<double> {
    CUDASH_EACH_BLAS(CUDASH_MEMBER)
};
#undef CUDASH_MEMBER

/// Why there is none; empty: it is loaded.
const std::string& blas_missing();
/// Only where it is loaded.
template <class T>
const Blas<T>& blas();

}  // namespace cudash::libraries::cublas
