#include "repl/session/call_place.h"

namespace cudash::session {
namespace {

constexpr int most_frames = 64;
constexpr std::uintptr_t largest_frame = 8 << 20;

}  // namespace

api::CallPlace place_of_call(const HostEngine& engine, const void* frame) {
    api::CallPlace result;
    bool launch = false;  // k<<<...>>>() gives no result that could be looked at
    const auto* at = static_cast<const std::uintptr_t*>(frame);
    for (int depth = 0; at && depth < most_frames; ++depth) {
        // What is on the stack at a frame pointer: the caller's frame pointer, then the address to return to, which is
        // that after the call.
        const auto place = engine.place_of(at[1] - 1);
        if (!place) break;
        launch |= place->stub;
        if (place->own) {
            static_cast<api::CallText&>(result) = engine.call_text(*place);
            result.where = {place->file, place->line, 0};
            result.launch = launch;
            result.discarded |= launch;
            break;
        }
        const std::uintptr_t next = at[0], here = reinterpret_cast<std::uintptr_t>(at);
        if (next <= here || next - here > largest_frame || next % sizeof next != 0) break;
        at = reinterpret_cast<const std::uintptr_t*>(next);
    }
    return result;
}

std::optional<CodePlace> own_place(const HostEngine& engine, std::span<const std::uint64_t> addresses) {
    for (const std::uint64_t address : addresses)
        if (auto place = engine.place_of(address); place && place->own) return place;
    return std::nullopt;
}

}  // namespace cudash::session
