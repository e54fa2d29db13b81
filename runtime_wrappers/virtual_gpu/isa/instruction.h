// Decoded code: what the executor runs. Registers, immediates, labels and addresses are resolved; nothing here is text
// except the names that messages need.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "runtime_wrappers/diagnostic.h"
#include "runtime_wrappers/virtual_gpu/isa/image_work.h"
#include "runtime_wrappers/virtual_gpu/isa/matrix_work.h"
#include "runtime_wrappers/virtual_gpu/isa/semantics_video.h"
#include "runtime_wrappers/virtual_gpu/memory/address_space.h"
#include "runtime_wrappers/virtual_gpu/ptx/ast.h"

namespace cudash::virtual_gpu {

class Warp;
struct Instruction;
struct LaneOperation;

/// Executes one instruction for the active lanes of a warp and returns the next one, or nullptr when the fragment that
/// ran cannot go on now (Warp::stop says why).
using Handler = const Instruction* (*)(const Instruction*, Warp&);

inline constexpr std::uint32_t no_index = ~0u;

/// Operands are byte offsets into the frame: a 32-bit register (and anything narrower) is 32 consecutive 4-byte lanes,
/// a 64-bit one 32 8-byte lanes, a 128-bit one two 64-bit ones, a predicate one 32-bit mask. Immediates are constants
/// that were laid out in the frame in the same way.
struct Instruction {
    Handler run = nullptr;
    Handler inner = nullptr;  ///< what a guarded instruction does for the lanes whose guard is true
    std::uint32_t d = 0, a = 0, b = 0, c = 0;
    union {
        std::int64_t immediate = 0;
        const Instruction* target;  ///< of a branch
    };
    std::uint32_t guard = no_index;  ///< offset of the guard predicate; +1: of its negation, @!p
    std::uint32_t ordinal = 0;       ///< PTX instructions before this one; helper instructions of ours do not count
    std::uint32_t counted_from = 0;  ///< its ordinal, or that of the first steady one that was taken out before it
    std::uint32_t extra = 0;         ///< index into Code::operands, or what the handler takes it for
    std::uint32_t cache = 0;         ///< of a memory access: its entry in the worker's range cache
    std::uint16_t option = 0;        ///< what the handler takes it for
    std::uint16_t count = 0;
};

/// Where a frame keeps a value that a call passes: a register, or bytes of the frame's local memory.
struct ValuePlace {
    bool in_register = false;
    std::uint32_t offset = 0, bytes = 0;
};

/// The caller's side of a call; matched with the callee's parameters and results by position.
struct CallSite {
    std::uint32_t callee = no_index;  ///< index into Program::functions; none: by address
    std::vector<ValuePlace> arguments, results;
};

/// A register that the affine instructions keep as an arithmetic progression.
struct AffineRegister {
    std::uint32_t place = 0, lanes = 0;  ///< in the frame: of the progression, and of what it stands for
    std::uint32_t bytes = 0;             ///< of a lane
};

/// A register as a frame has it.
struct FrameRegister {
    std::uint32_t offset = 0;
    std::uint32_t bytes = 0;  ///< of a lane; 0: a predicate
};

/// What an instruction does with the frame: `reads` registers of Code::frame_registers from `first` on, then `writes`.
struct FrameUse {
    std::uint32_t first = 0;
    std::uint16_t reads = 0, writes = 0;
    bool may_keep = false;  ///< lanes may keep what they had in a register that is written
};

/// Where debug code keeps what a name of PTX stands for.
struct DebugPlace {
    ptx::Space space = ptx::Space::none;  ///< reg: in the frame's registers; local: in its local memory; or param
    std::uint32_t offset = 0;
    std::uint32_t bytes = 0;  ///< of a lane; 0: a predicate
};

/// What only debug code has: a stop before each written instruction, and a place of its own for each name.
struct DebugCode {
    std::unordered_map<std::string, DebugPlace> places;
    std::vector<std::uint32_t> stops;  ///< instructions, by Instruction::extra - first_stop
    std::uint32_t first_stop = 0;
};

/// A store to global memory whose place follows from indices of threads or blocks and from parameters alone.
struct IndexedStore {
    const ptx::Instruction* written = nullptr;
    bool by_thread = false, by_block = false;
};

/// One function as decoded for one kernel.
struct Code {
    std::string name;
    const ptx::Function* source = nullptr;
    /// Plain ones; then, where there is an affine form, from steady_at on those that a warp runs once in a launch, and
    /// from affine_at on the others, with affine registers; then, where there is one, the same again for all warps of a
    /// block in lockstep.
    std::vector<Instruction> instructions;
    std::uint32_t steady_at = 0, affine_at = 0;             ///< 0: there is no affine form
    std::uint32_t lockstep_steady_at = 0, lockstep_at = 0;  ///< 0: there is no form for lockstep
    /// In global memory it may show whether a block's warps are in lockstep: they may store where others load or store.
    bool lockstep_may_show = false;
    /// It has turns that other blocks get, too (isa/decode/turns.cpp).
    bool has_turns_of_blocks = false;
    std::vector<std::uint32_t> plain_of;  ///< from steady_at on: the index of the plain form
    std::vector<AffineRegister> affine_registers;
    std::vector<ptx::Location> locations;          ///< by instruction
    std::vector<const ptx::Instruction*> written;  ///< by instruction; nullptr: a helper of ours
    std::vector<IndexedStore> indexed_stores;      ///< sorted by `written`
    std::vector<const LaneOperation*> operations;  ///< by instruction; nullptr: it is not a function of values
    std::vector<std::uint32_t> operands;           ///< lists that do not fit into an instruction
    std::vector<CallSite> calls;
    std::vector<MatrixWork> matrix_work;
    std::vector<semantics::ScalarVideo> scalar_video;
    std::vector<semantics::SimdVideo> simd_video;
    std::vector<ImageWork> image_work;
    std::vector<std::vector<std::uint32_t>> branch_lists;  ///< brx.idx: instruction indices
    std::vector<ValuePlace> parameters, results;
    std::vector<std::byte> constants;  ///< lane images, copied to constants_at when a frame is made
    std::uint32_t constants_at = 0;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> cleared;  ///< registers that may be read before written
    std::uint32_t frame_bytes = 0;                                 ///< of registers and constants
    std::uint32_t local_bytes = 0;                                 ///< of local memory per thread
    std::uint32_t stack_bytes = 0;                                 ///< of them, what cudaLimitStackSize counts
    std::uint32_t return_at = 0;                                   ///< index of an instruction that returns
    bool uses_alloca = false;                                      ///< takes stack while it runs: alloca
    std::vector<FrameUse> uses;                                    ///< by plain instruction
    std::vector<FrameRegister> frame_registers;
    std::unique_ptr<DebugCode> debug;  ///< nullptr: it is not to be debugged

