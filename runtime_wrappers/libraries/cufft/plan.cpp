#include "runtime_wrappers/libraries/cufft/plan.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <memory>

#include "runtime_wrappers/libraries/cufft/request.h"

namespace cudash::libraries {

std::string_view StatusOf<cufftResult>::name(cufftResult status) {
    struct Name {
        cufftResult status;
        std::string_view text;
    };
#define CUDASH_STATUS(name) \
    Name {                  \
        name, #name         \
    }
    constexpr std::array names = {
        CUDASH_STATUS(CUFFT_SUCCESS),         CUDASH_STATUS(CUFFT_INVALID_PLAN),   CUDASH_STATUS(CUFFT_ALLOC_FAILED),
        CUDASH_STATUS(CUFFT_INVALID_TYPE),    CUDASH_STATUS(CUFFT_INVALID_VALUE),  CUDASH_STATUS(CUFFT_INTERNAL_ERROR),
        CUDASH_STATUS(CUFFT_EXEC_FAILED),     CUDASH_STATUS(CUFFT_SETUP_FAILED),   CUDASH_STATUS(CUFFT_INVALID_SIZE),
        CUDASH_STATUS(CUFFT_UNALIGNED_DATA),  CUDASH_STATUS(CUFFT_INVALID_DEVICE), CUDASH_STATUS(CUFFT_NO_WORKSPACE),
        CUDASH_STATUS(CUFFT_NOT_IMPLEMENTED), CUDASH_STATUS(CUFFT_NOT_SUPPORTED)};
#undef CUDASH_STATUS
    const auto found = std::ranges::find(names, status, &Name::status);
    return found == names.end() ? "an unknown cufftResult" : found->text;
}

namespace cufft {
namespace {

struct Plan {
    Request request{};
    std::shared_ptr<Transform> transform{};  ///< nullptr: it was created, and not made; pending work keeps it alive
    cudaStream_t stream = nullptr;
    bool allocates = true, has_work_area = false;
    bool told_of_type = false;
};

/// Numbered from 1.
struct Plans {
    std::map<cufftHandle, Plan> live;
    cufftHandle next = 1;
};
Plans& plans() {
    static Plans all;
    return all;
}
Plan* find(cufftHandle plan) {
    const auto found = plans().live.find(plan);
    if (found != plans().live.end()) return &found->second;
    refuse(CUFFT_INVALID_PLAN, "{} is not a plan that was created, or it was destroyed", plan);
    return nullptr;
}
Plan* find_made(cufftHandle handle) {
    Plan* const plan = find(handle);
    if (!plan || plan->transform) return plan;
    refuse(CUFFT_INVALID_PLAN, "the plan has no transform yet: cufftMakePlan1d, ... after cufftCreate");
    return nullptr;
}

template <class T>
cufftResult give(T* to, T value) {
    if (!to) return refuse(CUFFT_INVALID_VALUE, "there is no place for the result");
    *to = value;
    return CUFFT_SUCCESS;
}
cufftResult give_size(const Request& request, std::size_t* to) {
    return give(to, request.work_size());
}

void make(Plan& plan, const Request& request) {
    plan.request = request;
    plan.transform = std::make_shared<Transform>(request.type->kind, request.sizes);
}

/// `ask(Request&)` says what is wanted.
template <class Ask>
cufftResult plan_at_once(cufftHandle* handle, Ask ask) {
    if (!handle) return refuse(CUFFT_INVALID_PLAN, "there is no place for the plan");
    Request request;
    if (const cufftResult bad = ask(request); bad != CUFFT_SUCCESS) return bad;
    *handle = plans().next++;
    make(plans().live[*handle], request);
    return CUFFT_SUCCESS;
}
template <class Ask>
cufftResult make_plan(cufftHandle handle, std::size_t* size, Ask ask) {
    Plan* const plan = find(handle);
    if (!plan) return CUFFT_INVALID_PLAN;
    if (plan->transform) return refuse(CUFFT_INVALID_PLAN, "the plan has a transform already; create another plan");
    Request request;
    if (const cufftResult bad = ask(request); bad != CUFFT_SUCCESS) return bad;
    make(*plan, request);
    if (size) *size = request.work_size();
    return CUFFT_SUCCESS;
}
template <class Ask>
cufftResult estimate(std::size_t* size, Ask ask) {
    Request request;
    const cufftResult bad = ask(request);
    return bad == CUFFT_SUCCESS ? give_size(request, size) : bad;
}
template <class Ask>
cufftResult size_with(cufftHandle plan, std::size_t* size, Ask ask) {
    return find(plan) ? estimate(size, ask) : CUFFT_INVALID_PLAN;
}

auto packed(cufftType type, const Sizes& sizes, std::int64_t batch = 1) {
    return [=](Request& request) { return ask_packed(request, type, sizes, batch); };
}
template <class Int>
auto many_of(cufftType type, const Many<Int>& many) {
    return [=](Request& request) { return ask_many(request, find_type(type), many); };
}
auto many_typed(cudaDataType input, cudaDataType output, cudaDataType execution, const Many<long long>& many) {
    return [=](Request& request) {
        const TypeRow* const type = find_type(input, output);
        if (!type || execution != (type->doubles ? CUDA_C_64F : CUDA_C_32F))
            return refuse(CUFFT_NOT_SUPPORTED,
                          "the virtual GPU transforms float and double numbers, with an execution type of the same "
                          "precision");
        return ask_many(request, type, many);
    };
}

/// cuFFT executes what was planned, whichever function asks for it (recorded on an H100).
void tell_of_type(Plan& plan, std::string_view function, const Served& served) {
    if (std::exchange(plan.told_of_type, true) || !served.gpu.active.events.diagnostic) return;
    const TypeRow& type = *plan.request.type;
    Diagnostic warning;
    warning.severity = Diagnostic::Severity::warning;
    warning.code = "plan-type";
    warning.message = fmt::format("{} executes a plan of {}: cuFFT doesn't check this, and does what was planned",
                                  function, type.name);
    warning.hint = fmt::format("plans of {} are for {}", type.name, type.execute);
    warning.where = served.gpu.place();
    served.gpu.active.events.diagnostic(warning);
}

template <class Real>
Asked ask_for(Served& served, const Plan& plan, const void* from, void* to, bool inverse) {
    using Number = std::complex<Real>;
    const Request& request = plan.request;
    const Request::Sides sides = request.sides(from == to);
    const MemoryRows read = rows_of(request.input_sizes(), request.batch, sides.input);
    const MemoryRows written = rows_of(request.output_sizes(), request.batch, sides.output);
    Work work(served, plan.stream);
    const auto add = [&](std::string_view name, const void* pointer, bool real, const MemoryRows& rows, Access access) {
        return real ? add_operand(work, name, static_cast<const Real*>(pointer), rows, access)
                    : add_operand(work, name, static_cast<const Number*>(pointer), rows, access);
    };
    const std::size_t input = add("idata", from, request.type->kind == Kind::real_to_complex, read, Access::read);
    const std::size_t output = add("odata", to, request.type->kind == Kind::complex_to_real, written, Access::written);
    const auto count = static_cast<double>(count_of(request.sizes));
    work.costs(5 * count * std::log2(count) * static_cast<double>(request.batch), request.type->doubles);
    return work.ask([=, transform = plan.transform, batch = request.batch](Operands& operands) {
        transform->template run<Real>(operands.at<std::byte>(input), sides.input, operands.at<std::byte>(output),
                                      sides.output, batch, inverse);
    });
}

/// `function` is for plans of `type`; nullptr: for all.
cufftResult execute(Served& served, cufftHandle handle, const TypeRow* type, const void* from, void* to,
                    int direction) {
    Plan* const plan = find_made(handle);
    if (!plan) return CUFFT_INVALID_PLAN;
    const TypeRow& planned = *plan->request.type;
    if (type && type != &planned) tell_of_type(*plan, served.function, served);
    const bool directed = planned.kind == Kind::complex_to_complex;
    if (directed && direction != CUFFT_FORWARD && direction != CUFFT_INVERSE)
        return refuse(CUFFT_INVALID_VALUE, "the direction is {}, neither CUFFT_FORWARD nor CUFFT_INVERSE", direction);
    if (!plan->allocates && !plan->has_work_area)
        return refuse(CUFFT_NO_WORKSPACE, "the plan allocates no work area, and cufftSetWorkArea gave it none");
    const bool inverse = directed ? direction == CUFFT_INVERSE : planned.kind == Kind::complex_to_real;
    const Asked asked = planned.doubles ? ask_for<double>(served, *plan, from, to, inverse)
                                        : ask_for<float>(served, *plan, from, to, inverse);
    return asked == Asked::done ? CUFFT_SUCCESS : CUFFT_EXEC_FAILED;
}

}  // namespace

namespace bodies {

cufftResult create(Served&, cufftHandle* plan) {
    if (!plan) return refuse(CUFFT_INVALID_PLAN, "there is no place for the plan");
    *plan = plans().next++;
    plans().live[*plan];
    return CUFFT_SUCCESS;
}
cufftResult plan_1d(Served&, cufftHandle* plan, int nx, cufftType type, int batch) {
    return plan_at_once(plan, packed(type, {1, 1, nx}, batch));
}
cufftResult plan_2d(Served&, cufftHandle* plan, int nx, int ny, cufftType type) {
    return plan_at_once(plan, packed(type, {1, nx, ny}));
}
cufftResult plan_3d(Served&, cufftHandle* plan, int nx, int ny, int nz, cufftType type) {
    return plan_at_once(plan, packed(type, {nx, ny, nz}));
}
cufftResult plan_many(Served&, cufftHandle* plan, int rank, int* n, int* inembed, int istride, int idist, int* onembed,
                      int ostride, int odist, cufftType type, int batch) {
    return plan_at_once(plan, many_of<int>(type, {rank, n, inembed, istride, idist, onembed, ostride, odist, batch}));
}
cufftResult make_1d(Served&, cufftHandle plan, int nx, cufftType type, int batch, std::size_t* workSize) {
    return make_plan(plan, workSize, packed(type, {1, 1, nx}, batch));
}
cufftResult make_2d(Served&, cufftHandle plan, int nx, int ny, cufftType type, std::size_t* workSize) {
    return make_plan(plan, workSize, packed(type, {1, nx, ny}));
}
cufftResult make_3d(Served&, cufftHandle plan, int nx, int ny, int nz, cufftType type, std::size_t* workSize) {
    return make_plan(plan, workSize, packed(type, {nx, ny, nz}));
}
cufftResult make_many(Served&, cufftHandle plan, int rank, int* n, int* inembed, int istride, int idist, int* onembed,
                      int ostride, int odist, cufftType type, int batch, std::size_t* workSize) {
    return make_plan(plan, workSize,
                     many_of<int>(type, {rank, n, inembed, istride, idist, onembed, ostride, odist, batch}));
}
cufftResult make_many(Served&, cufftHandle plan, int rank, Int* n, Int* inembed, Int istride, Int idist, Int* onembed,
                      Int ostride, Int odist, cufftType type, Int batch, std::size_t* workSize) {
    return make_plan(plan, workSize,
                     many_of<Int>(type, {rank, n, inembed, istride, idist, onembed, ostride, odist, batch}));
}
cufftResult make_many_typed(Served&, cufftHandle plan, int rank, Int* n, Int* inembed, Int istride, Int idist,
                            cudaDataType inputtype, Int* onembed, Int ostride, Int odist, cudaDataType outputtype,
                            Int batch, std::size_t* workSize, cudaDataType executiontype) {
    return make_plan(plan, workSize,
                     many_typed(inputtype, outputtype, executiontype,
                                {rank, n, inembed, istride, idist, onembed, ostride, odist, batch}));
}
cufftResult destroy(Served&, cufftHandle plan) {
    if (!find(plan)) return CUFFT_INVALID_PLAN;
    plans().live.erase(plan);
    return CUFFT_SUCCESS;
}

cufftResult estimate_1d(Served&, int nx, cufftType type, int batch, std::size_t* workSize) {
    return estimate(workSize, packed(type, {1, 1, nx}, batch));
}
cufftResult estimate_2d(Served&, int nx, int ny, cufftType type, std::size_t* workSize) {
    return estimate(workSize, packed(type, {1, nx, ny}));
}
cufftResult estimate_3d(Served&, int nx, int ny, int nz, cufftType type, std::size_t* workSize) {
    return estimate(workSize, packed(type, {nx, ny, nz}));
}
cufftResult estimate_many(Served&, int rank, int* n, int* inembed, int istride, int idist, int* onembed, int ostride,
                          int odist, cufftType type, int batch, std::size_t* workSize) {
    return estimate(workSize, many_of<int>(type, {rank, n, inembed, istride, idist, onembed, ostride, odist, batch}));
}
cufftResult size_1d(Served&, cufftHandle plan, int nx, cufftType type, int batch, std::size_t* workSize) {
    return size_with(plan, workSize, packed(type, {1, 1, nx}, batch));
}
cufftResult size_2d(Served&, cufftHandle plan, int nx, int ny, cufftType type, std::size_t* workSize) {
    return size_with(plan, workSize, packed(type, {1, nx, ny}));
}
cufftResult size_3d(Served&, cufftHandle plan, int nx, int ny, int nz, cufftType type, std::size_t* workSize) {
    return size_with(plan, workSize, packed(type, {nx, ny, nz}));
}
cufftResult size_many(Served&, cufftHandle plan, int rank, int* n, int* inembed, int istride, int idist, int* onembed,
                      int ostride, int odist, cufftType type, int batch, std::size_t* workSize) {
    return size_with(plan, workSize,
                     many_of<int>(type, {rank, n, inembed, istride, idist, onembed, ostride, odist, batch}));
}
cufftResult size_many(Served&, cufftHandle plan, int rank, Int* n, Int* inembed, Int istride, Int idist, Int* onembed,
                      Int ostride, Int odist, cufftType type, Int batch, std::size_t* workSize) {
    return size_with(plan, workSize,
                     many_of<Int>(type, {rank, n, inembed, istride, idist, onembed, ostride, odist, batch}));
}
cufftResult size_many_typed(Served&, cufftHandle plan, int rank, Int* n, Int* inembed, Int istride, Int idist,
                            cudaDataType inputtype, Int* onembed, Int ostride, Int odist, cudaDataType outputtype,
                            Int batch, std::size_t* workSize, cudaDataType executiontype) {
    return size_with(plan, workSize,
                     many_typed(inputtype, outputtype, executiontype,
                                {rank, n, inembed, istride, idist, onembed, ostride, odist, batch}));
}
cufftResult size_of_plan(Served&, cufftHandle plan, std::size_t* workSize) {
    const Plan* const found = find_made(plan);
    return found ? give_size(found->request, workSize) : CUFFT_INVALID_PLAN;
}
cufftResult set_work_area(Served&, cufftHandle plan, void* workArea) {
    Plan* const found = find_made(plan);
    if (!found) return CUFFT_INVALID_PLAN;
    found->has_work_area = workArea != nullptr;
    return CUFFT_SUCCESS;
}
cufftResult set_auto_allocation(Served&, cufftHandle plan, int autoAllocate) {
    Plan* const found = find(plan);
    if (!found) return CUFFT_INVALID_PLAN;
    found->allocates = autoAllocate != 0;
    return CUFFT_SUCCESS;
}

cufftResult set_stream(Served&, cufftHandle plan, cudaStream_t stream) {
    Plan* const found = find(plan);
    if (!found) return CUFFT_INVALID_PLAN;
    found->stream = stream;
    return CUFFT_SUCCESS;
}
cufftResult execute_c2c(Served& served, cufftHandle plan, cufftComplex* idata, cufftComplex* odata, int direction) {
    return cufft::execute(served, plan, find_type(CUFFT_C2C), idata, odata, direction);
}
cufftResult execute_r2c(Served& served, cufftHandle plan, cufftReal* idata, cufftComplex* odata) {
    return cufft::execute(served, plan, find_type(CUFFT_R2C), idata, odata, CUFFT_FORWARD);
}
cufftResult execute_c2r(Served& served, cufftHandle plan, cufftComplex* idata, cufftReal* odata) {
    return cufft::execute(served, plan, find_type(CUFFT_C2R), idata, odata, CUFFT_INVERSE);
}
cufftResult execute_z2z(Served& served, cufftHandle plan, cufftDoubleComplex* idata, cufftDoubleComplex* odata,
                        int direction) {
    return cufft::execute(served, plan, find_type(CUFFT_Z2Z), idata, odata, direction);
}
cufftResult execute_d2z(Served& served, cufftHandle plan, cufftDoubleReal* idata, cufftDoubleComplex* odata) {
    return cufft::execute(served, plan, find_type(CUFFT_D2Z), idata, odata, CUFFT_FORWARD);
}
cufftResult execute_z2d(Served& served, cufftHandle plan, cufftDoubleComplex* idata, cufftDoubleReal* odata) {
    return cufft::execute(served, plan, find_type(CUFFT_Z2D), idata, odata, CUFFT_INVERSE);
}
cufftResult execute(Served& served, cufftHandle plan, void* input, void* output, int direction) {
    return cufft::execute(served, plan, nullptr, input, output, direction);
}

cufftResult get_version(Served&, int* version) {
    return give(version, CUFFT_VERSION);
}
cufftResult get_property(Served&, libraryPropertyType type, int* value) {
    constexpr std::array parts = {CUFFT_VER_MAJOR, CUFFT_VER_MINOR, CUFFT_VER_PATCH};
    if (type < MAJOR_VERSION || type > PATCH_LEVEL) return refuse(CUFFT_INVALID_TYPE, "there is no such property");
    return give(value, parts[static_cast<std::size_t>(type)]);
}

}  // namespace bodies
}  // namespace cufft
}  // namespace cudash::libraries
