// A session without a compiler, for tests of the front end: it understands a few calls by their text.
#include <fmt/format.h>
#include <unistd.h>

#include <charconv>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#include "repl/session/base64.h"
#include "repl/session/session.h"

namespace cudash::session {
namespace {

volatile std::sig_atomic_t interrupted = 0;

class FakeSession final : public Session {
public:
    FakeSession(const Options& options, Listener listener) : options_(options), listener_(std::move(listener)) {
        struct sigaction action = {};
        action.sa_handler = [](int) { interrupted = 1; };
        sigaction(SIGINT, &action, nullptr);
    }

    std::string device_description() const override {
        std::string text = options_.device == "auto" ? "virtual:h200" : options_.device;
        if (const auto colon = text.find(':'); colon != std::string::npos) text[colon] = ' ';
        return text;
    }

    Outcome evaluate(const Cell& cell) override {
        interrupted = 0;
        outcome_ = {};
        cell_ = &cell;
        switch (cell.kind) {
            case Cell::Kind::file: {
                std::stringstream text;
                text << std::ifstream(cell.text).rdbuf();
                program_ += text.str();
                break;
            }
            case Cell::Kind::inspect:
                outcome_.text = cell.text + "\n";
                outcome_.table = Table{{"name", "value"}, {{"first", "1"}, {"second", "a longer one"}}};
                break;
            case Cell::Kind::compile_device:
                break;
            case Cell::Kind::run_main:
                run_main(cell);
                break;
            case Cell::Kind::load:  // all memory holds zeros
                outcome_.text = to_base64(std::vector<std::byte>(std::stoul(cell.arguments.at(0))));
                break;
            case Cell::Kind::store:
                break;
            case Cell::Kind::debug:
            case Cell::Kind::debug_command:
            case Cell::Kind::debug_main:
            case Cell::Kind::kernels:
            case Cell::Kind::device:
            case Cell::Kind::code: {
                std::istringstream lines(cell.text);
                unsigned number = 0;
                for (std::string line; std::getline(lines, line) && outcome_.status == Outcome::Status::ok;)
                    statement(line, ++number);
            }
        }
        return outcome_;
    }

    Completions complete(const Complete& request) override {
        Completions list;
        if (request.text.ends_with("ze")) {
            list.word = 2;
            list.candidates = {{"zebra", "int zebra", {}}, {"zeros", "int *zeros", {}}};
        }
        return list;
    }

    /// The expression "zeros" has 100 ints; there is nothing else.
    Answer answer(const Query& query, std::span<std::byte>) override {
        if (const auto* locate = std::get_if<Locate>(&query)) {
            if (locate->expression != "zeros") return error("bad-expression", "there is only 'zeros'");
            Located located;
            located.type = "int *";
            located.element = {"int", 4, {{Scalar::Kind::signed_integer, 4, 0, ""}}};
            located.address = 4096;
            located.extent = {100};
            located.stride = {4};
            located.available = 400;
            located.memory = "device memory";
            return located;
        }
        if (const auto* read = std::get_if<ReadBytes>(&query)) return MemoryBytes{std::string(read->bytes, '\0')};
        return Written{};
    }

private:
    void run_main(const Cell& cell) {
        outcome_.status = Outcome::Status::exited;
        if (main_has_run_) std::puts("main has run here before");
        main_has_run_ = true;
        for (const std::string& argument : cell.arguments) std::printf("argument %s\n", argument.c_str());
        if (const auto found = program_.find("return "); found != std::string::npos)
            outcome_.exit_code = std::atoi(program_.c_str() + found + 7);
    }

