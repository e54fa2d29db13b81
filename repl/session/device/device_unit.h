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
#include "repl/session/device/device_text.h"
#include "runtime_wrappers/api/device_code.h"
#include "runtime_wrappers/nvrtc/compiler.h"
#include "runtime_wrappers/nvrtc/debug_link.h"
#include "runtime_wrappers/nvrtc/nvcc.h"

namespace cudash::session {

class DeviceUnit : public api::DeviceCode {
public:
    struct Settings {
        std::vector<std::string> include_dirs;
        std::vector<std::string> defines;
        std::string standard = "c++17";
        bool second_opinion = false;  ///< nvcc is asked where NVRTC refuses
        std::string prelude = {};     ///< the #include lines that every cell begins with
    };
    using FindAddress = std::function<void*(std::string_view)>;
    /// `address` finds a symbol of interpreted code: how stubs and shadows get to be known by address. `earlier` finds
    /// what files that come before the one with the kernel have for its stub's, if it is another.
    explicit DeviceUnit(
        Settings settings, FindAddress address, FindAddress earlier = [](std::string_view) { return nullptr; })
        : settings_(std::move(settings)), address_(std::move(address)), earlier_address_(std::move(earlier)) {}

    /// Adds what a cell declared, or the program's file of this number (from 1).
    void add(CellFacts facts, std::uint32_t file = 0);
    /// Adds a text that only device code sees, behind all cells.
    void add(DeviceText text);
    /// All that cells declared, in order, and the texts that it stands in.
    const std::vector<Declaration>& declarations() const { return declarations_; }
    const std::vector<SourceText>& sources() const { return sources_; }
    /// The source whose declaration replaced this one; nullopt if none did.
    std::optional<std::uint32_t> superseded_by(Declaration::Id id) const {
        const auto found = superseded_by_.find(id);
        return found == superseded_by_.end() ? std::nullopt : std::optional(found->second);
    }
    bool empty() const { return kernels_.empty() && variables_.empty(); }

    /// What NVRTC is given: the main text, and the user's headers by the name that #include uses.
    struct Text {
        std::string main;
        std::vector<std::pair<std::string, std::string>> headers;
        bool calls_runtime = false;  ///< launches kernels or calls cudaXxx(), which needs -rdc=true
        bool has_headers = false;    ///< it begins with #include lines that the next text is likely to begin with, too
    };
    Text text() const { return text_for(Reader::nvrtc, {}); }

    const api::KernelSymbol* kernel(const void* stub) const override;
    const api::VariableSymbol* variable(const void* shadow) const override;
    std::vector<const api::VariableSymbol*> variables() const override;
    /// The host shadow that holds `address`, and the size of its variable.
    std::optional<std::pair<const void*, std::uint64_t>> shadow_at(std::uint64_t address) const;
    /// The student's kernels that their names still find.
    std::vector<KernelFact> kernels() const;
    Result<std::shared_ptr<const nvrtc::Artifact>> unit(const api::Target& target) override;
    Result<std::shared_ptr<const nvrtc::Artifact>> module_of(const api::KernelSymbol& symbol,
                                                             const api::Target& target) override;
    Result<std::shared_ptr<const nvrtc::Artifact>> debug_unit(const api::Target& target) override;
    /// Of the last debug unit; empty: its text has all.
    const std::vector<nvrtc::DebugPart>& debug_parts() const { return debug_parts_; }
    bool tell(const Diagnostic& failure) override;
    /// Why the unit as last compiled lacks kernels, if it does.
    std::optional<Diagnostic> failure() const;
    /// Why what a cell declares for device code can't be compiled, before it is added; nullopt if it can, or if the
    /// mistake stands elsewhere. What NVRTC makes of it is cached: the launch does not compile it again.
    std::optional<Diagnostic> refusal(const CellFacts& facts, const api::Target& target) const;
    /// Where what a cell adds is sure to need nvcc, which takes seconds, has it begin: host code is linked meanwhile.
    void begin_compiling(const CellFacts& facts, const api::Target& target) const;

private:
    struct Kernel {
        KernelFact fact;
        api::KernelSymbol symbol;
        bool current = true;  ///< false: redefined with other parameters since
        bool located = false;
        bool hopeless = false;             ///< neither compiler made it of a text that both took
        bool ambiguous = false;            ///< an overload that came later has the same name and template arguments
        std::set<Declaration::Id> uses;    ///< of a header's: what it needs of the session's
        std::optional<std::size_t> apart;  ///< which of apart_ has it
    };
    struct Variable {
        VariableFact fact;
        api::VariableSymbol symbol;
        bool located = false;
    };
    /// Indices of what a file's text may have.
    struct Places {
        std::unordered_map<Declaration::Id, std::vector<std::size_t>> by_id;
        std::unordered_map<std::string_view, std::vector<std::size_t>> by_name;
        std::unordered_map<Declaration::Id, std::string_view> replaced;  ///< names of what was redefined
    };
    struct Seen {
        std::vector<bool> declarations;  ///< by index
        std::set<Declaration::Id> ids;   ///< referred to
        std::set<std::string_view> words;
        std::set<std::string> std_headers;
    };

    /// Who compiles the text: NVRTC has no host headers; nvcc reads all of them, and files as they are.
    enum class Reader : std::uint8_t { nvrtc, nvcc };
    using Compiled = Result<std::shared_ptr<const nvrtc::Artifact>>;

