// gemm in all its forms: one product, or many whose matrices lie at a stride or at addresses in an array, of elements
// of one type or of several.
#pragma once

#include <vector>

#include "runtime_wrappers/libraries/cublas/request.h"
#include "runtime_wrappers/libraries/numbers.h"

namespace cudash::libraries::cublas {

struct Product {
    cublasOperation_t transa = CUBLAS_OP_N, transb = CUBLAS_OP_N;
    std::int64_t m = 0, n = 0, k = 0, lda = 0, ldb = 0, ldc = 0;

    std::int64_t rows_a() const { return transa == CUBLAS_OP_N ? m : k; }
    std::int64_t columns_a() const { return transa == CUBLAS_OP_N ? k : m; }
    std::int64_t rows_b() const { return transb == CUBLAS_OP_N ? k : n; }
    std::int64_t columns_b() const { return transb == CUBLAS_OP_N ? n : k; }
    double operations() const { return 2 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k); }
    void look_at(Request& request) const {
        request.need_operation("transa", transa);
        request.need_operation("transb", transb);
        request.need_size("m", m);
        request.need_size("n", n);
        request.need_size("k", k);
        request.need_leading("lda", lda, rows_a(), "A");
        request.need_leading("ldb", ldb, rows_b(), "B");
        request.need_leading("ldc", ldc, m, "C");
    }
};

/// C = alpha * op(A) * op(B) + beta * C
template <class T>
void multiply(const Product& p, T alpha, const T* A, const T* B, T beta, T* C) {
    blas<T>().gemm(CblasColMajor, of(p.transa), of(p.transb), size_of(p.m), size_of(p.n), size_of(p.k), alpha, A,
                   size_of(p.lda), B, size_of(p.ldb), beta, C, size_of(p.ldc));
}
/// The same by numbers of type `Wide`: elements are widened, and the result is rounded once.
template <class Wide, class In, class Out>
void multiply_wide(Product p, Wide alpha, const In* A, const In* B, Wide beta, Out* C) {
    const auto dense = [](const auto* from, std::int64_t rows, std::int64_t columns, std::int64_t leading) {
        std::vector<Wide> values(static_cast<std::size_t>(rows * columns));
        for (std::int64_t column = 0, at = 0; column < columns; ++column)
            for (std::int64_t row = 0; row < rows; ++row)
                values[static_cast<std::size_t>(at++)] = static_cast<Wide>(widened(from[column * leading + row]));
        return values;
    };
    const std::vector<Wide> a = dense(A, p.rows_a(), p.columns_a(), p.lda),
                            b = dense(B, p.rows_b(), p.columns_b(), p.ldb);
    std::vector<Wide> c(static_cast<std::size_t>(p.m * p.n));
    if (beta != Wide(0)) c = dense(C, p.m, p.n, p.ldc);
    const std::int64_t leading = p.ldc;
    p.lda = std::max<std::int64_t>(1, p.rows_a());
    p.ldb = std::max<std::int64_t>(1, p.rows_b());
    p.ldc = p.m;
    multiply(p, alpha, a.data(), b.data(), beta, c.data());
    for (std::int64_t column = 0; column < p.n; ++column)
        for (std::int64_t row = 0; row < p.m; ++row)
            narrow(c[static_cast<std::size_t>(column * p.m + row)], C[column * leading + row]);
}
template <class Wide, class In, class Out>
void multiply_any(const Product& p, Wide alpha, const In* A, const In* B, Wide beta, Out* C) {
    if constexpr (std::is_same_v<Wide, In> && std::is_same_v<Wide, Out>)
        multiply(p, alpha, A, B, beta, C);
    else
        multiply_wide(p, alpha, A, B, beta, C);
}

/// By what is computed what is scaled by a T; doubles have room for products of integers.
template <class T>
using WideOf = std::conditional_t<std::is_same_v<T, __half>, float,
                                  std::conditional_t<std::is_same_v<T, std::int32_t>, double, T>>;

