#include "runtime_wrappers/virtual_gpu/runtime/images.h"

namespace cudash::virtual_gpu::runtime {

std::uint64_t Images::used(int device) const {
    const auto found = taken_.find(device);
    return found == taken_.end() ? 0 : found->second;
}

void Images::give_back(int device, const Image& image) {
    taken_[device] -= image.array->size();
    image.array->release();
}

void Images::release_all(int device) {
    const auto end_objects = [&](auto& descriptions, ImageObject::Kind kind) {
        std::erase_if(descriptions, [&](const auto& entry) {
            return entry.second.device == device && objects.remove(entry.first, kind);
        });
    };
    end_objects(textures, ImageObject::Kind::texture);
    end_objects(surfaces, ImageObject::Kind::surface);
    const auto end_arrays = [&](auto& table) {
        std::vector<std::uintptr_t> ended;
        for (auto& [handle, array] : table) {
            if (array.device != device) continue;
            array.image.array->release();
            ended.push_back(handle);
        }
        for (std::uintptr_t handle : ended) table.remove(table.handle(handle));
    };
    end_arrays(arrays);
    end_arrays(mipmapped);
    taken_.erase(device);
}

}  // namespace cudash::virtual_gpu::runtime
