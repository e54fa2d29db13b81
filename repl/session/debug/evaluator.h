// The value that an expression has for one thread, in one of the functions that it is in.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "repl/session/debug/expression.h"
#include "repl/session/debug/type_table.h"
#include "runtime_wrappers/result.h"
#include "runtime_wrappers/virtual_gpu/debug/debugger.h"

namespace cudash::session::debug {

/// What a unit says of itself, ready for questions.
struct DebugUnit {
    explicit DebugUnit(DebugInfo from) : info(std::move(from)), types(info.types) {}
    DebugInfo info;
    TypeTable types;
};

/// A thread, and the function of its calls that names are looked up in.
struct ThreadAt {
    const virtual_gpu::Warp* warp = nullptr;
    unsigned lane = 0;
    const virtual_gpu::Frame* frame = nullptr;
    const virtual_gpu::Instruction* instruction = nullptr;  ///< what it executes next in that function
    unsigned inlined = 0;                                   ///< inlined calls that names are looked up outside of
};

struct DebugValue {
    TypeId type = no_type;
    std::vector<std::byte> bytes{};               ///< empty: they are read from `place` when they are needed
    std::optional<virtual_gpu::Watched> place{};  ///< of what lies in memory
};

/// Whether a kernel's shared variable is this one of the function.
bool is_same(const virtual_gpu::SharedVariable& shared, const DebugVariable& variable, const VariablePlace& place,
             std::string_view function);

class Evaluator {
public:
    Evaluator(DebugUnit& unit, const virtual_gpu::Debugger& debugger, const ThreadAt& at)
        : unit_(unit), debugger_(debugger), at_(at) {}

    Result<DebugValue> evaluate(const Expression& expression) const;
    Result<Scalar> number(const Expression& expression) const;
    Result<bool> truth(const Expression& expression) const;
    Result<std::string> checked_text(const DebugValue& value) const;
    /// The same, or why there is none.
    std::string text(const DebugValue& value) const;
    std::string type_name(const DebugValue& value) const { return unit_.types.name(value.type); }

    /// Elements that a pointer leads to, from the first one to the end of its memory; 0: none can be read.
    std::uint64_t elements_behind(const DebugValue& pointer) const;

    /// Where the value of a name is, for all threads that stand here.
    struct NamedPlace {
        TypeId type = no_type;
        std::optional<virtual_gpu::DebugPlace> in_register{};
        virtual_gpu::Watched memory{};  ///< else
    };
    /// nullopt: it is not a variable, or is a reference, or has no place here.
    std::optional<NamedPlace> named_place(const std::string& name) const;
    bool is_variable(std::string_view name) const;

    /// The variables of the function that the thread is in, innermost first, those of the same name once.
    std::vector<const DebugVariable*> variables() const;
    Result<DebugValue> value_of(const DebugVariable& variable) const;

private:
    Result<DebugValue> name(const std::string& name) const;
    std::optional<DebugValue> builtin(std::string_view name) const;
    Result<DebugValue> member(DebugValue object, const std::string& name) const;
    Result<DebugValue> unary(const Expression& expression) const;
    Result<DebugValue> binary(const Expression& expression) const;
    Result<DebugValue> cast(const Expression& expression) const;
    Result<DebugValue> element(const DebugValue& array, const Scalar& index) const;
    Result<DebugValue> pointed_at(const DebugValue& pointer, std::int64_t index) const;
    Result<std::vector<std::byte>> load(const DebugValue& value) const;
    Result<DebugValue> through_reference(DebugValue value) const;
    DebugValue made_of(const Scalar& value) const;
    virtual_gpu::Watched watched(ptx::Space space, std::uint64_t address) const;
    /// The space that a generic address leads to.
    virtual_gpu::Watched generic(std::uint64_t address) const;
    Result<DebugValue> value_at(const DebugVariable& variable, const VariablePlace& place) const;
    Result<DebugValue> in_register(const DebugVariable& variable, const std::string& symbol) const;
    std::string text_of_bytes(TypeId type, const std::vector<std::byte>& bytes, std::size_t at, unsigned depth) const;
    std::string pointer_text(std::uint64_t address) const;
    std::uint64_t ptx_line() const;
    /// The blocks whose names are known here, innermost first.
    std::vector<const DebugScope*> scopes() const;

    DebugUnit& unit_;
    const virtual_gpu::Debugger& debugger_;
    ThreadAt at_;
};

}  // namespace cudash::session::debug
