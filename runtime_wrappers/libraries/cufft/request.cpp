#include "runtime_wrappers/libraries/cufft/request.h"

#include <algorithm>
#include <array>
#include <limits>

#include "runtime_wrappers/libraries/cufft/plan.h"

namespace cudash::libraries::cufft {
namespace {

constexpr std::array types = {
    TypeRow{CUFFT_C2C, "CUFFT_C2C", "cufftExecC2C", Kind::complex_to_complex, false, CUDA_C_32F, CUDA_C_32F},
    TypeRow{CUFFT_R2C, "CUFFT_R2C", "cufftExecR2C", Kind::real_to_complex, false, CUDA_R_32F, CUDA_C_32F},
    TypeRow{CUFFT_C2R, "CUFFT_C2R", "cufftExecC2R", Kind::complex_to_real, false, CUDA_C_32F, CUDA_R_32F},
    TypeRow{CUFFT_Z2Z, "CUFFT_Z2Z", "cufftExecZ2Z", Kind::complex_to_complex, true, CUDA_C_64F, CUDA_C_64F},
    TypeRow{CUFFT_D2Z, "CUFFT_D2Z", "cufftExecD2Z", Kind::real_to_complex, true, CUDA_R_64F, CUDA_C_64F},
    TypeRow{CUFFT_Z2D, "CUFFT_Z2D", "cufftExecZ2D", Kind::complex_to_real, true, CUDA_C_64F, CUDA_R_64F},
};

/// So that sums of products of them stay far from 64 bits.
constexpr std::int64_t most_elements = std::int64_t{1} << 40;

cufftResult ask(Request& request, std::int64_t batch) {
    if (!request.type) return refuse(CUFFT_INVALID_TYPE, "there is no such cufftType");
    for (const std::int64_t size : request.sizes)
        if (size < 1) return refuse(CUFFT_INVALID_SIZE, "a size is {}", size);
    if (batch < 1) return refuse(CUFFT_INVALID_SIZE, "the number of transforms is {}", batch);
    std::int64_t left = most_elements;
    for (const std::int64_t size : {request.sizes[0], request.sizes[1], request.sizes[2], batch}) {
        if (size > left) return refuse(CUFFT_INVALID_SIZE, "that many numbers are more than any memory has");
        left /= size;
    }
    request.batch = batch;
    return CUFFT_SUCCESS;
}

/// How elements lie in an array of the program's. Its first size takes no part.
template <class Int>
std::optional<Layout> described(int rank, const Int* embed, Int stride, Int batch) {
    Sizes storage = {1, 1, 1};
    std::copy(embed + 1, embed + rank, storage.end() - rank + 1);
    std::int64_t left = most_elements;
    for (const std::int64_t size : {storage[1], storage[2], static_cast<std::int64_t>(stride)}) {
        if (size < 1 || size > left) return std::nullopt;
        left /= size;
    }
    if (batch < 0 || batch > most_elements) return std::nullopt;
    return Layout::within(storage, stride, batch);
}

}  // namespace

const TypeRow* find_type(cufftType type) {
    const auto found = std::ranges::find(types, type, &TypeRow::type);
    return found == types.end() ? nullptr : &*found;
}
const TypeRow* find_type(cudaDataType input, cudaDataType output) {
    const auto found =
        std::ranges::find_if(types, [&](const TypeRow& row) { return row.input == input && row.output == output; });
    return found == types.end() ? nullptr : &*found;
}

Request::Sides Request::sides(bool in_place) const {
    if (advanced) return *advanced;
    Sizes input = input_sizes(), output = output_sizes();
    if (in_place && type->kind == Kind::real_to_complex) input[2] = 2 * output[2];
    if (in_place && type->kind == Kind::complex_to_real) output[2] = 2 * input[2];
    return {Layout::packed(input), Layout::packed(output)};
}

std::size_t Request::work_size() const {
    const Sizes spectrum = type->kind == Kind::complex_to_complex ? sizes : half_of(sizes);
    return static_cast<std::size_t>(count_of(spectrum) * batch) * (type->doubles ? 16 : 8);
}

cufftResult ask_packed(Request& request, cufftType type, const Sizes& sizes, std::int64_t batch) {
    request.type = find_type(type);
    request.sizes = sizes;
    return ask(request, batch);
}

template <class Int>
cufftResult ask_many(Request& request, const TypeRow* type, const Many<Int>& many) {
    if (many.rank < 1 || many.rank > 3)
        return refuse(CUFFT_INVALID_VALUE, "the rank is {}; cuFFT has transforms of 1, 2 and 3 dimensions", many.rank);
    if (!many.n) return refuse(CUFFT_INVALID_VALUE, "the sizes are a null pointer");
    request.type = type;
    std::copy_n(many.n, many.rank, request.sizes.end() - many.rank);
    if (const cufftResult bad = ask(request, many.batch); bad != CUFFT_SUCCESS) return bad;
    // "If set to NULL all other advanced data layout parameters are ignored."
    if (!many.inembed || !many.onembed) return CUFFT_SUCCESS;
    const auto input = described(many.rank, many.inembed, many.istride, many.idist);
    const auto output = described(many.rank, many.onembed, many.ostride, many.odist);
    if (!input || !output)
        return refuse(CUFFT_INVALID_VALUE,
                      "the sizes of arrays and the strides must be positive, distances not negative");
    request.advanced = {*input, *output};
    return CUFFT_SUCCESS;
}
template cufftResult ask_many(Request&, const TypeRow*, const Many<int>&);
template cufftResult ask_many(Request&, const TypeRow*, const Many<long long>&);

}  // namespace cudash::libraries::cufft
