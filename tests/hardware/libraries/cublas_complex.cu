// cuBLAS with complex numbers, systems of linear equations and other types: one line for each case.
#include <cublas_v2.h>
#include <cuda_bf16.h>

#include <complex>

#include "cases.h"

cublasHandle_t handle;

// The functions of one precision under one name; those of a mixed name (Scasum, Csscal) beside them.
struct SingleComplex {
    using T = cuComplex;
    using Real = float;
    static constexpr const char* letter = "C";
#define OF(name) static constexpr auto name = cublasC##name;
#include "cublas_complex_names.h"
#undef OF
    static constexpr auto iamax = cublasIcamax, iamin = cublasIcamin;
    static constexpr auto asum = cublasScasum, nrm2 = cublasScnrm2;
    static constexpr auto scal_real = cublasCsscal;
    static constexpr auto rot_real = cublasCsrot;
    static constexpr auto type = CUDA_C_32F, real_type = CUDA_R_32F;
    static constexpr auto compute = CUBLAS_COMPUTE_32F;
};
struct DoubleComplex {
    using T = cuDoubleComplex;
    using Real = double;
    static constexpr const char* letter = "Z";
#define OF(name) static constexpr auto name = cublasZ##name;
#include "cublas_complex_names.h"
#undef OF
    static constexpr auto iamax = cublasIzamax, iamin = cublasIzamin;
    static constexpr auto asum = cublasDzasum, nrm2 = cublasDznrm2;
    static constexpr auto scal_real = cublasZdscal;
    static constexpr auto rot_real = cublasZdrot;
    static constexpr auto type = CUDA_C_64F, real_type = CUDA_R_64F;
    static constexpr auto compute = CUBLAS_COMPUTE_64F;
};

template <class P>
struct Cases {
    using T = typename P::T;
    using Real = typename P::Real;
    static const char* name(const char* of) {
        static char text[64];
        std::snprintf(text, sizeof text, "%s%s", P::letter, of);
        return text;
    }
    static std::vector<T> make(std::size_t count, std::uint32_t seed) {
        const auto parts = numbers<Real>(2 * count, seed);
        std::vector<T> values(count);
        for (std::size_t i = 0; i < count; ++i) values[i] = {parts[2 * i], parts[2 * i + 1]};
        return values;
    }
    static std::vector<T> triangle(int n, int ld, std::uint32_t seed) {
        auto a = make(static_cast<std::size_t>(n) * ld, seed);
        for (int i = 0; i < n; ++i) a[i * ld + i].x += Real(3);
        return a;
    }
    static void show_parts(const char* of, const std::vector<T>& values) {
        std::vector<Real> parts;
        for (const T value : values) parts.push_back(value.x), parts.push_back(value.y);
        show(name(of), parts);
    }
    static void show_parts(const char* of, const OnDevice<T>& array) { show_parts(of, array.values()); }

    static void level1() {
        const OnDevice<T> x(make(40, 1)), y(make(40, 2));
        int high = 0, low = 0;
        P::iamax(handle, 40, x.data, 1, &high);
        P::iamin(handle, 13, x.data, 3, &low);
        show_exact(name("amax amin"), {high, low});
        Real asum = 0, nrm2 = 0;
        P::asum(handle, 20, x.data, 2, &asum);
        P::nrm2(handle, 20, x.data, 2, &nrm2);
        show(name("asum nrm2"), std::vector<Real>{asum, nrm2});
        T dotu{}, dotc{};
        P::dotu(handle, 13, x.data, 3, y.data, 2, &dotu);
        P::dotc(handle, 13, x.data, 2, y.data, -3, &dotc);
        show_parts("dotu dotc", std::vector<T>{dotu, dotc});
        {
            const OnDevice<T> to(make(40, 3));
            const T alpha{Real(-1.5), Real(0.5)};
            const Real real = Real(0.75);
            P::axpy(handle, 13, &alpha, x.data, 3, to.data, -2);
            show_parts("axpy", to);
            P::scal(handle, 20, &alpha, to.data, 2);
            P::scal_real(handle, 10, &real, to.data, 3);
            show_parts("scal", to);
            P::copy(handle, 10, x.data, 2, to.data, 3);
            P::swap(handle, 10, x.data, 4, to.data, -1);
            show_parts("copy swap", to);
        }
        const OnDevice<T> a(make(20, 4)), b(make(20, 5));
        Real c = Real(0.6), s = Real(0.8);
        T sine{Real(0.48), Real(-0.64)};
        P::rot(handle, 10, a.data, 2, b.data, -1, &c, &sine);
        P::rot_real(handle, 10, a.data, 1, b.data, 2, &c, &s);
        show_parts("rot, x", a);
        show_parts("rot, y", b);
        T p{Real(3), Real(1)}, q{Real(-4), Real(2)}, made{};
        Real cosine = 0;
        P::rotg(handle, &p, &q, &cosine, &made);
        show_parts("rotg", std::vector<T>{p, T{cosine, 0}, made});
    }

