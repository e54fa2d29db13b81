// Triangular systems, and incomplete factorizations.
#pragma once

#include "runtime_wrappers/libraries/cusparse/request.h"

namespace cudash::libraries::cusparse::bodies {

cusparseStatus_t spsv_analysis(Served& served, cusparseHandle_t handle, cusparseOperation_t opA, const void* alpha,
                               cusparseConstSpMatDescr_t matA, cusparseConstDnVecDescr_t vecX,
                               cusparseDnVecDescr_t vecY, cudaDataType computeType, cusparseSpSVAlg_t alg,
                               cusparseSpSVDescr_t solve, void* buffer);
cusparseStatus_t spsv_solve(Served& served, cusparseHandle_t handle, cusparseOperation_t opA, const void* alpha,
                            cusparseConstSpMatDescr_t matA, cusparseConstDnVecDescr_t vecX, cusparseDnVecDescr_t vecY,
                            cudaDataType computeType, cusparseSpSVAlg_t alg, cusparseSpSVDescr_t solve);
cusparseStatus_t spsm_analysis(Served& served, cusparseHandle_t handle, cusparseOperation_t opA,
                               cusparseOperation_t opB, const void* alpha, cusparseConstSpMatDescr_t matA,
                               cusparseConstDnMatDescr_t matB, cusparseDnMatDescr_t matC, cudaDataType computeType,
                               cusparseSpSMAlg_t alg, cusparseSpSMDescr_t solve, void* buffer);
cusparseStatus_t spsm_solve(Served& served, cusparseHandle_t handle, cusparseOperation_t opA, cusparseOperation_t opB,
                            const void* alpha, cusparseConstSpMatDescr_t matA, cusparseConstDnMatDescr_t matB,
                            cusparseDnMatDescr_t matC, cudaDataType computeType, cusparseSpSMAlg_t alg,
                            cusparseSpSMDescr_t solve);

/// A = L * U where A has elements, in place.
template <class T>
cusparseStatus_t ilu0(Served& served, cusparseHandle_t handle, int m, int nnz, cusparseMatDescr_t kind, T* values,
                      const int* offsets, const int* columns, csrilu02Info_t info, cusparseSolvePolicy_t policy,
                      void* buffer);
template <class T>
cusparseStatus_t ilu0_buffer_size(Served& served, cusparseHandle_t handle, int m, int nnz, cusparseMatDescr_t kind, T*,
                                  const int*, const int*, csrilu02Info_t info, int* size) {
    Request request(served, handle);
    request.object("descrA", kind);
    request.object("info", info);
    request.need(m >= 0 && nnz >= 0, "m is {}, nnz {}", m, nnz);
    request.need_places(size);
    if (request.ok()) *size = static_cast<int>(some_buffer);
    return request.status();
}
template <class T>
cusparseStatus_t ilu0_analysis(Served& served, cusparseHandle_t handle, int m, int nnz, cusparseMatDescr_t kind,
                               const T*, const int*, const int*, csrilu02Info_t info, cusparseSolvePolicy_t, void*) {
    Request request(served, handle);
    request.object("descrA", kind);
    Factorization* const factorization = request.object("info", info);
    request.need(m >= 0 && nnz >= 0, "m is {}, nnz {}", m, nnz);
    if (request.ok()) *factorization = {.analyzed = true};
    return request.status();
}
cusparseStatus_t ilu0_zero_pivot(Served& served, cusparseHandle_t handle, csrilu02Info_t info, int* position);

}  // namespace cudash::libraries::cusparse::bodies
