// The profile collector on tests/ptx/profile.cu: against what every access costs on its own, and the known numbers.
#include <algorithm>
#include <numeric>
#include <random>
#include <sstream>

#include "runtime_wrappers/virtual_gpu/isa/modifiers.h"
#include "runtime_wrappers/virtual_gpu/memory/address_windows.h"
#include "runtime_wrappers/virtual_gpu/profile/collector.h"
#include "runtime_wrappers/virtual_gpu/profile/metrics.h"
#include "runtime_wrappers/virtual_gpu/profile/observers.h"
#include "runtime_wrappers/virtual_gpu/profile/profiler.h"
#include "tests/unit/exec_harness.h"

using namespace cudash;
using namespace cudash::virtual_gpu;
using cudash::virtual_gpu::testing::Gpu;

namespace {

/// Prices every access when it is made.
class Plain final : public Observer {
public:
    void launch_begins(const Launch&) override {}
    std::vector<Diagnostic> launch_ends() override { return {}; }
    bool wants_block(std::uint64_t) override { return true; }
    void block_begins(std::uint64_t, std::uint32_t, std::uint32_t) override {}
    void block_ends(std::uint64_t, bool) override {}
    void access(const AccessRecord& record) override {
        const auto* written = record.code->written[record.code->index_of(record.instruction)];
        for (ptx::Space space : parse_modifiers(written->modifiers).spaces)
            if (space == ptx::Space::param || space == ptx::Space::constant) return;
        if (record.space == ptx::Space::local) return;
        for (bool in_shared : {false, true}) {
            WarpAccess access;
            access.mask = 0;
            access.size = record.size;
            access.store = record.kind != AccessKind::load;
            for (unsigned lane = 0; lane < 32; ++lane) {
                access.addresses[lane] = record.address(lane);
                const bool shared =
                    record.space == ptx::Space::shared ||
                    (record.space == ptx::Space::none && in_window(record.address(lane), shared_window));
                if ((record.mask >> lane & 1) && shared == in_shared) access.mask |= 1u << lane;
            }
            if (access.mask == 0) continue;
            const auto kind = static_cast<std::size_t>(record.kind);
            for (std::size_t i = 0; i < profiles().size(); ++i) {
                if (in_shared) {
                    const BankConflicts cost = bank_conflicts(profiles()[i], access);
                    sums[i].shared[kind].accesses += 1;
                    sums[i].shared[kind].wavefronts += cost.wavefronts();
                    sums[i].shared[kind].ideal += cost.ideal();
                } else {
                    const Coalescing cost = coalesce(profiles()[i], access);
                    sums[i].global[kind].requests += cost.requests.size();
                    sums[i].global[kind].transactions += cost.transactions.size();
                    sums[i].global[kind].sectors += cost.sectors();
                    sums[i].global[kind].threads += static_cast<unsigned>(std::popcount(access.mask));
                }
            }
        }
    }
    void arrives(const PlaceRecord&, unsigned, bool) override {}
    void barrier_completes(std::uint64_t, unsigned) override {}
    void all_pass_barrier(std::uint64_t) override {}
    void collective(const CollectiveRecord&) override {}
    void shuffle_from_outside(const ShuffleRecord&) override {}
    void fence(const PlaceRecord&) override {}
    void async_copy(const PlaceRecord&, AsyncCopy, std::uint64_t) override {}

    std::vector<Counters> sums = std::vector<Counters>(profiles().size());
};

using Row = std::vector<std::uint64_t>;

Row row_of(const Counters& c) {
    Row row = {c.warps, c.threads, c.branches, c.diverged, c.local_accesses};
    for (unsigned kind = 0; kind < 3; ++kind)
        for (std::uint64_t value : {c.global[kind].requests, c.global[kind].transactions, c.global[kind].sectors,
                                    c.global[kind].ideal_sectors, c.global[kind].threads, c.shared[kind].accesses,
                                    c.shared[kind].wavefronts, c.shared[kind].ideal, c.shared[kind].threads})
            row.push_back(value);
    return row;
}
Row costs_of(const Counters& c) {
    Row row;
    for (unsigned kind = 0; kind < 3; ++kind)
        for (std::uint64_t value :
             {c.global[kind].requests, c.global[kind].transactions, c.global[kind].sectors, c.global[kind].threads,
              c.shared[kind].accesses, c.shared[kind].wavefronts, c.shared[kind].ideal})
            row.push_back(value);
    return row;
}

/// A launch, so that it can be made again.
struct Case {
    std::string kernel;
    Dim3 grid, block;
    std::uint32_t shared;
    std::vector<std::uint64_t> parameters;
};

class Profiled {
public:
    Profiled() : gpu(cudash::virtual_gpu::testing::read_text("tests/ptx/profile.ptx")) {}

