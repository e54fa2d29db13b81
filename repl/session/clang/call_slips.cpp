#include "repl/session/clang/call_slips.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <optional>
#include <string>

#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/Expr.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FormatVariadic.h"
#include "repl/session/clang/managed.h"
#include "repl/session/clang/tree_visitor.h"
#include "repl/session/clang/written_code.h"

namespace cudash::session {
namespace {

class CallVisitor : public TreeVisitor {
public:
    CallVisitor(clang::ASTContext& context, clang::DiagnosticsEngine& diagnostics)
        : context_(context), diagnostics_(diagnostics) {}

protected:
    bool visit(clang::Stmt& statement) override {
        const auto* call = llvm::dyn_cast<clang::CallExpr>(&statement);
        const auto* function = call ? call->getDirectCallee() : nullptr;
        if (!function || !function->getIdentifier()) return true;
        const llvm::StringRef name = function->getName();
        if (name.starts_with("cudaMemcpy") || name.starts_with("cudaMemset")) look_for_containers(*call);
        if (name == "cudaMemcpy" || name == "cudaMemcpyAsync" || name == "cudaMemcpyToSymbol" ||
            name == "cudaMemcpyFromSymbol")
            look_at_copy(*call);
        if (name == "cudaMemset" || name == "cudaMemsetAsync" || name == "memset") look_at_bytes(*call, name);
        if (name.starts_with("cudaMalloc") && call->getNumArgs() > 0) look_at_target(*call, name);
        return true;
    }

private:
    void look_for_containers(const clang::CallExpr& call) {
        static const llvm::StringSet<> on_host = {"vector", "basic_string", "host_vector"};
        static const llvm::StringSet<> on_device = {"device_vector", "universal_vector"};
        for (unsigned i = 0; i < std::min(2u, call.getNumArgs()); ++i) {
            const clang::DeclRefExpr* taken = address_of(*call.getArg(i));
            const auto* record = taken ? taken->getType()->getAsCXXRecordDecl() : nullptr;
            if (!record || !record->getIdentifier()) continue;
            const char* elements = on_host.contains(record->getName())     ? "elsewhere"
                                   : on_device.contains(record->getName()) ? "in device memory"
                                                                           : nullptr;
            if (!elements) continue;
            report(*call.getArg(i), "the address of '%0' is where the object itself is; its elements are %1")
                << taken->getDecl()->getName() << elements;
        }
    }

    /// Host variables that a copy goes beyond.
    void look_at_copy(const clang::CallExpr& call) {
        if (call.getNumArgs() < 3 || call.getArg(2)->isValueDependent()) return;
        clang::Expr::EvalResult evaluated;
        const bool known = call.getArg(2)->EvaluateAsInt(evaluated, context_);
        const std::uint64_t bytes = known ? evaluated.Val.getInt().getLimitedValue() : 0;
        for (unsigned i = 0; i < 2; ++i) {
            const clang::Expr& side = *call.getArg(i);
            const clang::DeclRefExpr* taken = address_of(side);
            if (!taken) taken = llvm::dyn_cast<clang::DeclRefExpr>(side.IgnoreParenCasts());
            const auto* variable = taken ? llvm::dyn_cast<clang::VarDecl>(taken->getDecl()) : nullptr;
            if (!variable || variable->hasAttr<clang::CUDADeviceAttr>() || variable->hasAttr<clang::CUDAConstantAttr>())
                continue;
            const clang::QualType type = variable->getType().getNonReferenceType();
            const bool is_object = address_of(side) || type->isConstantArrayType();
            // What isn't made of bytes is another slip.
            if (!is_object || type->isDependentType() || !type.isTriviallyCopyableType(context_)) continue;
            const auto room = static_cast<std::uint64_t>(context_.getTypeSizeInChars(type).getQuantity());
            if (type->isPointerType() ? known && bytes <= room : !known || bytes <= room) continue;
            if (type->isPointerType())
                report(side, "the address of '%0' is where the pointer itself is: the copy goes beyond its %1 bytes")
                    << variable->getName() << std::to_string(room);
            else
                report(side, "this copy of %0 bytes goes beyond '%1', which has %2")
                    << std::to_string(bytes) << variable->getName() << std::to_string(room);
        }
    }

