#include "tests/hardware/virtual_images.h"

#include <cstring>
#include <string>

namespace cudash::oracle {

using namespace virtual_gpu;

VirtualImages::VirtualImages() {
    for (const TestImage& image : test_images()) {
        ImageObject object;
        object.kind = image.kind;
        object.image.shape = image.shape;
        object.image.format = image.format;
        std::uint64_t size = 0;
        for (unsigned level = 0; level < image.levels; ++level) {
            object.image.levels.push_back(image.level(level));
            object.image.levels.back().offset = size;
            size += image.bytes(level);
        }
        const auto storage = ArrayStorage::create(size, std::string(image.name));
        for (unsigned level = 0; level < image.levels; ++level) {
            const std::vector<std::byte> texels = texels_of(image, level);
            std::memcpy(storage->bytes() + object.image.levels[level].offset, texels.data(), texels.size());
        }
        object.image.array = storage;
        Sampler& sampler = object.sampler;
        for (AddressMode& mode : sampler.address) mode = image.normalized ? AddressMode::wrap : AddressMode::clamp;
        sampler.linear = image.linear;
        sampler.normalized_coordinates = image.normalized;
        sampler.read = image.normalized_floats ? ReadMode::normalized : ReadMode::element;
        sampler.most_level = image.levels - 1;
        storage_.push_back(storage);
        handles_.push_back(table_.add(std::move(object)));
    }
}

void VirtualImages::prepare(std::span<const std::size_t> numbers) {
    for (std::size_t number : numbers) {
        if (!test_images()[number].is_surface()) continue;
        const std::vector<std::byte> texels = texels_of(test_images()[number], 0);
        std::memcpy(storage_[number]->bytes(), texels.data(), texels.size());
    }
}

}  // namespace cudash::oracle
