// The debugger as a person talks to it: commands in, replies out, while a launch stands still.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <variant>
#include <vector>

#include "repl/session/debug/code_lines.h"
#include "repl/session/debug/evaluator.h"
#include "repl/session/debug/warp_condition.h"
#include "repl/session/outcome.h"

namespace cudash::session::debug {

class DebugSession {
public:
    struct Setup {
        /// Gives the reply to the front end and waits for the next command; nullopt: nobody is there any more.
        std::function<std::optional<std::string>(const Outcome&)> ask;
        /// The debug information of the unit, and its PTX, when the launch stops first.
        std::function<std::shared_ptr<const std::string>()> ptx;
        std::function<DebugInfo(std::string_view)> read;
        std::function<void()> forget_interrupt;
        /// Of all launches of a program, before the first of which breakpoints can be set; not of one launch.
        bool is_program = false;
        /// Whether Ctrl-C came while no launch ran; asked once for each.
        std::function<bool()> was_interrupted{};
        bool seeks_finding = false;  ///< the launch is opened at the finding that the engine looks for
    };
    explicit DebugSession(Setup setup) : setup_(std::move(setup)), seeks_(setup_.seeks_finding) {}

    /// For virtual_gpu::Debugger.
    virtual_gpu::Go converse(virtual_gpu::Debugger& debugger, const virtual_gpu::Stopped& stopped);
    bool breaks(const virtual_gpu::Arrival& arrival);
    bool may_break(const virtual_gpu::Arrival& arrival, virtual_gpu::Stops::Look& look);
    const virtual_gpu::ConditionReads& read_by_conditions();
    /// Those in the function that the launch has stopped in, as far as no thread's values are needed for that.
    void compile_conditions(const virtual_gpu::Stopped& stopped);

    // program.cpp
    /// Takes commands before a program begins, until one of them starts it.
    void before_program();
    /// The launch is over; what is to hold in later ones is kept.
    void launch_ends();
    unsigned launches() const { return launches_; }
    bool was_quiet() const { return stops_ == 0; }
    std::size_t breakpoints() const { return breakpoints_.size(); }

    /// Of a program: the launches that come are looked at by the checkers until they find something.
    bool seeks_finding() const { return seeks_; }
    bool was_abandoned() const { return abandoned_; }
    /// What breakpoints noted since the last stop.
    std::string take_log();

private:
    /// A command moves the launch, or is answered.
    using Answer = std::variant<virtual_gpu::Go, Outcome>;
    using Handler = Answer (DebugSession::*)(std::string_view argument);
    struct Row {
        std::string_view names;  ///< with spaces between; the first is the full one
        std::string_view argument, help;
        Handler handler;
        bool before_launch = false;  ///< it needs none
    };
    static std::span<const Row> table();

    /// At which of its hits a breakpoint stops. A hit is a warp that comes there.
    struct HitRule {
        enum class How : std::uint8_t { from, only, each } how = How::from;
        std::uint64_t count = 1;

        bool holds(std::uint64_t hit) const;
    };
    struct Breakpoint {
        unsigned number = 0;
        std::string text;
        std::vector<std::uint32_t> sites;
        std::optional<Expression> condition{};
        std::unordered_map<std::uint32_t, std::optional<WarpCondition>> compiled{};  ///< by site
        std::optional<std::uint64_t> block{};
        std::optional<std::uint32_t> thread{}, warp{};
        std::uint64_t hits = 0;  ///< stops, and texts that it noted
        std::optional<HitRule> rule{};
        std::vector<std::uint64_t> counted{};  ///< with a rule: moments of its hits, sorted
        std::string log{};                     ///< noted instead of a stop
        SourceSpot where{};
        std::string function{};  ///< at whose beginning it is; empty: at a line
        std::size_t places = 1;  ///< where such functions begin, those that were inlined with them
    };
    /// The active lanes that it asks about, its condition apart.
    static std::uint32_t lanes_asked_about(const Breakpoint& breakpoint, const virtual_gpu::Warp& warp);
    /// The active lanes for which it holds.
    std::uint32_t lanes_that_break(Breakpoint& breakpoint, const virtual_gpu::Arrival& arrival);
    /// Of those in `mask`: the lanes for which its condition holds.
    std::uint32_t lanes_that_hold(Breakpoint& breakpoint, const virtual_gpu::Arrival& arrival, std::uint32_t mask);
    struct Watch {
        unsigned number = 0;
        std::string text;
        TypeId type = no_type;
    };

