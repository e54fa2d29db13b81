#include "runtime_wrappers/virtual_gpu/exec/image_access.h"

#include <fmt/format.h>

#include "runtime_wrappers/virtual_gpu/exec/diagnose.h"
#include "runtime_wrappers/virtual_gpu/exec/memory_access.h"

namespace cudash::virtual_gpu {
namespace {

const char* name_of(ImageObject::Kind kind) {
    return kind == ImageObject::Kind::texture ? "texture object" : "surface object";
}

std::string made(const std::string& origin) {
    return origin.empty() ? std::string() : fmt::format(" ({})", origin);
}

/// The functions of CUDA C++ that read or write an image of this shape.
std::string functions_for(ImageShape shape, ImageObject::Kind kind) {
    constexpr const char* textures[] = {"tex1Dfetch",   "tex1D",        "tex2D",      "tex3D",
                                        "tex1DLayered", "tex2DLayered", "texCubemap", "texCubemapLayered"};
    constexpr const char* surfaces[] = {"",
                                        "surf1Dread and surf1Dwrite",
                                        "surf2Dread and surf2Dwrite",
                                        "surf3Dread and surf3Dwrite",
                                        "surf1DLayeredread and surf1DLayeredwrite",
                                        "surf2DLayeredread and surf2DLayeredwrite",
                                        "surfCubemapread and surfCubemapwrite",
                                        "surfCubemapLayeredread and surfCubemapLayeredwrite"};
    return (kind == ImageObject::Kind::texture ? textures : surfaces)[static_cast<unsigned>(shape)];
}

bool reads_like(ImageShape image, ImageShape instruction, ImageObject::Kind kind) {
    if (image == instruction) return true;
    if (image == ImageShape::linear) return instruction == ImageShape::d1;
    // Surface instructions see the faces of a cubemap as layers.
    return kind == ImageObject::Kind::surface && is_cube(image) && instruction == ImageShape::a2d;
}

}  // namespace

const BoundImage* ImageFinder::fail(unsigned lane, std::string code, std::string message, std::string hint) {
    raise(w_, i_, LaunchStatus::illegal_address, std::move(code), std::move(message), static_cast<int>(lane),
          std::move(hint));
    return nullptr;
}

std::uint64_t ImageFinder::allocated(const Image& image, std::uint64_t& bias) const {
    if (reach_ == Reach::whole || image.shape != ImageShape::linear) return 0;
    const auto allocation = w_.block->launch->memory->find(image.address);
    if (!allocation) return 0;
    const std::uint64_t bytes = allocation->end() - image.address;
    const Span texels[] = {{image.address, bytes - 1, 1}};
    return check_global(w_, i_, texels, AccessKind::load, bias) ? bytes : 0;
}

bool ImageFinder::reaches(std::int64_t x, unsigned lane) {
    const Image& image = found_.object->image;
    if (found_.readable >= image.bytes || x < 0) return true;
    const std::uint64_t size = image.format.bytes(), texel = static_cast<std::uint64_t>(x);
    if (texel >= image.levels.front().width || texel < found_.readable / size) return true;
    fail(lane, "oob-read",
         fmt::format("texel {} of the texture object {}{} is not in device memory: {} of its {} bytes are", x, handle_,
                     made(found_.object->origin), found_.readable, image.bytes),
         "give the texture no more bytes than were allocated at its address");
    return false;
}

const BoundImage* ImageFinder::find(std::uint64_t handle, unsigned lane) {
    if (found_.object && handle == handle_) return &found_;
    const char* kind = name_of(kind_);
    const ImageTable* table = w_.block->launch->images;
    const ImageObject* object = table ? table->find(handle) : nullptr;
    if (!object)
        return fail(lane, "bad-handle", fmt::format("{:#x} is not a {}{}", handle, kind, handle ? "" : ": it is 0"),
                    kind_ == ImageObject::Kind::texture
                        ? "pass the cudaTextureObject_t that cudaCreateTextureObject gave, by value"
                        : "pass the cudaSurfaceObject_t that cudaCreateSurfaceObject gave, by value");
    if (object->kind != kind_)
        return fail(lane, "bad-handle",
                    fmt::format("{} is a {}, where a {} is needed", handle, name_of(object->kind), kind), {});
    if (!object->live)
        return fail(lane, "use-after-destroy",
                    fmt::format("the {} {}{} was destroyed", kind, handle, made(object->origin)),
                    "destroy it after the last kernel that uses it");
    const Image& image = object->image;
    BoundImage found{object, nullptr, image.bytes};
    if (image.array) {
        if (image.array->released())
            return fail(lane, "use-after-free",
                        fmt::format("the CUDA array{} behind the {} {}{} was freed", made(image.array->origin()), kind,
                                    handle, made(object->origin)),
                        "free the array after the last kernel that uses it");
        found.bytes = image.array->bytes();
    } else if (image.bytes > 0) {
        std::uint64_t bias;
        const Span texels[] = {{image.address, image.bytes - 1, 1}};
        if (!check_global(w_, i_, texels, AccessKind::load, bias) && (found.readable = allocated(image, bias)) == 0) {
            const auto nearest = w_.block->launch->memory->nearest(image.address);
            if (nearest && nearest->released && nearest->allocation.contains(image.address, 1))
                return fail(
                    lane, "use-after-free",
                    fmt::format("the device memory behind the {} {}{} was freed", kind, handle, made(object->origin)),
                    "free the memory after the last kernel that uses it");
            return fail(lane, "oob-read",
                        fmt::format("the {} {}{} is of {} bytes that are not all device memory", kind, handle,
                                    made(object->origin), image.bytes),
                        "give it no more bytes than were allocated at its address");
        }
        found.bytes = reinterpret_cast<std::byte*>(image.address + bias);
    } else {
        static std::byte nothing[16]{};
        found.bytes = nothing;
    }
    handle_ = handle;
    found_ = found;
    return &found_;
}

const BoundImage* ImageFinder::look_up(std::uint64_t handle, unsigned lane, ImageShape shape) {
    const BoundImage* bound = find(handle, lane);
    if (!bound || reads_like(bound->object->image.shape, shape, kind_)) return bound;
    const ImageShape actual = bound->object->image.shape;
    return fail(lane, "wrong-dimensions",
                fmt::format("the {} {}{} is of {}, and is used as if it were of {}", name_of(kind_), handle,
                            made(bound->object->origin), virtual_gpu::name_of(actual), virtual_gpu::name_of(shape)),
                fmt::format("use {}", functions_for(actual, kind_)));
}

std::vector<const ptx::Operand*> elements_of(const ptx::Operand& operand) {
    std::vector<const ptx::Operand*> elements;
    if (operand.kind == ptx::Operand::Kind::vector) {
        for (const ptx::Operand& element : operand.elements) elements.push_back(&element);
    } else {
        elements.push_back(&operand);
    }
    return elements;
}

bool decode_image(Site& site, const ptx::Operand& operand, ImageWork& work, ptx::Type coordinate) {
    /// Coordinates as written: the layer comes first, and 3D, cube and layered 2D ones are padded to four.
    struct Geometry {
        Mod mod;
        ImageShape shape;
        bool layered;
        std::size_t coordinates, written;
    };
    constexpr Geometry geometries[] = {
        {Mod::g1d, ImageShape::d1, false, 1, 1},      {Mod::g2d, ImageShape::d2, false, 2, 2},
        {Mod::g3d, ImageShape::d3, false, 3, 4},      {Mod::ga1d, ImageShape::a1d, true, 1, 2},
        {Mod::ga2d, ImageShape::a2d, true, 2, 4},     {Mod::gcube, ImageShape::cube, false, 3, 4},
        {Mod::gacube, ImageShape::acube, true, 3, 4},
    };
    const Geometry* geometry = nullptr;
    for (const Geometry& candidate : geometries)
        if (site.has(candidate.mod)) geometry = &candidate;
    if (!geometry || operand.elements.size() != 1) {
        site.refuse(geometry ? "an image and its coordinates are expected" : "no geometry is given");
        return false;
    }
    const auto written = elements_of(operand.elements.front());
    if (written.size() != geometry->written) {
        site.refuse("the coordinates do not fit the geometry");
        return false;
    }
    work.shape = geometry->shape;
    std::size_t next = 0;
    if (geometry->layered) work.layer = site.source(*written[next++], ptx::Type::u32);
    for (std::size_t c = 0; c < geometry->coordinates; ++c)
        work.coordinates[c] = site.source(*written[next++], coordinate);
    site.image(operand);
    return !site.refused();
}

void keep(Site& site, const ImageWork& work) {
    site.out.extra = static_cast<std::uint32_t>(site.code().image_work.size());
    site.code().image_work.push_back(work);
    site.program().has_other_effects = true;
}

}  // namespace cudash::virtual_gpu
