// cuBLAS, levels 1 to 3: one line for each case.
#include <cublas_v2.h>
#include <cuda_fp16.h>

#include <cmath>

#include "cases.h"

cublasHandle_t handle;

// The functions of one precision under one name.
struct Single {
    using T = float;
    static constexpr const char* letter = "S";
#define OF(name) static constexpr auto name = cublasS##name;
#include "cublas_names.h"
    static constexpr auto iamax = cublasIsamax;
    static constexpr auto iamin = cublasIsamin;
#undef OF
};
struct Double {
    using T = double;
    static constexpr const char* letter = "D";
#define OF(name) static constexpr auto name = cublasD##name;
#include "cublas_names.h"
    static constexpr auto iamax = cublasIdamax;
    static constexpr auto iamin = cublasIdamin;
#undef OF
};

template <class P>
struct Cases {
    using T = typename P::T;
    static const char* name(const char* of) {
        static char text[64];
        std::snprintf(text, sizeof text, "%s%s", P::letter, of);
        return text;
    }
    static std::vector<T> make(std::size_t count, std::uint32_t seed) { return numbers<T>(count, seed); }
    /// A triangle that can be solved with: its diagonal is far from 0.
    static std::vector<T> triangle(int n, int ld, std::uint32_t seed) {
        auto a = make(static_cast<std::size_t>(n) * ld, seed);
        for (int i = 0; i < n; ++i) a[i * ld + i] = T(2) + a[i * ld + i];
        return a;
    }

