#include "runtime_wrappers/api/support.h"

#include <algorithm>
#include <array>
#include <vector>

#include <fmt/format.h>

namespace cudash::api {
namespace {

struct Reason {
    std::string_view of;  ///< a function or a topic
    std::string_view text;
};
constexpr std::array reasons = {
#define CUDA_LACKING(of, text) Reason{#of, text},
#include "runtime_wrappers/api/lacking.def"
#undef CUDA_LACKING
};

std::string_view reason_of(std::string_view name) {
    const auto found = std::find_if(reasons.begin(), reasons.end(), [&](const Reason& row) { return row.of == name; });
    return found == reasons.end() ? std::string_view() : found->text;
}

}  // namespace

std::string_view why_lacking(std::string_view function) {
    const auto rows = functions();
    const auto row =
        std::find_if(rows.begin(), rows.end(), [&](const FunctionInfo& info) { return info.name == function; });
    if (row == rows.end() || row->support != Support::NONE) return {};
    const std::string_view own = reason_of(row->name);
    return own.empty() ? reason_of(row->topic) : own;
}

std::string support_page() {
    std::string page =
        "# Functions of the CUDA runtime\n\n"
        "<!-- Made from cuda_api.def and lacking.def: `CUDASH_REWRITE=1 build/release/tests/unit_tests -tc='the "
        "support "
        "page*'`. -->\n\n";
    const auto rows = functions();
    const auto lacking =
        std::count_if(rows.begin(), rows.end(), [](const FunctionInfo& row) { return row.support == Support::NONE; });
    page += fmt::format(
        "Every function that cuda_runtime_api.h and cuda_profiler_api.h of CUDA 13.0 declare. All {} work with a real "
        "GPU; the\nvirtual GPU has {}, and says by name and reason that it lacks the other {}.\n",
        rows.size(), rows.size() - static_cast<std::size_t>(lacking), lacking);
    std::vector<std::string_view> topics;
    for (const FunctionInfo& row : rows)
        if (std::find(topics.begin(), topics.end(), row.topic) == topics.end()) topics.push_back(row.topic);
    for (const std::string_view topic : topics) {
        std::string title(topic);
        std::replace(title.begin(), title.end(), '_', ' ');
        page += fmt::format("\n## {}\n\n| function | virtual GPU |\n|---|---|\n", title);
        for (const FunctionInfo& row : rows) {
            if (row.topic != topic) continue;
            const std::string_view why = why_lacking(row.name);
            page += fmt::format("| {} | {} |\n", row.name,
                                row.support == Support::NONE ? fmt::format("no: {}", why) : "yes");
        }
    }
    return page;
}

}  // namespace cudash::api
