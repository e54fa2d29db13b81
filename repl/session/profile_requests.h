// What `:profile` shows: the profiler's counters as tables, under Nsight Compute's names
// (virtual_gpu/profile/metrics.h), and pictures of what the hardware sees. profile_requests.def has a row for each.
#pragma once

#include <string>
#include <string_view>

#include "repl/session/outcome.h"
#include "repl/session/profile_pictures.h"
#include "runtime_wrappers/result.h"
#include "runtime_wrappers/virtual_gpu/profile/profiler.h"

namespace cudash::session {

struct ProfileQuery {
    virtual_gpu::Profiler& profiler;
    std::string_view argument;  ///< what follows the request's name
    const LineText& source;
};

/// A picture, or a table under a sentence.
struct ProfileView {
    std::string text{};
    std::optional<Table> table{};
    std::optional<view::Picture> picture{};
};

/// `request` is what was typed after `:profile`; empty: the launches so far.
Result<ProfileView> profile_view(virtual_gpu::Profiler& profiler, std::string_view request, const LineText& source);

/// "(4,2)": as a program writes it, without what is 1 at its end.
std::string shape_text(const Dim3& shape);
/// "k<<<(4,2), 64>>> on NVIDIA H200"
std::string launch_title(const virtual_gpu::LaunchProfile& launch);

Result<ProfileView> profile_launches(const ProfileQuery& query);
#define PROFILE_ACTION(name) Result<ProfileView> profile_##name(const ProfileQuery& query);
#define PROFILE_TABLE(name, text, argument) PROFILE_ACTION(name)
#define PROFILE_PICTURE(name, argument) PROFILE_ACTION(name)
#include "repl/session/profile_requests.def"
#undef PROFILE_ACTION
#undef PROFILE_TABLE
#undef PROFILE_PICTURE

}  // namespace cudash::session
