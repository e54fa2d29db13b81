// What may stand at the cursor of a text that is being typed: the values that cross the protocol.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace cudash::session {

/// Asks how `text`, a cell that ends at the cursor, can go on.
struct Complete {
    std::string text;
};

struct Candidate {
    /// The order in which candidates are told: what is likely meant comes first. `session` is also a value of the enum
    /// that is expected, `value` one of any other.
    enum class Rank : std::uint8_t { session, cuda, language, library, value };
    std::string text;  ///< the whole word
    std::string
        signature{};       ///< "cudaError_t cudaMalloc(void **devPtr, size_t size)"; of a variable, its type and name
    std::string help{};    ///< one sentence, from the comment of a header; often empty
    bool is_call = false;  ///< parentheses follow it
    bool has_parameters = false;
    Rank rank = Rank::session;
};

/// Begins the signature of a kernel.
inline constexpr std::string_view kernel_mark = "__global__ ";

struct Completions {
    std::uint64_t word = 0;             ///< bytes at the end of the text that a candidate takes the place of
    std::vector<Candidate> candidates;  ///< by rank and name; at most `most_candidates`
    bool more = false;                  ///< there are others
    /// At the start of an argument: the functions that may be called, the parameter in question marked as «int n».
    std::vector<Candidate> calls;
};

inline constexpr std::size_t most_candidates = 400;

}  // namespace cudash::session
