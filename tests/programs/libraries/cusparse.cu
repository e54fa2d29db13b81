// cuSPARSE: random sparse matrices in each format, index type and base, against sums on the host.
#include <cusparse.h>
#include <cmath>
#include <map>
#include "check.h"

unsigned state = 1;
int below(int limit) {
    state = state * 1664525u + 1013904223u;
    return int(state >> 8) % limit;
}
void must(cusparseStatus_t status, const char* what) {
    if (status == CUSPARSE_STATUS_SUCCESS) return;
    std::printf("%s: %s\n", what, cusparseGetErrorName(status));
    std::exit(1);
}

cusparseHandle_t handle;

template <class T>
constexpr cudaDataType type_of = std::is_same_v<T, double> ? CUDA_R_64F : CUDA_R_32F;
template <class T>
constexpr double tolerance = std::is_same_v<T, double> ? 1e-12 : 1e-4;

/// A sparse matrix on the host and, in one of the formats, on the device.
template <class T, class Index>
struct Sparse {
    int rows, columns, base;
    cusparseFormat_t format;
    std::map<std::pair<int, int>, T> elements;  // by row and column
    std::vector<Index> major, minor;
    std::vector<T> values;
    Index *d_major, *d_minor;
    T* d_values;
    cusparseSpMatDescr_t matrix;

    Sparse(int height, int width, cusparseFormat_t in, double share) : rows(height), columns(width), base(below(2)), format(in) {
        for (int row = 0; row < rows; ++row)
            for (int column = 0; column < columns; ++column)
                if (below(1000) < share * 1000) elements[{row, column}] = T(below(17) + 1) / 4;
        store();
    }
    Sparse(std::map<std::pair<int, int>, T> given, int size) : rows(size), columns(size), base(0), format(CUSPARSE_FORMAT_CSR), elements(given) {
        store();
    }
    void store() {
        const bool by_columns = format == CUSPARSE_FORMAT_CSC;
        std::map<std::pair<int, int>, T> ordered;
        for (const auto& [place, value] : elements)
            ordered[by_columns ? std::pair(place.second, place.first) : place] = value;
        if (format != CUSPARSE_FORMAT_COO) major.assign((by_columns ? columns : rows) + 1, Index(base));
        for (const auto& [place, value] : ordered) {
            if (format == CUSPARSE_FORMAT_COO) major.push_back(Index(place.first + base));
            else for (std::size_t i = place.first + 1; i < major.size(); ++i) ++major[i];
            minor.push_back(Index(place.second + base));
            values.push_back(value);
        }
        d_major = to_device(major), d_minor = to_device(minor), d_values = to_device(values);
        const auto index = sizeof(Index) == 8 ? CUSPARSE_INDEX_64I : CUSPARSE_INDEX_32I;
        const auto first = base ? CUSPARSE_INDEX_BASE_ONE : CUSPARSE_INDEX_BASE_ZERO;
        const long long count = values.size();
        if (format == CUSPARSE_FORMAT_CSR)
            must(cusparseCreateCsr(&matrix, rows, columns, count, d_major, d_minor, d_values, index, index, first, type_of<T>), "CSR");
        else if (by_columns)
            must(cusparseCreateCsc(&matrix, rows, columns, count, d_major, d_minor, d_values, index, index, first, type_of<T>), "CSC");
        else
            must(cusparseCreateCoo(&matrix, rows, columns, count, d_major, d_minor, d_values, index, first, type_of<T>), "COO");
    }
    ~Sparse() {
        cusparseDestroySpMat(matrix);
        cudaFree(d_major), cudaFree(d_minor), cudaFree(d_values);
    }
};

template <class T>
std::vector<T> some(int count) {
    std::vector<T> values(count);
    for (T& value : values) value = T(below(17) - 8) / 4;
    return values;
}
template <class T>
bool close(const std::vector<T>& a, const std::vector<T>& b) {
    for (std::size_t i = 0; i < a.size(); ++i)
        if (!(std::fabs(a[i] - b[i]) <= tolerance<T> * (1 + std::fabs(b[i])))) return false;
    return a.size() == b.size();
}

