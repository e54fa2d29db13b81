// Between the bytes of the locale's encoding and characters.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace cudash::shell {

/// Characters that the encoding lacks are left out.
std::string narrow(std::wstring_view text);

/// Bytes that are no character, and control characters but for line ends and tabs, are left out, and counted if
/// `left_out` is given.
std::wstring widen(std::string_view bytes, std::size_t* left_out = nullptr);

}  // namespace cudash::shell
