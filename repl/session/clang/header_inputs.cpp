#include "repl/session/clang/header_inputs.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <fstream>
#include <system_error>

namespace cudash::session {
namespace {

namespace fs = std::filesystem;

fs::path list_of(const fs::path& header) {
    return header.string() + ".inputs";
}

/// A line of the list; empty: there is no such file.
std::string state_of(const std::string& file) {
    struct stat about {};
    if (::stat(file.c_str(), &about) != 0) return {};
    return fmt::format("{} {} {}", about.st_mtime, about.st_size, file);
}

}  // namespace

void note_inputs(const fs::path& header, std::span<const std::string> files) {
    const fs::path list = list_of(header), temporary = header.string() + ".inputs.new";
    {
        std::ofstream out(temporary);
        for (const std::string& file : files) out << state_of(file) << '\n';
    }
    std::error_code ignored;
    fs::rename(temporary, list, ignored);
}

bool is_current(const fs::path& header) {
    std::error_code ignored;
    if (!fs::exists(header, ignored)) return false;
    std::ifstream list(list_of(header));
    if (!list) return false;
    for (std::string line; std::getline(list, line);) {
        const std::size_t path = line.find('/');
        if (path == std::string::npos || state_of(line.substr(path)) != line) return false;
    }
    return true;
}

}  // namespace cudash::session
