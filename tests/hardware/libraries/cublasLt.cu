// cuBLASLt: one line for each case.
#include <cublasLt.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

#include "cases.h"

cublasLtHandle_t handle;

template <class T>
struct Kind;
#define KIND(type, enumerator, letter)                     \
    template <>                                            \
    struct Kind<type> {                                    \
        static constexpr cudaDataType value = enumerator;  \
        static constexpr const char* name = letter;        \
    };
KIND(float, CUDA_R_32F, "S")
KIND(double, CUDA_R_64F, "D")
KIND(__half, CUDA_R_16F, "H")
KIND(__nv_bfloat16, CUDA_R_16BF, "B")
KIND(std::int8_t, CUDA_R_8I, "I")
KIND(std::int32_t, CUDA_R_32I, "J")

template <class T>
std::vector<T> make(std::size_t count, std::uint32_t seed) {
    std::vector<T> values;
    for (const float value : numbers<float>(count, seed)) {
        if constexpr (sizeof(T) == 1) values.push_back(static_cast<T>(value * 10));
        else values.push_back(static_cast<T>(value));
    }
    return values;
}
template <class T>
std::vector<double> wide(const std::vector<T>& values) {
    std::vector<double> result;
    for (const T value : values) result.push_back(static_cast<double>(static_cast<float>(value)));
    return result;
}

struct Layout {
    cublasLtMatrixLayout_t it = nullptr;
    Layout(cudaDataType type, int rows, int columns, int leading) { cublasLtMatrixLayoutCreate(&it, type, rows, columns, leading); }
    ~Layout() { cublasLtMatrixLayoutDestroy(it); }
    template <class T>
    Layout& set(cublasLtMatrixLayoutAttribute_t attribute, T value) {
        cublasLtMatrixLayoutSetAttribute(it, attribute, &value, sizeof value);
        return *this;
    }
};
struct Operation {
    cublasLtMatmulDesc_t it = nullptr;
    Operation(cublasComputeType_t compute, cudaDataType scale) { cublasLtMatmulDescCreate(&it, compute, scale); }
    ~Operation() { cublasLtMatmulDescDestroy(it); }
    template <class T>
    Operation& set(cublasLtMatmulDescAttributes_t attribute, T value) {
        cublasLtMatmulDescSetAttribute(it, attribute, &value, sizeof value);
        return *this;
    }
};

/// A's columns are multiples of 16 bytes, as most epilogues need them on a GPU.
constexpr int m = 16, n = 8, k = 32;

template <class In, class Out, class Scale>
void epilogue(const char* name, cublasComputeType_t compute, cublasLtEpilogue_t which, bool by_bits = false) {
    const OnDevice<In> a(make<In>(k * m, 1)), b(make<In>(k * n, 2));
    const OnDevice<Out> c(make<Out>(m * n, 3)), d(make<Out>(m * n, 4)), bias(make<Out>(32, 5)), aux(make<Out>(m * n, 6));
    std::vector<int> pattern(128 * n / 32);
    for (int& each : pattern) each = 0x5a3c96e1;
    const OnDevice<int> bits(pattern);
    Operation operation(compute, Kind<Scale>::value);
    operation.set(CUBLASLT_MATMUL_DESC_TRANSA, CUBLAS_OP_T).set(CUBLASLT_MATMUL_DESC_EPILOGUE, which);
    const bool with_bias = which & (CUBLASLT_EPILOGUE_BIAS | 16 | 256 | 512), with_aux = which & 128;
    if (with_bias) operation.set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, bias.data);
    if (with_aux) operation.set(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER, by_bits ? (void*)bits.data : (void*)aux.data)
                      .set(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD, (int64_t)(by_bits ? 128 : m));
    Layout of_a(Kind<In>::value, k, m, k), of_b(Kind<In>::value, k, n, k), of_c(Kind<Out>::value, m, n, m);
    const Scale alpha = Scale(1.5f), beta = Scale(0.5f);
    const int status = cublasLtMatmul(handle, operation.it, &alpha, a.data, of_a.it, b.data, of_b.it, &beta, c.data, of_c.it, d.data,
                                      of_c.it, nullptr, nullptr, 0, nullptr);
    cudaDeviceSynchronize();
    char of[96];
    std::snprintf(of, sizeof of, "%s%s %s", Kind<Out>::name, Kind<In>::name, name);
    char part[128];
    std::snprintf(part, sizeof part, "%s, status", of);
    show_exact(part, {status});
    if (status != CUBLAS_STATUS_SUCCESS) return;  // a GPU has not each epilogue for each type
    show(of, wide(d.values()));
    std::snprintf(part, sizeof part, "%s, bias", of);
    if (with_bias) show(part, wide(bias.values()));
    std::snprintf(part, sizeof part, "%s, aux", of);
    if (with_aux && !by_bits) show(part, wide(aux.values()));
    if (with_aux && by_bits) {
        std::vector<long long> first;  // of each column, as only its rows are defined
        for (int column = 0; column < n; ++column) first.push_back(bits.values()[column * 4] & 0xffff);
        show_exact(part, first);
    }
}

