#include "repl/session/clang/device_lambdas.h"

#include <algorithm>
#include <cctype>
#include <utility>
#include <vector>

#include "clang/AST/Attr.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/QualTypeNames.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "clang/Lex/Lexer.h"
#include "fmt/format.h"
#include "llvm/ADT/StringExtras.h"
#include "repl/session/clang/device_spaces.h"

namespace cudash::session {
namespace {

bool is_for_devices(const clang::LambdaExpr& lambda) {
    const clang::CXXMethodDecl* call = lambda.getCallOperator();
    // clang gives __host__ __device__ to every lambda; one for devices says so itself.
    const auto* attribute = call ? call->getAttr<clang::CUDADeviceAttr>() : nullptr;
    return attribute && !attribute->isImplicit();
}

/// The outermost lambdas for devices.
class DeviceLambdaFinder : public clang::RecursiveASTVisitor<DeviceLambdaFinder> {
public:
    std::vector<clang::LambdaExpr*> found;
    /// Device code, which device code sees with all its lambdas.
    bool TraverseDecl(clang::Decl* declaration) {
        const auto* space = declaration ? declaration->getAttr<clang::CUDADeviceAttr>() : nullptr;
        const bool is_seen =
            space ? !space->isImplicit() : declaration && declaration->hasAttr<clang::CUDAGlobalAttr>();
        return is_seen || RecursiveASTVisitor::TraverseDecl(declaration);
    }
    bool TraverseLambdaExpr(clang::LambdaExpr* lambda) {
        if (!is_for_devices(*lambda)) return RecursiveASTVisitor::TraverseLambdaExpr(lambda);
        found.push_back(lambda);
        return true;
    }
};

/// A name that the text of a function other than the lambda has.
bool is_of_function(const clang::Decl* declaration, const clang::FunctionDecl* lambda) {
    const clang::DeclContext* context = declaration->getDeclContext();
    for (; context && !context->isFileContext(); context = context->getParent()) {
        if (context == lambda) return false;
        if (context->isFunctionOrMethod()) return true;
    }
    return false;
}

/// What a type is made of.
class NamedTypeVisitor : public clang::RecursiveASTVisitor<NamedTypeVisitor> {
public:
    explicit NamedTypeVisitor(const clang::FunctionDecl* lambda) : lambda_(lambda) {}
    bool has_name = true;             ///< at the global scope
    bool has_name_as_written = true;  ///< likewise, with its typedefs
    bool VisitTagType(clang::TagType* type) {
        const clang::TagDecl* declaration = type->getDecl();
        const auto* record = llvm::dyn_cast<clang::CXXRecordDecl>(declaration);
        has_name &= !is_of_function(declaration, lambda_) && !(record && record->isLambda()) &&
                    declaration->hasNameForLinkage();
        if (const auto* instance = llvm::dyn_cast<clang::ClassTemplateSpecializationDecl>(declaration))
            for (const clang::TemplateArgument& argument : instance->getTemplateArgs().asArray())
                TraverseTemplateArgument(argument);
        return true;
    }
    bool VisitTypedefType(clang::TypedefType* type) {
        has_name_as_written &= !is_of_function(type->getDecl(), lambda_);
        return true;
    }

private:
    const clang::FunctionDecl* lambda_;
};

struct LambdaMember {
    std::string declaration;
    std::string value;  ///< in host code; empty: the type has it
    bool is_array = false;
    std::string name;
};

/// The parameters of the templates that something stands in.
struct Scheme {
    std::string parameters, arguments;  ///< "class T, int n" and "T, n"
    bool usable = true;

