#include "runtime_wrappers/libraries/cusparse/elements.h"

namespace cudash::libraries::cusparse {
namespace {

/// Calls `use` with a pointer of the type's indices.
template <class Byte, class Use>
void with_indices(cusparseIndexType_t type, Byte* bytes, Use use) {
    const auto as = [&]<class T>(T*) {
        using Element = std::conditional_t<std::is_const_v<Byte>, const T, T>;
        use(reinterpret_cast<Element*>(bytes));
    };
    if (type == CUSPARSE_INDEX_64I) return as(static_cast<std::int64_t*>(nullptr));
    if (type == CUSPARSE_INDEX_16U) return as(static_cast<std::uint16_t*>(nullptr));
    as(static_cast<std::int32_t*>(nullptr));
}

bool refuse_index(std::string_view array, std::int64_t place, std::int64_t value, std::int64_t first,
                  std::int64_t end) {
    api::thread_state().explanation.cause =
        fmt::format("element {} of the {} is {}; it must be from {} to {}", place, array, value, first, end - 1);
    return false;
}

/// Indices of an array, counted from 0, all less than `limit`.
std::vector<std::int64_t> read_indices(std::string_view array, cusparseIndexType_t type, cusparseIndexBase_t base,
                                       const std::byte* bytes, std::int64_t count, std::int64_t limit, bool& fine) {
    std::vector<std::int64_t> indices(static_cast<std::size_t>(count));
    for (std::int64_t i = 0; i < count && fine; ++i) {
        const std::int64_t value = read_index(type, bytes, i);
        if (value < base || value - base >= limit) fine = refuse_index(array, i, value, base, limit + base);
        indices[static_cast<std::size_t>(i)] = value - base;
    }
    return indices;
}

/// Offsets become the row (or column) of each element.
std::vector<std::int64_t> expand_offsets(std::string_view array, const SparseMatrix& matrix, const std::byte* bytes,
                                         bool& fine) {
    std::vector<std::int64_t> expanded;
    expanded.reserve(static_cast<std::size_t>(matrix.count));
    std::int64_t before = 0;
    for (std::int64_t i = 0; i < matrix.major_length() && fine; ++i) {
        const std::int64_t offset = read_index(matrix.major_type, bytes, i) - matrix.base;
        if (offset < before || offset > matrix.count || (i == 0 && offset != 0))
            fine = refuse_index(array, i, offset + matrix.base, before + matrix.base,
                                (i == 0 ? 1 : matrix.count + 1) + matrix.base);
        else if (i > 0)
            expanded.insert(expanded.end(), static_cast<std::size_t>(offset - before), i - 1);
        before = offset;
    }
    if (fine && before != matrix.count)
        fine = refuse_index(array, matrix.major_length() - 1, before + matrix.base, matrix.count + matrix.base,
                            matrix.count + matrix.base + 1);
    return expanded;
}

}  // namespace

std::int64_t size_of_index(cusparseIndexType_t type) {
    return type == CUSPARSE_INDEX_64I ? 8 : type == CUSPARSE_INDEX_16U ? 2 : 4;
}
std::int64_t read_index(cusparseIndexType_t type, const std::byte* indices, std::int64_t index) {
    std::int64_t value = 0;
    with_indices(type, indices, [&](const auto* elements) { value = static_cast<std::int64_t>(elements[index]); });
    return value;
}
void write_index(cusparseIndexType_t type, std::byte* indices, std::int64_t index, std::int64_t value) {
    with_indices(type, indices,
                 [&](auto* elements) { elements[index] = static_cast<std::decay_t<decltype(*elements)>>(value); });
}

MatrixOperand add_matrix(Request& request, const SparseMatrix& matrix, Access values_access) {
    MatrixOperand operand{.matrix = matrix};
    operand.major = request.array("the matrix's rows", matrix.major, matrix.major_length(),
                                  size_of_index(matrix.major_type), Access::read);
    operand.minor = request.array("the matrix's columns", matrix.minor, matrix.count, size_of_index(matrix.minor_type),
                                  Access::read);
    operand.values =
        request.array("the matrix's values", matrix.values, matrix.count, size_of_type(matrix.type), values_access);
    return operand;
}
VectorOperand add_vector(Request& request, const SparseVector& vector, Access values_access) {
    VectorOperand operand{.vector = vector};
    operand.indices = request.array("the vector's indices", vector.indices, vector.count,
                                    size_of_index(vector.index_type), Access::read);
    operand.values =
        request.array("the vector's values", vector.values, vector.count, size_of_type(vector.type), values_access);
    return operand;
}
std::size_t add_dense(Request& request, std::string_view name, const DenseVector& vector, Access access) {
    return request.array(name, vector.values, vector.size, size_of_type(vector.type), access);
}
std::size_t add_dense(Request& request, std::string_view name, const DenseMatrix& matrix, Access access) {
    const bool by_rows = matrix.order == CUSPARSE_ORDER_ROW;
    const std::int64_t size = size_of_type(matrix.type);
    return request.work().add(name, static_cast<const std::byte*>(matrix.values),
                              {.width = (by_rows ? matrix.columns : matrix.rows) * size,
                               .height = by_rows ? matrix.rows : matrix.columns,
                               .pitch = matrix.leading * size},
                              access);
}

Places places_of(const MatrixOperand& operand, const Operands& operands) {
    const SparseMatrix& matrix = operand.matrix;
    const bool by_columns = matrix.format == CUSPARSE_FORMAT_CSC;
    const std::byte* const majors = operands.at<std::byte>(operand.major);
    Places places;
    std::vector<std::int64_t> major =
        matrix.format == CUSPARSE_FORMAT_COO
            ? read_indices("row indices", matrix.major_type, matrix.base, majors, matrix.count, matrix.rows,
                           places.fine)
            : expand_offsets(by_columns ? "column offsets" : "row offsets", matrix, majors, places.fine);
    if (!places.fine) return places;
    std::vector<std::int64_t> minor = read_indices(by_columns ? "row indices" : "column indices", matrix.minor_type,
                                                   matrix.base, operands.at<std::byte>(operand.minor), matrix.count,
                                                   by_columns ? matrix.rows : matrix.columns, places.fine);
    places.rows = std::move(by_columns ? minor : major);
    places.columns = std::move(by_columns ? major : minor);
    return places;
}
std::vector<std::int64_t> indices_of(const VectorOperand& operand, const Operands& operands, bool& fine) {
    const SparseVector& vector = operand.vector;
    return read_indices("indices", vector.index_type, vector.base, operands.at<std::byte>(operand.indices),
                        vector.count, vector.size, fine);
}

void Look::need_types(std::string_view name, cudaDataType type, cudaDataType compute) {
    lacks(size_of_type(type) == 0 || is_eight_bit_float(type), "the virtual GPU has no {} of type {}", name,
          static_cast<int>(type));
    lacks(size_of_type(compute) == 0, "the virtual GPU does not compute with type {}", static_cast<int>(compute));
    const auto complex = [](cudaDataType each) { return each == CUDA_C_32F || each == CUDA_C_64F; };
    need(complex(type) == complex(compute), "{} has type {}, and is computed with type {}", name,
         static_cast<int>(type), static_cast<int>(compute));
}

}  // namespace cudash::libraries::cusparse