template <class T, class Index>
bool with_vectors(cusparseFormat_t format) {
    const Sparse<T, Index> a(1 + below(20), 1 + below(20), format, 0.3);
    const bool turned = below(2);
    const auto x = some<T>(turned ? a.rows : a.columns), y = some<T>(turned ? a.columns : a.rows);
    T *d_x = to_device(x), *d_y = to_device(y);
    cusparseDnVecDescr_t vector_x, vector_y;
    must(cusparseCreateDnVec(&vector_x, x.size(), d_x, type_of<T>), "x");
    must(cusparseCreateDnVec(&vector_y, y.size(), d_y, type_of<T>), "y");
    const T alpha = 2, beta = T(below(2)) / 2;
    const auto operation = turned ? CUSPARSE_OPERATION_TRANSPOSE : CUSPARSE_OPERATION_NON_TRANSPOSE;
    std::size_t bytes = 0;
    void* buffer;
    must(cusparseSpMV_bufferSize(handle, operation, &alpha, a.matrix, vector_x, &beta, vector_y, type_of<T>, CUSPARSE_SPMV_ALG_DEFAULT, &bytes), "size");
    cudaMalloc(&buffer, bytes);
    must(cusparseSpMV(handle, operation, &alpha, a.matrix, vector_x, &beta, vector_y, type_of<T>, CUSPARSE_SPMV_ALG_DEFAULT, buffer), "SpMV");
    std::vector<T> wanted(y.size());
    for (std::size_t i = 0; i < y.size(); ++i) wanted[i] = beta * y[i];
    for (const auto& [place, value] : a.elements)
        wanted[turned ? place.second : place.first] += alpha * value * x[turned ? place.first : place.second];
    const bool right = close(from_device(d_y, y.size()), wanted);
    cusparseDestroyDnVec(vector_x), cusparseDestroyDnVec(vector_y);
    cudaFree(buffer), cudaFree(d_x), cudaFree(d_y);
    return right;
}

/// A dense matrix by columns or rows.
template <class T>
struct Dense {
    int rows, columns, leading;
    bool by_rows;
    std::vector<T> values;
    T* d;
    cusparseDnMatDescr_t matrix;
    Dense(int height, int width) : rows(height), columns(width), by_rows(below(2)) {
        leading = (by_rows ? columns : rows) + below(3);
        values = some<T>(leading * (by_rows ? rows : columns));
        d = to_device(values);
        must(cusparseCreateDnMat(&matrix, rows, columns, leading, d, type_of<T>, by_rows ? CUSPARSE_ORDER_ROW : CUSPARSE_ORDER_COL), "dense");
    }
    ~Dense() {
        cusparseDestroyDnMat(matrix);
        cudaFree(d);
    }
    T at(int row, int column) const { return values[by_rows ? row * leading + column : column * leading + row]; }
    void fetch() { values = from_device(d, values.size()); }
};

template <class T, class Index>
bool with_matrices(cusparseFormat_t format) {
    const Sparse<T, Index> a(1 + below(14), 1 + below(14), format, 0.3);
    const bool turned = below(2);
    const Dense<T> b(turned ? a.rows : a.columns, 1 + below(6));
    Dense<T> c(turned ? a.columns : a.rows, b.columns);
    const T alpha = 1, beta = T(below(2));
    const auto operation = turned ? CUSPARSE_OPERATION_TRANSPOSE : CUSPARSE_OPERATION_NON_TRANSPOSE;
    std::vector<T> wanted, got;
    for (int j = 0; j < c.columns; ++j)
        for (int i = 0; i < c.rows; ++i) {
            T sum = beta * c.at(i, j);
            for (const auto& [place, value] : a.elements)
                if ((turned ? place.second : place.first) == i) sum += value * b.at(turned ? place.first : place.second, j);
            wanted.push_back(sum);
        }
    must(cusparseSpMM(handle, operation, CUSPARSE_OPERATION_NON_TRANSPOSE, &alpha, a.matrix, b.matrix, &beta, c.matrix, type_of<T>,
                      CUSPARSE_SPMM_ALG_DEFAULT, nullptr), "SpMM");
    c.fetch();
    for (int j = 0; j < c.columns; ++j)
        for (int i = 0; i < c.rows; ++i) got.push_back(c.at(i, j));
    return close(got, wanted);
}

