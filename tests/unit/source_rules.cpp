// Which folders may include which: data flows ptx -> isa -> exec -> check, profile, and from repl to runtime_wrappers.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

namespace {

struct Rule {
    std::string_view folder, forbidden;
};
constexpr std::array rules = {
    Rule{"runtime_wrappers", "repl/"},
    Rule{"runtime_wrappers", "tests/"},
    Rule{"repl", "tests/"},
    Rule{"runtime_wrappers/virtual_gpu/ptx", "runtime_wrappers/virtual_gpu/isa/"},
    Rule{"runtime_wrappers/virtual_gpu/isa", "runtime_wrappers/virtual_gpu/exec/"},
    Rule{"runtime_wrappers/virtual_gpu/isa", "runtime_wrappers/virtual_gpu/check/"},
    Rule{"runtime_wrappers/virtual_gpu/isa", "runtime_wrappers/virtual_gpu/profile/"},
    Rule{"runtime_wrappers/virtual_gpu/exec", "runtime_wrappers/virtual_gpu/check/"},
    Rule{"runtime_wrappers/virtual_gpu/exec", "runtime_wrappers/virtual_gpu/profile/"},
    Rule{"runtime_wrappers/virtual_gpu/exec", "runtime_wrappers/virtual_gpu/runtime/"},
    Rule{"runtime_wrappers/virtual_gpu/memory", "runtime_wrappers/virtual_gpu/exec/"},
    Rule{"runtime_wrappers/virtual_gpu/model", "runtime_wrappers/virtual_gpu/exec/"},
    Rule{"runtime_wrappers/virtual_gpu/check", "runtime_wrappers/virtual_gpu/runtime/"},
    Rule{"runtime_wrappers/virtual_gpu/profile", "runtime_wrappers/virtual_gpu/runtime/"},
    Rule{"runtime_wrappers/api", "runtime_wrappers/virtual_gpu/runtime/"},
    Rule{"runtime_wrappers/api", "runtime_wrappers/cuda/"},
    Rule{"runtime_wrappers/cuda", "runtime_wrappers/virtual_gpu/"},
    Rule{"runtime_wrappers/virtual_gpu", "runtime_wrappers/cuda/"},
    Rule{"repl/session", "repl/view/"},
};

/// What breaks a rule today, and why. A new one is a mistake; take one out when its reason is gone.
struct Exception {
    std::string_view file, included;
};
constexpr std::array exceptions = {
    // What the toolkit's own library knows: it is asked for names, whichever device there is.
    Exception{"runtime_wrappers/api/error_names.cpp", "runtime_wrappers/cuda/cudart.h"},
    Exception{"runtime_wrappers/api/unknown_symbol.cpp", "runtime_wrappers/cuda/cudart.h"},
    // Plain data, which the front end draws.
    Exception{"repl/session/outcome.h", "repl/view/picture/pictures.h"},
    Exception{"repl/session/outcome.h", "repl/view/picture/report.h"},
    Exception{"repl/session/profile_pictures.h", "repl/view/picture/pictures.h"},
    Exception{"repl/session/profile_report.h", "repl/view/picture/report.h"},
};

/// Paths of #include "..." in a file.
std::vector<std::string> includes_of(const std::filesystem::path& path) {
    std::vector<std::string> found;
    std::ifstream file(path);
    constexpr std::string_view begin = "#include \"";
    for (std::string line; std::getline(file, line);)
        if (line.starts_with(begin)) found.push_back(line.substr(begin.size(), line.rfind('"') - begin.size()));
    return found;
}

}  // namespace