    LaunchOutcome launch(const Case& test, Observer* observer, unsigned threads = 1) {
        gpu.limits.host_threads = threads;
        DeviceOutput output;
        LaunchRequest request{
            .module = gpu.module, .kernel = test.kernel, .grid = test.grid, .block = test.block, .parameters = {}};
        request.dynamic_shared = test.shared;
        // Parameters are eight bytes each here; kernels want their own layout.
        std::vector<std::byte> bytes;
        const KernelInfo& info = *gpu.module->kernel(test.kernel);
        bytes.resize(info.parameter_bytes);
        for (std::size_t i = 0; i < test.parameters.size(); ++i)
            std::memcpy(&bytes[info.parameters[i].offset], &test.parameters[i], info.parameters[i].size);
        request.parameters = bytes;
        request.observer = observer;
        LaunchOutcome outcome = gpu.executor->run(request, gpu.profile, gpu.limits, output);
        INFO(test.kernel, ": ", outcome.diagnostics.empty() ? std::string() : outcome.diagnostics.front().message);
        REQUIRE(outcome.status == LaunchStatus::ok);
        return outcome;
    }
    LaunchProfile profile(const Case& test, unsigned threads = 1) {
        Collector collector;
        const LaunchOutcome outcome = launch(test, &collector, threads);
        auto found = collector.take();
        REQUIRE(found);
        const Counters all = count(*found, gpu.profile);
        CHECK(all.warps == outcome.warp_instructions);
        CHECK(all.threads == outcome.thread_instructions);
        return *found;
    }
    /// Counters of a line of profile.cu that holds `text`.
    Counters line(const LaunchProfile& launch, std::string_view text, const Profile& device) {
        static const std::string source = cudash::virtual_gpu::testing::read_text("tests/ptx/profile.cu");
        const std::size_t at = source.find(text, source.find(" " + launch.kernel + "("));
        REQUIRE(at != std::string::npos);
        const auto number = static_cast<unsigned>(std::count(source.begin(), source.begin() + at, '\n')) + 1;
        for (const LineCounters& each : count_lines(launch, device))
            if (each.where.line == number && each.where.file.ends_with("profile.cu")) return each.counters;
        FAIL("no instructions of line ", number);
        return {};
    }

    Gpu gpu;
};

struct Arrays {
    explicit Arrays(Gpu& gpu) {
        a = gpu.array<float>(1 << 18).first;
        b = gpu.array<float>(1 << 18).first;
        c = gpu.array<float>(1 << 18).first;
        auto [at, values] = gpu.array<int>(1 << 14);
        index = at;
        std::mt19937 random(3);
        for (int& value : values) value = static_cast<int>(random() % 1000);
        auto [bytes_at, bytes] = gpu.array<unsigned char>(1 << 14);
        text = bytes_at;
        for (unsigned char& value : bytes) value = static_cast<unsigned char>(random() % 256);
    }
    Address a, b, c, index, text;
};

std::vector<Case> all_cases(const Arrays& at) {
    return {
        {"add", {64, 1, 1}, {256, 1, 1}, 0, {at.a, at.b, at.c, 64 * 256 - 77}},
        {"add", {3, 1, 1}, {100, 1, 1}, 0, {at.a + 4, at.b + 8, at.c + 12, 290}},
        {"strided", {1, 1, 1}, {32, 1, 1}, 0, {at.a, at.b, 7}},
        {"multiply", {3, 4, 1}, {16, 16, 1}, 0, {at.a, at.b, at.c, 80, 48}},
        {"multiply_tiled", {3, 4, 1}, {16, 16, 1}, 0, {at.a, at.b, at.c, 80, 48}},
        {"transpose", {3, 3, 1}, {32, 32, 1}, 32 * 33 * 4, {at.a, at.b, 96, 0}},
        {"transpose", {3, 3, 1}, {32, 32, 1}, 32 * 33 * 4, {at.a, at.b, 96, 1}},
        {"transpose_naive", {5, 5, 1}, {16, 16, 1}, 0, {at.a, at.b, 77, 70}},
        {"block_sum", {16, 1, 1}, {256, 1, 1}, 0, {at.a, at.b, 16 * 256 - 5}},
        {"gather", {40, 1, 1}, {128, 1, 1}, 0, {at.index, at.a, at.b, 5000}},
        {"histogram", {4, 1, 1}, {256, 1, 1}, 0, {at.text, at.index, 16000}},
        {"either", {1, 1, 1}, {64, 1, 1}, 0, {at.a, 5}},
        {"diverge", {2, 1, 1}, {96, 1, 1}, 0, {at.index, 7}},
    };
}

}  // namespace

