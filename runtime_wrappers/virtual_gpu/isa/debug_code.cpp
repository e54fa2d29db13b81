// The part of the decoder that makes code for a debugger: stops between written instructions, and a place for every
// name, so that a variable can be read wherever a warp stops.
#include <algorithm>

#include "runtime_wrappers/virtual_gpu/isa/function_decoder.h"
#include "runtime_wrappers/virtual_gpu/isa/handlers.h"

namespace cudash::virtual_gpu {

void FunctionDecoder::keep_registers() {
    if (!checks_) affine_.count = 0;  // all registers are plain ones
    const auto registers = static_cast<std::uint32_t>(scopes_.register_bytes().size());
    always_live_.clear();
    for (std::uint32_t r = 0; r < registers; ++r) always_live_.push_back(r);
}

void FunctionDecoder::keep_places() {
    // What nobody has written yet is zero in every run. Without stops, who looks at it clears it (Debugger).
    constexpr std::uint32_t scratch_bytes = 512;
    if (!checks_) places_.cleared = {{scratch_bytes, places_.bytes - scratch_bytes}};
    code_->cleared = places_.cleared;
    auto& places = code_->debug->places;
    for (const auto& [name, number] : scopes_.function_registers())
        places[name] = {ptx::Space::reg, places_.offsets[number], scopes_.register_bytes()[number]};
    for (const auto& [name, place] : scopes_.function_places()) {
        const auto offset = static_cast<std::uint32_t>(place.address), bytes = static_cast<std::uint32_t>(place.size);
        if (place.in_frame) places[name] = {ptx::Space::local, offset, bytes};
        if (place.kernel_parameter) places[name] = {ptx::Space::param, offset, bytes};
    }
}

/// nvcc ends each basic block of debug code with a jump; where it goes nowhere else, lanes may stay in lockstep.
bool FunctionDecoder::jumps_to_next(std::uint32_t item) const {
    const Item& jump = items_[item];
    return checks_ && jump.flow == Item::Flow::jump && jump.targets.size() == 1 && jump.targets.front() == item + 1;
}

void FunctionDecoder::push_stop(const Item& item) {
    if (item.kind != Item::Kind::plain && item.kind != Item::Kind::skip) return;
    Instruction stop;
    stop.run = run_stop;
    stop.extra = surroundings_.program().stops++;
    if (checks_) {
        // Moments are counted as executed instructions then; of a skipped one, that would be one too few.
        if (item.kind == Item::Kind::skip) refuse(item.written->location, "a guarded instruction is skipped");
        if (stop.extra >= checks_->stops.size() || checks_->stops[stop.extra] == 0) return;
        stop.run = run_check;
        return push(item, {stop, {run_check, run_check_together}}, false);
    }
    code_->debug->stops.push_back(static_cast<std::uint32_t>(code_->instructions.size()));
    push(item, {stop, {run_stop}}, false);
}

/// What a check reads is what debug code has there.
void FunctionDecoder::find_checked_registers() {
    const auto& bytes = scopes_.register_bytes();
    std::vector<std::uint32_t> all;
    for (std::uint32_t r = 0; r < bytes.size(); ++r) all.push_back(r);
    const RegisterPlaces places = place_registers(bytes, {}, {}, all);
    checked_.assign(bytes.size(), !checks_->registers);
    if (checks_->registers)
        for (const std::uint32_t r : all)
            checked_[r] = std::ranges::binary_search(*checks_->registers, places.offsets[r]);
    for (const std::uint32_t r : always_live_) checked_[r] = true;
}

std::uint32_t FunctionDecoder::next_kept(std::uint32_t item) const {
    do ++item;
    while (item < items_.size() && items_[item].dropped);
    return item;
}

std::unique_ptr<Code> decode_unstopped(const ptx::Function& function, Surroundings& surroundings,
                                       const StopChecks& checks) {
    return FunctionDecoder(function, surroundings, &checks).run();
}

}  // namespace cudash::virtual_gpu
