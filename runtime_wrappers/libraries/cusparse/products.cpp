#include "runtime_wrappers/libraries/cusparse/products.h"

#include "runtime_wrappers/libraries/cusparse/elements.h"

namespace cudash::libraries::cusparse::bodies {
namespace {

constexpr auto plain = CUSPARSE_OPERATION_NON_TRANSPOSE;

template <class Matrix>
std::int64_t rows_of(const Matrix& matrix, cusparseOperation_t operation) {
    return operation == plain ? matrix.rows : matrix.columns;
}
template <class Matrix>
std::int64_t columns_of(const Matrix& matrix, cusparseOperation_t operation) {
    return operation == plain ? matrix.columns : matrix.rows;
}
template <class A, class B, class C>
void need_product(Look& look, const A& a, cusparseOperation_t opA, const B& b, cusparseOperation_t opB, const C& c) {
    look.need_operation("opA", opA);
    look.need_operation("opB", opB);
    look.need(columns_of(a, opA) == rows_of(b, opB),
              "op(A) is {} x {} and op(B) {} x {}: the columns of the first are the rows of the second",
              rows_of(a, opA), columns_of(a, opA), rows_of(b, opB), columns_of(b, opB));
    look.need(c.rows == rows_of(a, opA) && c.columns == columns_of(b, opB),
              "op(A) * op(B) is {} x {}, and C is {} x {}", rows_of(a, opA), columns_of(b, opB), c.rows, c.columns);
}
double operations_of(std::int64_t elements, std::int64_t columns) {
    return 2 * static_cast<double>(elements) * static_cast<double>(columns);
}

}  // namespace

cusparseStatus_t axpby(Served& served, cusparseHandle_t handle, const void* alpha, cusparseConstSpVecDescr_t vecX,
                       const void* beta, cusparseDnVecDescr_t vecY) {
    Request request(served, handle);
    const SparseVector* const x = request.object("vecX", vecX);
    const DenseVector* const y = request.object("vecY", vecY);
    if (!request.ok()) return request.status();
    request.need_types("vecX", x->type, y->type);
    request.need(x->size == y->size, "vecX has {} elements, vecY {}", x->size, y->size);
    return with_compute_type(y->type, [&]<class Wide>(Wide) {
        const auto by = request.scalar<Wide>("alpha", alpha, y->type),
                   keep = request.scalar<Wide>("beta", beta, y->type);
        if (!request.ok()) return request.status();
        const VectorOperand from = add_vector(request, *x, Access::read);
        const std::size_t to = add_dense(request, "vecY", *y, Access::both);
        return request.ask([=, y = *y](Operands& o) {
            bool fine = true;
            const auto indices = indices_of(from, o, fine);
            const auto values = read_values<Wide>(from.vector.type, o.at<std::byte>(from.values), from.vector.count);
            auto sums = read_values<Wide>(y.type, o.at<std::byte>(to), y.size);
            for (Wide& sum : sums) sum *= keep(o);
            for (std::size_t i = 0; i < values.size() && fine; ++i)
                sums[static_cast<std::size_t>(indices[i])] += by(o) * values[i];
            if (fine) write_values(y.type, o.at<std::byte>(to), sums);
            return fine;
        });
    });
}

namespace {

void need_alike(Request& request, const SparseVector* x, const DenseVector* y) {
    if (!request.ok()) return;
    request.need(x->type == y->type, "vecX has type {}, vecY {}", static_cast<int>(x->type), static_cast<int>(y->type));
    request.need(x->size == y->size, "vecX has {} elements, vecY {}", x->size, y->size);
}

}  // namespace

cusparseStatus_t gather(Served& served, cusparseHandle_t handle, cusparseConstDnVecDescr_t vecY,
                        cusparseSpVecDescr_t vecX) {
    Request request(served, handle);
    const DenseVector* const y = request.object("vecY", vecY);
    const SparseVector* const x = request.object("vecX", vecX);
    need_alike(request, x, y);
    if (!request.ok()) return request.status();
    const std::size_t from = add_dense(request, "vecY", *y, Access::read);
    const VectorOperand to = add_vector(request, *x, Access::written);
    return request.ask([=, size = size_of_type(y->type)](Operands& o) {
        bool fine = true;
        const auto indices = indices_of(to, o, fine);
        for (std::size_t i = 0; i < indices.size() && fine; ++i)
            std::copy_n(o.at<std::byte>(from) + indices[i] * size, size,
                        o.at<std::byte>(to.values) + static_cast<std::int64_t>(i) * size);
        return fine;
    });
}

cusparseStatus_t scatter(Served& served, cusparseHandle_t handle, cusparseConstSpVecDescr_t vecX,
                         cusparseDnVecDescr_t vecY) {
    Request request(served, handle);
    const SparseVector* const x = request.object("vecX", vecX);
    const DenseVector* const y = request.object("vecY", vecY);
    need_alike(request, x, y);
    if (!request.ok()) return request.status();
    const VectorOperand from = add_vector(request, *x, Access::read);
    const std::size_t to = add_dense(request, "vecY", *y, Access::none);
    return request.ask([=, size = size_of_type(y->type), to_pointer = static_cast<std::byte*>(y->values)](Operands& o) {
        bool fine = true;
        const auto indices = indices_of(from, o, fine);
        for (std::size_t i = 0; i < indices.size() && fine; ++i) {
            // What no element goes to stays as it is, also where nothing has written it.
            o.find("vecY", to_pointer + indices[i] * size, {.width = size}, Access::written);
            std::copy_n(o.at<std::byte>(from.values) + static_cast<std::int64_t>(i) * size, size,
                        o.at<std::byte>(to) + indices[i] * size);
        }
        return fine;
    });
}

cusparseStatus_t spvv(Served& served, cusparseHandle_t handle, cusparseOperation_t opX, cusparseConstSpVecDescr_t vecX,
                      cusparseConstDnVecDescr_t vecY, void* result, cudaDataType computeType, void*) {
    Request request(served, handle);
    const SparseVector* const x = request.object("vecX", vecX);
    const DenseVector* const y = request.object("vecY", vecY);
    request.need_operation("opX", opX);
    request.need_places(result);
    if (!request.ok()) return request.status();
    request.need_types("vecX", x->type, computeType);
    request.need_types("vecY", y->type, computeType);
    request.need(x->size == y->size, "vecX has {} elements, vecY {}", x->size, y->size);
    if (!request.ok()) return request.status();
    const VectorOperand first = add_vector(request, *x, Access::read);
    const std::size_t second = add_dense(request, "vecY", *y, Access::read);
    const bool on_host = request.handle().pointer_mode == CUSPARSE_POINTER_MODE_HOST;
    const std::size_t to = on_host ? 0 : request.array("result", result, 1, size_of_type(computeType), Access::written);
    if (on_host) request.work().wait();
    return with_compute_type(computeType, [&]<class Wide>(Wide) {
        return request.ask([=, y = *y](Operands& o) {
            bool fine = true;
            const auto indices = indices_of(first, o, fine);
            const auto x = read_values<Wide>(first.vector.type, o.at<std::byte>(first.values), first.vector.count);
            const auto others = read_values<Wide>(y.type, o.at<std::byte>(second), y.size);
            Wide sum(0);
            for (std::size_t i = 0; i < x.size() && fine; ++i)
                sum += conjugated(x[i], opX == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE) *
                       others[static_cast<std::size_t>(indices[i])];
            if (fine)
                write_values<Wide>(computeType, on_host ? static_cast<std::byte*>(result) : o.at<std::byte>(to), {sum});
            return fine;
        });
    });
}

namespace {

/// What of y = alpha * op(A) * x + beta * y can be said before it is computed.
struct MatrixVector {
    const SparseMatrix* a;
    const DenseVector *x, *y;

