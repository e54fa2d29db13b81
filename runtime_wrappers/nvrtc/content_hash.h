// A 128-bit hash of content: two different requests never share a cache entry in practice.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <fmt/format.h>

#define XXH_INLINE_ALL  // so that programs need no library for it
#include <xxhash.h>

namespace cudash::nvrtc {

class ContentHash {
public:
    ContentHash() { XXH3_128bits_reset(&state_); }

    /// Adds a field: its length counts, so that ("a", "bc") and ("ab", "c") differ.
    ContentHash& add(std::string_view text) {
        add(std::uint64_t{text.size()});
        XXH3_128bits_update(&state_, text.data(), text.size());
        return *this;
    }
    ContentHash& add(std::uint64_t number) {
        XXH3_128bits_update(&state_, &number, sizeof number);
        return *this;
    }

    std::uint64_t low() const { return XXH3_128bits_digest(&state_).low64; }
    std::uint64_t high() const { return XXH3_128bits_digest(&state_).high64; }
    std::string text() const { return fmt::format("{:016x}{:016x}", high(), low()); }

private:
    XXH3_state_t state_;
};

}  // namespace cudash::nvrtc
