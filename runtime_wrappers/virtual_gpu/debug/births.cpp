// Where a NaN comes from: the instructions that make one of inputs that are none.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "runtime_wrappers/virtual_gpu/debug/debugger.h"

namespace cudash::virtual_gpu {
namespace {

/// Of ".f32" and ".f64" alone: what is packed, or lies in memory, is not a result of arithmetic on one number.
std::uint32_t float_bytes(std::string_view modifier) {
    return modifier == "f32" ? 4 : modifier == "f64" ? 8 : 0;
}

/// The types stand last: ".f32", or ".f64.s32" of a conversion, where that of the result comes first.
bool is_type(std::string_view modifier) {
    return modifier.size() >= 2 && modifier.size() <= 4 &&
           std::string_view("fsub").find(modifier[0]) != std::string_view::npos &&
           std::all_of(modifier.begin() + 1, modifier.end(), [](char c) { return c >= '0' && c <= '9'; });
}

std::uint32_t nan_lanes(const std::byte* registers, std::uint32_t bytes, std::uint32_t mask) {
    std::uint32_t found = 0;
    for (unsigned lane = 0; lane < warp_size; ++lane) {
        if (!(mask >> lane & 1)) continue;
        float single = 0;
        double real = 0;
        if (bytes == 4)
            std::memcpy(&single, registers + std::size_t{lane} * 4, sizeof single);
        else
            std::memcpy(&real, registers + std::size_t{lane} * 8, sizeof real);
        found |= std::uint32_t{bytes == 4 ? std::isnan(single) : std::isnan(real)} << lane;
    }
    return found;
}

}  // namespace

Debugger::Arithmetic Debugger::arithmetic_of(const StopSite& site) {
    const Code& code = *site.code;
    Arithmetic made;
    std::size_t index = code.index_of(site.stop) + 1;
    while (index < code.written.size() && !code.written[index]) ++index;
    if (index >= code.written.size() || !code.operations[index]) return made;
    std::uint32_t result = 0, input = 0;
    for (const std::string& modifier : code.written[index]->modifiers) {
        if (!is_type(modifier)) continue;
        if (result == 0) result = float_bytes(modifier);
        if (result == 0) return made;
        input = float_bytes(modifier);
    }
    const FrameUse& use = code.uses[index];
    if (result == 0 || use.writes != 1) return made;
    const FrameRegister* const registers = code.frame_registers.data() + use.first;
    if (registers[use.reads].bytes != result) return made;
    made.bytes = result;
    made.to = registers[use.reads].offset;
    made.input_bytes = input;
    for (unsigned i = 0; i < use.reads && input != 0; ++i)
        if (registers[i].bytes == input) made.from.push_back(registers[i].offset);
    return made;
}

void Debugger::look_for_births(const Warp& warp, const Instruction* stop) {
    end_birth(warp);
    const auto [known, is_new] = arithmetic_.try_emplace(stop->extra);
    if (is_new) known->second = arithmetic_of(sites_[stop->extra]);
    const Arithmetic& arithmetic = known->second;
    if (arithmetic.bytes == 0) return;
    const std::byte* const registers = warp.frame->registers;
    std::uint32_t lanes = warp.mask;
    for (const std::uint32_t from : arithmetic.from)
        lanes &= ~nan_lanes(registers + from, arithmetic.input_bytes, lanes);
    if (lanes != 0) births_.push_back({&warp, moment, registers + arithmetic.to, arithmetic.bytes, lanes});
}

void Debugger::end_birth(const Warp& warp) {
    const auto begun = std::ranges::find(births_, &warp, &Birth::warp);
    if (begun == births_.end()) return;
    const Birth birth = *begun;
    births_.erase(begun);
    const std::uint32_t lanes = nan_lanes(birth.result, birth.bytes, birth.lanes);
    if (lanes == 0) return;
    Touch touch;
    touch.moment = birth.moment;
    touch.block = warp.block->number;
    touch.warp = warp.index;
    touch.lanes = lanes;
    if (mode_ == Mode::forward) {
        born_ = std::move(touch);
        return;
    }
    const bool first = go_.births == Go::Births::first;
    if (!found_ || (first ? birth.moment < found_->moment : birth.moment > found_->moment))
        found_ = {birth.moment, Stopped::Why::born, std::move(touch)};
}

bool Debugger::looks_everywhere() const {
    if (go_.wanted || go_.births != Go::Births::none) return true;
    const bool moves = go_.how == Go::How::forward || go_.how == Go::How::backward;
    return watches_births && moves && go_.breakpoints && !go_.touches;
}

bool Debugger::goes_back_to_birth() {
    if (why_not_back()) return false;
    arrive_why_ = Stopped::Why::born;
    arrived_with_ = std::exchange(born_, std::nullopt);
    all_ = false;
    births_.clear();
    rewind(arrived_with_->moment, Mode::to_moment, arrived_with_->moment);
    return true;
}

void Debugger::end_births() {
    while (!births_.empty()) end_birth(*births_.back().warp);
}

}  // namespace cudash::virtual_gpu
