// The unit compiled: NVRTC first, nvcc's own device compiler where NVRTC refuses or lacks a kernel.
#include <algorithm>
#include <map>

#include "repl/session/device/device_unit.h"
#include "runtime_wrappers/nvrtc/content_hash.h"
#include "runtime_wrappers/nvrtc/nvcc.h"
#include "runtime_wrappers/nvrtc/ptx_link.h"

namespace cudash::session {
namespace {

std::string without_unnamed_namespaces(std::string name) {
    constexpr std::string_view unnamed = "(anonymous namespace)::";
    for (std::size_t at; (at = name.find(unnamed)) != std::string::npos;) name.erase(at, unnamed.size());
    return name;
}

/// NVRTC can name it in an expression: no lambda, no unnamed type.
bool is_nameable(std::string_view name) {
    return name.find('(') == std::string_view::npos;
}

/// CCCL's inline namespaces are named by the architectures that a compiler was given, which differ.
std::string without_inline_namespaces(std::string name) {
    constexpr std::string_view end_of_cub = "_SM___CUDA_ARCH_LIST__::", end_of_thrust = "_SM___CUDA_ARCH_LIST___NS::";
    for (const std::string_view end : {end_of_cub, end_of_thrust})
        for (std::size_t at; (at = name.find(end)) != std::string::npos;) {
            const std::size_t before = name.rfind(':', at);
            const std::size_t begin = before == std::string::npos ? 0 : before + 1;
            name.erase(begin, at + end.size() - begin);
        }
    return name;
}

}  // namespace

nvrtc::Request DeviceUnit::request(const api::Target& target, File file) const {
    nvrtc::Request request;
    Text unit = text_for(Reader::nvrtc, {.file = file});
    request.name = "session.cu";
    request.source = std::move(unit.main);
    request.headers = std::move(unit.headers);
    request.keeps_headers = unit.has_headers;
    request.arch = target.arch;
    request.real = target.real;
    request.options = {"-default-device", "-device-int128", "-lineinfo", "--std=" + settings_.standard};
    if (file != all_files || unit.calls_runtime) request.options.push_back("-rdc=true");
    for (const std::string& folder : settings_.include_dirs) request.options.push_back("-I" + folder);
    for (const std::string& define : settings_.defines) request.options.push_back("-D" + define);
    for (const auto& kernel : kernels_)
        if (kernel->current && is_of(kernel->fact.file, file) && !kernel->fact.foreign && !is_set_aside(*kernel) &&
            is_nameable(without_unnamed_namespaces(kernel->fact.display)) &&
            (kernel->fact.display.find('<') != std::string::npos || kernel->fact.mangled.starts_with("_ZL") ||
             kernel->fact.display.find("(anonymous") != std::string::npos))
            request.name_expressions.push_back(without_unnamed_namespaces(kernel->fact.display));
    // An expression also keeps a variable that no kernel uses. Managed ones are kept anyway, and NVRTC refuses to name
    // them.
    for (const auto& variable : variables_)
        if (variable->fact.kind != VariableFact::Kind::managed && is_of(variable->fact.file, file) &&
            !set_aside_.contains(variable->fact.id))
            request.name_expressions.push_back("&" + without_unnamed_namespaces(variable->fact.display));
    return request;
}

/// An instance goes with what its arguments name.
bool DeviceUnit::is_set_aside(const Kernel& kernel) const {
    if (kernel.ambiguous || set_aside_.contains(kernel.fact.id)) return true;
    if (kernel.fact.instance == 0 || set_aside_.empty()) return false;
    return std::ranges::any_of(declarations_, [&](const Declaration& each) {
        return each.id == kernel.fact.instance &&
               std::ranges::any_of(each.uses, [&](Declaration::Id id) { return set_aside_.contains(id); });
    });
}

/// Statements and declarations of cells; a file that is a program has none.
bool DeviceUnit::has_cells() const {
    return std::ranges::any_of(declarations_, [&](const Declaration& each) {
        return each.source < sources_.size() && sources_[each.source].is_cell;
    });
}

/// A header's kernel may have constants among its arguments: (SortOrder)0.
bool DeviceUnit::is_nameable_by_nvcc(const KernelFact& kernel) {
    const std::string name = without_unnamed_namespaces(kernel.display);
    const bool has_lambda = name.find("(lambda") != name.npos || name.find("'lambda") != name.npos;
    return is_nameable(name) || (kernel.foreign && !has_lambda);
}

/// What host code of cells instantiates, which nvcc does not see.
std::string DeviceUnit::instances(const Scope& scope) const {
    std::string uses;
    for (std::size_t i = 0; i < kernels_.size(); ++i) {
        const Kernel& kernel = *kernels_[i];
        const std::string name = without_unnamed_namespaces(kernel.fact.display);
        if (has(scope, i) && !is_set_aside(kernel) && is_nameable_by_nvcc(kernel.fact) &&
            name.find('<') != std::string::npos)
            uses += "    (void)&" + without_inline_namespaces(name) + ";\n";
    }
    return uses.empty() ? uses : "#line 1 \"cudash instances\"\nvoid cudash_instances() {\n" + uses + "}\n";
}

nvrtc::Request DeviceUnit::request_for_nvcc(const api::Target& target, const Scope& scope) const {
    nvrtc::Request request;
    Text unit = text_for(Reader::nvcc, scope);
    request.name = "session.cu";
    request.source = std::move(unit.main);
    request.headers = std::move(unit.headers);
    request.arch = target.arch;
    request.real = target.real;
    request.options = {"--std=" + settings_.standard};
    if (scope.file != all_files || unit.calls_runtime) request.options.push_back("-rdc=true");
    for (const std::string& folder : settings_.include_dirs) request.options.push_back("-I" + folder);
    for (const std::string& define : settings_.defines) request.options.push_back("-D" + define);
    if (has_cells()) {
        request.options.push_back("-I.");
        request.source += instances(scope);
    }
    return request;
}

/// The name that a compiler gave to a kernel or variable; empty if it can't be told.
std::string DeviceUnit::name_in(const nvrtc::Artifact& artifact, const std::string& expression,
                                const std::string& mangled) const {
    std::string name;
    if (artifact.by_nvcc)
        name = nvrtc::name_by_nvcc(artifact, mangled, lambda_numbers_);
    else if (const auto found = artifact.lowered_names.find(expression); found != artifact.lowered_names.end())
        name = found->second;
    // The host's own name of a lambda can be that of another one there.
    return name.empty() && !nvrtc::names_lambda(mangled) ? mangled : name;
}

bool DeviceUnit::lacks_kernel(const nvrtc::Artifact& artifact, File file) const {
    return std::ranges::any_of(kernels_, [&](const auto& kernel) {
        if (!kernel->current || kernel->apart || !is_of(kernel->fact.file, file) || kernel->hopeless ||
            is_set_aside(*kernel))
            return false;
        const std::string name =
            name_in(artifact, without_unnamed_namespaces(kernel->fact.display), kernel->fact.mangled);
        return name.empty() || !nvrtc::has_kernel(artifact, name);
    });
}

/// What both refuse. nvcc decides which lines are wrong; of such a line NVRTC knows the column, too.
Diagnostic DeviceUnit::agreed(Diagnostic by_nvrtc, Diagnostic by_nvcc) const {
    const auto is_ours = [&](const SourceSpot& at) {
        return !at.file.empty() &&
               std::ranges::any_of(sources_, [&](const SourceText& source) { return source.name == at.file; });
    };
    if (!is_ours(by_nvcc.where)) return by_nvrtc;
    const auto is_there = [&](const SourceSpot& at) {
        return at.file == by_nvcc.where.file && at.line == by_nvcc.where.line;
    };
    if (is_there(by_nvrtc.where)) {
        // The rest of what it says may be about what nvcc takes.
        by_nvrtc.notes = by_nvcc.notes;
        for (Diagnostic::Note& note : by_nvrtc.notes) note.where.column = 0;
        return by_nvrtc;
    }
    // Its columns are those of the preprocessed text.
    by_nvcc.where.column = 0;
    for (Diagnostic::Note& note : by_nvcc.notes) note.where.column = 0;
    for (const Diagnostic::Note& note : by_nvrtc.notes)
        if (note.message.starts_with("error: ") && is_there(note.where)) {
            by_nvcc.message = "device code: " + note.message.substr(7);
            by_nvcc.where.column = note.where.column;
            break;
        }
    return by_nvcc;
}

/// Those that device functions, kernels or variables stand in.
std::set<DeviceUnit::File> DeviceUnit::files_with_device_code() const {
    std::set<File> files;
    for (const Declaration& each : declarations_)
        if (each.file != 0 && each.role == Declaration::Role::device &&
            (each.what == Declaration::What::function || each.what == Declaration::What::variable))
            files.insert(each.file);
    return files;
}

/// Each file of a program is a translation unit of its own: what is static in one is nothing to the others.
DeviceUnit::Compiled DeviceUnit::compile(const api::Target& target) {
    modules_.clear();
    const std::set<File> files = files_with_device_code();
    if (files.size() < 2) return compile_file(target, all_files);
    std::vector<Module> modules;
    for (const File file : files) {
        // PTX also for a real GPU, whose driver compiles the linked text.
        Compiled compiled = compile_file({.arch = target.arch, .real = false}, file);
        if (!compiled) return compiled;
        modules.push_back({file, std::move(*compiled), {}});
    }
    nvrtc::Artifact linked;
    nvrtc::ContentHash hash;
    std::vector<std::string_view> texts;
    for (const Module& module : modules) {
        texts.push_back(module.artifact->code);
        hash.add(module.artifact->id);
        linked.by_nvcc |= module.artifact->by_nvcc;
        linked.log += module.artifact->log;
    }
    linked.id = hash.low();
    nvrtc::LinkedPtx program = nvrtc::link_ptx(texts);
    linked.code = std::move(program.text);
    for (std::size_t i = 0; i < modules.size(); ++i) modules[i].renamed = std::move(program.renamed[i]);
    modules_ = std::move(modules);
    return std::make_shared<const nvrtc::Artifact>(std::move(linked));
}

void DeviceUnit::begin_compiling(const CellFacts& facts, const api::Target& target) const {
    if (!settings_.second_opinion || std::ranges::none_of(facts.kernels, &KernelFact::foreign)) return;
    DeviceUnit next = copy();
    next.add(facts);
    const api::Target portable{.arch = target.arch, .real = false};
    const bool is_apart = next.apart_.size() > apart_.size();
    nvrtc::begin_with_nvcc(is_apart ? next.apart_.back().request_for(portable) : next.request_for_nvcc(portable, {}));
}

DeviceUnit::Compiled DeviceUnit::compile_file(const api::Target& target, File file) {
    Compiled fast = nvrtc::compile(request(target, file));
    const bool enough = fast && !lacks_kernel(**fast, file);
    if (enough || !settings_.second_opinion || (!fast && fast.error().code != "nvrtc-compile")) return fast;
    Compiled second = nvrtc::compile_with_nvcc(request_for_nvcc(target, {.file = file}));
    if (second) {
        for (auto& kernel : kernels_)
            kernel->hopeless |= kernel->current && !kernel->apart && is_of(kernel->fact.file, file) &&
                                nvrtc::name_by_nvcc(**second, kernel->fact.mangled, lambda_numbers_).empty();
        return fast && lacks_kernel(**second, file) ? std::move(fast) : std::move(second);
    }
    const Diagnostic& said = second.error();
    if (said.code == "interrupted") return second;
    if (fast) {
        lacking_ = said;
        return fast;
    }
    if (said.code == "nvcc-missing") {
        fast.error().notes.push_back({"nvcc could not be asked for a second opinion: " + said.message, {}});
        return fast;
    }
    return agreed(std::move(fast.error()), std::move(second.error()));
}

/// The name that the compiler gave to a kernel or variable of a file, and the linker after it.
std::string DeviceUnit::name_of(const std::string& expression, const std::string& mangled, File file) const {
    const auto module = std::ranges::find(modules_, file, &Module::file);
    const std::string name = name_in(module == modules_.end() ? *artifact_ : *module->artifact, expression, mangled);
    if (module == modules_.end()) return name;
    const auto renamed = module->renamed.find(name);
    return renamed == module->renamed.end() ? name : renamed->second;
}

void DeviceUnit::find_names() {
    for (auto& kernel : kernels_)
        if (!kernel->apart)
            kernel->symbol.name =
                name_of(without_unnamed_namespaces(kernel->fact.display), kernel->fact.mangled, kernel->fact.file);
    for (auto& variable : variables_)
        variable->symbol.name = name_of("&" + without_unnamed_namespaces(variable->fact.display),
                                        variable->fact.mangled, variable->fact.file);
}

Result<std::shared_ptr<const nvrtc::Artifact>> DeviceUnit::unit(const api::Target& target) {
    if (!changed_ && artifact_ && compiled_for_.arch == target.arch && compiled_for_.real == target.real)
        return artifact_;
    if (auto stopped = compile_apart(target)) return std::move(*stopped);
    return own_unit(target);
}

DeviceUnit::Compiled DeviceUnit::own_unit(const api::Target& target) {
    set_aside_.clear();
    refused_.reset();
    lacking_.reset();
    if (auto refused = too_much_constant()) return std::move(*refused);
    for (auto& kernel : kernels_) {
        kernel->symbol.failure.reset();
        kernel->ambiguous = false;
    }
    auto compiled = compile(target);
    if (!compiled) {
        const Diagnostic failure = compiled.error();
        refused_ = failure;
        while (!compiled) {
            if (!set_aside_by_name(compiled.error()) && !set_aside_ambiguous(compiled.error()) &&
                !set_aside(compiled.error()))
                return failure;
            compiled = compile(target);
        }
        for (auto& kernel : kernels_)
            if (is_set_aside(*kernel) && !kernel->symbol.failure) kernel->symbol.failure = failure;
    }
    artifact_ = *compiled;
    compiled_for_ = target;
    changed_ = false;
    find_names();
    if (lacking_)
        for (auto& kernel : kernels_)
            if (kernel->current && !kernel->apart && !kernel->symbol.failure &&
                !nvrtc::has_kernel(*artifact_, kernel->symbol.name))
                kernel->symbol.failure = lacking_;
    return artifact_;
}

}  // namespace cudash::session
