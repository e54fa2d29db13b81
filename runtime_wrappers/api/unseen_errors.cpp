#include "runtime_wrappers/api/unseen_errors.h"

#include <algorithm>
#include <utility>

#include "runtime_wrappers/folded.h"

namespace cudash::api {
namespace {

/// A program that fails everywhere is not told of each place.
constexpr std::size_t most_places = 10;

bool is_same(const SourceSpot& a, const SourceSpot& b) {
    return a.file == b.file && a.line == b.line;
}

}  // namespace

void UnseenErrors::add(std::uint64_t thread, Diagnostic failure) {
    const std::lock_guard lock(mutex_);
    const auto known = std::find_if(entries_.begin(), entries_.end(), [&](const Entry& entry) {
        return entry.thread == thread && is_same(entry.failure.where, failure.where) &&
               entry.failure.code == failure.code;
    });
    if (known != entries_.end())
        ++known->times;
    else if (entries_.size() < most_places)
        entries_.push_back({thread, std::move(failure), 1});
}

void UnseenErrors::looked_at(std::uint64_t thread) {
    const std::lock_guard lock(mutex_);
    std::erase_if(entries_, [&](const Entry& entry) { return entry.thread == thread; });
}

std::vector<Diagnostic> UnseenErrors::take() {
    const std::lock_guard lock(mutex_);
    std::vector<Diagnostic> found;
    for (Entry& entry : std::exchange(entries_, {})) {
        Diagnostic& failure = entry.failure;
        failure.severity = Diagnostic::Severity::warning;
        failure.code = "unchecked-error";
        failure.notes.push_back({"the program goes on without looking at what the call returned", {}});
        if (entry.times > 1) failure.notes.push_back(note_of_more(entry.times - 1, "at this line"));
        if (failure.hint.empty()) failure.hint = "compare the result with cudaSuccess, or ask cudaGetLastError()";
        found.push_back(std::move(failure));
    }
    return found;
}

}  // namespace cudash::api
