// Libraries whose statuses a program is to look at, as it is to look at the runtime's errors.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

namespace cudash::session {

constexpr std::array<std::string_view, 5> checked_libraries = {"cublas", "cufft", "curand", "cusolver", "cusparse"};

/// Of cublasSgemm or cudaMalloc, with `prefix` "cublas" and "cuda".
constexpr bool has_prefix(std::string_view name, std::string_view prefix) {
    return name.starts_with(prefix) && name.size() > prefix.size() && name[prefix.size()] >= 'A' &&
           name[prefix.size()] <= 'Z';
}

constexpr bool is_of_library(std::string_view name) {
    return std::ranges::any_of(checked_libraries, [&](std::string_view prefix) { return has_prefix(name, prefix); });
}

}  // namespace cudash::session
