// cublasLtMatmul: D = epilogue(alpha * op(A) * op(B) + beta * C).
#include <cmath>

#include "runtime_wrappers/libraries/cublas/products.h"
#include "runtime_wrappers/libraries/cublasLt/bodies.h"
#include "runtime_wrappers/libraries/cublasLt/product.h"

namespace cudash::libraries::cublas_lt {
namespace {

/// alpha or beta: a number of the host, one of the device, or one of the device for each row.
struct Factor {
    std::optional<std::size_t> index{};
    bool is_vector = false;
    std::complex<double> value = 0;
};
/// What the call gives beside the product, as operands.
struct Given {
    std::size_t a = 0, b = 0, d = 0;
    std::optional<std::size_t> c{}, bias{}, auxiliary{}, a_scale{}, b_scale{}, c_scale{}, d_scale{}, auxiliary_scale{},
        d_largest{}, auxiliary_largest{};
    Factor alpha, beta;
};

template <class Wide>
Wide converted(std::complex<double> value) {
    if constexpr (is_complex_number<Wide>)
        return Wide(value);
    else
        return static_cast<Wide>(value.real());
}

/// One batch on its way.
template <class Wide>
class Computation {
public:
    Computation(const Product& product, const Given& given, const Operands& operands, std::int64_t batch)
        : p_(product), given_(given), operands_(operands), batch_(batch) {}

    void run() {
        a_ = read_matrix<Wide>(p_.a, bytes(given_.a), batch_);
        b_ = read_matrix<Wide>(p_.b, bytes(given_.b), batch_);
        multiply();
        scale();
        if constexpr (!is_complex_number<Wide>) {
            if (p_.epilogue->bias) add_bias();
            activate();
            if (p_.epilogue->gradient != BiasGradient::none) sum_gradient();
            finish();
        }
        write_matrix(p_.d, result_, bytes(given_.d), batch_);
    }

private:
    std::byte* bytes(std::size_t index) const { return operands_.at<std::byte>(index); }
    std::byte* bytes(std::optional<std::size_t> index) const { return index ? bytes(*index) : nullptr; }
    Wide single(std::optional<std::size_t> index) const {
        return index ? static_cast<Wide>(*operands_.at<float>(*index)) : Wide(1);
    }
    std::int64_t rows() const { return p_.m; }
    Wide& at(std::int64_t row, std::int64_t column) { return result_[static_cast<std::size_t>(column * p_.m + row)]; }

