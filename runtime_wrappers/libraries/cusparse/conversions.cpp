#include "runtime_wrappers/libraries/cusparse/conversions.h"

#include <algorithm>
#include <numeric>

#include "runtime_wrappers/libraries/cusparse/elements.h"

namespace cudash::libraries::cusparse::bodies {
namespace {

/// Where the rows (or columns) begin, of `count` of them, whose elements are in `places`.
std::vector<std::int64_t> offsets_of(const std::vector<std::int64_t>& places, std::int64_t count) {
    std::vector<std::int64_t> offsets(static_cast<std::size_t>(count + 1), 0);
    for (const std::int64_t place : places) ++offsets[static_cast<std::size_t>(place + 1)];
    std::partial_sum(offsets.begin(), offsets.end(), offsets.begin());
    return offsets;
}
void write_indices(cusparseIndexType_t type, std::byte* bytes, const std::vector<std::int64_t>& indices,
                   std::int64_t base) {
    std::int64_t at = 0;
    for (const std::int64_t index : indices) write_index(type, bytes, at++, index + base);
}

void need_base(Look& look, cusparseIndexBase_t base) {
    look.need(base == CUSPARSE_INDEX_BASE_ZERO || base == CUSPARSE_INDEX_BASE_ONE, "indices begin with {}",
              static_cast<int>(base));
}

/// The places of a dense matrix that are not 0, in the order of the format.
Places places_in(const Dense<std::complex<double>>& dense, cusparseFormat_t format) {
    Places places;
    const bool by_columns = format == CUSPARSE_FORMAT_CSC;
    const std::int64_t outer = by_columns ? dense.columns : dense.rows, inner = by_columns ? dense.rows : dense.columns;
    for (std::int64_t i = 0; i < outer; ++i)
        for (std::int64_t j = 0; j < inner; ++j) {
            const std::int64_t row = by_columns ? j : i, column = by_columns ? i : j;
            if (dense.at(row, column) == 0.0) continue;
            places.rows.push_back(row);
            places.columns.push_back(column);
        }
    return places;
}

void look_at_dense(Look& look, const SparseMatrix* sparse, const DenseMatrix* dense) {
    if (!look.ok()) return;
    look.need(sparse->rows == dense->rows && sparse->columns == dense->columns,
              "the sparse matrix is {} x {}, the dense one {} x {}", sparse->rows, sparse->columns, dense->rows,
              dense->columns);
    look.need(sparse->type == dense->type, "the sparse matrix has type {}, the dense one {}",
              static_cast<int>(sparse->type), static_cast<int>(dense->type));
    look.need_types("the matrix", sparse->type, sparse->type);
}

constexpr auto plain = CUSPARSE_OPERATION_NON_TRANSPOSE;
using Number = std::complex<double>;  // exact for each type

}  // namespace

cusparseStatus_t coo_to_csr(Served& served, cusparseHandle_t handle, const int* rows, int nnz, int m, int* offsets,
                            cusparseIndexBase_t base) {
    Request request(served, handle);
    request.need(nnz >= 0 && m >= 0, "nnz is {}, m {}", nnz, m);
    need_base(request, base);
    if (!request.ok()) return request.status();
    const SparseVector as_vector{.size = m, .count = nnz, .indices = const_cast<int*>(rows), .base = base};
    VectorOperand from{.vector = as_vector};
    from.indices = request.array("cooRowInd", rows, nnz, sizeof(int), Access::read);
    const std::size_t to = request.array("csrRowPtr", offsets, m + 1, sizeof(int), Access::written);
    return request.ask([=](Operands& o) {
        bool fine = true;
        const auto indices = indices_of(from, o, fine);
        if (fine) write_indices(CUSPARSE_INDEX_32I, o.at<std::byte>(to), offsets_of(indices, m), base);
        return fine;
    });
}

cusparseStatus_t csr_to_coo(Served& served, cusparseHandle_t handle, const int* offsets, int nnz, int m, int* rows,
                            cusparseIndexBase_t base) {
    Request request(served, handle);
    request.need(nnz >= 0 && m >= 0, "nnz is {}, m {}", nnz, m);
    need_base(request, base);
    if (!request.ok()) return request.status();
    const std::size_t from = request.array("csrRowPtr", offsets, m + 1, sizeof(int), Access::read);
    const std::size_t to = request.array("cooRowInd", rows, nnz, sizeof(int), Access::written);
    return request.ask([=](Operands& o) {
        const int* const begin = o.at<int>(from);
        for (int row = 0; row < m; ++row)
            for (int i = std::max(begin[row] - base, 0); i < std::min(begin[row + 1] - base, nnz); ++i)
                o.at<int>(to)[i] = row + base;
    });
}

cusparseStatus_t csr_to_csc(Served& served, cusparseHandle_t handle, int m, int n, int nnz, const void* csrVal,
                            const int* csrRowPtr, const int* csrColInd, void* cscVal, int* cscColPtr, int* cscRowInd,
                            cudaDataType type, cusparseAction_t copyValues, cusparseIndexBase_t base,
                            cusparseCsr2CscAlg_t, void*) {
    Request request(served, handle);
    const bool with_values = copyValues == CUSPARSE_ACTION_NUMERIC;
    request.need(m >= 0 && n >= 0 && nnz >= 0, "m is {}, n {}, nnz {}", m, n, nnz);
    need_base(request, base);
    request.need_types("the matrix", type, type);
    if (!request.ok()) return request.status();
    SparseMatrix matrix{.rows = m, .columns = n, .count = nnz, .base = base, .type = type};
    matrix.major = const_cast<int*>(csrRowPtr);
    matrix.minor = const_cast<int*>(csrColInd);
    matrix.values = const_cast<void*>(csrVal);
    const std::int64_t size = size_of_type(type), moved = with_values ? nnz : 0;
    MatrixOperand from{.matrix = matrix};
    from.major = request.array("csrRowPtr", csrRowPtr, m + 1, sizeof(int), Access::read);
    from.minor = request.array("csrColInd", csrColInd, nnz, sizeof(int), Access::read);
    from.values = request.array("csrVal", csrVal, moved, size, Access::read);
    const std::size_t values = request.array("cscVal", cscVal, moved, size, Access::written);
    const std::size_t offsets = request.array("cscColPtr", cscColPtr, n + 1, sizeof(int), Access::written);
    const std::size_t rows = request.array("cscRowInd", cscRowInd, nnz, sizeof(int), Access::written);
    return request.ask([=](Operands& o) {
        const Places places = places_of(from, o);
        if (!places.fine) return false;
        std::vector<std::size_t> order(static_cast<std::size_t>(nnz));
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::ranges::stable_sort(order, {}, [&](std::size_t i) { return places.columns[i]; });
        for (std::size_t i = 0; i < order.size(); ++i) {
            const auto at = static_cast<std::int64_t>(i);
            o.at<int>(rows)[i] = static_cast<int>(places.rows[order[i]]) + base;
            if (with_values)
                std::copy_n(o.at<std::byte>(from.values) + static_cast<std::int64_t>(order[i]) * size, size,
                            o.at<std::byte>(values) + at * size);
        }
        write_indices(CUSPARSE_INDEX_32I, o.at<std::byte>(offsets), offsets_of(places.columns, n), base);
        return true;
    });
}

cusparseStatus_t sparse_to_dense(Served& served, cusparseHandle_t handle, cusparseConstSpMatDescr_t matA,
                                 cusparseDnMatDescr_t matB, cusparseSparseToDenseAlg_t, void*) {
    Request request(served, handle);
    const SparseMatrix* const a = request.object("matA", matA);
    const DenseMatrix* const b = request.object("matB", matB);
    look_at_dense(request, a, b);
    if (!request.ok()) return request.status();
    const MatrixOperand from = add_matrix(request, *a);
    const std::size_t to = add_dense(request, "matB", *b, Access::written);
    return request.ask([=, b = *b](Operands& o) {
        const auto elements = read_elements<Number>(from, o);
        if (!elements.places.fine) return false;
        Dense<Number> dense(b.rows, b.columns);
        elements.each([&](std::int64_t row, std::int64_t column, Number value) { dense.at(row, column) = value; });
        write_dense(b, dense, o.at<std::byte>(to));
        return true;
    });
}

cusparseStatus_t dense_to_sparse_analysis(Served& served, cusparseHandle_t handle, cusparseConstDnMatDescr_t matA,
                                          cusparseSpMatDescr_t matB, cusparseDenseToSparseAlg_t, void*) {
    Request request(served, handle);
    const DenseMatrix* const a = request.object("matA", matA);
    SparseMatrix* const b = request.object("matB", matB);
    look_at_dense(request, b, a);
    if (!request.ok()) return request.status();
    const bool has_offsets = b->format != CUSPARSE_FORMAT_COO;
    const std::size_t from = add_dense(request, "matA", *a, Access::read);
    const std::size_t to = request.array("the offsets of matB", b->major, has_offsets ? b->major_length() : 0,
                                         size_of_index(b->major_type), Access::written);
    request.work().wait();  // the program asks how many elements there are
    return request.ask([=, a = *a](Operands& o) {
        const Places places = places_in(read_dense<Number>(a, plain, o.at<std::byte>(from)), b->format);
        b->count = static_cast<std::int64_t>(places.rows.size());
        if (!has_offsets) return;
        const bool by_rows = b->format == CUSPARSE_FORMAT_CSR;
        write_indices(b->major_type, o.at<std::byte>(to),
                      offsets_of(by_rows ? places.rows : places.columns, by_rows ? b->rows : b->columns), b->base);
    });
}

cusparseStatus_t dense_to_sparse(Served& served, cusparseHandle_t handle, cusparseConstDnMatDescr_t matA,
                                 cusparseSpMatDescr_t matB, cusparseDenseToSparseAlg_t, void*) {
    Request request(served, handle);
    const DenseMatrix* const a = request.object("matA", matA);
    const SparseMatrix* const b = request.object("matB", matB);
    look_at_dense(request, b, a);
    if (!request.ok()) return request.status();
    const std::size_t from = add_dense(request, "matA", *a, Access::read);
    const std::size_t major =
        request.array("the rows of matB", b->major, b->major_length(), size_of_index(b->major_type), Access::written);
    const std::size_t minor =
        request.array("the columns of matB", b->minor, b->count, size_of_index(b->minor_type), Access::written);
    const std::size_t to =
        request.array("the values of matB", b->values, b->count, size_of_type(b->type), Access::written);
    return request.ask([=, a = *a, b = *b](Operands& o) {
        const auto dense = read_dense<Number>(a, plain, o.at<std::byte>(from));
        const Places places = places_in(dense, b.format);
        if (static_cast<std::int64_t>(places.rows.size()) != b.count) {
            api::thread_state().explanation.cause = fmt::format(
                "matA has {} elements that are not 0, matB has room for {}: cusparseDenseToSparse_analysis "
                "must see what is converted",
                places.rows.size(), b.count);
            return false;
        }
        const bool by_columns = b.format == CUSPARSE_FORMAT_CSC;
        const auto& majors = by_columns ? places.columns : places.rows;
        write_indices(b.major_type, o.at<std::byte>(major),
                      b.format == CUSPARSE_FORMAT_COO ? majors : offsets_of(majors, b.major_length() - 1), b.base);
        write_indices(b.minor_type, o.at<std::byte>(minor), by_columns ? places.rows : places.columns, b.base);
        std::vector<Number> values;
        for (std::size_t i = 0; i < places.rows.size(); ++i)
            values.push_back(dense.at(places.rows[i], places.columns[i]));
        write_values(b.type, o.at<std::byte>(to), values);
        return true;
    });
}

}  // namespace cudash::libraries::cusparse::bodies
