// Times the six benchmark kernels on the virtual GPU and checks their results.
//   executor_bench [--profile] KERNELS.ptx [REPETITIONS] [THREADS] [KERNEL]
// --profile: with the counters of the profile collector, every other run; the last column is what they cost.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <ctime>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>
#include <vector>

#include "runtime_wrappers/virtual_gpu/exec/executor.h"
#include "runtime_wrappers/virtual_gpu/exec/tiers.h"
#include "runtime_wrappers/virtual_gpu/jit/generator.h"
#include "runtime_wrappers/virtual_gpu/profile/collector.h"

using namespace cudash;
using namespace cudash::virtual_gpu;

namespace {

template <class T>
struct DeviceArray {
    DeviceArray(AddressSpace& memory, std::size_t count)
        : allocation(*memory.allocate(count * sizeof(T), 512, MemoryKind::device, "bench")),
          values(reinterpret_cast<T*>(memory.pointer(allocation.begin, allocation.size)), count) {}
    Allocation allocation;
    std::span<T> values;
};

class Parameters {
public:
    template <class T>
    Parameters& add(T value) {
        bytes_.resize((bytes_.size() + sizeof value - 1) / sizeof value * sizeof value);
        bytes_.resize(bytes_.size() + sizeof value);
        std::memcpy(&bytes_[bytes_.size() - sizeof value], &value, sizeof value);
        return *this;
    }
    std::span<const std::byte> bytes() const { return bytes_; }

private:
    std::vector<std::byte> bytes_;
};

struct Case {
    std::string kernel;
    Dim3 grid, block;
    Parameters parameters;
    std::function<bool()> correct;
};

}  // namespace

