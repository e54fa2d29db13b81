#include "tests/fuzz/ptx_fuzz.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "runtime_wrappers/virtual_gpu/exec/executor.h"
#include "runtime_wrappers/virtual_gpu/isa/link.h"
#include "runtime_wrappers/virtual_gpu/ptx/parser.h"
#include "runtime_wrappers/virtual_gpu/ptx/printer.h"

namespace cudash::fuzz {
namespace {

using namespace cudash::virtual_gpu;

constexpr std::uint64_t buffer_bytes = 1 << 16;
constexpr std::uint32_t most_shared = 1 << 16, most_parameters = 4096;
constexpr auto time_limit = std::chrono::milliseconds(20);

/// The machine that all texts run on, made once: what a module leaves behind would show here.
struct Machine {
    std::unique_ptr<AddressSpace> memory = AddressSpace::create(std::uint64_t{1} << 32);
    std::unique_ptr<Executor> executor = Executor::create(*memory);
    Address buffer = memory->allocate(buffer_bytes, 512, MemoryKind::device, "the buffer")->begin;
};

void check_print(const ptx::Module& module) {
    const std::string text = ptx::print(module);
    const auto again = ptx::parse(text);
    if (!again || ptx::print(*again) != text) std::abort();
}

/// Pointers get the buffer's address, everything else a small number.
std::vector<std::byte> parameters_of(const KernelInfo& kernel, Address buffer) {
    std::vector<std::byte> bytes(kernel.parameter_bytes);
    for (const KernelInfo::Parameter& parameter : kernel.parameters) {
        const std::uint64_t value = parameter.size == sizeof buffer ? buffer : 7;
        std::memcpy(&bytes[parameter.offset], &value, std::min<std::size_t>(parameter.size, sizeof value));
    }
    return bytes;
}

bool run(Machine& machine, const std::shared_ptr<LoadedModule>& module, std::string_view name) {
    const KernelInfo* kernel = module->kernel(name);
    if (!kernel || kernel->static_shared > most_shared || kernel->parameter_bytes > most_parameters) return false;
    ExecutorLimits limits;
    limits.timeout = time_limit;
    limits.host_threads = 1;
    limits.malloc_heap = 1 << 16;
    limits.printf_fifo = 1 << 12;
    const std::vector<std::byte> parameters = parameters_of(*kernel, machine.buffer);
    LaunchRequest request{module, name, {2, 1, 1}, {40, 1, 1}, 256, parameters, false};
    if (kernel->cluster.x != 0) {
        request.grid = request.cluster = kernel->cluster;
        request.has_clusters = true;
    }
    const LaunchOutcome outcome = machine.executor->run(request, unnamed_profile(), limits, {});
    return outcome.status == LaunchStatus::ok;
}

}  // namespace

Stage survive(std::string_view ptx) {
    const auto tree = ptx::parse(ptx);
    if (!tree) return Stage::refused;
    check_print(*tree);

    static Machine machine;
    auto module = load_module(ptx, *machine.memory, unnamed_profile());
    if (!module) return Stage::parsed;
    Stage stage = Stage::loaded;
    for (std::string_view name : (*module)->kernels()) {
        const Program* program = (*module)->program(name);
        if (!program->unsupported.empty()) continue;
        stage = std::max(stage, Stage::decoded);
        if (run(machine, *module, name)) stage = Stage::ran;
    }
    return stage;
}

}  // namespace cudash::fuzz