    void look_at_bytes(const clang::CallExpr& call, llvm::StringRef name) {
        if (call.getNumArgs() < 3) return;
        const clang::Expr& memory = *call.getArg(0)->IgnoreParenCasts();
        const clang::QualType type = memory.getType();
        const clang::QualType element = type->isPointerType() ? type->getPointeeType()
                                        : type->isArrayType() ? clang::QualType(type->getPointeeOrArrayElementType(), 0)
                                                              : clang::QualType();
        const std::optional<unsigned> value = small_value(*call.getArg(1)->IgnoreParenImpCasts());
        if (!value || element.isNull() || element->isDependentType() || element->isVoidType() ||
            !(element->isIntegerType() || element->isRealFloatingType()) ||
            context_.getTypeSizeInChars(element).getQuantity() == 1)
            return;
        report(*call.getArg(1), "%0 sets bytes, not elements: each %1 becomes %2")
            << name << element.getUnqualifiedType().getAsString() << repeated(element, *value);
    }

    /// What an element is whose bytes are all `value`.
    std::string repeated(clang::QualType element, unsigned value) const {
        const auto bytes = static_cast<unsigned>(context_.getTypeSizeInChars(element).getQuantity());
        if (bytes > sizeof(std::uint64_t)) return "another number";
        std::uint64_t all = 0;
        for (unsigned i = 0; i < bytes; ++i) all = all << 8 | value;
        if (element->isIntegerType()) return std::to_string(all);
        return bytes == sizeof(double)
                   ? llvm::formatv("{0:e}", std::bit_cast<double>(all)).str()
                   : llvm::formatv("{0:e}", std::bit_cast<float>(static_cast<std::uint32_t>(all))).str();
    }

    /// Of those that nobody writes who thinks of bytes; 0 is the same for both.
    static std::optional<unsigned> small_value(const clang::Expr& expression) {
        constexpr unsigned last = 9;
        double value = 0;
        if (const auto* integer = llvm::dyn_cast<clang::IntegerLiteral>(&expression))
            value = static_cast<double>(integer->getValue().getLimitedValue());
        else if (const auto* floating = llvm::dyn_cast<clang::FloatingLiteral>(&expression))
            value = floating->getValueAsApproximateDouble();
        return value >= 1 && value <= last ? std::optional(static_cast<unsigned>(value)) : std::nullopt;
    }

    void look_at_target(const clang::CallExpr& call, llvm::StringRef name) {
        const clang::DeclRefExpr* target = address_of(*call.getArg(0));
        const auto* variable = target ? llvm::dyn_cast<clang::VarDecl>(target->getDecl()) : nullptr;
        if (!variable ||
            !(variable->hasAttr<clang::CUDADeviceAttr>() || variable->hasAttr<clang::CUDAConstantAttr>()) ||
            is_managed(*variable))
            return;
        report(*call.getArg(0),
               "'%0' is a variable of the device: %1 fills the host's copy of it, which no kernel sees")
            << variable->getName() << name;
    }

    static const clang::DeclRefExpr* address_of(const clang::Expr& expression) {
        const auto* address = llvm::dyn_cast<clang::UnaryOperator>(expression.IgnoreParenCasts());
        return address && address->getOpcode() == clang::UO_AddrOf
                   ? llvm::dyn_cast<clang::DeclRefExpr>(address->getSubExpr()->IgnoreParens())
                   : nullptr;
    }
    template <unsigned size>
    clang::DiagnosticBuilder report(const clang::Expr& at, const char (&text)[size]) {
        return diagnostics_.Report(at.getBeginLoc(),
                                   diagnostics_.getCustomDiagID(clang::DiagnosticsEngine::Warning, text));
    }

    clang::ASTContext& context_;
    clang::DiagnosticsEngine& diagnostics_;
};

}  // namespace

void report_call_slips(clang::Decl& top_level, clang::DiagnosticsEngine& diagnostics) {
    CallVisitor visitor(top_level.getASTContext(), diagnostics);
    for_each_written_statement(top_level, [&](clang::Stmt* statement) { visitor.traverse(statement); });
}

}  // namespace cudash::session
