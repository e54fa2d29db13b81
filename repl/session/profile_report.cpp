#include "repl/session/profile_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "runtime_wrappers/virtual_gpu/model/dram_partitions.h"
#include "runtime_wrappers/virtual_gpu/profile/metrics.h"

namespace cudash::session {
namespace {

using virtual_gpu::LaunchProfile;
using virtual_gpu::MemorySpace;

std::string coordinates(const Dim3& d) {
    return fmt::format("({},{},{})", d.x, d.y, d.z);
}

view::LaunchReport launch_report(const LaunchProfile& launch, std::uint64_t launches, const LineText& source) {
    view::LaunchReport report;
    report.source = source_listing(launch, source);
    report.residency = residency_picture(launch);
    // Of devices that spread addresses by a hash it says nothing.
    if (virtual_gpu::has_partition_camping(launch.device)) report.partitions = partition_picture(launch);
    report.facts = {
        {"launches", fmt::format("{}", launches)},
        {"modeled time",
         fmt::format("{:.2f} us a launch, bound by {}", launch.time.nanoseconds / 1000 / static_cast<double>(launches),
                     virtual_gpu::name_of(launch.time.bound))},
    };
    constexpr std::size_t most_pictures = 4;
    for (const auto& access : launch.accesses) {
        const SourceSpot& where = launch.instructions[access.instruction].where;
        if (where.line == 0) continue;
        const std::string place = fmt::format("{}:{}", where.file, where.line);
        if (access.space == MemorySpace::shared && report.banks.size() < most_pictures) {
            const auto picture = bank_picture(launch, place);
            const bool known = std::ranges::any_of(
                report.banks, [&](const auto& each) { return picture && each.title == picture->title; });
            if (picture && !known && picture->passes > picture->ideal_passes) report.banks.push_back(*picture);
        }
        if (access.space == MemorySpace::global && report.sectors.size() < most_pictures) {
            const auto picture = sector_picture(launch, place);
            const bool known = std::ranges::any_of(
                report.sectors, [&](const auto& each) { return picture && each.title == picture->title; });
            if (picture && !known && picture->sectors > picture->ideal_sectors) report.sectors.push_back(*picture);
        }
    }
    return report;
}

std::string value_of(double value) {
    return value == std::floor(value) ? fmt::format("{:.0f}", value) : fmt::format("{:.6g}", value);
}

}  // namespace

view::Report report_of(const virtual_gpu::Profiler& profiler, const LineText& source) {
    view::Report report;
    report.title = "cudash profile";
    report.notes.emplace_back("Counters are of PTX on a virtual GPU, under Nsight Compute's names; times are modeled.");
    report.columns = {"kernel",   "grid",           "block", "launches",          "modeled time, us",
                      "bound by", "global sectors", "ideal", "shared wavefronts", "ideal"};
    for (const auto& entry : profiler.entries()) {
        const LaunchProfile& launch = entry.sum;
        const std::uint64_t launches = entry.launches;
        const virtual_gpu::Counters counters = virtual_gpu::count(launch, launch.device);
        std::uint64_t sectors = 0, ideal = 0, wavefronts = 0, ideal_wavefronts = 0;
        for (std::size_t kind = 0; kind < 3; ++kind) {
            sectors += counters.global[kind].sectors;
            ideal += counters.global[kind].ideal_sectors;
            wavefronts += counters.shared[kind].wavefronts;
            ideal_wavefronts += counters.shared[kind].ideal;
        }
        report.rows.push_back({launch.kernel, coordinates(launch.grid), coordinates(launch.block),
                               fmt::format("{}", launches), fmt::format("{:.2f}", launch.time.nanoseconds / 1000),
                               std::string(virtual_gpu::name_of(launch.time.bound)), fmt::format("{}", sectors),
                               fmt::format("{}", ideal), fmt::format("{}", wavefronts),
                               fmt::format("{}", ideal_wavefronts)});
        constexpr std::size_t most_launches = 40;
        if (report.launches.size() < most_launches) report.launches.push_back(launch_report(launch, launches, source));
    }
    if (report.rows.size() > report.launches.size())
        report.notes.push_back(fmt::format("Pictures are of the first {} kernels and configurations of {}.",
                                           report.launches.size(), report.rows.size()));
    if (profiler.left_out() != 0)
        report.notes.push_back(
            fmt::format("{} launches of more kernels and configurations are not listed.", profiler.left_out()));
    if (report.rows.empty()) report.notes.emplace_back("No kernel has run.");
    report.cache = cache_picture(profiler);
    report.timeline = timeline_picture(profiler);
    return report;
}

std::string report_as_csv(const virtual_gpu::Profiler& profiler) {
    std::string text = "kernel,grid,block,launch__registers_per_thread,modelled_us,bound";
    for (const virtual_gpu::Metric& metric : virtual_gpu::metrics()) text += "," + std::string(metric.name);
    text += "\n";
    for (const auto& each : profiler.log()) {
        text += fmt::format("\"{}\",\"{}\",\"{}\",{},{:.3f},{}", each.kernel, coordinates(each.grid),
                            coordinates(each.block), each.registers, each.time.nanoseconds / 1000,
                            virtual_gpu::name_of(each.time.bound));
        for (const virtual_gpu::Metric& metric : virtual_gpu::metrics())
            text += "," + value_of(metric.value(each.counters));
        text += "\n";
    }
    if (profiler.log_left_out())
        text += fmt::format("# {} launches after these are left out\n", profiler.log_left_out());
    return text;
}

}  // namespace cudash::session
