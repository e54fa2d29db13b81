// `:occupancy`, `:streams`, `:window`.
#include <cuda_occupancy.h>
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <utility>

#include "repl/session/guard.h"
#include "repl/session/inspections.h"
#include "repl/session/memory/memory.h"
#include "runtime_wrappers/api/entry_points.h"

namespace cudash::session {
namespace {

namespace entry = api::entry;

/// "256", "16x16": threads.
std::optional<unsigned> threads_of(std::string_view text) {
    std::uint64_t product = 1;
    while (true) {
        const std::size_t end = std::min(text.size(), text.find('x'));
        unsigned extent = 0;
        const auto [stop, failure] = std::from_chars(text.data(), text.data() + end, extent);
        if (failure != std::errc() || stop != text.data() + end || extent == 0) return std::nullopt;
        product *= extent;
        if (product > 1u << 20) return std::nullopt;
        if (end == text.size()) return static_cast<unsigned>(product);
        text.remove_prefix(end + 1);
    }
}

/// "4096", "48K", "8M": bytes.
std::optional<std::uint64_t> bytes_of(std::string_view text) {
    unsigned shift = 0;
    for (const auto& [unit, bits] : {std::pair('k', 10u), std::pair('m', 20u), std::pair('g', 30u)})
        if (!text.empty() && std::tolower(static_cast<unsigned char>(text.back())) == unit) shift = bits;
    if (shift) text.remove_suffix(1);
    std::uint64_t value = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (failure != std::errc() || end != text.data() + text.size() || value >> (63 - shift)) return std::nullopt;
    return value << shift;
}

std::string limits_text(const cudaOccResult& result) {
    std::string text;
    const auto add = [&](unsigned bit, std::string_view what) {
        if (result.limitingFactors & bit) text += fmt::format("{}{}", text.empty() ? "" : " and ", what);
    };
    add(OCC_LIMIT_WARPS, "the threads of a multiprocessor");
    add(OCC_LIMIT_REGISTERS, "registers");
    add(OCC_LIMIT_SHARED_MEMORY, "shared memory");
    add(OCC_LIMIT_BLOCKS, "the number of blocks of a multiprocessor");
    return text;
}

const char* name_of(cudaAccessProperty property) {
    switch (property) {
        case cudaAccessPropertyStreaming:
            return "streaming";
        case cudaAccessPropertyPersisting:
            return "persisting";
        default:
            return "normal";
    }
}

/// The value of an expression of the session's that is a pointer or a handle.
std::optional<std::uint64_t> pointer_value(const Inspected& session, const std::string& expression, Outcome& outcome) {
    const Answer answered = answer(session, Locate{fmt::format("(const void*)({})", expression), "char"});
    if (const auto* located = std::get_if<Located>(&answered)) return located->address;
    if (const auto* problem = std::get_if<Diagnostic>(&answered)) outcome = refuse(*problem);
    return std::nullopt;
}

}  // namespace

Outcome occupancy(const Inspected& session, std::string_view argument) {
    const auto words = words_of(argument);
    const auto threads = words.size() > 1 ? threads_of(words[1]) : std::nullopt;
    const auto shared = words.size() > 2 ? bytes_of(words[2]) : std::optional<std::uint64_t>(0);
    if (words.size() < 2 || words.size() > 3 || !threads || !shared)
        return refuse(error("bad-argument",
                            fmt::format("'{}' is not a kernel, a block and its shared memory", argument),
                            ":occupancy KERNEL BLOCK [SHARED]; for example `:occupancy k 16x16 4096`"));
    Outcome outcome;
    const void* stub = find_kernel(session, words[0], outcome);
    if (!stub) return outcome;
    int device = 0, blocks = 0;
    cudaDeviceProp properties{};
    cudaFuncAttributes attributes{};
    if (entry::cudaGetDevice(&device) != cudaSuccess ||
        entry::cudaGetDeviceProperties(&properties, device) != cudaSuccess ||
        entry::cudaFuncGetAttributes(&attributes, stub) != cudaSuccess ||
        entry::cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, stub, static_cast<int>(*threads), *shared) !=
            cudaSuccess)
        return refuse(error("no-occupancy", fmt::format("the runtime does not say how {} fits", words[0])));
    const unsigned warps = (*threads + 31) / 32;
    const int most_warps = properties.maxThreadsPerMultiProcessor / properties.warpSize;
    outcome.text = fmt::format("{}: {} {} of {} threads on a multiprocessor, {} of {} warps: {:.0f} %\n", words[0],
                               blocks, blocks == 1 ? "block" : "blocks", *threads, blocks * static_cast<int>(warps),
                               most_warps, 100.0 * blocks * warps / most_warps);
    outcome.text += fmt::format("{} registers a thread; shared memory of a block: {} bytes static, {} dynamic\n",
                                attributes.numRegs, attributes.sharedSizeBytes, *shared);