/// Many products, `stride` elements apart. One product: a single one.
struct Strides {
    std::int64_t a = 0, b = 0, c = 0, count = 1;
};
template <class Given, class In, class Out>
cublasStatus_t ask_product(Request& request, const Product& p, const Given* alpha, const In* A, const In* B,
                           const Given* beta, Out* C, const Strides& strides) {
    using Wide = WideOf<Given>;
    p.look_at(request);
    request.need_size("batchCount", strides.count);
    const auto factor = request.scalar("alpha", alpha), kept = request.scalar("beta", beta);
    if (!request.ok() || p.m == 0 || p.n == 0 || strides.count == 0) return request.status();
    const auto add = [&](std::string_view name, const auto* pointer, std::int64_t rows, std::int64_t columns,
                         std::int64_t leading, std::int64_t stride, Access access) {
        return request.work().add(
            name, pointer,
            {.width = rows, .height = columns, .depth = strides.count, .pitch = leading, .slice = stride}, access);
    };
    const std::size_t a = add("A", A, p.rows_a(), p.columns_a(), p.lda, strides.a, Access::read);
    const std::size_t b = add("B", B, p.rows_b(), p.columns_b(), p.ldb, strides.b, Access::read);
    const std::size_t c = add("C", C, p.m, p.n, p.ldc, strides.c, Access::both);
    request.work().costs(p.operations() * static_cast<double>(strides.count), of_doubles<Wide>);
    return request.ask([=](Operands& o) {
        const Wide by = widened(factor(o)), keep = widened(kept(o));
        for (std::int64_t i = 0; i < strides.count; ++i)
            multiply_any(p, by, o.at<In>(a) + i * strides.a, o.at<In>(b) + i * strides.b, keep,
                         o.at<Out>(c) + i * strides.c);
    });
}
template <class Given, class In, class Out>
cublasStatus_t ask_products(Request& request, const Product& p, const Given* alpha, const In* const* A,
                            const In* const* B, const Given* beta, Out* const* C, std::int64_t count) {
    using Wide = WideOf<Given>;
    p.look_at(request);
    request.need_size("batchCount", count);
    const auto factor = request.scalar("alpha", alpha), kept = request.scalar("beta", beta);
    if (!request.ok() || p.m == 0 || p.n == 0 || count == 0) return request.status();
    const std::size_t a = request.vector("Aarray", A, count, 1, Access::read);
    const std::size_t b = request.vector("Barray", B, count, 1, Access::read);
    const std::size_t c = request.vector("Carray", C, count, 1, Access::read);
    request.work().costs(p.operations() * static_cast<double>(count), of_doubles<Wide>);
    return request.ask([=](Operands& o) {
        const Wide by = widened(factor(o)), keep = widened(kept(o));
        const auto shape = [](std::int64_t rows, std::int64_t columns, std::int64_t leading) {
            return Shape{.width = rows, .height = columns, .pitch = leading};
        };
        for (std::int64_t i = 0; i < count; ++i) {
            const In* of_a = nullptr;
            const In* of_b = nullptr;
            if (p.k != 0) {
                of_a = o.find("A", o.at<const In*>(a)[i], shape(p.rows_a(), p.columns_a(), p.lda), Access::read);
                of_b = o.find("B", o.at<const In*>(b)[i], shape(p.rows_b(), p.columns_b(), p.ldb), Access::read);
                if (!of_a || !of_b) return false;
            }
            Out* const of_c = o.find("C", o.at<Out*>(c)[i], shape(p.m, p.n, p.ldc), Access::both);
            if (!of_c) return false;
            multiply_any(p, by, of_a, of_b, keep, of_c);
        }
        return true;
    });
}

