// The front end's side of the worker: starts it, gives it cells, and survives its death at any point.
#pragma once

#include <sys/types.h>

#include <array>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "repl/session/outcome.h"
#include "repl/worker/input_pipe.h"
#include "repl/worker/process_usage.h"
#include "repl/worker/protocol.h"
#include "repl/worker/shared_window.h"
#include "repl/worker/spawn.h"
#include "repl/worker/unique_fd.h"
#include "runtime_wrappers/result.h"

namespace cudash::worker {

struct Settings {
    session::Options options;
    /// For one cell; 0: none. Of a confined worker it is processor time, so that a busy machine does not decide who is
    /// stopped; a cell that waits instead is stopped after four times as long.
    std::chrono::milliseconds timeout{0};
    /// Of a confined worker's cell, however busy the machine is: the distant safety net. 0: none.
    std::chrono::milliseconds wall_clock{0};
    bool no_input = false;              ///< the worker's stdin is empty, not ours
    std::string stopped_by = "Ctrl-C";  ///< what messages call that with which the user stops a cell
    /// The program to run as `PROGRAM --worker FD`; empty: this one.
    std::string program;
    /// Set for code of strangers: what the worker may use, and nothing else. Its stdin is `confinement->input`.
    std::optional<Confinement> confinement{};
    /// Instead of a worker that interprets code: this program, whose cells are its run and questions about it.
    std::optional<NativeProgram> native{};
    std::string report{};  ///< file that gets the profile at the end; empty: none
};

/// Reads memory of the worker's.
using ReadMemory = std::function<session::Answer(const session::ReadBytes&)>;

/// What the client reports while a cell runs.
struct Observer {
    std::function<void(const Diagnostic&)> diagnostic;
    std::function<void(const ProgressReport&)> progress;
    /// If set, the worker's stdout and stderr come here, in order with the diagnostics, instead of being inherited.
    std::function<void(std::string_view)> output;
    /// Beside `output`: what comes on stderr. Without it, `output` has both.
    std::function<void(std::string_view)> errors{};
    /// Beside `output`: the worker's stdin is a pipe, and where a cell waits for more of it, this is asked.
    std::function<Input()> input{};
    /// Called some 50 times in a second while a cell runs.
    std::function<void()> tick{};
    std::function<void(const TraceLine&)> told{};  ///< a line of a trace
    /// An array that the program shows; `read` is good until this returns.
    std::function<void(const Displayed&, const ReadMemory& read)> displayed{};
};

/// How the last conversation with a worker ended: what the front end saw itself, and nothing that the worker said.
struct Measured {
    bool interrupted = false;            ///< Ctrl-C came to the front end
    bool timed_out = false;              ///< the cell was stopped at its timeout
    std::optional<Diagnostic> exceeded;  ///< the limit at which a confined worker was ended
    std::chrono::nanoseconds spent{0};   ///< of a confined worker: processor time, and time in which it slept
};

class Client {
public:
    enum class State { stopped, starting, ready, failed };

    Client(Settings settings, Observer observer);
    ~Client();
    Client(const Client&) = delete;
    Client& operator=(const Client&) = delete;

    /// Starts the worker if it is stopped, and returns at once.
    void start();
    /// Waits until the worker is ready. The error says why it is not.
    Result<std::string> wait_ready();
    /// Becomes readable when a starting worker has something to say; -1: none.
    int descriptor() const { return socket_.get(); }
    /// Takes in what a starting worker has said, without waiting.
    void poll_ready();
    /// Of the worker's sandbox, those layers that hold.
    const std::vector<std::string>& layers() const { return layers_; }
    /// The most memory that workers of this client had resident, in bytes, as far as they have ended.
    std::uint64_t peak_memory() const { return peak_memory_; }
    const Measured& measured() const { return measured_; }
    /// What a confined worker's next cell may spend at most, whatever its timeout says: what is left to its submission.
    void set_budget(std::chrono::nanoseconds most) { budget_ = most; }
    State state() const { return state_; }
    /// Why, in state `failed`.
    const Diagnostic& failure() const { return failure_; }
    /// "virtual h200" once ready, or "2 virtual h200".
    const std::string& device() const { return device_; }
    bool is_virtual() const { return device_.find("virtual ") != std::string::npos; }