template <class In, class Out, class Scale>
void epilogues(cublasComputeType_t compute) {
    const auto ask = [&](const char* name, cublasLtEpilogue_t which, bool by_bits = false) {
        epilogue<In, Out, Scale>(name, compute, which, by_bits);
    };
    ask("default", CUBLASLT_EPILOGUE_DEFAULT);
    ask("bias", CUBLASLT_EPILOGUE_BIAS);
    ask("relu", CUBLASLT_EPILOGUE_RELU);
    ask("relu bias", CUBLASLT_EPILOGUE_RELU_BIAS);
    ask("relu aux", CUBLASLT_EPILOGUE_RELU_AUX, true);
    ask("relu aux bias", CUBLASLT_EPILOGUE_RELU_AUX_BIAS, true);
    ask("gelu", CUBLASLT_EPILOGUE_GELU);
    ask("gelu bias", CUBLASLT_EPILOGUE_GELU_BIAS);
    ask("gelu aux", CUBLASLT_EPILOGUE_GELU_AUX);
    ask("gelu aux bias", CUBLASLT_EPILOGUE_GELU_AUX_BIAS);
    ask("drelu", CUBLASLT_EPILOGUE_DRELU, true);
    ask("drelu bgrad", CUBLASLT_EPILOGUE_DRELU_BGRAD, true);
    ask("dgelu", CUBLASLT_EPILOGUE_DGELU);
    ask("dgelu bgrad", CUBLASLT_EPILOGUE_DGELU_BGRAD);
    ask("bgrada", CUBLASLT_EPILOGUE_BGRADA);
    ask("bgradb", CUBLASLT_EPILOGUE_BGRADB);
}

void batches_and_orders() {
    const OnDevice<float> a(numbers<float>(4 * 64, 1)), b(numbers<float>(4 * 64, 2)), d(std::vector<float>(4 * 64, 0.0f));
    const float alpha = 2, beta = 0;
    Layout of_a(CUDA_R_32F, 6, 5, 8), of_b(CUDA_R_32F, 5, 7, 9), of_d(CUDA_R_32F, 6, 7, 7);
    for (Layout* each : {&of_a, &of_b, &of_d})
        each->set(CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, 3).set(CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, (int64_t)64);
    of_d.set(CUBLASLT_MATRIX_LAYOUT_ORDER, (int32_t)CUBLASLT_ORDER_ROW);
    Operation operation(CUBLAS_COMPUTE_32F, CUDA_R_32F);
    const int status = cublasLtMatmul(handle, operation.it, &alpha, a.data, of_a.it, b.data, of_b.it, &beta, d.data, of_d.it, d.data,
                                      of_d.it, nullptr, nullptr, 0, nullptr);
    show_exact("three to rows, status", {status});
    show("Three to rows", d);
    const OnDevice<float> vector(numbers<float>(6, 9));
    operation.set(CUBLASLT_MATMUL_DESC_POINTER_MODE, (int32_t)CUBLASLT_POINTER_MODE_ALPHA_DEVICE_VECTOR_BETA_HOST);
    of_d.set(CUBLASLT_MATRIX_LAYOUT_ORDER, (int32_t)CUBLASLT_ORDER_COL);
    const int by_rows = cublasLtMatmul(handle, operation.it, vector.data, a.data, of_a.it, b.data, of_b.it, &beta, d.data, of_d.it,
                                       d.data, of_d.it, nullptr, nullptr, 0, nullptr);
    show_exact("a factor for each row, status", {by_rows});
    if (by_rows == CUBLAS_STATUS_SUCCESS) show("A factor for each row", d);
}

