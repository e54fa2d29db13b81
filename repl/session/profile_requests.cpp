#include "repl/session/profile_requests.h"

#include <fmt/format.h>

#include "repl/session/profile_names.h"

namespace cudash::session {
namespace {

struct Request {
    std::string_view name, argument;
    bool draws;
    Result<ProfileView> (*run)(const ProfileQuery&);
};
constexpr Request requests[] = {
#define PROFILE_ACTION(name) {#name, "", false, profile_##name},
#define PROFILE_TABLE(name, text, argument) {text, argument, false, profile_##name},
#define PROFILE_PICTURE(name, argument) {#name, argument, true, profile_##name},
#include "repl/session/profile_requests.def"
#undef PROFILE_ACTION
#undef PROFILE_TABLE
#undef PROFILE_PICTURE
};

/// The row with the longest name that the text begins with, if what follows may follow.
const Request* find(std::string_view text) {
    const Request* found = nullptr;
    for (const Request& each : requests) {
        if (!text.starts_with(each.name) || (found && found->name.size() > each.name.size())) continue;
        const std::string_view rest = text.substr(each.name.size());
        if (rest.empty() || (rest.front() == ' ' && !each.argument.empty())) found = &each;
    }
    return found;
}

}  // namespace

std::string shape_text(const Dim3& shape) {
    if (shape.z > 1) return fmt::format("({},{},{})", shape.x, shape.y, shape.z);
    return shape.y > 1 ? fmt::format("({},{})", shape.x, shape.y) : fmt::format("{}", shape.x);
}

std::string launch_title(const virtual_gpu::LaunchProfile& launch) {
    return fmt::format("{}<<<{}, {}>>> on {}", launch.kernel, shape_text(launch.grid), shape_text(launch.block),
                       launch.device.name);
}

Result<ProfileView> profile_view(virtual_gpu::Profiler& profiler, std::string_view request, const LineText& source) {
    ProfileQuery query{profiler, {}, source};
    if (request.empty()) return profile_launches(query);
    const Request* const found = find(request);
    if (!found)
        return error(
            "bad-argument", fmt::format(":profile can't show '{}'", request),
            fmt::format("it takes {}, {}, and the pictures {}", profile_actions, profile_tables, profile_pictures));
    query.argument = request.substr(found->name.size());
    while (query.argument.starts_with(' ')) query.argument.remove_prefix(1);
    return found->run(query);
}

}  // namespace cudash::session