    /// Evaluates a cell, waiting for the worker to get ready first. A worker that is gone gives an outcome of status
    /// `lost` with a diagnostic; the next start() makes a new one.
    session::Outcome evaluate(const session::Cell& cell);
    /// Asks about the session's memory; `name` is the command's, for messages.
    session::Answer query(const session::Query& query, std::string_view name);
    /// How a cell that is being typed can go on; nothing where there is no worker to ask.
    session::Completions complete(const session::Complete& request);
    /// Ends the worker: asks it to, then kills it.
    void stop();
    /// Where what the program writes between cells can be waited for (-1: nowhere), and what is taken in then.
    std::array<int, 2> output_descriptors() const { return {output_.get(), errors_.get()}; }
    void take_output() { drain_output(); }

    const Settings& settings() const { return settings_; }
    /// For the next worker.
    void set_device(std::string device) { settings_.options.device = std::move(device); }
    void set_check(std::string check) { settings_.options.check = std::move(check); }
    void set_profile(bool on) { settings_.options.profile = on; }
    void set_trace(bool on) { settings_.options.trace = on; }
    void set_launches(bool on) { settings_.options.launches = on; }
    /// For the next cell, and for the kernels of the next worker.
    void set_timeout(std::chrono::milliseconds limit) {
        settings_.timeout = limit;
        settings_.options.kernel_timeout_ms = static_cast<std::uint64_t>(limit.count());
    }

private:
    using Clock = std::chrono::steady_clock;
    struct Wake;          // client_wake.h
    struct Conversation;  // client_wake.h
    /// Of looks at a confined worker's memory and processor time.
    static constexpr std::chrono::milliseconds watch_interval{10};

    bool is_over(const std::optional<Clock::time_point>& deadline);
    Wake wait(const std::optional<Clock::time_point>& deadline, int interrupt_fd);
    bool take_reports(int most_pieces = 4);
    void post(std::string frame);
    void flush();
    void drain_output();
    void drain(UniqueFd& from, const std::function<void(std::string_view)>& into);
    void watch();
    void exceed(std::string_view code, std::string message);
    void spawn();
    void signal(int number) const;
    void end();
    void acknowledge();
    /// Sends a request and serves the worker until its outcome or answer.
    Report converse(const Request& request, const std::string& name);
    bool take_report(Conversation& talk, Report& report, int interrupt_fd);
    void take_interrupt(Conversation& talk, bool from_terminal);
    void ask_for_input(Conversation& talk);
    void expire(Conversation& talk);
    session::Outcome outcome_of_end(const Conversation& talk);
    session::Answer read_displayed(const session::ReadBytes& request, const std::optional<Clock::time_point>& limit,
                                   int interrupt_fd);
    void show_displayed(const Displayed& displayed, const std::optional<Clock::time_point>& limit, int interrupt_fd);
    session::Answer take_answer(session::Answer answer) const;
    session::Outcome lost(const std::string& name);
    session::Outcome ended_program(const std::string& name);
    std::string describe_end(std::string_view when) const;
    int reap();

    Settings settings_;
    Observer observer_;
    State state_ = State::stopped;
    std::string device_;
    Diagnostic failure_;

    UniqueFd socket_, process_, output_, errors_;
    std::unique_ptr<InputPipe> input_;  ///< the worker's stdin, where it is fed
    SharedWindow window_;               ///< for the bytes of the worker's memory
    pid_t pid_ = -1;
    int status_ = 0;  ///< of the worker that ended last, as waitpid gives it
    FrameBuffer frames_;
    std::vector<std::string> layers_;
    std::uint64_t peak_memory_ = 0;
    std::uint64_t cell_output_ = 0, cell_reports_ = 0;  ///< bytes that came since the cell began
    std::string unsent_;                                ///< what the worker has not taken yet
    std::optional<Diagnostic> exceeded_;                ///< the limit for which a confined worker was ended
    Measured measured_;                                 ///< of the last conversation
    unsigned late_answers_ = 0;                         ///< nobody waits for them any more
    ProcessUsage usage_;                                ///< of a confined worker, since the conversation began
    std::chrono::nanoseconds budget_ = std::chrono::nanoseconds::max();
};

}  // namespace cudash::worker
