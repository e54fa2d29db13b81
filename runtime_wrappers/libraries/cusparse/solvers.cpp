#include "runtime_wrappers/libraries/cusparse/solvers.h"

#include <map>

#include "runtime_wrappers/libraries/cusparse/elements.h"

namespace cudash::libraries::cusparse::bodies {
namespace {

/// One triangle of op(A), by rows. Elements of the other triangle are not looked at.
template <class Wide>
class Triangle {
public:
    Triangle(const SparseMatrix& matrix, cusparseOperation_t operation, const Elements<Wide>& elements)
        : lower_((matrix.fill == CUSPARSE_FILL_MODE_LOWER) == (operation == CUSPARSE_OPERATION_NON_TRANSPOSE)),
          unit_(matrix.diagonal == CUSPARSE_DIAG_TYPE_UNIT),
          rows_(static_cast<std::size_t>(elements.rows)),
          diagonal_(static_cast<std::size_t>(elements.rows), Wide(unit_ ? 1 : 0)) {
        elements.each([&](std::int64_t row, std::int64_t column, Wide value) {
            if (row == column && !unit_) diagonal_[static_cast<std::size_t>(row)] = value;
            if (lower_ ? column < row : column > row)
                rows_[static_cast<std::size_t>(row)].emplace_back(static_cast<std::size_t>(column), value);
        });
    }
    /// `values` holds the right side, then the solution.
    void solve(Wide* values) const {
        for (std::size_t i = 0; i < rows_.size(); ++i) {
            const std::size_t row = lower_ ? i : rows_.size() - 1 - i;
            Wide sum = values[row];
            for (const auto& [column, value] : rows_[row]) sum -= value * values[column];
            values[row] = sum / diagonal_[row];
        }
    }

private:
    bool lower_, unit_;
    std::vector<std::vector<std::pair<std::size_t, Wide>>> rows_;
    std::vector<Wide> diagonal_;
};

template <class Right, class Result>
void look_at(Look& look, const SparseMatrix* a, cusparseOperation_t opA, const Right* right, const Result* result,
             cudaDataType computeType) {
    if (!look.ok()) return;
    look.need_operation("opA", opA);
    look.need(a->rows == a->columns, "matA is {} x {}, not square", a->rows, a->columns);
    look.need_types("matA", a->type, computeType);
    look.need_types("the right side", right->type, computeType);
    look.need_types("the solution", result->type, computeType);
}

}  // namespace

cusparseStatus_t spsv_analysis(Served& served, cusparseHandle_t handle, cusparseOperation_t opA, const void*,
                               cusparseConstSpMatDescr_t matA, cusparseConstDnVecDescr_t vecX,
                               cusparseDnVecDescr_t vecY, cudaDataType computeType, cusparseSpSVAlg_t,
                               cusparseSpSVDescr_t solve, void*) {
    Request request(served, handle);
    Solve* const known = request.object("spsvDescr", solve);
    look_at(request, request.object("matA", matA), opA, request.object("vecX", vecX), request.object("vecY", vecY),
            computeType);
    if (request.ok()) known->analyzed = true;
    return request.status();
}

cusparseStatus_t spsv_solve(Served& served, cusparseHandle_t handle, cusparseOperation_t opA, const void* alpha,
                            cusparseConstSpMatDescr_t matA, cusparseConstDnVecDescr_t vecX, cusparseDnVecDescr_t vecY,
                            cudaDataType computeType, cusparseSpSVAlg_t, cusparseSpSVDescr_t solve) {
    Request request(served, handle);
    const SparseMatrix* const a = request.object("matA", matA);
    const DenseVector* const x = request.object("vecX", vecX);
    const DenseVector* const y = request.object("vecY", vecY);
    const Solve* const known = request.object("spsvDescr", solve);
    look_at(request, a, opA, x, y, computeType);
    if (!request.ok()) return request.status();
    request.need(known->analyzed, "cusparseSpSV_analysis has not been called");
    request.need(x->size == a->rows && y->size == a->rows, "matA has {} rows, vecX {} and vecY {}", a->rows, x->size,
                 y->size);
    return with_compute_type(computeType, [&]<class Wide>(Wide) {
        const auto by = request.scalar<Wide>("alpha", alpha, computeType);
        if (!request.ok()) return request.status();
        const MatrixOperand matrix = add_matrix(request, *a);
        const std::size_t from = add_dense(request, "vecX", *x, Access::read);
        const std::size_t to = add_dense(request, "vecY", *y, Access::written);
        return request.ask([=, x = *x, y = *y](Operands& o) {
            auto elements = read_elements<Wide>(matrix, o);
            if (!elements.places.fine) return false;
            elements.apply(opA);
            auto values = read_values<Wide>(x.type, o.at<std::byte>(from), x.size);
            for (Wide& value : values) value *= by(o);
            Triangle<Wide>(matrix.matrix, opA, elements).solve(values.data());
            write_values(y.type, o.at<std::byte>(to), values);
            return true;
        });
    });
}

cusparseStatus_t spsm_analysis(Served& served, cusparseHandle_t handle, cusparseOperation_t opA, cusparseOperation_t,
                               const void*, cusparseConstSpMatDescr_t matA, cusparseConstDnMatDescr_t matB,
                               cusparseDnMatDescr_t matC, cudaDataType computeType, cusparseSpSMAlg_t,
                               cusparseSpSMDescr_t solve, void*) {
    Request request(served, handle);
    Solve* const known = request.object("spsmDescr", solve);
    look_at(request, request.object("matA", matA), opA, request.object("matB", matB), request.object("matC", matC),
            computeType);
    if (request.ok()) known->analyzed = true;
    return request.status();
}

cusparseStatus_t spsm_solve(Served& served, cusparseHandle_t handle, cusparseOperation_t opA, cusparseOperation_t opB,
                            const void* alpha, cusparseConstSpMatDescr_t matA, cusparseConstDnMatDescr_t matB,
                            cusparseDnMatDescr_t matC, cudaDataType computeType, cusparseSpSMAlg_t,
                            cusparseSpSMDescr_t solve) {
    Request request(served, handle);
    const SparseMatrix* const a = request.object("matA", matA);
    const DenseMatrix* const b = request.object("matB", matB);
    const DenseMatrix* const c = request.object("matC", matC);
    const Solve* const known = request.object("spsmDescr", solve);
    look_at(request, a, opA, b, c, computeType);
    request.need_operation("opB", opB);
    if (!request.ok()) return request.status();
    request.need(known->analyzed, "cusparseSpSM_analysis has not been called");
    const bool plain = opB == CUSPARSE_OPERATION_NON_TRANSPOSE;
    request.need(
        c->rows == a->rows && c->rows == (plain ? b->rows : b->columns) && c->columns == (plain ? b->columns : b->rows),
        "matA has {} rows, matB is {} x {} and matC {} x {}", a->rows, b->rows, b->columns, c->rows, c->columns);
    return with_compute_type(computeType, [&]<class Wide>(Wide) {
        const auto by = request.scalar<Wide>("alpha", alpha, computeType);
        if (!request.ok()) return request.status();
        const MatrixOperand matrix = add_matrix(request, *a);
        const std::size_t from = add_dense(request, "matB", *b, Access::read);
        const std::size_t to = add_dense(request, "matC", *c, Access::written);
        return request.ask([=, b = *b, c = *c](Operands& o) {
            auto elements = read_elements<Wide>(matrix, o);
            if (!elements.places.fine) return false;
            elements.apply(opA);
            const Triangle<Wide> triangle(matrix.matrix, opA, elements);
            auto values = read_dense<Wide>(b, opB, o.at<std::byte>(from));
            for (Wide& value : values.values) value *= by(o);
            for (std::int64_t column = 0; column < c.columns; ++column) triangle.solve(&values.at(0, column));
            write_dense(c, values, o.at<std::byte>(to));
            return true;
        });
    });
}

namespace {

/// Row by row: an element's row of U is subtracted where this row has elements. The first row without a pivot; -1:
/// none.
template <class T>
int factorize(const Places& places, std::vector<T>& values, std::int64_t rows) {
    std::vector<std::map<std::int64_t, std::size_t>> at(static_cast<std::size_t>(rows));
    for (std::size_t i = 0; i < values.size(); ++i) at[static_cast<std::size_t>(places.rows[i])][places.columns[i]] = i;
    int zero_pivot = -1;
    for (std::int64_t row = 0; row < rows; ++row) {
        auto& own = at[static_cast<std::size_t>(row)];
        for (const auto& [column, place] : own) {
            if (column >= row) break;
            const auto& above = at[static_cast<std::size_t>(column)];
            const auto pivot = above.find(column);
            if (pivot == above.end() || values[pivot->second] == T(0)) continue;
            values[place] /= values[pivot->second];
            for (auto other = std::next(pivot); other != above.end(); ++other)
                if (const auto found = own.find(other->first); found != own.end())
                    values[found->second] -= values[place] * values[other->second];
        }
        const auto diagonal = own.find(row);
        if (zero_pivot < 0 && (diagonal == own.end() || values[diagonal->second] == T(0)))
            zero_pivot = static_cast<int>(row);
    }
    return zero_pivot;
}

}  // namespace

template <class T>
cusparseStatus_t ilu0(Served& served, cusparseHandle_t handle, int m, int nnz, cusparseMatDescr_t kind, T* values,
                      const int* offsets, const int* columns, csrilu02Info_t info, cusparseSolvePolicy_t, void*) {
    Request request(served, handle);
    const MatrixKind* const found = request.object("descrA", kind);
    Factorization* const factorization = request.object("info", info);
    request.need(m >= 0 && nnz >= 0, "m is {}, nnz {}", m, nnz);
    if (!request.ok()) return request.status();
    request.need(factorization->analyzed, "the analysis of this matrix has not been done");
    SparseMatrix matrix{.rows = m, .columns = m, .count = nnz, .base = found->base};
    matrix.major = const_cast<int*>(offsets);
    matrix.minor = const_cast<int*>(columns);
    matrix.values = values;
    matrix.type = std::is_same_v<T, double> ? CUDA_R_64F : CUDA_R_32F;
    const MatrixOperand operand = add_matrix(request, matrix, Access::both);
    request.work().wait();  // programs ask for a zero pivot next
    return request.ask([=](Operands& o) {
        auto elements = read_elements<T>(operand, o);
        if (!elements.places.fine) return false;
        const int zero_pivot = factorize(elements.places, elements.values, m);
        factorization->zero_pivot = zero_pivot < 0 ? -1 : zero_pivot + operand.matrix.base;
        write_values(operand.matrix.type, o.at<std::byte>(operand.values), elements.values);
        return true;
    });
}
template cusparseStatus_t ilu0(Served&, cusparseHandle_t, int, int, cusparseMatDescr_t, float*, const int*, const int*,
                               csrilu02Info_t, cusparseSolvePolicy_t, void*);
template cusparseStatus_t ilu0(Served&, cusparseHandle_t, int, int, cusparseMatDescr_t, double*, const int*, const int*,
                               csrilu02Info_t, cusparseSolvePolicy_t, void*);

cusparseStatus_t ilu0_zero_pivot(Served& served, cusparseHandle_t handle, csrilu02Info_t info, int* position) {
    Request request(served, handle);
    const Factorization* const factorization = request.object("info", info);
    request.need_places(position);
    if (!request.ok()) return request.status();
    *position = factorization->zero_pivot;
    return factorization->zero_pivot < 0 ? CUSPARSE_STATUS_SUCCESS : CUSPARSE_STATUS_ZERO_PIVOT;
}

}  // namespace cudash::libraries::cusparse::bodies
