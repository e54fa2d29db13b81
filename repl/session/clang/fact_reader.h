// Reads off clang's AST what the device unit must know of a cell: its declarations, what each refers to, the kernels
// and device variables that it adds.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/Mangle.h"
#include "clang/Frontend/CompilerInstance.h"
#include "repl/session/device/declaration.h"

namespace cudash::session {

/// Ends the text of each cell that clang is given; see EndOfCell in host_engine.cpp.
inline constexpr std::string_view end_of_cell = "\n\n#pragma cudash_end";

class FactReader {
public:
    FactReader(clang::CompilerInstance& compiler, std::string cuda_include);
    ~FactReader();

    /// Adds the facts of one partial translation unit to `facts`.
    void read(clang::TranslationUnitDecl& part, const std::string& cell_name, CellFacts& facts);
    /// Forgets the kernels that were read last: their cell is not accepted.
    void take_back();
    /// Lets the next file include what the files so far included: returns the directives that undefine their macros.
    std::string forget_files();
    /// Lets the next cell include what a cell that did not compile included: its declarations are gone.
    void forget_headers();
    bool is_system(clang::SourceLocation location) const;
    bool is_toolkit(clang::SourceLocation location) const;
    /// Forgets what the preprocessor told about a text that did not compile.
    void discard_pending();

    Declaration::Id id_of(const clang::Decl* declaration);
    /// The symbol that code generation gives to a function or variable; for a kernel, `stub` picks its launch stub.
    std::string mangled(const clang::NamedDecl* declaration, bool stub = false);
    /// The same as device code has it.
    std::string device_name(const clang::NamedDecl* declaration);

    /// Where a statement's text begins. The expression that a cell ends in was wrapped into a report of its value,
    /// which stands nowhere: its own parts still have places. Past the end if nothing has one.
    std::size_t first_offset(const clang::TopLevelStmtDecl& statement) const;
    /// True if `symbol` is a function that only device code may call.
    bool is_device_function(const std::string& symbol) const { return device_functions_.contains(symbol); }

private:
    class Watcher;  // preprocessor callbacks
    class ReferenceVisitor;

    struct Skipped {
        TextRange range;
        std::vector<std::string> words;
        bool claimed = false;
    };

    void read_context(const clang::DeclContext& context, CellFacts& facts);
    /// Where the declaration belongs: host code, device code, or both.
    Declaration::Role role_of(const clang::Decl& declaration) const;
    void read_declaration(const clang::Decl& declaration, clang::SourceLocation begin, CellFacts& facts);
    /// What it is to launches and to device code: a kernel, a template, a function, a variable.
    void read_entity(const clang::Decl& declaration, CellFacts& facts);
    void read_kernel(const clang::FunctionDecl& function, CellFacts& facts);
    void read_variable(const clang::VarDecl& variable, CellFacts& facts);
    std::uint32_t source_of(clang::FileID file, CellFacts& facts);
    void join_launches(clang::FileEntryRef file);
    TextRange range_of(clang::SourceLocation begin, clang::SourceLocation end) const;

    clang::CompilerInstance& compiler_;
    clang::SourceManager& sources_;
    std::string cuda_include_;
    std::unique_ptr<clang::MangleContext> mangler_;
    std::map<const clang::Decl*, Declaration::Id> ids_;
    std::map<clang::FileID, std::uint32_t> source_index_;
    std::map<const clang::FileEntry*, std::uint32_t> file_index_;
    std::set<const clang::FileEntry*> joined_;  ///< looked through for launches
    std::vector<const clang::FunctionTemplateDecl*> kernel_templates_;
    std::vector<const clang::FunctionTemplateDecl*> host_templates_;
    std::set<clang::SourceLocation> instantiations_;
    std::set<const clang::FunctionDecl*> known_kernels_;
    std::vector<const clang::FunctionDecl*> last_kernels_;  ///< of those, what the last text added
    std::set<std::string> device_functions_;
    std::uint32_t next_source_ = 0;
    Declaration::Id next_id_ = 1;

    // Filled by the watcher while a text is parsed.
    clang::FileID cell_file_;
    std::string cell_name_;
    std::map<clang::FileID, std::vector<SourceText::Include>> includes_;
    std::map<const clang::FileEntry*, std::string> include_names_;
    std::map<clang::FileID, std::vector<Skipped>> skipped_;
    std::vector<clang::FileID> entered_;
    std::vector<clang::FileEntryRef> user_files_;  ///< read since forget_files
    std::set<std::string> user_macros_;            ///< that they defined
};

}  // namespace cudash::session
