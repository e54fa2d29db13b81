// The part of the plan that finds shuffles and votes of all lanes, by distances that are known: NVRTC puts them into
// registers first.
#include <algorithm>
#include <iterator>

#include "runtime_wrappers/virtual_gpu/exec/warp.h"
#include "runtime_wrappers/virtual_gpu/jit/kernel_plan.h"

namespace cudash::virtual_gpu {

void KernelPlan::step(std::uint32_t i, Numbers& numbers) const {
    const Plan& plan = plans_[i];
    const Instruction& instruction = code_.instructions[i];
    for (std::uint32_t r : plan.writes) numbers.erase(r);
    if (plan.work != Work::copy || instruction.guard != no_index || code_.written[i]->mnemonic != "mov") return;
    if (is_constant(instruction.a)) {
        numbers[plan.writes[0]] = constant(instruction.a);
    } else if (const auto known = numbers.find(instruction.a); known != numbers.end()) {
        numbers[plan.writes[0]] = known->second;
    }
}

void KernelPlan::find_collectives() {
    if (!whole_) return;
    std::vector<Numbers> before(pieces_.size());
    std::vector<bool> seen(pieces_.size());
    std::vector<std::uint32_t> queue{0};
    seen[0] = true;
    while (!queue.empty()) {
        const Piece& piece = pieces_[queue.back()];
        Numbers numbers = before[queue.back()];
        queue.pop_back();
        for (std::uint32_t i = piece.first; i <= piece.last; ++i) step(i, numbers);
        for (std::uint32_t next : all_successors(piece.last)) {
            const std::uint32_t to = piece_of_[next];
            const std::size_t known = before[to].size();
            if (!seen[to]) {
                before[to] = numbers;
            } else {
                std::erase_if(before[to], [&](const auto& each) {
                    const auto here = numbers.find(each.first);
                    return here == numbers.end() || here->second != each.second;
                });
            }
            if (!seen[to] || before[to].size() != known) queue.push_back(to);
            seen[to] = true;
        }
    }
    for (std::uint32_t p = 0; p < pieces_.size(); ++p)
        for (std::uint32_t i = pieces_[p].first; i <= pieces_[p].last; ++i) {
            if (plans_[i].collective && plans_[i].work == Work::handler) classify_collective(i, before[p]);
            step(i, before[p]);
        }
}

void KernelPlan::classify_collective(std::uint32_t i, const Numbers& numbers) {
    const Instruction& instruction = code_.instructions[i];
    const std::string& mnemonic = code_.written[i]->mnemonic;
    if (mnemonic != "shfl" && mnemonic != "vote") return;
    const auto number = [&](std::uint32_t offset) -> std::optional<std::uint32_t> {
        if (is_constant(offset)) return static_cast<std::uint32_t>(constant(offset));
        const auto known = numbers.find(offset);
        if (known == numbers.end()) return std::nullopt;
        return static_cast<std::uint32_t>(known->second);
    };
    Plan& plan = plans_[i];
    // The handler's frame registers were taken for both; these are all of which lanes are read and written here.
    // Numbers that are known have to stay, too: the interpreter reads them where a warp comes back to it before this.
    const auto narrow = [&] {
        const std::uint32_t sources[] = {instruction.a, instruction.b, instruction.c, instruction.cache};
        std::erase_if(plan.reads, [&](std::uint32_t r) { return std::ranges::find(sources, r) == std::end(sources); });
        std::erase_if(plan.writes, [&](std::uint32_t r) { return r != instruction.d && r != instruction.extra; });
        plan.may_keep = false;
    };
    if (number(instruction.cache) != full_mask) return;
    if (mnemonic == "vote") {
        plan.work = Work::vote;
        narrow();
        return;
    }
    const auto distance = number(instruction.b), clamp = number(instruction.c);
    if (!distance || !clamp) return;
    plan.distance = *distance;
    plan.clamp = *clamp;
    plan.work = Work::shuffle;
    narrow();
}

}  // namespace cudash::virtual_gpu
