// Plans of cuFFT: transforms of complex and of real numbers in one to three dimensions, float and double.
#pragma once

#include <cufft.h>
#include <cufftXt.h>

#include "runtime_wrappers/libraries/serve.h"

namespace cudash::libraries {

template <>
struct StatusOf<cufftResult> {
    /// `lost`: after an error of a kernel, plans can't be made (recorded on an H100).
    static constexpr cufftResult success = CUFFT_SUCCESS, not_initialized = CUFFT_SETUP_FAILED,
                                 lost = CUFFT_INTERNAL_ERROR;
    static std::string_view name(cufftResult status);
};

}  // namespace cudash::libraries

namespace cudash::libraries::cufft::bodies {

using Int = long long;

// A plan in one call, and in two.
cufftResult create(Served& served, cufftHandle* plan);
cufftResult plan_1d(Served& served, cufftHandle* plan, int nx, cufftType type, int batch);
cufftResult plan_2d(Served& served, cufftHandle* plan, int nx, int ny, cufftType type);
cufftResult plan_3d(Served& served, cufftHandle* plan, int nx, int ny, int nz, cufftType type);
cufftResult plan_many(Served& served, cufftHandle* plan, int rank, int* n, int* inembed, int istride, int idist,
                      int* onembed, int ostride, int odist, cufftType type, int batch);
cufftResult make_1d(Served& served, cufftHandle plan, int nx, cufftType type, int batch, std::size_t* workSize);
cufftResult make_2d(Served& served, cufftHandle plan, int nx, int ny, cufftType type, std::size_t* workSize);
cufftResult make_3d(Served& served, cufftHandle plan, int nx, int ny, int nz, cufftType type, std::size_t* workSize);
cufftResult make_many(Served& served, cufftHandle plan, int rank, int* n, int* inembed, int istride, int idist,
                      int* onembed, int ostride, int odist, cufftType type, int batch, std::size_t* workSize);
cufftResult make_many(Served& served, cufftHandle plan, int rank, Int* n, Int* inembed, Int istride, Int idist,
                      Int* onembed, Int ostride, Int odist, cufftType type, Int batch, std::size_t* workSize);
cufftResult make_many_typed(Served& served, cufftHandle plan, int rank, Int* n, Int* inembed, Int istride, Int idist,
                            cudaDataType inputtype, Int* onembed, Int ostride, Int odist, cudaDataType outputtype,
                            Int batch, std::size_t* workSize, cudaDataType executiontype);
cufftResult destroy(Served& served, cufftHandle plan);

// Memory that the library would work in. None is needed here; the sizes are those of the spectrum.
cufftResult estimate_1d(Served& served, int nx, cufftType type, int batch, std::size_t* workSize);
cufftResult estimate_2d(Served& served, int nx, int ny, cufftType type, std::size_t* workSize);
cufftResult estimate_3d(Served& served, int nx, int ny, int nz, cufftType type, std::size_t* workSize);
cufftResult estimate_many(Served& served, int rank, int* n, int* inembed, int istride, int idist, int* onembed,
                          int ostride, int odist, cufftType type, int batch, std::size_t* workSize);
cufftResult size_1d(Served& served, cufftHandle plan, int nx, cufftType type, int batch, std::size_t* workSize);
cufftResult size_2d(Served& served, cufftHandle plan, int nx, int ny, cufftType type, std::size_t* workSize);
cufftResult size_3d(Served& served, cufftHandle plan, int nx, int ny, int nz, cufftType type, std::size_t* workSize);
cufftResult size_many(Served& served, cufftHandle plan, int rank, int* n, int* inembed, int istride, int idist,
                      int* onembed, int ostride, int odist, cufftType type, int batch, std::size_t* workSize);
cufftResult size_many(Served& served, cufftHandle plan, int rank, Int* n, Int* inembed, Int istride, Int idist,
                      Int* onembed, Int ostride, Int odist, cufftType type, Int batch, std::size_t* workSize);
cufftResult size_many_typed(Served& served, cufftHandle plan, int rank, Int* n, Int* inembed, Int istride, Int idist,
                            cudaDataType inputtype, Int* onembed, Int ostride, Int odist, cudaDataType outputtype,
                            Int batch, std::size_t* workSize, cudaDataType executiontype);
cufftResult size_of_plan(Served& served, cufftHandle plan, std::size_t* workSize);
cufftResult set_work_area(Served& served, cufftHandle plan, void* workArea);
cufftResult set_auto_allocation(Served& served, cufftHandle plan, int autoAllocate);

cufftResult set_stream(Served& served, cufftHandle plan, cudaStream_t stream);
cufftResult execute_c2c(Served& served, cufftHandle plan, cufftComplex* idata, cufftComplex* odata, int direction);
cufftResult execute_r2c(Served& served, cufftHandle plan, cufftReal* idata, cufftComplex* odata);
cufftResult execute_c2r(Served& served, cufftHandle plan, cufftComplex* idata, cufftReal* odata);
cufftResult execute_z2z(Served& served, cufftHandle plan, cufftDoubleComplex* idata, cufftDoubleComplex* odata,
                        int direction);
cufftResult execute_d2z(Served& served, cufftHandle plan, cufftDoubleReal* idata, cufftDoubleComplex* odata);
cufftResult execute_z2d(Served& served, cufftHandle plan, cufftDoubleComplex* idata, cufftDoubleReal* odata);
cufftResult execute(Served& served, cufftHandle plan, void* input, void* output, int direction);

cufftResult get_version(Served& served, int* version);
cufftResult get_property(Served& served, libraryPropertyType type, int* value);

}  // namespace cudash::libraries::cufft::bodies