    static void level1() {
        const OnDevice<T> x(make(40, 1)), y(make(40, 2));
        int high = 0, low = 0;
        P::iamax(handle, 40, x.data, 1, &high);
        P::iamin(handle, 13, x.data, 3, &low);
        show_exact(name("amax amin"), {high, low});
        T asum = 0, nrm2 = 0, dot = 0;
        P::asum(handle, 20, x.data, 2, &asum);
        P::nrm2(handle, 20, x.data, 2, &nrm2);
        P::dot(handle, 13, x.data, 3, y.data, 2, &dot);
        show(name("asum nrm2 dot"), std::vector<T>{asum, nrm2, dot});
        {
            const OnDevice<T> to(make(40, 3));
            const T alpha = T(-1.5);
            P::axpy(handle, 13, &alpha, x.data, 3, to.data, -2);
            show(name("axpy, one stride negative"), to);
            P::scal(handle, 20, &alpha, to.data, 2);
            show(name("scal"), to);
            P::copy(handle, 10, x.data, 2, to.data, 3);
            show(name("copy"), to);
            P::swap(handle, 10, x.data, 4, to.data, -1);
            show(name("swap"), to);
        }
        {
            const OnDevice<T> a(make(20, 4)), b(make(20, 5));
            T c = T(0.6), s = T(0.8);
            P::rot(handle, 10, a.data, 2, b.data, 1, &c, &s);
            T p = T(3), q = T(-4), cosine = 0, sine = 0;
            P::rotg(handle, &p, &q, &cosine, &sine);
            show(name("rotg"), std::vector<T>{p, q, cosine, sine});
            T d1 = T(2), d2 = T(3), x1 = T(1.5), y1 = T(-0.5);
            T parameter[5] = {};
            P::rotmg(handle, &d1, &d2, &x1, &y1, parameter);
            P::rotm(handle, 10, a.data, 1, b.data, 2, parameter);
            show(name("rotmg"), std::vector<T>{d1, d2, x1, parameter[0]});
            show(name("rot rotm, x"), a);
            show(name("rot rotm, y"), b);
        }
        {
            const OnDevice<T> scalars({T(2), T(0)});
            const OnDevice<T> to(make(10, 6));
            cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_DEVICE);
            P::scal(handle, 10, scalars.data, to.data, 1);
            P::dot(handle, 10, x.data, 1, to.data, 1, scalars.data + 1);
            cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_HOST);
            show(name("scalars on the device"), scalars);
        }
    }

    static void level2() {
        const T alpha = T(1.25), beta = T(-0.5);
        {
            const OnDevice<T> a(make(7 * 5, 10)), x(make(20, 11)), y(make(20, 12));
            P::gemv(handle, CUBLAS_OP_N, 6, 5, &alpha, a.data, 7, x.data, 2, &beta, y.data, 3);
            show(name("gemv N"), y);
            P::gemv(handle, CUBLAS_OP_T, 6, 5, &alpha, a.data, 7, x.data, -1, &beta, y.data, 1);
            show(name("gemv T"), y);
            P::ger(handle, 6, 5, &alpha, x.data, 1, y.data, 2, a.data, 7);
            show(name("ger"), a);
            P::gbmv(handle, CUBLAS_OP_N, 6, 5, 2, 1, &alpha, a.data, 7, x.data, 1, &beta, y.data, 1);
            P::gbmv(handle, CUBLAS_OP_T, 6, 5, 2, 1, &alpha, a.data, 7, x.data, 1, &beta, y.data + 8, 1);
            show(name("gbmv"), y);
        }
        for (const auto uplo : {CUBLAS_FILL_MODE_LOWER, CUBLAS_FILL_MODE_UPPER}) {
            const bool lower = uplo == CUBLAS_FILL_MODE_LOWER;
            const OnDevice<T> a(make(6 * 7, 13)), packed(make(21, 14)), x(make(12, 15)), y(make(12, 16));
            P::symv(handle, uplo, 6, &alpha, a.data, 7, x.data, 1, &beta, y.data, 2);
            P::sbmv(handle, uplo, 6, 2, &alpha, a.data, 7, x.data, 2, &beta, y.data, 1);
            P::spmv(handle, uplo, 6, &alpha, packed.data, x.data, 1, &beta, y.data, -2);
            show(name(lower ? "symv sbmv spmv, lower" : "symv sbmv spmv, upper"), y);
            P::syr(handle, uplo, 6, &alpha, x.data, 2, a.data, 7);
            P::syr2(handle, uplo, 6, &beta, x.data, 1, y.data, 2, a.data, 7);
            show(name(lower ? "syr syr2, lower" : "syr syr2, upper"), a);
            P::spr(handle, uplo, 6, &alpha, x.data, 2, packed.data);
            P::spr2(handle, uplo, 6, &beta, x.data, 1, y.data, 2, packed.data);
            show(name(lower ? "spr spr2, lower" : "spr spr2, upper"), packed);
        }
        for (const auto trans : {CUBLAS_OP_N, CUBLAS_OP_T}) {
            const bool straight = trans == CUBLAS_OP_N;
            const OnDevice<T> a(triangle(6, 7, 17)), x(make(12, 18));
            auto dense = make(21, 19);
            for (int i = 0, at = 0; i < 6; at += 6 - i, ++i) dense[at] = T(3);
            const OnDevice<T> packed(dense);
            auto rows = make(6 * 3, 20);
            for (int i = 0; i < 6; ++i) rows[i * 3] = T(4);
            const OnDevice<T> band(rows);
            P::trmv(handle, CUBLAS_FILL_MODE_UPPER, trans, CUBLAS_DIAG_UNIT, 6, a.data, 7, x.data, 2);
            P::tpmv(handle, CUBLAS_FILL_MODE_LOWER, trans, CUBLAS_DIAG_NON_UNIT, 6, packed.data, x.data, 1);
            P::tbmv(handle, CUBLAS_FILL_MODE_LOWER, trans, CUBLAS_DIAG_NON_UNIT, 6, 2, band.data, 3, x.data, 1);
            show(name(straight ? "trmv tpmv tbmv N" : "trmv tpmv tbmv T"), x);
            P::trsv(handle, CUBLAS_FILL_MODE_LOWER, trans, CUBLAS_DIAG_NON_UNIT, 6, a.data, 7, x.data, 1);
            P::tpsv(handle, CUBLAS_FILL_MODE_LOWER, trans, CUBLAS_DIAG_NON_UNIT, 6, packed.data, x.data, 2);
            P::tbsv(handle, CUBLAS_FILL_MODE_LOWER, trans, CUBLAS_DIAG_NON_UNIT, 6, 2, band.data, 3, x.data, -1);
            show(name(straight ? "trsv tpsv tbsv N" : "trsv tpsv tbsv T"), x);
        }
    }

    static void level3() {
        const T alpha = T(0.75), beta = T(-1.25), zero = 0;
        const OnDevice<T> a(make(9 * 9, 30)), b(make(9 * 9, 31));
        for (const auto of_a : {CUBLAS_OP_N, CUBLAS_OP_T})
            for (const auto of_b : {CUBLAS_OP_N, CUBLAS_OP_C}) {
                const OnDevice<T> c(make(6 * 5, 32));
                P::gemm(handle, of_a, of_b, 4, 5, 7, &alpha, a.data, 8, b.data, 9, &beta, c.data, 6);
                char text[32];
                std::snprintf(text, sizeof text, "gemm %c%c", "NTC"[of_a], "NTC"[of_b]);
                show(name(text), c);
            }
        {
            auto unset = make(16, 33);
            for (auto& value : unset) value = T(NAN);
            const OnDevice<T> c(unset), d(make(16, 34));
            P::gemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, 4, 4, 3, &alpha, a.data, 4, b.data, 4, &zero, c.data, 4);
            P::gemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, 4, 4, 0, &alpha, a.data, 4, b.data, 4, &beta, d.data, 4);
            show(name("gemm, beta 0"), c);
            show(name("gemm, k 0"), d);
        }
        {
            const OnDevice<T> c(make(3 * 12, 35));
            std::vector<T*> as, bs, cs;
            for (int i = 0; i < 3; ++i) as.push_back(a.data + i * 9), bs.push_back(b.data + i * 5), cs.push_back(c.data + i * 12);
            const OnDevice<T*> pa(as), pb(bs), pc(cs);
            P::gemmBatched(handle, CUBLAS_OP_N, CUBLAS_OP_T, 3, 4, 2, &alpha, pa.data, 3, pb.data, 4, &beta, pc.data, 3, 3);
            show(name("gemmBatched"), c);
            P::gemmStridedBatched(handle, CUBLAS_OP_T, CUBLAS_OP_N, 3, 4, 2, &alpha, a.data, 3, 0, b.data, 4, 16, &beta,
                                  c.data, 3, 12, 3);
            show(name("gemmStridedBatched"), c);
            const OnDevice<T> solve(triangle(3, 3, 36));
            const OnDevice<T*> triangles({solve.data, solve.data, solve.data});
            P::trsmBatched(handle, CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N, CUBLAS_DIAG_NON_UNIT, 3, 4,
                           &alpha, triangles.data, 3, pc.data, 3, 3);
            show(name("trsmBatched"), c);
        }
        for (const auto side : {CUBLAS_SIDE_LEFT, CUBLAS_SIDE_RIGHT}) {
            const bool left = side == CUBLAS_SIDE_LEFT;
            const OnDevice<T> t(triangle(6, 7, 37)), c(make(5 * 6, 38)), d(make(5 * 6, 39));
            P::symm(handle, side, CUBLAS_FILL_MODE_LOWER, 4, 5, &alpha, t.data, 7, b.data, 4, &beta, c.data, 5);
            show(name(left ? "symm, left" : "symm, right"), c);
            P::trmm(handle, side, CUBLAS_FILL_MODE_UPPER, CUBLAS_OP_T, CUBLAS_DIAG_NON_UNIT, 4, 5, &alpha, t.data, 7,
                    c.data, 5, d.data, 5);
            P::trsm(handle, side, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N, CUBLAS_DIAG_UNIT, 4, 5, &alpha, t.data, 7,
                    d.data, 5);
            show(name(left ? "trmm trsm, left" : "trmm trsm, right"), d);
        }
        {
            const OnDevice<T> c(make(6 * 5, 40));
            P::syrk(handle, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N, 5, 3, &alpha, a.data, 7, &beta, c.data, 6);
            P::syr2k(handle, CUBLAS_FILL_MODE_UPPER, CUBLAS_OP_T, 5, 3, &alpha, a.data, 4, b.data, 5, &beta, c.data, 6);
            show(name("syrk syr2k"), c);
            P::syrkx(handle, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N, 5, 3, &alpha, a.data, 7, b.data, 5, &beta, c.data, 6);
            show(name("syrkx"), c);
            P::geam(handle, CUBLAS_OP_T, CUBLAS_OP_N, 4, 5, &alpha, a.data, 6, &beta, b.data, 4, c.data, 6);
            P::dgmm(handle, CUBLAS_SIDE_LEFT, 4, 5, c.data, 6, b.data, 2, c.data, 6);
            P::dgmm(handle, CUBLAS_SIDE_RIGHT, 4, 5, c.data, 6, a.data, 1, c.data, 6);
            show(name("geam dgmm"), c);
        }
    }
};