void integers() {
    const OnDevice<std::int8_t> a(make<std::int8_t>(k * m, 1)), b(make<std::int8_t>(k * n, 2));
    const OnDevice<std::int32_t> d(std::vector<std::int32_t>(m * n, 0));
    const std::int32_t alpha = 1, beta = 0;
    Layout of_a(CUDA_R_8I, k, m, k), of_b(CUDA_R_8I, k, n, k), of_d(CUDA_R_32I, m, n, m);
    Operation operation(CUBLAS_COMPUTE_32I, CUDA_R_32I);
    operation.set(CUBLASLT_MATMUL_DESC_TRANSA, CUBLAS_OP_T);
    const int status = cublasLtMatmul(handle, operation.it, &alpha, a.data, of_a.it, b.data, of_b.it, &beta, d.data, of_d.it, d.data,
                                      of_d.it, nullptr, nullptr, 0, nullptr);
    std::vector<long long> values = {status};
    for (const std::int32_t value : d.values()) values.push_back(value);
    show_exact("8-bit integers", values);
}

void transforms() {
    const OnDevice<float> a(numbers<float>(6 * 40, 1)), b(numbers<float>(6 * 40, 2)), c(std::vector<float>(32 * 6 * 2, 0.0f));
    const float alpha = 2, beta = 3;
    cublasLtMatrixTransformDesc_t transform;
    cublasLtMatrixTransformDescCreate(&transform, CUDA_R_32F);
    Layout columns(CUDA_R_32F, 6, 40, 6), rows(CUDA_R_32F, 6, 40, 40), turned(CUDA_R_32F, 40, 6, 40), in_32(CUDA_R_32F, 6, 40, 32 * 6);
    rows.set(CUBLASLT_MATRIX_LAYOUT_ORDER, (int32_t)CUBLASLT_ORDER_ROW);
    in_32.set(CUBLASLT_MATRIX_LAYOUT_ORDER, (int32_t)CUBLASLT_ORDER_COL32);
    std::vector<long long> statuses;
    statuses.push_back(cublasLtMatrixTransform(handle, transform, &alpha, a.data, columns.it, &beta, b.data, columns.it, c.data, rows.it, nullptr));
    show("Sum to rows", c);
    statuses.push_back(cublasLtMatrixTransform(handle, transform, &alpha, a.data, columns.it, &beta, nullptr, nullptr, c.data, in_32.it, nullptr));
    show("To 32 columns", c);
    const cublasOperation_t transposed = CUBLAS_OP_T;
    cublasLtMatrixTransformDescSetAttribute(transform, CUBLASLT_MATRIX_TRANSFORM_DESC_TRANSA, &transposed, sizeof transposed);
    statuses.push_back(cublasLtMatrixTransform(handle, transform, &alpha, a.data, columns.it, &beta, nullptr, nullptr, c.data, turned.it, nullptr));
    show("Turned", c);
    show_exact("transforms, statuses", statuses);
    cublasLtMatrixTransformDescDestroy(transform);
}

void eight_bits() {
    std::vector<__nv_fp8_e4m3> values;
    for (const float value : numbers<float>(32 * 32, 5)) values.push_back(__nv_fp8_e4m3(value));
    const OnDevice<__nv_fp8_e4m3> a(values), d(std::vector<__nv_fp8_e4m3>(32 * 32));
    const OnDevice<__half> half(std::vector<__half>(32 * 32));
    const OnDevice<float> scale(std::vector<float>{0.5f}), largest(std::vector<float>{0});
    Layout of_a(CUDA_R_8F_E4M3, 32, 32, 32), of_half(CUDA_R_16F, 32, 32, 32), of_d(CUDA_R_8F_E4M3, 32, 32, 32);
    const float alpha = 1, beta = 0;
    Operation operation(CUBLAS_COMPUTE_32F, CUDA_R_32F);
    operation.set(CUBLASLT_MATMUL_DESC_TRANSA, CUBLAS_OP_T).set(CUBLASLT_MATMUL_DESC_A_SCALE_POINTER, scale.data);
    const int to_half = cublasLtMatmul(handle, operation.it, &alpha, a.data, of_a.it, a.data, of_a.it, &beta, half.data, of_half.it,
                                       half.data, of_half.it, nullptr, nullptr, 0, nullptr);
    show("HF default", wide(half.values()));
    operation.set(CUBLASLT_MATMUL_DESC_D_SCALE_POINTER, scale.data).set(CUBLASLT_MATMUL_DESC_AMAX_D_POINTER, largest.data);
    const int to_eight = cublasLtMatmul(handle, operation.it, &alpha, a.data, of_a.it, a.data, of_a.it, &beta, half.data, of_half.it,
                                        d.data, of_d.it, nullptr, nullptr, 0, nullptr);
    show_exact("8-bit floats, statuses", {to_half, to_eight});
    show("8-bit floats, largest", largest);
}

