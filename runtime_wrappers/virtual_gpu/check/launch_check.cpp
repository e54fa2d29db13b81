#include "runtime_wrappers/virtual_gpu/check/launch_check.h"

#include <fmt/format.h>

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
        if (!kernel.instructions.empty()) made.where = author_spot(launch, kernel, kernel.instructions.data());
        return made;
    });
}

}  // namespace

void check_launch(Findings& findings) {
    const Launch& launch = findings.launch();
    check_grid_sync(findings, launch);
}

}  // namespace cudash::virtual_gpu