TEST_CASE("profile: sums of patterns are the sums of all accesses, for every generation") {
    Profiled run;
    const Arrays arrays(run.gpu);
    for (const Case& test : all_cases(arrays)) {
        CAPTURE(test.kernel);
        Plain plain;
        run.launch(test, &plain);
        const LaunchProfile found = run.profile(test);
        for (std::size_t i = 0; i < profiles().size(); ++i) {
            CAPTURE(profiles()[i].name);
            CHECK(costs_of(count(found, profiles()[i])) == costs_of(plain.sums[i]));
        }
    }
}

TEST_CASE("profile: the same whatever the number of host threads, and beside another observer") {
    Profiled run;
    const Arrays arrays(run.gpu);
    const Profile& device = run.gpu.profile;
    for (Case test : all_cases(arrays)) {
        CAPTURE(test.kernel);
        if (test.kernel == "add") test.grid.x *= 40;  // long enough for others to help
        const LaunchProfile one = run.profile(test);
        Plain plain;
        Collector beside;
        Observers both({&plain, &beside});
        run.launch(test, &both);
        for (const LaunchProfile& other : {run.profile(test, 4), *beside.take()}) {
            const auto first = count_instructions(one, device), second = count_instructions(other, device);
            REQUIRE(first.size() == second.size());
            for (std::size_t i = 0; i < first.size(); ++i) {
                CAPTURE(one.instructions[i].text);
                CHECK(row_of(first[i]) == row_of(second[i]));
            }
            REQUIRE(one.accesses.size() == other.accesses.size());
            for (std::size_t i = 0; i < one.accesses.size(); ++i) {
                CHECK(one.accesses[i].worst.addresses == other.accesses[i].worst.addresses);
                CHECK(one.accesses[i].worst_at.block == other.accesses[i].worst_at.block);
                CHECK(one.accesses[i].worst_at.warp == other.accesses[i].worst_at.warp);
            }
        }
    }
}

TEST_CASE("profile: instructions of a kernel without branches are executed once by each warp") {
    Profiled run;
    const Arrays arrays(run.gpu);
    const LaunchProfile found = run.profile({"strided", {1, 1, 1}, {32, 1, 1}, 0, {arrays.a, arrays.b, 3}});
    CHECK(found.kernel == "strided");
    CHECK(found.instructions.size() > 5);
    for (const auto& each : found.instructions) {
        CAPTURE(each.text);
        CHECK(each.warps == 1);
        CHECK(each.threads == 32);
    }
}

TEST_CASE("profile: strides of a load, by line") {
    Profiled run;
    const Arrays arrays(run.gpu);
    for (std::uint64_t stride = 1; stride <= 33; ++stride) {
        const LaunchProfile found = run.profile({"strided", {1, 1, 1}, {32, 1, 1}, 0, {arrays.a, arrays.b, stride}});
        const Counters line = run.line(found, "in[threadIdx.x * stride]", run.gpu.profile);
        CHECK(line.global[0].requests == 1);
        CHECK(line.global[0].sectors == std::min<std::uint64_t>(32, 4 * stride));
        CHECK(line.global[0].ideal_sectors == 4);
        const Counters c2050 = run.line(found, "in[threadIdx.x * stride]", *find_profile("c2050"));
        CHECK(c2050.global[0].transactions == std::min<std::uint64_t>(32, stride));
    }
}

TEST_CASE("profile: A is read B.width times, and B.width / 16 times with shared memory") {
    Profiled run;
    const Arrays arrays(run.gpu);
    const std::uint64_t a_width = 80, b_width = 48, a_height = 64;
    const Dim3 grid{48 / 16, 64 / 16, 1}, block{16, 16, 1};
    const std::vector<std::uint64_t> parameters = {arrays.a, arrays.b, arrays.c, a_width, b_width};
    const Profile& device = run.gpu.profile;
    const auto reads = [&](const LaunchProfile& launch, std::string_view text, std::uint64_t elements) {
        const Counters line = run.line(launch, text, device);
        CHECK(line.global[0].threads % elements == 0);
        return line.global[0].threads / elements;
    };
    const LaunchProfile naive = run.profile({"multiply", grid, block, 0, parameters});
    CHECK(reads(naive, "a[row * a_width + k]", a_width * a_height) == b_width);
    CHECK(reads(naive, "b[k * b_width + column]", a_width * b_width) == a_height);
    const LaunchProfile tiled = run.profile({"multiply_tiled", grid, block, 0, parameters});
    CHECK(reads(tiled, "a[row * a_width + m * tile + x]", a_width * a_height) == b_width / 16);
    CHECK(reads(tiled, "b[(m * tile + y) * b_width + column]", a_width * b_width) == a_height / 16);
}

