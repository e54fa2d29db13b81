// SipHash-2-4 (Aumasson and Bernstein, "SipHash: a fast short-input PRF", 2012): whoever has not the key of 128 bits
// can tell none of its values from the others, however many he has seen. Hidden inputs and fingerprints are made of it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace cudash::grade {

struct Key {
    std::uint64_t low = 0, high = 0;
};

std::uint64_t keyed_hash(const Key& key, std::string_view text);
/// A key of its own for each text; it tells nothing of `key`.
Key derived(const Key& key, std::string_view text);
/// As 32 hexadecimal digits.
std::string text_of(const Key& key);
/// nullopt: these are not 32 hexadecimal digits.
std::optional<Key> key_of(std::string_view digits);
/// A new one, of the system's random numbers.
Key random_key();

}  // namespace cudash::grade
