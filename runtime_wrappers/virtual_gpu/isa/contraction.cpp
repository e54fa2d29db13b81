#include "runtime_wrappers/virtual_gpu/isa/contraction.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "runtime_wrappers/virtual_gpu/isa/decode/scope.h"
#include "runtime_wrappers/virtual_gpu/isa/instruction_table.h"

namespace cudash::virtual_gpu {
namespace {

using ptx::Operand;
using ptx::Statement;

constexpr std::array<std::string_view, 6> contracted_types = {"f32", "f64", "f16", "f16x2", "bf16", "bf16x2"};
/// Copies and negations between a product and its sum; compilers write one or two.
constexpr unsigned longest_chain = 16;

/// What the modifiers say of an instruction that may take part.
struct Kind {
    std::string_view type;  ///< "": it may not
    bool ftz = false, sat = false;
};

/// div.approx and div.full: ptxas multiplies by a reciprocal, and that product takes part.
bool is_approximate_division(const ptx::Instruction& instruction) {
    const auto approximates = [](const std::string& each) { return each == "approx" || each == "full"; };
    return std::ranges::any_of(instruction.modifiers, approximates) &&
           behavior_of(instruction).meaning == Meaning::quotient;
}

Kind kind_of(const ptx::Instruction& instruction) {
    Kind kind;
    for (const std::string& modifier : instruction.modifiers) {
        if ((modifier == "approx" || modifier == "full") && is_approximate_division(instruction)) continue;
        const auto type = std::ranges::find(contracted_types, modifier);
        if (modifier == "ftz")
            kind.ftz = true;
        else if (modifier == "sat")
            kind.sat = true;
        else if (kind.type.empty() && type != contracted_types.end())
            kind.type = *type;
        else
            return {};  // a rounding, an integer
    }
    const bool is_half = kind.type.find("16") != std::string_view::npos;
    return is_half && (kind.ftz || kind.sat) ? Kind{} : kind;
}

bool ends_block(const ptx::Instruction& instruction) {
    const Behavior& behavior = behavior_of(instruction);
    return behavior.control != Control::next || behavior.effect == Effect::fence;
}

enum class Role : std::uint8_t { product, quotient, sum, difference, copy, negation };

std::optional<Role> role_of(const ptx::Instruction& instruction) {
    const Meaning meaning = behavior_of(instruction).meaning;
    if (meaning == Meaning::sum) return Role::sum;
    if (meaning == Meaning::difference) return Role::difference;
    if (!instruction.guard.empty()) return std::nullopt;
    if (meaning == Meaning::product) return Role::product;
    if (is_approximate_division(instruction)) return Role::quotient;
    if (meaning == Meaning::negation) return Role::negation;
    if (meaning == Meaning::copy) return Role::copy;
    return std::nullopt;
}

/// An instruction that may take part, its registers by number (no_index: a constant).
struct Node {
    Role role;
    Kind kind;
    std::size_t statement;
    std::uint32_t target;
    std::array<std::uint32_t, 2> sources;
    bool is_sum() const { return role == Role::sum || role == Role::difference; }
    bool is_product() const { return role == Role::product || role == Role::quotient; }
};

/// An operand of a sum that a product arrives at.
struct Use {
    std::size_t node, operand;
    bool negated;
};
using Uses = std::vector<Use>;

class Contraction {
public:
    explicit Contraction(ptx::Function& function) : function_(function) {}
    void run();

private:
    static constexpr std::size_t nothing = ~std::size_t{0};

    void read();
    void read_instruction(std::size_t statement, std::uint32_t scope);
    void note(const Operand& operand, std::uint32_t scope, std::size_t written_by = nothing);
    std::uint32_t number(const Operand& operand, std::uint32_t scope) const;
    void contract();
    std::map<std::size_t, Uses> find_products() const;
    bool follow(std::size_t node, const Kind& kind, bool negated, std::size_t end, Uses& uses,
                unsigned depth = 0) const;
    std::size_t product_of(const Node& sum, std::size_t operand) const;
    bool is_unchanged(std::uint32_t source, const Node& product, const Node& sum) const;
    bool is_constant(std::uint32_t source) const;
    bool crosses_blocks(const Node& product) const;
    void fuse(const Use& use, const Node& product);
    void remove_unused();