void misuse() {
    std::vector<long long> statuses;
    cublasLtMatmulDesc_t operation = nullptr;
    statuses.push_back(cublasLtMatmulDescCreate(&operation, CUBLAS_COMPUTE_32F, CUDA_R_32F));
    int value = 0;
    std::size_t written = 7;
    const auto set = [&](int attribute, std::size_t size) {
        statuses.push_back(cublasLtMatmulDescSetAttribute(operation, (cublasLtMatmulDescAttributes_t)attribute, &value, size));
    };
    set(CUBLASLT_MATMUL_DESC_TRANSA, 4), set(CUBLASLT_MATMUL_DESC_TRANSA, 8), set(999, 4), set(9, 4);
    statuses.push_back(cublasLtMatmulDescSetAttribute(operation, CUBLASLT_MATMUL_DESC_TRANSA, nullptr, 4));
    statuses.push_back(cublasLtMatmulDescGetAttribute(operation, CUBLASLT_MATMUL_DESC_EPILOGUE, nullptr, 0, &written));
    statuses.push_back(written);
    statuses.push_back(cublasLtMatmulDescGetAttribute(operation, CUBLASLT_MATMUL_DESC_EPILOGUE, nullptr, 0, nullptr));
    statuses.push_back(cublasLtMatmulDescGetAttribute(operation, CUBLASLT_MATMUL_DESC_EPILOGUE, &value, 4, nullptr));
    statuses.push_back(value);
    show_exact("attributes", statuses);
    statuses.clear();
    const OnDevice<float> a(numbers<float>(64, 1));
    Layout good(CUDA_R_32F, 4, 4, 4), other(CUDA_R_32F, 3, 4, 3), thin(CUDA_R_32F, 4, 4, 2), half(CUDA_R_16F, 4, 4, 4);
    cublasLtMatmulPreference_t preference;
    cublasLtMatmulPreferenceCreate(&preference);
    cublasLtMatmulHeuristicResult_t result;
    const float alpha = 1, beta = 0;
    const auto ask = [&](Layout& x, Layout& y, Layout& z) {
        int found = 9;
        statuses.push_back(cublasLtMatmulAlgoGetHeuristic(handle, operation, x.it, y.it, z.it, z.it, preference, 1, &result, &found));
        statuses.push_back(found);
        statuses.push_back(cublasLtMatmul(handle, operation, &alpha, a.data, x.it, a.data, y.it, &beta, a.data, z.it, a.data, z.it,
                                          nullptr, nullptr, 0, nullptr));
    };
    ask(other, good, good), ask(good, good, other), ask(thin, good, good), ask(good, half, good);
    show_exact("layouts that don't fit", statuses);
    statuses.clear();
    const int32_t nothing = 0;
    const uint32_t no_epilogue = 3;
    cublasLtMatmulDescSetAttribute(operation, CUBLASLT_MATMUL_DESC_EPILOGUE, &no_epilogue, 4);
    ask(good, good, good);
    cublasLtMatmulDescSetAttribute(operation, CUBLASLT_MATMUL_DESC_EPILOGUE, &nothing, 4);
    ask(good, good, good);
    const uint32_t bias = CUBLASLT_EPILOGUE_BIAS;
    cublasLtMatmulDescSetAttribute(operation, CUBLASLT_MATMUL_DESC_EPILOGUE, &bias, 4);
    ask(good, good, good);
    show_exact("epilogues that don't fit", statuses);
    cublasLtMatmulPreferenceDestroy(preference);
    cublasLtMatmulDescDestroy(operation);
}

int main() {
    cublasLtCreate(&handle);
    epilogues<float, float, float>(CUBLAS_COMPUTE_32F);
    epilogues<double, double, double>(CUBLAS_COMPUTE_64F);
    epilogues<__half, __half, float>(CUBLAS_COMPUTE_32F);
    epilogues<__nv_bfloat16, __nv_bfloat16, float>(CUBLAS_COMPUTE_32F);
    epilogues<__half, float, float>(CUBLAS_COMPUTE_32F);
    batches_and_orders();
    integers();
    transforms();
    eight_bits();
    misuse();
    cublasLtDestroy(handle);
}
