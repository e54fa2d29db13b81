// Messages of the protocol: a header with Content-Length, an empty line, and JSON of so many bytes.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace cudash::dap {

/// Takes bytes as they arrive and gives the JSON texts.
class MessageReader {
public:
    static constexpr std::size_t most_bytes = 16u << 20, most_header = 8u << 10;

    void append(std::string_view bytes) { bytes_ += bytes; }
    /// The next whole text. nullopt: more bytes are needed, or problem() says why there will be none.
    std::optional<std::string> next();
    /// Where the next message begins can't be told any more.
    const std::string& problem() const { return problem_; }

private:
    std::string bytes_, problem_;
};

std::string framed(std::string_view text);

/// False: nobody reads any more.
bool write_all(int descriptor, std::string_view text);

}  // namespace cudash::dap
