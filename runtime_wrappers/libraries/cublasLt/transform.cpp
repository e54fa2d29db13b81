// cublasLtMatrixTransform: C = alpha * op(A) + beta * op(B), from one order of elements to another.
#include "runtime_wrappers/libraries/cublasLt/bodies.h"
#include "runtime_wrappers/libraries/cublasLt/matrices.h"

namespace cudash::libraries::cublas_lt {
namespace {

/// A or B, with its factor.
struct Term {
    Layout layout;
    bool transposed = false;
    std::size_t matrix = 0, factor = 0;
    double value = 0;
    bool on_device = false;
};

void look_at_term(Look& look, std::string_view name, const Layout& layout, std::int32_t operation, const Layout& to) {
    look.need_matrix(name, layout);
    look.need(operation == CUBLAS_OP_N || operation == CUBLAS_OP_T, "the operation of {} is {}", name, operation);
    look.need(layout.type == to.type, "the type of {} is {}, that of C {}", name, layout.type, to.type);
    look.need(layout.batch_count == to.batch_count, "{} has {} batches, C {}", name, layout.batch_count,
              to.batch_count);
    const bool plain = operation == CUBLAS_OP_N;
    look.need((plain ? layout.rows : layout.columns) == to.rows && (plain ? layout.columns : layout.rows) == to.columns,
              "{} is {} x {} and C {} x {}", name, layout.rows, layout.columns, to.rows, to.columns);
}

Term add_term(Work& work, std::string_view name, const void* matrix, const Layout& layout, std::int32_t operation,
              std::string_view factor_name, const void* factor, const Transform& transform) {
    Term term{.layout = layout, .transposed = operation != CUBLAS_OP_N};
    term.matrix = add_matrix(work, name, matrix, layout, Access::read);
    term.on_device = transform.pointer_mode != CUBLASLT_POINTER_MODE_HOST;
    if (term.on_device)
        term.factor = work.add(factor_name, static_cast<const std::byte*>(factor),
                               {.width = size_of_type(transform.scale)}, Access::read);
    else
        term.value = read_number<double>(transform.scale, factor);
    return term;
}

void add_to(std::vector<double>& sums, const Term& term, std::int32_t scale, const Operands& operands,
            std::int64_t batch, std::int64_t rows) {
    const double by = term.on_device ? read_number<double>(scale, operands.at<std::byte>(term.factor)) : term.value;
    const auto values = read_matrix<double>(term.layout, operands.at<std::byte>(term.matrix), batch);
    const std::int64_t columns = rows == 0 ? 0 : static_cast<std::int64_t>(sums.size()) / rows;
    for (std::size_t i = 0; i < sums.size(); ++i) {
        const auto at = static_cast<std::int64_t>(i);
        const std::int64_t from = term.transposed ? at % rows * columns + at / rows : at;
        sums[i] += by * values[static_cast<std::size_t>(from)];
    }
}

}  // namespace

namespace bodies {

cublasStatus_t transform(Served& served, cublasLtHandle_t handle, cublasLtMatrixTransformDesc_t described,
                         const void* alpha, const void* A, cublasLtMatrixLayout_t Adesc, const void* beta,
                         const void* B, cublasLtMatrixLayout_t Bdesc, void* C, cublasLtMatrixLayout_t Cdesc,
                         cudaStream_t stream) {
    Look look;
    look.need_handle(handle);
    const Transform* const transform = look.object("transformDesc", described);
    const Layout* const from = look.object("Adesc", Adesc);
    const Layout* const to = look.object("Cdesc", Cdesc);
    const Layout* const other = Bdesc ? look.object("Bdesc", Bdesc) : nullptr;
    look.need(alpha != nullptr, "alpha is a null pointer");
    if (!look.ok()) return look.status();
    look.need_matrix("C", *to);
    look_at_term(look, "A", *from, transform->transa, *to);
    if (other && B) look_at_term(look, "B", *other, transform->transb, *to);
    look.need(!B || !other || beta, "beta is a null pointer");
    look.lacks(to->type == CUDA_C_32F || to->type == CUDA_C_64F, "the virtual GPU transforms no complex matrices");
    look.lacks(transform->pointer_mode > CUBLASLT_POINTER_MODE_DEVICE, "the virtual GPU has no pointer mode {} here",
               transform->pointer_mode);
    look.lacks(size_of_type(transform->scale) == 0, "the virtual GPU has no scale type {}", transform->scale);
    if (!look.ok()) return look.status();
    Work work(served, stream);
    std::vector<Term> terms = {add_term(work, "A", A, *from, transform->transa, "alpha", alpha, *transform)};
    if (other && B) terms.push_back(add_term(work, "B", B, *other, transform->transb, "beta", beta, *transform));
    const std::size_t result = add_matrix(work, "C", C, *to, Access::written);
    return status_of(work.ask([terms, result, to = *to, scale = transform->scale](Operands& operands) {
        for (std::int64_t batch = 0; batch < to.batch_count; ++batch) {
            std::vector<double> sums(to.rows * to.columns, 0.0);
            for (const Term& term : terms)
                add_to(sums, term, scale, operands, batch, static_cast<std::int64_t>(to.rows));
            write_matrix(to, sums, operands.at<std::byte>(result), batch);
        }
    }));
}

}  // namespace bodies
}  // namespace cudash::libraries::cublas_lt
