// Products of sparse matrices and vectors, with dense ones and with each other.
#pragma once

#include "runtime_wrappers/libraries/cusparse/request.h"

namespace cudash::libraries::cusparse::bodies {

/// The buffer that a call asks for. It takes the call's arguments, all but the last of which it need not know.
template <class... Arguments>
cusparseStatus_t buffer_size(Served& served, cusparseHandle_t handle, Arguments... arguments) {
    Request request(served, handle);
    std::size_t* place = nullptr;
    ((place = [](auto argument) -> std::size_t* {
         if constexpr (std::is_same_v<decltype(argument), std::size_t*>)
             return argument;
         else
             return nullptr;
     }(arguments)),
     ...);
    request.need_places(place);
    if (request.ok()) *place = some_buffer;
    return request.status();
}
/// Nothing is to be prepared.
template <class... Arguments>
cusparseStatus_t preprocess(Served& served, cusparseHandle_t handle, Arguments...) {
    return Request(served, handle).status();
}

cusparseStatus_t axpby(Served& served, cusparseHandle_t handle, const void* alpha, cusparseConstSpVecDescr_t vecX,
                       const void* beta, cusparseDnVecDescr_t vecY);
cusparseStatus_t gather(Served& served, cusparseHandle_t handle, cusparseConstDnVecDescr_t vecY,
                        cusparseSpVecDescr_t vecX);
cusparseStatus_t scatter(Served& served, cusparseHandle_t handle, cusparseConstSpVecDescr_t vecX,
                         cusparseDnVecDescr_t vecY);
cusparseStatus_t spvv(Served& served, cusparseHandle_t handle, cusparseOperation_t opX, cusparseConstSpVecDescr_t vecX,
                      cusparseConstDnVecDescr_t vecY, void* result, cudaDataType computeType, void* buffer);
cusparseStatus_t spmv_buffer_size(Served& served, cusparseHandle_t handle, cusparseOperation_t opA, const void* alpha,
                                  cusparseConstSpMatDescr_t matA, cusparseConstDnVecDescr_t vecX, const void* beta,
                                  cusparseDnVecDescr_t vecY, cudaDataType computeType, cusparseSpMVAlg_t alg,
                                  std::size_t* bufferSize);
cusparseStatus_t spmv(Served& served, cusparseHandle_t handle, cusparseOperation_t opA, const void* alpha,
                      cusparseConstSpMatDescr_t matA, cusparseConstDnVecDescr_t vecX, const void* beta,
                      cusparseDnVecDescr_t vecY, cudaDataType computeType, cusparseSpMVAlg_t alg, void* buffer);
cusparseStatus_t spmm(Served& served, cusparseHandle_t handle, cusparseOperation_t opA, cusparseOperation_t opB,
                      const void* alpha, cusparseConstSpMatDescr_t matA, cusparseConstDnMatDescr_t matB,
                      const void* beta, cusparseDnMatDescr_t matC, cudaDataType computeType, cusparseSpMMAlg_t alg,
                      void* buffer);
cusparseStatus_t sddmm(Served& served, cusparseHandle_t handle, cusparseOperation_t opA, cusparseOperation_t opB,
                       const void* alpha, cusparseConstDnMatDescr_t matA, cusparseConstDnMatDescr_t matB,
                       const void* beta, cusparseSpMatDescr_t matC, cudaDataType computeType, cusparseSDDMMAlg_t alg,
                       void* buffer);

cusparseStatus_t spgemm_estimate(Served& served, cusparseHandle_t handle, cusparseOperation_t opA,
                                 cusparseOperation_t opB, const void* alpha, cusparseConstSpMatDescr_t matA,
                                 cusparseConstSpMatDescr_t matB, const void* beta, cusparseSpMatDescr_t matC,
                                 cudaDataType computeType, cusparseSpGEMMAlg_t alg, cusparseSpGEMMDescr_t product,
                                 std::size_t* size, void* buffer);
cusparseStatus_t spgemm_compute(Served& served, cusparseHandle_t handle, cusparseOperation_t opA,
                                cusparseOperation_t opB, const void* alpha, cusparseConstSpMatDescr_t matA,
                                cusparseConstSpMatDescr_t matB, const void* beta, cusparseSpMatDescr_t matC,
                                cudaDataType computeType, cusparseSpGEMMAlg_t alg, cusparseSpGEMMDescr_t product,
                                std::size_t* size, void* buffer);
cusparseStatus_t spgemm_copy(Served& served, cusparseHandle_t handle, cusparseOperation_t opA, cusparseOperation_t opB,
                             const void* alpha, cusparseConstSpMatDescr_t matA, cusparseConstSpMatDescr_t matB,
                             const void* beta, cusparseSpMatDescr_t matC, cudaDataType computeType,
                             cusparseSpGEMMAlg_t alg, cusparseSpGEMMDescr_t product);

}  // namespace cudash::libraries::cusparse::bodies