    /// A file of the program, as declarations number them. What cells declared is part of each.
    using File = std::uint32_t;
    static constexpr File all_files = 0;  ///< as one text
    static bool is_of(File file, File wanted) { return wanted == all_files || file == 0 || file == wanted; }
    /// What became of a file whose device code is a module of its own.
    struct Module {
        File file = 0;
        std::shared_ptr<const nvrtc::Artifact> artifact;
        std::map<std::string, std::string, std::less<>> renamed;  ///< by the linker
    };

    /// Kernels of headers that one cell was the first to use. What they need is compiled once, and not again with
    /// whatever the session adds.
    struct Apart {
        std::vector<std::size_t> kernels;  ///< indices
        nvrtc::Request request;            ///< for nvcc; its target comes later
        bool is_brief = false;             ///< of few headers
        std::shared_ptr<const nvrtc::Artifact> artifact;
        unsigned arch = 0;  ///< of the artifact

        nvrtc::Request request_for(const api::Target& target) const;
    };
    /// What a text is made for: all of a file, or some kernels of headers.
    struct Scope {
        File file = all_files;
        const std::vector<std::size_t>* kernels = nullptr;  ///< indices; nullptr: all that are not apart
    };

    static bool is_nameable_by_nvcc(const KernelFact& kernel);
    bool has(const Scope& scope, std::size_t kernel) const;
    Text text_for(Reader reader, const Scope& scope) const;
    void begin_text(const Seen& seen, Text& text) const;
    std::string toolkit_includes() const;
    bool uses_all_of_cub(const Seen& seen) const;
    bool has_cells() const;
    std::string instances(const Scope& scope) const;
    void set_apart(const std::vector<std::size_t>& kernels);
    void set_apart_again(const std::vector<Declaration::Id>& replaced);
    std::vector<std::size_t> take_back(std::size_t apart);
    std::optional<nvrtc::Request> brief_request(const std::vector<std::size_t>& kernels) const;
    bool configures_headers() const;
    std::optional<Diagnostic> compile_apart(const api::Target& target);
    Compiled own_unit(const api::Target& target);
    std::set<File> files_with_device_code() const;
    nvrtc::Request request_for_nvcc(const api::Target& target, const Scope& scope) const;
    Compiled compile(const api::Target& target);
    Compiled compile_file(const api::Target& target, File file);
    Diagnostic agreed(Diagnostic by_nvrtc, Diagnostic by_nvcc) const;
    bool lacks_kernel(const nvrtc::Artifact& artifact, File file) const;
    std::string name_in(const nvrtc::Artifact& artifact, const std::string& expression,
                        const std::string& mangled) const;
    std::string name_of(const std::string& expression, const std::string& mangled, File file) const;
    void find_names();

    /// The same declarations, of which nobody has symbols.
    DeviceUnit copy() const;
    std::vector<bool> stale() const;
    void retire_instances();
    std::vector<bool> moved(const Seen& seen) const;
    Places places_in(File file) const;
    Seen close_over_uses(const Scope& scope) const;
    /// `own`: the indices of the declarations that stand in the source.
    std::string blanked(std::uint32_t source, const std::vector<std::size_t>& own, const Seen& seen,
                        Reader reader) const;
    void locate() const;
    bool is_set_aside(const Kernel& kernel) const;
    bool is_out(Declaration::Id id) const { return superseded_.contains(id) || set_aside_.contains(id); }
    bool holds(const Declaration& declaration, const SourceSpot& at) const;
    bool set_aside(const Diagnostic& failure);
    bool set_aside_by_name(const Diagnostic& failure);
    bool set_aside_ambiguous(const Diagnostic& failure);
    SourceSpot place_of(Declaration::Id id) const;
    std::optional<Diagnostic> too_much_constant() const;
    nvrtc::Request request(const api::Target& target, File file) const;

    Settings settings_;
    FindAddress address_, earlier_address_;
    std::vector<SourceText> sources_;
    std::vector<DeviceText> device_texts_;
    std::vector<Declaration> declarations_;
    std::set<Declaration::Id> superseded_;
    std::map<Declaration::Id, std::uint32_t> superseded_by_;
    std::set<Declaration::Id> set_aside_;  ///< does not compile: the rest of the session goes on without it
    // Stable addresses: the API layer keeps pointers to the symbols.
    std::vector<std::unique_ptr<Kernel>> kernels_;
    std::vector<std::unique_ptr<Variable>> variables_;
    std::vector<Apart> apart_;
    nvrtc::LambdaNumbers lambda_numbers_;
    mutable std::unordered_map<const void*, Kernel*> kernel_by_stub_;
    mutable std::unordered_map<const void*, Variable*> variable_by_shadow_;
    std::set<std::string> told_;  ///< failures, by place and words
    bool changed_ = true;
    std::optional<Diagnostic> lacking_;  ///< what nvcc said, asked for kernels that NVRTC's unit lacks
    std::optional<Diagnostic> refused_;  ///< what NVRTC said first of what it was given last
    api::Target compiled_for_;
    std::shared_ptr<const nvrtc::Artifact> artifact_;
    Compiled debug_file(const api::Target& target, File file) const;
    std::vector<nvrtc::DebugPart> debug_parts_;
    std::shared_ptr<const nvrtc::Artifact> debugged_;  ///< of several files
    std::uint64_t debugged_of_ = 0;                    ///< Artifact::id of the unit
    std::vector<Module> modules_;                      ///< that it was linked of; empty: one text
};

}  // namespace cudash::session
