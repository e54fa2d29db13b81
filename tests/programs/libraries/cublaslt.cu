// cuBLASLt: products of random sizes, orders, transposes, types and batches with each epilogue, against sums on the host.
#include <cublasLt.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <cmath>
#include "check.h"

unsigned state = 1;
int below(int limit) {
    state = state * 1664525u + 1013904223u;
    return int(state >> 8) % limit;
}
void must(cublasStatus_t status, const char* what) {
    if (status == CUBLAS_STATUS_SUCCESS) return;
    std::printf("%s: %s\n", what, cublasLtGetStatusName(status));
    std::exit(1);
}

/// One number of each type, by names that the library has for them.
template <class T>
constexpr cudaDataType type_of = CUDA_R_32F;
template <>
constexpr cudaDataType type_of<double> = CUDA_R_64F;
template <>
constexpr cudaDataType type_of<__half> = CUDA_R_16F;
template <>
constexpr cudaDataType type_of<__nv_bfloat16> = CUDA_R_16BF;
template <>
constexpr cudaDataType type_of<__nv_fp8_e4m3> = CUDA_R_8F_E4M3;

/// A batch of matrices in one of the orders, with room between columns (or rows).
template <class T>
struct Matrix {
    int rows, columns, leading, batches;
    long long stride;
    cublasLtOrder_t order;
    std::vector<T> values;
    T* d;
    cublasLtMatrixLayout_t layout;

    Matrix(int height, int width, int count, cublasLtOrder_t by) : rows(height), columns(width), batches(count), order(by) {
        leading = (order == CUBLASLT_ORDER_COL ? rows : columns) + below(3);
        stride = (long long)leading * (order == CUBLASLT_ORDER_COL ? columns : rows) + below(4);
        values.resize(stride * batches);
        for (T& value : values) value = T(float(below(17) - 8) / 4);
        d = to_device(values);
        must(cublasLtMatrixLayoutCreate(&layout, type_of<T>, rows, columns, leading), "layout");
        const int32_t by_order = order;
        must(cublasLtMatrixLayoutSetAttribute(layout, CUBLASLT_MATRIX_LAYOUT_ORDER, &by_order, sizeof by_order), "order");
        must(cublasLtMatrixLayoutSetAttribute(layout, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &batches, sizeof batches), "batches");
        must(cublasLtMatrixLayoutSetAttribute(layout, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, &stride, sizeof stride), "stride");
    }
    ~Matrix() {
        cublasLtMatrixLayoutDestroy(layout);
        cudaFree(d);
    }
    double at(int batch, int row, int column) const {
        return double(float(values[batch * stride + (order == CUBLASLT_ORDER_COL ? column * leading + row : row * leading + column)]));
    }
    void fetch() { values = from_device(d, values.size()); }
};
template <>
double Matrix<double>::at(int batch, int row, int column) const {
    return values[batch * stride + (order == CUBLASLT_ORDER_COL ? column * leading + row : row * leading + column)];
}

double wide(double x) { return x; }
template <class T>
double wide(T x) { return double(float(x)); }
double gelu(double x) { return 0.5 * x * (1 + std::tanh(std::sqrt(2 / std::acos(-1.0)) * (x + 0.044715 * x * x * x))); }
double slope(double x) { return (8 * (gelu(x + 1e-3) - gelu(x - 1e-3)) - (gelu(x + 2e-3) - gelu(x - 2e-3))) / 12e-3; }

cublasLtHandle_t handle;

