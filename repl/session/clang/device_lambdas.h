// Lambdas of cells for device code become objects of a type that has a name. A compiler of device code does not see the
// statements of cells, so it can't name a kernel that takes one of their lambdas; and the variables that a lambda at
// the prompt captures are global there, which no lambda captures.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "clang/AST/Decl.h"
#include "clang/Frontend/CompilerInstance.h"
#include "repl/session/clang/fact_reader.h"

namespace cudash::session {

class DeviceLambdas {
public:
    DeviceLambdas(clang::CompilerInstance& compiler, const FactReader& facts) : compiler_(compiler), facts_(facts) {}

    /// `text`, which was parsed as `part`, with an object in place of each `[=] __device__ (...) {...}`, and the
    /// object's type ahead of the declaration or statement that the lambda stands in. Lines and columns of all that was
    /// written stay. nullopt if there is nothing to replace. A lambda stays as it is where its object can't be told
    /// apart from it: with captures by reference, with names that only its function sees, with values that the
    /// arguments of a template decide. In a template, the type is a template, too, of the same parameters and those of
    /// its members.
    std::optional<std::string> as_objects(const clang::TranslationUnitDecl& part, const std::string& text);

private:
    struct Edit {
        std::size_t begin, end;  ///< of what `text` takes the place of
        std::string text;
    };
    std::size_t begin_of(const clang::Decl& declaration, const std::string& text) const;
    void read(const clang::DeclContext& context, const std::string& text, std::vector<Edit>& edits);

    clang::CompilerInstance& compiler_;
    const FactReader& facts_;
    unsigned count_ = 0;  ///< of the session's
};

}  // namespace cudash::session