    Answer answer(std::string_view line);
    // moves.cpp
    Answer step(std::string_view argument);
    Answer next(std::string_view argument);
    Answer step_instruction(std::string_view argument);
    Answer finish(std::string_view argument);
    Answer until(std::string_view argument);
    Answer go_on(std::string_view argument);
    Answer reverse_step(std::string_view argument);
    Answer reverse_next(std::string_view argument);
    Answer reverse_instruction(std::string_view argument);
    Answer reverse_continue(std::string_view argument);
    Answer go_to(std::string_view argument);
    Answer abort(std::string_view argument);
    // last.cpp
    Answer other(std::string_view argument);
    /// On the way to the finding: what comes next; nullopt: the launch stands where a person wants it.
    std::optional<virtual_gpu::Go> seek(const virtual_gpu::Stopped& stopped);
    std::string why_at_finding() const;
    /// Both parties of the finding make their access in the instruction that the launch stands at.
    bool in_same_instruction() const;
    /// Of the thread that the finding names, where it is in the warp that stands there.
    std::optional<unsigned> finding_lane() const;
    Answer backward(virtual_gpu::Go go) const;
    Answer counted(virtual_gpu::Go go, std::string_view argument);
    virtual_gpu::WarpLane focused_warp() const { return {block_, warp_, lane_}; }
    /// Of the warp in focus.
    std::function<bool(const virtual_gpu::Arrival&)> of_warp(
        std::function<bool(const virtual_gpu::Arrival&)> wanted) const;
    // program.cpp
    Answer next_launch(std::string_view argument);
    Answer next_finding(std::string_view argument);
    Outcome end_program();
    void read_unit();
    /// Where code is, in any kernel of the program.
    std::optional<Diagnostic> place_in_program(std::string_view file, unsigned line, Breakpoint& made,
                                               std::string& note) const;
    std::optional<Diagnostic> place_at_function(std::string_view name, Breakpoint& made) const;
    /// The stops of this launch that it is at.
    std::vector<std::uint32_t> sites_of(const Breakpoint& breakpoint) const;
    void begin_launch();
    std::string launch_text() const;
    // hits.cpp
    /// By its rule.
    bool counts(Breakpoint& breakpoint, const virtual_gpu::Arrival& arrival) const;
    void note(Breakpoint& breakpoint, const virtual_gpu::Arrival& arrival, std::uint32_t lanes);
    /// Takes its number off the argument.
    Breakpoint* breakpoint_of(std::string_view& argument);
    Answer ignore(std::string_view argument);
    Answer hits(std::string_view argument);
    Answer log(std::string_view argument);
    // breaks.cpp
    Answer set_break(std::string_view argument);
    Answer delete_break(std::string_view argument);
    Answer info(std::string_view argument);
    Answer watch(std::string_view argument);
    Answer watch_nan();
    Answer who(std::string_view argument);
    Answer history(std::string_view argument);
    void forget_question() { asked_.reset(), asked_nan_ = false; }
    Answer who_made_nan(std::string_view argument);
    std::string made_nan(const virtual_gpu::Touch& birth) const;
    /// `note`: where it was moved to.
    Result<Breakpoint> breakpoint(std::string_view text, std::string& note) const;
    std::optional<Diagnostic> place_breakpoint(std::string_view place, Breakpoint& made, std::string& note) const;
    std::optional<Diagnostic> check_condition(const Breakpoint& made) const;
    void mark_sites();
    struct Target {
        virtual_gpu::Watched bytes;
        TypeId type = no_type;
        std::string text;
    };
    Result<Target> target(std::string_view expression) const;
    std::string text_of(const Target& target, const std::vector<std::byte>& bytes) const;
    std::string told(const virtual_gpu::Touch& touch, const Target& target) const;
    Outcome told_history() const;
    // looks.cpp
    Answer where(std::string_view argument);
    Answer focus(std::string_view argument);
    Answer threads(std::string_view argument);
    Answer locals(std::string_view argument);
    Answer print(std::string_view argument);
    Answer lanes(std::string_view argument);
    Answer show(std::string_view argument);
    Answer ptx(std::string_view argument);
    // parts.cpp
    Answer members(std::string_view argument);
    std::vector<DebugThread> threads_of_block() const;
    DebugPart part(const Evaluator& evaluator, std::string name, std::string expression, const DebugValue& value) const;
    Answer when(std::string_view argument);
    Answer help(std::string_view argument);