TEST_CASE("profile: columns of a tile in shared memory, with and without padding") {
    Profiled run;
    const Arrays arrays(run.gpu);
    for (std::uint64_t pad : {0, 1}) {
        const LaunchProfile found =
            run.profile({"transpose", {2, 2, 1}, {32, 32, 1}, 32 * 33 * 4, {arrays.a, arrays.b, 64, pad}});
        const Counters column = run.line(found, "float value = s[x * pitch + y]", run.gpu.profile);
        const std::uint64_t warps = 4 * 32;
        CHECK(column.shared[0].accesses == warps);
        CHECK(column.shared[0].ideal == warps);
        CHECK(column.shared[0].wavefronts == warps * (pad ? 1 : 32));
        // The access that shows it: 32 lanes in one bank.
        const auto worst = std::ranges::find_if(found.accesses, [](const auto& each) {
            return each.space == MemorySpace::shared && each.kind == AccessKind::load;
        });
        REQUIRE(worst != found.accesses.end());
        CHECK(bank_conflicts(run.gpu.profile, worst->worst).ways == (pad ? 1 : 32));
        CHECK(worst->worst_at.block == 0);
        CHECK(worst->worst_at.warp == 0);
    }
}

TEST_CASE("profile: divergent branches and active lanes") {
    Profiled run;
    const Arrays arrays(run.gpu);
    const Profile& device = run.gpu.profile;
    const LaunchProfile sum = run.profile({"block_sum", {10, 1, 1}, {256, 1, 1}, 0, {arrays.a, arrays.b, 2560}});
    // half = 128, 64, 32: whole warps; 16, 8, 4, 2, 1: one warp of each block parts.
    CHECK(run.line(sum, "if (t < half)", device).diverged == 10 * 5);
    CHECK(run.line(sum, "if (t == 0)", device).diverged == 10);
    const LaunchProfile mixed = run.profile({"diverge", {1, 1, 1}, {64, 1, 1}, 0, {arrays.index, 7}});
    CHECK(run.line(mixed, "if (i % 4 == 0)", device).diverged == 2);
    CHECK(run.line(mixed, "if (i % 3 == 0)", device).diverged == 2);
    bool called = false;
    for (const auto& each : mixed.instructions) called |= each.function.find("collatz") != std::string::npos;
    CHECK(called);
}

TEST_CASE("profile: atomics and generic addresses") {
    Profiled run;
    const Arrays arrays(run.gpu);
    const LaunchProfile histogram =
        run.profile({"histogram", {4, 1, 1}, {256, 1, 1}, 0, {arrays.text, arrays.index, 4096}});
    const Counters counted = count(histogram, run.gpu.profile);
    CHECK(counted.shared[2].threads == 4096);
    CHECK(counted.shared[2].accesses == 128);
    CHECK(counted.shared[2].wavefronts > 128);
    CHECK(counted.global[2].requests == 4 * 8);
    CHECK(counted.global[2].sectors == 4 * 8 * 4);
    const LaunchProfile either = run.profile({"either", {1, 1, 1}, {64, 1, 1}, 0, {arrays.a, 5}});
    const Counters split = run.line(either, "*p = n", run.gpu.profile);
    CHECK(split.global[1].threads == 32);
    CHECK(split.shared[1].threads == 32);
    CHECK(split.global[1].requests == 2);
    CHECK(split.shared[1].accesses == 2);
}

TEST_CASE("profile: patterns that have no room are counted all the same") {
    std::uint64_t times = 0, handed = 0;
    AccessPatterns patterns([&](const AccessPatterns::Pattern& pattern) {
        times += pattern.times;
        ++handed;
    });
    std::mt19937 random(4);
    const std::uint64_t all = 60000;
    for (std::uint64_t i = 0; i < all; ++i) {
        WarpAccess access;
        for (std::uint64_t& address : access.addresses) address = random() % (i % 2 ? 64 : 1 << 20) * 4;
        patterns.add(i % 3, access, {});
        patterns.add_progression(i % 5, 4, ~0u, random() % 100000 * 4, random() % 64, random() % 64, 3, {});
    }
    patterns.flush();
    CHECK(times == all + 3 * all);
    CHECK(handed > 8192);
    // Apart too far for the table.
    WarpAccess far = WarpAccess::strided(0, 4, std::int64_t{1} << 40);
    patterns.add(0, far, {});
    CHECK(times == 4 * all + 1);
}

