// From one form of a matrix to another.
#pragma once

#include "runtime_wrappers/libraries/cusparse/request.h"

namespace cudash::libraries::cusparse::bodies {

cusparseStatus_t coo_to_csr(Served& served, cusparseHandle_t handle, const int* rows, int nnz, int m, int* offsets,
                            cusparseIndexBase_t base);
cusparseStatus_t csr_to_coo(Served& served, cusparseHandle_t handle, const int* offsets, int nnz, int m, int* rows,
                            cusparseIndexBase_t base);
cusparseStatus_t csr_to_csc(Served& served, cusparseHandle_t handle, int m, int n, int nnz, const void* csrVal,
                            const int* csrRowPtr, const int* csrColInd, void* cscVal, int* cscColPtr, int* cscRowInd,
                            cudaDataType type, cusparseAction_t copyValues, cusparseIndexBase_t base,
                            cusparseCsr2CscAlg_t alg, void* buffer);
cusparseStatus_t sparse_to_dense(Served& served, cusparseHandle_t handle, cusparseConstSpMatDescr_t matA,
                                 cusparseDnMatDescr_t matB, cusparseSparseToDenseAlg_t alg, void* buffer);
cusparseStatus_t dense_to_sparse_analysis(Served& served, cusparseHandle_t handle, cusparseConstDnMatDescr_t matA,
                                          cusparseSpMatDescr_t matB, cusparseDenseToSparseAlg_t alg, void* buffer);
cusparseStatus_t dense_to_sparse(Served& served, cusparseHandle_t handle, cusparseConstDnMatDescr_t matA,
                                 cusparseSpMatDescr_t matB, cusparseDenseToSparseAlg_t alg, void* buffer);

}  // namespace cudash::libraries::cusparse::bodies