    static void level2() {
        const T alpha{Real(1.25), Real(-0.5)}, beta{Real(-0.5), Real(0.25)};
        const Real real = Real(0.75);
        for (const auto trans : {CUBLAS_OP_N, CUBLAS_OP_T, CUBLAS_OP_C}) {
            const OnDevice<T> a(make(7 * 5, 10)), x(make(20, 11)), y(make(20, 12));
            P::gemv(handle, trans, 6, 5, &alpha, a.data, 7, x.data, 2, &beta, y.data, 3);
            P::gbmv(handle, trans, 6, 5, 2, 1, &alpha, a.data, 7, x.data, -1, &beta, y.data, 1);
            char text[16];
            std::snprintf(text, sizeof text, "gemv gbmv %c", "NTC"[trans]);
            show_parts(text, y);
        }
        {
            const OnDevice<T> a(make(7 * 5, 10)), x(make(20, 11)), y(make(20, 12));
            P::geru(handle, 6, 5, &alpha, x.data, 1, y.data, 2, a.data, 7);
            P::gerc(handle, 6, 5, &beta, x.data, 2, y.data, -1, a.data, 7);
            show_parts("geru gerc", a);
        }
        for (const auto uplo : {CUBLAS_FILL_MODE_LOWER, CUBLAS_FILL_MODE_UPPER}) {
            const bool lower = uplo == CUBLAS_FILL_MODE_LOWER;
            const OnDevice<T> a(make(6 * 7, 13)), packed(make(21, 14)), x(make(12, 15)), y(make(12, 16));
            P::symv(handle, uplo, 6, &alpha, a.data, 7, x.data, 1, &beta, y.data, 2);
            show_parts(lower ? "symv, lower" : "symv, upper", y);
            P::hemv(handle, uplo, 6, &alpha, a.data, 7, x.data, -2, &beta, y.data, 1);
            P::hbmv(handle, uplo, 6, 2, &alpha, a.data, 7, x.data, 2, &beta, y.data, 1);
            P::hpmv(handle, uplo, 6, &alpha, packed.data, x.data, 1, &beta, y.data, -2);
            show_parts(lower ? "hemv hbmv hpmv, lower" : "hemv hbmv hpmv, upper", y);
            P::syr(handle, uplo, 6, &alpha, x.data, 2, a.data, 7);
            P::syr2(handle, uplo, 6, &beta, x.data, -1, y.data, 2, a.data, 7);
            show_parts(lower ? "syr syr2, lower" : "syr syr2, upper", a);
            P::her(handle, uplo, 6, &real, x.data, 2, a.data, 7);
            P::her2(handle, uplo, 6, &beta, x.data, 1, y.data, -2, a.data, 7);
            show_parts(lower ? "her her2, lower" : "her her2, upper", a);
            P::hpr(handle, uplo, 6, &real, x.data, 2, packed.data);
            P::hpr2(handle, uplo, 6, &beta, x.data, 1, y.data, 2, packed.data);
            show_parts(lower ? "hpr hpr2, lower" : "hpr hpr2, upper", packed);
        }
        for (const auto trans : {CUBLAS_OP_N, CUBLAS_OP_T, CUBLAS_OP_C}) {
            const OnDevice<T> a(triangle(6, 7, 17)), x(make(12, 18));
            auto dense = make(21, 19);
            for (int i = 0, at = 0; i < 6; at += 6 - i, ++i) dense[at] = {Real(3), Real(1)};
            const OnDevice<T> packed(dense);
            auto rows = make(6 * 3, 20);
            for (int i = 0; i < 6; ++i) rows[i * 3] = {Real(4), Real(-1)};
            const OnDevice<T> band(rows);
            char text[32];
            P::trmv(handle, CUBLAS_FILL_MODE_UPPER, trans, CUBLAS_DIAG_UNIT, 6, a.data, 7, x.data, 2);
            P::tpmv(handle, CUBLAS_FILL_MODE_LOWER, trans, CUBLAS_DIAG_NON_UNIT, 6, packed.data, x.data, 1);
            P::tbmv(handle, CUBLAS_FILL_MODE_LOWER, trans, CUBLAS_DIAG_NON_UNIT, 6, 2, band.data, 3, x.data, 1);
            std::snprintf(text, sizeof text, "trmv tpmv tbmv %c", "NTC"[trans]);
            show_parts(text, x);
            P::trsv(handle, CUBLAS_FILL_MODE_LOWER, trans, CUBLAS_DIAG_NON_UNIT, 6, a.data, 7, x.data, 1);
            P::tpsv(handle, CUBLAS_FILL_MODE_LOWER, trans, CUBLAS_DIAG_NON_UNIT, 6, packed.data, x.data, 2);
            P::tbsv(handle, CUBLAS_FILL_MODE_LOWER, trans, CUBLAS_DIAG_NON_UNIT, 6, 2, band.data, 3, x.data, -1);
            std::snprintf(text, sizeof text, "trsv tpsv tbsv %c", "NTC"[trans]);
            show_parts(text, x);
        }
    }

