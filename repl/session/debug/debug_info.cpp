#include "repl/session/debug/debug_info.h"

#include <algorithm>

namespace cudash::session::debug {
namespace {

class Appended {
public:
    Appended(TypeId first, const DebugInfo::Renames& renamed) : shift_(first - 1), renamed_(renamed) {}

    void move(TypeId& type) const {
        if (type != no_type) type += shift_;
    }
    void rename(std::string& symbol) const {
        if (const auto found = renamed_.find(symbol); found != renamed_.end()) symbol = found->second;
    }
    void change(DebugVariable& variable) const {
        move(variable.type);
        for (VariablePlace& place : variable.places)
            if (place.address_class != VariablePlace::Class::reg) rename(place.symbol);
    }
    void change(DebugScope& scope) const {
        scope.call_file = 0;  // a linker numbers files anew
        for (DebugVariable& each : scope.variables) change(each);
        for (DebugScope& each : scope.inner) change(each);
    }

private:
    TypeId shift_;
    const DebugInfo::Renames& renamed_;
};

}  // namespace

std::vector<const DebugScope*> scopes_at(const DebugFunction& function, std::uint64_t ptx_line) {
    std::vector<const DebugScope*> found{&function.scope};
    while (true) {
        const std::vector<DebugScope>& inner = found.back()->inner;
        const auto next = std::ranges::find_if(
            inner, [&](const DebugScope& each) { return each.begin <= ptx_line && ptx_line < each.end; });
        if (next == inner.end()) break;
        found.push_back(&*next);
    }
    std::ranges::reverse(found);
    return found;
}

void DebugInfo::append(DebugInfo other, const Renames& renamed) {
    const Appended appended(static_cast<TypeId>(types.size()), renamed);
    for (std::size_t i = 1; i < other.types.size(); ++i) {
        DebugType& type = other.types[i];
        appended.move(type.target);
        for (DebugType::Member& each : type.members) appended.move(each.type);
        types.push_back(std::move(type));
    }
    for (DebugFunction& each : other.functions) {
        appended.rename(each.symbol);
        appended.change(each.scope);
        functions.push_back(std::move(each));
    }
    for (DebugVariable& each : other.globals) {
        appended.change(each);
        globals.push_back(std::move(each));
    }
}

}  // namespace cudash::session::debug
