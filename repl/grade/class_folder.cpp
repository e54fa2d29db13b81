#include "repl/grade/class_folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>

#include <cerrno>
#include <filesystem>

#include "repl/grade/names.h"
#include "repl/grade/read_file.h"
#include "repl/json.h"
#include "repl/shell/write_file.h"

namespace cudash::grade {
namespace {

namespace fs = std::filesystem;
using json = nlohmann::ordered_json;

constexpr const char* owner_file = "class.json";

/// The members of ClassOwner that are texts, by their names in class.json.
constexpr std::pair<const char*, std::string ClassOwner::*> texts[] = {{"assignment", &ClassOwner::assignment},
                                                                       {"submissions", &ClassOwner::submissions},
                                                                       {"format", &ClassOwner::format},
                                                                       {"made_by", &ClassOwner::made_by},
                                                                       {"key", &ClassOwner::key},
                                                                       {"key_id", &ClassOwner::key_id},
                                                                       {"course", &ClassOwner::course}};

}  // namespace

std::string absolute_path(const std::string& path) {
    std::error_code ignored;
    std::string absolute = fs::weakly_canonical(path, ignored).string();
    while (absolute.size() > 1 && absolute.back() == '/') absolute.pop_back();
    return absolute;
}

std::string ClassFolder::record(const std::string& entry) const {
    return (fs::path(path_) / "records" / (file_name(entry) + ".json")).string();
}

std::string ClassFolder::result(const std::string& entry, const std::string& suffix) const {
    return (fs::path(path_) / "results" / (file_name(entry) + suffix)).string();
}

std::string ClassFolder::make() const {
    std::error_code failed;
    for (const char* name : {"records", "results"})
        if (!failed) fs::create_directories(fs::path(path_) / name, failed);
    return failed ? fmt::format("{} can't be made: {}", path_, failed.message()) : "";
}

Result<worker::UniqueFd> ClassFolder::lock(Use use) const {
    worker::UniqueFd file(open(path_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (file && flock(file.get(), (use == Use::alone ? LOCK_EX : LOCK_SH) | LOCK_NB) != 0 && errno == EWOULDBLOCK)
        return error("in-use", fmt::format("another grader writes to {}", path_));
    return file;
}

void ClassFolder::remove_unfinished(const worker::UniqueFd& lock) const {
    if (!lock || flock(lock.get(), LOCK_EX | LOCK_NB) != 0) return;
    for (const std::string& folder : {path_, file("records"), file("results")}) shell::remove_unfinished_files(folder);
}

Result<ClassOwner> ClassFolder::owner() const {
    std::string why;
    const auto text = read_file(file(owner_file), why);
    if (!text)
        return error("no-class",
                     fmt::format("{} has no results of a class: {} can't be read: {}", shown_name(path_),
                                 shown_name(file(owner_file)), why),
                     "give the folder that you gave with --output");
    const json read = parse_ordered_json(*text);
    ClassOwner owner;
    owner.format.clear();
    for (const auto& [name, member] : texts)
        if (read.is_object() && read.contains(name) && read[name].is_string()) owner.*member = read[name];
    if (read.is_object() && read.contains("times") && read["times"].is_boolean()) owner.times = read["times"];
    if (owner.assignment.empty() || owner.submissions.empty())
        return error(
            "damaged-class",
            fmt::format("{} is damaged: it doesn't say which class these results belong to",
                        shown_name(file(owner_file))),
            "remove this file, and grade the class again with the same --output: results that still fit are kept");
    return owner;
}

std::string ClassFolder::write(const ClassOwner& owner) const {
    json out;
    for (const auto& [name, member] : texts) out[name] = owner.*member;
    out["times"] = owner.times;
    return shell::write_file(file(owner_file), json_text(out, 1) + "\n");
}

std::optional<Diagnostic> ClassFolder::take(const ClassOwner& wanted) const {
    std::error_code ignored;
    if (!fs::exists(file(owner_file), ignored)) {
        const std::string problem = write(wanted);
        if (problem.empty()) return std::nullopt;
        return error("unwritable", fmt::format("{} can't be written: {}", file(owner_file), problem),
                     "give another folder with --output");
    }
    const auto owner = this->owner();
    if (!owner) return owner.error();
    if (owner->assignment != wanted.assignment || owner->submissions != wanted.submissions)
        return error("other-class",
                     fmt::format("{} has the results of the submissions in {} to the assignment {}", path_,
                                 shown_name(owner->submissions), shown_name(owner->assignment)),
                     "give another folder with --output");
    if (owner->key_id != wanted.key_id) {
        const auto key = [](const std::string& id) { return id.empty() ? "no course key" : "the course key " + id; };
        return error("other-key",
                     fmt::format("the marks in {} were made with {}; this run has {}", path_, key(owner->key_id),
                                 key(wanted.key_id)),
                     "find the key that was used first, or grade into another folder: with another key every student "
                     "has other inputs");
    }
    if (owner->made_by != wanted.made_by)
        return error(
            "changed-assignment",
            fmt::format("the assignment, or cudash itself, has changed since the marks in {} were made", path_),
            fmt::format("`cudash grade again {}` shows whose marks would change, and why", shell_word(path_)));
    if (*owner == wanted) return std::nullopt;
    const std::string problem = write(wanted);
    if (problem.empty()) return std::nullopt;
    return error("unwritable", fmt::format("{} can't be written: {}", file(owner_file), problem));
}

}  // namespace cudash::grade
