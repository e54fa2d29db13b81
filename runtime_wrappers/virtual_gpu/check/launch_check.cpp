#include "runtime_wrappers/virtual_gpu/check/launch_check.h"

#include <fmt/format.h>

#include <algorithm>

#include "runtime_wrappers/virtual_gpu/exec/block.h"
#include "runtime_wrappers/virtual_gpu/exec/kernel_name.h"

namespace cudash::virtual_gpu {
namespace {

void check_grid_sync(Findings& findings, const Launch& launch) {
    if (!launch.program->uses_grid_sync || launch.grid_workspace != 0) return;
    findings.add("grid-sync-launch", &launch, nullptr, [&] {
        Diagnostic made = error("grid-sync-launch",
                                fmt::format("{} waits for its whole grid, but was not launched as a cooperative kernel",
                                            readable_kernel(launch.kernel)),
                                "launch it with cudaLaunchCooperativeKernel(), with no more blocks than "
                                "cudaOccupancyMaxActiveBlocksPerMultiprocessor() says fit at once");
        const Code& kernel = *launch.program->functions.front();
        // The grid's workspace is what grid.sync() asks the environment for.
        const auto asks = [](const ptx::Instruction* each) {
            return each && std::any_of(each->operands.begin(), each->operands.end(),
                                       [](const ptx::Operand& operand) { return operand.name.starts_with("%envreg"); });
        };
        const auto found = std::find_if(kernel.written.begin(), kernel.written.end(), asks);
        if (found != kernel.written.end())
            made.where = author_spot(launch, kernel,
                                     &kernel.instructions[static_cast<std::size_t>(found - kernel.written.begin())]);
        return made;
    });
}

}  // namespace

void check_launch(Findings& findings) {
    const Launch& launch = findings.launch();
    check_grid_sync(findings, launch);
}

}  // namespace cudash::virtual_gpu
