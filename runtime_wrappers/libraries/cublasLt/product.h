// A product of cuBLASLt as its descriptors describe it: looked at as a whole, for heuristics and for the call itself.
#pragma once

#include <optional>

#include "runtime_wrappers/libraries/cublasLt/epilogue.h"
#include "runtime_wrappers/libraries/cublasLt/matrices.h"

namespace cudash::libraries::cublas_lt {

/// What the sums are made of.
enum class Numbers : std::uint8_t { singles, doubles, complex_singles, complex_doubles };

struct Product {
    Operation operation;
    Layout a, b, c, d;
    const Epilogue* epilogue = nullptr;
    Numbers numbers = Numbers::singles;
    std::int32_t bias_type = 0, auxiliary_type = 0;
    std::int64_t m = 0, n = 0, k = 0;

    bool has_bias() const { return epilogue->bias || epilogue->gradient != BiasGradient::none; }
    std::int64_t bias_length() const { return epilogue->gradient == BiasGradient::of_b ? n : m; }
    bool alpha_is_vector() const { return operation.pointer_mode >= CUBLASLT_POINTER_MODE_DEVICE_VECTOR; }
};

struct Described {
    const cublasLtMatmulDescOpaque_t* operation = nullptr;
    const cublasLtMatrixLayoutOpaque_t* a = nullptr;
    const cublasLtMatrixLayoutOpaque_t* b = nullptr;
    const cublasLtMatrixLayoutOpaque_t* c = nullptr;
    const cublasLtMatrixLayoutOpaque_t* d = nullptr;
};
/// nullopt: `look` says why it can't be.
std::optional<Product> describe(Look& look, const Described& described);

/// Types of a product, by what computes them.
std::optional<Numbers> numbers_of(std::int32_t compute, std::int32_t scale, std::int32_t a, std::int32_t b,
                                  std::int32_t c, std::int32_t d);

}  // namespace cudash::libraries::cublas_lt
