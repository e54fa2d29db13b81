#include "repl/notebook/jupyter/history.h"

#include <fnmatch.h>

#include <algorithm>
#include <set>

namespace cudash::notebook {
namespace {

constexpr int this_session = 1;

}  // namespace

/// xeus does not count the cells here.
void History::store_inputs_impl(int, int, const std::string& input, const std::string&) {
    entries_.push_back({static_cast<int>(entries_.size()) + 1, input});
}

nl::json History::reply(const std::vector<const Entry*>& entries, bool output) {
    nl::json list = nl::json::array();
    for (const Entry* each : entries) {
        // Outputs are not kept: the protocol has null there.
        const nl::json input = output ? nl::json::array({each->input, nullptr}) : nl::json(each->input);
        list.push_back(nl::json::array({this_session, each->line, input}));
    }
    return {{"status", "ok"}, {"history", std::move(list)}};
}

nl::json History::get_tail_impl(int count, bool, bool output) const {
    std::vector<const Entry*> found;
    const std::size_t size = std::min(entries_.size(), static_cast<std::size_t>(std::max(count, 0)));
    for (auto entry = entries_.end() - static_cast<std::ptrdiff_t>(size); entry != entries_.end(); ++entry)
        found.push_back(&*entry);
    return reply(found, output);
}

/// `session`: 0 is this one, negative ones are before it; of those nothing is known.
nl::json History::get_range_impl(int session, int start, int stop, bool, bool output) const {
    std::vector<const Entry*> found;
    for (const Entry& each : entries_)
        if ((session == 0 || session == this_session) && each.line >= start && (stop <= 0 || each.line < stop))
            found.push_back(&each);
    return reply(found, output);
}

nl::json History::search_impl(const std::string& pattern, bool, bool output, int count, bool unique) const {
    std::vector<const Entry*> found;
    std::set<std::string> seen;
    for (auto each = entries_.rbegin(); each != entries_.rend(); ++each) {
        if (fnmatch(pattern.c_str(), each->input.c_str(), 0) != 0) continue;
        if (unique && !seen.insert(each->input).second) continue;
        if (count > 0 && found.size() == static_cast<std::size_t>(count)) break;
        found.push_back(&*each);
    }
    std::ranges::reverse(found);
    return reply(found, output);
}

}  // namespace cudash::notebook
