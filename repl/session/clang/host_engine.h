// Host code: C++ cells compiled and run in this process by clang's incremental interpreter (libclangInterpreter, LLVM
// 19) in CUDA mode, host side only. What crosses this header is plain data: repl/session/clang is the only folder that
// knows clang's headers.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "repl/session/code_place.h"
#include "repl/session/completion.h"
#include "repl/session/debug/debug_info.h"
#include "repl/session/device/declaration.h"
#include "repl/session/host_object.h"
#include "repl/session/outcome.h"
#include "runtime_wrappers/api/runtime.h"
#include "runtime_wrappers/result.h"

namespace cudash::session {

class HostEngine {
public:
    struct Setup {
        std::vector<std::string> include_dirs;
        std::string standard = "c++17";
        std::string cuda_include;  ///< the toolkit's include folder
        bool openmp = false;       ///< pragmas take effect: clang 19 can't bear them in cells
    };
    /// Makes the precompiled header if there is none.
    static void prepare(const Setup& setup);
    static Result<std::unique_ptr<HostEngine>> create(const Setup& setup);
    virtual ~HostEngine() = default;

    /// Makes `name` resolve to `address` in interpreted code.
    virtual void define(std::string_view name, const void* address) = 0;
    /// The same, until a cell defines the name itself.
    virtual void define_default(std::string_view name, const void* address) = 0;
    /// Asked for symbols that neither cells nor the process have.
    virtual void set_resolver(std::function<const void*(std::string_view)> resolver) = 0;
    /// Copies bytes for display from memory that host code can't read (device pointers); false if they are not mapped.
    virtual void set_peek(std::function<bool(std::uint64_t, void*, std::size_t)> peek) = 0;

    /// Asked of each cell that host code accepts, before anything of it is linked: why device code refuses what it
    /// declares. The cell then fails.
    virtual void set_device_check(std::function<std::optional<Diagnostic>(const CellFacts&)> check) = 0;

    /// A few words on what an address is ("device memory, 1024 bytes"), "" for host memory.
    virtual void set_describe(std::function<std::string(std::uint64_t)> describe) = 0;

    struct Compiled {
        bool ok = false;
        std::vector<Diagnostic> diagnostics;   ///< errors and warnings of this cell
        std::vector<void (*)()> initializers;  ///< to call in order: they run the cell's statements
        CellFacts facts;
        bool uses_last_value = false;  ///< by the name `_`, which no declaration has
    };
    /// Parses and compiles `text`, named `name` in diagnostics. Nothing of it runs yet. On failure the session is as it
    /// was before, names that the text would have redefined included.
    virtual Compiled compile(const std::string& name, const std::string& text) = 0;

    /// Reads and compiles a file as a translation unit of its own: it sees no names of files and cells before it, and
    /// is linked with them. `name` is the file's name in diagnostics.
    virtual Compiled compile_file(const std::string& name, const std::string& path) = 0;

    /// The value that the last cell's final expression left, if it had one and has run. `as_last`: later cells know
    /// it as `_`.
    virtual std::optional<Value> take_value(bool as_last = false) = 0;

    /// A variable of the session that its name still finds.
    struct Variable {
        std::string name;   ///< "ns::x"
        std::string where;  ///< "cell 3 line 2"
        Value value;
    };
    /// In the order of their definition. `locate` gives a __device__, __constant__ or __managed__ variable's address by
    /// that of its host shadow.
    virtual std::vector<Variable> variables(const std::function<std::uint64_t(void* shadow)>& locate) = 0;

    /// The __device__ or __constant__ variable that `name` finds, as it is on the device: "(__device__ int) 7".
    /// nullopt: it is none, or has no place there.
    virtual std::optional<Value> device_variable(std::string_view name,
                                                 const std::function<std::uint64_t(void* shadow)>& locate) = 0;

    /// The variable that `name` finds, with the elements behind it; of the type that the alias `element` names, if it
    /// is not empty. A variable of a reference type stands for what it refers to.
    virtual std::optional<HostObject> object(std::string_view name, std::string_view element) = 0;
    /// The text that declared `name` ("k", "ns::f"), newest first, each under its place.
    struct Source {
        CodePlace place;
        std::string text;
    };
    virtual std::vector<Source> sources_of(std::string_view name) = 0;

    /// Adds to the debug information of the session's device code what it lacks (clang/local_variables.h).
    virtual void complete_debug_info(debug::DebugInfo& info) = 0;
    /// How a cell that is being typed can go on; `text` ends at the cursor.
    virtual Completions complete(const std::string& text) = 0;

    /// The line of the instruction that holds `address`; nullopt if that is not an interpreted code.
    virtual std::optional<CodePlace> place_of(std::uint64_t address) const = 0;
    /// What the text of the runtime call at `place` says.
    virtual api::CallText call_text(const CodePlace& place) const = 0;

    /// What was missing where code trapped last, once; nullopt if that was not a call of an undefined function.
    virtual std::optional<Diagnostic> take_undefined() = 0;
    /// Symbols of functions that some code calls, and none defines yet.
    virtual std::vector<std::string> undefined_functions() const = 0;
    /// The address of a symbol of interpreted code, compiled if need be; nullptr if there is none.
    virtual void* address(std::string_view symbol) = 0;
    /// What code that was linked before the function was defined has for its address; nullptr if there is none such.
    virtual void* earlier_address(std::string_view symbol) const = 0;
    /// Code was stopped in its midst. The initializer of a static variable that had begun begins again when it is
    /// needed, in place of waiting for ever for what began.
    virtual void forget_what_began() = 0;

    struct MainFunction {
        void* address = nullptr;
        unsigned parameters = 0;  ///< 0, 2 or 3
        bool returns_int = true;
    };
    virtual std::optional<MainFunction> main_function() = 0;
    /// Runs what atexit was given and the destructors of global variables, as the end of a program does.
    virtual void run_destructors() = 0;
};

/// The folder of clang's own headers, "" if none was found.
std::string clang_resource_dir();

/// LLVM's run-time library of OpenMP, opened; nullptr if it is not installed: pragmas then have no effect.
void* openmp_library();

}  // namespace cudash::session
