#include "tests/fuzz/cells/cell_corpus.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <sstream>

#include "repl/shell/cell_complete.h"

namespace cudash::fuzz {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_bytes = 6000;

void add_cells(CellFile& file, const std::string& text) {
    for (std::string& cell : shell::split_cells(text))
        if (!cell.empty() && cell.front() != ':' && cell.size() <= most_bytes) file.push_back(std::move(cell));
}

/// What follows `>> ` on neighbouring lines is one cell.
CellFile of_transcript(std::istream& text) {
    CellFile file;
    std::string cell;
    for (std::string line; std::getline(text, line);) {
        if (line.starts_with(">> ")) {
            cell += line.substr(3) + "\n";
            continue;
        }
        add_cells(file, cell);
        cell.clear();
    }
    add_cells(file, cell);
    return file;
}

CellFile of_markdown(std::istream& text) {
    CellFile file;
    std::string block;
    bool inside = false;
    for (std::string line; std::getline(text, line);) {
        if (!line.starts_with("```")) {
            if (inside) block += line + "\n";
            continue;
        }
        if (inside) add_cells(file, block);
        block.clear();
        inside = !inside && (line.starts_with("```cuda") || line.starts_with("```cpp"));
    }
    return file;
}

CellFile of_program(std::istream& text) {
    CellFile file;
    add_cells(file, {std::istreambuf_iterator<char>(text), {}});
    return file;
}

}  // namespace

std::vector<CellFile> read_cells(const std::vector<fs::path>& folders) {
    struct Form {
        const char* extension;
        CellFile (*read)(std::istream&);
    };
    constexpr Form forms[] = {{".cudash", &of_transcript}, {".md", &of_markdown}, {".cu", &of_program}};
    std::vector<fs::path> paths;
    for (const fs::path& folder : folders)
        for (const auto& entry : fs::recursive_directory_iterator(folder))
            if (entry.is_regular_file()) paths.push_back(entry.path());
    std::sort(paths.begin(), paths.end());
    std::vector<CellFile> files;
    for (const fs::path& path : paths)
        for (const Form& form : forms) {
            if (path.extension() != form.extension) continue;
            std::ifstream stream(path);
            CellFile file = form.read(stream);
            if (!file.empty()) files.push_back(std::move(file));
        }
    return files;
}

}  // namespace cudash::fuzz
