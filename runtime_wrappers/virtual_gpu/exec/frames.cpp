// The frames of a warp's calls: registers and local memory of each, parameters in and results out.
#include <algorithm>
#include <cstring>

#include "runtime_wrappers/virtual_gpu/exec/block.h"
#include "runtime_wrappers/virtual_gpu/exec/diagnose.h"
#include "runtime_wrappers/virtual_gpu/exec/lanes.h"
#include "runtime_wrappers/virtual_gpu/exec/warp.h"

namespace cudash::virtual_gpu {

Frame* Warp::new_frame(const Code& code, const Instruction* call_site) {
    // Lanes that make the same call one after the other share a frame, so that they can meet inside.
    if (fragments.size() > 1)
        for (Frame& other : frames_) {
            if (other.users == 0 || other.call != call_site || other.caller != frame || other.code != &code) continue;
            other.users |= mask;
            return &other;
        }
    Frame* made;
    if (free_frames_.empty()) {
        made = &frames_.emplace_back();
    } else {
        made = free_frames_.back();
        free_frames_.pop_back();
    }
    *made = {&code,
             worker->take_registers(code),
             frame->local_base + frame->code->local_bytes,
             frame->stack_base + frame->code->stack_bytes,
             mask,
             frame->depth + 1,
             call_site,
             frame,
             {},
             nullptr};
    local_used = std::max(local_used, made->local_base + code.local_bytes);
    for (auto [offset, bytes] : code.cleared) std::memset(made->registers + offset, 0, bytes);
    return made;
}

void Warp::release_frame(Frame* released, std::uint32_t lanes) {
    released->users &= ~lanes;
    if (released->users != 0 || released->caller == nullptr) return;
    worker->give_registers(*released->code, released->registers);
    free_frames_.push_back(released);
}

std::byte* Warp::lane_bytes(const Frame& owner, const ValuePlace& place, unsigned lane) const {
    if (place.in_register) return owner.registers + place.offset + lane * (place.bytes > 4 ? 8u : 4u);
    return local + lane * local_stride + owner.local_base + place.offset;
}

void Warp::copy_values(const Frame& to, const std::vector<ValuePlace>& targets, const Frame& from,
                       const std::vector<ValuePlace>& sources) {
    for (std::size_t i = 0; i < targets.size() && i < sources.size(); ++i)
        for (unsigned lane = 0; lane < warp_size; ++lane)
            if (mask >> lane & 1)
                std::memcpy(lane_bytes(to, targets[i], lane), lane_bytes(from, sources[i], lane),
                            std::min(targets[i].bytes, sources[i].bytes));
}

bool Warp::has_stack_for(const Code& callee) const {
    std::uint32_t top = local_size;
    if (!stack_top.empty())
        for (unsigned lane = 0; lane < warp_size; ++lane)
            if (mask >> lane & 1) top = std::min(top, stack_top[lane]);
    const std::uint64_t frames = std::uint64_t{frame->stack_base} + frame->code->stack_bytes + callee.stack_bytes;
    const std::uint64_t end = std::uint64_t{frame->local_base} + frame->code->local_bytes + callee.local_bytes;
    return frames + (local_size - top) <= block->launch->stack_limit && end <= top;
}

const Instruction* Warp::call(const Instruction* at, const Code& callee, const CallSite& site) {
    count_to(at);
    segment = at[1].counted_from;
    if (!has_stack_for(callee)) return raise_stack_overflow(*this, at, "the calls of a thread need");
    Frame* inner = new_frame(callee, at);
    copy_values(*inner, callee.parameters, *frame, site.arguments);
    if (callee.uses_alloca) {
        inner->stack_tops.resize(warp_size);
        for (unsigned lane = 0; lane < warp_size; ++lane)
            if (mask >> lane & 1) inner->stack_tops[lane] = stack_top[lane];
    }
    frame = inner;
    registers = frame->registers;
    local_base = frame->local_base;
    segment = 0;
    return callee.instructions.data();
}

const Instruction* Warp::return_from_call(const Instruction* at) {
    count_to(at);
    if (!arrive(nullptr)) return nullptr;
    Frame* inner = frame;
    frame = inner->caller;
    registers = frame->registers;
    local_base = frame->local_base;
    copy_values(*frame, frame->code->calls[inner->call->extra].results, *inner, inner->code->results);
    if (!inner->stack_tops.empty())
        for (unsigned lane = 0; lane < warp_size; ++lane)
            if (mask >> lane & 1) stack_top[lane] = inner->stack_tops[lane];
    const Instruction* next = inner->call + 1;
    segment = next->counted_from;
    release_frame(inner, mask);
    return next;
}

}  // namespace cudash::virtual_gpu
