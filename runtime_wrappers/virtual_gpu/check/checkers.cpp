#include "runtime_wrappers/virtual_gpu/check/checkers.h"

#include <fmt/format.h>

namespace cudash::virtual_gpu {
namespace {

/// What one launch may spend by default: a few milliseconds (tests/bench/checks measures it).
constexpr std::uint64_t default_budget = 1 << 15;

constexpr CheckerRow rows[] = {
    {Checker::initialised, "initialized", true, true,
     "reads of memory that nothing has written, and copies of it to the host"},
    {Checker::shared_race, "shared-race", true, true,
     "threads of a block that share memory without an order between them"},
    {Checker::global_race, "global-race", true, true,
     "threads and blocks that use global memory without an order between them"},
    {Checker::same_value, "same-value", false, true, "threads that write the same value to one place without an order"},
    {Checker::barrier, "barrier", true, true, "barriers, masks and shuffles that not all threads come to as they must"},
    {Checker::aliasing, "aliasing", true, true,
     "several extern __shared__ arrays in one kernel: they begin at one place"},
    {Checker::stream_race, "stream-race", true, true,
     "kernels, copies and fills in several streams that use the same memory without an order between them"},
    {Checker::host_race, "host-race", true, true,
     "host code that uses memory which a copy or kernel still reads or writes"},
    {Checker::copy, "copy", true, false,
     "copies whose size counts elements, whose kind names the wrong side, or whose pitch is not the memory's"},
    {Checker::unchecked, "unchecked", true, false,
     "failed calls of a program, and kernels whose output it does not wait for"},
    {Checker::leak, "leak", true, false,
     "memory that a program has not freed at its end, and streams, events and the like that it has not destroyed"},
};

}  // namespace

std::span<const CheckerRow> checkers() {
    return rows;
}

Result<Selection> parse_selection(std::string_view text) {
    Selection selection;
    if (text.empty() || text == "default") {
        for (const CheckerRow& row : rows) selection.on.set(static_cast<std::size_t>(row.checker), row.by_default);
        selection.budget = default_budget;
        return selection;
    }
    if (text == "none") return selection;
    if (text == "all") {
        selection.on.set();
        return selection;
    }
    while (!text.empty()) {
        std::string_view name = text.substr(0, text.find(','));
        text.remove_prefix(std::min(text.size(), name.size() + 1));
        if (name == "initialised") name = "initialized";  // its former spelling
        bool known = false;
        for (const CheckerRow& row : rows) {
            if (row.name != name) continue;
            selection.on.set(static_cast<std::size_t>(row.checker));
            known = true;
        }
        if (known) continue;
        std::string names = "none, default, all";
        for (const CheckerRow& row : rows) names += fmt::format(", {}", row.name);
        return error("unknown-checker", fmt::format("there is no checker '{}'", name), "what there is: " + names);
    }
    return selection;
}

}  // namespace cudash::virtual_gpu
