#include "repl/grade/template_files.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "repl/grade/keyed_hash.h"
#include "repl/grade/names.h"

namespace cudash::grade {
namespace {

namespace fs = std::filesystem;

bool write(const fs::path& path, std::string_view text) {
    std::error_code failure;
    fs::create_directories(path.parent_path(), failure);
    if (failure) {
        errno = failure.value();
        return false;
    }
    std::ofstream file(path, std::ios::binary);
    file << text;
    return static_cast<bool>(file.flush());
}

}  // namespace

std::optional<Diagnostic> write_template(const std::string& folder, std::span<const TemplateFile> files) {
    std::error_code ignored;
    if (fs::exists(folder, ignored))
        return error("exists", fmt::format("{} exists already", folder), "choose another name");
    constexpr std::string_view mark = "@SEED@";
    const std::string seed = text_of(random_key());
    for (const TemplateFile& file : files) {
        const fs::path target = fs::path(folder) / file.path;
        std::string text(file.text);
        if (const std::size_t at = text.find(mark); at != std::string::npos) text.replace(at, mark.size(), seed);
        if (!write(target, text))
            return error("can-not-write", fmt::format("can't write {}: {}", target.string(), std::strerror(errno)));
    }
    return std::nullopt;
}

std::string new_folder_word(const std::string& folder) {
    return shell_word(folder.find('/') == std::string::npos ? "./" + folder : folder);
}

}  // namespace cudash::grade
