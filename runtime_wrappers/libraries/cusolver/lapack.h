// LAPACK, which OpenBLAS has with it: loaded when the first program asks for cuSOLVER.
#pragma once

#include <cstddef>
#include <string>

#include "runtime_wrappers/libraries/cublas/blas.h"

namespace cudash::libraries::cusolver {

template <class T>
using Complex = cublas::Complex<T>;
using cublas::is_complex;
using cublas::RealOf;

/// The functions of one precision, as Fortran has them: all by address, the lengths of texts at the end. Those of
/// eigenvalues and singular values have one array more for complex numbers.
template <class T>
struct Lapack {
    using Real = RealOf<T>;
    using Size = std::size_t;
    void (*getrf)(const int*, const int*, T*, const int*, int*, int*) = nullptr;
    void (*getrs)(const char*, const int*, const int*, const T*, const int*, const int*, T*, const int*, int*,
                  Size) = nullptr;
    void (*potrf)(const char*, const int*, T*, const int*, int*, Size) = nullptr;
    void (*potrs)(const char*, const int*, const int*, const T*, const int*, T*, const int*, int*, Size) = nullptr;
    void (*potri)(const char*, const int*, T*, const int*, int*, Size) = nullptr;
    void (*geqrf)(const int*, const int*, T*, const int*, T*, T*, const int*, int*) = nullptr;
    void (*orgqr)(const int*, const int*, const int*, T*, const int*, const T*, T*, const int*, int*) = nullptr;
    void (*ormqr)(const char*, const char*, const int*, const int*, const int*, const T*, const int*, const T*, T*,
                  const int*, T*, const int*, int*, Size, Size) = nullptr;
    void* syev = nullptr;
    void* sygv = nullptr;
    void* gesvd = nullptr;
};

/// Why there is none; empty: it is loaded.
const std::string& lapack_missing();
/// Only where it is loaded.
template <class T>
const Lapack<T>& lapack();

}  // namespace cudash::libraries::cusolver
