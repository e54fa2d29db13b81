#include "runtime_wrappers/virtual_gpu/exec/access_base.h"

#include <algorithm>
#include <cstring>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "runtime_wrappers/virtual_gpu/isa/sizes.h"
#include "runtime_wrappers/virtual_gpu/memory/address_space.h"

namespace cudash::virtual_gpu {
namespace {

using Kind = ptx::Operand::Kind;

class Search {
public:
    Search(const Launch& launch, const Code& code) : launch_(launch) {
        for (const ptx::Instruction* each : code.written)
            if (each && !each->operands.empty() && each->operands.front().kind == Kind::name)
                writes_[each->operands.front().name].push_back(each);
        std::uint64_t end = 0;
        for (const ptx::Variable& parameter : code.source->parameters) {
            const std::uint64_t begin = round_up(end, variable_alignment(parameter));
            parameters_[parameter.name] = begin;
            end = begin + variable_bytes(parameter);
        }
    }

    std::optional<Allocation> follow(const std::string& name) {
        visit(name);
        while (!open_.empty()) {
            const auto writes = writes_.find(open_.back());
            open_.pop_back();
            if (writes == writes_.end()) continue;
            for (const ptx::Instruction* each : writes->second) visit_sources(*each);
        }
        return bases_.size() == 1 ? launch_.memory->find(*bases_.begin()) : std::nullopt;
    }

private:
    void visit(const std::string& name) {
        if (seen_.insert(name).second) open_.push_back(name);
    }
    void visit_sources(const ptx::Instruction& made) {
        const std::string& what = made.mnemonic;
        const auto& operands = made.operands;
        const auto follow = [&](std::size_t place) {
            if (place < operands.size() && operands[place].kind == Kind::name) visit(operands[place].name);
        };
        if (what == "ld") {
            const auto has = [&](const char* modifier) {
                return std::ranges::find(made.modifiers, modifier) != made.modifiers.end();
            };
            if (has("param") && (has("u64") || has("b64"))) note_parameter(operands.back());
        } else if (what == "mov" || what == "cvta" || what == "sub") {
            follow(1);
        } else if (what == "add" || what == "selp") {
            follow(1);
            follow(2);
        } else if (what == "mad") {
            follow(3);
        }
    }
    void note_parameter(const ptx::Operand& source) {
        const auto place = parameters_.find(source.name);
        if (place == parameters_.end()) return;
        Address value = 0;
        const std::uint64_t at = place->second + static_cast<std::uint64_t>(source.offset);
        const std::size_t bytes = launch_.parameters.size();
        if (at >= bytes || bytes - at < sizeof value) return;
        std::memcpy(&value, launch_.parameters.data() + at, sizeof value);
        if (const auto array = launch_.memory->find(value)) bases_.insert(array->begin);
    }

    const Launch& launch_;
    std::unordered_map<std::string, std::vector<const ptx::Instruction*>> writes_;
    std::unordered_map<std::string, std::uint64_t> parameters_;
    std::set<std::string> seen_;
    std::vector<std::string> open_;  ///< those of them whose writes were not looked at yet
    std::set<Address> bases_;
};

}  // namespace

std::optional<Allocation> base_of_access(const Launch& launch, const Code& code, const Instruction* at) {
    const ptx::Instruction* access = code.written[code.index_of(at)];
    if (!access || !code.source || !code.source->is_entry) return std::nullopt;
    const auto address = std::ranges::find(access->operands, Kind::address, &ptx::Operand::kind);
    if (address == access->operands.end() || address->name.empty()) return std::nullopt;
    return Search(launch, code).follow(address->name);
}

}  // namespace cudash::virtual_gpu
