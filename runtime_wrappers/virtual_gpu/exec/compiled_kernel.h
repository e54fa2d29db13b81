// A kernel as machine code (jit/README.md), as the executor sees it: code that takes a whole warp from one instruction
// to another, and hands it back wherever only the interpreter knows how to go on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "runtime_wrappers/virtual_gpu/devices/profile.h"
#include "runtime_wrappers/virtual_gpu/isa/instruction.h"

namespace cudash::virtual_gpu {

class Warp;
struct Block;
struct Range;

/// Lanes that have parted in compiled code: what Warp::diverge would have noted.
struct CompiledParting {
    std::uint32_t join = 0, expected = 0;       ///< the plain instruction where they meet, and who does
    std::uint32_t pending = 0, pending_at = 0;  ///< lanes that come later, and where they begin
};

struct CompiledState;
/// False: it raised a fault.
using RunOne = bool (*)(CompiledState*, const Instruction*);

/// What the warps of a block have in common.
struct CompiledBlock {
    const Range* ranges = nullptr;  ///< by Instruction::cache
    std::byte* shared = nullptr;
    const std::byte* parameters = nullptr;
    std::uint64_t shared_begin = 0, shared_bytes = 0;  ///< its addresses in .shared
    std::uint32_t block[3] = {}, grid[3] = {};         ///< %ctaid, %nctaid
    std::uint32_t round = 0;                           ///< counts calls in CompiledMode::chained
    RunOne run_one = nullptr;                          ///< run_one_handler
    const Instruction* const* handled = nullptr;       ///< what it is called with
};

/// A warp, as compiled code and the executor tell each other of it. Compiled code knows these members by their offsets;
/// those that each turn needs come first.
struct alignas(64) CompiledState {
    const CompiledBlock* of = nullptr;
    std::byte* registers = nullptr;
    std::uint64_t* kept_words = nullptr;
    CompiledState* following = nullptr;                            ///< CompiledMode::chained: whose turn comes next
    CompiledState* again = nullptr;                                ///< the same, of those that came to turns
    std::uint64_t warp_instructions = 0, thread_instructions = 0;  ///< CompiledMode::in_block
    std::uint32_t mask = 0;                                        ///< active lanes
    std::uint32_t segment = 0;                                     ///< Warp::segment
    std::int32_t slice = 0;                                        ///< Warp::slice
    std::uint32_t next = 0;                                        ///< out: the plain instruction to go on with
    std::uint32_t entry = 0;    ///< out: CompiledMode::chained: of the code, behind a turn
    std::uint32_t round = 0;    ///< out: CompiledBlock::round, of the last time that it came to a barrier, turn or exit
    std::uint32_t way_out = 0;  ///< out: which registers are words
    std::uint32_t depth = 0;    ///< out: of partings, the outermost first
    std::uint32_t active = 0;   ///< out: lanes that go on, while a handler runs and where depth != 0
    std::uint32_t join = no_index;  ///< the plain instruction at which others wait for them
    std::uint64_t executed = 0;     ///< out: instructions that are counted
    std::uint64_t fewer = 0;        ///< of them, how many times a lane of `mask` was elsewhere
    std::uint8_t wrote = 0;         ///< out: memory was changed
    std::uint8_t together = 0;      ///< in: the warp's live lanes are all here, and none waits
    bool keeps = false;             ///< registers are words still, as compiled code wants them back behind a barrier
    // Of turns that the warp knows nothing of (compiled_turns.cpp).
    bool waits = false;  ///< at the barrier or exit `next`
    bool looped = false;
    std::int32_t slice_began = 0;
    const Instruction* at = nullptr;  ///< where it goes on, with the lanes of `partings` if depth != 0
    Warp* warp = nullptr;
    const std::uint32_t* tid[3] = {};  ///< by lane
    CompiledParting partings[8];
};

/// How compiled code came back.
enum class CompiledExit : std::uint32_t {
    go_on,    ///< the interpreter goes on at `next`
    slice,    ///< others get a turn; then at `next`
    fault,    ///< a handler raised one
    barrier,  ///< all of the warp is at the barrier or turn `next`, its registers kept for what comes behind; or, where
              ///< depth != 0, those lanes of it that have not parted from the others
    exit,     ///< all of the warp is at the exit `next`
    refused,  ///< nothing was done: the registers are not what the code expects
    together,  ///< CompiledMode::chained: all warps are at one barrier or exit `next`
    apart      ///< the same, each at one of its own
};

/// What becomes of a warp that comes to a barrier, a turn or an exit.
enum class CompiledMode : std::uint32_t {
    alone,     ///< the interpreter has it do that
    in_block,  ///< it is counted already (warp_instructions), and goes on behind it
    chained    ///< the same, and the turns of `following` and those behind it begin where this one did; those that
               ///< come to turns go on when all have had theirs
};

/// And who, the last of those that had their turns.
struct CompiledReturn {
    CompiledState* state = nullptr;
    CompiledExit how = CompiledExit::go_on;
};

using CompiledCode = CompiledReturn (*)(CompiledState*, std::uint32_t entry, CompiledMode);

/// A register that compiled code takes and gives as a progression (exec/affine_value.h): as many of
/// CompiledState::kept_words as it doesn't know of base, step and half, one register behind the other. A predicate: the
/// same for all lanes, and in its own place.
struct KeptRegister {
    std::uint32_t offset = 0, bytes = 4;  ///< 0: a predicate
    bool knows_step = true, knows_half = true;
    std::int64_t step = 0, half = 0;
    bool operator==(const KeptRegister&) const = default;
};

/// The machine code of a kernel for one shape of blocks.
class CompiledKernel {
public:
    virtual ~CompiledKernel() = default;