TEST_CASE("profile: an H200's counters of whole kernels") {
    std::istringstream recording(cudash::virtual_gpu::testing::read_text("tests/hardware/profile_h200.txt"));
    Profiled run;
    const Arrays arrays(run.gpu);
    const std::vector<Case> cases = all_cases(arrays);
    auto test = cases.begin();
    for (std::string line; std::getline(recording, line);) {
        if (line.starts_with('#')) continue;
        REQUIRE(test != cases.end());
        CAPTURE(line);
        std::istringstream text(line);
        std::string kernel;
        text >> kernel;
        REQUIRE(kernel == test->kernel);
        const Counters c = count(run.profile(*test++), run.gpu.profile);
        for (unsigned kind : {0, 1}) {
            std::uint64_t requests = 0, sectors = 0, wavefronts = 0, conflicts = 0;
            text >> requests >> sectors >> wavefronts >> conflicts;
            CAPTURE(kind);
            CHECK(c.global[kind].requests == requests);
            CHECK(c.global[kind].sectors == sectors);
            CHECK(c.shared[kind].wavefronts == wavefronts);
            CHECK(c.shared[kind].wavefronts - c.shared[kind].ideal == conflicts);
        }
        std::uint64_t wavefronts = 0, conflicts = 0, requests = 0, sectors = 0, ideal_sectors = 0, ideal = 0;
        text >> wavefronts >> conflicts >> requests >> sectors >> ideal_sectors >> ideal;
        REQUIRE_FALSE(text.fail());
        CHECK(c.shared[2].wavefronts == wavefronts);
        CHECK(c.shared[2].wavefronts - c.shared[2].ideal == conflicts);
        CHECK(c.global[2].requests == requests);
        CHECK(c.global[2].sectors == sectors);
        CHECK(c.global[0].ideal_sectors + c.global[1].ideal_sectors + c.global[2].ideal_sectors == ideal_sectors);
        CHECK(c.shared[0].ideal + c.shared[1].ideal + c.shared[2].ideal == ideal);
    }
    CHECK(test == cases.end());
}

TEST_CASE("profile: counters by Nsight Compute's names") {
    Profiled run;
    const Arrays arrays(run.gpu);
    const LaunchProfile found = run.profile({"strided", {1, 1, 1}, {32, 1, 1}, 0, {arrays.a, arrays.b, 3}});
    const Counters c = count(found, run.gpu.profile);
    const auto value = [&](std::string_view name) {
        const Metric* metric = find_metric(name);
        REQUIRE_MESSAGE(metric, std::string(name));
        return metric->value(c);
    };
    CHECK(value("l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum") == 12);
    CHECK(value("l1tex__t_requests_pipe_lsu_mem_global_op_st.sum") == 1);
    CHECK(value("l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_ld.ratio") == 12);
    CHECK(value("smsp__thread_inst_executed_per_inst_executed.ratio") == 32);
    CHECK(value("memory_l1_wavefronts_shared") == 0);
    CHECK(find_metric("smsp__inst") == nullptr);
    for (const Metric& each : metrics()) CHECK(find_metric(each.name) == &each);
}

TEST_CASE("profile: launches of one kernel with one configuration are added up, and nothing is left out silently") {
    Profiled run;
    const Arrays arrays(run.gpu);
    Profiler profiler;
    profiler.on = true;
    const Case one{"strided", {1, 1, 1}, {32, 1, 1}, 0, {arrays.a, arrays.b, 3}};
    const Case other{"add", {2, 1, 1}, {32, 1, 1}, 0, {arrays.a, arrays.b, arrays.c, 64}};
    for (const Case* test : {&one, &other, &one}) {
        run.launch(*test, &profiler.observer());
        profiler.launch_ended();
    }
    REQUIRE(profiler.entries().size() == 2);
    CHECK(profiler.entries()[0].launches == 2);
    CHECK(count(profiler.entries()[0].sum, run.gpu.profile).global[0].sectors == 2 * 12);
    CHECK(profiler.last()->kernel == "strided");
    for (unsigned blocks = 3; blocks < 303; ++blocks) {
        Case more = other;
        more.grid.x = blocks;
        run.launch(more, &profiler.observer());
        profiler.launch_ended();
    }
    CHECK(profiler.entries().size() + profiler.left_out() == 302);
    CHECK(profiler.left_out() > 0);
    profiler.clear();
    CHECK(profiler.entries().empty());
    CHECK_FALSE(profiler.last());
    profiler.launch_ended();  // of a launch that never began
    CHECK_FALSE(profiler.last());
}
