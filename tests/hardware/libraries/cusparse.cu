// cuSPARSE: one line for each case.
#include <cusparse.h>

#include "cases.h"

cusparseHandle_t handle;
constexpr auto plain = CUSPARSE_OPERATION_NON_TRANSPOSE, turned = CUSPARSE_OPERATION_TRANSPOSE;

/// 4 x 5 with 7 elements, in each format; one row is empty.
template <class T>
struct Matrix {
    OnDevice<int> offsets{{0, 2, 2, 5, 7}}, rows{{0, 0, 2, 2, 2, 3, 3}}, columns{{0, 3, 1, 2, 4, 0, 4}}, column_offsets{{0, 2, 3, 4, 5, 7}},
        of_columns{{0, 3, 2, 2, 0, 2, 3}};
    OnDevice<T> values{{1, 2, 3, 4, 5, 6, 7}}, by_columns{{1, 6, 3, 4, 2, 5, 7}};
    cusparseSpMatDescr_t csr, coo, csc;
    static constexpr cudaDataType type = sizeof(T) == 8 ? CUDA_R_64F : CUDA_R_32F;
    Matrix() {
        cusparseCreateCsr(&csr, 4, 5, 7, offsets.data, columns.data, values.data, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, type);
        cusparseCreateCoo(&coo, 4, 5, 7, rows.data, columns.data, values.data, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, type);
        cusparseCreateCsc(&csc, 4, 5, 7, column_offsets.data, of_columns.data, by_columns.data, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, type);
    }
    ~Matrix() { cusparseDestroySpMat(csr), cusparseDestroySpMat(coo), cusparseDestroySpMat(csc); }
};
struct Buffer {
    void* data = nullptr;
    explicit Buffer(std::size_t bytes) { cudaMalloc(&data, bytes + 1); }
    ~Buffer() { cudaFree(data); }
};

template <class T>
void products(const char* letter) {
    const Matrix<T> a;
    char name[64];
    const T alpha = 2, beta = T(0.5);
    int which = 0;
    const cusparseSpMatDescr_t matrices[] = {a.csr, a.coo, a.csc};
    const cusparseOperation_t operations[] = {plain, turned};
    for (const cusparseSpMatDescr_t matrix : matrices) {
        for (const cusparseOperation_t operation : operations) {
            const int in = operation == plain ? 5 : 4, out = 9 - in;
            const OnDevice<T> x(numbers<T>(in, 1)), y(numbers<T>(out, 2)), b(numbers<T>(in * 3, 3)), c(numbers<T>(out * 3, 4));
            cusparseDnVecDescr_t vx, vy;
            cusparseCreateDnVec(&vx, in, x.data, a.type), cusparseCreateDnVec(&vy, out, y.data, a.type);
            std::size_t bytes = 0;
            cusparseSpMV_bufferSize(handle, operation, &alpha, matrix, vx, &beta, vy, a.type, CUSPARSE_SPMV_ALG_DEFAULT, &bytes);
            const Buffer buffer(bytes);
            cusparseSpMV(handle, operation, &alpha, matrix, vx, &beta, vy, a.type, CUSPARSE_SPMV_ALG_DEFAULT, buffer.data);
            std::snprintf(name, sizeof name, "%sSpMV %d%s", letter, which, operation == plain ? "" : ", turned");
            show(name, y);
            cusparseDnMatDescr_t mb, mc;
            cusparseCreateDnMat(&mb, in, 3, in, b.data, a.type, CUSPARSE_ORDER_COL), cusparseCreateDnMat(&mc, out, 3, 3, c.data, a.type, CUSPARSE_ORDER_ROW);
            cusparseSpMM_bufferSize(handle, operation, plain, &alpha, matrix, mb, &beta, mc, a.type, CUSPARSE_SPMM_ALG_DEFAULT, &bytes);
            const Buffer other(bytes);
            const int status = cusparseSpMM(handle, operation, plain, &alpha, matrix, mb, &beta, mc, a.type, CUSPARSE_SPMM_ALG_DEFAULT, other.data);
            std::snprintf(name, sizeof name, "%sSpMM %d%s, status", letter, which, operation == plain ? "" : ", turned");
            show_exact(name, {status});
            std::snprintf(name, sizeof name, "%sSpMM %d%s", letter, which, operation == plain ? "" : ", turned");
            if (status == CUSPARSE_STATUS_SUCCESS) show(name, c);
            cusparseDestroyDnVec(vx), cusparseDestroyDnVec(vy), cusparseDestroyDnMat(mb), cusparseDestroyDnMat(mc);
        }
        ++which;
    }
}

