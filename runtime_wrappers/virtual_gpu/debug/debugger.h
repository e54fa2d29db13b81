// A launch run under a debugger, forwards and backwards. Moments are counted in instructions of the deterministic
// schedule. Going back means: memory as it was at a checkpoint, and the launch from there again.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <unordered_map>
#include <vector>

#include "runtime_wrappers/virtual_gpu/check/findings.h"
#include "runtime_wrappers/virtual_gpu/debug/places.h"
#include "runtime_wrappers/virtual_gpu/debug/undo_log.h"
#include "runtime_wrappers/virtual_gpu/exec/observer.h"
#include "runtime_wrappers/virtual_gpu/exec/stops.h"

namespace cudash::virtual_gpu {

/// A stop of the program, as written code sees it.
struct StopSite {
    const Code* code = nullptr;
    const Instruction* stop = nullptr;
    ptx::Location where;
    bool prologue = false;      ///< parameters are not there yet, or a function of the toolkit
    bool begins_line = false;   ///< the instruction before it in the text is of another line
    bool begins_round = false;  ///< a loop goes back to here
    std::uint32_t run = 0;      ///< the site at which the instructions of this line begin in the text
};

/// Of one function, which may be there for several kernels: its stops in order.
void add_stop_sites(const Launch& launch, const Code& code, std::vector<StopSite>& sites);

/// A warp at a stop, while the launch runs.
struct Arrival {
    Warp& warp;
    const StopSite& site;
    std::uint32_t number = 0;  ///< of the site
    std::uint64_t moment = 0;
    std::uint32_t depth = 0;     ///< calls
    bool new_line = false;       ///< the warp was on another line, or in another function
    bool new_line_here = false;  ///< and was so before the calls that this function made
    bool new_round = false;      ///< of a loop all of which stands on this line, or whose line this is
};

/// Bytes that somebody watches.
struct Watched {
    ptx::Space space = ptx::Space::global;
    std::uint64_t address = 0, bytes = 0;
    std::uint64_t block = 0;           ///< of shared memory
    std::uint32_t warp = 0, lane = 0;  ///< of local memory
};

/// The space that a generic address is in, and its place there.
Watched spot_of(std::uint64_t address);

/// An access to watched bytes.
struct Touch {
    std::size_t watched = 0;  ///< its index
    std::uint64_t moment = 0;
    AccessKind kind = AccessKind::load;
    std::uint64_t block = 0;
    std::uint32_t warp = 0, lanes = 0;
    /// Of the toolkit's functions the call in the program.
    const Code* code = nullptr;
    const Instruction* instruction = nullptr;
    std::vector<std::byte> before, after;  ///< of the watched bytes
};

/// One thread, by its warp.
struct WarpLane {
    std::uint64_t block = 0;
    std::uint32_t warp = 0, lane = 0;
};

/// A finding of the checkers in this launch.
struct FoundHere {
    std::uint64_t moment = 0;  ///< of the instruction that it was made at
    Diagnostic diagnostic;
    std::optional<OtherAccess> other{};
};

/// What an earlier run of the launch had found, as optimized code: where it stands in the source. Without a code:
/// whatever is found first.
struct SoughtFinding {
    std::string code, file;
    unsigned line = 0;
};

/// What the conditions of breakpoints look at, as far as may_break does (Debugger::Setup).
struct ConditionReads {
    std::optional<std::vector<FrameRegister>> registers;  ///< nullopt: any
    bool memory = false;                                  ///< that other threads can write
};

/// What the launch does next.
struct Go {
    enum class How : std::uint8_t {
        forward,   ///< until `wanted`, a breakpoint, a watched write
        backward,  ///< to the last moment before this one at which forward would have stopped
        moment,    ///< to `moment`, whichever way
        collect,   ///< nowhere: writes of `watched` so far are collected
        leave,     ///< to the end, and out
        abandon    ///< as if it had not been launched
    };
    How how = How::forward;
    std::function<bool(const Arrival&)> wanted{};  ///< asked at every stop; empty: nowhere
    bool breakpoints = true;
    /// Of backward: accesses of this kind alone count, to `watched`. A load: all that reads; a store: all that writes.
    std::optional<AccessKind> touches{};
    Watched watched{};
    std::optional<WarpLane> by{};  ///< accesses of this thread alone
    /// Of backward: to an instruction that makes a NaN of inputs that are none. first: of the launch.
    enum class Births : std::uint8_t { none, last, first } births = Births::none;
    /// The warp that `wanted` is asked about: backward ends where its block begins, forward where its block has ended.
    std::optional<WarpLane> warp{};
    std::uint64_t moment = 0;
    bool stop_at_end = false;  ///< the end of the launch is told before it is left
};

struct Stopped {
    enum class Why : std::uint8_t {
        begun,
        wanted,
        breakpoint,
        watchpoint,
        moment,
        touched,    ///< before the access that a backward search looked for
        born,       ///< before the instruction that makes a NaN
        collected,  ///< where it stood
        beginning,  ///< a backward search found nothing
        fault,
        finding,  ///< before the access that a finding was made at
        interrupt,
        block_over,  ///< the block of the warp that was asked about has ended
        end
    };
    Why why = Why::begun;
    std::uint64_t moment = 0;
    Warp* warp = nullptr;  ///< nullptr: at the end
    const Instruction* stop = nullptr;
    std::uint32_t site = 0;
    std::optional<Touch> touch{};
    const Diagnostic* fault = nullptr;
};

class Debugger final : public Stops, public Observer, public FindingWatch {
public:
    /// Shows where the launch stands, and says how it goes on.
    using Converse = std::function<Go(Debugger&, const Stopped&)>;
    struct Setup {
        Converse converse;
        /// Whether a breakpoint holds of a warp at a marked site.
        std::function<bool(const Arrival&)> breaks{};
        /// Whether one may hold of a warp in code without stops, which says no more than where it is. Registers must be
        /// brought before they are read. Empty: one may hold at every marked site.
        std::function<bool(const Arrival&, Look&)> may_break{};
        std::function<const ConditionReads&()> read_by_conditions{};  ///< empty: registers, any
        std::function<void()> over{};                         ///< the launch has ended, and goes nowhere any more
        std::uint64_t most_bytes = std::uint64_t{256} << 20;  ///< for checkpoints
        /// Moments from one checkpoint in a block to the next, at least: half of what going back runs again.
        std::uint64_t checkpoint_interval = 1 << 16;
        /// A big state is copied more rarely, or that would take most of the time.
        std::uint64_t bytes_per_moment = 16;
        /// A block that takes longer than so many moments runs with stops, so that it has checkpoints in its middle.
        std::uint64_t most_unstopped = std::uint64_t{1} << 24;
        /// Checkers look at the launch until they find this, and the launch goes back to that moment.
        std::optional<SoughtFinding> sought{};
    };
    explicit Debugger(Setup setup) : setup_(std::move(setup)) {}

