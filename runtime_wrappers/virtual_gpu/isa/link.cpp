#include "runtime_wrappers/virtual_gpu/isa/link.h"

#include <algorithm>
#include <atomic>
#include <charconv>
#include <functional>
#include <map>
#include <set>
#include <tuple>
#include <unordered_set>

#include "runtime_wrappers/virtual_gpu/exec/device_library.h"
#include "runtime_wrappers/virtual_gpu/exec/kernel_name.h"
#include "runtime_wrappers/virtual_gpu/isa/address_windows.h"

namespace cudash::virtual_gpu {
namespace {

constexpr std::uint64_t round_up(std::uint64_t value, std::uint64_t unit) {
    return (value + unit - 1) / unit * unit;
}
constexpr std::uint64_t dynamic_shared_alignment = 16;

/// "tile" for "_ZZ3sumPfE4tile".
std::string source_name(const std::string& symbol) {
    const std::string name = demangled(symbol);
    const auto scope = name.rfind("::");
    return scope == std::string::npos ? name : name.substr(scope + 2);
}

/// Links one kernel: decides which functions it needs, lays out shared memory, then decodes.
class Linker final : public Surroundings {
public:
    explicit Linker(const Module& module) : module_(module), program_(std::make_unique<Program>()) {
        static std::atomic<std::uint64_t> next_serial{1};
        program_->serial = next_serial++;
    }

    std::unique_ptr<Program> run(const ptx::Function& kernel) {
        need(kernel);
        for (std::size_t i = 0; i < needed_.size(); ++i) scan(*needed_[i]);
        program_->static_shared = static_cast<std::uint32_t>(shared_bytes_);
        program_->dynamic_shared_at = static_cast<std::uint32_t>(round_up(shared_bytes_, dynamic_shared_alignment));
        for (const ptx::Function* function : needed_) program_->functions.push_back(decode(*function, *this));
        for (const ptx::Variable* variable : dynamic_)
            program_->shared_variables.push_back(
                {source_name(variable->name), variable->name, program_->dynamic_shared_at, 0});
        for (const auto& [variable, begin] : shared_)
            program_->shared_variables.push_back({source_name(variable->name), variable->name,
                                                  static_cast<std::uint32_t>(begin),
                                                  static_cast<std::uint32_t>(variable_bytes(*variable))});
        std::sort(program_->shared_variables.begin(), program_->shared_variables.end(),
                  [](const auto& a, const auto& b) { return std::tie(a.begin, a.name) < std::tie(b.begin, b.name); });
        measure_stack();
        name_files();
        return std::move(program_);
    }

    std::optional<NamedPlace> find(std::string_view name) override {
        if (const VariableInfo* variable = module_.variable(name))
            return NamedPlace{variable->constant ? ptx::Space::constant : ptx::Space::global, variable->address,
                              variable->size, false, false};
        if (const ptx::Variable* variable = module_.shared_variable(name)) return place_shared(*variable);
        const std::uint32_t index = module_.function_index(name);
        if (index == no_index) return std::nullopt;
        return NamedPlace{ptx::Space::none, code_window + index * code_step, 0, false, false};
    }

    std::uint32_t callee(std::string_view name) override {
        const ptx::Function* function = module_.function(name);
        auto found = std::find(needed_.begin(), needed_.end(), function);
        return function && found != needed_.end() ? static_cast<std::uint32_t>(found - needed_.begin()) : no_index;
    }

    NamedPlace place_shared(const ptx::Variable& variable) override {
        if (is_dynamic(variable)) {
            program_->uses_dynamic_shared = true;
            dynamic_.insert(&variable);
            return {ptx::Space::shared, program_->dynamic_shared_at, 0, false, false};
        }
        auto [entry, is_new] = shared_.try_emplace(&variable, 0);
        if (is_new) {
            shared_bytes_ = round_up(shared_bytes_, variable_alignment(variable));
            entry->second = shared_bytes_;
            shared_bytes_ += variable_bytes(variable);
        }
        return {ptx::Space::shared, entry->second, variable_bytes(variable), false, false};
    }

