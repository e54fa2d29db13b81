#include "repl/session/profile_tables.h"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>

#include "repl/session/profile_requests.h"
#include "runtime_wrappers/virtual_gpu/profile/metrics.h"

namespace cudash::session {
namespace {

using virtual_gpu::AccessKind;
using virtual_gpu::Counters;
using virtual_gpu::LaunchProfile;
using virtual_gpu::Profile;

std::string number(std::uint64_t value) {
    return value == 0 ? "-" : fmt::format("{}", value);
}

std::string ratio(std::uint64_t part, std::uint64_t whole) {
    return whole == 0 ? "-" : fmt::format("{:.2f}", static_cast<double>(part) / static_cast<double>(whole));
}

/// Of loads, stores and atomics together.
Counters::Global all_global(const Counters& c) {
    Counters::Global sum;
    for (const Counters::Global& each : c.global) {
        sum.requests += each.requests;
        sum.transactions += each.transactions;
        sum.sectors += each.sectors;
        sum.ideal_sectors += each.ideal_sectors;
    }
    return sum;
}
Counters::Shared all_shared(const Counters& c) {
    Counters::Shared sum;
    for (const Counters::Shared& each : c.shared) {
        sum.accesses += each.accesses;
        sum.wavefronts += each.wavefronts;
        sum.ideal += each.ideal;
    }
    return sum;
}

/// What a launch and a line have in common.
struct Column {
    std::string_view heading;
    std::string (*cell)(const Counters&);
};
constexpr Column columns[] = {
    {"instructions", [](const Counters& c) { return number(c.warps); }},
    {"lanes", [](const Counters& c) { return ratio(c.threads, c.warps); }},
    {"divergent", [](const Counters& c) { return number(c.diverged); }},
    {"requests", [](const Counters& c) { return number(all_global(c).requests); }},
    {"sectors", [](const Counters& c) { return number(all_global(c).sectors); }},
    {"ideal sectors", [](const Counters& c) { return number(all_global(c).ideal_sectors); }},
    {"wavefronts", [](const Counters& c) { return number(all_shared(c).wavefronts); }},
    {"ideal wavefronts", [](const Counters& c) { return number(all_shared(c).ideal); }},
};

void add_cells(std::vector<std::string>& row, const Counters& counters) {
    for (const Column& column : columns) row.push_back(column.cell(counters));
}
Table table_of(std::vector<std::string> first) {
    for (const Column& column : columns) first.emplace_back(column.heading);
    return {std::move(first), {}};
}

std::string spot(const SourceSpot& where) {
    if (where.line == 0) return "no line";
    std::string file = where.file;
    std::error_code ignored;
    const std::string folder = std::filesystem::current_path(ignored).string() + "/";
    if (file.starts_with(folder)) file.erase(0, folder.size());
    return fmt::format("{}:{}", file, where.line);
}

ProfileView launches(const virtual_gpu::Profiler& profiler) {
    ProfileView view;
    if (profiler.entries().empty()) {
        view.text = profiler.on ? "no kernel has run since the profile began\n"
                                : "nothing was profiled: :profile on, then launch a kernel\n";
        return view;
    }
    view.text = "warp instructions (PTX), global requests and 32-byte sectors, shared wavefronts\n";
    view.table = table_of({"kernel", "grid", "block", "launches"});
    for (const auto& entry : profiler.entries()) {
        const LaunchProfile& launch = entry.sum;
        std::vector<std::string> row = {launch.kernel, shape_text(launch.grid), shape_text(launch.block),
                                        fmt::format("{}", entry.launches)};
        add_cells(row, virtual_gpu::count(launch, launch.device));
        view.table->rows.push_back(std::move(row));
    }
    if (profiler.left_out() != 0)
        view.text +=
            fmt::format("{} launches of more kernels and configurations are not listed\n", profiler.left_out());
    return view;
}

void add_lines(Table& table, const LaunchProfile& launch, const std::vector<std::string>& first) {
    for (const auto& [where, counters] : virtual_gpu::count_lines(launch, launch.device)) {
        if (where.line == 0 && counters.warps == 0) continue;
        std::vector<std::string> row = first;
        row.push_back(spot(where));
        add_cells(row, counters);
        table.rows.push_back(std::move(row));
    }
}

ProfileView lines(const LaunchProfile& launch) {
    ProfileView view{launch_title(launch) + "\n", table_of({"line"})};
    add_lines(*view.table, launch, {});
    return view;
}

/// Of all launches so far.
ProfileView all_lines(const virtual_gpu::Profiler& profiler) {
    ProfileView view{{}, table_of({"kernel", "line"})};
    for (const auto& entry : profiler.entries()) add_lines(*view.table, entry.sum, {entry.sum.kernel});
    return view;
}

std::string value_of(const virtual_gpu::Metric& metric, const Counters& counters) {
    const double value = metric.value(counters);
    return value == std::floor(value) ? fmt::format("{:.0f}", value) : fmt::format("{:.2f}", value);
}

ProfileView all_metrics(const LaunchProfile& launch) {
    const Counters counters = virtual_gpu::count(launch, launch.device);
    ProfileView view{launch_title(launch) + "\n", Table{{"metric", "value", "unit", "what it is"}, {}}};
    for (const virtual_gpu::Metric& metric : virtual_gpu::metrics())
        view.table->rows.push_back({std::string(metric.name), value_of(metric, counters), std::string(metric.unit),
                                    std::string(metric.title)});
    return view;
}

/// One launch, as GPUs of several generations would serve its accesses.
ProfileView compared(const LaunchProfile& launch, const std::vector<const Profile*>& devices) {
    ProfileView view{launch_title(launch) + "\n", Table{{"counter"}, {}}};
    std::vector<Counters> counters;
    for (const Profile* device : devices) {
        view.table->columns.emplace_back(device->name);
        counters.push_back(virtual_gpu::count(launch, *device));
    }
    const auto row = [&](std::string heading, auto&& cell) {
        std::vector<std::string> cells = {std::move(heading)};
        for (std::size_t i = 0; i < devices.size(); ++i) cells.push_back(cell(*devices[i], counters[i]));
        view.table->rows.push_back(std::move(cells));
    };
    row("compute capability",
        [](const Profile& p, const Counters&) { return fmt::format("{}.{}", p.cc_major, p.cc_minor); });
    constexpr std::pair<AccessKind, std::string_view> kinds[] = {
        {AccessKind::load, "load"}, {AccessKind::store, "store"}, {AccessKind::atomic, "atomic"}};
    for (const auto& [kind, name] : kinds) {
        const auto k = static_cast<std::size_t>(kind);
        if (counters.front().global[k].threads == 0) continue;
        row(fmt::format("global {} requests", name),
            [k](const Profile&, const Counters& c) { return number(c.global[k].requests); });
        row(fmt::format("global {} transactions", name),
            [k](const Profile&, const Counters& c) { return number(c.global[k].transactions); });
        row(fmt::format("global {} bytes moved", name),
            [k](const Profile&, const Counters& c) { return number(32 * c.global[k].sectors); });
    }
    for (const auto& [kind, name] : kinds) {
        const auto k = static_cast<std::size_t>(kind);
        if (counters.front().shared[k].threads == 0) continue;
        row(fmt::format("shared {} wavefronts", name),
            [k](const Profile&, const Counters& c) { return number(c.shared[k].wavefronts); });
        row(fmt::format("shared {} wavefronts, ideal", name),
            [k](const Profile&, const Counters& c) { return number(c.shared[k].ideal); });
    }
    return view;
}

Result<std::vector<const Profile*>> devices_of(std::string_view names) {
    std::vector<const Profile*> devices;
    std::string all;
    for (const Profile& profile : virtual_gpu::profiles())
        all += fmt::format("{}{}", all.empty() ? "" : ", ", profile.name);
    if (names.empty())
        return error("bad-argument", ":profile last --on takes names of profiles, as k20,h200", "there are " + all);
    while (true) {
        std::string_view name = names.substr(0, names.find(','));
        const std::size_t length = name.size();
        while (name.starts_with(' ')) name.remove_prefix(1);
        const Profile* found = virtual_gpu::find_profile(name);
        if (!found) return error("unknown-profile", fmt::format("unknown profile '{}'", name), "there are " + all);
        devices.push_back(found);
        if (length == names.size()) return devices;
        names.remove_prefix(length + 1);
    }
}

}  // namespace

Result<ProfileView> profile_launches(const ProfileQuery& query) {
    return launches(query.profiler);
}

Result<ProfileView> profile_on(const ProfileQuery& query) {
    query.profiler.on = true;
    return ProfileView{"kernels are profiled from now on\n", {}};
}
Result<ProfileView> profile_off(const ProfileQuery& query) {
    query.profiler.on = false;
    return ProfileView{"kernels are not profiled any more\n", {}};
}
Result<ProfileView> profile_clear(const ProfileQuery& query) {
    query.profiler.clear();
    return ProfileView{"the profile is empty\n", {}};
}

Result<ProfileView> profile_lines(const ProfileQuery& query) {
    return query.profiler.last() ? all_lines(query.profiler) : launches(query.profiler);
}
Result<ProfileView> profile_last(const ProfileQuery& query) {
    return query.profiler.last() ? lines(*query.profiler.last()) : launches(query.profiler);
}
Result<ProfileView> profile_metrics(const ProfileQuery& query) {
    return query.profiler.last() ? all_metrics(*query.profiler.last()) : launches(query.profiler);
}
Result<ProfileView> profile_compared(const ProfileQuery& query) {
    const auto devices = devices_of(query.argument);
    if (!devices) return devices.error();
    return query.profiler.last() ? compared(*query.profiler.last(), *devices) : launches(query.profiler);
}

Result<Table> metrics_of(const virtual_gpu::Profiler& profiler, std::string_view kernel) {
    const LaunchProfile* launch = profiler.last_of(kernel);
    if (!launch) {
        std::string names;
        for (const auto& entry : profiler.entries())
            if (names.find(entry.sum.kernel) == std::string::npos)
                names += (names.empty() ? "" : ", ") + entry.sum.kernel;
        return error("no-launch", fmt::format("the kernel {} was not launched", kernel),
                     names.empty() ? "no kernel was" : "those that were: " + names);
    }
    const Counters counters = virtual_gpu::count(*launch, launch->device);
    Table table{{"metric", "value"}, {}};
    for (const virtual_gpu::Metric& metric : virtual_gpu::metrics())
        table.rows.push_back({std::string(metric.name), fmt::format("{}", metric.value(counters))});
    for (const virtual_gpu::LaunchMetric& metric : virtual_gpu::launch_metrics())
        table.rows.push_back({std::string(metric.name), fmt::format("{}", metric.value(*launch))});
    return table;
}

Table executed_by(const virtual_gpu::Profiler& profiler) {
    Table table{{"kernel", "metric", "value"}, {}};
    for (const auto& entry : profiler.entries()) {
        const Counters counters = virtual_gpu::count(entry.sum, entry.sum.device);
        for (const virtual_gpu::Metric& metric : virtual_gpu::metrics())
            table.rows.push_back(
                {entry.sum.kernel, std::string(metric.name), fmt::format("{}", metric.value(counters))});
        for (const virtual_gpu::LaunchMetric& metric : virtual_gpu::launch_metrics())
            table.rows.push_back(
                {entry.sum.kernel, std::string(metric.name), fmt::format("{}", metric.value(entry.last))});
    }
    return table;
}

}  // namespace cudash::session
