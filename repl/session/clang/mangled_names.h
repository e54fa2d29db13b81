// Keeps the symbols of a session apart.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "clang/AST/ASTMutationListener.h"
#include "clang/AST/DeclarationName.h"

namespace cudash::session {

/// Begins the tag that a redefined name carries in its mangled name; device code has the name without it.
inline constexpr std::string_view redefinition_tag = "cudash";

/// A mangled name as device compilers make it: without redefinition tags ("B" length "cudash" number).
std::string without_tags(std::string name);

/// Keeps the mangled names of a session apart where clang and the JIT would take two things for one. A name that was
/// defined before gets a tag ("abi_tag"): types, templates, and what has no strong symbol of its own. So do lambdas.
class MangledNames : public clang::ASTMutationListener {
public:
    void begin(std::string tag) { tag_ = std::move(tag); }
    void watch(clang::DeclarationName name) { names_.insert(name); }
    void end() { names_.clear(); }
    /// What only its own file sees (static, const, in an unnamed namespace, __device__): later files may use the name
    /// again, and get a tag for it.
    void keep_apart(const clang::DeclContext& file);
    /// The lambdas since this was last asked: the C++ ABI's number by their own.
    std::map<unsigned, unsigned> take_lambdas() { return std::exchange(abi_numbers_, {}); }

    /// clang numbers the lambdas of each cell from 1; one count for the session keeps their functions apart. And its
    /// mangler can't name what stands in a statement of a cell, which is not a function: that moves to the global
    /// scope.
    void CompletedTagDefinition(const clang::TagDecl* declaration) override;
    void AddedVisibleDecl(const clang::DeclContext* context, const clang::Decl* declaration) override;

private:
    std::string tag_;
    std::set<clang::DeclarationName> names_;
    std::set<clang::DeclarationName> of_other_files_;
    unsigned lambdas_ = 0;
    std::map<unsigned, unsigned> abi_numbers_;
};

}  // namespace cudash::session