void half_precision() {
    std::vector<__half> a, b, c;
    for (const float value : numbers<float>(24, 50)) a.push_back(__float2half(value));
    for (const float value : numbers<float>(24, 51)) b.push_back(__float2half(value));
    c.resize(12);
    const OnDevice<__half> da(a), db(b), dc(c);
    const OnDevice<float> wide(numbers<float>(12, 52));
    const auto shown = [&](const char* name) {
        std::vector<float> values;
        for (const __half value : dc.values()) values.push_back(__half2float(value));
        show(name, values);
    };
    const float alpha = 0.5f, beta = 0, one = 1;
    cublasGemmEx(handle, CUBLAS_OP_N, CUBLAS_OP_N, 3, 4, 5, &alpha, da.data, CUDA_R_16F, 3, db.data, CUDA_R_16F, 5, &beta,
                 dc.data, CUDA_R_16F, 3, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT);
    shown("GemmEx, half");
    cublasGemmEx(handle, CUBLAS_OP_T, CUBLAS_OP_N, 3, 4, 5, &alpha, da.data, CUDA_R_16F, 5, db.data, CUDA_R_16F, 5, &one,
                 wide.data, CUDA_R_32F, 3, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT);
    show("GemmEx, half to float", wide);
    const __half half_alpha = __float2half(0.5f), half_beta = __float2half(2.0f);
    cublasHgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, 3, 4, 5, &half_alpha, da.data, 3, db.data, 5, &half_beta, dc.data, 3);
    shown("Hgemm");
    const double double_alpha = 1.5, double_beta = 0.5;
    const OnDevice<double> p(numbers<double>(20, 53)), q(numbers<double>(20, 54)), r(numbers<double>(16, 55));
    cublasGemmEx(handle, CUBLAS_OP_N, CUBLAS_OP_T, 4, 4, 5, &double_alpha, p.data, CUDA_R_64F, 4, q.data, CUDA_R_64F, 4,
                 &double_beta, r.data, CUDA_R_64F, 4, CUBLAS_COMPUTE_64F, CUBLAS_GEMM_DEFAULT);
    show("GemmEx, double", r);
    cublasGemmStridedBatchedEx(handle, CUBLAS_OP_N, CUBLAS_OP_N, 2, 2, 3, &alpha, da.data, CUDA_R_16F, 2, 6, db.data,
                               CUDA_R_16F, 3, 6, &one, wide.data, CUDA_R_32F, 2, 4, 3, CUBLAS_COMPUTE_32F,
                               CUBLAS_GEMM_DEFAULT);
    show("GemmStridedBatchedEx", wide);
}

