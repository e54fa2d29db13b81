// The messages between the front end and the worker, and their framing: a length (4 bytes, little endian), then that
// many bytes: JSON and, where the message carries memory, a zero byte and the memory's bytes. repl/README.md lists
// them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "repl/session/completion.h"
#include "repl/session/memory/query.h"
#include "repl/session/outcome.h"
#include "repl/session/trace_line.h"
#include "repl/worker/sandbox.h"

namespace cudash::worker {

// Front end to worker.
struct Start {
    session::Options options;
    std::optional<Confinement> confinement{};
};
struct Evaluate {
    session::Cell cell;
};
/// The finding was shown; the worker goes on. It keeps the order of findings and the program's own output.
struct Seen {};
/// Asks about the session's memory; answered by session::Answer.
using session::Query;
/// Asks how an unfinished cell can go on; answered by session::Completions.
using session::Complete;
using Request = std::variant<Start, Evaluate, Seen, Query, Complete>;

// Worker to front end.
struct Ready {
    std::string device;
    std::vector<std::string> layers{};  ///< of its sandbox, those that hold
};
struct Failed {
    Diagnostic diagnostic;
};
struct Finding {
    Diagnostic diagnostic;
};
/// A line of a trace; the worker waits for `seen`.
using session::TraceLine;
struct ProgressReport {
    std::string what;
    std::uint64_t done = 0, all = 0;
};
/// Read by queries, which the worker answers until it is `seen`.
using session::Answer;
using session::Completions;
using session::Displayed;
using Report =
    std::variant<Ready, Failed, Finding, ProgressReport, session::Outcome, Answer, TraceLine, Completions, Displayed>;

/// A message as a frame.
std::string encode(const Request& request);
std::string encode(const Report& report);
/// The message in a frame's body; nullopt if it is none.
std::optional<Request> decode_request(std::string_view body);
/// `bounded`: of a confined worker, whose JSON may not be built of more values than a message needs.
std::optional<Report> decode_report(std::string_view body, bool bounded = false);

/// Takes bytes as they arrive and gives frames' bodies.
class FrameBuffer {
public:
    static constexpr std::size_t max_body = 64u << 20;

    void append(std::string_view bytes) { bytes_ += bytes; }
    /// The next whole body. nullopt: more bytes are needed, or is_broken().
    std::optional<std::string> next();
    /// The most bytes that a body may have from now on.
    void set_limit(std::size_t most) { limit_ = most; }
    /// A length beyond the limit was announced: the other side does not speak the protocol.
    bool is_broken() const { return broken_; }

private:
    std::string bytes_;
    std::size_t begin_ = 0;  ///< of what was not taken yet
    std::size_t limit_ = max_body;
    bool broken_ = false;
};

/// Writes all of `frame` to a socket, waiting for the other side to read; false if it is gone. The worker's way: the
/// front end waits for no worker.
bool write_all(int socket, std::string_view frame);

}  // namespace cudash::worker
