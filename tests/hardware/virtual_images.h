// The images of test_images.h on the virtual GPU.
#pragma once

#include <memory>

#include "tests/hardware/test_images.h"

namespace cudash::oracle {

class VirtualImages {
public:
    VirtualImages();
    /// Fills the surfaces among these numbers anew.
    void prepare(std::span<const std::size_t> numbers);
    const std::vector<std::uint64_t>& handles() const { return handles_; }
    const virtual_gpu::ImageTable& table() const { return table_; }
    const std::byte* texels(std::size_t number) const { return storage_[number]->bytes(); }

private:
    virtual_gpu::ImageTable table_;
    std::vector<std::shared_ptr<virtual_gpu::ArrayStorage>> storage_;
    std::vector<std::uint64_t> handles_;
};

}  // namespace cudash::oracle
