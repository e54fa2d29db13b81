// Bytes as text for the protocol (RFC 4648, section 4).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cudash::session {

namespace base64 {
inline constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
}

inline std::string to_base64(std::span<const std::byte> bytes) {
    std::string text;
    text.reserve((bytes.size() + 2) / 3 * 4);
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
        std::uint32_t group = 0;
        for (std::size_t k = 0; k < 3; ++k)
            group = group << 8 | (i + k < bytes.size() ? std::to_integer<std::uint32_t>(bytes[i + k]) : 0);
        for (std::size_t k = 0; k < 4; ++k)
            text += i + k > bytes.size() ? '=' : base64::digits[group >> (18 - 6 * k) & 63];
    }
    return text;
}

/// nullopt: this is not base64.
inline std::optional<std::vector<std::byte>> from_base64(std::string_view text) {
    if (text.size() % 4 != 0) return std::nullopt;
    std::size_t padding = 0;
    while (padding < 2 && text.ends_with('=')) {
        text.remove_suffix(1);
        ++padding;
    }
    static constexpr auto values = [] {
        struct {
            std::int8_t of[256];
        } table{};
        for (auto& value : table.of) value = -1;
        for (std::size_t i = 0; i < base64::digits.size(); ++i)
            table.of[static_cast<unsigned char>(base64::digits[i])] = static_cast<std::int8_t>(i);
        return table;
    }();
    std::vector<std::byte> bytes;
    bytes.reserve(text.size() * 3 / 4);
    std::uint32_t group = 0;
    unsigned bits = 0;
    for (const char c : text) {
        const int value = values.of[static_cast<unsigned char>(c)];
        if (value < 0) return std::nullopt;
        group = group << 6 | static_cast<std::uint32_t>(value);
        bits += 6;
        if (bits >= 8) {
            bits -= 8;
            bytes.push_back(static_cast<std::byte>(group >> bits & 0xff));
        }
    }
    return bytes;
}

}  // namespace cudash::session
