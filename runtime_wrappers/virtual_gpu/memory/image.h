// Images: the texels behind texture and surface objects, and the objects themselves, which kernels name by 64-bit
// handles. Extents are in texels, offsets and pitches in bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "runtime_wrappers/virtual_gpu/memory/address_space.h"
#include "runtime_wrappers/virtual_gpu/memory/texel.h"

namespace cudash::virtual_gpu {

/// The texels of a CUDA array with all its mipmap levels. The objects made of it share it, to see when it was freed.
class ArrayStorage {
public:
    /// Zero bytes, committed as they are touched; nullptr where the host has no room.
    static std::shared_ptr<ArrayStorage> create(std::uint64_t size, std::string origin);
    std::byte* bytes() const { return bytes_.get(); }
    std::uint64_t size() const { return size_; }
    void release() { bytes_.reset(); }
    bool released() const { return bytes_ == nullptr; }
    const std::string& origin() const { return origin_; }  ///< where it was allocated

private:
    struct Free {
        void operator()(std::byte* bytes) const;
    };
    std::unique_ptr<std::byte, Free> bytes_;
    std::uint64_t size_ = 0;
    std::string origin_;
};

/// `linear` is device memory read by index alone; the others are as the PTX ISA names them (9.7.9 "Texture
/// Instructions").
enum class ImageShape : std::uint8_t { linear, d1, d2, d3, a1d, a2d, cube, acube };

/// Words for messages: "a 2D layered array".
const char* name_of(ImageShape shape);
constexpr bool is_cube(ImageShape shape) {
    return shape == ImageShape::cube || shape == ImageShape::acube;
}

struct ImageLevel {
    std::uint64_t width = 1, height = 1;
    std::uint64_t depth = 1;  ///< slices: of a 3D image, or all layers and faces
    std::uint64_t offset = 0, pitch = 0, slice = 0;
    /// Slices that there is memory for: a view may name more, which read as 0.
    std::uint64_t stored_depth = std::numeric_limits<std::uint64_t>::max();
};

/// Texels as one texture or surface sees them.
struct Image {
    ImageShape shape = ImageShape::d1;
    TexelFormat format;
    std::vector<ImageLevel> levels;
    std::shared_ptr<ArrayStorage> array;  ///< or
    Address address = 0;                  ///< device memory,
    std::uint64_t bytes = 0;              ///< of this size

    /// The texel's place, from the first byte of the array or memory.
    std::uint64_t place(const ImageLevel& level, std::uint64_t x, std::uint64_t y, std::uint64_t z) const {
        return level.offset + z * level.slice + y * level.pitch + x * format.bytes();
    }
};

enum class AddressMode : std::uint8_t { wrap, clamp, mirror, border };  ///< in the order of cudaTextureAddressMode

/// How a texture object turns coordinates into a value.
struct Sampler {
    AddressMode address[3] = {AddressMode::wrap, AddressMode::wrap, AddressMode::wrap};
    bool linear = false;
    bool linear_between_levels = false;
    bool normalized_coordinates = false;
    bool seamless = false;  ///< cube faces are filtered across their edges
    ReadMode read = ReadMode::element;
    double level_bias = 0, least_level = 0, most_level = 0;
    BorderTexel border{};  ///< in the image's format
};

/// A texture or surface object.
struct ImageObject {
    enum class Kind : std::uint8_t { texture, surface };
    Kind kind = Kind::texture;
    bool live = true;
    Image image;
    Sampler sampler;
    std::string origin;  ///< where it was created
};

/// All texture and surface objects of the process, by handle: 1, 2, ... in the order of creation. A handle is never
/// used again, so that one that was destroyed is told apart. Changes only while no kernel runs.
class ImageTable {
public:
    std::uint64_t add(ImageObject object);
    /// The object, live or destroyed; nullptr for a number that never was a handle.
    const ImageObject* find(std::uint64_t handle) const;
    /// Ends a live object of that kind; false if there is none.
    bool remove(std::uint64_t handle, ImageObject::Kind kind);
    /// True if a live object reads or writes device memory in [begin, end).
    bool uses_memory(Address begin, Address end) const;

private:
    std::deque<ImageObject> objects_;
};

}  // namespace cudash::virtual_gpu
