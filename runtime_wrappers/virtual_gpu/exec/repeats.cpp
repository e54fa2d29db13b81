#include "runtime_wrappers/virtual_gpu/exec/repeats.h"

#include <algorithm>
#include <cstring>
#include <type_traits>

#define XXH_INLINE_ALL
#ifdef __AVX512F__
#define XXH_VECTOR XXH_AVX2  // GCC 12 warns of its own AVX-512 intrinsics
#endif
#include <xxhash.h>

#include "runtime_wrappers/virtual_gpu/isa/instruction.h"

namespace cudash::virtual_gpu {
namespace {

/// Launches with fewer instructions of warps take less than finding out about them.
constexpr std::uint64_t worth_noting = 2000;
constexpr std::size_t most_known = 256;
/// Bytes of host memory that are hashed in a small part of the time in which an instruction of a warp runs.
constexpr std::uint64_t quickly_hashed = 2;
/// Programs that change host memory between launches do so each time.
constexpr unsigned most_misses = 3;
/// Bytes that a launch wrote, and that are stored as they were before and after it.
constexpr std::uint64_t most_stored = 1 << 20;

template <class T>
void add(std::string& key, const T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    key.append(reinterpret_cast<const char*>(&value), sizeof value);
}

std::string key_of(const LaunchRequest& request, const ExecutorLimits& limits) {
    std::string key;
    const Program* program = request.module ? request.module->program(request.kernel) : nullptr;
    if (!program || program->has_other_effects) return key;
    key.reserve(128 + request.parameters.size());
    add(key, program->serial);
    for (const Dim3& size : {request.grid, request.block, request.cluster})
        for (const auto each : {size.x, size.y, size.z}) add(key, each);
    add(key, request.dynamic_shared);
    add(key, request.cooperative);
    add(key, request.has_clusters);
    add(key, request.device);
    add(key, request.reach);
    add(key, request.looked_for);
    add(key, limits.stack_per_thread);
    key.append(reinterpret_cast<const char*>(request.parameters.data()), request.parameters.size());
    return key;
}

}  // namespace

bool Repeats::Known::is_little() const {
    return written_bytes <= most_stored && written_bytes <= quickly_hashed * outcome.warp_instructions;
}

Repeats::All::iterator Repeats::find(const LaunchRequest& request, const ExecutorLimits& limits) {
    if (known_.empty() || request.stops) return known_.end();
    const std::string key = key_of(request, limits);
    return key.empty() ? known_.end() : known_.find(key);
}

std::byte* Repeats::bytes_of(const Part& part) const {
    return memory_.pointer(part.begin, part.bytes);
}

/// As the launch left it.
bool Repeats::is_as_left(const Part& part) const {
    if (!part.on_host) return memory_.state_of(part.begin) == part.state;
    const std::byte* bytes = bytes_of(part);
    return bytes && XXH3_64bits(bytes, part.bytes) == part.state;
}

bool Repeats::is_as_before(const Part& part) const {
    const std::byte* bytes = bytes_of(part);
    return bytes && part.before.size() == part.bytes && std::memcmp(bytes, part.before.data(), part.bytes) == 0;
}

std::optional<LaunchOutcome> Repeats::repeat(const LaunchRequest& request, const ExecutorLimits& limits,
                                             const IsEnough& is_enough) {
    const auto found = find(request, limits);
    if (found == known_.end()) return std::nullopt;
    Known& known = found->second;
    if (known.misses > most_misses || (known.looks_at_contents() && !known.compared)) return std::nullopt;
    LaunchOutcome outcome = known.outcome;
    outcome.used.clear();
    const auto is_left = [&](const Part& part) { return is_as_left(part); };
    const auto is_input = [](const Part& part) { return !part.written; };
    if (!known.reads_own && std::ranges::all_of(known.parts, is_left))
        return is_enough(known.outcome) ? std::optional(outcome) : std::nullopt;
    const bool same = known.compared && std::ranges::all_of(known.parts, [&](const Part& part) {
                          return is_input(part) ? is_as_left(part) : is_as_before(part);
                      });
    if (!same && known.looks_at_contents()) ++known.misses;
    if (!same || !is_enough(known.outcome)) return std::nullopt;
    for (Part& part : known.parts) {
        if (!part.written) continue;
        std::ranges::copy(part.after, bytes_of(part));
        memory_.note_change(part.begin);
        if (!part.on_host) part.state = memory_.state_of(part.begin);
        outcome.used.push_back({part.begin, part.read, true});
    }
    return outcome;
}

void Repeats::launch_begins(const LaunchRequest& request, const ExecutorLimits& limits) {
    before_.clear();
    const auto found = find(request, limits);
    if (found == known_.end() || found->second.misses > most_misses || !found->second.is_little()) return;
    for (const Part& part : found->second.parts) {
        const std::byte* bytes = part.written ? bytes_of(part) : nullptr;
        before_.emplace_back(bytes, bytes ? bytes + part.bytes : bytes);
    }
}

/// What the launch used, as far as it can be compared. False: not at all.
bool Repeats::note_parts(Known& known) const {
    const LaunchOutcome& outcome = known.outcome;
    for (const UsedMemory& each : outcome.used) {
        const auto allocation = memory_.find(each.begin);
        if (!allocation) return false;
        Part part{.begin = each.begin, .bytes = allocation->size, .read = each.read, .written = each.written};
        part.state = memory_.state_of(each.begin);
        part.on_host = part.state == 0;
        if (part.on_host) known.host_bytes += part.bytes;
        if (part.written) known.written_bytes += part.bytes;
        known.reads_own |= part.read && part.written;
        known.parts.push_back(std::move(part));
    }
    return known.host_bytes <= quickly_hashed * outcome.warp_instructions && (!known.reads_own || known.is_little());
}

void Repeats::launch_ended(const LaunchRequest& request, const ExecutorLimits& limits, const LaunchOutcome& outcome) {
    for (const UsedMemory& each : outcome.used)
        if (each.written) memory_.note_change(each.begin);
    // What the debugger takes back, it writes by itself.
    if (request.stops) known_.clear();
    if (request.stops || outcome.warp_instructions < worth_noting) return;
    const std::string key = key_of(request, limits);
    if (key.empty()) return;
    Known known{.module = request.module, .parts = {}, .outcome = outcome};
    const bool ended_well = outcome.status == LaunchStatus::ok && outcome.findings.empty() &&
                            outcome.diagnostics.empty() && outcome.child_work.empty() && outcome.spun_cycles == 0;
    if (!ended_well || !note_parts(known)) {
        known_.erase(key);
        return;
    }
    const auto earlier = known_.find(key);
    if (earlier != known_.end() && earlier->second.misses <= most_misses) {
        known.misses = earlier->second.misses;
        const bool same_parts =
            std::ranges::equal(earlier->second.parts, known.parts, {}, &Part::begin, &Part::begin) &&
            before_.size() == known.parts.size();
        for (std::size_t i = 0; i < known.parts.size(); ++i) {
            Part& part = known.parts[i];
            const std::byte* bytes = bytes_of(part);
            if (part.on_host && bytes) part.state = XXH3_64bits(bytes, part.bytes);
            if (!part.written || !same_parts || !bytes) continue;
            part.before = std::move(before_[i]);
            part.after.assign(bytes, bytes + part.bytes);
        }
        known.compared = same_parts || !known.reads_own;
    }
    if (known_.size() >= most_known) known_.clear();
    known_.insert_or_assign(key, std::move(known));
}

}  // namespace cudash::virtual_gpu
