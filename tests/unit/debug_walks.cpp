// The debugger's engine: wherever a launch is taken, forwards or backwards, it is what it was at that moment of a
// straight run. The kernels are those of tests/ptx/debug.cu and debug_walks.cu.
// CUDASH_WALKS=N walks each of the 50 kernels N times instead of 2; CUDASH_WALK_SEED=S begins with that seed.
#include <algorithm>
#include <cstdlib>
#include <functional>
#include <map>
#include <optional>
#include <random>

#include "runtime_wrappers/virtual_gpu/debug/debugger.h"
#include "tests/unit/exec_harness.h"

using namespace cudash::virtual_gpu;
using cudash::Dim3;
namespace ptx = cudash::ptx;
using cudash::virtual_gpu::testing::read_text;

namespace {

constexpr std::size_t ints = 512;

class Hash {
public:
    void add(std::uint64_t word) { value = (std::rotl(value, 23) ^ word) * 0x9E3779B97F4A7C15ull; }
    void add(const std::byte* bytes, std::size_t size) {
        for (std::size_t i = 0; i < size; ++i) add(static_cast<std::uint64_t>(bytes[i]));
    }
    std::uint64_t value = 1;
};

/// Of memory, and of each block that runs: shared memory, barriers, and the threads' places, registers and local
/// memory.
std::uint64_t state_of(const Debugger& debugger, std::span<const int> memory) {
    Hash hash;
    hash.add(debugger.stopped().moment);
    hash.add(reinterpret_cast<const std::byte*>(memory.data()), memory.size_bytes());
    for (const Block* block : debugger.blocks()) {
        hash.add(block->number);
        hash.add(block->shared, block->shared_bytes);
        for (const Barrier& barrier : block->barriers) hash.add(barrier.arrived);
        for (const Warp& warp : block->warps) {
            hash.add(warp.live);
            const auto places = lane_places(warp, debugger.standing());
            for (unsigned lane = 0; lane < warp_size; ++lane) {
                const LanePlace& place = places[lane];
                hash.add(static_cast<std::uint64_t>(place.state));
                if (!place.frame) continue;
                hash.add(place.frame->code->index_of(place.instruction));
                hash.add(warp.local + lane * warp.local_stride, warp.local_size);
                for (const Frame* frame = place.frame; frame; frame = frame->caller)
                    for (const auto& [name, register_place] : frame->code->debug->places)
                        if (register_place.space == ptx::Space::reg && register_place.bytes != 0)
                            hash.add(frame->registers + register_place.offset + lane * register_place.bytes,
                                     register_place.bytes);
            }
        }
    }
    return hash.value;
}

struct DebugGpu {
    explicit DebugGpu(std::uint64_t most_bytes = std::uint64_t{256} << 20, const char* file = "tests/ptx/debug.ptx")
        : memory(AddressSpace::create(std::uint64_t{1} << 30)), most_bytes(most_bytes) {
        auto loaded = load_module(read_text(file), *memory, profile, {}, true);
        if (!loaded) FAIL(loaded.error().message);
        module = *loaded;
        executor = Executor::create(*memory);
        auto made = memory->allocate(ints * sizeof(int), 512, MemoryKind::device, "a test");
        REQUIRE(made);
        address = made->begin;
        out = {reinterpret_cast<int*>(memory->pointer(made->begin, made->size)), ints};
    }

    LaunchOutcome run(std::string_view kernel, unsigned grid, unsigned block, Debugger::Converse converse) {
        for (std::size_t i = 0; i < ints; ++i) out[i] = static_cast<int>(i);
        for (const char* name : {"counter", "total", "lock"})
            if (const VariableInfo* variable = module->variable(name))
                std::memset(memory->pointer(variable->address, variable->size), 0, variable->size);
        Debugger::Setup setup;
        setup.converse = std::move(converse);
        setup.most_bytes = most_bytes;
        setup.checkpoint_interval = checkpoint_interval;
        setup.bytes_per_moment = std::uint64_t{1} << 32;
        if (holds) {
            setup.breaks = holds;
            setup.may_break = [this](const Arrival& arrival, Stops::Look& look) {
                look.bring(reads.registers ? &*reads.registers : nullptr);
                look.differs = true;
                return holds(arrival);
            };
            setup.read_by_conditions = [this]() -> const ConditionReads& { return reads; };
        }
        Debugger debugger(std::move(setup));
        std::vector<std::byte> parameters(12);
        const int n = 5;
        std::memcpy(parameters.data(), &address, sizeof address);
        std::memcpy(parameters.data() + 8, &n, sizeof n);
        LaunchRequest request{module, kernel, {grid, 1, 1}, {block, 1, 1}, 0, parameters};
        request.observer = &debugger;
        request.stops = &debugger;
        return executor->run(request, profile, {}, {});
    }