TEST_CASE("includes go one way: isa knows no executor, the executor no checker, the worker no view") {
    const std::filesystem::path root = CUDASH_SOURCE_DIR;
    std::size_t files = 0;
    std::vector<bool> used(exceptions.size());
    for (const Rule& rule : rules)
        for (const auto& entry : std::filesystem::recursive_directory_iterator(root / rule.folder)) {
            const auto extension = entry.path().extension();
            if (extension != ".h" && extension != ".cpp" && extension != ".def") continue;
            ++files;
            const std::string file = std::filesystem::relative(entry.path(), root).string();
            for (const std::string& included : includes_of(entry.path())) {
                if (!included.starts_with(rule.forbidden)) continue;
                const auto known = std::ranges::find_if(
                    exceptions, [&](const Exception& each) { return each.file == file && each.included == included; });
                if (known != exceptions.end()) {
                    used[static_cast<std::size_t>(known - exceptions.begin())] = true;
                    continue;
                }
                FAIL_CHECK(
                    fmt::format("{} includes {}: {} must not know {}", file, included, rule.folder, rule.forbidden));
            }
        }
    CHECK(files > 300);
    for (std::size_t i = 0; i < exceptions.size(); ++i)
        if (!used[i])
            FAIL_CHECK(fmt::format("{} no longer includes {}: take it off the exceptions", exceptions[i].file,
                                   exceptions[i].included));
}

TEST_CASE("no source file is longer than 500 lines, but tables") {
    const std::filesystem::path root = CUDASH_SOURCE_DIR;
    constexpr std::size_t most_lines = 500;
    std::size_t files = 0;
    for (const char* folder : {"repl", "runtime_wrappers"})
        for (const auto& entry : std::filesystem::recursive_directory_iterator(root / folder)) {
            const auto extension = entry.path().extension();
            if (extension != ".h" && extension != ".cpp") continue;
            ++files;
            std::ifstream file(entry.path());
            std::size_t lines = 0;
            for (std::string line; std::getline(file, line);) ++lines;
            if (lines > most_lines)
                FAIL_CHECK(fmt::format("{} has {} lines: what else it holds belongs in a file of its own",
                                       std::filesystem::relative(entry.path(), root).string(), lines));
        }
    CHECK(files > 500);
}

namespace {

/// Tables, which are as long as what they hold.
constexpr std::array long_functions = {
    std::string_view("runtime_wrappers/cudart/toolkit12.cpp: CUDASH_EXPORT cudaError_t cudaGetDeviceProperties_v2("
                     "DeviceProperties* to, int device) {"),
};

/// As clang-format indents them: from the line that begins at `indent` to the next closing brace there.
template <class Found>
void visit_functions(const std::filesystem::path& path, std::size_t indent, Found&& found) {
    std::ifstream file(path);
    std::string begin;
    std::size_t number = 0, begin_at = 0;
    for (std::string line; std::getline(file, line);) {
        ++number;
        const std::size_t first = line.find_first_not_of(' ');
        if (first != indent || line[first] == '#') continue;
        if (line.substr(first) != "}") {
            begin = line.substr(first);
            begin_at = number;
        } else if (!begin.empty()) {
            found(begin, number - begin_at + 1);
            begin.clear();
        }
    }
}

}  // namespace

TEST_CASE("no function is longer than 80 lines, but tables") {
    const std::filesystem::path root = CUDASH_SOURCE_DIR;
    constexpr std::size_t most_lines = 80;
    std::size_t functions = 0, known = 0;
    for (const char* folder : {"repl", "runtime_wrappers"})
        for (const auto& entry : std::filesystem::recursive_directory_iterator(root / folder)) {
            const auto extension = entry.path().extension();
            if (extension != ".h" && extension != ".cpp") continue;
            const std::string file = std::filesystem::relative(entry.path(), root).string();
            for (const std::size_t indent : {0u, 4u})  // at the top, and in classes
                visit_functions(entry.path(), indent, [&](const std::string& begin, std::size_t lines) {
                    ++functions;
                    if (lines <= most_lines) return;
                    if (std::ranges::find(long_functions, file + ": " + begin) != long_functions.end()) {
                        ++known;
                    } else {
                        FAIL_CHECK(fmt::format("{}: {} has {} lines: what are its steps?", file, begin, lines));
                    }
                });
        }
    CHECK(functions > 5000);
    CHECK(known == long_functions.size());
}