/// The largest difference from the host's sums, of the result and of what the epilogue leaves beside it.
template <class In, class Out, class Scale>
double difference(cublasComputeType_t compute, cublasLtEpilogue_t epilogue) {
    const int m = 1 + below(12), n = 1 + below(9), k = 1 + below(10), batches = 1 + below(2);
    const bool ta = below(2), tb = below(2);
    const auto order = [] { return below(2) ? CUBLASLT_ORDER_COL : CUBLASLT_ORDER_ROW; };
    Matrix<In> a(ta ? k : m, ta ? m : k, batches, order()), b(tb ? n : k, tb ? k : n, batches, order());
    Matrix<Out> c(m, n, batches, order()), d(m, n, batches, order());
    const bool by_bits = epilogue & (CUBLASLT_EPILOGUE_RELU | 8), with_aux = epilogue & 128;
    const bool takes_bias = epilogue & CUBLASLT_EPILOGUE_BIAS, gives_bias = epilogue & (16 | 256 | 512);
    const int bias_length = epilogue == CUBLASLT_EPILOGUE_BGRADB ? n : m;
    const long long bias_stride = bias_length + 3, aux_leading = by_bits ? 128 : 16, aux_stride = aux_leading * 16;
    std::vector<Out> bias(bias_stride * batches), aux(aux_stride * batches);
    for (Out& value : bias) value = Out(float(below(9) - 4));
    for (Out& value : aux) value = Out(float(below(9) - 4) / 4);
    std::vector<unsigned char> bits(aux_stride * batches / 8);
    for (unsigned char& each : bits) each = below(256);
    Out *d_bias = to_device(bias), *d_aux = to_device(aux);
    unsigned char* d_bits = to_device(bits);

    cublasLtMatmulDesc_t operation;
    must(cublasLtMatmulDescCreate(&operation, compute, type_of<Scale>), "operation");
    const auto set = [&](cublasLtMatmulDescAttributes_t attribute, auto value) {
        must(cublasLtMatmulDescSetAttribute(operation, attribute, &value, sizeof value), "attribute");
    };
    set(CUBLASLT_MATMUL_DESC_TRANSA, ta ? CUBLAS_OP_T : CUBLAS_OP_N);
    set(CUBLASLT_MATMUL_DESC_TRANSB, tb ? CUBLAS_OP_T : CUBLAS_OP_N);
    set(CUBLASLT_MATMUL_DESC_EPILOGUE, epilogue);
    if (takes_bias || gives_bias) {
        set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, d_bias);
        set(CUBLASLT_MATMUL_DESC_BIAS_BATCH_STRIDE, bias_stride);
    }
    if (with_aux) {
        set(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER, by_bits ? (void*)d_bits : (void*)d_aux);
        set(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD, (int64_t)aux_leading);
        set(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_BATCH_STRIDE, (int64_t)aux_stride);
    }
    cublasLtMatmulPreference_t preference;
    must(cublasLtMatmulPreferenceCreate(&preference), "preference");
    cublasLtMatmulHeuristicResult_t result{};
    int found = 0;
    must(cublasLtMatmulAlgoGetHeuristic(handle, operation, a.layout, b.layout, c.layout, d.layout, preference, 1, &result, &found),
         "heuristic");
    const Scale alpha = Scale(1.5f), beta = Scale(below(2) * 0.5f);
    must(cublasLtMatmul(handle, operation, &alpha, a.d, a.layout, b.d, b.layout, &beta, c.d, c.layout, d.d, d.layout, &result.algo,
                        nullptr, 0, nullptr), "product");
    cublasLtMatmulPreferenceDestroy(preference);
    cublasLtMatmulDescDestroy(operation);
    d.fetch();
    const auto bias_after = from_device(d_bias, bias.size()), aux_after = from_device(d_aux, aux.size());
    const auto bits_after = from_device(d_bits, bits.size());
    cudaFree(d_bias), cudaFree(d_aux), cudaFree(d_bits);

    double worst = 0;
    const auto differs = [&](double is, double should) { worst = std::fmax(worst, std::fabs(is - should)); };
    for (int batch = 0; batch < batches; ++batch) {
        std::vector<double> gradient(bias_length, 0.0);
        for (int row = 0; row < m; ++row)
            for (int column = 0; column < n; ++column) {
                double sum = 0;
                for (int i = 0; i < k; ++i)
                    sum += (ta ? a.at(batch, i, row) : a.at(batch, row, i)) * (tb ? b.at(batch, column, i) : b.at(batch, i, column));
                double value = double(float(alpha)) * sum + double(float(beta)) * c.at(batch, row, column);
                const long long place = batch * aux_stride + column * aux_leading + row;
                if (takes_bias) value += wide(bias[batch * bias_stride + row]);
                if (epilogue & CUBLASLT_EPILOGUE_RELU) {
                    if (with_aux && std::fabs(value) > 0.01) differs(bits_after[place / 8] >> place % 8 & 1, value > 0);
                    value = std::fmax(value, 0.0);
                }
                if (epilogue & CUBLASLT_EPILOGUE_GELU) {
                    if (with_aux) differs(wide(aux_after[place]), value);
                    value = gelu(value);
                }
                if (epilogue & 8) value = bits[place / 8] >> place % 8 & 1 ? value : 0;
                if (epilogue & 64) value *= slope(wide(aux[place]));
                if (epilogue & 16) gradient[row] += value;
                differs(d.at(batch, row, column), value);
            }
        for (int i = 0; i < k; ++i) {
            for (int row = 0; row < m && epilogue == CUBLASLT_EPILOGUE_BGRADA; ++row)
                gradient[row] += ta ? a.at(batch, i, row) : a.at(batch, row, i);
            for (int column = 0; column < n && epilogue == CUBLASLT_EPILOGUE_BGRADB; ++column)
                gradient[column] += tb ? b.at(batch, column, i) : b.at(batch, i, column);
        }
        for (int i = 0; i < bias_length && gives_bias; ++i) differs(wide(bias_after[batch * bias_stride + i]), gradient[i]);
    }
    return worst;
}

