#include "runtime_wrappers/libraries/cublasLt/epilogue.h"

#include <algorithm>
#include <array>

#include "runtime_wrappers/libraries/cublasLt/objects.h"

namespace cudash::libraries::cublas_lt {
namespace {

#define CUDASH_EPILOGUE(number, ...) \
    Epilogue {                       \
        number, #number, __VA_ARGS__ \
    }
constexpr std::array epilogues = {
    CUDASH_EPILOGUE(CUBLASLT_EPILOGUE_DEFAULT, Activation::none, false, false),
    CUDASH_EPILOGUE(CUBLASLT_EPILOGUE_BIAS, Activation::none, true, false),
    CUDASH_EPILOGUE(CUBLASLT_EPILOGUE_RELU, Activation::relu, false, false),
    CUDASH_EPILOGUE(CUBLASLT_EPILOGUE_RELU_BIAS, Activation::relu, true, false),
    CUDASH_EPILOGUE(CUBLASLT_EPILOGUE_RELU_AUX, Activation::relu, false, true),
    CUDASH_EPILOGUE(CUBLASLT_EPILOGUE_RELU_AUX_BIAS, Activation::relu, true, true),
    CUDASH_EPILOGUE(CUBLASLT_EPILOGUE_GELU, Activation::gelu, false, false),
    CUDASH_EPILOGUE(CUBLASLT_EPILOGUE_GELU_BIAS, Activation::gelu, true, false),
    CUDASH_EPILOGUE(CUBLASLT_EPILOGUE_GELU_AUX, Activation::gelu, false, true),
    CUDASH_EPILOGUE(CUBLASLT_EPILOGUE_GELU_AUX_BIAS, Activation::gelu, true, true),
    CUDASH_EPILOGUE(CUBLASLT_EPILOGUE_DRELU, Activation::relu_gradient, false, true),
    CUDASH_EPILOGUE(CUBLASLT_EPILOGUE_DRELU_BGRAD, Activation::relu_gradient, false, true, BiasGradient::of_result),
    CUDASH_EPILOGUE(CUBLASLT_EPILOGUE_DGELU, Activation::gelu_gradient, false, true),
    CUDASH_EPILOGUE(CUBLASLT_EPILOGUE_DGELU_BGRAD, Activation::gelu_gradient, false, true, BiasGradient::of_result),
    CUDASH_EPILOGUE(CUBLASLT_EPILOGUE_BGRADA, Activation::none, false, false, BiasGradient::of_a),
    CUDASH_EPILOGUE(CUBLASLT_EPILOGUE_BGRADB, Activation::none, false, false, BiasGradient::of_b),
};
#undef CUDASH_EPILOGUE

}  // namespace

const Epilogue* find_epilogue(std::uint32_t number) {
    const auto found = std::ranges::find(epilogues, number, &Epilogue::number);
    return found == epilogues.end() ? nullptr : &*found;
}

std::uint32_t all_epilogues() {
    std::uint32_t mask = 0;
    for (const Epilogue& epilogue : epilogues) mask |= epilogue.number;
    return mask;
}

}  // namespace cudash::libraries::cublas_lt