    static void level3() {
        const T alpha{Real(0.75), Real(0.5)}, beta{Real(-1.25), Real(0.25)};
        const Real real = Real(0.5), kept = Real(-0.75);
        const OnDevice<T> a(make(9 * 9, 30)), b(make(9 * 9, 31));
        for (const auto of_a : {CUBLAS_OP_N, CUBLAS_OP_T, CUBLAS_OP_C})
            for (const auto of_b : {CUBLAS_OP_N, CUBLAS_OP_T, CUBLAS_OP_C}) {
                const OnDevice<T> c(make(6 * 5, 32));
                P::gemm(handle, of_a, of_b, 4, 5, 7, &alpha, a.data, 8, b.data, 9, &beta, c.data, 6);
                char text[16];
                std::snprintf(text, sizeof text, "gemm %c%c", "NTC"[of_a], "NTC"[of_b]);
                show_parts(text, c);
            }
        {
            const OnDevice<T> c(make(30, 33));
            P::gemm3m(handle, CUBLAS_OP_C, CUBLAS_OP_N, 4, 5, 7, &alpha, a.data, 8, b.data, 9, &beta, c.data, 6);
            show_parts("gemm3m", c);
            cublasGemmEx(handle, CUBLAS_OP_N, CUBLAS_OP_C, 4, 5, 6, &alpha, a.data, P::type, 4, b.data, P::type, 5, &beta,
                         c.data, P::type, 6, P::compute, CUBLAS_GEMM_DEFAULT);
            show_parts("GemmEx", c);
        }
        {
            const OnDevice<T> c(make(3 * 12, 35));
            std::vector<T*> as, bs, cs;
            for (int i = 0; i < 3; ++i) as.push_back(a.data + i * 9), bs.push_back(b.data + i * 5), cs.push_back(c.data + i * 12);
            const OnDevice<T*> pa(as), pb(bs), pc(cs);
            P::gemmBatched(handle, CUBLAS_OP_N, CUBLAS_OP_C, 3, 4, 2, &alpha, pa.data, 3, pb.data, 4, &beta, pc.data, 3, 3);
            show_parts("gemmBatched", c);
            P::gemmStridedBatched(handle, CUBLAS_OP_T, CUBLAS_OP_N, 3, 4, 2, &alpha, a.data, 3, 0, b.data, 4, 16, &beta,
                                  c.data, 3, 12, 3);
            show_parts("gemmStridedBatched", c);
            P::gemvBatched(handle, CUBLAS_OP_C, 3, 4, &alpha, pa.data, 3, pb.data, 1, &beta, pc.data, 2, 3);
            P::gemvStridedBatched(handle, CUBLAS_OP_N, 3, 4, &alpha, a.data, 3, 12, b.data, 2, 8, &beta, c.data, 1, 12, 3);
            show_parts("gemvBatched gemvStridedBatched", c);
            const OnDevice<T> solve(triangle(3, 3, 36));
            const OnDevice<T*> triangles({solve.data, solve.data, solve.data});
            P::trsmBatched(handle, CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_C, CUBLAS_DIAG_NON_UNIT, 3, 4,
                           &alpha, triangles.data, 3, pc.data, 3, 3);
            show_parts("trsmBatched", c);
        }
        for (const auto side : {CUBLAS_SIDE_LEFT, CUBLAS_SIDE_RIGHT}) {
            const bool left = side == CUBLAS_SIDE_LEFT;
            const OnDevice<T> t(triangle(6, 7, 37)), c(make(5 * 6, 38)), d(make(5 * 6, 39));
            P::symm(handle, side, CUBLAS_FILL_MODE_LOWER, 4, 5, &alpha, t.data, 7, b.data, 4, &beta, c.data, 5);
            P::hemm(handle, side, CUBLAS_FILL_MODE_UPPER, 4, 5, &alpha, t.data, 7, b.data, 4, &beta, c.data, 5);
            show_parts(left ? "symm hemm, left" : "symm hemm, right", c);
            P::trmm(handle, side, CUBLAS_FILL_MODE_UPPER, CUBLAS_OP_C, CUBLAS_DIAG_NON_UNIT, 4, 5, &alpha, t.data, 7,
                    c.data, 5, d.data, 5);
            P::trsm(handle, side, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_C, CUBLAS_DIAG_UNIT, 4, 5, &alpha, t.data, 7, d.data, 5);
            show_parts(left ? "trmm trsm, left" : "trmm trsm, right", d);
        }
        for (const auto uplo : {CUBLAS_FILL_MODE_LOWER, CUBLAS_FILL_MODE_UPPER}) {
            const bool lower = uplo == CUBLAS_FILL_MODE_LOWER;
            const OnDevice<T> c(make(6 * 5, 40));
            P::syrk(handle, uplo, CUBLAS_OP_N, 5, 3, &alpha, a.data, 7, &beta, c.data, 6);
            P::syr2k(handle, uplo, CUBLAS_OP_T, 5, 3, &alpha, a.data, 4, b.data, 5, &beta, c.data, 6);
            P::syrkx(handle, uplo, CUBLAS_OP_N, 5, 3, &alpha, a.data, 7, b.data, 5, &beta, c.data, 6);
            show_parts(lower ? "syrk syr2k syrkx, lower" : "syrk syr2k syrkx, upper", c);
            P::herk(handle, uplo, CUBLAS_OP_C, 5, 3, &real, a.data, 4, &kept, c.data, 6);
            P::her2k(handle, uplo, CUBLAS_OP_N, 5, 3, &alpha, a.data, 7, b.data, 5, &kept, c.data, 6);
            show_parts(lower ? "herk her2k, lower" : "herk her2k, upper", c);
            P::herkx(handle, uplo, CUBLAS_OP_C, 5, 3, &alpha, a.data, 4, b.data, 5, &kept, c.data, 6);
            show_parts(lower ? "herkx, lower" : "herkx, upper", c);
            P::syrk(handle, uplo, CUBLAS_OP_C, 5, 3, &alpha, a.data, 4, &beta, c.data, 6);
            P::herk(handle, uplo, CUBLAS_OP_T, 5, 3, &real, a.data, 4, &kept, c.data, 6);
            show_parts(lower ? "syrk C, herk T, lower" : "syrk C, herk T, upper", c);
        }
        const OnDevice<T> c(make(6 * 5, 41));
        P::geam(handle, CUBLAS_OP_C, CUBLAS_OP_N, 4, 5, &alpha, a.data, 6, &beta, b.data, 4, c.data, 6);
        P::dgmm(handle, CUBLAS_SIDE_LEFT, 4, 5, c.data, 6, b.data, 2, c.data, 6);
        P::dgmm(handle, CUBLAS_SIDE_RIGHT, 4, 5, c.data, 6, a.data, 1, c.data, 6);
        show_parts("geam dgmm", c);
    }

