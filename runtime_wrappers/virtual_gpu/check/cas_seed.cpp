#include "runtime_wrappers/virtual_gpu/check/cas_seed.h"

#include <algorithm>
#include <map>
#include <string_view>

#include "runtime_wrappers/virtual_gpu/isa/instruction_table.h"

namespace cudash::virtual_gpu {
namespace {

using ptx::Operand;

/// What a register holds: something that comes from the load, what an atom.cas at its place returned, or whether the
/// two are equal (unequal).
enum class Holds : std::uint8_t { seed, seen, equal, unequal };
using State = std::map<std::string_view, Holds>;

bool has(const ptx::Instruction& instruction, std::string_view modifier) {
    return std::ranges::find(instruction.modifiers, modifier) != instruction.modifiers.end();
}

template <class Visit>
void for_each_name(const Operand& operand, Visit&& visit) {
    if (!operand.name.empty()) visit(std::string_view(operand.name));
    for (const Operand& element : operand.elements) for_each_name(element, visit);
}

struct Place {
    std::string_view name;
    std::int64_t offset = 0;
    bool operator==(const Place&) const = default;
};

class Walk {
public:
    Walk(const Code& code, std::uint32_t load)
        : code_(code), count_(code.steady_at ? code.steady_at : code.instructions.size()), load_(load) {}

    bool run() {
        const ptx::Instruction& load = *code_.written[load_];
        if (load.operands.size() != 2 || load.operands[0].kind != Operand::Kind::name || !load.guard.empty())
            return false;
        if (!any_cas()) return false;
        place_ = place_of(load.operands[1]);
        if (!finds_cas()) return false;
        states_.resize(count_);
        reached_.resize(count_);
        merge(load_ + 1, {{load.operands[0].name, Holds::seed}});
        std::size_t steps = 0;
        while (!queue_.empty()) {
            const std::size_t i = queue_.back();
            queue_.pop_back();
            if (++steps > most_steps || !step(i)) return false;
        }
        return true;
    }

private:
    static constexpr std::size_t most_steps = 20000;

    static bool is_cas(const ptx::Instruction* written) {
        return written && has(*written, "cas") && written->operands.size() >= 4 &&
               behavior_of(*written).effect == Effect::atomic;
    }
    bool any_cas() const {
        return std::any_of(code_.written.begin(), code_.written.begin() + static_cast<std::ptrdiff_t>(count_), is_cas);
    }
    bool finds_cas() {
        for (std::size_t i = 0; i < count_; ++i)
            if (is_cas(code_.written[i]) && place_of(code_.written[i]->operands[1]) == place_) return true;
        return false;
    }

    /// The only instruction that writes the register; nullptr: there are several, or none.
    const ptx::Instruction* definition(std::string_view name) {
        if (definitions_.empty())
            for (std::size_t i = 0; i < count_; ++i) {
                const ptx::Instruction* written = code_.written[i];
                const InstructionRow* row = written ? find_instruction(written->mnemonic) : nullptr;
                const std::size_t targets = row ? shape_of(row->form).written : 0;
                for (std::size_t o = 0; o < std::min(targets, written ? written->operands.size() : 0); ++o)
                    for_each_name(written->operands[o], [&](std::string_view target) {
                        const auto [entry, is_new] = definitions_.try_emplace(target, written);
                        if (!is_new) entry->second = nullptr;
                    });
            }
        const auto found = definitions_.find(name);
        return found == definitions_.end() ? nullptr : found->second;
    }
    /// An address, back through the moves and conversions that it comes from.
    Place place_of(const Operand& address) {
        Place place{address.name, address.offset};
        for (unsigned depth = 0; depth < 8; ++depth) {
            const ptx::Instruction* from = definition(place.name);
            if (!from || !from->guard.empty() || from->operands.size() < 2) break;
            const Operand& source = from->operands[1];
            if (source.kind != Operand::Kind::name) break;
            const Meaning meaning = behavior_of(*from).meaning;
            const bool adds = meaning == Meaning::sum && from->operands.size() == 3 &&
                              from->operands[2].kind == Operand::Kind::integer;
            if (adds)
                place.offset += from->operands[2].integer;
            else if (meaning == Meaning::copy || meaning == Meaning::generic_address)
                place.offset += source.offset;
            else
                break;
            place.name = source.name;
        }
        return place;
    }

    void merge(std::size_t at, const State& state) {
        if (at >= count_) return;
        State& known = states_[at];
        if (!reached_[at]) {
            reached_[at] = true;
            known = state;
            queue_.push_back(at);
            return;
        }
        State made;
        for (const auto& [name, holds] : known) {
            const auto other = state.find(name);
            if (other != state.end() && other->second == holds)
                made[name] = holds;
            else if (holds != Holds::seen || (other != state.end() && other->second != Holds::seen))
                made[name] = Holds::seed;
        }
        for (const auto& [name, holds] : state)
            if (holds != Holds::seen && !known.contains(name)) made[name] = Holds::seed;
        if (made == known) return;
        known = std::move(made);
        queue_.push_back(at);
    }