template <class T>
void sparse_product(const char* letter) {
    const Matrix<T> a;
    // 5 x 3
    const OnDevice<int> offsets({0, 1, 2, 4, 4, 6}), columns({2, 0, 0, 1, 1, 2});
    const OnDevice<T> values({1, -2, 3, -4, 5, -6});
    cusparseSpMatDescr_t b, c;
    cusparseCreateCsr(&b, 5, 3, 6, offsets.data, columns.data, values.data, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, a.type);
    const OnDevice<int> result_offsets(std::vector<int>(5, -1)), result_columns(std::vector<int>(20, -1));
    const OnDevice<T> result(std::vector<T>(20, T(0)));
    cusparseCreateCsr(&c, 4, 3, 0, result_offsets.data, nullptr, nullptr, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, a.type);
    cusparseSpGEMMDescr_t product;
    cusparseSpGEMM_createDescr(&product);
    const T alpha = 2, beta = 0;
    std::size_t bytes = 0, more = 0;
    std::vector<long long> statuses;
    statuses.push_back(cusparseSpGEMM_workEstimation(handle, plain, plain, &alpha, a.csr, b, &beta, c, a.type, CUSPARSE_SPGEMM_DEFAULT, product, &bytes, nullptr));
    const Buffer first(bytes);
    statuses.push_back(cusparseSpGEMM_workEstimation(handle, plain, plain, &alpha, a.csr, b, &beta, c, a.type, CUSPARSE_SPGEMM_DEFAULT, product, &bytes, first.data));
    statuses.push_back(cusparseSpGEMM_compute(handle, plain, plain, &alpha, a.csr, b, &beta, c, a.type, CUSPARSE_SPGEMM_DEFAULT, product, &more, nullptr));
    const Buffer second(more);
    statuses.push_back(cusparseSpGEMM_compute(handle, plain, plain, &alpha, a.csr, b, &beta, c, a.type, CUSPARSE_SPGEMM_DEFAULT, product, &more, second.data));
    int64_t rows, width, count;
    cusparseSpMatGetSize(c, &rows, &width, &count);
    statuses.push_back(count);
    cusparseCsrSetPointers(c, result_offsets.data, result_columns.data, result.data);
    statuses.push_back(cusparseSpGEMM_copy(handle, plain, plain, &alpha, a.csr, b, &beta, c, a.type, CUSPARSE_SPGEMM_DEFAULT, product));
    for (const int each : result_offsets.values()) statuses.push_back(each);
    for (const int each : result_columns.values()) statuses.push_back(each);
    char name[64];
    std::snprintf(name, sizeof name, "%sSpGEMM, places", letter);
    show_exact(name, statuses);
    std::snprintf(name, sizeof name, "%sSpGEMM", letter);
    show(name, result);
    cusparseSpGEMM_destroyDescr(product), cusparseDestroySpMat(b), cusparseDestroySpMat(c);
}