    Profile profile = unnamed_profile();
    std::unique_ptr<AddressSpace> memory;
    std::uint64_t most_bytes, checkpoint_interval = 1 << 16;
    std::shared_ptr<LoadedModule> module;
    std::unique_ptr<Executor> executor;
    Address address = 0;
    std::span<int> out;
    std::function<bool(const Arrival&)> holds;  ///< what breakpoints ask
    ConditionReads reads;                       ///< and what they look at
};

struct Walked {
    std::string_view kernel;
    unsigned grid, block;
};
constexpr Walked walked[] = {{"loop", 4, 64},    {"branches", 2, 96},  {"reduce", 3, 128}, {"race", 1, 128},
                             {"atomics", 2, 64}, {"recursion", 1, 40}, {"structs", 2, 33}, {"shuffles", 1, 64},
                             {"early", 1, 64},   {"warps", 2, 128}};
constexpr Walked walked_too[] = {
    {"gcds", 2, 40},           {"fibonaccis", 1, 64}, {"squares", 4, 64},    {"parity", 1, 48},   {"templates", 2, 64},
    {"boxes", 2, 33},          {"shapes", 1, 64},     {"unions", 2, 64},     {"nodes", 2, 64},    {"references", 2, 48},
    {"switches", 2, 64},       {"breaks", 1, 64},     {"nested", 1, 64},     {"does", 1, 64},     {"gotos", 1, 64},
    {"sorts", 1, 40},          {"bytes", 2, 33},      {"longs", 1, 64},      {"doubles", 2, 32},  {"floats", 1, 64},
    {"bits", 2, 64},           {"constants", 1, 64},  {"votes", 2, 64},      {"scans", 1, 64},    {"sums", 2, 64},
    {"matches", 2, 32},        {"histogram", 2, 64},  {"transposes", 2, 64}, {"stencils", 2, 64}, {"ping_pong", 1, 64},
    {"counts", 2, 64},         {"maxima", 2, 64},     {"swaps", 2, 40},      {"locks", 2, 64},    {"tickets", 4, 64},
    {"named_barriers", 2, 64}, {"warp_syncs", 2, 64}, {"dims", 4, 64},       {"pointers", 2, 48}, {"searches", 1, 64}};

constexpr Walked walked_in_place[] = {{"in_place", 4, 64},         {"same_place", 2, 64}, {"adds_up", 4, 64},
                                      {"moves_on", 1, 64},         {"masked", 1, 64},     {"turns_round", 4, 64},
                                      {"shared_in_place", 2, 128}, {"again", 4, 64}};

/// Of the environment.
unsigned number_of(const char* name, unsigned otherwise) {
    const char* text = std::getenv(name);
    return text ? static_cast<unsigned>(std::strtoul(text, nullptr, 10)) : otherwise;
}

struct Compared {
    std::size_t walks = 0, stops = 0, most_checkpoints = 0;
};

/// A moment of a straight run.
struct Passed {
    std::uint64_t state = 0, block = 0;
    std::uint32_t warp = 0;
    bool new_line = false, new_line_here = false;
};
using Straight = std::map<std::uint64_t, Passed>;

/// A move to what a kind of moments is first, forwards or back.
struct Sought {
    bool back = false;
    std::uint64_t from = 0;
    std::function<bool(const Passed&)> wanted;
};

/// Where it ends; nullopt: there is no such moment that way.
std::optional<std::uint64_t> found_in(const Straight& straight, const Sought& sought) {
    std::optional<std::uint64_t> found;
    for (const auto& [moment, passed] : straight) {
        if (sought.back ? moment >= sought.from : moment <= sought.from) continue;
        if (!sought.wanted(passed)) continue;
        found = moment;
        if (!sought.back) break;
    }
    return found;
}

/// A move, and what it must come to.
struct Move {
    Go go;
    std::optional<Sought> sought{};
};

Move random_move(std::mt19937& random, const Debugger& debugger, std::uint64_t length) {
    const Stopped& stopped = debugger.stopped();
    using Kind = bool (*)(bool new_line, bool new_line_here);
    const Kind any = [](bool, bool) { return true; }, line = [](bool new_line, bool) { return new_line; },
               here = [](bool, bool new_line_here) { return new_line_here; };
    Go go;
    go.stop_at_end = true;
    go.breakpoints = false;
    const bool back = stopped.moment > 0 && (random() % 2 == 0 || !stopped.warp);
    if (back) go.how = Go::How::backward;
    const unsigned way = random() % 5;
    if (way == 4) {
        go.how = Go::How::moment;
        go.moment = debugger.first_moment() + random() % (length - debugger.first_moment());
        return {go};
    }
    const Kind kind = way == 0 ? any : way == 2 ? here : line;
    const bool all_warps = way == 3;
    const std::uint64_t block = stopped.warp ? stopped.warp->block->number : 0;
    const std::uint32_t warp = stopped.warp ? stopped.warp->index : 0;
    go.wanted = [=](const Arrival& arrival) {
        return (all_warps || (arrival.warp.index == warp && arrival.warp.block->number == block)) &&
               kind(arrival.new_line, arrival.new_line_here);
    };
    Sought sought{back, stopped.moment, [=](const Passed& passed) {
                      return (all_warps || (passed.warp == warp && passed.block == block)) &&
                             kind(passed.new_line, passed.new_line_here);
                  }};
    return {go, std::move(sought)};
}

/// Every moment of the launch.
Straight run_straight(DebugGpu& gpu, const Walked& each, LaunchOutcome& outcome) {
    Straight straight;
    outcome = gpu.run(each.kernel, each.grid, each.block, [&](Debugger& debugger, const Stopped& stopped) {
        // From the very first instruction on.
        if (stopped.why == Stopped::Why::begun) return Go{.how = Go::How::moment, .moment = 0};
        Passed& passed = straight[stopped.moment];
        passed.state = state_of(debugger, gpu.out);
        passed.block = stopped.warp ? stopped.warp->block->number : 0;
        passed.warp = stopped.warp ? stopped.warp->index : 0;
        return Go{.wanted = [&](const Arrival& arrival) {
            Passed& next = straight[arrival.moment];
            next.new_line = arrival.new_line;
            next.new_line_here = arrival.new_line_here;
            return true;
        }};
    });
    return straight;
}

/// Walks of one kernel, each stop of which is compared with a straight run: what it is, and that it is the one that the
/// move asks for.
void walk(const Walked& each, const char* file, Compared& compared) {
    constexpr unsigned moves = 60;
    CAPTURE(each.kernel);
    DebugGpu gpu(std::uint64_t{256} << 20, file);
    LaunchOutcome first;
    const Straight straight = run_straight(gpu, each, first);
    REQUIRE(first.status == LaunchStatus::ok);
    REQUIRE(straight.size() > 15);
    const std::vector<int> result(gpu.out.begin(), gpu.out.end());
    const std::uint64_t length = straight.rbegin()->first + 1;
    const unsigned seeds = number_of("CUDASH_WALKS", 2), from = number_of("CUDASH_WALK_SEED", 0);
    for (unsigned seed = from; seed < from + seeds; ++seed) {
        CAPTURE(seed);
        std::mt19937 random(seed);
        // Checkpoints in the middle of blocks, so many that each move begins at another one, or so few that most begin
        // where the block does; sometimes their memory runs out.
        gpu.checkpoint_interval = 1 + random() % 64;
        gpu.most_bytes = std::uint64_t{random() % 3 == 0 ? 4u : 256u} << 20;
        unsigned left = moves;
        Move move;
        const auto outcome =
            gpu.run(each.kernel, each.grid, each.block, [&](Debugger& debugger, const Stopped& stopped) {
                CAPTURE(stopped.moment);
                if (stopped.warp) {
                    REQUIRE(straight.contains(stopped.moment));
                    REQUIRE(state_of(debugger, gpu.out) == straight.at(stopped.moment).state);
                    ++compared.stops;
                }
                if (move.go.how == Go::How::moment && left < moves) REQUIRE(stopped.moment == move.go.moment);
                if (move.sought)
                    if (const auto expected = found_in(straight, *move.sought)) {
                        REQUIRE(stopped.why == Stopped::Why::wanted);
                        REQUIRE(stopped.moment == *expected);
                    }
                compared.most_checkpoints = std::max(compared.most_checkpoints, debugger.checkpoints());
                move = {};
                if (left-- == 0) return Go{.how = Go::How::leave};
                move = random_move(random, debugger, length);
                return move.go;
            });
        CHECK(outcome.status == LaunchStatus::ok);
        CHECK(outcome.warp_instructions == first.warp_instructions);
        CHECK(std::ranges::equal(gpu.out, result));
        ++compared.walks;
    }
}

}  // namespace

