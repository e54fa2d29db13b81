#include "tests/fuzz/accesses/access_kernels.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <random>
#include <regex>
#include <vector>

#include "runtime_wrappers/virtual_gpu/check/checks.h"
#include "runtime_wrappers/virtual_gpu/exec/executor.h"
#include "runtime_wrappers/virtual_gpu/memory/address_windows.h"

namespace cudash::fuzz {
namespace {

using namespace cudash::virtual_gpu;

constexpr std::uint64_t shared_bytes = 1024, local_bytes = 64, table_bytes = 256, buffer_bytes = 4096;
constexpr std::uint64_t parameter_bytes = 8;

enum class Memory { shared, local, global, constant, parameters };

/// How an address is written: in which space, with which register, of which memory.
struct Way {
    Memory memory;
    const char* space;  ///< of the instruction
    bool wide, generic;
    const char* address;  ///< sets %r4 or %rd4
};
constexpr Way ways[] = {
    {Memory::shared, ".shared", false, false, "mov.u32 %r4, s;"},
    {Memory::shared, ".shared", false, false, "mov.u32 %r4, s;"},
    {Memory::shared, ".shared", true, false, "mov.u64 %rd4, s;"},
    {Memory::shared, "", true, true, "mov.u64 %rd4, s; cvta.shared.u64 %rd4, %rd4;"},
    {Memory::global, ".global", true, false, "mov.u64 %rd4, %rd1;"},
    {Memory::global, "", true, true, "mov.u64 %rd4, %rd1;"},
    {Memory::constant, ".const", true, false, "mov.u64 %rd4, table;"},
    {Memory::constant, "", true, true, "mov.u64 %rd4, table; cvta.const.u64 %rd4, %rd4;"},
    {Memory::local, ".local", true, false, "mov.u64 %rd4, depot;"},
    {Memory::local, "", true, true, "mov.u64 %rd4, depot; cvta.local.u64 %rd4, %rd4;"},
    {Memory::parameters, "", true, true, "mov.b64 %rd4, p; cvta.param.u64 %rd4, %rd4;"},
};

struct Act {
    const char* text;  ///< {0}: the space, {1}: the address
    std::uint32_t size;
    AccessKind kind;
    enum Where : std::uint8_t { anywhere, shared_or_global, shared_only } where;
    unsigned lanes = 32;  ///< whose addresses count
};
constexpr Act acts[] = {
    {"ld{0}.u8 %h1, [{1}];", 1, AccessKind::load, Act::anywhere},
    {"ld{0}.s16 %h1, [{1}];", 2, AccessKind::load, Act::anywhere},
    {"ld{0}.u32 %r9, [{1}];", 4, AccessKind::load, Act::anywhere},
    {"ld{0}.b64 %rd9, [{1}];", 8, AccessKind::load, Act::anywhere},
    {"ld{0}.v2.u32 {{%r9, %r10}}, [{1}];", 8, AccessKind::load, Act::anywhere},
    {"ld{0}.v4.f32 {{%f1, %f2, %f3, %f4}}, [{1}];", 16, AccessKind::load, Act::anywhere},
    {"st{0}.u8 [{1}], %h1;", 1, AccessKind::store, Act::anywhere},
    {"st{0}.u16 [{1}], %h1;", 2, AccessKind::store, Act::anywhere},
    {"st{0}.u32 [{1}], %r1;", 4, AccessKind::store, Act::anywhere},
    {"st{0}.b64 [{1}], %rd1;", 8, AccessKind::store, Act::anywhere},
    {"st{0}.v2.b64 [{1}], {{%rd1, %rd1}};", 16, AccessKind::store, Act::anywhere},
    {"ld.volatile{0}.u32 %r9, [{1}];", 4, AccessKind::load, Act::shared_or_global},
    {"atom{0}.add.u32 %r9, [{1}], 1;", 4, AccessKind::atomic, Act::shared_or_global},
    {"red{0}.add.u64 [{1}], %rd1;", 8, AccessKind::atomic, Act::shared_or_global},
    {"atom{0}.cas.b32 %r9, [{1}], 1, 2;", 4, AccessKind::atomic, Act::shared_or_global},
    {"cp.async.ca.shared.global [{1}], [%rd1], 8;", 8, AccessKind::store, Act::shared_only},
    {"mbarrier.arrive.shared.b64 %rd9, [{1}];", 8, AccessKind::atomic, Act::shared_only},
    {"ldmatrix.sync.aligned.m8n8.x2.shared.b16 {{%r9, %r10}}, [{1}];", 16, AccessKind::load, Act::shared_only, 16},
    {"wmma.store.d.sync.aligned.row.m16n16k16.shared.f32 [{1}], {{%f1, %f1, %f1, %f1, %f1, %f1, %f1, %f1}}, 16;", 4,
     AccessKind::store, Act::shared_only, 0},
};
constexpr std::uint32_t fragment_slots = 8;

/// What a seed makes.
struct AccessKernel {
    Way way;
    Act act;
    Dim3 block, grid;
    std::int32_t of_x, of_y, start, scatter;  ///< index = ((x * of_x + y * of_y) ^ scatter) + start
    std::int64_t offset;                      ///< of the instruction
    std::uint32_t guard;                      ///< threads with a smaller x act
    bool branch;                              ///< others go around the access, instead of a guard
    bool sure;                                ///< all threads act
};

AccessKernel make(std::uint64_t seed) {
    std::mt19937_64 random(seed * 0x9E37'79B9'7F4A'7C15);
    const auto below = [&](std::uint64_t bound) { return random() % bound; };
    const auto one_of = [&](std::initializer_list<std::int32_t> values) {
        return values.begin()[below(values.size())];
    };
    AccessKernel k{};
    const auto fits = [](const Way& way, const Act& act) {
        const bool shared = way.memory == Memory::shared;
        // Constants and parameters are only read; some instructions can't name them, or local memory.
        if (way.memory == Memory::constant && !way.generic && act.kind != AccessKind::load) return false;
        if (act.where == Act::shared_only) return shared && !way.generic;
        return act.where == Act::anywhere || shared || way.memory == Memory::global;
    };
    do {
        k.way = ways[below(std::size(ways))];
        k.act = acts[below(std::size(acts))];
    } while (!fits(k.way, k.act));
    k.block = {static_cast<unsigned>(one_of({16, 16, 20, 32, 64, 8})), static_cast<unsigned>(one_of({1, 2, 4})), 1};
    k.grid = {static_cast<unsigned>(one_of({1, 1, 3})), 1, 1};
    const auto size = static_cast<std::int32_t>(k.act.size);
    k.of_x = one_of({0, size, size, size, -size, 2 * size, 12 * size, 1, 1 << 28, 1 << 20});
    k.of_y = one_of({0, 16 * k.of_x, 16 * size, size, -size, 64 * size, 1 << 30});
    k.scatter = below(4) == 0 ? one_of({size, 5 * size, 16 * size}) : 0;
    const auto edge = one_of({0, 0, 0, static_cast<std::int32_t>(shared_bytes), static_cast<std::int32_t>(local_bytes),
                              static_cast<std::int32_t>(table_bytes), static_cast<std::int32_t>(buffer_bytes),
                              static_cast<std::int32_t>(0x8000'0000)});
    k.start = static_cast<std::int32_t>(static_cast<std::uint32_t>(edge) +
                                        static_cast<std::uint32_t>((static_cast<std::int32_t>(below(9)) - 4) * size));
    if (below(12) == 0) k.start = static_cast<std::int32_t>(static_cast<std::uint32_t>(k.start) + 1);
    k.offset = one_of({0, 0, 0, size, -size, 64, -64, 4096, -4096});
    k.sure = k.act.lanes != 32 || below(2) == 0;
    k.guard = static_cast<std::uint32_t>(below(k.block.x + 1));
    k.branch = below(2) == 0;
    return k;
}

std::string text_of(const AccessKernel& k, const char* tail) {
    const std::string address = fmt::format("%{}5{:+}", k.way.wide ? "rd" : "r", k.offset);
    std::string act = fmt::format(fmt::runtime(k.act.text), k.way.space, address);
    if (!k.sure && k.branch) {
        act = fmt::format("@!%p1 bra AROUND;\n{}\nAROUND:", act);
    } else {
        act = fmt::format("\n{}{}", k.sure ? "" : "@%p1 ", act);
    }
    return fmt::format(R"(.version 9.0
.target sm_90
.address_size 64
.const .align 16 .b8 table[{}];
.visible .entry k(.param .u64 p) {{
.reg .pred %p<4>; .reg .b16 %h<4>; .reg .b32 %r<24>; .reg .b64 %rd<12>; .reg .f32 %f<8>;
.shared .align 16 .b8 s[{}];
.local .align 16 .b8 depot[{}];
ld.param.u64 %rd1, [p]; mov.u32 %r1, %tid.x; mov.u32 %r2, %tid.y; mov.u16 %h1, 1; mov.f32 %f1, 0f00000000;
mul.lo.s32 %r3, %r1, {}; mad.lo.s32 %r3, %r2, {}, %r3; {} add.s32 %r3, %r3, {};
{}
{}
setp.lt.u32 %p1, %r1, {};
{}
{}
ret;
}}
)",
                       table_bytes, shared_bytes, local_bytes, k.of_x, k.of_y,
                       k.scatter ? fmt::format("xor.b32 %r3, %r3, {};", k.scatter) : "", k.start, k.way.address,
                       k.way.wide ? "cvt.s64.s32 %rd3, %r3; add.s64 %rd5, %rd4, %rd3;" : "add.s32 %r5, %r4, %r3;",
                       k.guard, act, tail);
}
/// Of the access, whatever is around it.
constexpr unsigned access_line = 15;

/// What the last line makes of a kernel: its plain, affine and lockstep instructions run.
constexpr const char* tails[] = {
    "targets: .branchtargets DONE; mov.u32 %r20, 0; brx.idx %r20, targets; DONE:",
    "mov.u32 %r20, %clock;",
    "",
};

struct Expected {
    std::string code;
    Dim3 thread;
};

/// The machine of one run: addresses lie alike in each.
struct Machine {
    std::unique_ptr<AddressSpace> memory = AddressSpace::create(std::uint64_t{1} << 24);
    std::unique_ptr<Executor> executor = Executor::create(*memory);
    Address buffer = memory->allocate(buffer_bytes, 512, MemoryKind::device, "the buffer")->begin;
};

bool is_allowed(const Machine& machine, const AccessKernel& k, std::uint64_t address) {
    const auto inside = [&](std::uint64_t at, std::uint64_t bytes) { return at < bytes && bytes - at >= k.act.size; };
    const bool stores = k.act.kind != AccessKind::load;
    if (!k.way.generic && k.way.memory == Memory::shared) return inside(address, shared_bytes);
    if (!k.way.generic && k.way.memory == Memory::local) return inside(address, local_bytes);
    if (k.way.generic) {
        if (in_window(address, shared_window)) return inside(address - shared_window, shared_bytes);
        if (in_window(address, local_window)) return inside(address - local_window, local_bytes);
        if (in_window(address, param_window)) return !stores && inside(address - param_window, parameter_bytes);
    }
    const auto found = machine.memory->find(address);
    return found && !(stores && found->read_only) && inside(address - found->begin, found->size);
}

/// The first thread, as warps and their lanes come, whose access is not allowed.
std::optional<Expected> expect(const Machine& machine, const AccessKernel& k, Address table) {
    const std::uint64_t bases[] = {k.way.generic ? shared_window : 0, k.way.generic ? local_window : 0, machine.buffer,
                                   table, param_window};
    const std::uint64_t base = bases[static_cast<int>(k.way.memory)];
    const unsigned threads = k.block.x * k.block.y;
    for (unsigned warp = 0; warp < (threads + 31) / 32; ++warp)
        for (unsigned slot = 0; slot < (k.act.lanes == 0 ? fragment_slots : 1); ++slot)
            for (unsigned lane = 0; lane < (k.act.lanes == 0 ? 32 : k.act.lanes); ++lane) {
                const unsigned thread = warp * 32 + lane;
                const Dim3 at{thread % k.block.x, thread / k.block.x, 0};
                if (thread >= threads || (!k.sure && at.x >= k.guard)) continue;
                const auto index = static_cast<std::int32_t>(
                    ((at.x * static_cast<std::uint32_t>(k.of_x) + at.y * static_cast<std::uint32_t>(k.of_y)) ^
                     static_cast<std::uint32_t>(k.scatter)) +
                    static_cast<std::uint32_t>(k.start));
                std::uint64_t address =
                    base + static_cast<std::uint64_t>(std::int64_t{index}) + static_cast<std::uint64_t>(k.offset);
                // wmma.store, as recorded on an H200: pieces of 8 rows or columns, of each of which a lane has two
                // elements of row lane / 4.
                if (k.act.lanes == 0) {
                    const unsigned piece = slot / 2;
                    const unsigned row = lane / 4 + 8 * (piece % 2), column = lane % 4 * 2 + slot % 2 + 8 * (piece / 2);
                    address += (row * 16 + column) * 4;
                }
                if (!k.way.wide || (k.way.memory == Memory::shared && !k.way.generic)) address &= 0xFFFF'FFFF;
                if (address % k.act.size != 0) return Expected{"misaligned-access", at};
                if (!is_allowed(machine, k, address))
                    return Expected{k.act.kind == AccessKind::load ? "oob-read" : "oob-write", at};
            }
    return std::nullopt;
}

std::string without_addresses(const std::string& text) {
    static const std::regex address("0x[0-9a-f]+");
    return std::regex_replace(text, address, "ADDRESS");
}

std::string shown(const LaunchOutcome& outcome) {
    if (outcome.status == LaunchStatus::ok) return "no fault";
    if (outcome.diagnostics.empty()) return "a fault without a word";
    const Diagnostic& d = outcome.diagnostics.front();
    const Dim3 thread = d.thread ? d.thread->thread : Dim3{~0u, 0, 0};
    return fmt::format("{} at line {} by thread ({},{}): {}", d.code, d.where.line, thread.x, thread.y,
                       without_addresses(d.message));
}

}  // namespace

std::string access_kernel(std::uint64_t seed) {
    return text_of(make(seed), tails[2]);
}

std::optional<std::string> try_access_kernel(std::uint64_t seed) {
    const AccessKernel k = make(seed);
    std::string first;
    for (const char* tail : tails)
        for (int observed = 0; observed < 3; ++observed) {
            Machine machine;
            const auto module = load_module(text_of(k, tail), *machine.memory, unnamed_profile());
            if (!module) return "not loaded: " + module.error().message;
            Checks checks(*machine.memory);
            Selection selection;
            selection.on.set();
            selection.budget = observed == 2 ? 1 : 0;
            checks.select(selection);
            LaunchRequest request;
            request.module = *module;
            request.kernel = "k";
            request.grid = k.grid;
            request.block = k.block;
            std::byte parameters[parameter_bytes];
            std::memcpy(parameters, &machine.buffer, sizeof machine.buffer);
            request.parameters = parameters;
            request.observer = observed == 0 ? nullptr : &checks;
            ExecutorLimits limits;
            limits.host_threads = 1;
            limits.timeout = std::chrono::seconds(20);
            const LaunchOutcome outcome = machine.executor->run(request, unnamed_profile(), limits, {});

            const std::string result = shown(outcome);
            const auto expected = expect(machine, k, (*module)->variable("table")->address);
            const std::string wanted = expected ? fmt::format("{} at line {} by thread ({},{}): ", expected->code,
                                                              access_line, expected->thread.x, expected->thread.y)
                                                : "no fault";
            if (!result.starts_with(wanted)) return fmt::format("{}, and must be {}", result, wanted);
            if (first.empty()) first = result;
            if (result != first) return fmt::format("{}, and in another form {}", result, first);
        }
    return std::nullopt;
}

}  // namespace cudash::fuzz