    const cudaOccDeviceProp occ_device = properties;
    cudaOccFuncAttributes occ_kernel = attributes;
    occ_kernel.maxDynamicSharedSizeBytes = static_cast<std::size_t>(attributes.maxDynamicSharedSizeBytes);
    occ_kernel.shmemLimitConfig =
        attributes.maxDynamicSharedSizeBytes > 48 * 1024 ? FUNC_SHMEM_LIMIT_OPTIN : FUNC_SHMEM_LIMIT_DEFAULT;
    const cudaOccDeviceState state;
    cudaOccResult result{};
    if (cudaOccMaxActiveBlocksPerMultiprocessor(&result, &occ_device, &occ_kernel, &state, static_cast<int>(*threads),
                                                *shared) == CUDA_OCC_SUCCESS) {
        if (blocks == 0) {
            outcome.text +=
                static_cast<int>(*threads) > properties.maxThreadsPerBlock
                    ? fmt::format("no block fits: it has more than {} threads\n", properties.maxThreadsPerBlock)
                    : fmt::format("no block fits: {} is too much of one block\n",
                                  limits_text(result).empty() ? "its shared memory" : limits_text(result));
        } else {
            outcome.text += fmt::format("limited by {}\n", limits_text(result));
            Table table{{"resource", "blocks that it allows"}, {}};
            table.rows.push_back({"threads", fmt::format("{}", result.blockLimitWarps)});
            table.rows.push_back({"registers", fmt::format("{}", result.blockLimitRegs)});
            table.rows.push_back({"shared memory", fmt::format("{}", result.blockLimitSharedMem)});
            table.rows.push_back({"blocks", fmt::format("{}", result.blockLimitBlocks)});
            for (auto& row : table.rows)
                if (row[1] == fmt::format("{}", INT_MAX)) row[1] = "any";
            outcome.table = std::move(table);
        }
    }
    return outcome;
}

Outcome streams(const Inspected& session, std::string_view) {
    Outcome outcome;
    outcome.table = Table{{"stream", "handle", "device", "priority", "default stream", "state", "window"}, {}};
    for (const auto& stream : session.runtime.streams()) {
        cudaStreamAttrValue value{};
        const auto handle = reinterpret_cast<cudaStream_t>(stream.handle);
        std::string window = "none";
        if (stream.device == 0 &&
            entry::cudaStreamGetAttribute(handle, cudaStreamAttributeAccessPolicyWindow, &value) == cudaSuccess &&
            value.accessPolicyWindow.num_bytes > 0)
            window = fmt::format("{} at {}", bytes_text(value.accessPolicyWindow.num_bytes),
                                 value.accessPolicyWindow.base_ptr);
        outcome.table->rows.push_back({stream.name, fmt::format("{:#x}", stream.handle),
                                       fmt::format("{}", stream.device), fmt::format("{}", stream.priority),
                                       stream.name == "default" ? "-"
                                       : stream.blocking        ? "waits for it"
                                                                : "ignores it",
                                       stream.capturing ? "capturing" : "ready", window});
    }
    if (!session.runtime.is_virtual()) outcome.text = "a real GPU does not list the streams that were created\n";
    return outcome;
}

