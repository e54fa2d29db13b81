// What a user may set once for all sessions, in one table: reading the file and the environment, `:set`, `--set`,
// `cudash doctor` and the list in README.md come from its rows.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "repl/session/outcome.h"
#include "repl/view/look.h"
#include "repl/worker/client.h"
#include "runtime_wrappers/diagnostic.h"

namespace cudash::settings {

/// The values, as they are used. What stands here is what holds if nobody says otherwise.
struct Values {
    std::string device = "auto";
    std::string check = "default";
    bool profile = false;
    double timeout = 0;  ///< seconds; 0: none
    bool launches = false;
    bool trace = false;
    std::string colour = "auto";
    std::string theme = "dark";
    std::string unicode = "auto";
    unsigned width = 0;  ///< columns; 0: those of the terminal
    std::string pager = "less -RFX";
    std::string editor;  ///< empty: one that is there
    unsigned show_elements = view::Look{}.elements;
    std::string history_file;      ///< empty: shell::default_history_file
    unsigned history_size = 2000;  ///< entries; 0: no history is kept
    unsigned debug_memory = 256;   ///< MiB

    view::Look look() const;
    void to_worker(worker::Settings& worker) const;
    void from_worker(const worker::Settings& worker);
};

struct Setting {
    using Member = std::variant<std::string Values::*, bool Values::*, unsigned Values::*, double Values::*>;
    /// Why a text is not a value for it; empty: it is one.
    using Check = std::string (*)(std::string_view);

    std::string_view name;
    Member value;
    std::string_view form;      ///< "auto|never|always": the words that it takes, all of them; else what stands for one
    std::string_view variable;  ///< of the environment
    std::string_view others;    ///< variables of other programs that count where the file says nothing: "VISUAL EDITOR"
    bool shell_only = false;    ///< of no use to -e, cells from stdin and `run`
    std::string_view command;   ///< that changes it in a session, with the value as its argument; empty: `:set` does
    std::string_view help;
    Check check = nullptr;

    bool has_words() const { return form.find('|') != std::string_view::npos; }
};

std::span<const Setting> table();

/// Where a value comes from, the weakest first.
enum class Source { standard, other_variable, file, variable, command_line, session };

class Settings {
public:
    const Values& values() const { return values_; }
    std::string text(const Setting& setting) const;
    Source source(const Setting& setting) const { return origin_of(setting).source; }
    /// "config.toml line 3", "CUDASH_THEME"; empty for the standard value.
    std::string where(const Setting& setting) const;

    /// Takes a value from its text, unless a stronger source has said something. A text that is not a value is not
    /// taken, and the warning says why.
    std::optional<Diagnostic> set(const Setting& setting, std::string_view text, Source source,
                                  std::string_view where = {});
    /// Takes what the session has changed since, by commands of its own.
    void take(const worker::Settings& worker);
    /// Takes the options of the command line that are settings, those named in `given`.
    void take(const worker::Settings& worker, std::span<const std::string_view> given);
    /// What the file and the environment say of the shell alone is not for -e, cells from stdin and `run`.
    void leave_shell();

private:
    struct Origin {
        Source source = Source::standard;
        std::string where;
    };
    const Origin& origin_of(const Setting& setting) const;

    Values values_;
    std::vector<Origin> origins_ = std::vector<Origin>(table().size());
};

/// "NAME=VALUE", as --set has it, from the command line.
std::optional<Diagnostic> set_from_text(Settings& settings, std::string_view text);

/// The row, or a warning that says what was probably meant.
std::variant<const Setting*, Diagnostic> find(std::string_view name);

/// Name, value, where the value comes from, and what it is for.
session::Table listed(const Settings& settings, std::span<const Setting* const> rows);
/// SETTINGS.md.
std::string settings_page();

/// Seconds, rounded up.
std::chrono::milliseconds milliseconds(double seconds);

/// As std::getenv.
using Environment = std::function<const char*(const char*)>;

/// $CUDASH_CONFIG, $XDG_CONFIG_HOME/cudash/config.toml, or below ~/.config; empty without a home.
std::string default_file(const Environment& environment);

/// What a file says. Lines that say nothing to us, and a file that is not TOML or can't be read, are warnings.
void read_file(Settings& settings, const Environment& environment, std::vector<Diagnostic>& warnings);
void read_environment(Settings& settings, const Environment& environment, std::vector<Diagnostic>& warnings);

}  // namespace cudash::settings
