#include "runtime_wrappers/virtual_gpu/isa/constant_folding.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "runtime_wrappers/virtual_gpu/isa/decode/scope.h"
#include "runtime_wrappers/virtual_gpu/isa/instruction_table.h"

namespace cudash::virtual_gpu {
namespace {

using ptx::Operand;
using ptx::Statement;

bool has(const ptx::Instruction& instruction, std::string_view modifier) {
    return std::ranges::find(instruction.modifiers, modifier) != instruction.modifiers.end();
}
float flushed(float value, bool ftz) {
    return ftz && std::fabs(value) < std::numeric_limits<float>::min() ? std::copysign(0.0f, value) : value;
}
Operand real(float value) {
    Operand operand;
    operand.kind = Operand::Kind::real;
    operand.single = true;
    operand.bits = std::bit_cast<std::uint32_t>(value);
    return operand;
}

class Folding {
public:
    explicit Folding(ptx::Function& function) : function_(function) {}
    void run();

private:
    template <class Visit>
    void for_each_instruction(Visit&& visit);
    void note_writes(const Operand& operand, std::uint32_t scope);
    std::optional<float> constant(const Operand& operand, std::uint32_t scope) const;
    void fold(ptx::Instruction& instruction, std::uint32_t scope) const;
    static void multiply(ptx::Instruction& division, float divisor);

    ptx::Function& function_;
    ScopeTree scopes_;
    std::unordered_map<std::uint32_t, int> writers_;      ///< how many instructions name a register first
    std::unordered_map<std::uint32_t, float> constants_;  ///< what a mov writes to a register
};

bool can_fold(const ptx::Instruction& instruction) {
    if (!has(instruction, "f32")) return false;
    const bool approx = has(instruction, "approx");
    if (!approx && !has(instruction, "full")) return false;
    const Behavior& behavior = behavior_of(instruction);
    return behavior.meaning == Meaning::quotient || (approx && behavior.folded);
}

/// visit(instruction, its scope), in order.
template <class Visit>
void Folding::for_each_instruction(Visit&& visit) {
    std::vector<std::uint32_t> scopes{0};
    std::uint32_t opened = 0;
    for (Statement& statement : function_.body) {
        if (statement.kind == Statement::Kind::block_begin) scopes.push_back(++opened);
        if (statement.kind == Statement::Kind::block_end) scopes.pop_back();
        if (statement.kind == Statement::Kind::instruction) visit(statement.instruction, scopes.back());
    }
}

void Folding::note_writes(const Operand& operand, std::uint32_t scope) {
    if (!operand.name.empty())
        if (const auto id = scopes_.find_register(scope, operand.name).number; id != no_index) ++writers_[id];
    for (const Operand& element : operand.elements) note_writes(element, scope);
}

void Folding::run() {
    const auto is_candidate = [](const Statement& each) {
        return each.kind == Statement::Kind::instruction && can_fold(each.instruction);
    };
    if (std::ranges::none_of(function_.body, is_candidate)) return;
    std::uint32_t scope = 0;
    for (const Statement& statement : function_.body) {
        if (statement.kind == Statement::Kind::block_begin) scope = scopes_.open(scope);
        if (statement.kind == Statement::Kind::block_end) scope = scopes_.parent(scope);
        if (statement.kind == Statement::Kind::variable && statement.variable.space == ptx::Space::reg)
            scopes_.declare_registers(scope, statement.variable);
    }
    for_each_instruction([&](const ptx::Instruction& instruction, std::uint32_t within) {
        if (instruction.call)
            for (const Operand& result : instruction.call->results) note_writes(result, within);
        if (instruction.operands.empty()) return;
        note_writes(instruction.operands[0], within);
        const bool is_plain =
            instruction.guard.empty() && has(instruction, "f32") && behavior_of(instruction).meaning == Meaning::copy;
        if (!is_plain || instruction.operands.size() != 2) return;
        const Operand& from = instruction.operands[1];
        const auto id = scopes_.find_register(within, instruction.operands[0].name).number;
        if (from.kind == Operand::Kind::real && from.single && id != no_index)
            constants_[id] = std::bit_cast<float>(static_cast<std::uint32_t>(from.bits));
    });
    for_each_instruction([&](ptx::Instruction& instruction, std::uint32_t within) {
        if (can_fold(instruction)) fold(instruction, within);
    });
}

std::optional<float> Folding::constant(const Operand& operand, std::uint32_t scope) const {
    if (operand.negated) return std::nullopt;
    if (operand.kind == Operand::Kind::real && operand.single)
        return std::bit_cast<float>(static_cast<std::uint32_t>(operand.bits));
    if (operand.kind != Operand::Kind::name) return std::nullopt;
    const auto id = scopes_.find_register(scope, operand.name).number;
    const auto found = constants_.find(id), end = constants_.end();
    if (found == end || writers_.at(id) != 1) return std::nullopt;
    return found->second;
}

/// By a normal divisor whose reciprocal is normal, too. Others take the scaling that a division has.
void Folding::multiply(ptx::Instruction& division, float divisor) {
    const float inverse = static_cast<float>(1 / static_cast<double>(divisor));
    const bool is_full = has(division, "full");
    if (!std::isnormal(divisor) || !std::isnormal(inverse) || (is_full && std::fabs(divisor) > 0x1.0p126f)) return;
    division.mnemonic = "mul";
    std::erase(division.modifiers, is_full ? "full" : "approx");
    division.operands[2] = real(inverse);
}

void Folding::fold(ptx::Instruction& instruction, std::uint32_t scope) const {
    const Behavior& behavior = behavior_of(instruction);
    const bool is_division = behavior.meaning == Meaning::quotient;
    if (instruction.operands.size() != (is_division ? 3 : 2)) return;
    const auto operand = constant(instruction.operands.back(), scope);
    if (!operand) return;
    if (is_division) return multiply(instruction, *operand);
    const bool ftz = has(instruction, "ftz");
    const float value = flushed(static_cast<float>(behavior.folded(flushed(*operand, ftz))), ftz);
    if (value != value) return;
    instruction.mnemonic = "mov";
    instruction.modifiers = {"f32"};
    instruction.operands[1] = real(value);
}

}  // namespace

double folded::rcp(double x) {
    return 1 / x;
}
double folded::rsqrt(double x) {
    return 1 / std::sqrt(x);
}
double folded::sqrt(double x) {
    return std::sqrt(x);
}
double folded::ex2(double x) {
    return std::exp2(x);
}
double folded::lg2(double x) {
    return std::log2(x);
}
double folded::sin(double x) {
    return std::sin(x);
}
double folded::cos(double x) {
    return std::cos(x);
}

void fold_constants(ptx::Function& function) {
    Folding(function).run();
}

}  // namespace cudash::virtual_gpu
