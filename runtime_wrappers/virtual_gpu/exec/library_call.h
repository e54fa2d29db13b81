// What a function of the device's libraries is given by the call, and how it answers.
#pragma once

#include <algorithm>
#include <cstring>

#include "runtime_wrappers/virtual_gpu/exec/warp.h"

namespace cudash::virtual_gpu {

/// The lane's argument, from 0. One that the call does not pass is zero.
template <class T>
T argument(const Warp& w, const Instruction* i, std::size_t index, unsigned lane) {
    const auto& places = w.frame->code->calls[i->extra].arguments;
    T value{};
    if (index < places.size())
        std::memcpy(&value, w.lane_bytes(*w.frame, places[index], lane),
                    std::min<std::size_t>(sizeof value, places[index].bytes));
    return value;
}

template <class T>
void set_result(const Warp& w, const Instruction* i, unsigned lane, T value) {
    const auto& places = w.frame->code->calls[i->extra].results;
    if (!places.empty())
        std::memcpy(w.lane_bytes(*w.frame, places[0], lane), &value,
                    std::min<std::size_t>(sizeof value, places[0].bytes));
}

}  // namespace cudash::virtual_gpu
