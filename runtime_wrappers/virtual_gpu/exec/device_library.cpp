#include "runtime_wrappers/virtual_gpu/isa/device_library.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <tuple>
#include <utility>

#include "runtime_wrappers/virtual_gpu/exec/block.h"
#include "runtime_wrappers/virtual_gpu/exec/device_heap.h"
#include "runtime_wrappers/virtual_gpu/exec/device_printf.h"
#include "runtime_wrappers/virtual_gpu/exec/device_runtime.h"
#include "runtime_wrappers/virtual_gpu/exec/diagnose.h"
#include "runtime_wrappers/virtual_gpu/exec/lanes.h"
#include "runtime_wrappers/virtual_gpu/exec/library_call.h"
#include "runtime_wrappers/virtual_gpu/memory/address_windows.h"

namespace cudash::virtual_gpu {
namespace {

/// Bytes at a generic address, as many as are there up to `most`.
std::span<const std::byte> bytes_at(const Warp& w, unsigned lane, Address address, std::size_t most) {
    if (in_window(address, local_window)) {
        const std::uint64_t offset = address - local_window;
        if (offset >= w.local_size) return {};
        return {w.local + lane * w.local_stride + offset, std::min<std::size_t>(most, w.local_size - offset)};
    }
    if (in_window(address, shared_window)) {
        const std::uint64_t offset = address - shared_window - w.block->shared_base;
        if (offset >= w.block->shared_bytes) return {};
        return {w.block->shared + offset, std::min<std::size_t>(most, w.block->shared_bytes - offset)};
    }
    const Launch& launch = *w.block->launch;
    if (in_window(address, text_window)) {
        const std::string_view text = text_of(address, launch.device_queue ? launch.device_queue->runtime() : nullptr);
        return std::as_bytes(std::span(text)).subspan(0, std::min(most, text.size()));
    }
    auto found = launch.memory->find(address);
    if (!found || !(found->devices & launch.reach)) return {};
    return {reinterpret_cast<const std::byte*>(address + static_cast<std::uint64_t>(found->host_offset)),
            std::min<std::size_t>(most, found->end() - address)};
}

std::string_view text_at(const Warp& w, unsigned lane, Address address) {
    auto bytes = bytes_at(w, lane, address, std::size_t{1} << 20);
    if (bytes.empty()) return {};
    auto* characters = reinterpret_cast<const char*>(bytes.data());
    return {characters, strnlen(characters, bytes.size())};
}

const Instruction* run_assertfail(const Instruction* i, Warp& w) {
    std::string first;
    for_each_lane(w.mask, [&](unsigned l) {
        const Dim3 thread = thread_at(w, l);
        const Dim3& block = w.block->id;
        std::string line =
            fmt::format("{}:{}: {}: block: [{},{},{}], thread: [{},{},{}] Assertion `{}` failed.\n",
                        text_at(w, l, argument<Address>(w, i, 1, l)), argument<std::uint32_t>(w, i, 2, l),
                        text_at(w, l, argument<Address>(w, i, 3, l)), block.x, block.y, block.z, thread.x, thread.y,
                        thread.z, text_at(w, l, argument<Address>(w, i, 0, l)));
        if (first.empty()) first = fmt::format("assertion `{}` failed", text_at(w, l, argument<Address>(w, i, 0, l)));
        w.block->failed_asserts += line;
    });
    // The threads end here; the others go on, as on a GPU, until the launch fails when all have ended.
    Block& block = *w.block;
    raise(w, i, LaunchStatus::assert_failed, "assert", std::move(first));
    if (!block.failure) block.failure = std::move(block.fault);
    block.fault.reset();
    return w.exit_lanes(i, w.mask);
}

const Instruction* run_malloc(const Instruction* i, Warp& w) {
    for_each_lane(
        w.mask, [&](unsigned l) { set_result(w, i, l, allocate_on_heap(w, i, argument<std::uint64_t>(w, i, 0, l))); });
    w.wrote = true;
    return i + 1;
}

const Instruction* run_free(const Instruction* i, Warp& w) {
    std::array<Address, warp_size> addresses{};
    for_each_lane(w.mask, [&](unsigned l) { addresses[l] = argument<Address>(w, i, 0, l); });
    return release_on_heap(w, i, addresses) ? i + 1 : nullptr;
}

/// Once for each format of a block.
void warn_of_format(Warp& w, const Instruction* i, unsigned lane, std::string_view format) {
    const std::string_view conversion = unlike_c(format);
    if (conversion.empty()) return;
    Block& block = *w.block;
    const std::string message = fmt::format("printf in device code: hardware doesn't print `{}` as C does", conversion);
    for (const Diagnostic& known : block.warnings)
        if (known.message == message) return;
    Diagnostic made = error("device-printf-format", message,
                            conversion.find('*') != std::string_view::npos
                                ? "write the precision as a number: %.3f"
                                : "use %d or %u for narrow integers, %lu with a cast for size_t, %ld for ptrdiff_t");
    made.severity = Diagnostic::Severity::warning;
    made.where = source_spot(*block.launch, *w.frame->code, i);
    made.thread = ThreadSpot{std::string(block.launch->kernel), block.id, thread_at(w, lane)};
    block.warnings.push_back(std::move(made));
}

/// Whether another warp of the block comes to its printf before this one: who has executed less, and of those the warp
/// that is not full. Each prints its first line before any prints its second (recorded on an H200).
bool others_print_first(const Warp& w, const Instruction* i) {
    const std::uint64_t executed = w.warp_instructions + (i->ordinal - w.segment);
    const auto rank = [](std::uint64_t instructions, const Warp& warp) {
        return std::tuple(instructions, std::popcount(warp.live), warp.index);
    };
    return std::ranges::any_of(w.block->warps, [&](const Warp& other) {
        return &other != &w && !other.done() && other.runnable() &&
               rank(other.warp_instructions, other) < rank(executed, w);
    });
}

const Instruction* run_vprintf(const Instruction* i, Warp& w) {
    Block& block = *w.block;
    if (block.warps.size() > 1 && others_print_first(w, i)) {
        w.count_before(i);
        w.resume = i;
        w.stop = Stop::turn;
        return nullptr;
    }
    Address looked_at = 0;  // lanes mostly have one format
    for_each_lane(w.mask, [&](unsigned l) {
        const Address at = argument<Address>(w, i, 0, l);
        if (at == 0) return set_result(w, i, l, std::int32_t{-1});
        const std::string_view format = text_at(w, l, at);
        if (std::exchange(looked_at, at) != at) warn_of_format(w, i, l, format);
        const Address packed = argument<Address>(w, i, 1, l);
        auto read_text = [&](std::uint64_t address) -> std::optional<std::string> {
            if (bytes_at(w, l, address, 1).empty()) return std::nullopt;
            return std::string(text_at(w, l, address));
        };
        std::string text = format_device_printf(format, bytes_at(w, l, packed, 4096), read_text);
        block.output += text;
        const std::uint64_t fifo = block.launch->printf_fifo;
        if (block.output.size() > 2 * fifo) block.output.erase(0, newest_lines_at(block.output, fifo));
        set_result(w, i, l, static_cast<std::int32_t>(count_printf_arguments(format)));
    });
    return i + 1;
}

struct Row {
    std::string_view name;
    Handler handler;
    bool uses_heap;
};
constexpr Row rows[] = {
    {"vprintf", run_vprintf, false},
    {"__assertfail", run_assertfail, false},
    {"malloc", run_malloc, true},
    {"free", run_free, true},
};

}  // namespace

Handler select_library_function(std::string_view name, Program& program) {
    for (const Row& row : rows) {
        if (row.name != name) continue;
        if (row.uses_heap) program.uses_heap = program.ordered = true;
        program.has_other_effects = true;
        return row.handler;
    }
    if (const Handler found = select_device_runtime(name)) {
        program.uses_device_runtime = program.ordered = program.has_other_effects = true;
        return found;
    }
    return nullptr;
}

}  // namespace cudash::virtual_gpu