/// Eight-bit floats with a scale for each matrix.
bool eight_bits() {
    Matrix<__nv_fp8_e4m3> a(16, 16, 1, CUBLASLT_ORDER_COL), b(16, 16, 1, CUBLASLT_ORDER_COL);
    Matrix<__half> c(16, 16, 1, CUBLASLT_ORDER_COL);
    cublasLtMatmulDesc_t operation;
    must(cublasLtMatmulDescCreate(&operation, CUBLAS_COMPUTE_32F, CUDA_R_32F), "operation");
    const cublasOperation_t transposed = CUBLAS_OP_T;
    must(cublasLtMatmulDescSetAttribute(operation, CUBLASLT_MATMUL_DESC_TRANSA, &transposed, sizeof transposed), "transposed");
    float *scale = to_device(std::vector<float>{0.5f}), *largest = to_device(std::vector<float>{0});
    must(cublasLtMatmulDescSetAttribute(operation, CUBLASLT_MATMUL_DESC_A_SCALE_POINTER, &scale, sizeof scale), "scale");
    const float alpha = 1, beta = 0;
    must(cublasLtMatmul(handle, operation, &alpha, a.d, a.layout, b.d, b.layout, &beta, c.d, c.layout, c.d, c.layout, nullptr, nullptr,
                        0, nullptr), "product of 8 bits");
    c.fetch();
    double worst = 0;
    for (int row = 0; row < 16; ++row)
        for (int column = 0; column < 16; ++column) {
            double sum = 0;
            for (int i = 0; i < 16; ++i) sum += 0.5 * a.at(0, i, row) * b.at(0, i, column);
            worst = std::fmax(worst, std::fabs(sum - c.at(0, row, column)));
        }
    cublasLtMatmulDescDestroy(operation);
    cudaFree(scale), cudaFree(largest);
    return worst < 0.02;
}

/// From columns to rows, and to the order of 32 columns and back.
bool transforms() {
    Matrix<float> a(5, 7, 1, CUBLASLT_ORDER_COL), b(5, 7, 1, CUBLASLT_ORDER_ROW), c(7, 5, 1, CUBLASLT_ORDER_COL);
    cublasLtMatrixTransformDesc_t transform;
    must(cublasLtMatrixTransformDescCreate(&transform, CUDA_R_32F), "transform");
    const float alpha = 2, beta = 0;
    must(cublasLtMatrixTransform(handle, transform, &alpha, a.d, a.layout, &beta, nullptr, nullptr, b.d, b.layout, nullptr), "rows");
    const cublasOperation_t transposed = CUBLAS_OP_T;
    must(cublasLtMatrixTransformDescSetAttribute(transform, CUBLASLT_MATRIX_TRANSFORM_DESC_TRANSA, &transposed, sizeof transposed), "T");
    must(cublasLtMatrixTransform(handle, transform, &alpha, a.d, a.layout, &beta, nullptr, nullptr, c.d, c.layout, nullptr), "turned");
    b.fetch(), c.fetch();
    bool right = true;
    for (int row = 0; row < 5; ++row)
        for (int column = 0; column < 7; ++column)
            right &= b.at(0, row, column) == 2 * a.at(0, row, column) && c.at(0, column, row) == b.at(0, row, column);
    cublasLtMatrixTransformDescDestroy(transform);
    return right;
}

int main() {
    must(cublasLtCreate(&handle), "cublasLtCreate");
    const cublasLtEpilogue_t epilogues[] = {
        CUBLASLT_EPILOGUE_DEFAULT,      CUBLASLT_EPILOGUE_BIAS,     CUBLASLT_EPILOGUE_RELU,          CUBLASLT_EPILOGUE_RELU_BIAS,
        CUBLASLT_EPILOGUE_RELU_AUX,     CUBLASLT_EPILOGUE_GELU,     CUBLASLT_EPILOGUE_RELU_AUX_BIAS, CUBLASLT_EPILOGUE_GELU_BIAS,
        CUBLASLT_EPILOGUE_GELU_AUX,     CUBLASLT_EPILOGUE_DRELU,    CUBLASLT_EPILOGUE_GELU_AUX_BIAS, CUBLASLT_EPILOGUE_DRELU_BGRAD,
        CUBLASLT_EPILOGUE_DGELU,        CUBLASLT_EPILOGUE_BGRADA,   CUBLASLT_EPILOGUE_DGELU_BGRAD,   CUBLASLT_EPILOGUE_BGRADB};
    double singles = 0, doubles = 0, halves = 0, brain = 0, mixed = 0;
    for (int i = 0; i < 4; ++i)
        for (const cublasLtEpilogue_t epilogue : epilogues) {
            singles = std::fmax(singles, difference<float, float, float>(CUBLAS_COMPUTE_32F, epilogue));
            doubles = std::fmax(doubles, difference<double, double, double>(CUBLAS_COMPUTE_64F, epilogue));
            halves = std::fmax(halves, difference<__half, __half, float>(CUBLAS_COMPUTE_32F, epilogue));
            brain = std::fmax(brain, difference<__nv_bfloat16, __nv_bfloat16, float>(CUBLAS_COMPUTE_32F, epilogue));
            mixed = std::fmax(mixed, difference<__half, float, float>(CUBLAS_COMPUTE_32F, epilogue));
        }
    std::printf("%g %g %g %g %g\n", singles, doubles, halves, brain, mixed);
    // Values go up to some hundred; half has 11 bits, bfloat16 8.
    expect("float", singles < 1e-4, true);
    expect("double", doubles < 1e-9, true);
    expect("half", halves < 0.1, true);
    expect("bfloat16", brain < 0.5, true);
    expect("half to float", mixed < 1e-4, true);
    expect("8-bit floats", eight_bits(), true);
    expect("transforms", transforms(), true);
    cublasLtDestroy(handle);
}