    Scheme(const clang::DeclContext* inner, const clang::PrintingPolicy& policy) {
        std::vector<const clang::TemplateParameterList*> lists;
        for (const auto* context = inner; context && !context->isFileContext(); context = context->getParent()) {
            if (const auto* function = llvm::dyn_cast<clang::FunctionDecl>(context)) {
                if (const auto* own = function->getDescribedFunctionTemplate())
                    lists.push_back(own->getTemplateParameters());
                // Defined outside of its class, it may have other names for the parameters of that.
                for (unsigned i = function->getNumTemplateParameterLists(); i-- > 0;)
                    lists.push_back(function->getTemplateParameterList(i));
                if (function->getNumTemplateParameterLists() > 0) break;
            } else if (const auto* part = llvm::dyn_cast<clang::ClassTemplatePartialSpecializationDecl>(context)) {
                lists.push_back(part->getTemplateParameters());
            } else if (const auto* record = llvm::dyn_cast<clang::CXXRecordDecl>(context)) {
                if (const auto* own = record->getDescribedClassTemplate())
                    lists.push_back(own->getTemplateParameters());
            }
        }
        for (auto list = lists.rbegin(); list != lists.rend(); ++list)
            for (const clang::NamedDecl* parameter : **list) add(*parameter, policy);
    }
    /// Ahead of the others, the last of which may be a pack.
    void add_first(const std::string& parameter, const std::string& argument) {
        parameters = parameter + (parameters.empty() ? "" : ", ") + parameters;
        arguments = argument + (arguments.empty() ? "" : ", ") + arguments;
    }

private:
    void add(const std::string& parameter, const std::string& argument) {
        usable &= parameters.find("... ") == std::string::npos;  // nothing stands behind a pack
        parameters += (parameters.empty() ? "" : ", ") + parameter;
        arguments += (arguments.empty() ? "" : ", ") + argument;
    }
    void add(const clang::NamedDecl& parameter, const clang::PrintingPolicy& policy) {
        if (parameter.isImplicit() || parameter.getName().empty()) return;  // no text names it
        std::string name = parameter.getNameAsString();
        const std::string argument = name + (parameter.isTemplateParameterPack() ? "..." : "");
        const std::string dots = parameter.isTemplateParameterPack() ? "... " : " ";
        if (llvm::isa<clang::TemplateTypeParmDecl>(parameter)) {
            add("class" + dots + name, argument);
        } else if (const auto* value = llvm::dyn_cast<clang::NonTypeTemplateParmDecl>(&parameter);
                   value && !value->isParameterPack()) {
            value->getType().getAsStringInternal(name, policy);
            add(name, argument);
        } else {
            usable = false;
        }
    }
};

/// What the body names of the code around it.
class LambdaBodyVisitor : public clang::RecursiveASTVisitor<LambdaBodyVisitor> {
public:
    LambdaBodyVisitor(const clang::LambdaExpr& lambda, const clang::ASTContext& context)
        : lambda_(*lambda.getCallOperator()), context_(context) {}

    bool usable = true;
    std::vector<const clang::VarDecl*> captured;   ///< by value
    std::vector<const clang::VarDecl*> constants;  ///< of the function around it