template <class T>
bool sparse_products() {
    const Sparse<T, int> a(1 + below(12), 1 + below(12), CUSPARSE_FORMAT_CSR, 0.3), b(a.columns, 1 + below(12), CUSPARSE_FORMAT_CSR, 0.3);
    std::map<std::pair<int, int>, T> wanted;
    for (const auto& [left, x] : a.elements)
        for (const auto& [right, y] : b.elements)
            if (left.second == right.first) wanted[{left.first, right.second}] += x * y;
    int* offsets;
    cudaMalloc(&offsets, (a.rows + 1) * sizeof(int));
    cusparseSpMatDescr_t c;
    must(cusparseCreateCsr(&c, a.rows, b.columns, 0, offsets, nullptr, nullptr, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, type_of<T>), "C");
    cusparseSpGEMMDescr_t product;
    must(cusparseSpGEMM_createDescr(&product), "product");
    const T alpha = 1, beta = 0;
    const auto plain = CUSPARSE_OPERATION_NON_TRANSPOSE;
    std::size_t bytes = 0, more = 0;
    void *buffer, *another;
    must(cusparseSpGEMM_workEstimation(handle, plain, plain, &alpha, a.matrix, b.matrix, &beta, c, type_of<T>, CUSPARSE_SPGEMM_DEFAULT, product, &bytes, nullptr), "size");
    cudaMalloc(&buffer, bytes);
    must(cusparseSpGEMM_workEstimation(handle, plain, plain, &alpha, a.matrix, b.matrix, &beta, c, type_of<T>, CUSPARSE_SPGEMM_DEFAULT, product, &bytes, buffer), "estimate");
    must(cusparseSpGEMM_compute(handle, plain, plain, &alpha, a.matrix, b.matrix, &beta, c, type_of<T>, CUSPARSE_SPGEMM_DEFAULT, product, &more, nullptr), "more");
    cudaMalloc(&another, more);
    must(cusparseSpGEMM_compute(handle, plain, plain, &alpha, a.matrix, b.matrix, &beta, c, type_of<T>, CUSPARSE_SPGEMM_DEFAULT, product, &more, another), "compute");
    int64_t rows, columns, count;
    must(cusparseSpMatGetSize(c, &rows, &columns, &count), "count");
    int* indices;
    T* values;
    cudaMalloc(&indices, count * sizeof(int) + 1), cudaMalloc(&values, count * sizeof(T) + 1);
    must(cusparseCsrSetPointers(c, offsets, indices, values), "pointers");
    must(cusparseSpGEMM_copy(handle, plain, plain, &alpha, a.matrix, b.matrix, &beta, c, type_of<T>, CUSPARSE_SPGEMM_DEFAULT, product), "copy");
    bool right = count == int64_t(wanted.size());
    if (right && count) {
        const auto first = from_device(offsets, a.rows + 1), at = from_device(indices, count);
        const auto sums = from_device(values, count);
        for (int row = 0; row < a.rows; ++row)
            for (int i = first[row]; i < first[row + 1]; ++i) {
                const auto found = wanted.find({row, at[i]});
                right = right && found != wanted.end() && std::fabs(found->second - sums[i]) < 1e-3;
            }
    }
    cusparseSpGEMM_destroyDescr(product), cusparseDestroySpMat(c);
    cudaFree(buffer), cudaFree(another), cudaFree(offsets), cudaFree(indices), cudaFree(values);
    return right;
}

