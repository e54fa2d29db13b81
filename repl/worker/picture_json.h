// The data of pictures as JSON: {"kind": "banks", "data": {...}}. Included by the protocol alone.
#pragma once

#include <array>
#include <nlohmann/json.hpp>
#include <string>

#include "repl/view/picture/pictures.h"

namespace cudash::view {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(SourceLine, number, text, executed, lanes, sectors, ideal_sectors, requests,
                                   wavefronts, ideal_wavefronts)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(SourceListing, title, file, lines, elsewhere)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(BankPicture::Use, lanes, bank, pass)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(BankPicture, title, banks, bank_bytes, uses, active, passes, ideal_passes)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(SectorPicture::Segment, address, lanes)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(SectorPicture, title, element_bytes, segments, sectors, ideal_sectors, transactions,
                                   active)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ResidencyPicture::Resource, name, per_block, available, blocks, limits)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ResidencyPicture, title, blocks, warps, max_warps, warps_per_block, resources, note)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(PartitionPicture, title, slices)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(CachePicture::Moment, kernel, normal, streaming, persisting, window, of_window,
                                   hit_share)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(CachePicture, size, set_aside, moments)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(TimelinePicture::Work, stream, what, begin, end)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(TimelinePicture, works, left_out)

/// The names of the alternatives, in their order.
inline constexpr std::array picture_kinds = {"source", "banks", "sectors", "residency", "partitions", "l2", "timeline"};
static_assert(picture_kinds.size() == std::variant_size_v<Picture>);

template <std::size_t I = 0>
Picture picture_of(const std::string& kind, const nlohmann::json& data) {
    if constexpr (I < picture_kinds.size()) {
        if (kind != picture_kinds[I]) return picture_of<I + 1>(kind, data);
        return data.get<std::variant_alternative_t<I, Picture>>();
    } else {
        throw nlohmann::json::other_error::create(0, "a picture of no known kind", &data);
    }
}

}  // namespace cudash::view

// Pictures are std::variant, in which argument-dependent lookup finds nothing of ours.
template <>
struct nlohmann::adl_serializer<cudash::view::Picture> {
    static void to_json(json& j, const cudash::view::Picture& picture) {
        j = {{"kind", cudash::view::picture_kinds[picture.index()]}};
        std::visit([&](const auto& each) { j["data"] = each; }, picture);
    }
    /// What can't be drawn is no picture: json::exception, as for all that is no message of the protocol.
    static void from_json(const json& j, cudash::view::Picture& picture) {
        picture = cudash::view::picture_of(j.at("kind").get<std::string>(), j.at("data"));
        if (!is_sound(picture)) throw other_error(j);
    }

private:
    static json::other_error other_error(const json& j) {
        return json::other_error::create(0, "a picture whose numbers contradict each other", &j);
    }
};