    bool VisitDeclRefExpr(clang::DeclRefExpr* reference) {
        if (const auto* variable = llvm::dyn_cast<clang::VarDecl>(reference->getDecl()))
            add(*variable, *reference);
        else if (llvm::isa<clang::BindingDecl>(reference->getDecl()))
            usable = false;
        return true;
    }
    bool VisitCXXThisExpr(clang::CXXThisExpr*) { return usable = false; }
    bool VisitCXXDependentScopeMemberExpr(clang::CXXDependentScopeMemberExpr* member) {
        usable &= !member->isImplicitAccess();
        return true;
    }
    bool VisitTagTypeLoc(clang::TagTypeLoc location) {
        usable &= !is_of_function(location.getDecl(), &lambda_);
        return true;
    }
    bool VisitTypedefTypeLoc(clang::TypedefTypeLoc location) {
        usable &= !is_of_function(location.getTypedefNameDecl(), &lambda_);
        return true;
    }

private:
    static void add_once(std::vector<const clang::VarDecl*>& list, const clang::VarDecl& variable) {
        const auto* first = variable.getCanonicalDecl();
        if (std::find(list.begin(), list.end(), first) == list.end()) list.push_back(first);
    }
    void add(const clang::VarDecl& variable, const clang::DeclRefExpr& reference) {
        for (const clang::DeclContext* context = variable.getDeclContext(); context; context = context->getParent())
            if (context == &lambda_) return;
        if (variable.hasAttr<clang::CUDADeviceAttr>() || variable.hasAttr<clang::CUDAConstantAttr>() ||
            variable.hasAttr<clang::CUDASharedAttr>() || variable.hasAttr<clang::HIPManagedAttr>())
            return;
        const bool is_global = variable.isFileVarDecl();
        const auto& sources = context_.getSourceManager();
        if (is_global && (reference.getQualifier() || sources.isInSystemHeader(variable.getLocation()) ||
                          variable.isStaticDataMember()))
            return;
        const bool depends =
            !is_global && variable.isConstexpr() && variable.getInit() && variable.getInit()->isValueDependent();
        if (variable.isStaticLocal() || variable.isParameterPack() || depends) {
            usable = false;
        } else if (variable.getType()->isIntegralOrEnumerationType() &&
                   variable.isUsableInConstantExpressions(context_)) {
            if (!is_global) add_once(constants, variable);
        } else if (!(is_global && variable.isConstexpr())) {
            add_once(captured, variable);
        }
    }

    const clang::CXXMethodDecl& lambda_;
    const clang::ASTContext& context_;
};

/// One lambda of a text.
class WrittenLambda {
public:
    WrittenLambda(clang::CompilerInstance& compiler, clang::LambdaExpr& lambda, const std::string& text)
        : sources_(compiler.getSourceManager()),
          context_(compiler.getASTContext()),
          policy_(compiler.getLangOpts()),
          lambda_(lambda),
          text_(text),
          in_template_(lambda.getLambdaClass()->isDependentContext()),
          scheme_(lambda.getLambdaClass()->getDeclContext(), policy_) {
        policy_.SuppressUnwrittenScope = true;
    }

    /// False if the lambda has to stay.
    bool read() { return scheme_.usable && find_places() && find_members(); }

    std::size_t begin() const { return begin_; }
    std::size_t end() const { return body_end_; }

    /// What creates an object of type `name`, with as many lines as the lambda has.
    std::string object(std::string name) const {
        if (!scheme_.arguments.empty()) name += "<" + scheme_.arguments + ">";
        std::string values, copies;
        for (const LambdaMember& member : members_) {
            if (member.value.empty()) continue;
            values += (values.empty() ? "" : ", ") + (member.is_array ? std::string("{}") : member.value);
            if (member.is_array)
                copies += fmt::format(" __builtin_memcpy(&object.{0}, &{0}, sizeof object.{0});", member.name);
        }
        std::string made = name + "{" + values + "}";
        // An array can't be copied by an initializer.
        if (!copies.empty()) made = fmt::format("[&] {{ {} object{{{}}};{} return object; }}()", name, values, copies);
        const std::string_view written = std::string_view(text_).substr(begin_, end() - begin_);
        const std::size_t last_line = written.rfind('\n');
        if (last_line == std::string_view::npos)
            return made + std::string(written.size() - std::min(made.size(), written.size()), ' ');
        return made + std::string(static_cast<std::size_t>(std::count(written.begin(), written.end(), '\n')), '\n') +
               std::string(written.size() - last_line - 1, ' ');
    }

