// A session's answers to the requests of the Jupyter protocol. What carries the messages is elsewhere (server.h).
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "repl/notebook/outputs.h"
#include "repl/notebook/publisher.h"
#include "repl/notebook/request_handler.h"
#include "repl/settings/settings.h"
#include "repl/shell/notebook.h"
#include "repl/shell/split_input.h"

namespace cudash::notebook {

class Kernel final : public RequestHandler {
public:
    Kernel(const worker::Settings& settings, const settings::Settings& values, Publisher& publisher);

    /// Begins the session's start, so that the first cell need not wait for all of it.
    void start();
    json execute(const ExecuteRequest& request) override;
    json complete(const std::string& code, int cursor) override;
    json inspect(const std::string& code, int cursor) override;
    json is_complete(const std::string& code) override;
    json info() const override;
    std::array<int, 2> output_descriptors() override { return notebook_.client().output_descriptors(); }
    void take_output() override;

private:
    void run(const std::string& code);
    /// Runs `pieces` from the one that begins an exercise to the one that has it checked, with what stands between them
    /// as the exercise's code. The number of those pieces; 0: they are none.
    std::size_t run_exercise(std::span<const shell::InputPiece> pieces);
    /// Lines for the debugger, as long as a launch stands there; what is left.
    std::string_view debug(std::string_view code);
    void run_command(const std::string& line);
    void evaluate(const std::string& text, bool more);
    json reply();
    json user_expressions(const json& expressions);
    void tell_of_loss();
    bool goes_on() const { return notebook_.code() == 0 && !asked_to_end_; }

    Outputs outputs_;
    shell::Notebook notebook_;
    std::string standard_;
    bool asked_to_end_ = false;  ///< :quit
    bool exited_ = false;        ///< the cell called exit()
    bool evaluates_ = false;     ///< a part of the cell that is code
    bool told_of_debugger_ = false;
};

}  // namespace cudash::notebook
