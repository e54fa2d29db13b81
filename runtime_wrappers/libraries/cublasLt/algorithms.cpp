// Heuristics and algorithms: there is one, which needs no workspace and takes every product that can be described.
#include <array>
#include <cstring>

#include "runtime_wrappers/libraries/cublasLt/bodies.h"
#include "runtime_wrappers/libraries/cublasLt/product.h"

namespace cudash::libraries::cublas_lt {
namespace {

cublasLtMatmulHeuristicResult_t answer() {
    cublasLtMatmulHeuristicResult_t result{};
    put(result.algo, {.id = only_algorithm});
    result.state = CUBLAS_STATUS_SUCCESS;
    result.wavesCount = 1;
    return result;
}

struct Capability {
    int number;
    std::string_view name;
    std::uint64_t value;
    std::size_t size = sizeof(std::int32_t);
};
constexpr std::uint64_t bytes_of_any = 1;  // of alignment

std::span<const Capability> capabilities() {
#define CUDASH_CAPABILITY(name, ...)                 \
    Capability {                                     \
        CUBLASLT_ALGO_CAP_##name, #name, __VA_ARGS__ \
    }
    static const std::array rows = {
        CUDASH_CAPABILITY(SPLITK_SUPPORT, 0),
        CUDASH_CAPABILITY(REDUCTION_SCHEME_MASK, CUBLASLT_REDUCTION_SCHEME_NONE),
        CUDASH_CAPABILITY(CTA_SWIZZLING_SUPPORT, 0),
        CUDASH_CAPABILITY(STRIDED_BATCH_SUPPORT, 1),
        CUDASH_CAPABILITY(OUT_OF_PLACE_RESULT_SUPPORT, 1),
        CUDASH_CAPABILITY(UPLO_SUPPORT, 0),
        CUDASH_CAPABILITY(TILE_IDS, CUBLASLT_MATMUL_TILE_UNDEFINED),
        CUDASH_CAPABILITY(CUSTOM_OPTION_MAX, 0),
        CUDASH_CAPABILITY(CUSTOM_MEMORY_ORDER, 1),
        CUDASH_CAPABILITY(POINTER_MODE_MASK, CUBLASLT_POINTER_MODE_MASK_HOST | CUBLASLT_POINTER_MODE_MASK_DEVICE |
                                                 CUBLASLT_POINTER_MODE_MASK_DEVICE_VECTOR |
                                                 CUBLASLT_POINTER_MODE_MASK_ALPHA_DEVICE_VECTOR_BETA_ZERO |
                                                 CUBLASLT_POINTER_MODE_MASK_ALPHA_DEVICE_VECTOR_BETA_HOST),
        CUDASH_CAPABILITY(EPILOGUE_MASK, all_epilogues()),
        CUDASH_CAPABILITY(STAGES_IDS, CUBLASLT_MATMUL_STAGES_UNDEFINED),
        CUDASH_CAPABILITY(LD_NEGATIVE, 0),
        CUDASH_CAPABILITY(NUMERICAL_IMPL_FLAGS,
                          CUBLASLT_NUMERICAL_IMPL_FLAGS_FMA | CUBLASLT_NUMERICAL_IMPL_FLAGS_ACCUMULATOR_32F |
                              CUBLASLT_NUMERICAL_IMPL_FLAGS_INPUT_32F,
                          sizeof(std::uint64_t)),
        CUDASH_CAPABILITY(MIN_ALIGNMENT_A_BYTES, bytes_of_any),
        CUDASH_CAPABILITY(MIN_ALIGNMENT_B_BYTES, bytes_of_any),
        CUDASH_CAPABILITY(MIN_ALIGNMENT_C_BYTES, bytes_of_any),
        CUDASH_CAPABILITY(MIN_ALIGNMENT_D_BYTES, bytes_of_any),
        CUDASH_CAPABILITY(POINTER_ARRAY_BATCH_SUPPORT, 0),
        CUDASH_CAPABILITY(FLOATING_POINT_EMULATION_SUPPORT, 0),
    };
#undef CUDASH_CAPABILITY
    return rows;
}
/// Those that are lists may be asked for with any room that has place for them.
bool is_list(int number) {
    return number == CUBLASLT_ALGO_CAP_TILE_IDS || number == CUBLASLT_ALGO_CAP_STAGES_IDS;
}

}  // namespace

namespace bodies {

cublasStatus_t get_heuristic(Served&, cublasLtHandle_t handle, cublasLtMatmulDesc_t operation,
                             cublasLtMatrixLayout_t Adesc, cublasLtMatrixLayout_t Bdesc, cublasLtMatrixLayout_t Cdesc,
                             cublasLtMatrixLayout_t Ddesc, cublasLtMatmulPreference_t preference, int requested,
                             cublasLtMatmulHeuristicResult_t* results, int* count) {
    Look look;
    look.need(count != nullptr, "there is no place for the number of algorithms");
    if (count) *count = 0;
    look.need_handle(handle);
    look.object("the preference", preference);
    look.need(requested > 0, "the number of algorithms asked for is {}", requested);
    look.need(results != nullptr, "there is no place for the algorithms");
    if (!describe(look, {operation, Adesc, Bdesc, Cdesc, Ddesc})) return look.status();
    results[0] = answer();
    *count = 1;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t get_ids(Served&, cublasLtHandle_t handle, cublasComputeType_t compute, cudaDataType_t scale,
                       cudaDataType_t Atype, cudaDataType_t Btype, cudaDataType_t Ctype, cudaDataType_t Dtype,
                       int requested, int* ids, int* count) {
    Look look;
    look.need_handle(handle);
    look.need(requested > 0 && ids, "there is no place for the algorithms");
    look.lacks(!numbers_of(compute, scale, Atype, Btype, Ctype, Dtype),
               "the virtual GPU has no products of these types: A has {}, B {}, C {}, D {}", static_cast<int>(Atype),
               static_cast<int>(Btype), static_cast<int>(Ctype), static_cast<int>(Dtype));
    if (count) *count = look.ok() ? 1 : 0;
    if (look.ok()) ids[0] = only_algorithm;
    return look.status();
}

cublasStatus_t algorithm_init(Served&, cublasLtHandle_t handle, cublasComputeType_t compute, cudaDataType_t scale,
                              cudaDataType_t Atype, cudaDataType_t Btype, cudaDataType_t Ctype, cudaDataType_t Dtype,
                              int id, cublasLtMatmulAlgo_t* algo) {
    Look look;
    look.need_handle(handle);
    look.need(algo != nullptr, "there is no place for the algorithm");
    look.need(id == only_algorithm, "there is no algorithm {}: cublasLtMatmulAlgoGetIds lists them", id);
    look.lacks(!numbers_of(compute, scale, Atype, Btype, Ctype, Dtype),
               "the virtual GPU has no products of these types: A has {}, B {}, C {}, D {}", static_cast<int>(Atype),
               static_cast<int>(Btype), static_cast<int>(Ctype), static_cast<int>(Dtype));
    if (look.ok()) put(*algo, {.id = id});
    return look.status();
}

cublasStatus_t algorithm_check(Served&, cublasLtHandle_t handle, cublasLtMatmulDesc_t operation,
                               cublasLtMatrixLayout_t Adesc, cublasLtMatrixLayout_t Bdesc, cublasLtMatrixLayout_t Cdesc,
                               cublasLtMatrixLayout_t Ddesc, const cublasLtMatmulAlgo_t* algo,
                               cublasLtMatmulHeuristicResult_t* result) {
    Look look;
    look.need_handle(handle);
    look.object("algo", algo);
    if (!describe(look, {operation, Adesc, Bdesc, Cdesc, Ddesc})) return look.status();
    if (result) {
        *result = answer();
        result->algo = *algo;
    }
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t get_capability(Served&, const cublasLtMatmulAlgo_t* algo, cublasLtMatmulAlgoCapAttributes_t number,
                              void* buffer, std::size_t size, std::size_t* written) {
    Look look;
    look.object("algo", algo);
    const auto rows = capabilities();
    const auto found = std::ranges::find(rows, static_cast<int>(number), &Capability::number);
    look.need(found != rows.end(), "there is no capability {}", static_cast<int>(number));
    look.need(size != 0 || written, "sizeInBytes is 0 and there is no place for the capability's size");
    look.need(size == 0 || buffer, "buf is a null pointer");
    if (!look.ok()) return look.status();
    look.need(size == 0 || size == found->size || (is_list(number) && size > found->size),
              "{} has {} bytes; sizeInBytes is {}", found->name, found->size, size);
    if (!look.ok()) return look.status();
    if (size != 0) std::memcpy(buffer, &found->value, found->size);
    if (written) *written = found->size;
    return CUBLAS_STATUS_SUCCESS;
}

}  // namespace bodies
}  // namespace cudash::libraries::cublas_lt
