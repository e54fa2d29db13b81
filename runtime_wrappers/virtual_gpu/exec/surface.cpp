// suld, sust and sured. The lowest coordinate counts bytes, or texels where values are converted (PTX ISA 9.7.10).
#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>

#include <fmt/format.h>

#include "runtime_wrappers/virtual_gpu/exec/diagnose.h"
#include "runtime_wrappers/virtual_gpu/exec/image_access.h"

namespace cudash::virtual_gpu {
namespace {

using enum ptx::Type;

/// The places of a warp's surface access, lane by lane.
class SurfaceAccess {
public:
    SurfaceAccess(const Instruction* i, Warp& w, const char* verb)
        : i_(i), w_(w), work_(work_of(i, w)), verb_(verb), finder_(i, w, ImageObject::Kind::surface) {}

    /// False after a fault. `bytes` are at least as many as the access has, or a whole texel where it is formatted;
    /// null where the access lies outside and is let pass.
    bool locate(unsigned lane, std::byte*& bytes, const TexelFormat*& format) {
        const BoundImage* bound = finder_.find(lanes<std::uint64_t>(w_, i_->a)[lane], lane, work_.shape);
        if (!bound) return false;
        const Image& image = bound->object->image;
        const ImageLevel& level = image.levels.front();
        format = &image.format;
        const std::uint64_t unit = work_.formatted ? 1 : image.format.bytes();
        const std::uint64_t size = work_.formatted ? 1 : work_.access_bytes();
        const std::uint64_t row = level.width * unit;
        std::int64_t x = coordinate(0, lane), y = coordinate(1, lane), z = coordinate(2, lane);
        if (work_.layer != no_operand) z = coordinate_at(work_.layer, lane);
        const auto last_x = static_cast<std::int64_t>(row) - static_cast<std::int64_t>(size);
        const auto last_y = static_cast<std::int64_t>(level.height) - 1;
        const auto last_z = static_cast<std::int64_t>(level.depth) - 1;
        const bool outside = x < 0 || x > last_x || y < 0 || y > last_y || z < 0 || z > last_z;
        if (outside && (work_.boundary == ImageWork::Boundary::trap ||
                        (work_.boundary == ImageWork::Boundary::clamp && last_x < 0)))
            return out_of_bounds(lane, image, level, x, y, z);
        // A place outside must be aligned too, but where it traps that comes first (measured on an H200).
        if (x % static_cast<std::int64_t>(size) != 0) {
            raise(w_, i_, LaunchStatus::misaligned_address, "misaligned-access",
                  fmt::format("{}-byte surface {} at byte {} of a row, which is not a multiple of {}", size, verb_, x,
                              size),
                  static_cast<int>(lane), "the x coordinate of a surface counts bytes: multiply it by sizeof");
            return false;
        }
        if (outside) {
            if (work_.boundary == ImageWork::Boundary::zero) return true;
            x = std::clamp<std::int64_t>(x, 0, last_x);
            x -= x % static_cast<std::int64_t>(size);
            y = std::clamp<std::int64_t>(y, 0, last_y);
            z = std::clamp<std::int64_t>(z, 0, last_z);
        }
        bytes = bound->bytes + level.offset + static_cast<std::uint64_t>(z) * level.slice +
                static_cast<std::uint64_t>(y) * level.pitch +
                static_cast<std::uint64_t>(x) * (work_.formatted ? image.format.bytes() : 1);
        return true;
    }

private:
    std::int64_t coordinate(unsigned axis, unsigned lane) const {
        return work_.coordinates[axis] == no_operand ? 0 : coordinate_at(work_.coordinates[axis], lane);
    }
    std::int64_t coordinate_at(std::uint32_t offset, unsigned lane) const {
        return static_cast<std::int32_t>(lanes<std::uint32_t>(w_, offset)[lane]);
    }