    static void typed() {
        const OnDevice<T> x(make(20, 50)), y(make(20, 51)), packed(make(10, 52)), whole(make(20, 53));
        const T alpha{Real(0.5), Real(-2)};
        const Real c = Real(0.6), s = Real(0.8);
        Real norm = 0;
        T dot{}, conjugated{};
        std::vector<long long> statuses;
        statuses.push_back(cublasNrm2Ex(handle, 10, x.data, P::type, 2, &norm, P::real_type, P::real_type));
        statuses.push_back(cublasDotEx(handle, 10, x.data, P::type, 1, y.data, P::type, 2, &dot, P::type, P::type));
        statuses.push_back(cublasDotcEx(handle, 10, x.data, P::type, 1, y.data, P::type, 2, &conjugated, P::type, P::type));
        statuses.push_back(cublasAxpyEx(handle, 10, &alpha, P::type, x.data, P::type, 1, y.data, P::type, 2, P::type));
        statuses.push_back(cublasScalEx(handle, 5, &alpha, P::type, y.data, P::type, 3, P::type));
        statuses.push_back(cublasRotEx(handle, 5, x.data, P::type, 1, y.data, P::type, 2, &c, &s, P::real_type, P::type));
        show_parts("typed", std::vector<T>{T{norm, 0}, dot, conjugated});
        show_parts("AxpyEx ScalEx RotEx", y);
        show_exact(name("typed, statuses"), statuses);
        P::tpttr(handle, CUBLAS_FILL_MODE_LOWER, 4, packed.data, whole.data, 5);
        P::trttp(handle, CUBLAS_FILL_MODE_UPPER, 4, whole.data, 5, packed.data);
        show_parts("tpttr trttp", packed);
    }

