#include "runtime_wrappers/virtual_gpu/isa/link.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <map>
#include <set>
#include <tuple>
#include <unordered_set>

#include "runtime_wrappers/virtual_gpu/isa/device_library.h"
#include "runtime_wrappers/virtual_gpu/isa/function_decoder.h"
#include "runtime_wrappers/virtual_gpu/isa/kernel_name.h"
#include "runtime_wrappers/virtual_gpu/isa/sizes.h"
#include "runtime_wrappers/virtual_gpu/memory/address_windows.h"

namespace cudash::virtual_gpu {
namespace {

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
    /// `checks`: of code without stops.
    explicit Linker(const LoadedModule& module, const StopChecks* checks = nullptr)
        : module_(module), checks_(checks), program_(std::make_unique<Program>()) {
        static std::atomic<std::uint64_t> next_serial{1};
        program_->serial = next_serial++;
        program_->shared_base = module.shared_base();
        program_->debug = module.debug();
    }

    std::unique_ptr<Program> run(const ptx::Function& kernel) {
        need(kernel);
        for (std::size_t i = 0; i < needed_.size(); ++i) scan(*needed_[i]);
        if (shared_bytes_ > window_size) {
            program_->unsupported.push_back(error(
                "too-large", fmt::format("{} needs {} bytes of shared memory for its variables, more than any GPU has",
                                         demangled(kernel.name), shared_bytes_)));
            shared_bytes_ = window_size;
        }
        program_->static_shared = static_cast<std::uint32_t>(shared_bytes_);
        // Behind the others, as its declaration says: extern __shared__ __align__(1024) begins at a multiple of 1024.
        std::uint64_t alignment = dynamic_shared_alignment;
        for (const ptx::Variable* variable : dynamic_) alignment = std::max(alignment, variable_alignment(*variable));
        program_->dynamic_shared_at =
            static_cast<std::uint32_t>(std::min(round_up(shared_bytes_, alignment), window_size));
        for (const ptx::Function* function : needed_)
            program_->functions.push_back(checks_ ? decode_unstopped(*function, *this, *checks_)
                                                  : decode(*function, *this));
        for (const ptx::Variable* variable : dynamic_)
            program_->shared_variables.push_back(
                {source_name(variable->name), variable->name, program_->shared_base + program_->dynamic_shared_at, 0});
        for (const auto& [variable, begin] : shared_)
            program_->shared_variables.push_back({source_name(variable->name), variable->name,
                                                  static_cast<std::uint32_t>(program_->shared_base + begin),
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
        const auto found = index_.find(function);
        return found == index_.end() || function->is_entry ? no_index : found->second;
    }

    NamedPlace place_shared(const ptx::Variable& variable) override {
        if (is_dynamic(variable)) {
            program_->uses_dynamic_shared = true;
            dynamic_.insert(&variable);
            return {ptx::Space::shared, program_->shared_base + program_->dynamic_shared_at, 0, false, false};
        }
        auto [entry, is_new] = shared_.try_emplace(&variable, 0);
        if (is_new) {
            shared_bytes_ = round_up(shared_bytes_, variable_alignment(variable));
            entry->second = shared_bytes_;
            shared_bytes_ = size_sum(shared_bytes_, variable_bytes(variable));
        }
        return {ptx::Space::shared, program_->shared_base + entry->second, variable_bytes(variable), false, false};
    }

    std::uint32_t new_access_site() override { return program_->access_sites++; }
    Program& program() override { return *program_; }

private:
    static bool is_dynamic(const ptx::Variable& variable) {
        return variable.is_extern || (!variable.dimensions.empty() && variable.dimensions.front() == 0);
    }

    void need(const ptx::Function& function) {
        if (!function.has_body || !index_.emplace(&function, static_cast<std::uint32_t>(needed_.size())).second) return;
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
                if (!called->is_entry && !select_library_function(callee_name, *program_)) need(*called);
                calls_[&function].insert(called);
            } else if (!initializers_scanned_) {
                // A call by address may reach whatever a variable holds.
                initializers_scanned_ = true;
                for (const ptx::Variable& variable : module_.tree().variables)
                    if (variable.initializer) mention_in(*variable.initializer);
            }
        }
    }

    /// What the deepest chain of calls takes of a thread's local memory.
    struct Depth {
        std::uint64_t local = 0, stack = 0;
    };
    /// Without recursion of its own: chains of calls are as long as the module says.
    void measure_stack() {
        enum class Mark : std::uint8_t { unseen, open, done };
        const std::size_t count = needed_.size();
        std::vector<Mark> marks(count, Mark::unseen);
        std::vector<Depth> depths(count);
        std::vector<std::size_t> path{0};
        while (!path.empty()) {
            const std::size_t at = path.back();
            Depth& deepest = depths[at];
            if (marks[at] == Mark::unseen) {
                marks[at] = Mark::open;
                for (std::size_t called : called_by(at)) {
                    if (marks[called] == Mark::unseen) path.push_back(called);
                    if (marks[called] == Mark::open) program_->recursive = true;
                }
                continue;
            }
            path.pop_back();
            if (marks[at] == Mark::done) continue;
            marks[at] = Mark::done;
            for (std::size_t called : called_by(at)) {
                if (marks[called] == Mark::open) program_->recursive = true;
                if (marks[called] != Mark::done) continue;
                deepest.local = std::max(deepest.local, depths[called].local);
                deepest.stack = std::max(deepest.stack, depths[called].stack);
            }
            deepest.local += program_->functions[at]->local_bytes;
            deepest.stack += program_->functions[at]->stack_bytes;
        }
        if (depths[0].local > most_local_bytes && program_->unsupported.empty())
            program_->unsupported.push_back(
                error("too-large",
                      fmt::format("{} and what it calls need {} bytes of local memory, more than the {} of a thread",
                                  demangled(needed_.front()->name), depths[0].local, most_local_bytes)));
        program_->local_bytes =
            static_cast<std::uint32_t>(std::min<std::uint64_t>(depths[0].local, most_local_bytes + 1));
        program_->stack_bytes =
            static_cast<std::uint32_t>(std::min<std::uint64_t>(depths[0].stack, most_local_bytes + 1));
    }
    std::vector<std::size_t> called_by(std::size_t caller) {
        std::vector<std::size_t> callees;
        const auto calls = calls_.find(needed_[caller]);
        if (calls == calls_.end()) return callees;
        for (const ptx::Function* called : calls->second)
            if (const std::uint32_t index = callee(called->name); index != no_index) callees.push_back(index);
        return callees;
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

    const LoadedModule& module_;
    const StopChecks* checks_;
    std::unique_ptr<Program> program_;
    std::vector<const ptx::Function*> needed_;
    std::unordered_map<const ptx::Function*, std::uint32_t> index_;  ///< in needed_
    std::map<const ptx::Function*, std::unordered_set<const ptx::Function*>> calls_;
    std::map<const ptx::Variable*, std::uint64_t> shared_;
    std::set<const ptx::Variable*> dynamic_;
    std::uint64_t shared_bytes_ = 0;
    bool initializers_scanned_ = false;
};

}  // namespace

std::unique_ptr<Program> link(const LoadedModule& module, const ptx::Function& kernel) {
    return Linker(module).run(kernel);
}

std::unique_ptr<Program> link_unstopped(const LoadedModule& module, const ptx::Function& kernel,
                                        const StopChecks& checks) {
    auto program = Linker(module, &checks).run(kernel);
    return program->unsupported.empty() ? std::move(program) : nullptr;
}

}  // namespace cudash::virtual_gpu
