// tex, tld4, txq and istypep.
#include <algorithm>
#include <bit>
#include <cstring>

#include "runtime_wrappers/virtual_gpu/exec/block.h"
#include "runtime_wrappers/virtual_gpu/exec/image_access.h"
#include "runtime_wrappers/virtual_gpu/model/filter_weights.h"
#include "runtime_wrappers/virtual_gpu/model/sampling.h"

namespace cudash::virtual_gpu {
namespace {

using enum ptx::Type;

/// The registers of one texture instruction, by lane.
class Operands {
public:
    Operands(Warp& w, const ImageWork& work) : w_(w), work_(work) {}

    std::uint32_t word(std::uint32_t offset, unsigned lane) const {
        return offset == no_operand ? 0 : lanes<std::uint32_t>(w_, offset)[lane];
    }
    double real(std::uint32_t offset, unsigned lane) const {
        return offset == no_operand ? 0 : static_cast<double>(std::bit_cast<float>(word(offset, lane)));
    }
    std::int32_t integer(std::uint32_t offset, unsigned lane) const {
        return static_cast<std::int32_t>(word(offset, lane));
    }
    std::array<double, 3> reals(const std::array<std::uint32_t, 3>& offsets, unsigned lane) const {
        return {real(offsets[0], lane), real(offsets[1], lane), real(offsets[2], lane)};
    }
    TexturePoint point(unsigned lane) const {
        TexturePoint point;
        point.at = reals(work_.coordinates, lane);
        point.layer = word(work_.layer, lane);
        for (unsigned a = 0; a < 3; ++a) point.offset[a] = integer(work_.offsets[a], lane);
        return point;
    }
    void write(unsigned lane, const Texel& texel, bool floats) {
        using enum ImageWork::Result;
        const auto half = [&](unsigned c) -> std::uint32_t {
            if (!floats) return texel.bits[c] & 0xFFFF;
            return semantics::round_to<semantics::format_f16, Rounding::rn>(std::bit_cast<float>(texel.bits[c]));
        };
        for (unsigned d = 0; d < work_.data_count; ++d) {
            std::uint32_t bits = texel.bits[d];
            if (work_.result == halves) bits = half(d);
            if (work_.result == half_pairs) bits = half(2 * d) | half(2 * d + 1) << 16;
            lanes<std::uint32_t>(w_, work_.data[d])[lane] = bits;
        }
    }
    void write_resident() {
        if (work_.resident != no_operand) set_predicate(w_, work_.resident, ~0u);
    }

private:
    Warp& w_;
    const ImageWork& work_;
};

/// Calls texel_of(operands, bound, lane) for each lane and writes what it gives.
template <Reach Memory = Reach::whole, class TexelOf>
const Instruction* for_each_point(const Instruction* i, Warp& w, TexelOf texel_of) {
    const ImageWork& work = work_of(i, w);
    const Lane64* handles = lanes<std::uint64_t>(w, i->a);
    ImageFinder finder(i, w, ImageObject::Kind::texture, Memory);
    Operands operands(w, work);
    for (std::uint32_t rest = w.mask; rest != 0; rest &= rest - 1) {
        const auto lane = static_cast<unsigned>(std::countr_zero(rest));
        const BoundImage* bound = finder.find(handles[lane], lane, work.shape);
        if (!bound) return nullptr;
        if constexpr (Memory == Reach::partly) {
            const std::int64_t x = operands.integer(work.coordinates[0], lane);
            if (!finder.reaches(x + operands.integer(work.offsets[0], lane), lane)) return nullptr;
        }
        const Image& image = bound->object->image;
        operands.write(lane, texel_of(work, operands, *bound, lane),
                       reads_floats(image.format, bound->object->sampler.read));
    }
    operands.write_resident();
    return i + 1;
}

/// Whether a read takes nearest texels of 32-bit channels from the only level: what most kernels do.
bool reads_words(const ImageWork& work, const ImageObject& object) {
    const Image& image = object.image;
    const bool border = std::find(std::begin(object.sampler.address), std::end(object.sampler.address),
                                  AddressMode::border) != std::end(object.sampler.address);
    return work.detail == ImageWork::Detail::base && work.result == ImageWork::Result::words &&
           work.offsets[0] == no_operand && image.levels.size() == 1 && image.format.channel_bytes == 4 &&
           !object.sampler.linear && !is_cube(image.shape) && !border &&
           image.levels.front().depth <= image.levels.front().stored_depth;
}

/// The same as sample() for all lanes at once, where reads_words().
void sample_words(Warp& w, const ImageWork& work, const BoundImage& bound) {
    const Image& image = bound.object->image;
    const Sampler& sampler = bound.object->sampler;
    const ImageLevel& level = image.levels.front();
    std::uint64_t place[warp_size];
    std::fill(std::begin(place), std::end(place), level.offset);
    if (work.layer != no_operand) {
        const Lane32* layer = lanes<std::uint32_t>(w, work.layer);
        for (unsigned l = 0; l < warp_size; ++l)
            place[l] += std::min<std::uint64_t>(layer[l], level.depth - 1) * level.slice;
    }
    const std::uint64_t sizes[] = {level.width, level.height, level.depth};
    const std::uint64_t strides[] = {image.format.bytes(), level.pitch, level.slice};
    for (unsigned a = 0; a < 3 && work.coordinates[a] != no_operand; ++a) {
        const Lane32* coordinate = lanes<float>(w, work.coordinates[a]);
        for (unsigned l = 0; l < warp_size; ++l) {
            const auto value = static_cast<double>(from_lane<float>(coordinate[l]));
            const std::int64_t i =
                nearest_texel(texel_coordinate(value, sizes[a], sampler.normalized_coordinates, sampler.address[a]));
            place[l] += apply_address_mode(i, sizes[a], sampler.address[a]).value_or(0) * strides[a];
        }
    }
    for (unsigned c = 0; c < 4; ++c) {
        const bool there = c < image.format.channels;
        write_lanes<std::uint32_t>(w, lanes<std::uint32_t>(w, work.data[c]), [&](unsigned l) {
            std::uint32_t word = 0;
            if (there) std::memcpy(&word, bound.bytes + place[l] + 4 * c, sizeof word);
            return word;
        });
    }
    if (work.resident != no_operand) set_predicate(w, work.resident, ~0u);
}

const Instruction* run_sample(const Instruction* i, Warp& w) {
    const ImageWork& work = work_of(i, w);
    const Lane64* handles = lanes<std::uint64_t>(w, i->a);
    const auto first = static_cast<unsigned>(std::countr_zero(w.mask));
    std::uint64_t different = 0;
    for (unsigned l = 0; l < warp_size; ++l) different |= (w.mask >> l & 1) ? handles[l] ^ handles[first] : 0;
    if (different == 0) {
        ImageFinder finder(i, w, ImageObject::Kind::texture);
        const BoundImage* bound = finder.find(handles[first], first, work.shape);
        if (!bound) return nullptr;
        if (reads_words(work, *bound->object)) {
            sample_words(w, work, *bound);
            return i + 1;
        }
    }
    return for_each_point(
        i, w, [](const ImageWork& work, const Operands& operands, const BoundImage& bound, unsigned lane) {
            const Image& image = bound.object->image;
            TexturePoint point = operands.point(lane);
            if (work.detail == ImageWork::Detail::level) point.level = operands.real(work.level, lane);
            if (work.detail == ImageWork::Detail::gradients)
                point.level = level_of_gradients(image, operands.reals(work.dx, lane), operands.reals(work.dy, lane));
            return sample(image, bound.object->sampler, bound.bytes, point);
        });
}

const Instruction* run_fetch(const Instruction* i, Warp& w) {
    return for_each_point<Reach::partly>(
        i, w, [](const ImageWork& work, const Operands& operands, const BoundImage& bound, unsigned lane) {
            std::array<std::int64_t, 3> at{};
            for (unsigned a = 0; a < 3; ++a)
                at[a] =
                    std::int64_t{operands.integer(work.coordinates[a], lane)} + operands.integer(work.offsets[a], lane);
            return fetch(bound.object->image, bound.object->sampler, bound.bytes, at, operands.word(work.layer, lane),
                         operands.integer(work.level, lane));
        });
}

const Instruction* run_gather(const Instruction* i, Warp& w) {
    return for_each_point(i, w,
                          [](const ImageWork& work, const Operands& operands, const BoundImage& bound, unsigned lane) {
                              return gather(bound.object->image, bound.object->sampler, bound.bytes,
                                            operands.point(lane), work.component);
                          });
}

/// {d0, d1, d2, d3} or {d0, d1}, perhaps followed by |p.
void decode_destinations(Site& site, ImageWork& work) {
    const ptx::Operand* destination = &site.operand(0);
    if (destination->kind == ptx::Operand::Kind::predicate_pair) {
        work.resident = site.predicate_destination(destination->elements[1]);
        destination = &destination->elements[0];
    }
    const auto elements = elements_of(*destination);
    if (elements.size() != (site.has(Mod::v4) ? 4 : 2)) return site.refuse("the vector's size is wrong");
    for (const ptx::Operand* element : elements) work.data[work.data_count++] = site.destination(*element, 4);
}

/// What comes after the image operand: level or gradients, then offsets; a depth to compare with is refused.
void decode_rest(Site& site, ImageWork& work) {
    std::size_t next = 2;
    const ptx::Type number = work.integer_coordinates ? s32 : f32;
    const unsigned axes = work.shape == ImageShape::d1 || work.shape == ImageShape::a1d   ? 1
                          : work.shape == ImageShape::d2 || work.shape == ImageShape::a2d ? 2
                                                                                          : 3;
    const auto read = [&](std::array<std::uint32_t, 3>& into, ptx::Type type) {
        if (next >= site.operands()) return site.refuse("an operand is missing");
        const auto elements = elements_of(site.operand(next++));
        if (elements.size() != (axes == 3 ? 4 : axes)) return site.refuse("an operand does not fit the geometry");
        for (unsigned a = 0; a < axes; ++a) into[a] = site.source(*elements[a], type);
    };
    if (work.detail == ImageWork::Detail::level) {
        if (next >= site.operands()) return site.refuse("the level is missing");
        work.level = site.source(site.operand(next++), number);
    }
    if (work.detail == ImageWork::Detail::gradients) {
        read(work.dx, number);
        read(work.dy, number);
    }
    if (next < site.operands()) {
        const bool vector = site.operand(next).kind == ptx::Operand::Kind::vector;
        if (is_cube(work.shape) || (axes > 1 && !vector)) return site.refuse("depth comparison");
        read(work.offsets, s32);
    }
    if (next < site.operands()) site.refuse("depth comparison");
}

// Queries, PTX ISA 9.7.9.3 "txq" and 9.7.10.4 "suq". Of objects, hardware knows the size alone: no module that asks for
// anything else is loaded. Measured on an H200: layers stand in the extent after those of one layer, cubes in the
// depth, six faces as one; an extent that there is not is 0, except txq.height of a 1D texture, which is 1.
struct Query {
    Mod mod;
    std::uint64_t (*answer)(const ImageObject& object, const ImageLevel& level);
};

constexpr Query queries[] = {
    {Mod::width, [](const ImageObject&, const ImageLevel& level) { return level.width; }},
    {Mod::height,
     [](const ImageObject& object, const ImageLevel& level) -> std::uint64_t {
         const ImageShape shape = object.image.shape;
         if (shape == ImageShape::a1d) return level.depth;
         const bool is_flat = shape == ImageShape::linear || shape == ImageShape::d1;
         return is_flat && object.kind == ImageObject::Kind::surface ? 0 : level.height;
     }},
    {Mod::depth,
     [](const ImageObject& object, const ImageLevel& level) -> std::uint64_t {
         const ImageShape shape = object.image.shape;
         if (shape == ImageShape::acube) return level.depth / 6;
         return shape == ImageShape::a2d || shape == ImageShape::d3 ? level.depth : 0;
     }},
};

template <ImageObject::Kind Kind>
const Instruction* run_query(const Instruction* i, Warp& w) {
    const Lane64* handles = lanes<std::uint64_t>(w, i->a);
    Lane32* d = lanes<std::uint32_t>(w, i->d);
    const Lane32* levels = i->b != no_operand ? lanes<std::uint32_t>(w, i->b) : nullptr;
    ImageFinder finder(i, w, Kind);
    for (std::uint32_t rest = w.mask; rest != 0; rest &= rest - 1) {
        const auto lane = static_cast<unsigned>(std::countr_zero(rest));
        const BoundImage* bound = finder.find(handles[lane], lane);
        if (!bound) return nullptr;
        const auto& all = bound->object->image.levels;
        const std::uint32_t level = levels ? levels[lane] : 0;
        d[lane] =
            level < all.size() ? static_cast<std::uint32_t>(queries[i->option].answer(*bound->object, all[level])) : 0;
    }
    return i + 1;
}

void select_query(Site& site, Handler handler) {
    site.out.d = site.destination(site.operand(0), 4);
    if (!site.operand(1).elements.empty()) return site.refuse();
    site.image(site.operand(1));
    site.out.b = no_operand;
    if (site.has(Mod::level) != (site.operands() == 3)) return site.refuse("the level is missing or not asked for");
    if (site.has(Mod::level)) site.out.b = site.source(site.operand(2), u32);
    for (std::size_t q = 0; q < std::size(queries); ++q) {
        if (!site.has(queries[q].mod)) continue;
        site.out.option = static_cast<std::uint16_t>(q);
        return site.run(handler);
    }
    site.refuse("no driver loads a module that asks a texture or surface object for this");
}

/// Objects are none of the kinds that istypep knows, which are those of .texref and .surfref variables (measured on an
/// H200).
const Instruction* run_is_kind(const Instruction* i, Warp& w) {
    set_predicate(w, i->d, 0);
    return i + 1;
}

}  // namespace

void select_tex(Site& site) {
    ImageWork work;
    const ptx::Type result = site.type(0), coordinate = site.type(1);
    const bool half_pairs = result == f16x2;
    if (site.has(half_pairs ? Mod::v4 : Mod::v2) || (coordinate != f32 && coordinate != s32)) return site.refuse();
    work.result = half_pairs      ? ImageWork::Result::half_pairs
                  : result == f16 ? ImageWork::Result::halves
                                  : ImageWork::Result::words;
    work.integer_coordinates = coordinate == s32;
    if (site.has(Mod::level)) work.detail = ImageWork::Detail::level;
    if (site.has(Mod::grad)) work.detail = ImageWork::Detail::gradients;
    decode_destinations(site, work);
    if (!decode_image(site, site.operand(1), work, coordinate)) return;
    decode_rest(site, work);
    if (work.integer_coordinates && (is_cube(work.shape) || work.detail == ImageWork::Detail::gradients))
        return site.refuse();
    keep(site, work);
    site.run(work.integer_coordinates ? &run_fetch : &run_sample);
}

void select_tld4(Site& site) {
    ImageWork work;
    const bool shaped = site.has(Mod::g2d) || site.has(Mod::ga2d) || site.has(Mod::gcube) || site.has(Mod::gacube);
    if (!site.has(Mod::v4) || site.type(1) != f32 || !shaped) return site.refuse();
    constexpr Mod components[] = {Mod::r, Mod::g, Mod::b, Mod::a};
    unsigned named = 0;
    for (std::uint8_t c = 0; c < 4; ++c)
        if (site.has(components[c])) work.component = c, ++named;
    if (named != 1) return site.refuse("one component is expected");
    decode_destinations(site, work);
    if (!decode_image(site, site.operand(1), work, f32)) return;
    decode_rest(site, work);
    keep(site, work);
    site.run(&run_gather);
}

void select_txq(Site& site) {
    select_query(site, &run_query<ImageObject::Kind::texture>);
}

void select_suq(Site& site) {
    select_query(site, &run_query<ImageObject::Kind::surface>);
}

void select_istypep(Site& site) {
    site.out.d = site.predicate_destination(site.operand(0));
    site.out.a = site.source(site.operand(1), b64);
    if (site.type() != samplerref) site.run(&run_is_kind);
}

}  // namespace cudash::virtual_gpu