    ptx::Function& function_;
    ScopeTree scopes_;
    std::vector<Node> nodes_;
    std::vector<std::size_t> ends_;  ///< of basic blocks, as numbers of nodes
    // By register.
    std::unordered_map<std::uint32_t, std::size_t> mentions_;
    std::unordered_map<std::uint32_t, std::vector<std::size_t>> writers_;                          ///< statements
    std::unordered_map<std::uint32_t, std::vector<std::pair<std::size_t, std::size_t>>> readers_;  ///< node, operand
    std::unordered_map<std::uint32_t, std::size_t> made_by_;  ///< a product, copy or negation that alone writes it
};

void Contraction::run() {
    const auto is_product = [](const Statement& each) {
        return each.kind == Statement::Kind::instruction && !kind_of(each.instruction).type.empty() &&

               (behavior_of(each.instruction).meaning == Meaning::product || is_approximate_division(each.instruction));
    };
    if (std::ranges::none_of(function_.body, is_product)) return;
    read();
    contract();
    remove_unused();
}

std::uint32_t Contraction::number(const Operand& operand, std::uint32_t scope) const {
    if (operand.kind != Operand::Kind::name || !operand.selector.empty() || operand.offset != 0) return no_index;
    return scopes_.find_register(scope, operand.name).number;
}

/// Every register that the operand mentions.
void Contraction::note(const Operand& operand, std::uint32_t scope, std::size_t written_by) {
    if (const auto id = operand.name.empty() ? no_index : scopes_.find_register(scope, operand.name).number;
        id != no_index) {
        ++mentions_[id];
        if (written_by != nothing) writers_[id].push_back(written_by);
    }
    for (const Operand& element : operand.elements) note(element, scope, written_by);
}

void Contraction::read_instruction(std::size_t statement, std::uint32_t scope) {
    const ptx::Instruction& instruction = function_.body[statement].instruction;
    for (std::size_t i = 0; i < instruction.operands.size(); ++i)
        note(instruction.operands[i], scope, i == 0 ? statement : nothing);
    if (instruction.call) {
        for (const Operand& result : instruction.call->results) note(result, scope, statement);
        for (const Operand& argument : instruction.call->arguments) note(argument, scope);
    }
    const auto role = role_of(instruction);
    const Kind kind = kind_of(instruction);
    const bool is_negated = std::ranges::any_of(instruction.operands, &Operand::negated);
    if (!role || is_negated || instruction.operands.size() < 2 || (kind.type.empty() && *role != Role::copy)) return;
    Node node{*role, kind, statement, number(instruction.operands[0], scope), {no_index, no_index}};
    if (node.target == no_index) return;
    for (std::size_t i = 0; i < node.sources.size() && i + 1 < instruction.operands.size(); ++i)
        node.sources[i] = number(instruction.operands[i + 1], scope);
    nodes_.push_back(node);
}

void Contraction::read() {
    std::uint32_t scope = 0;
    for (const auto* variables : {&function_.parameters, &function_.results})
        for (const ptx::Variable& variable : *variables)
            if (variable.space == ptx::Space::reg) scopes_.declare_registers(0, variable);
    for (std::size_t i = 0; i < function_.body.size(); ++i) {
        const Statement& statement = function_.body[i];
        switch (statement.kind) {
            case Statement::Kind::instruction:
                read_instruction(i, scope);
                if (ends_block(statement.instruction)) ends_.push_back(nodes_.size());
                break;
            case Statement::Kind::label:
                ends_.push_back(nodes_.size());
                break;
            case Statement::Kind::variable:
                if (statement.variable.space == ptx::Space::reg) scopes_.declare_registers(scope, statement.variable);
                break;
            case Statement::Kind::block_begin:
                scope = scopes_.open(scope);
                break;
            case Statement::Kind::block_end:
                scope = scopes_.parent(scope);
                break;
            default:
                break;
        }
    }
    ends_.push_back(nodes_.size());
    for (std::size_t n = 0; n < nodes_.size(); ++n) {
        const Node& node = nodes_[n];
        for (std::size_t i = 0; i < node.sources.size(); ++i)
            if (node.sources[i] != no_index) readers_[node.sources[i]].emplace_back(n, i);
        if (!node.is_sum() && writers_[node.target].size() == 1) made_by_[node.target] = n;
    }
}

/// The sums that `node`, a product or what was copied from one, arrives at. False: it arrives elsewhere, too.
bool Contraction::follow(std::size_t node, const Kind& kind, bool negated, std::size_t end, Uses& uses,
                         unsigned depth) const {
    if (depth > longest_chain) return false;
    const std::uint32_t value = nodes_[node].target;
    const auto readers = readers_.find(value);
    if (readers == readers_.end() || !made_by_.contains(value)) return false;
    if (mentions_.at(value) != readers->second.size() + 1) return false;
    return std::ranges::all_of(readers->second, [&](const auto& reader) {
        const auto [number, operand] = reader;
        const Node& by = nodes_[number];
        if (number <= node || number >= end || by.is_product()) return false;
        if (nodes_[node].role == Role::quotient && by.kind.sat) return false;
        if (by.role != Role::copy && (by.kind.type != kind.type || by.kind.ftz != kind.ftz)) return false;
        if (!by.is_sum()) return follow(number, kind, negated != (by.role == Role::negation), end, uses, depth + 1);
        uses.push_back({number, operand, negated});
        return true;
    });
}

/// The product that arrives at an operand of a sum, if one does.
std::size_t Contraction::product_of(const Node& sum, std::size_t operand) const {
    std::uint32_t source = sum.sources[operand];
    for (unsigned depth = 0; depth <= longest_chain; ++depth) {  // registers that are copied in a circle have no end
        const auto made = made_by_.find(source);
        if (made == made_by_.end()) break;
        if (nodes_[made->second].is_product()) return made->second;
        source = nodes_[made->second].sources[0];
    }
    return nothing;
}

bool Contraction::is_unchanged(std::uint32_t source, const Node& product, const Node& sum) const {
    if (source == no_index) return true;
    const auto writers = writers_.find(source);
    return writers == writers_.end() || std::ranges::none_of(writers->second, [&](std::size_t writer) {
               return writer >= product.statement && writer < sum.statement;
           });
}

/// A register that a constant, a kernel's parameter or constant memory is written to, and nothing else.
bool Contraction::is_constant(std::uint32_t source) const {
    const auto writers = writers_.find(source);
    if (writers == writers_.end() || writers->second.size() != 1) return false;
    const ptx::Instruction& writer = function_.body[writers->second.front()].instruction;
    if (!writer.guard.empty() || writer.operands.size() != 2) return false;
    const Operand& from = writer.operands[1];
    const Behavior& behavior = behavior_of(writer);
    if (behavior.meaning == Meaning::copy)
        return from.kind == Operand::Kind::real || from.kind == Operand::Kind::integer;
    const bool is_param = std::ranges::find(writer.modifiers, "param") != writer.modifiers.end();
    const bool is_const = std::ranges::find(writer.modifiers, "const") != writer.modifiers.end();
    // A name that no register has is that of a variable: an address that is known.
    const bool is_fixed = scopes_.find_register(0, from.name).number == no_index && from.elements.empty();
    return behavior.effect == Effect::load && is_fixed && (is_const || (is_param && function_.is_entry));
}

/// A constant factor needs no register until the sum, so that ptxas fuses in other blocks, too. The other factor must
/// still be there: what is written once is.
bool Contraction::crosses_blocks(const Node& product) const {
    const auto is_literal = [&](std::size_t i) {
        const Operand& factor = function_.body[product.statement].instruction.operands[i + 1];
        return factor.kind == Operand::Kind::real || factor.kind == Operand::Kind::integer;
    };
    const auto is_written_once = [&](std::size_t i) {
        const auto writers = writers_.find(product.sources[i]);
        return is_literal(i) || (writers != writers_.end() && writers->second.size() == 1);
    };
    return is_written_once(0) && is_written_once(1) &&
           (is_literal(0) || is_literal(1) || is_constant(product.sources[0]) || is_constant(product.sources[1]));
}

/// Those of which every use could be fused.
std::map<std::size_t, Uses> Contraction::find_products() const {
    std::map<std::size_t, Uses> products;
    auto block_end = ends_.begin();
    for (std::size_t n = 0; n < nodes_.size(); ++n) {
        while (*block_end <= n) ++block_end;
        const Node& node = nodes_[n];
        if (!node.is_product() || node.kind.sat) continue;
        const bool everywhere = node.role == Role::product && crosses_blocks(node);
        Uses uses;
        if (!follow(n, node.kind, false, everywhere ? nodes_.size() : *block_end, uses)) continue;
        const bool fits = std::ranges::all_of(uses, [&](const Use& use) {
            const Node& sum = nodes_[use.node];
            return product_of(sum, 0) != product_of(sum, 1) &&
                   (everywhere ||
                    (is_unchanged(node.sources[0], node, sum) && is_unchanged(node.sources[1], node, sum)));
        });
        if (fits) products.emplace(n, std::move(uses));
    }
    return products;
}

void Contraction::contract() {
    const std::map<std::size_t, Uses> products = find_products();
    if (products.empty()) return;
    const auto uses_of = [&](std::size_t product) {
        const auto found = products.find(product);
        return found == products.end() ? nullptr : &found->second;
    };
    // In no sum does it meet a product with fewer uses.
    const auto may_win = [&](const Uses& uses) {
        return std::ranges::all_of(uses, [&](const Use& use) {
            const Uses* other = uses_of(product_of(nodes_[use.node], 1 - use.operand));
            return !other || other->size() >= uses.size();
        });
    };
    std::set<std::size_t> lost;
    for (std::size_t n = 0; n < nodes_.size(); ++n) {
        if (!nodes_[n].is_sum()) continue;
        std::size_t winner = nothing;
        for (const std::size_t operand : {0, 1}) {
            const std::size_t product = product_of(nodes_[n], operand);
            const Uses* uses = uses_of(product);
            if (!uses || lost.contains(product) || !may_win(*uses)) continue;
            if (winner == nothing || uses->size() < uses_of(product_of(nodes_[n], winner))->size()) winner = operand;
        }
        if (winner == nothing) continue;
        const std::size_t product = product_of(nodes_[n], winner);
        const Uses& uses = *uses_of(product);
        fuse(*std::ranges::find_if(uses, [&](const Use& use) { return use.node == n && use.operand == winner; }),
             nodes_[product]);
        lost.insert(product_of(nodes_[n], 1 - winner));
    }
}

void Contraction::fuse(const Use& use, const Node& product) {
    const Node& node = nodes_[use.node];
    ptx::Instruction& sum = function_.body[node.statement].instruction;
    const ptx::Instruction& factors = function_.body[product.statement].instruction;
    const bool is_difference = node.role == Role::difference;
    Operand first = factors.operands[1], addend = sum.operands[2 - use.operand];
    first.negated = use.negated != (is_difference && use.operand == 1);
    addend.negated = is_difference && use.operand == 0;
    --mentions_[node.sources[use.operand]];
    for (const std::uint32_t source : product.sources) ++mentions_[source];
    if (product.role == Role::quotient) {
        sum.mnemonic = factors.mnemonic;
        sum.modifiers = factors.modifiers;
    } else {
        sum.mnemonic = "fma";
        sum.modifiers.insert(sum.modifiers.begin(), "rn");
    }
    sum.operands = {sum.operands[0], std::move(first), factors.operands[2], std::move(addend)};
    sum.contracted = true;
}

/// The products that nothing reads any more, and what was copied from them.
void Contraction::remove_unused() {
    std::vector<std::size_t> unused;
    for (std::size_t n = nodes_.size(); n-- > 0;) {
        const Node& node = nodes_[n];
        const bool was_read = readers_.contains(node.target);
        if (node.is_sum() || !was_read || mentions_[node.target] > 1 || !made_by_.contains(node.target)) continue;
        unused.push_back(node.statement);
        for (const std::uint32_t source : node.sources) --mentions_[source];
    }
    std::ranges::sort(unused);
    std::size_t kept = 0, next = 0;
    for (std::size_t i = 0; i < function_.body.size(); ++i) {
        if (next < unused.size() && unused[next] == i) {
            ++next;
            continue;
        }
        if (kept != i) function_.body[kept] = std::move(function_.body[i]);
        ++kept;
    }
    function_.body.resize(kept);
}

}  // namespace

void contract_products(ptx::Function& function) {
    Contraction(function).run();
}

}  // namespace cudash::virtual_gpu
