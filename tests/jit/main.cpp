// Runs kernels in the interpreter and as machine code: memory, counts, status and messages must be the same.
//   tier_tests KERNELS.cu [KERNEL]
// The last line counts.
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "runtime_wrappers/nvrtc/compiler.h"
#include "runtime_wrappers/virtual_gpu/exec/tiers.h"
#include "runtime_wrappers/virtual_gpu/jit/generator.h"
#include "runtime_wrappers/virtual_gpu/jit/kernel_plan.h"

using namespace cudash;
using namespace cudash::virtual_gpu;

namespace {

enum class Fill { small_floats, words, any_floats };

struct Case {
    const char* kernel;
    Dim3 grid, block;
    int n;
    Fill fill = Fill::words;
    std::size_t words = 0;  ///< of each array; 0: n
    bool must_fail = false;
};

constexpr Case cases[] = {
    {"vector_add", {37, 1, 1}, {256, 1, 1}, 9300, Fill::small_floats},
    {"vector_add", {40, 1, 1}, {256, 1, 1}, 10240, Fill::any_floats},
    {"matmul_naive", {4, 4, 1}, {16, 16, 1}, 64, Fill::small_floats, 4096},
    {"matmul_naive", {3, 9, 1}, {32, 8, 1}, 70, Fill::small_floats, 4900},
    {"matmul_naive", {4, 4, 1}, {16, 16, 1}, 64, Fill::any_floats, 4096},
    {"matmul_tiled", {6, 6, 1}, {16, 16, 1}, 96, Fill::small_floats, 9216},
    {"transpose_naive", {6, 6, 1}, {16, 16, 1}, 90, Fill::words, 8100},
    {"transpose_naive", {3, 12, 1}, {32, 8, 1}, 96, Fill::words, 9216},
    {"transpose_diagonal", {6, 6, 1}, {16, 16, 1}, 96, Fill::words, 9216},
    {"block_sum", {20, 1, 1}, {256, 1, 1}, 5000, Fill::small_floats},
    {"matmul_tiled", {1, 1, 1}, {16, 16, 1}, 16, Fill::small_floats, 256},
    {"block_sum", {1, 1, 1}, {256, 1, 1}, 256, Fill::small_floats},
    {"n_body", {8, 1, 1}, {64, 1, 1}, 512, Fill::small_floats},
    {"mandelbrot", {32, 1, 1}, {128, 1, 1}, 4096},
    {"histogram_shared", {8, 1, 1}, {256, 1, 1}, 10000},
    {"histogram_global", {40, 1, 1}, {256, 1, 1}, 10000},
    {"stencil_5", {6, 12, 1}, {16, 8, 1}, 96, Fill::small_floats, 9216},
    {"stencil_3d", {3, 6, 1}, {16, 8, 1}, 40, Fill::small_floats, 64000},
    {"bitonic_sort", {16, 1, 1}, {256, 1, 1}, 4096},
    {"csr_product", {16, 1, 1}, {256, 1, 1}, 4096},
    {"ragged_rows", {16, 1, 1}, {256, 1, 1}, 4096},
    {"ragged_rows", {41, 1, 1}, {100, 1, 1}, 4050},
    {"ragged_floats", {16, 1, 1}, {256, 1, 1}, 4096, Fill::small_floats, 65536},
    {"ragged_floats", {16, 1, 1}, {256, 1, 1}, 4096, Fill::any_floats, 65536},
    {"long_rows", {2, 1, 1}, {256, 1, 1}, 512, Fill::words, 24000},
    {"long_rows", {5, 1, 1}, {100, 1, 1}, 500, Fill::words, 24000},
    {"chase_until", {16, 1, 1}, {256, 1, 1}, 4096},
    {"chase_until", {512, 1, 1}, {8, 1, 1}, 4096},
    {"rows_in_shared", {16, 1, 1}, {256, 1, 1}, 4096},
    {"rows_in_shared", {40, 1, 1}, {100, 1, 1}, 4000},
    {"rows_either_way", {16, 1, 1}, {256, 1, 1}, 4096},
    {"rows_either_way", {32, 1, 1}, {100, 1, 1}, 4096},
    {"rows_alike", {16, 1, 1}, {256, 1, 1}, 4096},
    {"rows_alike", {41, 1, 1}, {100, 1, 1}, 4100},
    {"words_of_text", {16, 1, 1}, {256, 1, 1}, 4096},
    {"row_too_long", {8, 1, 1}, {256, 1, 1}, 2048, Fill::words, 0, true},
    {"integer_hash", {16, 1, 1}, {256, 1, 1}, 4096},
    {"black_scholes", {16, 1, 1}, {256, 1, 1}, 4096, Fill::small_floats},
    {"gather", {16, 1, 1}, {256, 1, 1}, 4096},
    {"scatter", {16, 1, 1}, {256, 1, 1}, 4096},
    {"shuffle_sum", {16, 1, 1}, {256, 1, 1}, 4096, Fill::small_floats},
    {"wide_types", {8, 1, 1}, {128, 1, 1}, 1024, Fill::small_floats, 8192},
    {"wide_types", {8, 1, 1}, {128, 1, 1}, 1024, Fill::any_floats, 8192},
    {"vector_store", {8, 1, 1}, {128, 1, 1}, 1024, Fill::words, 4096},
    {"same_place", {16, 1, 1}, {64, 1, 1}, 1024, Fill::words, 4096},
    {"strides", {16, 1, 1}, {256, 1, 1}, 4096},
    {"divergence", {16, 1, 1}, {256, 1, 1}, 4096},
    {"some_exit_early", {16, 1, 1}, {256, 1, 1}, 4096},
    {"any_votes", {16, 1, 1}, {256, 1, 1}, 4096},
    {"clocks", {8, 1, 1}, {256, 1, 1}, 2048},
    {"long_loop", {3, 1, 1}, {64, 1, 1}, 192},
    {"local_array", {8, 1, 1}, {128, 1, 1}, 1024},
    {"half_sums", {20, 1, 1}, {7, 5, 3}, 2100},
    {"half_sums", {20, 1, 1}, {8, 4, 2}, 1280},
    {"half_sums", {20, 1, 1}, {48, 2, 1}, 1920},
    {"sides", {16, 1, 1}, {256, 1, 1}, 4096},
    {"sides", {41, 1, 1}, {100, 1, 1}, 4096},
    {"sides_store", {16, 1, 1}, {256, 1, 1}, 4096},
    {"sides_store", {41, 1, 1}, {100, 1, 1}, 4096},
    {"sides_loop", {16, 1, 1}, {256, 1, 1}, 4096},
    {"sides_loop", {512, 1, 1}, {8, 1, 1}, 4096},
    {"sides_long", {2, 1, 1}, {64, 1, 1}, 128},
    {"sides_atomic", {16, 1, 1}, {256, 1, 1}, 4096},
    {"sides_shared", {16, 1, 1}, {256, 1, 1}, 4096},
    {"leaves_loops", {16, 1, 1}, {256, 1, 1}, 4096},
    {"kept_numbers", {16, 1, 1}, {256, 1, 1}, 4096},
    {"tables", {16, 1, 1}, {256, 1, 1}, 4096, Fill::small_floats},
    {"tables", {16, 1, 1}, {256, 1, 1}, 4096, Fill::any_floats},
    {"shuffles", {16, 1, 1}, {256, 1, 1}, 4096},
    {"order_shows", {16, 1, 1}, {256, 1, 1}, 4096},
    {"many_barriers", {4, 1, 1}, {256, 1, 1}, 1024},
    {"many_barriers", {4, 1, 1}, {100, 1, 1}, 400},
    {"many_barriers", {4, 1, 1}, {32, 1, 1}, 128},
    {"plain_barriers", {4, 1, 1}, {256, 1, 1}, 1024},
    {"plain_barriers", {4, 1, 1}, {100, 1, 1}, 400},
    {"plain_barriers", {4, 1, 1}, {16, 1, 1}, 64},
    {"one_warp_leaves", {8, 1, 1}, {256, 1, 1}, 2048},
    {"one_warp_leaves", {8, 1, 1}, {100, 1, 1}, 800},
    {"warps_leave", {8, 1, 1}, {256, 1, 1}, 2048},
    {"warps_leave", {8, 1, 1}, {100, 1, 1}, 800},
    {"either_barrier", {8, 1, 1}, {256, 1, 1}, 2048},
    {"parted_turns", {8, 1, 1}, {256, 1, 1}, 2048},
    {"parted_turns", {8, 1, 1}, {100, 1, 1}, 800},
    {"parted_turns", {8, 1, 1}, {32, 1, 1}, 256},
    {"tree_sums", {8, 1, 1}, {256, 1, 1}, 2048},
    {"tree_sums", {8, 1, 1}, {100, 1, 1}, 800},
    {"tree_sums", {8, 1, 1}, {32, 1, 1}, 256},
    {"turns_in_loops", {8, 1, 1}, {256, 1, 1}, 2048},
    {"turns_in_loops", {8, 1, 1}, {100, 1, 1}, 800},
    {"turns_in_loops", {8, 1, 1}, {32, 1, 1}, 256},
    {"parted_warp_leaves", {8, 1, 1}, {256, 1, 1}, 2048},
    {"parted_warp_leaves", {8, 1, 1}, {100, 1, 1}, 800},
    {"parted_warp_leaves", {8, 1, 1}, {32, 1, 1}, 256},
    {"scattered", {16, 1, 1}, {256, 1, 1}, 4096, Fill::words, 8192},
    {"scattered", {41, 1, 1}, {100, 1, 1}, 4100, Fill::words, 8200},
    {"before_scattered", {8, 1, 1}, {256, 1, 1}, 2048, Fill::words, 0, true},
    {"behind_scattered", {8, 1, 1}, {256, 1, 1}, 2048, Fill::words, 0, true},
    {"odd_scattered", {8, 1, 1}, {256, 1, 1}, 2048, Fill::words, 0, true},
    {"store_scattered", {8, 1, 1}, {256, 1, 1}, 2048, Fill::words, 0, true},
    {"beyond_read", {32, 1, 1}, {256, 1, 1}, 8000, Fill::words, 8000, true},
    {"beyond_write", {32, 1, 1}, {256, 1, 1}, 8000, Fill::words, 8000, true},
    {"before_begin", {8, 1, 1}, {256, 1, 1}, 2048, Fill::words, 0, true},
    {"far_gather", {16, 1, 1}, {256, 1, 1}, 4096, Fill::words, 0, true},
    {"misaligned", {8, 1, 1}, {256, 1, 1}, 2048, Fill::words, 0, true},
    {"null_pointer", {8, 1, 1}, {256, 1, 1}, 2048, Fill::words, 0, true},
    {"beyond_shared", {8, 1, 1}, {256, 1, 1}, 2048, Fill::words, 0, true},
    {"late_in_loop", {8, 1, 1}, {256, 1, 1}, 4096, Fill::words, 4096, true},
    {"beyond_in_side", {16, 1, 1}, {256, 1, 1}, 4096, Fill::words, 4096, true},
    {"behind_join", {16, 1, 1}, {256, 1, 1}, 4096},
    {"behind_join", {41, 1, 1}, {100, 1, 1}, 4100, Fill::words, 0, true},
    {"behind_join", {16, 1, 1}, {256, 1, 1}, 4100, Fill::words, 0, true},
    {"shuffled_again", {8, 1, 1}, {256, 1, 1}, 2048},
    {"shuffled_again", {1, 1, 1}, {32, 1, 1}, 32},
    {"scan", {8, 1, 1}, {256, 1, 1}, 2048},
    {"multiplies_matrices", {8, 1, 1}, {256, 1, 1}, 2048},
    {"multiplies_matrices", {8, 1, 1}, {256, 1, 1}, 2048, Fill::any_floats},
    {"nan_bits", {8, 1, 1}, {256, 1, 1}, 2048},
    {"nan_bits", {8, 1, 1}, {256, 1, 1}, 2048, Fill::any_floats},
    {"guarded_neighbours", {8, 1, 1}, {16, 16, 1}, 2048},
    {"beyond_guarded", {8, 1, 1}, {256, 1, 1}, 2048, Fill::words, 0, true},
    {"alike", {640, 1, 1}, {32, 1, 1}, 20480},
    {"alike", {640, 1, 1}, {64, 1, 1}, 40960},
    {"alike", {640, 1, 1}, {100, 1, 1}, 63990},
    {"alike_but_one", {640, 1, 1}, {64, 1, 1}, 40960, Fill::words, 0, true},
    {"never_ends_in_side", {2, 1, 1}, {64, 1, 1}, 128, Fill::words, 0, true},
    {"bad_atomic", {8, 1, 1}, {256, 1, 1}, 2048, Fill::words, 0, true},
    {"never_ends", {2, 1, 1}, {64, 1, 1}, 128, Fill::words, 0, true},
    {"counts_parted", {2, 1, 1}, {128, 1, 1}, 4000},
    {"waits_for_ever", {2, 1, 1}, {64, 1, 1}, 0, Fill::words, 128, true},
    {"deadlock", {2, 1, 1}, {64, 1, 1}, 128, Fill::words, 0, true},
    {"traps", {8, 1, 1}, {256, 1, 1}, 2048, Fill::words, 0, true},
};

/// Long enough to be compiled while they run.
constexpr Case long_cases[] = {
    {"matmul_naive", {32, 32, 1}, {16, 16, 1}, 512, Fill::small_floats, 262144},
    {"histogram_shared", {64, 1, 1}, {256, 1, 1}, 4000000},
    {"mandelbrot", {512, 1, 1}, {128, 1, 1}, 65536},
    {"empty_corner", {512, 1, 1}, {128, 1, 1}, 65536, Fill::small_floats},
};
/// So many that LLVM has long been done when they end, although the machine is busy.
constexpr int long_launches = 60;

/// Kernels that were to be compiled and were not; code that LLVM finds to be broken is interpreted, and would go
/// unseen.
int not_compiled = 0, all_compiled = 0, all_loaded = 0;

/// Kernels of which a loop is run for one lane after the other: those that are meant to be, and no chase.
constexpr std::string_view run_by_lane[] = {"ragged_rows",   "ragged_floats",  "long_rows",       "rows_alike",
                                            "words_of_text", "rows_in_shared", "rows_either_way", "row_too_long"};
std::map<std::string, bool> seen_by_lane;

bool has_lane_loop(const Code& code, const Dim3& block) {
    const KernelPlan plan(code, block, true, [](std::string_view) { return true; });
    return std::ranges::any_of(plan.pieces(), &Piece::by_lane);
}

class WatchedGenerator final : public CodeGenerator {
public:
    explicit WatchedGenerator(std::shared_ptr<CodeGenerator> generator) : generator_(std::move(generator)) {}
    std::shared_ptr<const CompiledKernel> load(const Program& program, const Dim3& block) override {
        const Code& code = *program.functions.front();
        seen_by_lane[code.name] |= has_lane_loop(code, block);
        auto made = generator_->load(program, block);
        if (made) ++all_loaded;
        return made;
    }
    std::size_t size() const override { return generator_->size(); }
    std::shared_ptr<const CompiledKernel> compile(const Program& program, const Dim3& block) override {
        auto made = generator_->compile(program, block);
        ++(made ? all_compiled : not_compiled);
        return made;
    }

private:
    std::shared_ptr<CodeGenerator> generator_;
};

std::shared_ptr<CodeGenerator> create_watched_generator() {
    auto made = create_code_generator();
    return made ? std::make_shared<WatchedGenerator>(std::move(made)) : made;
}

/// What a run left behind, as one text and the memory.
struct Ran {
    std::string said;
    std::vector<std::uint32_t> memory;
    LaunchStatus status = LaunchStatus::ok;
};

std::uint32_t word(Fill fill, std::uint64_t& state) {
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    const auto bits = static_cast<std::uint32_t>(state >> 32);
    if (fill == Fill::words) return bits;
    if (fill == Fill::small_floats) return std::bit_cast<std::uint32_t>(static_cast<float>(bits % 2001) / 256 - 3.9f);
    constexpr std::uint32_t special[] = {0x7F800000, 0xFF800000, 0x7FC12345, 0xFFA00001, 0x00000001, 0x80000000, 0};
    return bits % 16 < std::size(special) ? special[bits % 16] : bits;
}

/// Launches on one thread, whose blocks have those of the launch before.
constexpr int again = 2;

Ran run(const Case& test, const std::string& ptx, TierPolicy policy, int launches = 1) {
    Ran result;
    auto memory = AddressSpace::create(std::uint64_t{1} << 28);
    if (!memory) return {"no address space", {}, LaunchStatus::unsupported};
    const Profile& profile = unnamed_profile();
    auto module = load_module(ptx, *memory, profile);
    if (!module) return {module.error().message, {}, LaunchStatus::unsupported};
    auto executor = Executor::create(*memory, create_watched_generator, policy);
    const std::size_t words = test.words ? test.words : static_cast<std::size_t>(test.n);
    std::uint64_t state = 42;
    std::vector<std::byte> parameters(28);
    std::vector<std::span<std::uint32_t>> arrays;
    for (int k = 0; k < 3; ++k) {
        auto made = memory->allocate(words * 4, 512, MemoryKind::device, "a test");
        arrays.push_back({reinterpret_cast<std::uint32_t*>(memory->pointer(made->begin, words * 4)), words});
        std::memcpy(&parameters[8 * k], &made->begin, 8);
        if (k < 2) std::ranges::generate(arrays.back(), [&] { return word(test.fill, state); });
    }
    std::memcpy(&parameters[24], &test.n, 4);
    ExecutorLimits limits;
    limits.timeout = std::chrono::seconds(30);
    limits.host_threads = launches <= again ? 1 : 2;
    LaunchOutcome outcome;
    for (int k = 0; k < launches; ++k) {
        // What a launch doesn't write would else be there from the one before it.
        if (k > 0) std::ranges::fill(arrays.back(), 0u);
        outcome = executor->run({.module = *module,
                                 .kernel = test.kernel,
                                 .grid = test.grid,
                                 .block = test.block,
                                 .parameters = parameters},
                                profile, limits, {});
    }
    result.status = outcome.status;
    result.said = fmt::format("status {}", static_cast<int>(outcome.status));
    if (outcome.status == LaunchStatus::ok)
        result.said += fmt::format(", {} and {} instructions", outcome.warp_instructions, outcome.thread_instructions);
    for (const Diagnostic& each : outcome.diagnostics) {
        result.said += fmt::format("\n{}: {} (line {}", each.code, each.message, each.where.line);
        if (each.thread)
            result.said += fmt::format(", block {}, thread {}", each.thread->block.x, each.thread->thread.x);
        result.said += ") " + each.hint;
        for (const auto& note : each.notes) result.said += "\n  " + note.message;
    }
    if (outcome.status == LaunchStatus::ok)
        for (const auto& array : arrays) result.memory.insert(result.memory.end(), array.begin(), array.end());
    return result;
}

/// Takes ten seconds for a kernel, unless it is told to end.
class SlowGenerator final : public CodeGenerator {
public:
    std::shared_ptr<const CompiledKernel> load(const Program&, const Dim3&) override { return nullptr; }
    std::size_t size() const override { return 1; }
    std::shared_ptr<const CompiledKernel> compile(const Program&, const Dim3&) override {
        std::unique_lock lock(mutex);
        begun = true;
        changed.notify_all();
        changed.wait_for(lock, std::chrono::seconds(10), [&] { return ended; });
        return nullptr;
    }
    static inline std::mutex mutex;
    static inline std::condition_variable changed;
    static inline bool begun = false, ended = false;
};

/// Ctrl-C while a block waits for the compiler: how long the launch goes on.
std::optional<std::chrono::milliseconds> time_to_cancel(const std::string& ptx) {
    auto memory = AddressSpace::create(std::uint64_t{1} << 28);
    const Profile& profile = unnamed_profile();
    auto module = load_module(ptx, *memory, profile);
    if (!module) return std::nullopt;
    const auto create = []() -> std::shared_ptr<CodeGenerator> { return std::make_shared<SlowGenerator>(); };
    auto executor = Executor::create(*memory, create, TierPolicy::always);
    LaunchStatus status = LaunchStatus::ok;
    std::thread launch([&] {
        const std::vector<std::byte> parameters(28);
        ExecutorLimits limits;
        limits.timeout = std::chrono::seconds(30);
        status = executor
                     ->run({.module = *module,
                            .kernel = "never_ends",
                            .grid = {1, 1, 1},
                            .block = {32, 1, 1},
                            .parameters = parameters},
                           profile, limits, {})
                     .status;
    });
    {
        std::unique_lock lock(SlowGenerator::mutex);
        SlowGenerator::changed.wait(lock, [] { return SlowGenerator::begun; });
    }
    const auto start = std::chrono::steady_clock::now();
    executor->cancel();
    launch.join();
    const auto taken = std::chrono::steady_clock::now() - start;
    {
        std::lock_guard lock(SlowGenerator::mutex);
        SlowGenerator::ended = true;
    }
    SlowGenerator::changed.notify_all();
    if (status != LaunchStatus::cancelled) return std::nullopt;
    return std::chrono::duration_cast<std::chrono::milliseconds>(taken);
}

namespace fs = std::filesystem;

/// A folder for caches, of this run alone.
class CacheFolder {
public:
    CacheFolder() {
        std::string name = (fs::temp_directory_path() / "tier_tests.XXXXXX").string();
        if (mkdtemp(name.data())) path_ = name;
        setenv("XDG_CACHE_HOME", path_.c_str(), 1);
    }
    ~CacheFolder() {
        std::error_code ignored;
        fs::remove_all(path_, ignored);
    }
    CacheFolder(const CacheFolder&) = delete;
    CacheFolder& operator=(const CacheFolder&) = delete;
    fs::path kernels() const { return path_ / "cudash" / "kernels"; }

private:
    fs::path path_;
};

struct Entry {
    std::string content;
    ino_t file = 0;
};

std::map<fs::path, Entry> entries_of(const fs::path& folder) {
    std::map<fs::path, Entry> entries;
    std::error_code failed;
    for (const auto& each : fs::directory_iterator(folder, failed)) {
        std::ifstream in(each.path(), std::ios::binary);
        struct stat about {};
        stat(each.path().c_str(), &about);
        entries[each.path()] = {{std::istreambuf_iterator<char>(in), {}}, about.st_ino};
    }
    return entries;
}

/// Code kept on disk is used again; what is damaged there, or another kernel's, is made anew. Empty: so it is.
std::string wrong_with_cache(const fs::path& folder, const std::string& ptx) {
    // The last one calls handlers, which are elsewhere in each run.
    constexpr Case three[] = {{"vector_add", {40, 1, 1}, {256, 1, 1}, 10240, Fill::small_floats},
                              {"matmul_naive", {4, 4, 1}, {16, 16, 1}, 64, Fill::small_floats, 4096},
                              {"histogram_shared", {8, 1, 1}, {256, 1, 1}, 10000}};
    const auto run_all = [&] {
        std::vector<std::uint32_t> all;
        for (const Case& each : three) {
            const Ran ran = run(each, ptx, TierPolicy::always);
            all.insert(all.end(), ran.memory.begin(), ran.memory.end());
        }
        return all;
    };
    std::error_code ignored;
    fs::remove_all(folder, ignored);
    const auto expected = run_all();
    const auto made = entries_of(folder);
    if (made.size() != std::size(three)) return fmt::format("three kernels made {} entries", made.size());
    if (run_all() != expected) return "code from the cache computes something else";
    for (const auto& [path, entry] : entries_of(folder))
        if (!made.contains(path) || made.at(path).file != entry.file) return "an entry was not used";
    const auto& [first, content] = *made.begin();
    const auto& [second, other] = *made.rbegin();
    std::string flipped = content.content;
    flipped[flipped.size() / 2] ^= 1;
    for (const std::string& bad : {flipped, content.content.substr(0, 100), std::string(), other.content}) {
        std::ofstream(first, std::ios::binary | std::ios::trunc) << bad;
        if (run_all() != expected) return "with a bad entry, kernels compute something else";
        if (entries_of(folder)[first].content != content.content) return "a bad entry was not made anew";
    }
    return entries_of(folder)[second].file == other.file ? "" : "a good entry beside a bad one was not used";
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 2) {
        fmt::print(stderr, "usage: tier_tests KERNELS.cu [KERNEL]\n");
        return 2;
    }
    const CacheFolder cache;
    std::ifstream file(argv[1]);
    nvrtc::Request request;
    request.name = "kernels.cu";
    request.source.assign(std::istreambuf_iterator<char>(file), {});
    request.options = {"-lineinfo"};
    const auto compiled = nvrtc::compile(request);
    if (!compiled) {
        fmt::print("{}\n0 passed, 1 failed\n", compiled.error().message);
        return 1;
    }
    int passed = 0, failed = 0;
    const auto compare = [&](const Case& test, TierPolicy policy, int launches) {
        if (argc > 2 && std::string_view(argv[2]) != test.kernel) return;
        const Ran expected = run(test, (*compiled)->code, TierPolicy::never, launches);
        const Ran actual = run(test, (*compiled)->code, policy, launches);
        const bool as_meant = (expected.status != LaunchStatus::ok) == test.must_fail;
        if (expected.said == actual.said && expected.memory == actual.memory && expected.status == actual.status &&
            as_meant) {
            ++passed;
            return;
        }
        ++failed;
        fmt::print("{}, grid ({}, {}), block ({}, {}, {}), n = {}\n  interpreted: {}\n  compiled: {}\n", test.kernel,
                   test.grid.x, test.grid.y, test.block.x, test.block.y, test.block.z, test.n, expected.said,
                   actual.said);
        std::size_t shown = 0;
        for (std::size_t w = 0; w < std::min(expected.memory.size(), actual.memory.size()) && shown < 3; ++w)
            if (expected.memory[w] != actual.memory[w] && ++shown)
                fmt::print("  word {}: {:#x}, {:#x}\n", w, expected.memory[w], actual.memory[w]);
    };
    for (const Case& test : cases) {
        compare(test, TierPolicy::always, 1);
        if (!test.must_fail) compare(test, TierPolicy::always, again);
        compare(test, TierPolicy::in_turn, 1);
        if (std::exchange(not_compiled, 0) == 0) continue;
        ++failed;
        fmt::print("{} was not compiled\n", test.kernel);
    }
    for (const std::string_view kernel : run_by_lane) {
        if (argc > 2 && argv[2] != kernel) continue;
        const bool is_run = std::exchange(seen_by_lane[std::string(kernel)], false);
        ++(is_run ? passed : failed);
        if (!is_run) fmt::print("{} has no loop that is run for one lane after the other\n", kernel);
    }
    if (seen_by_lane["chase_until"]) {
        ++failed;
        fmt::print("chase_until is run for one lane after the other\n");
    }
    for (const Case& test : long_cases) {
        all_compiled = all_loaded = 0;
        compare(test, TierPolicy::automatic, long_launches);
        if (all_compiled + all_loaded != 0 || (argc > 2 && std::string_view(argv[2]) != test.kernel)) continue;
        ++failed;
        fmt::print("{} was not compiled, long as it ran\n", test.kernel);
    }
    // The last of them left its code; there, loading is worth less than compiling.
    all_compiled = all_loaded = 0;
    compare(std::end(long_cases)[-1], TierPolicy::automatic, long_launches);
    if (all_compiled != 0 || (all_loaded == 0 && argc == 2)) {
        ++failed;
        fmt::print("code of an earlier run was not loaded\n");
    }
    if (const auto taken = time_to_cancel((*compiled)->code); taken && taken->count() <= 100) {
        ++passed;
    } else {
        ++failed;
        fmt::print("a launch that waits for the compiler was {} when it was cancelled\n",
                   taken ? fmt::format("there for {} ms more", taken->count()) : "not stopped");
    }
    if (const std::string wrong = wrong_with_cache(cache.kernels(), (*compiled)->code); wrong.empty()) {
        ++passed;
    } else {
        ++failed;
        fmt::print("the cache of machine code: {}\n", wrong);
    }
    fmt::print("{} passed, {} failed\n", passed, failed);
    return failed != 0;
}
