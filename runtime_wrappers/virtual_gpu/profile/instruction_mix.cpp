#include "runtime_wrappers/virtual_gpu/profile/instruction_mix.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>
#include <unordered_map>

namespace cudash::virtual_gpu {
namespace {

enum class Unit : std::uint8_t { none, single, integer, doubles, special, memory, barrier, branch };
enum class Result : std::uint8_t { none, arithmetic, doubles, special, shared, global, local, barrier };

struct Row {
    std::string_view begins;  ///< of the instruction, as PTX
    Unit unit;
    double machine;  ///< instructions of the machine
    Result result;
    double special = 0;  ///< of them, by the unit for special functions
};

// The first row that fits. Moves and conversions of addresses vanish in registers; divisions are sequences.
constexpr std::array rows = {
    Row{"mov.", Unit::none, 0, Result::none},
    Row{"cvta", Unit::none, 0, Result::none},
    Row{"ld.param", Unit::none, 0, Result::none},
    Row{"ld.const", Unit::memory, 0.5, Result::arithmetic},
    Row{"st.param", Unit::none, 0, Result::none},
    Row{"ret", Unit::branch, 1, Result::none},
    Row{"exit", Unit::branch, 1, Result::none},
    Row{"bra", Unit::branch, 1, Result::none},
    Row{"call", Unit::branch, 2, Result::none},
    Row{"bar.warp", Unit::integer, 1, Result::arithmetic},
    Row{"bar.", Unit::barrier, 1, Result::barrier},
    Row{"barrier", Unit::barrier, 1, Result::barrier},
    Row{"ldmatrix", Unit::memory, 1, Result::shared},
    Row{"ld.shared", Unit::memory, 1, Result::shared},
    Row{"ld.volatile.shared", Unit::memory, 1, Result::shared},
    Row{"ld.local", Unit::memory, 1, Result::local},
    Row{"ld", Unit::memory, 1, Result::global},
    Row{"tex", Unit::memory, 1, Result::global},
    Row{"st", Unit::memory, 1, Result::none},
    Row{"atom.shared", Unit::memory, 2, Result::shared},
    Row{"atom", Unit::memory, 1, Result::global},
    Row{"redux", Unit::integer, 2, Result::special},
    Row{"red", Unit::memory, 1, Result::none},
    Row{"shfl", Unit::memory, 1, Result::shared},
    Row{"vote", Unit::integer, 1, Result::arithmetic},
    Row{"div.rn.f64", Unit::doubles, 20, Result::doubles, 1},
    Row{"div.full", Unit::single, 8, Result::special, 1},
    Row{"div.approx", Unit::single, 2, Result::special, 1},
    Row{"div.rn", Unit::single, 10, Result::special, 1},
    Row{"div", Unit::integer, 13, Result::special, 1},
    Row{"rem", Unit::integer, 15, Result::special, 1},
    Row{"sqrt.rn", Unit::single, 8, Result::special, 1},
    Row{"sqrt", Unit::single, 2, Result::special, 1},
    Row{"rcp.rn", Unit::single, 6, Result::special, 1},
    Row{"rcp", Unit::special, 1, Result::special, 1},
    Row{"rsqrt", Unit::special, 1, Result::special, 1},
    Row{"ex2", Unit::special, 1, Result::special, 1},
    Row{"lg2", Unit::special, 1, Result::special, 1},
    Row{"sin", Unit::special, 1, Result::special, 1},
    Row{"cos", Unit::special, 1, Result::special, 1},
    Row{"fma.rn.f64", Unit::doubles, 1, Result::doubles},
    Row{"add.f64", Unit::doubles, 1, Result::doubles},
    Row{"add.rn.f64", Unit::doubles, 1, Result::doubles},
    Row{"sub.f64", Unit::doubles, 1, Result::doubles},
    Row{"sub.rn.f64", Unit::doubles, 1, Result::doubles},
    Row{"mul.f64", Unit::doubles, 1, Result::doubles},
    Row{"mul.rn.f64", Unit::doubles, 1, Result::doubles},
    Row{"neg.f64", Unit::doubles, 1, Result::doubles},
    Row{"abs.f64", Unit::doubles, 1, Result::doubles},
    Row{"min.f64", Unit::doubles, 1, Result::doubles},
    Row{"max.f64", Unit::doubles, 1, Result::doubles},
    Row{"fma", Unit::single, 1, Result::arithmetic},
    Row{"add.f", Unit::single, 1, Result::arithmetic},
    Row{"add.rn.f", Unit::single, 1, Result::arithmetic},
    Row{"sub.f", Unit::single, 1, Result::arithmetic},
    Row{"sub.rn.f", Unit::single, 1, Result::arithmetic},
    Row{"mul.f", Unit::single, 1, Result::arithmetic},
    Row{"mul.rn.f", Unit::single, 1, Result::arithmetic},
    Row{"mul.wide", Unit::integer, 1, Result::arithmetic},
    Row{"add.s64", Unit::integer, 1, Result::arithmetic},
};

const Row& row_of(std::string_view text) {
    static constexpr Row other{"", Unit::integer, 1, Result::arithmetic};
    const auto found = std::ranges::find_if(rows, [&](const Row& row) { return text.starts_with(row.begins); });
    return found == rows.end() ? other : *found;
}

/// Without the guard "@%p1 ".
std::string_view without_guard(std::string_view text) {
    return text.starts_with('@') ? text.substr(std::min(text.size(), text.find(' ') + 1)) : text;
}

struct Step {
    const Row* row = nullptr;
    double latency = 0;
    std::vector<std::string_view> written, read;  ///< registers
    double executions = 0;                        ///< by warps
};

/// The registers that the text names; those before the first comma outside brackets are written.
void find_registers(std::string_view text, Step& step) {
    const std::string_view body = without_guard(text);
    const bool writes = step.row->result != Result::none && step.row->result != Result::barrier;
    bool first = true;
    int depth = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (c == '{' || c == '[') ++depth;
        if (c == '}' || c == ']') --depth;
        if (c == ',' && depth == 0) first = false;
        if (c != '%') continue;
        std::size_t end = i + 1;
        while (end < text.size() &&
               (std::isalnum(static_cast<unsigned char>(text[end])) || text[end] == '_' || text[end] == '$'))
            ++end;
        const std::string_view name = text.substr(i, end - i);
        const bool guard = text.data() + i < body.data();
        (writes && first && !guard ? step.written : step.read).push_back(name);
        i = end - 1;
    }
    // mov and cvta hand on what they read: both names are one register of the machine.
    if (step.row->machine == 0 && !step.read.empty() && step.written.empty()) {
        step.written.push_back(step.read.front());
        step.read.erase(step.read.begin());
    }
}

double latency_of(Result result, const Timing& timing, double load_latency, unsigned warps_per_block) {
    switch (result) {
        case Result::none:
            return 0;
        case Result::arithmetic:
            return timing.latency_arithmetic;
        case Result::doubles:
            return timing.latency_double;
        case Result::special:
            return timing.latency_special;
        case Result::shared:
            return timing.latency_shared;
        case Result::local:
            return timing.latency_l1;
        case Result::global:
            return load_latency;
        case Result::barrier:
            return timing.latency_barrier + timing.barrier_warp * warps_per_block;
    }
    return 0;
}

using Ready = std::unordered_map<std::string_view, double>;

/// How long it takes until the last of the steps is issued. Each is when what it reads is there: the compiler puts
/// others in between, within a region.
double issue(const std::vector<Step>& steps, Ready& ready) {
    double end = 0, slots = 0, passed = 0;
    for (const Step& step : steps) {
        double begin = passed;
        for (std::string_view name : step.read)
            if (const auto known = ready.find(name); known != ready.end()) begin = std::max(begin, known->second);
        slots += step.row->machine;
        if (step.row->machine != 0) end = std::max(end, begin + step.row->machine);
        // Nothing moves over a barrier.
        if (step.row->result == Result::barrier) passed = std::max(end, slots) + step.latency;
        for (std::string_view name : step.written)
            ready[name] = begin + (step.row->machine != 0 ? step.row->machine - 1 + step.latency : 0);
    }
    const double length = std::max({end, slots, passed});
    for (auto& [name, time] : ready) time -= length;
    return length;
}

}  // namespace

