// A warp: 32 lanes whose registers lie side by side, and the fragments of diverged lanes that run in turn.
#pragma once

#include <bit>
#include <cstdint>
#include <deque>
#include <vector>

#include "runtime_wrappers/virtual_gpu/exec/affine_value.h"
#include "runtime_wrappers/virtual_gpu/exec/execution_counts.h"
#include "runtime_wrappers/virtual_gpu/exec/executor.h"
#include "runtime_wrappers/virtual_gpu/exec/observer.h"
#include "runtime_wrappers/virtual_gpu/isa/instruction.h"

namespace cudash::virtual_gpu {

struct Block;
enum class CompiledExit : std::uint32_t;
struct CompiledState;
struct SavedWarp;
struct Worker;

inline constexpr unsigned warp_size = 32;
inline constexpr std::uint32_t full_mask = ~0u;
/// Backward branches after which others get a turn.
inline constexpr std::int32_t working_slice = 4096;
inline constexpr std::uint32_t most_warps = 32;  ///< of a block

/// One activation of a function by some lanes of a warp.
struct Frame {
    const Code* code = nullptr;
    std::byte* registers = nullptr;
    std::uint32_t local_base = 0;  ///< its first byte of each thread's local memory
    std::uint32_t stack_base = 0;  ///< bytes of cudaLimitStackSize that its callers take
    std::uint32_t users = 0;       ///< lanes inside it or in what it called
    std::uint32_t depth = 0;
    const Instruction* call = nullptr;  ///< in the caller
    Frame* caller = nullptr;
    std::vector<std::uint32_t> stack_tops;   ///< of a function with alloca: the lanes' stack_top when they entered
    const Instruction* last_stop = nullptr;  ///< in debug code: that some lanes of it passed
};

/// A place where the lanes of a divergent branch wait for each other: its immediate post-dominator.
struct Join {
    const Instruction* at = nullptr;  ///< nullptr: where the function returns
    Frame* frame = nullptr;
    std::uint32_t expected = 0, arrived = 0;
    Join* parent = nullptr;
    bool in_use = false;
};

enum class Wait : std::uint8_t { none, barrier, warp_sync };

/// A warp that reads a clock again and again waits for a time. Its clock goes faster then, so that a long wait has not
/// to be gone through instruction by instruction.
struct ClockWait {
    std::uint64_t ahead = 0;  ///< cycles beside those that instructions took
    const Instruction* read = nullptr;
    std::uint64_t began = 0, last = 0;  ///< what the clock showed at the first and the newest of these reads
};

/// Lanes that run together.
struct Fragment {
    const Instruction* pc = nullptr;
    std::uint32_t mask = 0;
    Frame* frame = nullptr;
    Join* join = nullptr;
    Wait wait = Wait::none;
    std::uint8_t barrier = 0;  ///< while wait == barrier
    std::uint32_t lanes = 0;   ///< while wait == warp_sync: lanes it waits for
};

/// Why a handler returned nullptr.
enum class Stop : std::uint8_t { slice, turn, arrived, exited, waits, fault, left_lockstep };

class Warp {
public:
    // The running fragment; handlers use these directly.
    std::byte* registers = nullptr;
    std::uint32_t mask = 0;
    std::int32_t slice = 0;  ///< backward branches left before others get a turn
    std::uint32_t local_base = 0;
    Frame* frame = nullptr;
    Join* join = nullptr;
    std::uint32_t segment = 0;  ///< instructions with this ordinal and later ones are not counted yet

    // The warp.
    Block* block = nullptr;
    Worker* worker = nullptr;
    Observer* observer = nullptr;       ///< nullptr: nobody looks at this block
    ExecutionCounts* counts = nullptr;  ///< nullptr: nobody asks how often each instruction was executed
    std::byte* local = nullptr;         ///< lane l's local memory begins at local + l * local_stride
    std::uint64_t local_stride = 0;
    std::uint32_t local_size = 0;  ///< bytes that each thread may use
    /// By lane: alloca takes memory from here downwards, frames grow towards it. Empty in programs without alloca.
    std::vector<std::uint32_t> stack_top;
    std::byte* kernel_registers = nullptr;
    std::uint32_t index = 0;               ///< in the block
    std::uint32_t live = 0;                ///< lanes that have not exited
    std::uint32_t carry = 0;               ///< CC.CF, by lane
    std::uint32_t at_cluster_barrier = 0;  ///< lanes that have arrived at barrier.cluster, which is not complete
    std::uint64_t warp_instructions = 0, thread_instructions = 0;
    bool wrote = false;              ///< since the slice began: changed memory
    bool watched = false;            ///< a store of what is there already does not count as a change
    bool polled = false;             ///< since the slice began: looked at memory that others may change
    bool looped = false;             ///< since the last barrier of the block
    std::uint64_t stopped_at = 0;    ///< in debug code: the moment of its last stop
    const Frame* stepped = nullptr;  ///< in debug code: that passed a stop of the program last
    std::uint32_t local_used = 0;    ///< bytes of a thread's local memory that its frames have had so far
    ClockWait clock;
    alignas(64) std::uint32_t tid[3][warp_size];
    Affine affine_tid[3];
    bool affine_threads = false;  ///< affine_tid holds what tid does
    bool steady_done = false;     ///< the steady registers hold what they do in this launch

    Stop stop = Stop::exited;
    const Instruction* resume = nullptr;
    std::vector<Fragment> fragments;

