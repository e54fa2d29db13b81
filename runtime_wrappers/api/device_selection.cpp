// --device, taken apart: auto | gpu[:N] | virtual[:PROFILE][xCOUNT].
#include <algorithm>
#include <charconv>
#include <numeric>
#include <optional>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "runtime_wrappers/api/runtime.h"
#include "runtime_wrappers/virtual_gpu/devices/profile.h"

namespace cudash::api {
namespace {

constexpr int most_virtual_devices = 16;

std::optional<int> number(std::string_view text) {
    int value = 0;
    const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (failed != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return value;
}

/// Single-character edits from one word to the other.
std::size_t edit_distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 0; i < a.size(); ++i) {
        std::size_t diagonal = std::exchange(row[0], i + 1);
        for (std::size_t j = 0; j < b.size(); ++j) {
            const std::size_t substituted = diagonal + (a[i] != b[j]);
            diagonal = row[j + 1];
            row[j + 1] = std::min({substituted, row[j] + 1, diagonal + 1});
        }
    }
    return row.back();
}

std::string closest(std::string_view word, const std::vector<std::string>& candidates) {
    std::string best;
    std::size_t least = 3;
    for (const std::string& candidate : candidates)
        if (const std::size_t distance = edit_distance(word, candidate); distance < least) {
            least = distance;
            best = candidate;
        }
    return best;
}

std::vector<std::string> accepted() {
    std::vector<std::string> names = {"auto", "gpu", "gpu:N", "virtual"};
    for (const auto& profile : virtual_gpu::profiles()) names.push_back(fmt::format("virtual:{}", profile.name));
    names.emplace_back("virtual:h200x2 (two of them; up to x16)");
    return names;
}

Diagnostic unknown(std::string code, std::string_view what, std::string_view text,
                   const std::vector<std::string>& candidates) {
    const std::string guess = closest(text, candidates);
    return error(
        std::move(code),
        fmt::format("unknown {} '{}'{}", what, text, guess.empty() ? "" : fmt::format("; did you mean '{}'?", guess)),
        fmt::format("accepted: {}", fmt::join(accepted(), ", ")));
}

/// The one profile whose name begins with `text`, of at least three letters; empty: there is none, or several.
std::string_view profile_of_beginning(std::string_view text) {
    std::string_view found;
    if (text.size() < 3) return found;
    for (const auto& profile : virtual_gpu::profiles()) {
        if (!std::string_view(profile.name).starts_with(text)) continue;
        if (!found.empty()) return {};
        found = profile.name;
    }
    return found;
}

Result<DeviceSelection> parse_virtual(std::string_view profile) {
    DeviceSelection selection;
    selection.backend = DeviceSelection::Backend::virtual_gpu;
    selection.profile = profile;
    if (virtual_gpu::find_profile(profile)) return selection;
    const auto times = profile.rfind('x');
    if (times != std::string_view::npos && virtual_gpu::find_profile(profile.substr(0, times))) {
        const auto count = number(profile.substr(times + 1));
        if (!count || *count < 1 || *count > most_virtual_devices)
            return error("device-count", fmt::format("expected a number of devices from 1 to {}, got '{}'",
                                                     most_virtual_devices, profile.substr(times + 1)));
        selection.profile = profile.substr(0, times);
        selection.count = *count;
        return selection;
    }
    std::vector<std::string> names;
    for (const auto& known : virtual_gpu::profiles()) names.emplace_back(known.name);
    return unknown("unknown-profile", "profile", profile, names);
}

}  // namespace

std::string describe_virtual(const DeviceSelection& selection) {
    const std::string_view name =
        selection.profile.empty() ? virtual_gpu::profiles().front().name : std::string_view(selection.profile);
    return selection.count == 1 ? fmt::format("virtual {}", name) : fmt::format("{} virtual {}", selection.count, name);
}

Result<DeviceSelection> parse_device(std::string_view text) {
    const auto colon = text.find(':');
    const std::string_view backend = text.substr(0, colon);
    const std::string_view rest = colon == std::string_view::npos ? std::string_view() : text.substr(colon + 1);
    const bool has_rest = colon != std::string_view::npos;
    DeviceSelection selection;
    if (text.empty() || (backend == "auto" && !has_rest)) return selection;
    if (backend == "gpu") {
        selection.backend = DeviceSelection::Backend::gpu;
        if (!has_rest) return selection;
        const auto index = number(rest);
        if (!index || *index < 0)
            return error("device-number", fmt::format("expected the number of a GPU, got '{}'", rest),
                         "gpu:0 is the first");
        selection.index = *index;
        return selection;
    }
    if (backend == "virtual") {
        selection.backend = DeviceSelection::Backend::virtual_gpu;
        return has_rest ? parse_virtual(rest) : Result<DeviceSelection>(selection);
    }
    // A profile's name by itself is what people type, or as much of it as tells it from others.
    if (!has_rest && virtual_gpu::find_profile(text)) return parse_virtual(text);
    if (const std::string_view profile = has_rest ? "" : profile_of_beginning(text); !profile.empty())
        return parse_virtual(profile);
    Diagnostic refused = unknown("unknown-device", "device", text, accepted());
    std::vector<std::string> profiles;
    for (const auto& profile : virtual_gpu::profiles()) profiles.emplace_back(profile.name);
    if (const std::string guess = closest(text, profiles); !guess.empty() && closest(text, accepted()).empty())
        refused.message += fmt::format("; did you mean '{}'?", guess);
    return refused;
}

}  // namespace cudash::api