void add_instruction_mix(KernelWork& work, const LaunchProfile& launch, const Timing& timing, double load_latency,
                         double warps) {
    std::vector<Step> region;
    Ready ready;
    const auto end_region = [&] {
        if (region.empty()) return;
        const double times = region.front().executions / std::max(1.0, warps);
        const double once = issue(region, ready);
        if (times <= 1) {
            work.warp_cycles += times * once;
        } else {
            // In a loop the next round waits for what this one computed.
            Ready again = ready;
            const double more = issue(region, again);
            work.warp_cycles += once + (times - 1) * more;
        }
        region.clear();
    };
    std::string_view function;
    for (const LaunchProfile::Instruction& each : launch.instructions) {
        if (each.warps == 0) continue;
        const std::string_view text = without_guard(each.text);
        const Row& row = row_of(text);
        const auto executions = static_cast<double>(each.warps);
        work.issued += executions * row.machine;
        const double plain = executions * (row.machine - row.special);
        if (row.unit == Unit::single) work.single += plain;
        if (row.unit == Unit::integer) work.integer += plain;
        if (row.unit == Unit::doubles) work.doubles += plain;
        if (row.unit == Unit::memory) work.memory += executions * row.machine;
        work.special += executions * row.special;
        if (!region.empty() && (region.front().executions != executions || function != each.function)) end_region();
        function = each.function;
        Step step;
        step.row = &row;
        step.executions = executions;
        step.latency = latency_of(row.result, timing, load_latency, work.warps_per_block);
        find_registers(each.text, step);
        region.push_back(std::move(step));
        if (each.branch) end_region();
    }
    end_region();
}

}  // namespace cudash::virtual_gpu
