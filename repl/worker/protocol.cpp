#include "repl/worker/protocol.h"

#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "repl/json.h"
#include "repl/worker/picture_json.h"

using nlohmann::json;

namespace nlohmann {

template <class T>
struct adl_serializer<std::optional<T>> {
    static void to_json(json& j, const std::optional<T>& value) {
        if (value) {
            j = *value;
        } else {
            j = nullptr;
        }
    }
    static void from_json(const json& j, std::optional<T>& value) {
        if (j.is_null()) {
            value.reset();
        } else {
            value = j.get<T>();
        }
    }
};

}  // namespace nlohmann

namespace cudash {

NLOHMANN_JSON_SERIALIZE_ENUM(Diagnostic::Severity, {{Diagnostic::Severity::error, "error"},
                                                    {Diagnostic::Severity::warning, "warning"},
                                                    {Diagnostic::Severity::note, "note"}})
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(SourceSpot, file, line, column)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Dim3, x, y, z)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ThreadSpot, kernel, block, thread)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Diagnostic::Note, message, where)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Diagnostic, severity, code, message, where, thread, notes, hint)

}  // namespace cudash

namespace cudash::session {

NLOHMANN_JSON_SERIALIZE_ENUM(Cell::Kind, {{Cell::Kind::code, "code"},
                                          {Cell::Kind::file, "file"},
                                          {Cell::Kind::run_main, "run_main"},
                                          {Cell::Kind::compile_device, "compile_device"},
                                          {Cell::Kind::inspect, "inspect"},
                                          {Cell::Kind::kernels, "kernels"},
                                          {Cell::Kind::device, "device"},
                                          {Cell::Kind::load, "load"},
                                          {Cell::Kind::debug, "debug"},
                                          {Cell::Kind::debug_command, "debug_command"},
                                          {Cell::Kind::debug_main, "debug_main"},
                                          {Cell::Kind::store, "store"}})
static void to_json(json& j, const Outcome::Status& status) {
    j = name_of(status);
}
static void from_json(const json& j, Outcome::Status& status) {
    const auto found = std::ranges::find(status_names, j.get<std::string>());
    status = found == status_names.end() ? Outcome::Status::lost
                                         : static_cast<Outcome::Status>(found - status_names.begin());
}
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Options, device, include_dirs, defines, standard, kernel_timeout_ms, check, profile,
                                   trace, launches, report_api_errors, tell_of_compiling, line_buffered,
                                   restore_after_sticky)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Cell, kind, name, text, arguments, quiet, more)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Value, type, text)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Table, columns, rows)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(TraceLine::Launch, kernel, grid, block, shared, nanoseconds, findings, failed)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(TraceLine, text, launch, call, result)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(MemoryRange, address, size, kind)
NLOHMANN_JSON_SERIALIZE_ENUM(Scalar::Kind, {{Scalar::Kind::opaque, "opaque"},
                                            {Scalar::Kind::signed_integer, "signed"},
                                            {Scalar::Kind::unsigned_integer, "unsigned"},
                                            {Scalar::Kind::floating, "float"},
                                            {Scalar::Kind::brain, "bfloat16"},
                                            {Scalar::Kind::boolean, "bool"},
                                            {Scalar::Kind::character, "char"},
                                            {Scalar::Kind::pointer, "pointer"}})
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Scalar, kind, bytes, offset, name)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Element, type, bytes, scalars)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Locate, expression, as)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Located, type, element, address, is_array, extent, stride, available, pitch, memory,
                                   origin)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Displayed, located, form, title)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ReadBytes, address, is_array, offset, bytes)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(DebugStop, why, function, where, block, thread, warp, lane, moment, lanes,
                                   with_source, kind, breakpoint)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(DebugLanes, expression, type, values, lanes, lane)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(DebugFrame, function, where, level, is_inlined, ptx_line)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(DebugPart, name, type, value, expression, parts, is_indexed)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(DebugThread, number, thread, warp, lane, state, where, in_focus)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(DebugDetails, breakpoint, breakpoint_at, frames, parts, threads, ptx, ptx_line)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(FoundInLaunch, cell, launch, code, where)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Outcome, status, exit_code, value, diagnostics, sound, seconds, table, memory, text,
                                   stop, lanes, taken_back, details, found, picture, report)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Complete, text)
NLOHMANN_JSON_SERIALIZE_ENUM(Candidate::Rank, {{Candidate::Rank::library, "library"},
                                               {Candidate::Rank::session, "session"},
                                               {Candidate::Rank::cuda, "cuda"},
                                               {Candidate::Rank::language, "language"},
                                               {Candidate::Rank::value, "value"}})
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Candidate, text, signature, help, is_call, has_parameters, rank)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Completions, word, candidates, more, calls)

// Their bytes go beside the JSON.
static void to_json(json& j, const WriteBytes& message) {
    j = {{"address", message.address}, {"is_array", message.is_array}, {"offset", message.offset}};
}
static void from_json(const json& j, WriteBytes& message) {
    message = {j.at("address"), j.at("is_array"), j.at("offset"), {}};
}
static void to_json(json& j, const MemoryBytes& message) {
    j = {{"in_window", message.in_window}, {"unwritten", message.unwritten}};
}
static void from_json(const json& j, MemoryBytes& message) {
    message.in_window = j.at("in_window");
    message.unwritten = j.at("unwritten").get<decltype(message.unwritten)>();
}
static void to_json(json& j, const Written&) {
    j = json::object();
}
static void from_json(const json&, Written&) {}

}  // namespace cudash::session

namespace cudash::worker {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Confinement, folder, memory_bytes, cpu_seconds, output_bytes, input, without)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Start, options, confinement)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Evaluate, cell)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Ready, device, layers)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Failed, diagnostic)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Finding, diagnostic)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ProgressReport, what, done, all)