    std::uint32_t new_access_site() override { return program_->access_sites++; }
    Program& program() override { return *program_; }

private:
    static bool is_dynamic(const ptx::Variable& variable) {
        return variable.is_extern || (!variable.dimensions.empty() && variable.dimensions.front() == 0);
    }

    void need(const ptx::Function& function) {
        if (!function.has_body || std::find(needed_.begin(), needed_.end(), &function) != needed_.end()) return;
        needed_.push_back(&function);
    }

    /// A name that an operand mentions: shared memory to lay out, or a function whose address is taken.
    void mention(const ptx::Operand& operand) {
        for (const ptx::Operand& element : operand.elements) mention(element);
        if (operand.name.empty() || operand.name.front() == '%') return;
        if (const ptx::Variable* variable = module_.shared_variable(operand.name)) place_shared(*variable);
        take_address(operand.name);
    }
    void take_address(const std::string& name) {
        const ptx::Function* function = module_.function(name);
        if (!function || !function->has_body || function->is_entry) return;
        need(*function);
        program_->by_address.emplace(module_.function_index(name), callee(name));
    }
    void mention_in(const ptx::Initializer& initializer) {
        if (initializer.scalar) take_address(initializer.scalar->name);
        for (const ptx::Initializer& element : initializer.list) mention_in(element);
    }

    void scan(const ptx::Function& function) {
        for (const ptx::Statement& statement : function.body) {
            if (statement.kind == ptx::Statement::Kind::variable && statement.variable.space == ptx::Space::shared)
                place_shared(statement.variable);
            if (statement.kind != ptx::Statement::Kind::instruction) continue;
            for (const ptx::Operand& operand : statement.instruction.operands) mention(operand);
            if (!statement.instruction.call) continue;
            const std::string& callee_name = statement.instruction.call->callee.name;
            if (const ptx::Function* called = module_.function(callee_name)) {
                if (!select_library_function(callee_name, *program_)) need(*called);
                calls_[&function].insert(called);
            } else if (!initializers_scanned_) {
                // A call by address may reach whatever a variable holds.
                initializers_scanned_ = true;
                for (const ptx::Variable& variable : module_.tree().variables)
                    if (variable.initializer) mention_in(*variable.initializer);
            }
        }
    }

    /// Local memory of the deepest chain of calls.
    void measure_stack() {
        std::unordered_set<const ptx::Function*> active;
        std::map<const ptx::Function*, std::uint32_t> known;
        std::function<std::uint32_t(const ptx::Function*)> depth = [&](const ptx::Function* function) -> std::uint32_t {
            const std::uint32_t index = callee(function->name);
            if (index == no_index) return 0;
            if (auto found = known.find(function); found != known.end()) return found->second;
            if (!active.insert(function).second) {
                program_->recursive = true;
                return 0;
            }
            std::uint32_t deepest = 0;
            for (const ptx::Function* called : calls_[function]) deepest = std::max(deepest, depth(called));
            active.erase(function);
            return known[function] = deepest + program_->functions[index]->local_bytes;
        };
        program_->local_bytes = depth(needed_.front());
    }

    /// Selectors know files by number only.
    void name_files() {
        for (Diagnostic& diagnostic : program_->unsupported) {
            std::size_t file = 0;
            const std::string& text = diagnostic.where.file;
            std::from_chars(text.data(), text.data() + text.size(), file);
            diagnostic.where.file = file < module_.files().size() ? module_.files()[file] : std::string();
        }
    }

    const Module& module_;
    std::unique_ptr<Program> program_;
    std::vector<const ptx::Function*> needed_;
    std::map<const ptx::Function*, std::unordered_set<const ptx::Function*>> calls_;
    std::map<const ptx::Variable*, std::uint64_t> shared_;
    std::set<const ptx::Variable*> dynamic_;
    std::uint64_t shared_bytes_ = 0;
    bool initializers_scanned_ = false;
};

}  // namespace

std::unique_ptr<Program> link(const Module& module, const ptx::Function& kernel) {
    return Linker(module).run(kernel);
}

}  // namespace cudash::virtual_gpu
