#include "repl/session/device/device_unit.h"

#include <algorithm>

#include <fmt/format.h>

namespace cudash::session {
namespace {

/// Of all modules of a program (Programming Guide, "Technical Specifications": size of constant memory).
constexpr std::uint64_t most_constant = 65536;

/// What ptxas says of one kernel: "Entry function '...' uses too much shared data (...)"; empty: nothing.
std::string_view word_of_ptxas(std::string_view log, const std::string& mangled) {
    const std::string name = "Entry function '" + mangled + "' ";
    const std::size_t at = log.find(name);
    if (at == std::string_view::npos) return {};
    const std::string_view rest = log.substr(at + name.size());
    return rest.substr(0, rest.find('\n'));
}

}  // namespace

void DeviceUnit::add(CellFacts facts, std::uint32_t file) {
    for (SourceText& source : facts.sources) source.file = file;
    for (Declaration& declaration : facts.declarations) declaration.file = file;
    for (KernelFact& kernel : facts.kernels) kernel.file = file;
    for (VariableFact& variable : facts.variables) variable.file = file;
    for (const Declaration::Id id : facts.superseded) {
        superseded_.insert(id);
        superseded_by_.emplace(id, facts.cell_source);
    }
    bool device_text = !facts.superseded.empty();
    for (auto& source : facts.sources) sources_.push_back(std::move(source));
    for (auto& declaration : facts.declarations) {
        device_text |= declaration.role == Declaration::Role::device || !declaration.follows.empty();
        declarations_.push_back(std::move(declaration));
    }
    // A cell of directives alone may change what follows in any kernel.
    if (facts.declarations.empty()) device_text = true;

    for (const auto& variable : variables_)
        if (superseded_.contains(variable->fact.id))
            std::erase_if(variable_by_shadow_, [&](const auto& entry) { return entry.second == variable.get(); });
    std::erase_if(variables_, [&](const auto& variable) { return superseded_.contains(variable->fact.id); });
    for (auto& kernel : kernels_)
        if (superseded_.contains(kernel->fact.id)) kernel->current = false;
    if (!facts.superseded.empty()) retire_instances();

    lambda_numbers_.merge(facts.lambda_numbers);
    std::vector<std::size_t> foreign;
    for (auto& fact : facts.kernels) {
        if (fact.foreign) foreign.push_back(kernels_.size());
        auto kernel = std::make_unique<Kernel>();
        kernel->symbol = {fact.mangled, fact.display};
        kernel->fact = std::move(fact);
        kernels_.push_back(std::move(kernel));
        device_text = true;
    }
    for (auto& fact : facts.variables) {
        auto variable = std::make_unique<Variable>();
        variable->symbol.name = fact.mangled;
        variable->symbol.display = fact.display;
        variable->symbol.size = fact.size;
        variable->symbol.kind = fact.kind == VariableFact::Kind::managed    ? api::VariableSymbol::Kind::managed
                                : fact.kind == VariableFact::Kind::constant ? api::VariableSymbol::Kind::constant
                                                                            : api::VariableSymbol::Kind::device;
        variable->fact = std::move(fact);
        variables_.push_back(std::move(variable));
        device_text = true;
    }
    changed_ |= device_text;
    set_apart_again(facts.superseded);
    for (const std::size_t each : foreign) {
        const std::vector<std::size_t> alone = {each};
        kernels_[each]->uses = close_over_uses({.kernels = &alone}).ids;
    }
    set_apart(foreign);
}

void DeviceUnit::add(DeviceText text) {
    device_texts_.push_back(std::move(text));
    changed_ = true;
}

void DeviceUnit::locate() const {
    for (const auto& kernel : kernels_) {
        if (kernel->located) continue;
        if (void* stub = address_(kernel->fact.stub_symbol)) {
            kernel_by_stub_[stub] = kernel.get();
            if (void* earlier = earlier_address_(kernel->fact.stub_symbol)) kernel_by_stub_[earlier] = kernel.get();
            kernel->located = true;
        }
    }
    for (const auto& variable : variables_) {
        if (variable->located) continue;
        if (void* shadow = address_(variable->fact.shadow_symbol)) {
            variable_by_shadow_[shadow] = variable.get();
            if (variable->fact.kind == VariableFact::Kind::managed)
                variable->symbol.host_pointer =
                    static_cast<void**>(address_(variable->fact.shadow_symbol + std::string(managed_pointer_suffix)));
            variable->located = true;
        }
    }
}

const api::KernelSymbol* DeviceUnit::kernel(const void* stub) const {
    auto found = kernel_by_stub_.find(stub);
    if (found == kernel_by_stub_.end()) {
        locate();
        found = kernel_by_stub_.find(stub);
    }
    return found == kernel_by_stub_.end() ? nullptr : &found->second->symbol;
}

const api::VariableSymbol* DeviceUnit::variable(const void* shadow) const {
    auto found = variable_by_shadow_.find(shadow);
    if (found == variable_by_shadow_.end()) {
        locate();
        found = variable_by_shadow_.find(shadow);
    }
    return found == variable_by_shadow_.end() ? nullptr : &found->second->symbol;
}

std::vector<const api::VariableSymbol*> DeviceUnit::variables() const {
    std::vector<const api::VariableSymbol*> all;
    for (const auto& variable : variables_) all.push_back(&variable->symbol);
    return all;
}

std::vector<KernelFact> DeviceUnit::kernels() const {
    std::vector<KernelFact> all;
    for (const auto& kernel : kernels_)
        if (kernel->current && !kernel->fact.foreign) all.push_back(kernel->fact);
    return all;
}

std::optional<std::pair<const void*, std::uint64_t>> DeviceUnit::shadow_at(std::uint64_t address) const {
    locate();
    for (const auto& [shadow, variable] : variable_by_shadow_) {
        const auto begin = reinterpret_cast<std::uint64_t>(shadow);
        if (variable->fact.kind != VariableFact::Kind::managed && address >= begin &&
            address < begin + std::max<std::uint64_t>(1, variable->fact.size))
            return std::pair(shadow, variable->fact.size);
    }
    return std::nullopt;
}

/// An instance for a type that was redefined has no name any more: its text means the new type. Compiled apart, it is
/// what it was.
void DeviceUnit::retire_instances() {
    const auto unusable = stale();
    std::set<Declaration::Id> gone;
    for (std::size_t i = 0; i < declarations_.size(); ++i)
        if (unusable[i]) gone.insert(declarations_[i].id);
    for (const Declaration& each : declarations_)
        if (each.is_type && superseded_.contains(each.id)) gone.insert(each.id);
    const auto is_gone = [&](Declaration::Id id) { return gone.contains(id); };
    for (auto& kernel : kernels_) {
        const bool is_made = kernel->apart && apart_[*kernel->apart].artifact;
        if (gone.contains(kernel->fact.instance) || (!is_made && std::ranges::any_of(kernel->uses, is_gone)))
            kernel->current = false;
    }
}

/// By its lines.
bool DeviceUnit::holds(const Declaration& declaration, const SourceSpot& at) const {
    const SourceText& source = sources_[declaration.source];
    return source.name == at.file && line_at(source, declaration.range.begin) <= at.line &&
           at.line <= line_at(source, declaration.range.end);
}

/// Takes the declarations that hold the errors out of the unit. False if there are none to take.
bool DeviceUnit::set_aside(const Diagnostic& failure) {
    const std::size_t before = set_aside_.size();
    const auto take_of = [&](const SourceSpot& at, Declaration::Role role) {
        bool found = false;
        for (const Declaration& declaration : declarations_) {
            if (declaration.role != role || is_out(declaration.id) || !holds(declaration, at)) continue;
            set_aside_.insert(declaration.id);
            found = true;
        }
        return found;
    };
    // What uses a type that does not compile goes after it, as its own errors come.
    const auto take = [&](const SourceSpot& at) {
        if (!take_of(at, Declaration::Role::device)) take_of(at, Declaration::Role::shared);
    };
    take(failure.where);
    for (const Diagnostic::Note& note : failure.notes)
        if (note.message.starts_with("error")) take(note.where);
    return set_aside_.size() > before;
}

SourceSpot DeviceUnit::place_of(Declaration::Id id) const {
    SourceSpot where;
    for (const Declaration& declaration : declarations_)
        if (declaration.id == id) {
            const SourceText& source = sources_[declaration.source];
            where = {source.name, line_at(source, declaration.range.begin), 0};
        }
    return where;
}

/// ptxas, which gives no lines, names the kernels that it cannot assemble.
bool DeviceUnit::set_aside_by_name(const Diagnostic& failure) {
    bool found = false;
    for (const auto& kernel : kernels_) {
        if (!kernel->current || is_out(kernel->fact.id)) continue;
        const std::string_view reason = word_of_ptxas(failure.message, kernel->symbol.name);
        if (reason.empty()) continue;
        Diagnostic refused =
            error("ptxas", fmt::format("kernel {} cannot be assembled: it {}", kernel->symbol.display, reason),
                  "nvcc refuses the program");
        refused.where = place_of(kernel->fact.id);
        kernel->symbol.failure = std::move(refused);
        set_aside_.insert(kernel->fact.id);
        found = true;
    }
    return found;
}

/// NVRTC, which is given kernels by name, finds two templates that `k<5>` may be an instance of.
bool DeviceUnit::set_aside_ambiguous(const Diagnostic& failure) {
    constexpr std::string_view begin = "Input name expression was: \"";
    const auto without_blanks = [](std::string text) {
        std::erase(text, ' ');
        return text;
    };
    std::set<std::string> names;
    const auto read = [&](const std::string& text) {
        for (std::size_t at = text.find(begin); at != std::string::npos; at = text.find(begin, at)) {
            at += begin.size();
            names.insert(without_blanks(text.substr(at, text.find('"', at) - at)));
        }
    };
    read(failure.message);
    for (const Diagnostic::Note& note : failure.notes) read(note.message);
    bool found = false;
    for (const auto& kernel : kernels_) {
        if (!kernel->current || kernel->ambiguous || !names.contains(without_blanks(kernel->fact.display))) continue;
        kernel->ambiguous = found = true;
        Diagnostic refused = error("ambiguous-kernel", fmt::format("{} could be two kernels now", kernel->fact.display),
                                   "a template of the same name came later: give one of them another name");
        refused.where = place_of(kernel->fact.id);
        kernel->symbol.failure = std::move(refused);
    }
    return found;
}

std::optional<Diagnostic> DeviceUnit::too_much_constant() const {
    std::uint64_t sum = 0;
    Declaration::Id last = 0;
    for (const auto& variable : variables_) {
        if (variable->fact.kind != VariableFact::Kind::constant) continue;
        sum += variable->fact.size;
        last = variable->fact.id;
    }
    if (sum <= most_constant) return std::nullopt;
    Diagnostic found = error("too-much-constant",
                             fmt::format("too much constant data: the __constant__ variables take {} bytes together, "
                                         "and there are {}",
                                         sum, most_constant),
                             "make them smaller, or keep big tables in __device__ memory");
    found.where = place_of(last);
    return found;
}

std::optional<Diagnostic> DeviceUnit::failure() const {
    for (const auto& kernel : kernels_)
        if (kernel->current && kernel->symbol.failure) return kernel->symbol.failure;
    return std::nullopt;
}

bool DeviceUnit::tell(const Diagnostic& failure) {
    return told_.insert(fmt::format("{}:{}:{}", failure.where.file, failure.where.line, failure.message)).second;
}

DeviceUnit DeviceUnit::copy() const {
    DeviceUnit same(settings_, address_, earlier_address_);
    same.sources_ = sources_;
    same.device_texts_ = device_texts_;
    same.declarations_ = declarations_;
    same.superseded_ = superseded_;
    same.superseded_by_ = superseded_by_;
    same.lambda_numbers_ = lambda_numbers_;
    for (const auto& kernel : kernels_) same.kernels_.push_back(std::make_unique<Kernel>(*kernel));
    for (const auto& variable : variables_) same.variables_.push_back(std::make_unique<Variable>(*variable));
    same.apart_ = apart_;
    return same;
}

std::optional<Diagnostic> DeviceUnit::refusal(const CellFacts& facts, const api::Target& target) const {
    const auto is_code = [](const Declaration& each) {
        return each.role == Declaration::Role::device && each.what == Declaration::What::function;
    };
    if (std::ranges::none_of(facts.declarations, is_code) && facts.variables.empty()) return std::nullopt;
    DeviceUnit trial = copy();
    trial.add(facts);
    const auto compiled = trial.own_unit(target);
    std::optional<Diagnostic> refused = compiled ? trial.refused_ : compiled.error();
    if (!refused) return std::nullopt;
    const auto is_own = [&](const SourceSpot& at) {
        return std::ranges::any_of(facts.declarations,
                                   [&](const Declaration& each) { return is_code(each) && trial.holds(each, at); });
    };
    if (refused->code == "too-much-constant") return refused;
    if (is_own(refused->where)) {
        std::erase_if(refused->notes, [&](const Diagnostic::Note& note) { return !is_own(note.where); });
        return refused;
    }
    // Something else does not compile either: what is said of the cell comes among the notes.
    for (const Diagnostic::Note& note : refused->notes) {
        constexpr std::string_view begin = "error: ";
        if (!note.message.starts_with(begin) || !is_own(note.where)) continue;
        Diagnostic said = error(refused->code, "device code: " + note.message.substr(begin.size()));
        said.where = note.where;
        return said;
    }
    return std::nullopt;
}

}  // namespace cudash::session