    void multiply() {
        result_.assign(static_cast<std::size_t>(p_.m * p_.n), Wide(0));
        if (p_.m == 0 || p_.n == 0 || p_.k == 0) return;
        const cublas::Product product{static_cast<cublasOperation_t>(p_.operation.transa),
                                      static_cast<cublasOperation_t>(p_.operation.transb),
                                      p_.m,
                                      p_.n,
                                      p_.k,
                                      static_cast<std::int64_t>(p_.a.rows),
                                      static_cast<std::int64_t>(p_.b.rows),
                                      p_.m};
        cublas::multiply(product, Wide(1), a_.data(), b_.data(), Wide(0), result_.data());
    }
    std::vector<Wide> factors(const Factor& factor) const {
        const std::int32_t type = p_.operation.scale;
        if (!factor.index) return {converted<Wide>(factor.value)};
        std::vector<Wide> values(factor.is_vector ? static_cast<std::size_t>(p_.m) : 1);
        const std::int64_t stride = factor.is_vector ? batch_ * p_.operation.alpha_stride : 0;
        const std::byte* from = bytes(*factor.index) + stride * size_of_type(type);
        for (Wide& value : values) {
            value = read_number<Wide>(type, from);
            from += size_of_type(type);
        }
        return values;
    }
    void scale() {
        std::vector<Wide> alpha = factors(given_.alpha), beta = factors(given_.beta), c;
        if (given_.c) c = read_matrix<Wide>(p_.c, bytes(given_.c), batch_);
        if constexpr (!is_complex_number<Wide>) {
            for (Wide& each : alpha) each *= single(given_.a_scale) * single(given_.b_scale);
            for (Wide& each : beta) each *= single(given_.c_scale);
        }
        for (std::size_t i = 0; i < result_.size(); ++i) {
            const std::size_t row = i % static_cast<std::size_t>(p_.m);
            result_[i] *= alpha[alpha.size() == 1 ? 0 : row];
            const Wide kept = beta[beta.size() == 1 ? 0 : row];
            if (!c.empty() && kept != Wide(0)) result_[i] += kept * c[i];
        }
    }
    void add_bias() {
        std::vector<Wide> bias(static_cast<std::size_t>(p_.m));
        with_elements(p_.bias_type, static_cast<const std::byte*>(bytes(given_.bias)), [&](const auto* elements) {
            for (std::int64_t row = 0; row < rows(); ++row)
                bias[static_cast<std::size_t>(row)] =
                    read_number<Wide>(elements[batch_ * p_.operation.bias_stride + row]);
        });
        for (std::size_t i = 0; i < result_.size(); ++i) result_[i] += bias[i % bias.size()];
    }
    /// `use(value, place)` for each number of the result; the places are those of the auxiliary matrix.
    template <class Use>
    void each(Use use) {
        const std::int64_t first = batch_ * p_.operation.auxiliary_stride;
        for (std::int64_t column = 0; column < p_.n; ++column)
            for (std::int64_t row = 0; row < rows(); ++row)
                use(at(row, column), first + column * p_.operation.auxiliary_leading + row);
    }
    void activate() {
        std::byte* const auxiliary = bytes(given_.auxiliary);
        switch (p_.epilogue->activation) {
            case Activation::none:
                return;
            case Activation::relu:
                return each([&](Wide& value, std::int64_t place) {
                    if (auxiliary) put_bit(auxiliary, place, value > Wide(0));
                    value = std::max(value, Wide(0));
                });
            case Activation::relu_gradient:
                return each([&](Wide& value, std::int64_t place) {
                    if (!bit_at(auxiliary, place)) value = Wide(0);
                });
            case Activation::gelu:
                if (auxiliary) keep_input(auxiliary);
                return each([](Wide& value, std::int64_t) { value = gelu_of(value); });
            case Activation::gelu_gradient:
                return with_elements(p_.auxiliary_type, auxiliary, [&](const auto* inputs) {
                    const Wide by = single(given_.auxiliary_scale);
                    each([&](Wide& value, std::int64_t place) {
                        value *= gelu_slope(by * read_number<Wide>(inputs[place]));
                    });
                });
        }
    }
    void keep_input(std::byte* auxiliary) {
        const Wide by = single(given_.auxiliary_scale);
        Wide largest(0);
        with_elements(p_.auxiliary_type, auxiliary, [&](auto* inputs) {
            each([&](Wide& value, std::int64_t place) {
                largest = std::max(largest, std::abs(value));
                write_number(by * value, inputs[place]);
            });
        });
        store_largest(given_.auxiliary_largest, largest);
    }
    void sum_gradient() {
        std::vector<Wide> sums(static_cast<std::size_t>(p_.bias_length()), Wide(0));
        const auto add = [&](const std::vector<Wide>& matrix, std::int64_t matrix_rows, bool by_row) {
            for (std::size_t i = 0; i < matrix.size(); ++i) {
                const auto height = static_cast<std::size_t>(matrix_rows);
                sums[by_row ? i % height : i / height] += matrix[i];
            }
        };
        if (p_.epilogue->gradient == BiasGradient::of_result) add(result_, p_.m, true);
        if (p_.epilogue->gradient == BiasGradient::of_a)
            add(a_, static_cast<std::int64_t>(p_.a.rows), p_.operation.transa == CUBLAS_OP_N);
        if (p_.epilogue->gradient == BiasGradient::of_b)
            add(b_, static_cast<std::int64_t>(p_.b.rows), p_.operation.transb != CUBLAS_OP_N);
        with_elements(p_.bias_type, bytes(given_.bias), [&](auto* elements) {
            for (std::size_t i = 0; i < sums.size(); ++i)
                write_number(sums[i], elements[batch_ * p_.operation.bias_stride + static_cast<std::int64_t>(i)]);
        });
    }
    void finish() {
        Wide largest(0);
        for (const Wide value : result_) largest = std::max(largest, std::abs(value));
        store_largest(given_.d_largest, largest);
        if (!given_.d_scale) return;
        for (Wide& value : result_) value *= single(given_.d_scale);
    }
    /// Of all batches together.
    void store_largest(std::optional<std::size_t> index, Wide largest) const {
        if (!index) return;
        float& stored = *operands_.at<float>(*index);
        stored = batch_ == 0 ? static_cast<float>(largest) : std::max(stored, static_cast<float>(largest));
    }

