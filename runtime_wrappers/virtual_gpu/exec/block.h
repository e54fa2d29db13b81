// A block of a running grid, the launch it belongs to, and the host thread that runs it.
#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "runtime_wrappers/virtual_gpu/exec/access_span.h"
#include "runtime_wrappers/virtual_gpu/exec/compiled_kernel.h"
#include "runtime_wrappers/virtual_gpu/exec/loop_watch.h"
#include "runtime_wrappers/virtual_gpu/exec/warp.h"

namespace cudash::virtual_gpu {

/// A live allocation as the inner loop sees it.
struct Range {
    Address begin = 0, end = 0;
    std::int64_t host_offset = 0;
    bool read_only = false;

    Region region() const { return {begin, end - begin}; }
};

class DeviceQueue;
struct SavedBlock;
class Stops;
struct Turns;
class LaunchTier;

/// What all blocks of one launch share. Nothing here changes while blocks run, except the atomics.
struct Launch {
    const Program* program = nullptr;
    const Profile* profile = nullptr;
    AddressSpace* memory = nullptr;
    int device = 0;                       ///< that it runs on
    DeviceQueue* device_queue = nullptr;  ///< of a grid that launches kernels
    DeviceSet reach = every_device;       ///< that device and its peers
    std::string_view kernel;
    Dim3 grid, block;
    Dim3 cluster;               ///< blocks of a cluster
    bool has_clusters = false;  ///< they were asked for
    /// A block's shared memory: the address of its first byte, all of its bytes, and those that the launch asked for.
    std::uint32_t shared_base = 0, shared_bytes = 0, dynamic_shared = 0;
    bool ordered = false;                  ///< blocks run in a fixed order
    bool interleaved = false;              ///< and give each other turns where they wait for memory
    std::uint64_t resident = 0;            ///< blocks that the device has room for
    std::uint32_t reserved_shared_at = 0;  ///< what the system keeps of each block's shared memory
    std::vector<std::byte> parameters;
    const std::vector<Range>* ranges = nullptr;  ///< sorted
    std::uint32_t local_bytes = 0;               ///< per thread
    std::uint64_t stack_limit = 0;               ///< bytes of frames and of alloca that a thread may have
    std::uint64_t printf_fifo = 0, malloc_heap = 0;
    std::uint64_t grid_id = 0;   ///< counts launches
    std::uint64_t timer = 0;     ///< %globaltimer when it begins, counted from the process's first launch
    Address grid_workspace = 0;  ///< of a cooperative launch
    const std::vector<std::string>* files = nullptr;
    const ImageTable* images = nullptr;   ///< texture and surface objects; may be none
    Observer* observer = nullptr;         ///< of the blocks that it wants
    Observer* second_observer = nullptr;  ///< of blocks from grid_blocks() / 2 on; nullptr: the same
    bool uses_heap = false;               ///< device code may allocate memory
    const std::atomic<bool>* cancelled = nullptr;
    Stops* stops = nullptr;      ///< of a launch that is debugged
    LaunchTier* tier = nullptr;  ///< nullptr: it is interpreted
    std::uint64_t executed = 0;  ///< once it has ended: instructions of warps

    std::uint64_t block_threads() const { return std::uint64_t{block.x} * block.y * block.z; }
    std::uint64_t grid_blocks() const { return std::uint64_t{grid.x} * grid.y * grid.z; }
    std::uint32_t cluster_blocks() const { return cluster.x * cluster.y * cluster.z; }
    Dim3 block_at(std::uint64_t number) const;
    std::uint64_t number_of(const Dim3& block) const {
        return (std::uint64_t{block.z} * grid.y + block.y) * grid.x + block.x;
    }
    Observer* observer_of(std::uint64_t block) const {
        return second_observer && block >= grid_blocks() / 2 ? second_observer : observer;
    }
};

struct Fault {
    LaunchStatus status = LaunchStatus::ok;
    Diagnostic diagnostic;
};

struct Barrier {
    std::uint32_t arrived = 0;
    std::uint32_t expected = 0;  ///< 0: all threads that have not exited
    bool reduction_and = true, reduction_or = false;
    std::uint32_t reduction_count = 0;
    // Of the last completed phase, for bar.red.
    bool result_and = false, result_or = false;
    std::uint32_t result_count = 0;
};

/// Bytes aligned for vector loads and stores. Big ones are zero and cost memory only where they are touched.
class AlignedBytes {
public:
    AlignedBytes() = default;
    explicit AlignedBytes(std::size_t size);
    std::byte* get() const { return bytes_.get(); }

private:
    struct Deleter {
        Deleter() : mapped(0) {}
        explicit Deleter(std::size_t size) : mapped(size) {}
        std::size_t mapped;  ///< 0: from operator new
        void operator()(std::byte* bytes) const;
    };
    std::unique_ptr<std::byte, Deleter> bytes_;
};

struct Block;

/// The blocks that run together and reach each other's shared memory; by rank.
struct Cluster {
    std::vector<Block*> blocks;
    std::uint32_t arrived = 0;  ///< threads at barrier.cluster