    template <class Q>
    static void solvers(const char* letter) {
        using S = typename Q::T;
        constexpr int n = 4, count = 3;
        const auto show_all = [&](const char* of, const std::vector<S>& values) {
            char text[64];
            std::snprintf(text, sizeof text, "%s%s", letter, of);
            std::vector<typename Q::Real> parts;
            for (const S& value : values)
                for (std::size_t i = 0; i < sizeof(S) / sizeof(typename Q::Real); ++i)
                    parts.push_back(reinterpret_cast<const typename Q::Real*>(&value)[i]);
            show(text, parts);
        };
        const OnDevice<S> matrices(Q::make(n * n * count, 60)), sides(Q::make(n * 2 * count, 61));
        const OnDevice<S> inverses(Q::make(n * n * count, 62));
        std::vector<S*> as, bs, cs;
        for (int i = 0; i < count; ++i) {
            as.push_back(matrices.data + i * n * n);
            bs.push_back(sides.data + i * n * 2);
            cs.push_back(inverses.data + i * n * n);
        }
        const OnDevice<S*> pa(as), pb(bs), pc(cs);
        const OnDevice<int> pivots(std::vector<int>(n * count, 7)), infos(std::vector<int>(count, 7));
        int info = 7;
        std::vector<long long> statuses;
        statuses.push_back(Q::matinv(handle, n, pa.data, n, pc.data, n, infos.data, count));
        show_all("matinvBatched", inverses.values());
        statuses.push_back(Q::getrf(handle, n, pa.data, n, pivots.data, infos.data, count));
        show_all("getrfBatched", matrices.values());
        statuses.push_back(Q::getrs(handle, CUBLAS_OP_N, n, 2, pa.data, n, pivots.data, pb.data, n, &info, count));
        statuses.push_back(Q::getrs(handle, CUBLAS_OP_T, n, 1, pa.data, n, pivots.data, pb.data, n, &info, count));
        show_all("getrsBatched", sides.values());
        statuses.push_back(Q::getri(handle, n, pa.data, n, pivots.data, pc.data, n, infos.data, count));
        show_all("getriBatched", inverses.values());
        for (const int value : pivots.values()) statuses.push_back(value);
        for (const int value : infos.values()) statuses.push_back(value);
        statuses.push_back(info);
        // A matrix without an inverse, and none of pivots.
        const OnDevice<S> zeros(std::vector<S>(n * n));
        const OnDevice<S*> pz({zeros.data});
        statuses.push_back(Q::getrf(handle, n, pz.data, n, pivots.data, infos.data, 1));
        statuses.push_back(infos.values()[0]);
        statuses.push_back(Q::matinv(handle, n, pz.data, n, pc.data, n, infos.data, 1));
        statuses.push_back(infos.values()[0]);
        const OnDevice<S> plain(Q::make(n * n, 63));
        const OnDevice<S*> pp({plain.data});
        statuses.push_back(Q::getrf(handle, n, pp.data, n, nullptr, infos.data, 1));
        show_all("getrfBatched without pivots", plain.values());
        statuses.push_back(Q::getrf(handle, -1, pp.data, n, nullptr, infos.data, 1));
        statuses.push_back(Q::getrf(handle, n, pp.data, n - 1, nullptr, infos.data, 1));
        statuses.push_back(Q::getrf(handle, n, pp.data, n, nullptr, infos.data, -1));
        statuses.push_back(Q::matinv(handle, 33, pp.data, 33, pc.data, 33, infos.data, 1));
        char text[32];
        std::snprintf(text, sizeof text, "%ssolvers, statuses", letter);
        show_exact(text, statuses);
    }

