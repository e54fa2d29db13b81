// A launch that is being debugged. Debug code has a stop before each written instruction (Code::debug), which counts
// moments and asks whoever debugs the launch where that is wanted. Other launches have no stops, and pay nothing.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "runtime_wrappers/virtual_gpu/isa/instruction.h"
#include "runtime_wrappers/virtual_gpu/isa/stop_checks.h"

namespace cudash::virtual_gpu {

struct Block;
struct Launch;
struct SavedTurns;

/// What blocks that have ended have executed.
struct Executed {
    std::uint64_t warp_instructions = 0, thread_instructions = 0;
};

class Stops {
public:
    virtual ~Stops() = default;

    /// Written instructions that warps have begun, in the launch's order, which is the same each time.
    std::uint64_t moment = 0;
    /// From this moment on arrives() is asked at each stop.
    std::uint64_t ask_at = 0;
    /// By stop (Instruction::extra).
    enum Mark : std::uint8_t {
        asked = 1,    ///< arrives() is asked there at any moment
        foreign = 2,  ///< no code of the program: nobody steps there
        seen = 4,     ///< a warp has executed it since this was last reset
    };
    std::vector<std::uint8_t> marked;

    /// Set when somebody wants the launch to stop, by Ctrl-C. Who debugs it looks at it, and resets it.
    std::atomic<bool>* cancelled = nullptr;

    /// Before anything runs: all of the launch is known. Also when it begins again.
    virtual void launch_begins(const Launch& launch) = 0;
    /// Before a block, or a cluster, that runs while no other one does: its number. Memory is all that it finds.
    virtual void unit_begins(std::uint64_t unit, const Executed& so_far) = 0;
    virtual void block_begins(Block& block) = 0;
    virtual void block_ends(Block& block) = 0;
    /// `warp` is about to execute what stands behind `stop`. False: nothing more of the launch runs.
    virtual bool arrives(Warp& warp, const Instruction* stop) = 0;
    /// A thread of the block did what ends the launch.
    virtual void faults(Block& block) = 0;
    struct Restart {
        std::uint64_t unit = 0;
        Executed executed;                          ///< before it
        std::shared_ptr<const SavedTurns> state{};  ///< in the middle of it (exec/saved_state.h)
    };
    /// The launch has ended, in whatever way, and its blocks are gone. It begins again there; nullopt: it is over.
    virtual std::optional<Restart> restart() = 0;
    /// Whether it is to be as if it had not been launched.
    virtual bool is_abandoned() const = 0;

    // Blocks without stops. Most blocks that a launch goes through are of no interest: they run in the interpreter's
    // quick forms, and are counted. Where somebody would have stopped in one, the launch goes back to its beginning,
    // and it runs again, with stops.

    /// Makes code of the same kernel that has no stops, and these checks (isa/link.h). Empty: its blocks can't run so.
    std::function<std::shared_ptr<const Program>(const StopChecks& checks)> link_unstopped;
    /// Code without stops for the block `number`, which begins next, while no other one runs; nullptr: it has stops.
    virtual const Program* unstopped(std::uint64_t number) = 0;
    /// After each slice of it: whether it goes on; `moments`: that its warps have come to so far.
    virtual bool goes_on_unstopped(std::uint64_t moments) = 0;
    /// It has ended; not `good`: nothing of it counts, and the launch begins again (restart).
    virtual void unstopped_ends(bool good, std::uint64_t moments) = 0;
    /// Lanes came to an instruction together and execute it apart: it counts more often than it would have a stop.
    bool counts_twice = false;
    /// A warp in code without stops, for who wants to look at its registers.
    class Look {
    public:
        /// Puts these registers, or all of them, where debug code has them.
        virtual void bring(const std::vector<FrameRegister>* registers) = 0;
        /// What was seen may differ from warp to warp of the block.
        bool differs = false;

    protected:
        ~Look() = default;
    };
    /// The warp is at a check of `stop`. False: somebody may want to stop there.
    virtual bool passes(Warp& warp, std::uint32_t stop, Look& look) = 0;
};

}  // namespace cudash::virtual_gpu
