#include "repl/settings/settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <filesystem>

#include "repl/shell/suggest.h"
#include "repl/shell/text_check.h"
#include "repl/toml.h"
#include "runtime_wrappers/api/runtime.h"
#include "runtime_wrappers/virtual_gpu/check/checkers.h"

namespace cudash::settings {
namespace {

Diagnostic warning(std::string message, std::string hint = {}) {
    Diagnostic problem = error("bad-setting", std::move(message), std::move(hint));
    problem.severity = Diagnostic::Severity::warning;
    return problem;
}

std::string check_device(std::string_view text) {
    const auto device = api::parse_device(text);
    return device ? "" : device.error().message;
}

std::string check_checkers(std::string_view text) {
    const auto selection = virtual_gpu::parse_selection(text);
    return selection ? "" : selection.error().message;
}

template <unsigned least, unsigned most, bool or_zero = false>
std::string check_range(std::string_view text) {
    const double value = std::strtod(std::string(text).c_str(), nullptr);
    if ((or_zero && value == 0) || (value >= least && value <= most)) return {};
    return fmt::format("{} is not between {} and {}{}", text, least, most, or_zero ? ", nor 0" : "");
}

// clang-format off
constexpr std::array rows = {
    Setting{"device", &Values::device, "DEVICE", "CUDASH_DEVICE", {}, false, "device",
            "`auto`, `gpu[:N]` or `virtual[:PROFILE]`", check_device},
    Setting{"check", &Values::check, "CHECKERS", "CUDASH_CHECK", {}, false, "check",
            "what the virtual GPU looks for: `none`, `default`, `all`, or `NAME,...`", check_checkers},
    Setting{"debug-memory", &Values::debug_memory, "MIB", "CUDASH_DEBUG_MEMORY", {}, false, {},
            "what the debugger may take to go back in a launch. It counts from the next `:debug`", check_range<1, 65'536>},
    Setting{"profile", &Values::profile, "true|false", "CUDASH_PROFILE", {}, false, "profile",
            "counts what kernels on the virtual GPU do"},
    Setting{"timeout", &Values::timeout, "SECONDS", "CUDASH_TIMEOUT", {}, false, {},
            "ends a cell, or the program, that runs longer; 0: never", check_range<0, 1'000'000>},
    Setting{"launches", &Values::launches, "true|false", "CUDASH_LAUNCHES", {}, true, "launches",
            "a line for each launch"},
    Setting{"trace", &Values::trace, "true|false", "CUDASH_TRACE", {}, true, "trace",
            "the calls of cudaXxx functions, as they happen"},
    Setting{"colour", &Values::colour, "auto|never|always", "CUDASH_COLOUR", {}, false, {},
            "`auto`: in a terminal, unless NO_COLOR or TERM=dumb says otherwise"},
    Setting{"theme", &Values::theme, "dark|light", "CUDASH_THEME", {}, false, {},
            "the terminal's background: colors that can be read on it"},
    Setting{"unicode", &Values::unicode, "auto|ascii|utf8", "CUDASH_UNICODE", {}, false, {},
            "what pictures are drawn with; `auto`: as the locale and the terminal allow"},
    Setting{"width", &Values::width, "COLUMNS", "CUDASH_WIDTH", {}, false, {},
            "how wide results are; 0: as the terminal", check_range<20, 1000, true>},
    Setting{"pager", &Values::pager, "COMMAND", "CUDASH_PAGER", "PAGER", false, {},
            "shows what is longer than the terminal; `cat`: no pager"},
    Setting{"editor", &Values::editor, "COMMAND", "CUDASH_EDITOR", "VISUAL EDITOR", false, {},
            "for `:edit`; without one, what is there of sensible-editor, nano and vi"},
    Setting{"show-elements", &Values::show_elements, "NUMBER", "CUDASH_SHOW_ELEMENTS", {}, false, {},
            "how many elements of a long line `:show` prints, the middle left out", check_range<12, 100'000>},
    Setting{"history-file", &Values::history_file, "FILE", "CUDASH_HISTORY", {}, true, {},
            "keeps what is entered; without one, `cudash/history` in `$XDG_STATE_HOME` or `~/.local/state`. It counts from "
            "the next start"},
    Setting{"history-size", &Values::history_size, "NUMBER", "CUDASH_HISTORY_SIZE", {}, true, {},
            "how many entries a session begins with; 0: none are read or kept. It counts from the next start",
            check_range<1, 100'000, true>},
};
// clang-format on

constexpr std::string_view page_head = R"(# Settings

This page is made from the table in `settings.cpp` (`CUDASH_REWRITE=1 build/release/tests/unit_tests -tc='settings: the
page*'`).

What is set once for all sessions stands in a TOML file, a line each, without sections:

    # ~/.config/cudash/config.toml
    device = "virtual:a100"
    theme = "light"
    timeout = 30

The file is `$CUDASH_CONFIG`, or `$XDG_CONFIG_HOME/cudash/config.toml`, or `~/.config/cudash/config.toml`; without HOME
there is none. Its lines are weaker than the environment, and that is weaker than the command line: an option of its own
(`--device`, `--check`, `--profile`, `--timeout`, `--plain`), or `--set NAME=VALUE`. `:set` shows what holds and where it
comes from, `:set NAME VALUE` changes it for the session, and `cudash doctor` lists what a new session would begin with.
PAGER, VISUAL and EDITOR, which are for all programs, are weaker than the file, as for git. A line that can't be used is
told with what was probably meant, the others count, and the session starts.

The file is read by the interactive shell, by `-e` and cells from standard input, by `cudash run`, and by `doctor`. `lesson`,
`transcript` and `grade` do not read it, and of the environment take no more than how things look: what they say must not
depend on who runs them. For a script that is to be as independent, `CUDASH_CONFIG=/dev/null` stands for an empty file.

)";

std::size_t index_of(const Setting& setting) {
    return static_cast<std::size_t>(&setting - rows.data());
}

/// All of `text` as a number.
template <class T>
bool read_number(std::string_view text, T& value) {
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
    return !text.empty() && failure == std::errc() && end == text.data() + text.size();
}

/// Calls `use` with each of the words between `separator`.
template <class Use>
void each_word(std::string_view words, char separator, Use use) {
    while (!words.empty()) {
        const std::size_t end = std::min(words.size(), words.find(separator));
        use(words.substr(0, end));
        words.remove_prefix(std::min(words.size(), end + 1));
    }
}

std::vector<std::string_view> words_of(const Setting& setting) {
    std::vector<std::string_view> words;
    each_word(setting.form, '|', [&](std::string_view word) { words.push_back(word); });
    return words;
}

/// A value of TOML as text, as it would be typed.
std::optional<std::string> as_text(const toml::node& node) {
    if (const auto* value = node.as_string()) return value->get();
    if (const auto* value = node.as_boolean()) return value->get() ? "true" : "false";
    if (const auto* value = node.as_integer()) return fmt::format("{}", value->get());
    if (const auto* value = node.as_floating_point()) return fmt::format("{}", value->get());
    return std::nullopt;
}

}  // namespace

std::span<const Setting> table() {
    return rows;
}

view::Look Values::look() const {
    using Look = view::Look;
    Look look;
    look.colour = colour == "always"  ? Look::Colour::always
                  : colour == "never" ? Look::Colour::never
                                      : Look::Colour::automatic;
    look.light = theme == "light";
    look.unicode = unicode == "utf8"    ? Look::Unicode::utf8
                   : unicode == "ascii" ? Look::Unicode::ascii
                                        : Look::Unicode::automatic;
    look.width = width;
    look.elements = show_elements;
    look.pager = pager;
    return look;
}

void Values::to_worker(worker::Settings& worker) const {
    worker.options.device = device;
    worker.options.check = check;
    worker.options.profile = profile || !worker.report.empty();
    worker.options.launches = launches;
    worker.options.trace = trace;
    worker.timeout = milliseconds(timeout);
    worker.options.kernel_timeout_ms = static_cast<std::uint64_t>(worker.timeout.count());
}

void Values::from_worker(const worker::Settings& worker) {
    device = worker.options.device;
    check = worker.options.check;
    profile = worker.options.profile;
    launches = worker.options.launches;
    trace = worker.options.trace;
    timeout = std::chrono::duration<double>(worker.timeout).count();
}

void Settings::take(const worker::Settings& worker) {
    Settings other = *this;
    other.values_.from_worker(worker);
    for (const Setting& row : rows)
        if (other.text(row) != text(row)) origins_[index_of(row)] = {Source::session, {}};
    values_ = other.values_;
}

void Settings::take(const worker::Settings& worker, std::span<const std::string_view> given) {
    Values other;
    other.from_worker(worker);
    for (const Setting& row : rows) {
        if (std::find(given.begin(), given.end(), row.name) == given.end()) continue;
        std::visit([&](auto member) { values_.*member = other.*member; }, row.value);
        origins_[index_of(row)] = {Source::command_line, {}};
    }
}

void Settings::leave_shell() {
    const Settings standard;
    for (const Setting& row : rows) {
        Origin& origin = origins_[index_of(row)];
        if (!row.shell_only || origin.source >= Source::command_line) continue;
        origin = {};
        (void)set(row, standard.text(row), Source::standard);
    }
}

const Settings::Origin& Settings::origin_of(const Setting& setting) const {
    return origins_[index_of(setting)];
}

std::string Settings::text(const Setting& setting) const {
    return std::visit(
        [&](auto member) -> std::string {
            const auto& value = values_.*member;
            if constexpr (std::is_same_v<std::decay_t<decltype(value)>, bool>) return value ? "true" : "false";
            return fmt::format("{}", value);
        },
        setting.value);
}

std::string Settings::where(const Setting& setting) const {
    const Origin& origin = origin_of(setting);
    switch (origin.source) {
        case Source::standard:
            return {};
        case Source::command_line:
            return "command line";
        case Source::session:
            return "session";
        case Source::other_variable:
        case Source::file:
        case Source::variable:
            break;
    }
    return origin.where;
}

std::optional<Diagnostic> Settings::set(const Setting& setting, std::string_view text, Source source,
                                        std::string_view where) {
    const auto refused = [&](std::string why, std::string hint = {}) {
        return warning(fmt::format("{}: {}", setting.name, why), std::move(hint));
    };
    if (setting.has_words()) {
        const auto words = words_of(setting);
        if (std::find(words.begin(), words.end(), text) == words.end()) {
            const auto meant = shell::suggest(text, words);
            return refused(fmt::format("'{}' is none of {}", text, setting.form),
                           meant ? fmt::format("did you mean {}?", *meant) : "");
        }
    }
    Values values = values_;
    const bool fits = std::visit(
        [&](auto member) {
            auto& value = values.*member;
            using Value = std::decay_t<decltype(value)>;
            if constexpr (std::is_same_v<Value, std::string>)
                value = text;
            else if constexpr (std::is_same_v<Value, bool>)
                value = text == "true";
            else
                return read_number(text, value);
            return true;
        },
        setting.value);
    if (!fits) return refused(fmt::format("expected a number, got '{}'", text));
    if (setting.check)
        if (std::string why = setting.check(text); !why.empty()) return refused(std::move(why));
    Origin& origin = origins_[index_of(setting)];
    if (source < origin.source) return std::nullopt;
    values_ = std::move(values);
    origin = {source, std::string(where)};
    return std::nullopt;
}

std::optional<Diagnostic> set_from_text(Settings& settings, std::string_view text) {
    const std::size_t equals = text.find('=');
    if (equals == std::string_view::npos) return warning(fmt::format("expected NAME=VALUE, got '{}'", text));
    const auto found = find(text.substr(0, equals));
    if (const auto* unknown = std::get_if<Diagnostic>(&found)) return *unknown;
    return settings.set(*std::get<const Setting*>(found), text.substr(equals + 1), Source::command_line);
}

std::variant<const Setting*, Diagnostic> find(std::string_view name) {
    std::vector<std::string_view> names;
    for (const Setting& row : rows) {
        if (row.name == name) return &row;
        names.push_back(row.name);
    }
    const auto meant = shell::suggest(name, names);
    return warning(fmt::format("there is no setting '{}'", name),
                   meant ? fmt::format("did you mean {}?", *meant) : ":set lists the settings");
}

session::Table listed(const Settings& settings, std::span<const Setting* const> wanted) {
    session::Table table{{"setting", "value", "from", ""}, {}};
    for (const Setting* row : wanted)
        table.rows.push_back(
            {std::string(row->name), settings.text(*row), settings.where(*row), std::string(row->help)});
    return table;
}

std::string settings_page() {
    std::string text(page_head);
    text += "| Setting | Values | Standard | Environment | |\n|---|---|---|---|---|\n";
    const Settings standard;
    for (const Setting& row : rows) {
        std::string form;
        if (row.has_words())
            for (const std::string_view word : words_of(row))
                form += fmt::format("{}`{}`", form.empty() ? "" : ", ", word);
        else
            form = row.form;
        const std::string value = standard.text(row);
        std::string variables = fmt::format("`{}`", row.variable);
        each_word(row.others, ' ', [&](std::string_view name) { variables += fmt::format(", `{}`", name); });
        text += fmt::format("| `{}` | {} | {} | {} | {}{} |\n", row.name, form,
                            value.empty() ? "" : fmt::format("`{}`", value), variables, row.help,
                            row.shell_only ? " (the shell only)" : "");
    }
    return text;
}

std::chrono::milliseconds milliseconds(double seconds) {
    return std::chrono::milliseconds(static_cast<long>(std::ceil(seconds * 1000)));
}

std::string default_file(const Environment& environment) {
    if (const char* named = environment("CUDASH_CONFIG"); named && *named) return named;
    if (const char* folder = environment("XDG_CONFIG_HOME"); folder && *folder == '/')
        return std::string(folder) + "/cudash/config.toml";
    if (const char* home = environment("HOME"); home && *home == '/')
        return std::string(home) + "/.config/cudash/config.toml";
    return {};
}

void read_file(Settings& settings, const Environment& environment, std::vector<Diagnostic>& warnings) {
    const std::string path = default_file(environment);
    const char* named = environment("CUDASH_CONFIG");
    std::error_code ignored;
    // Nobody needs to have one; but a file that is named must be there.
    if (path.empty() || (!(named && *named) && !std::filesystem::exists(path, ignored))) return;
    const auto warn = [&](Diagnostic problem, const toml::source_position& at) {
        problem.where = {path, at.line, at.column};
        warnings.push_back(std::move(problem));
    };
    const auto text = shell::read_file(path);
    if (!text) {
        warnings.push_back(warning(text.error().message, "the session starts without it"));
        return;
    }
    if (auto problem = shell::check_text(path, *text)) {
        problem->severity = Diagnostic::Severity::warning;
        warnings.push_back(std::move(*problem));
        return;
    }
    const toml::parse_result parsed = toml::parse(*text, path);
    if (!parsed) {
        const auto& failure = parsed.error();
        warn(warning(std::string(failure.description()), "the session starts without this file"),
             failure.source().begin);
        return;
    }
    for (const auto& [key, node] : parsed.table()) {
        const auto found = find(key.str());
        if (const auto* unknown = std::get_if<Diagnostic>(&found)) {
            warn(*unknown, key.source().begin);
            continue;
        }
        const Setting& setting = *std::get<const Setting*>(found);
        const auto value = as_text(node);
        auto problem = value ? settings.set(setting, *value, Source::file,
                                            fmt::format("{} line {}", path, key.source().begin.line))
                             : warning(fmt::format("{}: a text, a number, true or false is wanted", setting.name));
        if (problem) warn(std::move(*problem), node.source().begin);
    }
}

void read_environment(Settings& settings, const Environment& environment, std::vector<Diagnostic>& warnings) {
    const auto take = [&](const Setting& row, std::string_view name, Source source) {
        const char* text = environment(std::string(name).c_str());
        if (!text || !*text) return false;
        if (auto problem = settings.set(row, text, source, name)) {
            problem->message = fmt::format("{} in the environment: {}", name, problem->message);
            warnings.push_back(std::move(*problem));
        }
        return true;
    };
    for (const Setting& row : rows) {
        take(row, row.variable, Source::variable);
        bool taken = false;
        each_word(row.others, ' ',
                  [&](std::string_view name) { taken = taken || take(row, name, Source::other_variable); });
    }
}

}  // namespace cudash::settings
