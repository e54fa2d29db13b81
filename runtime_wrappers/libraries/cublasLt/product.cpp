#include "runtime_wrappers/libraries/cublasLt/product.h"

#include <array>

namespace cudash::libraries::cublas_lt {
namespace {

/// Which types of results may come of which elements. FP8 stands for both of its types.
struct TypesRow {
    cudaDataType_t scale, in;
    std::array<cudaDataType_t, 4> out;
};
constexpr cudaDataType_t eight_bits = CUDA_R_8F_E4M3, nothing = static_cast<cudaDataType_t>(-1);
struct ComputeRow {
    Numbers numbers;
    std::array<cublasComputeType_t, 6> computes;
    std::array<TypesRow, 6> types;
};
constexpr auto no_compute = static_cast<cublasComputeType_t>(-1);
constexpr TypesRow no_types = {nothing, nothing, {nothing, nothing, nothing, nothing}};
constexpr std::array compute_rows = {
    ComputeRow{Numbers::singles,
               {CUBLAS_COMPUTE_32F, CUBLAS_COMPUTE_32F_PEDANTIC, CUBLAS_COMPUTE_32F_FAST_16F,
                CUBLAS_COMPUTE_32F_FAST_16BF, CUBLAS_COMPUTE_32F_FAST_TF32, CUBLAS_COMPUTE_32F_EMULATED_16BFX9},
               {TypesRow{CUDA_R_32F, CUDA_R_32F, {CUDA_R_32F, nothing, nothing, nothing}},
                TypesRow{CUDA_R_32F, CUDA_R_16F, {CUDA_R_16F, CUDA_R_32F, nothing, nothing}},
                TypesRow{CUDA_R_32F, CUDA_R_16BF, {CUDA_R_16BF, CUDA_R_32F, nothing, nothing}},
                TypesRow{CUDA_R_32F, CUDA_R_8I, {CUDA_R_32F, nothing, nothing, nothing}},
                TypesRow{CUDA_R_32F, eight_bits, {CUDA_R_16F, CUDA_R_16BF, CUDA_R_32F, eight_bits}}, no_types}},
    ComputeRow{Numbers::complex_singles,
               {CUBLAS_COMPUTE_32F, CUBLAS_COMPUTE_32F_PEDANTIC, CUBLAS_COMPUTE_32F_FAST_16F,
                CUBLAS_COMPUTE_32F_FAST_16BF, CUBLAS_COMPUTE_32F_FAST_TF32, CUBLAS_COMPUTE_32F_EMULATED_16BFX9},
               {TypesRow{CUDA_C_32F, CUDA_C_32F, {CUDA_C_32F, nothing, nothing, nothing}}, no_types, no_types, no_types,
                no_types, no_types}},
    ComputeRow{Numbers::doubles,
               {CUBLAS_COMPUTE_64F, CUBLAS_COMPUTE_64F_PEDANTIC, CUBLAS_COMPUTE_64F_EMULATED_FIXEDPOINT, no_compute,
                no_compute, no_compute},
               {TypesRow{CUDA_R_64F, CUDA_R_64F, {CUDA_R_64F, nothing, nothing, nothing}}, no_types, no_types, no_types,
                no_types, no_types}},
    ComputeRow{Numbers::complex_doubles,
               {CUBLAS_COMPUTE_64F, CUBLAS_COMPUTE_64F_PEDANTIC, CUBLAS_COMPUTE_64F_EMULATED_FIXEDPOINT, no_compute,
                no_compute, no_compute},
               {TypesRow{CUDA_C_64F, CUDA_C_64F, {CUDA_C_64F, nothing, nothing, nothing}}, no_types, no_types, no_types,
                no_types, no_types}},
    ComputeRow{Numbers::singles,
               {CUBLAS_COMPUTE_16F, CUBLAS_COMPUTE_16F_PEDANTIC, no_compute, no_compute, no_compute, no_compute},
               {TypesRow{CUDA_R_16F, CUDA_R_16F, {CUDA_R_16F, nothing, nothing, nothing}}, no_types, no_types, no_types,
                no_types, no_types}},
    // Doubles have room for sums of integers.
    ComputeRow{Numbers::doubles,
               {CUBLAS_COMPUTE_32I, CUBLAS_COMPUTE_32I_PEDANTIC, no_compute, no_compute, no_compute, no_compute},
               {TypesRow{CUDA_R_32I, CUDA_R_8I, {CUDA_R_32I, nothing, nothing, nothing}},
                TypesRow{CUDA_R_32F, CUDA_R_8I, {CUDA_R_8I, nothing, nothing, nothing}}, no_types, no_types, no_types,
                no_types}},
};

std::int32_t class_of(std::int32_t type) {
    return is_eight_bit_float(type) ? eight_bits : type;
}

/// Of a bias, where none is set: documented with CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE.
std::int32_t bias_type_of(const Product& product) {
    if (product.operation.bias_type >= 0) return product.operation.bias_type;
    if (product.d.type == CUDA_R_8I) return product.operation.scale;
    const bool of_eight_bits = is_eight_bit_float(product.a.type);
    if (of_eight_bits && (product.d.type == CUDA_R_32F || is_eight_bit_float(product.d.type)))
        return product.c.type == CUDA_R_16F ? CUDA_R_16F : CUDA_R_16BF;
    return product.d.type;
}

void look_at_sizes(Look& look, Product& p) {
    const auto rows = [](const Layout& layout, std::int32_t operation) {
        return static_cast<std::int64_t>(operation == CUBLAS_OP_N ? layout.rows : layout.columns);
    };
    const auto columns = [](const Layout& layout, std::int32_t operation) {
        return static_cast<std::int64_t>(operation == CUBLAS_OP_N ? layout.columns : layout.rows);
    };
    p.m = rows(p.a, p.operation.transa);
    p.k = columns(p.a, p.operation.transa);
    p.n = columns(p.b, p.operation.transb);
    const std::int64_t inner = rows(p.b, p.operation.transb);
    look.need(p.k == inner, "op(A) is {} x {} and op(B) {} x {}: the columns of the first are the rows of the second",
              p.m, p.k, inner, p.n);
    for (const auto& [name, layout] : {std::pair("C", &p.c), std::pair("D", &p.d)})
        look.need(rows(*layout, CUBLAS_OP_N) == p.m && columns(*layout, CUBLAS_OP_N) == p.n,
                  "op(A) * op(B) is {} x {}, and {} is {} x {}", p.m, p.n, name, layout->rows, layout->columns);
    for (const Layout* layout : {&p.b, &p.c, &p.d})
        look.need(layout->batch_count == p.a.batch_count, "the numbers of batches differ: A has {}, another {}",
                  p.a.batch_count, layout->batch_count);
}

void look_at_operation(Look& look, const Operation& operation) {
    for (const auto& [name, value] : {std::pair("TRANSA", operation.transa), std::pair("TRANSB", operation.transb)})
        look.need(value >= CUBLAS_OP_N && value <= CUBLAS_OP_C, "{} is {}, which is not a cublasOperation_t", name,
                  value);
    look.need(operation.transc == CUBLAS_OP_N, "TRANSC is {}; CUBLAS_OP_N alone is there", operation.transc);
    look.lacks(operation.fill != CUBLAS_FILL_MODE_FULL, "the virtual GPU computes whole matrices; FILL_MODE is {}",
               operation.fill);
    look.need(operation.pointer_mode >= CUBLASLT_POINTER_MODE_HOST &&
                  operation.pointer_mode <= CUBLASLT_POINTER_MODE_ALPHA_DEVICE_VECTOR_BETA_HOST,
              "there is no pointer mode {}", operation.pointer_mode);
    for (const std::int32_t mode : {operation.a_mode, operation.b_mode, operation.c_mode, operation.d_mode,
                                    operation.auxiliary_mode, operation.d_out_mode})
        look.lacks(mode != CUBLASLT_MATMUL_MATRIX_SCALE_SCALAR_32F,
                   "the virtual GPU scales a matrix by one float; the scale mode is {}", mode);
    look.lacks(operation.d_out_scale != nullptr, "the virtual GPU computes no scales of results");
}

void look_at_epilogue(Look& look, const Product& p) {
    const Operation& operation = p.operation;
    for (const std::int64_t stride :
         {operation.bias_stride, operation.auxiliary_leading, operation.auxiliary_stride, operation.alpha_stride})
        look.need(stride >= 0 && stride <= Look::most_elements, "a stride of the epilogue or of alpha is {}", stride);
    const Epilogue& epilogue = *p.epilogue;
    const bool complex = p.numbers == Numbers::complex_singles || p.numbers == Numbers::complex_doubles;
    look.lacks(complex && (epilogue.activation != Activation::none || p.has_bias()),
               "the virtual GPU has no {} of complex numbers", epilogue.name);
    look.lacks(p.has_bias() && size_of_type(p.bias_type) == 0, "the virtual GPU has no bias of type {}", p.bias_type);
    if (!epilogue.auxiliary) return;
    look.need(operation.auxiliary_leading >= p.m, "EPILOGUE_AUX_LD is {}, less than the {} rows of D",
              operation.auxiliary_leading, p.m);
    const std::int64_t unit = epilogue.has_bits() ? 128 : 8;
    look.need(operation.auxiliary_leading % unit == 0, "EPILOGUE_AUX_LD is {}; with {} it must be a multiple of {}",
              operation.auxiliary_leading, epilogue.name, unit);
    look.need(operation.auxiliary_stride % unit == 0,
              "EPILOGUE_AUX_BATCH_STRIDE is {}; with {} it must be a multiple of {}", operation.auxiliary_stride,
              epilogue.name, unit);
    look.lacks(!epilogue.has_bits() && size_of_type(p.auxiliary_type) == 0,
               "the virtual GPU has no auxiliary matrices of type {}", p.auxiliary_type);
}

}  // namespace

std::optional<Numbers> numbers_of(std::int32_t compute, std::int32_t scale, std::int32_t a, std::int32_t b,
                                  std::int32_t c, std::int32_t d) {
    // Floats of 8 bits may be of different types; C may be of 16 bits where D has 8.
    if (class_of(a) != class_of(b)) return std::nullopt;
    const bool to_eight_bits = is_eight_bit_float(d) && (c == CUDA_R_16F || c == CUDA_R_16BF || c == d);
    if (c != d && !to_eight_bits) return std::nullopt;
    for (const ComputeRow& row : compute_rows) {
        if (std::ranges::find(row.computes, static_cast<cublasComputeType_t>(compute)) == row.computes.end()) continue;
        for (const TypesRow& types : row.types)
            if (types.scale == scale && types.in == class_of(a) &&
                std::ranges::find(types.out, static_cast<cudaDataType_t>(class_of(d))) != types.out.end())
                return row.numbers;
    }
    return std::nullopt;
}

std::optional<Product> describe(Look& look, const Described& described) {
    const Operation* const operation = look.object("the operation", described.operation);
    const Layout* const a = look.object("Adesc", described.a);
    const Layout* const b = look.object("Bdesc", described.b);
    const Layout* const c = look.object("Cdesc", described.c);
    const Layout* const d = look.object("Ddesc", described.d);
    if (!look.ok()) return std::nullopt;
    Product product{.operation = *operation, .a = *a, .b = *b, .c = *c, .d = *d};
    look_at_operation(look, *operation);
    look.need_matrix("A", *a);
    look.need_matrix("B", *b);
    look.need_matrix("C", *c);
    look.need_matrix("D", *d);
    look_at_sizes(look, product);
    const auto numbers = numbers_of(operation->compute, operation->scale, a->type, b->type, c->type, d->type);
    look.lacks(!numbers,
               "the virtual GPU multiplies half, bfloat16, 8-bit floats, float and double, complex float and double, "
               "and 8-bit integers; A has type {}, B {}, C {}, D {}, the compute type is {} and the scale type {}",
               a->type, b->type, c->type, d->type, operation->compute, operation->scale);
    product.epilogue = find_epilogue(operation->epilogue);
    look.need(product.epilogue != nullptr, "there is no epilogue {}", operation->epilogue);
    if (!look.ok()) return std::nullopt;
    product.numbers = *numbers;
    product.bias_type = bias_type_of(product);
    product.auxiliary_type = operation->auxiliary_type >= 0 ? operation->auxiliary_type : d->type;
    look_at_epilogue(look, product);
    if (!look.ok()) return std::nullopt;
    return product;
}

}  // namespace cudash::libraries::cublas_lt
