#include "runtime_wrappers/virtual_gpu/exec/thread_places.h"

#include <fmt/format.h>

#include <algorithm>

#include "runtime_wrappers/virtual_gpu/exec/diagnose.h"

namespace cudash::virtual_gpu {
namespace {

constexpr std::size_t most_blocks = 2, most_places = 8, most_ranges = 4;

enum class State : std::uint8_t { barrier, warp_sync, join, runs };

/// Threads of a block that do the same at the same line.
struct Place {
    State state = State::runs;
    std::uint8_t barrier = 0;
    SourceSpot where;
    std::vector<std::uint32_t> threads;  ///< linear indices
    Dim3 first;
};

std::string what_it_does(const Place& place) {
    const char* verb_end = place.threads.size() == 1 ? "s" : "";
    if (place.state == State::runs) return fmt::format("run{}", verb_end);
    std::string what;
    if (place.state == State::join) what = "for the other threads of the warp, which took another branch";
    if (place.state == State::warp_sync) what = "for the other lanes of a warp-level call";
    if (place.state == State::barrier) {
        what = place.barrier == 0                        ? std::string("at __syncthreads()")
               : place.barrier == Block::cluster_barrier ? std::string("at the barrier of the cluster")
                                                         : fmt::format("at barrier {}", place.barrier);
    }
    return fmt::format("wait{} {}", verb_end, what);
}

/// "thread 5", "threads 0-31, 64-95 and more"
std::string ranges(std::vector<std::uint32_t> threads) {
    std::sort(threads.begin(), threads.end());
    std::string text = threads.size() == 1 ? "thread " : "threads ";
    std::size_t told = 0;
    for (std::size_t i = 0; i < threads.size();) {
        std::size_t last = i;
        while (last + 1 < threads.size() && threads[last + 1] == threads[last] + 1) ++last;
        if (told == most_ranges) return text + " and more";
        if (told++ != 0) text += ", ";
        text += last == i ? fmt::format("{}", threads[i]) : fmt::format("{}-{}", threads[i], threads[last]);
        i = last + 1;
    }
    return text;
}

std::vector<Place> places_of(const Block& block) {
    std::vector<Place> places;
    auto add = [&](const Warp& warp, const Fragment& fragment, State state) {
        const SourceSpot where = source_spot(*block.launch, *fragment.frame->code, fragment.pc);
        auto same = std::find_if(places.begin(), places.end(), [&](const Place& place) {
            return place.state == state && place.barrier == fragment.barrier && place.where.line == where.line &&
                   place.where.file == where.file;
        });
        if (same == places.end()) {
            const auto lane = static_cast<unsigned>(std::countr_zero(fragment.mask));
            same = places.insert(places.end(), {state, fragment.barrier, where, {}, thread_at(warp, lane)});
        }
        for (unsigned lane = 0; lane < warp_size; ++lane)
            if (fragment.mask >> lane & 1) same->threads.push_back(warp.index * warp_size + lane);
    };
    for (const Warp& warp : block.warps) {
        std::uint32_t left = warp.live;
        for (const Fragment& fragment : warp.fragments) {
            add(warp, fragment,
                fragment.wait == Wait::barrier     ? State::barrier
                : fragment.wait == Wait::warp_sync ? State::warp_sync
                                                   : State::runs);
            left &= ~fragment.mask;
        }
        for (Fragment waiting : warp.waiting_at_joins()) {
            waiting.mask &= left;
            if (waiting.mask != 0) add(warp, waiting, State::join);
        }
    }
    return places;
}

std::vector<std::uint32_t> exited_threads(const Block& block) {
    std::vector<std::uint32_t> exited;
    const auto count = static_cast<std::uint32_t>(block.launch->block_threads());
    for (const Warp& warp : block.warps)
        for (unsigned lane = 0; lane < warp_size; ++lane)
            if (const std::uint32_t thread = warp.index * warp_size + lane; thread < count && !(warp.live >> lane & 1))
                exited.push_back(thread);
    return exited;
}

}  // namespace

void tell_places(Diagnostic& diagnostic, std::span<const Block* const> blocks) {
    std::vector<const Block*> sorted(blocks.begin(), blocks.end());
    std::sort(sorted.begin(), sorted.end(), [](const Block* a, const Block* b) { return a->number < b->number; });
    for (std::size_t b = 0; b < sorted.size() && b < most_blocks; ++b) {
        const Block& block = *sorted[b];
        const std::vector<Place> places = places_of(block);
        for (std::size_t p = 0; p < places.size(); ++p) {
            const Place& place = places[p];
            if (p == most_places) {
                diagnostic.notes.push_back({fmt::format("and {} other places", places.size() - p), {}});
                break;
            }
            diagnostic.notes.push_back(
                {fmt::format("{} of block {} {}", ranges(place.threads), coordinates(block.id), what_it_does(place)),
                 place.where});
            if (diagnostic.thread) continue;
            diagnostic.where = place.where;
            diagnostic.thread = ThreadSpot{std::string(block.launch->kernel), block.id, place.first};
        }
        const auto exited = exited_threads(block);
        if (!exited.empty())
            diagnostic.notes.push_back({fmt::format("{} of block {} {} exited", ranges(exited), coordinates(block.id),
                                                    exited.size() == 1 ? "has" : "have"),
                                        {}});
    }
    if (sorted.size() > most_blocks)
        diagnostic.notes.push_back(
            {fmt::format("{} other blocks have begun and not ended", sorted.size() - most_blocks), {}});
}

}  // namespace cudash::virtual_gpu
