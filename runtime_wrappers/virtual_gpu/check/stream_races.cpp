#include "runtime_wrappers/virtual_gpu/check/stream_races.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace cudash::virtual_gpu {
namespace {

/// What is kept of operations that ran: older ones are forgotten, and their races with them.
constexpr std::size_t most_works = 256, most_pieces = 1 << 20;

struct Meeting {
    Use mine = Use::read, others = Use::read;
    Piece first;  ///< of mine: the bytes of the first place that both use
    std::uint32_t other_line = 0;
    std::uint64_t bytes = 0;  ///< in that allocation
    bool at_one_place = true;
};

/// Pieces of both are sorted and do not overlap.
std::optional<Meeting> meet(const std::vector<Piece>& mine, const std::vector<Piece>& others) {
    if (mine.empty() || others.empty() || mine.back().end <= others.front().begin ||
        others.back().end <= mine.front().begin)
        return std::nullopt;
    std::optional<Meeting> found;
    for (auto a = mine.begin(), b = others.begin(); a != mine.end() && b != others.end();) {
        const std::uint64_t begin = std::max(a->begin, b->begin), end = std::min(a->end, b->end);
        if (begin < end && a->allocation == b->allocation) {
            if (!found) {
                found.emplace();
                found->first = {begin, end, a->line, a->allocation};
                found->other_line = b->line;
                found->bytes = end - begin;
            } else if (a->allocation == found->first.allocation) {
                found->bytes += end - begin;
                if (found->at_one_place && begin == found->first.end)
                    found->first.end = end;
                else
                    found->at_one_place = false;
            }
        }
        if (a->end < b->end)
            ++a;
        else
            ++b;
    }
    return found;
}

/// The first kind of conflict of the two, the most telling ones first.
std::optional<Meeting> conflict(const Uses& mine, const Uses& others) {
    constexpr std::pair<Use, Use> kinds[] = {
        {Use::read, Use::write},   {Use::write, Use::write}, {Use::write, Use::read}, {Use::atomic, Use::write},
        {Use::write, Use::atomic}, {Use::read, Use::atomic}, {Use::atomic, Use::read}};
    for (const auto& [here, there] : kinds) {
        auto found = meet(mine.of(here), others.of(there));
        if (!found) continue;
        found->mine = here, found->others = there;
        return found;
    }
    return std::nullopt;
}

/// Kernels that run at the same time can hand data to each other, and a kernel may wait for what a copy brings.
bool may_signal(const DeviceWork& a, const DeviceWork& b) {
    if (!a.is_kernel || !b.is_kernel) return a.uses.signals || b.uses.signals;
    if (!a.uses.signals || !b.uses.signals) return false;
    return !a.uses.complete || !b.uses.complete || meet(a.uses.of(Use::signal), b.uses.of(Use::signal));
}

/// A copy between two devices in the default stream "does not start until all commands previously issued to either
/// device have completed" (Programming Guide, "Peer-to-Peer Memory Copy"), which the order of operations does not have.
bool may_wait_for_each_other(const DeviceWork& a, const DeviceWork& b) {
    const auto is_legacy = [](const DeviceWork& work) { return work.issued_in.kind == IssuedIn::Kind::legacy; };
    return a.device != b.device && (is_legacy(a) || is_legacy(b));
}

std::string stream_of(const DeviceWork& work) {
    std::string text = work.issued_in.graph_launch != 0 ? "a graph in " : "";
    switch (work.issued_in.kind) {
        case IssuedIn::Kind::none:
            return text + "a stream";
        case IssuedIn::Kind::legacy:
            return text + "the default stream";
        case IssuedIn::Kind::per_thread:
            return text + "the default stream of a thread";
        case IssuedIn::Kind::blocking:
        case IssuedIn::Kind::non_blocking:
            return text + fmt::format("stream #{}", work.issued_in.number);
    }
    return text;
}

const char* verb(Use use) {
    switch (use) {
        case Use::read:
            return "reads";
        case Use::atomic:
            return "changes atomically";
        default:
            return "writes";
    }
}

/// As the calls would name it.
std::string argument(const IssuedIn& in) {
    switch (in.kind) {
        case IssuedIn::Kind::legacy:
            return "0";
        case IssuedIn::Kind::per_thread:
            return "cudaStreamPerThread";
        default:
            return fmt::format("stream #{}", in.number);
    }
}

std::string with_article(const char* article, const DeviceWork& work) {
    return work.is_kernel ? work.name : fmt::format("{} {}", article, work.name);
}

std::string hint_for(const DeviceWork& first, const DeviceWork& second) {
    const IssuedIn &a = first.issued_in, &b = second.issued_in;
    const std::string before = with_article("the", first), after = with_article("the", second);
    if (a.graph_launch != 0 && a.graph_launch == b.graph_launch)
        return fmt::format(
            "let the node of {} depend on that of {}: cudaGraphAddDependencies, or, in a capture, an event that the "
            "stream waits for",
            after, before);
    std::string text = fmt::format(
        "cudaEventRecord(event, {}) after {}, and cudaStreamWaitEvent({}, event) before {}; or let the "
        "host wait in between: cudaStreamSynchronize({})",
        argument(a), before, argument(b), after, argument(a));
    using Kind = IssuedIn::Kind;
    if ((a.kind == Kind::legacy && b.kind == Kind::non_blocking) ||
        (b.kind == Kind::legacy && a.kind == Kind::non_blocking))
        text += "; a stream made with cudaStreamNonBlocking and the default stream do not wait for each other";
    return text;
}

SourceSpot line_of(const DeviceWork& work, std::uint32_t line) {
    if (line == 0 || line > work.uses.lines.size()) return work.origin;
    return work.uses.lines[line - 1];
}

std::string place_of(const AddressSpace& memory, const Meeting& meeting) {
    const auto allocation = memory.find(meeting.first.begin);
    if (!allocation) return fmt::format("{} bytes from {:#x} on", meeting.bytes, meeting.first.begin);
    const std::uint64_t at = meeting.first.begin - allocation->begin, last = meeting.first.end - allocation->begin - 1;
    std::string text = at == last ? fmt::format("byte {}", at) : fmt::format("bytes {} to {}", at, last);
    if (!meeting.at_one_place) text = fmt::format("{} bytes, {} first,", meeting.bytes, text);
    if (allocation->kind == MemoryKind::variable && !allocation->origin.empty())
        return fmt::format("{} of {} ({} bytes)", text, allocation->origin, allocation->size);
    return fmt::format("{} of {} bytes of {}{}", text, allocation->size,
                       allocation->kind == MemoryKind::device ? "device memory" : "page-locked memory",
                       allocation->origin.empty() ? "" : fmt::format(" ({})", allocation->origin));
}

Diagnostic describe(const AddressSpace& memory, const DeviceWork& first, const DeviceWork& second,
                    const Meeting& meeting) {
    Diagnostic made =
        error("stream-race", fmt::format("race between streams: {} in {} {} what {} in {} {}; nothing orders the two",
                                         with_article("a", second), stream_of(second), verb(meeting.mine),
                                         with_article("a", first), stream_of(first), verb(meeting.others)));
    made.where = line_of(second, meeting.first.line);
    made.notes.push_back({fmt::format("both use {}", place_of(memory, meeting)), {}});
    SourceSpot there = line_of(first, meeting.other_line);
    // Without columns: lines are told as places, not as a compiler's message.
    made.where.column = there.column = 0;
    made.notes.push_back({fmt::format("the other: {} {}", with_article("the", first), verb(meeting.others)), there});
    made.hint = hint_for(first, second);
    return made;
}

}  // namespace

