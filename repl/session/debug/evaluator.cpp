#include "repl/session/debug/evaluator.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <set>

#include "runtime_wrappers/virtual_gpu/memory/address_windows.h"

namespace cudash::session::debug {
namespace {

namespace gpu = virtual_gpu;

bool holds_variable(const DebugScope& scope, std::string_view name) {
    return std::ranges::any_of(scope.variables, [&](const DebugVariable& each) { return each.name == name; }) ||
           std::ranges::any_of(scope.inner, [&](const DebugScope& each) { return holds_variable(each, name); });
}

}  // namespace

bool is_same(const gpu::SharedVariable& shared, const DebugVariable& variable, const VariablePlace& place,
             std::string_view function) {
    if (shared.symbol == place.symbol) return true;
    // The host's compiler and the device's mangle variables of kernels differently: the function and the name decide.
    if (shared.name != variable.name) return false;
    if (function.starts_with("_Z")) function.remove_prefix(2);
    return !shared.symbol.starts_with("_ZZ") || shared.symbol.find(function) != std::string::npos;
}

std::uint64_t Evaluator::ptx_line() const {
    return gpu::location_of(*at_.frame->code, at_.instruction).ptx_line;
}

std::vector<const DebugScope*> Evaluator::scopes() const {
    const DebugFunction* function = unit_.info.function(at_.frame->code->name);
    if (!function) return {};
    const std::vector<const DebugScope*> all = scopes_at(*function, ptx_line());
    // From the block that the focus is in outwards to the function that was inlined there, whose names are its own.
    const auto end_of_function = [&](auto from) {
        const auto found = std::find_if(from, all.end(), [](const DebugScope* each) { return !each->inlined.empty(); });
        return found == all.end() ? found : std::next(found);
    };
    auto first = all.begin();
    for (unsigned i = 0; i < at_.inlined; ++i) first = end_of_function(first);
    return {first, end_of_function(first)};
}

std::vector<const DebugVariable*> Evaluator::variables() const {
    std::vector<const DebugVariable*> found;
    std::set<std::string_view> seen;
    for (const DebugScope* scope : scopes())
        for (const DebugVariable& each : scope->variables)
            if (seen.insert(each.name).second) found.push_back(&each);
    return found;
}

gpu::Watched Evaluator::watched(ptx::Space space, std::uint64_t address) const {
    return {space, address, 0, at_.warp->block->number, at_.warp->index, at_.lane};
}

gpu::Watched Evaluator::generic(std::uint64_t address) const {
    const gpu::Watched spot = gpu::spot_of(address);
    return watched(spot.space, spot.address);
}

DebugValue Evaluator::made_of(const Scalar& value) const {
    DebugValue made;
    made.type = unit_.types.of(value);
    made.bytes.resize(value.bytes);
    if (value.kind == Scalar::Kind::single) {
        const auto real = static_cast<float>(value.real);
        std::memcpy(made.bytes.data(), &real, sizeof real);
    } else if (value.kind == Scalar::Kind::real) {
        std::memcpy(made.bytes.data(), &value.real, sizeof value.real);
    } else {
        std::memcpy(made.bytes.data(), &value.integer, value.bytes);
    }
    return made;
}

std::optional<DebugValue> Evaluator::builtin(std::string_view name) const {
    const gpu::Launch& launch = debugger_.launch();
    std::array<unsigned, 3> three{};
    if (name == "threadIdx")
        for (std::size_t axis = 0; axis < 3; ++axis) three[axis] = at_.warp->tid[axis][at_.lane];
    else if (name == "blockIdx")
        three = {at_.warp->block->id.x, at_.warp->block->id.y, at_.warp->block->id.z};
    else if (name == "blockDim")
        three = {launch.block.x, launch.block.y, launch.block.z};
    else if (name == "gridDim")
        three = {launch.grid.x, launch.grid.y, launch.grid.z};
    else if (name == "warpSize")
        return made_of(Scalar::of_int(gpu::warp_size));
    else
        return std::nullopt;
    DebugValue made{unit_.types.three(), std::vector<std::byte>(sizeof three), {}};
    std::memcpy(made.bytes.data(), three.data(), sizeof three);
    return made;
}

Result<DebugValue> Evaluator::in_register(const DebugVariable& variable, const std::string& symbol) const {
    const auto& places = at_.frame->code->debug->places;
    const auto found = places.find(symbol);
    if (found == places.end() || found->second.space != ptx::Space::reg)
        return error("not-live", fmt::format("`{}` has no place here", variable.name));
    const gpu::DebugPlace& place = found->second;
    DebugValue value{variable.type, {}, {}};
    const std::byte* const registers = at_.frame->registers + place.offset;
    if (place.bytes == 0) {
        std::uint32_t mask = 0;
        std::memcpy(&mask, registers, sizeof mask);
        value.bytes.assign(std::max<std::uint64_t>(1, unit_.types[variable.type].bytes), std::byte{0});
        value.bytes[0] = std::byte{static_cast<unsigned char>(mask >> at_.lane & 1)};
        return value;
    }
    const std::byte* const begin = registers + std::size_t{at_.lane} * place.bytes;
    value.bytes.assign(begin, begin + place.bytes);
    return value;
}

Result<DebugValue> Evaluator::value_at(const DebugVariable& variable, const VariablePlace& place) const {
    if (place.address_class == VariablePlace::Class::reg) return in_register(variable, place.symbol);
    const auto at = [&](ptx::Space space, std::uint64_t address) {
        return DebugValue{variable.type, {}, watched(space, address + place.offset)};
    };
    const gpu::Launch& launch = debugger_.launch();
    const auto& places = at_.frame->code->debug->places;
    if (const auto own = places.find(place.symbol); own != places.end()) {
        if (own->second.space == ptx::Space::local)
            return at(ptx::Space::local, at_.frame->local_base + own->second.offset);
        if (own->second.space == ptx::Space::param) return at(ptx::Space::param, own->second.offset);
    }
    if (place.address_class == VariablePlace::Class::shared)
        for (const gpu::SharedVariable& shared : launch.program->shared_variables)
            if (is_same(shared, variable, place, at_.frame->code->name)) return at(ptx::Space::shared, shared.begin);
    const gpu::Allocation* newest = nullptr;
    const auto allocations = launch.memory->snapshot();
    for (const gpu::Allocation& each : *allocations)
        if ((each.origin == place.symbol || each.origin == "__managed__ " + place.symbol) &&
            (!newest || each.serial > newest->serial))
            newest = &each;
    if (newest) return at(ptx::Space::global, newest->begin);
    return error("not-live", fmt::format("`{}` has no place in this kernel", variable.name));
}

Result<DebugValue> Evaluator::value_of(const DebugVariable& variable) const {
    const std::uint64_t line = ptx_line();
    for (const VariablePlace& place : variable.places)
        if (place.begin <= line && line < place.end) {
            auto value = value_at(variable, place);
            return value ? through_reference(std::move(*value)) : value;
        }
    return error("not-live", variable.places.empty() ? fmt::format("`{}` was optimized away", variable.name)
                                                     : fmt::format("`{}` has no value here", variable.name));
}

bool Evaluator::is_variable(std::string_view name) const {
    const auto has_name = [&](const auto* each) { return each->name == name; };
    return std::ranges::any_of(variables(), has_name);
}

std::optional<Evaluator::NamedPlace> Evaluator::named_place(const std::string& name) const {
    const DebugVariable* variable = nullptr;
    for (const DebugVariable* each : variables())
        if (!variable && each->name == name) variable = each;
    for (const DebugVariable& each : unit_.info.globals)
        if (!variable && !builtin(name) && each.name == name) variable = &each;
    if (!variable || unit_.types[variable->type].kind == DebugType::Kind::reference) return std::nullopt;
    const std::uint64_t line = ptx_line();
    const auto here = std::ranges::find_if(
        variable->places, [&](const VariablePlace& each) { return each.begin <= line && line < each.end; });
    if (here == variable->places.end()) return std::nullopt;
    if (here->address_class == VariablePlace::Class::reg) {
        const auto& places = at_.frame->code->debug->places;
        const auto found = places.find(here->symbol);
        if (found == places.end() || found->second.space != ptx::Space::reg) return std::nullopt;
        return NamedPlace{variable->type, found->second, {}};
    }
    const auto value = value_at(*variable, *here);
    if (!value || !value->place) return std::nullopt;
    return NamedPlace{variable->type, std::nullopt, *value->place};
}

Result<DebugValue> Evaluator::through_reference(DebugValue value) const {
    const DebugType& type = unit_.types[value.type];
    if (type.kind != DebugType::Kind::reference) return value;
    const TypeId target = type.target;
    const auto bytes = load(value);
    if (!bytes) return bytes.error();
    std::uint64_t address = 0;
    std::memcpy(&address, bytes->data(), std::min<std::size_t>(8, bytes->size()));
    return DebugValue{target, {}, generic(address)};
}

Result<DebugValue> Evaluator::name(const std::string& name) const {
    for (const DebugVariable* each : variables())
        if (each->name == name) return value_of(*each);
    if (const auto known = builtin(name)) return *known;
    for (const DebugVariable& each : unit_.info.globals)
        if (each.name == name) return value_of(each);
    for (TypeId id = 1; unit_.info.types.size() > id; ++id)
        for (const auto& [enumerator, value] : unit_.info.types[id].enumerators)
            if (enumerator == name) return made_of(Scalar::of_int(value));
    const DebugFunction* function = unit_.info.function(at_.frame->code->name);
    const std::vector<const DebugScope*> here = scopes();
    if (!here.empty() && !here.back()->inlined.empty() && !holds_variable(*here.back(), name))
        return error("unknown-name", fmt::format("there is no `{}` in {}", name, here.back()->inlined),
                     "`locals` lists the variables; `up` looks at the function that called this one");
    if (function && holds_variable(function->scope, name))
        return error("not-live", fmt::format("`{}` is not in scope on this line", name));
    return error("unknown-name",
                 fmt::format("there is no `{}` in {}", name, function ? function->name : "this function"),
                 "`locals` lists the variables");
}

Result<std::vector<std::byte>> Evaluator::load(const DebugValue& value) const {
    if (!value.place) return value.bytes;
    gpu::Watched place = *value.place;
    place.bytes = unit_.types[value.type].bytes;
    if (place.bytes == 0)
        return error("no-size", fmt::format("the size of `{}` is not known", unit_.types.name(value.type)));
    constexpr std::uint64_t most = 1 << 20;
    place.bytes = std::min(place.bytes, most);
    if (place.space == ptx::Space::param) {
        const auto& parameters = debugger_.launch().parameters;
        if (place.address > parameters.size() || place.bytes > parameters.size() - place.address)
            return error("bad-address", "this parameter can't be read");
        const auto begin = parameters.begin() + static_cast<std::ptrdiff_t>(place.address);
        return std::vector<std::byte>(begin, begin + static_cast<std::ptrdiff_t>(place.bytes));
    }
    std::vector<std::byte> bytes = debugger_.read(place);
    if (bytes.empty())
        return error("bad-address", fmt::format("no memory of {} is at {:#x}",
                                                place.space == ptx::Space::shared  ? "this block"
                                                : place.space == ptx::Space::local ? "this thread"
                                                                                   : "the device",
                                                place.address));
    return bytes;
}

Result<Scalar> Evaluator::number(const Expression& expression) const {
    const auto value = evaluate(expression);
    if (!value) return value.error();
    if (unit_.types[value->type].kind == DebugType::Kind::array && value->place) {
        // An array stands for its address.
        const std::uint64_t window = value->place->space == ptx::Space::shared  ? gpu::shared_window
                                     : value->place->space == ptx::Space::local ? gpu::local_window
                                                                                : 0;
        return Scalar::of_unsigned(value->place->address + window, 8);
    }
    const auto bytes = load(*value);
    if (!bytes) return bytes.error();
    if (const auto scalar = unit_.types.scalar(value->type, *bytes)) return *scalar;
    return error("bad-expression", fmt::format("a value of type `{}` is not a number", unit_.types.name(value->type)));
}

Result<bool> Evaluator::truth(const Expression& expression) const {
    const auto value = number(expression);
    if (!value) return value.error();
    return value->truth();
}

Result<DebugValue> Evaluator::member(DebugValue object, const std::string& name) const {
    const DebugType& type = unit_.types[object.type];
    if (type.kind != DebugType::Kind::record)
        return error("bad-expression", fmt::format("`{}` has no members", unit_.types.name(object.type)));
    const auto part = [&](const DebugType::Member& each) {
        DebugValue made{each.type, {}, object.place};
        if (made.place) {
            made.place->address += each.offset;
        } else {
            const std::uint64_t size = std::min<std::uint64_t>(
                unit_.types[each.type].bytes,
                object.bytes.size() - std::min<std::uint64_t>(object.bytes.size(), each.offset));
            const auto begin = object.bytes.begin() + static_cast<std::ptrdiff_t>(each.offset);
            made.bytes.assign(begin, begin + static_cast<std::ptrdiff_t>(size));
        }
        return made;
    };
    for (const DebugType::Member& each : type.members)
        if (each.name == name) return through_reference(part(each));
    for (const DebugType::Member& each : type.members)
        if (each.name.empty() || unit_.types[each.type].name == each.name)
            if (auto inner = member(part(each), name)) return inner;
    return error("unknown-name", fmt::format("`{}` has no member `{}`", unit_.types.name(object.type), name));
}

Result<DebugValue> Evaluator::pointed_at(const DebugValue& pointer, std::int64_t index) const {
    const DebugType& type = unit_.types[pointer.type];
    const auto bytes = load(pointer);
    if (!bytes) return bytes.error();
    std::uint64_t address = 0;
    std::memcpy(&address, bytes->data(), std::min<std::size_t>(8, bytes->size()));
    if (address == 0) return error("bad-address", "the pointer is null");
    const std::uint64_t size = unit_.types[type.target].bytes;
    return DebugValue{type.target, {}, generic(address + static_cast<std::uint64_t>(index) * size)};
}

Result<DebugValue> Evaluator::element(const DebugValue& array, const Scalar& index) const {
    const DebugType& type = unit_.types[array.type];
    if (index.is_real()) return error("bad-expression", "an index is a whole number");
    if (type.kind == DebugType::Kind::pointer) return pointed_at(array, index.integer);
    if (type.kind != DebugType::Kind::array)
        return error("bad-expression", fmt::format("`{}` has no elements", unit_.types.name(array.type)));
    if (index.integer < 0 || (type.count != 0 && static_cast<std::uint64_t>(index.integer) >= type.count))
        return error("bad-index",
                     fmt::format("index {} is outside of `{}`", index.integer, unit_.types.name(array.type)));
    const std::uint64_t size = unit_.types[type.target].bytes,
                        offset = size * static_cast<std::uint64_t>(index.integer);
    DebugValue made{type.target, {}, array.place};
    if (made.place) {
        made.place->address += offset;
    } else {
        const auto begin = array.bytes.begin() + static_cast<std::ptrdiff_t>(offset);
        made.bytes.assign(begin, begin + static_cast<std::ptrdiff_t>(size));
    }
    return made;
}

Result<DebugValue> Evaluator::evaluate(const Expression& expression) const {
    using Kind = Expression::Kind;
    switch (expression.kind) {
        case Kind::number:
            return made_of(expression.number);
        case Kind::name:
            return name(expression.text);
        case Kind::member: {
            auto object = evaluate(expression.operands[0]);
            return object ? member(std::move(*object), expression.text) : object;
        }
        case Kind::arrow: {
            const auto pointer = evaluate(expression.operands[0]);
            if (!pointer) return pointer;
            if (unit_.types[pointer->type].kind != DebugType::Kind::pointer)
                return error("bad-expression", "-> needs a pointer before it");
            auto object = pointed_at(*pointer, 0);
            return object ? member(std::move(*object), expression.text) : object;
        }
        case Kind::index: {
            const auto array = evaluate(expression.operands[0]);
            if (!array) return array;
            const auto index = number(expression.operands[1]);
            if (!index) return index.error();
            return element(*array, *index);
        }
        case Kind::unary:
            return unary(expression);
        case Kind::binary:
            return binary(expression);
        case Kind::conditional: {
            const auto which = truth(expression.operands[0]);
            if (!which) return which.error();
            return evaluate(expression.operands[*which ? 1 : 2]);
        }
        case Kind::cast:
            return cast(expression);
    }
    return error("bad-expression", "can't evaluate the expression");
}

Result<DebugValue> Evaluator::unary(const Expression& expression) const {
    const Expression& operand = expression.operands[0];
    if (expression.text == "&" || expression.text == "*") {
        const auto value = evaluate(operand);
        if (!value) return value;
        const DebugType& type = unit_.types[value->type];
        if (expression.text == "*") {
            if (type.kind == DebugType::Kind::pointer) return pointed_at(*value, 0);
            if (type.kind == DebugType::Kind::array) return element(*value, Scalar::of_int(0));
            return error("bad-expression", "* needs a pointer behind it");
        }
        if (!value->place || value->place->space == ptx::Space::param)
            return error("bad-expression", "this has no address: it is in a register");
        const std::uint64_t window = value->place->space == ptx::Space::shared  ? gpu::shared_window
                                     : value->place->space == ptx::Space::local ? gpu::local_window
                                                                                : 0;
        DebugValue made = made_of(Scalar::of_unsigned(value->place->address + window, 8));
        made.type = unit_.types.pointer_to(value->type);
        return made;
    }
    const auto value = number(operand);
    if (!value) return value.error();
    const auto result = compute(expression.text, *value);
    if (!result) return error("bad-expression", fmt::format("{} can't be applied to this", expression.text));
    return made_of(*result);
}

Result<DebugValue> Evaluator::binary(const Expression& expression) const {
    const auto left = evaluate(expression.operands[0]);
    if (!left) return left;
    const DebugType& type = unit_.types[left->type];
    const bool steps = expression.text == "+" || expression.text == "-";
    const auto a = number(expression.operands[0]);
    if (!a) return a.error();
    // C++ looks at the right side of && and || where that decides.
    if ((expression.text == "&&" && !a->truth()) || (expression.text == "||" && a->truth()))
        return made_of(Scalar::of_bool(a->truth()));
    const auto b = number(expression.operands[1]);
    if (!b) return b.error();
    if (steps && (type.kind == DebugType::Kind::pointer || type.kind == DebugType::Kind::array) && !b->is_real()) {
        const std::uint64_t size = std::max<std::uint64_t>(1, unit_.types[type.target].bytes);
        const auto right = evaluate(expression.operands[1]);
        if (right && unit_.types[right->type].kind == DebugType::Kind::pointer && expression.text == "-")
            return made_of(Scalar::of_int((a->integer - b->integer) / static_cast<std::int64_t>(size), 8));
        const auto offset = static_cast<std::uint64_t>(b->integer) * size,
                   base = static_cast<std::uint64_t>(a->integer);
        DebugValue made = made_of(Scalar::of_unsigned(expression.text == "+" ? base + offset : base - offset, 8));
        made.type = type.kind == DebugType::Kind::pointer ? left->type : unit_.types.pointer_to(type.target);
        return made;
    }
    const auto result = compute(expression.text, *a, *b);
    if (result) return made_of(*result);
    if ((expression.text == "/" || expression.text == "%") && !b->truth())
        return error("bad-expression", "a division by zero");
    return error("bad-expression", fmt::format("{} can't be applied to these", expression.text));
}

Result<DebugValue> Evaluator::cast(const Expression& expression) const {
    const auto base = unit_.types.find(expression.text);
    if (!base && expression.text != "void")
        return error("unknown-name", fmt::format("there is no type `{}`", expression.text));
    const auto value = number(expression.operands[0]);
    if (!value) return value.error();
    TypeId type = base.value_or(no_type);
    if (expression.pointers > 0) {
        for (unsigned i = 0; i < expression.pointers; ++i) type = unit_.types.pointer_to(type);
        DebugValue made = made_of(converted(*value, Scalar::Kind::unsigned_integer, 8));
        made.type = type;
        return made;
    }
    const std::vector<std::byte> zero(8);
    const auto form = unit_.types.scalar(type, zero);
    if (!form) return error("bad-expression", fmt::format("can't convert to `{}`", expression.text));
    DebugValue made = made_of(converted(*value, form->kind, form->bytes));
    made.type = type;
    return made;
}

}  // namespace cudash::session::debug
