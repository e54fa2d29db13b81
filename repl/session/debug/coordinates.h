// "(3,0)", "(1, 2, 3)" or "37", as a person names a block or a thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "runtime_wrappers/diagnostic.h"

namespace cudash::session::debug {

struct Coordinates {
    std::optional<std::uint64_t> linear{};  ///< one number: x comes first
    Dim3 at{0, 0, 0};
};

/// `used`: characters of the text that were read.
std::optional<Coordinates> read_coordinates(std::string_view text, std::size_t& used);
/// The number among those of a grid or block of this shape; nullopt: outside.
std::optional<std::uint64_t> linear_of(const Coordinates& given, const Dim3& shape);

}  // namespace cudash::session::debug
