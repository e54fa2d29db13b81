#include "runtime_wrappers/api/failed_calls.h"

#include <algorithm>
#include <utility>

#include "runtime_wrappers/folded.h"

namespace cudash::api {
namespace {

/// A program that fails everywhere is not told of each place.
constexpr std::ptrdiff_t most_places = 10;

bool is_same(const FailedCalls::Call& a, const FailedCalls::Call& b) {
    const SourceSpot &spot = a.failure.where, &other = b.failure.where;
    return a.thread == b.thread && spot.file == other.file && spot.line == other.line &&
           a.failure.code == b.failure.code;
}

Diagnostic unchecked(Diagnostic failure, std::uint64_t times) {
    failure.severity = Diagnostic::Severity::warning;
    failure.code = "unchecked-error";
    failure.notes.push_back({"the program goes on without looking at what the call returned", {}});
    if (times > 1) failure.notes.push_back(note_of_more(times - 1, "at this line"));
    if (failure.hint.empty()) failure.hint = "compare the result with cudaSuccess, or ask cudaGetLastError()";
    return failure;
}

Diagnostic explained(Diagnostic failure, std::uint64_t times) {
    failure.severity = Diagnostic::Severity::note;
    failure.code = "failed-call";
    if (times > 1) failure.notes.push_back(note_of_more(times - 1, "at this line"));
    return failure;
}

}  // namespace

void FailedCalls::keep(Entry entry) {
    // Whoever looks at the last one is told of the last one: it comes to the end. Of what nobody looks at, the first
    // tells most.
    const bool is_unseen = entry.state == State::unseen;
    const auto known = std::find_if(entries_.begin(), entries_.end(), [&](const Entry& other) {
        return other.state == entry.state && is_same(other.call, entry.call);
    });
    if (known != entries_.end()) {
        known->times += entry.times;
        if (is_unseen) return;
        known->call = std::move(entry.call);
        std::rotate(known, known + 1, entries_.end());
        return;
    }
    // Once the context is lost, whatever is called fails; the first one says all.
    const bool is_consequence = entry.call.status == cudaErrorDevicesUnavailable;
    if (is_consequence && std::ranges::any_of(entries_, [&](const Entry& other) {
            return other.call.status == entry.call.status && other.state != State::unseen;
        }))
        return;
    const auto is_alike = [&](const Entry& other) { return other.state == entry.state; };
    if (std::count_if(entries_.begin(), entries_.end(), is_alike) >= most_places) {
        if (entry.state != State::seen) return;
        entries_.erase(std::find_if(entries_.begin(), entries_.end(), is_alike));
    }
    entries_.push_back(std::move(entry));
}

void FailedCalls::add(Call call) {
    const std::lock_guard lock(mutex_);
    const State state = call.discarded ? State::unseen : State::seen;
    keep({std::move(call), state});
}

void FailedCalls::looked_at(std::uint64_t thread, const SourceSpot& where) {
    const std::lock_guard lock(mutex_);
    std::vector<Entry> looked;
    for (const Entry& entry : entries_)
        if (entry.call.thread == thread && entry.state == State::unseen) looked.push_back(entry);
    std::erase_if(entries_,
                  [&](const Entry& entry) { return entry.call.thread == thread && entry.state == State::unseen; });
    // Only the last error is there to be looked at. After a launch there is no other way; a call had a result of its
    // own.
    if (looked.empty()) return;
    Entry last = std::move(looked.back());
    last.state = State::seen;
    std::vector<Diagnostic::Note>& notes = last.call.failure.notes;
    if (!last.call.launch && where.line != last.call.failure.where.line && where.line != 0)
        notes.push_back({"cudaGetLastError returned this error here", where});
    if (looked.size() > 1) {
        const Diagnostic& first = looked.front().call.failure;
        notes.push_back({"an earlier call failed, too, and its error was not checked: " + first.message, first.where});
    }
    keep(std::move(last));
}

void FailedCalls::named(int status) {
    const std::lock_guard lock(mutex_);
    const auto last = std::find_if(entries_.rbegin(), entries_.rend(), [&](const Entry& entry) {
        return entry.state != State::unseen && entry.call.status == status;
    });
    if (last == entries_.rend() || last->state == State::named) return;
    Entry entry = std::move(*last);
    entries_.erase(std::next(last).base());
    entry.state = State::named;
    keep(std::move(entry));
}

std::vector<Diagnostic> FailedCalls::take(bool well) {
    const std::lock_guard lock(mutex_);
    std::vector<Entry> entries = std::exchange(entries_, {});
    const bool has_named =
        std::any_of(entries.begin(), entries.end(), [](const Entry& entry) { return entry.state == State::named; });
    if (!well && !has_named) {
        const auto last = std::find_if(entries.rbegin(), entries.rend(),
                                       [](const Entry& entry) { return entry.state == State::seen; });
        if (last != entries.rend()) last->state = State::named;
    }
    std::vector<Diagnostic> found;
    for (Entry& entry : entries)
        if (entry.state == State::unseen) found.push_back(unchecked(std::move(entry.call.failure), entry.times));
    for (Entry& entry : entries)
        if (entry.state == State::named) found.push_back(explained(std::move(entry.call.failure), entry.times));
    return found;
}

}  // namespace cudash::api