    const Launch& launch() const { return *launch_; }
    /// One debugger is for one launch.
    bool has_begun() const { return log_.has_value(); }
    const std::vector<StopSite>& sites() const { return sites_; }
    std::uint32_t site_of(const Instruction* stop) const { return stop->extra; }
    /// Blocks that have begun and not ended, by number.
    const std::vector<Block*>& blocks() const { return blocks_; }
    const Stopped& stopped() const { return stopped_; }
    Standing standing() const { return {stopped_.warp, stopped_.stop}; }
    std::vector<Watched> watches;  ///< written bytes stop the launch
    bool watches_births = false;   ///< an instruction that makes a NaN of inputs that are none stops the launch
    /// The first moment at which a thread has its parameters.
    std::uint64_t first_moment() const { return first_moment_; }
    /// Why it can't go back; nullptr: it can.
    const char* why_not_back() const;
    std::uint64_t checkpoint_bytes() const { return log_ ? log_->bytes() : 0; }
    std::size_t checkpoints() const { return log_ ? log_->count() : 0; }
    bool goes_forward() const { return mode_ == Mode::forward; }
    bool seeks_finding() const { return setup_.sought.has_value(); }
    /// Who looks for it, from the launch's beginning.
    void check_with(Observer& checker) { checker_ = &checker; }
    /// The finding that Stopped::Why::finding stands at; nullptr: there was none.
    const FoundHere* finding() const { return finding_ ? &*finding_ : nullptr; }
    /// Of the last Go::How::collect, in their order.
    const std::vector<Touch>& collected() const { return collected_; }
    /// nullptr: there are none.
    const std::byte* memory_of(const Watched& what) const;
    /// The bytes as they are now; empty if there are none.
    std::vector<std::byte> read(const Watched& what) const;

