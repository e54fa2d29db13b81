// Two figures that must stay small however big the input: memory of a grid of 2^26 threads beside one of 2^16, and the
// time to parse and decode 50,000 instructions, in one kernel and in fifty.
//   limits_bench [THREADS]
#include <fmt/format.h>
#include <sys/resource.h>

#include <chrono>
#include <cstring>
#include <ctime>
#include <string>
#include <vector>

#include "runtime_wrappers/virtual_gpu/exec/executor.h"

using namespace cudash;
using namespace cudash::virtual_gpu;

namespace {

using Clock = std::chrono::steady_clock;
constexpr std::string_view head = ".version 9.0\n.target sm_90\n.address_size 64\n";
constexpr double most_seconds = 0.5;
constexpr long most_growth = 16 << 10;  // KiB

/// Every thread stores its number.
constexpr std::string_view touch = R"(.visible .entry touch(.param .u64 out) {
    .reg .b32 %r<6>;
    .reg .b64 %rd<4>;
    .shared .align 4 .b8 buffer[1024];
    ld.param.u64 %rd1, [out];
    mov.u32 %r1, %ctaid.x;
    mov.u32 %r2, %tid.x;
    mad.lo.u32 %r3, %r1, 256, %r2;
    and.b32 %r4, %r3, 1023;
    mul.wide.u32 %rd2, %r4, 4;
    add.s64 %rd3, %rd1, %rd2;
    st.global.u32 [%rd3], %r3;
    ret;
}
)";

/// What a compiler writes: loads, arithmetic with reuse of earlier results, a loop now and then.
std::string kernel_of(const std::string& name, int instructions) {
    std::string text = fmt::format(
        ".visible .entry {}(.param .u64 out) {{\n.reg .b32 %r<{}>;\n.reg .f32 %f<{}>;\n.reg .b64 %rd<{}>;\n"
        ".reg .pred %p<{}>;\nld.param.u64 %rd0, [out];\nld.global.u32 %r0, [%rd0];\nld.global.f32 %f0, [%rd0+4];\n",
        name, instructions, instructions, instructions, instructions);
    for (int i = 1, written = 3; written < instructions - 1; ++i) {
        if (i % 16 == 1) text += fmt::format("$L_{}_{}:\n", name, i);
        text += fmt::format("add.s32 %r{}, %r{}, {};\n", i, i - 1, i);
        text += fmt::format("fma.rn.f32 %f{}, %f{}, %f{}, %f{};\n", i, i - 1, i - 1, i / 2);
        text += fmt::format("mul.wide.s32 %rd{}, %r{}, 4;\n", i, i);
        written += 3;
        if (i % 16 == 0) {
            text += fmt::format("setp.lt.s32 %p{}, %r{}, {};\n@%p{} bra $L_{}_{};\n", i, i, i, i, name, i - 15);
            written += 2;
        }
    }
    return text + "ret;\n}\n";
}

long peak_kib() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
}

/// Seconds of processor time to parse the text and decode all its kernels; negative if that fails.
double decode_seconds(const std::string& ptx) {
    auto memory = AddressSpace::create(std::uint64_t{1} << 30);
    const std::clock_t start = std::clock();
    auto module = load_module(ptx, *memory, unnamed_profile());
    if (!module) return -1;
    for (std::string_view kernel : (*module)->kernels())
        if (!(*module)->kernel(kernel)) return -1;
    return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

bool run(const std::shared_ptr<LoadedModule>& module, Executor& executor, Address out, unsigned blocks,
         unsigned host_threads) {
    ExecutorLimits limits;
    limits.host_threads = host_threads;
    std::vector<std::byte> parameters(sizeof out);
    std::memcpy(parameters.data(), &out, sizeof out);
    const auto outcome = executor.run({module, "touch", {blocks, 1, 1}, {256, 1, 1}, 0, parameters, false},
                                      unnamed_profile(), limits, {});
    return outcome.status == LaunchStatus::ok;
}

}  // namespace

int main(int argc, char** argv) {
    const unsigned host_threads = argc > 1 ? static_cast<unsigned>(std::stoi(argv[1])) : 0;
    bool good = true;
    {
        std::string one = std::string(head) + kernel_of("k", 50000), fifty(head);
        for (int i = 0; i < 50; ++i) fifty += kernel_of(fmt::format("k{}", i), 1000);
        for (const auto& [name, ptx] : {std::pair("in one kernel", &one), std::pair("in fifty kernels", &fifty)}) {
            const double seconds = decode_seconds(*ptx);
            good &= seconds >= 0 && seconds < most_seconds;
            fmt::print("50000 instructions {} ({} KiB): parsed and decoded in {:.3f} s of processor time\n", name,
                       ptx->size() / 1024, seconds);
        }
    }
    auto memory = AddressSpace::create(std::uint64_t{1} << 30);
    auto module = load_module(std::string(head) + std::string(touch), *memory, unnamed_profile());
    auto executor = Executor::create(*memory);
    const auto out = memory->allocate(4096, 512, MemoryKind::device, "bench");
    if (!module || !out) return 1;
    good &= run(*module, *executor, out->begin, 1 << 8, host_threads);
    const long before = peak_kib();
    const auto start = Clock::now();
    good &= run(*module, *executor, out->begin, 1 << 18, host_threads);
    const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
    const long growth = peak_kib() - before;
    good &= growth < most_growth;
    fmt::print("a grid of 2^26 threads: {:.2f} s, {} KiB more at the peak than with 2^16 ({} KiB)\n", seconds, growth,
               before);
    return good ? 0 : 1;
}
