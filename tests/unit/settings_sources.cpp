// Settings: what the file, the environment and the command line say, and which of them wins.
#include "repl/settings/settings.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>

using namespace cudash;
using settings::Settings;
using settings::Source;

namespace {

const settings::Setting& row(std::string_view name) {
    return *std::get<const settings::Setting*>(settings::find(name));
}

/// A file of settings, and an environment that names it.
class Given {
public:
    explicit Given(const std::string& text, std::map<std::string, std::string> variables = {})
        : path_(std::filesystem::temp_directory_path() / ("cudash-settings-" + std::to_string(getpid()) + ".toml")),
          variables_(std::move(variables)) {
        std::ofstream(path_, std::ios::binary) << text;
        variables_["CUDASH_CONFIG"] = path_;
        const settings::Environment environment = [this](const char* name) -> const char* {
            const auto found = variables_.find(name);
            return found == variables_.end() ? nullptr : found->second.c_str();
        };
        settings::read_file(read, environment, warnings);
        settings::read_environment(read, environment, warnings);
    }
    ~Given() {
        std::error_code ignored;
        std::filesystem::remove(path_, ignored);
    }
    Given(const Given&) = delete;
    Given& operator=(const Given&) = delete;

    Settings read;
    std::vector<Diagnostic> warnings;

private:
    std::filesystem::path path_;
    std::map<std::string, std::string> variables_;
};

}  // namespace

TEST_CASE("settings: a file of all kinds of values") {
    const Given given("device = \"virtual:k20\"\nprofile = true\ntimeout = 2.5\nwidth = 60\ntheme = 'light'\n");
    CHECK(given.warnings.empty());
    CHECK(given.read.values().device == "virtual:k20");
    CHECK(given.read.values().profile);
    CHECK(given.read.values().timeout == 2.5);
    CHECK(given.read.values().look().width == 60);
    CHECK(given.read.values().look().light);
    CHECK(given.read.source(row("width")) == Source::file);
    CHECK(given.read.where(row("width")).ends_with(".toml line 4"));
    CHECK(given.read.source(row("check")) == Source::standard);
}

TEST_CASE("settings: each wrong line is told with its place, and the others count") {
    const Given given(
        "devize = 'gpu'\ntheme = \"lihgt\"\nwidth = 'wide'\nwidth_ = 3\ntimeout = -1\nprofile = [1]\n"
        "check = 'nonesuch'\nwidth-x = 1\nunicode = \"ascii\"\n");
    REQUIRE(given.warnings.size() == 8);
    const auto at = [&](unsigned line) {
        for (const Diagnostic& each : given.warnings)
            if (each.where.line == line) return each;
        return Diagnostic{};
    };
    for (const Diagnostic& each : given.warnings) CHECK(each.severity == Diagnostic::Severity::warning);
    CHECK(at(1).message == "there is no setting 'devize'");
    CHECK(at(1).hint == "did you mean device?");
    CHECK(at(2).message == "theme: 'lihgt' is none of dark|light");
    CHECK(at(2).hint == "did you mean light?");
    CHECK(at(3).message == "width: expected a number, got 'wide'");
    CHECK(at(5).message == "timeout: -1 is not between 0 and 1000000");
    CHECK(at(6).message == "profile: a text, a number, true or false is wanted");
    CHECK(at(7).message.starts_with("check: "));
    CHECK(given.read.values().unicode == "ascii");
    CHECK(given.read.values().theme == "dark");
    CHECK(given.read.values().timeout == 0);
}

TEST_CASE("settings: what is not TOML is told, and the session goes on without it") {
    for (const char* text : {"device = \n", "\xff\xfe", "= 3", "[[["}) {
        const Given given(text);
        REQUIRE(given.warnings.size() == 1);
        CHECK(given.warnings[0].severity == Diagnostic::Severity::warning);
        CHECK(given.warnings[0].where.line == 1);
        CHECK(given.read.values().device == "auto");
    }
}

