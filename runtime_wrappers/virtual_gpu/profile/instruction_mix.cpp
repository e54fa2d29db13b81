#include "runtime_wrappers/virtual_gpu/profile/instruction_mix.h"

#include <algorithm>
#include <span>

namespace cudash::virtual_gpu {
namespace {

using Executed = LaunchProfile::Instruction;

/// Where the work of a unit is added up; nullptr: nowhere. That of the unit for special functions is told apart.
constexpr double KernelWork::*sum_of(Unit unit) {
    switch (unit) {
        case Unit::single:
            return &KernelWork::single;
        case Unit::integer:
            return &KernelWork::integer;
        case Unit::doubles:
            return &KernelWork::doubles;
        case Unit::tensor:
            return &KernelWork::tensor;
        case Unit::memory:
            return &KernelWork::memory;
        case Unit::none:
        case Unit::special:
        case Unit::barrier:
        case Unit::branch:
            return nullptr;
    }
    return nullptr;
}

double latency_of(Latency latency, const Timing& timing, double load_latency, unsigned warps_per_block) {
    switch (latency) {
        case Latency::none:
            return 0;
        case Latency::arithmetic:
            return timing.latency_arithmetic;
        case Latency::doubles:
            return timing.latency_double;
        case Latency::special:
            return timing.latency_special;
        case Latency::tensor:
            return timing.latency_tensor;
        case Latency::shared:
            return timing.latency_shared;
        case Latency::local:
            return timing.latency_l1;
        case Latency::global:
            return load_latency;
        case Latency::barrier:
            return timing.latency_barrier + timing.barrier_warp * warps_per_block;
    }
    return 0;
}

/// Time goes on from region to region: when registers are there is told from a region's begin.
class Schedule {
public:
    Schedule(const Timing& timing, double load_latency, unsigned warps_per_block)
        : timing_(timing), load_latency_(load_latency), warps_per_block_(warps_per_block) {}

    /// How long it takes until the last of the instructions is issued. Each is when what it reads is there: the
    /// compiler puts others in between, within a region.
    double issue(std::span<const Executed> region) {
        double end = 0, slots = 0, passed = 0;
        for (const Executed& each : region) {
            const InstructionCost& cost = each.cost;
            if (each.warps == 0) continue;
            const double latency = latency_of(cost.latency, timing_, load_latency_, warps_per_block_);
            double begin = passed;
            for (const std::uint32_t number : each.read) begin = std::max(begin, ready(number));
            slots += cost.machine;
            if (cost.machine != 0) end = std::max(end, begin + cost.machine);
            // Nothing moves over a barrier.
            if (cost.latency == Latency::barrier) passed = std::max(end, slots) + latency;
            for (const std::uint32_t number : each.written)
                ready(number) = begin + (cost.machine != 0 ? cost.machine - 1 + latency : 0);
        }
        const double length = std::max({end, slots, passed});
        for (double& time : ready_) time -= length;
        return length;
    }

private:
    double& ready(std::uint32_t number) {
        if (number >= ready_.size()) ready_.resize(number + 1);
        return ready_[number];
    }

    const Timing& timing_;
    double load_latency_;
    unsigned warps_per_block_;
    std::vector<double> ready_;  ///< by register
};

}  // namespace

void add_instruction_mix(KernelWork& work, const LaunchProfile& launch, const Timing& timing, double load_latency,
                         double warps) {
    for (const Executed& each : launch.instructions) {
        const auto executions = static_cast<double>(each.warps);
        work.issued += executions * each.cost.machine;
        work.special += executions * each.cost.special;
        if (const auto sum = sum_of(each.cost.unit)) work.*sum += executions * each.cost.busy;
    }

    // Regions: instructions that are executed equally often, up to a branch.
    Schedule schedule(timing, load_latency, work.warps_per_block);
    const std::span<const Executed> all = launch.instructions;
    for (std::size_t begin = 0; begin < all.size();) {
        if (all[begin].warps == 0) {
            ++begin;
            continue;
        }
        std::size_t end = begin + 1;
        while (end < all.size() && !(all[end - 1].branch && all[end - 1].warps != 0) &&
               all[end].function == all[begin].function && (all[end].warps == 0 || all[end].warps == all[begin].warps))
            ++end;
        const auto region = all.subspan(begin, end - begin);
        const double times = static_cast<double>(region.front().warps) / std::max(1.0, warps);
        const double once = schedule.issue(region);
        if (times <= 1) {
            work.warp_cycles += times * once;
        } else {
            // In a loop the next round waits for what this one computed.
            Schedule again = schedule;
            work.warp_cycles += once + (times - 1) * again.issue(region);
        }
        begin = end;
    }
}

}  // namespace cudash::virtual_gpu