    /// Follows what happens at instruction i. False: the loaded value goes where it must not.
    bool step(std::size_t i) {
        const ptx::Instruction* written = code_.written[i];
        if (!written) {
            merge(i + 1, states_[i]);
            return true;
        }
        State state = states_[i];
        const auto holds = [&](std::string_view name) {
            const auto found = state.find(name);
            return found == state.end() ? nullptr : &found->second;
        };
        const Holds* const guard = written->guard.empty() ? nullptr : holds(written->guard);
        if (guard && *guard == Holds::seed) return false;
        const InstructionRow* const row = find_instruction(written->mnemonic);
        const Behavior& behavior = behavior_of(*written);
        if (behavior.control == Control::leave || behavior.control == Control::stop) {
            if (!written->guard.empty()) merge(i + 1, state);
            return true;
        }
        if (behavior.control == Control::branch) {
            const auto target = static_cast<std::size_t>(code_.instructions[i].target - code_.instructions.data());
            // Where it is known that the atom.cas has succeeded, what was loaded is what was there.
            const bool when_taken = guard && (*guard == Holds::equal) != written->guard_negated;
            const bool when_not = guard && (*guard == Holds::unequal) != written->guard_negated;
            merge(target, when_taken ? State{} : state);
            if (!written->guard.empty()) merge(i + 1, when_not ? State{} : state);
            return true;
        }
        if (!row || written->call || row->instruction_class == Class::control) {
            if (written->call)
                for (const Operand& argument : written->call->arguments)
                    if (any_seed(argument, state)) return false;
            if (behavior.control == Control::indexed_branch) return false;
            merge(i + 1, state);
            return true;
        }
        const std::size_t targets = std::min<std::size_t>(shape_of(row->form).written, written->operands.size());
        const bool cas = is_cas(written) && place_of(written->operands[1]) == place_;
        bool from_seed = false;
        for (std::size_t o = targets; o < written->operands.size(); ++o)
            from_seed |= !(cas && o > 1) && any_seed(written->operands[o], state);
        if (from_seed && row->instruction_class != Class::arithmetic) return false;
        Holds made = Holds::seed;
        bool makes = from_seed;
        if (cas) {
            made = Holds::seen, makes = true;
        } else if (behavior.meaning == Meaning::comparison && targets + 2 == written->operands.size()) {
            const Holds* const a = holds(written->operands[targets].name);
            const Holds* const b = holds(written->operands[targets + 1].name);
            const bool compares = a && b && (*a == Holds::seen) != (*b == Holds::seen);
            if (compares && (has(*written, "eq") || has(*written, "ne")))
                made = has(*written, "eq") ? Holds::equal : Holds::unequal;
        } else if ((behavior.meaning == Meaning::copy || behavior.meaning == Meaning::complement) &&
                   written->operands.size() == 2) {
            if (const Holds* const source = holds(written->operands[1].name)) made = *source, makes = true;
            if (behavior.meaning == Meaning::complement) made = negated(made);
        }
        for (std::size_t o = 0; o < targets; ++o)
            for_each_name(written->operands[o], [&](std::string_view name) {
                if (!written->guard.empty() && !(holds(name) && *holds(name) == made && makes)) {
                    // The lanes differ in what it holds.
                    if (makes || holds(name)) state[name] = Holds::seed;
                } else if (makes) {
                    state[name] = made;
                } else {
                    state.erase(name);
                }
            });
        merge(i + 1, state);
        return true;
    }
    static Holds negated(Holds holds) {
        if (holds == Holds::equal) return Holds::unequal;
        return holds == Holds::unequal ? Holds::equal : Holds::seed;
    }
    static bool any_seed(const Operand& operand, const State& state) {
        bool any = false;
        for_each_name(operand, [&](std::string_view name) {
            const auto found = state.find(name);
            any |= found != state.end() && found->second != Holds::seen;
        });
        return any;
    }

    const Code& code_;
    const std::size_t count_;
    const std::uint32_t load_;
    Place place_;
    std::map<std::string_view, const ptx::Instruction*> definitions_;
    std::vector<State> states_;
    std::vector<bool> reached_;
    std::vector<std::size_t> queue_;
};

}  // namespace

bool only_begins_cas(const Code& code, std::uint32_t load) {
    return Walk(code, load).run();
}

}  // namespace cudash::virtual_gpu