void transfers() {
    const auto from = numbers<float>(40, 60);
    const OnDevice<float> d(std::vector<float>(40, 0.0f));
    std::vector<float> back(40, 0.0f);
    std::vector<long long> statuses;
    statuses.push_back(cublasSetVector(8, sizeof(float), from.data(), 3, d.data, 2));
    statuses.push_back(cublasSetMatrix(3, 4, sizeof(float), from.data(), 5, d.data + 16, 6));
    show("SetVector SetMatrix", d);
    statuses.push_back(cublasGetVector(8, sizeof(float), d.data, 2, back.data(), 1));
    statuses.push_back(cublasGetMatrix(3, 4, sizeof(float), d.data + 16, 6, back.data() + 10, 4));
    show("GetVector GetMatrix", back);
    statuses.push_back(cublasSetVector(-1, sizeof(float), from.data(), 1, d.data, 1));
    statuses.push_back(cublasSetVector(1, 0, from.data(), 1, d.data, 1));
    statuses.push_back(cublasSetVector(1, sizeof(float), from.data(), 0, d.data, 1));
    statuses.push_back(cublasSetMatrix(3, 4, sizeof(float), from.data(), 2, d.data, 3));
    show_exact("transfers, statuses", statuses);
}

void statuses() {
    const OnDevice<float> x(numbers<float>(64, 70)), y(numbers<float>(64, 71));
    const float alpha = 1, beta = 0;
    float result = 7;
    int index = 7;
    const auto gemm = [&](int m, int n, int k, int lda, int ldb, int ldc) -> long long {
        return cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, m, n, k, &alpha, x.data, lda, x.data, ldb, &beta, y.data, ldc);
    };
    show_exact("misuse of handles", {cublasCreate(nullptr), cublasDestroy(nullptr), cublasSetStream(nullptr, nullptr),
                                     cublasSscal(nullptr, 1, &alpha, y.data, 1), cublasGetVersion(nullptr, &index),
                                     cublasSetPointerMode(nullptr, CUBLAS_POINTER_MODE_HOST)});
    show_exact("misuse of gemm", {gemm(-1, 2, 2, 2, 2, 2), gemm(2, -1, 2, 2, 2, 2), gemm(2, 2, -1, 2, 2, 2),
                                  gemm(4, 2, 2, 3, 2, 4), gemm(4, 2, 2, 4, 1, 4), gemm(4, 2, 2, 4, 2, 3),
                                  gemm(0, 2, 2, 1, 2, 1), gemm(0, 2, 2, 0, 0, 0), gemm(2, 2, 0, 2, 1, 2)});
    show_exact("gemm without arguments",
               {cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, 2, 2, 2, nullptr, x.data, 2, x.data, 2, &beta, y.data, 2),
                cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, 2, 2, 2, &alpha, x.data, 2, x.data, 2, nullptr, y.data, 2),
                cublasSgemm(handle, static_cast<cublasOperation_t>(7), CUBLAS_OP_N, 2, 2, 2, &alpha, x.data, 2, x.data, 2,
                            &beta, y.data, 2),
                cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, 2, 2, 2, &alpha, nullptr, 2, x.data, 2, &beta, y.data, 2) == 0
                    ? -1
                    : 1});
}

