// The stops of a launch's code in the eyes of who wrote it: lines, and the rounds of loops.
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "runtime_wrappers/virtual_gpu/debug/debugger.h"

namespace cudash::virtual_gpu {
namespace {

/// Lines of PTX to which a branch goes back.
std::unordered_set<unsigned> beginnings_of_rounds(const ptx::Function& function) {
    std::unordered_map<std::string, unsigned> labels;  // that stand before the branch
    std::vector<std::string> waiting;
    std::unordered_set<unsigned> found;
    for (const ptx::Statement& statement : function.body) {
        if (statement.kind == ptx::Statement::Kind::label) waiting.push_back(statement.label);
        if (statement.kind != ptx::Statement::Kind::instruction) continue;
        for (std::string& label : waiting) labels[std::move(label)] = statement.instruction.location.ptx_line;
        waiting.clear();
        if (statement.instruction.mnemonic != "bra" || statement.instruction.operands.empty()) continue;
        const auto target = labels.find(statement.instruction.operands.front().name);
        if (target != labels.end()) found.insert(target->second);
    }
    return found;
}

}  // namespace

void add_stop_sites(const Launch& launch, const Code& code, std::vector<StopSite>& sites) {
    std::optional<ptx::Location> before;
    bool after_prologue = false;
    const std::unordered_set<unsigned> rounds =
        code.source ? beginnings_of_rounds(*code.source) : std::unordered_set<unsigned>();
    for (const std::uint32_t at : code.debug->stops) {
        const auto number = static_cast<std::uint32_t>(sites.size());
        StopSite& site = sites.emplace_back();
        site.code = &code;
        site.stop = &code.instructions[at];
        const auto line = program_line(launch, code, site.stop);
        site.where = line.value_or(code.locations[at]);
        // Parameters are read on the line of the function's head, which has no column.
        const bool head = line && code.locations[at].column == 0 && line->line == code.locations[at].line;
        site.prologue = !line || head;
        site.begins_line = !site.prologue && (!before || before->line != site.where.line ||
                                              before->file != site.where.file || after_prologue);
        site.begins_round = !site.prologue && rounds.contains(code.locations[at].ptx_line);
        site.run = site.begins_line || number == 0 ? number : sites[number - 1].run;
        after_prologue = site.prologue;
        before = site.where;
    }
}

}  // namespace cudash::virtual_gpu