    const Product& p_;
    const Given& given_;
    const Operands& operands_;
    std::int64_t batch_;
    std::vector<Wide> a_, b_, result_;
};

template <class Wide>
void compute(const Product& product, const Given& given, const Operands& operands) {
    for (std::int64_t batch = 0; batch < product.a.batch_count; ++batch)
        Computation<Wide>(product, given, operands, batch).run();
}

struct Pointers {
    const void* alpha;
    const void* a;
    const void* b;
    const void* beta;
    const void* c;
    void* d;
};

Factor add_factor(Work& work, std::string_view name, const Product& p, const void* pointer, bool on_device,
                  bool is_vector) {
    const std::int32_t type = p.operation.scale;
    if (!on_device) return {.value = read_number<std::complex<double>>(type, pointer)};
    const std::int64_t size = size_of_type(type);
    const Shape shape{.width = (is_vector ? p.m : 1) * size,
                      .depth = is_vector ? p.a.batch_count : 1,
                      .slice = p.operation.alpha_stride * size};
    return {.index = work.add(name, static_cast<const std::byte*>(pointer), shape, Access::read),
            .is_vector = is_vector};
}

void add_factors(Look& look, Work& work, const Product& p, const Pointers& pointers, Given& given) {
    const int mode = p.operation.pointer_mode;
    const bool no_beta = mode == CUBLASLT_POINTER_MODE_ALPHA_DEVICE_VECTOR_BETA_ZERO;
    look.need(pointers.alpha != nullptr, "alpha is a null pointer");
    look.need(no_beta || pointers.beta != nullptr, "beta is a null pointer");
    if (!look.ok()) return;
    const bool host_beta =
        mode == CUBLASLT_POINTER_MODE_HOST || mode == CUBLASLT_POINTER_MODE_ALPHA_DEVICE_VECTOR_BETA_HOST;
    given.alpha = add_factor(work, "alpha", p, pointers.alpha, mode != CUBLASLT_POINTER_MODE_HOST, p.alpha_is_vector());
    if (!no_beta)
        given.beta =
            add_factor(work, "beta", p, pointers.beta, !host_beta, mode == CUBLASLT_POINTER_MODE_DEVICE_VECTOR);
}

void add_bias(Look& look, Work& work, const Product& p, Given& given) {
    if (!p.has_bias()) return;
    look.need(p.operation.bias != nullptr, "{} needs BIAS_POINTER, which is null", p.epilogue->name);
    const std::int64_t size = size_of_type(p.bias_type);
    given.bias =
        work.add("the bias", static_cast<const std::byte*>(p.operation.bias),
                 {.width = p.bias_length() * size, .depth = p.a.batch_count, .slice = p.operation.bias_stride * size},
                 p.epilogue->bias ? Access::read : Access::written);
}

void add_auxiliary(Look& look, Work& work, const Product& p, Given& given) {
    if (!p.epilogue->auxiliary) return;
    look.need(p.operation.auxiliary != nullptr, "{} needs EPILOGUE_AUX_POINTER, which is null", p.epilogue->name);
    const std::int64_t size = size_of_type(p.auxiliary_type);
    const auto bytes = [&](std::int64_t elements) {
        return p.epilogue->has_bits() ? (elements + 7) / 8 : elements * size;
    };
    const bool reads = p.epilogue->is_derivative();
    given.auxiliary = work.add("the auxiliary matrix", static_cast<const std::byte*>(p.operation.auxiliary),
                               {.width = bytes(p.m),
                                .height = p.n,
                                .depth = p.a.batch_count,
                                .pitch = bytes(p.operation.auxiliary_leading),
                                .slice = bytes(p.operation.auxiliary_stride)},
                               reads ? Access::read : Access::written);
}

void add_scales(Work& work, const Operation& operation, Given& given) {
    const auto add = [&](std::string_view name, const float* pointer, Access access) -> std::optional<std::size_t> {
        if (!pointer) return std::nullopt;
        return work.add(name, pointer, {.width = 1}, access);
    };
    given.a_scale = add("the scale of A", operation.a_scale, Access::read);
    given.b_scale = add("the scale of B", operation.b_scale, Access::read);
    given.c_scale = add("the scale of C", operation.c_scale, Access::read);
    given.d_scale = add("the scale of D", operation.d_scale, Access::read);
    given.auxiliary_scale = add("the scale of the auxiliary matrix", operation.auxiliary_scale, Access::read);
    given.d_largest = add("AMAX_D_POINTER", operation.d_largest, Access::written);
    given.auxiliary_largest = add("EPILOGUE_AUX_AMAX_POINTER", operation.auxiliary_largest, Access::written);
}

Given add_operands(Look& look, Work& work, const Product& p, const Pointers& pointers) {
    Given given;
    add_factors(look, work, p, pointers, given);
    if (!look.ok()) return given;
    const bool keeps = given.beta.index || given.beta.value != 0.0;
    given.a = add_matrix(work, "A", pointers.a, p.a, Access::read);
    given.b = add_matrix(work, "B", pointers.b, p.b, Access::read);
    if (keeps) given.c = add_matrix(work, "C", pointers.c, p.c, Access::read);
    given.d = add_matrix(work, "D", pointers.d, p.d, Access::written);
    add_bias(look, work, p, given);
    add_auxiliary(look, work, p, given);
    add_scales(work, p.operation, given);
    return given;
}

}  // namespace

namespace bodies {

cublasStatus_t matmul(Served& served, cublasLtHandle_t handle, cublasLtMatmulDesc_t operation, const void* alpha,
                      const void* A, cublasLtMatrixLayout_t Adesc, const void* B, cublasLtMatrixLayout_t Bdesc,
                      const void* beta, const void* C, cublasLtMatrixLayout_t Cdesc, void* D,
                      cublasLtMatrixLayout_t Ddesc, const cublasLtMatmulAlgo_t* algo, void*, std::size_t,
                      cudaStream_t stream) {
    Look look;
    look.need_handle(handle);
    if (algo) look.object("algo", algo);
    const auto product = describe(look, {operation, Adesc, Bdesc, Cdesc, Ddesc});
    if (!product) return look.status();
    Work work(served, stream);
    const Given given = add_operands(look, work, *product, {alpha, A, B, beta, C, D});
    if (!look.ok() || product->m == 0 || product->n == 0) return look.status();
    const double operations = 2.0 * static_cast<double>(product->m) * static_cast<double>(product->n) *
                              static_cast<double>(product->k) * product->a.batch_count;
    work.costs(operations, product->numbers == Numbers::doubles || product->numbers == Numbers::complex_doubles);
    return status_of(work.ask([product = *product, given](Operands& operands) {
        switch (product.numbers) {
            case Numbers::singles:
                return compute<float>(product, given, operands);
            case Numbers::doubles:
                return compute<double>(product, given, operands);
            case Numbers::complex_singles:
                return compute<Complex<float>>(product, given, operands);
            case Numbers::complex_doubles:
                return compute<Complex<double>>(product, given, operands);
        }
    }));
}

}  // namespace bodies
}  // namespace cudash::libraries::cublas_lt