/// A triangle with its diagonal: solutions, and the factors of a matrix that has no other elements.
template <class T>
bool solutions() {
    const int n = 1 + below(12);
    const bool lower = below(2), turned = below(2), unit = below(2);
    std::map<std::pair<int, int>, T> elements;
    for (int row = 0; row < n; ++row)
        for (int column = 0; column < n; ++column)
            if (row == column || below(3) == 0) elements[{row, column}] = row == column ? T(8 + below(4)) : T(below(9) - 4) / 4;
    const Sparse<T, int> a(elements, n);
    const auto fill = lower ? CUSPARSE_FILL_MODE_LOWER : CUSPARSE_FILL_MODE_UPPER;
    const auto diagonal = unit ? CUSPARSE_DIAG_TYPE_UNIT : CUSPARSE_DIAG_TYPE_NON_UNIT;
    must(cusparseSpMatSetAttribute(a.matrix, CUSPARSE_SPMAT_FILL_MODE, (void*)&fill, sizeof fill), "fill");
    must(cusparseSpMatSetAttribute(a.matrix, CUSPARSE_SPMAT_DIAG_TYPE, (void*)&diagonal, sizeof diagonal), "diagonal");
    const auto wanted = some<T>(n);
    std::vector<T> side(n, T(0));
    for (const auto& [place, value] : elements) {
        if (lower ? place.second > place.first : place.second < place.first) continue;
        const T counts = unit && place.first == place.second ? T(1) : value;
        side[turned ? place.second : place.first] += counts * wanted[turned ? place.first : place.second];
    }
    T *d_x = to_device(side), *d_y = to_device(side);
    cusparseDnVecDescr_t x, y;
    must(cusparseCreateDnVec(&x, n, d_x, type_of<T>), "x"), must(cusparseCreateDnVec(&y, n, d_y, type_of<T>), "y");
    cusparseSpSVDescr_t solve;
    must(cusparseSpSV_createDescr(&solve), "solve");
    const T alpha = 1;
    const auto operation = turned ? CUSPARSE_OPERATION_TRANSPOSE : CUSPARSE_OPERATION_NON_TRANSPOSE;
    std::size_t bytes = 0;
    void* buffer;
    must(cusparseSpSV_bufferSize(handle, operation, &alpha, a.matrix, x, y, type_of<T>, CUSPARSE_SPSV_ALG_DEFAULT, solve, &bytes), "size");
    cudaMalloc(&buffer, bytes);
    must(cusparseSpSV_analysis(handle, operation, &alpha, a.matrix, x, y, type_of<T>, CUSPARSE_SPSV_ALG_DEFAULT, solve, buffer), "analysis");
    must(cusparseSpSV_solve(handle, operation, &alpha, a.matrix, x, y, type_of<T>, CUSPARSE_SPSV_ALG_DEFAULT, solve), "solve");
    const bool right = close(from_device(d_y, n), wanted);
    cusparseSpSV_destroyDescr(solve), cusparseDestroyDnVec(x), cusparseDestroyDnVec(y);
    cudaFree(buffer), cudaFree(d_x), cudaFree(d_y);
    return right;
}

/// L * U has the matrix's elements where the matrix has them.
bool factors() {
    const int n = 2 + below(10);
    std::map<std::pair<int, int>, double> elements;
    for (int row = 0; row < n; ++row)
        for (int column = std::max(0, row - 1); column <= std::min(n - 1, row + 1); ++column)
            elements[{row, column}] = row == column ? 5 + below(3) : 1 + below(2);
    const Sparse<double, int> a(elements, n);
    cusparseMatDescr_t kind;
    csrilu02Info_t info;
    must(cusparseCreateMatDescr(&kind), "kind"), must(cusparseCreateCsrilu02Info(&info), "info");
    const int count = a.values.size();
    int bytes = 0, pivot = 0;
    void* buffer;
    must(cusparseDcsrilu02_bufferSize(handle, n, count, kind, a.d_values, a.d_major, a.d_minor, info, &bytes), "size");
    cudaMalloc(&buffer, bytes);
    must(cusparseDcsrilu02_analysis(handle, n, count, kind, a.d_values, a.d_major, a.d_minor, info, CUSPARSE_SOLVE_POLICY_NO_LEVEL, buffer), "analysis");
    must(cusparseDcsrilu02(handle, n, count, kind, a.d_values, a.d_major, a.d_minor, info, CUSPARSE_SOLVE_POLICY_NO_LEVEL, buffer), "ilu");
    must(cusparseXcsrilu02_zeroPivot(handle, info, &pivot), "pivot");
    const auto values = from_device(a.d_values, count);
    std::vector<double> l(n * n, 0.0), u(n * n, 0.0);
    int i = 0;
    for (const auto& [place, value] : elements) (place.second < place.first ? l : u)[place.first * n + place.second] = values[i++];
    for (int row = 0; row < n; ++row) l[row * n + row] = 1;
    bool right = pivot == -1;
    for (const auto& [place, value] : elements) {
        double sum = 0;
        for (int k = 0; k < n; ++k) sum += l[place.first * n + k] * u[k * n + place.second];
        right = right && std::fabs(sum - value) < 1e-12;
    }
    cusparseDestroyCsrilu02Info(info), cusparseDestroyMatDescr(kind), cudaFree(buffer);
    return right;
}