    /// How a kernel's instructions are gone through. `lockstep`: with all other warps of the block; `plain`: as
    /// compiled code knows them; `taken_over`: the same, by a warp whose registers compiled code has written already.
    enum class Way : std::uint8_t { alone, lockstep, plain, taken_over };
    /// Puts `lanes` at the kernel's first instruction.
    void start(const Code& kernel, std::uint32_t lanes, Way way);
    /// The same in lockstep, of a warp that was in lockstep from its start to its end; a part of start().
    void start_again(const Code& kernel, std::uint32_t lanes, bool clears = true);
    /// Goes on alone: `active` lanes at `at`, the others at `rejoin`.
    void go_alone(const Instruction* at, std::uint32_t active, const Instruction* rejoin);
    /// Runs until no fragment can go on, a slice ends or something faults.
    void run();
    // The same in parts, of a warp that is one fragment and runs as machine code (compiled_turns.cpp).
    void begin_turn();
    void enter_whole() { enter(0); }
    /// The warp is as compiled code left it, in a turn that began at `at`.
    void take_over(const CompiledState& state, const Instruction* at);
    /// Compiled code, entered at `at`, came back.
    void go_on_behind(CompiledExit how, const Instruction* at);
    /// The same in the middle of a slice: the running fragment goes on at `pc`.
    void go_on(const Instruction* pc);
    /// All that it is, memory of the block and of the device apart (exec/saved_state.h).
    SavedWarp saved() const;
    void restore(const SavedWarp& from);
    bool done() const { return live == 0; }
    bool runnable() const { return fragments.size() == 1 ? fragments.front().wait == Wait::none : any_runnable(); }
    /// Lets the lanes that wait at joins go on alone; false if none wait. Threads of CC >= 7 make independent progress.
    bool release_joins();

    /// Lanes that wait for others at joins, as fragments that stand there.
    std::vector<Fragment> waiting_at_joins() const;

    // For handlers.
    /// One lane's value of a call's argument or result.
    std::byte* lane_bytes(const Frame& owner, const ValuePlace& place, unsigned lane) const;
    /// Instructions up to, and not with, that of ordinal `end` were executed since the segment began.
    void count_until(std::uint32_t end) {
        const std::uint64_t executed = end - segment;
        const auto threads = static_cast<unsigned>(std::popcount(mask));
        warp_instructions += executed;
        thread_instructions += executed * threads;
        if (counts) [[unlikely]]
            counts->segment(*frame->code, segment, end, 1, threads);
    }
    void count_to(const Instruction* last) { count_until(last->ordinal + 1); }
    const Instruction* yield(const Instruction* next) {
        resume = next;
        stop = Stop::slice;
        return nullptr;
    }
    /// As count_to, for a fragment that stops before `next`.
    void count_before(const Instruction* next) {
        count_until(next->counted_from);
        segment = next->counted_from;
    }
    /// Splits the fragment: `taken` go to `target`, the others to the instruction after `branch`. The smaller part goes
    /// first, of equal ones that which does not branch: so an H200 does (tests/hardware/combinations/orders.cu).
    const Instruction* diverge(const Instruction* branch, std::uint32_t taken, const Instruction* target,
                               const Instruction* rejoin);
    /// The running fragment's lanes are the next ones to go on.
    void go_on_first();
    /// The same as often as compiled code did it, which stands in `state`; `first`: the kernel's first instruction.
    void part(const CompiledState& state, const Instruction* first);
    /// Splits the fragment into several; `parts` are disjoint and not empty.
    struct Part {
        const Instruction* pc;
        std::uint32_t mask;
    };
    const Instruction* split(std::vector<Part> parts, const Instruction* rejoin);
    /// The fragment is where its joins are (nullptr: at its function's return). False if it has to wait for others.
    bool arrive(const Instruction* at);
    const Instruction* exit_lanes(const Instruction* at, std::uint32_t lanes);
    const Instruction* call(const Instruction* at, const Code& callee, const CallSite& site);
    const Instruction* return_from_call(const Instruction* at);
    const Instruction* wait_at_barrier(const Instruction* at, unsigned barrier);
    /// barrier.cluster.wait, of lanes that have arrived before.
    const Instruction* wait_for_cluster(const Instruction* at);
    /// A collective that names `lanes`: the mask to execute it for, or 0 if the fragment has to wait. `anywhere`: lanes
    /// that wait at other instructions of the same kind count too (bar.warp.sync).
    std::uint32_t gather_lanes(const Instruction* at, std::uint32_t lanes, bool anywhere);
    /// Lanes name different members of a collective (`named`, by lane): those whose members are all there stay. The
    /// others become fragments of their own, one for each mask; where none is complete, the first of those stays.
    void keep_complete(const Instruction* at, const std::uint32_t* named);
    void wake_collective_waiters();
    /// Goes on with plain instructions, from the one that `at` is the affine form of.
    const Instruction* leave_affine(const Instruction* at);

private:
    bool any_runnable() const;
    /// Goes on from `pc` until the fragment can't.
    void run_from(const Instruction* pc);
    /// The next fragment that can go on becomes the running one; false: there is none.
    bool enter_next();
    /// What follows where the running fragment can't go on. False: the warp's turn is over.
    bool turn_goes_on();
    /// Whether a call of `callee` keeps to the limit, which counts frames and what alloca gave.
    bool has_stack_for(const Code& callee) const;
    void copy_values(const Frame& to, const std::vector<ValuePlace>& targets, const Frame& from,
                     const std::vector<ValuePlace>& sources);
    Join* new_join(const Instruction* at, std::uint32_t expected);
    Frame* new_frame(const Code& code, const Instruction* call_site);
    void release_frame(Frame* frame, std::uint32_t lanes);
    void enter(std::size_t fragment);
    void save(const Instruction* pc);
    void forget_current();

    std::size_t current_ = 0;
    std::int32_t slice_began_ = 0;
    std::deque<Join> joins_;
    std::vector<Join*> free_joins_;
    std::deque<Frame> frames_;
    std::vector<Frame*> free_frames_;
};

}  // namespace cudash::virtual_gpu
