#include "runtime_wrappers/nvrtc/program_key.h"

#include <filesystem>
#include <set>
#include <string_view>
#include <system_error>

#include "runtime_wrappers/nvrtc/content_hash.h"
#include "runtime_wrappers/nvrtc/nvcc_process.h"

namespace cudash::nvrtc {
namespace {

namespace fs = std::filesystem;

std::string_view without_blanks(std::string_view text) {
    const std::size_t begin = text.find_first_not_of(" \t");
    return begin == std::string_view::npos ? std::string_view() : text.substr(begin);
}

class Inputs {
public:
    explicit Inputs(const std::vector<std::string>& include_dirs) : include_dirs_(include_dirs) {}

    /// False: what it includes can't be told.
    bool add(const fs::path& path) {
        std::error_code failed;
        if (!seen_.insert(fs::weakly_canonical(path, failed).string()).second) return true;
        if (!fs::is_regular_file(path, failed)) return false;
        const std::string text = content_of(path);
        hash_.add(path.string()).add(text);
        std::string_view rest = text;
        while (!rest.empty()) {
            const std::size_t end = rest.find('\n');
            if (!add_included(rest.substr(0, end), path.parent_path())) return false;
            rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
        }
        return true;
    }
    ContentHash& hash() { return hash_; }

private:
    bool add_included(std::string_view line, const fs::path& folder) {
        constexpr std::string_view include = "include";
        line = without_blanks(line);
        if (!line.starts_with('#')) return true;
        line = without_blanks(line.substr(1));
        if (!line.starts_with(include)) return true;
        line = without_blanks(line.substr(include.size()));
        const bool quoted = line.starts_with('"');
        if (!quoted && !line.starts_with('<')) return false;
        const std::string_view name = line.substr(1, line.find(quoted ? '"' : '>', 1) - 1);
        std::error_code failed;
        if (quoted && fs::is_regular_file(folder / name, failed)) return add(folder / name);
        for (const std::string& each : include_dirs_)
            if (fs::is_regular_file(fs::path(each) / name, failed)) return add(fs::path(each) / name);
        return true;  // the toolkit's or the system's
    }

    const std::vector<std::string>& include_dirs_;
    std::set<std::string> seen_;
    ContentHash hash_;
};

}  // namespace

std::optional<std::string> program_key(const std::vector<std::string>& sources,
                                       const std::vector<std::string>& include_dirs,
                                       const std::vector<std::string>& command) {
    Inputs inputs(include_dirs);
    for (const std::string& source : sources)
        if (!inputs.add(source)) return std::nullopt;
    for (const std::string& word : command) inputs.hash().add(word);
    // Debug information has the folder, and an nvcc of another toolkit makes another program.
    std::error_code failed;
    const fs::path nvcc = command.front();
    inputs.hash().add(fs::current_path(failed).string());
    inputs.hash().add(static_cast<std::uint64_t>(fs::file_size(nvcc, failed)));
    inputs.hash().add(static_cast<std::uint64_t>(fs::last_write_time(nvcc, failed).time_since_epoch().count()));
    return inputs.hash().text();
}

}  // namespace cudash::nvrtc