    // Stops.
    void launch_begins(const Launch& launch) override;
    void unit_begins(std::uint64_t unit, const Executed& so_far) override;
    void block_begins(Block& block) override;
    void block_ends(Block& block) override;
    bool arrives(Warp& warp, const Instruction* stop) override;
    void faults(Block& block) override;
    std::optional<Restart> restart() override;
    bool is_abandoned() const override { return abandoned_; }
    const Program* unstopped(std::uint64_t number) override;
    bool goes_on_unstopped(std::uint64_t moments) override;
    void unstopped_ends(bool good, std::uint64_t moments) override;
    bool passes(Warp& warp, std::uint32_t stop, Look& look) override;
    /// Blocks that ran to their end without stops.
    std::uint64_t unstopped_blocks() const { return unstopped_blocks_; }

    // Observer: what is written, and what a checker is told of (checked.cpp).
    std::vector<Diagnostic> launch_ends() override;
    bool wants_block(std::uint64_t) override { return true; }
    void block_begins(std::uint64_t block, std::uint32_t warps, std::uint32_t shared_bytes) override;
    void block_ends(std::uint64_t block, bool detached) override;
    void access(const AccessRecord& record) override;
    void block_access(const BlockAccessRecord& record) override;
    ExecutionCounts* execution_counts() override { return is_unstopped_ ? &counts_ : nullptr; }
    void arrives(const PlaceRecord& record, unsigned barrier, bool waits) override;
    void barrier_completes(std::uint64_t block, unsigned barrier) override;
    void all_pass_barrier(std::uint64_t block) override;
    void cluster_passes(std::uint64_t block) override;
    void collective(const CollectiveRecord& record) override;
    void shuffle_from_outside(const ShuffleRecord& record) override;
    void fence(const PlaceRecord& record) override;
    void async_copy(const PlaceRecord& record, AsyncCopy what, std::uint64_t pending) override;
    void heap_memory_begins(std::uint64_t block, std::uint64_t address, std::uint64_t bytes) override;

    // FindingWatch.
    void found(const Diagnostic& finding, const OtherAccess* other) override;

private:
    enum class Mode : std::uint8_t { forward, search, collect, to_moment };
    void read_sites(const Launch& launch);
    Arrival arrival(Warp& warp, const Instruction* stop) const;
    /// In the middle of a block, if the last one is far away.
    void add_checkpoint(const Warp& warp, const Instruction* stop);
    std::optional<Stopped::Why> match(const Arrival& arrival) const;
    /// Asks what to do. False: the launch does not go on from here.
    bool converse(Stopped stopped);
    bool begin();
    std::optional<Restart> next_unit();
    /// The finding has been made: back to it.
    void go_to_finding();
    bool finds() const { return finding_ && checker_; }
    bool found_exactly() const { return exact_ && checker_; }
    void rewind(std::uint64_t moment, Mode mode, std::uint64_t limit);
    /// A part of the launch was run again up to where a search ends.
    void end_search();
    /// Searches from this checkpoint to the moment `end`, or in a part before it: what can't hold what is looked for is
    /// left out.
    void search_part(std::size_t from, std::uint64_t end);
    /// Nothing before it is searched.
    bool is_first_part(std::size_t from);
    bool may_match(std::size_t part) const;
    void end_without_match();
    bool runs_to_limit() const { return mode_ != Mode::forward; }
    void ask_again();
    /// Of the stop before the instruction that the warp executes: others may have run in between.
    std::uint64_t moment_of(std::uint64_t block, std::uint32_t warp) const;
    // births.cpp
    /// What an instruction computes, if it is arithmetic on floating point.
    struct Arithmetic {
        std::uint32_t bytes = 0;  ///< of the result; 0: it is none
        std::uint32_t to = 0;     ///< registers of the frame
        std::uint32_t input_bytes = 0;
        std::vector<std::uint32_t> from;
    };
    /// An instruction that a warp is about to execute.
    struct Birth {
        const Warp* warp = nullptr;
        std::uint64_t moment = 0;
        const std::byte* result = nullptr;
        std::uint32_t bytes = 0;
        std::uint32_t lanes = 0;  ///< whose inputs are no NaN
    };
    static Arithmetic arithmetic_of(const StopSite& site);
    void look_for_births(const Warp& warp, const Instruction* stop);
    /// It has been executed: did it make a NaN?
    void end_birth(const Warp& warp);
    void end_births();
    bool searches_births() const { return mode_ == Mode::search && go_.births != Go::Births::none; }
    bool heeds_births() const { return watches_births && heeds_breakpoints() && go_.how != Go::How::leave; }
    /// Every stop of this move is looked at.
    bool looks_everywhere() const;
    /// Back to before the instruction that has just made a NaN. False: the launch can't go back.
    bool goes_back_to_birth();
    /// For the way back, and for searches.
    void note_write(const AccessRecord& record);
    bool note_write_of_halves(const AccessRecord& record);
    void note_block_write(const BlockAccessRecord& record);
    void note_write(ptx::Space space, std::uint64_t address, std::uint64_t bytes);
    std::uint32_t lanes_that_touch(const AccessRecord& record, const Watched& watched) const;
    void note_touches(const AccessRecord& record, const Watched& watched, std::size_t index);
    // unstopped.cpp
    /// Somebody wants to be asked at every stop.
    bool wants_stops() const;
    /// Breakpoints and watchpoints count in this move.
    bool heeds_breakpoints() const;
    const Program* unstopped_code();
    StopChecks wanted_checks() const;
    const ConditionReads& condition_reads() const;
    /// Conditions read the registers that these checks were made for.
    bool reads_as(const StopChecks& checks) const;
    /// Watched memory that an access of this kind concerns in this move.
    std::span<const Watched> concerned_by(AccessKind kind) const;
    void clear_for_conditions(Block& block) const;
    /// The sites that warps came to since the last checkpoint.
    void note_sites();
    void finish_touches();
    void take(Touch touch);

