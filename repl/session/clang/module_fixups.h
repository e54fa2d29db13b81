// What is changed in a cell's LLVM module between clang and the JIT.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace llvm {
class Module;
}

namespace cudash::session {

/// Takes the module's static initialisers (which are also how a cell's statements run) out of llvm.global_ctors and
/// gives them external names, so that the session can call them itself with no LLVM frame between. Returns the names in
/// order.
std::vector<std::string> extract_initializers(llvm::Module& module);
/// The same with what is to run at the session's end: __attribute__((destructor)).
std::vector<std::string> extract_finalizers(llvm::Module& module);

/// Makes `static` variables and functions visible to later cells. clang emits them again in each module that uses them;
/// where `defined` says that an earlier module has the symbol, this one gets a declaration, and the variable's dynamic
/// initialiser is dropped. Call it before extract_initializers.
void promote_internal_symbols(llvm::Module& module, const std::function<bool(std::string_view)>& defined);

/// `name` is the symbol of a __managed__ variable, `name` + managed_pointer_suffix that of the pointer to it. Uses of
/// the variable in `module` become loads of the pointer.
void redirect_managed(llvm::Module& module, const std::string& name);

/// The symbols that the functions `roots` reach within the module: what running them needs.
std::set<std::string> needed_at_once(const llvm::Module& module, const std::vector<std::string>& roots);

/// Takes out what only the module's own cell means: its variables, functions and statements, and what refers to them.
/// Inline functions and instantiations stay, which clang emits once and later cells count on.
void keep_only_inline(llvm::Module& module);

/// What says that something is made once: the guard of a variable with an initializer, and CUB's store of what it asked
/// of a device. As long as it is all zero, nothing has begun.
struct OnceMark {
    std::size_t size = 0;
    bool is_guard = false;
};
/// By symbol.
std::map<std::string, OnceMark> once_marks_of(const llvm::Module& module);

struct ModuleSymbols {
    std::vector<std::string> strong, weak, undefined;
    std::set<std::string> undefined_variables;  ///< of the undefined
};
ModuleSymbols symbols_of(const llvm::Module& module);

}  // namespace cudash::session
