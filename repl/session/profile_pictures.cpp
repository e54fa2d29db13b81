#include "repl/session/profile_pictures.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <filesystem>
#include <map>

#include "repl/session/profile_requests.h"
#include "runtime_wrappers/virtual_gpu/model/dram_partitions.h"

namespace cudash::session {
namespace {

using virtual_gpu::AccessKind;
using virtual_gpu::LaunchProfile;
using virtual_gpu::MemorySpace;

constexpr std::string_view name_of(AccessKind kind) {
    return kind == AccessKind::load ? "load" : kind == AccessKind::store ? "store" : "atomic";
}

double share(std::uint64_t part, std::uint64_t whole) {
    return whole == 0 ? 0.0 : static_cast<double>(part) / static_cast<double>(whole);
}

/// "12", "cell 3:12" or "file.cu:12".
struct Place {
    std::string_view file;  ///< the end of its path; empty: any
    unsigned line = 0;

    bool is(const SourceSpot& where) const {
        if (where.line != line || !where.file.ends_with(file)) return false;
        const std::size_t folders = where.file.size() - file.size();
        return file.empty() || folders == 0 || where.file[folders - 1] == '/';
    }
};
std::optional<Place> place_of(std::string_view text) {
    Place place;
    const std::size_t colon = text.rfind(':');
    if (colon != std::string_view::npos) {
        place.file = text.substr(0, colon);
        text.remove_prefix(colon + 1);
    }
    const auto [end, bad] = std::from_chars(text.data(), text.data() + text.size(), place.line);
    if (bad != std::errc() || end != text.data() + text.size() || place.line == 0) return std::nullopt;
    return place;
}

/// "12"; where the kernel has code of several files, "file.cu:12".
std::string name_of(const LaunchProfile& launch, const SourceSpot& where) {
    const bool one_file = std::ranges::all_of(launch.instructions, [&](const LaunchProfile::Instruction& each) {
        return each.where.line == 0 || each.where.file == where.file;
    });
    if (one_file) return fmt::format("{}", where.line);
    return fmt::format("{}:{}", std::filesystem::path(where.file).filename().string(), where.line);
}

/// The access to `space` at the line that costs most against what would be ideal.
Result<const LaunchProfile::Access*> access_at(const LaunchProfile& launch, std::string_view line, MemorySpace space,
                                               std::string_view command) {
    const std::string_view memory = space == MemorySpace::shared ? "shared" : "global";
    std::map<std::pair<std::string, unsigned>, const SourceSpot*> lines;
    bool without_line = false;
    const LaunchProfile::Access* worst = nullptr;
    double most = -1;
    const std::optional<Place> place = place_of(line);
    for (const LaunchProfile::Access& each : launch.accesses) {
        const SourceSpot& where = launch.instructions[each.instruction].where;
        if (each.space != space || each.traffic.accesses == 0) continue;
        if (where.line == 0) {
            without_line = true;
            continue;
        }
        lines[{where.file, where.line}] = &where;
        if (!place || !place->is(where)) continue;
        virtual_gpu::Counters counters;
        counters.add(each, launch.device, {});
        double ratio = 0;
        for (std::size_t kind = 0; kind < 3; ++kind) {
            ratio = std::max(ratio, share(counters.global[kind].sectors, counters.global[kind].ideal_sectors));
            ratio = std::max(ratio, share(counters.shared[kind].wavefronts, counters.shared[kind].ideal));
        }
        if (ratio > most) {
            most = ratio;
            worst = &each;
        }
    }
    if (worst) return worst;
    std::string known;
    for (const auto& [key, where] : lines)
        known += fmt::format("{}{}", known.empty() ? "" : ", ", name_of(launch, *where));
    if (known.empty() && without_line)
        return error("no-access", fmt::format("no line of {} accesses {} memory", launch.kernel, memory),
                     "what accesses it the compiler moved away from its line: :profile last counts that as 'no line'");
    if (known.empty())
        return error("no-access", fmt::format("{} does not access {} memory", launch.kernel, memory),
                     ":profile source shows what its lines do");
    if (!place)
        return error("bad-argument", fmt::format(":profile {} takes a line, as 12 or file.cu:12", command),
                     fmt::format("lines of {} that access {} memory: {}", launch.kernel, memory, known));
    return error("no-access", fmt::format("line {} of {} does not access {} memory", line, launch.kernel, memory),
                 fmt::format("these lines do: {}", known));
}

std::string title_of(const LaunchProfile& launch, const LaunchProfile::Access& access, std::string_view memory) {
    const LaunchProfile::Instruction& instruction = launch.instructions[access.instruction];
    return fmt::format("{} line {}: {} {} of {} bytes a lane, warp {} of block {}, on {}", launch.kernel,
                       name_of(launch, instruction.where), memory, name_of(access.kind), access.size,
                       access.worst_at.warp, access.worst_at.block, launch.device.name);
}

}  // namespace

view::SourceListing source_listing(const LaunchProfile& launch, const LineText& source) {
    view::SourceListing listing;
    listing.title = launch_title(launch);
    // The file that most of it is in; lines of others are few, and :profile last has them.
    std::map<std::string, std::uint64_t> files;
    const auto lines = virtual_gpu::count_lines(launch, launch.device);
    for (const auto& [where, counters] : lines)
        if (where.line) files[where.file] += counters.warps;
    if (files.empty()) return listing;
    listing.file = std::ranges::max_element(files, {}, [](const auto& each) { return each.second; })->first;
    const std::string file = listing.file;
    double all = 0;
    for (const auto& [where, counters] : lines) all += static_cast<double>(counters.warps);
    if (all > 0) listing.elsewhere = 1 - static_cast<double>(files[file]) / all;
    std::error_code ignored;
    const std::string folder = std::filesystem::current_path(ignored).string() + "/";
    if (listing.file.starts_with(folder)) listing.file.erase(0, folder.size());
    unsigned last = 0;
    constexpr unsigned most_between = 3;  // lines without code that are shown between others
    for (const auto& [where, counters] : lines) {
        if (where.line == 0 || where.file != file) continue;
        if (last != 0 && where.line - last <= most_between)
            for (unsigned between = last + 1; between < where.line; ++between)
                listing.lines.push_back({.number = between, .text = source(file, between)});
        last = where.line;
        view::SourceLine line{.number = where.line, .text = source(file, where.line)};
        line.executed = static_cast<double>(counters.warps);
        line.lanes = share(counters.threads, counters.warps);
        for (std::size_t kind = 0; kind < 3; ++kind) {
            line.requests += static_cast<double>(counters.global[kind].requests);
            line.sectors += static_cast<double>(counters.global[kind].sectors);
            line.ideal_sectors += static_cast<double>(counters.global[kind].ideal_sectors);
            line.wavefronts += static_cast<double>(counters.shared[kind].wavefronts);
            line.ideal_wavefronts += static_cast<double>(counters.shared[kind].ideal);
        }
        listing.lines.push_back(std::move(line));
    }
    return listing;
}

Result<view::BankPicture> bank_picture(const LaunchProfile& launch, std::string_view line) {
    const auto access = access_at(launch, line, MemorySpace::shared, "banks");
    if (!access) return access.error();
    virtual_gpu::WarpAccess worst = (*access)->worst;
    worst.store = (*access)->kind != AccessKind::load;
    const virtual_gpu::BankConflicts found = virtual_gpu::bank_conflicts(launch.device, worst);
    view::BankPicture picture;
    picture.title = title_of(launch, **access, "shared");
    picture.banks = found.layout.banks;
    picture.bank_bytes = found.layout.bank_bytes;
    picture.active = worst.mask;
    picture.passes = found.wavefronts();
    picture.ideal_passes = found.ideal();
    std::vector<unsigned> before;  // passes of earlier requests
    unsigned passes = 0;
    for (const auto& request : found.requests) {
        before.push_back(passes);
        passes += request.passes;
    }
    for (const auto& use : found.uses) picture.uses.push_back({use.lanes, use.bank, before[use.request] + use.pass});
    return picture;
}

Result<view::SectorPicture> sector_picture(const LaunchProfile& launch, std::string_view line) {
    const auto access = access_at(launch, line, MemorySpace::global, "sectors");
    if (!access) return access.error();
    virtual_gpu::WarpAccess worst = (*access)->worst;
    worst.store = (*access)->kind != AccessKind::load;
    view::SectorPicture picture;
    picture.title = title_of(launch, **access, "global");
    picture.element_bytes = (*access)->size;
    picture.active = worst.mask;
    std::map<std::uint64_t, std::array<std::uint32_t, 4>> segments;
    virtual_gpu::for_each_active_lane(worst.mask, [&](unsigned lane) {
        for (std::uint64_t at = worst.addresses[lane] / 32 * 32; at < worst.addresses[lane] + worst.size; at += 32)
            segments[at / 128 * 128][at % 128 / 32] |= 1u << lane;
    });
    for (const auto& [address, lanes] : segments) {
        picture.segments.push_back({address, lanes});
        picture.sectors +=
            static_cast<unsigned>(std::ranges::count_if(lanes, [](std::uint32_t mask) { return mask != 0; }));
    }
    picture.ideal_sectors = (worst.size * static_cast<unsigned>(std::popcount(worst.mask)) + 31) / 32;
    picture.transactions = static_cast<unsigned>(virtual_gpu::coalesce(launch.device, worst).transactions.size());
    return picture;
}

view::ResidencyPicture residency_picture(const LaunchProfile& launch) {
    using virtual_gpu::OccupancyLimit;
    const virtual_gpu::Profile& device = launch.device;
    const virtual_gpu::Occupancy& resident = launch.occupancy;
    const unsigned threads = launch.block.x * launch.block.y * launch.block.z;
    view::ResidencyPicture picture;
    picture.title = launch_title(launch);
    picture.blocks = resident.blocks;
    picture.warps = resident.warps;
    picture.max_warps = resident.max_warps;
    picture.warps_per_block = (threads + 31) / 32;
    const auto limits = [&](OccupancyLimit limit) { return resident.limit == limit; };
    picture.resources = {
        {"threads", 32u * picture.warps_per_block, device.max_threads_per_multiprocessor, resident.by_threads,
         limits(OccupancyLimit::threads)},
        {"blocks", 1, device.max_blocks_per_multiprocessor, device.max_blocks_per_multiprocessor,
         limits(OccupancyLimit::blocks)},
        {"registers", virtual_gpu::allocated_registers(device, threads, launch.context.registers),
         device.registers_per_multiprocessor, resident.by_registers, limits(OccupancyLimit::registers)},
        {"shared bytes", virtual_gpu::allocated_shared(device, launch.shared_bytes), device.shared_per_multiprocessor,
         resident.by_shared, limits(OccupancyLimit::shared_memory)},
    };
    picture.note = launch.context.registers_known
                       ? fmt::format("{} registers a thread, as ptxas counts them", launch.context.registers)
                       : "how many registers a thread needs is not known: ptxas was not found";
    return picture;
}

view::PartitionPicture partition_picture(const LaunchProfile& launch) {
    view::PartitionPicture picture;
    picture.title = launch_title(launch);
    if (!virtual_gpu::has_partition_camping(launch.device))
        picture.title += " (as if addresses were not hashed: camping is of devices 1.x)";
    picture.slices = launch.partitions.slices;
    return picture;
}

view::CachePicture cache_picture(const virtual_gpu::Profiler& profiler) {
    view::CachePicture picture;
    constexpr std::size_t most = 20;
    const auto& history = profiler.history();
    for (std::size_t i = history.size() > most ? history.size() - most : 0; i < history.size(); ++i) {
        const auto& each = history[i];
        picture.size = each.l2.size;
        picture.set_aside = each.l2.set_aside;
        picture.moments.push_back({each.kernel, each.l2.normal, each.l2.streaming, each.l2.persisting,
                                   each.l2.window.bytes, each.l2.of_window,
                                   share(each.caches.l2_hits, each.caches.l2_sectors())});
    }
    return picture;
}

view::TimelinePicture timeline_picture(const virtual_gpu::Profiler& profiler) {
    view::TimelinePicture picture;
    for (const auto& work : profiler.works()) picture.works.push_back({work.stream, work.what, work.begin, work.end});
    picture.left_out = profiler.works_left_out();
    return picture;
}

namespace {

/// Of the last launch, where there is one.
template <class Make>
Result<ProfileView> picture_of_last(const ProfileQuery& query, Make&& make) {
    if (!query.profiler.last())
        return error("nothing-profiled", "no kernel has run since the profile began",
                     query.profiler.on ? "launch one, and wait for it" : ":profile on, then launch a kernel");
    auto picture = make(*query.profiler.last());
    if (!picture) return picture.error();
    return ProfileView{.picture = std::move(*picture)};
}

}  // namespace

Result<ProfileView> profile_source(const ProfileQuery& query) {
    return picture_of_last(query,
                           [&](const LaunchProfile& launch) { return Result(source_listing(launch, query.source)); });
}
Result<ProfileView> profile_banks(const ProfileQuery& query) {
    return picture_of_last(query, [&](const LaunchProfile& launch) { return bank_picture(launch, query.argument); });
}
Result<ProfileView> profile_sectors(const ProfileQuery& query) {
    return picture_of_last(query, [&](const LaunchProfile& launch) { return sector_picture(launch, query.argument); });
}
Result<ProfileView> profile_occupancy(const ProfileQuery& query) {
    return picture_of_last(query, [](const LaunchProfile& launch) { return Result(residency_picture(launch)); });
}
Result<ProfileView> profile_partitions(const ProfileQuery& query) {
    return picture_of_last(query, [](const LaunchProfile& launch) { return Result(partition_picture(launch)); });
}
Result<ProfileView> profile_l2(const ProfileQuery& query) {
    return ProfileView{.picture = cache_picture(query.profiler)};
}
Result<ProfileView> profile_timeline(const ProfileQuery& query) {
    return ProfileView{.picture = timeline_picture(query.profiler)};
}

}  // namespace cudash::session
