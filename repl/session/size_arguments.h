// Which argument of a call of the CUDA runtime counts bytes.
#pragma once

#include <string_view>

namespace cudash::session {

struct SizeArgument {
    std::string_view function;
    unsigned argument;
};
inline constexpr SizeArgument size_arguments[] = {
    {"cudaMalloc", 1},
    {"cudaMallocManaged", 1},
    {"cudaMallocHost", 1},
    {"cudaHostAlloc", 1},
    {"cudaMallocAsync", 1},
    {"cudaMemcpy", 2},
    {"cudaMemcpyAsync", 2},
    {"cudaMemset", 2},
    {"cudaMemsetAsync", 2},
    {"cudaMemcpyToSymbol", 2},
    {"cudaMemcpyToSymbolAsync", 2},
    {"cudaMemcpyFromSymbol", 2},
    {"cudaMemcpyFromSymbolAsync", 2},
    // Of a row.
    {"cudaMallocPitch", 2},
    {"cudaMemcpy2D", 4},
    {"cudaMemcpy2DAsync", 4},
    {"cudaMemset2D", 3},
    {"cudaMemset2DAsync", 3},
};

}  // namespace cudash::session