/// Calls `ask` with pointers of null of the types that a call of the Ex forms names: what it scales by, reads and
/// writes.
template <class Ask>
cublasStatus_t with_types(Request& request, cudaDataType_t a, cudaDataType_t b, cudaDataType_t c,
                          cublasComputeType_t compute, Ask ask) {
    if (!request.ok()) return request.status();
    const auto computes = [&](cublasComputeType_t plain, cublasComputeType_t pedantic) {
        return compute == plain || compute == pedantic;
    };
    const bool by_float = computes(CUBLAS_COMPUTE_32F, CUBLAS_COMPUTE_32F_PEDANTIC) ||
                          compute == CUBLAS_COMPUTE_32F_FAST_TF32 ||
                          computes(CUBLAS_COMPUTE_32F_FAST_16F, CUBLAS_COMPUTE_32F_FAST_16BF) ||
                          compute == CUBLAS_COMPUTE_32F_EMULATED_16BFX9;
    const bool by_double =
        computes(CUBLAS_COMPUTE_64F, CUBLAS_COMPUTE_64F_PEDANTIC) || compute == CUBLAS_COMPUTE_64F_EMULATED_FIXEDPOINT;
    const auto are = [&](cudaDataType_t in, cudaDataType_t out) { return a == in && b == in && c == out; };
    if (by_float) {
        if (are(CUDA_R_32F, CUDA_R_32F)) return ask(float{}, float{}, float{});
        if (are(CUDA_R_16F, CUDA_R_16F)) return ask(float{}, __half{}, __half{});
        if (are(CUDA_R_16F, CUDA_R_32F)) return ask(float{}, __half{}, float{});
        if (are(CUDA_R_16BF, CUDA_R_16BF)) return ask(float{}, __nv_bfloat16{}, __nv_bfloat16{});
        if (are(CUDA_R_16BF, CUDA_R_32F)) return ask(float{}, __nv_bfloat16{}, float{});
        if (are(CUDA_R_8I, CUDA_R_32F)) return ask(float{}, std::int8_t{}, float{});
        if (are(CUDA_C_32F, CUDA_C_32F)) return ask(Complex<float>{}, Complex<float>{}, Complex<float>{});
    }
    if (by_double) {
        if (are(CUDA_R_64F, CUDA_R_64F)) return ask(double{}, double{}, double{});
        if (are(CUDA_C_64F, CUDA_C_64F)) return ask(Complex<double>{}, Complex<double>{}, Complex<double>{});
    }
    if (computes(CUBLAS_COMPUTE_16F, CUBLAS_COMPUTE_16F_PEDANTIC) && are(CUDA_R_16F, CUDA_R_16F))
        return ask(__half{}, __half{}, __half{});
    if (computes(CUBLAS_COMPUTE_32I, CUBLAS_COMPUTE_32I_PEDANTIC) && are(CUDA_R_8I, CUDA_R_32I))
        return ask(std::int32_t{}, std::int8_t{}, std::int32_t{});
    request.lacks(true,
                  "the virtual GPU multiplies half, bfloat16, float and double, complex float and double, and 8-bit "
                  "integers; Atype is {}, Btype {}, Ctype {}, computeType {}",
                  static_cast<int>(a), static_cast<int>(b), static_cast<int>(c), static_cast<int>(compute));
    return request.status();
}