    Setup setup_;
    const Launch* launch_ = nullptr;
    std::vector<StopSite> sites_;
    std::optional<UndoLog> log_;
    std::vector<Block*> blocks_;
    Stopped stopped_;
    Go go_;
    Mode mode_ = Mode::forward;
    std::uint64_t first_moment_ = 0;
    std::uint64_t limit_ = 0;                         ///< where a search, a collection or a way to a moment ends
    std::uint64_t search_end_ = 0;                    ///< where who searches stands
    std::size_t search_from_ = 0;                     ///< the checkpoint that the search began at
    Stopped::Why arrive_why_ = Stopped::Why::moment;  ///< at limit_
    struct Found {
        std::uint64_t moment = 0;
        Stopped::Why why = Stopped::Why::wanted;
        std::optional<Touch> touch{};
    };
    std::optional<Found> found_;   ///< the last match of a search so far
    bool block_over_ = false;      ///< of go_.warp
    Observer* checker_ = nullptr;  ///< until the finding is made
    std::optional<FoundHere> finding_;
    bool exact_ = false;  ///< it is the one that was sought, and none like it
    static constexpr std::uint64_t not_yet = ~std::uint64_t{0};
    std::vector<std::uint64_t> began_;  ///< moments, by block
    void note_beginning(std::uint64_t block);
    Executed before_unit_;
    void add_checkpoint_of_unit();
    std::optional<Touch> arrived_with_, reported_;
    std::vector<Touch> open_;  ///< whose bytes are read when the access is made
    std::vector<Touch> collected_;
    std::unordered_map<std::uint32_t, Arithmetic> arithmetic_;  ///< by site
    std::vector<Birth> births_;
    std::optional<Touch> born_;              ///< on the way forward
    std::optional<std::size_t> rewinds_to_;  ///< checkpoint
    Diagnostic fault_;
    /// Code without stops, with checks where breakpoints are.
    struct Unstopped {
        StopChecks checks;
        std::shared_ptr<const Program> program;
    };
    std::deque<Unstopped> unstopped_codes_;
    ExecutionCounts counts_;
    const Unstopped* unstopped_code_ = nullptr;  ///< of this move, once it is known
    bool is_unstopped_ = false;                  ///< the block that runs
    bool concerned_ = false;                     ///< something happened in it that somebody may want to stop at
    bool with_stops_ = false;                    ///< a block has run so since the last checkpoint
    std::set<std::uint64_t> needs_stops_;        ///< blocks that turned out to, in this move
    unsigned in_a_row_ = 0;                      ///< blocks that did
    std::uint64_t patience_ = 0;                 ///< so many blocks run with stops before the next try
    std::uint64_t unstopped_blocks_ = 0;
    std::uint64_t interrupt_at_ = 0;     ///< where Ctrl-C came in a block without stops
    std::uint64_t resumes_at_ = 0;       ///< nothing stops before this moment: the launch has been there
    std::uint64_t unit_ = 0;             ///< that runs
    std::uint64_t next_checkpoint_ = 0;  ///< in the middle of a block: not before this moment
    bool all_ = true;                    ///< every stop is asked
    bool begun_ = false, faulted_ = false, abandoned_ = false;
};

}  // namespace cudash::virtual_gpu