    std::string type(const std::string& name) const {
        const std::string head = scheme_.parameters.empty() ? "" : fmt::format("template <{}> ", scheme_.parameters);
        std::string text = fmt::format("\n{}{}struct {} {{ ", line_directive(begin_), head, name);
        for (const LambdaMember& member : members_) text += member.declaration + "; ";
        std::string parameters = "()", types;
        if (parameters_begin_ < parameters_end_)
            parameters = at_its_place(parameters_begin_, parameters_end_,
                                      [&](std::string& written) { types = name_parameter_types(written); });
        text += types + text_.substr(introducer_end_, parameters_begin_ - introducer_end_) + " auto operator()";
        text += parameters;
        const std::string rest = at_its_place(parameters_end_, body_end_, [&](std::string& written) {
            constexpr std::string_view word = "mutable";
            if (const std::size_t at = written.find(word); lambda_.isMutable() && at != std::string::npos)
                written.replace(at, word.size(), word.size(), ' ');
        });
        return text + (lambda_.isMutable() ? "" : " const") + rest + " };\n";
    }

    /// What gives the text at `offset` its line and column.
    std::string place(std::size_t offset) const {
        const std::size_t line = text_.rfind('\n', offset == 0 ? 0 : offset - 1) + 1;
        return line_directive(offset) + std::string(offset - line, ' ');
    }

private:
    std::string line_directive(std::size_t offset) const {
        const auto at = sources_.getPresumedLoc(
            sources_.getLocForStartOfFile(file_).getLocWithOffset(static_cast<std::int32_t>(offset)));
        return fmt::format("#line {} \"{}\"\n", at.getLine(), at.getFilename());
    }
    template <class Change>
    std::string at_its_place(std::size_t begin, std::size_t end, Change change) const {
        std::string written = text_.substr(begin, end - begin);
        change(written);
        return "\n" + place(begin) + written;
    }

    /// A function has no parameters of type `auto` before C++20. "" if there are none.
    static std::string name_parameter_types(std::string& parameters) {
        std::string types;
        constexpr std::string_view word = "auto";
        int count = 0;
        for (std::size_t at = 0; (at = parameters.find(word, at)) != std::string::npos; at += word.size()) {
            const std::size_t end = at + word.size();
            const auto is_word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
            if (is_word(parameters[at - 1]) || (end < parameters.size() && is_word(parameters[end]))) continue;
            const std::string name = fmt::format("__A{}", ++count);  // as long as the word, up to the ninth
            types += fmt::format("{}class {}", types.empty() ? "template <" : ", ", name);
            parameters.replace(at, word.size(), name);
        }
        return types.empty() ? types : types + "> ";
    }

    /// In `text_`; npos for what a macro wrote.
    std::size_t offset_of(clang::SourceLocation location) const {
        if (location.isInvalid()) return std::string::npos;
        if (location.isMacroID() && !sources_.isMacroArgExpansion(location)) return std::string::npos;
        const auto [file, offset] = sources_.getDecomposedLoc(sources_.getFileLoc(location));
        return file == file_ ? offset : std::string::npos;
    }

    bool find_places() {
        file_ = sources_.getFileID(sources_.getFileLoc(lambda_.getBeginLoc()));
        // Not that of a header.
        if (sources_.getFileEntryRefForID(file_) || !sources_.getBufferData(file_).starts_with(text_)) return false;
        const clang::SourceRange introducer = lambda_.getIntroducerRange();
        const clang::CompoundStmt* body = lambda_.getCompoundStmtBody();
        const auto function =
            lambda_.getCallOperator()->getTypeSourceInfo()->getTypeLoc().getAsAdjusted<clang::FunctionTypeLoc>();
        begin_ = offset_of(introducer.getBegin());
        introducer_end_ = offset_of(introducer.getEnd());
        body_begin_ = offset_of(body->getLBracLoc());
        body_end_ = offset_of(body->getRBracLoc());
        const auto has = [&](std::size_t offset, char c) { return offset < text_.size() && text_[offset] == c; };
        if (!has(begin_, '[') || !has(introducer_end_, ']') || !has(body_begin_, '{') || !has(body_end_, '}') ||
            body_end_ < body_begin_)
            return false;
        ++introducer_end_;
        ++body_end_;
        parameters_begin_ = parameters_end_ = body_begin_;
        if (!lambda_.hasExplicitParameters()) return true;
        parameters_begin_ = offset_of(function.getLParenLoc());
        parameters_end_ = offset_of(function.getRParenLoc());
        if (!has(parameters_begin_, '(') || !has(parameters_end_, ')')) return false;
        ++parameters_end_;
        // `[=](int i) __device__ {...}` has its attribute where a member function has none.
        return std::string_view(text_)
                   .substr(introducer_end_, parameters_begin_ - introducer_end_)
                   .find("__device__") != std::string_view::npos;
    }