static void to_json(json& j, const Seen&) {
    j = json::object();
}
static void from_json(const json&, Seen&) {}

namespace {

// The names of the alternatives, in their order.
constexpr std::array request_names = {"start", "evaluate", "seen", "query", "complete"};
constexpr std::array report_names = {"ready",  "failed",  "diagnostic",  "progress", "outcome",
                                     "answer", "message", "completions", "displayed"};
constexpr std::array query_names = {"locate", "read", "write"};
constexpr std::array answer_names = {"refused", "located", "bytes", "written"};
static_assert(query_names.size() == std::variant_size_v<session::Query>);
static_assert(answer_names.size() == std::variant_size_v<session::Answer>);
static_assert(request_names.size() == std::variant_size_v<Request>);
static_assert(report_names.size() == std::variant_size_v<Report>);

std::string frame(const json& message, std::string_view memory) {
    std::string body = json_text(message);
    if (!memory.empty()) (body += '\0') += memory;
    const auto size = static_cast<std::uint32_t>(body.size());
    std::string result;
    result.reserve(body.size() + 4);
    for (unsigned shift = 0; shift < 32; shift += 8) result += static_cast<char>(size >> shift & 0xff);
    return result += body;
}

std::string_view memory_of(const auto& message) {
    if constexpr (requires { message.bytes.data(); })
        return message.bytes;
    else
        return {};
}

template <class Variant, std::size_t N>
std::string encode_variant(const Variant& variant, const std::array<const char*, N>& names);

/// A query or an answer: a variant of its own, named by a second member.
template <class Message>
std::string encode_message(const Message& message, const char* name) {
    const auto frame_of = [&](const auto& inner, const char* what) {
        json j = inner;
        j["type"] = name;
        if (what) j["what"] = what;
        return frame(j, memory_of(inner));
    };
    if constexpr (std::is_same_v<Message, session::Query>)
        return std::visit([&](const auto& inner) { return frame_of(inner, query_names[message.index()]); }, message);
    else if constexpr (std::is_same_v<Message, session::Answer>)
        return std::visit([&](const auto& inner) { return frame_of(inner, answer_names[message.index()]); }, message);
    else
        return frame_of(message, nullptr);
}

template <class Variant, std::size_t N>
std::string encode_variant(const Variant& variant, const std::array<const char*, N>& names) {
    return std::visit([&](const auto& message) { return encode_message(message, names[variant.index()]); }, variant);
}

template <class Variant, std::size_t N, std::size_t I = 0>
std::optional<Variant> decode_variant(const json& j, const std::string& type, const std::array<const char*, N>& names,
                                      std::string_view memory) {
    if constexpr (I < N) {
        using Message = std::variant_alternative_t<I, Variant>;
        if (type != names[I]) return decode_variant<Variant, N, I + 1>(j, type, names, memory);
        if constexpr (std::is_same_v<Message, session::Query>) {
            return decode_variant<Message>(j, j.at("what").get<std::string>(), query_names, memory);
        } else if constexpr (std::is_same_v<Message, session::Answer>) {
            return decode_variant<Message>(j, j.at("what").get<std::string>(), answer_names, memory);
        } else {
            auto message = j.get<Message>();
            if constexpr (requires { message.bytes.data(); }) message.bytes = memory;
            return Variant(std::in_place_index<I>, std::move(message));
        }
    } else {
        return std::nullopt;
    }
}

/// Of a confined worker's messages.
constexpr std::size_t most_values = 100'000, most_depth = 64;

template <class Variant, std::size_t N>
std::optional<Variant> decode(std::string_view body, const std::array<const char*, N>& names) {
    try {
        const std::size_t end = body.find('\0');
        const json j = parse_json(body.substr(0, end));
        const std::string_view memory = end == std::string_view::npos ? std::string_view() : body.substr(end + 1);
        return decode_variant<Variant>(j, j.at("type").get<std::string>(), names, memory);
    } catch (const json::exception&) {
        return std::nullopt;
    }
}

}  // namespace

std::string encode(const Request& request) {
    return encode_variant(request, request_names);
}
std::string encode(const Report& report) {
    return encode_variant(report, report_names);
}
std::optional<Request> decode_request(std::string_view body) {
    return decode<Request>(body, request_names);
}
std::optional<Report> decode_report(std::string_view body, bool bounded) {
    if (bounded && !is_modest_json(body, most_values, most_depth)) return std::nullopt;
    return decode<Report>(body, report_names);
}

std::optional<std::string> FrameBuffer::next() {
    const std::size_t left = bytes_.size() - begin_;
    if (broken_ || left < 4) return std::nullopt;
    std::uint32_t size = 0;
    for (unsigned i = 0; i < 4; ++i) size |= std::uint32_t{static_cast<unsigned char>(bytes_[begin_ + i])} << (8 * i);
    if (size > limit_) {
        broken_ = true;
        return std::nullopt;
    }
    if (left - 4 < size) return std::nullopt;
    std::string body = bytes_.substr(begin_ + 4, size);
    begin_ += 4 + std::size_t{size};
    // Many small frames come at once: what is behind them moves seldom.
    if (begin_ > bytes_.size() / 2) {
        bytes_.erase(0, begin_);
        begin_ = 0;
    }
    return body;
}

bool write_all(int socket, std::string_view frame) {
    while (!frame.empty()) {
        const ssize_t written = send(socket, frame.data(), frame.size(), MSG_NOSIGNAL);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return false;
        frame.remove_prefix(static_cast<std::size_t>(written));
    }
    return true;
}

}  // namespace cudash::worker
