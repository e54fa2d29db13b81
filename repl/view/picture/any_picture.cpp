// What holds of all pictures.
#include <algorithm>
#include <cmath>

#include "repl/view/picture/canvas.h"
#include "repl/view/picture/pictures.h"
#include "repl/view/picture/report.h"

namespace cudash::view {
namespace {

constexpr std::size_t most_parts = 1u << 20;  ///< uses, lines, slices, works: far more than any profile keeps
constexpr unsigned most_units = 1u << 16;     ///< banks, passes, warps, blocks, partitions
constexpr double most_time = 1e18;            ///< nanoseconds: 30 years

bool is_count(double value) {
    return std::isfinite(value) && value >= 0;
}

bool is_sound(const SourceListing& listing) {
    const auto counts = [](const SourceLine& line) {
        return is_count(line.executed) && is_count(line.lanes) && is_count(line.sectors) &&
               is_count(line.ideal_sectors) && is_count(line.requests) && is_count(line.wavefronts) &&
               is_count(line.ideal_wavefronts);
    };
    return listing.lines.size() <= most_parts && is_count(listing.elsewhere) &&
           std::ranges::all_of(listing.lines, counts);
}

bool is_sound(const BankPicture& picture) {
    const auto is_inside = [&](const BankPicture::Use& use) {
        return use.bank < picture.banks && use.pass < picture.passes;
    };
    return picture.banks > 0 && picture.banks <= most_units && picture.passes <= most_units &&
           std::uint64_t{picture.banks} * picture.passes <= most_parts && picture.uses.size() <= most_parts &&
           (picture.active == 0 || !picture.uses.empty()) && std::ranges::all_of(picture.uses, is_inside);
}

bool is_sound(const SectorPicture& picture) {
    return picture.segments.size() <= most_parts && picture.element_bytes <= most_units;
}

bool is_sound(const ResidencyPicture& picture) {
    return picture.blocks <= most_units && picture.max_warps <= most_units &&
           std::uint64_t{picture.blocks} * picture.warps_per_block <= most_units &&
           picture.resources.size() <= most_units;
}

bool is_sound(const PartitionPicture& picture) {
    if (picture.slices.empty()) return true;
    const std::size_t partitions = picture.slices.front().size();
    return partitions > 0 && partitions <= most_units && picture.slices.size() <= most_parts &&
           std::ranges::all_of(picture.slices, [&](const auto& slice) { return slice.size() == partitions; });
}

bool is_sound(const CachePicture& picture) {
    return picture.moments.size() <= most_units &&
           std::ranges::all_of(picture.moments, [](const auto& moment) { return is_count(moment.hit_share); });
}

bool is_sound(const TimelinePicture& picture) {
    const auto is_span = [](const TimelinePicture::Work& work) {
        return is_count(work.begin) && work.begin <= work.end && work.end <= most_time;
    };
    return picture.works.size() <= most_parts && std::ranges::all_of(picture.works, is_span);
}

}  // namespace

std::string draw(const Picture& picture, const Canvas& canvas) {
    return std::visit([&](const auto& each) { return draw(each, canvas); }, picture);
}

bool is_sound(const Report& report) {
    constexpr std::size_t most_rows = 1u << 16;
    const auto all_sound = [](const auto& pictures) {
        return std::ranges::all_of(pictures, [](const auto& each) { return is_sound(each); });
    };
    const auto launch_is_sound = [&](const LaunchReport& launch) {
        return is_sound(launch.source) && is_sound(launch.residency) && is_sound(launch.partitions) &&
               all_sound(launch.banks) && all_sound(launch.sectors);
    };
    return report.rows.size() <= most_rows && report.launches.size() <= most_rows && is_sound(report.cache) &&
           is_sound(report.timeline) && std::ranges::all_of(report.launches, launch_is_sound);
}

bool is_sound(const Picture& picture) {
    return std::visit([](const auto& each) { return is_sound(each); }, picture);
}

}  // namespace cudash::view
