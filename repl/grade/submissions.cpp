#include "repl/grade/submissions.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <map>
#include <tuple>

#include "repl/grade/names.h"
#include "repl/grade/notebook_source.h"
#include "repl/grade/read_file.h"
#include "repl/grade/several_files.h"
#include "repl/worker/unique_fd.h"

namespace cudash::grade {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
constexpr std::string_view is_link = "The submission is a symbolic link: hand in the file itself.";
constexpr std::string_view is_no_file = "The submission is not an ordinary file: hand in one .cu file.";
constexpr std::size_t most_files = 1000, most_named = 5;
constexpr int most_depth = 16;
constexpr std::string_view header_suffixes[] = {".h", ".hpp", ".cuh"};

/// What lies in a student's folder, as far as it matters.
struct Contents {
    std::vector<std::string> sources, headers, notebooks;  ///< paths from the folder
    std::string link;                                      ///< one of its symbolic links
    std::size_t files = 0;                                 ///< that were looked at
    bool too_many = false;
};

/// Jupyter keeps copies of notebooks in .ipynb_checkpoints.
bool is_hidden_path(const fs::path& path) {
    return std::ranges::any_of(path, [](const fs::path& part) { return part.native().starts_with('.'); });
}

void look_into(const fs::path& folder, const fs::path& below, int depth, Contents& found) {
    std::error_code failed;
    fs::directory_iterator each(folder / below, failed);
    for (; !failed && each != fs::directory_iterator(); each.increment(failed)) {
        const fs::path path = below / each->path().filename();
        std::error_code ignored;
        const fs::file_status status = each->symlink_status(ignored);
        if (++found.files > most_files || depth > most_depth) {
            found.too_many = true;
            return;
        }
        if (fs::is_symlink(status))
            found.link = path.string();
        else if (fs::is_directory(status))
            look_into(folder, path, depth + 1, found);
        else if (has_source_suffix(path.native()))
            found.sources.push_back(path.string());
        else if (has_notebook_suffix(path.native()) && !is_hidden_path(path))
            found.notebooks.push_back(path.string());
        else if (std::ranges::find(header_suffixes, path.extension().string()) != std::end(header_suffixes))
            found.headers.push_back(path.string());
    }
}

Entry of_folder(const fs::path& folder, const std::string& name, Files files) {
    Entry entry{shown_name(name), name, {}};
    Contents found;
    look_into(folder / name, {}, 0, found);
    std::ranges::sort(found.sources);
    if (found.too_many) {
        entry.refusal =
            fmt::format("The folder holds more than {} files, or nests too deep: hand in one .cu file.", most_files);
    } else if (!found.link.empty()) {
        entry.refusal =
            fmt::format("The folder holds a symbolic link, {}: hand in the file itself.", shown_name(found.link));
    } else if (found.sources.empty() && found.notebooks.size() == 1) {
        entry.path = (fs::path(name) / found.notebooks.front()).string();
    } else if (found.sources.empty()) {
        entry.refusal = found.notebooks.empty()
                            ? "The folder holds no .cu file and no notebook: hand in one."
                            : fmt::format("The folder holds {} notebooks: hand in one.", found.notebooks.size());
    } else if (files == Files::several) {
        for (const auto* list : {&found.sources, &found.headers})
            for (const std::string& path : *list) entry.files.push_back((fs::path(name) / path).string());
        if (entry.files.size() == 1) {
            entry.path = entry.files.front();
            entry.files.clear();
        }
    } else if (found.sources.size() > 1) {
        std::string names;
        for (std::size_t i = 0; i < std::min(found.sources.size(), most_named); ++i)
            names += (i ? ", " : "") + shown_name(found.sources[i]);
        if (found.sources.size() > most_named) names += ", ...";
        entry.refusal = fmt::format("The folder holds {} .cu files ({}): hand in one.", found.sources.size(), names);
    } else {
        entry.path = (fs::path(name) / found.sources.front()).string();
    }
    return entry;
}

struct stat state_of(int file) {
    struct stat status {};
    fstat(file, &status);
    return status;
}

/// Nobody wrote to the file in between.
bool is_unchanged(const struct stat& before, const struct stat& after) {
    const auto time = [](const struct stat& status) {
        return std::tuple(status.st_size, status.st_mtim.tv_sec, status.st_mtim.tv_nsec, status.st_ctim.tv_sec,
                          status.st_ctim.tv_nsec);
    };
    return time(before) == time(after);
}

}  // namespace

