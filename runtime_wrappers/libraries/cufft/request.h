// What a plan is asked to be: looked at once, and then where its numbers lie.
#pragma once

#include <cufft.h>
#include <cufftXt.h>

#include <cstddef>
#include <optional>
#include <string_view>

#include "runtime_wrappers/libraries/cufft/layout.h"
#include "runtime_wrappers/libraries/cufft/transform.h"

namespace cudash::libraries::cufft {

/// What each cufftType is.
struct TypeRow {
    cufftType type;
    std::string_view name, execute;  ///< "CUFFT_C2C", "cufftExecC2C"
    Kind kind;
    bool doubles;
    cudaDataType input, output;
};
/// nullptr: there is no such type.
const TypeRow* find_type(cufftType type);
const TypeRow* find_type(cudaDataType input, cudaDataType output);

/// The parameters of cufftPlanMany, with ints of any size.
struct Request {
    const TypeRow* type = nullptr;
    Sizes sizes{1, 1, 1};
    std::int64_t batch = 1;
    /// How far apart numbers and transforms are, in arrays that the program describes; otherwise they are packed.
    struct Sides {
        Layout input, output;
    };
    std::optional<Sides> advanced{};

    /// Real numbers that are transformed in place have the room of their spectrum.
    Sides sides(bool in_place) const;
    Sizes input_sizes() const { return type->kind == Kind::complex_to_real ? half_of(sizes) : sizes; }
    Sizes output_sizes() const { return type->kind == Kind::real_to_complex ? half_of(sizes) : sizes; }
    std::size_t work_size() const;
};

/// Sets what is asked for, or says why it can't be.
cufftResult ask_packed(Request& request, cufftType type, const Sizes& sizes, std::int64_t batch);

/// As the functions of many transforms are given them.
template <class Int>
struct Many {
    int rank;
    const Int *n, *inembed;
    Int istride, idist;
    const Int* onembed;
    Int ostride, odist, batch;
};
template <class Int>
cufftResult ask_many(Request& request, const TypeRow* type, const Many<Int>& many);

}  // namespace cudash::libraries::cufft
