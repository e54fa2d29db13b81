#include "runtime_wrappers/virtual_gpu/memory/image.h"

#include <algorithm>
#include <cstdlib>

namespace cudash::virtual_gpu {

const char* name_of(ImageShape shape) {
    constexpr const char* names[] = {"linear memory",      "a 1D array",         "a 2D array", "a 3D array",
                                     "a 1D layered array", "a 2D layered array", "a cubemap",  "a layered cubemap"};
    return names[static_cast<unsigned>(shape)];
}

void ArrayStorage::Free::operator()(std::byte* bytes) const {
    std::free(bytes);
}

std::shared_ptr<ArrayStorage> ArrayStorage::create(std::uint64_t size, std::string origin) {
    auto storage = std::make_shared<ArrayStorage>();
    storage->bytes_.reset(static_cast<std::byte*>(std::calloc(size, 1)));
    if (!storage->bytes_) return nullptr;
    storage->size_ = size;
    storage->origin_ = std::move(origin);
    return storage;
}

std::uint64_t ImageTable::add(ImageObject object) {
    objects_.push_back(std::move(object));
    return objects_.size();
}

const ImageObject* ImageTable::find(std::uint64_t handle) const {
    return handle - 1 < objects_.size() ? &objects_[handle - 1] : nullptr;
}

bool ImageTable::remove(std::uint64_t handle, ImageObject::Kind kind) {
    if (handle - 1 >= objects_.size()) return false;
    ImageObject& object = objects_[handle - 1];
    if (!object.live || object.kind != kind) return false;
    // What messages need is kept.
    object.live = false;
    object.image = {};
    return true;
}

bool ImageTable::uses_memory(Address begin, Address end) const {
    return std::any_of(objects_.begin(), objects_.end(), [&](const ImageObject& object) {
        const Image& image = object.image;
        return object.live && image.address < end && begin < image.address + image.bytes;
    });
}

}  // namespace cudash::virtual_gpu
