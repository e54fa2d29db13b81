#include "repl/session/clang/foreign_kernels.h"

#include <algorithm>
#include <cctype>
#include <optional>
#include <string_view>

#include "llvm/Demangle/Demangle.h"

namespace cudash::session {
namespace {

constexpr std::string_view stub_prefix = "__device_stub__";

/// "_Z1kPi" of "_Z16__device_stub__kPi".
std::optional<std::string> kernel_of_stub(std::string_view stub) {
    const std::size_t at = stub.find(stub_prefix);
    if (at == std::string_view::npos) return std::nullopt;
    std::size_t digits = at;
    while (digits > 0 && std::isdigit(static_cast<unsigned char>(stub[digits - 1]))) --digits;
    const std::size_t name = at + stub_prefix.size();
    if (digits == at) return std::string(stub.substr(0, at)) + std::string(stub.substr(name));
    const std::size_t length = std::stoul(std::string(stub.substr(digits, at - digits)));
    if (length <= stub_prefix.size()) return std::nullopt;
    return std::string(stub.substr(0, digits)) + std::to_string(length - stub_prefix.size()) +
           std::string(stub.substr(name));
}

/// "ns::k<4>" of "void ns::k<4>(int*)".
std::string name_of(std::string text) {
    int depth = 0;
    for (std::size_t at = text.size(); at-- > 0;) {
        depth += text[at] == ')' ? 1 : text[at] == '(' ? -1 : 0;
        if (depth != 0 || text[at] != '(') continue;
        text.erase(at);
        break;
    }
    if (text.starts_with("void ")) text.erase(0, 5);
    return text;
}

}  // namespace

void add_foreign_kernels(const llvm::Module& module, std::set<std::string>& known, CellFacts& facts) {
    for (const KernelFact& kernel : facts.kernels) known.insert(kernel.stub_symbol);
    for (const llvm::Function& function : module) {
        if (function.isDeclaration() || function.hasLocalLinkage()) continue;
        const std::string stub = function.getName().str();
        auto mangled = kernel_of_stub(stub);
        if (!mangled || !known.insert(stub).second) continue;
        KernelFact kernel;
        kernel.stub_symbol = stub;
        kernel.display = name_of(llvm::demangle(*mangled));
        kernel.mangled = std::move(*mangled);
        kernel.foreign = true;
        facts.kernels.push_back(std::move(kernel));
    }
}

}  // namespace cudash::session
