// The handler of a kernel's requests, as xeus calls it, and what it publishes, as xeus sends it.
#pragma once

#include <xeus/xinterpreter.hpp>

#include <memory>
#include <optional>
#include <string>

#include "repl/notebook/server.h"

namespace cudash::notebook {

class Interpreter final : public xeus::xinterpreter, public Publisher {
public:
    explicit Interpreter(const MakeHandler& make_handler);

    RequestHandler& handler() { return *handler_; }

    void stream(const std::string& name, const std::string& text) override;
    void display(json data) override;
    void display(json data, const std::string& identity, bool update) override;
    void result(int execution_count, json data) override;
    void error(const std::string& name, const std::string& value, const std::vector<std::string>& traceback) override;
    worker::Input ask() override;

private:
    void configure_impl() override {}
    nl::json execute_request_impl(int execution_count, const std::string& code, bool silent, bool store_history,
                                  nl::json user_expressions, bool allow_stdin) override;
    nl::json complete_request_impl(const std::string& code, int cursor) override;
    nl::json inspect_request_impl(const std::string& code, int cursor, int detail) override;
    nl::json is_complete_request_impl(const std::string& code) override;
    nl::json kernel_info_request_impl() override;
    void shutdown_request_impl() override {}

    std::unique_ptr<RequestHandler> handler_;
    std::optional<std::string> answer_;
};

}  // namespace cudash::notebook