std::size_t StreamRaces::piece_count(const DeviceWork& work) {
    std::size_t sum = 0;
    for (const auto& pieces : work.uses.pieces) sum += pieces.size();
    return sum;
}

std::vector<Diagnostic> StreamRaces::add(const AddressSpace& memory, DeviceWork work) {
    std::vector<Diagnostic> found;
    if (work.uses.empty()) return found;
    for (const DeviceWork& other : past_) {
        if (!other.uses.near(work.uses)) continue;
        if (other.moment.before(work.moment) || work.moment.before(other.moment)) continue;
        // As the program reads: which of the two ran first here is left open.
        const bool later = other.moment.serial < work.moment.serial;
        const DeviceWork &first = later ? other : work, &second = later ? work : other;
        const auto meeting = conflict(second.uses, first.uses);
        if (!meeting || may_signal(first, second) || may_wait_for_each_other(first, second)) continue;
        const auto allocation = memory.find(meeting->first.begin);
        const SourceSpot here = line_of(second, meeting->first.line), there = line_of(first, meeting->other_line);
        const std::string key = fmt::format("{} {}:{} {} {}:{} {}", second.name, here.file, here.line, first.name,
                                            there.file, there.line, allocation ? allocation->origin : std::string());
        if (told_.insert(key).second) found.push_back(describe(memory, first, second, *meeting));
    }
    pieces_ += piece_count(work);
    past_.push_back(std::move(work));
    while (past_.size() > most_works || pieces_ > most_pieces) {
        pieces_ -= piece_count(past_.front());
        past_.pop_front();
    }
    return found;
}

}  // namespace cudash::virtual_gpu