TEST_CASE("debug walks: wherever a launch is taken, it is as in a straight run") {
    Compared compared;
    for (const Walked& each : walked) walk(each, "tests/ptx/debug.ptx", compared);
    for (const Walked& each : walked_too) walk(each, "tests/ptx/debug_walks.ptx", compared);
    for (const Walked& each : walked_in_place) walk(each, "tests/ptx/debug_in_place.ptx", compared);
    CHECK(compared.stops > 20 * compared.walks);
    CHECK(compared.most_checkpoints > 20);
    MESSAGE(compared.walks, " walks on ", std::size(walked) + std::size(walked_too) + std::size(walked_in_place),
            " kernels, ", compared.stops, " stops compared, up to ", compared.most_checkpoints, " checkpoints");
}

namespace {

/// A breakpoint whose condition is about a register: one that the next instruction reads, or any of the function.
struct Condition {
    std::uint32_t site = 0;
    FrameRegister read;
    std::uint32_t value = 0;

    bool operator()(const Arrival& arrival) const {
        if (arrival.number != site) return false;
        for (unsigned lane = 0; lane < warp_size; ++lane) {
            if (!(arrival.warp.mask >> lane & 1)) continue;
            std::uint32_t found = 0;
            std::memcpy(&found, arrival.warp.frame->registers + read.offset + lane * read.bytes, sizeof found);
            if (found == value) return true;
        }
        return false;
    }
};

/// At a random site that warps may come to.
Condition random_condition(std::mt19937& random, const Debugger& debugger) {
    const auto& sites = debugger.sites();
    for (;;) {
        Condition made{static_cast<std::uint32_t>(random() % sites.size()), {}, 0};
        const Code& code = *sites[made.site].code;
        const FrameUse& use = code.uses[code.index_of(sites[made.site].stop) + 1];
        if (random() % 2 == 0) {
            std::map<std::string, DebugPlace> places(code.debug->places.begin(), code.debug->places.end());
            if (places.empty()) continue;
            const auto& place =
                std::next(places.begin(), static_cast<std::ptrdiff_t>(random() % places.size()))->second;
            if (place.space != ptx::Space::reg) continue;
            made.read = {place.offset, place.bytes};
        } else if (use.reads != 0) {
            made.read = code.frame_registers[use.first + random() % use.reads];
        }
        constexpr unsigned small = 9;
        made.value = random() % small;
        if (made.read.bytes >= sizeof made.value) return made;
    }
}

struct Ends {
    std::uint64_t first = 0, last = 0, length = 0, unstopped = 0;
    std::uint64_t state_at_first = 0, state_at_last = 0;
    LaunchOutcome outcome;
};

/// On to where the condition holds first, to the end, and back to where it held last: with a breakpoint, whose blocks
/// run without stops where it doesn't hold, or asked at every stop.
Ends run_to_both_ends(DebugGpu& gpu, const Walked& each, const Condition& condition, bool by_breakpoint) {
    Ends ends;
    unsigned stops = 0;
    const auto go = [&](Go::How how) {
        Go made{.how = how, .stop_at_end = true};
        if (!by_breakpoint) made.wanted = condition;
        return made;
    };
    gpu.holds = by_breakpoint ? std::function<bool(const Arrival&)>(condition) : nullptr;
    if (condition.value % 2 == 0) gpu.reads.registers = {condition.read};
    ends.outcome = gpu.run(each.kernel, each.grid, each.block, [&](Debugger& debugger, const Stopped& stopped) {
        if (by_breakpoint) debugger.marked[condition.site] |= Stops::asked;
        const bool holds = stopped.why == Stopped::Why::wanted || stopped.why == Stopped::Why::breakpoint;
        if (stops++ == 0) return go(Go::How::forward);
        if (stops == 2 && holds) {
            ends.first = stopped.moment;
            ends.state_at_first = state_of(debugger, gpu.out);
            debugger.marked[condition.site] &= static_cast<std::uint8_t>(~Stops::asked);
            return Go{.stop_at_end = true};
        }
        if (stopped.why == Stopped::Why::end) {
            ends.length = stopped.moment;
            return go(Go::How::backward);
        }
        if (holds) {
            ends.last = stopped.moment;
            ends.state_at_last = state_of(debugger, gpu.out);
        }
        ends.unstopped = debugger.unstopped_blocks();
        return Go{.how = Go::How::leave, .breakpoints = false};
    });
    gpu.holds = nullptr;
    gpu.reads = {};
    return ends;
}

std::uint64_t compare_ends(const Walked& each, const char* file) {
    CAPTURE(each.kernel);
    DebugGpu gpu(std::uint64_t{256} << 20, file);
    std::uint64_t unstopped = 0;
    const unsigned seeds = 2 * number_of("CUDASH_WALKS", 2), from = number_of("CUDASH_WALK_SEED", 0);
    for (unsigned seed = from; seed < from + seeds; ++seed) {
        CAPTURE(seed);
        std::mt19937 random(seed);
        Condition condition;
        gpu.run(each.kernel, each.grid, each.block, [&](Debugger& debugger, const Stopped&) {
            condition = random_condition(random, debugger);
            return Go{.how = Go::How::abandon};
        });
        CAPTURE(condition.site);
        CAPTURE(condition.value);
        const Ends asked = run_to_both_ends(gpu, each, condition, false);
        const std::vector<int> result(gpu.out.begin(), gpu.out.end());
        const Ends found = run_to_both_ends(gpu, each, condition, true);
        CHECK(found.first == asked.first);
        CHECK(found.state_at_first == asked.state_at_first);
        CHECK(found.last == asked.last);
        CHECK(found.state_at_last == asked.state_at_last);
        CHECK(found.length == asked.length);
        CHECK(found.outcome.warp_instructions == asked.outcome.warp_instructions);
        CHECK(found.outcome.thread_instructions == asked.outcome.thread_instructions);
        CHECK(std::ranges::equal(gpu.out, result));
        unstopped += found.unstopped;
    }
    return unstopped;
}

}  // namespace

