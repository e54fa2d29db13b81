#include "runtime_wrappers/virtual_gpu/check/shared_aliases.h"

#include <fmt/format.h>

#include <algorithm>

#include "runtime_wrappers/virtual_gpu/exec/block.h"
#include "runtime_wrappers/virtual_gpu/isa/kernel_name.h"

namespace cudash::virtual_gpu {
namespace {

struct Mention {
    const Code* code = nullptr;
    const Instruction* at = nullptr;
};

bool names(const ptx::Operand& operand, const std::string& symbol) {
    return operand.name == symbol || std::any_of(operand.elements.begin(), operand.elements.end(),
                                                 [&](const ptx::Operand& each) { return names(each, symbol); });
}

Mention first_mention(const Program& program, const std::string& symbol) {
    for (const auto& code : program.functions)
        for (std::size_t i = 0; i < code->written.size(); ++i) {
            const ptx::Instruction* written = code->written[i];
            if (written && std::any_of(written->operands.begin(), written->operands.end(),
                                       [&](const ptx::Operand& each) { return names(each, symbol); }))
                return {code.get(), &code->instructions[i]};
        }
    return {};
}

}  // namespace

void find_shared_aliases(const Launch& launch, Findings& findings) {
    const SharedVariable* first = nullptr;
    for (const SharedVariable& each : launch.program->shared_variables) {
        if (each.bytes != 0) continue;
        if (!first) {
            first = &each;
            continue;
        }
        const Mention here = first_mention(*launch.program, each.symbol);
        const Mention there = first_mention(*launch.program, first->symbol);
        if (!here.at || !there.at) continue;
        findings.add("shared-aliasing", here.at, there.at, [&] {
            Diagnostic made =
                error("shared-aliasing",
                      fmt::format("{} and {}, both extern __shared__, are one array under two names in {}", first->name,
                                  each.name, readable_kernel(launch.kernel)),
                      "declare one array, and let the second begin where the first ends: T* b = (T*)&a[count_of_a];");
            made.severity = Diagnostic::Severity::warning;
            made.where = author_spot(launch, *here.code, here.at);
            made.where.column = 0;  // a place, not a compiler's message
            const SourceSpot other = author_spot(launch, *there.code, there.at);
            made.notes.push_back({fmt::format("{} is used here", first->name), {other.file, other.line, 0}});
            return made;
        });
    }
}

}  // namespace cudash::virtual_gpu