/// Dense to sparse and back; CSR to CSC and to rows; what a sparse vector takes and gives.
template <class T>
bool conversions(cusparseFormat_t format) {
    Dense<T> before(1 + below(9), 1 + below(9)), after(before.rows, before.columns);
    const long long lines = format == CUSPARSE_FORMAT_CSC ? before.columns : before.rows;
    int *major, *minor;
    T* values;
    cudaMalloc(&major, 100 * sizeof(int)), cudaMalloc(&minor, 100 * sizeof(int)), cudaMalloc(&values, 100 * sizeof(T));
    cusparseSpMatDescr_t sparse;
    if (format == CUSPARSE_FORMAT_CSR)
        must(cusparseCreateCsr(&sparse, before.rows, before.columns, 0, major, nullptr, nullptr, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ONE, type_of<T>), "CSR");
    else if (format == CUSPARSE_FORMAT_CSC)
        must(cusparseCreateCsc(&sparse, before.rows, before.columns, 0, major, nullptr, nullptr, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ONE, type_of<T>), "CSC");
    else
        must(cusparseCreateCoo(&sparse, before.rows, before.columns, 0, nullptr, nullptr, nullptr, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, type_of<T>), "COO");
    std::size_t bytes = 0;
    void* buffer;
    must(cusparseDenseToSparse_bufferSize(handle, before.matrix, sparse, CUSPARSE_DENSETOSPARSE_ALG_DEFAULT, &bytes), "size");
    cudaMalloc(&buffer, bytes);
    must(cusparseDenseToSparse_analysis(handle, before.matrix, sparse, CUSPARSE_DENSETOSPARSE_ALG_DEFAULT, buffer), "analysis");
    if (format == CUSPARSE_FORMAT_CSR) must(cusparseCsrSetPointers(sparse, major, minor, values), "pointers");
    else if (format == CUSPARSE_FORMAT_CSC) must(cusparseCscSetPointers(sparse, major, minor, values), "pointers");
    else must(cusparseCooSetPointers(sparse, major, minor, values), "pointers");
    must(cusparseDenseToSparse_convert(handle, before.matrix, sparse, CUSPARSE_DENSETOSPARSE_ALG_DEFAULT, buffer), "convert");
    must(cusparseSparseToDense(handle, sparse, after.matrix, CUSPARSE_SPARSETODENSE_ALG_DEFAULT, buffer), "back");
    after.fetch();
    bool right = lines > 0;
    for (int i = 0; i < before.rows; ++i)
        for (int j = 0; j < before.columns; ++j) right = right && before.at(i, j) == after.at(i, j);
    cusparseDestroySpMat(sparse);
    cudaFree(buffer), cudaFree(major), cudaFree(minor), cudaFree(values);
    return right;
}
bool turned_matrices() {
    const Sparse<float, int> a(1 + below(9), 1 + below(9), CUSPARSE_FORMAT_CSR, 0.4);
    const int count = a.values.size();
    const auto base = a.base ? CUSPARSE_INDEX_BASE_ONE : CUSPARSE_INDEX_BASE_ZERO;
    int *offsets, *rows, *again;
    float* values;
    cudaMalloc(&offsets, 100 * sizeof(int)), cudaMalloc(&rows, 100 * sizeof(int)), cudaMalloc(&again, 100 * sizeof(int));
    cudaMalloc(&values, 100 * sizeof(float));
    must(cusparseCsr2cscEx2(handle, a.rows, a.columns, count, a.d_values, a.d_major, a.d_minor, values, offsets, rows, CUDA_R_32F,
                            CUSPARSE_ACTION_NUMERIC, base, CUSPARSE_CSR2CSC_ALG1, nullptr), "CSC");
    std::map<std::pair<int, int>, float> turned;
    const auto first = from_device(offsets, a.columns + 1), at = from_device(rows, count);
    const auto moved = from_device(values, count);
    for (int column = 0; column < a.columns; ++column)
        for (int i = first[column] - a.base; i < first[column + 1] - a.base; ++i) turned[{at[i] - a.base, column}] = moved[i];
    must(cusparseXcsr2coo(handle, a.d_major, count, a.rows, rows, base), "rows");
    must(cusparseXcoo2csr(handle, rows, count, a.rows, again, base), "offsets");
    const bool right = turned == a.elements && from_device(again, a.rows + 1) == a.major;
    cudaFree(offsets), cudaFree(rows), cudaFree(again), cudaFree(values);
    return right;
}
bool vectors() {
    const std::vector<int> places = {1, 4, 6};
    const std::vector<double> x = {10, 20, 30}, y = {1, 2, 3, 4, 5, 6, 7, 8};
    int* d_places = to_device(places);
    double *d_x = to_device(x), *d_y = to_device(y);
    cusparseSpVecDescr_t sparse;
    cusparseDnVecDescr_t dense;
    must(cusparseCreateSpVec(&sparse, 8, 3, d_places, d_x, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F), "sparse");
    must(cusparseCreateDnVec(&dense, 8, d_y, CUDA_R_64F), "dense");
    double sum = 0;
    const double alpha = 2, beta = 10;
    must(cusparseSpVV(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, sparse, dense, &sum, CUDA_R_64F, nullptr), "SpVV");
    must(cusparseAxpby(handle, &alpha, sparse, &beta, dense), "Axpby");
    bool right = sum == 10 * 2 + 20 * 5 + 30 * 7 && from_device(d_y, 8) == std::vector<double>{10, 40, 30, 40, 90, 60, 130, 80};
    must(cusparseGather(handle, dense, sparse), "Gather");
    right = right && from_device(d_x, 3) == std::vector<double>{40, 90, 130};
    cudaMemcpy(d_y, y.data(), 8 * sizeof(double), cudaMemcpyHostToDevice);
    must(cusparseScatter(handle, sparse, dense), "Scatter");
    right = right && from_device(d_y, 8) == std::vector<double>{1, 40, 3, 4, 90, 6, 130, 8};
    cusparseDestroySpVec(sparse), cusparseDestroyDnVec(dense);
    cudaFree(d_places), cudaFree(d_x), cudaFree(d_y);
    return right;
}

int main() {
    must(cusparseCreate(&handle), "cusparseCreate");
    bool with_vector = true, with_matrix = true, products = true, solved = true, factored = true, converted = true, turned = true;
    for (int i = 0; i < 12; ++i) {
        for (const auto format : {CUSPARSE_FORMAT_CSR, CUSPARSE_FORMAT_CSC, CUSPARSE_FORMAT_COO}) {
            with_vector &= with_vectors<float, int>(format) && with_vectors<double, long long>(format);
            with_matrix &= with_matrices<float, int>(format) && with_matrices<double, int>(format);
            converted &= conversions<float>(format) && conversions<double>(format);
        }
        products &= sparse_products<float>() && sparse_products<double>();
        solved &= solutions<float>() && solutions<double>();
        factored &= factors();
        turned &= turned_matrices();
    }
    expect("with vectors", with_vector, true);
    expect("with matrices", with_matrix, true);
    expect("sparse products", products, true);
    expect("solutions", solved, true);
    expect("factors", factored, true);
    expect("conversions", converted, true);
    expect("turned matrices", turned, true);
    expect("sparse vectors", vectors(), true);
    cusparseDestroy(handle);
}
