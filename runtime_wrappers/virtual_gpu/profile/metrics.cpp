#include "runtime_wrappers/virtual_gpu/profile/metrics.h"

#include <algorithm>
#include <array>

namespace cudash::virtual_gpu {
namespace {

constexpr double ratio(std::uint64_t part, std::uint64_t whole) {
    return whole == 0 ? 0.0 : static_cast<double>(part) / static_cast<double>(whole);
}

template <AccessKind Kind>
constexpr const Counters::Global& global(const Counters& c) {
    return c.global[static_cast<std::size_t>(Kind)];
}
template <AccessKind Kind>
constexpr const Counters::Shared& shared(const Counters& c) {
    return c.shared[static_cast<std::size_t>(Kind)];
}
template <AccessKind Kind>
double requests(const Counters& c) {
    return static_cast<double>(global<Kind>(c).requests);
}
template <AccessKind Kind>
double sectors(const Counters& c) {
    return static_cast<double>(global<Kind>(c).sectors);
}
template <AccessKind Kind>
double sectors_per_request(const Counters& c) {
    return ratio(global<Kind>(c).sectors, global<Kind>(c).requests);
}
template <AccessKind Kind>
double wavefronts(const Counters& c) {
    return static_cast<double>(shared<Kind>(c).wavefronts);
}
template <AccessKind Kind>
double conflicts(const Counters& c) {
    return static_cast<double>(shared<Kind>(c).wavefronts - shared<Kind>(c).ideal);
}
template <auto Member>
double shared_sum(const Counters& c) {
    double sum = 0;
    for (const Counters::Shared& each : c.shared) sum += static_cast<double>(each.*Member);
    return sum;
}
template <auto Member>
double global_sum(const Counters& c) {
    double sum = 0;
    for (const Counters::Global& each : c.global) sum += static_cast<double>(each.*Member);
    return sum;
}

template <auto Member>
double cached(const Counters& c) {
    return static_cast<double>(c.caches.*Member);
}

using enum AccessKind;

constexpr std::array table = {
    Metric{"smsp__inst_executed.sum", "inst", "instructions executed by warps",
           [](const Counters& c) { return static_cast<double>(c.warps); }, false},
    Metric{"smsp__thread_inst_executed.sum", "inst", "instructions executed by threads",
           [](const Counters& c) { return static_cast<double>(c.threads); }, false},
    Metric{"smsp__thread_inst_executed_per_inst_executed.ratio", "", "active threads of a warp",
           [](const Counters& c) { return ratio(c.threads, c.warps); }, false},
    Metric{"smsp__sass_branch_targets.sum", "branch", "branches executed by warps",
           [](const Counters& c) { return static_cast<double>(c.branches); }, false},
    Metric{"smsp__sass_branch_targets_threads_divergent.sum", "branch", "branches at which a warp's threads parted",
           [](const Counters& c) { return static_cast<double>(c.diverged); }, false},
    Metric{"smsp__sass_average_branch_targets_threads_uniform.pct", "%", "branches at which they did not",
           [](const Counters& c) { return c.branches == 0 ? 0.0 : 100 * (1 - ratio(c.diverged, c.branches)); }, false},
    Metric{"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", "request", "global load requests", requests<load>, true},
    Metric{"l1tex__t_requests_pipe_lsu_mem_global_op_st.sum", "request", "global store requests", requests<store>,
           true},
    Metric{"l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum", "request",
           "global atomic requests (op_red if the result is not used)", requests<atomic>, false},
    Metric{"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", "sector", "global load sectors", sectors<load>, true},
    Metric{"l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", "sector", "global store sectors", sectors<store>, true},
    Metric{"l1tex__t_sectors_pipe_lsu_mem_global_op_atom.sum", "sector",
           "global atomic sectors (op_red if the result is not used)", sectors<atomic>, false},
    Metric{"l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_ld.ratio", "sector/request",
           "sectors a global load", sectors_per_request<load>, true},
    Metric{"l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_st.ratio", "sector/request",
           "sectors a global store", sectors_per_request<store>, true},
    Metric{"memory_l2_theoretical_sectors_global", "sector", "global sectors", global_sum<&Counters::Global::sectors>,
           true},
    Metric{"memory_l2_theoretical_sectors_global_ideal", "sector", "global sectors if lanes accessed neighbors",
           global_sum<&Counters::Global::ideal_sectors>, true},
    Metric{"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum", "wavefront", "shared load wavefronts",
           wavefronts<load>, true},
    Metric{"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum", "wavefront", "shared store wavefronts",
           wavefronts<store>, true},
    Metric{"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_atom.sum", "wavefront", "shared atomic wavefronts",
           wavefronts<atomic>, true},
    Metric{"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum", "conflict", "bank conflicts of shared loads",
           conflicts<load>, true},
    Metric{"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum", "conflict", "bank conflicts of shared stores",
           conflicts<store>, true},
    Metric{"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_atom.sum", "conflict", "bank conflicts of shared atomics",
           conflicts<atomic>, true},
    Metric{"memory_l1_wavefronts_shared", "wavefront", "shared wavefronts", shared_sum<&Counters::Shared::wavefronts>,
           true},
    Metric{"memory_l1_wavefronts_shared_ideal", "wavefront", "shared wavefronts without conflicts",
           shared_sum<&Counters::Shared::ideal>, true},
    Metric{"l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum", "sector", "global load sectors that L1 had",
           cached<&CacheCounts::l1_hits>, false},
    Metric{"lts__t_sectors_srcunit_tex.sum", "sector", "sectors asked of L2",
           [](const Counters& c) { return static_cast<double>(c.caches.l2_sectors()); }, false},
    Metric{"lts__t_sectors_srcunit_tex_lookup_hit.sum", "sector", "of these, sectors that L2 had",
           cached<&CacheCounts::l2_hits>, false},
    Metric{"lts__t_sector_hit_rate.pct", "%", "their share",
           [](const Counters& c) { return 100 * ratio(c.caches.l2_hits, c.caches.l2_sectors()); }, false},
    Metric{"dram__sectors_read.sum", "sector", "sectors read from device memory", cached<&CacheCounts::dram_reads>,
           false},
    Metric{"dram__sectors_write.sum", "sector", "sectors written to device memory", cached<&CacheCounts::dram_writes>,
           false},
};

constexpr std::array launch_table = {
    LaunchMetric{"gpu__time_duration.sum", "ns", "modeled time",
                 [](const LaunchProfile& launch) { return launch.time.nanoseconds; }},
    LaunchMetric{
        "sm__maximum_warps_per_active_cycle_pct", "%", "theoretical occupancy",
        [](const LaunchProfile& launch) { return 100 * ratio(launch.occupancy.warps, launch.occupancy.max_warps); }},
    LaunchMetric{"launch__shared_mem_per_block_dynamic", "byte", "dynamic shared memory of a block",
                 [](const LaunchProfile& launch) { return static_cast<double>(launch.dynamic_shared); }},
    LaunchMetric{
        "launch__shared_mem_per_block_static", "byte", "static shared memory of a block",
        [](const LaunchProfile& launch) { return static_cast<double>(launch.shared_bytes - launch.dynamic_shared); }},
};

}  // namespace

std::span<const Metric> metrics() {
    return table;
}

std::span<const LaunchMetric> launch_metrics() {
    return launch_table;
}

const Metric* find_metric(std::string_view name) {
    const auto found = std::ranges::find(table, name, &Metric::name);
    return found == table.end() ? nullptr : &*found;
}

}  // namespace cudash::virtual_gpu