template <class T>
void solutions(const char* letter) {
    const OnDevice<int> offsets({0, 2, 4, 7, 9}), columns({0, 2, 1, 3, 0, 1, 2, 2, 3});
    const OnDevice<T> values({4, 1, 5, 2, -1, 3, 6, 2, 8});
    const cudaDataType type = sizeof(T) == 8 ? CUDA_R_64F : CUDA_R_32F;
    for (int which = 0; which < 8; ++which) {
        cusparseSpMatDescr_t a;
        cusparseCreateCsr(&a, 4, 4, 9, offsets.data, columns.data, values.data, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, type);
        const auto fill = which & 1 ? CUSPARSE_FILL_MODE_UPPER : CUSPARSE_FILL_MODE_LOWER;
        const auto diagonal = which & 2 ? CUSPARSE_DIAG_TYPE_UNIT : CUSPARSE_DIAG_TYPE_NON_UNIT;
        const auto operation = which & 4 ? turned : plain;
        cusparseSpMatSetAttribute(a, CUSPARSE_SPMAT_FILL_MODE, (void*)&fill, sizeof fill);
        cusparseSpMatSetAttribute(a, CUSPARSE_SPMAT_DIAG_TYPE, (void*)&diagonal, sizeof diagonal);
        const OnDevice<T> x(numbers<T>(4, 1)), y(std::vector<T>(4, T(0)));
        cusparseDnVecDescr_t vx, vy;
        cusparseCreateDnVec(&vx, 4, x.data, type), cusparseCreateDnVec(&vy, 4, y.data, type);
        cusparseSpSVDescr_t solve;
        cusparseSpSV_createDescr(&solve);
        const T alpha = 2;
        std::size_t bytes = 0;
        cusparseSpSV_bufferSize(handle, operation, &alpha, a, vx, vy, type, CUSPARSE_SPSV_ALG_DEFAULT, solve, &bytes);
        const Buffer buffer(bytes);
        cusparseSpSV_analysis(handle, operation, &alpha, a, vx, vy, type, CUSPARSE_SPSV_ALG_DEFAULT, solve, buffer.data);
        cusparseSpSV_solve(handle, operation, &alpha, a, vx, vy, type, CUSPARSE_SPSV_ALG_DEFAULT, solve);
        char name[64];
        std::snprintf(name, sizeof name, "%sSpSV %d", letter, which);
        show(name, y);
        cusparseSpSV_destroyDescr(solve), cusparseDestroyDnVec(vx), cusparseDestroyDnVec(vy), cusparseDestroySpMat(a);
    }
}

void factors() {
    // Of the second, a pivot becomes 0.
    for (const double middle : {5.0, 0.5}) {
        const OnDevice<int> offsets({0, 2, 5, 7}), columns({0, 1, 0, 1, 2, 1, 2});
        const OnDevice<double> values({4, 1, 2, middle, 3, 6, 7});
        cusparseMatDescr_t kind;
        csrilu02Info_t info;
        cusparseCreateMatDescr(&kind), cusparseCreateCsrilu02Info(&info);
        int bytes = 0, pivot = 99;
        cusparseDcsrilu02_bufferSize(handle, 3, 7, kind, values.data, offsets.data, columns.data, info, &bytes);
        const Buffer buffer(bytes);
        cusparseDcsrilu02_analysis(handle, 3, 7, kind, values.data, offsets.data, columns.data, info, CUSPARSE_SOLVE_POLICY_NO_LEVEL, buffer.data);
        cusparseDcsrilu02(handle, 3, 7, kind, values.data, offsets.data, columns.data, info, CUSPARSE_SOLVE_POLICY_NO_LEVEL, buffer.data);
        const int status = cusparseXcsrilu02_zeroPivot(handle, info, &pivot);
        show_exact(middle == 5 ? "Dcsrilu02, pivot" : "Dcsrilu02, pivot of zero", {status, pivot});
        if (middle == 5) show("Dcsrilu02", values);
        cusparseDestroyCsrilu02Info(info), cusparseDestroyMatDescr(kind);
    }
}