    /// Releases those that wait at the barrier if all threads that have not exited have arrived.
    bool complete_if_full();
};

/// Lockstep::slice_began where an earlier slice has looped since the last barrier.
inline constexpr std::int32_t looped_since_barrier = 0;

/// Of a block whose warps run each instruction together (exec/lockstep.h).
struct Lockstep {
    bool possible = false;                 ///< the block's shape and the kernel allow it
    bool on = false;                       ///< they do now
    bool masked = false;                   ///< some lanes wait at `rejoin`
    bool steady_done = false;              ///< the steady registers hold what they do in this launch
    std::uint32_t first = 0, last = 0;     ///< the active lanes are in these warps and between
    std::uint64_t warps = 0, threads = 0;  ///< that are active
    const Instruction *resume = nullptr, *rejoin = nullptr;
    /// Warp::slice at the last barrier, or when this slice began; or looped_since_barrier.
    std::int32_t slice_began = 0;
    bool reversed = false;      ///< the last warp comes first (Block::order)
    std::uint32_t columns = 0;  ///< stores whose lanes are further apart than the warps
    /// The block before was in lockstep to its end, and nobody looked at it then: of what starts its warps, most is as
    /// it was.
    bool warps_ready = false;
};

/// Turns and barriers that a compiled block passes in one slice.
inline constexpr unsigned most_compiled_rounds = 64;
/// Of a block whose warps have not started, which ends the slice when the launch is cancelled, too.
inline constexpr unsigned most_chained_rounds = 1024;

struct Block {
    static constexpr unsigned named_barriers = 16, cluster_barrier = 16, barrier_count = 17;

    const Launch* launch = nullptr;
    Worker* worker = nullptr;
    Observer* observer = nullptr;
    std::uint64_t number = 0;
    Dim3 id;
    Cluster* cluster = nullptr;   ///< nullptr: of this block alone
    std::uint32_t rank = 0;       ///< in the cluster
    std::byte* shared = nullptr;  ///< what lies at address shared_base of .shared
    std::uint32_t shared_base = 0, shared_bytes = 0;
    Region shared_region() const { return {shared_base, shared_bytes}; }
    std::uint32_t live_threads = 0;
    std::array<Barrier, barrier_count> barriers;
    std::vector<Warp> warps;
    /// Who comes first: as they come to barriers, the one that had least to do first. Behind a loop that took all of
    /// them the same time the last one is ahead (recorded on an H200: tests/hardware/combinations/orders.cu).
    std::vector<std::uint8_t> order;
    bool order_changed = false;
    std::string output;          ///< of printf, the newest of it
    std::string failed_asserts;  ///< what assert says
    /// The first failed assert: its threads are gone, the others go on, and the launch fails in the end.
    std::optional<Fault> failure;
    std::vector<Diagnostic> warnings;  ///< about device code, by the first thread that gives cause
    std::optional<Fault> fault;
    AlignedBytes shared_store, local_store;
    Lockstep lockstep;
    /// In the last slice some warp changed memory, or computed without looking at it; while `watched`: changed memory.
    bool progressed = false;
    bool polled = false;   ///< in the last slice some warp looked at memory that others may change
    bool watched = false;  ///< it seems to be in a loop that never ends: stores tell whether they change anything
    LoopWatch loop_watch;
    /// Where it is among its warps while they have their turns.
    struct Turn {
        std::uint32_t place = 0;  ///< in `order`, as it was when the round began
        std::uint32_t warp = 0;   ///< that runs
        std::uint32_t rounds = 0;
        bool ran = false, again = false;  ///< some warp did; another round follows
    };
    Turn turn;
    bool offers_turn = false;  ///< other blocks go on now: it waits for memory that all share
    std::uint32_t slices_after_failure = 0;
    const CompiledKernel* compiled = nullptr;  ///< what its warps run as far as they can; nullptr: they are interpreted
    CompiledBlock compiled_block;
    std::vector<CompiledState> compiled_states;  ///< of its warps, while there is `compiled`
    std::vector<std::uint64_t> kept_words;       ///< CompiledState::kept_words of all of them
    std::uint64_t states_of = 0;                 ///< Launch::grid_id of `compiled_states`
    bool warps_started = true;                   ///< false: `compiled_states` alone has where they are
    bool runs_on = false;                        ///< run_as_before() may follow
    std::optional<CompiledReturn> came_back;     ///< of a block that has just begun
    bool untouched = false;  ///< nothing has changed but `compiled_states` since its start, and it is done
    /// Compiled code has its own values where the interpreter's stay from block to block.
    bool steady_lost = false;

    Block();
    ~Block();

