#include "runtime_wrappers/libraries/cusolver/handle.h"

#include <array>

#include "runtime_wrappers/libraries/cusolver/typed.h"
#include "runtime_wrappers/virtual_gpu/stream/timeline.h"

namespace cudash::libraries {

std::string_view StatusOf<cusolverStatus_t>::name(cusolverStatus_t status) {
#define CUDASH_STATUS(name)      \
    case CUSOLVER_STATUS_##name: \
        return "CUSOLVER_STATUS_" #name
    switch (status) {
        CUDASH_STATUS(SUCCESS);
        CUDASH_STATUS(NOT_INITIALIZED);
        CUDASH_STATUS(ALLOC_FAILED);
        CUDASH_STATUS(INVALID_VALUE);
        CUDASH_STATUS(EXECUTION_FAILED);
        CUDASH_STATUS(INTERNAL_ERROR);
        CUDASH_STATUS(NOT_SUPPORTED);
        default:
            return "another cusolverStatus_t";
    }
#undef CUDASH_STATUS
}

namespace cusolver {
namespace {

virtual_gpu::HandleTable<cusolverDnHandle_t, Handle>& handles() {
    static virtual_gpu::HandleTable<cusolverDnHandle_t, Handle> live(0x5000'b000'1000);
    return live;
}
struct Nothing {};
virtual_gpu::HandleTable<cusolverDnParams_t, Nothing>& options() {
    static virtual_gpu::HandleTable<cusolverDnParams_t, Nothing> live(0x5000'b300'1000);
    return live;
}
template <class Info>
virtual_gpu::HandleTable<Info, Jacobi>& parameters() {
    static virtual_gpu::HandleTable<Info, Jacobi> live(std::is_same_v<Info, syevjInfo_t> ? 0x5000'b100'1000
                                                                                         : 0x5000'b200'1000);
    return live;
}
template <class Info>
cusolverStatus_t add(Info* info) {
    ArgumentLook<cusolverStatus_t> look;
    look.need_places(info);
    if (look.ok()) *info = parameters<Info>().add({});
    return look.status();
}
template <class Info>
cusolverStatus_t remove(Info info) {
    ArgumentLook<cusolverStatus_t> look;
    look.need(parameters<Info>().remove(info), "the parameters were not created, or were destroyed before");
    return look.status();
}

}  // namespace

Handle* find_handle(cusolverDnHandle_t handle) {
    return handles().find(handle);
}
Jacobi* find_jacobi(syevjInfo_t info) {
    return parameters<syevjInfo_t>().find(info);
}
Jacobi* find_jacobi(gesvdjInfo_t info) {
    return parameters<gesvdjInfo_t>().find(info);
}

namespace bodies {

cusolverStatus_t get_version(Served&, int* version) {
    ArgumentLook<cusolverStatus_t> look;
    look.need_places(version);
    if (look.ok()) *version = CUSOLVER_VERSION;
    return look.status();
}
cusolverStatus_t get_property(Served&, libraryPropertyType type, int* value) {
    constexpr std::array parts = {CUSOLVER_VER_MAJOR, CUSOLVER_VER_MINOR, CUSOLVER_VER_PATCH};
    ArgumentLook<cusolverStatus_t> look;
    look.need_places(value);
    look.need(type >= MAJOR_VERSION && type <= PATCH_LEVEL, "there is no property {}", static_cast<int>(type));
    if (look.ok()) *value = parts[static_cast<std::size_t>(type)];
    return look.status();
}

cusolverStatus_t create(Served&, cusolverDnHandle_t* handle) {
    ArgumentLook<cusolverStatus_t> look;
    look.need_places(handle);
    if (!look.ok()) return look.status();
    if (!lapack_missing().empty()) {
        virtual_gpu::runtime::refuse_with_hint(
            cudaErrorNotSupported, "cuSOLVER on the virtual GPU computes with OpenBLAS: " + lapack_missing(),
            "apt-get install libopenblas0, or --device gpu");
        return CUSOLVER_STATUS_NOT_INITIALIZED;
    }
    *handle = handles().add({});
    return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t destroy(Served& served, cusolverDnHandle_t handle) {
    Request request(served, handle);
    if (request.ok()) handles().remove(handle);
    return request.status();
}
cusolverStatus_t set_stream(Served& served, cusolverDnHandle_t handle, cudaStream_t stream) {
    Request request(served, handle);
    if (request.ok()) request.handle().stream = stream;
    return request.status();
}
cusolverStatus_t get_stream(Served& served, cusolverDnHandle_t handle, cudaStream_t* stream) {
    Request request(served, handle);
    request.need_places(stream);
    if (request.ok()) *stream = request.handle().stream;
    return request.status();
}

cusolverStatus_t create_jacobi(Served&, syevjInfo_t* info) {
    return add(info);
}
cusolverStatus_t create_jacobi(Served&, gesvdjInfo_t* info) {
    return add(info);
}
cusolverStatus_t destroy_jacobi(Served&, syevjInfo_t info) {
    return remove(info);
}
cusolverStatus_t destroy_jacobi(Served&, gesvdjInfo_t info) {
    return remove(info);
}

cusolverStatus_t create_parameters(Served&, cusolverDnParams_t* params) {
    ArgumentLook<cusolverStatus_t> look;
    look.need_places(params);
    if (look.ok()) *params = options().add({});
    return look.status();
}
cusolverStatus_t destroy_parameters(Served&, cusolverDnParams_t params) {
    ArgumentLook<cusolverStatus_t> look;
    look.need(options().remove(params), "params were not created, or were destroyed before");
    return look.status();
}
cusolverStatus_t set_option(Served&, cusolverDnParams_t params, cusolverDnFunction_t, cusolverAlgMode_t) {
    ArgumentLook<cusolverStatus_t> look;
    look.need(options().find(params) != nullptr, "params were not created, or were destroyed");
    return look.status();
}

}  // namespace bodies
}  // namespace cusolver
}  // namespace cudash::libraries
