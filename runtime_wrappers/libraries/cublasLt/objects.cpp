#include "runtime_wrappers/libraries/cublasLt/objects.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace cudash::libraries::cublas_lt {

#define CUDASH_ATTRIBUTE(number, object, member)                          \
    Attribute {                                                           \
        number, #number, offsetof(object, member), sizeof(object::member) \
    }

template <>
std::span<const Attribute> attributes_of<Layout>() {
    static constexpr std::array rows = {
        CUDASH_ATTRIBUTE(CUBLASLT_MATRIX_LAYOUT_TYPE, Layout, type),
        CUDASH_ATTRIBUTE(CUBLASLT_MATRIX_LAYOUT_ORDER, Layout, order),
        CUDASH_ATTRIBUTE(CUBLASLT_MATRIX_LAYOUT_ROWS, Layout, rows),
        CUDASH_ATTRIBUTE(CUBLASLT_MATRIX_LAYOUT_COLS, Layout, columns),
        CUDASH_ATTRIBUTE(CUBLASLT_MATRIX_LAYOUT_LD, Layout, leading),
        CUDASH_ATTRIBUTE(CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, Layout, batch_count),
        CUDASH_ATTRIBUTE(CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, Layout, batch_stride),
        CUDASH_ATTRIBUTE(CUBLASLT_MATRIX_LAYOUT_PLANE_OFFSET, Layout, plane_offset),
        CUDASH_ATTRIBUTE(CUBLASLT_MATRIX_LAYOUT_BATCH_MODE, Layout, batch_mode),
    };
    return rows;
}
template <>
std::span<const Attribute> attributes_of<Operation>() {
    static constexpr std::array rows = {
        CUDASH_ATTRIBUTE(CUBLASLT_MATMUL_DESC_COMPUTE_TYPE, Operation, compute),
        CUDASH_ATTRIBUTE(CUBLASLT_MATMUL_DESC_SCALE_TYPE, Operation, scale),
        CUDASH_ATTRIBUTE(CUBLASLT_MATMUL_DESC_POINTER_MODE, Operation, pointer_mode),
        CUDASH_ATTRIBUTE(CUBLASLT_MATMUL_DESC_TRANSA, Operation, transa),
        CUDASH_ATTRIBUTE(CUBLASLT_MATMUL_DESC_TRANSB, Operation, transb),
        CUDASH_ATTRIBUTE(CUBLASLT_MATMUL_DESC_TRANSC, Operation, transc),
        CUDASH_ATTRIBUTE(CUBLASLT_MATMUL_DESC_FILL_MODE, Operation, fill),
        CUDASH_ATTRIBUTE(CUBLASLT_MATMUL_DESC_EPILOGUE, Operation, epilogue),
        CUDASH_ATTRIBUTE(CUBLASLT_MATMUL_DESC_BIAS_POINTER, Operation, bias),
        CUDASH_ATTRIBUTE(CUBLASLT_MATMUL_DESC_BIAS_BATCH_STRIDE, Operation, bias_stride),
        CUDASH_ATTRIBUTE(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER, Operation, auxiliary),
        CUDASH_ATTRIBUTE(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD, Operation, auxiliary_leading),
        CUDASH_ATTRIBUTE(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_BATCH_STRIDE, Operation, auxiliary_stride),
        CUDASH_ATTRIBUTE(CUBLASLT_MATMUL_DESC_ALPHA_VECTOR_BATCH_STRIDE, Operation, alpha_stride),
        CUDASH_ATTRIBUTE(CUBLASLT_MATMUL_DESC_SM_COUNT_TARGET, Operation, multiprocessors),
        CUDASH_ATTRIBUTE(CUBLASLT_MATMUL_DESC_A_SCALE_POINTER, Operation, a_scale),
        CUDASH_ATTRIBUTE(CUBLASLT_MATMUL_DESC_B_SCALE_POINTER, Operation, b_scale),
        CUDASH_ATTRIBUTE(CUBLASLT_MATMUL_DESC_C_SCALE_POINTER, Operation, c_scale),
        CUDASH_ATTRIBUTE(CUBLASLT_MATMUL_DESC_D_SCALE_POINTER, Operation, d_scale),
        CUDASH_ATTRIBUTE(CUBLASLT_MATMUL_DESC_AMAX_D_POINTER, Operation, d_largest),
        CUDASH_ATTRIBUTE(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_DATA_TYPE, Operation, auxiliary_type),
        CUDASH_ATTRIBUTE(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_SCALE_POINTER, Operation, auxiliary_scale),
        CUDASH_ATTRIBUTE(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_AMAX_POINTER, Operation, auxiliary_largest),
        CUDASH_ATTRIBUTE(CUBLASLT_MATMUL_DESC_FAST_ACCUM, Operation, fast_accumulation),
        CUDASH_ATTRIBUTE(CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE, Operation, bias_type),
        CUDASH_ATTRIBUTE(CUBLASLT_MATMUL_DESC_A_SCALE_MODE, Operation, a_mode),
        CUDASH_ATTRIBUTE(CUBLASLT_MATMUL_DESC_B_SCALE_MODE, Operation, b_mode),
        CUDASH_ATTRIBUTE(CUBLASLT_MATMUL_DESC_C_SCALE_MODE, Operation, c_mode),
        CUDASH_ATTRIBUTE(CUBLASLT_MATMUL_DESC_D_SCALE_MODE, Operation, d_mode),
        CUDASH_ATTRIBUTE(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_SCALE_MODE, Operation, auxiliary_mode),
        CUDASH_ATTRIBUTE(CUBLASLT_MATMUL_DESC_D_OUT_SCALE_POINTER, Operation, d_out_scale),
        CUDASH_ATTRIBUTE(CUBLASLT_MATMUL_DESC_D_OUT_SCALE_MODE, Operation, d_out_mode),
        CUDASH_ATTRIBUTE(CUBLASLT_MATMUL_DESC_EMULATION_DESCRIPTOR, Operation, emulation),
    };
    return rows;
}
template <>
std::span<const Attribute> attributes_of<Preference>() {
    static constexpr std::array rows = {
        CUDASH_ATTRIBUTE(CUBLASLT_MATMUL_PREF_SEARCH_MODE, Preference, search_mode),
        CUDASH_ATTRIBUTE(CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, Preference, most_workspace),
        CUDASH_ATTRIBUTE(CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK, Preference, reductions),
        CUDASH_ATTRIBUTE(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, Preference, a_alignment),
        CUDASH_ATTRIBUTE(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, Preference, b_alignment),
        CUDASH_ATTRIBUTE(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, Preference, c_alignment),
        CUDASH_ATTRIBUTE(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, Preference, d_alignment),
        CUDASH_ATTRIBUTE(CUBLASLT_MATMUL_PREF_MAX_WAVES_COUNT, Preference, most_waves),
        CUDASH_ATTRIBUTE(CUBLASLT_MATMUL_PREF_IMPL_MASK, Preference, implementations),
    };
    return rows;
}
template <>
std::span<const Attribute> attributes_of<Algorithm>() {
    static constexpr std::array rows = {
        Attribute{CUBLASLT_ALGO_CONFIG_ID, "CUBLASLT_ALGO_CONFIG_ID", offsetof(Algorithm, id), sizeof(int), true},
        CUDASH_ATTRIBUTE(CUBLASLT_ALGO_CONFIG_TILE_ID, Algorithm, tile),
        CUDASH_ATTRIBUTE(CUBLASLT_ALGO_CONFIG_SPLITK_NUM, Algorithm, splits),
        CUDASH_ATTRIBUTE(CUBLASLT_ALGO_CONFIG_REDUCTION_SCHEME, Algorithm, reduction),
        CUDASH_ATTRIBUTE(CUBLASLT_ALGO_CONFIG_CTA_SWIZZLING, Algorithm, swizzle),
        CUDASH_ATTRIBUTE(CUBLASLT_ALGO_CONFIG_CUSTOM_OPTION, Algorithm, option),
        CUDASH_ATTRIBUTE(CUBLASLT_ALGO_CONFIG_STAGES_ID, Algorithm, stages),
        CUDASH_ATTRIBUTE(CUBLASLT_ALGO_CONFIG_INNER_SHAPE_ID, Algorithm, inner_shape),
        CUDASH_ATTRIBUTE(CUBLASLT_ALGO_CONFIG_CLUSTER_SHAPE_ID, Algorithm, cluster_shape),
    };
    return rows;
}
template <>
std::span<const Attribute> attributes_of<Transform>() {
    static constexpr std::array rows = {
        CUDASH_ATTRIBUTE(CUBLASLT_MATRIX_TRANSFORM_DESC_SCALE_TYPE, Transform, scale),
        CUDASH_ATTRIBUTE(CUBLASLT_MATRIX_TRANSFORM_DESC_POINTER_MODE, Transform, pointer_mode),
        CUDASH_ATTRIBUTE(CUBLASLT_MATRIX_TRANSFORM_DESC_TRANSA, Transform, transa),
        CUDASH_ATTRIBUTE(CUBLASLT_MATRIX_TRANSFORM_DESC_TRANSB, Transform, transb),
    };
    return rows;
}
template <>
std::span<const Attribute> attributes_of<Emulation>() {
    static constexpr std::array rows = {
        CUDASH_ATTRIBUTE(CUBLASLT_EMULATION_DESC_STRATEGY, Emulation, strategy),
        CUDASH_ATTRIBUTE(CUBLASLT_EMULATION_DESC_SPECIAL_VALUES_SUPPORT, Emulation, special_values),
        CUDASH_ATTRIBUTE(CUBLASLT_EMULATION_DESC_FIXEDPOINT_MANTISSA_CONTROL, Emulation, mantissa_control),
        CUDASH_ATTRIBUTE(CUBLASLT_EMULATION_DESC_FIXEDPOINT_MAX_MANTISSA_BIT_COUNT, Emulation, most_bits),
        CUDASH_ATTRIBUTE(CUBLASLT_EMULATION_DESC_FIXEDPOINT_MANTISSA_BIT_OFFSET, Emulation, bit_offset),
        CUDASH_ATTRIBUTE(CUBLASLT_EMULATION_DESC_FIXEDPOINT_MANTISSA_BIT_COUNT_POINTER, Emulation, bit_count),
    };
    return rows;
}
#undef CUDASH_ATTRIBUTE