    bool out_of_bounds(unsigned lane, const Image& image, const ImageLevel& level, std::int64_t x, std::int64_t y,
                       std::int64_t z) {
        const bool layered = work_.layer != no_operand;
        const bool has_y =
            work_.shape == ImageShape::d2 || work_.shape == ImageShape::d3 || work_.shape == ImageShape::a2d;
        std::string place = fmt::format("{} {}", work_.formatted ? "x =" : "byte", x);
        std::string extent = fmt::format("{} bytes", level.width * image.format.bytes());
        if (work_.formatted) extent = fmt::format("{} texels", level.width);
        if (has_y) {
            place += fmt::format(", y = {}", y);
            extent += fmt::format(", {} rows", level.height);
        }
        if (layered || work_.shape == ImageShape::d3) {
            place += fmt::format(", {} {}", layered ? "layer" : "z =", z);
            extent += fmt::format(", {} {}", level.depth, layered ? "layers" : "slices");
        }
        const bool in_texels = !work_.formatted && x >= 0 && work_.access_bytes() > 1 && y >= 0 &&
                               y < static_cast<std::int64_t>(level.height) && z >= 0 &&
                               z < static_cast<std::int64_t>(level.depth);
        // "cudaBoundaryModeTrap: out of range accesses cause the kernel execution to fail": with
        // cudaErrorIllegalAddress (measured on an H200).
        raise(w_, i_, LaunchStatus::illegal_address, verb_[0] == 'r' ? "oob-read" : "oob-write",
              fmt::format("{}-byte surface {} at {}: the surface has rows of {}", work_.access_bytes(), verb_, place,
                          extent),
              static_cast<int>(lane),
              in_texels ? "the x coordinate of a surface counts bytes: it is the column times sizeof"
                        : "cudaBoundaryModeClamp and cudaBoundaryModeZero allow coordinates outside");
        return false;
    }

