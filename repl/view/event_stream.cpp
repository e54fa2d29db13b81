#include "repl/view/event_stream.h"

#include <algorithm>

#include "repl/json.h"
#include "repl/view/diagnostic_json.h"

namespace cudash::view {
namespace {

using Json = nlohmann::ordered_json;

/// A line that is longer comes in pieces.
constexpr std::size_t longest_output = 64 << 10;

Json or_null(std::string_view text) {
    return text.empty() ? Json(nullptr) : Json(text);
}

/// At most `most` bytes from the front of `text`, and no part of a character at their end.
std::size_t whole_characters(std::string_view text, std::size_t most) {
    if (text.size() <= most) return text.size();
    std::size_t size = most;
    while (size > most - 4 && (static_cast<unsigned char>(text[size]) & 0xC0) == 0x80) --size;
    return size;
}

}  // namespace

template <class Event>
void EventStream::emit(const Event& event) {
    flush_output();
    write_(json_text(event) + "\n");
}

void EventStream::flush_output() {
    if (output_.empty()) return;
    const Json event{{"event", "output"}, {"text", output_}};
    output_.clear();
    write_(json_text(event) + "\n");
}

void EventStream::output(std::string_view text) {
    while (!text.empty()) {
        const std::size_t end = std::min(text.size(), text.find('\n') + 1);
        const std::size_t line = end == 0 ? text.size() : end;
        output_ += text.substr(0, line);
        text.remove_prefix(line);
        while (output_.size() > longest_output) {
            std::string rest = output_.substr(whole_characters(output_, longest_output));
            output_.resize(output_.size() - rest.size());
            flush_output();
            output_ = std::move(rest);
        }
        if (output_.ends_with('\n')) flush_output();
    }
}

void EventStream::session(std::string_view device) {
    emit(Json{{"event", "session"}, {"format", 1}, {"device", device}});
}

void EventStream::begin(std::string_view cell, std::string_view text) {
    emit(Json{{"event", "begin"}, {"cell", or_null(cell)}, {"text", text}});
}

void EventStream::end(std::string_view cell, std::string_view status, int code, double seconds) {
    Json event{{"event", "end"}, {"cell", or_null(cell)}, {"status", status}, {"code", code}};
    if (times_) event["seconds"] = seconds;
    emit(event);
}

void EventStream::exit(int code) {
    emit(Json{{"event", "exit"}, {"code", code}});
}

void EventStream::value(const session::Value& value) {
    emit(Json{{"event", "value"}, {"type", value.type}, {"text", value.text}});
}

void EventStream::finding(const Diagnostic& diagnostic) {
    flush_output();
    write_("{\"event\":\"finding\"," + print_json(diagnostic).substr(1));
}

void EventStream::table(const session::Table& table) {
    emit(Json{{"event", "table"}, {"columns", table.columns}, {"rows", table.rows}});
}

void EventStream::memory(const std::vector<session::MemoryRange>& ranges) {
    Json event{{"event", "memory"}, {"ranges", Json::array()}};
    for (const session::MemoryRange& range : ranges)
        event["ranges"].push_back({{"address", range.address}, {"bytes", range.size}, {"kind", range.kind}});
    emit(event);
}

void EventStream::text(std::string_view text) {
    if (!text.empty()) emit(Json{{"event", "text"}, {"text", text}});
}

void EventStream::message(std::string_view text) {
    if (!text.empty()) emit(Json{{"event", "message"}, {"text", text}});
}

void EventStream::told(const session::TraceLine& told) {
    if (const auto& launch = told.launch)
        emit(Json{{"event", "launch"},
                  {"kernel", launch->kernel},
                  {"grid", json_of(launch->grid)},
                  {"block", json_of(launch->block)},
                  {"shared", launch->shared},
                  {"nanoseconds", launch->nanoseconds},
                  {"findings", launch->findings},
                  {"failed", launch->failed}});
    else
        emit(Json{{"event", "call"}, {"text", told.call}, {"result", told.result}});
}

}  // namespace cudash::view