namespace {

/// What :window was given.
struct WindowWords {
    cudaStream_t stream = nullptr;
    double hit_ratio = 1;
    std::vector<std::string> rest;  ///< the place and the size, or "clear"
};

/// A stream by an expression of the session; nullopt: `outcome` says why there is none.
std::optional<cudaStream_t> stream_of(const Inspected& session, const std::string& text, Outcome& outcome) {
    if (const auto handle = pointer_value(session, text, outcome)) return reinterpret_cast<cudaStream_t>(*handle);
    // A handle need not be an address of memory.
    const Answer answered = answer(session, Locate{fmt::format("(unsigned long long)({})", text), ""});
    const auto* located = std::get_if<Located>(&answered);
    if (!located) return std::nullopt;
    cudaStream_t stream = nullptr;
    const Answer bytes = answer(session, ReadBytes{located->address, false, 0, sizeof stream});
    const auto* read = std::get_if<MemoryBytes>(&bytes);
    if (!read || read->bytes.size() != sizeof stream) return std::nullopt;
    read->bytes.copy(reinterpret_cast<char*>(&stream), sizeof stream);
    outcome = {};
    return stream;
}

/// nullopt: `outcome` says what is wrong.
std::optional<WindowWords> read_window(const Inspected& session, std::string_view argument, Outcome& outcome) {
    const auto words = words_of(argument);
    WindowWords read;
    for (std::size_t i = 0; i < words.size(); ++i) {
        const bool last = i + 1 == words.size();
        if (words[i] == "stream" && !last) {
            const auto stream = stream_of(session, words[++i], outcome);
            if (!stream) return std::nullopt;
            read.stream = *stream;
        } else if (words[i] == "hit" && !last) {
            const std::string& text = words[++i];
            const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), read.hit_ratio);
            if (failure != std::errc() || end != text.data() + text.size() ||
                !(read.hit_ratio >= 0 && read.hit_ratio <= 1)) {
                outcome = refuse(error("bad-argument", fmt::format("expected a hit ratio from 0 to 1, got '{}'", text),
                                       ":window d 1M hit 0.6"));
                return std::nullopt;
            }
        } else {
            read.rest.push_back(words[i]);
        }
    }
    return read;
}

Outcome listed_windows(const Inspected& session) {
    Outcome outcome;
    outcome.table = Table{{"stream", "base", "bytes", "hit ratio", "hit", "miss"}, {}};
    for (const auto& row : session.runtime.streams()) {
        cudaStreamAttrValue value{};
        if (entry::cudaStreamGetAttribute(reinterpret_cast<cudaStream_t>(row.handle),
                                          cudaStreamAttributeAccessPolicyWindow, &value) != cudaSuccess)
            continue;
        const cudaAccessPolicyWindow& w = value.accessPolicyWindow;
        if (w.num_bytes == 0) continue;
        outcome.table->rows.push_back({row.name, fmt::format("{}", w.base_ptr), bytes_text(w.num_bytes),
                                       fmt::format("{:g}", w.hitRatio), name_of(w.hitProp), name_of(w.missProp)});
    }
    std::size_t aside = 0;
    if (entry::cudaDeviceGetLimit(&aside, cudaLimitPersistingL2CacheSize) == cudaSuccess)
        outcome.text = fmt::format("set aside for persisting accesses: {}\n", bytes_text(aside));
    return outcome;
}

}  // namespace

Outcome window(const Inspected& session, std::string_view argument) {
    Outcome outcome;
    const auto words = read_window(session, argument, outcome);
    if (!words) return outcome;
    if (words->rest.empty()) return listed_windows(session);
    const bool clear = words->rest.size() == 1 && words->rest[0] == "clear";
    cudaStreamAttrValue value{};
    cudaAccessPolicyWindow& made = value.accessPolicyWindow;
    made.hitProp = clear ? cudaAccessPropertyNormal : cudaAccessPropertyPersisting;
    made.missProp = clear ? cudaAccessPropertyNormal : cudaAccessPropertyStreaming;
    if (!clear) {
        const auto bytes = words->rest.size() == 2 ? bytes_of(words->rest[1]) : std::nullopt;
        if (!bytes)
            return refuse(error("bad-argument", fmt::format("'{}' sets no window", argument),
                                ":window PTR BYTES [hit RATIO] [stream S], or :window clear [stream S]"));
        const auto base = pointer_value(session, words->rest[0], outcome);
        if (!base) return outcome;
        made.base_ptr = reinterpret_cast<void*>(*base);
        made.num_bytes = *bytes;
        made.hitRatio = static_cast<float>(words->hit_ratio);
    }
    // A refused call has told why by itself.
    const cudaError_t status =
        entry::cudaStreamSetAttribute(words->stream, cudaStreamAttributeAccessPolicyWindow, &value);
    if (status != cudaSuccess) {
        outcome.status = Outcome::Status::compile_error;
        outcome.exit_code = 1;
        outcome.diagnostics.push_back(error("no-window", "the window was not set"));
        return outcome;
    }
    outcome.text = clear ? "no window\n"
                         : fmt::format("{} at {}, hit ratio {:g}: hits persist, misses stream\n",
                                       bytes_text(made.num_bytes), made.base_ptr, words->hit_ratio);
    return outcome;
}

}  // namespace cudash::session