    /// The same for both forms of an instruction.
    std::uint32_t index_of(const Instruction* instruction) const {
        const auto index = static_cast<std::uint32_t>(instruction - instructions.data());
        return steady_at == 0 || index < steady_at ? index : plain_of[index - steady_at];
    }
};

/// A kernel parameter that may be a pointer, and what is done through it.
struct PointerParameter {
    std::uint32_t offset = 0;
    bool stored = false, loaded = false;
};

/// A __shared__ variable that a kernel or what it calls names.
struct SharedVariable {
    std::string name;         ///< as the source has it
    std::string symbol;       ///< as the module has it
    std::uint32_t begin = 0;  ///< its address
    std::uint32_t bytes = 0;  ///< 0: its size is that of the launch's dynamic shared memory
};

/// A kernel and everything that it may call.
struct Program {
    std::uint64_t serial = 0;                                     ///< never used again for another one
    std::vector<std::unique_ptr<Code>> functions;                 ///< [0] is the kernel
    std::unordered_map<std::uint32_t, std::uint32_t> by_address;  ///< index in the module -> index in functions
    /// The address at which shared memory begins: behind what the system keeps for itself, as recorded on an H200.
    std::uint32_t shared_base = 0;
    std::uint32_t static_shared = 0;      ///< bytes
    std::uint32_t dynamic_shared_at = 0;  ///< where extern __shared__ arrays begin, from shared_base on
    std::uint32_t local_bytes = 0;        ///< per thread, of the deepest path; a floor when `recursive`
    std::uint32_t stack_bytes = 0;        ///< the same, of what cudaLimitStackSize counts
    std::uint32_t access_sites = 0;       ///< entries that a range cache needs
    bool recursive = false;               ///< calls itself, or calls by address
    bool uses_dynamic_shared = false, uses_grid_sync = false, uses_reserved_shared = false;
    /// Blocks can tell each other something whose order shows in a result: they run in a fixed order.
    bool ordered = false;
    bool uses_heap = false;  ///< calls malloc or free
    /// It prints, uses the heap or images, launches kernels, or reads what differs from launch to launch: a clock.
    bool has_other_effects = false;
    /// What is loaded may decide which instructions are executed, or which places are accessed.
    bool counts_follow_data = false;
    bool uses_device_runtime = false;  ///< launches kernels, or calls cudaXxx()
    bool polls = false;                ///< some loop has a volatile or ordered load from global memory, or an atomic
    bool watches = false;              ///< some loop has such a load
    bool uses_alloca = false;          ///< some function does
    bool debug = false;                ///< its code has stops: `stops` of them
    std::uint32_t stops = 0;
    std::vector<PointerParameter> pointers;
    std::vector<SharedVariable> shared_variables;
    std::vector<Diagnostic> unsupported;  ///< what stops a launch
};

}  // namespace cudash::virtual_gpu
