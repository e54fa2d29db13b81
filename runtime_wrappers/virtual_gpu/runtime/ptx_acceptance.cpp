#include "runtime_wrappers/virtual_gpu/runtime/ptx_acceptance.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>

#include "runtime_wrappers/virtual_gpu/isa/decode.h"
#include "runtime_wrappers/virtual_gpu/isa/device_library.h"
#include "runtime_wrappers/virtual_gpu/ptx/parser.h"

namespace cudash::virtual_gpu::runtime {
namespace {

/// The virtual GPU says that its driver is one of CUDA 13, whose PTX is 9.0 and what follows it.
constexpr unsigned newest_major = 9;

/// The text without white space and comments before its first word.
std::string_view first_word(std::string_view text) {
    while (!text.empty()) {
        if (text.front() == ' ' || (text.front() >= '\t' && text.front() <= '\r')) {
            text.remove_prefix(1);
        } else if (text.starts_with("//")) {
            text.remove_prefix(std::min(text.find('\n'), text.size()));
        } else if (text.starts_with("/*")) {
            const std::size_t end = text.find("*/", 2);
            text.remove_prefix(end == std::string_view::npos ? text.size() : end + 2);
        } else {
            break;
        }
    }
    return text;
}

unsigned number_in(std::string_view& text) {
    unsigned value = 0;
    const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return value;
}

/// The version is looked at before the rest, which may be of a syntax that only later versions have.
bool is_too_new(std::string_view after_version, std::string& version) {
    std::string_view text = first_word(after_version);
    const unsigned major = number_in(text);
    if (text.starts_with(".")) text.remove_prefix(1);
    const unsigned minor = number_in(text);
    version = fmt::format("{}.{}", major, minor);
    return major > newest_major;
}

/// "sm_90a": 90 for what every device from 9.0 on runs.
unsigned architecture_of(std::string_view target) {
    const std::size_t digits = target.find('_');
    if (digits == std::string_view::npos) return 0;
    target.remove_prefix(digits + 1);
    return number_in(target);
}

/// The registers that a function declares, in any of its blocks.
class Registers {
public:
    explicit Registers(const ptx::Function& function) {
        for (const auto* list : {&function.results, &function.parameters})
            for (const ptx::Variable& variable : *list) declare(variable);
        for (const ptx::Statement& statement : function.body) {
            if (statement.kind == ptx::Statement::Kind::variable) declare(statement.variable);
            if (statement.kind == ptx::Statement::Kind::label) names_.insert(statement.label);
        }
    }

    /// The first register that an operand names and nothing declares.
    const std::string* undeclared(const ptx::Operand& operand) const {
        for (const ptx::Operand& element : operand.elements)
            if (const std::string* name = undeclared(element)) return name;
        return undeclared(operand.name) ? &operand.name : nullptr;
    }
    bool undeclared(const std::string& name) const {
        // "%v.x" is an element of a vector register, and %tid a vector of special ones.
        return name.starts_with('%') && !names_.contains(name) && !names_.contains(name.substr(0, name.find('.'))) &&
               !is_special_register(name) && !is_special_register(name + ".x");
    }

private:
    void declare(const ptx::Variable& variable) {
        if (variable.count == 0) names_.insert(variable.name);
        for (unsigned i = 0; i < variable.count; ++i) names_.insert(variable.name + std::to_string(i));
    }
    std::set<std::string> names_;
};

class Linker {
public:
    explicit Linker(const ptx::Module& module) {
        for (const ptx::Function& function : module.functions)
            if (function.has_body) defined_.insert(function.name);
        for (const ptx::Alias& alias : module.aliases) defined_.insert(alias.name);
    }
    bool has(std::string_view function) const {
        Program unused;
        return defined_.contains(function) || select_library_function(function, unused) != nullptr;
    }

private:
    std::set<std::string, std::less<>> defined_;
};

std::optional<std::string> mistake_in(const ptx::Function& function, const Linker& linker) {
    const Registers registers(function);
    for (const ptx::Statement& statement : function.body) {
        if (statement.kind != ptx::Statement::Kind::instruction) continue;
        const ptx::Instruction& instruction = statement.instruction;
        const auto at = [&](std::string what) {
            return fmt::format("{} in {} (PTX line {})", what, function.name, instruction.location.ptx_line);
        };
        if (registers.undeclared(instruction.guard)) return at(instruction.guard + " is not declared");
        for (const ptx::Operand& operand : instruction.operands)
            if (const std::string* name = registers.undeclared(operand)) return at(*name + " is not declared");
        if (!instruction.call) continue;
        for (const auto* list : {&instruction.call->results, &instruction.call->arguments})
            for (const ptx::Operand& operand : *list)
                if (const std::string* name = registers.undeclared(operand)) return at(*name + " is not declared");
        // A call through a register has a prototype.
        const std::string& callee = instruction.call->callee.name;
        if (instruction.call->prototype.empty() && !callee.starts_with('%') && !linker.has(callee))
            return at(callee + " is called and nowhere defined");
    }
    return std::nullopt;
}

}  // namespace

std::optional<Unloadable> why_not_loadable(std::string_view ptx, const Profile& profile) {
    constexpr std::string_view directive = ".version";
    const std::string_view text = first_word(ptx);
    if (!text.starts_with(directive))
        return Unloadable{cudaErrorInvalidKernelImage,
                          "it is neither machine code nor PTX, which begins with .version"};
    std::string version;
    if (is_too_new(text.substr(directive.size()), version))
        return Unloadable{cudaErrorUnsupportedPtxVersion,
                          fmt::format("it is PTX {}, and the driver knows PTX up to {}", version, newest_major)};
    const auto module = ptx::parse(ptx);
    if (!module) return Unloadable{cudaErrorInvalidPtx, module.error().message};
    if (module->address_size != 64)
        return Unloadable{cudaErrorInvalidPtx, "its addresses have 32 bits, and those of the device 64"};
    const unsigned device = std::max(profile.cc_major * 10 + profile.cc_minor, profile.nvrtc_arch);
    if (architecture_of(module->target) > device)
        return Unloadable{cudaErrorInvalidPtx,
                          fmt::format("it is for {}, and a {} is of compute capability {}.{}", module->target,
                                      profile.full_name, profile.cc_major, profile.cc_minor)};
    const Linker linker(*module);
    for (const ptx::Function& function : module->functions)
        if (auto mistake = mistake_in(function, linker)) return Unloadable{cudaErrorInvalidPtx, std::move(*mistake)};
    return std::nullopt;
}

}  // namespace cudash::virtual_gpu::runtime
