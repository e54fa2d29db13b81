// From the handle in a register to the texels behind it, checked before anything is touched; and what texture and
// surface instructions have in common when they are decoded.
#pragma once

#include "runtime_wrappers/virtual_gpu/exec/select.h"
#include "runtime_wrappers/virtual_gpu/isa/image_work.h"

namespace cudash::virtual_gpu {

/// An object and the memory where its texels begin.
struct BoundImage {
    const ImageObject* object = nullptr;
    std::byte* bytes = nullptr;
    std::uint64_t readable = 0;  ///< bytes; less than the image's where the allocation ends before it does
};

/// Linear memory may be described with more bytes than are allocated (a GPU does not look): `partly` finds it all the
/// same, and each texel is checked by reaches().
enum class Reach : std::uint8_t { whole, partly };

/// Finds the objects behind a warp's handles; lanes mostly share one, which is looked up once.
class ImageFinder {
public:
    ImageFinder(const Instruction* i, Warp& w, ImageObject::Kind kind, Reach reach = Reach::whole)
        : i_(i), w_(w), kind_(kind), reach_(reach) {}
    /// nullptr: there is no live object of the kind with live memory, and a fault of `lane` was raised.
    const BoundImage* find(std::uint64_t handle, unsigned lane);
    /// The same, and its shape must be `shape` or what reads like it.
    const BoundImage* find(std::uint64_t handle, unsigned lane, ImageShape shape) {
        return found_.object && handle == handle_ ? &found_ : look_up(handle, lane, shape);
    }
    /// Whether texel `x` of the image found last is in memory, or out of the image; false after a fault was raised.
    bool reaches(std::int64_t x, unsigned lane);

private:
    const BoundImage* look_up(std::uint64_t handle, unsigned lane, ImageShape shape);
    /// Bytes from the image's address to the end of the allocation there; 0 if that can't be read.
    std::uint64_t allocated(const Image& image, std::uint64_t& bias) const;
    const BoundImage* fail(unsigned lane, std::string code, std::string message, std::string hint);

    const Instruction* i_;
    Warp& w_;
    ImageObject::Kind kind_;
    Reach reach_;
    std::uint64_t handle_ = 0;
    BoundImage found_;
};

/// Reads geometry and coordinates of the image operand [handle, {coordinates}]; false after refusing the form.
bool decode_image(Site& site, const ptx::Operand& operand, ImageWork& work, ptx::Type coordinate);
/// The registers of a vector operand, or the one of a scalar.
std::vector<const ptx::Operand*> elements_of(const ptx::Operand& operand);
/// Stores `work` for the handler.
void keep(Site& site, const ImageWork& work);
inline const ImageWork& work_of(const Instruction* i, const Warp& w) {
    return w.frame->code->image_work[i->extra];
}

}  // namespace cudash::virtual_gpu