namespace bodies {

template <class T>
cublasStatus_t gemm(Served& served, cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb,
                    std::int64_t m, std::int64_t n, std::int64_t k, const T* alpha, const T* A, std::int64_t lda,
                    const T* B, std::int64_t ldb, const T* beta, T* C, std::int64_t ldc) {
    Request request(served, handle);
    return ask_product(request, {transa, transb, m, n, k, lda, ldb, ldc}, alpha, A, B, beta, C, {});
}
template <class T>
cublasStatus_t gemm_strided_batched(Served& served, cublasHandle_t handle, cublasOperation_t transa,
                                    cublasOperation_t transb, std::int64_t m, std::int64_t n, std::int64_t k,
                                    const T* alpha, const T* A, std::int64_t lda, long long strideA, const T* B,
                                    std::int64_t ldb, long long strideB, const T* beta, T* C, std::int64_t ldc,
                                    long long strideC, std::int64_t batchCount) {
    Request request(served, handle);
    return ask_product(request, {transa, transb, m, n, k, lda, ldb, ldc}, alpha, A, B, beta, C,
                       {strideA, strideB, strideC, batchCount});
}
template <class T>
cublasStatus_t gemm_batched(Served& served, cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb,
                            std::int64_t m, std::int64_t n, std::int64_t k, const T* alpha, const T* const* Aarray,
                            std::int64_t lda, const T* const* Barray, std::int64_t ldb, const T* beta, T* const* Carray,
                            std::int64_t ldc, std::int64_t batchCount) {
    Request request(served, handle);
    return ask_products(request, {transa, transb, m, n, k, lda, ldb, ldc}, alpha, Aarray, Barray, beta, Carray,
                        batchCount);
}

inline cublasStatus_t gemm_strided_batched_ex(Served& served, cublasHandle_t handle, cublasOperation_t transa,
                                              cublasOperation_t transb, std::int64_t m, std::int64_t n, std::int64_t k,
                                              const void* alpha, const void* A, cudaDataType Atype, std::int64_t lda,
                                              long long strideA, const void* B, cudaDataType Btype, std::int64_t ldb,
                                              long long strideB, const void* beta, void* C, cudaDataType Ctype,
                                              std::int64_t ldc, long long strideC, std::int64_t batchCount,
                                              cublasComputeType_t computeType, cublasGemmAlgo_t) {
    Request request(served, handle);
    return with_types(request, Atype, Btype, Ctype, computeType, [&]<class By, class In, class Out>(By, In, Out) {
        return ask_product(request, {transa, transb, m, n, k, lda, ldb, ldc}, static_cast<const By*>(alpha),
                           static_cast<const In*>(A), static_cast<const In*>(B), static_cast<const By*>(beta),
                           static_cast<Out*>(C), {strideA, strideB, strideC, batchCount});
    });
}
inline cublasStatus_t gemm_ex(Served& served, cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb,
                              std::int64_t m, std::int64_t n, std::int64_t k, const void* alpha, const void* A,
                              cudaDataType Atype, std::int64_t lda, const void* B, cudaDataType Btype, std::int64_t ldb,
                              const void* beta, void* C, cudaDataType Ctype, std::int64_t ldc,
                              cublasComputeType_t computeType, cublasGemmAlgo_t algo) {
    return gemm_strided_batched_ex(served, handle, transa, transb, m, n, k, alpha, A, Atype, lda, 0, B, Btype, ldb, 0,
                                   beta, C, Ctype, ldc, 0, 1, computeType, algo);
}
inline cublasStatus_t sgemm_ex(Served& served, cublasHandle_t handle, cublasOperation_t transa,
                               cublasOperation_t transb, std::int64_t m, std::int64_t n, std::int64_t k,
                               const float* alpha, const void* A, cudaDataType Atype, std::int64_t lda, const void* B,
                               cudaDataType Btype, std::int64_t ldb, const float* beta, void* C, cudaDataType Ctype,
                               std::int64_t ldc) {
    return gemm_ex(served, handle, transa, transb, m, n, k, alpha, A, Atype, lda, B, Btype, ldb, beta, C, Ctype, ldc,
                   CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT);
}
/// The same with complex factors, and with products of three multiplications: those are the faster for it on a GPU.
inline cublasStatus_t cgemm_ex(Served& served, cublasHandle_t handle, cublasOperation_t transa,
                               cublasOperation_t transb, std::int64_t m, std::int64_t n, std::int64_t k,
                               const Complex<float>* alpha, const void* A, cudaDataType Atype, std::int64_t lda,
                               const void* B, cudaDataType Btype, std::int64_t ldb, const Complex<float>* beta, void* C,
                               cudaDataType Ctype, std::int64_t ldc) {
    return gemm_ex(served, handle, transa, transb, m, n, k, alpha, A, Atype, lda, B, Btype, ldb, beta, C, Ctype, ldc,
                   CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT);
}
inline cublasStatus_t gemm_batched_ex(Served& served, cublasHandle_t handle, cublasOperation_t transa,
                                      cublasOperation_t transb, std::int64_t m, std::int64_t n, std::int64_t k,
                                      const void* alpha, const void* const* Aarray, cudaDataType Atype,
                                      std::int64_t lda, const void* const* Barray, cudaDataType Btype, std::int64_t ldb,
                                      const void* beta, void* const* Carray, cudaDataType Ctype, std::int64_t ldc,
                                      std::int64_t batchCount, cublasComputeType_t computeType, cublasGemmAlgo_t) {
    Request request(served, handle);
    return with_types(request, Atype, Btype, Ctype, computeType, [&]<class By, class In, class Out>(By, In, Out) {
        return ask_products(request, {transa, transb, m, n, k, lda, ldb, ldc}, static_cast<const By*>(alpha),
                            reinterpret_cast<const In* const*>(Aarray), reinterpret_cast<const In* const*>(Barray),
                            static_cast<const By*>(beta), reinterpret_cast<Out* const*>(Carray), batchCount);
    });
}

}  // namespace bodies
}  // namespace cudash::libraries::cublas
