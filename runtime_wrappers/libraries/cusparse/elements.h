// Sparse and dense operands as numbers of the host, when the device's work has its turn.
#pragma once

#include <vector>

#include "runtime_wrappers/libraries/cusparse/request.h"

namespace cudash::libraries::cusparse {

std::int64_t size_of_index(cusparseIndexType_t type);
/// `index` of an array of indices, as the array has it.
std::int64_t read_index(cusparseIndexType_t type, const std::byte* indices, std::int64_t index);
void write_index(cusparseIndexType_t type, std::byte* indices, std::int64_t index, std::int64_t value);

/// The three arrays of a sparse matrix among a call's operands.
struct MatrixOperand {
    SparseMatrix matrix;
    std::size_t major = 0, minor = 0, values = 0;
};
MatrixOperand add_matrix(Request& request, const SparseMatrix& matrix, Access values_access = Access::read);
struct VectorOperand {
    SparseVector vector;
    std::size_t indices = 0, values = 0;
};
VectorOperand add_vector(Request& request, const SparseVector& vector, Access values_access);
std::size_t add_dense(Request& request, std::string_view name, const DenseVector& vector, Access access);
std::size_t add_dense(Request& request, std::string_view name, const DenseMatrix& matrix, Access access);

/// Where the elements are, counted from 0, in the order of the arrays. `fine` is false if an index is outside of the
/// matrix: then the thread's explanation names it.
struct Places {
    std::vector<std::int64_t> rows, columns;
    bool fine = true;
};
Places places_of(const MatrixOperand& operand, const Operands& operands);
/// Of vectors.
std::vector<std::int64_t> indices_of(const VectorOperand& operand, const Operands& operands, bool& fine);

template <class Wide>
std::vector<Wide> read_values(cudaDataType type, const std::byte* bytes, std::int64_t count) {
    std::vector<Wide> values(static_cast<std::size_t>(count));
    if (count == 0) return values;
    with_elements(type, bytes, [&](const auto* elements) {
        for (Wide& value : values) value = read_number<Wide>(*elements++);
    });
    return values;
}
template <class Wide>
void write_values(cudaDataType type, std::byte* bytes, const std::vector<Wide>& values) {
    if (values.empty()) return;
    with_elements(type, bytes, [&](auto* elements) {
        for (const Wide& value : values) write_number(value, *elements++);
    });
}

/// The elements of a sparse matrix, in the order of its arrays.
template <class Wide>
struct Elements {
    std::int64_t rows = 0, columns = 0;
    Places places;
    std::vector<Wide> values;

    /// As `operation` has them.
    void apply(cusparseOperation_t operation) {
        if (operation == CUSPARSE_OPERATION_NON_TRANSPOSE) return;
        std::swap(rows, columns);
        std::swap(places.rows, places.columns);
        for (Wide& value : values) value = conjugated(value, operation == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE);
    }
    template <class Use>
    void each(Use use) const {
        for (std::size_t i = 0; i < values.size(); ++i) use(places.rows[i], places.columns[i], values[i]);
    }
};
template <class Wide>
Elements<Wide> read_elements(const MatrixOperand& operand, const Operands& operands) {
    const SparseMatrix& matrix = operand.matrix;
    Elements<Wide> elements{matrix.rows, matrix.columns, places_of(operand, operands), {}};
    if (elements.places.fine)
        elements.values = read_values<Wide>(matrix.type, operands.at<std::byte>(operand.values), matrix.count);
    return elements;
}

/// A dense matrix as plain columns, as `operation` has it.
template <class Wide>
struct Dense {
    std::int64_t rows = 0, columns = 0;
    std::vector<Wide> values;

    Dense(std::int64_t height, std::int64_t width)
        : rows(height), columns(width), values(static_cast<std::size_t>(height * width)) {}
    Wide& at(std::int64_t row, std::int64_t column) { return values[static_cast<std::size_t>(column * rows + row)]; }
    const Wide& at(std::int64_t row, std::int64_t column) const {
        return values[static_cast<std::size_t>(column * rows + row)];
    }
};
template <class Wide>
Dense<Wide> read_dense(const DenseMatrix& matrix, cusparseOperation_t operation, const std::byte* bytes) {
    const bool plain = operation == CUSPARSE_OPERATION_NON_TRANSPOSE;
    Dense<Wide> dense(plain ? matrix.rows : matrix.columns, plain ? matrix.columns : matrix.rows);
    if (dense.values.empty()) return dense;
    with_elements(matrix.type, bytes, [&](const auto* elements) {
        for (std::int64_t column = 0; column < matrix.columns; ++column)
            for (std::int64_t row = 0; row < matrix.rows; ++row) {
                const Wide value = read_number<Wide>(elements[matrix.place(row, column)]);
                (plain ? dense.at(row, column) : dense.at(column, row)) =
                    conjugated(value, operation == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE);
            }
    });
    return dense;
}
template <class Wide>
void write_dense(const DenseMatrix& matrix, const Dense<Wide>& dense, std::byte* bytes) {
    with_elements(matrix.type, bytes, [&](auto* elements) {
        for (std::int64_t column = 0; column < matrix.columns; ++column)
            for (std::int64_t row = 0; row < matrix.rows; ++row)
                write_number(dense.at(row, column), elements[matrix.place(row, column)]);
    });
}

}  // namespace cudash::libraries::cusparse