TEST_CASE("settings: the command line is stronger than the environment, and that than the file") {
    Given given("device = 'virtual:k20'\ntheme = 'light'\ncheck = 'all'\npager = 'more'\n",
                {{"CUDASH_THEME", "dark"}, {"CUDASH_CHECK", "none"}, {"PAGER", "most"}, {"EDITOR", "ed"}});
    CHECK(given.warnings.empty());
    CHECK(given.read.values().device == "virtual:k20");
    CHECK(given.read.values().theme == "dark");
    CHECK(given.read.where(row("theme")) == "CUDASH_THEME");
    CHECK(given.read.values().check == "none");
    // Variables of all programs are weaker than the file.
    CHECK(given.read.values().pager == "more");
    CHECK(given.read.values().editor == "ed");
    CHECK_FALSE(settings::set_from_text(given.read, "check=default"));
    CHECK(given.read.values().check == "default");
    worker::Settings options;
    options.options.device = "virtual:a100";
    options.options.check = "all";
    const std::array<std::string_view, 1> names = {"device"};
    given.read.take(options, names);
    CHECK(given.read.values().device == "virtual:a100");
    CHECK(given.read.values().check == "default");
    // What has spoken cannot be overruled by what is weaker.
    CHECK_FALSE(given.read.set(row("device"), "virtual", Source::file));
    CHECK(given.read.values().device == "virtual:a100");
}

TEST_CASE("settings: a wrong value in the environment is told by its name") {
    const Given given("", {{"CUDASH_WIDTH", "3"}, {"CUDASH_COLOUR", ""}});
    REQUIRE(given.warnings.size() == 1);
    CHECK(given.warnings[0].message == "CUDASH_WIDTH in the environment: width: 3 is not between 20 and 1000, nor 0");
}

TEST_CASE("settings: what is for the shell alone is left there") {
    Given given("launches = true\ntimeout = 5\n");
    CHECK(given.read.values().launches);
    given.read.leave_shell();
    CHECK_FALSE(given.read.values().launches);
    CHECK(given.read.values().timeout == 5);
    CHECK_FALSE(settings::set_from_text(given.read, "launches=true"));
    given.read.leave_shell();
    CHECK(given.read.values().launches);
}

TEST_CASE("settings: where the file is") {
    std::map<std::string, std::string> variables;
    const settings::Environment environment = [&](const char* name) -> const char* {
        const auto found = variables.find(name);
        return found == variables.end() ? nullptr : found->second.c_str();
    };
    CHECK(settings::default_file(environment).empty());
    variables["HOME"] = "/home/me";
    CHECK(settings::default_file(environment) == "/home/me/.config/cudash/config.toml");
    variables["XDG_CONFIG_HOME"] = "relative";
    CHECK(settings::default_file(environment) == "/home/me/.config/cudash/config.toml");
    variables["XDG_CONFIG_HOME"] = "/etc/me";
    CHECK(settings::default_file(environment) == "/etc/me/cudash/config.toml");
    std::vector<Diagnostic> warnings;
    Settings settings;
    settings::read_file(settings, environment, warnings);
    CHECK(warnings.empty());
    variables["CUDASH_CONFIG"] = "/nonesuch/file.toml";
    settings::read_file(settings, environment, warnings);
    REQUIRE(warnings.size() == 1);
    CHECK(warnings[0].message == "cannot read /nonesuch/file.toml: No such file or directory");
}

TEST_CASE("settings: the page says what the table says, and every row can be set to its standard") {
    const std::string path = std::string(CUDASH_SOURCE_DIR) + "/repl/settings/SETTINGS.md";
    if (std::getenv("CUDASH_REWRITE")) std::ofstream(path) << settings::settings_page();
    std::ifstream in(path);
    CHECK(std::string{std::istreambuf_iterator<char>(in), {}} == settings::settings_page());
    const Settings standard;
    for (const settings::Setting& each : settings::table()) {
        Settings other;
        CAPTURE(each.name);
        CHECK_FALSE(other.set(each, standard.text(each), Source::file));
    }
}