    MatrixVector(Request& request, cusparseOperation_t opA, cusparseConstSpMatDescr_t matA,
                 cusparseConstDnVecDescr_t vecX, cusparseDnVecDescr_t vecY, cudaDataType computeType)
        : a(request.object("matA", matA)), x(request.object("vecX", vecX)), y(request.object("vecY", vecY)) {
        request.need_operation("opA", opA);
        if (!request.ok()) return;
        for (const auto& [name, type] :
             {std::pair("matA", a->type), std::pair("vecX", x->type), std::pair("vecY", y->type)})
            request.need_types(name, type, computeType);
        request.need(x->size == columns_of(*a, opA), "op(A) has {} columns, and vecX {} elements", columns_of(*a, opA),
                     x->size);
        request.need(y->size == rows_of(*a, opA), "op(A) has {} rows, and vecY {} elements", rows_of(*a, opA), y->size);
    }
};

}  // namespace

cusparseStatus_t spmv_buffer_size(Served& served, cusparseHandle_t handle, cusparseOperation_t opA, const void* alpha,
                                  cusparseConstSpMatDescr_t matA, cusparseConstDnVecDescr_t vecX, const void* beta,
                                  cusparseDnVecDescr_t vecY, cudaDataType computeType, cusparseSpMVAlg_t,
                                  std::size_t* bufferSize) {
    Request request(served, handle);
    const MatrixVector operands(request, opA, matA, vecX, vecY, computeType);
    request.need(alpha && beta, "{} is a null pointer", alpha ? "beta" : "alpha");
    request.need_places(bufferSize);
    if (request.ok()) *bufferSize = some_buffer;
    return request.status();
}

cusparseStatus_t spmv(Served& served, cusparseHandle_t handle, cusparseOperation_t opA, const void* alpha,
                      cusparseConstSpMatDescr_t matA, cusparseConstDnVecDescr_t vecX, const void* beta,
                      cusparseDnVecDescr_t vecY, cudaDataType computeType, cusparseSpMVAlg_t, void*) {
    Request request(served, handle);
    const auto [a, x, y] = MatrixVector(request, opA, matA, vecX, vecY, computeType);
    if (!request.ok()) return request.status();
    return with_compute_type(computeType, [&]<class Wide>(Wide) {
        const auto by = request.scalar<Wide>("alpha", alpha, computeType),
                   keep = request.scalar<Wide>("beta", beta, computeType);
        if (!request.ok()) return request.status();
        const MatrixOperand matrix = add_matrix(request, *a);
        const std::size_t from = add_dense(request, "vecX", *x, Access::read);
        const bool overwrites = !keep.on_device && keep.value == Wide(0);
        const std::size_t to = add_dense(request, "vecY", *y, overwrites ? Access::written : Access::both);
        request.work().costs(operations_of(a->count, 1), std::is_same_v<Wide, double>);
        return request.ask([=, x = *x, y = *y](Operands& o) {
            auto elements = read_elements<Wide>(matrix, o);
            elements.apply(opA);
            if (!elements.places.fine) return false;
            const auto factors = read_values<Wide>(x.type, o.at<std::byte>(from), x.size);
            std::vector<Wide> sums(static_cast<std::size_t>(y.size), Wide(0));
            elements.each([&](std::int64_t row, std::int64_t column, Wide value) {
                sums[static_cast<std::size_t>(row)] += value * factors[static_cast<std::size_t>(column)];
            });
            for (Wide& sum : sums) sum *= by(o);
            if (const Wide kept = keep(o); kept != Wide(0)) {
                const auto before = read_values<Wide>(y.type, o.at<std::byte>(to), y.size);
                for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += kept * before[i];
            }
            write_values(y.type, o.at<std::byte>(to), sums);
            return true;
        });
    });
}

cusparseStatus_t spmm(Served& served, cusparseHandle_t handle, cusparseOperation_t opA, cusparseOperation_t opB,
                      const void* alpha, cusparseConstSpMatDescr_t matA, cusparseConstDnMatDescr_t matB,
                      const void* beta, cusparseDnMatDescr_t matC, cudaDataType computeType, cusparseSpMMAlg_t, void*) {
    Request request(served, handle);
    const SparseMatrix* const a = request.object("matA", matA);
    const DenseMatrix* const b = request.object("matB", matB);
    const DenseMatrix* const c = request.object("matC", matC);
    if (!request.ok()) return request.status();
    for (const auto& [name, type] :
         {std::pair("matA", a->type), std::pair("matB", b->type), std::pair("matC", c->type)})
        request.need_types(name, type, computeType);
    need_product(request, *a, opA, *b, opB, *c);
    return with_compute_type(computeType, [&]<class Wide>(Wide) {
        const auto by = request.scalar<Wide>("alpha", alpha, computeType),
                   keep = request.scalar<Wide>("beta", beta, computeType);
        if (!request.ok()) return request.status();
        const MatrixOperand matrix = add_matrix(request, *a);
        const std::size_t from = add_dense(request, "matB", *b, Access::read);
        const bool overwrites = !keep.on_device && keep.value == Wide(0);
        const std::size_t to = add_dense(request, "matC", *c, overwrites ? Access::written : Access::both);
        request.work().costs(operations_of(a->count, c->columns), std::is_same_v<Wide, double>);
        return request.ask([=, b = *b, c = *c](Operands& o) {
            auto elements = read_elements<Wide>(matrix, o);
            elements.apply(opA);
            if (!elements.places.fine) return false;
            const auto factors = read_dense<Wide>(b, opB, o.at<std::byte>(from));
            Dense<Wide> sums(c.rows, c.columns);
            for (std::int64_t j = 0; j < c.columns; ++j)
                elements.each([&](std::int64_t row, std::int64_t column, Wide value) {
                    sums.at(row, j) += value * factors.at(column, j);
                });
            for (Wide& sum : sums.values) sum *= by(o);
            if (const Wide kept = keep(o); kept != Wide(0)) {
                const auto before = read_dense<Wide>(c, plain, o.at<std::byte>(to));
                for (std::size_t i = 0; i < sums.values.size(); ++i) sums.values[i] += kept * before.values[i];
            }
            write_dense(c, sums, o.at<std::byte>(to));
            return true;
        });
    });
}

cusparseStatus_t sddmm(Served& served, cusparseHandle_t handle, cusparseOperation_t opA, cusparseOperation_t opB,
                       const void* alpha, cusparseConstDnMatDescr_t matA, cusparseConstDnMatDescr_t matB,
                       const void* beta, cusparseSpMatDescr_t matC, cudaDataType computeType, cusparseSDDMMAlg_t,
                       void*) {
    Request request(served, handle);
    const DenseMatrix* const a = request.object("matA", matA);
    const DenseMatrix* const b = request.object("matB", matB);
    const SparseMatrix* const c = request.object("matC", matC);
    if (!request.ok()) return request.status();
    for (const auto& [name, type] :
         {std::pair("matA", a->type), std::pair("matB", b->type), std::pair("matC", c->type)})
        request.need_types(name, type, computeType);
    need_product(request, *a, opA, *b, opB, *c);
    return with_compute_type(computeType, [&]<class Wide>(Wide) {
        const auto by = request.scalar<Wide>("alpha", alpha, computeType),
                   keep = request.scalar<Wide>("beta", beta, computeType);
        if (!request.ok()) return request.status();
        const std::size_t first = add_dense(request, "matA", *a, Access::read);
        const std::size_t second = add_dense(request, "matB", *b, Access::read);
        const bool overwrites = !keep.on_device && keep.value == Wide(0);
        const MatrixOperand to = add_matrix(request, *c, overwrites ? Access::written : Access::both);
        const std::int64_t inner = columns_of(*a, opA);
        request.work().costs(operations_of(c->count, inner), std::is_same_v<Wide, double>);
        return request.ask([=, a = *a, b = *b](Operands& o) {
            auto elements = read_elements<Wide>(to, o);
            if (!elements.places.fine) return false;
            const auto left = read_dense<Wide>(a, opA, o.at<std::byte>(first));
            const auto right = read_dense<Wide>(b, opB, o.at<std::byte>(second));
            for (std::size_t i = 0; i < elements.values.size(); ++i) {
                Wide sum(0);
                for (std::int64_t k = 0; k < inner; ++k)
                    sum += left.at(elements.places.rows[i], k) * right.at(k, elements.places.columns[i]);
                const Wide kept = keep(o);
                elements.values[i] = by(o) * sum + (kept == Wide(0) ? Wide(0) : kept * elements.values[i]);
            }
            write_values(to.matrix.type, o.at<std::byte>(to.values), elements.values);
            return true;
        });
    });
}

}  // namespace cudash::libraries::cusparse::bodies