TEST_CASE("debug: a breakpoint is met in blocks that run without stops") {
    std::uint64_t unstopped = 0;
    for (const Walked& each : walked) unstopped += compare_ends(each, "tests/ptx/debug.ptx");
    for (const Walked& each : walked_too) unstopped += compare_ends(each, "tests/ptx/debug_walks.ptx");
    for (const Walked& each : walked_in_place) unstopped += compare_ends(each, "tests/ptx/debug_in_place.ptx");
    CHECK(unstopped > 100);
    MESSAGE(unstopped, " blocks without stops");
}

TEST_CASE("debug: Ctrl-C in a block that runs without stops stops in that block") {
    DebugGpu gpu;
    constexpr std::uint64_t block = 3;
    std::uint64_t checks = 0, at = 0, state = 0, unstopped = 0;
    std::uint32_t site = 0;
    gpu.reads.registers.emplace();
    gpu.holds = [&](const Arrival& arrival) {
        if (arrival.warp.block->number == block && checks++ == 0) gpu.executor->cancel();
        return false;
    };
    const auto converse = [&](Debugger& debugger, const Stopped& stopped) {
        if (stopped.why == Stopped::Why::begun) {
            site = stopped.site;
            debugger.marked[site] |= Stops::asked;
            return Go{.stop_at_end = true};
        }
        CHECK(stopped.why == Stopped::Why::interrupt);
        if (stopped.why != Stopped::Why::interrupt) return Go{.how = Go::How::leave};
        REQUIRE(stopped.warp);
        CHECK(stopped.warp->block->number == block);
        at = stopped.moment;
        state = state_of(debugger, gpu.out);
        unstopped = debugger.unstopped_blocks();
        return Go{.how = Go::How::abandon};
    };
    gpu.run("loop", 6, 64, converse);
    CHECK(unstopped >= 2);
    gpu.holds = nullptr;
    std::uint64_t block_began = 0, straight = 0;
    gpu.run("loop", 6, 64, [&](Debugger& debugger, const Stopped& stopped) {
        if (stopped.why == Stopped::Why::begun)
            return Go{.wanted = [&](const Arrival& arrival) { return arrival.warp.block->number == block; }};
        if (stopped.why == Stopped::Why::wanted && block_began == 0) {
            block_began = stopped.moment;
            return Go{.how = Go::How::moment, .moment = at};
        }
        straight = state_of(debugger, gpu.out);
        return Go{.how = Go::How::abandon};
    });
    CHECK(at > block_began);
    CHECK(state == straight);
}