    const Instruction* i_;
    Warp& w_;
    const ImageWork& work_;
    const char* verb_;
    ImageFinder finder_;
};

/// Calls visit(lane, bytes, format) for each active lane, with null bytes where the access lies outside and is let
/// pass.
template <class Visit>
const Instruction* at_each_place(const Instruction* i, Warp& w, const char* verb, Visit&& visit) {
    SurfaceAccess access(i, w, verb);
    for (std::uint32_t rest = w.mask; rest != 0; rest &= rest - 1) {
        const auto lane = static_cast<unsigned>(std::countr_zero(rest));
        std::byte* bytes = nullptr;
        const TexelFormat* format = nullptr;
        if (!access.locate(lane, bytes, format)) return nullptr;
        visit(lane, bytes, *format);
    }
    return i + 1;
}

std::uint64_t read_register(Warp& w, std::uint32_t offset, unsigned bytes, unsigned lane) {
    return bytes == 8 ? lanes<std::uint64_t>(w, offset)[lane] : lanes<std::uint32_t>(w, offset)[lane];
}

void write_register(Warp& w, std::uint32_t offset, unsigned bytes, unsigned lane, std::uint64_t value) {
    if (bytes == 8) {
        lanes<std::uint64_t>(w, offset)[lane] = value;
    } else {
        lanes<std::uint32_t>(w, offset)[lane] = static_cast<std::uint32_t>(value);
    }
}

const Instruction* run_surface_load(const Instruction* i, Warp& w) {
    const ImageWork& work = work_of(i, w);
    return at_each_place(i, w, "read", [&](unsigned lane, const std::byte* bytes, const TexelFormat&) {
        for (unsigned d = 0; d < work.data_count; ++d) {
            std::uint64_t value = 0;
            if (bytes) std::memcpy(&value, bytes + d * work.element_bytes, work.element_bytes);
            write_register(w, work.data[d], work.element_bytes, lane, value);
        }
    });
}

const Instruction* run_surface_store(const Instruction* i, Warp& w) {
    const ImageWork& work = work_of(i, w);
    w.wrote = true;
    return at_each_place(i, w, "write", [&](unsigned lane, std::byte* bytes, const TexelFormat& format) {
        if (!bytes) return;
        if (work.formatted) {
            std::array<std::uint32_t, 4> values{};
            for (unsigned d = 0; d < work.data_count; ++d) values[d] = lanes<std::uint32_t>(w, work.data[d])[lane];
            write_texel(bytes, format, values);
            return;
        }
        for (unsigned d = 0; d < work.data_count; ++d) {
            const std::uint64_t value = read_register(w, work.data[d], work.element_bytes, lane);
            std::memcpy(bytes + d * work.element_bytes, &value, work.element_bytes);
        }
    });
}

enum class Reduction : std::uint8_t { add, min, max, and_, or_ };

template <class T>
T reduced(Reduction operation, T old, T value) {
    using Bits = std::make_unsigned_t<T>;
    switch (operation) {
        case Reduction::add:
            return static_cast<T>(static_cast<Bits>(old) + static_cast<Bits>(value));
        case Reduction::min:
            return std::min(old, value);
        case Reduction::max:
            return std::max(old, value);
        case Reduction::and_:
            return static_cast<T>(old & value);
        case Reduction::or_:
            return static_cast<T>(old | value);
    }
    return old;
}

/// Blocks of kernels that write surfaces run one after the other, so that nothing else is needed to be atomic.
template <class T>
const Instruction* run_surface_reduction(const Instruction* i, Warp& w) {
    const ImageWork& work = work_of(i, w);
    w.wrote = true;
    return at_each_place(i, w, "write", [&](unsigned lane, std::byte* bytes, const TexelFormat& format) {
        if (!bytes || (work.formatted && format.bytes() < sizeof(T))) return;
        T cell;
        std::memcpy(&cell, bytes, sizeof cell);
        const T value = static_cast<T>(read_register(w, work.data[0], sizeof(T), lane));
        cell = reduced(static_cast<Reduction>(i->option), cell, value);
        std::memcpy(bytes, &cell, sizeof cell);
    });
}

void decode_boundary(Site& site, ImageWork& work) {
    using enum ImageWork::Boundary;
    work.boundary = site.has(Mod::clamp) ? clamp : site.has(Mod::zero) ? zero : trap;
}

/// The data registers of a load or store: one, or as many as the vector modifier says.
bool decode_data(Site& site, const ptx::Operand& operand, ImageWork& work, bool destination) {
    const auto elements = elements_of(operand);
    const std::size_t count = site.has(Mod::v4) ? 4 : site.has(Mod::v2) ? 2 : 1;
    if (elements.size() != count || site.has(Mod::v8) || site.has(Mod::gcube) || site.has(Mod::gacube)) {
        site.refuse();
        return false;
    }
    work.element_bytes = type_bytes(site.type());
    for (const ptx::Operand* element : elements)
        work.data[work.data_count++] = destination ? site.destination(*element, work.element_bytes == 8 ? 8 : 4)
                                                   : site.source(*element, site.type());
    return !site.refused() && work.access_bytes() <= 16;
}

}  // namespace

void select_suld(Site& site) {
    ImageWork work;
    if (!site.has(Mod::b) || !decode_data(site, site.operand(0), work, true)) return site.refuse();
    if (!decode_image(site, site.operand(1), work, s32)) return;
    decode_boundary(site, work);
    keep(site, work);
    site.run(&run_surface_load);
}

void select_sust(Site& site) {
    ImageWork work;
    work.formatted = site.has(Mod::p);
    if (work.formatted == site.has(Mod::b) || (work.formatted && site.type() != b32)) return site.refuse();
    if (!decode_data(site, site.operand(1), work, false)) return site.refuse();
    if (!decode_image(site, site.operand(0), work, s32)) return;
    decode_boundary(site, work);
    keep(site, work);
    site.order_matters();
    site.run(&run_surface_store);
}

void select_sured(Site& site) {
    ImageWork work;
    work.formatted = site.has(Mod::p);
    if (work.formatted == site.has(Mod::b) || !decode_data(site, site.operand(1), work, false)) return site.refuse();
    if (site.has(Mod::ga1d) || site.has(Mod::ga2d) || !decode_image(site, site.operand(0), work, s32))
        return site.refuse();
    decode_boundary(site, work);
    struct Row {
        Mod mod;
        Reduction operation;
        TypeSet types;
    };
    constexpr Row rows[] = {
        {Mod::add, Reduction::add, types({u32, s32, u64})},
        {Mod::min, Reduction::min, types({u32, s32, u64, s64})},
        {Mod::max, Reduction::max, types({u32, s32, u64, s64})},
        {Mod::and_, Reduction::and_, types({b32})},
        {Mod::or_, Reduction::or_, types({b32})},
    };
    for (const Row& row : rows) {
        // With .p the type is always written .b32 and the surface's format decides; arithmetic is unsigned.
        if (!site.has(row.mod) || !(contains(row.types, site.type()) || (work.formatted && site.type() == b32)))
            continue;
        site.out.option = static_cast<std::uint16_t>(row.operation);
        keep(site, work);
        site.order_matters();
        return site.run(for_type<u32, s32, b32, u64, s64>(
            site.type(), []<class T>() -> Handler { return &run_surface_reduction<T>; }));
    }
    site.refuse();
}

}  // namespace cudash::virtual_gpu
