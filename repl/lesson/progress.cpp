#include "repl/lesson/progress.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <functional>

#include "repl/json.h"
#include "repl/shell/text_check.h"
#include "repl/shell/write_file.h"

using nlohmann::json;

namespace cudash::lesson {
namespace {

namespace fs = std::filesystem;

constexpr int version = 1;

constexpr std::array kind_names = {"demonstration", "cell", "answer", "check", "hint", "skip", "solution"};

template <class Rows, class Name = std::identity>
std::size_t index_of(const Rows& rows, const std::string& name, Name name_of = {}) {
    const auto found = std::ranges::find(rows, name, name_of);
    if (found == rows.end()) throw json::other_error::create(501, "unknown name " + name, nullptr);
    return static_cast<std::size_t>(found - rows.begin());
}

json to_json(const Progress& progress) {
    json items = json::object(), actions = json::array();
    for (const auto& [name, item] : progress.items)
        items[name] = {{"state", item_states[static_cast<std::size_t>(item.state)].stored},
                       {"tries", item.tries},
                       {"hints", item.hints},
                       {"right", item.right}};
    for (const Action& action : progress.actions)
        actions.push_back({{"kind", kind_names[static_cast<std::size_t>(action.kind)]},
                           {"section", action.section},
                           {"item", action.item},
                           {"text", action.text},
                           {"result", action.result},
                           {"ok", action.ok}});
    return {{"version", version},    {"section", progress.section},
            {"step", progress.step}, {"finished", progress.finished},
            {"items", items},        {"deeds", actions}};
}

/// Throws json::exception if it is not what to_json makes.
Progress from_json(const json& j) {
    if (j.at("version").get<int>() != version)
        throw json::other_error::create(501, "it is of another version", nullptr);
    Progress progress;
    progress.section = j.at("section").get<std::size_t>();
    progress.step = j.at("step").get<std::size_t>();
    progress.finished = j.at("finished").get<bool>();
    for (const auto& [name, item] : j.at("items").items())
        progress.items[name] = {static_cast<ItemProgress::State>(
                                    index_of(item_states, item.at("state").get<std::string>(), &ItemState::stored)),
                                item.at("tries").get<unsigned>(), item.at("hints").get<unsigned>(),
                                item.value("right", false)};
    for (const json& action : j.at("deeds"))
        progress.actions.push_back(
            {static_cast<Action::Kind>(index_of(kind_names, action.at("kind").get<std::string>())),
             action.at("section").get<std::string>(), action.at("item").get<std::string>(),
             action.at("text").get<std::string>(), action.at("result").get<std::string>(),
             action.at("ok").get<bool>()});
    return progress;
}

Diagnostic can_not_write(const std::string& path, const std::string& why) {
    return error("can-not-write", fmt::format("{} can't be written: {}", path, why));
}

}  // namespace

std::string free_name(const std::string& path, const std::string& suffix) {
    std::error_code ignored;
    for (int number = 1;; ++number) {
        std::string name = fmt::format("{}.{}.{}", path, number, suffix);
        if (!fs::exists(name, ignored)) return name;
    }
}

std::optional<Diagnostic> write_atomically(const std::string& path, const std::string& text) {
    std::error_code failure;
    const fs::path folder = fs::path(path).parent_path();
    if (!folder.empty()) fs::create_directories(folder, failure);
    if (failure) return can_not_write(folder.string(), failure.message());
    const std::string why = shell::write_file(path, text);
    if (!why.empty()) return can_not_write(path, why);
    return std::nullopt;
}

LoadedProgress load_progress(const std::string& path) {
    LoadedProgress loaded;
    std::error_code ignored;
    if (!fs::exists(path, ignored)) return loaded;
    auto text = shell::read_file(path);
    if (!text) {
        loaded.problem = text.error();
        loaded.problem->hint = "what you do now is not kept";
        loaded.keep = false;
        return loaded;
    }
    loaded.found = true;
    try {
        loaded.progress = from_json(parse_json(*text));
    } catch (const json::exception&) {
        loaded.progress = {};
        loaded.found = false;
        const std::string aside = free_name(path, "broken");
        std::error_code failure;
        fs::rename(path, aside, failure);
        loaded.problem = failure ? error("bad-progress",
                                         fmt::format("{} is damaged and can't be moved: {}", path, failure.message()))
                                 : error("bad-progress", fmt::format("{} is damaged; it is kept as {}", path, aside),
                                         "the lesson begins again; your exercises' files are as you left them");
        loaded.problem->severity = Diagnostic::Severity::warning;
        loaded.keep = !failure;
    }
    return loaded;
}

Result<Progress> peek_progress(const std::string& path) {
    const auto text = shell::read_file(path);
    if (!text) return text.error();
    try {
        return from_json(parse_json(*text));
    } catch (const json::exception&) {
        return error("bad-progress", fmt::format("{} is damaged", path));
    }
}

std::optional<Diagnostic> save_progress(const std::string& path, const Progress& progress) {
    return write_atomically(path, json_text(to_json(progress), 1) + "\n");
}

}  // namespace cudash::lesson
