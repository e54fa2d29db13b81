#include "runtime_wrappers/virtual_gpu/profile/register_numbers.h"

namespace cudash::virtual_gpu {

void RegisterNumbers::add(const std::string& name, std::vector<std::uint32_t>& to) {
    if (!name.starts_with('%')) return;
    const auto [entry, is_new] = numbers_.try_emplace(name, next_);
    if (is_new) ++next_;
    to.push_back(entry->second);
}

void RegisterNumbers::add(const ptx::Operand& operand, std::vector<std::uint32_t>& to) {
    add(operand.name, to);
    for (const ptx::Operand& element : operand.elements) add(element, to);
}

void RegisterNumbers::add(const ptx::Instruction& written, LaunchProfile::Instruction& made) {
    add(written.guard, made.read);
    const InstructionCost& cost = made.cost;
    const bool has_result = cost.machine == 0 || (cost.latency != Latency::none && cost.latency != Latency::barrier);
    for (std::size_t i = 0; i < written.operands.size(); ++i) {
        const ptx::Operand& operand = written.operands[i];
        const bool is_result = i == 0 && has_result && operand.kind != ptx::Operand::Kind::address;
        add(operand, is_result ? made.written : made.read);
    }
    if (written.call) add(written.call->callee, made.read);
}

}  // namespace cudash::virtual_gpu