TEST_CASE("debug: an abandoned launch leaves memory as it was") {
    DebugGpu gpu;
    const auto outcome = gpu.run("reduce", 3, 128, [&](Debugger&, const Stopped& stopped) {
        if (stopped.why == Stopped::Why::begun)
            return Go{.wanted = [](const Arrival&) { return false; }, .stop_at_end = true};
        CHECK(stopped.why == Stopped::Why::end);
        CHECK(gpu.out[0] != 0);
        return Go{.how = Go::How::abandon};
    });
    CHECK(outcome.status == LaunchStatus::ok);
    for (std::size_t i = 0; i < ints; ++i) CHECK(gpu.out[i] == static_cast<int>(i));
}

TEST_CASE("debug: writes of watched bytes are found, and their history is told") {
    DebugGpu gpu;
    std::vector<Touch> history;
    std::optional<Stopped> before;
    gpu.run("atomics", 2, 64, [&](Debugger& debugger, const Stopped& stopped) {
        const Watched first{ptx::Space::global, gpu.address, 4};
        switch (stopped.why) {
            case Stopped::Why::begun:
                return Go{.wanted = [](const Arrival&) { return false; }, .stop_at_end = true};
            case Stopped::Why::end:
                return Go{.how = Go::How::collect, .watched = first};
            case Stopped::Why::collected:
                history = debugger.collected();
                return Go{
                    .how = Go::How::backward, .breakpoints = false, .touches = AccessKind::store, .watched = first};
            default:
                before = stopped;
                return Go{.how = Go::How::leave};
        }
    });
    // One atomicAdd by each of four warps.
    REQUIRE(history.size() == 4);
    for (const Touch& touch : history) CHECK(touch.kind == AccessKind::atomic);
    int old = -1, made = -1;
    std::memcpy(&old, history.back().before.data(), sizeof old);
    std::memcpy(&made, history.back().after.data(), sizeof made);
    CHECK(made - old == 5 * 32);
    REQUIRE(before);
    CHECK(before->why == Stopped::Why::touched);
    CHECK(before->moment == history.back().moment);
    CHECK(gpu.out[0] == 4 * 5 * 32);
}

TEST_CASE("debug: without memory for checkpoints a launch goes forward alone") {
    DebugGpu gpu(16);
    bool could_not = false;
    const auto outcome = gpu.run("loop", 4, 64, [&](Debugger& debugger, const Stopped& stopped) {
        if (stopped.why == Stopped::Why::begun) {
            CHECK(debugger.why_not_back() == nullptr);
            return Go{.wanted = [](const Arrival&) { return false; }, .stop_at_end = true};
        }
        could_not = debugger.why_not_back() != nullptr;
        return Go{.how = Go::How::leave};
    });
    CHECK(outcome.status == LaunchStatus::ok);
    CHECK(could_not);
}