    static void misuse() {
        const OnDevice<T> x(make(64, 70)), y(make(64, 71));
        const T alpha{Real(1), Real(0)}, beta{Real(0), Real(0)};
        const Real one = Real(1), nothing = Real(0);
        T result{};
        show_exact(
            name("misuse"),
            {P::scal(nullptr, 4, &alpha, y.data, 1), P::scal_real(handle, -4, &one, y.data, 1),
             P::dotu(handle, 0, x.data, 1, y.data, 1, &result), P::rot(handle, -1, x.data, 1, y.data, 1, &one, &alpha),
             P::gemv(handle, CUBLAS_OP_C, 4, 4, &alpha, x.data, 3, x.data, 1, &beta, y.data, 1),
             P::hemv(handle, CUBLAS_FILL_MODE_LOWER, 4, &alpha, x.data, 3, x.data, 1, &beta, y.data, 1),
             P::hbmv(handle, CUBLAS_FILL_MODE_LOWER, 4, 2, &alpha, x.data, 2, x.data, 1, &beta, y.data, 1),
             P::geru(handle, 4, 4, &alpha, x.data, 0, x.data, 1, y.data, 4), P::gerc(handle, 4, 4, &alpha, x.data, 1, x.data, 1, y.data, 3),
             P::her(handle, CUBLAS_FILL_MODE_LOWER, 4, &one, x.data, 0, y.data, 4),
             P::her2(handle, CUBLAS_FILL_MODE_LOWER, 4, &alpha, x.data, 1, x.data, 1, y.data, 3),
             P::hpr(handle, static_cast<cublasFillMode_t>(9), 4, &one, x.data, 1, y.data),
             P::syrk(handle, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_C, 4, 2, &alpha, x.data, 4, &beta, y.data, 4),
             P::syr2k(handle, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_C, 4, 2, &alpha, x.data, 4, x.data, 4, &beta, y.data, 4),
             P::syrkx(handle, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_C, 4, 2, &alpha, x.data, 4, x.data, 4, &beta, y.data, 4),
             P::herk(handle, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_T, 4, 2, &one, x.data, 4, &nothing, y.data, 4),
             P::her2k(handle, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_T, 4, 2, &alpha, x.data, 4, x.data, 4, &nothing, y.data, 4),
             P::herkx(handle, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_T, 4, 2, &alpha, x.data, 4, x.data, 4, &nothing, y.data, 4),
             P::herk(handle, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N, 4, 2, &one, x.data, 3, &nothing, y.data, 4),
             P::hemm(handle, CUBLAS_SIDE_RIGHT, CUBLAS_FILL_MODE_LOWER, 4, 2, &alpha, x.data, 1, x.data, 4, &beta, y.data, 4),
             P::gemm(handle, CUBLAS_OP_C, CUBLAS_OP_N, 2, 2, 4, &alpha, x.data, 3, x.data, 4, &beta, y.data, 2),
             P::gemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, 2, 2, 2, nullptr, x.data, 2, x.data, 2, &beta, y.data, 2),
             P::gemm3m(handle, CUBLAS_OP_N, CUBLAS_OP_N, 2, -2, 2, &alpha, x.data, 2, x.data, 2, &beta, y.data, 2),
             P::gemmStridedBatched(handle, CUBLAS_OP_N, CUBLAS_OP_N, 2, 2, 2, &alpha, x.data, 2, 4, x.data, 2, 4, &beta,
                                   y.data, 2, 4, -1),
             P::geam(handle, CUBLAS_OP_C, CUBLAS_OP_N, 4, 2, &alpha, x.data, 1, &beta, x.data, 4, y.data, 4),
             P::trsm(handle, CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_C, CUBLAS_DIAG_UNIT, 4, 2, &alpha, x.data,
                     3, y.data, 4)});
    }
};

#define SOLVERS(letter)                                    \
    static constexpr auto matinv = cublas##letter##matinvBatched; \
    static constexpr auto getrf = cublas##letter##getrfBatched;   \
    static constexpr auto getri = cublas##letter##getriBatched;   \
    static constexpr auto getrs = cublas##letter##getrsBatched;