bool has_source_suffix(std::string_view name) {
    return name.size() >= 3 && name[name.size() - 3] == '.' && (name[name.size() - 2] | 0x20) == 'c' &&
           (name[name.size() - 1] | 0x20) == 'u';
}

std::optional<std::vector<Entry>> find_submissions(const std::string& folder, std::string& why, Files files) {
    std::vector<Entry> entries;
    std::error_code failed;
    fs::directory_iterator each(folder, failed);
    for (; !failed && each != fs::directory_iterator(); each.increment(failed)) {
        const std::string name = each->path().filename().string();
        std::error_code ignored;
        const fs::file_status status = each->symlink_status(ignored);
        Entry entry{shown_name(name), name, {}};
        if (fs::is_symlink(status))
            entry.refusal = is_link;
        else if (fs::is_directory(status))
            entry = of_folder(folder, name, files);
        else if (!fs::is_regular_file(status))
            entry.refusal = is_no_file;
        else if (!has_source_suffix(name) && !has_notebook_suffix(name))
            entry.refusal =
                "The submission's name ends neither in .cu nor in .ipynb: hand in a .cu file or a notebook.";
        // Hidden files that systems leave behind are nobody's submission.
        const bool is_hidden = name.starts_with('.') && !has_source_suffix(name) && !has_notebook_suffix(name) &&
                               !has_source_suffix(entry.path);
        if (!is_hidden) entries.push_back(std::move(entry));
    }
    if (failed) {
        why = failed.message();
        return std::nullopt;
    }
    std::ranges::sort(entries, {}, &Entry::name);
    return entries;
}

std::string Entry::file_name() const {
    return files.empty() ? fs::path(path).filename().string() : "submission.cu";
}

ReadSubmission read_entry(const std::string& folder, const Entry& entry) {
    if (entry.files.empty()) return read_submission(folder, entry.path);
    std::map<std::string, std::string> texts;
    for (const std::string& path : entry.files) {
        ReadSubmission one = read_submission(folder, path);
        if (!one.text) return one;
        texts[fs::path(path).lexically_relative(entry.path).string()] = std::move(*one.text);
    }
    ReadSubmission all;
    if (auto text = joined_sources(texts))
        all.text = std::move(*text);
    else
        all.refusal = text.error().message;
    return all;
}

ReadSubmission read_submission(const std::string& folder, const std::string& path) {
    ReadSubmission result;
    const auto failed = [&]() -> ReadSubmission& {
        result.failure = std::strerror(errno);
        return result;
    };
    worker::UniqueFd place(open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!place) return failed();
    const fs::path parts(path);
    for (auto part = parts.begin(); part != parts.end(); ++part) {
        const bool is_last = std::next(part) == parts.end();
        struct stat status {};
        if (fstatat(place.get(), part->c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) return failed();
        if (S_ISLNK(status.st_mode)) {
            result.refusal = is_link;
            return result;
        }
        if (is_last && !S_ISREG(status.st_mode)) {
            result.refusal = is_no_file;
            return result;
        }
        // Whatever it has become in the meantime, no link is followed and nobody is waited for.
        constexpr int guarded = O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY;
        place = worker::UniqueFd(openat(place.get(), part->c_str(), is_last ? guarded : guarded | O_DIRECTORY));
        if (!place) return failed();
    }
    const struct stat before = state_of(place.get());
    if (!S_ISREG(before.st_mode)) {
        result.refusal = is_no_file;
        return result;
    }
    const bool is_notebook = has_notebook_suffix(path);
    auto text = read_open_file(place.get(), result.failure, is_notebook ? most_notebook : most_file);
    if (!text) return result;
    if (!is_unchanged(before, state_of(place.get()))) {
        result.failure = "it changed while it was read";
        return result;
    }
    if (text->starts_with(byte_order_mark)) text->erase(0, byte_order_mark.size());
    if (is_notebook) {
        auto source = notebook_source(*text);
        if (source)
            result.text = std::move(*source);
        else
            result.refusal = source.error().message;
        return result;
    }
    result.text = std::move(text);
    return result;
}

}  // namespace cudash::grade
