#include "repl/notebook/jupyter/interpreter.h"

#include <utility>

namespace cudash::notebook {

Interpreter::Interpreter(const MakeHandler& make_handler) : handler_(make_handler(*this)) {
    register_input_handler([this](const std::string& value) { answer_ = value; });
}

void Interpreter::stream(const std::string& name, const std::string& text) {
    publish_stream(name, text);
}

void Interpreter::display(json data) {
    display_data(std::move(data), json::object(), json::object());
}

void Interpreter::display(json data, const std::string& identity, bool update) {
    const json transient{{"display_id", identity}};
    if (update)
        update_display_data(std::move(data), json::object(), transient);
    else
        display_data(std::move(data), json::object(), transient);
}

void Interpreter::result(int execution_count, json data) {
    publish_execution_result(execution_count, std::move(data), json::object());
}

void Interpreter::error(const std::string& name, const std::string& value, const std::vector<std::string>& traceback) {
    publish_execution_error(name, value, traceback);
}

worker::Input Interpreter::ask() {
    answer_.reset();
    input_request("", false);
    if (!answer_) return {worker::Input::Kind::stopped, {}};
    return {worker::Input::Kind::text, *answer_};
}

nl::json Interpreter::execute_request_impl(int execution_count, const std::string& code, bool silent, bool,
                                           nl::json user_expressions, bool allow_stdin) {
    return handler_->execute({execution_count, code, silent, std::move(user_expressions), allow_stdin});
}

nl::json Interpreter::complete_request_impl(const std::string& code, int cursor) {
    return handler_->complete(code, cursor);
}

nl::json Interpreter::inspect_request_impl(const std::string& code, int cursor, int) {
    return handler_->inspect(code, cursor);
}

nl::json Interpreter::is_complete_request_impl(const std::string& code) {
    return handler_->is_complete(code);
}

nl::json Interpreter::kernel_info_request_impl() {
    return handler_->info();
}

}  // namespace cudash::notebook
