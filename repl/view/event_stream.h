// What a session does, as a stream of JSON objects, one a line, for programs that drive it: editors, notebooks.
// repl/README.md, "Events as JSON", has the members of each.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "repl/session/outcome.h"
#include "repl/session/trace_line.h"
#include "runtime_wrappers/diagnostic.h"

namespace cudash::view {

class EventStream {
public:
    /// `write` gets whole lines. With `times`, the ends of cells say how long they took; else the same input gives the
    /// same stream.
    EventStream(std::function<void(std::string_view)> write, bool times) : write_(std::move(write)), times_(times) {}

    void session(std::string_view device);
    /// A cell, or a command if `cell` is empty, begins. What comes until its end belongs to it.
    void begin(std::string_view cell, std::string_view text);
    void end(std::string_view cell, std::string_view status, int code, double seconds);
    void exit(int code);

    /// What the program prints, in pieces of any size: an event for each line, and for what stands before another
    /// event.
    void output(std::string_view text);
    void value(const session::Value& value);
    void finding(const Diagnostic& diagnostic);
    void table(const session::Table& table);
    void memory(const std::vector<session::MemoryRange>& ranges);
    /// What a command shows.
    void text(std::string_view text);
    /// What is said beside results.
    void message(std::string_view text);
    void told(const session::TraceLine& told);

private:
    template <class Json>
    void emit(const Json& event);
    void flush_output();

    std::function<void(std::string_view)> write_;
    bool times_ = false;
    std::string output_;  ///< the beginning of a line
};

}  // namespace cudash::view