template <class P>
struct ComplexSolver {
    using T = typename P::T;
    using Real = typename P::Real;
    static std::vector<T> make(std::size_t count, std::uint32_t seed) { return Cases<P>::make(count, seed); }
};
template <class R>
struct RealSolver {
    using T = R;
    using Real = R;
    static std::vector<T> make(std::size_t count, std::uint32_t seed) { return numbers<T>(count, seed); }
};
struct OfS : RealSolver<float> { SOLVERS(S) };
struct OfD : RealSolver<double> { SOLVERS(D) };
struct OfC : ComplexSolver<SingleComplex> { SOLVERS(C) };
struct OfZ : ComplexSolver<DoubleComplex> { SOLVERS(Z) };

void other_types() {
    std::vector<__nv_bfloat16> a, b;
    for (const float value : numbers<float>(20, 80)) a.push_back(__float2bfloat16(value));
    for (const float value : numbers<float>(20, 81)) b.push_back(__float2bfloat16(value));
    const OnDevice<__nv_bfloat16> da(a), db(b), dc(std::vector<__nv_bfloat16>(16));
    const OnDevice<float> wide(numbers<float>(16, 82));
    const float alpha = 0.5f, beta = 0, one = 1;
    const auto gemm = [&](const void* p, const void* q, cudaDataType in, void* to, cudaDataType out, const void* by,
                          const void* keep, cublasComputeType_t compute) {
        return cublasGemmEx(handle, CUBLAS_OP_T, CUBLAS_OP_N, 4, 4, 4, by, p, in, 4, q, in, 4, keep, to, out, 4, compute,
                            CUBLAS_GEMM_DEFAULT);
    };
    std::vector<long long> statuses;
    statuses.push_back(gemm(da.data, db.data, CUDA_R_16BF, dc.data, CUDA_R_16BF, &alpha, &beta, CUBLAS_COMPUTE_32F));
    std::vector<float> rounded;
    for (const auto value : dc.values()) rounded.push_back(__bfloat162float(value));
    show("Bfloat16", rounded);
    statuses.push_back(gemm(da.data, db.data, CUDA_R_16BF, wide.data, CUDA_R_32F, &alpha, &one, CUBLAS_COMPUTE_32F));
    show("Bfloat16 to float", wide);
    std::vector<signed char> bytes;
    for (const float value : numbers<float>(16, 83)) bytes.push_back(static_cast<signed char>(value * 127));
    const OnDevice<signed char> integers(bytes);
    const OnDevice<int> sums(std::vector<int>(16, 5));
    const int twice = 2, minus = -1;
    statuses.push_back(gemm(integers.data, integers.data, CUDA_R_8I, sums.data, CUDA_R_32I, &twice, &minus, CUBLAS_COMPUTE_32I));
    std::vector<long long> exact;
    for (const int value : sums.values()) exact.push_back(value);
    show_exact("integers", exact);
    statuses.push_back(gemm(integers.data, integers.data, CUDA_R_8I, wide.data, CUDA_R_32F, &alpha, &one, CUBLAS_COMPUTE_32F));
    show("integers to float", wide);
    statuses.push_back(gemm(integers.data, da.data, CUDA_R_8I, wide.data, CUDA_R_64F, &alpha, &one, CUBLAS_COMPUTE_32F));
    statuses.push_back(gemm(wide.data, wide.data, CUDA_R_32F, wide.data, CUDA_R_16F, &alpha, &one, CUBLAS_COMPUTE_32F));
    statuses.push_back(gemm(wide.data, wide.data, CUDA_C_8I, wide.data, CUDA_C_32F, &alpha, &one, CUBLAS_COMPUTE_32F));
    show_exact("types, statuses", statuses);
}