int main(int argc, char** argv) {
    const bool profiled = argc > 1 && std::string(argv[1]) == "--profile";
    if (profiled) {
        ++argv;
        --argc;
    }
    if (argc < 2) {
        fmt::print(stderr, "usage: executor_bench [--profile] KERNELS.ptx [REPETITIONS] [THREADS] [KERNEL]\n");
        return 2;
    }
    const int repetitions = argc > 2 ? std::stoi(argv[2]) : 5;
    ExecutorLimits limits;
    limits.host_threads = argc > 3 ? static_cast<unsigned>(std::stoi(argv[3])) : 0;
    const std::string only = argc > 4 ? argv[4] : "";
    std::ifstream file(argv[1]);
    const std::string ptx{std::istreambuf_iterator<char>(file), {}};

    auto memory = AddressSpace::create(std::uint64_t{2} << 30);
    if (!memory) {
        fmt::print(stderr, "no address space\n");
        return 1;
    }
    const Profile& profile = unnamed_profile();
    auto module = load_module(ptx, *memory, profile);
    if (!module) {
        fmt::print(stderr, "{} (PTX line {})\n", module.error().message, module.error().where.line);
        return 1;
    }
    // CUDASH_KERNELS: interpreted, automatic or compiled, as for cudash itself.
    auto executor = Executor::create(*memory, create_code_generator, tier_policy());

    constexpr int n = 1 << 24, m = 512, side = 2048;
    DeviceArray<float> a(*memory, n), b(*memory, n), c(*memory, n), sums(*memory, n / 256);
    for (int i = 0; i < n; ++i) {
        a.values[i] = static_cast<float>(i % 1000) * 0.5f;
        b.values[i] = static_cast<float>(i % 77) - 38.0f;
    }
    auto product_is_right = [&] {
        for (int row = 0; row < m; row += 37)
            for (int column = 0; column < m; ++column) {
                float sum = 0;
                for (int k = 0; k < m; ++k) sum = std::fma(a.values[row * m + k], b.values[k * m + column], sum);
                if (c.values[row * m + column] != sum) return false;
            }
        return true;
    };
    auto transposed = [&] {
        for (int y = 0; y < side; ++y)
            for (int x = 0; x < side; ++x)
                if (c.values[x * side + y] != a.values[y * side + x]) return false;
        return true;
    };
    auto pointers = [](auto&... arrays) {
        Parameters parameters;
        (parameters.add(arrays.allocation.begin), ...);
        return parameters;
    };
    std::vector<Case> cases;
    cases.push_back({"vecadd", {n / 256, 1, 1}, {256, 1, 1}, pointers(a, b, c).add(n), [&] {
                         for (int i = 0; i < n; ++i)
                             if (c.values[i] != a.values[i] + b.values[i]) return false;
                         return true;
                     }});
    for (const char* kernel : {"mm_naive", "mm_tiled"})
        cases.push_back({kernel, {m / 16, m / 16, 1}, {16, 16, 1}, pointers(a, b, c).add(m), product_is_right});
    for (const char* kernel : {"tr_naive", "tr_diag"})
        cases.push_back(
            {kernel, {side / 16, side / 16, 1}, {16, 16, 1}, pointers(c, a).add(side).add(side), transposed});
    cases.push_back({"reduce", {n / 256, 1, 1}, {256, 1, 1}, pointers(a, sums).add(n), [&] {
                         for (int block = 0; block < n / 256; block += 101) {
                             float tree[256];
                             std::copy_n(&a.values[block * 256], 256, tree);
                             for (int d = 128; d > 0; d /= 2)
                                 for (int t = 0; t < d; ++t) tree[t] += tree[t + d];
                             if (sums.values[block] != tree[0]) return false;
                         }
                         return true;
                     }});

    DeviceOutput output;
    output.print = [](std::string_view text) { fmt::print("{}", text); };
    bool all_right = true;
    Collector collector;
    // Wall time drifts on shared machines: the last rate is per second of processor time.
    fmt::print("{:10} {:>10} {:>14} {:>8} {:>10}  {}\n", "kernel", "ms", "thread-instr", "G/s", "G/s/core", "result");
    for (const Case& test : cases) {
        if (!only.empty() && test.kernel != only) continue;
        std::vector<double> times, processor_times, profiled_times;
        LaunchOutcome outcome;
        std::ranges::fill(c.values, 0.0f);
        for (int i = 0; i <= repetitions; ++i) {
            const std::clock_t processor_start = std::clock();
            const auto start = std::chrono::steady_clock::now();
            outcome = executor->run({*module, test.kernel, test.grid, test.block, 0, test.parameters.bytes(), false},
                                    profile, limits, output);
            const std::chrono::duration<double, std::milli> spent = std::chrono::steady_clock::now() - start;
            if (i > 0 || repetitions == 0) {
                times.push_back(spent.count());
                processor_times.push_back(1e3 * static_cast<double>(std::clock() - processor_start) / CLOCKS_PER_SEC);
            }
            if (outcome.status != LaunchStatus::ok) break;
            if (!profiled) continue;
            const auto profile_start = std::chrono::steady_clock::now();
            executor->run({.module = *module,
                           .kernel = test.kernel,
                           .grid = test.grid,
                           .block = test.block,
                           .parameters = test.parameters.bytes(),
                           .observer = &collector},
                          profile, limits, output);
            profiled_times.push_back(
                std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - profile_start).count());
        }
        for (const Diagnostic& diagnostic : outcome.diagnostics)
            fmt::print(stderr, "{}: {} ({}:{})\n", test.kernel, diagnostic.message, diagnostic.where.file,
                       diagnostic.where.line);
        const bool right = outcome.status == LaunchStatus::ok && test.correct();
        all_right &= right;
        if (times.empty()) continue;
        std::ranges::sort(times);
        std::ranges::sort(processor_times);
        const double median = times[times.size() / 2], processor = processor_times[processor_times.size() / 2];
        const double giga = static_cast<double>(outcome.thread_instructions) / 1e6;
        fmt::print("{:10} {:10.2f} {:14} {:8.2f} {:10.2f}  {}", test.kernel, median, outcome.thread_instructions,
                   giga / median, giga / processor, right ? "right" : "WRONG");
        if (profiled) {
            std::ranges::sort(profiled_times);
            const double with = profiled_times[profiled_times.size() / 2];
            fmt::print("  {:10.2f} ms profiled, {:.2f} times", with, with / median);
        }
        fmt::print("\n");
    }
    if (only.empty()) {
        DeviceArray<int> word(*memory, 1);
        constexpr int launches = 10000;
        Parameters parameters = pointers(word);
        const auto start = std::chrono::steady_clock::now();
        for (int i = 0; i < launches; ++i)
            executor->run({*module, "trivial", {1, 1, 1}, {1, 1, 1}, 0, parameters.bytes(), false}, profile, limits,
                          output);
        const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
        fmt::print("{} launches of one thread: {:.3f} s\n", launches, spent.count());
    }
    return all_right ? 0 : 1;
}
