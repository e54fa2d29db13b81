// cuBLAS's first interface (cublas.h): one handle for all, letters for enumerations, results returned, and the last
// failure kept until it is asked for.
#pragma once

#include <type_traits>

#include "runtime_wrappers/libraries/cublas/request.h"

namespace cudash::libraries::cublas::bodies {

cublasStatus_t legacy_init(Served& served);
cublasStatus_t legacy_shutdown(Served& served);
/// What failed last, once.
cublasStatus_t legacy_error();
cublasStatus_t legacy_version(Served& served, int* version);
cublasStatus_t legacy_alloc(Served& served, int n, int elemSize, void** devicePtr);
cublasStatus_t legacy_free(Served& served, void* devicePtr);
cublasStatus_t legacy_stream(Served& served, cudaStream_t stream);

/// nullptr before cublasInit and after cublasShutdown.
cublasHandle_t legacy_handle();
void note_legacy(cublasStatus_t status);

/// Calls the function of today; `now` is given the place of its result, where it has one.
template <class Result, class Now>
Result call_legacy(Now now) {
    if constexpr (std::is_void_v<Result>) {
        note_legacy(now());
    } else {
        Result result{};
        note_legacy(now(&result));
        return result;
    }
}

/// Letters count in both cases, as in Fortran; others become enumerators that no function takes.
inline char upper(char letter) {
    return letter >= 'a' && letter <= 'z' ? static_cast<char>(letter - 'a' + 'A') : letter;
}
inline cublasOperation_t operation_of(char letter) {
    const char found = upper(letter);
    return found == 'N'   ? CUBLAS_OP_N
           : found == 'T' ? CUBLAS_OP_T
           : found == 'C' ? CUBLAS_OP_C
                          : static_cast<cublasOperation_t>(letter);
}
inline cublasFillMode_t fill_of(char letter) {
    const char found = upper(letter);
    return found == 'L'   ? CUBLAS_FILL_MODE_LOWER
           : found == 'U' ? CUBLAS_FILL_MODE_UPPER
                          : static_cast<cublasFillMode_t>(letter);
}
inline cublasSideMode_t side_of(char letter) {
    const char found = upper(letter);
    return found == 'L' ? CUBLAS_SIDE_LEFT : found == 'R' ? CUBLAS_SIDE_RIGHT : static_cast<cublasSideMode_t>(letter);
}
inline cublasDiagType_t diagonal_of(char letter) {
    const char found = upper(letter);
    return found == 'N'   ? CUBLAS_DIAG_NON_UNIT
           : found == 'U' ? CUBLAS_DIAG_UNIT
                          : static_cast<cublasDiagType_t>(letter);
}

}  // namespace cudash::libraries::cublas::bodies
