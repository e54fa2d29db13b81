// What cuSPARSE's handles and descriptors hold. A descriptor knows addresses; memory is looked at when a call needs it.
#pragma once

// The functions of toolkit 13 that the next one leaves out are served, too.
#define DISABLE_CUSPARSE_DEPRECATED
#include <cusparse.h>

#include <complex>
#include <cstdint>
#include <string_view>
#include <vector>

#include "runtime_wrappers/virtual_gpu/stream/timeline.h"

namespace cudash::libraries::cusparse {

struct Handle {
    cudaStream_t stream = nullptr;
    cusparsePointerMode_t pointer_mode = CUSPARSE_POINTER_MODE_HOST;
};

/// CSR, CSC or COO. `major`: offsets of rows (CSR) or columns (CSC), or the rows of the elements (COO).
struct SparseMatrix {
    cusparseFormat_t format = CUSPARSE_FORMAT_CSR;
    std::int64_t rows = 0, columns = 0, count = 0;
    void* major = nullptr;
    void* minor = nullptr;
    void* values = nullptr;
    cusparseIndexType_t major_type = CUSPARSE_INDEX_32I, minor_type = CUSPARSE_INDEX_32I;
    cusparseIndexBase_t base = CUSPARSE_INDEX_BASE_ZERO;
    cudaDataType type = CUDA_R_32F;
    cusparseFillMode_t fill = CUSPARSE_FILL_MODE_LOWER;
    cusparseDiagType_t diagonal = CUSPARSE_DIAG_TYPE_NON_UNIT;

    std::int64_t major_length() const {
        if (format == CUSPARSE_FORMAT_COO) return count;
        return (format == CUSPARSE_FORMAT_CSR ? rows : columns) + 1;
    }
};
struct SparseVector {
    std::int64_t size = 0, count = 0;
    void* indices = nullptr;
    void* values = nullptr;
    cusparseIndexType_t index_type = CUSPARSE_INDEX_32I;
    cusparseIndexBase_t base = CUSPARSE_INDEX_BASE_ZERO;
    cudaDataType type = CUDA_R_32F;
};
struct DenseVector {
    std::int64_t size = 0;
    void* values = nullptr;
    cudaDataType type = CUDA_R_32F;
};
struct DenseMatrix {
    std::int64_t rows = 0, columns = 0, leading = 0;
    void* values = nullptr;
    cudaDataType type = CUDA_R_32F;
    cusparseOrder_t order = CUSPARSE_ORDER_COL;

    std::int64_t place(std::int64_t row, std::int64_t column) const {
        return order == CUSPARSE_ORDER_ROW ? row * leading + column : column * leading + row;
    }
};
/// Of the functions that take arrays instead of descriptors.
struct MatrixKind {
    cusparseMatrixType_t type = CUSPARSE_MATRIX_TYPE_GENERAL;
    cusparseFillMode_t fill = CUSPARSE_FILL_MODE_LOWER;
    cusparseDiagType_t diagonal = CUSPARSE_DIAG_TYPE_NON_UNIT;
    cusparseIndexBase_t base = CUSPARSE_INDEX_BASE_ZERO;
};
/// A product of sparse matrices between its steps: rows, columns from 0, and the sums.
struct SparseProduct {
    std::vector<std::int64_t> offsets, columns;
    std::vector<std::complex<double>> values;
    bool computed = false;
};
struct Solve {
    bool analyzed = false;
};
struct Factorization {
    bool analyzed = false;
    int zero_pivot = -1;
};

/// What is said of each in messages, and where its handles begin.
template <class T>
struct ObjectOf;
#define CUDASH_OBJECT(handle, object, shown, first)     \
    template <>                                         \
    struct ObjectOf<handle> {                           \
        using Type = object;                            \
        static constexpr std::string_view name = shown; \
        static constexpr std::uintptr_t begin = first;  \
    }
CUDASH_OBJECT(cusparseHandle_t, Handle, "handle of cusparseCreate", 0x5000'a800'1000);
CUDASH_OBJECT(cusparseSpMatDescr_t, SparseMatrix, "sparse matrix", 0x5000'a900'1000);
CUDASH_OBJECT(cusparseSpVecDescr_t, SparseVector, "sparse vector", 0x5000'aa00'1000);
CUDASH_OBJECT(cusparseDnVecDescr_t, DenseVector, "dense vector", 0x5000'ab00'1000);
CUDASH_OBJECT(cusparseDnMatDescr_t, DenseMatrix, "dense matrix", 0x5000'ac00'1000);
CUDASH_OBJECT(cusparseMatDescr_t, MatrixKind, "matrix description", 0x5000'ad00'1000);
CUDASH_OBJECT(cusparseSpGEMMDescr_t, SparseProduct, "description of a sparse product", 0x5000'ae00'1000);
CUDASH_OBJECT(cusparseSpSVDescr_t, Solve, "description of a solution", 0x5000'af00'1000);
CUDASH_OBJECT(cusparseSpSMDescr_t, Solve, "description of solutions", 0x5000'af80'1000);
CUDASH_OBJECT(csrilu02Info_t, Factorization, "description of a factorization", 0x5000'afc0'1000);
#undef CUDASH_OBJECT

template <class T>
virtual_gpu::HandleTable<T, typename ObjectOf<T>::Type>& objects() {
    static virtual_gpu::HandleTable<T, typename ObjectOf<T>::Type> live(ObjectOf<T>::begin);
    return live;
}
/// Handles of constant objects are those of the others.
template <class T>
struct PlainOf {
    using Type = T;
};
template <class T>
struct PlainOf<const T*> {
    using Type = T*;
};
template <class T>
auto* find(T handle) {
    using Plain = typename PlainOf<T>::Type;
    return objects<Plain>().find(const_cast<Plain>(handle));
}

}  // namespace cudash::libraries::cusparse