    /// Makes the states of a block's warps, which start.
    void start(Block& block) const;
    /// The interpreter goes on with a warp whose registers are kept.
    void expand(Warp& w) const;
    /// The same, of lanes that parted before a turn.
    void expand_parted(Warp& w) const;

    /// Takes the active lanes of a warp, which are at `at`, as far as it can. As a Handler's: the next instruction, or
    /// nullptr. `at` itself: nothing was done.
    const Instruction* run(const Instruction* at, Warp& w) const;
    /// Code that is entered with registers as the frame has them takes those that it wants as words. False: they are
    /// not what it expects.
    bool take(const Instruction* at, Warp& w) const;
    CompiledReturn enter(const Instruction* at, CompiledState& state, CompiledMode mode) const {
        const Form& form = form_of(state.mask);
        const auto& entries = std::exchange(state.depth, 0) == 0 ? form.entries : form.parted;
        return form.code(&state, entries[static_cast<std::size_t>(at - first_)], mode);
    }
    /// Goes on behind it, in a warp that knows all that its state has. As `run`.
    const Instruction* come_back(CompiledExit how, const Instruction* at, Warp& w) const;
    /// Where its state says that it is.
    const Instruction* next(const CompiledState& state) const { return first_ + state.next; }
    /// Warps need not have started: it calls no handler, and reads no register that it has not written.
    bool starts_alone() const { return starts_alone_; }
    /// It comes to no barrier or turn, and to nothing that is the interpreter's, but where a check fails.
    bool ends_alone() const { return ends_alone_; }
    /// `whole`: all 32 lanes are active.
    bool begins_at(const Instruction* at, bool whole) const {
        const auto index = static_cast<std::size_t>(at - first_);
        const auto& entries = whole ? whole_.entries : part_.entries;
        return index < entries.size() && entries[index] != no_index;
    }

protected:
    struct Form {
        CompiledCode code = nullptr;
        std::vector<std::uint32_t> entries;                     ///< by plain instruction; no_index: none
        std::vector<std::uint32_t> parted;                      ///< the same, of lanes that parted before a turn
        std::vector<std::vector<KeptRegister>> kept, ways_out;  ///< of an entry by the same, and by way out
    };
    const Form& form_of(std::uint32_t mask) const { return mask == ~0u ? whole_ : part_; }
    bool starts_alone_ = false, ends_alone_ = false;
    std::vector<const Instruction*> handled_;  ///< CompiledBlock::handled
    std::uint32_t words_ = 0;                  ///< CompiledState::kept_words, at most
    Form whole_, part_;                        ///< of whole warps, and of any lanes
    const Instruction* first_ = nullptr;       ///< the kernel's first plain instruction
};

/// Makes machine code; the executor gets one from whoever has a compiler.
class CodeGenerator {
public:
    virtual ~CodeGenerator() = default;
    /// Code that was made in an earlier run, which takes no longer than a short launch; nullptr: there is none.
    virtual std::shared_ptr<const CompiledKernel> load(const Program& program, const Dim3& block) = 0;
    /// LLVM instructions of the kernel that load() did not find: what compiling it costs. 0: it can't be compiled.
    virtual std::size_t size() const = 0;
    /// nullptr: the kernel has something that the generator doesn't know. Called on one thread at a time, both.
    virtual std::shared_ptr<const CompiledKernel> compile(const Program& program, const Dim3& block) = 0;
};

/// Compiled code runs an instruction by its handler; `only` is followed by one that stops.
bool run_one_handler(CompiledState* state, const Instruction* only);
const Instruction* run_end_of_one(const Instruction* i, Warp& w);

}  // namespace cudash::virtual_gpu
