// What cuBLASLt's functions do on the virtual GPU.
#pragma once

#include "runtime_wrappers/libraries/cublasLt/objects.h"
#include "runtime_wrappers/libraries/work.h"

namespace cudash::libraries::cublas_lt {

inline cublasStatus_t status_of(Asked asked) {
    return asked == Asked::done ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_EXECUTION_FAILED;
}

namespace bodies {

const char* get_status_name(cublasStatus_t status);
const char* get_status_string(cublasStatus_t status);
std::size_t get_version();
std::size_t get_cudart_version();
unsigned disable_instructions(unsigned mask);
cublasStatus_t log_disable();

cublasStatus_t create(Served& served, cublasLtHandle_t* handle);
cublasStatus_t destroy(Served& served, cublasLtHandle_t handle);
cublasStatus_t get_property(Served& served, libraryPropertyType type, int* value);
cublasStatus_t get_cache_capacity(Served& served, std::size_t* capacity);
cublasStatus_t set_cache_capacity(Served& served, std::size_t capacity);

cublasStatus_t layout_init(Served& served, cublasLtMatrixLayout_t layout, std::size_t size, cudaDataType type,
                           std::uint64_t rows, std::uint64_t columns, std::int64_t leading);
cublasStatus_t layout_create(Served& served, cublasLtMatrixLayout_t* layout, cudaDataType type, std::uint64_t rows,
                             std::uint64_t columns, std::int64_t leading);
cublasStatus_t operation_init(Served& served, cublasLtMatmulDesc_t operation, std::size_t size,
                              cublasComputeType_t compute, cudaDataType_t scale);
cublasStatus_t operation_create(Served& served, cublasLtMatmulDesc_t* operation, cublasComputeType_t compute,
                                cudaDataType_t scale);
cublasStatus_t transform_init(Served& served, cublasLtMatrixTransformDesc_t transform, std::size_t size,
                              cudaDataType scale);
cublasStatus_t transform_create(Served& served, cublasLtMatrixTransformDesc_t* transform, cudaDataType scale);

template <class Room>
cublasStatus_t put_object(Room* room, std::size_t size, const Object<Room>& object) {
    if (!room) return refuse(CUBLAS_STATUS_INVALID_VALUE, "there is no place for the {}", Object<Room>::name);
    if (size < sizeof *room)
        return refuse(CUBLAS_STATUS_INVALID_VALUE, "a {} takes {} bytes; size is {}", Object<Room>::name, sizeof *room,
                      size);
    put(*room, object);
    return CUBLAS_STATUS_SUCCESS;
}
template <class Room>
cublasStatus_t add_object(Room** room, const Object<Room>& object) {
    if (!room) return refuse(CUBLAS_STATUS_INVALID_VALUE, "there is no place for the {}", Object<Room>::name);
    *room = Rooms<Room>::all().add(object);
    return CUBLAS_STATUS_SUCCESS;
}
template <class Room>
cublasStatus_t init_object(Served&, Room* room, std::size_t size) {
    return put_object(room, size, {});
}
template <class Room>
cublasStatus_t create_object(Served&, Room** room) {
    return add_object(room, {});
}
template <class Room>
cublasStatus_t no_object() {
    return refuse(CUBLAS_STATUS_INVALID_VALUE, "this is not a valid {}, or it was destroyed", Object<Room>::name);
}
template <class Room>
cublasStatus_t destroy_object(Served&, Room* room) {
    if (!find(room)) return no_object<Room>();
    Rooms<Room>::all().remove(room);
    return CUBLAS_STATUS_SUCCESS;
}
template <class Room, class Number>
cublasStatus_t set_attribute(Served&, Room* room, Number number, const void* buffer, std::size_t size) {
    Object<Room>* const object = find(room);
    if (!object) return no_object<Room>();
    return cublas_lt::set_attribute(object, attributes_of<Object<Room>>(), number, buffer, size);
}
template <class Room, class Number>
cublasStatus_t get_attribute(Served&, const Room* room, Number number, void* buffer, std::size_t size,
                             std::size_t* written) {
    const Object<Room>* const object = find(room);
    if (!object) return no_object<Room>();
    return cublas_lt::get_attribute(object, attributes_of<Object<Room>>(), number, buffer, size, written);
}

cublasStatus_t get_heuristic(Served& served, cublasLtHandle_t handle, cublasLtMatmulDesc_t operation,
                             cublasLtMatrixLayout_t Adesc, cublasLtMatrixLayout_t Bdesc, cublasLtMatrixLayout_t Cdesc,
                             cublasLtMatrixLayout_t Ddesc, cublasLtMatmulPreference_t preference, int requested,
                             cublasLtMatmulHeuristicResult_t* results, int* count);
cublasStatus_t get_ids(Served& served, cublasLtHandle_t handle, cublasComputeType_t compute, cudaDataType_t scale,
                       cudaDataType_t Atype, cudaDataType_t Btype, cudaDataType_t Ctype, cudaDataType_t Dtype,
                       int requested, int* ids, int* count);
cublasStatus_t algorithm_init(Served& served, cublasLtHandle_t handle, cublasComputeType_t compute,
                              cudaDataType_t scale, cudaDataType_t Atype, cudaDataType_t Btype, cudaDataType_t Ctype,
                              cudaDataType_t Dtype, int id, cublasLtMatmulAlgo_t* algo);
cublasStatus_t algorithm_check(Served& served, cublasLtHandle_t handle, cublasLtMatmulDesc_t operation,
                               cublasLtMatrixLayout_t Adesc, cublasLtMatrixLayout_t Bdesc, cublasLtMatrixLayout_t Cdesc,
                               cublasLtMatrixLayout_t Ddesc, const cublasLtMatmulAlgo_t* algo,
                               cublasLtMatmulHeuristicResult_t* result);
cublasStatus_t get_capability(Served& served, const cublasLtMatmulAlgo_t* algo,
                              cublasLtMatmulAlgoCapAttributes_t number, void* buffer, std::size_t size,
                              std::size_t* written);

cublasStatus_t matmul(Served& served, cublasLtHandle_t handle, cublasLtMatmulDesc_t operation, const void* alpha,
                      const void* A, cublasLtMatrixLayout_t Adesc, const void* B, cublasLtMatrixLayout_t Bdesc,
                      const void* beta, const void* C, cublasLtMatrixLayout_t Cdesc, void* D,
                      cublasLtMatrixLayout_t Ddesc, const cublasLtMatmulAlgo_t* algo, void* workspace,
                      std::size_t workspaceSizeInBytes, cudaStream_t stream);
cublasStatus_t transform(Served& served, cublasLtHandle_t handle, cublasLtMatrixTransformDesc_t described,
                         const void* alpha, const void* A, cublasLtMatrixLayout_t Adesc, const void* beta,
                         const void* B, cublasLtMatrixLayout_t Bdesc, void* C, cublasLtMatrixLayout_t Cdesc,
                         cudaStream_t stream);

}  // namespace bodies
}  // namespace cudash::libraries::cublas_lt