namespace {

const Attribute* find_attribute(std::span<const Attribute> attributes, int number) {
    const auto found = std::ranges::find(attributes, number, &Attribute::number);
    return found == attributes.end() ? nullptr : &*found;
}
cublasStatus_t wrong_size(const Attribute& attribute, std::size_t size) {
    return refuse(CUBLAS_STATUS_INVALID_VALUE, "{} has {} bytes; sizeInBytes is {}", attribute.name, attribute.size,
                  size);
}

}  // namespace

cublasStatus_t set_attribute(void* object, std::span<const Attribute> attributes, int number, const void* buffer,
                             std::size_t size) {
    const Attribute* const attribute = find_attribute(attributes, number);
    if (!attribute || attribute->read_only)
        return refuse(CUBLAS_STATUS_INVALID_VALUE, "there is no attribute {} that can be set", number);
    if (!buffer) return refuse(CUBLAS_STATUS_INVALID_VALUE, "buf is a null pointer");
    if (size != attribute->size) return wrong_size(*attribute, size);
    std::memcpy(static_cast<std::byte*>(object) + attribute->offset, buffer, size);
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t get_attribute(const void* object, std::span<const Attribute> attributes, int number, void* buffer,
                             std::size_t size, std::size_t* written) {
    const Attribute* const attribute = find_attribute(attributes, number);
    if (!attribute) return refuse(CUBLAS_STATUS_INVALID_VALUE, "there is no attribute {}", number);
    if (size == 0 && !written)
        return refuse(CUBLAS_STATUS_INVALID_VALUE, "sizeInBytes is 0 and there is no place for the attribute's size");
    if (size != 0) {
        if (!buffer) return refuse(CUBLAS_STATUS_INVALID_VALUE, "buf is a null pointer");
        if (size != attribute->size) return wrong_size(*attribute, size);
        std::memcpy(buffer, static_cast<const std::byte*>(object) + attribute->offset, size);
    }
    if (written) *written = attribute->size;
    return CUBLAS_STATUS_SUCCESS;
}

}  // namespace cudash::libraries::cublas_lt
