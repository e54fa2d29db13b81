// Debug code computes much that nobody needs who does not look: copies of registers, addresses that it has already, the
// opposite of each comparison. Where it runs without stops, such instructions are counted and not executed. What an
// instruction reads is looked for under the first name that it has; then whatever nobody reads is dropped. Registers
// that checks read are written as ever. Instructions keep their order, and what is computed from floating point stays.
#include <algorithm>
#include <string>
#include <unordered_map>
#include <utility>

#include "runtime_wrappers/virtual_gpu/isa/function_decoder.h"

namespace cudash::virtual_gpu {
namespace {

/// Bits that a round may work on: more would take longer than they save.
constexpr std::size_t most_bits = std::size_t{1} << 18;
/// A copy of a copy of something computed before takes two.
constexpr unsigned rounds = 2;

}  // namespace

class FunctionDecoder::Trimming {
public:
    explicit Trimming(FunctionDecoder& of) : d_(of) {}
    void run();

private:
    /// What holds from an item on until one of the registers is written.
    struct Fact {
        std::uint32_t to = 0;
        std::vector<std::uint32_t> from;
        bool negated = false;  ///< of a copy
        std::string key{};     ///< of what is no copy
    };
    using Facts = std::vector<bool>;

    bool is_rewritable(const Item& item) const;
    unsigned written_operands(const Item& item) const;
    void note(const Item& item, const ptx::Operand& operand, std::vector<std::uint32_t>& to) const;
    void find_uses(std::uint32_t index);
    std::optional<Fact> copy_at(std::uint32_t index) const;
    std::optional<Fact> value_at(std::uint32_t index) const;
    std::string key_of(const Item& item) const;
    /// False: there are too many.
    bool find_facts(std::optional<Fact> (Trimming::*at)(std::uint32_t) const);
    void apply(std::uint32_t index, Facts& facts) const;
    /// visit(item, facts that hold before it)
    template <class Visit>
    void for_each_with_facts(Visit&& visit);
    void propagate_copies();
    void find_known_values();
    const std::string& name_of(std::uint32_t reg);
    void rename(const Item& item, ptx::Operand& operand, const Facts& facts);
    void rewrite(std::uint32_t index, const Facts& facts);
    void make_copy(std::uint32_t index, std::uint32_t from);
    std::vector<std::uint32_t> count(bool reads) const;
    void write_at_once();
    bool feeds_copy(std::uint32_t from, std::uint32_t copy, std::uint32_t to) const;
    bool drop_unread();
    void drop_jumps();

