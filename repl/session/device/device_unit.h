// The device unit: the one translation unit that NVRTC sees of a session. It is the session's own text with everything
// that only the host can use blanked out, white space for each character, so that every line and column still matches.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "repl/session/device/declaration.h"
#include "runtime_wrappers/api/device_code.h"
#include "runtime_wrappers/nvrtc/compiler.h"

namespace cudash::session {

class DeviceUnit : public api::DeviceCode {
public:
    struct Settings {
        std::vector<std::string> include_dirs;
        std::vector<std::string> defines;
        std::string standard = "c++17";
    };
    /// `address` finds a symbol of interpreted code: how stubs and shadows get to be known by address.
    DeviceUnit(Settings settings, std::function<void*(std::string_view)> address)
        : settings_(std::move(settings)), address_(std::move(address)) {}

    /// Adds what a cell declared.
    void add(CellFacts facts);
    bool empty() const { return kernels_.empty() && variables_.empty(); }

    /// What NVRTC is given: the main text, and the user's headers by the name that #include uses.
    struct Text {
        std::string main;
        std::vector<std::pair<std::string, std::string>> headers;
    };
    Text text() const;

    const api::KernelSymbol* kernel(const void* stub) const override;
    const api::VariableSymbol* variable(const void* shadow) const override;
    std::vector<const api::VariableSymbol*> variables() const override;
    /// The kernels that their names still find.
    std::vector<KernelFact> kernels() const;
    Result<std::shared_ptr<const nvrtc::Artifact>> unit(const api::Target& target) override;
    /// Why the unit as last compiled lacks kernels, if it does.
    std::optional<Diagnostic> failure() const;

private:
    struct Kernel {
        KernelFact fact;
        api::KernelSymbol symbol;
        bool current = true;  ///< false: redefined with other parameters since
        bool located = false;
    };
    struct Variable {
        VariableFact fact;
        api::VariableSymbol symbol;
        bool located = false;
    };
    struct Seen {
        std::vector<bool> declarations;  ///< by index
        std::set<Declaration::Id> ids;   ///< referred to
        std::set<std::string_view> words;
        std::set<std::string> std_headers;
    };

    std::vector<bool> stale() const;
    std::vector<bool> moved(const Seen& seen) const;
    Seen close_over_uses() const;
    std::string blanked(std::uint32_t source, const Seen& seen) const;
    void locate() const;
    bool is_out(Declaration::Id id) const { return superseded_.contains(id) || set_aside_.contains(id); }
    bool set_aside(const Diagnostic& failure);
    nvrtc::Request request(const api::Target& target) const;

    Settings settings_;
    std::function<void*(std::string_view)> address_;
    std::vector<SourceText> sources_;
    std::vector<Declaration> declarations_;
    std::set<Declaration::Id> superseded_;
    std::set<Declaration::Id> set_aside_;  ///< does not compile: the rest of the session goes on without it
    // Stable addresses: the API layer keeps pointers to the symbols.
    std::vector<std::unique_ptr<Kernel>> kernels_;
    std::vector<std::unique_ptr<Variable>> variables_;
    mutable std::unordered_map<const void*, Kernel*> kernel_by_stub_;
    mutable std::unordered_map<const void*, Variable*> variable_by_shadow_;
    bool changed_ = true;
    api::Target compiled_for_;
    std::shared_ptr<const nvrtc::Artifact> artifact_;
};

}  // namespace cudash::session