void emulation() {
    std::vector<long long> values;
    cublasEmulationStrategy_t strategy{};
    cudaEmulationMantissaControl control{};
    cudaEmulationSpecialValuesSupport mask{};
    int count = 7, offset = 7, *pointer = nullptr;
    cublasMath_t math{};
    values.push_back(cublasGetEmulationStrategy(handle, &strategy));
    values.push_back(cublasGetFixedPointEmulationMantissaControl(handle, &control));
    values.push_back(cublasGetEmulationSpecialValuesSupport(handle, &mask));
    values.push_back(cublasGetFixedPointEmulationMaxMantissaBitCount(handle, &count));
    values.push_back(cublasGetFixedPointEmulationMantissaBitOffset(handle, &offset));
    values.push_back(cublasGetFixedPointEmulationMantissaBitCountPointer(handle, &pointer));
    values.insert(values.end(), {strategy, control, mask, count, offset, pointer != nullptr});
    values.push_back(cublasSetMathMode(handle, CUBLAS_FP64_EMULATED_FIXEDPOINT_MATH));
    values.push_back(cublasSetEmulationStrategy(handle, CUBLAS_EMULATION_STRATEGY_EAGER));
    values.push_back(cublasSetFixedPointEmulationMantissaControl(handle, CUDA_EMULATION_MANTISSA_CONTROL_FIXED));
    values.push_back(cublasSetFixedPointEmulationMaxMantissaBitCount(handle, 79));
    values.push_back(cublasSetFixedPointEmulationMantissaBitOffset(handle, -2));
    cublasGetMathMode(handle, &math);
    values.push_back(math);
    const OnDevice<double> a(numbers<double>(30, 90)), b(numbers<double>(30, 91)), c(numbers<double>(25, 92));
    const double alpha = 1.5, beta = -0.5;
    values.push_back(cublasDgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, 5, 5, 6, &alpha, a.data, 5, b.data, 6, &beta, c.data, 5));
    values.push_back(cublasGemmEx(handle, CUBLAS_OP_T, CUBLAS_OP_N, 5, 5, 6, &alpha, a.data, CUDA_R_64F, 6, b.data,
                                  CUDA_R_64F, 6, &beta, c.data, CUDA_R_64F, 5, CUBLAS_COMPUTE_64F_EMULATED_FIXEDPOINT,
                                  CUBLAS_GEMM_DEFAULT));
    show("Dgemm emulated", c);
    const OnDevice<float> p(numbers<float>(30, 93)), q(numbers<float>(25, 94));
    const float by = 0.5f, keep = 2.0f;
    values.push_back(cublasSetMathMode(handle, CUBLAS_FP32_EMULATED_BF16X9_MATH));
    values.push_back(cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_T, 5, 5, 6, &by, p.data, 5, p.data, 5, &keep, q.data, 5));
    values.push_back(cublasGemmEx(handle, CUBLAS_OP_T, CUBLAS_OP_N, 5, 5, 6, &by, p.data, CUDA_R_32F, 6, p.data, CUDA_R_32F,
                                  6, &keep, q.data, CUDA_R_32F, 5, CUBLAS_COMPUTE_32F_EMULATED_16BFX9, CUBLAS_GEMM_DEFAULT));
    show("Sgemm emulated", q);
    values.push_back(cublasSetMathMode(handle, CUBLAS_DEFAULT_MATH));
    values.push_back(cublasSetEmulationStrategy(handle, static_cast<cublasEmulationStrategy_t>(9)));
    values.push_back(cublasSetFixedPointEmulationMantissaControl(handle, static_cast<cudaEmulationMantissaControl>(9)));
    values.push_back(cublasSetFixedPointEmulationMaxMantissaBitCount(handle, -1));
    values.push_back(cublasSetEmulationStrategy(nullptr, CUBLAS_EMULATION_STRATEGY_EAGER));
    show_exact("emulation, statuses", values);
}

int main() {
    std::setvbuf(stdout, nullptr, _IOLBF, 0);  // what a crash leaves is whole lines
    if (cublasCreate(&handle) != CUBLAS_STATUS_SUCCESS) return 1;
    Cases<SingleComplex>::level1();
    Cases<DoubleComplex>::level1();
    Cases<SingleComplex>::level2();
    Cases<DoubleComplex>::level2();
    Cases<SingleComplex>::level3();
    Cases<DoubleComplex>::level3();
    Cases<SingleComplex>::typed();
    Cases<DoubleComplex>::typed();
    Cases<SingleComplex>::solvers<OfS>("S");
    Cases<SingleComplex>::solvers<OfD>("D");
    Cases<SingleComplex>::solvers<OfC>("C");
    Cases<SingleComplex>::solvers<OfZ>("Z");
    other_types();
    emulation();
    Cases<SingleComplex>::misuse();
    Cases<DoubleComplex>::misuse();
    cublasDestroy(handle);
}