    bool find_members() {
        const clang::CXXMethodDecl* call = lambda_.getCallOperator();
        if (!lambda_.getExplicitTemplateParameters().empty() || lambda_.getCaptureDefault() == clang::LCD_ByRef)
            return false;
        for (const clang::ParmVarDecl* parameter : call->parameters())
            if (parameter->isParameterPack()) return false;
        for (const clang::LambdaCapture& capture : lambda_.explicit_captures()) {
            if (!capture.capturesVariable() || capture.getCaptureKind() != clang::LCK_ByCopy ||
                capture.isPackExpansion())
                return false;
            const auto* variable = llvm::dyn_cast<clang::VarDecl>(capture.getCapturedVar());
            if (!variable) return false;
            if (!lambda_.isInitCapture(&capture)) continue;
            const auto value = variable->getInit()->getSourceRange();
            const std::size_t first = offset_of(value.getBegin()), last = offset_of(value.getEnd());
            if (first == std::string::npos || last == std::string::npos) return false;
            const std::size_t length =
                clang::Lexer::MeasureTokenLength(sources_.getFileLoc(value.getEnd()), sources_, context_.getLangOpts());
            const std::string written = "(" + text_.substr(first, last + length - first) + ")";
            if (!add(*variable, written, fmt::format("std::decay_t<decltype({})>", written))) return false;
        }
        LambdaBodyVisitor body(lambda_, context_);
        for (const clang::ParmVarDecl* parameter : call->parameters())
            body.TraverseTypeLoc(parameter->getTypeSourceInfo()->getTypeLoc());
        body.TraverseStmt(lambda_.getBody());
        if (!body.usable) return false;
        for (const clang::VarDecl* variable : body.constants)
            if (!add_constant(*variable)) return false;
        for (const clang::VarDecl* variable : body.captured)
            if (const std::string name = variable->getNameAsString();
                !add(*variable, name, fmt::format("std::remove_cv_t<std::remove_reference_t<decltype({})>>", name)))
                return false;
        return true;
    }

    /// The type as it can be written at the global scope, "" if it can't.
    std::string declared(const clang::VarDecl& variable) const {
        clang::QualType type = variable.getType().getNonReferenceType().getUnqualifiedType();
        NamedTypeVisitor parts(lambda_.getCallOperator());
        parts.TraverseType(type);
        if (!parts.has_name) return {};
        if (!parts.has_name_as_written) type = type.getCanonicalType();
        std::string text = variable.getNameAsString();
        clang::TypeName::getFullyQualifiedType(type, context_).getAsStringInternal(text, policy_);
        return text;
    }
    /// `type_of_value` is what it has in a template, where nothing else names its type.
    bool add(const clang::VarDecl& variable, std::string value, const std::string& type_of_value) {
        const clang::QualType type = variable.getType().getNonReferenceType();
        if (in_template_) {
            const std::string name = variable.getNameAsString(), own = fmt::format("__C{}", members_.size() + 1);
            if (type->isDependentType() && type->isArrayType()) return false;
            if (type->isArrayType() && !type.isTriviallyCopyableType(context_)) return false;
            scheme_.add_first("class " + own, type_of_value);
            members_.push_back({own + " " + name, std::move(value), type->isArrayType(), name});
            return true;
        }
        LambdaMember member{declared(variable), std::move(value), type->isArrayType(), variable.getNameAsString()};
        if (member.declaration.empty() || (member.is_array && !type.isTriviallyCopyableType(context_))) return false;
        members_.push_back(std::move(member));
        return true;
    }
    bool add_constant(const clang::VarDecl& variable) {
        const clang::APValue* value = variable.evaluateValue();
        const std::string declaration = declared(variable);
        if (!value || !value->isInt() || declaration.empty()) return false;
        const std::string type =
            variable.getType().getNonReferenceType().getUnqualifiedType().getCanonicalType().getAsString(policy_);
        members_.push_back({fmt::format("static constexpr {} = static_cast<{}>({})", declaration, type,
                                        llvm::toString(value->getInt(), 10)),
                            {},
                            false,
                            variable.getNameAsString()});
        return true;
    }

