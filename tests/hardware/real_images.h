// The images of test_images.h on a real GPU: CUDA arrays, and texture and surface objects of them.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <map>
#include <vector>

#include "tests/hardware/test_images.h"

namespace cudash::oracle {

class RealImages {
public:
    /// Makes the images of these numbers where they are not made yet, and fills the surfaces anew.
    cudaError_t prepare(std::span<const std::size_t> numbers);
    /// The handles of all images, zero for those that were not made.
    const std::vector<std::uint64_t>& handles() const { return handles_; }
    /// What the surface holds.
    cudaError_t read(std::size_t number, void* texels) const;

private:
    struct Made {
        cudaArray_t array = nullptr;
        cudaMipmappedArray_t mipmapped = nullptr;
    };
    static cudaError_t make(const TestImage& image, Made& made, std::uint64_t& handle);

    std::map<std::size_t, Made> made_;
    std::vector<std::uint64_t> handles_ = std::vector<std::uint64_t>(test_images().size());
};

}  // namespace cudash::oracle
