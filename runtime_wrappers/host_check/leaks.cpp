#include "runtime_wrappers/host_check/leaks.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <vector>

namespace cudash::host_check {
namespace {

constexpr std::size_t most_places = 10;

/// What one place made.
struct Group {
    const Leak* first;
    std::uint64_t count, bytes;
};

bool same_place(const Leak& a, const Leak& b) {
    return a.where.file == b.where.file && a.where.line == b.where.line && a.target == b.target &&
           std::string_view(a.kind) == b.kind;
}

std::vector<Group> by_place(std::span<const Leak> leaks) {
    std::vector<Group> groups;
    for (const Leak& leak : leaks) {
        const auto known = std::find_if(groups.begin(), groups.end(),
                                        [&](const Group& group) { return same_place(*group.first, leak); });
        if (known == groups.end()) {
            groups.push_back({&leak, 1, leak.bytes});
        } else {
            ++known->count;
            known->bytes += leak.bytes;
        }
    }
    return groups;
}

std::string bytes_of(const Group& group) {
    return group.count == 1
               ? fmt::format("{} bytes of {}", group.bytes, group.first->kind)
               : fmt::format("{} bytes of {} in {} allocations", group.bytes, group.first->kind, group.count);
}

std::string number_of(const Group& group) {
    return fmt::format("{} {}{}", group.count, group.first->kind, group.count == 1 ? "" : "s");
}

std::string with_target(std::string text, const Leak& leak) {
    return leak.target.empty() ? text : fmt::format("{} ({})", text, leak.target);
}

/// `amount`: of what one place made. `total`: all of it, where several places did.
Diagnostic describe(const char* code, std::span<const Group> groups, const char* verb,
                    const std::function<std::string(const Group&)>& amount, const std::string& total) {
    const Leak& first = *groups.front().first;
    Diagnostic found = error(code, "");
    found.severity = Diagnostic::Severity::warning;
    found.where = first.where;
    if (groups.size() == 1) {
        found.message = fmt::format("{} {} never {}", with_target(amount(groups.front()), first),
                                    groups.front().count == 1 ? "is" : "are", verb);
    } else {
        found.message = fmt::format("{} are never {}", total, verb);
        for (std::size_t i = 0; i < std::min(groups.size(), most_places); ++i)
            found.notes.push_back({with_target(amount(groups[i]), *groups[i].first), groups[i].first->where});
        if (groups.size() > most_places)
            found.notes.push_back({fmt::format("and at {} more places", groups.size() - most_places), {}});
    }
    found.hint = fmt::format("{}({}) after the last use", first.frees,
                             !first.target.empty() ? first.target
                             : first.bytes         ? "pointer"
                                                   : "handle");
    return found;
}

}  // namespace

std::optional<Diagnostic> describe_leaks(std::span<const Leak> leaks) {
    if (leaks.empty()) return std::nullopt;
    std::uint64_t bytes = 0;
    for (const Leak& leak : leaks) bytes += leak.bytes;
    return describe("leak", by_place(leaks), "freed", bytes_of,
                    fmt::format("{} bytes in {} allocations", bytes, leaks.size()));
}

std::optional<Diagnostic> describe_undestroyed(std::span<const Leak> objects) {
    if (objects.empty()) return std::nullopt;
    return describe("not-destroyed", by_place(objects), "destroyed", number_of,
                    fmt::format("{} streams, events or other objects", objects.size()));
}

}  // namespace cudash::host_check
