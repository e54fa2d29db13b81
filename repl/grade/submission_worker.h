// A submission in a worker of its own: brought in, run cell by cell, and measured.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "repl/grade/check_runner.h"
#include "repl/grade/scratch_folder.h"
#include "repl/session/code_use.h"
#include "repl/worker/client.h"

namespace cudash::grade {

/// Times the time that a submission may take in all: the machine is too busy then.
inline constexpr int most_wall_clock = 10;

/// One worker with the setup and the submission in it, and what it has said so far.
class SubmissionWorker {
public:
    /// `left`: of the time of all of the submission's workers. `run`: of a whole program, which gets its input from it.
    SubmissionWorker(const Checks& checks, const Submission& submission, const RunSettings& settings,
                     std::chrono::nanoseconds& left, const Check::Program* run = nullptr);

    struct Step {
        session::Outcome outcome;
        std::string printed;               ///< with the value of the cell
        std::vector<Diagnostic> findings;  ///< of this step
        worker::Measured measured;         ///< how it ended, whatever it said
        bool ok() const { return outcome.status == session::Outcome::Status::ok; }
        bool timed_out() const { return measured.timed_out; }
        /// It was ended at a moment that is another one on each run.
        bool cut_short() const { return measured.timed_out || measured.exceeded; }
    };

    /// Starts its worker, and returns at once.
    void start();
    /// Brings setup and submission in. False: it ended there, with why in `load` or `broken`.
    bool begin(std::vector<Diagnostic>& broken);
    /// What the submission's text uses. Nothing of it runs, and nothing is brought in. nullopt: this can't be told.
    std::optional<session::CodeUses> read_uses(std::vector<Diagnostic>& broken);
    /// Puts a check's inputs in. False: the harness has no such array.
    bool put(const std::vector<Input>& inputs, unsigned run, std::string_view check, std::vector<Diagnostic>& broken);
    /// The bytes of a result, exactly as many as it has; nullopt with why in `broken` if that is the harness's fault.
    std::optional<Bytes> get(const ResultDemand& result, std::vector<Diagnostic>& broken);
    Step run(const session::Cell& cell);
    session::Outcome inspect(std::string request) {
        return client_.evaluate({session::Cell::Kind::inspect, "the checks", std::move(request), {}});
    }
    bool is_virtual() const { return client_.is_virtual(); }
    /// Ends the worker.
    std::uint64_t peak_memory();

    Step load;                         ///< of the submission
    std::vector<Diagnostic> findings;  ///< so far
    bool hidden = false;               ///< the last cell belongs to a check that the student does not see
    std::vector<std::string> notes;    ///< codes of what is legal but worth a remark; only replies ask for them
    std::vector<bool> in_hidden;       ///< for each finding: whether it appeared in such a cell
    bool interrupted = false;
    bool too_busy = false;  ///< the machine could not run the submission in time
    bool over = false;      ///< nothing more can run in this worker
    bool endless = false;
    bool harness_failed = false;  ///< the code that uses the submission does not fit it

private:
    std::string program_path() const { return folder_.path() + "/" + submission_.name; }
    bool is_ready(std::vector<Diagnostic>& broken);
    bool lay_out() const;
    bool is_held(std::vector<Diagnostic>& broken) const;
    bool own_code(session::Cell::Kind kind, const std::string& name, const std::string& text,
                  std::vector<Diagnostic>& broken);
    Step bring_in();
    bool fail(const session::Outcome& outcome, std::vector<Diagnostic>& broken);
    void note(Step& step, const Diagnostic& diagnostic);
    void note_end(const Step& step);
    void note_measured(const worker::Measured& measured);
    worker::Observer observer();

    const Checks& checks_;
    const Submission& submission_;
    const RunSettings& settings_;
    std::chrono::nanoseconds& left_;  ///< of the submission's time
    std::size_t told_ = 0;            ///< characters of findings so far
    ScratchFolder folder_;
    bool started_ = false;
    std::string no_folder_;  ///< why there is none
    Step* step_ = nullptr;
    worker::Client client_;
};

/// Why a step that should have run did not, as a sentence, and what the student can do.
std::string reason_of(const SubmissionWorker::Step& step, const Checks& checks);

}  // namespace cudash::grade
