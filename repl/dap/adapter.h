// One debugging session of a client: its requests become the debugger's commands, and the debugger's answers responses
// and events.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "repl/dap/incoming.h"
#include "repl/json.h"
#include "repl/shell/notebook.h"

namespace cudash::dap {

using nlohmann::json;

class Adapter {
public:
    Adapter(worker::Settings settings, int in, int out);
    /// Until the client leaves.
    void run();

private:
    enum class State {
        created,      ///< nothing is known but the client
        initialized,  ///< its abilities were exchanged
        ready,        ///< the program is compiled and stands before main
        stopped,      ///< a launch stands
        ended
    };
    /// A response's body, or why there is none.
    using Reply = Result<json>;
    using Handler = Reply (Adapter::*)(const json& arguments);
    struct Row {
        std::string_view command;
        Handler handler;
        State first, last;  ///< of the states in which it can be answered
    };
    static std::span<const Row> table();

    void answer(const json& request);
    Reply reply(const json& request);
    void send(json message);
    void event(std::string_view name, json body = json::object());
    void output(std::string_view category, std::string_view text);
    view::Display display(std::string_view category_of_results);

    // adapter.cpp: from the beginning to the end
    Reply initialize(const json& arguments);
    Reply launch(const json& arguments);
    Reply attach(const json& arguments);
    Reply configuration_done(const json& arguments);
    Reply terminate(const json& arguments);
    Reply disconnect(const json& arguments);
    Reply nothing(const json& arguments);
    void end_program(const session::Outcome& outcome);
    std::optional<Diagnostic> take_settings(const json& arguments);

    // moves.cpp
    Reply go_on(const json& arguments);
    Reply next(const json& arguments);
    Reply step_in(const json& arguments);
    Reply step_out(const json& arguments);
    Reply step_back(const json& arguments);
    Reply reverse_continue(const json& arguments);
    Reply move(const json& arguments, std::string command);
    /// Gives the debugger a command that may run the program, and tells where that stops.
    void run_command(std::string command);
    void tell_stop(const session::Outcome& outcome, std::string_view command);
    void answer_waiting();

    // breakpoints.cpp
    Reply set_breakpoints(const json& arguments);
    Reply set_function_breakpoints(const json& arguments);
    Reply data_breakpoint_info(const json& arguments);
    Reply set_data_breakpoints(const json& arguments);
    struct Breakpoint {
        int id = 0;             ///< the client's
        std::string command;    ///< "break FILE:LINE if EXPR"
        std::string hits, log;  ///< of `hits N` and `log N`; empty: it has none
        unsigned line = 0;
        unsigned number = 0;  ///< the debugger's; 0: it has none
        json told;            ///< what the client knows of it
    };
    void set(Breakpoint& breakpoint);
    std::optional<std::string> refine(const Breakpoint& breakpoint);
    json set_all(const std::string& group, std::vector<Breakpoint> wanted);
    /// Those that were asked for before the program was compiled.
    void set_waiting();

    // looks.cpp
    Reply threads(const json& arguments);
    Reply stack_trace(const json& arguments);
    Reply scopes(const json& arguments);
    Reply variables(const json& arguments);
    Reply evaluate(const json& arguments);
    Reply exception_info(const json& arguments);
    Reply disassemble(const json& arguments);

    /// A thread of the block in focus, and one of its functions.
    struct Place {
        int thread = 0;  ///< the client's number
        unsigned level = 0;
    };
    struct Scope {
        enum class What { locals, shared, built_in, registers, parts };
        What what = What::locals;
        Place place;
        std::string expression{};
    };
    static json source_of(const SourceSpot& where);
    int reference_to(Scope scope);
    json shown(const session::DebugPart& part, const Place& place);
    std::optional<Diagnostic> focus(const Place& place);
    std::optional<Place> place_of_frame(const json& arguments) const;
    session::Outcome command(std::string_view line);
    bool is_live() const { return state_ == State::ready || state_ == State::stopped; }

    worker::Settings settings_;
    int out_;
    Incoming incoming_;
    std::unique_ptr<shell::Notebook> notebook_;
    State state_ = State::created;
    int sequence_ = 1, next_breakpoint_ = 1, line_base_ = 1;
    bool client_is_gone_ = false, leaves_ = false, stops_on_entry_ = false, without_debugging_ = false;
    std::string to_run_;                                     ///< when the response has been sent
    std::vector<std::pair<std::string, json>> then_;         ///< events that follow the response
    std::map<std::string, std::vector<Breakpoint>> breaks_;  ///< by source; functions and data have groups of their own
    std::vector<Place> frames_;
    std::vector<Scope> scopes_;
    std::optional<Diagnostic> finding_;
    int thread_ = 1;
};

}  // namespace cudash::dap