    /// The stop, in the focus' eyes.
    Outcome stop_reply(std::string why) const;
    std::string why_stopped(const virtual_gpu::Stopped& stopped);
    void name_kind(const virtual_gpu::Stopped& stopped, DebugStop& stop) const;
    void focus_on(const virtual_gpu::Stopped& stopped);
    void choose_lane(const virtual_gpu::Stopped& stopped);
    const virtual_gpu::Block* block_in_focus() const;
    const virtual_gpu::Warp* warp_in_focus() const;
    std::string lane_letters(const virtual_gpu::Warp& warp) const;
    /// The thread in focus; an error if it is nowhere.
    Result<ThreadAt> thread() const { return thread_of(lane_, level_); }
    Result<ThreadAt> thread_of(unsigned lane, unsigned level) const;
    Result<ThreadAt> innermost(unsigned lane) const;
    // calls.cpp
    Answer backtrace(std::string_view argument);
    Answer up(std::string_view argument);
    Answer down(std::string_view argument);
    Answer frame(std::string_view argument);
    /// A function that a thread is in: called, or put in its caller's place by the compiler.
    struct Call {
        ThreadAt at;
        std::string function;
        SourceSpot where;
        unsigned depth = 0;  ///< calls outwards that are none of the compiler's
        unsigned ptx_line = 0;
        bool is_inlined = false, is_toolkit = false;
    };
    /// Innermost first, from where the thread stands.
    std::vector<Call> calls_from(ThreadAt at) const;
    std::vector<Call> calls_of(unsigned lane) const;
    using Wanted = std::function<bool(const virtual_gpu::Arrival&)>;
    /// The inlined function that the focus is in; nullptr: in none.
    const DebugScope* inlined_in_focus() const;
    /// Of an arrival: it is in no function that the one in focus calls.
    Wanted in_no_inner_call() const;
    /// The function in focus has returned; empty: it is the kernel.
    Wanted behind_this_call() const;
    /// The stops at which a function begins, in all the places that it was inlined in.
    std::vector<std::uint32_t> sites_of_function(std::string_view name) const;
    /// The line of the program that it belongs to.
    SourceSpot spot(const virtual_gpu::Code& code, const virtual_gpu::Instruction* instruction) const;
    SourceSpot spot(const virtual_gpu::Touch& touch) const { return spot(*touch.code, touch.instruction); }
    /// Looks from the function of the program that the lane in focus is in, not from one of the toolkit that it calls.
    void look_from_program();
    std::string file_name(unsigned file) const;
    std::string function_name(const virtual_gpu::Code& code) const;
    std::string thread_text(std::uint64_t block, std::uint32_t warp, unsigned lane) const;

    Setup setup_;
    virtual_gpu::Debugger* debugger_ = nullptr;
    std::unique_ptr<DebugUnit> unit_;
    std::shared_ptr<const std::string> ptx_;
    std::vector<Breakpoint> breakpoints_;
    virtual_gpu::ConditionReads reads_;
    bool conditions_changed_ = true;       ///< what they read is to be found again
    std::vector<Watch> watches_;           ///< as Debugger::watches
    std::optional<unsigned> watches_nan_;  ///< the number of this watchpoint
    unsigned next_number_ = 1;
    std::uint64_t block_ = 0;  ///< in focus: its number
    std::uint32_t warp_ = 0, lane_ = 0, level_ = 0;
    std::uint64_t repeat_ = 0;  ///< moves that are still to be made
    virtual_gpu::Go repeated_;
    std::optional<Target> asked_;  ///< of `who` and `history`
    bool asked_nan_ = false;       ///< the last search was for one
    std::string log_;
    std::uint64_t noted_ = 0;  ///< texts in it, and those that it has no room for
    std::optional<Diagnostic> condition_failed_;
    bool seeks_ = false;  ///< from the next launch on
    /// On the way to a finding.
    enum class Seek : std::uint8_t { none, finding, other, back };
    Seek seek_ = Seek::none;
    std::optional<virtual_gpu::Touch> other_access_;  ///< of the finding's other party
    std::optional<unsigned> lane_wanted_;             ///< in focus where the launch arrives
    bool abandoned_ = false, told_of_lost_ = false, told_finding_ = false;
    // Of a program.
    std::vector<CodeLine> lines_;
    std::vector<virtual_gpu::Watched> watched_;  ///< of watches_, between two launches
    unsigned launches_ = 0, stops_ = 0;
    bool stops_at_launch_ = false;
};

Outcome text_reply(std::string text);
/// "waits at a barrier"
std::string_view name_of(virtual_gpu::LaneState state);

}  // namespace cudash::session::debug