    void statement(const std::string& line, unsigned number) {
        const std::size_t open = line.find('('), end = line.rfind(')');
        const bool is_call = open != std::string::npos && end != std::string::npos && end > open;
        const std::string name =
            is_call ? line.substr(line.find_first_not_of(' '), open - line.find_first_not_of(' ')) : "";
        const std::string argument = is_call ? line.substr(open + 1, end - open - 1) : "";
        const int value = std::atoi(argument.c_str());
        if (name == "put") {
            std::fputs(argument.c_str(), stdout);
        } else if (name == "put_line") {
            std::puts(argument.c_str());
        } else if (name == "put_error") {
            std::fprintf(stderr, "%s\n", argument.c_str());
        } else if (name == "raise") {
            std::signal(value, SIG_DFL);
            raise(value);
        } else if (name == "exit") {
            outcome_.status = Outcome::Status::exited;
            outcome_.exit_code = value;
        } else if (name == "_exit") {
            _exit(value);
        } else if (name == "close_all") {
            for (int fd = 3; fd < 1024; ++fd) close(fd);
        } else if (name == "fork_and_leave") {
            if (fork() == 0) {
                sleep(static_cast<unsigned>(value));
                _exit(0);
            }
            _exit(7);
        } else if (name == "spin") {
            while (!interrupted) usleep(1000);
            outcome_.status = Outcome::Status::interrupted;
        } else if (name == "say_interrupted") {
            outcome_.status = Outcome::Status::interrupted;
        } else if (name == "hang") {
            while (true) usleep(1000);
        } else if (name == "finding") {
            std::printf("before");
            listener_.diagnostic(finding());
            std::printf("after\n");
        } else if (name == "unsound") {
            outcome_.status = Outcome::Status::faulted;
            outcome_.sound = false;
        } else if (name == "isatty") {
            show("int", std::to_string(isatty(value)));
        } else if (name == "read_line") {
            std::string text;
            std::getline(std::cin, text);
            std::printf("read %s\n", text.c_str());
        } else if (name == "options") {
            std::printf("%s %s %lu", options_.device.c_str(), options_.standard.c_str(),
                        static_cast<unsigned long>(options_.kernel_timeout_ms));
            for (const auto& folder : options_.include_dirs) std::printf(" I=%s", folder.c_str());
            for (const auto& define : options_.defines) std::printf(" D=%s", define.c_str());
            std::printf(" %d %d\n", options_.report_api_errors, options_.restore_after_sticky);
        } else if (const auto bad = line.find("undeclared"); bad != std::string::npos) {
            Diagnostic diagnostic = error("", "use of undeclared identifier 'undeclared'");
            diagnostic.where = {cell_->name, number, static_cast<unsigned>(bad + 1)};
            outcome_.status = Outcome::Status::compile_error;
            outcome_.diagnostics.push_back(diagnostic);
        } else if (int number_value = 0; std::from_chars(line.data(), line.data() + line.size(), number_value).ptr ==
                                             line.data() + line.size() &&
                                         !line.empty()) {
            show("int", line);
        }
    }

    void show(const std::string& type, const std::string& text) { outcome_.value = Value{type, text}; }

    Diagnostic finding() const {
        Diagnostic diagnostic =
            error("oob-write", "4-byte write, 0 bytes past a 4-byte allocation", "is the guard right?");
        diagnostic.where = {cell_->name, 1, 0};
        diagnostic.thread = ThreadSpot{"k", {0, 0, 0}, {1, 0, 0}};
        diagnostic.notes.push_back({"allocated here", {"cell 1", 1, 0}});
        return diagnostic;
    }

    Options options_;
    Listener listener_;
    Outcome outcome_;
    const Cell* cell_ = nullptr;
    std::string program_;
    bool main_has_run_ = false;
};

}  // namespace

void Session::prepare(const Options&) {}

Result<std::unique_ptr<Session>> Session::create(const Options& options, Listener listener) {
    if (options.device == "crash") raise(SIGSEGV);
    // "after:FILE" starts when the file is there.
    if (options.device.starts_with("after:"))
        while (access(options.device.c_str() + 6, F_OK) != 0) usleep(1000);
    if (options.device == "gpu") return error("no-gpu", "no usable GPU was found", "use --device virtual");
    if (options.device == "virtual:nonesuch")
        return error("unknown-profile", "there is no profile 'nonesuch'", "virtual:h200 is one");
    return std::unique_ptr<Session>(std::make_unique<FakeSession>(options, std::move(listener)));
}

}  // namespace cudash::session
