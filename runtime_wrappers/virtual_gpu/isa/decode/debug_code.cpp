// What code for a debugger has in addition: stops between written instructions, and a place for every name, so that a
// variable can be read wherever a warp stops.
#include <algorithm>
#include <numeric>

#include "runtime_wrappers/virtual_gpu/isa/decode/emission.h"
#include "runtime_wrappers/virtual_gpu/isa/handlers.h"

namespace cudash::virtual_gpu {

void keep_places(const FlowGraph& graph, RegisterPlaces& registers, Code& code) {
    // What nobody has written yet is zero in every run. Without stops, who looks at it clears it (Debugger).
    constexpr std::uint32_t scratch_bytes = 512;
    if (!graph.unstopped) registers.cleared = {{scratch_bytes, registers.bytes - scratch_bytes}};
    auto& places = code.debug->places;
    for (const auto& [name, number] : graph.scopes.function_registers())
        places[name] = {ptx::Space::reg, registers.offsets[number], graph.scopes.register_bytes()[number]};
    for (const auto& [name, place] : graph.scopes.function_places()) {
        const auto offset = static_cast<std::uint32_t>(place.address), bytes = static_cast<std::uint32_t>(place.size);
        if (place.in_frame) places[name] = {ptx::Space::local, offset, bytes};
        if (place.kernel_parameter) places[name] = {ptx::Space::param, offset, bytes};
    }
}

std::vector<bool> find_checked_registers(const FlowGraph& graph, const StopChecks& checks) {
    const auto& bytes = graph.scopes.register_bytes();
    std::vector<std::uint32_t> all(bytes.size());
    std::iota(all.begin(), all.end(), 0);
    const RegisterPlaces places = place_registers(bytes, {}, {}, all);
    std::vector<bool> checked(bytes.size(), !checks.registers);
    if (checks.registers)
        for (const std::uint32_t r : all) checked[r] = std::ranges::binary_search(*checks.registers, places.offsets[r]);
    for (const std::uint32_t r : graph.frame.registers) checked[r] = true;
    return checked;
}

void push_stop(Emission& emission, const FlowItem& item) {
    if (item.kind != FlowItem::Kind::plain && item.kind != FlowItem::Kind::skip) return;
    Program& program = emission.graph.outside->program();
    Instruction stop;
    stop.run = run_stop;
    stop.extra = program.stops++;
    if (emission.checks) {
        // Moments are counted as executed instructions then; of a skipped one, that would be one too few.
        if (item.kind == FlowItem::Kind::skip)
            refuse_program(program, item.written->location, "a guarded instruction is skipped", "too-large");
        if (stop.extra >= emission.checks->stops.size() || emission.checks->stops[stop.extra] == 0) return;
        stop.run = run_check;
        return emission.push(item, stop, {run_check, run_check_together}, false);
    }
    emission.code.debug->stops.push_back(static_cast<std::uint32_t>(emission.code.instructions.size()));
    emission.push(item, stop, {run_stop}, false);
}

}  // namespace cudash::virtual_gpu
