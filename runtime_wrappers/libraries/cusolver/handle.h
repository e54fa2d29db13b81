// Handles of cuSOLVER's dense part, and parameters of its iterative methods.
#pragma once

#include "runtime_wrappers/libraries/cusolver/request.h"

namespace cudash::libraries::cusolver {

/// What a program sets for Jacobi's method. Here the direct method computes, to full precision.
struct Jacobi {
    double tolerance = 0;
    int sweeps = 0;
    bool sorts = true;
};
Jacobi* find_jacobi(syevjInfo_t info);
Jacobi* find_jacobi(gesvdjInfo_t info);

namespace bodies {

cusolverStatus_t get_version(Served& served, int* version);
cusolverStatus_t get_property(Served& served, libraryPropertyType type, int* value);
cusolverStatus_t create(Served& served, cusolverDnHandle_t* handle);
cusolverStatus_t destroy(Served& served, cusolverDnHandle_t handle);
cusolverStatus_t set_stream(Served& served, cusolverDnHandle_t handle, cudaStream_t stream);
cusolverStatus_t get_stream(Served& served, cusolverDnHandle_t handle, cudaStream_t* stream);

cusolverStatus_t create_jacobi(Served& served, syevjInfo_t* info);
cusolverStatus_t create_jacobi(Served& served, gesvdjInfo_t* info);
cusolverStatus_t destroy_jacobi(Served& served, syevjInfo_t info);
cusolverStatus_t destroy_jacobi(Served& served, gesvdjInfo_t info);
template <class Info, class Set>
cusolverStatus_t with_jacobi(Info info, Set set) {
    ArgumentLook<cusolverStatus_t> look;
    Jacobi* const found = find_jacobi(info);
    look.need(found != nullptr, "the parameters were not created, or were destroyed");
    if (found) set(look, *found);
    return look.status();
}
template <class Info>
cusolverStatus_t set_tolerance(Served&, Info info, double tolerance) {
    return with_jacobi(info, [&](auto&, Jacobi& found) { found.tolerance = tolerance; });
}
template <class Info>
cusolverStatus_t set_sweeps(Served&, Info info, int sweeps) {
    return with_jacobi(info, [&](auto&, Jacobi& found) { found.sweeps = sweeps; });
}
template <class Info>
cusolverStatus_t set_sorts(Served&, Info info, int sorts) {
    return with_jacobi(info, [&](auto&, Jacobi& found) { found.sorts = sorts != 0; });
}
template <class Info>
cusolverStatus_t get_residual(Served& served, cusolverDnHandle_t handle, Info info, double* residual) {
    Request request(served, handle);
    request.need_places(residual);
    if (!request.ok()) return request.status();
    return with_jacobi(info, [&](auto&, Jacobi&) { *residual = 0; });
}
template <class Info>
cusolverStatus_t get_sweeps(Served& served, cusolverDnHandle_t handle, Info info, int* sweeps) {
    Request request(served, handle);
    request.need_places(sweeps);
    if (!request.ok()) return request.status();
    return with_jacobi(info, [&](auto&, Jacobi&) { *sweeps = 1; });
}

}  // namespace bodies
}  // namespace cudash::libraries::cusolver