void more_statuses() {
    const OnDevice<float> x(numbers<float>(64, 70)), y(numbers<float>(64, 71));
    const float alpha = 1, beta = 0;
    float result = 7;
    int index = 7;
    show_exact("misuse of level 1",
               {cublasSscal(handle, -1, &alpha, y.data, 1), cublasSscal(handle, 4, &alpha, y.data, 0),
                cublasSscal(handle, 4, &alpha, y.data, -1), cublasSscal(handle, 4, nullptr, y.data, 1),
                cublasSaxpy(handle, 0, &alpha, x.data, 1, y.data, 1), cublasSaxpy(handle, 4, &alpha, x.data, 0, y.data, 0),
                cublasSdot(handle, 4, x.data, 1, y.data, 1, nullptr), cublasScopy(handle, -4, x.data, 1, y.data, 1)});
    std::vector<long long> of_nothing;
    of_nothing.push_back(cublasIsamax(handle, 0, x.data, 1, &index));
    of_nothing.push_back(index);
    index = 7;
    of_nothing.push_back(cublasIsamax(handle, 4, x.data, 0, &index));
    of_nothing.push_back(index);
    of_nothing.push_back(cublasSdot(handle, 0, x.data, 1, y.data, 1, &result));
    of_nothing.push_back(static_cast<long long>(result));
    result = 7;
    of_nothing.push_back(cublasSnrm2(handle, 4, x.data, -1, &result));
    of_nothing.push_back(static_cast<long long>(result));
    result = 7;
    of_nothing.push_back(cublasSasum(handle, -4, x.data, 1, &result));
    of_nothing.push_back(static_cast<long long>(result));
    show_exact("reductions of nothing", of_nothing);
    show_exact("misuse of level 2",
               {cublasSgemv(handle, CUBLAS_OP_N, 4, 4, &alpha, x.data, 3, x.data, 1, &beta, y.data, 1),
                cublasSgemv(handle, CUBLAS_OP_N, -4, 4, &alpha, x.data, 4, x.data, 1, &beta, y.data, 1),
                cublasSgemv(handle, CUBLAS_OP_N, 4, 4, &alpha, x.data, 4, x.data, 0, &beta, y.data, 1),
                cublasSgemv(handle, CUBLAS_OP_N, 4, 4, nullptr, x.data, 4, x.data, 1, &beta, y.data, 1),
                cublasSger(handle, 4, 4, &alpha, x.data, 1, x.data, 1, y.data, 3),
                cublasStrsv(handle, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N, CUBLAS_DIAG_UNIT, 4, x.data, 3, y.data, 1),
                cublasStrsv(handle, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N, CUBLAS_DIAG_UNIT, 4, x.data, 4, y.data, 0),
                cublasSsymv(handle, static_cast<cublasFillMode_t>(9), 4, &alpha, x.data, 4, x.data, 1, &beta, y.data, 1),
                cublasSsbmv(handle, CUBLAS_FILL_MODE_LOWER, 4, 2, &alpha, x.data, 2, x.data, 1, &beta, y.data, 1)});
    show_exact("misuse of level 3",
               {cublasStrsm(handle, CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N, CUBLAS_DIAG_UNIT, 4, 2, &alpha,
                            x.data, 3, y.data, 4),
                cublasStrsm(handle, CUBLAS_SIDE_RIGHT, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N, CUBLAS_DIAG_UNIT, 4, 2, &alpha,
                            x.data, 2, y.data, 3),
                cublasSsyrk(handle, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N, 4, 2, &alpha, x.data, 3, &beta, y.data, 4),
                cublasSsymm(handle, CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_LOWER, 4, 2, &alpha, x.data, 4, x.data, 3, &beta,
                            y.data, 4),
                cublasSgeam(handle, CUBLAS_OP_N, CUBLAS_OP_N, 4, 2, &alpha, x.data, 3, &beta, x.data, 4, y.data, 4),
                cublasSgemmStridedBatched(handle, CUBLAS_OP_N, CUBLAS_OP_N, 2, 2, 2, &alpha, x.data, 2, 4, x.data, 2, 4,
                                          &beta, y.data, 2, 4, -1),
                cublasGemmEx(handle, CUBLAS_OP_N, CUBLAS_OP_N, 2, 2, 2, &alpha, x.data, CUDA_R_16F, 2, x.data, CUDA_R_16F, 2,
                             &beta, y.data, CUDA_R_64F, 2, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT)});
}