void conversions() {
    const Matrix<float> a;
    const OnDevice<float> dense(std::vector<float>(24, 9.0f)), values(std::vector<float>(12, 0.0f));
    const OnDevice<int> offsets(std::vector<int>(8, -1)), indices(std::vector<int>(12, -1));
    cusparseDnMatDescr_t matrix;
    cusparseCreateDnMat(&matrix, 4, 5, 6, dense.data, CUDA_R_32F, CUSPARSE_ORDER_ROW);
    std::size_t bytes = 0;
    cusparseSparseToDense_bufferSize(handle, a.csr, matrix, CUSPARSE_SPARSETODENSE_ALG_DEFAULT, &bytes);
    const Buffer buffer(bytes);
    cusparseSparseToDense(handle, a.csr, matrix, CUSPARSE_SPARSETODENSE_ALG_DEFAULT, buffer.data);
    show("Sparse to dense", dense);
    cusparseSpMatDescr_t sparse;
    cusparseCreateCsc(&sparse, 4, 5, 0, offsets.data, nullptr, nullptr, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ONE, CUDA_R_32F);
    cusparseDenseToSparse_bufferSize(handle, matrix, sparse, CUSPARSE_DENSETOSPARSE_ALG_DEFAULT, &bytes);
    const Buffer other(bytes);
    cusparseDenseToSparse_analysis(handle, matrix, sparse, CUSPARSE_DENSETOSPARSE_ALG_DEFAULT, other.data);
    int64_t rows, columns, count;
    cusparseSpMatGetSize(sparse, &rows, &columns, &count);
    cusparseCscSetPointers(sparse, offsets.data, indices.data, values.data);
    cusparseDenseToSparse_convert(handle, matrix, sparse, CUSPARSE_DENSETOSPARSE_ALG_DEFAULT, other.data);
    std::vector<long long> places = {count};
    for (const int each : offsets.values()) places.push_back(each);
    for (const int each : indices.values()) places.push_back(each);
    show_exact("dense to sparse, places", places);
    show("Dense to sparse", values);
    cusparseDestroySpMat(sparse), cusparseDestroyDnMat(matrix);
}

void misuse() {
    const Matrix<float> a;
    std::vector<long long> statuses;
    const OnDevice<float> x(numbers<float>(5, 1)), y(numbers<float>(4, 2));
    cusparseDnVecDescr_t vx, vy, doubles;
    cusparseCreateDnVec(&vx, 5, x.data, CUDA_R_32F), cusparseCreateDnVec(&vy, 4, y.data, CUDA_R_32F), cusparseCreateDnVec(&doubles, 2, y.data, CUDA_R_64F);
    const float alpha = 1, beta = 0;
    std::size_t bytes = 0;
    const auto ask = [&](cusparseHandle_t by, cusparseDnVecDescr_t from, cusparseDnVecDescr_t to, const float* factor) {
        statuses.push_back(cusparseSpMV_bufferSize(by, plain, factor, a.csr, from, &beta, to, CUDA_R_32F, CUSPARSE_SPMV_ALG_DEFAULT, &bytes));
        statuses.push_back(cusparseSpMV(by, plain, factor, a.csr, from, &beta, to, CUDA_R_32F, CUSPARSE_SPMV_ALG_DEFAULT, nullptr));
    };
    ask(nullptr, vx, vy, &alpha), ask(handle, vy, vx, &alpha), ask(handle, doubles, vy, &alpha), ask(handle, vx, vy, nullptr), ask(handle, nullptr, vy, &alpha);
    show_exact("SpMV, statuses", statuses);
    statuses.clear();
    cusparseSpMatDescr_t matrix;
    cusparseDnMatDescr_t dense;
    statuses.push_back(cusparseCreateCsr(&matrix, -1, 5, 7, a.offsets.data, a.columns.data, a.values.data, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F));
    statuses.push_back(cusparseCreateCsr(nullptr, 4, 5, 7, a.offsets.data, a.columns.data, a.values.data, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F));
    statuses.push_back(cusparseCreateCsr(&matrix, 4, 5, 99, a.offsets.data, a.columns.data, a.values.data, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F));
    statuses.push_back(cusparseCreateDnMat(&dense, 4, 5, 3, x.data, CUDA_R_32F, CUSPARSE_ORDER_COL));
    statuses.push_back(cusparseCreateDnVec(&vx, -1, x.data, CUDA_R_32F));
    statuses.push_back(cusparseCreateDnVec(&vx, 5, nullptr, CUDA_R_32F));
    statuses.push_back(cusparseSetPointerMode(handle, (cusparsePointerMode_t)7));
    show_exact("descriptors, statuses", statuses);
}

int main() {
    cusparseCreate(&handle);
    products<float>("S");
    products<double>("D");
    sparse_product<float>("S");
    sparse_product<double>("D");
    solutions<float>("S");
    solutions<double>("D");
    factors();
    conversions();
    misuse();
}
