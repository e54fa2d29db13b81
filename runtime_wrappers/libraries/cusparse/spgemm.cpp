// C = alpha * op(A) * op(B) + beta * C of sparse matrices, in steps: how much memory, how many elements, the elements.
#include <algorithm>
#include <map>

#include "runtime_wrappers/libraries/cusparse/elements.h"
#include "runtime_wrappers/libraries/cusparse/products.h"

namespace cudash::libraries::cusparse::bodies {
namespace {

struct Sums {
    std::vector<std::map<std::int64_t, std::complex<double>>> rows;  ///< by column
};

template <class Wide>
Sums multiply(const Elements<Wide>& a, const Elements<Wide>& b) {
    std::vector<std::vector<std::pair<std::int64_t, Wide>>> b_rows(static_cast<std::size_t>(b.rows));
    b.each([&](std::int64_t row, std::int64_t column, Wide value) {
        b_rows[static_cast<std::size_t>(row)].emplace_back(column, value);
    });
    std::vector<std::map<std::int64_t, Wide>> sums(static_cast<std::size_t>(a.rows));
    a.each([&](std::int64_t row, std::int64_t inner, Wide value) {
        for (const auto& [column, other] : b_rows[static_cast<std::size_t>(inner)])
            sums[static_cast<std::size_t>(row)][column] += value * other;
    });
    Sums wide;
    wide.rows.resize(sums.size());
    for (std::size_t row = 0; row < sums.size(); ++row)
        for (const auto& [column, value] : sums[row]) wide.rows[row].emplace(column, std::complex<double>(value));
    return wide;
}

SparseProduct compressed(const Sums& sums) {
    SparseProduct product{.offsets = {0}, .columns = {}, .values = {}, .computed = true};
    for (const auto& row : sums.rows) {
        for (const auto& [column, value] : row) {
            product.columns.push_back(column);
            product.values.push_back(value);
        }
        product.offsets.push_back(static_cast<std::int64_t>(product.columns.size()));
    }
    return product;
}

struct Given {
    const SparseMatrix* a = nullptr;
    const SparseMatrix* b = nullptr;
    SparseMatrix* c = nullptr;
    SparseProduct* product = nullptr;
};
Given look_at(Request& request, cusparseOperation_t opA, cusparseOperation_t opB, cusparseConstSpMatDescr_t matA,
              cusparseConstSpMatDescr_t matB, cusparseSpMatDescr_t matC, cudaDataType computeType,
              cusparseSpGEMMDescr_t product) {
    const Given given{request.object("matA", matA), request.object("matB", matB), request.object("matC", matC),
                      request.object("spgemmDescr", product)};
    if (!request.ok()) return given;
    request.lacks(opA != CUSPARSE_OPERATION_NON_TRANSPOSE || opB != CUSPARSE_OPERATION_NON_TRANSPOSE,
                  "sparse products take matrices as they are: CUSPARSE_OPERATION_NON_TRANSPOSE");
    request.need(given.a->columns == given.b->rows, "A is {} x {} and B {} x {}", given.a->rows, given.a->columns,
                 given.b->rows, given.b->columns);
    request.need(given.c->rows == given.a->rows && given.c->columns == given.b->columns,
                 "A * B is {} x {}, and C is {} x {}", given.a->rows, given.b->columns, given.c->rows,
                 given.c->columns);
    for (const auto& [name, matrix] :
         {std::pair<std::string_view, const SparseMatrix*>("matA", given.a), {"matB", given.b}, {"matC", given.c}}) {
        request.lacks(matrix->format != CUSPARSE_FORMAT_CSR, "{} must be in CSR format", name);
        request.need_types(name, matrix->type, computeType);
    }
    return given;
}

}  // namespace

cusparseStatus_t spgemm_estimate(Served& served, cusparseHandle_t handle, cusparseOperation_t opA,
                                 cusparseOperation_t opB, const void*, cusparseConstSpMatDescr_t matA,
                                 cusparseConstSpMatDescr_t matB, const void*, cusparseSpMatDescr_t matC,
                                 cudaDataType computeType, cusparseSpGEMMAlg_t, cusparseSpGEMMDescr_t product,
                                 std::size_t* size, void*) {
    Request request(served, handle);
    look_at(request, opA, opB, matA, matB, matC, computeType, product);
    request.need_places(size);
    if (request.ok()) *size = some_buffer;
    return request.status();
}

cusparseStatus_t spgemm_compute(Served& served, cusparseHandle_t handle, cusparseOperation_t opA,
                                cusparseOperation_t opB, const void*, cusparseConstSpMatDescr_t matA,
                                cusparseConstSpMatDescr_t matB, const void*, cusparseSpMatDescr_t matC,
                                cudaDataType computeType, cusparseSpGEMMAlg_t, cusparseSpGEMMDescr_t product,
                                std::size_t* size, void* buffer) {
    Request request(served, handle);
    const Given given = look_at(request, opA, opB, matA, matB, matC, computeType, product);
    request.need_places(size);
    if (!request.ok()) return request.status();
    *size = some_buffer;
    if (!buffer) return CUSPARSE_STATUS_SUCCESS;  // the size alone is asked for
    const MatrixOperand a = add_matrix(request, *given.a), b = add_matrix(request, *given.b);
    request.work().wait();  // the program asks how many elements there are
    const cusparseStatus_t status = with_compute_type(computeType, [&]<class Wide>(Wide) {
        return request.ask([=, to = given.product](Operands& o) {
            const auto left = read_elements<Wide>(a, o);
            if (!left.places.fine) return false;
            const auto right = read_elements<Wide>(b, o);
            if (!right.places.fine) return false;
            *to = compressed(multiply(left, right));
            return true;
        });
    });
    if (status == CUSPARSE_STATUS_SUCCESS) given.c->count = static_cast<std::int64_t>(given.product->columns.size());
    return status;
}

cusparseStatus_t spgemm_copy(Served& served, cusparseHandle_t handle, cusparseOperation_t opA, cusparseOperation_t opB,
                             const void* alpha, cusparseConstSpMatDescr_t matA, cusparseConstSpMatDescr_t matB,
                             const void* beta, cusparseSpMatDescr_t matC, cudaDataType computeType, cusparseSpGEMMAlg_t,
                             cusparseSpGEMMDescr_t product) {
    Request request(served, handle);
    const Given given = look_at(request, opA, opB, matA, matB, matC, computeType, product);
    if (!request.ok()) return request.status();
    request.need(given.product->computed, "cusparseSpGEMM_compute has not computed this product");
    return with_compute_type(computeType, [&]<class Wide>(Wide) {
        const auto by = request.scalar<Wide>("alpha", alpha, computeType),
                   keep = request.scalar<Wide>("beta", beta, computeType);
        request.lacks(keep.on_device || keep.value != Wide(0), "the virtual GPU takes beta = 0 for sparse products");
        if (!request.ok()) return request.status();
        const SparseMatrix& c = *given.c;
        const std::size_t offsets =
            request.array("C's row offsets", c.major, c.rows + 1, size_of_index(c.major_type), Access::written);
        const std::size_t columns =
            request.array("C's column indices", c.minor, c.count, size_of_index(c.minor_type), Access::written);
        const std::size_t values =
            request.array("C's values", c.values, c.count, size_of_type(c.type), Access::written);
        return request.ask([=, c = c, computed = *given.product](Operands& o) {
            std::int64_t at = 0;
            for (const std::int64_t offset : computed.offsets)
                write_index(c.major_type, o.at<std::byte>(offsets), at++, offset + c.base);
            at = 0;
            for (const std::int64_t column : computed.columns)
                write_index(c.minor_type, o.at<std::byte>(columns), at++, column + c.base);
            std::vector<Wide> scaled;
            for (const std::complex<double> value : computed.values) scaled.push_back(by(o) * read_number<Wide>(value));
            write_values(c.type, o.at<std::byte>(values), scaled);
        });
    });
}

}  // namespace cudash::libraries::cusparse::bodies