void settings() {
    cudaStream_t stream, kept = nullptr;
    cudaStreamCreate(&stream);
    cublasPointerMode_t pointer_mode;
    cublasAtomicsMode_t atomics;
    cublasMath_t math;
    int version = 0, major = 0, sms = 0;
    std::vector<long long> values;
    values.push_back(cublasSetStream(handle, stream));
    values.push_back(cublasGetStream(handle, &kept));
    values.push_back(kept == stream);
    values.push_back(cublasSetStream(handle, nullptr));
    cublasGetPointerMode(handle, &pointer_mode);
    cublasGetAtomicsMode(handle, &atomics);
    cublasGetMathMode(handle, &math);
    values.insert(values.end(), {pointer_mode, atomics, math});
    values.push_back(cublasSetMathMode(handle, CUBLAS_TF32_TENSOR_OP_MATH));
    cublasGetMathMode(handle, &math);
    values.push_back(math);
    values.push_back(cublasSetMathMode(handle, CUBLAS_DEFAULT_MATH));
    values.push_back(cublasSetPointerMode(handle, static_cast<cublasPointerMode_t>(5)));
    values.push_back(cublasSetMathMode(handle, static_cast<cublasMath_t>(77)));
    values.push_back(cublasGetVersion(handle, &version));
    values.push_back(version / 10000);
    values.push_back(cublasGetProperty(MAJOR_VERSION, &major));
    values.push_back(major);
    values.push_back(cublasGetSmCountTarget(handle, &sms));
    values.push_back(sms);
    show_exact("settings", values);
    std::printf("names: exact %s, %s\n", cublasGetStatusName(CUBLAS_STATUS_INVALID_VALUE),
                cublasGetStatusString(CUBLAS_STATUS_NOT_SUPPORTED));
    cudaStreamDestroy(stream);
}

int main() {
    std::setvbuf(stdout, nullptr, _IOLBF, 0);  // what a crash leaves is whole lines
    if (cublasCreate(&handle) != CUBLAS_STATUS_SUCCESS) return 1;
    Cases<Single>::level1();
    Cases<Double>::level1();
    Cases<Single>::level2();
    Cases<Double>::level2();
    Cases<Single>::level3();
    Cases<Double>::level3();
    half_precision();
    transfers();
    settings();
    more_statuses();
    std::printf("destroyed: exact %d\n", cublasDestroy(handle));
    std::fflush(stdout);
    // What follows may cost the context.
    cublasCreate(&handle);
    statuses();
}
