// The data of pictures as JSON: {"kind": "banks", "data": {...}}. Included by the protocol alone.
#pragma once

#include <array>
#include <string>

#include "repl/json.h"
#include "repl/view/picture/pictures.h"
#include "repl/view/picture/report.h"

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

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(LaunchReport, source, residency, banks, sectors, partitions, facts)

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

/// What contradicts itself is not a picture: json::exception, as for all that is not a message of the protocol.
template <class Drawn>
void check_sound(const nlohmann::json& j, const Drawn& drawn) {
    if (!is_sound(drawn))
        throw nlohmann::json::other_error::create(0, "a picture whose numbers contradict each other", &j);
}

inline void to_json(nlohmann::json& j, const Report& report) {
    j = {{"title", report.title}, {"columns", report.columns},   {"rows", report.rows},  {"launches", report.launches},
         {"cache", report.cache}, {"timeline", report.timeline}, {"notes", report.notes}};
}
inline void from_json(const nlohmann::json& j, Report& report) {
    report = {j.at("title"),
              j.at("columns").get<std::vector<std::string>>(),
              j.at("rows").get<std::vector<std::vector<std::string>>>(),
              j.at("launches").get<std::vector<LaunchReport>>(),
              j.at("cache").get<CachePicture>(),
              j.at("timeline").get<TimelinePicture>(),
              j.at("notes").get<std::vector<std::string>>()};
    check_sound(j, report);
}

}  // namespace cudash::view

// Pictures are std::variant, in which argument-dependent lookup finds nothing of ours.
template <>
struct nlohmann::adl_serializer<cudash::view::Picture> {
    static void to_json(json& j, const cudash::view::Picture& picture) {
        j = {{"kind", cudash::view::picture_kinds[picture.index()]}};
        std::visit([&](const auto& each) { j["data"] = each; }, picture);
    }
    static void from_json(const json& j, cudash::view::Picture& picture) {
        picture = cudash::view::picture_of(j.at("kind").get<std::string>(), j.at("data"));
        cudash::view::check_sound(j, picture);
    }
};