    /// Lets every warp run once. False when the block is done or faulted. `from`: the turn goes on there, of a block
    /// that was restored.
    bool run_slice(const Instruction* from = nullptr);
    bool run_as_before(std::uint64_t next);
    SavedBlock saved() const;
    void restore(const SavedBlock& from);
    bool done() const { return live_threads == 0; }
    bool waits_for_cluster() const;
    /// Diverged threads of CC >= 7 go on without each other when they must: lanes that wait at a join move on.
    bool break_deadlock();
    void threads_exited(std::uint32_t count);
    /// Releases those that wait at `barrier` if all have arrived.
    bool complete_if_full(unsigned barrier);
    void order_warps(bool reversed);
    void start_warps(const Code& kernel, Warp::Way way);
    /// As a block that starts, but for its number and its warps.
    void clear();

private:
    void run_turns(const Instruction* from);
    /// What a warp's turn leaves behind.
    void note_turn(const Warp& warp);
    // Turns of warps that run as machine code, from barrier to barrier (compiled_turns.cpp).
    /// False: the turns of warps that are left are run_turns's.
    bool run_compiled_turns();
    bool compiled_start();
    bool run_compiled_together(std::optional<CompiledExit>& how);
    void chain_turns();
    CompiledReturn enter_chained(const Instruction* at);
    bool is_order_as_arrived(bool reversed) const;
    bool run_chained(std::optional<CompiledExit>& how);
    bool block_is_whole() const;
    void wait_or_pass(CompiledState& state);
    void note_compiled_turn(CompiledState& state);
    bool run_compiled_round(std::optional<CompiledExit> how);
    bool are_together() const;
    bool goes_through(CompiledExit how, CompiledState& state, std::uint32_t runnable);
    bool can_wait_at(const Instruction* stop) const;
    bool is_free(const Barrier& barrier) const;
    const Instruction* all_wait_at() const;
    void pass_together(const Instruction* stop);
    void take_over(const CompiledState* running);
    void release(Barrier& barrier);
    template <class Executed>
    void order_as_arrived(bool reversed, Executed&& executed);
    bool run_lockstep_slice();
    void watch(bool on);
    bool is_over();
    void report_deadlock();
    void detach_observer();
};

/// As they come to a barrier: `executed` says how many instructions a warp has, by its index.
template <class Executed>
void Block::order_as_arrived(bool reversed, Executed&& executed) {
    // By what they have executed, and then by their index. They are mostly sorted already, as at the last barrier.
    constexpr std::uint64_t indices = 64;
    std::array<std::uint64_t, indices> keys;
    const std::size_t count = order.size();
    const auto swapped = [&](std::uint64_t index) { return reversed ? count - 1 - index : index; };
    for (std::size_t k = 0; k < count; ++k) {
        const std::uint64_t key = executed(order[k]) * indices + swapped(order[k]);
        std::size_t to = k;
        for (; to > 0 && key < keys[to - 1]; --to) keys[to] = keys[to - 1];
        keys[to] = key;
    }
    for (std::size_t k = 0; k < count; ++k) order[k] = static_cast<std::uint8_t>(swapped(keys[k] % indices));
    order_changed = true;
}

/// A host thread's reusable state: blocks, register frames, range caches.
struct Worker {
    const Launch* launch = nullptr;
    Observer* own_observer = nullptr;   ///< of its blocks; nullptr: the launch has one
    std::uint64_t observed_before = 0;  ///< which of its blocks may have an observer
    Observer* observer_of(std::uint64_t block) const {
        if (block >= observed_before) return nullptr;
        return own_observer ? own_observer : launch->observer_of(block);
    }
    std::vector<Range> range_cache;  ///< by Instruction::cache
    /// How the launch has used Launch::ranges, and those that it has.
    struct Used {
        static constexpr std::uint8_t read = 1, written = 2;
        std::vector<std::uint8_t> as;  ///< by range
        std::vector<std::uint32_t> ranges;
        void note(std::size_t range, std::uint8_t how) {
            if (as[range] == 0) ranges.push_back(static_cast<std::uint32_t>(range));
            as[range] |= how;
        }
    };
    Used used;
    std::uint64_t warp_instructions = 0, thread_instructions = 0, spun_cycles = 0;
    bool interprets = false;       ///< its blocks, whatever code there is for the kernel
    bool starts_late = false;      ///< nobody looks at a block's warps before it runs
    const Turns* turns = nullptr;  ///< of the blocks of a launch in order that is debugged

    /// Makes ready for `launch`, as worker number `index`; cheap when the last one was of the same program and shape.
    void prepare(const Launch& launch, std::size_t index);
    /// A block with all its warps at the kernel's start.
    std::unique_ptr<Block> start_block(std::uint64_t number);
    void finish_block(std::unique_ptr<Block> block);

    /// A frame's registers with the function's constants in place.
    std::byte* take_registers(const Code& code);
    void give_registers(const Code& code, std::byte* registers) { free_registers_[&code].push_back(registers); }

private:
    std::unique_ptr<Block> make_block();

    std::uint64_t program_serial_ = 0;
    Dim3 shape_;
    std::uint32_t shared_bytes_ = 0, local_bytes_ = 0;
    std::vector<std::unique_ptr<Block>> idle_blocks_;
    std::vector<AlignedBytes> register_store_;
    std::unordered_map<const Code*, std::vector<std::byte*>> free_registers_;
};

}  // namespace cudash::virtual_gpu