    FunctionDecoder& d_;
    std::vector<Fact> facts_;
    std::vector<std::uint32_t> fact_of_;              ///< by item
    std::vector<std::vector<std::uint32_t>> killed_;  ///< by register: facts that end where it is written
    std::vector<std::vector<std::uint32_t>> of_;      ///< by register: facts about it
    std::unordered_map<std::uint32_t, std::string> names_;
};

bool FunctionDecoder::Trimming::is_rewritable(const Item& item) const {
    if (!item.row || item.written->call || item.dropped) return false;
    // These may read what lanes have that are elsewhere.
    if (item.is(Class::collective)) return false;
    if (item.kind != Item::Kind::plain && item.kind != Item::Kind::helper) return false;
    // Conversions of one number are plain; other forms with rules of their own may write any operand.
    if (item.row->form == Form::dx) return item.row->behavior.affine && item.written->operands.size() == 2;
    return item.row->form != Form::x;
}

unsigned FunctionDecoder::Trimming::written_operands(const Item& item) const {
    return shape_of(item.row->form).written;
}

void FunctionDecoder::Trimming::note(const Item& item, const ptx::Operand& operand,
                                     std::vector<std::uint32_t>& to) const {
    if (!operand.name.empty())
        if (const auto id = d_.scopes_.find_register(item.scope, operand.name).number; id != no_index) to.push_back(id);
    for (const ptx::Operand& element : operand.elements) note(item, element, to);
}

void FunctionDecoder::Trimming::find_uses(std::uint32_t index) {
    const Item& item = d_.items_[index];
    RegisterUse& use = d_.uses_[index];
    if (item.dropped) use = {};
    if (!is_rewritable(item)) return;
    use = {};
    use.may_keep = !item.written->guard.empty();
    ptx::Operand guard = guard_operand(*item.written);
    note(item, guard, use.reads);
    const auto& operands = item.written->operands;
    for (std::size_t o = 0; o < operands.size(); ++o) {
        const bool writes = o < written_operands(item) && operands[o].kind != ptx::Operand::Kind::address;
        note(item, operands[o], writes ? use.writes : use.reads);
    }
}

/// A register that holds what another one holds, or a predicate that is another one's opposite.
std::optional<FunctionDecoder::Trimming::Fact> FunctionDecoder::Trimming::copy_at(std::uint32_t index) const {
    const Item& item = d_.items_[index];
    if (!is_rewritable(item) || !item.written->guard.empty() || item.written->operands.size() != 2) return {};
    const Meaning meaning = item.row->behavior.meaning;
    const ptx::Operand& from = item.written->operands[1];
    const RegisterUse& use = d_.uses_[index];
    if (from.kind != ptx::Operand::Kind::name || from.negated || !from.selector.empty() || use.reads.size() != 1 ||
        use.writes.size() != 1 || use.reads == use.writes || item.modifiers.types.empty())
        return {};
    const auto& bytes = d_.scopes_.register_bytes();
    const unsigned size = bytes[use.writes[0]];
    if (size != bytes[use.reads[0]]) return {};
    const bool is_predicate = size == 0 && item.modifiers.types.front() == ptx::Type::pred;
    const bool is_whole = (size == 4 || size == 8) && type_bytes(item.modifiers.types.front()) == size;
    if (meaning == Meaning::copy && (is_predicate || is_whole)) return Fact{use.writes[0], use.reads};
    if (meaning == Meaning::complement && is_predicate) return Fact{use.writes[0], use.reads, true};
    return {};
}

/// A number that is computed from others alone.
std::optional<FunctionDecoder::Trimming::Fact> FunctionDecoder::Trimming::value_at(std::uint32_t index) const {
    const Item& item = d_.items_[index];
    if (!is_rewritable(item) || !item.written->guard.empty() || !item.is(Class::arithmetic) ||
        !item.row->behavior.affine || item.modifiers.set.has(Mod::cc) || copy_at(index))
        return {};
    const RegisterUse& use = d_.uses_[index];
    if (use.writes.size() != 1 || std::ranges::find(use.reads, use.writes[0]) != use.reads.end()) return {};
    const unsigned size = d_.scopes_.register_bytes()[use.writes[0]];
    if (size != 4 && size != 8) return {};
    std::string key = key_of(item);
    if (key.empty()) return {};
    return Fact{use.writes[0], use.reads, false, std::move(key)};
}

/// Empty: it depends on more than its registers.
std::string FunctionDecoder::Trimming::key_of(const Item& item) const {
    std::string key = item.written->mnemonic;
    for (const std::string& modifier : item.written->modifiers) key += '.' + modifier;
    for (std::size_t o = 1; o < item.written->operands.size(); ++o) {
        const ptx::Operand& operand = item.written->operands[o];
        if (operand.negated || !operand.selector.empty() || !operand.elements.empty()) return {};
        if (operand.kind == ptx::Operand::Kind::integer) {
            key += ' ' + std::to_string(operand.integer);
            continue;
        }
        if (operand.kind != ptx::Operand::Kind::name) return {};
        const auto id = d_.scopes_.find_register(item.scope, operand.name).number;
        const auto begins = [&](std::string_view with) { return operand.name.starts_with(with); };
        if (id != no_index)
            key += " r" + std::to_string(id);
        else if (begins("%tid") || begins("%ntid") || begins("%ctaid") || begins("%nctaid"))
            key += ' ' + operand.name;
        else
            return {};
    }
    // The result's width is part of what a conversion does.
    return key + '>' + std::to_string(d_.scopes_.find_register(item.scope, item.written->operands[0].name).bytes);
}

bool FunctionDecoder::Trimming::find_facts(std::optional<Fact> (Trimming::*at)(std::uint32_t) const) {
    const std::size_t registers = d_.scopes_.register_bytes().size();
    facts_.clear();
    fact_of_.assign(d_.items_.size(), no_index);
    killed_.assign(registers, {});
    of_.assign(registers, {});
    for (std::uint32_t i = 0; i < d_.items_.size(); ++i) {
        auto made = (this->*at)(i);
        if (!made) continue;
        const auto number = static_cast<std::uint32_t>(facts_.size());
        fact_of_[i] = number;
        of_[made->to].push_back(number);
        killed_[made->to].push_back(number);
        for (const std::uint32_t r : made->from) killed_[r].push_back(number);
        facts_.push_back(std::move(*made));
    }
    return facts_.size() * d_.blocks_.size() <= most_bits;
}

void FunctionDecoder::Trimming::apply(std::uint32_t index, Facts& facts) const {
    for (const std::uint32_t r : d_.uses_[index].writes)
        for (const std::uint32_t fact : killed_[r]) facts[fact] = false;
    if (fact_of_[index] != no_index) facts[fact_of_[index]] = true;
}

template <class Visit>
void FunctionDecoder::Trimming::for_each_with_facts(Visit&& visit) {
    const auto& blocks = d_.blocks_;
    // What holds at the end of each block; all that can, until a way to it says otherwise.
    std::vector<Facts> before(blocks.size(), Facts(facts_.size(), true));
    before.front().assign(facts_.size(), false);
    for (bool changed = true; changed;) {
        changed = false;
        for (const FlowBlock& block : blocks) {
            Facts facts = before[static_cast<std::size_t>(&block - blocks.data())];
            for (std::uint32_t i = block.first; i <= block.last; ++i) apply(i, facts);
            for (const std::uint32_t successor : block.successors)
                for (std::size_t f = 0; f < facts.size(); ++f)
                    if (!facts[f] && before[successor][f]) before[successor][f] = false, changed = true;
        }
    }
    for (const FlowBlock& block : blocks) {
        Facts facts = before[static_cast<std::size_t>(&block - blocks.data())];
        for (std::uint32_t i = block.first; i <= block.last; ++i) {
            visit(i, facts);
            apply(i, facts);
        }
    }
}

/// A name that the register has wherever it is.
const std::string& FunctionDecoder::Trimming::name_of(std::uint32_t reg) {
    auto [name, is_new] = names_.try_emplace(reg, "#" + std::to_string(reg));
    if (is_new) d_.scopes_.name_register(name->second, reg);
    return name->second;
}

void FunctionDecoder::Trimming::rename(const Item& item, ptx::Operand& operand, const Facts& facts) {
    for (ptx::Operand& element : operand.elements) rename(item, element, facts);
    if (operand.name.empty()) return;
    const auto id = d_.scopes_.find_register(item.scope, operand.name).number;
    if (id == no_index) return;
    for (const std::uint32_t f : of_[id])
        if (facts[f] && !facts_[f].negated) {
            operand.name = name_of(facts_[f].from[0]);
            return;
        }
}

void FunctionDecoder::Trimming::rewrite(std::uint32_t index, const Facts& facts) {
    Item& item = d_.items_[index];
    const auto is_known = [&](std::uint32_t r) {
        return std::ranges::any_of(of_[r], [&](std::uint32_t f) { return facts[f]; });
    };
    if (!is_rewritable(item) || std::ranges::none_of(d_.uses_[index].reads, is_known)) return;
    ptx::Instruction& changed = d_.made_.emplace_back(*item.written);
    for (std::size_t o = 0; o < changed.operands.size(); ++o)
        if (o >= written_operands(item) || changed.operands[o].kind == ptx::Operand::Kind::address)
            rename(item, changed.operands[o], facts);
    if (!changed.guard.empty()) {
        const auto id = d_.scopes_.find_register(item.scope, changed.guard).number;
        const auto known = std::ranges::find_if(of_[id], [&](std::uint32_t f) { return facts[f]; });
        if (known != of_[id].end()) {
            changed.guard = name_of(facts_[*known].from[0]);
            changed.guard_negated ^= facts_[*known].negated;
        }
    }
    item.written = &changed;
}

void FunctionDecoder::Trimming::propagate_copies() {
    if (!find_facts(&Trimming::copy_at)) return;
    for_each_with_facts([&](std::uint32_t i, const Facts& facts) { rewrite(i, facts); });
    for (std::uint32_t i = 0; i < d_.items_.size(); ++i) find_uses(i);
}

void FunctionDecoder::Trimming::make_copy(std::uint32_t index, std::uint32_t from) {
    Item& item = d_.items_[index];
    ptx::Instruction& copy = d_.made_.emplace_back();
    copy.mnemonic = "mov";
    copy.modifiers = {d_.scopes_.register_bytes()[from] == 8 ? "b64" : "b32"};
    copy.location = item.written->location;
    copy.operands = {item.written->operands[0], {}};
    copy.operands[1].name = name_of(from);
    item.written = &copy;
    item.row = find_instruction(copy.mnemonic);
    item.modifiers = parse_modifiers(copy.modifiers);
}

/// What is computed a second time becomes a copy.
void FunctionDecoder::Trimming::find_known_values() {
    if (!find_facts(&Trimming::value_at)) return;
    std::unordered_map<std::string_view, std::vector<std::uint32_t>> by_key;
    for (std::uint32_t f = 0; f < facts_.size(); ++f) by_key[facts_[f].key].push_back(f);
    for_each_with_facts([&](std::uint32_t i, const Facts& facts) {
        if (fact_of_[i] == no_index) return;
        const Fact& here = facts_[fact_of_[i]];
        for (const std::uint32_t f : by_key[here.key])
            if (facts[f] && facts_[f].to != here.to) return make_copy(i, facts_[f].to);
    });
    for (std::uint32_t i = 0; i < d_.items_.size(); ++i) find_uses(i);
}

std::vector<std::uint32_t> FunctionDecoder::Trimming::count(bool reads) const {
    std::vector<std::uint32_t> found(d_.scopes_.register_bytes().size());
    for (const RegisterUse& use : d_.uses_)
        for (const std::uint32_t r : reads ? use.reads : use.writes) ++found[r];
    return found;
}

/// Whether `from` may write what `copy`, behind it in its block, makes of it.
bool FunctionDecoder::Trimming::feeds_copy(std::uint32_t from, std::uint32_t copy, std::uint32_t to) const {
    if (d_.block_of_[from] != d_.block_of_[copy]) return false;
    for (std::uint32_t i = from + 1; i < copy; ++i) {
        const RegisterUse& use = d_.uses_[i];
        if (std::ranges::find(use.reads, to) != use.reads.end() ||
            std::ranges::find(use.writes, to) != use.writes.end())
            return false;
    }
    return true;
}

/// What is only copied is written where it goes.
void FunctionDecoder::Trimming::write_at_once() {
    const std::vector<std::uint32_t> reads = count(true), writes = count(false);
    std::vector<std::uint32_t> writer(writes.size(), no_index);
    for (std::uint32_t i = 0; i < d_.items_.size(); ++i)
        for (const std::uint32_t r : d_.uses_[i].writes) writer[r] = i;
    for (std::uint32_t i = 0; i < d_.items_.size(); ++i) {
        const auto copy = copy_at(i);
        if (!copy || copy->negated || d_.blocks_[d_.block_of_[i]].last == i) continue;
        const std::uint32_t through = copy->from[0], from = writer[through];
        if (reads[through] != 1 || writes[through] != 1 || from == no_index || from >= i) continue;
        if (d_.checked_[through] || d_.checked_[copy->to] || !feeds_copy(from, i, copy->to)) continue;
        Item& item = d_.items_[from];
        if (!is_rewritable(item) || d_.uses_[from].writes.size() != 1 || !item.written->guard.empty() ||
            item.written->operands[0].kind != ptx::Operand::Kind::name)
            continue;
        ptx::Instruction& changed = d_.made_.emplace_back(*item.written);
        changed.operands[0].name = name_of(copy->to);
        item.written = &changed;
        find_uses(from);
        d_.items_[i].dropped = true;
        find_uses(i);
        writer[copy->to] = from;
    }
}

/// False: all that is left is read.
bool FunctionDecoder::Trimming::drop_unread() {
    const std::vector<std::uint32_t> reads = count(true);
    bool found = false;
    for (std::uint32_t i = 0; i < d_.items_.size(); ++i) {
        Item& item = d_.items_[i];
        const RegisterUse& use = d_.uses_[i];
        if (!is_rewritable(item) || !item.is(Class::arithmetic) || item.modifiers.set.has(Mod::cc) ||
            use.writes.empty() || d_.blocks_[d_.block_of_[i]].last == i)
            continue;
        if (std::ranges::any_of(use.writes, [&](std::uint32_t r) { return reads[r] != 0 || d_.checked_[r]; })) continue;
        item.dropped = found = true;
        find_uses(i);
    }
    return found;
}

/// nvcc ends each block with a jump. One that leads to the next block is not needed; if it is alone, it is counted with
/// that block, where all who come there come by it.
void FunctionDecoder::Trimming::drop_jumps() {
    std::vector<unsigned> ways(d_.blocks_.size());
    for (const FlowBlock& block : d_.blocks_)
        for (const std::uint32_t successor : block.successors) ++ways[successor];
    for (std::size_t b = 0; b + 1 < d_.blocks_.size(); ++b) {
        const FlowBlock& block = d_.blocks_[b];
        Item& jump = d_.items_[block.last];
        if (!jump.is(Control::branch) || jump.flow != Item::Flow::none) continue;
        bool is_alone = true;
        for (std::uint32_t i = block.first; i < block.last; ++i) is_alone &= d_.items_[i].dropped;
        jump.dropped = !is_alone || (b != 0 && ways[b + 1] == 1 && !d_.joins_[b] && !d_.joins_[b + 1]);
        find_uses(block.last);
    }
}

void FunctionDecoder::Trimming::run() {
    for (std::uint32_t i = 0; i < d_.items_.size(); ++i) find_uses(i);
    for (unsigned round = 0; round < rounds; ++round) {
        propagate_copies();
        find_known_values();
    }
    propagate_copies();
    while (drop_unread()) {
    }
    write_at_once();
    drop_jumps();
    d_.read_.assign(d_.scopes_.register_bytes().size(), false);
    for (const RegisterUse& use : d_.uses_)
        for (const std::uint32_t r : use.reads) d_.read_[r] = true;
}

void FunctionDecoder::trim() {
    Trimming(*this).run();
}

}  // namespace cudash::virtual_gpu
