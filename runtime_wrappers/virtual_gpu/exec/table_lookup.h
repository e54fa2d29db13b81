// Handlers of functions that look a table up (isa/special_function_unit.h). A loop with lookups would not become vector
// code, so there are three: which rows, fetch them, and the rest.
#pragma once

#include <tuple>
#include <utility>

#include "runtime_wrappers/virtual_gpu/exec/lanes.h"
#include "runtime_wrappers/virtual_gpu/isa/lane_operation.h"
#include "runtime_wrappers/virtual_gpu/isa/special_function_unit.h"

namespace cudash::virtual_gpu {

template <class Function, class SegmentOf>
struct LaneLookup;

template <class Function, class... A>
struct LaneLookup<Function, std::int32_t (*)(A...)> {
    static constexpr const LaneOperation* operation = &lane_operation<&semantics::evaluate<Function, A...>>;
    static const Instruction* run(const Instruction* i, Warp& w) {
        apply(i, w, std::index_sequence_for<A...>{});
        return next_if_plain(i, w);
    }

private:
    template <std::size_t... N>
    static void apply(const Instruction* i, Warp& w, std::index_sequence<N...>) {
        using Row = semantics::RowOf<Function>;
        using R = decltype(Function::value(A{}..., Row{}));
        const std::uint32_t offsets[] = {i->a, i->b, i->c};
        std::tuple<const Lane<A>*...> sources{lanes<A>(w, offsets[N])...};
        alignas(64) std::int32_t at[warp_size];
        alignas(64) Row rows[warp_size];
        CUDASH_LANE_LOOP
        for (unsigned l = 0; l < warp_size; ++l) at[l] = Function::segment(from_lane<A>(std::get<N>(sources)[l])...);
        for (unsigned l = 0; l < warp_size; ++l) rows[l] = Function::rows[static_cast<std::size_t>(at[l])];
        write_lanes<R>(w, lanes<R>(w, i->d),
                       [&](unsigned l) { return Function::value(from_lane<A>(std::get<N>(sources)[l])..., rows[l]); });
    }
};

template <class Function>
inline constexpr Chosen map_lookup = Chosen(&LaneLookup<Function, decltype(&Function::segment)>::run, nullptr,
                                            LaneLookup<Function, decltype(&Function::segment)>::operation);

}  // namespace cudash::virtual_gpu
