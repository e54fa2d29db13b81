#include "runtime_wrappers/virtual_gpu/isa/affine_registers.h"

namespace cudash::virtual_gpu {

std::vector<bool> block_local_registers(std::size_t registers, const std::vector<RegisterUse>& uses,
                                        const std::vector<FlowBlock>& blocks, const std::vector<bool>& interrupted) {
    std::vector<bool> local(registers, true);
    std::vector<std::size_t> written_in(registers, blocks.size());
    for (std::size_t b = 0; b < blocks.size(); ++b)
        for (std::uint32_t i = blocks[b].first; i <= blocks[b].last; ++i) {
            for (std::uint32_t r : uses[i].reads)
                if (written_in[r] != b || interrupted[b]) local[r] = false;
            for (std::uint32_t r : uses[i].writes) {
                if (uses[i].may_keep) local[r] = false;
                written_in[r] = b;
            }
        }
    return local;
}

}  // namespace cudash::virtual_gpu