    const clang::SourceManager& sources_;
    const clang::ASTContext& context_;
    clang::PrintingPolicy policy_;
    clang::LambdaExpr& lambda_;
    const std::string& text_;
    const bool in_template_;
    Scheme scheme_;
    clang::FileID file_;
    std::size_t begin_ = 0, introducer_end_ = 0, parameters_begin_ = 0, parameters_end_ = 0, body_begin_ = 0,
                body_end_ = 0;
    std::vector<LambdaMember> members_;
};

}  // namespace

std::size_t DeviceLambdas::begin_of(const clang::Decl& declaration, const std::string& text) const {
    if (const auto* statement = llvm::dyn_cast<clang::TopLevelStmtDecl>(&declaration))
        return std::min(facts_.first_offset(*statement), text.size());
    const std::size_t begin =
        compiler_.getSourceManager().getDecomposedExpansionLoc(session::begin_of(declaration)).second;
    // Attributes such as __host__ may stand before the range.
    const std::size_t line = begin == 0 ? 0 : text.rfind('\n', begin - 1) + 1;
    return text.substr(line, begin - line).find_first_of(";{}") == std::string::npos ? line : begin;
}

void DeviceLambdas::read(const clang::DeclContext& context, const std::string& text, std::vector<Edit>& edits) {
    for (clang::Decl* declaration : context.noload_decls()) {
        if (const auto* inner = llvm::dyn_cast<clang::DeclContext>(declaration);
            inner && (inner->isNamespace() || llvm::isa<clang::LinkageSpecDecl>(declaration))) {
            read(*inner, text, edits);
            continue;
        }
        DeviceLambdaFinder finder;
        finder.TraverseDecl(declaration);
        std::string types;
        std::optional<std::string> place;
        const std::size_t begin = finder.found.empty() ? 0 : begin_of(*declaration, text);
        for (clang::LambdaExpr* found : finder.found) {
            WrittenLambda lambda(compiler_, *found, text);
            // The argument of a macro may stand for several.
            const auto has_same_place = [&](const Edit& edit) {
                return edit.end > begin && edit.begin == lambda.begin();
            };
            if (!lambda.read() || lambda.begin() < begin || std::ranges::any_of(edits, has_same_place)) continue;
            const std::string name = fmt::format("__lambda_{}", ++count_);
            types += lambda.type(name);
            place = lambda.place(begin);
            edits.push_back({lambda.begin(), lambda.end(), lambda.object(name)});
        }
        if (place) edits.push_back({begin, begin, types + *place});
    }
}

std::optional<std::string> DeviceLambdas::as_objects(const clang::TranslationUnitDecl& part, const std::string& text) {
    if (text.find("__device__") == std::string::npos) return std::nullopt;
    std::vector<Edit> edits;
    read(part, text, edits);
    if (edits.empty()) return std::nullopt;
    std::stable_sort(edits.begin(), edits.end(), [](const Edit& a, const Edit& b) {
        return std::pair(a.begin, a.end) < std::pair(b.begin, b.end);
    });
    std::string result;
    std::size_t done = 0;
    for (const Edit& edit : edits) {
        if (edit.begin < done) return std::nullopt;
        result += text.substr(done, edit.begin - done) + edit.text;
        done = edit.end;
    }
    return result + text.substr(done);
}

}  // namespace cudash::session
